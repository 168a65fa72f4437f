"""Fuzzy matches and concordance search in the memories that a project reads."""

from collections.abc import Sequence

from locframework.access.records import Caller
from locframework.errors import ValidationFailed
from locframework.languages import canonical_tag, folded
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .matching.port import Matcher, Wanted
from .matching.records import (
    TEXTS_LENGTH,
    Concordance,
    ConcordanceItem,
    ConcordanceQuery,
    Matches,
    MatchQuery,
)
from .matching.scoring import Question, match_fold
from .matching.search import ByLanguage, find_matches
from .records import AssignedMemory
from .store import MemoryStorage


class Matching:
    """Searches the memories of a project."""

    def __init__(
        self, storage: MemoryStorage, projects: Projects, matcher: Matcher
    ) -> None:
        self._storage = storage
        self._store = storage.memories
        self._texts = storage.memory_texts
        self._projects = projects
        self._matcher = matcher

    def search(
        self, caller: Caller, project_id: str, request: ConcordanceQuery
    ) -> Page[ConcordanceItem]:
        """Return the entries that hold the text (service.md, concordance search); none
        if translation memory is switched off, or the text is blank. Raise
        ProjectNotFound."""
        project = self._projects.require(caller, "tm_read", project_id)
        check_record(request)
        page = PageRequest(page=request.page, limit=request.limit)
        text = folded(request.query)
        memories = self._memories_of(project)
        if not text or not memories:
            return Page([], 0, page.page, page.limit)
        codes = None
        if isinstance(request.language_codes, list):  # other codes have no translations
            tags = map(canonical_tag, request.language_codes)
            codes = sorted({tag for tag in tags if tag})
        asked = Concordance(
            memory_ids=[each.memory.id for each in memories],
            text=text,
            language_codes=codes,
            search_in=request.search_in,
        )
        return self._texts.search(asked, page)

    def find_matches(
        self, caller: Caller, project_id: str, request: MatchQuery
    ) -> Matches:
        """Return up to ten matches for each text and language (decisions 2.5). Empty if
        translation memory is switched off. Of equal scores, entries without a context
        come first. Raise ProjectNotFound, ValidationFailed, Unavailable."""
        project = self._projects.require(caller, "tm_read", project_id)
        check_record(request)
        if sum(map(len, request.source_texts)) > TEXTS_LENGTH:
            message = f"must have at most {TEXTS_LENGTH} characters together"
            raise ValidationFailed.at("$.sourceTexts", "length", message)
        questions = [Question(text) for text in request.source_texts]
        found = self.find(project, questions, request.language_codes)
        return {asked.text: matches for asked, matches in found.items()}

    def obstacle(self, project: Project) -> str | None:
        """Return why a project can have no matches, for its users; None if it can."""
        memories = self._memories_of(project)
        if memories is None:
            return "translation memory is switched off (tmEnabled)"
        return None if memories else "the project reads no translation memory"

    def find(
        self,
        project: Project,
        questions: Sequence[Question],
        language_codes: Sequence[str],
        *,
        least: int = 0,
        only_approved: bool = False,
    ) -> dict[Question, ByLanguage]:
        """Return matches of ``least`` percent and more, without checking permissions.
        ``only_approved``: no drafts. Raise Unavailable."""
        assigned = self._memories_of(project)
        if assigned is None:
            return {}
        percents = {each.memory.id: _least_percent(each, least) for each in assigned}
        memories = {
            each.memory.id: each for each in assigned if percents[each.memory.id] <= 100
        }
        tags = {code: canonical_tag(code) or "" for code in language_codes}
        there = {each.language_code for each in self._store.list_languages(memories)}
        found = find_matches(
            self._matcher,
            self._texts,
            self._storage,
            memories,
            [Wanted(id_, percents[id_]) for id_ in memories],
            {asked: match_fold(asked.text) for asked in questions},
            there.intersection(tags.values()),
            only_approved=only_approved,
        )
        return {
            asked: {code: matches.get(tag, []) for code, tag in tags.items()}
            for asked, matches in found.items()
        }

    def _memories_of(self, project: Project) -> Sequence[AssignedMemory] | None:
        """The memories that the project reads, by priority; None if switched off."""
        if not project.tm_enabled:
            return None
        organization = self._storage.access.organizations.find(project.organization_id)
        if organization is None or not organization.tm_enabled:
            return None
        assigned = self._store.list_assigned(project.id)
        return [each for each in assigned if each.assignment.read]


def _least_percent(assigned: AssignedMemory, least: int) -> int:
    """The raw percentage that a match needs: penalties only take off."""
    least = max(assigned.memory.min_match_percentage, least)
    return max(1, least + assigned.assignment.penalty if least else 1)
