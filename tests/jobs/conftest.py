from collections.abc import Iterator

import pytest
from locframework_storage_peewee import PeeweeProvider, postgres, sqlite

from .world import ManualClock, World


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction of ``world`` wait 0.3 s for locks instead of 5."""
    settings = postgres.OUTSIDE_SNAPSHOTS.replace("timeout = 5000", "timeout = 300")
    monkeypatch.setattr(postgres, "OUTSIDE_SNAPSHOTS", settings)
    monkeypatch.setattr(sqlite, "LOCK_SECONDS", 0.3)


@pytest.fixture
def world(database_url: str) -> Iterator[World]:
    storage = PeeweeProvider(database_url).open()
    yield World(storage, ManualClock())
    storage.close()
