"""What is equal to search."""

from hypothesis import given
from hypothesis import strategies as st

from locframework.folding import fold


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_search_folds_case_beyond_ascii() -> None:
    assert fold("ÄPFEL") == fold("a\u0308pfel")
    assert fold("STRASSE") == fold("straße")
