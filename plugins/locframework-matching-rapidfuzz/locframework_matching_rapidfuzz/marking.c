/* Marks the lines of a text that hold a needle: concordance over one language.
 *
 * Plain C11 without Python, like kernel.c. Thirty-two places at once are looked at for
 * two bytes of the needle, the end of its first character (in UTF-8 that tells more
 * than the beginning) and its last; of a single character its last two; where both are, the needle is compared. A line that
 * holds it is left at once, so that frequent needles cost no more than rare ones.
 */
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

typedef u8 places __attribute__((vector_size(32)));

/* a bit for each place that is not 0, the first in the lowest */
INLINE u32 mask_of(const places *all) {
#ifdef __SSE2__
    __m128i halves[2];
    memcpy(halves, all, 32);
    return (u32)_mm_movemask_epi8(halves[0]) | (u32)_mm_movemask_epi8(halves[1]) << 16;
#else
    u64 parts[4];
    u32 mask = 0;
    memcpy(parts, all, 32);
    if (parts[0] | parts[1] | parts[2] | parts[3])
        for (int i = 0; i < 32; i++) mask |= (u32)((*all)[i] != 0) << i;
    return mask;
#endif
}

/* the first place from `at` on, before `end`, where the needle begins; else `end` */
INLINE u64 next_hit(const u8 *text, u64 at, u64 end, const u8 *needle, u64 n, u64 early) {
    const places first = (places){0} + needle[early], last = (places){0} + needle[n - 1];
    for (; at + n + 32 <= end; at += 32) {
        places a, b;
        memcpy(&a, text + at + early, 32);
        memcpy(&b, text + at + n - 1, 32);
        places both = (places)((a == first) & (b == last));
        for (u32 left = mask_of(&both); left; left &= left - 1) {
            u64 here = at + (u64)__builtin_ctz(left);
            if (!memcmp(text + here, needle, n)) return here;
        }
    }
    for (; at + n <= end; at++)
        if (!memcmp(text + at, needle, n)) return at;
    return end;
}

/* Lines are ended by a byte that is in no needle; starts has count + 1 of them, and
 * docs whose line each is. Sets a doc's bit where a line of it holds the needle, and
 * its bit in `whole` where a line is the needle. */
WIDE void locframework_mark(const u8 *text, const u64 *starts, const u32 *docs, u64 count,
                       const u8 *needle, u64 n, u64 early, u8 *bits, u8 *whole) {
    u64 end = starts[count], line = 0;
    for (u64 at = starts[0]; at < end; at = starts[line + 1]) {
        u64 hit = next_hit(text, at, end, needle, n, early);
        if (hit == end) return;
        while (starts[line + 1] <= hit) line++;
        u32 doc = docs[line];
        bits[doc >> 3] |= (u8)(1 << (doc & 7));
        if (hit == starts[line] && hit + n + 1 == starts[line + 1])
            whole[doc >> 3] |= (u8)(1 << (doc & 7));
    }
}
