"""Large imports go in steps: others write between them, and a killed one goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from locframework.errors import Unavailable
from locframework.exchange import import_job
from locframework.file_import import imports
from locframework.file_import.files import CHECKED_IN_REQUEST
from locframework.quality import checks
from locframework.quality.scanning import Placeholder, placeholders

Uploads = Any  # tests/exchange/conftest.py
Project = Mapping[str, Any]
BetweenSteps = Callable[[Callable[[], object]], None]

KEYS = [f"key{number}" for number in range(7)]
FILE = {name: f"Text {name}" for name in KEYS}  # three steps and the end


@pytest.fixture(autouse=True)
def two_keys_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_job, "KEYS_A_STEP", 2)


@pytest.fixture
def after_a_step(monkeypatch: pytest.MonkeyPatch) -> BetweenSteps:
    """Has something done once, between the first step and the second."""

    def have(call: Callable[[], object]) -> None:
        left = [call]

        def reached(place: str) -> None:
            if place == "import.after_step" and left:
                left.pop()()

        monkeypatch.setattr(imports, "crash_point", reached)

    return have


def test_others_write_between_the_steps_of_an_import(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    project = uploads.workspace.project()
    seen: list[list[str]] = []

    def look_and_write() -> None:
        seen.append(list(uploads.values(project)))
        uploads.workspace.key(project, "key6", values={"en": "Mine"})

    after_a_step(look_and_write)
    found = uploads.result(project, "en.json", FILE)

    assert seen == [["key0", "key1"]]
    assert uploads.counts(found) == (6, 1, 0, 0, 7)
    assert found["conflicts"][0]["existing"] == "Mine"
    assert uploads.event_types(project).count("import.completed") == 1


def test_steps_have_fewer_keys_where_each_has_texts_in_many_languages(
    uploads: Uploads, after_a_step: BetweenSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 source texts make as many outdated in each: others were refused."""
    monkeypatch.setattr(import_job, "KEYS_A_STEP", 4)
    project = uploads.workspace.project(languages=["de", "fr", "ja", "pl"])
    larger = uploads.workspace.project(
        languages=["de", "fr", "ja", "pl", "sv", "it", "es", "pt", "nl"]
    )
    seen: list[list[str]] = []

    for one in (project, larger):
        after_a_step(lambda one=one: seen.append(list(uploads.values(one))))
        uploads.result(one, "en.json", FILE)

    assert seen == [KEYS[:4], KEYS[:2]]


