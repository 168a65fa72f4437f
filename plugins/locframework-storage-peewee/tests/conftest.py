"""A migrated database for each test, of either kind."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from locframework_storage_peewee import PeeweeProvider, PeeweeStorage
from locframework_storage_peewee.engine import Row

from tests.databases import Migrated
from tests.empty_databases import KINDS, Kind, fresh_url
from tests.processes import Process

CHILD = Path(__file__).with_name("child.py")

OpenStorage = Callable[[str], PeeweeStorage]
Start = Callable[..., Process]
Asked = list[tuple[str, Sequence[object]]]


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


@pytest.fixture
def asked(storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The statements that return rows, with their parameters, from now on."""
    asked: Asked = []
    rows, row = storage.database.rows, storage.database.row

    def note_rows(sql: str, params: Sequence[object] = ()) -> list[Row]:
        asked.append((sql, params))
        return rows(sql, params)

    def note_row(sql: str, params: Sequence[object] = ()) -> Row | None:
        asked.append((sql, params))
        return row(sql, params)

    monkeypatch.setattr(storage.database, "rows", note_rows)
    monkeypatch.setattr(storage.database, "row", note_row)
    return asked


def plan_of(storage: PeeweeStorage, asked: Asked, how: str = "COSTS") -> list[str]:
    """The steps of PostgreSQL's plans for these statements."""
    with storage.snapshot():
        return [
            step
            for sql, params in list(asked)
            for (step,) in storage.database.rows(f"EXPLAIN ({how}) {sql}", params)
        ]


def sqlite_plans(storage: PeeweeStorage, statements: Sequence[str]) -> list[list[str]]:
    """The steps of SQLite's plan for each statement."""
    database = storage.database
    return [
        [
            step
            for *_, step in database.rows(
                f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
            )
        ]
        for sql in statements
    ]
