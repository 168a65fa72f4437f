"""Terms as CSV and TBX: written, read back the same, and refused by line."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.errors import UnreadableFile
from locframework.glossaries.csv_file import read_csv, write_csv
from locframework.glossaries.file_records import FileTerm, FileText, ImportResult
from locframework.glossaries.file_rules import Faults, judged, notes_of
from locframework.glossaries.records import Glossary, Term, UsageStatus
from locframework.glossaries.rules import spelling
from locframework.glossaries.tbx_file import write_tbx
from locframework.glossaries.tbx_reading import read_tbx
from locframework.glossaries.term_piles import once, read_terms
from locframework.proposals.records import TermTranslation, TranslationStatus
from locframework.quality.checks.prose import prose

AT = "2026-11-21T00:00:00.000Z"
GLOSSARY = Glossary("g", "g", "Ferry & co", "en", False, (), 0, AT, AT)


class Read(NamedTuple):
    """What an import is made of."""

    terms: list[FileTerm]
    warnings: list[str]


def read(content: bytes, format_: str = "csv") -> Read:
    faults, result, kept = Faults(), ImportResult(), io.BytesIO()
    file = io.BytesIO(content)
    if format_ == "csv":
        said = read_csv(file, faults)
    else:
        said = read_tbx(file, "en", faults, result.warn)
    count = once(judged(said, "en", faults, result, set()), kept, result)
    kept.seek(0)
    terms = list(read_terms(kept))
    assert len(terms) == count
    assert len(result.warnings) == result.warning_count
    return Read(terms, result.warnings)


def refused(content: bytes, format_: str = "csv") -> list[tuple[str, str]]:
    with pytest.raises(UnreadableFile) as caught:
        read(content, format_)
    assert isinstance(caught.value.details, list)
    return [(each.path, each.rule) for each in caught.value.details]


letters = st.one_of(
    st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0"),
    st.sampled_from("=+-@'\"\t\r\n,;<>& \x01%s{}"),
)
texts = st.text(letters, min_size=1, max_size=12).filter(lambda text: text.strip())
statuses = st.sampled_from(["approved", "draft", "pending_review"])
usages = st.sampled_from(["preferred", "deprecated", "forbidden"])


def translation(code: str, value: str, status: TranslationStatus) -> TermTranslation:
    waits = status == "pending_review"
    at = AT if status == "approved" else None
    return TermTranslation(
        code, "" if waits else value, status, at, value if waits else None
    )


def loosely(text: str) -> str:
    return spelling(text, case_sensitive=False)


def csv_of(terms: list[Term]) -> bytes:
    said = [each for term in terms for each in term.translations]
    codes = {each.language_code for each in said}
    drafts = {each.language_code for each in said if each.status == "draft"}
    return b"".join(write_csv(terms, codes, drafts))


@st.composite
def glossary_terms(draw: st.DrawFn) -> list[Term]:
    made = []
    for number, text in enumerate(draw(st.lists(texts, unique_by=loosely))):
        untranslated = draw(st.booleans())
        codes = draw(st.sets(st.sampled_from(["de", "en-GB", "pt-BR", "zh-Hant"])))
        usage: UsageStatus = draw(usages)
        made.append(
            Term(
                id=str(number),
                glossary_id="g",
                term=text,
                do_not_translate=untranslated,
                case_sensitive=draw(st.booleans()),
                usage_status=usage,
                notes=draw(st.none() | texts | st.sampled_from(["", " ", "\t\n"])),
                created_at=AT,
                updated_at=AT,
                translations=tuple(
                    translation(
                        code, text if untranslated else draw(texts), draw(statuses)
                    )
                    for code in sorted(codes)
                ),
            )
        )
    return made


def as_said(term: Term, *, tbx: bool = False) -> FileTerm:
    """What a file must say of a term; where it is, is left open."""
    said = term.do_not_translate
    return FileTerm(
        line=0,
        term=term.term,
        do_not_translate=(said or None) if tbx else said,
        case_sensitive=term.case_sensitive,
        usage_status=term.usage_status,
        notes=notes_of(term.notes),
        texts=tuple(
            FileText(each.language_code, each.value, each.status == "draft")
            for each in term.translations
            if each.value
        ),
    )


def without_lines(found: Read) -> list[FileTerm]:
    never_found = [each for each in found.terms if prose(each.term) != each.term]
    assert len(found.warnings) == len(never_found)
    assert all("is found in no text" in each for each in found.warnings)
    return [FileTerm(0, *_rest(each)) for each in found.terms]


def _rest(each: FileTerm) -> tuple[object, ...]:
    return tuple(getattr(each, name) for name in FileTerm.__struct_fields__[1:])


@given(glossary_terms())
def test_csv_is_read_as_it_was_written(terms: list[Term]) -> None:
    content = csv_of(terms)

    assert without_lines(read(content)) == [as_said(term) for term in terms]
    assert csv_of(terms) == content


def test_files_are_written_as_the_terms_come() -> None:
    def endless() -> Iterator[Term]:
        while True:
            yield Term("1", "g", "pier", False, False, "preferred", None, AT, AT, ())

    csv = islice(write_csv(endless(), ["de"], []), 3)
    tbx = islice(write_tbx(GLOSSARY, endless()), 3)

    assert b"".join(csv).count(b"pier") == b"".join(tbx).count(b"pier") == 2


@given(glossary_terms())
def test_tbx_is_read_as_it_was_written(terms: list[Term]) -> None:
    content = b"".join(write_tbx(GLOSSARY, terms))

    found = judged_terms(content)
    assert found == [as_said(term, tbx=True) for term in map(in_xml, terms) if term]


def judged_terms(content: bytes) -> list[FileTerm]:
    """What is read of TBX; terms that differ in what XML cannot hold are one."""
    faults, result = Faults(), ImportResult()
    said = read_tbx(io.BytesIO(content), "en", faults, result.warn)
    terms = list(judged(said, "en", faults, result, set()))
    return without_lines(Read(terms, result.warnings))


def in_xml(term: Term) -> Term | None:
    """What of a term XML can hold; None: nothing."""

    def kept(text: str) -> str:
        return re.sub(
            "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text
        )

    texts = [replace(each, value=kept(each.value)) for each in term.translations]
    made = replace(
        term,
        term=kept(term.term),
        notes=kept(term.notes or ""),
        translations=tuple(each for each in texts if each.value.strip()),
    )
    return made if made.term.strip() else None


def test_a_translation_that_is_blank_in_tbx_is_not_written() -> None:
    said = (translation("de", "\x0b \uffff", "approved"),)
    term = Term("t", "g", "pay", False, False, "preferred", None, AT, AT, said)

    written = b"".join(write_tbx(GLOSSARY, [term])).decode()

    assert "<term>pay</term>" in written
    assert 'xml:lang="de"' not in written


def test_notes_and_definitions_in_tbx_are_the_notes_of_a_term() -> None:
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
    assert found.warnings == [told]


def test_definitions_that_are_too_long_for_notes_are_left_out_and_told() -> None:
    long = b'<descrip type="definition">' + b"x" * 1500 + b"</descrip>"
    content = (
        b"<tbx><text><body><conceptEntry>" + long * 2 + b'<langSec xml:lang="en">'
        b"<termSec><term>pier</term></termSec></langSec></conceptEntry></body></text></tbx>"
    )

    found = read(content, "tbx")

    assert (len(found.terms[0].notes or ""), len(found.warnings)) == (1500, 1)


def test_no_cell_that_a_spreadsheet_reads_is_a_formula() -> None:
    term = Term(
        "t", "g", "=1+1", False, False, "preferred", "@SUM(A1)", AT, AT,
        (TermTranslation("de", "-2+3", "approved", AT, None),),
    )  # fmt: skip

    row = csv_of([term]).decode("utf-8-sig").splitlines()[1]

    assert row == "'=1+1,false,false,preferred,'@SUM(A1),'-2+3"


def test_csv_of_others_is_read_too() -> None:
    content = (
        b"de;Term;USAGESTATUS;pt_br:status;pt-BR\r\n"
        b"Pier;pier;Forbidden;draft;cais\r\n"
        b";;;;\r\n"
        b"'tis;quay;;;\r\n"
    )

    [pier, quay] = read(content).terms

    assert pier == FileTerm(
        2,
        "pier",
        usage_status="forbidden",
        texts=(FileText("de", "Pier"), FileText("pt-BR", "cais", is_draft=True)),
    )
    assert (quay.line, quay.texts) == (4, (FileText("de", "'tis"),))


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (b"", [("line 1", "column")]),
        (b"name,de\n", [("line 1", "column")] * 2),
        (b"term,de,DE\n", [("line 1", "column")]),
        (b"term\n\xff", [("line 2", "encoding")]),
        (b'term\n"a', [("line 2", "syntax")]),
        (b'term,de\n,x\n"a', [("line 2", "length"), ("line 3", "syntax")]),
        (b"term,de\n,x\n", [("line 2", "length")]),
        (b"term\na\nb,c\n", [("line 3", "column")]),
        (b"term\na\0\n", [("line 2", "character")]),
        (b'term,de\n"a\nb",\n' + b"x" * 501 + b"," + b"y" * 2001,
         [("line 4", "length"), ("line 4", "length")]),
        (b"term,caseSensitive,usageStatus,de:status,de\na,maybe,old,new,x\n",
         [("line 2", "type"), ("line 2", "enum"), ("line 2", "enum")]),
        (b"term,doNotTranslate,de\na,true,b\n", [("line 2", "translation")]),
    ],
)  # fmt: skip
def test_every_fault_of_a_csv_file_is_told_with_its_line(
    content: bytes, faults: list[tuple[str, str]]
) -> None:
    assert refused(content) == faults


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


def test_older_tbx_with_several_terms_of_one_concept_is_read() -> None:
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
    assert found.warnings == ["line 14: the concept has no term in en and was left out"]


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
def test_the_doctypes_that_older_tools_write_are_passed_over(named: bytes) -> None:
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
        (b'<!DOCTYPE martif SYSTEM "TBXcdv04.dtd"><a>&b;</a>', [("line 1", "entity")]),
        (b'<tbx a="' + b"x" * 1_200_000, [("line 1", "length")]),
        (b"<tbx>&a;</tbx>", [("line 1", "syntax")]),
        (b'<?xml version="1.0" encoding="nope"?><tbx/>', [("line 1", "encoding")]),
        (b"<tbx>" + b"<a>" * 70 + b"</a>" * 70 + b"</tbx>", [("line 1", "depth")]),
        (b'<tbx>\n<langSec xml:lang="?"/></tbx>', [("line 2", "language")]),
        (BLANK, [("line 2", "length")]),
    ],
)  # fmt: skip
def test_every_fault_of_a_tbx_file_is_told_with_its_line(
    content: bytes, faults: list[tuple[str, str]]
) -> None:
    assert refused(content, "tbx") == faults


def test_what_a_file_says_twice_of_a_term_is_taken_together() -> None:
    content = (
        "term,caseSensitive,usageStatus,notes,doNotTranslate,de,fr\n"
        "save,,,,,Sichern,\n"
        "lock,,,,,Schleuse,\n"
        "Lock,,forbidden,of doors,true,,\n"
        "LOCK,,,of canals,,Schloss,serrure\n"
        "Lock,yes,,,,,verrou\n"
    )

    found = read(content.encode())

    assert [(t.line, t.term, t.usage_status, t.notes) for t in found.terms] == [
        (2, "save", None, None),
        (3, "lock", "forbidden", "of doors"),
        (6, "Lock", None, None),
    ]
    assert found.terms[1].do_not_translate is None
    assert found.terms[1].texts == (
        FileText("de", "Schleuse"),
        FileText("fr", "serrure"),
    )
    assert found.warnings == [
        "line 4: 'Lock' is in line 3 too, which counts for doNotTranslate",
        "line 5: 'LOCK' is in line 3 too, which counts for de, notes",
    ]


def test_what_stays_untranslated_stays_so_wherever_else_the_file_names_it() -> None:
    content = b"term,doNotTranslate,de\nSkerry,yes,\nskerry,,Klippe\n"

    [skerry] = read(content).terms

    assert (skerry.do_not_translate, skerry.texts) == (True, ())


HOMONYMS = b"""<tbx><text><body>
<conceptEntry><langSec xml:lang="en"><termSec><term>t3</term></termSec><termSec>\
<term>T3</term></termSec></langSec><langSec xml:lang="de"><termSec><term>a</term>\
</termSec></langSec></conceptEntry><conceptEntry><langSec xml:lang="en"><termSec>\
<term>t3</term></termSec></langSec><langSec xml:lang="de"><termSec><term>b</term>\
</termSec></langSec></conceptEntry>
</body></text></tbx>"""


def test_homonyms_of_a_line_are_one_term() -> None:
    found = read(HOMONYMS, "tbx")

    assert [(t.term, t.texts) for t in found.terms] == [("t3", (FileText("de", "a"),))]
    assert found.warnings == [
        "line 2: 'T3' is in line 2 too",
        "line 2: 't3' is in line 2 too, which counts for de",
    ]


def test_what_terms_are_in_their_own_language_is_left_out() -> None:
    found = read(b"term,en,en-GB\ncolor,colour,colour\npier,pier,\n")

    assert [t.texts for t in found.terms] == [(FileText("en-GB", "colour"),), ()]
    assert found.warnings == ["left out 2 translations into en, which the terms are in"]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_file_does_more_than_be_refused(content: bytes) -> None:
    for format_ in ("csv", "tbx"):
        with suppress(UnreadableFile):
            read(content, format_)
