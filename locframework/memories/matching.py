"""What one can ask the memories of a project: fuzzy matches, and concordance."""

from collections.abc import Mapping, Sequence

from locframework.access.records import Caller
from locframework.access.store import AccessStore
from locframework.errors import ValidationFailed
from locframework.languages import canonical_tag
from locframework.paging import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .concordancer import Concordancer
from .folding import folded, match_fold
from .gathering import gather
from .matcher import Matcher, Wanted
from .records import AssignedMemory
from .search_records import (
    TEXTS_LENGTH,
    Concordance,
    ConcordanceItem,
    ConcordanceQuery,
    Matches,
    MatchQuery,
)
from .store import MemoryStore
from .text_store import MemoryTextStore


class Matching:
    """The memories that a project reads, asked together."""

    def __init__(
        self,
        store: MemoryStore,
        texts: MemoryTextStore,
        access: AccessStore,
        projects: Projects,
        matcher: Matcher,
        concordancer: Concordancer | None,
    ) -> None:
        self._store = store
        self._texts = texts
        self._access = access
        self._projects = projects
        self._matcher = matcher
        self._concordancer = concordancer

    def search(
        self, caller: Caller, project_id: str, asked: ConcordanceQuery
    ) -> Page[ConcordanceItem]:
        """The segments that hold the text (service.md, concordance search).

        None where translation memory is switched off, and for a text of nothing but
        white space. Raises ProjectNotFound.
        """
        project = self._projects.require(caller, "tm_read", project_id)
        check_record(asked)
        page = PageRequest(page=asked.page, limit=asked.limit)
        text = folded(asked.query)
        memories = self._read_by(project)
        if not text or not memories:
            return Page([], 0, page.page, page.limit)
        codes = asked.language_codes
        wanted = Concordance(
            memory_ids=[each.memory.id for each in memories],
            text=text,
            language_codes=_canonical(codes) if isinstance(codes, list) else None,
            search_in=asked.search_in,
        )
        return self._search(wanted, page)

    def find_matches(
        self,
        caller: Caller,
        project_id: str,
        asked: MatchQuery,
        *,
        contexts: Mapping[str, str] | None = None,
    ) -> Matches:
        """For each text and language up to ten matches, best first (decisions 2.5).

        Empty where translation memory is switched off. ``contexts``, from Python,
        says in which context a text stands: equal scores of that context come first;
        without it that is the empty one. Raises ProjectNotFound, ValidationFailed,
        Unavailable.
        """
        project = self._projects.require(caller, "tm_read", project_id)
        check_record(asked)
        if sum(map(len, asked.source_texts)) > TEXTS_LENGTH:
            message = f"must have at most {TEXTS_LENGTH} characters together"
            raise ValidationFailed.at("$.sourceTexts", "length", message)
        if not self._is_enabled(project):
            return {}
        memories = {
            each.memory.id: each
            for each in self._read_by(project)
            if _least_percent(each) <= 100
        }
        tags = {code: canonical_tag(code) or "" for code in asked.language_codes}
        texts = list(dict.fromkeys(asked.source_texts))
        found = gather(
            self._matcher,
            self._texts,
            memories,
            [Wanted(id_, _least_percent(each)) for id_, each in memories.items()],
            {text: match_fold(text) for text in texts},
            sorted({tag for tag in tags.values() if tag}),
            contexts or {},
        )
        return {
            text: {code: found[text].get(tag, []) for code, tag in tags.items()}
            for text in texts
        }

    def _search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        """The concordancer finds, the database tells; without one it finds too."""
        if self._concordancer is not None:
            found = self._concordancer.find(self._texts, asked, page)
            if found is not None:
                items = self._texts.concordance_items(
                    found.entry_ids, asked.language_codes
                )
                return Page(items, found.total, page.page, page.limit)
        return self._texts.search(asked, page)

    def _read_by(self, project: Project) -> Sequence[AssignedMemory]:
        """The memories that the project reads, by priority; none when disabled."""
        if not self._is_enabled(project):
            return []
        assigned = self._store.list_assigned(project.id)
        return [each for each in assigned if each.assignment.read]

    def _is_enabled(self, project: Project) -> bool:
        if not project.tm_enabled:
            return False
        organization = self._access.find_organization(project.organization_id)
        return organization is not None and organization.tm_enabled


def _least_percent(assigned: AssignedMemory) -> int:
    """The raw percentage that a match must have: penalties only take off."""
    least = assigned.memory.min_match_percentage
    return max(1, least + assigned.assignment.penalty if least else 1)


def _canonical(codes: Sequence[str]) -> list[str]:
    """The canonical tags; what is none is no language of any translation."""
    return sorted({tag for code in codes if (tag := canonical_tag(code))})
