"""What one can ask of texts: which terms of the project's glossaries are in them."""

from collections.abc import Collection, Sequence

from msgspec import UNSET

from locframework.access.records import Caller
from locframework.errors import ValidationFailed
from locframework.languages import require_tag
from locframework.projects.service import Projects
from locframework.proposals.records import TermTranslation
from locframework.terminology.records import Found
from locframework.validation import check_record

from .records import MatchRequest, Term, TermMatch
from .store import GlossaryStorage
from .terminologies import Terminologies, Terminology

CHARACTERS_MOST = 100_000  # of all texts of a request; decisions 2.10


class GlossaryMatches:
    """Terms in texts."""

    def __init__(
        self, storage: GlossaryStorage, projects: Projects, terminologies: Terminologies
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._terminologies = terminologies

    def find_matches(
        self, caller: Caller, project_id: str, request: MatchRequest
    ) -> dict[str, list[TermMatch]]:
        """The terms in each text, in their order there; none is an empty list.

        ``start`` and ``end`` are code points of the text as it was sent. At every
        place the longest term counts. Raises ProjectNotFound, PermissionDenied,
        ValidationFailed. A constant number of statements.
        """
        project = self._projects.require(caller, "glossary_read", project_id)
        check_record(request)
        if sum(map(len, request.texts)) > CHARACTERS_MOST:
            message = f"all together have more than {CHARACTERS_MOST:,} characters"
            raise ValidationFailed.at("$.texts", "length", message)
        codes = None
        if request.language_codes is not UNSET:
            codes = [
                require_tag(code, f"$.languageCodes[{at}]")
                for at, code in enumerate(request.language_codes)
            ]
        with self._storage.snapshot():
            terminology = self._terminologies.of_project(project.id)
            if terminology is None:
                return {text: [] for text in request.texts}
            return self._found(terminology, request.texts, codes)

    def _found(
        self,
        terminology: Terminology,
        texts: Collection[str],
        codes: Collection[str] | None,
    ) -> dict[str, list[TermMatch]]:
        found = {text: terminology.find(text) for text in texts}
        ids = {each.id for some in found.values() for each in some}
        translations: dict[str, list[TermTranslation]] = {id_: [] for id_ in ids}
        rows = self._storage.terms.translations_of(ids, codes) if ids else []
        for row in rows:
            translations[row.term_id].append(row.translation)
        return {
            text: [
                _match(terminology.term(each.id), each, translations[each.id])
                for each in some
            ]
            for text, some in found.items()
        }


def _match(
    term: Term, found: Found, translations: Sequence[TermTranslation]
) -> TermMatch:
    return TermMatch(
        term_id=term.id,
        term=term.term,
        start=found.start,
        end=found.end,
        do_not_translate=term.do_not_translate,
        usage_status=term.usage_status,
        translations=tuple(translations),
    )
