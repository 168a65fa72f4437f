"""Terms as TBX-Basic (ISO 30042), which terminology tools exchange.

Written as of 2019 (``tbx``, style dca); read also in the style dct and in the older
form (``martif``). What TBX cannot express is written as termNotes whose type begins
with ``x-locframework-``; other tools ignore them.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from locframework.errors import UnreadableFile
from locframework.file_import.problems import Problems
from locframework.file_import.xml_file import (
    Element,
    OwnDoctype,
    element_text,
    is_blank_in_xml,
    read_elements,
)
from locframework.languages import canonical_tag

from .records import NOTES_MOST, FileTerm, FileText, Glossary, Term, UsageStatus

CONTENT_TYPE = "application/x-tbx+xml"
OWN = "x-locframework-"
NAMED_LIMIT = 20  # languages in a warning
_STATUSES = {
    "preferred": "preferredTerm-admn-sts",
    "deprecated": "deprecatedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}
_SPACE = "urn:iso:std:iso:30042:ed-2"

_CONCEPTS = ("conceptEntry", "termEntry")
_SECTIONS = ("langSec", "langSet")
_SPELLINGS = ("termSec", "tig", "ntig")
_DESCRIPTIONS = ("definition", "explanation")  # kept as notes, which we have alone
_STATUS = "administrativeStatus"
_FORBIDDEN = "forbidden"  # as MultiTerm and others have it; not of the standard
_DEPRECATED = {
    "deprecatedTerm-admn-sts",
    "supersededTerm-admn-sts",
    "deprecatedTerm",
    "supersededTerm",
    "notRecommended",
    _FORBIDDEN,
}
_STRUCTURES = r"TBX(cdv04|(Basic)?coreStructV02|coreStructureDTD-v-1-0)\.(dtd|DTD)"
_DOCTYPE = OwnDoctype(
    root="martif",
    public="ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN",
    system=re.compile(rf"(\./|https?://[\w./-]*/)?{_STRUCTURES}"),
    label="TBXcoreStructV02.dtd and the like",
)


def write_tbx(glossary: Glossary, terms: Iterable[Term]) -> Iterator[bytes]:
    """Write the terms with approved translations and drafts; no proposals.

    Characters that XML cannot hold (control characters) are left out, and so are terms
    and translations that have no others. The same terms give the same bytes.
    """
    language = quoteattr(glossary.source_language)
    yield _lines(
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<tbx type="TBX-Basic" style="dca" xml:lang={language} xmlns="{_SPACE}">',
        "<tbxHeader><fileDesc>",
        f"<titleStmt><title>{element_text(glossary.name)}</title></titleStmt>",
        "<sourceDesc><p>A glossary, exported</p></sourceDesc>",
        "</fileDesc></tbxHeader>",
        "<text><body>",
    )
    for term in terms:
        yield _lines(*_concept(glossary, term))
    yield _lines("</body></text>", "</tbx>")


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _concept(glossary: Glossary, term: Term) -> Iterable[str]:
    if is_blank_in_xml(term.term):
        return
    yield f'<conceptEntry id="c{term.id}">'
    if term.notes:
        yield f"<note>{element_text(term.notes)}</note>"
    flags = {_STATUS: _STATUSES[term.usage_status]}
    if term.usage_status == "forbidden":
        flags[f"{OWN}usageStatus"] = "forbidden"
    if term.do_not_translate:
        flags[f"{OWN}doNotTranslate"] = "true"
    if term.case_sensitive:
        flags[f"{OWN}caseSensitive"] = "true"
    yield from _section(glossary.source_language, term.term, flags)
    for each in term.translations:
        if not is_blank_in_xml(each.value):
            is_draft = each.status == "draft"
            flags = {f"{OWN}status": "draft"} if is_draft else {}
            if each.language_code == glossary.source_language:
                flags[f"{OWN}translation"] = "true"
            yield from _section(each.language_code, each.value, flags)
    yield "</conceptEntry>"


def _section(language_code: str, text: str, flags: dict[str, str]) -> Iterable[str]:
    notes = "".join(
        f"<termNote type={quoteattr(type_)}>{element_text(value)}</termNote>"
        for type_, value in flags.items()
    )
    yield f"<langSec xml:lang={quoteattr(language_code)}>"
    yield f"<termSec><term>{element_text(text)}</term>{notes}</termSec></langSec>"


class _Spelling(Struct):
    """A term of a concept, in one of possibly several languages."""

    line: int
    language_code: str
    text: str
    notes: dict[str, str]  # termNotes, by type

    @property
    def is_deprecated(self) -> bool:
        return self.notes.get(_STATUS, "") in _DEPRECATED

    @property
    def usage_status(self) -> UsageStatus | None:
        status = self.notes.get(_STATUS)
        if self.notes.get(f"{OWN}usageStatus") == "forbidden" or status == _FORBIDDEN:
            return "forbidden"
        if status is None:
            return None
        return "deprecated" if self.is_deprecated else "preferred"


def read_tbx(
    file: BinaryIO,
    source_language: str,
    problems: Problems,
    warn: Callable[[str], None],
) -> Iterator[FileTerm]:
    """Yield the terms of a file, in its order: each in the source language, with one
    translation for every other language of its concept.

    Of several in one language the first that is not deprecated is the translation.
    Notes and definitions, of a concept or in its source language, are its notes. A
    concept without a term in the source language is left out, and so are further
    translations, and notes in others or beyond 2,000 characters, with a warning. Raises
    UnreadableFile.
    """
    roots = ("tbx", "martif")
    try:
        for concept in read_elements(file, "TBX", _DOCTYPE, roots, *_CONCEPTS):
            yield from _terms(concept, source_language, problems, warn)
    except UnreadableFile as refusal:
        problems.add_refusal(refusal)
    problems.raise_any()


def _terms(
    concept: Element,
    source_language: str,
    problems: Problems,
    warn: Callable[[str], None],
) -> Iterator[FileTerm]:
    spellings: list[_Spelling] = []
    notes = list(_notes(concept, None))
    for section in concept.descendants(*_SECTIONS):
        code = canonical_tag(section.attributes.get("xml:lang", ""))
        if code is None:
            message = "the language is not a BCP-47 language tag"
            problems.add(section.line, "language", message)
            continue
        notes += _notes(section, code)
        spellings += (
            _spelling(each, code) for each in section.descendants(*_SPELLINGS)
        )
    own = _in_source(spellings, source_language)
    kept, left_out = _kept_notes(notes, source_language)
    texts, further = _texts(spellings, own)
    for each in own:
        yield FileTerm(
            line=each.line,
            term=each.text,
            do_not_translate=each.notes.get(f"{OWN}doNotTranslate") == "true" or None,
            case_sensitive=each.notes.get(f"{OWN}caseSensitive") == "true",
            usage_status=each.usage_status,
            notes=kept,
            texts=texts,
        )
    where = f"line {concept.line}:"
    if not own:
        warn(f"{where} the concept has no term in {source_language} and was left out")
        return
    if further:
        named = ", ".join(further[:NAMED_LIMIT])
        more = " and others" if len(further) > NAMED_LIMIT else ""
        warn(f"{where} further translations, in {named}{more}, were left out")
    if left_out:
        reason = "in other languages or too long, were left out"
        warn(f"{where} {left_out} of its notes, {reason}")


def _spelling(element: Element, language_code: str) -> _Spelling:
    notes = {
        each.attributes.get("type", ""): each.text().strip()
        for each in element.descendants("termNote")
    }
    for each in element.descendants(_STATUS):  # style dct
        notes[_STATUS] = each.text().strip()
    text = "".join(each.text() for each in element.descendants("term"))
    return _Spelling(element.line, language_code, text, notes)


def _notes(element: Element, code: str | None) -> Iterator[tuple[str | None, str]]:
    """Yield the notes and definitions in an element, but not those in its sections."""
    names = ("note", "descrip", *_DESCRIPTIONS)
    for each in element.descendants(*names, "termNote", *_SECTIONS):
        type_ = each.attributes.get("type") if each.name == "descrip" else each.name
        if type_ in ("note", *_DESCRIPTIONS) and each.text().strip():
            yield code, each.text()


def _kept_notes(
    notes: Iterable[tuple[str | None, str]], source_language: str
) -> tuple[str | None, int]:
    """Return the notes of a concept's terms, and how many of them are left out."""
    kept: list[str] = []
    left_out = 0
    for code, text in notes:
        is_ours = code is None or _base(code) == _base(source_language)
        if is_ours and len("\n".join((*kept, text))) <= NOTES_MOST:
            kept.append(text)
        else:
            left_out += 1
    return "\n".join(kept) or None, left_out


