"""``locframework project``."""

import pytest

from locframework import OPERATOR
from locframework.pagination import PageRequest
from locframework.projects.records import NewProject


@pytest.fixture
def organization(framework):
    made, _ = framework.organizations.create_organization("Example", "ada@example.com")
    return made


def projects_of(framework):
    return framework.projects.list_projects(OPERATOR, PageRequest()).items


def test_create_prints_the_id_of_a_project_with_its_languages(
    command, framework, organization
):
    result = command(
        "project",
        "create",
        "Web shop",
        "--source-language",
        "en",
        *("--language", "de"),
        *("--language", "pt_br"),
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


def test_a_file_can_be_imported_into_what_was_made(command, folder, organization):
    command("project", "create", "Shop", "--source-language", "en")
    (folder / "en.json").write_text('{"cart": {"title": "Your cart"}}')

    result = command("import", "en.json")

    assert result.exit_code == 0
    assert "1 key created" in result.stdout


@pytest.mark.parametrize("option", ["--source-language", "--language"])
def test_a_wrong_language_is_told_by_its_option_and_nothing_is_made(
    command, framework, organization, option
):
    asked = {"--source-language": "en", "--language": "de", option: "not a tag"}
    options = [each for pair in asked.items() for each in pair]

    result = command("project", "create", "Shop", *options)

    assert (result.exit_code, result.stdout) == (2, "")
    assert f"for '{option}': 'not a tag' is not a BCP-47" in result.stderr
    assert projects_of(framework) == []


def test_a_language_that_is_named_twice_is_refused_and_nothing_is_made(
    command, framework, organization
):
    languages = ("--source-language", "en", "--language", "de", "--language", "DE")

    result = command("project", "create", "Shop", *languages)

    line = "Error: the project has the language de already\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", line)
    assert projects_of(framework) == []


def test_one_of_several_organizations_has_to_be_named(command, framework, organization):
    other, _ = framework.organizations.create_organization("Other", "bob@example.com")
    create = ("project", "create", "Shop", "--source-language", "en")

    unsaid = command(*create)
    said = command(*create, "--organization", other.slug)

    assert (unsaid.exit_code, unsaid.stdout) == (1, "")
    assert "choose one with --organization: " in unsaid.stderr
    assert said.exit_code == 0
    [made] = projects_of(framework)
    assert made.organization_id == other.id


def test_without_an_organization_the_command_that_makes_one_is_named(
    command, framework
):
    result = command("project", "create", "Shop", "--source-language", "en")

    assert result.exit_code == 1
    assert result.stderr.endswith("with: locframework organization create\n")


def test_list_shows_the_projects_of_every_organization(command, framework):
    made = []
    for name in ("One", "Two"):
        organization, _ = framework.organizations.create_organization(
            name, f"{name}@example.com"
        )
        new = NewProject(f"Shop {name}", "en", organization_id=organization.id)
        made.append(framework.projects.create_project(OPERATOR, new))

    told = command("project", "list").stdout

    assert told == "".join(f"{each.id}  {each.name}\n" for each in made)
