"""Files of terms: imports them by a job, and exports them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from msgspec.structs import replace

from locframework.access.records import Caller, Reach
from locframework.errors import (
    GlossaryNotFound,
    LanguageNotAssigned,
    PermissionDenied,
    TermNotTranslatable,
    truncate,
)
from locframework.fields import Timestamp, new_id, timestamp
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.files import ExportedFile, MoreToCheck, exported
from locframework.file_import.imports import FileImport, ImportParams, Upload
from locframework.file_import.problems import Problems
from locframework.jobs.records import Job
from locframework.languages import match_languages
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, text_of, written
from locframework.quality.scanning import prose
from locframework.validation import forbidden

from .files import CSV_TYPE, TBX_TYPE, read_csv, read_tbx, write_csv, write_tbx
from .records import (
    NOTES_LIMIT,
    TERM_LIMIT,
    VALUE_LIMIT,
    FileTerm,
    FileText,
    ImportResult,
    StoredGlossary,
    Term,
    TermWrite,
)
from .service import Glossaries
from .store import GlossaryStorage
from .terms import (
    Terms,
    check_translatable,
    outcome_of_write,
    spelling,
    translation_in,
    with_translation,
)

TERMS_LIMIT = 200_000  # of a file: their spellings are kept in memory
_MAY_NOT_RESPELL = "to respell it, one must be allowed to write all its translations"
_NEVER_FOUND = "has a placeholder, a tag or an entity, and is never found in a text"


def checked_terms(
    params: ImportParams, file: BinaryIO, result: ImportResult, codes: set[str]
) -> Iterator[FileTerm]:
    """Yield each term of a file once; add warnings to ``result``, and the languages of
    translations to ``codes``. Raises UnreadableFile."""
    problems, left_out = Problems(), 0
    try:
        for term in terms_of(params, file, problems, result.warn):
            if prose(term.term) != term.term:
                name = truncate(term.term)
                result.warn(f"line {term.line}: {name!r} {_NEVER_FOUND}")
            languages = {text.language_code for text in term.texts}
            left_out += params.source_language in languages
            codes |= languages - {params.source_language}
            yield term
    except MoreToCheck:
        problems.raise_any()
        raise
    problems.raise_any()
    if left_out:
        noun = "translation" if left_out == 1 else "translations"
        what = f"{left_out} {noun} into {params.source_language}"
        result.warn(f"left out {what}, the language of the terms")


def terms_of(
    params: ImportParams,
    file: BinaryIO,
    problems: Problems | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Iterator[FileTerm]:
    """Yield each term of the file once, the first of those that are the same."""
    problems = problems or Problems()
    if params.format == "csv":
        terms = read_csv(file, problems)
    else:
        terms = read_tbx(file, params.source_language, problems, warn)
    lines: dict[tuple[bool, str], int] = {}
    for each in terms:
        term = _readable(each, warn)
        if term is None:
            continue
        _check(term, problems)
        count = len(lines)
        first = lines.setdefault(_key(term), term.line)
        if len(lines) == count:
            name = truncate(term.term)
            warn(f"line {term.line}: {name!r} is also in line {first}")
            continue
        if count == TERMS_LIMIT:
            message = f"there are more than {TERMS_LIMIT:,} terms"
            problems.add(term.line, "length", message)
            problems.raise_any()
        yield term if (term.notes or "").strip() else replace(term, notes=None)


def _key(term: FileTerm | Term) -> tuple[bool, str]:
    """Return what is the same for terms that are one: case rule and spelling."""
    strict = term.case_sensitive
    return strict, spelling(term.term, case_sensitive=strict)


def _readable(term: FileTerm, warn: Callable[[str], None]) -> FileTerm | None:
    """Return the term without texts that cannot be stored; None without its own."""

    def is_readable(what: str, text: str) -> bool:
        if forbidden(text):
            reason = "it holds U+0000 or a lone surrogate"
            warn(f"line {term.line}: {what} is left out: {reason}")
        return not forbidden(text)

    if not is_readable("the term", term.term):
        return None
    texts = [
        text
        for text in term.texts
        if is_readable(f"the translation into {text.language_code}", text.value)
    ]
    notes = term.notes if is_readable("the note", term.notes or "") else None
    return replace(term, texts=tuple(texts), notes=notes)


def _check(term: FileTerm, problems: Problems) -> None:
    def check(what: str, text: str, limit: int) -> None:
        if not text.strip():
            problems.add(term.line, "length", f"{what} is blank")
        elif len(text) > limit:
            message = f"{what} has more than {limit:,} characters"
            problems.add(term.line, "length", message)

    check("the term", term.term, TERM_LIMIT)
    if (term.notes or "").strip():
        check("notes", term.notes or "", NOTES_LIMIT)
    for text in term.texts:
        what = f"the translation into {text.language_code}"
        check(what, text.value, VALUE_LIMIT)
        if term.do_not_translate and text.value != term.term:
            message = f"{what} differs from a term that is not translated"
            problems.add(term.line, "translation", message)


@dataclass(eq=False, repr=False)
class GlossaryFiles(FileImport[StoredGlossary, FileTerm, ImportResult]):
    """CSV and TBX files: the service, and the handler of import jobs."""

    type = "glossary_import"
    permission = "glossary_write"
    subjects = "glossaries"
    missing = GlossaryNotFound
    xml_format = "tbx"

    result_type = ImportResult

    check_rows = staticmethod(checked_terms)
    read_rows = staticmethod(terms_of)

    _storage: GlossaryStorage
    _glossaries: Glossaries
    _terms: Terms

    def prepare_import(
        self,
        caller: Caller,
        glossary_id: str,
        content: bytes | BinaryIO,
        format_: str | None,
    ) -> Callable[[], Job]:
        """Check a file; return what queues its import. Raises GlossaryNotFound,
        PermissionDenied, UnknownFormat, UnreadableFile (with a Problem for each line),
        LanguageNotAssigned."""
        stored = self._glossaries.require(caller, self.permission, glossary_id)
        return self.prepare(caller, stored, content, format_)

    def export(self, caller: Caller, glossary_id: str, format_: str) -> ExportedFile:
        """Export all terms, with approved translations and drafts; no proposals. Memory
        does not grow with them. Raises GlossaryNotFound, PermissionDenied,
        UnknownFormat."""
        stored = self._glossaries.require(caller, "glossary_read", glossary_id)
        chosen = self.require_format(format_)
        name = stored.glossary.slug.removesuffix(stored.id).strip("-") or "glossary"
        store = self._storage.terms
        with self._storage.snapshot():
            terms = store.stream_terms(stored.id)
            if chosen == "tbx":
                parts = write_tbx(stored.glossary, terms)
                return exported(f"{name}.tbx", TBX_TYPE, parts)
            codes, drafts = (
                store.languages(stored.id, status) for status in (None, "draft")
            )
            return exported(f"{name}.csv", CSV_TYPE, write_csv(terms, codes, drafts))

    def reach(self, caller: Caller, subject: StoredGlossary) -> Reach:
        return subject.reach

    def choose_languages(
        self, upload: Upload[StoredGlossary], codes: set[str], result: ImportResult
    ) -> list[str]:
        caller, subject, params = upload.caller, upload.subject, upload.params
        of_terms = self._storage.terms.languages(subject.id) if codes else set[str]()
        known = set(of_terms)
        for project_id in self._linked.seen(caller, subject.reach):
            languages = self._storage.projects.list_languages(project_id)
            known |= {each.language_code for each in languages}
        matched = match_languages(codes, known - {subject.source_language})
        if params.format == "csv":
            refuse_words(codes - matched.keys(), "translate a term into it first")
        taken_as = {code: matched.get(code, code) for code in sorted(codes)}
        result.languages_taken_as = {c: as_ for c, as_ in taken_as.items() if c != as_}
        result.languages_added = sorted({*taken_as.values()} - of_terms)
        imported = sorted({*taken_as.values()})
        self._require_languages(caller, subject, imported)
        return imported

    def size_of(self, row: FileTerm) -> tuple[int, int]:
        return 1 + len(row.texts), 0

    def write(
        self,
        upload: Upload[StoredGlossary],
        rows: Sequence[FileTerm],
        language_codes: Sequence[str],
        result: ImportResult,
    ) -> None:
        caller, subject = upload.caller, upload.subject
        terms = [_in_targets(each, subject, language_codes, result) for each in rows]
        codes = sorted({text.language_code for each in terms for text in each.texts})
        self._require_languages(caller, subject, codes)
        found = self._storage.terms.find_terms(
            subject.id, spellings=[_key(each) for each in terms]
        )
        existing = {_key(each): each for each in found}
        now = timestamp(self._clock())
        applies = self._terms.applies(caller, subject)
        plan = _Plan(subject.id, result, now, applies)
        for term in terms:
            old = existing.get(_key(term))
            if old is not None and term.term != old.term:
                try:
                    self._terms.require_source(caller, subject, old)
                except (PermissionDenied, LanguageNotAssigned):
                    name = f"line {term.line}: {truncate(old.term)!r}"
                    result.warn(f"{name} keeps its spelling: {_MAY_NOT_RESPELL}")
                    term = replace(term, term=old.term)
            try:
                plan.add(old, term)
            except TermNotTranslatable as error:
                result.terms_unchanged += 1
                name = truncate(term.term)
                result.warn(f"line {term.line}: {name!r}: {error.message}")
        if plan.writes:
            self._storage.terms.write_terms(subject.id, plan.writes, now)
        for type_, items in plan.events.items():
            self._glossaries.emit(caller, subject, type_, items)

    def _require_languages(
        self, caller: Caller, subject: StoredGlossary, codes: Sequence[str]
    ) -> None:
        for code in codes:
            self._linked.require_language(caller, self.permission, subject.reach, code)


@dataclass
class _Plan:
    glossary_id: str
    result: ImportResult
    at: Timestamp
    applies: bool  # translations need no approval

    def __post_init__(self) -> None:
        self.writes: list[TermWrite] = []
        self.events: dict[str, list[dict[str, str]]] = {
            "term.created": [],
            "term.updated": [],
            "translation.updated": [],
            "translation.proposed": [],
        }

    def add(self, old: Term | None, new: FileTerm) -> None:
        """Plan one term; what the file leaves out stays. Raises TermNotTranslatable."""
        base = old or Term(
            id=new_id(),
            glossary_id=self.glossary_id,
            term=new.term,
            do_not_translate=False,
            case_sensitive=new.case_sensitive,
            usage_status="preferred",
            notes=None,
            created_at=self.at,
            updated_at=self.at,
            translations=(),
        )
        do_not_translate = new.do_not_translate
        if do_not_translate is None:
            do_not_translate = base.do_not_translate
        term = replace(
            base,
            term=new.term,
            do_not_translate=do_not_translate,
            usage_status=new.usage_status or base.usage_status,
            notes=new.notes or base.notes,
        )
        is_changed = term != old
        changed: list[TermTranslation] = []
        outcomes: dict[str, str] = {}  # by language code
        kept: list[str] = []
        for text in new.texts:
            code, before = text.language_code, translation_in(term, text.language_code)
            if text.is_draft:
                after = drafted(before, code, text.value)
            else:
                after = written(
                    before, code, text.value, applies=self.applies, at=self.at
                )
            if after is not None and after != before:
                changed.append(after)
                outcome = outcome_of_write(before, after)
                outcomes[code] = "drafted" if after.status == "draft" else outcome
                term = with_translation(term, code, after)
            elif before is not None and text.is_draft and text_of(before) != text.value:
                stays = f"{truncate(new.term)!r} stays {truncate(text_of(before))!r}"
                reason = "a draft replaces only drafts"
                kept.append(f"line {new.line}: {stays} in {code}: {reason}")
        if is_changed or changed:
            term = replace(term, updated_at=self.at)
            check_translatable(term)
            write = TermWrite(term, is_new=old is None, changed=changed)
            self.writes.append(write)
        result = self.result
        result.terms_created += old is None
        result.terms_updated += old is not None and (is_changed or bool(changed))
        result.terms_unchanged += not (is_changed or changed)
        counts = Counter(outcomes.values())
        result.translations_applied += counts["updated"]
        result.translations_proposed += counts["proposed"]
        result.translations_drafted += counts["drafted"]
        result.translations_kept += len(kept)
        for warning in kept:
            result.warn(warning)
        if is_changed:
            type_ = "term.created" if old is None else "term.updated"
            self.events[type_].append({"termId": term.id})
        for code, outcome in outcomes.items():
            type_ = "proposed" if outcome == "proposed" else "updated"
            item = {"termId": term.id, "languageCode": code}
            self.events[f"translation.{type_}"].append(item)


def _in_targets(
    term: FileTerm,
    subject: StoredGlossary,
    language_codes: Sequence[str],
    result: ImportResult,
) -> FileTerm:
    """Return the term with its translations in the languages that are imported; the
    source language may have become one of them since the check."""
    texts: list[FileText] = []
    for text in term.texts:
        code = result.languages_taken_as.get(text.language_code, text.language_code)
        if code not in language_codes:
            continue
        if code == subject.source_language:
            what = f"the translation into {code}, now the language of the terms"
            result.warn(f"line {term.line}: left out {what}")
        else:
            texts.append(replace(text, language_code=code))
    return replace(term, texts=tuple(texts))
