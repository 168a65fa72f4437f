"""Entries go out as CSV and come back the same; what is no CSV is refused by line."""

import io

from hypothesis import given

from locframework.memories.files import Unit, UnitFault, read_csv, write_csv

from .reading import MEMORY, TEXTS, entry, texts


@given(source=TEXTS, context=TEXTS, value=TEXTS)
def test_any_text_comes_back_from_csv_as_it_was(source, context, value):
    file = b"".join(write_csv(MEMORY, ["de"], [entry(source, context, de=value)]))

    [unit] = read_csv(io.BytesIO(file), "en")

    assert isinstance(unit, Unit)
    assert (unit.source_text, unit.context) == (source, context)
    assert texts(unit) == {"de": value}


def test_a_row_with_more_cells_than_columns_is_left_out_and_told():
    content = b"en,de\nHello, world,Hallo Welt\nPay,Zahlen,,\n"

    fault, unit = read_csv(io.BytesIO(content), "en")

    assert fault == UnitFault(2, "there are more cells than columns")
    assert isinstance(unit, Unit)
    assert (unit.line, unit.source_text, texts(unit)) == (3, "Pay", {"de": "Zahlen"})


def test_columns_are_parted_as_the_first_line_says():
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
