"""``locframework project``: where keys are kept."""

import click

from locframework.app import OPERATOR
from locframework.projects.records import NewLanguage, NewProject

from .options import Language, Setup, common_options, every_project, organization_id


@click.group()
def project() -> None:
    """Make and list projects."""


@project.command("create")
@click.argument("name")
@click.option(
    "--source-language",
    type=Language(),
    metavar="CODE",
    required=True,
    help="The language that texts are written in first, such as en or pt-BR.",
)
@click.option(
    "--language",
    "languages",
    type=Language(),
    multiple=True,
    metavar="CODE",
    help="A language to translate into; may be given several times.",
)
@click.option(
    "--organization",
    "reference",
    metavar="ORGANIZATION",
    help="Id or slug; optional if there is only one organization.",
)
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
        new = NewProject(
            name,
            source_language,
            organization_id=organization_id(framework, reference),
            description=description,
        )
        made = framework.projects.create_project(OPERATOR, new)
        for code in languages:
            framework.languages.add_language(OPERATOR, made.id, NewLanguage(code))
    told = ", ".join([made.source_language, *languages])
    click.echo(f"project {made.slug}, in {told}", err=True)
    click.echo(made.id)


@project.command("list")
@common_options
@click.pass_obj
def list_projects(setup: Setup) -> None:
    """List the projects: id and name.

    \b
    Example:
      locframework project list
    """
    with setup.framework() as framework:
        for each in every_project(framework):
            click.echo(f"{each.id}  {each.name}")
