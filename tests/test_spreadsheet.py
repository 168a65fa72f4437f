"""What is wrong with CSV is told in words of ours."""

from __future__ import annotations

import csv

import pytest

from locframework.spreadsheet import fault


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "a\rb,c\n",
            "a line ends in a carriage return alone; LF or CR LF should end it",
        ),
        ('"a\n', "a quote is opened and not closed"),
        ('"a"b,c\n', "a quote within a quoted cell is not doubled"),
        ("x" * 131_073, "a cell has more than 131,072 characters"),
    ],
)
def test_what_is_wrong_with_csv_is_told_to_who_made_it(line: str, told: str) -> None:
    with pytest.raises(csv.Error) as caught:
        list(csv.reader([line], strict=True))

    assert fault(caught.value) == told


def test_what_is_not_known_to_be_wrong_is_told_without_detail() -> None:
    assert fault(csv.Error("iterator should return strings")) == "the line is not CSV"
