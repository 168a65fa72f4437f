"""The stores of glossaries and their terms."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from locframework.access.records import Scope
from locframework.fields import Timestamp
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.transactions import Repository, Transactions

from .records import (
    ChangedTerms,
    StoredGlossary,
    Term,
    TermFilter,
    TermWrite,
    TranslationRow,
)


class GlossaryStore(Repository[StoredGlossary], Protocol):
    """Glossaries. Their projects are those that are not deleted, by id.

    Terms and projects are not written with the record; a deleted glossary is unlinked
    from all projects. Every transaction that writes to a glossary locks it first.
    """

    def list_glossaries(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[StoredGlossary]:
        """By name, equal names by id; ``search`` is folded as ``folded`` does, and in
        the name. ``project_id``: of those, what is linked to the project.

        A scope without project: the organization's all; with one: those linked to
        it, and none once it is deleted. None asks for every glossary.
        """
        ...

    def link(self, glossary_id: str, project_id: str) -> bool:
        """Whether it was not linked yet."""
        ...

    def unlink(self, glossary_id: str, project_id: str) -> bool:
        """Whether it was linked."""
        ...

    def linked_to(self, project_id: str) -> list[StoredGlossary]:
        """By name, equal names by id."""
        ...


class TermStore(Protocol):
    """Questions that terms ask. Within a glossary no two terms have one case rule and
    one ``rules.spelling``."""

    def write_terms(
        self, glossary_id: str, writes: Sequence[TermWrite], at: Timestamp
    ) -> None:
        """Keep terms and translations, and count them with their glossary.

        Its revision and ``updated_at`` move. A constant number of statements.
        """
        ...

    def delete_term(self, glossary_id: str, term_id: str, at: Timestamp) -> None:
        """With its translations; counted as ``write_terms`` does."""
        ...

    def find_term(self, glossary_id: str, term_id: str) -> Term | None: ...

    def find_terms_spelt(
        self, glossary_id: str, spellings: Collection[tuple[bool, str]]
    ) -> list[Term]:
        """Those with such a case rule (whether it is sensitive) and spelling."""
        ...

    def list_terms(
        self, glossary_id: str, where: TermFilter, page: PageRequest
    ) -> Page[Term]:
        """By term, folded; by id where the first 200 characters are the same. Three
        statements, whatever the page."""
        ...

    def stream_terms(self, glossary_id: str) -> Iterator[Term]:
        """Every one of them, in the order of ``list_terms``; streamed, as of one
        moment."""
        ...

    def plain_terms(self, glossary_ids: Collection[str]) -> list[Term]:
        """All terms of these glossaries, without their translations; in order of id."""
        ...

    def changed_terms(self, glossary_id: str, after: int) -> ChangedTerms | None:
        """What has changed since the glossary had that revision; of the terms their
        own fields. None when it is so long ago that it is not known any more which
        were removed."""
        ...

    def values_in(
        self, glossary_ids: Collection[str], language_code: str
    ) -> dict[str, str]:
        """The approved values of these glossaries in a language, by term id."""
        ...

    def languages(self, glossary_id: str, status: str | None = None) -> set[str]:
        """Those that terms of the glossary have translations in; of one status."""
        ...

    def translations_of(
        self, term_ids: Collection[str], language_codes: Collection[str] | None
    ) -> list[TranslationRow]:
        """By term id, then language code; None: in all languages."""
        ...


class GlossaryStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    glossaries: GlossaryStore
    terms: TermStore
    projects: ProjectStore
