"""Reads and changes arrays of texts in PHP files, which are never executed."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from locframework.ports import (
    HIDDEN,
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    TreeContainer,
    TreeLayout,
    TreeUpdate,
    TreeValue,
    UnreadableFile,
    WrittenFile,
    laravel_forms,
    one_text,
    tree_entries,
    tree_place,
)

_COMMENT = r"(?://|\#(?!\[))(?:(?!\?>)[^\r\n])*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
_SPACE = rf"(?:[ \t\r\n]++|{_COMMENT})*+"
_QUOTED = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_LITERAL = (
    rf"(?P<quoted>{_QUOTED})"
    r"|<<<[ \t]*+(?P<quote>['\"]?)(?P<label>[^\W\d]\w*+)(?P=quote)\r?"
    r"(?P<lines>(?:\n(?![ \t]*+(?P=label)\b)[^\n]*+)*+)"
    r"\n(?P<indent>[ \t]*+)(?P=label)\b"
)
_OPENING = r"(?:\[|\barray[ \t\r\n]*+\()"
_CALL = rf"array_merge{_SPACE}\({_SPACE}\$\w+{_SPACE},"
_PART = re.compile(rf"(?is)(?:{_LITERAL})(?P<dot>{_SPACE}\.(?![=.]){_SPACE})?")
_TOKEN = re.compile(rf"(?is){_LITERAL}|{_COMMENT}|[\w$]++|\s++|(?!<<<|/\*)[^'\"]")
_AGAIN = re.compile(rf"(?is){_SPACE}['\"]")
_START = re.compile(r"(?is)\s*+<\?php\b")
_ROOT = re.compile(
    rf"(?is)(?:return\b|(\$\w+){_SPACE}=(?:{_SPACE}{_CALL})?){_SPACE}(?={_OPENING})"
)
_END = re.compile(
    rf"(?is){_SPACE}\)?{_SPACE};?{_SPACE}(?:return\s+(\$\w+)\s*+;{_SPACE})?(?:\?>\s*+)?\Z"
)
_FOR_DOUBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_IN_SINGLE = re.compile(r"\\([\\'])")
_IN_DOUBLE = re.compile(
    rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u\{([0-9A-Fa-f]+)\}|(.))"
    rb"|\$[A-Za-z_\x80-\xff{]|\{\$",
    re.DOTALL,
)
_ESCAPES = dict(zip(b'ntrvef\\$"', b'\n\t\r\v\x1b\f\\$"', strict=True))
_ESCAPED = {n: f"\\u{{{n:x}}}" for n in (*range(32), *range(127, 160))} | {
    value: f"\\{sign:c}" for sign, value in _ESCAPES.items()
}
_NEW_FILE = b"<?php\n\nreturn [\n];\n"
_LARAVEL = re.compile(r"(?:^|/)lang/(?:vendor/[^/]+/)?[a-z]{2,3}(?:[-_]\w+)*/", re.I)
_RANGE = re.compile(r"[{\[][-\d|*,.]*[}\]]")
_TREE = "a key whose name begins another key"
_CODE = "texts that PHP makes of variables, constants and calls"
_OTHERS = "plural forms of languages that have others in Laravel than in CLDR"
_TYPE = "application/x-php"
_PLACE = partial(tree_place, "php")


class PhpLayout(TreeLayout):
    """A PHP file whose array can be changed: what it returns, or first assigns."""

    space, opening = re.compile(_SPACE), re.compile(_OPENING, re.I)
    member = re.compile(rf"(?is)({_QUOTED}|-?[1-9][0-9]{{0,17}}|0)[ \t]*?( ?=>\s*+)")
    after = re.compile(rf"(?is)({_SPACE})([],)])")
    rest = re.compile(rf"(?:[ \t]*+(?!/\*[^*]*\n)(?:{_COMMENT}))++(?=[ \t]*+\r?\n)")
    colon = " => "

    def __init__(self, content: bytes, faults: Faults) -> None:
        """Raises UnreadableFile. Warns about what is left as it is."""
        file, self._faults = TextFile.of(content), faults
        self.text, start = file.text, _START.match(file.text)
        at, depth = start.end() if start else len(file.text), 0
        while depth or not (found := _ROOT.match(file.text, at)):
            if at == len(file.text):
                raise self.fault(0, "kind", "<?php is missing, or an array of texts")
            at, change = self._token(at)
            depth += change
        super().__init__(file, found.end())
        end = _END.match(file.text, self.end)
        if not end or (end[1] and end[1] != found[1]):
            faults.warn(self.line_at(self.end), "what follows is left as it is")

    def name_in(self, spelled: str) -> str | None:
        """The name; None where it is no literal."""
        literal = _PART.match(spelled)
        return _said(literal) if literal else spelled

    def value_at(self, at: int) -> tuple[TreeValue, int]:
        """A text, of literals and dots between them, or what PHP would evaluate."""
        text, end = self.text, at
        said: str | None = ""
        while said is not None and (found := _PART.match(text, end)):
            part, end = _said(found), found.end()
            said = None if part is None else said + part
            if not found["dot"] and self.after.match(text, end):
                return TreeValue(text[at:end], said), end
            if not found["dot"] and (again := _AGAIN.match(text, end)):
                raise self.fault(again.end(), "syntax", "a comma is missing")
        start, end, depth = at, at, 0
        while depth or text[start : start + 1] not in (",", "]", ")"):
            here, (start, change) = start, self._token(start)
            depth += change
            end = end if self.space.fullmatch(text, here, start) else start
        if end == at:
            raise self.fault(at, "syntax", "a value is missing")
        return TreeValue(text[at:end]), end

    def _token(self, at: int) -> tuple[int, int]:
        """The end of a token, and by how much it changes the depth."""
        found = _TOKEN.match(self.text, at)
        if found is None:
            raise self.fault(at, "syntax", "a text or an array does not end")
        return found.end(), (found[0] in "([{") - (found[0] in ")]}")

    def finish(self, container: TreeContainer) -> None:
        """An array without any key is a list. Of a key PHP takes the last item."""
        items, seen = container.items, {HIDDEN}
        container.ends_separated |= not items  # as new arrays are
        container.is_array = bool(items) and not any(item.head for item in items)
        for item in [] if container.is_array else reversed(items):
            if not item.head or item.name in seen:
                told = "a key is left as it is: it is no literal, or given again"
                self._faults.warn(item.line, told)
                item.name = HIDDEN
            seen.add(item.name)

    def spelled(self, value: object, old: str = "") -> str:
        """A text in the quotes of the old one; in double quotes, control characters."""
        text = str(value)
        is_single = old[:1] == "'" or (old[:1] != '"' and "\n" not in text)
        if is_single and not _FOR_DOUBLE.search(text):
            return "'{}'".format(text.replace("\\", "\\\\").replace("'", "\\'"))
        return f'"{text.translate(_ESCAPED)}"'


def _said(literal: re.Match[str]) -> str | None:
    """What a literal says; None when that needs PHP, or is no UTF-8."""
    raw = literal["quoted"]
    if raw and raw[0] == "'":
        return _IN_SINGLE.sub(r"\1", raw[1:-1]) if "\\" in raw else raw[1:-1]
    if raw:
        return _unescaped(raw[1:-1])
    indent, lines = literal["indent"], literal["lines"].removesuffix("\r").split("\n")
    if any(line.strip(" \t\r") and not line.startswith(indent) for line in lines):
        return None
    text = "\n".join(
        line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t")
        for line in lines[1:]
    )
    return text if literal["quote"] == "'" else _unescaped(text, b'"')


def _unescaped(body: str, quote: bytes = b"") -> str | None:
    """A text without its escapes, but for that of ``quote``."""

    def said(found: re.Match[bytes]) -> bytes:
        octal, pair, point, sign = found.groups()
        if octal or pair:
            return bytes([int(octal or pair, 8 if octal else 16) & 255])
        if point or not sign:  # a variable has none of them
            return chr(int(point or "none", 16)).encode()
        known = _ESCAPES.get(sign[0])
        return found[0] if known is None or sign == quote else bytes([known])

    try:
        is_plain = "\\" not in body and "$" not in body
        return body if is_plain else _IN_DOUBLE.sub(said, body.encode()).decode()
    except (ValueError, OverflowError):
        return None


class PhpArray:
    """``<?php return ['cart' => ['title' => 'Korb']];``, read and never executed.

    The keys of nested arrays are joined. What is no literal text stays in a template.
    """

    info = FormatInfo(
        "php-array", "PHP array", ".php", _TYPE, plurals=False, limits=(_TREE, _CODE)
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether all are texts; in a file whose path is Laravel's, any."""
        is_laravel = _LARAVEL.search(file.name) is not None
        if self.info.is_name(file.name) and is_laravel is self.info.plurals:
            with suppress(UnreadableFile):
                leaves = PhpLayout(file.content, Faults()).root.leaves()
                are_texts = [item.text is not None for _, item in leaves]
                return any(are_texts) and (is_laravel or all(are_texts))
        return False

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        faults = Faults()
        root = PhpLayout(file.content, faults).root
        entries = tree_entries(root, "php", options.key_separator, faults)
        faults.raise_any()
        read = [self._entry_of(entry, options) for entry in entries]
        return [Catalogue(None, read, warnings=faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The array of the one catalogue, in its template if there is one."""
        [catalogue] = catalogues
        layout, warnings = PhpLayout(_NEW_FILE, Faults()), list[str]()
        with suppress(UnreadableFile):  # the template may be no PHP any more
            layout = PhpLayout(catalogue.template or _NEW_FILE, Faults())
        code = catalogue.language_code or options.source_language
        entries = [
            replace(entry, value=self._text_of(entry, code, warnings), is_plural=False)
            for entry in catalogue.entries
        ]
        update = TreeUpdate(layout, options.key_separator, warnings)
        return WrittenFile(update.content(entries, _PLACE), warnings)

    def _entry_of(self, entry: Entry, options: FileOptions) -> Entry:
        return entry

    def _text_of(self, entry: Entry, code: str, warnings: list[str]) -> str | None:
        return one_text(entry, warnings, "arrays of PHP", is_known=False)


class LaravelPhp(PhpArray):
    """Files of Laravel, ``lang/de/messages.php``: ``one|other`` may be a plural.

    It is one where there are as many parts as Laravel has forms for the language, and
    these are those of CLDR; the key has to be known as plural, or the text has
    ``:count`` or no space at the bar, and no ranges, ``{0}`` or ``[2,*]``.
    """

    info = replace(PhpArray.info, id="laravel-php", name="PHP, Laravel", plurals=True)
    info = replace(info, family="php", precedence=1, limits=(_TREE, _CODE, _OTHERS))

    def _entry_of(self, entry: Entry, options: FileOptions) -> Entry:
        text, is_plural = str(entry.value), options.plurals.get(entry.key)
        forms = _forms_in(text, options.language_code or options.source_language)
        may_be = re.search(r":\w*count", text) or not re.search(r"\s\||\|\s", text)
        if is_plural is None and may_be and not any(map(_RANGE.match, forms.values())):
            is_plural = bool(forms)
        if not is_plural:
            return entry
        return replace(entry, value=forms or {"other": text}, is_plural=True)

    def _text_of(self, entry: Entry, code: str, warnings: list[str]) -> str | None:
        value = entry.value
        if not isinstance(value, Mapping) or not value:
            return None if isinstance(value, Mapping) else value
        is_plain, last = value.keys() == {"other"}, [*value.values()][-1]
        forms = ("other",) if is_plain else laravel_forms(code)
        text = "|".join(value.get(form, value.get("other", last)) for form in forms)
        if (_forms_in(text, code) or {"other": text}) != value:
            told = f"Laravel has the forms {', '.join(forms)}, without bars in them"
            warnings.append(f"{entry.key} will read differently: {told}")
        return text


def _forms_in(text: str, code: str) -> dict[str, str]:
    """The forms between bars in a text; none if there are others than these."""
    forms, parts = laravel_forms(code), text.split("|")
    are_these = len(parts) == len(forms) > 1 and all(parts)
    return dict(zip(forms, parts, strict=True)) if are_these else {}
