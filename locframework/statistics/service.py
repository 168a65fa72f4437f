"""What one can ask about how far languages are."""

from locframework.access.records import Caller
from locframework.branches.service import Branches
from locframework.projects.service import Projects

from .records import Statistics
from .rules import statistics_of
from .store import StatisticsStorage


class ProjectStatistics:
    """Statistics of projects and of their branches."""

    def __init__(
        self, storage: StatisticsStorage, projects: Projects, branches: Branches
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches

    def get_statistics(
        self, caller: Caller, project_id: str, *, branch: str | None = None
    ) -> Statistics:
        """Exact counts of keys and words; ``branch`` is a name or id, None is main.

        Raises ProjectNotFound, PermissionDenied, BranchNotFound, BranchNotOpen. A
        constant number of statements, none of which scans what a project holds.
        """
        project = self._projects.require(caller, "statistics_read", project_id)
        scope = self._branches.scope(project, branch)
        with self._storage.snapshot():
            counts = self._storage.statistics.counts_of(project.id, scope.branch_id)
        since = scope.branch.created_at if scope.branch else project.created_at
        return statistics_of(counts, project.source_language, since)
