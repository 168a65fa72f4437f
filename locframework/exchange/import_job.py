"""Does imports: everything that a batch says in one transaction, or nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.branches.records import Line
from locframework.branches.service import Branches, require_writable
from locframework.clock import Clock, timestamp
from locframework.crash_points import crash_point
from locframework.errors import (
    ImportConflict,
    PermissionDenied,
    ProjectNotFound,
    Unavailable,
)
from locframework.events import EventLog
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.events import KeyEvents
from locframework.keys.records import Key
from locframework.keys.store import KeyStore, store_of
from locframework.keys.working_set import WorkingSet
from locframework.keys.writer import KeyWriter
from locframework.projects.records import Language, Project
from locframework.projects.service import scope_of
from locframework.storage import Storage

from .details import DetailKeeper
from .records import (
    ImportBatch,
    ImportedKey,
    ImportMode,
    ImportResult,
    OnConflict,
)
from .rules import ImportRules, KeyPlan, count, plan_key, warn

TYPE = "import"
PERMISSION = "import_run"
KEYS_AT_ONCE = 1000

_decoder = msgspec.msgpack.Decoder(ImportBatch)


class ImportParams(Struct, frozen=True, rename="camel"):
    """What an import job is given."""

    blob: str  # the batch, msgpack
    store: str
    mode: ImportMode
    on_conflict: OnConflict
    dry_run: bool
    tags: tuple[str, ...]
    module: str | None
    branch: str | None = None  # its id; None: main


class ImportJob:
    """The handler of import jobs."""

    type = TYPE

    def __init__(
        self,
        storage: Storage,
        access: Access,
        branches: Branches,
        writer: KeyWriter,
        blobs: Blobs,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._access = access
        self._branches = branches
        self._writer = writer
        self._blobs = blobs
        self._events = events
        self._clock = clock

    def run(self, job: StoredJob, work: Work) -> None:
        """Apply the batch in one transaction with the job's end.

        A dry run plans the same against one moment of the project, and writes
        nothing. Raises ImportConflict, BranchProtected, PermissionDenied and the
        refusals of KeyWriter for what changed since the request.
        """
        params = msgspec.convert(job.params, ImportParams)
        batch = self._batch(params)
        if params.dry_run:
            with self._storage.snapshot():
                result = self._run(job, work, params, batch)
            with work.finish() as outcome:
                outcome.result = msgspec.to_builtins(result)
            return
        with work.finish() as outcome:
            result = self._run(job, work, params, batch)
            outcome.result = msgspec.to_builtins(result)
            crash_point("import.before_commit")
        crash_point("import.after_commit")

    def _batch(self, params: ImportParams) -> ImportBatch:
        content = self._blobs.get(params.blob, store=params.store)
        if content is None:
            raise Unavailable("what was read of the file is gone; import it again")
        return _decoder.decode(content)

    def _run(
        self, job: StoredJob, work: Work, params: ImportParams, batch: ImportBatch
    ) -> ImportResult:
        project = self._storage.projects.find_project(job.job.project_id)
        if project is None:
            raise ProjectNotFound
        line = self._branches.line(project, params.branch)
        require_writable(line)
        run = _Run(
            caller=job.caller,
            line=line,
            store=store_of(self._storage, line),
            languages=self._storage.projects.list_languages(project.id),
            params=params,
            rules=self._rules(job.caller, project, params),
            result=ImportResult(dry_run=params.dry_run),
        )
        warn(run.result, batch.warnings)
        self._apply_keys(run, work, batch)
        if params.mode == "replace":
            self._remove_others(run, {key.name for key in batch.keys})
        self._settle(run, job)
        return run.result

    def _rules(
        self, caller: Caller, project: Project, params: ImportParams
    ) -> ImportRules:
        scope, source = scope_of(project), project.source_language
        return ImportRules(
            on_conflict=params.on_conflict,
            tags=params.tags,
            source_language=source,
            fill_source=self._access.may_write_language(caller, scope, source),
            may_describe=self._access.may(caller, "key_update", scope),
            may_approve=self._access.may(caller, "translation_approve", scope),
        )

    def _apply_keys(self, run: _Run, work: Work, batch: ImportBatch) -> None:
        details = DetailKeeper(run.store, run.project, batch)
        done, total = 0, len(batch.keys)
        for some in _chunks(batch.keys):
            work.check_cancelled()
            there = self._load(run, some)
            plans = self._plan(run, some, there)
            if not run.params.dry_run:
                self._write(run, plans, there)
                details.keep(some, there)
            done += len(some)
            work.report(done, total)
            crash_point("import.after_batch")
        if not run.params.dry_run:
            details.keep_files(run.params.module)
        crash_point("import.after_keys")

    def _load(self, run: _Run, some: Sequence[ImportedKey]) -> WorkingSet:
        """The keys as they are, with values in the languages that are written.

        With all values where a key may turn plural: that moves every one.
        """
        names = [key.name for key in some]
        codes = {run.project.source_language}.union(*(key.values for key in some))
        there = self._writer.load(run.line, names, codes)
        for key in some:
            old = there.named(key.name)
            if key.is_plural and old is not None and not old.is_plural:
                return self._writer.load(run.line, names)
        return there

    def _plan(
        self, run: _Run, some: Sequence[ImportedKey], there: WorkingSet
    ) -> list[KeyPlan]:
        plans = []
        for new in some:
            old = there.named(new.name)
            rows = there.values(old.id).values() if old is not None else ()
            plan = plan_key(new, old, rows, run.rules)
            count(run.result, plan, is_new=old is None)
            plans.append(plan)
        if run.result.keys_created:
            self._require(run, "key_create")
        return plans

    def _write(self, run: _Run, plans: Sequence[KeyPlan], there: WorkingSet) -> None:
        writes = [plan.write for plan in plans if plan.write is not None]
        self._writer.write(
            run.caller,
            run.line,
            run.languages,
            writes,
            origin="import",
            loaded=there,
        )

    def _remove_others(self, run: _Run, names: set[str]) -> None:
        """Move to the trash what the files do not name, below the module if given."""
        self._require(run, "key_delete")
        for language in run.languages:
            scope, tag = scope_of(run.project), language.language_code
            self._access.require_language(run.caller, scope, tag)
        module, separator = run.params.module, run.project.key_separator
        prefix = f"{module}{separator}" if module is not None else ""
        there = run.store.names_of(run.project.id, prefix=prefix)
        gone = [there[name] for name in sorted(there) if name not in names]
        run.result.keys_removed = len(gone)
        if gone and not run.params.dry_run:
            keys = run.store.find_keys(run.project.id, gone)
            now = timestamp(self._clock())
            run.store.trash_keys(run.project.id, gone, now)
            self._writer.overlays.follow(run.line, gone)
            self._tell_removed(run, [keys[id_] for id_ in gone])

    def _tell_removed(self, run: _Run, keys: Sequence[Key]) -> None:
        events = KeyEvents(self._events, run.caller.actor, run.line)
        events.deleted(keys)
        events.append({})

    def _settle(self, run: _Run, job: StoredJob) -> None:
        """Refuse what ``onConflict: fail`` refuses; else tell that it is done."""
        found = run.result.conflict_count
        if found and run.params.on_conflict == "fail":
            first = run.result.conflicts[0]
            message = f"{found} texts differ, first {first.key} in"
            raise ImportConflict(f"{message} {first.language_code}; nothing changed")
        if run.params.dry_run:
            return
        self._events.append(
            "import.completed",
            organization_id=run.project.organization_id,
            project_id=run.project.id,
            actor=run.caller.actor,
            items=[{"jobId": job.job.id}],
            branch=run.line.name,
        )

    def _require(self, run: _Run, permission: str) -> None:
        """For what changed between the request and now."""
        if not self._access.may(run.caller, permission, scope_of(run.project)):
            raise PermissionDenied(permission)


class _Run(Struct):
    """One import while it is done."""

    caller: Caller
    line: Line
    store: KeyStore  # of the line
    languages: Sequence[Language]
    params: ImportParams
    rules: ImportRules
    result: ImportResult

    @property
    def project(self) -> Project:
        return self.line.project


def _chunks(keys: Sequence[ImportedKey]) -> Iterator[list[ImportedKey]]:
    rest = iter(keys)
    while some := list(islice(rest, KEYS_AT_ONCE)):
        yield some
