"""``locframework organization`` and ``token``."""

import sqlite3

from locframework import OPERATOR
from locframework.pagination import PageRequest


def test_create_prints_a_token_of_the_owner_to_standard_output(command, framework):
    result = command("organization", "create", "Example", "--owner", "ada@example.com")

    caller = framework.tokens.caller_behind(result.stdout.strip())
    [grant] = caller.grants
    found = framework.organizations.list_organizations(OPERATOR, PageRequest()).items
    assert [each.name for each in found] == ["Example"]
    assert grant.organization_id == found[0].id
    assert "member_manage" in grant.permissions
    assert "owned by ada@example.com" in result.stderr


def test_the_token_is_shown_once_and_not_kept(command, framework, folder):
    result = command("organization", "create", "Example", "--owner", "ada@example.com")

    framework.close()
    with sqlite3.connect(folder / "data" / "locframework.sqlite3") as database:
        everything = "\n".join(database.iterdump())
    assert "ada@example.com" in everything
    assert result.stdout.strip() not in everything


def test_the_token_lives_as_long_as_asked(command, framework):
    made = command(
        "organization",
        "create",
        "Example",
        "--owner",
        "ada@example.com",
        "--expires-in-days",
        1,
    )
    caller = framework.tokens.caller_behind(made.stdout.strip())

    too_long = command(
        "organization", "create", "B", "--owner", "a@b", "--expires-in-days", 367
    )

    assert caller.token.expires_at[:10] > caller.token.created_at[:10]
    assert too_long.exit_code == 2


def test_an_owner_without_an_email_address_is_refused(command, framework):
    result = command("organization", "create", "Example", "--owner", "ada")

    found = framework.organizations.list_organizations(OPERATOR, PageRequest())
    assert result.exit_code == 2
    assert "Invalid value for --owner: not an email address" in result.stderr
    assert found.total == 0


def test_a_blank_name_is_refused_in_one_line(command, framework):
    result = command("organization", "create", " ", "--owner", "ada@example.com")

    line = "Error: name: must not be blank\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", line)


def test_list_shows_every_organization(command, framework):
    first, _ = framework.organizations.create_organization("One", "a@example.com")
    second, _ = framework.organizations.create_organization("Two", "b@example.com")

    told = command("organization", "list").stdout

    assert told == f"{first.id}  One\n{second.id}  Two\n"


def test_a_lost_token_is_replaced(command, framework, project):
    result = command(
        "token",
        "create",
        "ADA@example.com",
        "--organization",
        project.organization_id,
    )

    caller = framework.tokens.caller_behind(result.stdout.strip())
    assert framework.projects.get_project(caller, project.id).id == project.id


def test_the_only_organization_need_not_be_named(command, framework, project):
    alone = command("token", "create", "ada@example.com")
    framework.organizations.create_organization("Other", "ada@example.com")
    beside_another = command("token", "create", "ada@example.com")

    caller = framework.tokens.caller_behind(alone.stdout.strip())
    assert framework.projects.get_project(caller, project.id).id == project.id
    assert (beside_another.exit_code, beside_another.stdout) == (1, "")
    assert "choose one with --organization" in beside_another.stderr


def test_an_empty_database_is_told_in_one_short_line(command):
    refused = command("organization", "list")

    assert refused.exit_code == 2
    assert refused.stderr == (
        "Error: the database lacks 0001_initial; run: locframework migrate\n"
    )


def test_a_token_may_be_narrow(command, framework, project):
    result = command(
        "token",
        "create",
        "ada@example.com",
        "--organization",
        project.organization_id,
        "--permission",
        "import_run",
        "--permission",
        "project_read",
    )

    caller = framework.tokens.caller_behind(result.stdout.strip())
    assert caller.grants[0].permissions == {"import_run", "project_read"}


def test_a_token_for_somebody_else_is_refused_in_one_line(command, project):
    result = command(
        "token", "create", "bob@example.com", "--organization", project.organization_id
    )

    line = "Error: no member bob@example.com in this organization\n"
    assert (result.exit_code, result.stderr) == (1, line)


def test_a_token_in_an_unknown_organization_is_refused_in_one_line(command, project):
    result = command("token", "create", "ada@example.com", "--organization", project.id)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
