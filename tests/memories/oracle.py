"""Scores by the words of decisions 2.5.4 alone, in the plainest Python.

It shares no code with ``memories/matching/scoring.py``: what both
sides do alike, a test cannot see.
"""

from unicodedata import normalize

MARKS = frozenset(".!?:;,…。！？؟")
POINTS = {"case": 2, "whitespace": 1, "trailingPunctuation": 1}

Told = tuple[int, int, list[str]]
"""Raw percentage, match percentage, kinds of penalty."""


def score_by_the_words(text: str, source: str) -> Told:
    """What an entry with this source text is worth, without an assignment's penalty."""
    if text == source:
        return 100, 100, []
    similarity = alike(text, source)
    kinds = [
        step
        for step in ("case", "whitespace")
        if less(alike(text, source, without=step), similarity)
    ]
    if marks_of(text) != marks_of(source):
        kinds.append("trailingPunctuation")
    raw = int(100 * similarity[0] // similarity[1])
    return raw, max(0, raw - sum(POINTS[kind] for kind in kinds)), kinds


def fold(text: str, without: str = "") -> str:
    text = normalize("NFC", text)
    if without != "case":
        text = normalize("NFC", text.casefold())
    if without != "whitespace":
        text = " ".join(text.split())
    kept = text
    while kept and kept[-1] in MARKS:
        kept = kept[:-1]
        if without != "whitespace":
            kept = kept.strip()
    return kept or text


def marks_of(text: str) -> list[str]:
    """The trailing punctuation, mark by mark; none of a text of nothing else."""
    text = "".join(text.split())
    cut = list(text)
    while cut and cut[-1] in MARKS:
        cut.pop()
    return list(text[len(cut) :]) if cut else []


def alike(one: str, other: str, without: str = "") -> tuple[int, int]:
    """Numerator and denominator of the normalized Levenshtein similarity."""
    first, second = fold(one, without), fold(other, without)
    longest = max(len(first), len(second))
    return (longest - edits(first, second), longest) if longest else (1, 1)


def less(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] * other[1] < other[0] * one[1]


def edits(first: str, second: str) -> int:
    """The Levenshtein distance, cell by cell."""
    table = {(0, at): at for at in range(len(second) + 1)}
    for row in range(1, len(first) + 1):
        table[row, 0] = row
        for column in range(1, len(second) + 1):
            differs = first[row - 1] != second[column - 1]
            table[row, column] = min(
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + differs,
            )
    return table[len(first), len(second)]
