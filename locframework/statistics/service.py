"""Reads statistics, and reports when a language has become complete."""

from collections.abc import Callable
from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.branches.service import Branches, BranchScope
from locframework.events import Actor, EventLog
from locframework.projects.service import Projects

from .records import Statistics, statistics_of
from .store import StatisticsStorage


@dataclass(eq=False, repr=False)
class ProjectStatistics:
    """Statistics of projects and of their branches."""

    _storage: StatisticsStorage
    _projects: Projects
    _branches: Branches

    def get_statistics(
        self, caller: Caller, project_id: str, *, branch: str | None = None
    ) -> Statistics:
        """Return exact counts of main, or of a ``branch``, in a constant number of
        statements. Raises ProjectNotFound, PermissionDenied, BranchNotFound,
        BranchNotOpen."""
        project = self._projects.require(caller, "statistics_read", project_id)
        scope = self._branches.scope(project, branch)
        with self._storage.snapshot():
            counts = self._storage.statistics.counts_of(project.id, scope.branch_id)
        since = scope.branch.created_at if scope.branch else project.created_at
        return statistics_of(counts, project.source_language, since)


class Completion:
    """Appends ``language.completed``, once for each transaction that completes one. A
    language is complete when every key has a text in it."""

    def __init__(self, storage: StatisticsStorage, events: EventLog) -> None:
        self._storage = storage
        self._events = events

    def watch(self, actor: Actor, scope: BranchScope) -> None:
        """Note which languages are complete, in the transaction, before keys or texts
        are written. Called again, it does nothing."""
        name = (Completion, scope.project.id, scope.branch_id)
        self._storage.before_commit(name, lambda: self._begin(actor, scope))

    def _begin(self, actor: Actor, scope: BranchScope) -> Callable[[], None]:
        before = self._complete(scope)
        return lambda: self._end(actor, scope, before)

    def _end(self, actor: Actor, scope: BranchScope, before: set[str]) -> None:
        new = self._complete(scope) - before
        if not new or self._is_empty(scope):
            return
        self._events.append(
            "language.completed",
            organization_id=scope.project.organization_id,
            project_id=scope.project.id,
            actor=actor,
            items=[
                {"languageId": each.id, "languageCode": each.language_code}
                for each in self._storage.projects.list_languages(scope.project.id)
                if each.language_code in new
            ],
            branch=scope.name,
        )

    def _is_empty(self, scope: BranchScope) -> bool:
        """Without keys every language is complete, but that concerns nobody."""
        counts = self._storage.statistics.counts_of(scope.project.id, scope.branch_id)
        return counts.key_count == 0

    def _complete(self, scope: BranchScope) -> set[str]:
        store = self._storage.statistics
        return store.complete_languages(scope.project.id, scope.branch_id)
