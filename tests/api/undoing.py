"""Requests of the tests of undo."""

from __future__ import annotations

import json
from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client

from .project_keys import Keys

Key = dict[str, Any]
SPRING = {"branch": "spring"}


def request_undo(keys: Keys, client: Client | None = None, **body: object) -> Answer:
    path = f"/projects/{keys.project['id']}/activity/revert"
    return (client or keys.owner).post(path, json=body)


def undo(keys: Keys, client: Client | None = None, **body: object) -> dict[str, Any]:
    """Return the result of the undo, and the id of its job."""
    answer = request_undo(keys, client, **body)
    assert answer.status == 202, answer
    job = keys.workspace.job_of(answer, client)
    assert (job["type"], job["status"]) == ("revert", "succeeded"), job
    result: dict[str, Any] = job["result"]
    return result | {"jobId": job["id"]}


def counts(result: dict[str, Any]) -> dict[str, int]:
    """Return the counts of a result that are not zero."""
    names = "reverted", "keysUpdated", "keysDeleted", "keysRestored"
    return {name: result[name] for name in names if result[name]}


def reasons(result: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    assert result["skippedCount"] == len(result["skipped"])
    return [
        (each["key"], each["languageCode"] or each["field"], each["reason"])
        for each in result["skipped"]
    ]


def actor_of(keys: Keys, client: Client) -> str:
    return keys.workspace.framework.authenticate(client.token).actor.id


def events(keys: Keys, key: Key) -> list[dict[str, Any]]:
    """Return the activity of the key, oldest first."""
    path = f"/projects/{keys.project['id']}/activity"
    query = {"keyId": key["id"], "sort": "createdAt", "limit": 100}
    items: list[dict[str, Any]] = keys.owner.get(path, query=query).data["items"]
    return items


class Period:
    """Notes when the changes of a key begin and end."""

    def __init__(self, keys: Keys, key: Key) -> None:
        self._keys, self._key = keys, key
        self._known = len(events(keys, key))

    @property
    def since(self) -> dict[str, str]:
        """The filter for all changes since."""
        found = events(self._keys, self._key)
        return {"since": found[self._known]["createdAt"], "keyId": self._key["id"]}

    @property
    def until_now(self) -> dict[str, str]:
        """The filter for the changes up to now."""
        until = events(self._keys, self._key)[-1]["createdAt"]
        return {**self.since, "until": until}


def patch(
    keys: Keys, key: Key, client: Client | None = None, /, **changes: object
) -> None:
    path = f"{keys.path}/{key['id']}"
    assert (client or keys.owner).patch(path, json=changes).status == 200


def delete(keys: Keys, key: Key, client: Client | None = None) -> None:
    assert (client or keys.owner).delete(f"{keys.path}/{key['id']}").status == 200


def restore(keys: Keys, key: Key) -> None:
    assert keys.owner.post(f"{keys.path}/{key['id']}/restore").status == 200


def is_found(keys: Keys, key: Key) -> bool:
    return keys.owner.get(f"{keys.path}/{key['id']}").status == 200


def outdated(keys: Keys, key: Key) -> dict[str, bool]:
    return {v["languageCode"]: v["isOutdated"] for v in keys.get(key)["values"]}


def import_german(keys: Keys, texts: dict[str, str], **options: str) -> str:
    """Import the texts, overwriting others; return the id of the job.

    ``languageCode``: another language; only the source's files remove keys.
    """
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"
    job = keys.workspace.job_of(
        keys.owner.post(path, form=form | options, files={"file": file})
    )
    assert job["status"] == "succeeded", job
    job_id: str = job["id"]
    return job_id


def create_branch(keys: Keys) -> None:
    path = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(path, json={"name": "spring"}).status == 201


def put_on_branch(keys: Keys, key: Key, code: str, text: object) -> None:
    path = f"{keys.path}/{key['id']}/values/{code}"
    assert keys.owner.put(path, json={"value": text}, query=SPRING).status == 200


def merge(keys: Keys, client: Client | None = None, **body: object) -> None:
    path = f"/projects/{keys.project['id']}/branches/spring/merge"
    assert (client or keys.owner).post(path, json=body).status == 200
