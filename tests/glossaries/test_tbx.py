"""Terms in TBX files as other tools write them: read, or refused by line."""

import pytest

from locframework.file_import.xml_text import AS_HTML, AS_TEXT, LEFT_OUT
from locframework.glossaries.files import write_tbx
from locframework.glossaries.records import FileText, Term

from .reading import AT, GLOSSARY, read, refused, translation


def test_a_translation_that_is_blank_in_tbx_is_not_written():
    said = (translation("de", "\x0b \uffff", "approved"),)
    term = Term("t", "g", "pay", False, False, "preferred", None, AT, AT, said)

    written = b"".join(write_tbx(GLOSSARY, [term])).decode()

    assert "<term>pay</term>" in written
    assert 'xml:lang="de"' not in written


def test_notes_and_definitions_in_tbx_are_the_notes_of_a_term():
    content = (
        b'<martif type="TBX"><text><body><termEntry>'
        b'<descrip type="subjectField">ships</descrip>'
        b'<descripGrp><descrip type="definition">Where ships land</descrip>'
        b"</descripGrp><note>  </note>"
        b'<langSet xml:lang="en-GB"><descrip type="definition">Of stone</descrip>'
        b"<tig><term>pier</term><note>common</note></tig></langSet>"
        b'<langSet xml:lang="de"><descrip type="definition">Landeplatz</descrip>'
        b"<tig><term>Anleger</term></tig></langSet>"
        b"</termEntry></body></text></martif>"
    )

    found = read(content, "tbx")

    assert found.terms[0].notes == "Where ships land\nOf stone\ncommon"
    told = "line 1: 1 of its notes, in other languages or too long, were left out"
    assert found.warnings == [told, "subjectField: left out in 1 place"]


def test_definitions_that_are_too_long_for_notes_are_left_out_and_told():
    long = b'<descrip type="definition">' + b"x" * 1500 + b"</descrip>"
    content = (
        b"<tbx><text><body><conceptEntry>" + long * 2 + b'<langSec xml:lang="en">'
        b"<termSec><term>pier</term></termSec></langSec></conceptEntry></body></text></tbx>"
    )

    found = read(content, "tbx")

    assert (len(found.terms[0].notes or ""), len(found.warnings)) == (1500, 1)


OLD = """<?xml version="1.0"?>
<martif type="TBX-Basic" xml:lang="en"><text><body>
<termEntry id="c1">
 <descrip type="definition">where ships lie</descrip><note>see quay</note>
 <langSet xml:lang="en-GB">
  <tig><term>pier <hi>head</hi></term>
   <termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></tig>
  <ntig><termGrp><term>jetty</term></termGrp></ntig>
 </langSet>
 <langSet xml:lang="de"><tig><term>Kai</term>
   <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
  <tig><term>Anleger</term></tig></langSet>
</termEntry>
<termEntry id="c2"><langSet xml:lang="fr"><tig><term>quai</term></tig></langSet>
</termEntry>
</body></text></martif>"""


def test_older_tbx_with_several_terms_of_one_concept_is_read():
    found = read(OLD.encode(), "tbx")

    assert [(t.term, t.usage_status, t.notes, t.texts) for t in found.terms] == [
        (
            "pier head",
            "deprecated",
            "where ships lie\nsee quay",
            (FileText("de", "Anleger"),),
        ),
        ("jetty", None, "where ships lie\nsee quay", (FileText("de", "Anleger"),)),
    ]
    assert found.warnings == [
        "line 3: further translations, in de, were left out",
        "line 14: the concept has no term in en and was left out",
    ]


