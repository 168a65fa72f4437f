"""One office for a whole test: hypothesis runs hundreds of projects in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from locframework.testing.workspace import open_workspace

from .office import Ear, Office


@pytest.fixture
def open_office() -> Iterator[Callable[[str, Path], Any]]:
    """Opens a framework on the database, and someone who hears every event."""
    with ExitStack() as stack:

        def open_office(url: str, folder: Path) -> Office:
            ear = Ear()
            workspace = stack.enter_context(open_workspace(url, folder, plugins=[ear]))
            return Office(workspace, ear)

        yield open_office
