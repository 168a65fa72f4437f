"""Entries go out as CSV and come back the same; what is no CSV is refused by line."""

from __future__ import annotations

import io

import pytest
from hypothesis import given

from locframework.errors import UnreadableFile
from locframework.memories.files import Unit, UnitFault, read_csv, write_csv

from .reading import MEMORY, TEXTS, entry, texts


@given(source=TEXTS, context=TEXTS, value=TEXTS)
def test_any_text_comes_back_from_csv_as_it_was(
    source: str, context: str, value: str
) -> None:
    file = b"".join(write_csv(MEMORY, ["de"], [entry(source, context, de=value)]))

    [unit] = read_csv(io.BytesIO(file), "en")

    assert isinstance(unit, Unit)
    assert (unit.source_text, unit.context) == (source, context)
    assert texts(unit) == {"de": value}


def test_a_row_with_more_cells_than_columns_is_left_out_and_told() -> None:
    content = b"en,de\nHello, world,Hallo Welt\nPay,Zahlen,,\n"

    fault, unit = read_csv(io.BytesIO(content), "en")

    assert fault == UnitFault(2, "there are more cells than columns")
    assert isinstance(unit, Unit)
    assert (unit.line, unit.source_text, texts(unit)) == (3, "Pay", {"de": "Zahlen"})


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("context,de\n", 1),
        ("en,colour me\n", 1),
        ("en,de,de\n", 1),
        ('en,de\na,"b\n', 2),
        ("en,de\na,b\nc,\udcff", 3),
    ],
)
def test_what_is_no_csv_is_refused_with_its_line(content: str, line: int) -> None:
    raw = content.encode("utf-8", "surrogateescape")

    with pytest.raises(UnreadableFile) as caught:
        list(read_csv(io.BytesIO(raw), "en"))

    assert isinstance(caught.value.details, list)
    assert caught.value.details[0].path == f"line {line}"


def test_columns_are_parted_as_the_first_line_says() -> None:
    for delimiter in ",;\t":
        row = ["Source", "Context", "pt_br"], ["a", "c", "b"]
        text = "\n".join(delimiter.join(cells) for cells in row)

        [unit] = read_csv(io.BytesIO(text.encode("utf-8-sig")), "en")

        assert isinstance(unit, Unit)
        assert (unit.source_text, unit.context, texts(unit)) == (
            "a",
            "c",
            {"pt-BR": "b"},
        )
