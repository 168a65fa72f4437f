"""Projects of any size, made quickly: by the storage's own bulk methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import peers

from locframework import wsgi
from locframework.fields import new_id, system_clock, timestamp
from locframework.http.rate_limit import RateLimiter
from locframework.keys.records import StoredKey, StoredValue
from locframework.testing.workspace import Workspace

FIVE = ["en", "de", "fr", "ja", "ar"]
TEN = [*FIVE, "es", "it", "pl", "ru", "sv"]
KEYS_AT_ONCE = 5000
TAG = "button"
BASE_URL = "https://content.example/api/v1"
NO_LIMIT = 10**9

_WORDS = (
    "order",
    "customer",
    "invoice",
    "basket",
    "payment",
    "delivery",
    "door",
    "key",
)


def lift_rate_limits() -> None:
    """Let as many requests through as come; they are counted all the same."""
    wsgi.RateLimiter = partial(  # type: ignore[assignment]
        RateLimiter, api_limit=NO_LIMIT
    )


def key_name(number: int) -> str:
    """Of 20 areas with screens of 50 keys each."""
    return f"area{number % 20}.screen{number // 1000}.key{number}"


def text(number: int, code: str) -> str:
    """About 40 characters, each text once."""
    one, two = _WORDS[number % 8], _WORDS[number // 8 % 8]
    return f"{code}: the {one} of the {two} number {number} was saved"


def texts(size: int, code: str) -> dict[str, str]:
    """All of one language, by key."""
    return {key_name(number): text(number, code) for number in range(size)}


def nested(flat: dict[str, str]) -> dict[str, Any]:
    """The same as a tree."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = name.split(".")
        place = tree
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return tree


def records(
    project_id: str, numbers: Sequence[int], codes: Sequence[str]
) -> tuple[list[StoredKey], list[StoredValue]]:
    """Keys, every seventh with the tag ``button``, and their approved texts."""
    at = timestamp(system_clock())
    keys, values = [], []
    for number in numbers:
        id_ = new_id()
        keys.append(
            StoredKey(
                id=id_,
                project_id=project_id,
                key=key_name(number),
                description="",
                tags=(TAG,) if number % 7 == 0 else (),
                is_plural=False,
                screenshot_url=None,
                screenshot_file_id=None,
                key_source="main",
                created_at=at,
                updated_at=at,
            )
        )
        values += [
            StoredValue(
                key_id=id_,
                language_code=code,
                plural_form=None,
                value=text(number, code),
                status="approved",
                is_outdated=False,
                revision=1,
                origin="human",
                approved_value=text(number, code),
                approved_at=at,
                approved_by="bench",
                updated_at=at,
                updated_by="bench",
            )
            for code in codes
        ]
    return keys, values


def parts(size: int) -> Iterator[range]:
    """The numbers of all keys, so many at once."""
    for first in range(0, size, KEYS_AT_ONCE):
        yield range(first, min(size, first + KEYS_AT_ONCE))


def fill(
    workspace: Workspace, url: str, size: int, codes: Sequence[str]
) -> dict[str, Any]:
    """A project with so many keys, and texts in all these languages."""
    project = workspace.project(languages=codes[1:])
    storage = workspace.framework.storage
    for numbers in parts(size):
        with storage.transaction():
            storage.keys.add_keys(*records(project["id"], numbers, codes))
    if not url.startswith("sqlite:"):
        with closing(peers.connect(url)) as connection:
            connection.execute("ANALYZE")  # as the server does by itself in a while
    return project
