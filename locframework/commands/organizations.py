"""``locframework organization`` and ``token``: who may use the service."""

import click
import msgspec

from locframework.access.records import Member, NewToken
from locframework.access.rules import check_email
from locframework.app import OPERATOR, Framework
from locframework.errors import ValidationFailed
from locframework.pagination import all_pages

from .errors import CommandFailed
from .options import Setup, common_options, organization_id

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
    _check_email(owner)
    with setup.framework() as framework:
        made, member = framework.organizations.create_organization(name, owner)
        new = NewToken(name="First token", expires_in_days=expires_in_days)
        text = _token(framework, member, new)
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
        organizations = framework.organizations
        for each in all_pages(
            lambda page: organizations.list_organizations(OPERATOR, page)
        ):
            click.echo(f"{each.id}  {each.name}")


@click.group()
def token() -> None:
    """Make tokens for members."""


@token.command("create")
@click.argument("email")
@click.option(
    "--organization",
    "reference",
    metavar="ORGANIZATION",
    help="Id or slug; optional if there is only one.",
)
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
        member = _member(framework, organization_id(framework, reference), email)
        text = _token(framework, member, new)
    click.echo(text)


def _token(framework: Framework, member: Member, new: NewToken) -> str:
    made = framework.tokens.create_for_member(
        OPERATOR, member.organization_id, member.id, new
    )
    return made[1]


def _member(framework: Framework, reference: str, email: str) -> Member:
    organizations = framework.organizations
    for member in all_pages(
        lambda page: organizations.list_members(OPERATOR, reference, page)
    ):
        if member.email.casefold() == email.casefold():
            return member
    raise CommandFailed(f"no member {email} in this organization")


def _check_email(text: str) -> None:
    try:
        check_email(text)
    except ValidationFailed as error:
        raise click.BadParameter(
            "not an email address", param_hint="--owner"
        ) from error
