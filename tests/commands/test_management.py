"""``locframework organization``, ``member``, ``token`` and ``project``."""

import json
import sqlite3
import time

import pytest

from locframework import OPERATOR
from locframework.access.records import NewSession, NewToken
from locframework.commands.common import PROJECT
from locframework.errors import Unauthorized
from locframework.pagination import PageRequest
from locframework.projects.records import NewProject

CREATE = ("organization", "create", "Example", "--owner", "ada@example.com")


@pytest.fixture
def organization(framework):
    made, _ = framework.organizations.create_organization("Example", "ada@example.com")
    return made


def projects_of(framework):
    return framework.projects.list_projects(OPERATOR, PageRequest()).items


def test_create_prints_a_token_of_the_owner_which_is_not_kept(
    command, framework, folder
):
    result = command(*CREATE, "--expires-in-days", 1)

    text = result.stdout.strip()
    caller = framework.tokens.caller_behind(text)
    [grant] = caller.grants
    found = framework.organizations.list_organizations(OPERATOR, PageRequest()).items
    framework.close()
    with sqlite3.connect(folder / "data" / "locframework.sqlite3") as database:
        everything = "\n".join(database.iterdump())
    assert [(each.name, each.id) for each in found] == [
        ("Example", grant.organization_id)
    ]
    assert "member_manage" in grant.permissions
    assert "owned by ada@example.com" in result.stderr
    assert caller.token.expires_at[:10] > caller.token.created_at[:10]
    assert "ada@example.com" in everything
    assert text not in everything


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ("organization create A --owner ada", 1, "--owner: 'ada' is not an email"),
        ("organization create _ --owner a@b.c", 1, "name: must not be blank\n"),
        ("organization create A --owner a@b.c --expires-in-days 367", 2, "Invalid"),
        ("project create A --source-language en", 1, "there is no organization yet"),
    ],
)
def test_a_refusal_is_one_line_and_makes_nothing(
    command, framework, asked, status, told
):
    result = command(*(part.replace("_", " ") for part in asked.split()))

    found = framework.organizations.list_organizations(OPERATOR, PageRequest())
    assert (result.exit_code, result.stdout) == (status, "")
    assert f"Error: {told}" in result.stderr
    assert found.total == 0


def test_organizations_and_their_projects_are_listed(command, framework):
    organizations, projects = [], []
    for name in ("One", "Two"):
        made, _ = framework.organizations.create_organization(name, "a@example.com")
        new = NewProject(f"Shop {name}", "en", organization_id=made.id)
        organizations.append(made)
        projects.append(framework.projects.create_project(OPERATOR, new))

    for area, made in (("organization", organizations), ("project", projects)):
        lines = command(area, "list").stdout
        short = [each.slug.removesuffix(f"-{each.id}") for each in made]
        rows = zip(short, made, strict=True)
        assert lines == "".join(f"{s}  {each.id}  {each.name}\n" for s, each in rows)


def test_a_lost_token_is_replaced_and_may_be_narrow(command, framework, project):
    full = command("token", "create", "ADA@example.com")
    narrow = command(
        *("token", "create", "ada@example.com"),
        *("--organization", project.organization_id),
        *("--permission", "import_run", "--permission", "project_read"),
    )

    caller = framework.tokens.caller_behind(full.stdout.strip())
    limited = framework.tokens.caller_behind(narrow.stdout.strip())
    assert framework.projects.get_project(caller, project.id).id == project.id
    assert limited.grants[0].permissions == {"import_run", "project_read"}


def test_a_member_is_added_with_a_token_that_writes_their_languages(
    command, framework, project
):
    add = ("member", "add", "ines@example.com", "--role", "translator")
    added = command(*add, "--language", "de", "--name", "Inês")
    again = command(*add)

    [grant] = framework.tokens.caller_behind(added.stdout.strip()).grants
    members = framework.organizations.list_members(OPERATOR, project.organization_id)
    assert [(each.name, each.role) for each in members.items] == [
        ("", "owner"),
        ("Inês", "translator"),
    ]
    assert grant.languages == {"de"}
    assert added.stderr == "member ines@example.com, translator of de\n"
    assert (again.exit_code, again.stdout, again.stderr.count("\n")) == (1, "", 1)


