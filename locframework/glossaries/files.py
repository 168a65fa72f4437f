"""Files of terms: CSV, and TBX-Basic (ISO 30042), which terminology tools exchange.

TBX is written as of 2019 (``tbx``, style dca), and read also in the style dct and in
the older form (``martif``). What TBX cannot express is written as termNotes whose type
begins with ``x-locframework-``; other tools ignore them.

CSV has a row for each term, with our own columns and one for each language:
``term,notes,de,fr,fr:status``.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import BinaryIO, get_args
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from locframework.errors import UnreadableFile, abbreviate
from locframework.file_import.csv_table import read_table, write_rows
from locframework.file_import.problems import LeftOut, Problems
from locframework.file_import.xml_file import (
    Element,
    OwnDoctype,
    element_text,
    is_blank_in_xml,
    read_elements,
)
from locframework.languages import canonical_tag, same_language

from .records import NOTES_LIMIT, FileTerm, FileText, Glossary, Term, UsageStatus

TBX_TYPE = "application/x-tbx+xml"
OWN = "x-locframework-"
_STATUSES = {
    "preferred": "preferredTerm-admn-sts",
    "deprecated": "deprecatedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}
_SPACE = "urn:iso:std:iso:30042:ed-2"

_CONCEPTS = ("conceptEntry", "termEntry")
_SECTIONS = ("langSec", "langSet")
_SPELLINGS = ("termSec", "tig", "ntig")
# categories by their letters: those kept as notes, which we have alone
_NOTES = ("note", "definition", "explanation", "usagenote")
_NEEDED = "translationneeded"
_STATUS = "administrativeStatus"
_AUTHORIZATION = "normativeAuthorization"
_USAGE = (_STATUS, _AUTHORIZATION)
_AVOIDED = ("deprecated", "superseded", "obsolete", "rejected", "notrecommended")
_USAGES: dict[str, UsageStatus] = {
    **dict.fromkeys(("preferred", "admitted", "approved", "standardized"), "preferred"),
    **dict.fromkeys(_AVOIDED, "deprecated"),
    **dict.fromkeys(("forbidden", "prohibited", "donotuse"), "forbidden"),
}  # by how the standard, MultiTerm, TermWeb and others spell it, letters alone
_OTHER = re.compile("[^a-z]")
_STRUCTURES = r"TBX(cdv04|(Basic)?coreStructV02|coreStructureDTD-v-1-0)\.(dtd|DTD)"
_DOCTYPE = OwnDoctype(
    root="martif",
    public="ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN",
    system=re.compile(rf"(\./|https?://[\w./-]*/)?{_STRUCTURES}"),
    label="TBXcoreStructV02.dtd and the like",
)


def write_tbx(glossary: Glossary, terms: Iterable[Term]) -> Iterator[bytes]:
    """Write the terms with approved translations and drafts; no proposals. Characters
    that XML cannot hold (control characters) are left out, and so are terms and
    translations that have no others. The same terms give the same bytes."""
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
    line: int
    language_code: str
    text: str
    notes: dict[str, str]  # termNotes, by type

    @property
    def status(self) -> str:
        return self.notes.get(_STATUS) or self.notes.get(_AUTHORIZATION, "")

    @property
    def usage_status(self) -> UsageStatus | None:
        """None without a status, or with one that is not known."""
        if self.notes.get(f"{OWN}usageStatus") == "forbidden":
            return "forbidden"
        letters = _letters(self.status.lower().removesuffix("-admn-sts"))
        return _USAGES.get(letters.removesuffix("term"))

    @property
    def is_draft(self) -> bool:
        """Whether it is not, or perhaps not, to be used, so that nothing demands it."""
        is_marked = self.notes.get(f"{OWN}status") == "draft"
        return is_marked or bool(self.status and self.usage_status != "preferred")


class _Concept(Struct):
    spellings: list[_Spelling] = []
    notes: list[str] = []
    notes_left_out: int = 0
    do_not_translate: bool | None = None


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
    translations, those of a term that is not translated, notes in others or beyond
    2,000 characters, and what a term has no field for, with a warning. Raises
    UnreadableFile.
    """
    roots, no_place = ("tbx", "martif"), LeftOut()
    try:
        for concept in read_elements(file, "TBX", _DOCTYPE, roots, *_CONCEPTS):
            yield from _terms(concept, source_language, problems, warn, no_place)
    except UnreadableFile as refusal:
        problems.add_refusal(refusal)
    problems.raise_any()
    for warning in no_place.warnings():
        warn(warning)


