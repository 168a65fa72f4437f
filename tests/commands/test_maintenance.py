"""``plugins``, ``check-settings``, ``migrate``, ``recheck`` and ``verify``."""

import errno
import fcntl
import json
import os
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from locframework import OPERATOR
from locframework.delivery.records import NewDistribution, NewRelease
from locframework.errors import Unavailable
from locframework.issues.service import IssueQuery
from locframework.keys.records import NewKey
from locframework.projects.records import NewProject

DATABASE = "LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE"


def test_plugins_are_listed_without_a_database(command, folder):
    result = command("plugins")

    assert result.exit_code == 0
    assert (
        "json  locframework-formats-json 0.1.0  (ports 1)\n    formats: json-nested, "
    ) in result.stdout
    assert "    hooks: loc_provide_formats\n    indent: int = 2\n" in result.stdout
    assert (
        "disk  locframework-blobs-disk 0.1.0  (ports 1)\n"
        "    chosen by: blob_store\n"
        "    blob stores: disk\n"
    ) in result.stdout
    assert "\nnot configured: plugin 'openai' (locframework-tra" in result.stdout
    assert list(folder.iterdir()) == []


def test_a_blocked_plugin_is_not_listed(command, folder):
    (folder / "my.toml").write_text('blocked_plugins = ["json", "disk"]\n')

    told = command("--settings", "my.toml", "plugins").stdout

    assert "\njson  locframework-formats-json" not in told
    assert "\nblocked: json  locframework-formats-json 0.1.0\n" in told
    assert "locframework-formats-gettext" in told


def test_check_settings_tells_what_serve_would_do_and_changes_nothing(command, folder):
    before = command("check-settings")
    assert list(folder.iterdir()) == []
    first, second = command("migrate"), command("migrate")
    made = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    after = command("check-settings", LOCFRAMEWORK_SERVER__PORT="8099")

    assert (first.stdout, second.stdout) == (
        "0001_initial\n",
        "the database is up to date\n",
    )
    assert (before.exit_code, first.exit_code, second.exit_code) == (0, 0, 0)
    assert "storage     peewee\n" in before.stdout
    assert "gettext-po" in before.stdout
    assert 'database    lacks 1 migration; "serve",' in before.stdout
    assert "requests    counted in each process\n" in before.stdout
    assert "serve       would listen on 127.0.0.1 port 8080\n" in before.stdout
    assert before.stdout.endswith("The settings are fine.\n")
    assert "database    up to date\n" in after.stdout
    assert "port 8099\n" in after.stdout
    assert made == {path: path.read_bytes() for path in made}


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (
            {DATABASE: "postgresql://127.0.0.1:1/nothing"},
            "database    the database does not answer; try again\n",
        ),
        (
            {"LOCFRAMEWORK_RATE_LIMIT_STORAGE": "redis://127.0.0.1:1/0"},
            "requests    cannot be counted: the rate limit storage does not answer\n",
        ),
        ({}, "could not start: serving needs waitress: pip install 'locframework[ser"),
    ],
)
def test_check_settings_tells_what_does_not_work_at_the_moment(
    command, monkeypatch, environment, line
):
    pytest.importorskip("redis")
    monkeypatch.setitem(sys.modules, "waitress", None)

    result = command("check-settings", **environment)
    strict = command("check-settings", "--strict", **environment)

    assert line in result.stdout
    last = "The settings are fine, but serve cannot start.\n"
    assert result.stdout.endswith(last)
    assert result.exit_code == 0
    assert strict.exit_code == (1 if environment else 0)
    assert ("not answer" in strict.stderr) == bool(environment)


def test_a_blob_store_that_does_not_answer_fails_a_strict_check(command, monkeypatch):
    def fail(*_):
        raise Unavailable("the blob store does not answer")

    monkeypatch.setattr("locframework_blobs_disk.store.DiskBlobStore.has", fail)

    assert command("check-settings").exit_code == 0
    strict = command("check-settings", "--strict")
    assert (strict.exit_code, strict.stderr) == (
        1,
        "Error: the blob store does not answer\n",
    )


def test_a_plugin_whose_server_does_not_work_fails_a_strict_check(command):
    environment = {
        "LOCFRAMEWORK_PLUGINS__OPENAI__URL": "https://127.0.0.1/v1",
        "LOCFRAMEWORK_PLUGINS__OPENAI__MODEL": "tiny",
    }

    plain = command("check-settings", **environment)
    strict = command("check-settings", "--strict", **environment)

    fault = "openai: 127.0.0.1: no_public_address"
    assert (plain.exit_code, strict.exit_code) == (0, 1)
    assert f"            does not work: {fault}\n" in plain.stdout
    assert strict.stderr == f"Error: {fault}\n"


@pytest.mark.parametrize("name", ["migrate", "serve", "worker"])
def test_a_database_that_does_not_answer_in_time_is_told(command, name):
    begun = time.monotonic()
    late = command(name, "--wait", 1, **{DATABASE: "postgresql://127.0.0.1:1/no"})

    assert late.exit_code == 1
    assert 1 <= time.monotonic() - begun < 10
    told = "Error: after 1 s of waiting: the database does not answer; try again\n"
    assert late.stderr.endswith(told)


def test_migrate_waits_for_a_database(command, folder):
    (folder / "a").mkdir()  # in the place of the file
    Timer(1.5, (folder / "a").rmdir).start()

    result = command("migrate", "--wait", 30, **{DATABASE: "sqlite:///a"})

    assert (result.exit_code, result.stdout) == (0, "0001_initial\n")


def refuse_locks(monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)