def test_a_member_is_invited_by_a_link_that_signs_in_once(command, framework, project):
    command("member", "add", "ines@example.com", "--role", "translator")

    invited = command("member", "invite", "ines@example.com")

    address, _, secret = invited.stdout.strip().partition("#invitation=")
    assert address == "http://127.0.0.1:8080/workbench/"
    _, text = framework.sessions.open_session(NewSession(secret))
    [grant] = framework.tokens.caller_behind(text).grants
    assert grant.organization_id == project.organization_id
    with pytest.raises(Unauthorized):
        framework.sessions.open_session(NewSession(secret))
    unknown = command("member", "invite", "bob@example.com")
    assert (unknown.exit_code, unknown.stdout) == (1, "")


def test_a_token_for_somebody_else_is_refused_in_one_line(command, project):
    stranger = command("token", "create", "bob@example.com")
    elsewhere = command("token", "create", "a@b.example", "--organization", project.id)

    line = "Error: no member bob@example.com in this organization\n"
    assert (stranger.exit_code, stranger.stderr) == (1, line)
    assert (elsewhere.exit_code, elsewhere.stdout) == (1, "")
    assert elsewhere.stderr.count("\n") == 1


def test_one_of_several_organizations_has_to_be_named(command, framework, organization):
    other, _ = framework.organizations.create_organization("Other", "ada@example.com")
    create = ("project", "create", "Shop", "--source-language", "en")

    for asked in (("token", "create", "ada@example.com"), create):
        unsaid = command(*asked)
        assert (unsaid.exit_code, unsaid.stdout) == (1, "")
        assert "choose one with --organization: " in unsaid.stderr
    said = command(*create, "--organization", other.slug)

    assert said.exit_code == 0
    [made] = projects_of(framework)
    assert made.organization_id == other.id


def test_create_prints_the_id_of_a_project_with_its_languages(
    command, framework, organization
):
    result = command(
        *("project", "create", "Web shop", "--source-language", "en"),
        *("--language", "de", "--language", "pt_br"),
        *("--description", "Where people buy"),
    )

    [made] = projects_of(framework)
    languages = framework.languages.list_languages(OPERATOR, made.id)
    assert result.stdout == f"{made.id}\n"
    assert result.stderr == f"project {made.slug}, in en, de, pt-BR\n"
    assert (made.name, made.description) == ("Web shop", "Where people buy")
    assert made.organization_id == organization.id
    codes = [(each.language_code, each.is_source) for each in languages]
    assert codes == [("en", True), ("de", False), ("pt-BR", False)]


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ("--source-language _", 2, "for '--source-language': '_' is not a BCP-47"),
        ("--source-language en --language _", 2, "'--language': '_' is not a BCP-47"),
        (
            "--source-language en --language de --language DE",
            1,
            "Error: the project has the language de already\n",
        ),
    ],
)
def test_a_wrong_language_is_told_by_its_option_and_nothing_is_made(
    command, framework, organization, options, status, told
):
    result = command("project", "create", "Shop", *options.split())

    assert (result.exit_code, result.stdout) == (status, "")
    assert told in result.stderr
    assert projects_of(framework) == []


@pytest.fixture
def shops(framework, organization):
    """Projects of two organizations, some of which share short names."""
    other, _ = framework.organizations.create_organization("Other", "bo@example.com")
    names = ("My App", "Web shop!", "Web: shop", "日本", "Blog")
    return [
        framework.projects.create_project(OPERATOR, NewProject(name, "en", of.id))
        for name, of in [*((name, organization) for name in names), ("blog", other)]
    ]


@pytest.mark.parametrize(
    ("reference", "index"),
    [("my-app", 0), (" MY  app", 0), ("web shop!", 1), ("web: SHOP", 2), ("日本", 3)],
)
def test_a_project_is_named_by_its_name_or_short_name(
    command, framework, shops, reference, index
):
    done = command("verify", "--project", reference, "--json")

    assert done.exit_code == 0
    assert PROJECT.choose(framework, reference) == shops[index]


