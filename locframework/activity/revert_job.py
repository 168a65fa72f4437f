"""Undoes what somebody, a job, a time or a merge changed: all of it, or nothing."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from locframework.access.service import Access
from locframework.branches.records import Line
from locframework.branches.service import require_writable
from locframework.crash_points import crash_point
from locframework.errors import ProjectNotFound
from locframework.events import EventFilter
from locframework.files.service import Files
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.moves import KeyMoves
from locframework.keys.writer import KeyWriter
from locframework.storage import Storage

from .line_revert import LineRevert
from .records import RevertResult
from .undoing import LineChanges, by_line

TYPE = "revert"
PERMISSION = "translation_approve"


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
        moves: KeyMoves,
    ) -> None:
        self._storage = storage
        self._lines = LineRevert(storage, access, files, writer, moves)

    def run(self, job: StoredJob, work: Work) -> None:
        """Undo it in one transaction with the job's end.

        Raises BranchProtected when main was protected since the request.
        """
        params = msgspec.convert(job.params, RevertParams)
        if params.dry_run:
            self._try_out(job, work, params)
            return
        with work.finish() as outcome:
            result = self._revert(job, work, params)
            outcome.result = msgspec.to_builtins(result)
            crash_point("revert.before_commit")
        crash_point("revert.after_commit")

    def _try_out(self, job: StoredJob, work: Work, params: RevertParams) -> None:
        """Do it all and take it back, so that it tells what would be done."""
        try:
            with self._storage.transaction():
                self._storage.projects.lock_project(job.project_id)
                raise _TakenBack(self._revert(job, work, params))
        except _TakenBack as done:
            result = done.result
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(result)

    def _revert(self, job: StoredJob, work: Work, params: RevertParams) -> RevertResult:
        project = self._storage.projects.find_project(job.project_id)
        if project is None:
            raise ProjectNotFound
        result = RevertResult(dry_run=params.dry_run)
        changes = by_line(self._storage.events.walk_events(project.id, params.where))
        languages = self._storage.projects.list_languages(project.id)
        for name in sorted(changes, key=lambda name: name or ""):
            line = self._line(Line(project), name, changes[name])
            if line is None:
                continue  # nothing can be read or written there any more
            require_writable(line)
            run = self._lines.begin(job.caller, line, languages, changes[name], result)
            self._lines.undo(run, work)
        return result

    def _line(self, main: Line, name: str | None, changes: LineChanges) -> Line | None:
        """The line as it is now; None for a branch that ended."""
        if name is None:
            return main
        branch = self._storage.branches.find_branch(main.project.id, name)
        if branch is None or branch.status != "open":
            return None
        if changes.first_at < branch.created_at:
            return None  # of another that had the name
        return Line(main.project, branch)


class _TakenBack(Exception):
    """Ends the transaction of a dry run with nothing written."""

    def __init__(self, result: RevertResult) -> None:
        super().__init__()
        self.result = result
