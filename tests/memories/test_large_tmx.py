"""Memory does not grow with a TMX file, nor with anything in it."""

import io
import itertools
import tracemalloc

import pytest

from locframework.errors import UnreadableFile
from locframework.memories.files import read_tmx

from .reading import tuv


class Endless(io.RawIOBase):
    """A file that is made while it is read: a head, parts again and again, a tail."""

    def __init__(self, head, part, times, tail):
        self.reads = 0
        self._parts = itertools.chain([head], itertools.repeat(part, times), [tail])

    def read(self, size=-1):
        self.reads += 1
        return next(self._parts, "").encode()


def peak_of(file, units):
    """What reading the file took at its most, in bytes."""
    tracemalloc.start()
    read = file
    count = sum(1 for _ in read_tmx(read, "en"))
    assert count == units
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


UNIT = f"<tu>{tuv('en', 'x' * 100)}{tuv('de', 'y' * 100)}</tu>\n"


def test_memory_does_not_grow_with_the_file():
    def peak(units):
        file = Endless("<tmx><body>\n", UNIT * 100, units // 100, "</body></tmx>")
        return peak_of(file, units)

    # other threads of the process may allocate meanwhile, but not each time
    assert min(peak(20_000) for _ in range(3)) < peak(1_000) + 200_000


@pytest.mark.parametrize(
    ("opened", "part"),
    [
        ('<prop type="x-context">', "x" * 10),
        ('<tuv xml:lang="de"><seg>', "x" * 10),
        ('<tuv xml:lang="de"><seg>', '<ph x="1"/>'),
        ("", tuv("no such tag", "x" * 10)),
    ],
)
def test_a_unit_that_is_too_large_is_refused_before_it_is_read(opened, part):
    head = f"<tmx><body>\n<tu>{tuv('en', 'a')}{opened}"
    file = Endless(head, part * 1000, 10_000, "")

    with pytest.raises(UnreadableFile, match="<tu> has more than 4,194,304 characters"):
        list(read_tmx(file, "en"))

    assert file.reads < 500


@pytest.mark.parametrize("opened", ['<tu tuid="', "<tu ", "<!-- ", "<?x ", "<"])
def test_a_tag_or_comment_without_an_end_is_refused_soon(opened):
    file = Endless(f"<tmx><body>\n{opened}", "x" * 65_536, 1_000, "")

    with pytest.raises(UnreadableFile, match="line 2: a tag or a comment has more"):
        list(read_tmx(file, "en"))

    assert file.reads < 20


@pytest.mark.parametrize("part", ["<n{}/>", '<n a{}=""/>'])
def test_a_file_of_nothing_but_new_names_is_refused_soon(part):
    names = "".join(part.format(number) for number in range(20_000))
    file = Endless(f"<tmx><body>\n{names}", "<n/>", 1_000, "</body></tmx>")

    with pytest.raises(UnreadableFile, match="line 2: more than 10,000 names"):
        list(read_tmx(file, "en"))

    assert file.reads < 20
