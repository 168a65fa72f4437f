"""TMX goes out and comes back the same; what is no TMX is refused with its line."""

import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import UnreadableFile
from locframework.memories.files import Unit, read_csv, read_tmx, write_tmx

from .reading import MEMORY, TEXTS, entry, read, texts, tmx, tuv

PUBLIC = 'PUBLIC "-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN"'


@given(source=TEXTS, context=st.one_of(st.sampled_from(["", " "]), TEXTS), value=TEXTS)
def test_any_text_comes_back_from_tmx_as_it_was(source, context, value):
    file = b"".join(write_tmx(MEMORY, [entry(source, context, de=value)]))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, unit.context) == (source, context)
    assert texts(unit) == {"de": value}


@pytest.mark.parametrize(
    ("level", "is_draft"),
    [
        ("Draft", True),
        ("\n  Draft\n", True),
        ("RejectedTranslation", True),
        ("RejectedSignOff", True),
        ("Translated", False),
        ("ApprovedSignOff", False),
    ],
)
def test_what_trados_has_not_confirmed_is_a_draft(level, is_draft):
    told = f'<prop type="x-ConfirmationLevel">{level}</prop>'
    texts = tuv("en", "Pay") + tuv("de", "Zahlen") + tuv("fr", "Payer")
    inside = f'<tuv xml:lang="de">{told}<seg>Zahlen</seg></tuv>'

    units = read(tmx(f"<tu>{told}{texts}</tu><tu>{tuv('en', 'Go')}{inside}</tu>"))

    drafts = [[each.is_draft for each in unit.values.values()] for unit in units]
    assert drafts == [[is_draft, is_draft], [is_draft]]


@pytest.mark.parametrize(
    "segment",
    [
        '<ph x="1"/>',
        'Press <bpt i="1">&lt;b&gt;</bpt>OK<ept i="1">&lt;/b&gt;</ept> &amp; go',
        '<hi type="x">a <it pos="end" x="2">b<sub>c<ut>d</ut></sub></it></hi>',
    ],
)
def test_inline_tags_are_kept(segment):
    [unit] = read(tmx(f"<tu>{tuv('en', segment)}{tuv('de', segment)}</tu>"))

    assert unit.source_text == unit.values["de"].value == segment
    again = b"".join(write_tmx(MEMORY, [entry(segment)])).decode()
    assert f"<seg>{segment}</seg>" in again


def test_a_text_that_only_looks_like_a_tag_is_text():
    html = "H<sub>2</sub>O", '<ph x="1"/> <hi>H<sub>2</sub>O</hi>'
    for text in ("<ph x='1'/>", "<hi>", 'a & b <ph x="1"/>', "<ph/></seg>", *html):
        written = b"".join(write_tmx(MEMORY, [entry(text)])).decode()

        assert "&lt;" in written
        assert read(io.BytesIO(written.encode()))[0].source_text == text


def test_escaped_text_that_is_taken_as_tags_is_told():
    escaped = tuv("de", "Drücke &lt;ph x=&quot;1&quot;/&gt;")
    harmless = tuv("fr", "&lt;ph&gt; &lt;b&gt;") + tuv("pl", '<ph x="1"/>')

    [unit] = read(tmx(f"<tu>{tuv('en', 'Press')}{escaped}{harmless}</tu>"))

    assert texts(unit)["de"] == 'Drücke <ph x="1"/>'
    told = "the text in de is escaped, and taken as inline tags"
    assert unit.left_out == (told,)


def test_signs_that_xml_cannot_hold_are_left_out():
    file = b"".join(write_tmx(MEMORY, [entry("a\x01b\uffffc", de="\x1fd")]))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, texts(unit)) == ("abc", {"de": "d"})


def test_what_is_blank_without_those_signs_is_no_unit_and_no_variant():
    entries = [entry("\x01"), entry("a", de="\x0b \uffff", fr="b")]
    file = b"".join(write_tmx(MEMORY, entries))

    [unit] = read(io.BytesIO(file))

    assert (unit.source_text, texts(unit)) == ("a", {"fr": "b"})


def test_elements_that_a_segment_cannot_have_are_told_and_keep_their_text():
    segment = "Press <b>the <i>red</i></b> <b>key</b>"

    [unit] = read(tmx(f"<tu>{tuv('en', segment)}{tuv('de', segment)}</tu>"))

    assert unit.source_text == "Press the red key"
    assert unit.left_out == tuple(
        f"the tags of <{name}> are left out, their text is kept" for name in "bi"
    )


def test_languages_are_found_however_they_are_spelled():
    variants = tuv("PT_br", "p") + tuv("en-us", "s") + tuv("de", "d")
    old = '<tuv lang="fr"><seg>f</seg></tuv>'

    [unit] = read(tmx(f"<tu>{variants}{old}</tu>"))

    assert unit.source_text == "s"
    assert texts(unit) == {"pt-BR": "p", "de": "d", "fr": "f"}


def test_of_several_contexts_the_first_counts_and_the_others_are_told():
    props = "".join(
        f'<prop type="x-context">{text}</prop>' for text in ("", "menu", "menu", "tray")
    )

    [unit] = read(tmx(f"<tu>{props}{tuv('en', 'Save')}</tu>"))

    assert unit.context == "menu"
    assert unit.no_place == ['<prop type="x-context"> after the first']


