"""The contract of formats; a template has no values, which most of it is about."""

import pytest

from locframework.ports import Entry
from locframework.testing.contracts.formats import FormatContract, Sample

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


NO_TEXT = b'msgid "a"\nmsgstr "\\000"\n\nmsgid "b\0"\nmsgstr ""\n'
ENTRIES = [
    Entry(
        "d-file-482b470c5196",
        {"one": "%d файл", "other": "%d файлов"},
        is_plural=True,
        description="explained",
        source={"one": "%d file", "other": "%d files"},
        needs_review=True,
        line=15,
        detail={
            "comment": "note",
            "references": "a.c:1",
            "flags": "c-format",
            "previous": 'msgid "old"',
        },
        name="menu\4%d file",
        format_flags=("c-format",),
    ),
    Entry("checkout.pay", "За\nплатить", line=21, name="checkout.pay"),
    Entry("a.b", None, source="Save", line=26, name="key:a.b\4Save"),
]
WRITTEN = (HEADER.format("UTF-8") + FULL).replace(
    '"Plural-Forms: nplurals=2; "\n"plural=', '"Plural-Forms: nplurals=2; plural='
)


class TestPo(FormatContract):
    samples = {  # noqa: RUF012
        "full.po": Sample(
            (HEADER.format("UTF-8") + FULL).encode(), ENTRIES, WRITTEN.encode()
        ),
        "koi8.po": Sample(
            (HEADER.format("KOI8-R") + FULL).encode("koi8-r"),
            ENTRIES,
            WRITTEN.encode(),
        ),
        "left-over-rule.po": Sample(
            (HEADER.format("UTF-8") + FULL)
            .replace("nplurals=2", "nplurals=3")
            .encode(),
            ENTRIES,
            WRITTEN.replace("(n != 1)", "(n==1 ? 0 : 1)").encode(),
        ),
        "no-text.po": Sample(
            HEADER.format("UTF-8").encode() + NO_TEXT,
            [Entry("a", None, source="a", line=10, name="a")],
            WRITTEN.partition("# note")[0].encode() + b'msgid "a"\nmsgstr ""\n',
        ),
    }
    unreadable = {  # noqa: RUF012
        "no closing quote": (b'\nmsgid "a\nmsgstr "b"\n', 2),
        "no msgstr": (b'#. x\nmsgid "a"\n', 2),
        "twice": (b'msgid "a"\nmsgstr "b"\n' * 2, 3),
        "unknown escape": (b'msgid "a"\nmsgstr "\\q"\n', 2),
        "unknown charset": (HEADER.format("hex").encode(), 6),
        "json": (b'{"a": "b"}', 1),
    }

    @pytest.fixture
    def format(self, po):
        return po