def _texts(
    spellings: Iterable[_Spelling], own: list[_Spelling]
) -> tuple[tuple[FileText, ...], list[str]]:
    """Return the translations by language, and the languages that have others too."""
    taken = {id(each) for each in own}
    others = [each for each in spellings if id(each) not in taken and each.text.strip()]
    texts: dict[str, FileText] = {}
    further: set[str] = set()
    for each in sorted(others, key=lambda other: other.is_deprecated):
        # one that is not to be used is not to be demanded
        is_draft = each.notes.get(f"{OWN}status") == "draft" or each.is_deprecated
        text = FileText(each.language_code, each.text, is_draft)
        if texts.setdefault(each.language_code, text).value != each.text:
            further.add(each.language_code)
    return tuple(texts[code] for code in sorted(texts)), sorted(further)


def _in_source(spellings: list[_Spelling], source_language: str) -> list[_Spelling]:
    """Return the terms in the source language, else those that differ in region only:
    ``en`` for ``en-GB``, and the other way round."""
    terms = [each for each in spellings if f"{OWN}translation" not in each.notes]
    exact = [each for each in terms if each.language_code == source_language]
    base = _base(source_language)
    near = [each for each in terms if _base(each.language_code) == base]
    return exact or near


def _base(language_code: str) -> str:
    return language_code.partition("-")[0]
