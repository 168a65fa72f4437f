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

from .oracle import score_by_the_words

POINTS = Penalties(case=2, whitespace=1, trailing_punctuation=1)


def score_of(text, source, tm_penalty=0):
    one, other = folds_of(text), folds_of(source)
    raw = percent_of(one.full, other.full)
    return score(one, other, raw, POINTS, tm_penalty, distance_of)


@pytest.mark.parametrize(
    ("text", "source", "raw", "points"),
    [
        ("Save  file!", "Save  file!", 100, {}),
        ("Save file", "save file", 100, {"case": 2}),
        ("Save file", "Save  file", 100, {"whitespace": 1}),
        ("Save file", "Save file.", 100, {"trailingPunctuation": 1}),
        ("Save file", "save\tfile!", 100,
         {"case": 2, "whitespace": 1, "trailingPunctuation": 1}),
        # both begin with a capital: folding the case of both brings them no nearer
        ("Open file", "Open tile", 88, {}),
        *(("Save.", other, 100, {"whitespace": 1})
          for other in ("Save.  ", "Save.\n", " Save.", "Save .", "Save\t.")),
        ("Quoi ?", "Quoi\u202f?", 100, {"whitespace": 1}),
    ],
)  # fmt: skip
def test_each_kind_of_difference_costs_its_points(text, source, raw, points):
    for found in (score_of(text, source), score_of(source, text)):
        assert {each.kind: each.points for each in found.penalties} == points
        assert found.raw_percentage == raw
        assert found.match_percentage == raw - sum(points.values())


TEXTS = st.text("aAeb\u0301ßsS .?…\n\xa0", max_size=8)


@given(TEXTS, TEXTS)
@example("Save.", "Save. ")
@example("Save. ", "Save! ")
@example("Quoi ?", "quoi\xa0? ")
@example("?", "? ")
def test_a_score_is_what_the_words_of_the_decision_say(text, source):
    given = score_of(text, source)

    kinds = [penalty.kind for penalty in given.penalties]
    told = given.raw_percentage, given.match_percentage, kinds
    assert told == score_by_the_words(text, source)


def test_a_score_never_falls_below_nought():
    assert score_of("Save", "Save", tm_penalty=100).match_percentage == 0
    assert score_of("Save", "save", tm_penalty=100).match_percentage == 0


def test_points_of_nought_are_no_penalty():
    none = Penalties(0, 0, 0)
    one, other = folds_of("Save file"), folds_of("SAVE  FILE!")

    assert score(one, other, 100, none, 0, distance_of) == Score(100, 100, [])


def test_raw_100_is_kept_for_texts_that_are_equal_when_folded():
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
def test_what_is_compared(text, folded):
    assert match_fold(text) == folded


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert match_fold(match_fold(text)) == match_fold(text)
    assert folded(folded(text)) == folded(text)


@given(st.text())
def test_nothing_is_lost_by_a_cut(text):
    kept, cut = cut_punctuation(text)

    assert kept + cut == text
    assert bool(kept) == bool(text)


@given(st.text(max_size=12), st.text(max_size=12))
def test_a_score_is_raw_less_its_penalties(text, source):
    given = score_of(text, source, tm_penalty=3)

    off = sum(each.points for each in given.penalties)
    assert given.match_percentage == max(0, given.raw_percentage - off)
    assert (given.raw_percentage == 100) == (match_fold(text) == match_fold(source))
    assert collapse_white_space(text) == collapse_white_space(
        collapse_white_space(text)
    )
