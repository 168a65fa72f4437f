"""``organization``, ``member``, ``token`` and ``project``: who uses the service, and
for what."""

from typing import get_args

import click
import msgspec

from locframework.access.records import NewMember, NewToken, Role
from locframework.app import OPERATOR, Framework
from locframework.pagination import all_pages
from locframework.projects.records import NewLanguage, NewProject

from .common import (
    CommandFailed,
    Setup,
    choose_organization,
    common_options,
    language,
    languages_option,
    list_projects,
    reference_option,
)

organization_option = reference_option("organization")
expiry_option = click.option(
    "--expires-in-days",
    type=click.IntRange(1, 366),
    default=90,
    show_default=True,
    help="How long the token is valid.",
)


@click.group()
def organization() -> None:
    """Make and list organizations; the API offers no sign-up."""


@organization.command("create")
@click.argument("name")
@click.option("--owner", metavar="EMAIL", required=True, help="The owner's address.")
@expiry_option
@common_options
@click.pass_obj
def create_organization(
    setup: Setup, name: str, owner: str, expires_in_days: int
) -> None:
    """Make the organization NAME with its first owner.

    Prints the owner's token to standard output, only this once: only its hash is kept.
    If it is lost, "locframework token create" makes another one.

    \b
    Examples:
      locframework organization create "Example Ltd" --owner ada@example.com
      TOKEN=$(locframework organization create Test --owner ci@example.com)
    """
    with setup.framework() as framework:
        made, member = framework.organizations.create_organization(name, owner)
        new = NewToken(name="First token", expires_in_days=expires_in_days)
        _, text = framework.tokens.create_for_member(OPERATOR, made.id, member.id, new)
    click.echo(f"organization {made.slug}, owned by {member.email}", err=True)
    click.echo(text)


@organization.command("list")
@common_options
@click.pass_obj
def list_organizations(setup: Setup) -> None:
    """List the organizations: id and name.

    \b
    Example:
      locframework organization list
    """
    with setup.framework() as framework:
        list_page = framework.organizations.list_organizations
        for each in all_pages(lambda page: list_page(OPERATOR, page)):
            click.echo(f"{each.id}  {each.name}")


@click.group()
def member() -> None:
    """Add members to an organization."""


@member.command("add")
@click.argument("email")
@click.option("--role", type=click.Choice(get_args(Role)), required=True)
@languages_option("A language that the member may write; left out: all of them.")
@click.option("--name", default="", help="Their name, as others see it.")
@organization_option
@expiry_option
@common_options
@click.pass_obj
def add_member(
    setup: Setup,
    email: str,
    role: Role,
    languages: tuple[str, ...],
    name: str,
    reference: str | None,
    expires_in_days: int,
) -> None:
    """Add the person with this EMAIL to an organization.

    Prints their token to standard output, only this once: only its hash is kept. If it
    is lost, "locframework token create" makes another one.

    \b
    Examples:
      locframework member add ines@example.com --role translator --language de
      TOKEN=$(locframework member add bo@example.com --role reviewer)
    """
    new = NewMember(email, role, name, list(languages) or None)
    with setup.framework() as framework, framework.storage.transaction():
        id_ = choose_organization(framework, reference)
        made = framework.organizations.add_member(OPERATOR, id_, new)
        first = NewToken(name="First token", expires_in_days=expires_in_days)
        _, text = framework.tokens.create_for_member(OPERATOR, id_, made.id, first)
    writes = f" of {', '.join(languages)}" if languages else ""
    click.echo(f"member {made.email}, {made.role}{writes}", err=True)
    click.echo(text)


@click.group()
def token() -> None:
    """Make tokens for members."""


@token.command("create")
@click.argument("email")
@organization_option
@click.option("--name", default="Made by the operator", show_default=True)
@click.option(
    "--permission",
    "permissions",
    multiple=True,
    metavar="KEY",
    help="May be given several times; left out: all of the member's role.",
)
@expiry_option
@common_options
@click.pass_obj
def create_token(
    setup: Setup,
    email: str,
    reference: str | None,
    name: str,
    permissions: tuple[str, ...],
    expires_in_days: int,
) -> None:
    """Make a personal token for the member with this EMAIL.

    Prints it to standard output, only this once. It can never do more than the
    member's role allows.

    \b
    Examples:
      locframework token create ada@example.com
      locframework token create ci@example.com --organization example-ltd-0199… \\
          --permission import_run --permission translation_write
    """
    new = NewToken(
        name=name,
        permissions=list(permissions) or msgspec.UNSET,
        expires_in_days=expires_in_days,
    )
    with setup.framework() as framework:
        id_ = choose_organization(framework, reference)
        member_id = _member_id(framework, id_, email)
        _, text = framework.tokens.create_for_member(OPERATOR, id_, member_id, new)
    click.echo(text)


def _member_id(framework: Framework, organization_id: str, email: str) -> str:
    list_page = framework.organizations.list_members
    for member in all_pages(lambda page: list_page(OPERATOR, organization_id, page)):
        if member.email.casefold() == email.casefold():
            return member.id
    raise CommandFailed(f"no member {email} in this organization")


@click.group()
def project() -> None:
    """Make and list projects."""


@project.command("create")
@click.argument("name")
@click.option(
    "--source-language",
    type=language,
    metavar="CODE",
    required=True,
    help="The language that texts are written in first, such as en or pt-BR.",
)
@languages_option("A language to translate into; may be given several times.")
@organization_option
@click.option(
    "--description", default="", help="What the project is about, for translators."
)
@common_options
@click.pass_obj
def create_project(
    setup: Setup,
    name: str,
    source_language: str,
    languages: tuple[str, ...],
    reference: str | None,
    description: str,
) -> None:
    """Make the project NAME with its languages.

    Prints the project's id to standard output; --project of the other commands and
    the addresses of the API take it. A language's name, direction and plural forms
    come from CLDR. Imports add keys, but no languages. If a language is refused,
    nothing is made.

    \b
    Examples:
      locframework project create "Web shop" --source-language en
      locframework project create Shop --source-language en --language de --language fr
      PROJECT=$(locframework project create Test --source-language en)
    """
    with setup.framework() as framework, framework.storage.transaction():
        organization_id = choose_organization(framework, reference)
        new = NewProject(name, source_language, organization_id, description)
        made = framework.projects.create_project(OPERATOR, new)
        for code in languages:
            framework.languages.add_language(OPERATOR, made.id, NewLanguage(code))
    codes = ", ".join([made.source_language, *languages])
    click.echo(f"project {made.slug}, in {codes}", err=True)
    click.echo(made.id)


@project.command("list")
@common_options
@click.pass_obj
def show_projects(setup: Setup) -> None:
    """List the projects: id and name.

    \b
    Example:
      locframework project list
    """
    with setup.framework() as framework:
        for each in list_projects(framework):
            click.echo(f"{each.id}  {each.name}")
