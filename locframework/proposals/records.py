"""A translation of a glossary term or a memory entry, with its proposal."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.fields import Timestamp

TranslationStatus = Literal["approved", "pending_review", "draft"]


class TermTranslation(Struct, frozen=True, rename="camel", gc=False):
    """A text in one language, and its proposal (service.md). ``pending_review``:
    nothing is approved yet; ``value`` is "". ``draft``: imported as draft or
    machine-made; ``value`` is not approved."""

    language_code: str  # canonical BCP-47
    value: str
    status: TranslationStatus
    approved_at: Timestamp | None  # None when not approved
    proposed_value: str | None  # None: no proposal; "": to clear the value


class ProposalRejection(Struct, frozen=True):
    """The body that rejects a proposal."""

    reason: Annotated[str, Meta(max_length=1000)] | None = None
