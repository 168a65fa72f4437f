"""A folder, a store over it, and other processes that use the same folder."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings

CHILD = Path(__file__).parent / "child.py"
StartChild = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the blobs go; not there yet."""
    return tmp_path / "data" / "blobs"


@pytest.fixture
def store(folder: Path) -> DiskBlobStore:
    """A store over ``folder``."""
    return DiskBlobStore(DiskSettings(str(folder)))


@pytest.fixture
def start_child() -> StartChild:
    """Start ``child.py`` with arguments, perhaps ``under`` another program."""

    def start(*arguments: object, under: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        command = [*under, sys.executable, str(CHILD), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    return start
