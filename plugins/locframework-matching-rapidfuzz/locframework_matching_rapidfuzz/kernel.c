/* Finds the texts of one segment within a Levenshtein distance of a query, exactly.
 *
 * Plain C11 without Python: built by hatch_build.py where a compiler is found, called
 * through ctypes (so without the interpreter's lock) by kernel.py. ``scan`` there says the
 * same in numpy and rapidfuzz; the tests hold the two against each other.
 *
 * The texts of a segment are sorted by length and cut into blocks of 65,536. Each block
 * has a list of its texts (16 bits each) for every token: a hashed pair of neighbouring
 * characters and which of its occurrences in the text this is.
 *
 *   length   d(q, t) <= k leaves only the lengths from n - k to n + k;
 *   count    one edit destroys at most two pairs, so q and t share at least
 *            max(n, m) - 1 - 2k tokens; of that many, the longest lists may stay unread
 *            if the threshold is lowered by their number;
 *   distance what is left is computed, many texts of one length side by side: Hyyrö's
 *            bit-parallel matrix on the k + 1 diagonals that matter, 16, 32 or 64 bits
 *            wide; beyond 64 diagonals, and where the table for them would be too big,
 *            in columns of 64-bit words.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

#define BLOCK 65536
#define HASH_BITS 14
#define OCCURRENCES 4
#define TABLE 65536 /* masks of the side-by-side: half a megabyte */

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

typedef struct {
    const u16 *codes;    /* the texts, one after the other */
    const u64 *offsets;  /* count + 1 */
    const u64 *starts;   /* starts[l]: the first text of length >= l; longest + 2 */
    const u16 *lists;    /* texts by block and token */
    const u32 *ends;     /* per block 65,537 offsets into its lists */
    const u64 *bases;    /* per block the first of its lists */
    const u8 *gone;      /* a bit per text: deleted or replaced */
    u64 count;
    u64 longest;
} Segment;

typedef struct {
    const Segment *s;
    const u16 *q;
    long n, words, kinds; /* kinds: distinct characters of q, from 1; 0 is any other */
    u16 *kind;            /* by code */
    u64 *rows;            /* kinds + 1 rows of words + 2: where each character stands */
    u32 *out;
    u32 *out_distance;
    long found, most;
    u64 *columns;         /* of four texts' matrices in whole columns: 2 * words each */
    u64 *masks;           /* columns x (kinds + 1): the table of the side-by-side */
} Search;

static inline u32 pair_hash(u32 a, u32 b) {
    return ((a * 0x9E3779B1u) ^ (b * 0x85EBCA6Bu + 0x7F4A7C15u)) * 0xC2B2AE35u >> (32 - HASH_BITS);
}

static inline void hit(Search *x, u64 doc, long distance) {
    if (x->s->gone[doc >> 3] >> (doc & 7) & 1) return;
    if (x->found < x->most) {
        x->out[x->found] = (u32)doc;
        x->out_distance[x->found] = (u32)distance;
    }
    x->found++;
}

/* 64 bits of a character's row from bit `at` on, which may lie before or behind it */
static inline u64 window(const u64 *row, long words, long at) {
    if (at <= -64 || at >= words * 64) return 0;
    if (at < 0) return row[1] << -at;
    u64 bits = row[1 + (at >> 6)] >> (at & 63);
    return at & 63 ? bits | row[2 + (at >> 6)] << (64 - (at & 63)) : bits;
}

/* Whole columns, four texts of one length side by side: any k. Of a column only the
 * words that the diagonals from -k to k cross are computed: what is outside them is
 * taken for too much, which no path of at most k edits goes through. */
typedef u64 four __attribute__((vector_size(32)));

