"""How projects and languages are kept."""

from collections.abc import Sequence
from typing import Protocol

from locframework.access.records import Scope
from locframework.fields import Timestamp
from locframework.paging import Page, PageRequest

from .records import Language, Project


class ProjectStore(Protocol):
    """Questions that projects ask; a deleted project is not found by any."""

    def add_project(self, project: Project) -> None:
        """``key_count`` is not kept: every read counts it anew, at constant cost."""
        ...

    def find_project(self, project_id: str) -> Project | None: ...

    def save_project(self, project: Project) -> None: ...

    def has_keys(self, project_id: str) -> bool:
        """Whether main, or a branch that is open, has a key of its own."""
        ...

    def lock_project(self, project_id: str) -> None:
        """Until the transaction ends, let nobody else lock it.

        Every transaction that writes keys, values, languages or jobs of a project
        takes it first: writers of one project follow one another.
        """
        ...

    def delete_project(self, project_id: str, at: Timestamp) -> None:
        """Hide the project and all it holds, at once."""
        ...

    def purge_projects(self, before: Timestamp, rows: int) -> int:
        """Drop up to about ``rows`` rows of projects deleted before then.

        Answers how many rows went; 0 when nothing is left to purge.
        """
        ...

    def list_projects(
        self, scopes: Sequence[Scope] | None, page: PageRequest
    ) -> Page[Project]:
        """By name, equal names by id. A scope without a project asks for all of its
        organization, None for all there are."""
        ...

    def add_language(self, language: Language) -> None: ...

    def save_language(self, language: Language) -> None: ...

    def list_languages(self, project_id: str) -> list[Language]:
        """In project order: as they were added (``id``)."""
        ...

    def remove_language(self, project_id: str, language_code: str) -> None:
        """With its values."""
        ...
