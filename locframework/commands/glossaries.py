"""``locframework glossary``: files of glossaries in and out."""

from pathlib import Path

import click
import msgspec

from locframework.app import OPERATOR, Framework
from locframework.glossaries.records import GlossaryQuery, ImportResult

from .errors import counted
from .jobs import files_argument, named, result_of, tell_languages
from .options import FEW, Setup, common_options, only_one, output_options, put_out

glossary_option = click.option(
    "--glossary",
    "reference",
    metavar="GLOSSARY",
    help="Id or slug; optional if there is only one glossary.",
)


@click.group()
def glossary() -> None:
    """Import and export glossaries: CSV, TBX."""


@glossary.command("import")
@files_argument
@glossary_option
@click.option("--format", "format_", metavar="csv|tbx", help="Detected if left out.")
@common_options
@click.pass_obj
def import_glossary(
    setup: Setup,
    paths: tuple[Path, ...],
    reference: str | None,
    format_: str | None,
) -> None:
    """Import CSV and TBX files into a glossary.

    The files are imported one after the other, each as with POST
    …/glossaries/{glossaryId}/import of the API. A faulty one changes nothing, and ends
    the command. An existing term becomes what the file says; what no file names stays.
    A CSV file has the column term, and one for each language; "glossary export --format
    csv" shows the others.

    \b
    Examples:
      locframework glossary import terms.csv
      locframework glossary import *.tbx --glossary brand-names-0199…
    """
    with setup.framework() as framework:
        glossary_id = _glossary_id(framework, reference)
        files = framework.glossary_files
        for path in paths:
            with named(path), path.open("rb") as file:
                job = files.start_import(OPERATOR, glossary_id, file, format_)
                found = result_of(framework, files, glossary_id, job)
            _tell(path, msgspec.convert(found, ImportResult))


@glossary.command("export")
@glossary_option
@click.option("--format", "format_", metavar="csv|tbx", required=True)
@output_options
@common_options
@click.pass_obj
def export_glossary(
    setup: Setup,
    reference: str | None,
    format_: str,
    output: Path | None,
    overwrite: bool,
) -> None:
    """Export the terms of a glossary, as CSV or TBX.

    Writes the translations that are in effect and drafts, but no proposals, as GET
    …/glossaries/{glossaryId}/export of the API does. "glossary import" reads it back.

    \b
    Examples:
      locframework glossary export --format csv -o terms.csv --overwrite
      locframework glossary export --format tbx -o - | xmllint --format -
    """
    with setup.framework() as framework:
        glossary_id = _glossary_id(framework, reference)
        found = framework.glossary_files.export(OPERATOR, glossary_id, format_)
    with found.file:
        put_out(found.file, found.name, output, overwrite=overwrite)


def _glossary_id(framework: Framework, reference: str | None) -> str:
    if reference is not None:
        return framework.glossaries.get_glossary(OPERATOR, reference).id
    found = framework.glossaries.list_glossaries(OPERATOR, GlossaryQuery(limit=FEW))
    return only_one(found, "glossary", "--glossary")


def _tell(path: Path, result: ImportResult) -> None:
    tell_languages(path, result.languages_taken_as, result.languages_added)
    for warning in result.warnings:
        click.echo(f"Warning: {path}: {warning}", err=True)
    written = result.translations_applied + result.translations_drafted
    click.echo(
        f"{path}: {counted(result.terms_created, 'term')} created, "
        f"{result.terms_updated} updated, {result.terms_unchanged} unchanged; "
        f"{counted(written, 'translation')} written"
    )
