"""Segments for translation memories: real ones first, then mutations of real ones.

Real are the messages of Django's catalogues, which are a hundred languages; and
before them the lines of the file that LOCFRAMEWORK_BENCH_SEGMENTS names (up to the
first tab of each), when there is one.
"""

from __future__ import annotations

import gettext
import os
import random
from functools import lru_cache
from pathlib import Path

import django

from locframework.memories.matching.scoring import match_fold

VARIABLE = "LOCFRAMEWORK_BENCH_SEGMENTS"
LONGEST = 600
SEED = 42


@lru_cache(maxsize=1)
def real() -> tuple[str, ...]:
    """Different ones, in an order of no meaning that is always the same."""
    named = os.environ.get(VARIABLE)
    found = _of_file(Path(named)) if named else of_django()
    short = [text for text in dict.fromkeys(found) if 2 <= len(text) <= LONGEST]
    random.Random(SEED).shuffle(short)
    return tuple(short)


def segments(many: int) -> list[str]:
    """So many: real ones while there are any."""
    there = real()
    chosen = random.Random(SEED)
    words = [word for text in there[:50_000] for word in text.split(" ")]
    found = list(there[:many])
    while len(found) < many:
        found.append(_mutated(chosen, there, words))
    return found


def queries(many: int, among: int) -> list[str]:
    """Texts to look for: three in ten are segments, the others changed ones."""
    there, chosen = real()[:among], random.Random(SEED + 1)
    words = [word for text in there[:5_000] for word in text.split(" ")]
    found = []
    for at in range(many):
        text = chosen.choice(there).split(" ")
        for _ in range(chosen.randint(1, 3) if at % 10 >= 3 else 0):
            text[chosen.randrange(len(text))] = chosen.choice(words)
        found.append(match_fold(" ".join(text)) or "a")
    return found


def _mutated(chosen: random.Random, there: tuple[str, ...], words: list[str]) -> str:
    text = chosen.choice(there).split(" ")
    kind = chosen.random()
    if kind < 0.6 or len(text) < 3:
        for _ in range(chosen.choice((1, 1, 2, 3))):
            text[chosen.randrange(len(text))] = chosen.choice(words)
    elif kind < 0.75:
        text.insert(chosen.randrange(len(text) + 1), str(chosen.randrange(1, 9999)))
    else:
        other = chosen.choice(there).split(" ")
        text = text[: max(1, len(text) // 2)] + other[len(other) // 2 :]
    return " ".join(text)[:LONGEST]


def _of_file(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.partition("\t")[0] for line in lines]


def of_django() -> list[str]:
    """The messages of all its catalogues, sources and translations."""
    folder = Path(django.__file__).parent
    found: list[str] = []
    for file in sorted(folder.rglob("*.mo")):
        with file.open("rb") as opened:
            catalogue = gettext.GNUTranslations(opened)._catalog  # type: ignore[attr-defined]
        for source, text in catalogue.items():
            texts = (source if isinstance(source, str) else source[0], text)
            found += [each.rpartition("\x04")[2] for each in texts if each]
    return found
