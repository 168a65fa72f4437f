"""Tells what of a text is for people to read, and what for a program."""

import re
from collections.abc import Iterator

from .markup import TAG
from .scanning import has_signs, icu_syntax, placeholders

_COVER = "\ufffc"  # stands for what is no text: neither a word nor white space
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def prose(text: str) -> str:
    """The text with its placeholders, tags and entities covered, place for place.

    Of ICU messages the branches stay, and what says which they are is covered.
    """
    pieces: list[str] = []
    done = 0
    for start, end in sorted(_code(text)):
        start = max(start, done)
        if end > start:
            pieces += (text[done:start], _COVER * (end - start))
            done = end
    return "".join((*pieces, text[done:]))


def _code(text: str) -> Iterator[tuple[int, int]]:
    if has_signs(text):
        for each in placeholders(text):
            if not each.is_branch:
                yield each.start, each.end
        yield from icu_syntax(text)
    if "<" in text:
        yield from (tag.span() for tag in TAG.finditer(text))
    if "&" in text:
        yield from (entity.span() for entity in _ENTITY.finditer(text))
