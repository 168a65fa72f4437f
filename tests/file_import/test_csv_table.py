"""CSV is read row by row, whatever ends its lines, and its faults told in our words."""

import codecs
import csv
import io
import itertools
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import UnreadableFile
from locframework.file_import import csv_table
from locframework.file_import.csv_table import (
    mark_formula,
    read_rows,
    read_table,
    unmark_formula,
)


def rows(content):
    return list(read_rows(io.BytesIO(content)))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'a\n"a\n', "the line is not CSV: unexpected end of data"),
        (b'a\n"a"b,c\n', "the line is not CSV: ',' expected after '\"'"),
        (b"a\n" + b"x" * 131_073, "the line is not CSV: field larger than field limit"),
        (b"a\n\xff", "the file is not UTF-8"),
        ("\ufeffa\nb".encode("utf-16-le") + b"c", "the file is not UTF-16, though it"),
        (b"a\n" + b"," * 1000, "there are more than 1,000 columns"),
    ],
)
def test_what_is_wrong_with_csv_is_told_to_who_made_it(content, told):
    with pytest.raises(UnreadableFile) as caught:
        rows(content)

    assert caught.value.message.startswith(f"line 2: {told}")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04\x14\x00\x06\x00\xff\n", "the file is not text, as CSV is: save"),
        ("a,b\n".encode("utf-16-le"), "the file is not text, as CSV is: save"),
        ("\ufeffa".encode("utf-16-le") + b"\x00\xd8b\x00", "the file is not UTF-16,"),
    ],
)
def test_what_is_no_text_is_refused(content, told):
    with pytest.raises(UnreadableFile, match=f"^line 1: {told}"):
        rows(content)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_before_the_head_are_passed_over(end):
    assert rows(f"{end} {end}a;b{end}c;d".encode()) == [
        (3, ["a", "b"]),
        (4, ["c", "d"]),
    ]
    assert rows(f"{end}sep=|{end}{end}a|b".encode()) == [(4, ["a", "b"])]
    assert rows(f" {end}\t{end}".encode()) == []


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_what_spreadsheets_call_unicode_text_is_read(encoding):
    many = [f"Fähre 🚢 {number}\tĊ{number}" for number in range(9000)]
    content = "\ufeff" + "\r\n".join(["term\tde", *many])

    found = rows(content.encode(encoding))

    assert found[0] == (1, ["term", "de"])
    assert ["\t".join(cells) for _, cells in found[1:]] == many
    assert found[-1][0] == 9001


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_ends_a_line_also_that_of_old_macs(end):
    content = f'en;de{end}a;b{end}{end}"c{end}d";e{end}f;g'.encode("utf-8-sig")

    assert rows(content) == [
        (1, ["en", "de"]),
        (2, ["a", "b"]),
        (3, []),
        (4, [f"c{end}d", "e"]),
        (6, ["f", "g"]),
    ]


cells = st.text(st.sampled_from("a\r\n,;\"'=\t é\U0001f600"), max_size=6)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        *(
            (
                mark + f'{first}\r\nen|de\r\n"a\r\nb"|1;2\r\nc|3\r\n'.encode(),
                [(2, ["en", "de"]), (3, ["a\r\nb", "1;2"]), (5, ["c", "3"])],
            )
            for first in ("sep=|", "SEP=|", '"sep=|"')
            for mark in (b"", codecs.BOM_UTF8)
        ),
        (b"sep=|", []),
        (b"sep=;,a\n1,2\n", [(1, ["sep=;", "a"]), (2, ["1", "2"])]),
        (b"a,b\nsep=;\n", [(1, ["a", "b"]), (2, ["sep=;"])]),
    ],
)
def test_only_a_line_before_the_head_may_name_the_delimiter(content, expected):
    assert rows(content) == expected


def test_empty_cells_at_the_end_of_a_line_are_none_in_the_head_too():
    content = io.BytesIO(b"en,,de,, \na,b,c,,\nd,,,,e\n")

    found = list(read_table(content, lambda name: name, lambda _: None))

    assert found == [
        (2, {"en": "a", "": "b", "de": "c"}, False),
        (3, {"en": "d", "": "", "de": ""}, True),
    ]


@given(st.lists(st.lists(cells, min_size=2, max_size=3), max_size=5), st.integers(1, 9))
def test_what_is_written_is_read_the_same_whatever_piece_it_comes_in(written, size):
    out = io.StringIO(newline="")
    csv.writer(out).writerows(
        [["a", "b"], *([mark_formula(c) for c in r] for r in written)]
    )
    content = out.getvalue().encode()

    class InPieces(io.BytesIO):
        def read(self, _=-1):
            return super().read(size)

    found = [
        [unmark_formula(cell) for cell in row]
        for _, row in read_rows(InPieces(content))
    ]

    assert found == [["a", "b"], *written]


class Endless(io.RawIOBase):
    """A file that is made while it is read."""

    def __init__(self, part, times):
        self._parts = itertools.repeat(part, times)
        self._rest = b""

    def read(self, size=-1):
        self._rest = self._rest or next(self._parts, b"")
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def peak_of(part, times):
    """What reading the parts took at its most, in bytes."""
    file = Endless(part, times)
    tracemalloc.start()
    with suppress(UnreadableFile):
        for _ in read_rows(file):
            pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


ROW_LIMIT = 512 * 1024  # a smaller one


@pytest.mark.parametrize(
    ("part", "times"),
    [
        (b"a,b\n" * 4000, 8),  # 32,000 rows more: kept, they take 2.5 MB
        # what is one row is read up to ROW_LIMIT
        (b"x" * 65_536, 4 * ROW_LIMIT // 65_536),
        (b'"\n",' * 16_000, 4 * ROW_LIMIT // 64_000),
        (b'"\n\n', 10_000),
        (b"," * 65_536, 4 * ROW_LIMIT // 65_536),
    ],
)
def test_memory_does_not_grow_with_the_file(part, times, monkeypatch):
    monkeypatch.setattr(csv_table, "ROW_LIMIT", ROW_LIMIT)

    assert peak_of(part, 2 * times) < peak_of(part, times) + 200_000
