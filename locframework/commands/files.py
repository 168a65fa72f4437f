"""``import`` and ``export``, also of ``tm`` and ``glossary``: files in, files out."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import click
import msgspec

from locframework.app import OPERATOR, Framework
from locframework.errors import (
    InvalidKey,
    LanguageNotInProject,
    LocError,
    UnknownFormat,
    UnreadableFile,
    truncate,
)
from locframework.exchange.records import ExportQuery, ImportOptions, ImportResult
from locframework.file_import.imports import ImportSummary
from locframework.formats.archive import is_archive, read_archive, write_archive
from locframework.formats.records import SourceFile
from locframework.formats.service import Formats
from locframework.glossaries import records as glossaries
from locframework.jobs.records import Job
from locframework.languages import language_info
from locframework.memories import imports as memories

from .common import (
    GLOSSARY,
    MEMORY,
    PROJECT,
    CommandFailed,
    JobsOf,
    Setup,
    TextsNotTaken,
    choice_option,
    common_options,
    counted,
    json_option,
    language,
    languages_option,
    output_options,
    reference_option,
    run_import,
    show_problems,
    write_output,
)

files_argument = click.argument(
    "paths",
    metavar="FILE…",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
branch_option = click.option(
    "--branch", metavar="BRANCH", help="Name or id of an open branch; default: main."
)


@click.command("import")
@files_argument
@reference_option("project")
@branch_option
@click.option("--format", metavar="ID", help="Detected if left out.")
@click.option(
    "--language",
    "language_code",
    type=language,
    metavar="CODE",
    help="Default: as the file says, or its path (de/app.json, app.de.json).",
)
@choice_option(
    "--mode",
    ["merge", "replace"],
    "replace: keys that are not in the files are removed.",
)
@choice_option(
    "--on-conflict",
    ["auto", "keep", "overwrite", "fail"],
    "Where a text differs; auto: the side that changed since the last import.",
)
@choice_option(
    "--on-unreadable",
    ["fail", "skip"],
    "What to do with files that cannot be read, if there are several.",
)
@click.option(
    "--add-languages", is_flag=True, help="Add the languages that the project lacks."
)
@choice_option(
    "--modules",
    ["auto", "always", "never"],
    "Whether names of files are modules; auto: where files share keys.",
)
@choice_option(
    "--renames",
    ["list", "carry"],
    "With --mode replace. carry: renamed keys keep their translations.",
)
@click.option(
    "--dry-run", is_flag=True, help="Report what would be done; change nothing."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Give every key this tag."
)
@click.option(
    "--module", metavar="SEGMENT", help="Put the keys below this first segment."
)
@click.option(
    "--keep-fresh",
    is_flag=True,
    help="Do not mark translations of changed texts as outdated.",
)
@json_option
@common_options
@click.pass_obj
def import_(
    setup: Setup,
    /,
    paths: tuple[Path, ...],
    reference: str | None,
    tags: tuple[str, ...],
    **given: Any,  # the other fields of ImportOptions
) -> None:
    """Import files, or ZIP archives of files, into a project.

    All files together are one import, as with POST …/import of the API: if one of
    them is faulty, nothing changes. If this process is killed, a server or a worker
    finishes the import. Where both the file and the project changed a text since the
    last import, the file wins in the source language, and the project in the others.
    The exit code is 4 if texts of the files were not taken.

    \b
    Examples:
      locframework import de.json fr.json
      locframework import locale/*/LC_MESSAGES/shop.po --module shop --tag web
      locframework import app.json --language pt-BR --on-conflict overwrite
      locframework import everything.zip --mode replace --dry-run
      locframework import de.json --branch spring-campaign
    """
    options = ImportOptions(tags=list(tags), **given)
    with setup.framework() as framework:
        project_id = PROJECT.choose(framework, reference).id
        try:
            upload = _upload(framework, paths, options)
            job = framework.imports.start_import(OPERATOR, project_id, upload, options)
        except LanguageNotInProject as refusal:
            show_problems(refusal)
            raise
        except (InvalidKey, UnreadableFile) as refusal:
            show_problems(refusal)
            if len(paths) > 1:  # then it names the file
                raise
            raise CommandFailed(f"{paths[0]}: {refusal.message}") from refusal
        job, found = run_import(framework, framework.jobs, project_id, job)
    result = msgspec.convert(found, ImportResult)
    show_warnings(result.warnings)
    for conflict in result.conflicts:
        place = f"{conflict.key} in {conflict.language_code}"
        if conflict.plural_form is not None:
            place += f" ({conflict.plural_form})"
        ours, theirs = truncate(conflict.existing), truncate(conflict.imported)
        texts = f"{ours!r} in the project, {theirs!r} in the file"
        click.echo(f"Conflict: {place}: {texts}; {conflict.kept} kept", err=True)
    for skipped in result.skipped:
        click.echo(f"Skipped: {skipped.path}: {skipped.message}", err=True)
    for key in result.removed:
        setup.say(f"Removed: {key}")
    for rename in result.renames:
        setup.say(f"Renamed: {rename.old} to {rename.new}")
    for file in result.files:
        amounts = f"{counted(file.keys, 'key')}, {counted(file.texts, 'text')}"
        setup.say(f"{file.path}: {file.language_code}, {file.format}, {amounts}")
    setup.say(
        f"{'dry run: ' if result.dry_run else ''}"
        f"{counted(result.keys_created, 'key')} created, "
        f"{result.keys_updated} updated, {result.keys_unchanged} unchanged, "
        f"{result.keys_removed} removed; "
        f"{counted(result.values_written, 'text')} written, "
        f"{counted(result.conflict_count, 'conflict')}"
    )
    setup.show({"job": job})
    if result.texts_not_taken:
        told = f"{counted(result.texts_not_taken, 'text')} of the files not taken"
        raise TextsNotTaken(f"{told}; choose otherwise with --on-conflict overwrite")


@click.command()
@reference_option("project")
@branch_option
@click.option(
    "--format",
    metavar="ID",
    required=True,
    help='A format that "locframework check-settings" lists.',
)
@languages_option("Several give a ZIP; left out: all of the project.")
@choice_option(
    "--min-status", ["approved", "any"], "any: also texts waiting for review."
)
@click.option("--module", metavar="SEGMENT", help="Only keys below this segment.")
@click.option("--tag", metavar="TAG", help="Only keys with this tag.")
@choice_option(
    "--layout",
    ["original", "canonical"],
    "original: as in the files that were last imported. canonical: sorted by key.",
)
@output_options
@common_options
@click.pass_obj
def export(
    setup: Setup,
    /,
    reference: str | None,
    languages: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    **given: Any,  # the other fields of ExportQuery
) -> None:
    """Export a file, or a ZIP archive of several.

    Writes the file of one language, or an archive with one file for each, as GET
    …/export of the API does. The same content gives the same bytes. What the format
    cannot express is left out, with a warning.

    \b
    Examples:
      locframework export --format json-nested --language de -o de.json --overwrite
      locframework export --format gettext-po -o translations.zip
      locframework export --format arb --language fr -o - | jq .
    """
    query = ExportQuery(language_codes=list(languages), **given)
    with setup.framework() as framework:
        project_id = PROJECT.choose(framework, reference).id
        file = framework.exports.export(OPERATOR, project_id, query)
    show_warnings(file.warnings)
    write_output(io.BytesIO(file.content), file.name, output, overwrite=overwrite)


def _upload(
    framework: Framework, paths: tuple[Path, ...], options: ImportOptions
) -> SourceFile:
    """Return the only file, or an archive of all. Raises CommandFailed for two files of
    one name, and UnknownFormat, but not for files in an archive, nor where such files
    are left out."""
    if len(paths) == 1:
        return read_file(paths[0])
    formats = framework.formats
    format_ = options.format
    extension = "" if format_ is None else formats.to_read(format_).extension
    files: dict[str, SourceFile] = {}
    for path in paths:
        file = read_file(path)
        found = [file]
        if is_archive(file.content) and not formats.recognize(file):
            with _named(path):
                found = list(read_archive(file.content))
        elif options.on_unreadable != "skip":
            _require_format(formats, file, format_, extension)
        for each in found:
            if each.name in files:
                one_by_one = "import files with the same name one at a time"
                raise CommandFailed(f"{each.name} appears twice; {one_by_one}")
            files[each.name] = each
    return SourceFile("", write_archive(list(files.values())))


def _require_format(
    formats: Formats, file: SourceFile, format_: str | None, extension: str
) -> None:
    """Raise UnknownFormat, with the remedy, for a file that cannot be imported."""
    remedy = "--on-unreadable skip leaves such files out"
    if format_ is not None:
        if not file.name.lower().endswith(extension):
            raise UnknownFormat(f"{file.name} does not end with {extension}; {remedy}")
        return
    try:
        formats.detect(file)
    except UnknownFormat as refusal:
        raise UnknownFormat(f"{refusal.message}; {remedy}") from None


def read_file(path: Path) -> SourceFile:
    """Read the file, with the path that it has in an archive: folders may name the
    language."""
    left_out = (path.anchor, "..")
    name = "/".join(part for part in path.parts if part not in left_out)
    return SourceFile(name, path.read_bytes())


def show_warnings(warnings: Sequence[str], path: Path | None = None) -> None:
    for warning in warnings:
        where = "" if path is None else f"{path}: "
        click.echo(f"Warning: {where}{warning}", err=True)


@click.group()
def tm() -> None:
    """Import and export translation memories: TMX, CSV."""


memory_option = reference_option("memory")
memory_languages_option = languages_option("A target language; default: all.")


@tm.command("import")
@files_argument
@memory_option
@click.option("--format", "format_", metavar="tmx|csv", help="Detected if left out.")
@memory_languages_option
@choice_option(
    "--on-existing",
    ["keep", "replace"],
    "What to do with an existing translation that differs.",
)
@json_option
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
      locframework tm import *.tmx --memory ui-texts --language de
      locframework tm import legacy.csv --on-existing replace
    """
    options = memories.MemoryImportOptions(format_, on_existing, list(languages))
    with setup.framework() as framework:
        memory_id = MEMORY.choose(framework, reference).id
        files = framework.memory_files

        def start(file: BinaryIO) -> Job:
            return files.prepare_import(OPERATOR, memory_id, file, options)()

        done = []
        for path, job, found in _import_each(framework, files, memory_id, paths, start):
            done.append(job)
            result = msgspec.convert(found, memories.ImportResult)
            for fault in result.errors:
                click.echo(f"{path} line {fault.line}: {fault.message}", err=True)
            if result.languages_left_out:
                codes = ", ".join(result.languages_left_out)
                show_warnings([f"left out the texts in {codes}"], path)
            created = counted(result.entries_created, "entry", "entries")
            setup.say(
                f"{path}: {created} created, {result.entries_updated} updated, "
                f"{result.entries_unchanged} unchanged; "
                f"{counted(result.translations_written, 'translation')} written, "
                f"{counted(result.units_failed, 'unit')} left out"
            )
        setup.show({"jobs": done})


@tm.command("export")
@memory_option
@click.option("--format", "format_", metavar="tmx|csv", required=True)
@memory_languages_option
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
    query = memories.MemoryExportQuery(format_, list(languages))
    with setup.framework() as framework:
        memory_id = MEMORY.choose(framework, reference).id
        found = framework.memory_files.export(OPERATOR, memory_id, query)
        with found.file:
            write_output(found.file, found.name, output, overwrite=overwrite)


@click.group()
def glossary() -> None:
    """Import and export glossaries: CSV, TBX."""


glossary_option = reference_option("glossary")


@glossary.command("import")
@files_argument
@glossary_option
@click.option("--format", "format_", metavar="csv|tbx", help="Detected if left out.")
@json_option
@common_options
@click.pass_obj
def import_glossary(
    setup: Setup, paths: tuple[Path, ...], reference: str | None, format_: str | None
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
      locframework glossary import *.tbx --glossary brand-names
    """
    with setup.framework() as framework:
        glossary_id = GLOSSARY.choose(framework, reference).id
        files = framework.glossary_files

        def start(file: BinaryIO) -> Job:
            return files.prepare_import(OPERATOR, glossary_id, file, format_)()

        done = []
        for path, job, found in _import_each(
            framework, files, glossary_id, paths, start
        ):
            done.append(job)
            result = msgspec.convert(found, glossaries.ImportResult)
            written = result.translations_applied + result.translations_drafted
            setup.say(
                f"{path}: {counted(result.terms_created, 'term')} created, "
                f"{result.terms_updated} updated, {result.terms_unchanged} unchanged; "
                f"{counted(written, 'translation')} written"
            )
        setup.show({"jobs": done})


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
        glossary_id = GLOSSARY.choose(framework, reference).id
        found = framework.glossary_files.export(OPERATOR, glossary_id, format_)
        with found.file:
            write_output(found.file, found.name, output, overwrite=overwrite)


def _import_each(
    framework: Framework,
    jobs: JobsOf,
    about: str,
    paths: tuple[Path, ...],
    start: Callable[[BinaryIO], Job],
) -> Iterator[tuple[Path, Job, Mapping[str, object]]]:
    """Import the files one by one; yield the job and its result after its warnings."""
    for path in paths:
        with _named(path), path.open("rb") as file:
            job, found = run_import(framework, jobs, about, start(file))
        summary = msgspec.convert(found, ImportSummary)
        for code, other in summary.languages_taken_as.items():
            click.echo(f"{path}: {code} was taken as {other}", err=True)
        if summary.languages_added:
            names = (
                f"{tag} ({language_info(tag).label})" for tag in summary.languages_added
            )
            click.echo(f"{path}: new languages: {', '.join(names)}", err=True)
        show_warnings(summary.warnings, path)
        yield path, job, found


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in a refusal, and print all that is wrong with it."""
    try:
        yield
    except LocError as refusal:
        show_problems(refusal)
        raise CommandFailed(f"{path}: {refusal.message}") from refusal
