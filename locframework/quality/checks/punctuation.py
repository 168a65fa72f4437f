"""Texts that end in another way than their source text."""

import re
from collections.abc import Iterator
from html import unescape

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject

_SIGNS = {
    "full stop": ".。．｡।॥۔\u0589\u1362\u104b\u0f0d\u17d4"
    "\u166e\u1803\u1809\ua4ff\ua60e\ufe12\ufe52",
    "question mark": "?？؟፧՞⁇⁈⁉⸮\ua60f\ufe16\ufe56",
    "exclamation mark": "!！՜﹗‼⁈⁉\u07f9\ufe15",
    "colon": ":：፡፦∶\u1804\ufe13\ufe55",
    "ellipsis": "…⋯\u1801\ufe19",
    "comma": ",，،、﹐､፣\u07f8\u1802\ufe10\ufe11\ufe51",
    "semicolon": ";；؛፤⁏\ufe14\ufe54",
}
_KINDS = {
    sign: frozenset(kind for kind, signs in _SIGNS.items() if sign in signs)
    for sign in "".join(_SIGNS.values())
}
_GREEK = {
    ";": frozenset(("question mark",)),
    "\u037e": frozenset(("question mark",)),
    "·": frozenset(("semicolon",)),
}
# “ ‘ « ‹ open in English, and close in German, Czech, Bulgarian, Danish; at the end of
# a text nothing is opened, so they need not be told apart.
_CLOSING = "\"'”’»›“‘«‹)]}」』）】》〉］｝"
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_SPACES = " \t\r\n\u00a0\u202f\u2009\u3000\u200b" + _BIDI
_LAST_TAGS = re.compile(r"(?:</?[A-Za-z0-9][^<>]*>\s*)+$")
_LAST_ENTITIES = re.compile(r"(?:&(?:[A-Za-z]\w{1,30}|#\w{1,8});\s*)+$", re.ASCII)
_LAST_WORD = re.compile(r"\S+$")

# Thai, Lao, Khmer and Burmese end sentences with a space, or as the writer likes.
_FREE = frozenset(("km", "lo", "my", "th"))
_SHORT = 5  # "Min." is an abbreviation, "Done." a sentence of one word


class Punctuation:
    """Compares the kind of punctuation at the end, in any script.

    A question stays a question: ``?``, ``？`` and ``؟`` are the same, and so are ``.``
    and ``。``. Quotes, brackets, tags and marks of direction after it do not count,
    nor does the space that French puts before it.
    """

    name = "punctuation"
    description = "The text ends with different punctuation than the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            if _end_alike(text, source):
                continue
            base = subject.language_code.partition("-")[0]
            if base in _FREE:
                return
            wanted, there = _end(source, subject.source_language)
            found, here = _end(text, subject.language_code)
            if wanted == found:
                continue
            if base == "hy" and wanted & {"question mark", "exclamation mark"}:
                continue  # Armenian puts them inside the word
            if wanted ^ found == {"full stop"} and (
                _may_be_short(source[:there]) or _may_be_short(text[:here])
            ):
                continue
            message = f"ends with {_told(found)}, the source text with {_told(wanted)}"
            yield Finding(message, here, len(text), form)


def _end_alike(text: str, source: str) -> bool:
    """Whether both end with a letter, or with one same mark after a letter: most do."""
    if text[-1:].isalnum():
        return source[-1:].isalnum()
    is_same = text[-1:] == source[-1:] != ";"  # which may be that of an entity
    return is_same and text[-2:-1].isalnum() and source[-2:-1].isalnum()


def _end(text: str, language_code: str) -> tuple[frozenset[str], int]:
    """The kinds of punctuation at the end, and where they begin."""
    kinds = _KINDS
    if language_code.partition("-")[0] == "el":
        kinds = _KINDS | _GREEK
    text = text.rstrip(_SPACES)
    if text.endswith(">"):
        tags = _LAST_TAGS.search(text, max(0, len(text) - 1000))
        text = text[: tags.start()] if tags else text
    if text.endswith(";"):  # of "Next &raquo;", which ends with no semicolon
        entities = _LAST_ENTITIES.search(text, max(0, len(text) - 100))
        if entities:
            text = text[: entities.start()] + unescape(entities[0])
    text = text.rstrip(_CLOSING + _SPACES)
    at = len(text)
    found: set[str] = set()
    stops = 0
    while at and (text[at - 1] in kinds or text[at - 1] in _SPACES):
        at -= 1
        if text[at] in kinds:
            found |= kinds[text[at]]
            stops += "full stop" in kinds[text[at]]
    if stops > 1:
        found = found - {"full stop"} | {"ellipsis"}
    return frozenset(found), at


def _may_be_short(text: str) -> bool:
    """Whether the last word may be an abbreviation, which ends with a full stop."""
    word = _LAST_WORD.search(text, max(0, len(text) - 50))
    if word is None:
        return True
    is_alone = word.start() == 0
    return "." in word[0] or (is_alone and len(word[0]) < _SHORT)


def _told(kinds: frozenset[str]) -> str:
    return " and ".join(sorted(kinds)) or "no punctuation"
