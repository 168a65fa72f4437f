"""``organization``, ``member``, ``token`` and ``project``: who uses the service, and
for what."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, get_args

import click
import msgspec

from locframework.access.records import Member, NewMember, NewToken, Role, Token
from locframework.access.sessions import invitation_link
from locframework.access.tokens import SHOWN_PREFIX_LENGTH
from locframework.app import OPERATOR, Framework
from locframework.pagination import all_pages
from locframework.projects.records import NewLanguage, NewProject, Project

from .common import (
    LISTED,
    ORGANIZATION,
    PROJECT,
    CommandFailed,
    Named,
    Setup,
    common_options,
    counted,
    json_option,
    language,
    languages_option,
    reference_option,
    short_names,
)
from .serving import base_url

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
@json_option
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
        tokens = framework.tokens
        token, text = tokens.create_for_member(OPERATOR, made.id, member.id, new)
    click.echo(f"organization {made.slug}, owned by {member.email}", err=True)
    setup.say(text)
    owned = {"organization": made, "member": member}
    setup.show({**owned, "token": token, "secret": text})


@organization.command("list")
@json_option
@common_options
@click.pass_obj
def list_organizations(setup: Setup) -> None:
    """List the organizations: short name, id and name.

    \b
    Example:
      locframework organization list
    """
    with setup.framework() as framework:
        _list_named(setup, ORGANIZATION.all(framework))


@click.group()
def member() -> None:
    """Add members to an organization."""


@member.command("add")
@click.argument("email")
@click.option("--role", type=click.Choice(get_args(Role)), required=True)
@languages_option("May be given several times, to write these only; left out: all.")
@click.option("--name", default="", help="Their name, as others see it.")
@organization_option
@expiry_option
@json_option
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
        id_ = ORGANIZATION.choose(framework, reference).id
        made = framework.organizations.add_member(OPERATOR, id_, new)
        first = NewToken(name="First token", expires_in_days=expires_in_days)
        token, text = framework.tokens.create_for_member(OPERATOR, id_, made.id, first)
    writes = f" of {', '.join(languages)}" if languages else ""
    click.echo(f"member {made.email}, {made.role}{writes}", err=True)
    setup.say(text)
    setup.show({"member": made, "token": token, "secret": text})


@member.command("invite")
@click.argument("email")
@organization_option
@json_option
@common_options
@click.pass_obj
def invite_member(setup: Setup, email: str, reference: str | None) -> None:
    """Invite the member with this EMAIL to sign in to the workbench.

    Prints a link to standard output, only this once. Who follows it signs in as the
    member, once, within 24 hours: send it to this person only.

    \b
    Example:
      locframework member invite ines@example.com
    """
    with setup.framework() as framework:
        id_ = ORGANIZATION.choose(framework, reference).id
        [member] = _members(framework, id_, email)
        made, secret = framework.sessions.invite(OPERATOR, id_, member.id)
        server = framework.settings.server
        url = base_url(framework.settings, server.host, server.port)
    link = invitation_link(url, secret)
    setup.say(link)
    setup.show({"invitation": made, "secret": secret, "link": link})


@click.group()
def token() -> None:
    """Make, list and revoke tokens."""


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
@json_option
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
      locframework token create ci@example.com --organization example-ltd \\
          --permission import_run --permission translation_write
    """
    new = NewToken(
        name=name,
        permissions=list(permissions) or msgspec.UNSET,
        expires_in_days=expires_in_days,
    )
    with setup.framework() as framework:
        id_ = ORGANIZATION.choose(framework, reference).id
        [member] = _members(framework, id_, email)
        made, text = framework.tokens.create_for_member(OPERATOR, id_, member.id, new)
    setup.say(text)
    setup.show({"token": made, "secret": text})


@token.command("list")
@click.argument("email", required=False)
@organization_option
@json_option
@common_options
@click.pass_obj
def list_tokens(setup: Setup, email: str | None, reference: str | None) -> None:
    """List the tokens of an organization, or of the member with this EMAIL.

    Shows the first characters of each token, whose it is, when it ends, and when, from
    where and by which program it was last used. Of a member of several organizations,
    those made for this one.

    \b
    Examples:
      locframework token list
      locframework token list ada@example.com
    """
    with setup.framework() as framework:
        id_ = ORGANIZATION.choose(framework, reference).id
        held = list(_tokens(framework, id_, email))
    for each in held:
        setup.say(each.line)
    items = [{**msgspec.to_builtins(e.token), "holder": e.holder} for e in held]
    setup.show({"items": items})


