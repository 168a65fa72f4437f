"""What is asked of a pre-translation, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from .records import Percentage
from .search_records import LanguageCodes

KEYS_MOST = 500
SKIPPED_TOLD = 100


class PrefillFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """Which keys; every condition that is set must hold.

    A member that is unknown is refused: a misspelt condition would fill every key.
    """

    prefix: Annotated[str, Meta(max_length=500)] = ""
    tag: Annotated[list[str], Meta(max_length=20)] = []  # all of them


class PrefillRequest(Struct, frozen=True, rename="camel"):
    """The body that starts a pre-translation.

    ``minMatchPercentage``: what a match needs at least. ``onlyMissing`` false: also
    overwrite existing texts, except those that wait for review.
    """

    language_codes: LanguageCodes
    min_match_percentage: Percentage = 100
    only_missing: bool = True
    key_ids: Annotated[list[str], Meta(max_length=KEYS_MOST)] | None = None
    filter: PrefillFilter = PrefillFilter()


class PrefillParams(Struct, frozen=True, rename="camel"):
    """What a job of it works from."""

    language_codes: Sequence[str]
    min_match_percentage: int
    only_missing: bool
    key_ids: Sequence[str] | None
    filter: PrefillFilter
    branch: str | None  # its id; None: main


class PrefillSkipped(Struct, frozen=True, rename="camel"):
    """A key that could not be written; ``reason`` is an error code.

    ``key`` is null for one that is not there (``key_not_found``).
    """

    key_id: str
    key: str | None
    reason: str


class PrefillResult(Struct, rename="camel"):
    """What came of it, in its job's ``result``."""

    keys_looked_at: int = 0
    keys_filled: int = 0
    values_written: int = 0
    skipped_count: int = 0
    skipped: list[PrefillSkipped] = []  # the first hundred
    warnings: list[str] = []  # why nothing, or less, can come of it


class PrefillStep(Struct, frozen=True, rename="camel"):
    """How far it is."""

    after: str  # id of the last key that was looked at
    done: int
    result: PrefillResult
    read: dict[str, str] = {}  # names of the memories that were asked, by id
