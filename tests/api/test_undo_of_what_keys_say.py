"""decisions 2.6, undo: names, descriptions, tags, plurals and screenshots of keys."""

from __future__ import annotations

from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Client
from locframework.testing.images import png

from .undoing import actor_of, branch, put, reasons, undo


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

    result = undo(keys, mergeOf="spring")

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


def test_a_merged_key_that_stays_keeps_its_source_text(keys: Any) -> None:
    spring = branch(keys)
    new = {"key": "made.there", "values": {"en": "New", "ar": "جديد"}}
    made = keys.owner.post(keys.path, json=new, query=spring).data["key"]
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"
    assert keys.owner.post(merge, json={}).status == 200
    keys.put(made, "de", "neu")
    keys.put(made, "ar", "مصحح")
    patch(keys, made, description="of main")

    result = undo(keys, mergeOf="spring")

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
