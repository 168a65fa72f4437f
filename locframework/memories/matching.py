"""What one can ask the memories of a project: fuzzy matches, and concordance."""

from collections.abc import Sequence

from locframework.access.records import Caller
from locframework.access.store import AccessStore
from locframework.errors import ValidationFailed
from locframework.languages import canonical_tag, folded
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .concordancer import Concordancer
from .folding import match_fold
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
from .showing import ByLanguage, Question
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
        self, caller: Caller, project_id: str, asked: MatchQuery
    ) -> Matches:
        """For each text and language up to ten matches, best first (decisions 2.5).

        Empty where translation memory is switched off. Equal scores of the empty
        context come first. Raises ProjectNotFound, ValidationFailed, Unavailable.
        """
        project = self._projects.require(caller, "tm_read", project_id)
        check_record(asked)
        if sum(map(len, asked.source_texts)) > TEXTS_LENGTH:
            message = f"must have at most {TEXTS_LENGTH} characters together"
            raise ValidationFailed.at("$.sourceTexts", "length", message)
        questions = [Question(text) for text in asked.source_texts]
        found = self._find(project, questions, asked.language_codes)
        return {question.text: matches for question, matches in found.items()}

    def find_approved(
        self,
        project: Project,
        questions: Sequence[Question],
        language_codes: Sequence[str],
        least: int,
    ) -> dict[Question, ByLanguage]:
        """The same for texts in contexts of their own, of approved translations alone.

        Matches of ``least`` percent and more are all there; others may be. For jobs:
        whether somebody may read the project is theirs to know. However many
        contexts one text stands in, the memories are asked once for all.
        Raises Unavailable.
        """
        return self._find(
            project, questions, language_codes, least=least, only_approved=True
        )

    def obstacle(self, project: Project) -> str | None:
        """Why a project has no match at all, for its users; None: it may have some."""
        read_by = self._read_by(project)
        if read_by is None:
            return "translation memory is switched off (tmEnabled)"
        return None if read_by else "the project reads no translation memory"

    def _find(
        self,
        project: Project,
        questions: Sequence[Question],
        language_codes: Sequence[str],
        *,
        least: int = 0,
        only_approved: bool = False,
    ) -> dict[Question, ByLanguage]:
        read_by = self._read_by(project)
        if read_by is None:
            return {}
        needed = {each.memory.id: _least_percent(each, least) for each in read_by}
        wanted = [Wanted(id_, raw) for id_, raw in needed.items() if raw <= 100]
        memories = {
            each.memory.id: each for each in read_by if needed[each.memory.id] <= 100
        }
        tags = {code: canonical_tag(code) or "" for code in language_codes}
        found = gather(
            self._matcher,
            self._texts,
            memories,
            wanted,
            {asked: match_fold(asked.text) for asked in questions},
            sorted({tag for tag in tags.values() if tag}),
            only_approved=only_approved,
        )
        return {
            asked: {code: matches.get(tag, []) for code, tag in tags.items()}
            for asked, matches in found.items()
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

    def _read_by(self, project: Project) -> Sequence[AssignedMemory] | None:
        """The memories that the project reads, by priority; None when disabled."""
        if not self._is_enabled(project):
            return None
        assigned = self._store.list_assigned(project.id)
        return [each for each in assigned if each.assignment.read]

    def _is_enabled(self, project: Project) -> bool:
        if not project.tm_enabled:
            return False
        organization = self._access.organizations.find(project.organization_id)
        return organization is not None and organization.tm_enabled


def _least_percent(assigned: AssignedMemory, least: int) -> int:
    """The raw percentage that a match must have: penalties only take off."""
    least = max(assigned.memory.min_match_percentage, least)
    return max(1, least + assigned.assignment.penalty if least else 1)


def _canonical(codes: Sequence[str]) -> list[str]:
    """The canonical tags; what is none is no language of any translation."""
    return sorted({tag for code in codes if (tag := canonical_tag(code))})
