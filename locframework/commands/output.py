"""Where an exported file goes: ``-o`` and ``--overwrite``."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from .telling import CommandFailed

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def output_options(command: Decorated) -> Decorated:
    """The two options, as ``output`` and ``overwrite``."""
    output = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
        help='Default: a name of its own in this folder; "-": standard output.',
    )
    overwrite = click.option(
        "--overwrite", is_flag=True, help="Replace an existing file."
    )
    return output(overwrite(command))


def put_out(file: BinaryIO, name: str, output: Path | None, *, overwrite: bool) -> None:
    """Write the file where the options say. Raises Refused for one that is there."""
    if output == Path("-"):
        shutil.copyfileobj(file, sys.stdout.buffer)
        return
    path = output or Path(name)
    if path.is_file() and not overwrite:
        raise CommandFailed(f"{path} exists already; --overwrite replaces it")
    with path.open("wb") as written:
        shutil.copyfileobj(file, written)
        size = written.tell()
    click.echo(f"{path}: {size} bytes", err=True)
