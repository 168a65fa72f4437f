from collections.abc import Iterator
from pathlib import Path

import pytest
from locframework_storage_peewee import postgres, sqlite

from locframework.testing.workspace import open_workspace

from .world import ManualClock, World


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction of ``world`` wait 0.3 s for locks instead of 5."""
    settings = postgres.OUTSIDE_SNAPSHOTS.replace("timeout = 5000", "timeout = 300")
    monkeypatch.setattr(postgres, "OUTSIDE_SNAPSHOTS", settings)
    monkeypatch.setattr(sqlite, "LOCK_SECONDS", 0.3)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    clock = ManualClock()
    with open_workspace(database_url, tmp_path, clock=clock) as workspace:
        yield World(workspace, clock)