@pytest.mark.parametrize(
    ("status", "usage"),
    [
        ("preferredTerm-admn-sts", "preferred"),
        ("admittedTerm-admn-sts", "preferred"),
        ("deprecatedTerm-admn-sts", "deprecated"),
        ("deprecatedTerm", "deprecated"),
        ("notRecommended", "deprecated"),
        ("forbidden", "forbidden"),
        ("FORBIDDEN", "forbidden"),
        ("prohibited", "forbidden"),
        ("do not use", "forbidden"),
        ("obsolete", "deprecated"),
        ("DeprecatedTerm-admn-sts", "deprecated"),
        ("not recommended", "deprecated"),
        ("rejected", "deprecated"),
    ],
)
def test_what_is_not_to_be_used_is_never_demanded(status, usage):
    note = f'<termNote type="administrativeStatus">{status}</termNote>'
    langs = "".join(
        f'<langSet xml:lang="{code}"><tig><term>{term}</term>{note}</tig></langSet>'
        for code, term in (("en", "pier"), ("de", "Kai"))
    )
    content = f"""<martif type="TBX"><text><body>
        <termEntry>{langs}</termEntry></body></text></martif>"""

    [found] = read(content.encode(), "tbx").terms

    assert found.usage_status == usage
    assert found.texts == (FileText("de", "Kai", usage != "preferred"),)


def test_what_term_bases_say_in_their_own_words_is_read_or_named():
    content = b"""<martif type="TBX"><text><body><termEntry>
        <descrip type="Usage note">Use it so</descrip>
        <descrip type="subjectField">ships</descrip>
        <langSet xml:lang="en"><tig><term>pier</term>
        <termNote type="partOfSpeech">noun</termNote></tig></langSet>
        <langSet xml:lang="de"><tig><term>Kai</term>
        <termNote type="administrativeStatus">in doubt</termNote></tig></langSet>
        <langSet xml:lang="fr"><tig><term>quai</term><termNote
        type="normativeAuthorization">deprecatedTerm</termNote></tig></langSet>
        </termEntry></body></text></martif>"""

    found = read(content, "tbx")

    [pier] = found.terms
    assert pier.notes == "Use it so"
    assert pier.texts == (FileText("de", "Kai", True), FileText("fr", "quai", True))
    assert found.warnings == [
        "line 1: in doubt is no known status; translations with it are drafts",
        "subjectField: left out in 1 place",
        "partOfSpeech: left out in 1 place",
    ]


TERMWEB = """<martif type="TBX"><text><body><termEntry>
<descrip type="Translation needed">{needed}</descrip>
<langSet xml:lang="en"><tig><term>Ferry Now</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Fähre jetzt</term></tig></langSet>
<langSet xml:lang="fr"><tig><term>Ferry Now</term></tig></langSet>
</termEntry></body></text></martif>"""


def test_a_term_that_needs_no_translation_loses_those_that_differ():
    found = read(TERMWEB.format(needed="No").encode(), "tbx")

    [term] = found.terms
    assert term.do_not_translate
    assert term.texts == (FileText("fr", "Ferry Now"),)
    told = "line 1: translations, in de, of what is not translated: left out"
    assert found.warnings == [told]


@pytest.mark.parametrize(("needed", "kept"), [("yes", False), ("perhaps", None)])
def test_what_is_said_of_the_need_of_a_translation_is_read_or_named(needed, kept):
    found = read(TERMWEB.format(needed=needed).encode(), "tbx")

    assert found.terms[0].do_not_translate is kept
    named = "Translation needed: left out in 1 place"
    assert found.warnings == ([named] if kept is None else [])


def test_what_a_term_has_no_field_for_is_counted_by_kind():
    concept = """<termEntry><transacGrp><transac type="origin">x</transac>
        <date>2024-01-01</date></transacGrp><admin type="source">book</admin>
        <xref type="image" target="a.png"/><descrip type="context"> </descrip>
        <note type="internal">kept</note>
        <langSet xml:lang="en"><ntig><termGrp><term>pier</term>
        <termNote type="partOfSpeech">noun</termNote></termGrp></ntig></langSet>
        </termEntry>"""
    content = f'<martif type="TBX"><text><body>{concept * 2}</body></text></martif>'

    found = read(content.replace("pier", "quay", 1).encode(), "tbx")

    assert [(term.term, term.notes) for term in found.terms] == [
        ("quay", "kept"),
        ("pier", "kept"),
    ]
    kinds = ("origin", "date", "source", "image", "partOfSpeech")
    assert found.warnings == [f"{kind}: left out in 2 places" for kind in kinds]


