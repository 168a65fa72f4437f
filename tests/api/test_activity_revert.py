"""decisions 2.6, undo: a person, a job, a period or a merge, as one job."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.databases import statements_of

from .undoing import actor_of, ask, branch, imported, put, reasons, undo


def test_what_a_person_wrote_is_undone_and_later_changes_stay(keys: Any) -> None:
    one, two = keys.made(values={"de": "eins"}), keys.made(key="c")
    reviewer = keys.workspace.client("reviewer")
    for text in ("falsch", "noch falscher"):
        keys.put(one, "de", text, reviewer)
    keys.put(two, "de", "neu", reviewer)
    keys.put(two, "ar", "جديد", reviewer)
    keys.put(two, "ar", "مصحح")

    result = undo(keys, actor=actor_of(keys, reviewer))

    assert keys.texts(one) == {("de", None): "eins"}
    assert keys.texts(two) == {("ar", None): "مصحح"}
    assert result["reverted"] == 2
    assert reasons(result) == [("c", "ar", "changed_later")]
    assert result["skipped"][0]["keyId"] == two["id"]
    history = f"{keys.path}/{one['id']}/values/de/history"
    newest, *_ = keys.owner.get(history).data["items"]
    assert (newest["value"], newest["origin"], newest["revision"]) == (
        "eins", "revert", 4,
    )  # fmt: skip


def test_an_undo_goes_back_to_what_was_approved_and_what_waited(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei", keys.translator)
    before = keys.detail(key, "de")
    reviewer = keys.workspace.client("reviewer")
    path = f"{keys.path}/{key['id']}/values/de/approve"
    assert reviewer.post(path, json={}).status == 200

    undo(keys, actor=actor_of(keys, reviewer))

    now = keys.detail(key, "de")
    for name in ("value", "status", "approvedValue", "approvedAt", "approvedBy"):
        assert now[name] == before[name]


def test_an_import_is_undone_with_the_keys_it_made(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    job_id = imported(keys, {"a.b": "zwei", "new.one": "neu", "new.two": "neu"})
    other = next(
        k for k in keys.owner.get(keys.path).data["items"] if "two" in k["key"]
    )
    keys.put(other, "ar", "جديد")

    result = undo(keys, jobId=job_id)

    assert keys.names() == ["a.b", "new.two"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert keys.texts(other) == {("de", None): "neu", ("ar", None): "جديد"}
    assert (result["reverted"], result["keysDeleted"]) == (1, 1)
    assert reasons(result) == [
        ("new.two", None, "changed_later"),
        ("new.two", "de", "changed_later"),
    ]


def test_keys_that_an_import_removed_come_back(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    taken = keys.made(key="taken", values={"de": "alt"})
    job_id = imported(keys, {"other": "x"}, mode="replace")
    keys.made(key="taken")

    result = undo(keys, jobId=job_id)

    assert keys.names() == ["a.b", "taken"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert keys.owner.get(f"{keys.path}/{taken['id']}").status == 404
    assert (result["keysRestored"], result["keysDeleted"]) == (1, 1)
    assert reasons(result) == [("taken", None, "key_exists")]


def test_a_period_is_undone(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    activity = f"/projects/{keys.project['id']}/activity"
    keys.put(key, "ar", "واحد")
    written = [
        item
        for item in keys.owner.get(activity).data["items"]
        if item["type"] == "translation.updated"
    ]
    newest = written[0]

    result = undo(keys, since=newest["createdAt"], keyId=key["id"])

    assert ("ar", None) not in keys.texts(key)
    assert result["reverted"] >= 1
    assert undo(keys, until="2020-01-01")["reverted"] == 0


def test_a_merge_is_undone_by_its_branch(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    spring = branch(keys)
    put(keys, key, "zwei", spring)
    body = {"key": "made.there", "values": {"de": "neu"}}
    keys.owner.post(keys.path, json=body, query=spring)
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"
    assert keys.owner.post(merge, json={}).status == 200
    assert keys.names() == ["a.b", "made.there"]

    result = undo(keys, mergeOf="spring")

    assert keys.names() == ["a.b"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert (result["reverted"], result["keysDeleted"]) == (1, 1)
    assert result["skipped"] == []


def test_keys_that_an_undo_brought_back_go_when_it_is_undone(keys: Any) -> None:
    key, other = keys.made(values={"de": "eins"}), keys.made(key="c")
    developer = keys.workspace.client("developer")
    for each in (key, other):
        assert developer.delete(f"{keys.path}/{each['id']}").status == 200
    first = undo(keys, actor=actor_of(keys, developer))
    assert (first["keysRestored"], keys.names()) == (2, ["a.b", "c"])
    keys.put(other, "de", "danach")

    second = undo(keys, jobId=first["jobId"])

    assert keys.names() == ["c"]
    assert (second["keysDeleted"], reasons(second)) == (
        1, [("c", None, "changed_later")],
    )  # fmt: skip


def test_a_key_that_took_the_name_of_a_deleted_one_goes_first(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    developer = keys.workspace.client("developer")
    assert developer.delete(f"{keys.path}/{key['id']}").status == 200
    keys.create(developer, values={"de": "neu"})

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.texts(key) == {("de", None): "eins"}
    assert (result["keysDeleted"], result["keysRestored"]) == (1, 1)
    assert result["skipped"] == []


def test_an_undo_can_be_undone(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    reviewer = keys.workspace.client("reviewer")
    keys.put(key, "de", "zwei", reviewer)
    first = undo(keys, actor=actor_of(keys, reviewer))

    undo(keys, jobId=first["jobId"])

    assert keys.texts(key) == {("de", None): "zwei"}
    assert undo(keys, jobId=first["jobId"])["reverted"] == 0


def test_translations_are_fresh_again_when_their_source_comes_back(keys: Any) -> None:
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    reviewer = keys.workspace.client("reviewer")
    keys.put(key, "en", "Pay now", reviewer)
    assert keys.detail(key, "de")["isOutdated"]

    undo(keys, actor=actor_of(keys, reviewer))

    assert keys.detail(key, "en")["value"] == "Pay"
    assert not keys.detail(key, "de")["isOutdated"]


def test_a_dry_run_tells_the_same_and_changes_nothing(keys: Any) -> None:
    keys.made(values={"de": "eins"})
    job_id = imported(keys, {"a.b": "zwei", "c": "neu"})
    before = keys.owner.get(keys.path, query={"include": "values"}).data

    planned = undo(keys, jobId=job_id, dryRun=True)

    assert keys.owner.get(keys.path, query={"include": "values"}).data == before
    done = undo(keys, jobId=job_id)
    for name in ("reverted", "keysDeleted", "keysRestored", "skipped"):
        assert planned[name] == done[name]
    assert (planned["dryRun"], done["dryRun"]) == (True, False)


def test_languages_that_are_not_the_callers_stay(keys: Any) -> None:
    key = keys.made()
    writer = keys.workspace.client("reviewer")
    keys.put(key, "de", "eins", writer)
    keys.put(key, "ar", "واحد", writer)
    arabic = keys.workspace.client("reviewer", languages=["ar"])

    result = undo(keys, arabic, actor=actor_of(keys, writer))

    assert keys.texts(key) == {("de", None): "eins"}
    assert reasons(result) == [("a.b", "de", "language_not_assigned")]


def test_keys_stay_where_the_caller_may_not_delete(keys: Any) -> None:
    job_id = imported(keys, {"a.b": "eins"})
    reviewer = keys.workspace.client("reviewer")

    result = undo(keys, reviewer, jobId=job_id)

    assert reasons(result) == [
        ("a.b", None, "permission_denied"),
        ("a.b", "de", "permission_denied"),
    ]
    [key] = keys.owner.get(keys.path).data["items"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert result["reverted"] == 0


def test_some_condition_is_needed_and_each_is_judged(keys: Any) -> None:
    for body, path in (
        ({}, "$"),
        ({"dryRun": True}, "$"),
        ({"since": "yesterday"}, "$.since"),
        ({"actor": 3}, "$.actor"),
        ({"since": "2020-01-01", "jobid": "x"}, "$.jobid"),
    ):
        refused = ask(keys, **body)
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert refused.error["details"][0]["path"] == path
    assert ask(keys, branch="nowhere").error["code"] == "branch_not_found"


def test_who_did_nothing_and_is_nobody_here_is_refused(keys: Any) -> None:
    reviewer = keys.workspace.client("reviewer")
    org = keys.project["organizationId"]
    members = keys.owner.get(f"/organizations/{org}/members").data["items"]
    stranger = "0197b2bf-11aa-7e55-b0d1-2f8e57c9ab34"

    for actor in ("nobody", members[0]["id"], stranger):
        refused = ask(keys, actor=actor, dryRun=True)
        assert refused.status == 400
        [problem] = refused.error["details"]
        assert (problem["path"], problem["rule"]) == ("$.actor", "unknown")
    assert undo(keys, actor=actor_of(keys, reviewer))["reverted"] == 0


@pytest.mark.parametrize("role", ["viewer", "translator"])
def test_who_may_not_approve_may_not_undo(keys: Any, role: Any) -> None:
    refused = ask(keys, keys.workspace.client(role), actor="x")

    assert refused.error["details"] == {"required": "translation_approve"}


def test_an_open_branch_has_no_undo(keys: Any) -> None:
    branch(keys)

    refused = ask(keys, branch="spring")

    assert (refused.status, refused.error["code"]) == (409, "not_on_branch")
    assert undo(keys, branch="main")["reverted"] == 0


def test_writes_on_a_branch_are_not_undone_on_main(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    writer = keys.workspace.client("developer")
    spring = branch(keys)
    path = f"{keys.path}/{key['id']}/values/de"
    assert writer.put(path, json={"value": "zwei"}, query=spring).status == 200

    result = undo(keys, actor=actor_of(keys, writer))

    assert (result["reverted"], result["skipped"]) == (0, [])
    one = keys.owner.get(f"{keys.path}/{key['id']}", query=spring).data["key"]
    assert [value["value"] for value in one["values"]] == ["zwei"]


def test_a_protected_main_accepts_only_the_undo_of_a_merge(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    put(keys, key, "zwei", branch(keys))
    here = f"/projects/{keys.project['id']}"
    assert keys.owner.post(f"{here}/branches/spring/merge", json={}).status == 200
    assert keys.owner.patch(here, json={"mainProtected": True}).status == 200
    reviewer = keys.workspace.client("reviewer")

    refused = ask(keys, keyId=key["id"])
    missing = ask(keys, reviewer, mergeOf="spring")
    result = undo(keys, mergeOf="spring")

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert missing.error["details"] == {"required": "branch_merge"}
    assert (result["reverted"], result["skipped"]) == (1, [])
    assert keys.texts(key) == {("de", None): "eins"}


def test_what_is_no_key_or_value_is_listed_as_not_revertible(keys: Any) -> None:
    manager = keys.workspace.client("manager")
    here = f"/projects/{keys.project['id']}"
    assert manager.post(f"{here}/languages", json={"languageCode": "fr"}).status == 201

    result = undo(keys, actor=actor_of(keys, manager))

    assert result["reverted"] == 0
    [skipped] = result["skipped"]
    assert (skipped["eventType"], skipped["reason"]) == (
        "language.added",
        "not_revertible",
    )
    assert (skipped["keyId"], skipped["field"]) == (None, None)


def test_a_dry_run_writes_nothing_but_its_job(keys: Any) -> None:
    key = keys.made(values={"de": "eins", "en": "one"}, tags=["x"])
    gone = keys.made(key="gone")
    writer = keys.workspace.client("developer")
    keys.put(key, "en", "two", writer)
    writer.patch(f"{keys.path}/{key['id']}", json={"tags": ["y"], "isPlural": True})
    writer.delete(f"{keys.path}/{gone['id']}")
    new = writer.post(keys.path, json={"key": "new"}).data["key"]
    framework = keys.workspace.framework
    accepted = ask(keys, actor=actor_of(keys, writer), dryRun=True)

    with statements_of(framework.storage) as statements:
        keys.workspace.run_jobs()

    words = [statement.split() for statement in statements]
    written = {w[1] for w in words if w[0] == "UPDATE"}
    written |= {w[2] for w in words if w[0] in ("INSERT", "DELETE")}
    assert written == {"jobs"}
    job = keys.workspace.job_of(accepted)
    done = undo(keys, actor=actor_of(keys, writer))
    counts = ("reverted", "keysUpdated", "keysDeleted", "keysRestored", "skipped")
    assert [job["result"][name] for name in counts] == [done[name] for name in counts]
    assert done["keysDeleted"] == done["keysRestored"] == 1
    assert new["key"] not in keys.names()