def _terms(
    concept: Element,
    source_language: str,
    problems: Problems,
    warn: Callable[[str], None],
    no_place: LeftOut,
) -> Iterator[FileTerm]:
    said = _read(concept, source_language, problems, no_place)
    # terms are in the source language, else in those that differ in region only
    codes = {each.language_code for each in said.spellings}
    codes = {source_language} & codes or {
        each for each in codes if same_language(each, source_language)
    }
    own = [each for each in said.spellings if each.language_code in codes]
    others = [each for each in said.spellings if each.language_code not in codes]
    texts: dict[str, FileText] = {}
    further: set[str] = set()  # languages with other translations
    for other in sorted(others, key=lambda each: each.is_draft):
        if not other.text.strip():
            continue
        text = FileText(other.language_code, other.text, other.is_draft)
        if texts.setdefault(other.language_code, text).value != other.text:
            further.add(other.language_code)
    untranslated: set[str] = set()  # languages with other texts than the term
    for each in own:
        do_not_translate = said.do_not_translate
        if each.notes.get(f"{OWN}doNotTranslate") == "true":
            do_not_translate = True
        kept = [texts[code] for code in sorted(texts)]
        if do_not_translate:
            kept = [text for text in kept if text.value == each.text]
            untranslated |= texts.keys() - {text.language_code for text in kept}
        yield FileTerm(
            line=each.line,
            term=each.text,
            do_not_translate=do_not_translate,
            case_sensitive=each.notes.get(f"{OWN}caseSensitive") == "true",
            usage_status=each.usage_status,
            notes="\n".join(said.notes) or None,
            texts=tuple(kept),
        )
    where = f"line {concept.line}:"
    if concept.mended:
        warn(f"{where} {concept.mended}")
    if not own:
        warn(f"{where} the concept has no term in {source_language} and was left out")
        return
    if further:
        named = ", ".join(sorted(further))
        warn(f"{where} further translations, in {named}, were left out")
    if said.notes_left_out:
        reason = "in other languages or too long, were left out"
        warn(f"{where} {said.notes_left_out} of its notes, {reason}")
    if untranslated:
        named = ", ".join(sorted(untranslated))
        warn(f"{where} translations, in {named}, of what is not translated: left out")
    unknown = {each.status for each in said.spellings if not each.usage_status} - {""}
    if unknown:
        named = ", ".join(sorted(unknown))
        warn(f"{where} {named} is no known status; translations with it are drafts")


def _read(
    concept: Element, source_language: str, problems: Problems, no_place: LeftOut
) -> _Concept:
    said = _Concept()
    for section in (concept, *concept.descendants(*_SECTIONS)):
        given = section.attributes.get("xml:lang", "")
        code = source_language if section is concept else canonical_tag(given)
        if code is None:
            message = "the language is not a BCP-47 language tag"
            problems.add(section.line, "language", message)
            continue
        is_ours = same_language(code, source_language)
        spelled = [] if section is concept else section.descendants(*_SPELLINGS)
        for part in (section, *spelled):
            flags: dict[str, str] = {}
            for category, text in _details(part):
                letters, value = _letters(category), text.strip()
                if letters in _NOTES:
                    if is_ours and len("\n".join((*said.notes, text))) <= NOTES_LIMIT:
                        said.notes.append(text)
                    else:
                        said.notes_left_out += 1
                elif letters == _NEEDED and value.lower() in (*_YES, *_NO):
                    said.do_not_translate = value.lower() in _NO
                elif part is not section and category.startswith((OWN, *_USAGE)):
                    flags[category] = value
                else:
                    no_place.add([abbreviate(category)])
            if part is not section:
                term = "".join(each.text() for each in part.descendants("term"))
                said.spellings.append(_Spelling(part.line, code, term, flags))
    return said


def _letters(text: str) -> str:
    return _OTHER.sub("", text.lower())


