"""Reads TBX: that of 2019 (conceptEntry, langSec; styles dca and dct) and the older
(termEntry, langSet).

What is refused of XML: xml_reading.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from locframework.file_import.xml_reading import OwnDoctype, XmlFault, feed, parser_for
from locframework.languages import canonical_tag

from .file_records import FileTerm, FileText
from .file_rules import NAMED_MOST, Faults
from .records import NOTES_MOST, UsageStatus
from .tbx_file import OWN

_CONCEPTS = ("conceptEntry", "termEntry")
_SECTIONS = ("langSec", "langSet")
_TERMS = ("termSec", "tig", "ntig")
_OF_STYLE_DCT = {  # an element for what style dca says by an attribute ``type``
    "administrativeStatus": "termNote",
    "definition": "descrip",
    "explanation": "descrip",
}
_TEXTS = ("term", "termNote", "note", "descrip", *_OF_STYLE_DCT)
_DESCRIPTIONS = ("definition", "explanation")  # kept as notes, which we have alone
_OWN = ("translation", "status", "doNotTranslate", "caseSensitive", "usageStatus")
_TOLD = {"administrativeStatus", *(OWN + name for name in _OWN)}  # types of termNotes
_FORBIDDEN = "forbidden"  # as MultiTerm and others have it; not of the standard
_DEPRECATED = {
    "deprecatedTerm-admn-sts",
    "supersededTerm-admn-sts",
    "deprecatedTerm",
    "supersededTerm",
    "notRecommended",
    _FORBIDDEN,
}
_DEPTH_MOST = 64
_TERMS_MOST = 1000  # of a concept
_TEXT_MOST = NOTES_MOST + 1  # what is longer is refused as it is
_STRUCTURES = r"TBX(cdv04|(Basic)?coreStructV02|coreStructureDTD-v-1-0)\.(dtd|DTD)"
_DOCTYPE = OwnDoctype(
    root="martif",
    public="ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN",
    system=re.compile(rf"(\./|https?://[\w./-]*/)?{_STRUCTURES}"),
    told="TBXcoreStructV02.dtd and the like",
)


@dataclass
class _Spelling:
    """A term in one language, as one of possibly several."""

    line: int
    language_code: str
    text: str = ""
    notes: dict[str, str] = field(default_factory=dict)  # termNotes, by type


@dataclass
class _Concept:
    line: int
    notes: list[tuple[str | None, str]] = field(default_factory=list)  # by language
    spellings: list[_Spelling] = field(default_factory=list)

    def add(self, spelling: _Spelling) -> None:
        self.spellings.append(spelling)
        if len(self.spellings) > _TERMS_MOST:
            message = f"a concept has more than {_TERMS_MOST:,} terms"
            raise XmlFault(self.line, "length", message)

    def note(self, code: str | None, text: str) -> None:
        self.notes.append((code, text))
        if len(self.notes) > _TERMS_MOST:
            message = f"a concept has more than {_TERMS_MOST:,} notes"
            raise XmlFault(self.line, "length", message)


def read_tbx(
    file: BinaryIO, source_language: str, faults: Faults, warn: Callable[[str], None]
) -> Iterator[FileTerm]:
    """The terms of a file, in its order: each in the source language, with one
    translation for every other language of its concept.

    Of several in one language the first that is not deprecated is the translation.
    Notes and definitions, of a concept or in its source language, are its notes. A
    concept without a term in the source language is left out, and so are further
    translations, and notes in others or beyond 2,000 characters, with a warning. Raises
    UnreadableFile.
    """
    reader = _Reader(faults)
    try:
        for concept in reader.read(file):
            own = _in_source(concept, source_language)
            notes, left_out = _notes(concept, source_language)
            texts, further = _texts(concept, own)
            yield from (_term(each, notes, texts) for each in own)
            if not own:
                told = f"has no term in {source_language} and was left out"
                warn(f"line {concept.line}: the concept {told}")
                continue
            if further:
                told = f"in {_named(further)}, were left out"
                warn(f"line {concept.line}: further translations, {told}")
            if left_out:
                told = "in other languages or too long, were left out"
                warn(f"line {concept.line}: {left_out} of its notes, {told}")
    except XmlFault as fault:
        faults.add(fault.line, fault.rule, fault.message)
    faults.settle()
    if not reader.is_tbx:
        faults.add(1, "syntax", "the file is not TBX")
        faults.settle()


class _Reader:
    """Walks the file, and hands out each concept when it has ended."""

    def __init__(self, faults: Faults) -> None:
        self._found: list[_Concept] = []
        self.is_tbx = False
        self._faults = faults
        self._path: list[str] = []
        self._concept: _Concept | None = None
        self._language: str | None = None
        self._spelling: _Spelling | None = None
        self._note_type = ""
        self._text: str | None = None  # of the element that is being read
        self._parser = parser_for(_DOCTYPE, separator=" ")

    def read(self, file: BinaryIO) -> Iterator[_Concept]:
        parser = self._parser
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        for _ in feed(parser, file):
            found, self._found = self._found, []
            yield from found

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self._path:
            self.is_tbx = name in ("tbx", "martif")
        self._path.append(name)
        if len(self._path) > _DEPTH_MOST:
            raise XmlFault(self._line, "depth", "elements are nested too deeply")
        if name in _CONCEPTS:
            self._concept = _Concept(self._line)
        elif name in _SECTIONS:
            self._open_language(attributes)
        elif name in _TERMS and self._language is not None:
            self._spelling = _Spelling(self._line, self._language)
        elif name in _TEXTS and self._text is None:
            type_ = attributes.get("type", "")
            self._note_type = name if name in _OF_STYLE_DCT else type_
            self._text = ""

    def _open_language(self, attributes: dict[str, str]) -> None:
        given = next(
            (value for name, value in attributes.items() if name.endswith("lang")), ""
        )
        self._language = canonical_tag(given)
        if self._language is None:
            message = "the language is not a BCP-47 language tag"
            self._faults.add(self._line, "language", message)

    def _add(self, text: str) -> None:
        if self._text is not None and len(self._text) < _TEXT_MOST:
            self._text += text[:_TEXT_MOST]

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if name in _TEXTS and self._text is not None and not self._is_within_text():
            self._keep(name, self._text)
            self._text = None
        elif name in _TERMS:
            if self._concept is not None and self._spelling is not None:
                self._concept.add(self._spelling)
            self._spelling = None
        elif name in _SECTIONS:
            self._language = None
        elif name in _CONCEPTS and self._concept is not None:
            self._found.append(self._concept)
            self._concept = None

    def _is_within_text(self) -> bool:
        return any(each in _TEXTS for each in self._path)

    def _keep(self, name: str, text: str) -> None:
        name = _OF_STYLE_DCT.get(name, name)
        if name == "term" and self._spelling is not None:
            self._spelling.text = text
        elif name == "termNote":
            if self._spelling is not None and self._note_type in _TOLD:
                self._spelling.notes[self._note_type] = text.strip()
        elif self._concept is None or not text.strip():
            return
        elif name == "note" or self._note_type in _DESCRIPTIONS:
            self._concept.note(self._language, text)


def _notes(concept: _Concept, source_language: str) -> tuple[str | None, int]:
    """What is kept as notes of its terms, and how many of them are not."""
    kept: list[str] = []
    for code, text in concept.notes:
        is_ours = code is None or _base(code) == _base(source_language)
        if is_ours and len("\n".join((*kept, text))) <= NOTES_MOST:
            kept.append(text)
    return "\n".join(kept) or None, len(concept.notes) - len(kept)


def _texts(
    concept: _Concept, own: list[_Spelling]
) -> tuple[tuple[FileText, ...], list[str]]:
    """The translations of its own terms, by language, and the languages that have
    others too."""
    taken = {id(each) for each in own}
    others = [each for each in concept.spellings if id(each) not in taken]
    texts: dict[str, FileText] = {}
    further: set[str] = set()
    for each in sorted(others, key=_is_deprecated):
        if not each.text.strip():
            continue
        # one that is not to be used is not to be demanded
        is_draft = each.notes.get(f"{OWN}status") == "draft" or _is_deprecated(each)
        text = FileText(each.language_code, each.text, is_draft)
        if texts.setdefault(each.language_code, text).value != each.text:
            further.add(each.language_code)
    return tuple(texts[code] for code in sorted(texts)), sorted(further)


def _named(codes: list[str]) -> str:
    more = " and others" if len(codes) > NAMED_MOST else ""
    return ", ".join(codes[:NAMED_MOST]) + more


def _term(
    spelling: _Spelling, notes: str | None, texts: tuple[FileText, ...]
) -> FileTerm:
    said = spelling.notes
    return FileTerm(
        line=spelling.line,
        term=spelling.text,
        do_not_translate=said.get(f"{OWN}doNotTranslate") == "true" or None,
        case_sensitive=said.get(f"{OWN}caseSensitive") == "true",
        usage_status=_usage(spelling),
        notes=notes,
        texts=texts,
    )


def _in_source(concept: _Concept, source_language: str) -> list[_Spelling]:
    """The terms in the source language; else those in its language at large: ``en``
    for ``en-GB``, and the other way round."""
    there = [
        each for each in concept.spellings if f"{OWN}translation" not in each.notes
    ]
    exact = [each for each in there if each.language_code == source_language]
    base = _base(source_language)
    near = [each for each in there if _base(each.language_code) == base]
    return exact or near


def _base(language_code: str) -> str:
    return language_code.partition("-")[0]


def _usage(spelling: _Spelling) -> UsageStatus | None:
    if spelling.notes.get(f"{OWN}usageStatus") == "forbidden":
        return "forbidden"
    if "administrativeStatus" not in spelling.notes:
        return None
    if spelling.notes["administrativeStatus"] == _FORBIDDEN:
        return "forbidden"
    return "deprecated" if _is_deprecated(spelling) else "preferred"


def _is_deprecated(spelling: _Spelling) -> bool:
    return spelling.notes.get("administrativeStatus", "") in _DEPRECATED
