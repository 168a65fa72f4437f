"""Finds in a text what is not language: placeholders, ICU messages, tags, addresses."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

ARGUMENT = re.compile(r"\{\s*([\w.-]{1,100})\s*,\s*(plural|selectordinal|select)\s*,")

_OFFSET = re.compile(r"\s{0,9}offset:")


def has_branches(text: str) -> bool:
    """Whether the text has alternatives in itself: ``{n, plural, one {…} …}``."""
    return "{" in text and ARGUMENT.search(text) is not None


# Attributes do not count, but a tag has to look like one: "a < b and c > d" has none.
TAG = re.compile(
    r"<(/?)([A-Za-z0-9][\w:.-]*)"
    r"(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+))?)*"
    r"\s*(/?)>"
)

MAYBE_PLACEHOLDER = re.compile(r"[{%]|\$t\(")
"""In every text that has placeholders; searching takes 0.1 µs."""
_PRINTF = re.compile(
    r"%(?:%|(?:([1-9]\d?)\$|\(([^()]{1,100})\))?[-+#0,']*(?:\d{1,5}|\*)?"
    r"(?:\.(?:\d{1,5}|\*))?(?:hh|ll|[hlLqjzt])?([diouxXeEfFgGcrs@]))"
)
_NESTING = re.compile(r"\$t\(([^()]{1,500})\)")
_BRACE = re.compile(r"[{}]")
_BRACE_OR_NUMBER = re.compile(r"[{}#]")
_NAME = re.compile(r"-?\s*([\w.$\[\]-]*)\s*(?:[,:!|].*)?", re.DOTALL)
_SIMPLE_LENGTH = 200  # of a placeholder between its braces
_WHOLE = {"i": "d", "u": "d"}  # three letters for whole numbers
_COUNTS = re.compile(r"n|nb|num|\d?|.*(?:count|number|total|amount).*", re.IGNORECASE)


class Placeholder(NamedTuple):
    """A place in a text that a program fills in."""

    name: str  # as a message shows it; equal names are filled in with the same
    start: int
    end: int
    is_next: bool = False  # takes the next argument: ``%s``, ``{}``; each one counts
    is_number: bool = False  # by its kind or its name
    is_branch: bool = False  # of an ICU message, with the text that is in it


def placeholders(text: str) -> list[Placeholder]:
    """All placeholders of a text, also those in the branches of ICU messages.

    Of a ``plural`` and a ``select``, the branch ``other`` is one, and so is each
    branch of a select: they have to be there in every language, by the same name.
    A ``#`` in a branch of a plural is ``{n}``, its argument, which prints the same
    but for an offset.
    Takes time in proportion to the text, whatever it holds.
    """
    found: list[Placeholder] = []
    if "%" in text:
        found += _printf(text)
    if "{" in text:
        found += _in_braces(text)
    if "$t(" in text:
        for nesting in _NESTING.finditer(text):
            name = f"$t({nesting[1].partition(',')[0].strip()})"
            found.append(Placeholder(name, *nesting.span()))
    return found


def icu_syntax(text: str) -> Iterator[tuple[int, int]]:
    """Where ICU messages say what they choose by and which branch is next."""
    if not has_branches(text):
        return
    pairs = _pairs(text)
    read_to: dict[int, int] = {}  # of each argument: where its last branch ended
    for start in sorted(pairs):
        end, parent = pairs[start]
        if parent in read_to:
            yield read_to[parent], start + 1
            read_to[parent] = end
        elif ARGUMENT.match(text, start, end):
            read_to[start] = start


def _printf(text: str) -> Iterator[Placeholder]:
    for found in _PRINTF.finditer(text):
        place, name, kind = found.groups()
        if kind is None or _is_percentage(text, found):
            continue
        kind = _WHOLE.get(kind, kind)
        if place:
            shown = f"%{place}${kind}"
        else:
            shown = f"%({name}){kind}" if name else f"%{kind}"
        is_next = not place and not name
        yield Placeholder(shown, *found.span(), is_next, kind == "d")


def _is_percentage(text: str, found: re.Match[str]) -> bool:
    """Whether this is German: ``50%ige``."""
    start, end = found.span()
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return before.isdigit() and after.isalpha()


def _in_braces(text: str) -> Iterator[Placeholder]:
    pairs = _pairs(text)
    heads: dict[int, re.Match[str]] = {}  # of ICU arguments, by where they open
    read_to: dict[int, int] = {}  # of each: where its last branch ended
    numbers: dict[int, str] = {}  # what ``#`` is in a branch, by where it opens
    skip = -1
    for start in sorted(pairs):
        end, parent = pairs[start]
        if parent in heads:
            head = heads[parent]
            branch = text[read_to[parent] : start].split()
            read_to[parent] = end + 1
            if head[2] != "select":
                less = ", #" if _OFFSET.match(text, head.end()) else ""
                numbers[start] = f"{{{head[1]}{less}}}"
            if branch and (head[2] == "select" or branch[-1] == "other"):
                name = f"{{{head[1]}, {head[2]}, {branch[-1][:50]}}}"
                is_number = head[2] != "select"
                yield Placeholder(name, start, end + 1, False, is_number, True)
        elif argument := ARGUMENT.match(text, start, end):
            heads[start], read_to[start] = argument, argument.end()
        elif start != skip:
            is_double = pairs.get(start + 1, (-2, -2))[0] == end - 1
            skip = start + 1 if is_double else -1
            found = _simple(text, start, end, 2 if is_double else 1)
            if found:
                yield found
    if numbers and "#" in text:
        yield from _numbers(text, numbers)


def _numbers(text: str, branches: Mapping[int, str]) -> Iterator[Placeholder]:
    """Each ``#`` that stands in one of the branches itself, in no braces within."""
    opened: list[int] = []
    for sign in _BRACE_OR_NUMBER.finditer(text):
        at = sign.start()
        if sign[0] == "{":
            opened.append(at)
        elif sign[0] == "}":
            del opened[-1:]
        elif opened and opened[-1] in branches:
            yield Placeholder(branches[opened[-1]], at, at + 1, is_number=True)