@token.command("revoke")
@click.argument("wanted", metavar="TOKEN", required=False)
@click.option("--all", "email", metavar="EMAIL", help="All tokens of this member.")
@organization_option
@json_option
@common_options
@click.pass_obj
def revoke_token(
    setup: Setup, wanted: str | None, email: str | None, reference: str | None
) -> None:
    """End a TOKEN at once, named by its id or first characters, as "token list" does.

    The whole token does as well. What a token made ends with it.

    \b
    Examples:
      locframework token revoke svc_pat_Hx2w
      locframework token revoke --all ada@example.com
    """
    with setup.framework() as framework:
        if (wanted is None) == (email is None):
            raise click.UsageError("name one TOKEN, or a member with --all EMAIL")
        id_ = ORGANIZATION.choose(framework, reference).id
        held = list(_tokens(framework, id_, email))
        if email is not None:
            [owner] = _members(framework, id_, email)
            framework.tokens.revoke_of_member(OPERATOR, id_, owner.id)
        else:
            known = held
            if wanted and wanted.startswith("svc_"):  # never repeat a whole token
                wanted = wanted[:SHOWN_PREFIX_LENGTH]
            held = [e for e in held if wanted in (e.token.id, e.token.prefix)]
            if len(held) != 1:
                listed = "\n".join(each.line for each in (held or known)[:LISTED])
                reason = "several tokens are" if held else "there is no token"
                raise CommandFailed(f"{reason} {wanted}; there are:\n{listed}")
            held[0].revoke(framework, id_)
    ids = [each.token.id for each in held]
    setup.say(f"revoked {counted(len(ids), 'token')}")
    setup.show({"revoked": ids})


class HeldToken(NamedTuple):
    """A token, and the member or project that it is of."""

    token: Token
    owner: Member | Project

    @property
    def holder(self) -> str:
        """Return the email of the member, or the name of the project."""
        return self.owner.email if isinstance(self.owner, Member) else self.owner.name

    @property
    def line(self) -> str:
        """Return what a list shows."""
        token, used = self.token, "never used"
        if token.last_used_at is not None:
            client = (token.last_used_address, token.last_used_agent)
            used = " ".join(["used", token.last_used_at, *filter(None, client)])
        first = f"{token.id}  {token.kind:8}  {token.prefix}  until {token.expires_at}"
        return f"{first}  {self.holder}  {token.name}  {used}"

    def revoke(self, framework: Framework, organization_id: str) -> None:
        """End the token."""
        owner, tokens, id_ = self.owner, framework.tokens, self.token.id
        if isinstance(owner, Member):
            tokens.revoke_of_member(OPERATOR, organization_id, owner.id, id_)
        else:
            framework.projects.revoke_token(OPERATOR, owner.id, id_)


def _members(
    framework: Framework, organization_id: str, email: str | None
) -> list[Member]:
    """Return all members of an organization, or the one with this address."""
    list_page = framework.organizations.list_members
    found = list(all_pages(partial(list_page, OPERATOR, organization_id)))
    if email is None:
        return found
    named = [each for each in found if each.email.casefold() == email.casefold()]
    if not named:
        raise CommandFailed(f"no member {email} in this organization")
    return named


def _tokens(
    framework: Framework, organization_id: str, email: str | None
) -> Iterator[HeldToken]:
    """Yield the tokens of all members and projects, or of one member."""
    for owner in _members(framework, organization_id, email):
        list_mine = framework.tokens.list_of_member
        for each in all_pages(partial(list_mine, OPERATOR, organization_id, owner.id)):
            yield HeldToken(each, owner)
    for project in PROJECT.all(framework) if email is None else ():
        if project.organization_id == organization_id:
            list_page = partial(framework.projects.list_tokens, OPERATOR, project.id)
            for each in all_pages(list_page):
                yield HeldToken(each, project)


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
@json_option
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

    Prints the project's id to standard output, which the addresses of the API take;
    --project of the other commands also takes its name. A language's name, direction
    and plural forms come from CLDR. Imports add keys, but no languages. If a language
    is refused, nothing is made.

    \b
    Examples:
      locframework project create "Web shop" --source-language en
      locframework project create Shop --source-language en --language de --language fr
      PROJECT=$(locframework project create Test --source-language en)
    """
    with setup.framework() as framework, framework.storage.transaction():
        organization_id = ORGANIZATION.choose(framework, reference).id
        new = NewProject(name, source_language, organization_id, description)
        made = framework.projects.create_project(OPERATOR, new)
        for code in languages:
            framework.languages.add_language(OPERATOR, made.id, NewLanguage(code))
    codes = ", ".join([made.source_language, *languages])
    click.echo(f"project {made.slug}, in {codes}", err=True)
    setup.say(made.id)
    setup.show({"project": made})


@project.command("list")
@json_option
@common_options
@click.pass_obj
def show_projects(setup: Setup) -> None:
    """List the projects: short name, id and name.

    \b
    Example:
      locframework project list
    """
    with setup.framework() as framework:
        _list_named(setup, PROJECT.all(framework))


def _list_named(setup: Setup, found: Sequence[Named]) -> None:
    names = short_names(found)
    width = max(map(len, names.values()), default=0)
    for each in found:
        setup.say(f"{names[each.id]:{width}}  {each.id}  {each.name}")
    setup.show({"items": found})