def test_what_is_no_xml_costs_only_itself_and_is_told():
    content = MARTIF.replace(b"quay", b"qu\x1fay&nbsp;A&B")

    found = read(content, "tbx")

    assert [term.term for term in found.terms] == ["quay\xa0A&B"]
    [told] = found.warnings
    assert told == f"line 1: U+001F: {LEFT_OUT}; &nbsp;: {AS_HTML}; &: {AS_TEXT}"


DCT = b"""<tbx type="TBX-Basic" style="dct" xml:lang="en"
 xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://www.tbxinfo.net/ns/min"
 xmlns:basic="http://www.tbxinfo.net/ns/basic"><text><body><conceptEntry id="c1">
 <min:subjectField>ships</min:subjectField>
 <basic:definition>where ships lie</basic:definition>
 <langSec xml:lang="en"><termSec><term>jetty</term>
  <min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus>
  <min:partOfSpeech>noun</min:partOfSpeech></termSec></langSec>
 <langSec xml:lang="de"><termSec><term>Kai</term>
  <min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus>
  </termSec><termSec><term>Anleger</term></termSec></langSec>
</conceptEntry></body></text></tbx>"""


def test_tbx_that_has_an_element_for_each_category_says_the_same():
    found = read(DCT, "tbx")

    [jetty] = found.terms
    assert found.warnings == [
        "line 3: further translations, in de, were left out",
        "subjectField: left out in 1 place",
        "partOfSpeech: left out in 1 place",
    ]
    assert (jetty.term, jetty.usage_status) == ("jetty", "deprecated")
    assert jetty.notes == "where ships lie"
    assert jetty.texts == (FileText("de", "Anleger"),)


MARTIF = b"""<martif type="TBX"><text><body><termEntry>
<langSet xml:lang="en"><tig><term>quay</term></tig></langSet>
</termEntry></body></text></martif>"""
PUBLIC = b'PUBLIC "ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN"'


@pytest.mark.parametrize(
    "named",
    [
        b'SYSTEM "TBXcoreStructV02.dtd"',
        b'SYSTEM "./TBXBasiccoreStructV02.dtd"',
        b'SYSTEM "https://example.com/TBXcoreStructV02.dtd"',
        b'SYSTEM "TBXcoreStructureDTD-v-1-0.DTD"',
        PUBLIC + b' "TBXcdv04.dtd"',
    ],
)
def test_the_doctypes_that_older_tools_write_are_passed_over(named):
    found = read(b"<!DOCTYPE martif " + named + b">\n" + MARTIF, "tbx")

    assert [term.term for term in found.terms] == ["quay"]


BLANK = b"""<tbx>
<conceptEntry><langSec xml:lang="en"><termSec><term> </term></termSec></langSec>
</conceptEntry></tbx>"""


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (b"", [("line 1", "syntax")]),
        (b"<html/>", [("line 1", "syntax")]),
        (b"<tbx>\n<text>", [("line 2", "syntax")]),
        (b'<!DOCTYPE tbx SYSTEM "file:///etc/passwd"><tbx/>', [("line 1", "doctype")]),
        (b'<!DOCTYPE t [<!ENTITY a "b">]><tbx>&a;</tbx>', [("line 1", "doctype")]),
        (b'<!DOCTYPE martif SYSTEM "x/TBXcdv04.dtd"><a/>', [("line 1", "doctype")]),
        (b'<!DOCTYPE martif SYSTEM "TBXcdv04.dtd" []><a/>', [("line 1", "doctype")]),
        (b'<!DOCTYPE martif PUBLIC "x" "TBXcdv04.dtd"><a/>', [("line 1", "doctype")]),
        (b'<tbx a="' + b"x" * 1_200_000, [("line 1", "length")]),
        (b'<?xml version="1.0" encoding="nope"?><tbx/>', [("line 1", "encoding")]),
        (b"<tbx>" + b"<a>" * 70 + b"</a>" * 70 + b"</tbx>", [("line 1", "depth")]),
        (b'<tbx><termEntry>\n<langSec xml:lang="?"/></termEntry></tbx>',
         [("line 2", "language")]),
        (BLANK, [("line 2", "length")]),
    ],
)  # fmt: skip
def test_every_fault_of_a_tbx_file_is_told_with_its_line(content, faults):
    assert refused(content, "tbx") == faults