WIDE static void whole(Search *x, const u32 *docs, long many, long m, long k) {
    const Segment *s = x->s;
    long n = x->n, words = x->words, stride = words + 2;
    four *vp = (four *)x->columns, *vn = vp + words;
    const four none = {0}, one = none + 1;
    for (long begin = 0; begin < many; begin += 4) {
        const u16 *t[4];
        for (int l = 0; l < 4; l++)
            t[l] = s->codes + s->offsets[docs[begin + l < many ? begin + l : begin]];
        for (long w = 0; w < words; w++) vp[w] = ~none, vn[w] = none;
        long bottom = k / 64 < words - 1 ? k / 64 : words - 1; /* the last word so far */
        four value = none + (u64)((bottom + 1) * 64 < n ? (bottom + 1) * 64 : n);
        int alive = 1;
        for (long j = 0; j < m; j++) {
            const u64 *row[4];
            for (int l = 0; l < 4; l++) row[l] = x->rows + x->kind[t[l][j]] * stride + 1;
            long first = j > k ? (j - k) / 64 : 0;
            long last = (j + k) / 64 < words - 1 ? (j + k) / 64 : words - 1;
            if (last > bottom) { /* a new word: each of its rows one more than the one before */
                bottom = last;
                value += (u64)((bottom + 1) * 64 < n ? 64 : n - bottom * 64);
            }
            u64 end = bottom == words - 1 ? (n - 1) & 63 : 63;
            four plus = one, minus = none;
            for (long w = first; w <= last; w++) {
                four X = {row[0][w], row[1][w], row[2][w], row[3][w]};
                four p = vp[w], v = vn[w];
                X |= minus;
                four d = (((X & p) + p) ^ p) | X | v, hp = v | ~(d | p), hn = d & p;
                if (w == last) value += ((hp >> end) & 1) - ((hn >> end) & 1);
                four next_plus = hp >> 63, next_minus = hn >> 63;
                hp = hp << 1 | plus, hn = hn << 1 | minus;
                plus = next_plus, minus = next_minus;
                vp[w] = hn | ~(d | hp), vn[w] = hp & d;
            }
            if ((j & 15) == 15 && bottom == words - 1) {
                alive = 0; /* what is left of the columns can take off one each */
                for (int l = 0; l < 4; l++) alive |= (long)value[l] - (m - 1 - j) <= k;
                if (!alive) break;
            }
        }
        for (int l = 0; alive && l < 4 && begin + l < many; l++)
            if ((long)value[l] <= k) hit(x, docs[begin + l], (long)value[l]);
    }
}

/* The diagonals side by side, LANES texts of one length m at once. The lowest diagonal
 * is followed down to the last row of the matrix, then to the right. */
#define SIDE_BY_SIDE(NAME, TYPE, BITS, BYTES)                                              \
    typedef TYPE NAME##_v __attribute__((vector_size(BYTES)));                             \
    WIDE static void NAME(Search *x, const u32 *docs, long many, long m, long k) {         \
        enum { LANES = BYTES / sizeof(TYPE) };                                             \
        const Segment *s = x->s;                                                           \
        const u16 *kind = x->kind;                                                         \
        long n = x->n, step = x->kinds + 1, skew = n - m;                                  \
        long high = (k + skew) / 2, most = k + high - skew;                                \
        long down = n - high < m ? n - high : m;                                           \
        TYPE *table = (TYPE *)x->masks;                                                    \
        for (long c = 0; c < step; c++) {                                                  \
            const u64 *row = x->rows + (u64)c * (x->words + 2);                            \
            for (long j = 0; j < m; j++)                                                   \
                table[j * step + c] = (TYPE)window(row, x->words, high + 1 - BITS + j);    \
        }                                                                                  \
        for (long first = 0; first < many; first += LANES) {                               \
            const u16 *t[LANES];                                                           \
            for (int l = 0; l < LANES; l++)                                                \
                t[l] = s->codes + s->offsets[docs[first + l < many ? first + l : first]];  \
            NAME##_v one = {0}, vp, vn = one, value, X, limit;                             \
            one += 1;                                                                      \
            vp = one * (TYPE)((TYPE)~(TYPE)0 << (BITS - high - 1));                        \
            value = one * (TYPE)high;                                                      \
            limit = one * (TYPE)most;                                                      \
            TYPE picked[LANES];                                                            \
            long j = 0;                                                                    \
            int alive = 1;                                                                 \
            for (; j < down; j++) {                                                        \
                const TYPE *now = table + j * step;                                        \
                for (int l = 0; l < LANES; l++) picked[l] = now[kind[t[l][j]]];            \
                memcpy(&X, picked, BYTES);                                                 \
                NAME##_v d = (((X & vp) + vp) ^ vp) | X | vn;                              \
                NAME##_v hp = vn | ~(d | vp), hn = d & vp;                                 \
                value += (d >> (BITS - 1)) ^ 1;                                            \
                vp = hn | ~((d >> 1) | hp);                                                \
                vn = (d >> 1) & hp;                                                        \
                if ((j & 7) == 7) {                                                        \
                    NAME##_v over = (NAME##_v)(value > limit);                             \
                    u64 parts[BYTES / 8], all = ~0ull;                                     \
                    memcpy(parts, &over, BYTES);                                           \
                    for (int p = 0; p < BYTES / 8; p++) all &= parts[p];                   \
                    if (all == ~0ull) { alive = 0; break; }                                \
                }                                                                          \
            }                                                                              \
            if (!alive) continue;                                                          \
            int at = BITS - 2;                                                             \
            for (; j < m; j++, at--) {                                                     \
                const TYPE *now = table + j * step;                                        \
                for (int l = 0; l < LANES; l++) picked[l] = now[kind[t[l][j]]];            \
                memcpy(&X, picked, BYTES);                                                 \
                NAME##_v d = (((X & vp) + vp) ^ vp) | X | vn;                              \
                NAME##_v hp = vn | ~(d | vp), hn = d & vp;                                 \
                value += (hp >> at) & 1;                                                   \
                value -= (hn >> at) & 1;                                                   \
                vp = hn | ~((d >> 1) | hp);                                                \
                vn = (d >> 1) & hp;                                                        \
            }                                                                              \
            TYPE values[LANES];                                                            \
            memcpy(values, &value, BYTES);                                                 \
            for (int l = 0; l < LANES && first + l < many; l++)                            \
                if ((long)values[l] <= k) hit(x, docs[first + l], values[l]);                    \
        }                                                                                  \
    }