def _simple(text: str, start: int, end: int, braces: int) -> Placeholder | None:
    if end - start > _SIMPLE_LENGTH:
        return None
    content = text[start + braces : end - braces + 1].strip()
    found = _NAME.fullmatch(content)
    if found is None or "{" in content or '"' in found[1]:
        return None
    name = found[1]
    shown = f"{'{' * braces}{name}{'}' * braces}"
    is_next = not name and braces == 1
    return Placeholder(shown, start, end + 1, is_next, bool(_COUNTS.fullmatch(name)))


def _pairs(text: str) -> dict[int, tuple[int, int]]:
    """Where each brace that is opened is closed, and the one around it, or -1."""
    pairs: dict[int, tuple[int, int]] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        at = brace.start()
        if brace[0] == "{":
            opened.append(at)
        elif opened:
            start = opened.pop()
            pairs[start] = at, opened[-1] if opened else -1
    return pairs


_NOISE = re.compile(
    # possessive: the zeros of "%000" are flags and digits, in as many ways as there are
    r"%(?:\d++\$|\([^()]{1,100}\))?[-+#0,']*+\d*+(?:\.\d++)?l{0,2}[a-zA-Z@]"
    r"|\{[^{}]*\}"
    r"|</?[A-Za-z0-9][^<>]*>"
    r"|&\#?\w{1,30};"
    r"|(?:https?://|\bwww\.)\S+"
    # from where a name begins, and possessive: a long word is read once. In ASCII, as
    # Japanese puts no space before an address
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]*+@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)+"
    r"|\$t\([^()]*\)"
)
_SIGN = re.compile(r"[{%<&@]|\$t\(|://|www\.")


def blanked(text: str) -> str:
    """``text`` of the same length, with spaces instead of what is not language."""
    if not _SIGN.search(text):
        return text
    return _NOISE.sub(lambda found: " " * len(found[0]), text)


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
    if MAYBE_PLACEHOLDER.search(text):
        for each in placeholders(text):
            if not each.is_branch:
                yield each.start, each.end
        yield from icu_syntax(text)
    if "<" in text:
        yield from (tag.span() for tag in TAG.finditer(text))
    if "&" in text:
        yield from (entity.span() for entity in _ENTITY.finditer(text))


class Mark(NamedTuple):
    """Something in a text that a translation has to keep."""

    name: str  # equal names are the same mark
    start: int
    end: int


def differences(
    wanted: Sequence[Mark], found: Sequence[Mark]
) -> tuple[list[str], list[Mark]]:
    """What is missing, by name, and what is too much; order does not count."""
    left = Counter(mark.name for mark in wanted)
    extra: list[Mark] = []
    for mark in found:
        if left[mark.name] > 0:
            left[mark.name] -= 1
        else:
            extra.append(mark)
    return list(left.elements()), extra
