"""Decides what becomes of a term translation: applied, proposed, approved, rejected.

Each function takes the translation as it stands, None where the language has none, and
answers it as it is from now on, None where nothing is left. An answer that equals what
stood means that nothing happened. Source: service.md, States; decisions 2.4.1.
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
    """A text that was set. "" clears.

    ``applies``: no approval is required, or the writer can approve.
    """
    if applies:
        return applied(old, language_code, value, at=at)
    return proposed(old, language_code, value)


def applied(
    old: TermTranslation | None, language_code: str, value: str, *, at: Timestamp
) -> TermTranslation | None:
    """The text counts at once; what was proposed before is settled by it."""
    if value == "":
        return None
    new = TermTranslation(language_code, value, "approved", at, None)
    if old is not None and replace(new, approved_at=old.approved_at) == old:
        return old  # what counts already counts since then
    return new


def proposed(
    old: TermTranslation | None, language_code: str, value: str
) -> TermTranslation | None:
    """The text waits for approval, instead of any that waited before.

    Beside an approved value, which stays; to propose that very value, or to clear
    what nobody approved, takes back what waits. A draft makes room for a proposal.
    """
    if old is not None and old.status == "approved":
        return replace(old, proposed_value=None if value == old.value else value)
    if value == "":
        return None
    return TermTranslation(language_code, "", "pending_review", None, value)


def drafted(
    old: TermTranslation | None, language_code: str, value: str
) -> TermTranslation | None:
    """A text that nobody vouches for: it takes the place of a draft or of nothing."""
    if old is not None and old.status != "draft":
        return old
    if value == "":
        return None
    return TermTranslation(language_code, value, "draft", None, None)


def standing(old: TermTranslation) -> str:
    """The text there: the value, be it approved or a draft; else the proposal."""
    return old.value or old.proposed_value or ""


def approved(old: TermTranslation | None, *, at: Timestamp) -> TermTranslation | None:
    """The proposal, or the draft, counts from now on. Raises NothingPending.

    None: what was proposed, and is done, was to clear the value.
    """
    if old is None or (old.status == "approved" and old.proposed_value is None):
        raise NothingPending("no text waits for approval in this language")
    waiting = old.value if old.proposed_value is None else old.proposed_value
    return applied(None, old.language_code, waiting, at=at)


def rejected(old: TermTranslation | None) -> TermTranslation | None:
    """The proposal is dropped; the approved value stays. Raises NothingPending.

    A draft is not a proposal: there is nothing to drop.
    """
    if old is None or old.proposed_value is None:
        raise NothingPending("no proposal waits for approval in this language")
    return replace(old, proposed_value=None) if old.status == "approved" else None
