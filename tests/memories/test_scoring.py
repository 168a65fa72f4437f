"""What a match is worth and which are shown: decisions 2.5, items 2 to 5."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from locframework.languages import collapse_white_space, folded
from locframework.memories.matching.scoring import (
    Score,
    cut_punctuation,
    folds_of,
    match_fold,
    score,
)
from locframework.memories.records import Penalties
from locframework.testing.contracts.matchers import distance_of, percent_of

from .oracle import Told, score_by_the_words

POINTS = Penalties(case=2, whitespace=1, trailing_punctuation=1)


def score_of(text: str, source: str, tm_penalty: int = 0) -> Score:
    one, other = folds_of(text), folds_of(source)
    raw = percent_of(one.full, other.full)
    return score(one, other, raw, POINTS, tm_penalty, distance_of)


def kinds(given: Score) -> list[str]:
    return [penalty.kind for penalty in given.penalties]


def test_byte_equal_texts_score_100() -> None:
    assert score_of("Save  file!", "Save  file!") == Score(100, 100, [])


def test_each_kind_of_difference_costs_its_points() -> None:
    assert score_of("Save file", "save file").match_percentage == 98
    assert score_of("Save file", "Save  file").match_percentage == 99
    assert score_of("Save file", "Save file.").match_percentage == 99
    assert score_of("Save file", "save\tfile!").match_percentage == 96
    assert kinds(score_of("Save file", "save\tfile!")) == [
        "case",
        "whitespace",
        "trailingPunctuation",
    ]


def test_a_kind_that_does_not_raise_the_similarity_costs_nothing() -> None:
    # both begin with a capital: folding the case of both brings them no nearer
    given = score_of("Open file", "Open tile")

    assert given == Score(88, 88, [])


@pytest.mark.parametrize("other", ["Save.  ", "Save.\n", " Save.", "Save .", "Save\t."])
def test_white_space_anywhere_costs_its_points(other: str) -> None:
    for told in (score_of("Save.", other), score_of(other, "Save.")):
        assert (told.raw_percentage, told.match_percentage) == (100, 99)
        assert kinds(told) == ["whitespace"]


def test_one_space_is_not_another() -> None:
    assert kinds(score_of("Quoi ?", "Quoi\u202f?")) == ["whitespace"]
    assert kinds(score_of("Quoi ?", "Quoi ?")) == []


TEXTS = st.text("aAeb\u0301ßsS .?…\n\xa0", max_size=8)


@given(TEXTS, TEXTS)
@example("Save.", "Save. ")
@example("Save. ", "Save! ")
@example("Quoi ?", "quoi\xa0? ")
@example("?", "? ")
def test_a_score_is_what_the_words_of_the_decision_say(text: str, source: str) -> None:
    given = score_of(text, source)

    told: Told = given.raw_percentage, given.match_percentage, kinds(given)
    assert told == score_by_the_words(text, source)


def test_a_score_never_falls_below_nought() -> None:
    assert score_of("Save", "Save", tm_penalty=100).match_percentage == 0
    assert score_of("Save", "save", tm_penalty=100).match_percentage == 0


def test_points_of_nought_are_no_penalty() -> None:
    none = Penalties(0, 0, 0)
    one, other = folds_of("Save file"), folds_of("SAVE  FILE!")

    assert score(one, other, 100, none, 0, distance_of) == Score(100, 100, [])


def test_raw_100_is_kept_for_texts_that_are_equal_when_folded() -> None:
    long = "a" * 300

    assert score_of(long, long + "b").raw_percentage == 99
    assert score_of(long.upper(), long).raw_percentage == 100


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Save …", "save"),
        ("  Save\n\tfile ?!", "save file"),
        ("Quoi\u202f?", "quoi"),
        ("保存する。", "保存する"),
        ("هل أنت متأكد؟", "هل أنت متأكد"),
        ("STRASSE", "strasse"),
        ("straße", "strasse"),
        ("cafe\u0301", "café"),
        ("100 %", "100 %"),
        ("(see)", "(see)"),
        ("?", "?"),
        ("...", "..."),
        (" \t ", ""),
        ("__proto__", "__proto__"),
    ],
)
def test_what_is_compared(text: str, folded: str) -> None:
    assert match_fold(text) == folded


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert match_fold(match_fold(text)) == match_fold(text)
    assert folded(folded(text)) == folded(text)


@given(st.text())
def test_nothing_is_lost_by_a_cut(text: str) -> None:
    kept, cut = cut_punctuation(text)

    assert kept + cut == text
    assert bool(kept) == bool(text)


@given(st.text(max_size=12), st.text(max_size=12))
def test_a_score_is_raw_less_its_penalties(text: str, source: str) -> None:
    given = score_of(text, source, tm_penalty=3)

    off = sum(each.points for each in given.penalties)
    assert given.match_percentage == max(0, given.raw_percentage - off)
    assert (given.raw_percentage == 100) == (match_fold(text) == match_fold(source))
    assert collapse_white_space(text) == collapse_white_space(
        collapse_white_space(text)
    )
