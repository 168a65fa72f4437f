"""Mistakes that the contract of matchers has to catch."""

from tests.testing.honest.matcher import Copying, TestCopying

from .mutation import Mutant

TOP = "return Found(hits[:most], len(hits) <= most)"
SORT = "hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))"
PERCENT = "percent = (longest - distance) * 100 // longest"
KEEP = "if not segments.is_in_block():\n"

D = "return Levenshtein.distance(first, second)"

MUTANTS = {
    TestCopying: [
        Mutant("a name in capitals", Copying, '"copying"', '"Copying"'),
        Mutant(
            "the limit is for each memory",
            Copying.found,
            TOP,
            "kept = []\n    for hit in hits:\n        if sum(k.memory_id == hit.memory_id for k in kept) < most: kept.append(hit)\n    return Found(kept, len(kept) == len(hits))",
        ),
        Mutant(
            "complete for each memory",
            Copying.found,
            TOP,
            "return Found(hits[:most], all(len([h for h in hits if h.memory_id == m]) <= most for m in {h.memory_id for h in hits}))",
        ),
        Mutant(
            "always complete", Copying.found, TOP, "return Found(hits[:most], True)"
        ),
        Mutant(
            "complete only with room left",
            Copying.found,
            TOP,
            "return Found(hits[:most], len(hits) < most)",
        ),
        Mutant(
            "one hit too many",
            Copying.found,
            TOP,
            "return Found(hits[:most + 1], len(hits) <= most)",
        ),
        Mutant(
            "ten at most",
            Copying.found,
            TOP,
            "return Found(hits[:10], len(hits) <= 10)",
        ),
        Mutant("no order", Copying.found, SORT, "pass"),
        Mutant(
            "the worst first",
            Copying.found,
            SORT,
            "hits.sort(key=lambda hit: (hit.percent, hit.entry_id))",
        ),
        Mutant(
            "equal ones as they come",
            Copying.found,
            SORT,
            "hits.sort(key=lambda hit: -hit.percent)",
        ),
        Mutant(
            "equal ones by memory",
            Copying.found,
            SORT,
            "hits.sort(key=lambda hit: (-hit.percent, hit.memory_id, hit.entry_id))",
        ),
        Mutant(
            "equal ones backwards",
            Copying.found,
            SORT,
            "hits.sort(key=lambda hit: (hit.percent, hit.entry_id), reverse=True)",
        ),
        Mutant(
            "sorts by memory",
            Copying.found,
            SORT,
            "hits.sort(key=lambda hit: (hit.memory_id, -hit.percent, hit.entry_id))",
        ),
        Mutant(
            "cuts before it sorts",
            Copying.found,
            SORT,
            "del hits[most:]; hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))",
        ),
        Mutant(
            "rounds",
            Copying.found,
            PERCENT,
            "percent = round((longest - distance) * 100 / longest)",
        ),
        Mutant(
            "rounds up",
            Copying.found,
            PERCENT,
            "percent = -(-(longest - distance) * 100 // longest)",
        ),
        Mutant(
            "the shorter text counts",
            Copying.found,
            PERCENT,
            "percent = max(0, (longest - distance) * 100 // (min(len(text), len(other)) or 1))",
        ),
        Mutant(
            "the sum of both counts",
            Copying.found,
            PERCENT,
            "percent = (len(text) + len(other) - distance) * 100 // (len(text) + len(other))",
        ),
        Mutant(
            "floats",
            Copying.found,
            PERCENT,
            "percent = (longest - distance) * 100 / longest",
        ),
        Mutant(
            "more than the threshold",
            Copying.found,
            "percent >= wanted",
            "percent > wanted",
        ),
        Mutant(
            "one threshold for all",
            Copying.found,
            "percent >= wanted.least_percent",
            "percent >= min(w.least_percent for w, *_ in entries)",
        ),
        Mutant(
            "the threshold of the first memory",
            Copying.found,
            "percent >= wanted.least_percent",
            "percent >= entries[0][0].least_percent",
        ),
        Mutant(
            "difflib",
            Copying.distance,
            D,
            "return round((1 - __import__('difflib').SequenceMatcher(None, first, second).ratio()) * max(len(first), len(second)))",
        ),
        Mutant(
            "distance in bytes",
            Copying.distance,
            D,
            "first, second = first.encode(), second.encode(); " + D,
        ),
        Mutant(
            "distance in units of UTF-16",
            Copying.distance,
            D,
            "first, second = [[t[i:i + 2] for i in range(0, len(t), 2)] for t in (first.encode('utf-16-le'), second.encode('utf-16-le'))]; "
            + D,
        ),
        Mutant(
            "swapped letters cost one",
            Copying.distance,
            D,
            'return __import__("rapidfuzz.distance").distance.OSA.distance(first, second)',
        ),
        Mutant(
            "a change costs two",
            Copying.distance,
            D,
            'return __import__("rapidfuzz.distance").distance.Indel.distance(first, second)',
        ),
        Mutant(
            "case does not count",
            Copying.distance,
            D,
            "first, second = first.lower(), second.lower(); " + D,
        ),
        Mutant(
            "the first 100 characters",
            Copying.distance,
            D,
            "first, second = first[:100], second[:100]; " + D,
        ),
        Mutant(
            "trims texts",
            Copying.distance,
            D,
            "first, second = first.strip(), second.strip(); " + D,
        ),
        Mutant(
            "candidates by their first letter",
            Copying.found,
            "if not text or ",
            "if not text or text[0] != other[0] or ",
        ),
        Mutant(
            "candidates by common words",
            Copying.found,
            "if not text or ",
            "if not text or not {*text.split()} & {*other.split()} or ",
        ),
        Mutant(
            "candidates by common trigrams",
            Copying.found,
            "if not text or ",
            "if not text or (len(text) > 3 and not {text[i:i+3] for i in range(len(text))} & {other[i:i+3] for i in range(len(other))}) or ",
        ),
        Mutant(
            "candidates of nearly its length", Copying.found, "* abs(", "* 1.5 * abs("
        ),
        Mutant(
            "an unknown memory is an error",
            Copying.find,
            "if each.memory_id in revisions\n",
            "",
        ),
        Mutant(
            "the first memory",
            Copying.find,
            "for each in wanted\n        if",
            "for each in wanted[:1]\n        if",
        ),
        Mutant(
            "the first text",
            Copying.find,
            "for text in texts]",
            "for text in texts[:1]]",
        ),
        Mutant(
            "each text once",
            Copying.find,
            "for text in texts]",
            "for text in dict.fromkeys(texts)]",
        ),
        Mutant(
            "texts in another order",
            Copying.find,
            "for text in texts]",
            "for text in sorted(texts)]",
        ),
        Mutant(
            "entries do not change",
            Copying.texts_of,
            "texts.pop(change.entry_id, None)\n",
            "if change.entry_id in texts: continue\n",
        ),
        Mutant(
            "entries are not removed",
            Copying.texts_of,
            "texts.pop(change.entry_id, None)\n",
            "pass\n",
        ),
        Mutant(
            "never reads again", Copying.texts_of, "known == revision and", "known and"
        ),
        Mutant(
            "keeps what is newer",
            Copying.texts_of,
            "known == revision and",
            "known >= revision and",
        ),
        Mutant(
            "a lower revision is not read again",
            Copying.texts_of,
            "if known > revision:",
            "if False:",
        ),
        Mutant(
            "keeps what a transaction reads",
            Copying.texts_of,
            KEEP + "            newest",
            "if True:\n            newest",
        ),
        Mutant(
            "a transaction sees the copy",
            Copying.texts_of,
            "known == revision and not segments.is_in_block()",
            "known and (segments.is_in_block() or known == revision)",
        ),
        Mutant(
            "Forgotten is an error",
            Copying.texts_of,
            "except Forgotten:",
            "except KeyError:",
        ),
        Mutant(
            "Forgotten adds to the old copy",
            Copying.texts_of,
            "except Forgotten:\n            known, texts = 0, {}",
            "except Forgotten:\n            known = 0",
        ),
        Mutant(
            "Forgotten changes nothing",
            Copying.texts_of,
            "changes = [*segments.changes(memory_id, 0)]",
            "return self.place.get(memory_id, (0, {}))[1]",
        ),
        Mutant(
            "forgets once", Copying.forget, "pop(memory_id, None)", "pop(memory_id)"
        ),
        Mutant(
            "writes into what others read",
            Copying.texts_of,
            "texts = dict(texts)",
            "pass",
        ),
        Mutant(
            "no lock and one buffer",
            Copying.find,
            "return [",
            "self.entries = entries; __import__('time').sleep(0.001); entries, self.entries = self.entries, []\n    return [",
        ),
        Mutant(
            "a deleted memory is still found",
            Copying.find,
            "if each.memory_id in revisions\n",
            "if revisions.setdefault(each.memory_id, self.place.get(each.memory_id, (0,))[0])\n",
        ),
    ],
}
