"""Terms as CSV and TBX: written, read back the same, and refused by line."""

import io
import re
from contextlib import suppress
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.errors import UnreadableFile
from locframework.file_import.problems import Problems
from locframework.glossaries.files import read_tbx, write_csv, write_tbx
from locframework.glossaries.records import FileTerm, FileText, Term
from locframework.glossaries.terms import spelling
from locframework.proposals.records import TermTranslation
from locframework.quality.scanning import prose

from .reading import AT, GLOSSARY, read, refused, translation

letters = st.one_of(
    st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0"),
    st.sampled_from("=+-@'\"\t\r\n,;<>& \x01%s{}"),
)
texts = st.text(letters, min_size=1, max_size=12).filter(lambda text: text.strip())
statuses = st.sampled_from(["approved", "draft", "pending_review"])
usages = st.sampled_from(["preferred", "deprecated", "forbidden"])


def loosely(text):
    return spelling(text, case_sensitive=False)


def csv_of(terms):
    said = [each for term in terms for each in term.translations]
    codes = {each.language_code for each in said}
    drafts = {each.language_code for each in said if each.status == "draft"}
    return b"".join(write_csv(terms, codes, drafts))


@st.composite
def glossary_terms(draw):
    made = []
    for number, text in enumerate(draw(st.lists(texts, unique_by=loosely))):
        untranslated = draw(st.booleans())
        codes = draw(st.sets(st.sampled_from(["de", "en-GB", "pt-BR", "zh-Hant"])))
        usage = draw(usages)
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


def as_said(term, *, tbx=False):
    """What a file must say of a term; where it is, is left open."""
    said = term.do_not_translate
    return FileTerm(
        line=0,
        term=term.term,
        do_not_translate=(said or None) if tbx else said,
        case_sensitive=term.case_sensitive,
        usage_status=term.usage_status,
        notes=term.notes if (term.notes or "").strip() else None,
        texts=tuple(
            FileText(each.language_code, each.value, each.status == "draft")
            for each in term.translations
            if each.value
        ),
    )


def without_lines(found):
    never_found = [each for each in found.terms if prose(each.term) != each.term]
    assert len(found.warnings) == len(never_found)
    assert all("is never found in a text" in each for each in found.warnings)
    return [FileTerm(0, *_rest(each)) for each in found.terms]


def _rest(each):
    return tuple(getattr(each, name) for name in FileTerm.__struct_fields__[1:])


@given(glossary_terms())
def test_csv_is_read_as_it_was_written(terms):
    content = csv_of(terms)

    assert without_lines(read(content)) == [as_said(term) for term in terms]
    assert csv_of(terms) == content


def test_files_are_written_as_the_terms_come():
    def endless():
        while True:
            yield Term("1", "g", "pier", False, False, "preferred", None, AT, AT, ())

    csv = islice(write_csv(endless(), ["de"], []), 3)
    tbx = islice(write_tbx(GLOSSARY, endless()), 3)

    assert b"".join(csv).count(b"pier") == b"".join(tbx).count(b"pier") == 2


# nothing but white space, without what XML cannot hold
BLANK = Term("1", "g", "\r\x08", False, False, "preferred", None, AT, AT, ())


@example([BLANK])
@given(glossary_terms())
def test_tbx_is_read_as_it_was_written(terms):
    content = b"".join(write_tbx(GLOSSARY, terms))

    read_terms = read_tbx(io.BytesIO(content), "en", Problems(), lambda _: None)
    found = [FileTerm(0, *_rest(each)) for each in read_terms]
    assert found == [as_said(term, tbx=True) for term in map(in_xml, terms) if term]


def in_xml(term):
    """What of a term XML can hold; None: nothing."""

    def kept(text):
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


def test_no_cell_that_a_spreadsheet_reads_is_a_formula():
    term = Term(
        "t", "g", "=1+1", False, False, "preferred", "@SUM(A1)", AT, AT,
        (TermTranslation("de", "-2+3", "approved", AT, None),),
    )  # fmt: skip

    row = csv_of([term]).decode("utf-8-sig").splitlines()[1]

    assert row == "'=1+1,false,false,preferred,'@SUM(A1),'-2+3"


def test_csv_of_others_is_read_too():
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
        (b'term,de\n"a\nb",\n' + b"x" * 501 + b"," + b"y" * 2001,
         [("line 4", "length"), ("line 4", "length")]),
        (b"term,caseSensitive,usageStatus,de:status,de\na,maybe,old,new,x\n",
         [("line 2", "type"), ("line 2", "enum"), ("line 2", "enum")]),
        (b"term,doNotTranslate,de\na,true,b\n", [("line 2", "translation")]),
        (b"sep=|\nname|de\n", [("line 2", "column")] * 2),
    ],
)  # fmt: skip
def test_every_fault_of_a_csv_file_is_told_with_its_line(content, faults):
    assert refused(content) == faults


def test_a_text_that_cannot_be_stored_costs_only_that_text_and_is_told():
    rows = b"a\0,x,n\nb,y\0,n\nc,z,n\0\nd,u,n\n"

    found = read(b"term,de,notes\n" + rows)

    assert [
        (term.term, term.notes, [text.value for text in term.texts])
        for term in found.terms
    ] == [("b", "n", []), ("c", None, ["z"]), ("d", "n", ["u"])]
    reason = "is left out: it holds U+0000 or a lone surrogate"
    assert found.warnings == [
        f"line 2: the term {reason}",
        f"line 3: the translation into de {reason}",
        f"line 4: the note {reason}",
    ]


def test_of_a_term_that_a_file_has_twice_the_first_is_imported():
    content = (
        "term,caseSensitive,usageStatus,de,fr\n"
        "save,,,Sichern,\n"
        "lock,,,Schleuse,\n"
        "LOCK,,forbidden,Schloss,serrure\n"
        "Lock,yes,,,verrou\n"
    )

    found = read(content.encode())

    assert [(each.line, each.term) for each in found.terms] == [
        (2, "save"),
        (3, "lock"),
        (5, "Lock"),
    ]
    assert found.terms[1].texts == (FileText("de", "Schleuse"),)
    assert found.warnings == ["line 4: 'LOCK' is also in line 3"]


def test_what_terms_are_in_their_own_language_is_left_out():
    found = read(b"term,en,en-GB\ncolor,colour,colour\npier,pier,\n")

    assert found.warnings == [
        "left out 2 translations into en, the language of the terms"
    ]
    found = read(b"term,en\ncolor,colour\n")
    assert found.warnings == [
        "left out 1 translation into en, the language of the terms"
    ]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_file_does_more_than_be_refused(content):
    for format_ in ("csv", "tbx"):
        with suppress(UnreadableFile):
            read(content, format_)