def _details(element: Element) -> Iterator[tuple[str, str]]:
    """Yield what is said of a concept, language or term: the category and the text.
    Style dca has the category in ``type``, dct as the name of the element."""
    for each in element.children:
        if isinstance(each, str) or each.name in ("term", *_SECTIONS, *_SPELLINGS):
            continue
        if each.name.endswith("Grp"):
            yield from _details(each)
        elif (text := each.text()).strip() or "target" in each.attributes:
            is_note = each.name == "note"
            category = each.attributes.get("type", each.name)
            yield each.name if is_note else category, text


CSV_TYPE = "text/csv; charset=utf-8"
STATUS_COLUMN = ":status"  # of a language's column: approved or draft

_OWN = ("term", "doNotTranslate", "caseSensitive", "usageStatus", "notes")
_BY_NAME = {name.lower(): name for name in _OWN}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")


def write_csv(
    terms: Iterable[Term], codes: Iterable[str], drafts: Collection[str]
) -> Iterator[bytes]:
    """Write the terms with approved translations and drafts; no proposals. ``codes``
    are the languages of their translations, ``drafts`` those in which some are drafts.
    The same terms give the same bytes."""
    columns = [
        name
        for code in sorted(codes)
        for name in ((code, code + STATUS_COLUMN) if code in drafts else (code,))
    ]
    return write_rows(_csv_rows(terms, columns))


def _csv_rows(terms: Iterable[Term], columns: Sequence[str]) -> Iterator[Sequence[str]]:
    yield *_OWN, *columns
    for term in terms:
        texts = {each.language_code: each for each in term.translations}
        row = [
            term.term,
            "true" if term.do_not_translate else "false",
            "true" if term.case_sensitive else "false",
            term.usage_status,
            term.notes or "",
        ]
        for name in columns:
            text = texts.get(name.removesuffix(STATUS_COLUMN))
            if name.endswith(STATUS_COLUMN):
                row.append("draft" if text and text.status == "draft" else "")
            else:
                row.append(text.value if text else "")
        yield row


def read_csv(file: BinaryIO, problems: Problems) -> Iterator[FileTerm]:
    """Yield the terms of a file; an empty cell leaves a field unset. What is wrong with
    a line is added to ``problems``. Raises UnreadableFile."""
    try:
        for line, cells, has_surplus in read_table(file, _column_of, _problem_of):
            if has_surplus:
                problems.add(line, "column", "there are more cells than columns")
            yield _term_of_row(line, cells, problems)
    except UnreadableFile as refusal:
        problems.add_refusal(refusal)
    problems.raise_any()


def _problem_of(columns: list[str]) -> str | None:
    return None if "term" in columns else "there is no column 'term'"


def _column_of(name: str) -> str | None:
    """Return one of our own columns, or a language with or without ``:status``."""
    code, _, kind = name.partition(":")
    tag = canonical_tag(code) if kind.lower() in ("", "status") else None
    if tag is not None and kind:
        tag += STATUS_COLUMN
    return _BY_NAME.get(name.lower(), tag)


def _term_of_row(line: int, cells: dict[str, str], problems: Problems) -> FileTerm:
    def flag(name: str) -> bool | None:
        cell = cells.pop(name, "")
        value = cell.strip().lower()
        if value not in (*_YES, *_NO):
            problems.add(line, "type", f"{name} is neither true nor false")
        return value in _YES if cell else None

    do_not_translate, case_sensitive = flag("doNotTranslate"), flag("caseSensitive")
    usage: UsageStatus | None = None
    if status := cells.pop("usageStatus", "").strip().lower():
        known = get_args(UsageStatus)
        usage = next((each for each in known if each == status), None)
        if usage is None:
            message = f"usageStatus is not one of {', '.join(known)}"
            problems.add(line, "enum", message)
    term, notes = cells.pop("term", ""), cells.pop("notes", "") or None
    texts: list[FileText] = []
    for code, cell in cells.items():
        if code.endswith(STATUS_COLUMN) or not cell:
            continue
        status = cells.get(code + STATUS_COLUMN, "").strip().lower()
        if status not in ("", "approved", "draft"):
            message = f"{code}{STATUS_COLUMN} is neither approved nor draft"
            problems.add(line, "enum", message)
        texts.append(FileText(code, cell, status == "draft"))
    return FileTerm(
        line=line,
        term=term,
        do_not_translate=do_not_translate,
        case_sensitive=case_sensitive or False,
        usage_status=usage,
        notes=notes,
        texts=tuple(texts),
    )
