"""``locframework import`` and ``export``: files in, files out."""

import io
from pathlib import Path
from typing import Literal

import click
import msgspec

from locframework.app import OPERATOR, Framework
from locframework.errors import InvalidKey, UnknownFormat, UnreadableFile
from locframework.exchange.records import ExportQuery, ImportOptions, ImportResult
from locframework.formats.archive import is_archive, read_archive, write_archive
from locframework.formats.records import SourceFile
from locframework.jobs.records import Job

from .errors import CommandFailed, counted, problems_of
from .jobs import files_argument, named, progress, result_of
from .options import (
    Language,
    Setup,
    chosen_project,
    common_options,
    language_tags,
    output_options,
    project_option,
    put_out,
)

branch_option = click.option(
    "--branch", metavar="BRANCH", help="Name or id of an open branch; default: main."
)


@click.command("import")
@files_argument
@project_option
@branch_option
@click.option("--format", "format_", metavar="ID", help="Detected if left out.")
@click.option(
    "--language",
    type=Language(),
    metavar="CODE",
    help="Default: as the file says, or its path (de/app.json, app.de.json).",
)
@click.option(
    "--mode",
    type=click.Choice(["merge", "replace"]),
    default="merge",
    show_default=True,
    help="replace: keys that are not in the files are removed.",
)
@click.option(
    "--on-conflict",
    type=click.Choice(["keep", "overwrite", "fail"]),
    default="keep",
    show_default=True,
    help="What to do with an existing text that differs.",
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
@common_options
@click.pass_obj
def import_(
    setup: Setup,
    paths: tuple[Path, ...],
    reference: str | None,
    branch: str | None,
    format_: str | None,
    language: str | None,
    mode: Literal["merge", "replace"],
    on_conflict: Literal["keep", "overwrite", "fail"],
    dry_run: bool,
    tags: tuple[str, ...],
    module: str | None,
    keep_fresh: bool,
) -> None:
    """Import files, or ZIP archives of files, into a project.

    All files together are one import, as with POST …/import of the API: if one of
    them is faulty, nothing changes. If this process is killed, a server or a worker
    finishes the import.

    \b
    Examples:
      locframework import de.json fr.json
      locframework import locale/*/LC_MESSAGES/shop.po --module shop --tag web
      locframework import app.json --language pt-BR --on-conflict overwrite
      locframework import everything.zip --mode replace --dry-run
      locframework import de.json --branch spring-campaign
    """
    options = ImportOptions(
        format=format_,
        language_code=language,
        mode=mode,
        on_conflict=on_conflict,
        dry_run=dry_run,
        tags=list(tags),
        module=module,
        keep_fresh=keep_fresh,
        branch=branch,
    )
    with setup.framework() as framework:
        project_id = chosen_project(framework, reference)
        job = _start_import(framework, project_id, paths, options)
        result = result_of(framework, framework.jobs, project_id, job)
    _tell_result(msgspec.convert(result, ImportResult))


@click.command()
@project_option
@branch_option
@click.option(
    "--format",
    "format_",
    metavar="ID",
    required=True,
    help='A format that "locframework check-settings" lists.',
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    callback=language_tags,
    help="Several give a ZIP; left out: all of the project.",
)
@click.option(
    "--min-status",
    type=click.Choice(["approved", "any"]),
    default="approved",
    show_default=True,
    help="any: also texts waiting for review.",
)
@click.option("--module", metavar="SEGMENT", help="Only keys below this segment.")
@click.option("--tag", metavar="TAG", help="Only keys with this tag.")
@output_options
@common_options
@click.pass_obj
def export(
    setup: Setup,
    reference: str | None,
    branch: str | None,
    format_: str,
    languages: tuple[str, ...],
    min_status: Literal["approved", "any"],
    module: str | None,
    tag: str | None,
    output: Path | None,
    overwrite: bool,
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
    query = ExportQuery(format_, list(languages), min_status, module, tag, branch)
    with setup.framework() as framework:
        project_id = chosen_project(framework, reference)
        with progress("exporting") as tell:
            file = framework.exports.export(OPERATOR, project_id, query, report=tell)
    for warning in file.warnings:
        click.echo(f"Warning: {warning}", err=True)
    put_out(io.BytesIO(file.content), file.name, output, overwrite=overwrite)


def _start_import(
    framework: Framework,
    project_id: str,
    paths: tuple[Path, ...],
    options: ImportOptions,
) -> Job:
    """Start the import of the files; answers its job.

    Raises what a file is refused for, and tells first what is wrong where in it.
    """
    try:
        upload = _upload(framework, paths, options.format)
        return framework.imports.start_import(OPERATOR, project_id, upload, options)
    except (InvalidKey, UnreadableFile) as refusal:
        for line in problems_of(refusal):
            click.echo(f"  {line}", err=True)
        if len(paths) > 1:  # then it names the file
            raise
        raise CommandFailed(f"{paths[0]}: {refusal.message}") from refusal


def _upload(
    framework: Framework, paths: tuple[Path, ...], format_: str | None
) -> SourceFile:
    """The only file, or an archive of all of them: one import is one upload.

    Raises CommandFailed for two files of one name, and UnknownFormat for a file that
    would be left out.
    """
    if len(paths) == 1:
        return _read(paths[0])
    files: dict[str, SourceFile] = {}
    for path in paths:
        for file in _files_of(framework, path, format_):
            if file.name in files:
                raise CommandFailed(
                    f"{file.name} appears twice;"
                    " import files with the same name one at a time"
                )
            files[file.name] = file
    return SourceFile("", write_archive(list(files.values())))


def _files_of(
    framework: Framework, path: Path, format_: str | None
) -> list[SourceFile]:
    """The files of an archive, or the file itself, which must be of a known format.

    An archive may hold other things; what is named on the command line is meant.
    """
    file = _read(path)
    if is_archive(file.content) and not framework.formats.recognize(file):
        with named(path):
            return list(read_archive(file.content))
    if format_ is None:
        framework.formats.detect(file)
        return [file]
    extension = framework.formats.to_read(format_).extension
    if not file.name.lower().endswith(extension):
        raise UnknownFormat(f"{file.name} does not end with {extension}")
    return [file]


def _read(path: Path) -> SourceFile:
    """The file, by its path as archives may have it; folders may say the language."""
    left_out = (path.anchor, "..")
    name = "/".join(part for part in path.parts if part not in left_out)
    return SourceFile(name, path.read_bytes())


def _tell_result(result: ImportResult) -> None:
    for warning in result.warnings:
        click.echo(f"Warning: {warning}", err=True)
    for conflict in result.conflicts:
        place = f"{conflict.key} in {conflict.language_code}"
        texts = f"{conflict.existing!r} and {conflict.imported!r}"
        click.echo(f"Conflict: {place}: {texts}", err=True)
    click.echo(
        f"{'dry run: ' if result.dry_run else ''}"
        f"{counted(result.keys_created, 'key')} created, "
        f"{result.keys_updated} updated, {result.keys_unchanged} unchanged, "
        f"{result.keys_removed} removed; "
        f"{counted(result.values_written, 'text')} written, "
        f"{counted(result.conflict_count, 'conflict')}"
    )