def prop(**texts):
    return "".join(
        f'<prop type="{type_.replace("_", "-")}">{text}</prop>'
        for type_, text in texts.items()
    )


@pytest.mark.parametrize(
    ("of_unit", "of_source", "context"),
    [
        (prop(X_Context="menu"), "", "menu"),
        ("", prop(x_context="menu"), "menu"),
        (prop(file="a.docx", id="7"), "", "a.docx | 7"),
        (prop(file="a.docx", prev="Hi", next="Bye"), "", "a.docx | Hi | Bye"),
        (prop(prev="x" * 2000), "", "x" * 1000),
        ("", prop(x_context_pre="&lt;seg&gt;Hi&lt;/seg&gt;"), "Hi"),
        (prop(client="A"), "", ""),
    ],
)
def test_the_context_that_tools_write_is_kept(of_unit, of_source, context):
    source = f'<tuv xml:lang="en">{of_source}<seg>Save</seg></tuv>'

    [unit] = read(tmx(f"<tu>{of_unit}{source}</tu>"))

    assert unit.context == context


def test_notes_and_props_that_no_entry_can_hold_are_named():
    props = prop(client="A", project=" ", x_context="menu", file="a.docx")
    inside = f'<tuv xml:lang="de"><note>n</note>{prop(client="B")}<seg>b</seg></tuv>'

    [unit] = read(tmx(f"<tu><note>why</note>{props}{tuv('en', 'a')}{inside}</tu>"))

    client, note = '<prop type="client">', "<note>"
    assert unit.context == "menu"
    assert unit.no_place == [note, client, note, client, '<prop type="file">']
    assert unit.left_out == ()


def test_texts_and_elements_in_the_wrong_place_are_named():
    loose = '<tuv xml:lang="de">b</tuv>'

    [unit] = read(tmx(f"<tu>{tuv('en', 'a')}{loose}<x>c</x>d\n</tu>"))

    outside = "text outside of <seg>"
    assert (texts(unit), unit.no_place) == ({}, ["<x>", outside, outside])


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_white_space_may_stand_before_the_declaration(mark):
    head = f'{mark}\r\n \n<?xml version="1.0" encoding="UTF-8"?>\n'

    [unit] = read(tmx(f"<tu>{tuv('en', 'é')}{tuv('de', 'ü')}</tu>", head=head))

    assert (unit.line, unit.source_text) == (5, "é")


def test_the_exact_source_language_comes_first():
    variants = tuv("en-US", "color") + tuv("en", "colour") + tuv("de", "Farbe")

    [unit] = read(tmx(f"<tu>{variants}</tu>"))

    assert unit.source_text == "colour"
    assert texts(unit) == {"en-US": "color", "de": "Farbe"}


def test_of_several_texts_in_one_language_the_first_counts_and_that_is_told():
    variants = tuv("en", "a") + tuv("de", "b") + tuv("DE", "c") + tuv("de", "d")
    same = tuv("en", "a") + tuv("de", "b") + tuv("de", "b")

    [unit, plain] = read(tmx(f"<tu>{variants}</tu>", f"<tu>{same}</tu>"))

    assert (texts(unit), texts(plain)) == ({"de": "b"}, {"de": "b"})
    assert unit.left_out == ("a further text in de is left out: the first counts",)
    assert plain.left_out == ()


def test_what_is_wrong_with_a_unit_is_told_with_its_line():
    good = f"<tu>{tuv('en', 'a')}{tuv('de', 'b')}</tu>"
    sourceless = f"<tu>{tuv('de', 'b')}</tu>"
    strange = f"<tu>{tuv('en', 'c')}{tuv('no such tag', 'b')}{tuv('', 'b')}</tu>"

    found = list(read_tmx(tmx(good, sourceless, strange), "en"))

    kinds = [type(each).__name__ for each in found]
    assert kinds == ["Unit", "UnitFault", "Unit"]
    assert [each.line for each in found] == [2, 3, 4]
    assert isinstance(found[2], Unit)
    assert found[2].left_out == (
        "a text in 'no such tag', which is not a BCP-47 language, is left out",
        "a text without xml:lang is left out",
    )


@pytest.mark.parametrize("name", ["tu", "tuv", "seg", "prop"])
def test_what_cannot_stand_in_a_segment_ends_neither_it_nor_what_follows(name):
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
        (f"<!DOCTYPE tmx {PUBLIC} 'tmx14.dtd' [<!ENTITY a 'b'>]>".encode(), 1),
        (b"\n<!DOCTYPE tmx [<!ENTITY a 'b'>]>\n<tmx>&a;</tmx>", 2),
        (b"<tmx>" + b"<a>" * 100, 1),
    ],
)
def test_what_is_no_tmx_is_refused_with_its_line(content, line):
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
def test_the_doctypes_that_tools_write_are_passed_over(named):
    head = f"<!DOCTYPE tmx {named}>"

    [unit] = read(tmx(f"<tu>{tuv('en', 'a')}</tu>", head=head))

    assert unit.source_text == "a"


@given(content=st.binary())
def test_any_bytes_are_read_or_refused(content):
    for reader in (read_tmx, read_csv):
        for head in (b"", b"<tmx><body><tu>", b"context,en,de\n"):
            with suppress(UnreadableFile):
                list(reader(io.BytesIO(head + content), "en"))
