"""``locframework verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from locframework import OPERATOR, Framework
from locframework.delivery.records import Distribution, NewDistribution, NewRelease
from locframework.keys.records import NewKey
from locframework.projects.records import NewProject, Project


@pytest.fixture
def web(framework: Framework, project: Project) -> Distribution:
    """A published distribution with one file in English and one in German."""
    key = NewKey("pay", values={"en": "Pay", "de": "Zahlen"})
    framework.keys.create_key(OPERATOR, project.id, key)
    new = NewDistribution("Web", "json-nested")
    made = framework.distributions.create_distribution(OPERATOR, project.id, new)
    framework.runner.run_until_idle()
    return made


def blob_of(framework: Framework, web: Distribution, path: str) -> Path:
    """The file in the folder of the blob store."""
    release = framework.releases.current_release(OPERATOR, web.project_id, web.id)
    assert release is not None
    [name] = [file.blob for file in release.files if file.path == path]
    return Path("data/blobs") / name[:2] / name


def test_files_that_are_all_there_are_counted(
    command: Any, framework: Framework, web: Distribution
) -> None:
    framework.distributions.pause(OPERATOR, web.project_id, web.id)

    result = command("verify")

    assert (result.exit_code, result.stdout) == (0, "2 files, all as published\n")


def test_files_that_are_lost_or_damaged_are_named(
    command: Any, framework: Framework, project: Project, web: Distribution
) -> None:
    lost, damaged = (blob_of(framework, web, f"{code}.json") for code in ("de", "en"))
    lost.unlink()
    damaged.write_bytes(b"{}")

    result = command("verify")

    where, fault = f"{project.slug}: Web:", "cannot be read: its content is damaged"
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{where} de.json: the blob {lost.name} is lost",
        f"{where} en.json: the blob {damaged.name} {fault}",
    ]
    assert "2 of 2 files cannot be read" in result.stderr


def test_what_it_names_comes_back_as_its_help_says(
    command: Any, framework: Framework, web: Distribution
) -> None:
    damaged = blob_of(framework, web, "en.json")
    damaged.write_bytes(b"{}")
    assert command("verify").exit_code == 1

    damaged.unlink()
    framework.releases.create_release(OPERATOR, web.project_id, web.id, NewRelease())
    framework.runner.run_until_idle()

    assert command("verify").exit_code == 0


def test_one_project_is_verified_and_one_that_is_not_there_is_told(
    command: Any, framework: Framework, project: Project, web: Distribution
) -> None:
    new = NewProject("Other", "en", organization_id=project.organization_id)
    other = framework.projects.create_project(OPERATOR, new)
    blob_of(framework, web, "de.json").unlink()

    done = command("verify", "--project", other.slug)
    failed = command("verify", "--project", "nothing")

    assert (done.exit_code, done.stdout) == (0, "0 files, all as published\n")
    assert failed.exit_code == 1
    assert "Traceback" not in failed.stderr


def test_a_store_that_hands_out_other_bytes_is_found_out(
    command: Any,
    framework: Framework,
    web: Distribution,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = type(framework.plugins.blob_stores["disk"])
    monkeypatch.setattr(store, "get", lambda self, name: b"{}")

    result = command("verify")

    assert result.exit_code == 1
    assert "is damaged" in result.stdout
