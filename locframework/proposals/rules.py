"""Rules for translations of terms and entries: applied, proposed, approved, rejected.

Each function takes the present translation, None if the language has none, and returns
the new one, None if nothing is left; equal ones mean no change. Source: service.md,
States; decisions 2.4.1.
"""

from msgspec.structs import replace

from locframework.errors import NothingPending
from locframework.fields import Timestamp

from .records import TermTranslation


def written(
    old: TermTranslation | None,
    language_code: str,
    value: str,
    *,
    applies: bool,
    at: Timestamp,
) -> TermTranslation | None:
    """Set a text; "" clears.

    ``applies``: no approval is required, or the writer can approve. Otherwise the text
    becomes the proposal, in place of an earlier one or a draft. An approved value
    stays; proposing that value, or clearing what is not approved, withdraws the
    proposal.
    """
    if not applies and old is not None and old.status == "approved":
        return replace(old, proposed_value=None if value == old.value else value)
    if value == "":
        return None
    if not applies:
        return TermTranslation(language_code, "", "pending_review", None, value)
    new = TermTranslation(language_code, value, "approved", at, None)
    if old is not None and replace(new, approved_at=old.approved_at) == old:
        return old  # keeps the time of its approval
    return new


def drafted(
    old: TermTranslation | None, language_code: str, value: str
) -> TermTranslation | None:
    """Set a draft, unless there is more than a draft."""
    if old is not None and old.status != "draft":
        return old
    if value == "":
        return None
    return TermTranslation(language_code, value, "draft", None, None)


def text_of(old: TermTranslation) -> str:
    """Return the value, approved or a draft, else the proposal."""
    return old.value or old.proposed_value or ""


def approved(old: TermTranslation | None, *, at: Timestamp) -> TermTranslation | None:
    """Approve the proposal or draft; None: it was to clear. Raises NothingPending."""
    if old is None or (old.status == "approved" and old.proposed_value is None):
        raise NothingPending("no text waits for approval in this language")
    text = old.value if old.proposed_value is None else old.proposed_value
    return written(None, old.language_code, text, applies=True, at=at)


def rejected(old: TermTranslation | None) -> TermTranslation | None:
    """Drop the proposal. Raises NothingPending, also for a draft: it is no proposal."""
    if old is None or old.proposed_value is None:
        raise NothingPending("no proposal waits for approval in this language")
    return replace(old, proposed_value=None) if old.status == "approved" else None
