"""A server with a project that nothing may change, and what it should answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from locframework.testing.client import Answer

World = Any  # tests/faults/conftest.py
Expected = tuple[int, str]
JSON = {"Content-Type": "application/json"}
BAD_JSON: Expected = (400, "invalid_json")
BAD_FIELD: Expected = (400, "validation_failed")
BAD_KEY: Expected = (400, "invalid_key")
NO_LANGUAGE: Expected = (400, "language_not_in_project")
MISMATCH: Expected = (400, "plural_mismatch")
NO_FORM: Expected = (400, "invalid_plural_form")
NO_MEDIA: Expected = (415, "unsupported_media_type")
TOO_LARGE: Expected = (413, "payload_too_large")
MIB = 1024 * 1024


class Site(NamedTuple):
    """A server with a project that nothing may change."""

    world: World
    client: Any
    port: int
    path: str  # of the project
    key_id: str
    distribution_id: str

    def stored(self) -> dict[str, Any]:
        """How many rows every table has, and every text."""
        project = {"id": self.path.rpartition("/")[2]}
        return {**self.world.row_counts(), **self.world.texts(project)}


def wrong(cases: Iterable[tuple[str, Answer, Expected]]) -> list[str]:
    """Those that were answered otherwise than expected, or out of the envelope."""
    found = []
    for name, answer, expected in cases:
        try:
            error = answer.json["error"]
            got = answer.status, error["code"]
            fits = answer.json["success"] is False and len(error["message"]) <= 200
        except (ValueError, KeyError, TypeError):
            got, fits = (answer.status, repr(answer.content[:100])), False
        if got != expected or not fits:
            found.append(f"{name[:80]}: {got}, expected {expected}")
    return found
