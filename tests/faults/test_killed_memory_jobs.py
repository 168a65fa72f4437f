"""Jobs of translation memories that are killed anywhere come to the same end."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.kill
World = Any  # tests/faults/conftest.py

UNITS, UNITS_A_STEP = 2100, 1000  # of a source text and a translation each
KEYS, KEYS_A_STEP = 210, 100


def memory_of(world: World, project: dict[str, Any]) -> str:
    """The path of a memory that the project reads, and does not teach."""
    body = {"name": "Killed", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = world.workspace.owner.post("/translation-memories", json=body).data
    path = f"/translation-memories/{made['translationMemory']['id']}"
    use = {"writeMode": "none"}
    world.workspace.owner.put(f"/projects/{project['id']}{path}", json=use)
    return path


def test_an_import_into_a_memory_killed_in_its_job_enters_every_unit_once(
    world: World,
) -> None:
    owner = world.workspace.owner
    memory = memory_of(world, world.workspace.project())
    rows = [f",text {number},Text {number}" for number in range(UNITS)]
    file = "\n".join(["context,en,de", *rows]).encode()
    upload = Upload("memory.csv", file, "text/csv")
    sent = owner.post(f"{memory}/import", files={"file": upload}).data["job"]

    counts = []
    for place in (
        "job.after_claim",
        "job.before_step",
        "tm_import.after_step",
        "job.before_step",
        "job.before_commit",
    ):
        assert world.start(place).wait() == 137, f"it did not pass {place}"
        world.check_database()
        found = owner.get(memory).data["translationMemory"]
        counts.append(found["entryCount"])
    server = world.start()
    job = world.owner(server).end_of_job(f"{memory}/jobs/{sent['id']}")

    a_step = UNITS_A_STEP
    assert counts == [0, 0, a_step, a_step, 2 * a_step]  # the last ends the job too
    assert (job["status"], job["progress"]["done"]) == ("succeeded", UNITS)
    assert job["result"]["entriesCreated"] == UNITS
    written = owner.get(f"{memory}/export", query={"format": "csv"}).content
    told = Counter(written.decode().splitlines()[1:])
    assert told == Counter(rows)
    assert server.stop() == 0


def test_filling_from_memories_killed_in_its_job_fills_every_text_once(
    world: World,
) -> None:
    owner = world.workspace.owner
    project = world.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    memory = memory_of(world, project)
    entry = {"sourceText": "Save the file", "translations": {"de": "Datei sichern"}}
    owner.post(f"{memory}/entries", json=entry)
    texts = {f"key{number}": "Save the file" for number in range(KEYS)}
    upload = Upload("en.json", json.dumps(texts).encode(), "application/json")
    form = {"format": "json-flat", "languageCode": "en"}
    sent = owner.post(f"{path}/import", form=form, files={"file": upload})
    assert world.workspace.job_of(sent)["status"] == "succeeded"
    before = len(world.events(project))
    sent = owner.post(f"{path}/tm/prefill", json={"languageCodes": ["de"]}).data["job"]

    counts = []
    for place in (
        "job.after_claim",
        "job.before_step",
        "tm_prefill.after_step",
        "job.before_step",
        "job.before_commit",
    ):
        assert world.start(place).wait() == 137, f"it did not pass {place}"
        world.check_database()
        counts.append(drafts(world, path))
    server = world.start()
    job = world.owner(server).end_of_job(f"{path}/jobs/{sent['id']}")

    assert counts == [0, 0, KEYS_A_STEP, KEYS_A_STEP, KEYS]
    assert (job["status"], job["progress"]["done"]) == ("succeeded", KEYS)
    result = job["result"]
    assert (result["keysFilled"], result["valuesWritten"]) == (KEYS, KEYS)
    assert drafts(world, path) == KEYS
    events = world.events(project)[: len(world.events(project)) - before]
    told = Counter(
        item["key"]
        for event in events
        if event.type == "translation.updated"
        for item in event.items
    )
    assert told == Counter(list(texts))
    assert server.stop() == 0


def drafts(world: World, path: str) -> int:
    """How many German texts are drafts."""
    statistics = world.workspace.owner.get(f"{path}/statistics").data["statistics"]
    [found] = [e for e in statistics["languages"] if e["languageCode"] == "de"]
    draft: int = found["draft"]
    return draft
