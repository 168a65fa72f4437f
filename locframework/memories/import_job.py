"""Imports files of entries in steps, with room for other writers between them.

A step and the note of how far the import is are one transaction, so an import that is
killed goes on where it was, and comes to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from locframework.access.records import Caller, Renewed
from locframework.blobs.service import Blobs
from locframework.errors import PermissionDenied, TmNotFound
from locframework.fields import new_id
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.languages import language_info
from locframework.transactions import crash_point

from .file_records import (
    ERRORS_TOLD,
    ImportParams,
    ImportResult,
    ImportStep,
    Judged,
    Unit,
)
from .import_judging import PERMISSION, READERS, ImportJudge, Sent
from .learn_job import Relearning
from .records import KeptMemory, MemoryLanguage, MemoryWriting
from .store import MemoryStorage
from .tmx_reading import Found
from .unit_import import UnitImport, UnitRules

TYPE = "tm_import"
TEXTS_A_STEP = 2000  # source texts and translations
CHARACTERS_A_STEP = 2 * 1024 * 1024  # of them

May = Callable[[Caller, str, KeptMemory], bool]
"""Whether a caller has a permission on a memory."""


class MemoryImportJob:
    """The handler of these jobs."""

    type = TYPE

    def __init__(
        self,
        storage: MemoryStorage,
        blobs: Blobs,
        units: UnitImport,
        judge: ImportJudge,
        may: May,
        renewed: Renewed,
        relearning: Relearning,
    ) -> None:
        self._storage = storage
        self._relearning = relearning
        self._blobs = blobs
        self._units = units
        self._judge = judge
        self._may = may
        self._renewed = renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """Apply the file, some 2,000 texts a step, however many languages they are in.

        What is wrong with a unit leaves it out and is told. A file that was not judged
        as a whole before is so first, and changes nothing when it cannot be read.
        Raises TmNotFound, PermissionDenied, UnreadableFile, LanguageNotAssigned, and
        LanguageNotInProject; what was written by the steps before stays then.
        """
        params = _params_of(job)
        kept = self._kept(job)
        judged = params.judged
        if job.step is not None:
            step = msgspec.convert(job.step, ImportStep)
            judged = step.judged or judged
        if judged is None:
            judged = self._judged(job, work, kept, params)
        if job.step is None:
            told = ImportResult(
                languages_left_out=judged.languages_left_out,
                languages_taken_as=judged.languages_taken_as,
                warning_count=len(judged.warnings),
                warnings=[*judged.warnings[:ERRORS_TOLD]],
            )
            step = ImportStep(0, told, judged)
        read = READERS[params.format]
        file = self._blobs.open_parts(params.parts)
        found = read(file, kept.memory.source_language)
        rest = islice(found, step.done, None)
        while some := _for_a_step(rest):
            work.check_cancelled()
            with work.step() as noted:
                result = msgspec.convert(
                    msgspec.to_builtins(step.result), ImportResult
                )  # a step that is not kept must leave no trace
                writing, rules = self._begin(job, params, judged, result)
                self._units.write(writing, rules, some, result)
                step = ImportStep(step.done + len(some), result, judged)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(step.done, judged.units)
            crash_point("tm_import.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _judged(
        self, job: StoredJob, work: Work, kept: KeptMemory, params: ImportParams
    ) -> Judged:
        sent = Sent(self._caller(job, kept), kept, params.format, params.wanted)
        file = self._blobs.open_parts(params.parts)
        return self._judge.whole(sent, file, work.check_cancelled)

    def _kept(self, job: StoredJob) -> KeptMemory:
        kept = self._storage.memories.find(job.subject_id or "")
        if kept is None:
            raise TmNotFound
        return kept

    def _caller(self, job: StoredJob, kept: KeptMemory) -> Caller:
        caller = self._renewed(job.caller)
        if caller is None or not self._may(caller, PERMISSION, kept):
            raise PermissionDenied(PERMISSION)
        return caller

    def _begin(
        self, job: StoredJob, params: ImportParams, judged: Judged, result: ImportResult
    ) -> tuple[MemoryWriting, UnitRules]:
        """Lock the memory, and give it the languages that it is to have; which are new
        is added to ``result``. The memory and the rights are those of this moment."""
        store = self._storage.memories
        writing = store.begin(job.subject_id or "")
        kept = self._kept(job)
        if writing is None:
            raise TmNotFound
        caller = self._caller(job, kept)
        missing = self._judge.missing(caller, kept, judged.language_codes)
        store.add_languages(
            [
                MemoryLanguage(
                    new_id(), kept.memory.id, code, language_info(code).label
                )
                for code in missing
            ]
        )
        # projects may say something in them already
        self._relearning.start_others(None, kept.memory.id, missing)
        result.languages_added = sorted({*result.languages_added, *missing})
        return writing, self._rules(caller, kept, params, judged)

    def _rules(
        self, caller: Caller, kept: KeptMemory, params: ImportParams, judged: Judged
    ) -> UnitRules:
        applies = not kept.memory.requires_approval or self._may(
            caller, "tm_approve", kept
        )
        return UnitRules(
            language_codes=judged.language_codes,
            taken_as=judged.languages_taken_as,
            on_existing=params.on_existing,
            applies=applies,
        )


def _params_of(job: StoredJob) -> ImportParams:
    """What the job was given; one of an older version names a blob, judged before."""
    given = dict(job.params)
    if "blob" in given:
        parts = {"store": given["store"], "names": [given["blob"]]}
        given |= {"parts": parts, "judged": job.params}
    return msgspec.convert(given, ImportParams)


def _for_a_step(rest: Iterator[Found]) -> list[Found]:
    """The next units: no more than a step may write, but one at least."""
    some: list[Found] = []
    texts = characters = 0
    for each in rest:
        some.append(each)
        texts += 1
        if isinstance(each, Unit):
            texts += len(each.values)
            characters += len(each.source_text)
            characters += sum(len(value.value) for value in each.values.values())
        if texts >= TEXTS_A_STEP or characters >= CHARACTERS_A_STEP:
            break
    return some
