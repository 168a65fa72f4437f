"""The contract of formats; a template has no values, which most of it is about."""

import pytest

from locframework.testing.contracts.formats import FormatContract

HEADER = (
    '# Copyright\n#, fuzzy\nmsgid ""\nmsgstr ""\n"Language: en\\n"\n'
    '"Content-Type: text/plain; charset={}\\n"\n'
    '"Plural-Forms: nplurals=2; "\n"plural=(n != 1);\\n"\n\n'
)
FULL = (
    '# note\n#. explained\n#: a.c:1\n#, fuzzy, c-format\n#| msgid "old"\n'
    'msgctxt "menu"\nmsgid "%d file"\nmsgid_plural "%d files"\n'
    'msgstr[0] "%d файл"\nmsgstr[1] "%d файлов"\n\n'
    'msgid "checkout.pay"\nmsgstr ""\n"За\\n"\n"платить"\n\n'
    'msgctxt "key:a.b"\nmsgid "Save"\nmsgstr ""\n\n'
    '#~| msgid "older"\n#~ msgid "gone"\n#~ msgstr "ушло"\n'
)


class TestPo(FormatContract):
    samples = {  # noqa: RUF012
        "full.po": (HEADER.format("UTF-8") + FULL).encode(),
        "koi8.po": (HEADER.format("KOI8-R") + FULL).encode("koi8-r"),
        "left-over-rule.po": (HEADER.format("UTF-8") + FULL)
        .replace("nplurals=2", "nplurals=3")
        .encode(),
        "no-text.po": HEADER.format("UTF-8").encode()
        + b'msgid "a"\nmsgstr "\\000"\n\nmsgid "b\0"\nmsgstr ""\n',
    }
    unreadable = {  # noqa: RUF012
        "no closing quote": b'msgid "a\nmsgstr "b"\n',
        "no msgstr": b'msgid "a"\n',
        "twice": b'msgid "a"\nmsgstr "b"\n' * 2,
        "unknown escape": b'msgid "a"\nmsgstr "\\q"\n',
        "unknown charset": HEADER.format("hex").encode(),
        "json": b'{"a": "b"}',
    }

    @pytest.fixture
    def format(self, po):
        return po
