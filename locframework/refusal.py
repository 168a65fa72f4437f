"""What every refusal of the API is: a code, a status, a message, and details."""

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

SHOWN_CHARACTERS = 200
MENTIONED_CHARACTERS = 60


def shown(text: str) -> str:
    """``text`` as a message may repeat it: 200 characters at most (decisions 2.10)."""
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def mentioned(text: str) -> str:
    """``text`` where an answer may repeat it thrice, as message, path and detail."""
    if len(text) <= MENTIONED_CHARACTERS:
        return text
    return text[: MENTIONED_CHARACTERS - 1] + "…"


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


def brief(refusal: LocError) -> str:
    """What a refusal's code means, in a sentence that repeats nothing."""
    lines = (type(refusal).__doc__ or refusal.code).splitlines()
    return lines[0].replace("`", "").rstrip(".")


class Repeats:
    """Counts what one answer with many refusals repeats of what was sent."""

    def __init__(self) -> None:
        self._left = SHOWN_CHARACTERS

    def allow(self, told: str, sent: Iterable[str]) -> bool:
        """Whether ``told`` may stand in the answer, that repeats some of ``sent``."""
        repeated = _repeated(told, {text for text in sent if text})
        if repeated > self._left:
            return False
        self._left -= repeated
        return True


def _repeated(told: str, sent: Iterable[str]) -> int:
    """At least as many characters of ``told`` as are of ``sent``."""
    count = 0
    for text in sent:
        short = mentioned(text)
        ways = {short, repr(short)[1:-1], repr(repr(short))[1:-1]}
        count += max(len(way) * told.count(way) for way in ways)
    return count
