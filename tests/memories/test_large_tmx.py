"""Memory does not grow with a TMX file, nor with anything in it."""

from __future__ import annotations

import io
import itertools
import tracemalloc
from typing import BinaryIO

import pytest

from locframework.errors import UnreadableFile
from locframework.memories.file_records import Unit, UnitFault
from locframework.memories.tmx_reading import read_tmx

from .reading import texts, tmx, tuv


class Endless(io.RawIOBase):
    """A file that is made while it is read: a head, parts again and again, a tail."""

    def __init__(self, head: str, part: str, times: int, tail: str) -> None:
        self.reads = 0
        self._parts = itertools.chain([head], itertools.repeat(part, times), [tail])

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        return next(self._parts, "").encode()


def peak_of(file: Endless, units: int) -> int:
    """What reading the file took at its most, in bytes."""
    tracemalloc.start()
    read: BinaryIO = file  # type: ignore[assignment]
    count = sum(1 for _ in read_tmx(read, "en"))
    assert count == units
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


UNIT = f"<tu>{tuv('en', 'x' * 100)}{tuv('de', 'y' * 100)}</tu>\n"


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(units: int) -> int:
        file = Endless("<tmx><body>\n", UNIT * 100, units // 100, "</body></tmx>")
        return peak_of(file, units)

    assert peak(20_000) < peak(1_000) + 200_000


@pytest.mark.parametrize(
    ("opened", "part", "closed"),
    [
        ('<prop type="x-context">', "x" * 10, "</prop>"),
        ('<prop type="x-other">', "x" * 10, "</prop>"),
        ('<tuv xml:lang="de"><seg>', "x" * 10, "</seg></tuv>"),
        ('<tuv xml:lang="de"><seg>', '<ph x="1"/>', "</seg></tuv>"),
        ("", tuv("no such tag", "x" * 10), ""),
        ("", f"<!-- {'x' * 10} -->", ""),
    ],
)
def test_memory_does_not_grow_with_an_element(
    opened: str, part: str, closed: str
) -> None:
    """Were they kept, 50,000 more elements, or their text, would take 400 KB more."""

    def peak(times: int) -> int:
        head = f"<tmx><body><tu>{tuv('en', 'a')}{opened}"
        file = Endless(head, part * 500, times, f"{closed}</tu></body></tmx>")
        return peak_of(file, 1)

    assert peak(200) < peak(100) + 200_000


@pytest.mark.parametrize(
    ("variants", "told"),
    [
        ([tuv(f"de-x-{at}", "x") for at in range(1_000)], "1,000 texts"),
        ([tuv("de", "x")] * 1_000, "1,000 texts"),
        ([tuv(f"de-x-{at}", "x" * 60_000) for at in range(70)], "4,194,304 characters"),
    ],
)
def test_a_unit_that_is_too_large_is_left_out_and_told(
    variants: list[str], told: str
) -> None:
    large = f"<tu>{tuv('en', 'a')}{''.join(variants)}</tu>"
    good = f"<tu>{tuv('en', 'a')}{tuv('de', 'b')}</tu>"

    fault, unit = read_tmx(tmx(large, good), "en")

    assert fault == UnitFault(2, f"the unit has more than {told}")
    assert isinstance(unit, Unit)
    assert (unit.line, texts(unit)) == (3, {"de": "b"})


@pytest.mark.parametrize("opened", ['<tu tuid="', "<tu ", "<!-- ", "<?x ", "<"])
def test_a_tag_or_comment_without_an_end_is_refused_soon(opened: str) -> None:
    file = Endless(f"<tmx><body>\n{opened}", "x" * 65_536, 1_000, "")

    with pytest.raises(UnreadableFile, match="line 2: a tag or a comment has more"):
        list(read_tmx(file, "en"))  # type: ignore[arg-type]

    assert file.reads < 20


@pytest.mark.parametrize("part", ["<n{}/>", '<n a{}=""/>'])
def test_a_file_of_nothing_but_new_names_is_refused_soon(part: str) -> None:
    names = "".join(part.format(number) for number in range(20_000))
    file = Endless(f"<tmx><body>\n{names}", "<n/>", 1_000, "</body></tmx>")

    with pytest.raises(UnreadableFile, match="line 2: more than 10,000 names"):
        list(read_tmx(file, "en"))  # type: ignore[arg-type]

    assert file.reads < 20
