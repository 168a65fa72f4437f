"""Does imports of terms: small ones at once, large ones in steps with room for others.

A step and the note of how far the import is are one transaction, so an import that is
killed goes on where it was, and comes to the same end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller, Renewed
from locframework.blobs.records import KeptParts
from locframework.blobs.service import Blobs
from locframework.errors import (
    GlossaryNotFound,
    PermissionDenied,
    TermNotTranslatable,
    truncate,
)
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.transactions import crash_point

from .events import GlossaryEvents
from .file_records import FileFormat, FileTerm, ImportResult, JudgedFile
from .file_rules import in_others, same, taken_as
from .import_judging import PERMISSION, ImportJudge, Sent
from .importing import Merged, merged
from .records import StoredGlossary, Term
from .rules import spelling
from .store import GlossaryStorage
from .term_piles import read_terms
from .terms import Terms

TYPE = "glossary_import"
TEXTS_A_STEP = 2000  # terms and translations; others wait for a part of a second


class ImportParams(Struct, frozen=True):
    """What the job is given: the terms of a file that was judged; or else the file."""

    parts: KeptParts
    format: FileFormat = "csv"  # of the file
    terms: int | None = None  # None: the parts are the file, and the job judges it
    result: ImportResult = field(default_factory=ImportResult)

    @property
    def judged(self) -> JudgedFile | None:
        if self.terms is None:
            return None
        return JudgedFile(self.parts, self.terms, self.result)


class ImportStep(Struct, frozen=True):
    """How far an import is: what it notes with each step."""

    done: int
    result: ImportResult
    judged: JudgedFile | None = None  # None: as the job was given it


class GlossaryImportJob:
    """The handler of these jobs."""

    type = TYPE

    def __init__(
        self,
        storage: GlossaryStorage,
        linked: LinkedAccess,
        terms: Terms,
        judge: ImportJudge,
        blobs: Blobs,
        events: EventLog,
        clock: Clock,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._linked = linked
        self._terms = terms
        self._judge = judge
        self._blobs = blobs
        self._events = GlossaryEvents(events)
        self._clock = clock
        self._renewed = renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """Some 2,000 texts in one transaction with the job's end; more in steps.

        A file that was not judged as a whole before is so first, and changes nothing
        when it cannot be read. A term whose translations are not as ``doNotTranslate``
        wants them stays as it is, and a warning tells. Raises GlossaryNotFound,
        PermissionDenied, UnreadableFile and LanguageNotAssigned; what was written by
        the steps before stays then.
        """
        judged, step = self._begun(job, work)
        total, taken = judged.terms, judged.result.languages_taken_as
        with self._blobs.open_parts(judged.parts) as file:
            terms = (taken_as(each, taken) for each in read_terms(file))
            rest = islice(terms, step.done, None)
            some = _for_a_step(rest)
            while step.done + len(some) < total:
                with work.step() as noted:
                    self._write(job, some, step.result)
                    step = replace(step, done=step.done + len(some))
                    noted.note = msgspec.to_builtins(step)
                    noted.progress = Progress(step.done, total)
                some = _for_a_step(rest)
        with work.finish() as outcome:
            self._write(job, some, step.result)
            work.report(total, total)
            outcome.result = msgspec.to_builtins(step.result)
            crash_point("glossary_import.before_commit")

    def _begun(self, job: StoredJob, work: Work) -> tuple[JudgedFile, ImportStep]:
        """The terms, and how far they are written. Judges what was not judged yet."""
        params = msgspec.convert(job.params, ImportParams)
        judged = params.judged
        if job.step is not None:
            step = msgspec.convert(job.step, ImportStep)
            judged = step.judged or judged
        if judged is None:
            stored, caller = self._allowed(job)
            sent = Sent(caller, stored, params.format)
            with self._blobs.open_parts(params.parts) as file:
                judged = self._judge.whole(sent, file, work.check_cancelled)
        if job.step is None:
            result = msgspec.convert(msgspec.to_builtins(judged.result), ImportResult)
            step = ImportStep(0, result, judged)
        return judged, step

    def _allowed(self, job: StoredJob) -> tuple[StoredGlossary, Caller]:
        """The glossary, and the caller with the rights of this moment."""
        stored = self._storage.glossaries.find(job.subject_id or "")
        if stored is None:
            raise GlossaryNotFound
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        self._linked.require(caller, PERMISSION, stored.reach, GlossaryNotFound())
        return stored, caller

    def _write(
        self, job: StoredJob, terms: Sequence[FileTerm], result: ImportResult
    ) -> None:
        glossary_id = job.subject_id or ""
        self._storage.glossaries.lock(glossary_id)
        stored, caller = self._allowed(job)
        reach = stored.reach
        own = stored.glossary.source_language
        terms = [in_others(each, own, result) for each in terms]
        codes = {text.language_code for each in terms for text in each.texts}
        for code in sorted(codes):
            self._linked.require_language(caller, PERMISSION, reach, code)
        there = self._there(glossary_id, terms)
        now = timestamp(self._clock())
        applies = self._terms.applies(caller, stored)
        done: list[Merged] = []
        for said in terms:
            old = there.get(same(said))
            if (
                old is not None
                and said.term != old.term
                and not self._terms.may_respell(caller, stored, old)
            ):
                result.warn(_stays(said, old))
                said = replace(said, term=old.term)
            try:
                done.append(merged(old, said, glossary_id, applies=applies, at=now))
            except TermNotTranslatable as error:
                result.leave(
                    f"line {said.line}: {truncate(said.term)!r}: {error.message}"
                )
        writes = [each.write for each in done if each.write is not None]
        if writes:
            self._storage.terms.write_terms(glossary_id, writes, now)
        for type_ in Merged.TYPES:
            items = [item for each in done for item in each.items(type_)]
            self._events.append(caller, stored, type_, items)
        for each in done:
            each.count(result)

    def _there(self, glossary_id: str, terms: Sequence[FileTerm]) -> dict[object, Term]:
        spelt = [same(each) for each in terms]
        found = self._storage.terms.find_terms_spelt(glossary_id, spelt)
        return {
            (
                each.case_sensitive,
                spelling(each.term, case_sensitive=each.case_sensitive),
            ): each
            for each in found
        }


def _for_a_step(rest: Iterator[FileTerm]) -> list[FileTerm]:
    """The next terms: no more than a step may write, but one at least."""
    some: list[FileTerm] = []
    texts = 0
    for each in rest:
        some.append(each)
        texts += 1 + len(each.texts)
        if texts >= TEXTS_A_STEP:
            break
    return some


def _stays(said: FileTerm, old: Term) -> str:
    """What is told of a term whose spelling the caller may not change."""
    why = "to respell it, one must be allowed to write all its translations"
    return f"line {said.line}: {truncate(old.term)!r} keeps its spelling: {why}"