SIDE_BY_SIDE(lanes_of_16, u16, 16, 32)
SIDE_BY_SIDE(lanes_of_32, u32, 32, 32)
SIDE_BY_SIDE(lanes_of_64, u64, 64, 32)

static void measure(Search *x, const u32 *docs, long many, long m, long k) {
    if ((u64)(x->kinds + 1) * m > TABLE) whole(x, docs, many, m, k);
    else if (k <= 14) lanes_of_16(x, docs, many, m, k);
    else if (k <= 30) lanes_of_32(x, docs, many, m, k);
    else if (k <= 62) lanes_of_64(x, docs, many, m, k);
    else whole(x, docs, many, m, k);
}

typedef struct { u32 from, to; } List;

static int by_size(const void *a, const void *b) {
    const List *x = a, *y = b;
    u32 i = x->to - x->from, j = y->to - y->from;
    return (i > j) - (i < j);
}

/* the texts of a list before `doc`, which is below BLOCK */
static u32 before(const u16 *list, u32 size, u32 doc) {
    u32 low = 0, high = size;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (list[middle] < doc) low = middle + 1; else high = middle;
    }
    return low;
}

/* Counters of a byte for up to 255 lists, of two beyond. */
#define COUNTERS(TYPE)                                                                     \
    WIDE static void count_##TYPE(TYPE *seen, const u16 *list, u32 size) {                 \
        for (u32 i = 0; i < size; i++) seen[list[i]]++;                                    \
    }                                                                                      \
    WIDE static long enough_##TYPE(const TYPE *seen, u32 from, u32 to, TYPE least, u32 base, \
                                   u32 *docs) {                                            \
        long many = 0;                                                                     \
        u32 i = from;                                                                      \
        for (; i + 64 <= to; i += 64) {                                                    \
            TYPE any = 0;                                                                  \
            for (int j = 0; j < 64; j++) any |= seen[i + j] >= least;                      \
            if (!any) continue;                                                            \
            for (int j = 0; j < 64; j++) {                                                 \
                docs[many] = base + i + j;                                                 \
                many += seen[i + j] >= least;                                              \
            }                                                                              \
        }                                                                                  \
        for (; i < to; i++) {                                                              \
            docs[many] = base + i;                                                         \
            many += seen[i] >= least;                                                      \
        }                                                                                  \
        return many;                                                                       \
    }

COUNTERS(u8)
COUNTERS(u16)

static long edits(long n, long m, long percent) {
    return (100 - percent) * (n > m ? n : m) / 100;
}

/* Answers how many texts there are; the first `most` of them, in no order, are in out.
 * -1: no memory. */
