"""What tests of undo do: ask for one, and make what it is to undo."""

from __future__ import annotations

import json
from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client


def ask(keys: Any, client: Client | None = None, **body: object) -> Answer:
    path = f"/projects/{keys.project['id']}/activity/revert"
    answer: Answer = (client or keys.owner).post(path, json=body)
    return answer


def undo(keys: Any, client: Client | None = None, **body: object) -> dict[str, Any]:
    answer = ask(keys, client, **body)
    assert answer.status == 202, answer
    job = keys.workspace.job_of(answer, client)
    assert (job["type"], job["status"]) == ("revert", "succeeded"), job
    result: dict[str, Any] = job["result"]
    return result | {"jobId": job["id"]}


def imported(keys: Any, texts: dict[str, str], **options: str) -> str:
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"
    job = keys.workspace.job_of(
        keys.owner.post(path, form=form | options, files={"file": file})
    )
    assert job["status"] == "succeeded", job
    found: str = job["id"]
    return found


def actor_of(keys: Any, client: Client) -> str:
    caller = keys.workspace.framework.authenticate(client.token)
    found: str = caller.actor.id
    return found


def reasons(result: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    return [(s["key"], s["languageCode"], s["reason"]) for s in result["skipped"]]


def branch(keys: Any) -> dict[str, str]:
    path = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(path, json={"name": "spring"}).status == 201
    return {"branch": "spring"}


def put(keys: Any, key: dict[str, Any], text: str, query: dict[str, str]) -> None:
    path = f"{keys.path}/{key['id']}/values/de"
    assert keys.owner.put(path, json={"value": text}, query=query).status == 200
