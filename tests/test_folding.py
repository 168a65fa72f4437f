"""What is equal to search."""

from hypothesis import example, given
from hypothesis import strategies as st

from locframework.folding import fold, folded


@given(st.text())
@example("\u0130\u0301")
@example("i\u0323\u0307")
@example("J\u030c")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_search_folds_case_beyond_ascii() -> None:
    assert fold("ÄPFEL") == fold("a\u0308pfel")
    assert fold("STRASSE") == fold("straße")
    assert fold("ſtraße") == fold("STRASSE")
    assert fold("ΟΔΟΣ") == fold("οδος") == fold("οδοσ")
    assert fold("ΠΡΩΤΕΪ\u0301ΝΗ") == fold("πρωτεΐνη")


def test_the_dot_of_a_turkish_capital_is_case_and_no_accent() -> None:
    spelt = ["İstanbul", "I\u0307stanbul", "i\u0307stanbul", "ISTANBUL", "istanbul"]

    assert {fold(text) for text in spelt} == {"istanbul"}
    assert fold("ısı") == "ısı"
    assert fold("í") != fold("i")


@given(st.text())
def test_concordance_folds_case_as_search_does(text: str) -> None:
    assert folded(text) == folded(fold(text))
    assert folded(text).split() == fold(text).split()
