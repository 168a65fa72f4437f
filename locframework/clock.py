"""Tells the time, and writes it the one way every record has it."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from .errors import ValidationFailed, mentioned

Timestamp = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "date-time"},
        examples=["2026-11-21T08:45:29.123Z"],
    ),
]
"""UTC with milliseconds and ``Z`` (decisions 2.1.5). As text it sorts by time."""

GivenTime = Annotated[
    str, Meta(max_length=40, extra_json_schema={"format": "date-time"})
]
"""A time that a client sends, as ``given_moment`` reads it."""

_LOST_PLUS = re.compile(r"\d \d\d(?::?\d\d)?$")  # a query reads + as a blank

Clock = Callable[[], datetime]
"""Gives the present as an aware UTC datetime; tests hand in their own."""


def system_clock() -> datetime:
    """The machine's time, in UTC."""
    return datetime.now(UTC)


def timestamp(at: datetime) -> Timestamp:
    """``at`` as every record spells it. ``at`` must be aware."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def moment(text: Timestamp) -> datetime:
    """The aware datetime that ``timestamp`` wrote as ``text``."""
    return datetime.fromisoformat(text)


def given_moment(text: str, path: str) -> datetime:
    """The aware datetime that a client sent at ``path``; UTC where no zone is said.

    Raises ValidationFailed for what is not an ISO 8601 date or time.
    """
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        message = f"{mentioned(text)!r} is not an ISO 8601 date"
        if path.startswith("query.") and _LOST_PLUS.search(text):
            message += "; in a query, write + as %2B"
        raise ValidationFailed.at(path, "date-time", message) from None
