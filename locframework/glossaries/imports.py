"""Files of terms: imports them by a job, and exports them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Reach, Renewed
from locframework.access.service import LinkedAccess
from locframework.blobs.service import Blobs
from locframework.errors import (
    GlossaryNotFound,
    LanguageNotAssigned,
    PermissionDenied,
    TermNotTranslatable,
    truncate,
)
from locframework.events import EventLog
from locframework.fields import Clock, Timestamp, new_id, timestamp
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.files import ExportedFile, MoreToCheck, exported
from locframework.file_import.imports import FileImport, ImportParams, Upload
from locframework.file_import.problems import Problems
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.languages import match_languages
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, text_of, written
from locframework.quality.scanning import prose
from locframework.validation import forbidden

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import read_csv, write_csv
from .records import (
    NOTES_MOST,
    TERM_MOST,
    VALUE_MOST,
    FileTerm,
    FileText,
    ImportResult,
    StoredGlossary,
    Term,
    TermWrite,
)
from .rules import (
    check_translatable,
    outcome_of_write,
    spelling,
    translation_in,
    with_translations,
)
from .service import Glossaries, GlossaryEvents
from .store import GlossaryStorage
from .tbx_file import CONTENT_TYPE as TBX_TYPE
from .tbx_file import read_tbx, write_tbx
from .terms import Terms

TERMS_LIMIT = 200_000  # of a file: their spellings are kept in memory
_NEVER_FOUND = "has a placeholder, a tag or an entity, and is never found in a text"


class GlossaryFiles(FileImport[StoredGlossary, FileTerm, ImportResult]):
    """CSV and TBX files: the service, and the handler of import jobs."""

    type = "glossary_import"
    permission = "glossary_write"
    subjects = "glossaries"
    xml_format = "tbx"

    def __init__(
        self,
        storage: GlossaryStorage,
        linked: LinkedAccess,
        glossaries: Glossaries,
        terms: Terms,
        blobs: Blobs,
        jobs: Jobs,
        events: EventLog,
        clock: Clock,
        renewed: Renewed,
    ) -> None:
        super().__init__(storage, linked, blobs, jobs, renewed, ImportResult)
        self._storage = storage
        self._glossaries = glossaries
        self._terms = terms
        self._events = GlossaryEvents(events)
        self._clock = clock

    def start_import(
        self,
        caller: Caller,
        glossary_id: str,
        content: bytes | BinaryIO,
        format_: str | None,
    ) -> Job:
        """Check a file and queue its import.

        A term that the glossary has, with the same case rule, becomes what the file
        says; fields and terms that the file leaves out stay. Translations are applied,
        or proposed where that needs approval and the caller cannot approve; drafts
        replace only drafts. Of a term that the file has twice the first is imported,
        with a warning. A language is read as one of the terms or of the glossary's
        projects where it means that (``de-DE`` as ``de``). Raises GlossaryNotFound,
        PermissionDenied, UnknownFormat, UnreadableFile (with a Problem for each line),
        LanguageNotAssigned.
        """
        return self.prepare_import(caller, glossary_id, content, format_)()

    def prepare_import(
        self,
        caller: Caller,
        glossary_id: str,
        content: bytes | BinaryIO,
        format_: str | None,
    ) -> Callable[[], Job]:
        """Like ``start_import``; the function that is returned queues the job."""
        stored = self._glossaries.require(caller, self.permission, glossary_id)
        return self.prepare(caller, stored, content, format_)

    def export(self, caller: Caller, glossary_id: str, format_: str) -> ExportedFile:
        """Export all terms, with approved translations and drafts; no proposals.

        Raises GlossaryNotFound, PermissionDenied, UnknownFormat. Memory does not grow
        with the terms; all are as of one moment.
        """
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

    def visible(self, caller: Caller, reference: str) -> StoredGlossary:
        return self._glossaries.visible(caller, reference)

    def find(self, id_: str, *, lock: bool) -> StoredGlossary:
        if lock:
            self._storage.glossaries.lock(id_)
        stored = self._storage.glossaries.find(id_)
        if stored is None:
            raise GlossaryNotFound
        return stored

    def reach(self, caller: Caller, subject: StoredGlossary) -> Reach:
        return subject.reach

    def check_rows(
        self,
        params: ImportParams,
        file: BinaryIO,
        result: ImportResult,
        codes: set[str],
    ) -> Iterator[FileTerm]:
        return checked_terms(params, file, result, codes)

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

    def read_rows(self, params: ImportParams, file: BinaryIO) -> Iterator[FileTerm]:
        return terms_of(params, file, Problems(), lambda _: None)

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
        found = self._storage.terms.find_terms_spelt(
            subject.id, [_key(each) for each in terms]
        )
        existing = {
            (each.case_sensitive, _spelt(each.term, each.case_sensitive)): each
            for each in found
        }
        now = timestamp(self._clock())
        applies = self._terms.applies(caller, subject)
        plans: list[TermPlan] = []
        for term in terms:
            old = existing.get(_key(term))
            if old is not None and term.term != old.term:
                try:
                    self._terms.require_source(caller, subject, old)
                except (PermissionDenied, LanguageNotAssigned):
                    result.warn(_keeps_spelling(term, old))
                    term = replace(term, term=old.term)
            try:
                plans.append(plan_term(old, term, subject.id, applies=applies, at=now))
            except TermNotTranslatable as error:
                result.terms_unchanged += 1
                name = truncate(term.term)
                result.warn(f"line {term.line}: {name!r}: {error.message}")
        self._apply(caller, subject, plans, result, now)

    def _apply(
        self,
        caller: Caller,
        subject: StoredGlossary,
        plans: Sequence[TermPlan],
        result: ImportResult,
        now: Timestamp,
    ) -> None:
        writes = [each.write for each in plans if each.write is not None]
        if writes:
            self._storage.terms.write_terms(subject.id, writes, now)
        items: dict[str, list[dict[str, str]]] = {
            "term.created": [],
            "term.updated": [],
            "translation.updated": [],
            "translation.proposed": [],
        }
        for plan in plans:
            if plan.event is not None:
                items[plan.event].append({"termId": plan.term_id})
            for code, outcome in plan.outcomes.items():
                type_ = "proposed" if outcome == "proposed" else "updated"
                item = {"termId": plan.term_id, "languageCode": code}
                items[f"translation.{type_}"].append(item)
            plan.add_to(result)
        for type_, some in items.items():
            self._events.append(caller, subject, type_, some)

    def _require_languages(
        self, caller: Caller, subject: StoredGlossary, codes: Sequence[str]
    ) -> None:
        for code in codes:
            self._linked.require_language(caller, self.permission, subject.reach, code)


class TermPlan(Struct):
    """What a file changes of one term."""

    term_id: str
    write: TermWrite | None  # None: nothing
    event: str | None = None
    outcomes: dict[str, str] = field(default_factory=dict)  # by language code
    kept: list[str] = field(default_factory=list)  # warnings of what differs and stays

    def add_to(self, result: ImportResult) -> None:
        """Count what the plan changes."""
        if self.event == "term.created":
            result.terms_created += 1
        elif self.write is not None:
            result.terms_updated += 1
        else:
            result.terms_unchanged += 1
        outcomes = list(self.outcomes.values())
        result.translations_proposed += outcomes.count("proposed")
        result.translations_drafted += outcomes.count("drafted")
        result.translations_applied += outcomes.count("updated")
        result.translations_kept += len(self.kept)
        for warning in self.kept:
            result.warn(warning)


def plan_term(
    old: Term | None, new: FileTerm, glossary_id: str, *, applies: bool, at: Timestamp
) -> TermPlan:
    """Plan what the file changes of a term; what the file leaves out stays.

    ``applies``: translations need no approval. Raises TermNotTranslatable.
    """
    term = Term(
        id=old.id if old else new_id(),
        glossary_id=glossary_id,
        term=new.term,
        do_not_translate=(
            (old is not None and old.do_not_translate)
            if new.do_not_translate is None
            else new.do_not_translate
        ),
        case_sensitive=new.case_sensitive,
        usage_status=new.usage_status or (old.usage_status if old else "preferred"),
        notes=new.notes or (old.notes if old else None),
        created_at=old.created_at if old else at,
        updated_at=old.updated_at if old else at,
        translations=old.translations if old else (),
    )
    is_changed = old is None or term != old
    changed: list[TermTranslation] = []
    plan = TermPlan(term.id, None)
    for text in new.texts:
        code = text.language_code
        before = translation_in(term, code)
        if text.is_draft:
            after = drafted(before, code, text.value)
        else:
            after = written(before, code, text.value, applies=applies, at=at)
        if after is not None and after != before:
            changed.append(after)
            is_draft = after.status == "draft"
            outcome = "drafted" if is_draft else outcome_of_write(before, after)
            plan.outcomes[code] = outcome
        elif before is not None and text.is_draft and text_of(before) != text.value:
            stays = f"{truncate(new.term)!r} stays {truncate(text_of(before))!r}"
            reason = "a draft replaces only drafts"
            plan.kept.append(f"line {new.line}: {stays} in {code}: {reason}")
    if not is_changed and not changed:
        return plan
    term = replace(with_translations(term, changed), updated_at=at)
    check_translatable(term)
    if is_changed:
        plan.event = "term.created" if old is None else "term.updated"
    plan.write = TermWrite(term, is_new=old is None, changed=changed)
    return plan


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
    problems: Problems,
    warn: Callable[[str], None],
) -> Iterator[FileTerm]:
    """Yield each term of the file once, the first of those that are the same."""
    if params.format == "csv":
        terms = read_csv(file, problems)
    else:
        terms = read_tbx(file, params.source_language, problems, warn)
    lines: dict[tuple[bool, str], int] = {}
    for term in terms:
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


def _spelt(term: str, case_sensitive: bool) -> str:
    return spelling(term, case_sensitive=case_sensitive)


def _key(term: FileTerm) -> tuple[bool, str]:
    """Return what is the same for terms that are one: case rule and spelling."""
    return term.case_sensitive, _spelt(term.term, term.case_sensitive)


def _check(term: FileTerm, problems: Problems) -> None:
    def check(what: str, text: str, limit: int) -> None:
        if forbidden(text):
            message = f"{what} holds U+0000 or a lone surrogate"
            problems.add(term.line, "character", message)
        elif not text.strip():
            problems.add(term.line, "length", f"{what} is blank")
        elif len(text) > limit:
            message = f"{what} has more than {limit:,} characters"
            problems.add(term.line, "length", message)

    check("the term", term.term, TERM_MOST)
    if (term.notes or "").strip():
        check("notes", term.notes or "", NOTES_MOST)
    for text in term.texts:
        what = f"the translation into {text.language_code}"
        check(what, text.value, VALUE_MOST)
        if term.do_not_translate and text.value != term.term:
            message = f"{what} differs from a term that is not translated"
            problems.add(term.line, "translation", message)


def _in_targets(
    term: FileTerm,
    subject: StoredGlossary,
    language_codes: Sequence[str],
    result: ImportResult,
) -> FileTerm:
    """Return the term with its translations in the languages that are imported.

    The source language of the glossary may have become one of them since the check.
    """
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


def _keeps_spelling(term: FileTerm, old: Term) -> str:
    reason = "to respell it, one must be allowed to write all its translations"
    return f"line {term.line}: {truncate(old.term)!r} keeps its spelling: {reason}"
