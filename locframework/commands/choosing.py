"""Which project, glossary or memory is meant where none is named."""

from collections.abc import Iterator
from typing import Protocol, TypeVar

import click

from locframework.app import OPERATOR, Framework
from locframework.pagination import Page, PageRequest, all_pages
from locframework.projects.records import Project

from .telling import CommandFailed

FEW = 10  # that are named where there are several
MAKERS = {
    "organization": "locframework organization create",
    "project": "locframework project create",
}


class Named(Protocol):
    """What has an id and a slug."""

    @property
    def id(self) -> str: ...

    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)


def only_one(found: Page[N], noun: str, option: str) -> str:
    """The id of the only one. Raises Refused where there is none, or are several."""
    if found.total == 1:
        return found.items[0].id
    if not found.items:
        maker = MAKERS.get(noun)
        how = f"with: {maker}" if maker else "over the API"
        raise CommandFailed(f"there is no {noun} yet; make one {how}")
    slugs = ", ".join(each.slug for each in found.items)
    more = ", …" if found.total > len(found.items) else ""
    raise CommandFailed(f"there are several; choose one with {option}: {slugs}{more}")


def organization_id(framework: Framework, reference: str | None) -> str:
    """The id of the organization that is named, or of the only one. Raises Refused."""
    if reference is not None:
        return framework.organizations.get_organization(OPERATOR, reference).id
    found = framework.organizations.list_organizations(OPERATOR, PageRequest(limit=FEW))
    return only_one(found, "organization", "--organization")


project_option = click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; optional if there is only one project.",
)


def chosen_project(framework: Framework, reference: str | None) -> str:
    """The id of the project that is named, or of the only one. Raises Refused."""
    if reference is not None:
        return framework.projects.get_project(OPERATOR, reference).id
    found = framework.projects.list_projects(OPERATOR, PageRequest(limit=FEW))
    return only_one(found, "project", "--project")


projects_option = click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; default: every project.",
)


def chosen_projects(framework: Framework, reference: str | None) -> Iterator[Project]:
    """The project that is named, or every one."""
    if reference is None:
        return every_project(framework)
    return iter([framework.projects.get_project(OPERATOR, reference)])


def every_project(framework: Framework) -> Iterator[Project]:
    """All projects of all organizations, by name."""
    return all_pages(lambda page: framework.projects.list_projects(OPERATOR, page))
