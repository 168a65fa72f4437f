"""TMX goes out and comes back the same; what is no TMX is refused with its line."""

from __future__ import annotations

import io
import itertools
import tracemalloc
from contextlib import suppress
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import UnreadableFile
from locframework.memories.csv_file import read_csv, write_csv
from locframework.memories.file_records import Unit, UnitFault, UnitValue
from locframework.memories.records import MemoryEntry, Penalties, TranslationMemory
from locframework.memories.tmx_reading import read_tmx
from locframework.memories.tmx_writing import write_tmx
from locframework.proposals.records import TermTranslation

AT = "2026-11-21T12:00:00.000Z"
MEMORY = TranslationMemory("m", "m", "Main", "en", 70, Penalties(), False, 0, AT, AT)

SIGNS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"
)
PLAIN = st.text(st.one_of(SIGNS, st.sampled_from("\t\n\r<>&\"'/")), min_size=1)
TAGS = st.sampled_from(
    [
        '<ph x="1"/>',
        '<bpt i="1">&lt;b&gt;</bpt>',
        '<ept i="1">&lt;/b&gt;</ept>',
        '<hi type="a&amp;b">x<ph/></hi>',
        '<it pos="begin">{<sub>deep <ut/></sub>}</it>',
        "<ph x='1'/>",
        "<hi>",
        "<b>bold</b>",
        "&lt;",
        "]]>",
    ]
)
PUBLIC = 'PUBLIC "-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN"'
TEXTS = st.lists(st.one_of(PLAIN, TAGS), min_size=1).map("".join)


def entry(source: str, context: str = "", **values: str) -> MemoryEntry:
    rows = tuple(
        TermTranslation(code, value, "approved", AT, None)
        for code, value in sorted(values.items())
    )
    return MemoryEntry("e", "m", source, context, AT, AT, rows)


def tmx(*units: str, head: str = "") -> BinaryIO:
    body = "\n".join(units)
    text = f'{head}<tmx version="1.4"><header/><body>\n{body}\n</body></tmx>'
    return io.BytesIO(text.encode())


def tuv(code: str, segment: str) -> str:
    return f'<tuv xml:lang="{code}"><seg>{segment}</seg></tuv>'


def read(file: BinaryIO, language: str = "en") -> list[Unit]:
    found = list(read_tmx(file, language))
    assert not [each for each in found if isinstance(each, UnitFault)]
    return [each for each in found if isinstance(each, Unit)]


def texts(unit: Unit) -> dict[str, str]:
    return {code: each.value for code, each in unit.values.items()}


@given(source=TEXTS, context=st.one_of(st.just(""), TEXTS), value=TEXTS)
def test_any_text_comes_back_from_tmx_as_it_was(
    source: str, context: str, value: str
) -> None:
    file = b"".join(write_tmx(MEMORY, [entry(source, context, de=value)]))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, unit.context) == (source, context)
    assert texts(unit) == {"de": value}


@given(source=TEXTS, context=TEXTS, value=TEXTS)
def test_any_text_comes_back_from_csv_as_it_was(
    source: str, context: str, value: str
) -> None:
    file = b"".join(write_csv(MEMORY, ["de"], [entry(source, context, de=value)]))

    [unit] = read_csv(io.BytesIO(file), "en")

    assert isinstance(unit, Unit)
    assert (unit.source_text, unit.context) == (source, context)
    assert texts(unit) == {"de": value}


@pytest.mark.parametrize(
    "segment",
    [
        '<ph x="1"/>',
        'Press <bpt i="1">&lt;b&gt;</bpt>OK<ept i="1">&lt;/b&gt;</ept> &amp; go',
        '<hi type="x">a <it pos="end" x="2">b<sub>c<ut>d</ut></sub></it></hi>',
    ],
)
def test_inline_tags_are_kept(segment: str) -> None:
    [unit] = read(tmx(f"<tu>{tuv('en', segment)}{tuv('de', segment)}</tu>"))

    assert unit.source_text == unit.values["de"].value == segment
    again = b"".join(write_tmx(MEMORY, [entry(segment)])).decode()
    assert f"<seg>{segment}</seg>" in again


def test_a_text_that_only_looks_like_a_tag_is_text() -> None:
    html = "H<sub>2</sub>O", '<ph x="1"/> <hi>H<sub>2</sub>O</hi>'
    for text in ("<ph x='1'/>", "<hi>", 'a & b <ph x="1"/>', "<ph/></seg>", *html):
        written = b"".join(write_tmx(MEMORY, [entry(text)])).decode()

        assert "&lt;" in written
        assert read(io.BytesIO(written.encode()))[0].source_text == text