static long find_one(const Segment *s, const u16 *q, long n, long percent, long stay,
                     u32 *out, u32 *out_distance, long most) {
    long low = (n * percent + 99) / 100, high = n * 100 / percent;
    if (low < 1) low = 1;
    if (high > (long)s->longest) high = (long)s->longest;
    if (low > high) return 0;
    u64 lo = s->starts[low], hi = s->starts[high + 1];
    if (lo >= hi) return 0;

    long words = (n + 63) / 64, status = -1;
    Search x = {.s = s, .q = q, .n = n, .words = words, .out = out, .out_distance = out_distance, .most = most};
    u32 *tokens = malloc(sizeof(u32) * (n + 1)), *docs = malloc(sizeof(u32) * (BLOCK + 1));
    List *lists = malloc(sizeof(List) * (n + 1));
    u16 *seen = malloc(sizeof(u16) * BLOCK);
    u8 *small = (u8 *)seen, *times = calloc(1 << HASH_BITS, 1);
    x.kind = calloc(BLOCK, sizeof(u16));
    x.rows = calloc((u64)(n + 1) * (words + 2), sizeof(u64));
    x.columns = aligned_alloc(32, 32 * 2 * words);
    x.masks = malloc(sizeof(u64) * TABLE);
    if (!tokens || !docs || !lists || !seen || !times || !x.kind || !x.rows || !x.columns || !x.masks)
        goto done;

    for (long i = 0; i < n; i++) {
        if (!q[i]) continue; /* a character that no text here has */
        if (!x.kind[q[i]]) x.kind[q[i]] = (u16)++x.kinds;
        x.rows[(u64)x.kind[q[i]] * (words + 2) + 1 + (i >> 6)] |= 1ull << (i & 63);
    }
    long many_tokens = 0, uncounted = 0;
    for (long i = 0; i + 1 < n; i++) {
        u32 hash = pair_hash(q[i], q[i + 1]);
        if (times[hash] == OCCURRENCES) uncounted++;
        else tokens[many_tokens++] = hash * OCCURRENCES + times[hash]++;
    }

    for (u64 block = lo / BLOCK; block * BLOCK < hi; block++) {
        u64 base = block * BLOCK;
        u32 from = lo > base ? (u32)(lo - base) : 0, to = hi - base < BLOCK ? (u32)(hi - base) : BLOCK;
        long first = (long)(s->offsets[base + from + 1] - s->offsets[base + from]);
        long last = (long)(s->offsets[base + to] - s->offsets[base + to - 1]);
        long least = 1l << 40;
        for (long m = first; m <= last; m++) {
            long shared = (n > m ? n : m) - 1 - 2 * edits(n, m, percent);
            if (shared < least) least = shared;
        }
        long threshold = least - uncounted, unread = 0, few = 1;
        if (threshold > 0) {
            const u16 *all = s->lists + s->bases[block];
            const u32 *ends = s->ends + block * (BLOCK + 1);
            for (long i = 0; i < many_tokens; i++) {
                u32 a = ends[tokens[i]], b = ends[tokens[i] + 1];
                lists[i].from = from ? a + before(all + a, b - a, from) : a;
                lists[i].to = to < BLOCK ? a + before(all + a, b - a, to) : b;
            }
            qsort(lists, many_tokens, sizeof(List), by_size);
            long kept = (threshold * stay + 255) / 256;
            unread = threshold - (kept > 1 ? kept : 1);
            few = many_tokens - unread <= 255;
            if (few) memset(small + from, 0, to - from);
            else memset(seen + from, 0, sizeof(u16) * (to - from));
            for (long i = 0; i < many_tokens - unread; i++) {
                const u16 *list = all + lists[i].from;
                u32 size = lists[i].to - lists[i].from;
                if (few) count_u8(small, list, size);
                else count_u16(seen, list, size);
            }
        }
        for (long m = first; m <= last; m++) {
            u64 a = s->starts[m], b = s->starts[m + 1];
            if (a < base + from) a = base + from;
            if (b > base + to) b = base + to;
            if (a >= b) continue;
            long k = edits(n, m, percent), many = 0;
            if (threshold > 0) {
                long shared = (n > m ? n : m) - 1 - 2 * k - uncounted - unread;
                u32 i = (u32)(a - base), j = (u32)(b - base);
                if (shared > many_tokens - unread) continue;
                many = few ? enough_u8(small, i, j, (u8)shared, (u32)base, docs)
                           : enough_u16(seen, i, j, (u16)shared, (u32)base, docs);
            } else
                for (u64 doc = a; doc < b; doc++) docs[many++] = (u32)doc;
            if (many) measure(&x, docs, many, m, k);
        }
    }
    status = x.found;
done:
    free(tokens), free(docs), free(lists), free(seen), free(times);
    free(x.kind), free(x.rows), free(x.columns), free(x.masks);
    return status;
}

/* The same for texts that stand one after the other in q: ends[i] is where text i ends,
 * and found[i] becomes the end of its own in out. Answers how many texts these are, from
 * the first on: the next would have more than there is room for, as found tells of it.
 * percent is 1 to 100, no text is empty, stay is the share (of 256) of the threshold
 * that is kept when lists stay unread. */
long locframework_find_texts(const Segment *s, const u16 *q, const u64 *ends, long texts,
                             long percent, long stay, u64 *found, u32 *out,
                             u32 *out_distance, long room) {
    long all = 0;
    for (long i = 0; i < texts; i++) {
        u64 begin = i ? ends[i - 1] : 0;
        long own = find_one(s, q + begin, (long)(ends[i] - begin), percent, stay,
                            out + all, out_distance + all, room - all);
        if (own < 0) return -1;
        found[i] = (u64)(all + own);
        if (all + own > room) return i;
        all += own;
    }
    return texts;
}
