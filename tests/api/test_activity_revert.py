"""decisions 2.6, undo: a person, a job, a period or a merge, as one job."""

from __future__ import annotations

import json
from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.images import png


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

    result = undo(keys, branch="spring")

    assert keys.names() == ["a.b"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert (result["reverted"], result["keysDeleted"]) == (1, 1)
    assert result["skipped"] == []


def patch(
    keys: Any, one: dict[str, Any], client: Client | None = None, /, **changes: object
) -> None:
    path = f"{keys.path}/{one['id']}"
    assert (client or keys.owner).patch(path, json=changes).status == 200


def fields(keys: Any, key: dict[str, Any]) -> tuple[Any, ...]:
    now = keys.get(key)
    names = "key", "description", "tags", "isPlural", "screenshotFileId"
    return tuple(now[name] for name in names)


def test_what_a_merge_made_of_a_key_is_undone(keys: Any) -> None:
    key = keys.made(values={"de": "eins"}, tags=["label"])
    spring = branch(keys)
    put(keys, key, "zwei", spring)
    path = f"{keys.path}/{key['id']}"
    changes = {"key": "renamed", "tags": ["button"], "description": "new"}
    assert keys.owner.patch(path, json=changes, query=spring).status == 200
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"
    assert keys.owner.post(merge, json={}).status == 200

    result = undo(keys, branch="spring")

    assert keys.texts(key) == {("de", None): "eins"}
    assert fields(keys, key) == ("a.b", "", ["label"], False, None)
    assert (result["reverted"], result["keysUpdated"]) == (1, 1)
    assert result["skipped"] == []


def test_what_keys_say_goes_back_where_nobody_changed_it_later(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    one, two = keys.made(tags=["label"]), keys.made(key="c", description="old")
    patch(keys, one, developer, key="x", description="wrong", tags=["button"])
    patch(keys, one, developer, description="worse")
    patch(keys, two, developer, key="y", description="wrong")
    patch(keys, two, description="right")

    result = undo(keys, actor=actor_of(keys, developer))

    assert fields(keys, one) == ("a.b", "", ["label"], False, None)
    assert fields(keys, two) == ("c", "right", [], False, None)
    assert (result["keysUpdated"], result["skippedCount"]) == (2, 1)
    [skipped] = result["skipped"]
    assert (skipped["keyId"], skipped["field"]) == (two["id"], "description")
    assert (skipped["reason"], skipped["languageCode"]) == ("changed_later", None)
    undo(keys, jobId=result["jobId"])
    assert fields(keys, one) == ("x", "worse", ["button"], False, None)


def test_a_screenshot_goes_back_while_its_file_is_there(keys: Any) -> None:
    def file(name: str) -> str:
        path = f"/projects/{keys.project['id']}/files"
        image = Upload(name, png(), "image/png")
        return str(keys.owner.post(path, files={"file": image}).data["file"]["id"])

    developer, key = keys.workspace.client("developer"), keys.made()
    old, gone, new = file("a.png"), file("b.png"), file("c.png")
    other = keys.made(key="other")
    patch(keys, key, screenshotFileId=old)
    patch(keys, other, screenshotFileId=gone)
    for each in (key, other):
        patch(keys, each, developer, screenshotFileId=new)
    database = keys.workspace.framework.storage.database
    database.run("DELETE FROM files WHERE id = ?", (gone,))

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.get(key)["screenshotFileId"] == old
    assert keys.get(key)["screenshotUrl"].endswith(f"/files/{old}")
    assert keys.get(other)["screenshotFileId"] == new
    assert [(s["field"], s["reason"]) for s in result["skipped"]] == [
        ("screenshotFileId", "file_not_found")
    ]


def test_plurals_are_turned_back_with_the_texts_they_moved(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    on = keys.made(values={"en": "File", "de": "Datei"})
    off = keys.made(
        key="off",
        isPlural=True,
        values={"de": {"one": "Datei", "other": "Dateien"}, "en": {"one": "File"}},
    )
    before = [keys.texts(key) for key in (on, off)]
    patch(keys, on, developer, isPlural=True)
    keys.put(on, "de", {"one": "eine", "other": "viele"}, developer)
    patch(keys, off, developer, isPlural=False)
    assert keys.texts(off) == {("de", None): "Dateien"}

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.texts(key) for key in (on, off)] == before
    assert (result["keysUpdated"], result["skipped"]) == (2, [])
    undo(keys, jobId=result["jobId"])
    assert keys.texts(on) == {("de", "one"): "eine", ("de", "other"): "viele",
        ("en", "other"): "File"}  # fmt: skip
    assert keys.texts(off) == {("de", None): "Dateien"}


def test_plurals_stay_where_somebody_wrote_a_text_since(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    key = keys.made(values={"en": "File", "de": "Datei"})
    patch(keys, key, developer, isPlural=True)
    keys.put(key, "de", {"one": "eine"}, developer)
    keys.put(key, "en", {"one": "a file"})

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.get(key)["isPlural"]
    assert keys.texts(key) == {
        ("en", "one"): "a file", ("en", "other"): "File", ("de", "other"): "Datei",
    }  # fmt: skip
    assert [(s["field"], s["reason"]) for s in result["skipped"]] == [
        ("isPlural", "changed_later")
    ]


def test_names_that_changed_places_go_back(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    one, two = keys.made(key="one"), keys.made(key="two")
    for key, name in ((one, "x"), (two, "one"), (one, "two")):
        patch(keys, key, developer, key=name)

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.get(key)["key"] for key in (one, two)] == ["one", "two"]
    assert (result["keysUpdated"], result["skipped"]) == (2, [])


def test_where_one_name_is_taken_those_that_wait_for_it_stay_too(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    chain = [keys.made(key=name) for name in ("one", "two", "three")]
    free = keys.made(key="free")
    for key, name in zip([*chain, free], ("x", "one", "two", "y"), strict=True):
        patch(keys, key, developer, key=name)
    keys.made(key="three")

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.get(key)["key"] for key in chain] == ["x", "one", "two"]
    assert keys.get(free)["key"] == "free"
    skipped = sorted((s["key"], s["field"], s["reason"]) for s in result["skipped"])
    assert skipped == [(name, "key", "key_exists") for name in ("one", "two", "x")]


def test_what_keys_say_stays_without_the_right_to_change_it(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    patch(keys, key, description="new")
    reviewer = keys.workspace.client("reviewer")

    result = undo(keys, reviewer, keyId=key["id"])

    found = [(s["field"], s["reason"]) for s in result["skipped"]]
    assert ("description", "permission_denied") in found
    assert keys.get(key)["description"] == "new"


def test_what_was_not_kept_yet_stays_and_is_told(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    key = keys.made()
    patch(keys, key, developer, description="of old")
    keys.workspace.framework.storage.database.run("UPDATE event_keys SET trace = NULL")
    patch(keys, key, developer, tags=["new"])

    result = undo(keys, actor=actor_of(keys, developer))

    assert fields(keys, key) == ("a.b", "of old", [], False, None)
    assert reasons(result) == [("a.b", None, "fields_stay")]


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


def test_an_open_branch_is_undone_and_main_stays(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    spring = branch(keys)
    put(keys, key, "zwei", spring)
    keys.put(key, "ar", "main danach")

    result = undo(keys, branch="spring")

    one = f"{keys.path}/{key['id']}"
    values = keys.owner.get(one, query=spring).data["key"]["values"]
    assert {value["value"] for value in values} == {"eins", "main danach"}
    assert result["reverted"] == 1
    assert keys.texts(key) == {("de", None): "eins", ("ar", None): "main danach"}


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


def test_a_merged_key_that_stays_keeps_its_source_text(keys: Any) -> None:
    spring = branch(keys)
    new = {"key": "made.there", "values": {"en": "New", "ar": "جديد"}}
    made = keys.owner.post(keys.path, json=new, query=spring).data["key"]
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"
    assert keys.owner.post(merge, json={}).status == 200
    keys.put(made, "de", "neu")
    keys.put(made, "ar", "مصحح")
    patch(keys, made, description="of main")

    result = undo(keys, branch="spring")

    assert keys.texts(made) == {
        ("en", None): "New", ("de", None): "neu", ("ar", None): "مصحح",
    }  # fmt: skip
    assert sorted(reasons(result), key=str) == [
        ("made.there", "ar", "changed_later"),
        ("made.there", "en", "changed_later"),
        ("made.there", None, "changed_later"),
    ]
    assert (result["reverted"], result["keysDeleted"]) == (0, 0)


def test_plurals_of_a_key_that_stays_are_turned_back_with_its_texts(keys: Any) -> None:
    developer = keys.workspace.client("developer")
    key = keys.create(developer, values={"en": "File", "de": "Datei"}).data["key"]
    patch(keys, key, developer, isPlural=True)
    patch(keys, key, tags=["later"])

    undo(keys, actor=actor_of(keys, developer))

    assert keys.texts(key) == {("en", None): "File", ("de", None): "Datei"}
    assert not keys.get(key)["isPlural"]


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


def test_a_protected_main_is_not_undone(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    spring = branch(keys)
    put(keys, key, "zwei", spring)
    keys.owner.patch(f"/projects/{keys.project['id']}", json={"mainProtected": True})

    refused = ask(keys, since="2020-01-01")
    result = undo(keys, branch="spring")

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert result["reverted"] == 1
