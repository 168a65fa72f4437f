"""A translation that may wait for approval: of a glossary term, of a TM entry."""

from typing import Literal

from msgspec import Struct

from locframework.fields import Timestamp

TranslationStatus = Literal["approved", "pending_review", "draft"]


class TermTranslation(Struct, frozen=True, rename="camel", gc=False):
    """A text in one language, and what is proposed instead (service.md).

    ``approved``: ``value`` counts, ``approvedAt`` says since when. ``pending_review``:
    nothing counts yet, ``value`` is "", the proposal waits. ``draft``: imported as
    draft or machine-made; ``value`` does not count until somebody applies it.
    """

    language_code: str  # canonical BCP-47
    value: str
    status: TranslationStatus
    approved_at: Timestamp | None  # None when not approved
    proposed_value: str | None  # None: nothing waits; "": to clear the value does
