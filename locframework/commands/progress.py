"""Shows how far long work is, on stderr: a bar on a terminal, lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import click

LINE_EVERY_SECONDS = 5.0

Tell = Callable[[int, int], None]
"""Called with how many are done, and of how many; 0 of 0 is not known yet."""


@contextmanager
def progress(label: str) -> Iterator[Tell]:
    """What to tell the progress to, as long as the block takes."""
    if not sys.stderr.isatty():
        yield _lines(label)
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def tell(done: int, total: int) -> None:
            if total:
                bar.length = total
                bar.update(done - bar.pos)

        yield tell


def _lines(label: str) -> Tell:
    told_at = monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told_at
        if total and monotonic() - told_at >= LINE_EVERY_SECONDS:
            told_at = monotonic()
            click.echo(f"{label}: {done} of {total}", err=True)

    return tell
