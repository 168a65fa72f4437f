"""Texts, keys and broken files that every format has to cope with."""

from collections.abc import Iterator
from random import Random

TEXTS = {
    "plain": "Save",
    "umlauts": "Größe: 12 µm — „schön“",
    "chinese, japanese, korean": "保存 保存する 저장",
    "right to left": "\u200fשמור את {name} (3)\u200e، احفظ",
    "emoji of several code points": "👩🏽‍🚀 🇨🇭 👨‍👩‍👧‍👦",
    "combining marks": "e\u0301 is not é, \u1e9b\u0323",
    "beyond the basic plane": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈",
    "invisible characters": "a\u00a0b\u200bc\u2028d\u2029e\ufefff\u0085g\u00adh",
    "line breaks": "one\ntwo\n\nfour\n",
    "windows line breaks": "one\r\ntwo\r\n",
    "carriage return": "one\rtwo",
    "tabs": "\tone\ttwo\t",
    "spaces around": "  two spaces before and after  ",
    "nothing but a space": " ",
    "quotes": "\"double\" 'single' `back` «angle»",
    "ends with a quote": 'say "yes"',
    "backslashes": "C:\\new\\table \\u0041 \\\\ \\",
    "percents": "100 % of %s, %(name)s, %1$d, %%",
    "braces": "{0} {{name}} {count, number} ${x} {unpaired",
    "markup": '<b class="x">A &amp; B</b> <br/> &lt; ]]> <!-- -->',
    "looks like a formula": "=SUM(A1:A2)",
    "looks like a comment": "# not a comment",
    "looks like a list": "- one, two; three: four",
    "looks like nothing": "null",
    "looks like a number": "1.50",
    "looks like a reference": "@string/app_name",
    "very long": "Wörter und noch mehr davon. " * 2300,
}

KEYS = (
    "a",
    "A",
    "0",
    "-",
    "_",
    "with-dash",
    "with_underscore",
    "camelCase",
    "true",
    "null",
    "no",
    "continue",
    "constructor",
    "__proto__",
    "x" * 500,
)
"""Segments and keys at the edge of what is legal; each may stand beside the others."""

BROKEN = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf",
    "white space": b" \n\t\r\n ",
    "nul": b"\0",
    "not utf-8": b"\xff\xfe\xfa\x80",
    "utf-16": '{"a": "b"}'.encode("utf-16"),
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1",
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "deep elements": b"<a>" * 100_000,
    "deep indentation": b"".join(b" " * n + b"a:\n" for n in range(500)),
    "one quote": b'"',
    "a lone surrogate": b'{"a": "\\ud800"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "an escaped nul": b'{"a": "\\u0000"}',
    "an endless number": b'{"a": ' + b"9" * 100_000 + b"}",
}
"""Files that no format can read, or only as next to nothing."""

STRANGERS = {
    "picture.png": BROKEN["picture"],
    "letter.docx": b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0",
    "index.html": b"<!doctype html><html><body><p>Hello</p></body></html>",
    "main.py": b"import sys\n\nprint(sys.argv)\n",
    "LICENSE.txt": b"Permission is hereby granted, free of charge, to any person\n",
}
"""Files that belong to no format of translations."""

_BYTES = (0x00, 0x0A, 0x22, 0x27, 0x2C, 0x3C, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xFF)


def damaged(content: bytes, seed: int, number: int) -> Iterator[bytes]:
    """``number`` variants of a file: cut off, and with bytes changed, added, lost."""
    random = Random(seed)
    for _ in range(number):
        at = random.randrange(len(content) + 1)
        byte = bytes([random.choice((*_BYTES, random.randrange(256)))])
        rest = content[at + random.choice((0, 1, 1, 2, 9)) :]
        yield content[:at] + random.choice((b"", byte, byte, byte * 3)) + rest
        yield content[:at]
