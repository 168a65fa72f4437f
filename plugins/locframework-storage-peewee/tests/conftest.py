"""A migrated database for each test, of either kind."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from locframework_storage_peewee import PeeweeProvider, PeeweeStorage

from locframework.testing.databases import KINDS, Kind, Migrated, fresh_url
from locframework.testing.processes import Process

CHILD = Path(__file__).with_name("child.py")

OpenStorage = Callable[[str], PeeweeStorage]
Start = Callable[..., Process]


def storage_at(url: str) -> PeeweeStorage:
    """The storage at ``url``, as a process would open it."""
    opened = PeeweeProvider(url).open()
    assert isinstance(opened, PeeweeStorage)
    return opened


def migrate(url: str) -> None:
    storage = storage_at(url)
    storage.migrate()
    storage.close()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Migrated]:
    with Migrated(tmp_path_factory.mktemp("migrated"), migrate) as migrated:
        yield migrated


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def empty_url(kind: Kind, tmp_path: Path) -> Iterator[str]:
    """The address of a database without schema."""
    with fresh_url(kind, tmp_path / "empty") as url:
        yield url


@pytest.fixture
def url(kind: Kind, tmp_path: Path, migrated: Migrated) -> Iterator[str]:
    """The address of a migrated database without rows; the schema stays as it is."""
    with migrated.url(kind, tmp_path) as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PeeweeStorage]:
    """A migrated database, opened."""
    opened = storage_at(url)
    yield opened
    opened.close()


@pytest.fixture
def open_storage() -> Iterator[OpenStorage]:
    """Opens a URL as another process would; closed after the test."""
    with ExitStack() as stack:

        def open_one(url: str) -> PeeweeStorage:
            opened = storage_at(url)
            stack.callback(opened.close)
            return opened

        yield open_one


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts tasks of child.py: ``start("migrate", url)``; killed after the test."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(Process(CHILD, *arguments))
