"""What becomes of a term translation: applied, proposed, approved, rejected."""

import pytest

from locframework.errors import NothingPending
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import approved, drafted, rejected, written

THEN, NOW = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"
APPROVED = TermTranslation("de", "Speichern", "approved", THEN, None)
CONTESTED = TermTranslation("de", "Speichern", "approved", THEN, "Sichern")
PENDING = TermTranslation("de", "", "pending_review", None, "Sichern")
DRAFT = TermTranslation("de", "Ablegen", "draft", None, None)
EVERY = (None, APPROVED, CONTESTED, PENDING, DRAFT)


def put(old, value, *, applies):
    return written(old, "de", value, applies=applies, at=NOW)


def proposal(value, text):
    """A proposal beside an approved value, or beside none."""
    if value:
        return TermTranslation("de", value, "approved", THEN, text)
    return TermTranslation("de", "", "pending_review", None, text)


NEW = TermTranslation("de", "Merken", "approved", NOW, None)


@pytest.mark.parametrize(
    ("old", "value", "applies", "new"),
    [
        *((old, "Merken", True, NEW) for old in EVERY),
        *((old, "", True, None) for old in EVERY),
        (APPROVED, "Speichern", True, APPROVED),  # approved since it first was
        *((old, "Merken", False, proposal("Speichern", "Merken"))
          for old in (APPROVED, CONTESTED)),
        *((old, "Merken", False, proposal("", "Merken"))
          for old in (None, PENDING, DRAFT)),
        (CONTESTED, "Speichern", False, APPROVED),  # takes the proposal back
        (APPROVED, "", False, proposal("Speichern", "")),
        *((old, "", False, None) for old in (None, PENDING, DRAFT)),
    ],
)  # fmt: skip
def test_a_value_is_applied_or_proposed(old, value, applies, new):
    assert put(old, value, applies=applies) == new


@pytest.mark.parametrize(
    ("old", "when_approved", "when_rejected"),
    [
        (CONTESTED, "Sichern", APPROVED),
        (PENDING, "Sichern", None),
        (DRAFT, "Ablegen", NothingPending),
        (proposal("Speichern", ""), "", APPROVED),
        (None, NothingPending, NothingPending),
        (APPROVED, NothingPending, NothingPending),
    ],
)
def test_a_proposal_is_approved_or_rejected(old, when_approved, when_rejected):
    if when_approved is NothingPending:
        with pytest.raises(NothingPending):
            approved(old, at=NOW)
    else:
        new = TermTranslation("de", when_approved, "approved", NOW, None)
        assert approved(old, at=NOW) == (new if when_approved else None)
    if when_rejected is NothingPending:
        with pytest.raises(NothingPending):
            rejected(old)
    else:
        assert rejected(old) == when_rejected


@pytest.mark.parametrize("old", EVERY)
def test_an_imported_draft_replaces_drafts_only(old):
    is_replaced = old in (None, DRAFT)
    new = TermTranslation("de", "Merken", "draft", None, None)

    assert drafted(old, "de", "Merken") == (new if is_replaced else old)
