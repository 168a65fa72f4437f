"""The placeholders of formats: reads texts exactly as a runtime does, and writes them.

The checks of texts look for placeholders of every kind, see ``quality.scanning``. Here
the dialect of a text is known, and so is what each of its signs means.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from locframework.languages import PLURAL_FORMS


class Unconvertible(Exception):
    """A text cannot say the same in the other dialect; tells why."""


class Argument(NamedTuple):
    """A place that a program fills in."""

    name: str = ""
    position: int = 0  # from 1; 0 is none
    kind: str = "s"  # as in printf; "d" is a whole number
    spec: str = ""  # flags, width and precision of printf
    is_next: bool = False  # the text gives no position
    shown: str = ""  # as the text has it


class Dialect(Struct, frozen=True):
    """How a runtime reads its texts."""

    pattern: re.Pattern[str]
    """Finds all that does not stand for itself. Groups: ``escape`` is what it stands
    for; ``name``, ``position``, ``spec``, ``kind``, ``number`` and ``plural`` are of an
    argument. What has none of them has no equal in other dialects."""
    signs: re.Pattern[str]  # finds what a text has that needs to be converted
    kinds: Mapping[str, str] = {}  # of printf, as texts have them
    spelled: Mapping[str, str] = {}  # kinds as they are written; "": it has none
    escaped: Callable[[str], str] = str  # writes a literal
    named: str = ""  # an argument with its name; "" if there are none
    placed: str = ""  # an argument with its position
    whole: str = ""  # ``placed`` of a whole number, if it differs
    following: str = ""  # an argument without a position
    first: int = 1  # position
    is_lazy: bool = True  # texts without arguments are shown as they are
    is_caseless: bool = False  # names are the same in any case
    plural: str = ""  # what the number that chooses a plural form is always called
    tokens: dict[str, str | Argument] = field(default_factory=dict)  # read before


def _escape(signs: str, by: str) -> Callable[[str], str]:
    pattern = re.compile(signs)
    return lambda text: pattern.sub(by, text)


def _quoting(signs: str, *, keeps_quotes: bool = True) -> Callable[[str], str]:
    """Quotes signs as in ``'{'`` and doubles quotes; those within words stay in ICU."""

    def quoted(found: re.Match[str]) -> str:
        run, after = found[0], found.string[found.end() : found.end() + 1]
        if run == "'" and keeps_quotes and after not in ("", *"<>#|"):
            return run
        doubled = run.replace("'", "''")
        return f"'{doubled}'" if run.strip("'") else doubled

    pattern = re.compile(rf"[{signs}']+")
    return lambda text: pattern.sub(quoted, text)


def _printf(kinds: str, sizes: str = "", *, before: str = "", after: str = "") -> str:
    place = r"(?:(?P<position>[1-9]\d?)\$)?(?P<spec>[-+#0]*\d*(?:\.\d+)?)"
    kind = f"(?P<kind>[{kinds}])(?!(?<=[0-9]%[a-z])[a-z])"  # not 50%discount
    return rf"{before}%{place}{sizes}{kind}{after}|%(?P<escape>%)|%(?:\d+\$)?"


_KINDS = {each: each for each in "sdfxXoeEgGc"}
_SIZES = "(?:hh|h|ll|l|q|j|z|t)?"
_NUMBER = r"\s*(?:,\s*(?P<number>number)\s*(?:,\s*(?:integer|#)\s*)?)?\}"
_NAME = r"(?P<name>[^\W\d]\w*)"
_QUOTED = r"'(?P<escape>'|SIGNS(?:[^']|'')*(?:'(?!')|\Z))"
_ICU = rf"{_QUOTED}|\{{\s*(?:(?P<position>\d\d?)|{_NAME}){_NUMBER}|[{{}}]"
_JAVA = r"|\{\s*(?P<position>\d\d?)" + _NUMBER + r"|\{\s*\d[^{}]*\}|[{}]"
_XLIFF = rf'(?:<xliff:g\b[^<>]*?\bid="{_NAME}"[^<>]*>)?'
_PERCENT, _BRACES = re.compile("%|</?xliff:g"), re.compile("[{}]")
_QUOTES, _HASH = re.compile("[{}']"), re.compile("[{}'#]")
_TOKENS_MOST = 10_000  # of a dialect, that are kept


def _percent(
    pattern: str, kinds: Mapping[str, str] = {}, spelled: Mapping[str, str] = {}
) -> Dialect:
    texts = (re.compile(pattern), _PERCENT, {**_KINDS, **kinds}, spelled)
    return Dialect(*texts, _escape("%", "%%"), placed="%{}$", following="%")


_OBJC = {"@": "s", "i": "d", "u": "d", "D": "d", "U": "d"}
_C = _percent(_printf("sdiufxXoeEgGc", _SIZES), {"i": "d", "u": "d"})
_ANDROID = _printf("sdfxXoeEgGc", before=_XLIFF, after="(?(name)</xliff:g>)")
DIALECTS: Mapping[str, Dialect] = {
    "java-printf": _percent(_ANDROID + "|</?xliff:g[^<>]*>"),
    "objc": _percent(
        r"%(?:\d+\$)?#@[^@]*@|" + _printf("@sdiuDUfxXoeEgGc", _SIZES),
        _OBJC,
        {"s": "@", "d": "lld"},
    ),
    "c": _C,
    "php": _C,
    "compose": Dialect(
        re.compile(r"%(?P<position>[1-9]\d?)\$(?P<kind>[sd])"),
        *(_PERCENT, _KINDS, dict.fromkeys("fxXoeEgGc", "")),
        placed="%{}$",
    ),
    "python": Dialect(
        re.compile(
            r"%(?:\((?P<name>\w+)\))?(?P<spec>[-+#0]*\d*(?:\.\d+)?)(?P<kind>[sdfxX])"
            "|%(?P<escape>%)|%"
        ),
        *(_PERCENT, _KINDS, {}, _escape("%", "%%")),
        named="%({})",
    ),
    "csharp": Dialect(
        re.compile(
            r"\{(?P<escape>\{)|\}(?P<escape2>\})|\{(?P<position>\d\d?)\}"
            r"|\{\d[^{}]*\}|[{}]"
        ),
        *(_BRACES, {}, {}, _escape("[{}]", r"\g<0>\g<0>")),
        placed="{{{}}}",
        first=0,
    ),
    "java": Dialect(  # MessageFormat
        re.compile(_QUOTED.replace("SIGNS", "") + _JAVA),
        *(_QUOTES, {}, {}, _quoting("{}", keeps_quotes=False)),
        placed="{{{}}}",
        whole="{{{},number,#}}",
        first=0,
    ),
    "ruby": Dialect(
        re.compile(r"%\{(?P<name>\w+)\}|%(?P<escape>%)|%<\w+>"),
        *(_PERCENT, {}, {}, _escape(r"%(?=[%{<]|\Z)", "%%")),
        named="%{{{}}}",
        plural="count",
    ),
    "icu": Dialect(
        re.compile(_ICU.replace("SIGNS", "[{}<>]")),
        *(_QUOTES, {}, {}, _quoting("{}")),
        named="{{{}}}",
        first=0,
        is_lazy=False,
    ),
    "icu-plural": Dialect(  # of ``icu``, in a form of a plural
        re.compile(_ICU.replace("SIGNS", "[{}<>#]") + "|(?P<plural>#)"),
        *(_HASH, {}, {}, _quoting("{}#")),
        named="{{{}}}",
        first=0,
        is_lazy=False,
    ),
    "arb": Dialect(  # as Flutter reads it: without quotes
        re.compile(rf"\{{\s*{_NAME}\s*\}}|[{{}}]"),
        _BRACES,
        named="{{{}}}",
        is_lazy=False,
    ),
    "fluent": Dialect(
        re.compile(
            r"\{\s*\$(?P<name>[A-Za-z][A-Za-z0-9_-]*)\s*\}"
            r"|\{\s*\"(?P<escape>[^\"\\\n]*)\"\s*\}|[{}]"
        ),
        *(_BRACES, {}, {}, _escape("[{}]", r'{ "\g<0>" }')),
        named="{{ ${} }}",
        is_lazy=False,
    ),
    "i18next": Dialect(
        re.compile(r"\{\{-?\s*(?P<name>[\w.]+)\s*\}\}|\{\{|\$t\("),
        re.compile(r"[{}]|\$t\("),
        named="{{{{{}}}}}",
        is_lazy=False,
        plural="count",
    ),
    "chrome": Dialect(
        re.compile(
            r"\$(?P<escape>\$)|\$(?P<name>[A-Za-z_@][\w@]*)\$|\$(?P<position>[1-9])"
        ),
        *(re.compile(r"\$"), {}, {}, _escape(r"\$", "$$")),
        placed="${}",
        is_lazy=False,
        is_caseless=True,
    ),
}


_PLURAL = re.compile(r"\s*\{\s*([^\W\d]\w*)\s*,\s*plural\s*,")
_FORM = re.compile(r"\s*(=?\w+)\s*\{")
_BRACE = re.compile(r"''|'[{}<>#](?:[^']|'')*(?:'|\Z)|[{}]")
_END = re.compile(r"\s*\}\s*")


def icu_plural(text: str) -> tuple[str, dict[str, str]] | None:
    """Return the argument and the forms of an ICU message that is a plural and nothing
    else; None for others, as those with ``=1`` or an offset."""
    head = _PLURAL.match(text)
    forms: dict[str, str] = {}
    at = head.end() if head else 0
    while head and (form := _FORM.match(text, at)):
        depth = 1
        for brace in _BRACE.finditer(text, form.end()):
            depth += (brace[0] == "{") - (brace[0] == "}")
            if not depth:
                break
        if depth or form[1] not in PLURAL_FORMS or form[1] in forms:
            return None
        forms[form[1]], at = text[form.end() : brace.start()], brace.end()
    if head is None or "other" not in forms or not _END.fullmatch(text, at):
        return None
    return head[1], forms


def icu_message(argument: str, forms: Mapping[str, str]) -> str:
    """Return the ICU message that is a plural with these forms."""
    parts = [f"{form} {{{forms[form]}}}" for form in PLURAL_FORMS if form in forms]
    return f"{{{argument}, plural, {' '.join(parts)}}}"


class Known(Struct):
    """What is known of the arguments of a key."""

    positions: dict[str, int]  # by name
    names: dict[int, str]  # by position
    numbers: set[str]  # names of whole numbers
    plural: str = ""  # the name of what chooses a plural form

    def add(self, arguments: Sequence[Argument]) -> None:
        """Add what the source texts tell. Names without positions are numbered in
        their order."""
        for each in arguments:
            if each.name and each.position:
                self.positions.setdefault(each.name, each.position)
            if each.name and each.kind == "d":
                self.numbers.add(each.name)
        if not self.positions and not any(each.position for each in arguments):
            for each in arguments:
                self.positions.setdefault(each.name, len(self.positions) + 1)
        self.names.update({at: name for name, at in self.positions.items() if name})


def convert_texts(
    texts: Sequence[str],
    sources: Sequence[str],
    known: Known,
    origin: Dialect,
    target: Dialect,
) -> list[str]:
    """Return the texts of a key in another dialect; ``sources`` are its source texts.

    Raises Unconvertible.
    """
    found = {
        text: _parse(text, origin, known.plural)
        for text in dict.fromkeys((*sources, *texts))
    }
    has_any = any(  # a sign alone is not, as in 100% sure
        type(part) is Argument and (part.kind or len(part.shown) > 1)
        for parts in found.values()
        for part in parts
    )
    if has_any:
        parts = [part for text in sources for part in found[text]]
        known.add([part for part in parts if isinstance(part, Argument)])
    made = []
    for text in texts:
        parts = found[text]
        if origin.is_lazy and not has_any:
            shown = [p if isinstance(p, str) else p.shown for p in parts]
            if "".join(shown) != text:
                raise Unconvertible(f"it may be a format or not: {text[:40]!r}")
            parts = [text]
        made.append(_render(parts, known, target, is_format=has_any))
    return made


def _parse(text: str, dialect: Dialect, plural: str) -> list[str | Argument]:
    """Return the literals and arguments of a text. An argument without a kind is none
    that other dialects have."""
    parts: list[str | Argument] = []
    literal, end, following = "", 0, 0
    for found in dialect.pattern.finditer(text):
        literal += text[end : found.start()]
        end = found.end()
        token = dialect.tokens.get(found[0])
        if token is None:
            if len(dialect.tokens) > _TOKENS_MOST:
                dialect.tokens.clear()
            token = dialect.tokens[found[0]] = _token(found, dialect)
        if isinstance(token, str):
            literal += token
            continue
        if token.is_next:
            following += 1
            token = token._replace(position=following)
        elif token.shown == "#":
            token = token._replace(name=plural)
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(token)
    literal += text[end:]
    return [*parts, literal] if literal else parts


def _token(found: re.Match[str], dialect: Dialect) -> str | Argument:
    """Return the literal or the argument that signs of a text mean."""
    shown, groups = found[0], found.groupdict()
    if found.lastgroup is None:
        return Argument(kind="", shown=shown)
    escapes = (groups.get(each) for each in ("escape", "escape2"))
    escape = next((each for each in escapes if each is not None), None)
    if escape is not None:
        is_quoted = shown[0] == "'" and len(escape) > 1
        return escape.removesuffix("'").replace("''", "'") if is_quoted else escape
    name, at = groups.get("name") or "", groups.get("position")
    is_number = groups.get("number") or groups.get("plural")
    kind = "d" if is_number else groups.get("kind") or "s"
    return Argument(
        name.lower() if dialect.is_caseless else name,
        int(at) + 1 - dialect.first if at else 0,
        dialect.kinds.get(kind, kind),
        groups.get("spec") or "",
        not (name or at or groups.get("plural")),
        shown,
    )


def _render(
    parts: Sequence[str | Argument], known: Known, target: Dialect, *, is_format: bool
) -> str:
    """Return the text of these parts. Raises Unconvertible, also if the text would not
    be read so."""
    is_escaped = is_format or not target.is_lazy
    is_alone = sum(not isinstance(part, str) for part in parts) == 1
    written: list[str] = []
    wanted: list[str | int] = []
    is_unclear = False  # whether it may be read otherwise
    means: str | int
    for part in parts:
        if isinstance(part, str):
            shown, means = target.escaped(part) if is_escaped else part, part
            is_unclear = is_unclear or target.signs.search(part) is not None
        else:
            shown, means = _written(part, known, target, is_alone=is_alone)
            is_unclear = is_unclear or not re.fullmatch("[a-zA-Z0-9]+", str(means))
        written.append(shown)
        wanted.append(means)
    text = "".join(written)
    if is_escaped and not is_unclear:
        return text
    read = _parse(text, target, known.plural)
    if is_escaped:
        told = [p if isinstance(p, str) else p.name or p.position for p in read]
        is_same = told == wanted
    else:
        is_same = not any(isinstance(p, Argument) and p.kind for p in read)
    if not is_same:
        raise Unconvertible(f"the format cannot write {text[:40]!r}")
    return text


def _written(
    argument: Argument, known: Known, target: Dialect, *, is_alone: bool
) -> tuple[str, str | int]:
    """Return an argument as it is written, and its name or position there."""
    shown, spec, kind = argument.shown, argument.spec, argument.kind
    name = argument.name or known.names.get(argument.position, "")
    position = argument.position or known.positions.get(name, 0)
    if kind == "s" and name in known.numbers:
        kind = "d"
    spelled = target.spelled.get(kind, kind)
    text = ""
    means: str | int = position
    if not (spelled if target.kinds else kind in ("s", "d") and not spec):
        raise Unconvertible(f"the format has nothing like {shown!r}")
    if target.named and name:
        if name == known.plural and target.plural:
            if target.plural != name and target.plural in known.positions:
                raise Unconvertible(f"{shown} and another are called {target.plural}")
            name = target.plural
        text, means = target.named.format(name), name
    elif target.named and not target.placed:
        raise Unconvertible(f"the name of {shown!r} is not known")
    elif not position:
        raise Unconvertible(f"{shown!r} is not in the source text")
    elif argument.is_next and is_alone and target.following:
        text, means = target.following, position
    else:
        placed = target.whole if kind == "d" and target.whole else target.placed
        text, means = placed.format(position - 1 + target.first), position
    return text + (spec + spelled if target.kinds else ""), means
