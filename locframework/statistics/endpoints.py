"""Statistics over HTTP."""

from typing import Annotated

from locframework.access.records import Caller
from locframework.http.operation import operation
from locframework.http.records import BranchQuery, Wrapped

from .records import Statistics
from .service import ProjectStatistics

StatisticsAnswer = Annotated[Statistics, Wrapped("statistics")]


class StatisticsEndpoints:
    """Declares the operation of the statistics area."""

    tag = "Statistics"

    def __init__(self, statistics: ProjectStatistics) -> None:
        self._statistics = statistics

    @operation("GET", "/projects/{projectId}/statistics", permission="statistics_read")
    def get_statistics(
        self, caller: Caller, project_id: str, query: BranchQuery
    ) -> StatisticsAnswer:
        """Get how far each language is, in keys and in words of the source texts.

        A key counts once per language, by the worst state of its texts. Percentages are
        of keys, rounded down to one decimal; of an empty project they are 100.
        """
        return self._statistics.get_statistics(caller, project_id, branch=query.branch)
