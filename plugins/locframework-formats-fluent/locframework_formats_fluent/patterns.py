"""Patterns of Fluent: as texts of keys, and behind the ``=`` in files."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from fluent.syntax import FluentParser, ast

from locframework.ports import PLURAL_FORMS

ID = "[A-Za-z][A-Za-z0-9_-]*+"
PLACEABLE = rf'\{{ *+(?:[$-]?+{ID}|"[^"\\\n{{}}]*+") *+\}}'  # one that is easy to read
INDENT = "    "
_SIMPLE = re.compile(rf"(?:[^{{}}]++|{PLACEABLE})*+")
_BRACE = re.compile("[{}]")
_BLOCK = re.compile(r"(?: *\r?\n)++( *+)")
_LITERAL = re.compile(r'\{ "(\\u000D|[^"\\\n]*)" \}')
_PROTECTED = re.compile(
    r'\{ *"(?:[^"\\\n]|\\.)*" *\}|[{}]|\r|(?m:^(?= +$))'
    r"|\A(?=[ \n]|\Z)|(?<=[ \n])\Z|(?:\A|(?<=\n) *+)[\[*.]"
)
_VARIANT = re.compile(
    rf"[ \n]*+(\*?)\[[ \n]*+({ID})[ \n]*+\]"
    r'((?:[^{}\n]++|\{(?:[^{}">]|"[^"\n]*")*+\}|\n[ \n]*+(?![*\[}]))++)'
)
_SELECT = re.compile(
    rf"[ \n]*+\{{[ \n]*+\$({ID})[ \n]*+->((?:{_VARIANT.pattern})++)[ \n]*+\}}"
)


def text_of(source: str) -> str:
    """Return the text of a pattern: without its indentation, and without literals that
    only protect white space and braces."""
    if "\n" not in source and '{ "' not in source:
        return source.strip(" ")
    first, *rest = source.replace("\r\n", "\n").split("\n")
    rest = [line if line.strip(" ") else "" for line in rest]
    cut = min((len(line) - len(line.lstrip(" ")) for line in rest if line), default=0)
    raw = "\n".join([first.lstrip(" "), *(line[cut:] for line in rest)])
    raw = raw.strip("\n").rstrip(" \n")
    plain = _LITERAL.sub(lambda found: found[1].replace("\\u000D", "\r"), raw)
    return plain if plain not in ("", raw) and pattern_of(plain) == raw else raw


def pattern_of(text: str) -> str:
    """Return the pattern of a text. If the text is none, its braces become literals."""
    return _protected(text if is_pattern(text) else _BRACE.sub(r'{ "\g<0>" }', text))


def is_pattern(text: str) -> bool:
    """Return whether braces are placeables: ``{ $name }``, and not ``{ 1, 2 }``."""
    if _SIMPLE.fullmatch(text):
        return True
    with suppress(RecursionError):
        file = FluentParser(with_spans=False).parse(f"k ={assigned(_protected(text))}")
        first, *others = file.body
        return isinstance(first, ast.Message) and not (others or first.attributes)
    return False


def _protected(text: str) -> str:
    """Return the text with literals for what would be syntax outside of placeables."""
    depth = 0

    def protect(found: re.Match[str]) -> str:
        nonlocal depth
        sign = found[0]
        if sign == "\r":
            return '{ "\\u000D" }'
        if sign in ("{", "}"):
            depth += 1 if sign == "{" else -1
        elif not depth and (not sign or (sign[-1] in "[*." and "\n" in text)):
            return f'{sign[:-1]}{{ "{sign[-1:]}" }}'
        return sign

    return _PROTECTED.sub(protect, text)


def assigned(
    pattern: str, old: str = "", indent: str = INDENT, newline: str = "\n"
) -> str:
    """Return what to write behind ``=``; on a line of its own where ``old`` was so."""
    block = _BLOCK.match(old)
    if "\n" not in pattern and (not block or pattern[0] in "[*."):
        return f" {pattern}"
    start, indent = (block[0], block[1] or indent) if block else (newline, indent)
    lines = [line and indent + line for line in pattern.split("\n")]
    return start.rstrip(" ") + newline.join(lines)


class Plural(NamedTuple):
    """A pattern that chooses by a number, and has nothing around that."""

    variable: str
    forms: Mapping[str, str]  # by CLDR form

    @classmethod
    def of(cls, source: str) -> "Plural | None":
        """Return the forms of a pattern; None if forms cannot express all of it."""
        source = source.replace("\r\n", "\n") if "->" in source else ""
        select = _SELECT.fullmatch(source)
        texts: dict[str, str] = {}
        default, at = "", 0
        while select and (variant := _VARIANT.match(select[2], at)):
            if variant[2] not in PLURAL_FORMS or variant[2] in texts:
                return None
            texts[variant[2]] = text_of(variant[3])
            default, at = variant[2] if variant[1] else default, variant.end()
        forms = {form: texts[form] for form in PLURAL_FORMS if form in texts}
        return cls(select[1], forms) if select and default == [*forms][-1] else None

    def pattern(self) -> str:
        """Return the pattern, with the last form as its default."""
        lines = [f"{{ ${self.variable} ->"]
        for form in sorted(self.forms, key=PLURAL_FORMS.index):
            text = assigned(pattern_of(self.forms[form]), indent=INDENT * 2)
            lines.append(f"    [{form}]{text}")
        return "\n".join([*lines[:-1], f"   *{lines[-1].lstrip()}", "}"])
