from datetime import UTC, datetime

import pytest


class Clock:
    """A clock that a test moves."""

    now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()
