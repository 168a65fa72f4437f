"""Imports texts into a project: small files at once, large ones in steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec
from msgspec import Struct

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    ImportConflict,
    PermissionDenied,
    ProjectNotFound,
    Unavailable,
)
from locframework.events import EventLog
from locframework.file_import.imports import ImportState, write_in_steps
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.records import FileDetail, KeyWrite, StoredKey
from locframework.keys.store import KeyStore, KeyStores, store_of
from locframework.keys.writing.trash import KeyTrash, raise_first
from locframework.keys.writing.unit_of_work import UnitOfWork
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.records import Language, Project
from locframework.projects.service import scope_of
from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions, crash_point

from .records import ImportBatch, ImportedKey, ImportParams, ImportResult
from .rules import ImportRules, count, plan_key, warn

TYPE = "import"
PERMISSION = "import_run"
KEYS_AT_ONCE = 1000  # planned and written together
KEYS_A_STEP = 2000  # other writers wait meanwhile, for less than a second
LANGUAGES_OF_A_STEP = 5
"""In a project with more a step has fewer keys: each may have texts in all of them,
or make its translations outdated."""

_decoder = msgspec.msgpack.Decoder(ImportBatch)


class ImportStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    projects: ProjectStore


class _Task(Struct, frozen=True):
    job: StoredJob
    work: Work
    params: ImportParams
    batch: ImportBatch


class _Run(Struct):
    """One transaction of an import, with the project and the rights as they are now."""

    caller: Caller
    scope: BranchScope
    store: KeyStore  # of the scope
    languages: Sequence[Language]
    params: ImportParams
    rules: ImportRules
    result: ImportResult

    @property
    def project(self) -> Project:
        return self.scope.project


@dataclass(eq=False, repr=False)
class ImportJob:
    """The handler of import jobs."""

    type = TYPE

    _storage: ImportStorage
    _access: Access
    _branches: Branches
    _writer: KeyWriter
    _trash: KeyTrash
    _blobs: Blobs
    _events: EventLog
    _renewed: Renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """Import the batch, in steps of up to 2,000 keys; the last ends the job too.

        An import of several steps is checked first, so that what is refused changes
        nothing, unless others change the project between two steps. With ``onConflict:
        fail`` everything is one transaction, whatever its size. A dry run checks the
        same against one moment of the project. Raises ImportConflict, BranchProtected,
        PermissionDenied and the refusals of KeyWriter.
        """
        params = msgspec.convert(job.params, ImportParams)
        content = self._blobs.get(params.blob, store=params.store)
        if content is None:
            message = "what was read from the file has been lost; import it again"
            raise Unavailable(message)
        batch = _decoder.decode(content)
        task = _Task(job, work, params, batch)
        result = ImportResult(params.dry_run, files=batch.sources)
        warn(result, batch.warnings)
        if params.dry_run:
            self._check(task, result)
            with work.finish() as outcome:
                outcome.result = msgspec.to_builtins(result)
            return
        languages = len(self._storage.projects.list_languages(job.project_id))
        size = KEYS_A_STEP * LANGUAGES_OF_A_STEP // max(LANGUAGES_OF_A_STEP, languages)
        size = max(1, size)
        if params.on_conflict == "fail":
            size = max(size, len(batch.keys))
        if job.step is not None:
            state = msgspec.convert(job.step, ImportState)
        else:
            if len(batch.keys) > size:
                self._check(task, ImportResult(dry_run=True))
            state = ImportState(len(batch.keys), msgspec.to_builtins(result))
        self._write_batch(task, state, size)

    def _check(self, task: _Task, result: ImportResult) -> None:
        """Do all that the import does but write, and raise what it would raise."""
        batch, params = task.batch, task.params
        with self._storage.snapshot():
            run = self._begin(task, result)
            for start in range(0, len(batch.keys), KEYS_AT_ONCE):
                task.work.check_cancelled()
                self._write_keys(run, batch.keys[start : start + KEYS_AT_ONCE])
                if params.dry_run:
                    done = min(start + KEYS_AT_ONCE, len(batch.keys))
                    task.work.report(done, len(batch.keys))
            if params.mode == "replace":
                self._remove_others(run, batch)
            _refuse_conflicts(run)

    def _write_batch(self, task: _Task, state: ImportState, size: int) -> None:
        work, batch, project_id = task.work, task.batch, task.job.project_id

        def steps() -> Iterator[list[ImportedKey]]:
            for start in range(state.done, len(batch.keys), size):
                self._writer.prepare_checks(project_id)
                yield batch.keys[start : start + size]

        def write(keys: Sequence[ImportedKey]) -> None:
            run = self._begin(task, msgspec.convert(state.result, ImportResult))
            self._write_step(task, run, keys)
            state.result = msgspec.to_builtins(run.result)

        last = write_in_steps(work, state, steps(), write, "import.after_step")
        self._writer.prepare_checks(project_id)
        with work.finish() as outcome:
            run = self._begin(task, msgspec.convert(state.result, ImportResult))
            self._write_step(task, run, last)
            module = task.params.module or ""
            run.store.put_details(
                [
                    FileDetail(
                        project_id=project_id,
                        family=each.family,
                        key_id="",
                        module=module,
                        language_code=each.language_code,
                        detail=each.detail,
                    )
                    for each in batch.files
                ]
            )
            work.report(len(batch.keys), len(batch.keys))
            crash_point("import.after_keys")
            if task.params.mode == "replace":
                self._remove_others(run, batch)
            _refuse_conflicts(run)
            self._events.append(
                "import.completed",
                organization_id=run.project.organization_id,
                project_id=project_id,
                actor=run.caller.actor,
                items=[{"jobId": task.job.job.id}],
                branch=run.scope.name,
            )
            outcome.result = msgspec.to_builtins(run.result)
            crash_point("import.before_commit")
        crash_point("import.after_commit")

    def _write_step(self, task: _Task, run: _Run, keys: Sequence[ImportedKey]) -> None:
        for start in range(0, len(keys), KEYS_AT_ONCE):
            task.work.check_cancelled()
            part = keys[start : start + KEYS_AT_ONCE]
            written = self._write_keys(run, part)
            _keep_details(run, part, written)
            if task.params.on_conflict == "fail":  # all in one long transaction
                task.work.report(start + len(part), len(task.batch.keys))
            crash_point("import.after_batch")

    def _begin(self, task: _Task, result: ImportResult) -> _Run:
        """Raises ProjectNotFound, BranchNotFound, BranchNotOpen, BranchProtected,
        PermissionDenied."""
        job, params, batch = task.job, task.params, task.batch
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        scope = self._branches.scope(project, params.branch)
        access_scope = scope_of(project)
        require_writable(scope)
        needed = [PERMISSION]
        if any(key.values or key.source for key in batch.keys):
            needed.append("translation_write")
        if params.mode == "replace":
            needed.append("key_delete")
        for permission in needed:
            self._access.require(caller, permission, access_scope, ProjectNotFound)
        may, source = self._access.may, project.source_language
        return _Run(
            caller=caller,
            scope=scope,
            store=store_of(self._storage, scope),
            languages=self._storage.projects.list_languages(project.id),
            params=params,
            rules=ImportRules(
                on_conflict=params.on_conflict,
                tags=params.tags,
                source_language=source,
                fill_source=self._access.may_write_language(
                    caller, access_scope, source
                ),
                may_describe=may(caller, "key_update", access_scope),
                keep_fresh=params.keep_fresh,
                may_approve=may(caller, "translation_approve", access_scope),
            ),
            result=result,
        )

    def _write_keys(self, run: _Run, keys: Sequence[ImportedKey]) -> UnitOfWork:
        """Plan and write keys, and count them; in a dry run nothing is written."""
        loaded = self._load(run, keys)
        writes: list[KeyWrite] = []
        created = run.result.keys_created
        is_counted = run.params.dry_run or not run.result.dry_run
        codes: set[str] = set()
        for new in keys:
            old = loaded.named(new.name)
            if old is None and not is_counted and self._writer.veto is None:
                # nothing else can refuse a new key
                run.result.keys_created += 1
                codes.update(new.values)
                continue
            rows = loaded.values(old.id).values() if old is not None else ()
            plan = plan_key(new, old, rows, run.rules)
            count(run.result, plan, is_new=old is None)
            if plan.write is not None:
                writes.append(plan.write)
        if run.result.keys_created > created:
            self._require(run, "key_create")
        for code in codes:
            self._access.require_language(run.caller, scope_of(run.project), code)
        self._writer.write(
            run.caller,
            run.scope,
            run.languages,
            writes,
            origin="import",
            loaded=loaded,
            dry_run=run.result.dry_run,
        )
        return loaded

    def _load(self, run: _Run, keys: Sequence[ImportedKey]) -> UnitOfWork:
        """Load the keys with values in the languages that are written; with all values
        where a key may turn plural, which moves every one."""
        names = [key.name for key in keys]
        codes = {run.project.source_language}.union(*(key.values for key in keys))
        loaded = self._writer.load(run.scope, (), names, codes)
        for key in keys:
            old = loaded.named(key.name) if key.is_plural else None
            if old is not None and not old.is_plural:
                return self._writer.load(run.scope, (), names)
        return loaded

    def _remove_others(self, run: _Run, batch: ImportBatch) -> None:
        """Trash the keys that the upload does not name, below the module if one is
        given. They go with all their texts: needs every language."""
        self._require(run, "key_delete")
        for language in run.languages:
            code, access_scope = language.language_code, scope_of(run.project)
            self._access.require_language(run.caller, access_scope, code)
        module, separator = run.params.module, run.project.key_separator
        prefix = f"{module}{separator}" if module is not None else ""
        names = {key.name for key in batch.keys}.union(batch.left_out)
        existing = run.store.names_of(run.project.id, prefix=prefix)
        ids = [existing[name] for name in sorted(existing) if name not in names]
        found = run.store.find_keys(run.project.id, ids) if ids else {}
        keys = [found[id_] for id_ in ids]
        for others in (keys, self._keys_of_main(run, keys)):
            run.result.keys_removed += len(others)
            refusals = self._trash.check_trash(
                run.caller, run.scope, others, origin="import"
            )
            raise_first(refusals)
            if not run.result.dry_run:
                self._trash.trash(run.caller, run.scope, others)

    def _keys_of_main(self, run: _Run, removed: Sequence[StoredKey]) -> list[StoredKey]:
        """Return the keys of main that would appear on the branch once its own keys
        with their names are removed."""
        if run.scope.branch is None or not removed:
            return []
        project_id, names = run.project.id, [key.key for key in removed]
        on_main = self._storage.keys.find_keys(project_id, names=names)
        known = {*run.store.find_keys(project_id, on_main)}
        known |= run.store.find_keys(project_id, on_main, in_trash=True).keys()
        return [key for key in on_main.values() if key.id not in known]

    def _require(self, run: _Run, permission: str) -> None:
        if not self._access.may(run.caller, permission, scope_of(run.project)):
            raise PermissionDenied(permission)


def _refuse_conflicts(run: _Run) -> None:
    """Refuse conflicts as ``onConflict: fail`` asks."""
    found = run.result.conflict_count
    if found and run.params.on_conflict == "fail":
        first = run.result.conflicts[0]
        differ = "1 text differs" if found == 1 else f"{found} texts differ"
        message = f"{differ}, first {first.key} in"
        raise ImportConflict(f"{message} {first.language_code}; nothing changed")


def _keep_details(run: _Run, keys: Sequence[ImportedKey], written: UnitOfWork) -> None:
    """Keep what the files have beyond our model, so that an export has it again.

    Details that are kept already are not written.
    """
    new: list[FileDetail] = []
    known: dict[tuple[str, str], list[FileDetail]] = defaultdict(list)
    for key in keys:
        stored = written.named(key.name) if key.details else None
        if stored is None:
            continue
        for each in key.details:
            family, code = each.family, each.language_code
            detail = FileDetail(
                project_id=run.project.id,
                family=family,
                key_id=stored.id,
                module="",
                language_code=code,
                detail=each.detail,
            )
            if written.edits[stored.id].stored is None:
                new.append(detail)
            else:
                known[family, code].append(detail)
    if new:
        run.store.put_details(new, are_new=True)
    changed: list[FileDetail] = []
    for place, details in known.items():
        ids = [each.key_id for each in details]
        found = run.store.details_of(run.project.id, *place, ids)
        kept = {each.key_id: each for each in found}
        changed += [each for each in details if kept.get(each.key_id) != each]
    if changed:
        run.store.put_details(changed)
