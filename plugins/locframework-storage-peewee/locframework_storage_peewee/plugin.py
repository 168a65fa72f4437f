"""The plugin ``peewee``: its settings and its storage."""

import os
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from locframework import hookimpl
from locframework.ports import Settings, SettingsError, Storage, StorageProvider

from .engine import NOT_WRITABLE, Engine
from .sqlite import Sqlite
from .storage import PeeweeStorage


class PeeweeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which database. Raises ValueError for an address of neither kind.

    ``sqlite:///folder/file`` (from the folder the process starts in),
    ``sqlite:////folder/file`` or ``postgresql://user:password@host:5432/name``.
    """

    database: str = "sqlite:///data/locframework.sqlite3"

    def __post_init__(self) -> None:
        if not (_is_postgres(self.database) or _sqlite_path(self.database)):
            raise ValueError(
                "database: must be sqlite:///folder/file or postgresql://user@host/name"
            )


class PeeweePlugin:
    """Provides the storage ``peewee``, which opens nothing before it is asked to."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = PeeweeSettings

    def __init__(self, settings: PeeweeSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_storages(self) -> list[StorageProvider]:
        """One storage, over the database of the settings."""
        return [PeeweeProvider(self._settings.database)]

    @hookimpl
    def loc_decide_settings(self, settings: Settings) -> None:
        """Refuse a SQLite database that is used and not writable."""
        path = _sqlite_path(self._settings.database)
        if settings.storage != PeeweeProvider.name or path is None or not path.exists():
            return
        if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            raise SettingsError(f"database: {path}: {NOT_WRITABLE}", "database")


class PeeweeProvider:
    """Opens the database at one address."""

    name = "peewee"

    def __init__(self, url: str) -> None:
        self._url = url

    def open(self) -> Storage:
        return PeeweeStorage(engine_of(self._url))


def engine_of(url: str) -> Engine:
    """The engine for an address as PeeweeSettings takes it."""
    path = _sqlite_path(url)
    if path is not None:
        return Sqlite(path)
    try:
        from .postgres import Postgres
    except ImportError as error:
        raise SettingsError(
            "PostgreSQL needs psycopg: install locframework-storage-peewee[postgres]"
        ) from error
    return Postgres(url)


def _is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


def _sqlite_path(url: str) -> Path | None:
    if _is_postgres(url):  # its password may have what no URL has
        return None
    parts = urlsplit(url)
    name = unquote(parts.path[1:])  # after the slash that ends the empty host
    if parts.scheme != "sqlite" or parts.netloc or parts.query or parts.fragment:
        return None
    # every thread would have a memory of its own
    return None if name in ("", ":memory:") or "\0" in name else Path(name)
