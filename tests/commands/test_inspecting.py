"""``locframework plugins``, ``check-settings`` and ``migrate``."""

import errno
import fcntl
import os
import sys

import pytest


def test_plugins_lists_name_version_hooks_and_settings(command):
    result = command("plugins")

    assert result.exit_code == 0
    assert (
        "json  locframework-formats-json 0.1.0\n"
        "    hooks: loc_provide_formats\n"
        "    indent: int = 2\n"
    ) in result.stdout


def test_plugins_needs_no_database_and_makes_none(command, folder):
    command("plugins")

    assert list(folder.iterdir()) == []


def test_a_blocked_plugin_is_not_listed(command, folder):
    (folder / "my.toml").write_text('blocked_plugins = ["json", "disk"]\n')

    told = command("--settings", "my.toml", "plugins").stdout

    assert "locframework-formats-json" not in told
    assert "locframework-formats-gettext" in told


def test_check_settings_tells_what_is_in_use_and_makes_no_database(command, folder):
    result = command("check-settings")

    assert result.exit_code == 0
    assert "storage     peewee\n" in result.stdout
    assert "gettext-po" in result.stdout
    assert result.stdout.endswith("The settings are fine.\n")
    assert list(folder.iterdir()) == []


def test_check_settings_tells_what_serve_would_do_and_changes_nothing(command, folder):
    before = command("check-settings")
    migrated = command("migrate")
    made = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    after = command("check-settings", LOCFRAMEWORK_SERVER__PORT="8099")

    assert migrated.stdout == "0001_initial\n"
    assert 'database    lacks 1 migration; "serve",' in before.stdout
    assert "serve       would listen on 127.0.0.1 port 8080\n" in before.stdout
    assert "database    up to date\n" in after.stdout
    assert "port 8099\n" in after.stdout
    assert made == {path: path.read_bytes() for path in made}


def test_check_settings_tells_that_what_serves_is_not_installed(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "waitress", None)

    result = command("check-settings")

    line = "serve       could not start: serving needs waitress: pip install "
    assert f"{line}'locframework[serve]'\n" in result.stdout
    assert result.exit_code == 0


def test_check_settings_tells_of_a_database_that_does_not_answer(command):
    address = "postgresql://127.0.0.1:1/nothing"

    result = command("check-settings", LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE=address)

    assert "database    the database does not answer; try again\n" in result.stdout
    assert result.exit_code == 0


@pytest.mark.parametrize("path", ["text", "text/below", "/proc/nothing/below"])
def test_no_start_is_promised_where_there_can_be_no_database(command, folder, path):
    (folder / "text").write_text("no database, but long enough for one" * 9)
    variable = "LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE"
    address = {variable: f"sqlite:///{path}"}

    checked = command("check-settings", **address)
    served = command("serve", "--port", "0", **address)

    assert (checked.exit_code, served.exit_code) == (2, 2)
    assert checked.stderr.startswith(
        f"Error: settings: plugins.peewee.database: {path}"
    )
    assert checked.stderr.endswith(f" (from {variable})\n")
    assert checked.stderr.count("\n") == served.stderr.count("\n") == 1


@pytest.mark.parametrize("plugin", ["disk", "rapidfuzz"])
@pytest.mark.parametrize(
    ("path", "told"),
    [("text", "text"), ("text/below", "text"), ("/proc/nothing/below", "/proc")],
)
def test_check_settings_refuses_a_folder_that_can_keep_nothing(
    command, folder, plugin, path, told
):
    (folder / "text").write_text("")
    variable = f"LOCFRAMEWORK_PLUGINS__{plugin.upper()}__FOLDER"

    result = command("check-settings", **{variable: path})

    assert (result.exit_code, result.stdout) == (2, "")
    assert f"settings: folder: {folder / told}: " in result.stderr
    assert result.stderr.endswith(f" (from {variable})\n")
    assert result.stderr.count("\n") == 1
    assert [each.name for each in folder.iterdir()] == ["text"]


def test_check_settings_finds_a_part_of_the_blob_folder_that_is_of_no_use(
    command, folder
):
    (folder / "data/blobs").mkdir(parents=True)
    (folder / "data/blobs/ab").write_text("no folder")

    result = command("check-settings")

    assert result.exit_code == 2
    told = f"settings: folder: {folder / 'data/blobs/ab'}: Not a directory\n"
    assert result.stderr.endswith(told)


def test_check_settings_finds_that_the_index_folder_knows_no_locks(
    command, folder, monkeypatch
):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (folder / "data/matching").mkdir(parents=True)

    result = command("check-settings")

    assert result.exit_code == 2
    told = f"settings: folder: {folder / 'data/matching'}: No locks available\n"
    assert result.stderr.endswith(told)
    assert list((folder / "data/matching").iterdir()) == []


def test_check_settings_refuses_a_database_that_may_only_be_read(
    command, folder, monkeypatch
):
    command("migrate")
    monkeypatch.setattr(os, "access", lambda path, _: path.suffix != ".sqlite3")

    result = command("check-settings")

    assert result.exit_code == 2
    told = "settings: database: data/locframework.sqlite3: the database file, "
    assert f"{told}or its folder, is not writable\n" in result.stderr


def test_check_settings_finds_a_rate_limit_storage_of_no_kind(command):
    result = command("check-settings", LOCFRAMEWORK_RATE_LIMIT_STORAGE="carrier://x")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: settings: rate_limit_storage: ")
    assert result.stderr.count("\n") == 1


def test_check_settings_tells_of_a_rate_limit_storage_that_does_not_answer(command):
    pytest.importorskip("redis")

    there = command("check-settings")
    away = command(
        "check-settings", LOCFRAMEWORK_RATE_LIMIT_STORAGE="redis://127.0.0.1:1/0"
    )

    assert "requests    counted in each process\n" in there.stdout
    told = "requests    cannot be counted: the rate limit storage does not answer\n"
    assert told in away.stdout
    assert away.exit_code == 0


def test_migrate_tells_what_it_applied_and_then_that_nothing_is_left(command):
    first, second = command("migrate"), command("migrate")

    assert first.stdout == "0001_initial\n"
    assert second.stdout == "the database is up to date\n"
    assert (first.exit_code, second.exit_code) == (0, 0)
