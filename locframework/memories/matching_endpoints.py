"""Fuzzy matches and concordance search over HTTP."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import ProjectNotFound
from locframework.http.operation import operation
from locframework.pagination import Page

from .matching import Matching
from .search_records import ConcordanceItem, ConcordanceQuery, Match, MatchQuery

TAG = "Translation memories"


class MatchesAnswer(Struct, frozen=True):
    """Matches by text and language code, as they were sent."""

    matches: dict[str, dict[str, list[Match]]]


class MatchingEndpoints:
    """Declares what a project asks its memories."""

    def __init__(self, matching: Matching) -> None:
        self._matching = matching

    @operation(
        "POST",
        "/projects/{projectId}/tm/search",
        permission="tm_read",
        errors=(ProjectNotFound,),
        tag=TAG,
    )
    def search_memories(
        self, caller: Caller, project_id: str, body: ConcordanceQuery
    ) -> Page[ConcordanceItem]:
        """Find whole segments that contain a text.

        Letter case and runs of white space are ignored, accents are not. Segments that
        equal the text come first, then the shorter ones.
        """
        return self._matching.search(caller, project_id, body)

    @operation(
        "POST",
        "/projects/{projectId}/tm/matches",
        permission="tm_read",
        errors=(ProjectNotFound,),
        tag=TAG,
    )
    def find_matches(
        self, caller: Caller, project_id: str, body: MatchQuery
    ) -> MatchesAnswer:
        """Find entries whose source text is like the given texts.

        Up to ten for each text and language, best first. The object is empty if
        translation memory is switched off for the organization or the project.
        """
        return MatchesAnswer(self._matching.find_matches(caller, project_id, body))
