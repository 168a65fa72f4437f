"""Does imports: small ones at once, large ones in steps with room for other writers.

A step and the note of how far the import is are one transaction, so an import that is
killed goes on where it was, and comes to the same end.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from locframework.access.records import Renewed
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.branches.service import Branches
from locframework.errors import (
    ImportConflict,
    PermissionDenied,
    ProjectNotFound,
    Unavailable,
)
from locframework.events import EventLog
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.keys.writing.trash import KeyTrash
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.service import scope_of
from locframework.transactions import crash_point

from .details import DetailKeeper
from .importing import KEYS_AT_ONCE, Importer, ImportRun, in_parts
from .records import ImportBatch, ImportedKey, ImportParams, ImportResult, ImportStep
from .rules import warn
from .store import ImportStorage

TYPE = "import"
PERMISSION = "import_run"
KEYS_A_STEP = 2000  # others who write wait for a part of a second
LANGUAGES_OF_A_STEP = 5
"""In a project with more a step has fewer keys: each may have texts in all of them,
or make its translations outdated."""

_decoder = msgspec.msgpack.Decoder(ImportBatch)


class ImportJob:
    """The handler of import jobs."""

    type = TYPE

    def __init__(
        self,
        storage: ImportStorage,
        access: Access,
        branches: Branches,
        writer: KeyWriter,
        moves: KeyTrash,
        blobs: Blobs,
        events: EventLog,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._access = access
        self._blobs = blobs
        self._renewed = renewed
        self._writer = writer
        self._importer = Importer(storage, access, branches, writer, moves, events)

    def run(self, job: StoredJob, work: Work) -> None:
        """Apply the batch: up to 2,000 keys in one transaction with the job's end, or
        fewer in a project of many languages.

        More go in steps. First all are judged, so that what is refused changes
        nothing; a refusal for what others change between two steps leaves the steps
        before it. With ``onConflict: fail`` everything is one transaction, whatever
        its size: no text may be written if any differs, also one written meanwhile. A
        dry run judges the same against one moment of the project. Raises
        ImportConflict, BranchProtected, PermissionDenied and the refusals of KeyWriter.
        """
        params = msgspec.convert(job.params, ImportParams)
        batch = self._batch(params)
        if params.dry_run:
            self._try_out(job, work, params, batch)
            return
        size = self._step_size(job)
        step = self._begun(job, work, params, batch, size)
        if params.on_conflict != "fail":
            while len(batch.keys) - step.done > size:
                step = self._step(job, work, params, batch, step, size)
        self._end(job, work, params, batch, step)

    def _batch(self, params: ImportParams) -> ImportBatch:
        content = self._blobs.get(params.blob, store=params.store)
        if content is None:
            raise Unavailable(
                "what was read from the file has been lost; import it again"
            )
        return _decoder.decode(content)

    def _try_out(
        self, job: StoredJob, work: Work, params: ImportParams, batch: ImportBatch
    ) -> None:
        result = ImportResult(dry_run=True)
        warn(result, batch.warnings)
        with self._storage.snapshot():
            run = self._start(job, params, batch, result)
            for done, some in _counted(batch.keys):
                work.check_cancelled()
                self._importer.judge(run, some)
                work.report(done, len(batch.keys))
            if params.mode == "replace":
                self._importer.remove_others(run, batch)
            _settle(run)
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(result)

    def _step_size(self, job: StoredJob) -> int:
        """How many keys go in one transaction."""
        languages = len(self._storage.projects.list_languages(job.project_id))
        many = max(LANGUAGES_OF_A_STEP, languages)
        return max(1, KEYS_A_STEP * LANGUAGES_OF_A_STEP // many)

    def _begun(
        self,
        job: StoredJob,
        work: Work,
        params: ImportParams,
        batch: ImportBatch,
        size: int,
    ) -> ImportStep:
        """Where the last run of the job left off; a large import is judged first."""
        if job.step is not None:
            return msgspec.convert(job.step, ImportStep)
        if params.on_conflict != "fail" and len(batch.keys) > size:
            with self._storage.snapshot():
                trial = ImportResult(dry_run=True)
                run = self._start(job, params, batch, trial)
                for _, some in _counted(batch.keys):
                    work.check_cancelled()
                    self._importer.judge(run, some)
                if params.mode == "replace":
                    self._importer.judge_removal(run, batch)
        result = ImportResult(dry_run=False)
        warn(result, batch.warnings)
        return ImportStep(0, result)

    def _step(
        self,
        job: StoredJob,
        work: Work,
        params: ImportParams,
        batch: ImportBatch,
        step: ImportStep,
        size: int,
    ) -> ImportStep:
        first, done = step.done, step.done + size
        self._writer.prepare_checks(job.project_id)
        with work.step() as noted:
            run = self._start(job, params, batch, step.result)
            self._write(run, work, batch, batch.keys[first:done])
            step = ImportStep(done, run.result)
            noted.note = msgspec.to_builtins(step)
            noted.progress = Progress(done, len(batch.keys))
        crash_point("import.after_step")
        return step

    def _end(
        self,
        job: StoredJob,
        work: Work,
        params: ImportParams,
        batch: ImportBatch,
        step: ImportStep,
    ) -> None:
        self._writer.prepare_checks(job.project_id)
        with work.finish() as outcome:
            run = self._start(job, params, batch, step.result)
            details = self._write(run, work, batch, batch.keys[step.done :])
            details.keep_files(params.module)
            work.report(len(batch.keys), len(batch.keys))
            crash_point("import.after_keys")
            if params.mode == "replace":
                self._importer.remove_others(run, batch)
            _settle(run)
            self._importer.tell_completed(run, job)
            outcome.result = msgspec.to_builtins(run.result)
            crash_point("import.before_commit")
        crash_point("import.after_commit")

    def _write(
        self,
        run: ImportRun,
        work: Work,
        batch: ImportBatch,
        keys: Sequence[ImportedKey],
    ) -> DetailKeeper:
        details = DetailKeeper(run.store, run.project, batch)
        before = len(batch.keys) - len(keys)
        for done, some in _counted(keys):
            work.check_cancelled()
            self._importer.write(run, some, details)
            if run.params.on_conflict == "fail":  # all of it is one long transaction
                work.report(before + done, len(batch.keys))
            crash_point("import.after_batch")
        return details

    def _start(
        self,
        job: StoredJob,
        params: ImportParams,
        batch: ImportBatch,
        result: ImportResult,
    ) -> ImportRun:
        """The project as it is, for the caller as they are: both may have changed."""
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        run = self._importer.begin(job, caller, params, result)
        needed = [PERMISSION]
        if any(key.values or key.source for key in batch.keys):
            needed.append("translation_write")
        if params.mode == "replace":
            needed.append("key_delete")
        for permission in needed:
            scope = scope_of(run.project)
            self._access.require(caller, permission, scope, ProjectNotFound)
        return run


def _counted(keys: Sequence[ImportedKey]) -> list[tuple[int, list[ImportedKey]]]:
    """Parts of the keys, each with how many there are up to its end."""
    counted, done = [], 0
    for some in in_parts(keys, KEYS_AT_ONCE):
        done += len(some)
        counted.append((done, some))
    return counted


def _settle(run: ImportRun) -> None:
    """Refuse what ``onConflict: fail`` refuses."""
    found = run.result.conflict_count
    if found and run.params.on_conflict == "fail":
        first = run.result.conflicts[0]
        differ = "1 text differs" if found == 1 else f"{found} texts differ"
        message = f"{differ}, first {first.key} in"
        raise ImportConflict(f"{message} {first.language_code}; nothing changed")