def test_html_that_an_earlier_version_wrote_as_tags_comes_back_as_it_was() -> None:
    html = "H<sub>2</sub>O"

    [unit] = read(tmx(f"<tu>{tuv('en', html)}{tuv('de', html)}</tu>"))

    assert unit.source_text == texts(unit)["de"] == html


def test_signs_that_xml_cannot_hold_are_left_out() -> None:
    file = b"".join(write_tmx(MEMORY, [entry("a\x01b\uffffc", de="\x1fd")]))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, texts(unit)) == ("abc", {"de": "d"})


def test_what_is_blank_without_those_signs_is_no_unit_and_no_variant() -> None:
    entries = [entry("\x01"), entry("a", de="\x0b \uffff", fr="b")]
    file = b"".join(write_tmx(MEMORY, entries))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, texts(unit)) == ("a", {"fr": "b"})


def test_elements_that_a_segment_cannot_have_are_told_and_keep_their_text() -> None:
    segment = "Press <b>the <i>red</i></b> <b>key</b>"

    [unit] = read(tmx(f"<tu>{tuv('en', segment)}{tuv('de', segment)}</tu>"))

    assert unit.source_text == "Press the red key"
    assert unit.left_out == tuple(
        f"the tags of <{name}> are left out, their text is kept" for name in "bi"
    )


def test_languages_are_found_however_they_are_spelled() -> None:
    variants = tuv("PT_br", "p") + tuv("en-us", "s") + tuv("de", "d")
    old = '<tuv lang="fr"><seg>f</seg></tuv>'

    [unit] = read(tmx(f"<tu>{variants}{old}</tu>"))

    assert unit.source_text == "s"
    assert texts(unit) == {"pt-BR": "p", "de": "d", "fr": "f"}


def test_the_exact_source_language_comes_first() -> None:
    variants = tuv("en-US", "color") + tuv("en", "colour") + tuv("de", "Farbe")

    [unit] = read(tmx(f"<tu>{variants}</tu>"))

    assert unit.source_text == "colour"
    assert texts(unit) == {"en-US": "color", "de": "Farbe"}


def test_of_several_texts_in_one_language_the_first_counts_and_that_is_told() -> None:
    variants = tuv("en", "a") + tuv("de", "b") + tuv("DE", "c") + tuv("de", "d")
    same = tuv("en", "a") + tuv("de", "b") + tuv("de", "b")

    [unit, plain] = read(tmx(f"<tu>{variants}</tu>", f"<tu>{same}</tu>"))

    assert (texts(unit), texts(plain)) == ({"de": "b"}, {"de": "b"})
    assert unit.left_out == ("a further text in de is left out: the first counts",)
    assert plain.left_out == ()


def test_what_is_wrong_with_a_unit_is_told_with_its_line() -> None:
    good = f"<tu>{tuv('en', 'a')}{tuv('de', 'b')}</tu>"
    sourceless = f"<tu>{tuv('de', 'b')}</tu>"
    strange = f"<tu>{tuv('en', 'c')}{tuv('no such tag', 'b')}{tuv('', 'b')}</tu>"

    found = list(read_tmx(tmx(good, sourceless, strange), "en"))

    kinds = [type(each).__name__ for each in found]
    assert kinds == ["Unit", "UnitFault", "Unit"]
    assert [each.line for each in found] == [2, 3, 4]
    assert isinstance(found[2], Unit)
    assert found[2].left_out == (
        "a text in 'no such tag', which is no BCP-47 language, is left out",
        "a text without xml:lang is left out",
    )


def test_a_unit_that_holds_another_one_is_left_out_and_told() -> None:
    inner = f"<tu>{tuv('en', 'in')}{tuv('de', 'innen')}</tu>"
    outer = f"<tu>{tuv('en', 'out')}\n{inner}{tuv('de', 'aus')}</tu>"
    last = f"<tu>{tuv('en', 'a')}{tuv('de', 'b')}</tu>"

    found = list(read_tmx(tmx(outer, last), "en"))

    assert found == [
        UnitFault(2, "another unit begins within it, in line 3"),
        Unit(3, "in", "", {"de": UnitValue("innen")}),
        Unit(4, "a", "", {"de": UnitValue("b")}),
    ]


@pytest.mark.parametrize("name", ["tu", "tuv", "seg", "prop"])
def test_what_cannot_stand_in_a_segment_ends_neither_it_nor_what_follows(
    name: str,
) -> None:
    segment = f"Press <{name}>the</{name}> key"

    [unit, last] = read(
        tmx(
            f"<tu>{tuv('en', segment)}{tuv('de', 'b')}</tu>",
            f"<tu>{tuv('en', 'c')}</tu>",
        )
    )

    told = f"the tags of <{name}> are left out, their text is kept"
    assert (unit.source_text, texts(unit)) == ("Press the key", {"de": "b"})
    assert unit.left_out == (told,)
    assert last.source_text == "c"


