"""Applies keys of a batch to a line, inside a transaction that somebody else opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import PermissionDenied, ProjectNotFound
from locframework.events import EventLog
from locframework.jobs.records import StoredJob
from locframework.keys.records import KeyWrite, StoredKey
from locframework.keys.store import KeyStore, store_of
from locframework.keys.writing.trash import KeyTrash, raise_first
from locframework.keys.writing.unit_of_work import UnitOfWork
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.records import Language, Project
from locframework.projects.service import scope_of

from .details import DetailKeeper
from .records import ImportBatch, ImportedKey, ImportParams, ImportResult
from .rules import ImportRules, count, plan_key
from .store import ImportStorage

KEYS_AT_ONCE = 1000  # planned and written together


class ImportRun(Struct):
    """One import while it is done, as the project is in the open transaction."""

    caller: Caller
    scope: BranchScope
    store: KeyStore  # of the line
    languages: Sequence[Language]
    params: ImportParams
    rules: ImportRules
    result: ImportResult

    @property
    def project(self) -> Project:
        return self.scope.project


class Importer:
    """What a step of an import does to keys and values."""

    def __init__(
        self,
        storage: ImportStorage,
        access: Access,
        branches: Branches,
        writer: KeyWriter,
        moves: KeyTrash,
        events: EventLog,
    ) -> None:
        self._storage = storage
        self._access = access
        self._branches = branches
        self._writer = writer
        self._events = events
        self._moves = moves

    def begin(
        self, job: StoredJob, caller: Caller, params: ImportParams, result: ImportResult
    ) -> ImportRun:
        """The line as it is now, for a caller with the rights of this moment.

        Raises ProjectNotFound, BranchNotFound, BranchNotOpen, BranchProtected.
        """
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        scope = self._branches.scope(project, params.branch)
        require_writable(scope)
        return ImportRun(
            caller=caller,
            scope=scope,
            store=store_of(self._storage, scope),
            languages=self._storage.projects.list_languages(project.id),
            params=params,
            rules=self._rules(caller, project, params),
            result=result,
        )

    def judge(self, run: ImportRun, keys: Sequence[ImportedKey]) -> None:
        """Add to the result what would become of the keys, or raise what ``write``
        would; change nothing of the project."""
        writes, there = self._plan(run, keys)
        self._writer.write(
            run.caller, run.scope, run.languages, writes,
            origin="import", loaded=there, dry_run=True,
        )  # fmt: skip

    def write(
        self, run: ImportRun, keys: Sequence[ImportedKey], details: DetailKeeper
    ) -> None:
        """Write the keys, and what the files say of them beyond our model."""
        writes, there = self._plan(run, keys)
        self._writer.write(
            run.caller, run.scope, run.languages, writes, origin="import", loaded=there
        )
        details.keep(keys, there)

    def judge_removal(self, run: ImportRun, batch: ImportBatch) -> None:
        """Raise what ``remove_others`` would; change nothing of the project."""
        for gone in self._others(run, batch):
            raise_first(
                self._moves.check_trash(run.caller, run.scope, gone, origin="import")
            )

    def remove_others(self, run: ImportRun, batch: ImportBatch) -> None:
        """Trash what the upload does not name, below the module if one is given."""
        others = self._others(run, batch)
        run.result.keys_removed = sum(map(len, others))
        for gone in others:
            raise_first(
                self._moves.check_trash(run.caller, run.scope, gone, origin="import")
            )
            if not run.params.dry_run:
                self._moves.trash(run.caller, run.scope, gone)

    def _others(
        self, run: ImportRun, batch: ImportBatch
    ) -> tuple[list[StoredKey], ...]:
        """The keys that go, by name, and those that come into sight thereby. They go
        with all their texts: raises when one may not be written."""
        self._require(run, "key_delete")
        for language in run.languages:
            access_scope, tag = scope_of(run.project), language.language_code
            self._access.require_language(run.caller, access_scope, tag)
        module, separator = run.params.module, run.project.key_separator
        prefix = f"{module}{separator}" if module is not None else ""
        names = {key.name for key in batch.keys}.union(batch.left_out)
        there = run.store.names_of(run.project.id, prefix=prefix)
        gone = [there[name] for name in sorted(there) if name not in names]
        keys = run.store.find_keys(run.project.id, gone) if gone else {}
        found = [keys[id_] for id_ in gone]
        return found, self._beneath(run, found)

    def _beneath(self, run: ImportRun, gone: Sequence[StoredKey]) -> list[StoredKey]:
        """Main's keys that are out of sight on a branch while its own have their
        names."""
        if run.scope.branch is None or not gone:
            return []
        project_id, names = run.project.id, [key.key for key in gone]
        mains = self._storage.keys.find_keys_by_name(project_id, names)
        ids = [key.id for key in mains.values()]
        known = {*run.store.find_keys(project_id, ids)}
        known |= run.store.trashed(project_id, ids).keys()
        return [key for key in mains.values() if key.id not in known]

    def tell_completed(self, run: ImportRun, job: StoredJob) -> None:
        self._events.append(
            "import.completed",
            organization_id=run.project.organization_id,
            project_id=run.project.id,
            actor=run.caller.actor,
            items=[{"jobId": job.job.id}],
            branch=run.scope.name,
        )

    def _rules(
        self, caller: Caller, project: Project, params: ImportParams
    ) -> ImportRules:
        access_scope, source = scope_of(project), project.source_language
        return ImportRules(
            on_conflict=params.on_conflict,
            tags=params.tags,
            source_language=source,
            fill_source=self._access.may_write_language(caller, access_scope, source),
            may_describe=self._access.may(caller, "key_update", access_scope),
            keep_fresh=params.keep_fresh,
            may_approve=self._access.may(caller, "translation_approve", access_scope),
        )

    def _plan(
        self, run: ImportRun, keys: Sequence[ImportedKey]
    ) -> tuple[list[KeyWrite], UnitOfWork]:
        there = self._load(run, keys)
        writes = []
        created = run.result.keys_created
        for new in keys:
            old = there.named(new.name)
            rows = there.values(old.id).values() if old is not None else ()
            plan = plan_key(new, old, rows, run.rules)
            count(run.result, plan, is_new=old is None)
            if plan.write is not None:
                writes.append(plan.write)
        if run.result.keys_created > created:
            self._require(run, "key_create")
        return writes, there

    def _load(self, run: ImportRun, some: Sequence[ImportedKey]) -> UnitOfWork:
        """The keys as they are, with values in the languages that are written.

        With all values where a key may turn plural: that moves every one.
        """
        names = [key.name for key in some]
        codes = {run.project.source_language}.union(*(key.values for key in some))
        there = self._writer.load(run.scope, (), names, codes)
        for key in some:
            old = there.named(key.name) if key.is_plural else None
            if old is not None and not old.is_plural:
                return self._writer.load(run.scope, (), names)
        return there

    def _require(self, run: ImportRun, permission: str) -> None:
        """For what changed between the request and now."""
        if not self._access.may(run.caller, permission, scope_of(run.project)):
            raise PermissionDenied(permission)


def in_parts(keys: Sequence[ImportedKey], size: int) -> Iterator[list[ImportedKey]]:
    """The keys, so many at once."""
    rest = iter(keys)
    while some := list(islice(rest, size)):
        yield some
