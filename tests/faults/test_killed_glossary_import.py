"""An import of terms that is killed anywhere comes to the same end, in whole steps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.kill
World = Any  # tests/faults/conftest.py

TERMS, A_STEP = 2250, 1000
PLACES = (
    "job.after_claim",
    "job.before_step",
    "job.after_step",
    "glossary_import.before_commit",
    "job.before_commit",
)


def test_an_import_of_terms_killed_in_its_job_comes_to_the_same_end(
    world: World,
) -> None:
    owner = world.workspace.owner
    project = world.workspace.project()
    body = {"name": "Killed", "sourceLanguage": "en"}
    glossary = owner.post("/glossaries", json=body).data["glossary"]
    path = f"/glossaries/{glossary['id']}"
    owner.put(f"/projects/{project['id']}{path}")
    world.workspace.run_jobs()  # to look at the project's texts again has steps as well
    rows = "".join(f"term {number},Wort {number}\n" for number in range(TERMS))
    file = Upload("terms.csv", f"term,de\n{rows}".encode(), "text/csv")
    sent = owner.post(f"{path}/import", files={"file": file}).data["job"]

    counts = []
    for place in PLACES:
        assert world.start(place).wait() == 137, f"it did not pass {place}"
        world.check_database()
        counts.append(owner.get(path).data["glossary"]["termCount"])
    server = world.start()
    job = world.owner(server).end_of_job(f"{path}/jobs/{sent['id']}")

    assert counts == [0, 0, A_STEP, 2 * A_STEP, 2 * A_STEP]
    assert (job["status"], job["progress"]["done"]) == ("succeeded", TERMS)
    assert job["result"]["termsCreated"] == TERMS
    assert owner.get(path).data["glossary"]["termCount"] == TERMS
    told = Counter[str]()
    for event in world.events(project):
        told[event.type] += len(event.items)
    assert told["glossary.term.created"] == TERMS
    assert told["glossary.translation.updated"] == TERMS
    assert server.stop() == 0
