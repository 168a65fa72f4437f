"""Finds in a text what is not language: placeholders, ICU messages, tags, addresses."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

T = TypeVar("T")

TOKENS_MOST = 10_000
"""Of one kind in a text: placeholders, tags or numbers. Checks compare no more."""


def first_tokens(found: Iterable[T]) -> list[T]:
    """Return the tokens to compare; one more than that shows that there are others."""
    return [*islice(found, TOKENS_MOST + 1)]


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

MAYBE_PLACEHOLDER = re.compile(
    r"[{%$:@!_\[](?:(?<=[{%])|(?<=\$)(?:t\(|[A-Za-z_@][\w@]{0,99}\$)"
    r"|(?<=[:@!])[A-Za-z_.:]|(?<=_)_|(?<=\[)\[)"
)
"""In every text that has placeholders; searching takes 0.1 µs."""
SURE_STYLES = frozenset(("%s", "{}", "$t()"))
"""What is hardly language; the other styles count where the source text has them."""

# A letter of a script with spaces between words; Japanese has none before ``:name``.
_LETTER = r"[^\W\u0e00-\u1dff\u2000-\U0010ffff]"
_PRINTF = (
    r"(?:(?P<at>[1-9]\d?)\$|\((?P<name>[^()]{1,100})\))?[-+#0,']*(?:\d{1,5}|\*)?"
    r"(?:\.(?:\d{1,5}|\*))?(?:hh|ll|[hlLqjzt])?(?P<kind>[diouxXeEfFgGcrs@])"
)
# %name% of Symfony; not %E5%BD, nor %ld%
_ENCLOSED = (
    rf"(?<!{_LETTER}%)(?!(?:[hlqjzt]{{1,2}}[dioux]|[0-9A-Fa-f]{{2}})%)"
    rf"(?P<enclosed>[A-Za-z_]{{2}}[A-Za-z0-9_.-]*+)%(?!{_LETTER})"
)
# %E5 and my%20x, in an address
_ESCAPE = rf"[A-F][0-9A-F]|(?<={_LETTER}%)[2-7][0-9A-F](?=[A-Za-z])"
# %name of Drupal, though printf may take its first letters; not %dfiles, nor %luMB
_WORD = (
    rf"(?<!{_LETTER}%)(?<!\d\s%)(?![dis]|(?:hh|ll|[hlqjzt])[dux]|li(?!nk|st|ne))"
    rf"(?P<word>[a-z_][a-z0-9_]{{3,}}+)(?!{_LETTER}|\()"
)
# %1 of Qt; not %1$s, nor %20
_PLACE = (
    r"(?<!\d%)L?(?P<place>[1-9])(?![\dA-Fa-f$]|\.\d)"
    r"|(?<![\w/.=&?+:-]%)L?(?P<places>[1-9]\d?)(?![\d$]|\.\d)"
)
_REST = (
    rf"{_PRINTF}|(?<!{_LETTER}%)L?(?P<count>n)(?!{_LETTER})"
    rf"|(?<!\d%)[+#-]?\d{{0,5}}(?P<go>[vqwtT])(?!{_LETTER})"
)
_ONLY_PRINTF = re.compile(f"%(?:%|{_ESCAPE}|{_PRINTF})")
_PERCENT = {  # by whether Qt's are read, and Drupal's
    (place, word): re.compile(
        f"%(?:%|{_ENCLOSED}|{_ESCAPE}|{_WORD if word else '(?!)'}"
        f"|{_PLACE if place else '(?!)'}|{_REST})"
    )
    for place in (False, True)
    for word in (False, True)
}
_FIRST = re.compile("%L?1(?![0-9$]|[.][0-9])")  # others of Qt come with it
_CLEAR = re.compile(r"%(?:\d\$)?[-+.\d]*(?:h|ll?)?[disc](?![a-z])")  # printf
_OTHER = re.compile(
    # :name of Laravel; not 10:30, :smile:, std::string, "a":true, nor Note:this
    rf":(?<!{_LETTER}:)(?<![:)\]}}]:)(?<!{_LETTER}[\[\"'”’»]:)"
    rf"(?P<colon>[A-Za-z_][A-Za-z0-9_]++)(?!{_LETTER}|[\w+-]{{0,50}}:)"
    # @:key and @.upper:key of Vue, and @name of Drupal; no address
    r"|@(?:\.[a-z]{1,30})?:(?:\((?P<linked>[^()\s]{1,200})\)"
    r"|(?P<link>[A-Za-z0-9_]++(?:[.-][A-Za-z0-9_]++)*+))"
    rf"|@(?<![%@]@)(?<!{_LETTER}@)(?P<at>[a-z_][A-Za-z0-9_]++)"
    rf"(?!{_LETTER}|\.\w|/[a-z])"
    # !name of Drupal; not Yes!no
    r"|!(?<![^\s(\"'>\[“„«‚‘\u0e00-\u1dff\u2000-\U0010ffff]!)"
    rf"(?P<bang>[a-z][A-Za-z0-9_]++)(?!{_LETTER}|[(!])"
    rf"|__(?<!{_LETTER}__)(?P<lines>[a-z][A-Za-z0-9]*+(?:_[A-Za-z0-9]++)*+"
    rf"|[A-Z][A-Z0-9]*+(?:_[A-Za-z0-9]++)++)__(?!{_LETTER})"
    r"|\[\[(?P<double>[a-z_][A-Za-z0-9_.-]{0,99}|[A-Z0-9_]{2,99})\]\]"
    # $NAME$ of browser extensions; not $$, nor $5 and $6
    r"|\$(?<!\$\$)(?P<dollars>[A-Za-z_@][A-Za-z0-9_@]{0,99})\$"
)
_STYLES = {
    "enclosed": "%x%", "word": "%x", "place": "%1", "places": "%1", "count": "%n",
    "go": "%v", "colon": ":x", "linked": "@:x", "link": "@:x", "at": "@x", "bang": "!x",
    "lines": "__x__", "double": "[[x]]", "dollars": "$x$",
}  # fmt: skip
_OF_FLAGS = {
    **dict.fromkeys(("c", "objc", "php", "python", "perl", "java-printf"), ("%s",)),
    **dict.fromkeys(("awk", "lua", "javascript", "object-pascal"), ("%s",)),
    **dict.fromkeys(("python-brace", "perl-brace", "java", "csharp"), ("{}",)),
    **dict.fromkeys(("c++", "rust", "sh"), ("{}",)),
    **dict.fromkeys(("qt", "qt-plural", "kde", "kde-kuit"), ("%1", "%n")),
    "boost": ("%s", "%1"), "go": ("%s", "%v"), "ruby": ("%s", "{}"), "ycp": ("%1",),
}  # fmt: skip
_MARKDOWN = re.compile(r"\*\*|\]\(|`|^#{1,6} |^[*-] ", re.MULTILINE)
_NESTING = re.compile(r"\$t\(([^()]{1,500})\)")
_BRACE = re.compile(r"[{}]")
_BRACE_OR_NUMBER = re.compile(r"[{}#]")
_NAME = re.compile(
    r"-?\s*(?:[A-Z]+\(\s*)?([\w.$\[\]-]*)\s*(?:[,:!|)].*)?", re.DOTALL
)  # {name}, {name, number}, {{name | upper}}, and of Fluent {NUMBER($name)}
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
    style: str = "{}"


def placeholders(text: str, styles: Collection[str] | None = None) -> list[Placeholder]:
    """The placeholders of a text, also those in the branches of ICU messages; of more
    than TOKENS_MOST not all.

    ``styles``: those that count, from ``styles_of`` the source text; else all may.

    Of a ``plural`` and a ``select``, the branch ``other`` is one, and so is each
    branch of a select: they have to be there in every language, by the same name.
    A ``#`` in a branch of a plural is ``{n}``, its argument, which prints the same
    but for an offset.
    Takes time in proportion to the text, whatever it holds.
    """
    found = _placeholders(text, styles)
    if styles is not None:
        found = (each for each in found if each.style in styles)
    return first_tokens(found)


def _placeholders(text: str, styles: Collection[str] | None) -> Iterator[Placeholder]:
    if "%" in text:
        yield from _percent(text, styles)
    if "{" in text:
        yield from _in_braces(text)
    if "$t(" in text:
        for nesting in _NESTING.finditer(text):
            name = f"$t({nesting[1].partition(',')[0].strip()})"
            yield Placeholder(name, *nesting.span(), style="$t()")
    if styles is None or not SURE_STYLES.issuperset(styles):
        yield from map(_named, _OTHER.finditer(text))


def styles_of(text: str, found: Collection[Placeholder]) -> frozenset[str]:
    """The styles that count beside a source text with these placeholders."""
    if not found:
        return SURE_STYLES
    styles = SURE_STYLES.union([each.style for each in found])
    if "__x__" in styles and _MARKDOWN.search(text):
        return styles - {"__x__"}  # it is bold there
    return styles


def flagged(flags: Collection[str], styles: frozenset[str]) -> frozenset[str]:
    """Return the styles that gettext's flags say, else ``styles`` without those they
    deny."""
    said: set[str] = set()
    denied: set[str] = set()
    for flag in flags:
        name = flag.removesuffix("-format")
        if name.startswith("no-"):
            denied.update(_OF_FLAGS.get(name.removeprefix("no-"), ()))
        else:
            said.update(_OF_FLAGS.get(name, ()))
    return frozenset(said) if said else styles - denied


def _named(found: re.Match[str]) -> Placeholder:
    style = _STYLES[found.lastgroup or ""]
    name = found[found.lastgroup or ""]
    if style in (":x", "$x$"):
        name = name.lower()  # :Name begins with a capital letter what is filled in
    is_number = _COUNTS.fullmatch(name) is not None
    shown = style.replace(style.strip("%:@!_[]$"), name)
    return Placeholder(shown, *found.span(), style == "%v", is_number, style=style)


def icu_syntax(text: str) -> Iterator[tuple[int, int]]:
    """Where ICU messages say what they choose by and which branch is next."""
    if not has_branches(text):
        return
    pairs = brace_pairs(text)
    read_to: dict[int, int] = {}  # of each argument: where its last branch ended
    for start in sorted(pairs):
        end, parent = pairs[start]
        if parent in read_to:
            yield read_to[parent], start + 1
            read_to[parent] = end
        elif ARGUMENT.match(text, start, end):
            read_to[start] = start


def icu_plurals(text: str) -> list[tuple[int, int, set[str]]]:
    """Where each ``plural`` of an ICU message is, and what its branches are called."""
    pairs = brace_pairs(text)
    names: dict[int, set[str]] = {}
    read_to: dict[int, int] = {}
    for start in sorted(pairs):
        end, parent = pairs[start]
        if parent in names:
            names[parent].update(text[read_to[parent] : start].split()[-1:])
            read_to[parent] = end + 1
        elif (head := ARGUMENT.match(text, start, end)) and head[2] == "plural":
            names[start], read_to[start] = set(), head.end()
    return [(start, pairs[start][0] + 1, there) for start, there in names.items()]


def _percent(text: str, styles: Collection[str] | None) -> Iterator[Placeholder]:
    if styles is None:
        pattern = _PERCENT[bool(_FIRST.search(text)), not _CLEAR.search(text)]
    elif SURE_STYLES.issuperset(styles):
        pattern = _ONLY_PRINTF
    else:
        pattern = _PERCENT["%1" in styles, "%x" in styles]
    for found in pattern.finditer(text):
        if found.lastgroup == "kind":
            if not _is_percentage(text, found):
                yield _printf(found)
        elif found.lastgroup:
            yield _named(found)


def _printf(found: re.Match[str]) -> Placeholder:
    at, name, kind = found["at"], found["name"], found["kind"]
    kind = _WHOLE.get(kind, kind)
    place = f"{at}$" if at else f"({name})" if name else ""
    return Placeholder(
        f"%{place}{kind}", *found.span(), not place, kind == "d", style="%s"
    )


def _is_percentage(text: str, found: re.Match[str]) -> bool:
    """Whether this is German, ``50%ige``, or lacks a space: ``50 %de``."""
    start, end = found.span()
    before, after = text[max(0, start - 2) : start], text[end : end + 1]
    is_apart = before[-1:].isspace()
    number = before[0] if is_apart else before[-1:]
    return number.isdigit() and after.isalpha() and (after.isascii() or not is_apart)


def _in_braces(text: str) -> Iterator[Placeholder]:
    pairs = brace_pairs(text)
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


def brace_pairs(text: str) -> dict[int, tuple[int, int]]:
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
    """Return the text with placeholders, tags and entities covered, place for place; of
    ICU messages the branches stay."""
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