def refuse_writing(monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, _: path.suffix != ".sqlite3")


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("PEEWEE__DATABASE", "sqlite:///text", "plugins.peewee.database: text"),
        ("PEEWEE__DATABASE", "sqlite:///text/a", "plugins.peewee.database: text/a"),
        ("PEEWEE__DATABASE", "sqlite:////proc/no/a", "plugins.peewee.database: /proc"),
        ("DISK__FOLDER", "text", "folder: {here}/text: "),
        ("DISK__FOLDER", "text/below", "folder: {here}/text: "),
        ("DISK__FOLDER", "/proc/nothing/below", "folder: /proc: "),
        ("RAPIDFUZZ__FOLDER", "text", "folder: {here}/text: "),
        ("RAPIDFUZZ__FOLDER", "/proc/nothing/below", "folder: /proc: "),
        (refuse_locks, "", "folder: {here}/data/matching: No locks available"),
        (
            refuse_writing,
            "",
            "database: data/locframework.sqlite3: the database file, or its folder,",
        ),
    ],
)
def test_check_settings_refuses_places_that_can_keep_nothing(
    command, folder, monkeypatch, setting, value, told
):
    (folder / "text").write_text("no database, but long enough for one" * 9)
    (folder / "data/matching").mkdir(parents=True)
    environment = {}
    if callable(setting):
        command("migrate")
        setting(monkeypatch)
    else:
        environment = {f"LOCFRAMEWORK_PLUGINS__{setting}": value}
    before = sorted(folder.rglob("*"))

    result = command("check-settings", **environment)

    assert (result.exit_code, result.stdout) == (2, "")
    assert f"settings: {told.format(here=folder)}" in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_every_project_is_checked_anew(command, framework, project):
    new = NewProject("Other", "en", organization_id=project.organization_id)
    other = framework.projects.create_project(OPERATOR, new)
    new = NewKey("a", max_length=2, values={"en": "Pay"})
    key = framework.keys.create_key(OPERATOR, project.id, new)
    framework.storage.keys.put_findings({(key.id, "en"): []})  # as if made before

    one = command("recheck", "--project", other.slug)
    result = command("recheck")

    assert one.stdout == f"{other.slug}: 0 keys checked\n"
    assert result.exit_code == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == sorted(
        [f"{project.slug}: 1 key checked", f"{other.slug}: 0 keys checked"]
    )
    found = framework.issues.list_issues(OPERATOR, project.id, IssueQuery())
    assert [(one.key, one.check) for one in found.items] == [("a", "length")]


@pytest.fixture
def web(framework, project):
    """A published distribution with one file in English and one in German."""
    key = NewKey("pay", values={"en": "Pay", "de": "Zahlen"})
    framework.keys.create_key(OPERATOR, project.id, key)
    new = NewDistribution("Web", "json-nested")
    made = framework.distributions.create_distribution(OPERATOR, project.id, new)
    framework.runner.run_until_idle()
    return made


def test_check_settings_names_the_data_that_needs_a_missing_format(
    command, project, web, folder
):
    formats = ["android", "apple", "dotnet", "fluent", "gettext", "json", "php"]
    formats += ["properties", "qt", "table", "xliff", "yaml"]
    blocked = f"blocked_plugins = {json.dumps(formats)}"
    (folder / "less.toml").write_text(blocked)

    result = command("--settings", "less.toml", "check-settings")

    assert result.exit_code == 2
    assert result.stderr == (
        "Error: no installed plugin provides the format 'json-nested', which stored"
        f" data needs (distributions: 1, as {project.slug}: Web); available: none\n"
    )


def blob_of(framework, web, path):
    """Return the file in the folder of the blob store."""
    release = framework.releases.current_release(OPERATOR, web.project_id, web.id)
    [name] = [file.blob for file in release.files if file.path == path]
    return Path("data/blobs") / name[:2] / name


def test_verify_names_lost_and_damaged_files_until_they_are_published_again(
    command, framework, project, web
):
    good = command("verify")
    lost, damaged = (blob_of(framework, web, f"{code}.json") for code in ("de", "en"))
    lost.unlink()
    damaged.write_bytes(b"{}")
    bad = command("verify")
    damaged.unlink()
    framework.releases.create_release(OPERATOR, web.project_id, web.id, NewRelease())
    framework.runner.run_until_idle()
    framework.distributions.pause(OPERATOR, web.project_id, web.id)
    again = command("verify")

    where, fault = f"{project.slug}: Web:", "cannot be read: its content is damaged"
    assert (good.exit_code, good.stdout) == (0, "2 files, all as published\n")
    assert bad.exit_code == 1
    assert bad.stdout.splitlines() == [
        f"{where} de.json: the blob {lost.name} is lost",
        f"{where} en.json: the blob {damaged.name} {fault}",
    ]
    assert "2 of 2 files cannot be read" in bad.stderr
    assert (again.exit_code, again.stdout) == (0, good.stdout)


def test_one_project_is_verified(command, framework, project, web):
    new = NewProject("Other", "en", organization_id=project.organization_id)
    other = framework.projects.create_project(OPERATOR, new)
    blob_of(framework, web, "de.json").unlink()

    done = command("verify", "--project", other.slug)

    assert (done.exit_code, done.stdout) == (0, "0 files, all as published\n")


@pytest.mark.parametrize("asked", ["verify", "recheck"])
def test_a_project_that_is_not_there_is_told(command, framework, asked):
    result = command(asked, "--project", "nothing")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr


def test_a_store_that_hands_out_other_bytes_is_found_out(
    command, framework, web, monkeypatch
):
    store = type(framework.plugins.blob_stores["disk"])
    monkeypatch.setattr(store, "get", lambda self, name: b"{}")

    result = command("verify")

    assert result.exit_code == 1
    assert "is damaged" in result.stdout
