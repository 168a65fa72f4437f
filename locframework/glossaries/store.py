"""The stores of glossaries and their terms."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from locframework.access.records import Scope
from locframework.fields import Timestamp
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.proposals.records import TermTranslation
from locframework.transactions import Repository, Transactions

from .records import StoredGlossary, Term, TermQuery, TermWrite


class GlossaryStore(Repository[StoredGlossary], Protocol):
    """Glossaries. Their projects are those that are not deleted, by id. Terms and
    projects are not written with the record; a deleted glossary is unlinked from all
    projects. Every transaction that writes to a glossary locks it first."""

    def list_glossaries(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[StoredGlossary]:
        """List by name, equal names by id; ``search`` is folded (``folded``) and in the
        name. ``project_id``: only those linked to the project.

        A scope without project: the organization's all; with one: those linked to
        it, and none once it is deleted. None: all glossaries.
        """

    def set_link(self, glossary_id: str, project_id: str, *, is_linked: bool) -> bool:
        """Link a project or end its link; return whether that changed anything."""

    def linked_to(self, project_id: str) -> list[StoredGlossary]:
        """List by name, equal names by id."""


class TermStore(Protocol):
    """Terms. Within a glossary no two have the same case rule and
    ``spelling``."""

    def write_terms(
        self,
        glossary_id: str,
        writes: Sequence[TermWrite],
        at: Timestamp,
        *,
        deleted: Sequence[str] = (),
    ) -> None:
        """Write terms and translations, and the counts of their glossary. Its revision
        and ``updated_at`` change. ``deleted``: ids of terms that are deleted, with
        their translations. A constant number of statements."""

    def find_terms(
        self,
        glossary_id: str,
        term_ids: Collection[str] = (),
        *,
        spellings: Collection[tuple[bool, str]] = (),
    ) -> list[Term]:
        """Find by id, or by case rule (whether it is sensitive) and spelling."""

    def list_terms(self, glossary_id: str, query: TermQuery) -> Page[Term]:
        """List by folded term; by id where the first 200 characters are the same.
        ``search`` is folded, the language code canonical. Three statements, whatever
        the page."""

    def stream_terms(self, glossary_id: str) -> Iterator[Term]:
        """Yield all, in the order of ``list_terms``, as of one moment."""

    def plain_terms(self, glossary_ids: Collection[str]) -> list[Term]:
        """Return all terms of these glossaries without translations, by id."""

    def values_in(
        self, glossary_ids: Collection[str], language_code: str
    ) -> dict[str, str]:
        """Return the approved values in a language, by term id."""

    def languages(self, glossary_id: str, status: str | None = None) -> set[str]:
        """Return the languages of translations, or of those with a status."""

    def translations_of(
        self, term_ids: Collection[str], language_codes: Collection[str] | None
    ) -> Mapping[str, Sequence[TermTranslation]]:
        """Return those of each term, by language code; None: in all languages. One
        statement, or none without terms."""


class GlossaryStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    glossaries: GlossaryStore
    terms: TermStore
    projects: ProjectStore
