"""Decodes a PO file by the charset that its header names."""

import codecs
import re
from functools import cache

from locframework.ports import Problem

from .parser import unreadable

_HEADER = re.compile(rb"^msgid\b.*?(?=^msgid\b|\Z)", re.MULTILINE | re.DOTALL)
_RETURNS = re.compile(r"(?<!\r)\r+(?=\n|\Z)")  # before the end of a line
_LINE_END = re.compile(rb'"[ \t]*\r?\n[ \t]*"')
_CONTENT_TYPE = re.compile(
    rb'(?:"|\\n)Content-Type:[^"\\\n]*?charset=([A-Za-z0-9_.:-]{1,40})', re.IGNORECASE
)
_HEADER_BYTES = 64 * 1024
_AS_UTF_8 = ("charset", "ascii", "us-ascii", "utf8", "utf-8")
_KNOWN = [
    "utf-8",
    *(f"iso8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)),
    *(f"cp{page}" for page in (850, 866, 874, 932, 949, 950, *range(1250, 1259))),
    *("koi8-r", "koi8-u", "koi8-t", "tis-620", "gb2312", "gbk", "gb18030"),
    *("big5", "big5-hkscs", "shift_jis", "euc-jp", "euc-kr", "johab"),
]
"""What gettext reads, as far as Python can: never a codec that is no charset."""


def decoded(content: bytes) -> tuple[str, str]:
    """The text of a PO file with line feeds only, and the name of its charset.

    UTF-8 where the header names none. Raises UnreadableFile for a charset that
    gettext does not know, bytes that are not in it, and U+0000.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    charset = _charset(content)
    try:
        text = content.decode(charset)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"the bytes are not {charset}"
        raise unreadable([Problem(f"line {line}", "encoding", message)]) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise unreadable([Problem(f"line {line}", "encoding", "has U+0000")])
    if "\r" in text:
        text = _RETURNS.sub("", text)
    return text, charset


def _charset(content: bytes) -> str:
    header = _HEADER.search(content, 0, _HEADER_BYTES)
    match = header and _CONTENT_TYPE.search(_LINE_END.sub(b"", header[0]))
    if not header or not match:
        return "utf-8"
    name = match[1].decode("ascii").lower()
    if name in _AS_UTF_8:
        return "utf-8"
    if (known := _known(name)) is not None:
        return known
    line = content.count(b"\n", 0, content.find(match[1], header.start())) + 1
    message = f"the charset {name!r} is not known"
    raise unreadable([Problem(f"line {line}", "encoding", message)])


def _known(name: str) -> str | None:
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return None
    return codec if codec in _codecs() else None


@cache
def _codecs() -> frozenset[str]:
    """Python's names of them. To look one up imports it: not before a file needs it."""
    return frozenset(codecs.lookup(name).name for name in _KNOWN)
