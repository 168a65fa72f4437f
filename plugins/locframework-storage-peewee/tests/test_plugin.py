"""The plugin is found, takes its settings and opens the database they name."""

import builtins
import sys
from importlib.metadata import entry_points

import msgspec
import pytest
from locframework_storage_peewee import (
    PeeweePlugin,
    PeeweeProvider,
    PeeweeSettings,
    PeeweeStorage,
)

from locframework.plugins import PluginHost
from locframework.ports import SettingsError


def test_the_plugin_is_found_by_its_name():
    (entry,) = entry_points(group="locframework", name="peewee")

    assert entry.load() is PeeweePlugin


def test_the_plugin_provides_the_storage_peewee(tmp_path):
    url = f"sqlite:///{tmp_path}/new/folder/file.sqlite3"
    host = PluginHost.discover(
        {}, more=[PeeweePlugin(PeeweeSettings(url))], installed=False
    )

    storage = host.storages["peewee"].open()

    assert not (tmp_path / "new").exists()  # opening asks nothing yet
    assert storage.migrate()
    storage.ping()
    storage.close()
    assert (tmp_path / "new/folder/file.sqlite3").stat().st_size > 0


def test_a_relative_address_is_one_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    storage = PeeweeProvider(PeeweeSettings().database).open()
    storage.migrate()
    storage.close()

    assert (tmp_path / "data/locframework.sqlite3").is_file()


@pytest.mark.parametrize("name", ["ä b.sqlite3", "100%25.sqlite3", "a%20b"])
def test_an_address_may_be_percent_encoded(tmp_path, name):
    PeeweeProvider(f"sqlite:///{tmp_path}/{name}").open().ping()

    expected = name.replace("%25", "%").replace("%20", " ")
    assert (tmp_path / expected).is_file()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "data.sqlite3",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite://host/file",
        "sqlite:///file?mode=ro",
        "sqlite:///a\0b",
        "mysql://localhost/test",
        "http://localhost/",
    ],
)
def test_an_address_of_another_kind_is_refused(url):
    with pytest.raises(
        ValueError, match="must be sqlite:///folder/file or postgresql://"
    ):
        PeeweeSettings(url)


def test_unknown_settings_are_refused():
    with pytest.raises(msgspec.ValidationError, match="unknown field `url`"):
        msgspec.convert({"url": "sqlite:///a"}, PeeweeSettings)


def test_postgresql_without_its_driver_says_what_to_install(monkeypatch):
    importing = builtins.__import__

    def without_psycopg(name, *arguments):
        if name.startswith("psycopg"):
            raise ImportError(name)
        return importing(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without_psycopg)
    monkeypatch.delitem(
        sys.modules, "locframework_storage_peewee.postgres", raising=False
    )

    with pytest.raises(SettingsError, match=r"locframework-storage-peewee\[postgres\]"):
        PeeweeProvider("postgresql://localhost/x").open()


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("postgres://h/x", "postgresql://h/x?connect_timeout=5"),
        (
            "postgresql:///x?host=/run&sslmode=a%20b&connect_timeout=1",
            "postgresql:///x?host=/run&sslmode=a%20b&connect_timeout=1",
        ),
        ("postgresql://u:p%2F+w@[::1]:5/x?", "postgresql://u:p%2F+w@[::1]:5/x?"),
        ("postgresql://u:p?[w@[::1]:5/x", "postgresql://u:p?[w@[::1]:5/x?"),
        ("postgresql://h/x?host=@a", "postgresql://h/x?host=@a&connect_timeout=5"),
    ],
)
def test_a_postgresql_address_keeps_what_it_says(url, opened, monkeypatch):
    postgres = pytest.importorskip("locframework_storage_peewee.postgres")
    defaults = {"connect_timeout": "5"} if "[" not in url else {}
    monkeypatch.setattr(postgres, "DEFAULTS", defaults)

    assert postgres.Postgres(url).make_peewee().database == opened


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:se%cret@h/x",
        "postgresql://u:se cret@h/x",
        "postgresql://u:se/cret@h/x",
        "postgresql://u:s/e?cret@h/x",
        "postgresql://u:se@cret@h/x",
        "postgresql://u:secret@h:99999/x",
        "postgresql://u:secret@h/x?sslmod=require",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_its_password(url):
    pytest.importorskip("psycopg")
    provider = PeeweeProvider(PeeweeSettings(url).database)

    with pytest.raises(SettingsError) as refused:
        provider.open()

    told = str(refused.value)
    assert told.startswith(
        "settings: plugins.peewee.database: is not an address such as "
    )
    assert "cret" not in told
    assert refused.value.setting == "plugins.peewee.database"


def test_a_socket_without_a_file_may_be_the_host():
    pytest.importorskip("psycopg")

    PeeweeProvider("postgresql:///x?host=@of-postgres,/run&port=5432,5433").open()


def test_the_file_of_sqlite_is_not_for_everybody(tmp_path):
    storage = PeeweeProvider(f"sqlite:///{tmp_path}/a").open()
    storage.migrate()
    storage.ping()

    assert (tmp_path / "a").stat().st_mode & 0o007 == 0
    assert (tmp_path / "a-wal").stat().st_mode & 0o007 == 0
    storage.close()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # full
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
    ],
)
def test_sqlite_is_set_up_to_keep_what_it_acknowledged(tmp_path, pragma, value):
    storage = PeeweeProvider(f"sqlite:///{tmp_path}/a").open()
    assert isinstance(storage, PeeweeStorage)

    assert storage.database.row(f"PRAGMA {pragma}") == (value,)

    storage.close()
