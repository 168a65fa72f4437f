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
_BOOLEAN = re.compile("yes|no|on|off|true|false", re.I)
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+")
_PLAIN = re.compile(
    r"(?![-?:,\[\]{}#&*!|>'\"%@`+.0-9=<~]|(?:y|n)\Z)(?!.*(?::\s|\s\#|:\Z|\s\Z))\S.*",
    re.I,
)
_IN_FLOW = re.compile(r"[,\[\]{}:?]")
_SPECIAL = re.compile(
    r'["\\\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff\ud800-\udfff]'
)
_NOT_RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_HEADER = re.compile(r"[|>][-+]?([^\r\n0-9]*+)\r?\n")
_INDENT = re.compile(r"(?:[ \t]*\r?\n)*+( *+)")
_BLANK_END = re.compile(r"(?:\r?\n[ \t]*+)*+\Z")


def is_text(plain: str) -> bool:
    """Whether a plain scalar is a text, and no number, boolean, date, symbol or nil."""
    return not _NO_TEXT.fullmatch(plain)


def is_boolean(plain: str) -> bool:
    """Whether Ruby takes a plain scalar for true or false: the key ``no:`` is one."""
    return bool(_BOOLEAN.fullmatch(plain))


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


def scalar(text: str, style: str | None, *, in_flow: bool = False) -> str:
    """Return the text on one line: plain (None), in single or in double quotes; in
    double quotes too where the style cannot hold it."""
    can_be_raw = not _NOT_RAW.search(text) and "\n" not in text
    if style == "'" and can_be_raw:
        return "'{}'".format(text.replace("'", "''"))
    can_be_plain = can_be_raw and _PLAIN.fullmatch(text) and is_text(text)
    is_torn = in_flow and _IN_FLOW.search(text)
    if style is None and can_be_plain and not is_torn:
        return text
    return double_quoted(text)


def respelled(
    text: str, raw: str, style: str | None, newline: str, *, in_flow: bool
) -> str:
    """Return a text for another that is written ``raw``, in the same style if that can
    hold it. A block keeps the blank lines behind it."""
    if style not in ("|", ">"):
        return scalar(text, style, in_flow=in_flow)
    header, tail = _HEADER.match(raw), _BLANK_END.search(raw)
    rest = tail[0] if tail else ""
    lines = text.removesuffix("\n").split("\n")
    is_clipped = text.endswith("\n")
    is_kept = bool(lines[-1].strip()) and lines[0] == lines[0].lstrip(" \t")
    if style == ">":
        is_kept = all(line and line == line.strip() for line in lines)
    is_kept = is_kept and not _NOT_RAW.search(text) and is_clipped <= bool(rest)
    if header is None or not is_kept:
        return double_quoted(text) + rest
    indent = _INDENT.match(raw, header.end())
    lead = indent[1] if indent else ""
    between = newline if style == "|" else newline * 2
    block = between.join(lead + line if line else "" for line in lines)
    chomp = "" if is_clipped else "-"
    return f"{style}{chomp}{header[1]}{newline}{block}{rest}"