def test_a_text_that_follows_one_within_its_own_is_told() -> None:
    inner = tuv("fr", "f")
    outer = f'<tuv xml:lang="de">{inner}<seg>d</seg></tuv>'

    [unit] = read(tmx(f"<tu>{tuv('en', 'a')}{outer}</tu>"))

    assert texts(unit) == {"fr": "f"}
    told = "a <tuv> stands in another one: what follows is left out"
    assert unit.left_out == (told,)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"plain", 1),
        (b"<html/>", 1),
        (b"<tmx><body>\n<tu>\n", 3),
        (b"<tmx>\n<body></tmx>", 2),
        (b'<tmx>\n\n<tu a="1" a="2"/></tmx>', 3),
        (b"<tmx>\xff\xfe</tmx>", 1),
        (b'<?xml version="1.0" encoding="klingon"?><tmx/>', 1),
        (b"<!DOCTYPE tmx SYSTEM 'file:///etc/passwd'>\n<tmx/>", 1),
        (b"<!DOCTYPE tmx SYSTEM 'x/tmx14.dtd' [<!ENTITY a 'b'>]>\n<tmx/>", 1),
        (b"<!DOCTYPE tmx PUBLIC 'x' 'tmx14.dtd'>\n<tmx/>", 1),
        (b"<!DOCTYPE html SYSTEM 'tmx14.dtd'>\n<tmx/>", 1),
        (f"<!DOCTYPE tmx {PUBLIC} 'x.dtd'>\n<tmx/>".encode(), 1),
        (
            f"<!DOCTYPE tmx {PUBLIC} 'tmx14.dtd' [<!ENTITY a 'b'>]>".encode(),
            1,
        ),
        (b"<!DOCTYPE tmx SYSTEM 'tmx14.dtd'>\n<tmx>&nbsp;</tmx>", 2),
        (b"\n<!DOCTYPE tmx [<!ENTITY a 'b'>]>\n<tmx>&a;</tmx>", 2),
        (b"<tmx>&nbsp;</tmx>", 1),
        (b"<tmx>" + b"<a>" * 100, 1),
    ],
)
def test_what_is_no_tmx_is_refused_with_its_line(content: bytes, line: int) -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(read_tmx(io.BytesIO(content), "en"))

    assert isinstance(caught.value.details, list)
    assert caught.value.details[0].path == f"line {line}"


@pytest.mark.parametrize(
    "named",
    [
        'SYSTEM "tmx14.dtd"',
        'SYSTEM "tmx11.dtd"',
        f'{PUBLIC} "tmx14.dtd"',
        f'{PUBLIC} "http://www.lisa.org/tmx/tmx14.dtd"',
    ],
)
def test_the_doctypes_that_tools_write_are_passed_over(named: str) -> None:
    head = f"<!DOCTYPE tmx {named}>"

    [unit] = read(tmx(f"<tu>{tuv('en', 'a')}</tu>", head=head))

    assert unit.source_text == "a"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_other_encodings_are_read(encoding: str) -> None:
    name = "utf-8" if "8-sig" in encoding else encoding
    head = f'<?xml version="1.0" encoding="{name}"?>'
    text = f"{head}<tmx><body><tu>{tuv('en', 'Größe')}</tu></body></tmx>"

    [unit] = read(io.BytesIO(text.encode(encoding)))

    assert unit.source_text == "Größe"


@given(content=st.binary())
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for reader in (read_tmx, read_csv):
        for head in (b"", b"<tmx><body><tu>", b"context,en,de\n"):
            with suppress(UnreadableFile):
                list(reader(io.BytesIO(head + content), "en"))


class Endless(io.RawIOBase):
    """A file that is made while it is read: a head, parts again and again, a tail."""

    def __init__(self, head: str, part: str, times: int, tail: str) -> None:
        self.reads = 0
        self._parts = itertools.chain([head], itertools.repeat(part, times), [tail])

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        return next(self._parts, "").encode()


def peak_of(file: Endless, units: int) -> int:
    """What reading the file took at its most, in bytes."""
    tracemalloc.start()
    read: BinaryIO = file  # type: ignore[assignment]
    count = sum(1 for _ in read_tmx(read, "en"))
    assert count == units
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