def test_an_import_that_broke_off_goes_on_where_it_was(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    project = uploads.workspace.project(languages=["de"])
    model = uploads.workspace.project(languages=["de"])
    there = {"key0": "Other", "old": "Old"}
    form = {"mode": "replace", "onConflict": "overwrite", "tags": ["t"]}
    for one in (project, model):
        uploads.result(one, "en.json", there)

    def break_off() -> None:
        raise Unavailable("the server went away")

    wanted = uploads.result(model, "en.json", FILE, **form)
    after_a_step(break_off)
    accepted = uploads.ask(project, "en.json", FILE, **form)
    broken = uploads.workspace.job_of(accepted)
    kept = sorted(uploads.values(project))
    storage = uploads.workspace.framework.storage
    storage.release_leases(lambda owner: True, "")
    job = uploads.workspace.job_of(accepted)

    assert (broken["status"], broken["progress"]) == (
        "running",
        {"done": 2, "total": len(KEYS)},
    )
    assert kept == ["key0", "key1", "old"]
    assert (job["status"], job["result"]) == ("succeeded", wanted)
    assert uploads.values(project) == uploads.values(model)
    assert sorted(uploads.event_types(project)) == sorted(uploads.event_types(model))


def test_a_renamed_key_is_merged_with_its_old_name_after_a_break(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    project = uploads.workspace.project(languages=["de"])
    form = {"mode": "replace", "renames": "carry"}

    def both(names: list[str], german: str) -> bytes:
        english = {name: f"Text {number}" for number, name in enumerate(names)}
        files = {"en.json": english, "de.json": dict.fromkeys(names, german)}
        found: bytes = uploads.zipped(files)
        return found

    def break_off() -> None:
        raise Unavailable("the server went away")

    uploads.result(project, "all.zip", both([*KEYS, "old"], "alt"))
    after_a_step(break_off)
    renamed = both([*KEYS, "new"], "neu")
    accepted = uploads.ask(project, "all.zip", renamed, **form)
    broken = uploads.workspace.job_of(accepted)
    uploads.workspace.framework.storage.release_leases(lambda owner: True, "")
    job = uploads.workspace.job_of(accepted)

    assert (broken["status"], broken["progress"]["done"]) == ("running", 2)
    assert job["status"] == "succeeded", job
    assert job["result"]["conflictCount"] == 0
    assert uploads.values(project)["new"] == {"en": "Text 7", "de": "neu"}


def test_what_is_refused_in_a_later_step_changes_nothing(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    client = uploads.workspace.client("developer", languages=["en"])
    uploads.workspace.key(project, "key6", values={"en": "6", "de": "sechs"})
    plural = {**FILE, "key6": {"one": "1", "other": "n"}}

    job = uploads.run(
        project, "en.json", plural, client=client, onConflict="overwrite"
    )  # to turn the last key plural moves its German text

    assert (job["status"], job["error"]["code"]) == ("failed", "language_not_assigned")
    assert job["progress"]["done"] == 0
    assert uploads.values(project) == {"key6": {"en": "6", "de": "sechs"}}


def test_on_conflict_fail_is_one_transaction_however_large(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.workspace.key(project, "key6", values={"en": "Mine"})

    job = uploads.run(project, "en.json", FILE, onConflict="fail")

    assert (job["status"], job["error"]["code"]) == ("failed", "import_conflict")
    assert uploads.values(project) == {"key6": {"en": "Mine"}}
    assert job["progress"]["done"] == 0


def test_an_import_stops_when_its_token_is_revoked(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    workspace = uploads.workspace
    project = workspace.project()
    client = workspace.client("developer")
    token_id = client.get("/tokens/self").data["token"]["id"]

    after_a_step(lambda: client.delete(f"/tokens/{token_id}"))
    accepted = uploads.ask(project, "en.json", FILE, client=client)
    job = workspace.job_of(accepted, workspace.owner)

    assert (job["status"], job["error"]["code"]) == ("failed", "permission_denied")
    assert job["progress"] == {"done": 2, "total": len(KEYS)}
    assert list(uploads.values(project)) == ["key0", "key1"]
    assert uploads.event_types(project)[-1] == "job.failed"


def test_an_import_that_is_cancelled_keeps_its_steps(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    """Decisions 2.6: done items stay."""
    workspace = uploads.workspace
    project = workspace.project()

    def cancel() -> None:
        [job] = workspace.owner.get(f"/projects/{project['id']}/jobs").data["items"]
        workspace.owner.post(f"/projects/{project['id']}/jobs/{job['id']}/cancel")

    after_a_step(cancel)
    job = uploads.run(project, "en.json", FILE)

    assert (job["status"], job["progress"]["done"]) == ("cancelled", 2)
    assert job["result"]["keysCreated"] == 2
    assert list(uploads.values(project)) == ["key0", "key1"]


def test_a_language_that_goes_meanwhile_ends_the_import_and_keeps_its_steps(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    workspace = uploads.workspace
    project = workspace.project(languages=["de"])

    after_a_step(
        lambda: workspace.owner.delete(f"/projects/{project['id']}/languages/de")
    )
    job = uploads.run(project, "de.json", FILE)

    assert (job["status"], job["error"]["code"]) == (
        "failed",
        "language_not_in_project",
    )
    assert job["progress"] == {"done": 2, "total": len(KEYS)}
    assert job["result"]["keysCreated"] == job["result"]["valuesWritten"] == 2
    assert uploads.values(project) == {"key0": {}, "key1": {}}


def test_a_large_file_that_the_job_reads_goes_on_where_it_was(
    uploads: Uploads, after_a_step: BetweenSteps
) -> None:
    project = uploads.workspace.project()

    def break_off() -> None:
        raise Unavailable("the server went away")

    after_a_step(break_off)
    content = json.dumps(FILE).encode() + b" " * CHECKED_IN_REQUEST
    accepted = uploads.ask(project, "en.json", content)
    assert uploads.workspace.job_of(accepted)["progress"]["done"] == 2
    uploads.workspace.framework.storage.release_leases(lambda owner: True, "")
    job = uploads.workspace.job_of(accepted)

    assert job["status"] == "succeeded", job
    assert sorted(uploads.values(project)) == KEYS


def test_a_large_file_that_is_refused_has_no_result(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "en.json", {"a": "A"})
    content = json.dumps({"a": "B"}).encode() + b" " * CHECKED_IN_REQUEST

    job = uploads.run(project, "en.json", content, onConflict="fail")

    assert (job["status"], job["result"]) == ("failed", None)


def test_a_step_has_few_characters_and_a_larger_one_is_checked_before_it(
    uploads: Uploads, after_a_step: BetweenSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "CHARACTERS_A_STEP", 20)
    project = uploads.workspace.project(languages=["de"])
    sessions = uploads.workspace.framework.storage.database._sessions
    modes: set[tuple[str, str]] = set()

    def found_in(text: str, *styles: Any) -> list[Placeholder]:
        modes.add((text[:3], sessions.here.session.mode))
        return placeholders(text, *styles)

    monkeypatch.setattr(checks, "placeholders", found_in)
    seen: list[list[str]] = []
    after_a_step(lambda: seen.append(list(uploads.values(project))))
    texts = {"key0": "{a}" * 9, "key1": "{b}"}
    both = uploads.zipped({"en.json": texts, "de.json": texts})

    uploads.result(project, "all.zip", both)

    assert seen == [["key0"]]
    assert modes == {("{a}", "read"), ("{b}", "write")}
