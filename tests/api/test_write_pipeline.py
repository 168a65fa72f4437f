"""Writes of keys and values: what is refused first, and what runs outside the
transaction."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from locframework import hookimpl
from locframework.events import SYSTEM
from locframework.fields import new_id
from tests.databases import statements_of

READS = ("SELECT", "BEGIN", "COMMIT", "ROLLBACK")


class Meanwhile:
    """A plugin that lets something happen while a write is planned."""

    name = "meanwhile"

    def __init__(self):
        self.act = None
        self.times = 0

    @hookimpl
    def loc_decide_write(self, change):
        if self.times and self.act is not None and change.kind == "value":
            self.times -= 1
            with ThreadPoolExecutor(1) as threads:
                threads.submit(self.act).result()


@pytest.fixture
def protected(watched, veto):
    """A protected main with the key a.b, pending review in German."""
    watched.made(values={"en": "Pay"})
    [key] = watched.owner.get(watched.path).data["items"]
    watched.put(key, "de", "gut", watched.translator)
    path = f"/projects/{watched.project['id']}"
    assert watched.owner.patch(path, json={"mainProtected": True}).status == 200
    veto.seen.clear()
    veto.seen_keys.clear()
    return watched


WRITES: dict[str, tuple[str, str, object]] = {
    "set value": ("PUT", "/{id}/values/de", {"value": "besser"}),
    "create": ("POST", "", {"key": "new", "values": {"en": "New"}}),
    "update": ("PATCH", "/{id}", {"description": "x"}),
    "delete": ("DELETE", "/{id}", None),
    "approve": ("POST", "/{id}/values/de/approve", {}),
    "reject": ("POST", "/{id}/values/de/reject", {}),
    "revert": ("POST", "/{id}/values/de/revert", {"revision": 1}),
    "bulk": ("POST", "/bulk", {"keys": [{"key": "new"}]}),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_on_protected_main_is_refused_before_plugins_are_asked(
    protected, veto, write
):
    method, path, body = WRITES[write]
    [key] = protected.owner.get(protected.path).data["items"]
    storage = protected.workspace.framework.storage
    protected.workspace.framework._background.submit(lambda: None).result()

    with statements_of(storage) as sent:
        refused = protected.owner.request(
            method, protected.path + path.format(id=key["id"]), json=body
        )

    assert refused.error["code"] == "branch_protected"
    assert veto.seen == veto.seen_keys == []
    assert len(sent) <= 6
    assert all(statement.lstrip().startswith(READS) for statement in sent), sent


def test_another_write_is_not_kept_waiting_by_plugins_and_the_plan_is_made_again(
    keys_with,
):
    meanwhile = Meanwhile()
    keys = keys_with(meanwhile)
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    meanwhile.act = lambda: keys.put(key, "ar", "ادفع")
    meanwhile.times = 1

    written = keys.put(key, "de", "Bezahlen")

    assert meanwhile.times == 0
    assert written.status == 200
    texts = {("en", None): "Pay", ("de", None): "Bezahlen", ("ar", None): "ادفع"}
    assert keys.texts(key) == texts
    history = keys.owner.get(f"{keys.path}/{key['id']}/values/de/history").data
    assert [each["revision"] for each in history["items"]] == [2, 1]


def test_protection_set_while_a_write_is_planned_refuses_it(keys_with):
    meanwhile = Meanwhile()
    keys = keys_with(meanwhile)
    key = keys.made(values={"de": "Zahlen"})
    project = f"/projects/{keys.project['id']}"
    meanwhile.act = lambda: keys.owner.patch(project, json={"mainProtected": True})
    meanwhile.times = 1

    assert keys.put(key, "de", "Bezahlen").error["code"] == "branch_protected"
    assert keys.texts(key) == {("de", None): "Zahlen"}


def test_a_key_that_changes_during_every_attempt_is_503_with_retry_after(keys_with):
    meanwhile = Meanwhile()
    keys = keys_with(meanwhile)
    key = keys.made(values={"de": "Zahlen"})
    texts = iter("abcdef")

    def change():
        path = f"{keys.path}/{key['id']}"
        keys.owner.patch(path, json={"description": next(texts)})

    meanwhile.act, meanwhile.times = change, 3

    refused = keys.put(key, "de", "Bezahlen")

    assert (refused.status, refused.error["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"] == "1"
    assert keys.texts(key) == {("de", None): "Zahlen"}
    assert keys.put(key, "de", "Bezahlen").status == 200


def test_a_write_that_changes_nothing_sends_no_write(keys):
    key = keys.made(values={"de": "Zahlen"})
    keys.workspace.framework._background.submit(lambda: None).result()

    with statements_of(keys.workspace.framework.storage) as sent:
        assert keys.put(key, "de", "Zahlen").status == 200

    assert all(statement.lstrip().startswith(READS) for statement in sent), sent


@pytest.mark.parametrize(("code", "status"), [("ar", 200), ("de", 409)])
def test_a_merge_lets_others_write_while_it_is_planned_and_sees_what_they_wrote(
    keys_with, code, status
):
    meanwhile = Meanwhile()
    keys = keys_with(meanwhile)
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    branches = f"/projects/{keys.project['id']}/branches"
    keys.owner.post(branches, json={"name": "b"})
    path = f"{keys.path}/{key['id']}/values/de"
    keys.owner.put(path, json={"value": "Bezahlen"}, query={"branch": "b"})
    meanwhile.act = lambda: keys.put(key, code, "x")
    meanwhile.times = 1

    merged = keys.owner.post(f"{branches}/b/merge", json={})

    assert meanwhile.times == 0
    assert merged.status == status
    written = {(code, None): "x"}
    if status == 200:
        written["de", None] = "Bezahlen"
    assert keys.texts(key) == {("en", None): "Pay", **written}


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_merge_sees_a_change_committed_after_a_later_event(shop):
    framework, project = shop.workspace.framework, shop.keys.project
    for key in (shop.pay, shop.title):
        shop.write(key, "ar", "branch", "spring")

    def end_a_job():
        with framework.storage.transaction():
            framework.events.append(
                "job.failed",
                organization_id=shop.workspace.organization_id,
                project_id=project["id"],
                actor=SYSTEM,
                items=[{"jobId": new_id(), "type": "import", "code": "x"}],
            )

    def merge():
        return shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    with ThreadPoolExecutor(2) as threads:
        with framework.storage.transaction():
            assert shop.write(shop.title, "ar", "main").status == 200
            threads.submit(end_a_job).result()
            merged = threads.submit(merge)
            time.sleep(0.5)  # time enough for the merge to be planned
        refused = merged.result()

    assert refused.error["code"] == "merge_conflict"
    assert shop.texts(shop.title)["ar", None] == "main"


def test_an_undo_lets_others_write_while_it_is_planned_and_sees_what_they_wrote(
    keys_with,
):
    meanwhile = Meanwhile()
    keys = keys_with(meanwhile)
    key = keys.made(values={"de": "Zahlen", "ar": "a"})
    since = keys.put(key, "de", "Bezahlen").data["key"]["updatedAt"]
    keys.put(key, "ar", "b")
    meanwhile.act = lambda: keys.put(key, "ar", "c")
    meanwhile.times = 1
    path = f"/projects/{keys.project['id']}/activity/revert"

    asked = keys.owner.post(path, json={"since": since})
    job = keys.workspace.job_of(asked)

    assert meanwhile.times == 0
    assert job["status"] == "succeeded", job
    assert keys.texts(key) == {("de", None): "Zahlen", ("ar", None): "c"}
    assert [each["reason"] for each in job["result"]["skipped"]] == ["changed_later"]
