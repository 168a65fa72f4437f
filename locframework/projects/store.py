"""The store of projects and languages."""

from collections.abc import Sequence
from typing import Protocol

from locframework.access.records import Scope
from locframework.pagination import Page, PageRequest
from locframework.transactions import Repository

from .records import Language, Project


class ProjectStore(Repository[Project], Protocol):
    """Projects. ``key_count`` is not stored: reads count keys at constant cost. Every
    transaction that writes keys, values, languages or jobs of a project locks it first,
    so that writers of one project follow one another."""

    @property
    def languages(self) -> Repository[Language]:
        """Of a project. A language is deleted with its values."""

    def has_keys(self, project_id: str) -> bool:
        """Return whether main or an open branch has a key of its own."""

    def list_projects(
        self, scopes: Sequence[Scope] | None, page: PageRequest
    ) -> Page[Project]:
        """Return projects by name, then id; of all organizations for None."""

    def list_languages(self, project_id: str) -> list[Language]:
        """Return the languages in the order in which they were added (``id``)."""
