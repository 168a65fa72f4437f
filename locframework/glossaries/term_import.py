"""Does imports of terms: small ones at once, large ones in steps with room for others.

A step and the note of how far the import is are one transaction, so an import that is
killed goes on where it was, and comes to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.clock import Clock, timestamp
from locframework.crash_points import crash_point
from locframework.errors import GlossaryNotFound, PermissionDenied, Unavailable, shown
from locframework.events import EventLog
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.storage import Storage

from .events import GlossaryEvents
from .file_records import FileTerm, ImportResult, ReadTerms
from .file_rules import same
from .importing import Merged, merged
from .records import Term
from .rules import spelling
from .terms import WRITE, Terms

TYPE = "glossary_import"
PERMISSION = WRITE
TERMS_A_STEP = 2000  # others who write wait for a part of a second

Renewed = Callable[[Caller], Caller | None]
"""The caller with the rights of this moment; None when none are left."""

_decoder = msgspec.msgpack.Decoder(ReadTerms)


class ImportParams(Struct, frozen=True):
    """What the job is given: where what was read is kept."""

    blob: str
    store: str


class ImportStep(Struct, frozen=True):
    """How far an import is: what it notes with each step."""

    done: int
    result: ImportResult


class GlossaryImportJob:
    """The handler of these jobs."""

    type = TYPE

    def __init__(
        self,
        storage: Storage,
        linked: LinkedAccess,
        terms: Terms,
        blobs: Blobs,
        events: EventLog,
        clock: Clock,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._linked = linked
        self._terms = terms
        self._blobs = blobs
        self._events = GlossaryEvents(events)
        self._clock = clock
        self._renewed = renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """Up to 2,000 terms in one transaction with the job's end; more in steps.

        Raises GlossaryNotFound, PermissionDenied, LanguageNotAssigned and
        TermNotTranslatable; what was written by the steps before stays then.
        """
        params = msgspec.convert(job.params, ImportParams)
        content = self._blobs.get(params.blob, store=params.store)
        if content is None:
            raise Unavailable("what was read of the file is gone; import it again")
        read = _decoder.decode(content)
        total = len(read.terms)
        step = ImportStep(0, ImportResult())
        if job.step is not None:
            step = msgspec.convert(job.step, ImportStep)
        else:
            for warning in read.warnings:
                step.result.warn(warning)
        while total - step.done > TERMS_A_STEP:
            done = step.done + TERMS_A_STEP
            with work.step() as noted:
                self._write(job, read.terms[step.done : done], step.result)
                step = ImportStep(done, step.result)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(done, total)
        with work.finish() as outcome:
            self._write(job, read.terms[step.done :], step.result)
            work.report(total, total)
            outcome.result = msgspec.to_builtins(step.result)
            crash_point("glossary_import.before_commit")

    def _write(
        self, job: StoredJob, terms: Sequence[FileTerm], result: ImportResult
    ) -> None:
        glossary_id = job.subject_id or ""
        self._storage.glossaries.lock_glossary(glossary_id)
        stored = self._storage.glossaries.find_glossary(glossary_id)
        if stored is None:
            raise GlossaryNotFound
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        reach = stored.reach
        self._linked.require(caller, PERMISSION, reach, GlossaryNotFound())
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
            done.append(merged(old, said, glossary_id, applies=applies, at=now))
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


def _stays(said: FileTerm, old: Term) -> str:
    """What is told of a term whose spelling the caller may not change."""
    why = "who spells it otherwise must be allowed to write all its translations"
    return f"line {said.line}: {shown(old.term)!r} stays spelt so: {why}"
