"""What becomes of a term translation: applied, proposed, approved, rejected."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import NothingPending
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import approved, drafted, rejected, written

THEN, NOW = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"
APPROVED = TermTranslation("de", "Speichern", "approved", THEN, None)
CONTESTED = TermTranslation("de", "Speichern", "approved", THEN, "Sichern")
PENDING = TermTranslation("de", "", "pending_review", None, "Sichern")
DRAFT = TermTranslation("de", "Ablegen", "draft", None, None)
EVERY = (None, APPROVED, CONTESTED, PENDING, DRAFT)


def put(
    old: TermTranslation | None, value: str, *, applies: bool
) -> TermTranslation | None:
    return written(old, "de", value, applies=applies, at=NOW)


@pytest.mark.parametrize("old", EVERY)
def test_a_value_that_applies_counts_and_settles_what_waited(old: Any) -> None:
    new = put(old, "Merken", applies=True)

    assert new == TermTranslation("de", "Merken", "approved", NOW, None)


def test_the_same_value_again_counts_since_it_first_did() -> None:
    assert put(APPROVED, "Speichern", applies=True) == APPROVED


@pytest.mark.parametrize("old", EVERY)
def test_an_empty_value_that_applies_clears(old: Any) -> None:
    assert put(old, "", applies=True) is None


@pytest.mark.parametrize("old", [APPROVED, CONTESTED])
def test_a_proposal_leaves_the_approved_value_alone(old: TermTranslation) -> None:
    new = put(old, "Merken", applies=False)

    assert new == TermTranslation("de", "Speichern", "approved", THEN, "Merken")


@pytest.mark.parametrize("old", [None, PENDING, DRAFT])
def test_a_proposal_where_nothing_was_applied_waits_beside_no_value(old: Any) -> None:
    new = put(old, "Merken", applies=False)

    assert new == TermTranslation("de", "", "pending_review", None, "Merken")


def test_to_propose_what_counts_takes_the_proposal_back() -> None:
    assert put(CONTESTED, "Speichern", applies=False) == APPROVED


def test_to_clear_an_approved_value_can_be_proposed() -> None:
    waiting = put(APPROVED, "", applies=False)

    assert waiting == TermTranslation("de", "Speichern", "approved", THEN, "")
    assert approved(waiting, at=NOW) is None
    assert rejected(waiting) == APPROVED


@pytest.mark.parametrize("old", [None, PENDING, DRAFT])
def test_to_clear_what_nobody_approved_needs_no_approval(old: Any) -> None:
    assert put(old, "", applies=False) is None


@pytest.mark.parametrize("old", [CONTESTED, PENDING])
def test_an_approved_proposal_becomes_the_value(old: TermTranslation) -> None:
    new = approved(old, at=NOW)

    assert new == TermTranslation("de", "Sichern", "approved", NOW, None)


def test_a_draft_counts_once_it_is_approved() -> None:
    new = approved(DRAFT, at=NOW)

    assert new == TermTranslation("de", "Ablegen", "approved", NOW, None)


def test_a_rejected_proposal_leaves_what_stood_before_it() -> None:
    assert rejected(CONTESTED) == APPROVED
    assert rejected(PENDING) is None


@pytest.mark.parametrize("old", [None, APPROVED])
def test_nothing_is_approved_where_nothing_waits(old: Any) -> None:
    with pytest.raises(NothingPending):
        approved(old, at=NOW)


@pytest.mark.parametrize("old", [None, APPROVED, DRAFT])
def test_nothing_is_rejected_where_nothing_is_proposed(old: Any) -> None:
    with pytest.raises(NothingPending):
        rejected(old)


@pytest.mark.parametrize("old", [None, DRAFT])
def test_an_imported_draft_takes_the_place_of_drafts_only(old: Any) -> None:
    new = drafted(old, "de", "Merken")

    assert new == TermTranslation("de", "Merken", "draft", None, None)


@pytest.mark.parametrize("old", [APPROVED, CONTESTED, PENDING])
def test_an_imported_draft_gives_way_to_what_people_did(old: TermTranslation) -> None:
    assert drafted(old, "de", "Merken") is old


STEPS = st.one_of(
    st.tuples(st.just("set"), st.sampled_from(["", "a", "b"])),
    st.tuples(st.just("propose"), st.sampled_from(["", "a", "b"])),
    st.tuples(st.just("draft"), st.sampled_from(["", "a", "b"])),
    st.tuples(st.sampled_from(["approve", "reject"]), st.just("")),
)


@given(st.lists(STEPS, max_size=8))
def test_whatever_happens_the_record_says_one_thing(
    steps: list[tuple[str, str]],
) -> None:
    row: TermTranslation | None = None
    for name, value in steps:
        row = step(row, name, value)

        if row is not None:
            counts, proposed = row.value != "", row.proposed_value
            assert (row.status == "approved") == (row.approved_at is not None)
            assert counts == (row.status != "pending_review")
            assert proposed is None or row.status != "draft"
            assert bool(proposed) or row.status != "pending_review"
            assert proposed != row.value


def step(row: TermTranslation | None, name: str, value: str) -> TermTranslation | None:
    try:
        match name:
            case "approve":
                return approved(row, at=NOW)
            case "reject":
                return rejected(row)
            case "draft":
                return drafted(row, "de", value)
            case _:
                return put(row, value, applies=name == "set")
    except NothingPending:
        return row
