"""Imports files of entries in steps, with room for other writers between them.

A step and the note of how far the import is are one transaction, so an import that is
killed goes on where it was, and comes to the same end.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.crash_points import crash_point
from locframework.errors import PermissionDenied, TmNotFound, Unavailable
from locframework.ids import new_id
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.languages import facts
from locframework.storage import Storage

from .csv_file import read_csv
from .file_records import FileFormat, ImportParams, ImportResult, ImportStep, Unit
from .records import KeptMemory, MemoryLanguage, MemoryWriting
from .tmx_reading import Found, Reader, read_tmx
from .unit_import import UnitImport, UnitRules

TYPE = "tm_import"
PERMISSION = "tm_write"
TEXTS_A_STEP = 2000  # source texts and translations
READERS: dict[FileFormat, Reader] = {"tmx": read_tmx, "csv": read_csv}

Renewed = Callable[[Caller], Caller | None]
"""The caller with the rights of this moment; None when none are left."""
May = Callable[[Caller, str, KeptMemory], bool]
"""Whether a caller has a permission on a memory."""


class MemoryImportJob:
    """The handler of these jobs."""

    type = TYPE

    def __init__(
        self,
        storage: Storage,
        blobs: Blobs,
        units: UnitImport,
        may: May,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._blobs = blobs
        self._units = units
        self._may = may
        self._renewed = renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """Apply the file, some 2,000 texts a step, however many languages they are in.

        What is wrong with a unit leaves it out and is told; the file as a whole was
        judged before. Raises TmNotFound, PermissionDenied.
        """
        params = msgspec.convert(job.params, ImportParams)
        content = self._blobs.get(params.blob, store=params.store)
        kept = self._storage.memories.find_memory(job.subject_id or "")
        if kept is None:
            raise TmNotFound
        if content is None:
            raise Unavailable("what was read of the file is gone; import it again")
        left_out = ImportResult(languages_left_out=params.languages_left_out)
        step = ImportStep(0, left_out)
        if job.step is not None:
            step = msgspec.convert(job.step, ImportStep)
        read = READERS[params.format]
        found = read(io.BytesIO(content), kept.memory.source_language)
        rest = islice(found, step.done, None)
        while some := _for_a_step(rest):
            work.check_cancelled()
            with work.step() as noted:
                writing = self._begin(kept, params)
                rules = self._rules(job, kept, params)
                result = msgspec.convert(
                    msgspec.to_builtins(step.result), ImportResult
                )  # a step that is not kept must leave no trace
                self._units.write(writing, rules, some, result)
                step = ImportStep(step.done + len(some), result)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(step.done, params.units)
            crash_point("tm_import.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _begin(self, kept: KeptMemory, params: ImportParams) -> MemoryWriting:
        """Lock the memory, and give it the languages that it is to have."""
        store, memory = self._storage.memories, kept.memory
        writing = store.begin(memory.id)
        if writing is None:
            raise TmNotFound
        there = {each.language_code for each in store.list_languages(memory.id)}
        missing = [code for code in params.language_codes if code not in there]
        store.add_languages(
            [
                MemoryLanguage(new_id(), memory.id, code, facts(code).label)
                for code in missing
            ]
        )
        return writing

    def _rules(
        self, job: StoredJob, kept: KeptMemory, params: ImportParams
    ) -> UnitRules:
        """With the rights of this moment."""
        caller = self._renewed(job.caller)
        if caller is None or not self._may(caller, PERMISSION, kept):
            raise PermissionDenied(PERMISSION)
        applies = not kept.memory.requires_approval or self._may(
            caller, "tm_approve", kept
        )
        return UnitRules(params.language_codes, params.on_existing, applies)


def _for_a_step(rest: Iterator[Found]) -> list[Found]:
    """The next units: no more than a step may write, but one at least."""
    some: list[Found] = []
    texts = 0
    for each in rest:
        some.append(each)
        texts += 1 + (len(each.values) if isinstance(each, Unit) else 0)
        if texts >= TEXTS_A_STEP:
            break
    return some
