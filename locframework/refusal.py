"""What every refusal of the API is: a code, a status, a message, and details."""

from typing import ClassVar

from msgspec import Struct

SHOWN_CHARACTERS = 200


def shown(text: str) -> str:
    """``text`` as a message may repeat it: 200 characters at most (decisions 2.10)."""
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


class Problem(Struct, frozen=True, omit_defaults=True):
    """One fault in what was sent: where, which rule, and a sentence."""

    path: str  # "$.tags[3]", "query.page", or "line 12" of an imported file
    rule: str  # one word or two: "required", "type", "length", "syntax", …
    message: str


class LocError(Exception):
    """The base of every refusal. ``details`` is JSON-shaped, or None."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, details: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