@pytest.mark.parametrize(
    ("reference", "reason", "indexes"),
    [
        ("web-shop", "there are several called 'web-shop'; choose one of", (1, 2)),
        ("blog", "there are several called 'blog'; choose one of", (4, 5)),
        ("wiki", "there is no project 'wiki'; there are", (4, 0, 1, 2, 5, 3)),
    ],
)
def test_the_candidates_are_told_where_a_name_is_not_one_project(
    command, shops, reference, reason, indexes
):
    refused = command("verify", "--project", reference)

    listed = command("project", "list").stdout
    names = {
        each.id: each.slug if each.slug in listed else each.slug[: -len(each.id) - 1]
        for each in shops
    }
    told = ", ".join(names[shops[index].id] for index in indexes)
    assert refused.stderr == f"Error: {reason}: {told}\n"
    assert names[shops[0].id] == "my-app"
    assert names[shops[3].id] == shops[3].id
    assert (refused.exit_code, refused.stdout) == (1, "")


def test_a_second_organization_of_a_name_is_refused(command, framework, organization):
    refused = command("organization", "create", "EXAMPLE ", "--owner", "bo@example.com")

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("Error: the name 'EXAMPLE' is taken")


@pytest.fixture
def leaked(command, framework, project):
    """The text and the record of a token of Ada, who has another, as a project has."""
    text = command("token", "create", "ada@example.com").stdout.strip()
    command("token", "create", "ada@example.com", "--name", "Laptop")
    framework.projects.create_token(OPERATOR, project.id, NewToken("CI"))
    framework.authenticate(text, "192.0.2.7", "curl/8")
    return text, framework.tokens.caller_behind(text).token


def test_the_tokens_of_an_organization_are_listed_with_their_last_use(
    command, framework, leaked
):
    deadline = time.monotonic() + 10
    while framework.tokens.caller_behind(leaked[0]).token.last_used_at is None:
        assert time.monotonic() < deadline
    found = json.loads(command("token", "list", "--json").stdout)["items"]
    lines = command("token", "list").stdout.splitlines()
    of_ada = command("token", "list", "ADA@example.com").stdout.splitlines()

    holders = ["ada@example.com", "ada@example.com", "Shop"]
    assert [each["holder"] for each in found] == holders
    assert [each["kind"] for each in found] == ["personal", "personal", "project"]
    assert of_ada == lines[:2]
    _, token = leaked
    [line] = [each for each in lines if token.id in each]
    first = f"{token.id}  personal  {token.prefix}  until {token.expires_at}"
    assert line.startswith(f"{first}  ada@example.com  Made by the operator  used 20")
    assert line.endswith("Z 192.0.2.7 curl/8")
    assert leaked[0] not in "".join(lines)


@pytest.mark.parametrize("by", ["id", "prefix", "text"])
def test_a_leaked_token_is_revoked_alone(command, framework, leaked, by):
    text, token = leaked

    result = command("token", "revoke", text if by == "text" else getattr(token, by))

    assert (result.exit_code, result.stdout) == (0, "revoked 1 token\n")
    assert framework.authenticate(text) is None
    assert len(command("token", "list").stdout.splitlines()) == 2


def test_all_tokens_of_a_member_end_with_one_call(command, framework, leaked):
    narrow = ("token", "create", "ada@example.com", "--permission", "project_read")
    parent = framework.authenticate(command(*narrow).stdout.strip())
    framework.tokens.create_personal(parent, NewToken("A child"))

    result = command("token", "revoke", "--all", "ada@example.com")

    assert (result.exit_code, result.stdout) == (0, "revoked 4 tokens\n")
    assert framework.authenticate(leaked[0]) is None
    assert "CI" in command("token", "list").stdout


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ([], 2, "name one TOKEN, or a member with --all EMAIL"),
        (["x", "--all", "ada@example.com"], 2, "name one TOKEN, or a member"),
        (["svc_pat_0000"], 1, "there is no token svc_pat_0000; there are:\n"),
        (["svc_pat_0000secret"], 1, "there is no token svc_pat_0000; there are:\n"),
        (["--all", "bo@example.com"], 1, "no member bo@example.com in this"),
    ],
)
def test_a_token_that_is_not_named_is_not_revoked(command, leaked, asked, status, told):
    refused = command("token", "revoke", *asked)

    assert (refused.exit_code, refused.stdout) == (status, "")
    assert f"Error: {told}" in refused.stderr
    assert len(command("token", "list").stdout.splitlines()) == 3
