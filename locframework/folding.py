"""Folds texts: what differs in letter case, or in how accents are spelt, is equal."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

# Python puts the marks behind a letter in order in quadratic time: 64 KiB of them held
# all threads of a process for 3 s.
MARKS_MOST = 64  # that are put in order together; no script has ten behind one letter
_SHORT = 1000  # characters, which take a millisecond at most
_STEP = 8

_DOTTED_I = re.compile("i\u0307+")


def nfc(text: str) -> str:
    """``text`` in Unicode's form NFC, in linear time.

    Of more than 64 marks behind one letter, each 64 are put in order by themselves.
    """
    if len(text) <= _SHORT or not _may_have_run(text):
        return unicodedata.normalize("NFC", text)
    return "".join(unicodedata.normalize("NFC", piece) for piece in _pieces(text))


def fold(text: str) -> str:
    """``text`` as search compares it: NFC and Unicode's full case folding.

    ``\u0130`` is ``i``: what it has more than ``I`` is no accent, but case. So
    ``STRASSE`` is ``straße``, and ``istanbul`` is ``İstanbul``, in any language.
    """
    if text.isascii():
        return text.lower()
    folded = nfc(text).casefold()
    if "\u0307" in folded:
        folded = _DOTTED_I.sub("i", folded)
    return nfc(folded)  # folding may leave parts to compose


def fold_white_space(text: str) -> str:
    """Runs of white space to one space, none at the ends."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """As concordance and lists by name compare it (decisions 2.5.1): accents count,
    case and how wide white space is do not."""
    return fold_white_space(fold(text))


def _may_have_run(text: str) -> bool:
    """Whether 64 marks may follow each other; looks at every eighth character."""
    marks = _marks()
    seen = "".join("m" if each in marks else " " for each in text[::_STEP])
    return "m" * (MARKS_MOST // _STEP) in seen


def _pieces(text: str) -> Iterator[str]:
    """The text, cut behind each 64 marks that follow each other."""
    marks, start, run = _marks(), 0, 0
    for end, each in enumerate(text, 1):
        run = run + 1 if each in marks else 0
        if run == MARKS_MOST:
            yield text[start:end]
            start, run = end, 0
    yield text[start:]


@cache
def _marks() -> frozenset[str]:
    """What has a class by which it is put in order, or is made of such marks."""
    return frozenset(filter(_is_mark, map(chr, range(0x300, 0x20000))))


def _is_mark(character: str) -> bool:
    first = unicodedata.normalize("NFD", character)[0]
    return unicodedata.combining(first) > 0