UNIT = f"<tu>{tuv('en', 'x' * 100)}{tuv('de', 'y' * 100)}</tu>\n"


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(units: int) -> int:
        file = Endless("<tmx><body>\n", UNIT * 100, units // 100, "</body></tmx>")
        return peak_of(file, units)

    assert peak(20_000) < peak(1_000) + 200_000


@pytest.mark.parametrize(
    ("opened", "part", "closed"),
    [
        ('<prop type="x-context">', "x" * 10, "</prop>"),
        ('<prop type="x-other">', "x" * 10, "</prop>"),
        ('<tuv xml:lang="de"><seg>', "x" * 10, "</seg></tuv>"),
        ('<tuv xml:lang="de"><seg>', '<ph x="1"/>', "</seg></tuv>"),
        ("", tuv("no such tag", "x" * 10), ""),
        ("", f"<!-- {'x' * 10} -->", ""),
    ],
)
def test_memory_does_not_grow_with_an_element(
    opened: str, part: str, closed: str
) -> None:
    """Were they kept, 50,000 more elements, or their text, would take 400 KB more."""

    def peak(times: int) -> int:
        head = f"<tmx><body><tu>{tuv('en', 'a')}{opened}"
        file = Endless(head, part * 500, times, f"{closed}</tu></body></tmx>")
        return peak_of(file, 1)

    assert peak(200) < peak(100) + 200_000


@pytest.mark.parametrize(
    ("variants", "told"),
    [
        ([tuv(f"de-x-{at}", "x") for at in range(1_000)], "1,000 texts"),
        ([tuv("de", "x")] * 1_000, "1,000 texts"),
        ([tuv(f"de-x-{at}", "x" * 60_000) for at in range(70)], "4,194,304 characters"),
    ],
)
def test_a_unit_that_is_too_large_is_left_out_and_told(
    variants: list[str], told: str
) -> None:
    large = f"<tu>{tuv('en', 'a')}{''.join(variants)}</tu>"
    good = f"<tu>{tuv('en', 'a')}{tuv('de', 'b')}</tu>"

    fault, unit = read_tmx(tmx(large, good), "en")

    assert fault == UnitFault(2, f"the unit has more than {told}")
    assert isinstance(unit, Unit)
    assert (unit.line, texts(unit)) == (3, {"de": "b"})


@pytest.mark.parametrize("opened", ['<tu tuid="', "<tu ", "<!-- ", "<?x ", "<"])
def test_a_tag_or_comment_without_an_end_is_refused_soon(opened: str) -> None:
    file = Endless(f"<tmx><body>\n{opened}", "x" * 65_536, 1_000, "")

    with pytest.raises(UnreadableFile, match="line 2: a tag or a comment has more"):
        list(read_tmx(file, "en"))  # type: ignore[arg-type]

    assert file.reads < 20


def test_a_fault_of_csv_is_told_in_our_words() -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(read_csv(io.BytesIO(b'en,de\n"a"b,c\n'), "en"))

    told = "line 2: a quote within a quoted cell is not doubled"
    assert caught.value.message == told


def test_a_row_with_more_cells_than_columns_is_left_out_and_told() -> None:
    content = b"en,de\nHello, world,Hallo Welt\nPay,Zahlen,,\n"

    fault, unit = read_csv(io.BytesIO(content), "en")

    assert fault == UnitFault(2, "there are more cells than columns")
    assert isinstance(unit, Unit)
    assert (unit.line, unit.source_text, texts(unit)) == (3, "Pay", {"de": "Zahlen"})


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("context,de\n", 1),
        ("en,colour me\n", 1),
        ("en,de,de\n", 1),
        ('en,de\na,"b\n', 2),
        ("en,de\na,b\nc,\udcff", 3),
    ],
)
def test_what_is_no_csv_is_refused_with_its_line(content: str, line: int) -> None:
    raw = content.encode("utf-8", "surrogateescape")

    with pytest.raises(UnreadableFile) as caught:
        list(read_csv(io.BytesIO(raw), "en"))

    assert isinstance(caught.value.details, list)
    assert caught.value.details[0].path.startswith("line ")
    assert line


def test_columns_are_parted_as_the_first_line_says() -> None:
    for delimiter in ",;\t":
        row = ["Source", "Context", "pt_br"], ["a", "c", "b"]
        text = "\n".join(delimiter.join(cells) for cells in row)

        [unit] = read_csv(io.BytesIO(text.encode("utf-8-sig")), "en")

        assert isinstance(unit, Unit)
        assert (unit.source_text, unit.context, texts(unit)) == (
            "a",
            "c",
            {"pt-BR": "b"},
        )


def test_excel_tells_in_a_line_before_the_head_what_parts_the_cells() -> None:
    [unit] = read_csv(io.BytesIO(b"sep=;\r\nen;de\r\na,b,c;d\r\n"), "en")

    assert unit == Unit(3, "a,b,c", "", {"de": UnitValue("d")})
    with pytest.raises(UnreadableFile, match="line 2: there is no column 'en'"):
        list(read_csv(io.BytesIO(b"sep=;\nde;fr\n"), "en"))


def test_formulas_stay_text() -> None:
    formula = "=HYPERLINK(1)"
    file = b"".join(write_csv(MEMORY, ["de"], [entry(formula, de="@x")]))

    assert b",'=HYPERLINK(1),'@x" in file
