"""Undoes what somebody, a job, a time or a merge changed: all of it, or nothing."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from locframework.access.records import Renewed
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.branches.service import require_writable
from locframework.errors import PermissionDenied, ProjectNotFound
from locframework.events import EventFilter
from locframework.files.service import Files
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.trash import KeyTrash
from locframework.keys.writer import KeyWriter
from locframework.projects.service import scope_of
from locframework.storage import Storage
from locframework.transactions import crash_point

from .branches_then import BranchesThen
from .line_revert import LineRevert
from .past import KeysLost, skip_all
from .records import RevertResult
from .undoing import by_line

TYPE = "revert"
PERMISSION = "translation_approve"

Lost = dict[str, set[str]]
"""Keys that cannot come back on a branch, by its id."""


class RevertParams(Struct, frozen=True):
    """What a revert job is given."""

    where: EventFilter
    dry_run: bool


class RevertJob:
    """The handler of revert jobs."""

    type = TYPE

    def __init__(
        self,
        storage: Storage,
        access: Access,
        files: Files,
        writer: KeyWriter,
        moves: KeyTrash,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._access = access
        self._renewed = renewed
        self._findings = writer.findings
        self._lines = LineRevert(storage, access, files, writer, moves)

    def run(self, job: StoredJob, work: Work) -> None:
        """Undo it in one transaction with the job's end.

        Which keys of a branch would come back and be gone at once, with main's, shows
        when all is done: then it is done anew without them. Raises BranchProtected
        when main was protected since the request, PermissionDenied when the rights
        are gone: they are those of the moment.
        """
        params = msgspec.convert(job.params, RevertParams)
        act = self._try_out if params.dry_run else self._do
        lost: Lost = {}
        self._findings.prepare(job.project_id)
        while True:
            try:
                act(job, work, params, lost)
            except KeysLost as found:
                lost.setdefault(found.branch_id, set()).update(found.key_ids)
            else:
                return

    def _do(self, job: StoredJob, work: Work, params: RevertParams, lost: Lost) -> None:
        with work.finish() as outcome:
            result = self._revert(job, work, params, lost)
            outcome.result = msgspec.to_builtins(result)
            crash_point("revert.before_commit")
        crash_point("revert.after_commit")

    def _try_out(
        self, job: StoredJob, work: Work, params: RevertParams, lost: Lost
    ) -> None:
        """Do it all and take it back, so that it tells what would be done."""
        try:
            with self._storage.transaction():
                self._storage.projects.lock(job.project_id)
                raise _TakenBack(self._revert(job, work, params, lost))
        except _TakenBack as done:
            result = done.result
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(result)

    def _revert(
        self, job: StoredJob, work: Work, params: RevertParams, lost: Lost
    ) -> RevertResult:
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        self._access.require(caller, PERMISSION, scope_of(project), ProjectNotFound)
        result = RevertResult(dry_run=params.dry_run)
        branches = BranchesThen(self._storage.branches, project.id)
        events = self._storage.events.walk_events(project.id, params.where)
        languages = self._storage.projects.list_languages(project.id)
        changes = by_line(events, branches.of, languages, params.where.key_id)
        merges = {id_ for each in changes.values() for id_ in each.merges}
        for where in sorted(changes):
            if where.merged:
                # a merge is undone as a whole, when that is asked for
                if params.where.line is None and where.branch_id not in merges:
                    skip_all(result, changes[where], "branch_merged")
                continue
            line = BranchScope(project, branches.by_id.get(where.branch_id))
            if line.branch is not None and line.branch.status != "open":
                continue  # nothing can be read or written there any more
            require_writable(line)
            run = self._lines.begin(caller, line, languages, changes[where], result)
            run.lost = lost.get(where.branch_id, ())
            self._lines.undo(run, work)
        return result


class _TakenBack(Exception):
    """Ends the transaction of a dry run with nothing written."""

    def __init__(self, result: RevertResult) -> None:
        super().__init__()
        self.result = result
