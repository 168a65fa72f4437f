"""``convert``: a file of one format into one of another, without a project."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from locframework.errors import LanguageNotInProject, UnreadableFile
from locframework.formats.converting import convert_entry, with_dialect
from locframework.formats.records import Catalogue, FileOptions, FormatInfo, Text
from locframework.formats.rules import is_neutral, language_in_path
from locframework.formats.service import Formats
from locframework.keys.catalogues import family_of, may_name
from locframework.keys.rules import is_legal_key, legal_key
from locframework.languages import language_info, match_language
from locframework.plugins import PluginHost

from .common import (
    CommandFailed,
    Setup,
    common_options,
    language,
    show_problems,
    write_output,
)
from .files import read_file, show_warnings

SEPARATOR = "."

input_file = click.Path(exists=True, dir_okay=False, path_type=Path)
output_file = click.Path(dir_okay=False, allow_dash=True, path_type=Path)


@click.command()
@click.argument("path", metavar="IN", type=input_file)
@click.argument("output", metavar="OUT", type=output_file)
@click.option("--from", "from_id", metavar="ID", help="Format of IN; detected.")
@click.option("--to", "to_id", metavar="ID", help="Format of OUT; default: by name.")
@click.option(
    "--language",
    "code",
    type=language,
    metavar="CODE",
    help="Default: as the file says, or its path. Of several, the one that is written.",
)
@click.option(
    "--source-language",
    "source_code",
    type=language,
    metavar="CODE",
    default="en",
    show_default=True,
)
@click.option(
    "--source",
    "source_path",
    metavar="FILE",
    type=input_file,
    help="The file of the source language, in the format of IN.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@common_options
@click.pass_obj
def convert(
    setup: Setup,
    /,
    path: Path,
    output: Path,
    from_id: str | None,
    to_id: str | None,
    code: str | None,
    source_code: str,
    source_path: Path | None,
    overwrite: bool,
) -> None:
    """Convert a file into another format, without a project.

    Plurals and placeholders become those of the other format. What it cannot express
    is left out, with a warning. The source texts, from --source, are needed for a
    translation with names of placeholders that the other format numbers, and for PO
    and XLIFF, which contain them.

    \b
    Examples:
      locframework convert res/values-de/strings.xml de.lproj/Localizable.strings
      locframework convert de.json de.po --source en.json
      locframework convert texts.csv de.json --language de --to json-i18next
    """
    plugins = PluginHost.discover(setup.settings().plugins)
    formats = Formats(plugins.formats, plugins.plugin_of_format)
    file = read_file(path)
    its = formats.to_read(from_id) if from_id else formats.detect(file)
    info = formats.to_write(to_id) if to_id else _by_name(formats, output)
    found = _read(formats, its, path, code, source_code)
    sources = _sources(found, source_code)
    if source_path is not None:
        of_source = _read(formats, its, source_path, source_code, source_code)
        sources |= _sources(of_source, source_code)
    if code is not None:
        chosen = match_language(code, frozenset(str(c.language_code) for c in found))
        found = [each for each in found if each.language_code == chosen]
    codes = ", ".join(str(each.language_code) for each in found)
    if not found:
        raise LanguageNotInProject(f"{path} has no language {code!r}")
    if len(found) > 1:
        raise click.UsageError(f"{path} has {codes}: choose one with --language")
    made = _converted(found[0], its, info, sources)
    written = formats.write(info.id, [made], FileOptions(SEPARATOR, source_code))
    show_warnings([*found[0].warnings, *made.warnings], path)
    show_warnings(written.warnings, output)
    write_output(io.BytesIO(written.content), "", output, overwrite=overwrite)


def _by_name(formats: Formats, output: Path) -> FormatInfo:
    named = [
        info
        for info in formats.list_formats()
        if info.can_export and info.is_name(output.name)
    ]
    if len(named) != 1:
        several = ", ".join(info.id for info in named) or "none"
        raise click.UsageError(
            f"choose a format with --to; those of files named {output}: {several}"
        )
    return named[0]


def _read(
    formats: Formats, info: FormatInfo, path: Path, code: str | None, source_code: str
) -> list[Catalogue]:
    """Return what a file says, each with its language."""
    file = read_file(path)
    of_path = language_in_path(file.name, frozenset((source_code,)))
    if is_neutral(file.name) or info.is_template:
        of_path = source_code
    given = None if info.multilingual else code or of_path
    options = FileOptions(SEPARATOR, source_code, given)
    try:
        found = formats.read(info.id, file, options)
    except UnreadableFile as refusal:
        show_problems(refusal)
        raise CommandFailed(f"{path}: {refusal.message}") from refusal
    if len(found) == 1:
        own = code or found[0].language_code or of_path
        if own is None:
            raise click.UsageError(f"name the language of {path} with --language")
        found = [replace(found[0], language_code=own)]
    return found


def _sources(found: Sequence[Catalogue], source_code: str) -> dict[str, Text | None]:
    """Return the source texts by key."""
    return {
        entry.key: entry.source or entry.value
        for each in found
        for entry in each.entries
        if entry.source or each.language_code == source_code
    }


def _converted(
    catalogue: Catalogue,
    its: FormatInfo,
    info: FormatInfo,
    sources: Mapping[str, Text | None],
) -> Catalogue:
    """Return the catalogue as the other format has it."""
    is_kin = family_of(its) == family_of(info)
    warnings: list[str] = []
    entries = []
    for entry in catalogue.entries:
        source, key = sources.get(entry.key), entry.key
        if not may_name(info, key):
            key = legal_key(key, SEPARATOR)
        made = replace(
            entry,
            key=key,
            name=None,
            value=source if its.is_template else entry.value,
            source=source,
            is_file_key=not is_legal_key(key, SEPARATOR),
            key_detail=entry.key_detail if is_kin else None,
            detail=entry.detail if is_kin else None,
            format_flags=with_dialect(entry, its),
        )
        entries.append(convert_entry(made, source, info, warnings))
    code = str(catalogue.language_code)
    return Catalogue(
        code,
        entries,
        language_info(code).plural_forms,
        catalogue.detail if is_kin else None,
        warnings=warnings,
    )
