"""Reads TBX: that of 2019 (conceptEntry, langSec) and the older (termEntry, langSet).

What is refused of XML: xml_reading.
"""

import io
import re
from dataclasses import dataclass, field

from locframework.languages import canonical_tag
from locframework.xml_reading import OwnDoctype, XmlFault, feed, parser_for

from .file_records import FileTerm, FileText, ReadTerms
from .file_rules import Faults
from .records import UsageStatus
from .tbx_file import OWN

_CONCEPTS = ("conceptEntry", "termEntry")
_SECTIONS = ("langSec", "langSet")
_TERMS = ("termSec", "tig", "ntig")
_TEXTS = ("term", "termNote", "note")
_STATUSES = {"deprecatedTerm-admn-sts", "supersededTerm-admn-sts"}
_DEPTH_MOST = 64
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
    notes: list[str] = field(default_factory=list)
    spellings: list[_Spelling] = field(default_factory=list)


def read_tbx(content: bytes, source_language: str, faults: Faults) -> ReadTerms:
    """The terms of a file: each in the source language, with one translation for
    every other language of its concept.

    Of several in one language the first that is not deprecated is the translation. A
    concept without a term in the source language is left out, with a warning. Raises
    UnreadableFile.
    """
    reader = _Reader(faults)
    try:
        reader.read(content)
    except XmlFault as fault:
        faults.add(fault.line, fault.rule, fault.message)
    faults.settle()
    if not reader.is_tbx:
        faults.add(1, "syntax", "the file is not TBX")
        faults.settle()
    terms: list[FileTerm] = []
    warnings: list[str] = []
    for concept in reader.concepts:
        made = _terms(concept, source_language)
        terms += made
        if not made:
            told = f"has no term in {source_language} and was left out"
            warnings.append(f"line {concept.line}: the concept {told}")
    return ReadTerms(terms, warnings)


class _Reader:
    """Walks the file; memory grows with its terms only."""

    def __init__(self, faults: Faults) -> None:
        self.concepts: list[_Concept] = []
        self.is_tbx = False
        self._faults = faults
        self._path: list[str] = []
        self._concept: _Concept | None = None
        self._language: str | None = None
        self._spelling: _Spelling | None = None
        self._note_type = ""
        self._texts: list[str] | None = None  # of the element that is being read
        self._parser = parser_for(_DOCTYPE, separator=" ")

    def read(self, content: bytes) -> None:
        parser = self._parser
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        for _ in feed(parser, io.BytesIO(content)):
            pass

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
        elif name in _TEXTS and self._texts is None:
            self._note_type = attributes.get("type", "")
            self._texts = []

    def _open_language(self, attributes: dict[str, str]) -> None:
        given = next(
            (value for name, value in attributes.items() if name.endswith("lang")), ""
        )
        self._language = canonical_tag(given)
        if self._language is None:
            message = "the language is not a BCP-47 language tag"
            self._faults.add(self._line, "language", message)

    def _add(self, text: str) -> None:
        if self._texts is not None:
            self._texts.append(text)

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if name in _TEXTS and self._texts is not None and not self._is_within_text():
            self._keep(name, "".join(self._texts))
            self._texts = None
        elif name in _TERMS:
            if self._concept is not None and self._spelling is not None:
                self._concept.spellings.append(self._spelling)
            self._spelling = None
        elif name in _SECTIONS:
            self._language = None
        elif name in _CONCEPTS and self._concept is not None:
            self.concepts.append(self._concept)
            self._concept = None

    def _is_within_text(self) -> bool:
        return any(each in _TEXTS for each in self._path)

    def _keep(self, name: str, text: str) -> None:
        if name == "term" and self._spelling is not None:
            self._spelling.text = text
        elif name == "termNote" and self._spelling is not None:
            self._spelling.notes[self._note_type] = text.strip()
        elif name == "note" and self._concept is not None and self._language is None:
            self._concept.notes.append(text)


def _terms(concept: _Concept, source_language: str) -> list[FileTerm]:
    own = _in_source(concept, source_language)
    taken = {id(each) for each in own}
    others = [each for each in concept.spellings if id(each) not in taken]
    texts: dict[str, FileText] = {}
    for each in sorted(others, key=_is_deprecated):
        if each.text.strip() and each.language_code not in texts:
            is_draft = each.notes.get(f"{OWN}status") == "draft"
            text = FileText(each.language_code, each.text, is_draft)
            texts[each.language_code] = text
    return [
        FileTerm(
            line=each.line,
            term=each.text,
            do_not_translate=each.notes.get(f"{OWN}doNotTranslate") == "true" or None,
            case_sensitive=each.notes.get(f"{OWN}caseSensitive") == "true",
            usage_status=_usage(each),
            notes="\n".join(concept.notes) or None,
            texts=tuple(texts[code] for code in sorted(texts)),
        )
        for each in own
    ]


def _in_source(concept: _Concept, source_language: str) -> list[_Spelling]:
    """The terms in the source language; else those in its language at large: ``en``
    for ``en-GB``, and the other way round."""
    there = [
        each for each in concept.spellings if f"{OWN}translation" not in each.notes
    ]
    exact = [each for each in there if each.language_code == source_language]
    base = source_language.partition("-")[0]
    near = [each for each in there if each.language_code.partition("-")[0] == base]
    return exact or near


def _usage(spelling: _Spelling) -> UsageStatus | None:
    if spelling.notes.get(f"{OWN}usageStatus") == "forbidden":
        return "forbidden"
    if "administrativeStatus" not in spelling.notes:
        return None
    return "deprecated" if _is_deprecated(spelling) else "preferred"


def _is_deprecated(spelling: _Spelling) -> bool:
    return spelling.notes.get("administrativeStatus", "") in _STATUSES
