"""``locframework tm``: files of translation memories in and out."""

from pathlib import Path
from typing import Literal

import click
import msgspec

from locframework.app import OPERATOR, Framework
from locframework.memories.file_records import (
    ImportOptions,
    ImportResult,
    MemoryExportQuery,
)
from locframework.memories.records import MemoryQuery

from .errors import counted
from .jobs import files_argument, named, result_of, tell_languages
from .options import (
    FEW,
    Setup,
    common_options,
    language_tags,
    only_one,
    output_options,
    put_out,
)

memory_option = click.option(
    "--memory",
    "reference",
    metavar="MEMORY",
    help="Id or slug; optional if there is only one memory.",
)


language_option = click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    callback=language_tags,
    help="A target language; default: all.",
)


@click.group()
def tm() -> None:
    """Import and export translation memories: TMX, CSV."""


@tm.command("import")
@files_argument
@memory_option
@click.option("--format", "format_", metavar="tmx|csv", help="Detected if left out.")
@language_option
@click.option(
    "--on-existing",
    type=click.Choice(["keep", "replace"]),
    default="keep",
    show_default=True,
    help="What to do with an existing translation that differs.",
)
@common_options
@click.pass_obj
def import_memory(
    setup: Setup,
    paths: tuple[Path, ...],
    reference: str | None,
    format_: str | None,
    languages: tuple[str, ...],
    on_existing: Literal["keep", "replace"],
) -> None:
    """Import TMX 1.4b and CSV files into a translation memory.

    The files are imported one after the other, each as with POST
    …/translation-memories/{tmId}/import of the API. A faulty one changes nothing, and
    ends the command. Units that cannot be entries are left out, and reported with their
    lines. Languages that the memory lacks are added. A CSV file has the columns
    context, the source language, and one for each other language.

    \b
    Examples:
      locframework tm import memory.tmx
      locframework tm import *.tmx --memory ui-texts-0199… --language de
      locframework tm import legacy.csv --on-existing replace
    """
    options = ImportOptions(format_, on_existing, list(languages))
    with setup.framework() as framework:
        memory_id = _memory_id(framework, reference)
        files = framework.memory_files
        for path in paths:
            with named(path), path.open("rb") as file:
                job = files.start_import(OPERATOR, memory_id, file, options)
                found = result_of(framework, files, memory_id, job)
            _tell(path, msgspec.convert(found, ImportResult))


@tm.command("export")
@memory_option
@click.option("--format", "format_", metavar="tmx|csv", required=True)
@language_option
@output_options
@common_options
@click.pass_obj
def export_memory(
    setup: Setup,
    reference: str | None,
    format_: str,
    languages: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
) -> None:
    """Export the entries of a translation memory, as TMX 1.4b or CSV.

    Writes the translations that are in effect, in TMX also drafts, but no proposals,
    as GET …/translation-memories/{tmId}/export of the API does. "tm import" reads it
    back.

    \b
    Examples:
      locframework tm export --format tmx -o memory.tmx --overwrite
      locframework tm export --format csv --language de -o - | head
    """
    query = MemoryExportQuery(format_, list(languages))
    with setup.framework() as framework:
        memory_id = _memory_id(framework, reference)
        found = framework.memory_files.export(OPERATOR, memory_id, query)
        with found.file:
            put_out(found.file, found.name, output, overwrite=overwrite)


def _memory_id(framework: Framework, reference: str | None) -> str:
    if reference is not None:
        return framework.memories.get_memory(OPERATOR, reference).id
    found = framework.memories.list_memories(OPERATOR, MemoryQuery(limit=FEW))
    return only_one(found, "translation memory", "--memory")


def _tell(path: Path, result: ImportResult) -> None:
    for fault in result.errors:
        click.echo(f"{path} line {fault.line}: {fault.message}", err=True)
    tell_languages(path, result.languages_taken_as, result.languages_added)
    for warning in result.warnings:
        click.echo(f"Warning: {path}: {warning}", err=True)
    if result.languages_left_out:
        codes = ", ".join(result.languages_left_out)
        click.echo(f"Warning: {path}: left out the texts in {codes}", err=True)
    created = counted(result.entries_created, "entry", "entries")
    click.echo(
        f"{path}: {created} created, {result.entries_updated} updated, "
        f"{result.entries_unchanged} unchanged; "
        f"{counted(result.translations_written, 'translation')} written, "
        f"{counted(result.units_failed, 'unit')} left out"
    )
