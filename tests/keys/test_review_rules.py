"""What a review makes of texts: approved, rejected, or not to be judged."""

import pytest
from msgspec.structs import replace

from locframework.errors import NothingPending
from locframework.events import Actor
from locframework.keys.records import ReviewDecision
from locframework.keys.rules import approve, new_value, select_reviewable

THEN, NOW = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"
BERT = Actor("token", "bert")
YES, NO = ReviewDecision("de", "approve"), ReviewDecision("de", "reject")


def value(text="neu", form=None, **fields):
    fresh = new_value("k", "de", form, text, origin="ai", at=THEN, by="anna")
    return replace(fresh, **fields)


def over_approved(text="neu", **fields):
    before = {"approved_value": "alt", "approved_at": THEN, "approved_by": "carl"}
    return value(text, **{**before, **fields})


def test_an_approved_text_counts_and_tells_who_let_it():
    row = over_approved(is_outdated=True, revision=7, reason="an old one", note="n")

    new = approve(row, at=NOW, by=BERT)

    assert new == replace(
        row,
        status="approved",
        is_outdated=False,
        revision=8,
        approved_value="neu",
        approved_at=NOW,
        approved_by="bert",
        updated_at=NOW,
        updated_by="bert",
        actor_type="token",
        reason=None,
        note=None,
    )


@pytest.mark.parametrize(
    ("row", "can_approve", "can_reject"),
    [
        (value(status="pending_review"), True, True),
        (value(status="draft"), True, False),
        (over_approved(status="draft"), True, True),
        (over_approved(status="approved"), False, False),
        (over_approved(status="approved", is_outdated=True), True, False),
        (over_approved("", status="pending_review"), True, True),
    ],
)
def test_what_can_be_judged(row, can_approve, can_reject):
    for verdict, can in ((YES, can_approve), (NO, can_reject)):
        if can:
            assert select_reviewable([row], verdict) == [row]
        else:
            with pytest.raises(NothingPending):
                select_reviewable([row], verdict)


def test_only_forms_that_wait_are_judged_and_all_of_them_were_read():
    waiting = [value(form="one", revision=2), value(form="two", revision=2)]
    rows = [*waiting, over_approved(plural_form="other", status="approved")]

    for asked in (None, 2, {"one": 2, "two": 2}):
        assert select_reviewable(rows, replace(YES, revision=asked)) == waiting
    for asked in (1, {"one": 2}, {"one": 2, "two": 1}, {}):
        with pytest.raises(NothingPending):
            select_reviewable(rows, replace(YES, revision=asked))
