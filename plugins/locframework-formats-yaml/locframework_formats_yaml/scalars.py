"""Scalars of YAML: which are texts, and how a text is written in a style."""

import re

_WORDS = r"~|null|true|false|yes|no|on|off"
_NO_TEXT = re.compile(
    rf"(?:{_WORDS}|[-+]?\.inf|\.nan)?|:(?s:.)++"
    r"|[-+]?0b[01_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|[,_][0-9])*)"
    r"|[-+]?0x[0-9a-f_,]+|[-+]?(?:[0-9][0-9_,]*)?\.[0-9]+(?:e[-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_,]*\.[0-9]*(?:e[-+]?[0-9]+)?|[-+]?[0-9]+e[-+]?[0-9]+"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?|0o[0-7]+"
    r"|\d{4}-\d{1,2}-\d{1,2}(?:(?:t|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?"
    r"(?:\s*(?:z|[-+]\d{1,2}:?(?:\d\d)?))?)?",
    re.I | re.ASCII,
)
"""Plain scalars that Ruby (YAML 1.1) or YAML 1.2 reads as something else."""
_NO_TEXT_OF_SYMFONY = re.compile(
    r"(?:~|null|true|false|[-+]?\.inf|\.nan)?|0x[0-9a-f_]+|[-+]?0o[0-7_]+"
    r"|[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)(?:e[-+]?[0-9]+)?"
    r"|\d{4}-\d{1,2}-\d{1,2}(?:(?:t|[ \t]+)\d{1,2}:\d\d:\d\d(?:\.\d*)?"
    r"(?:[ \t]*(?:z|[-+]\d{1,2}(?::\d\d)?))?)?",
    re.I | re.ASCII,
)
NILS = ("", "~", "null")  # and BOOLEANS: as plain scalars, in small letters
BOOLEANS = ("yes", "no", "on", "off", "true", "false")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+")
_PLAIN = re.compile(
    r"(?![-?:,\[\]{}#&*!|>'\"%@`+.0-9=<~]|(?:y|n)\Z)(?!.*(?::\s|\s\#|:\Z|\s\Z))\S.*",
    re.I,
)
_SPECIAL = re.compile(
    r'["\\\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff\ud800-\udfff]'
)
_NOT_RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_HEADER = re.compile(r"[|>][-+]?([^\r\n0-9]*+)\r?\n")
_INDENT = re.compile(r"(?:[ \t]*\r?\n)*+( *+)")


def is_text(plain: str) -> bool:
    """Whether a plain scalar is a text, and no number, boolean, date, symbol or nil."""
    return not _NO_TEXT.fullmatch(plain)


def is_text_of_symfony(plain: str) -> bool:
    """The same, as Symfony reads it: ``yes``, ``:sign`` and ``12:30`` are texts."""
    return not _NO_TEXT_OF_SYMFONY.fullmatch(plain)


def double_quoted(text: str) -> str:
    """Return the text in double quotes."""

    def escape(found: re.Match[str]) -> str:
        code = ord(found[0])
        return _ESCAPES.get(found[0]) or (
            f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
        )

    return f'"{_SPECIAL.sub(escape, text)}"'


def key(name: str) -> str:
    """Return the name of a key, quoted unless all readers take it for a text."""
    is_plain = _KEY.fullmatch(name) and is_text(name) and name.lower() not in "yn"
    return name if is_plain else double_quoted(name)


def spelled(text: str, old: str, style: str | None, newline: str) -> str:
    """Return a text for another that is written ``old``: plain (None), in quotes or in
    a block; in double quotes where that cannot hold it."""
    lines, is_clipped = text.removesuffix("\n").split("\n"), text.endswith("\n")
    header = _HEADER.match(old)
    can_be_plain = _PLAIN.fullmatch(text) and is_text(text)
    if style == ">":
        is_kept = all(line and line == line.strip() for line in lines)
    elif style == "|":
        is_kept = bool(lines[-1].strip()) and lines[0] == lines[0].lstrip(" \t")
    else:
        is_kept = "\n" not in text and (style == "'" or bool(can_be_plain))
    if not is_kept or style == '"' or _NOT_RAW.search(text):
        return double_quoted(text)
    if style is None:
        return text
    if style == "'":
        return "'{}'".format(text.replace("'", "''"))
    if header is None:
        return double_quoted(text)
    indent = _INDENT.match(old, header.end())
    lead = indent[1] if indent else ""
    between = newline if style == "|" else newline * 2
    block = between.join(lead + line if line else "" for line in lines)
    return f"{style}{'' if is_clipped else '-'}{header[1]}{newline}{block}"
