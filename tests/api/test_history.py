"""decisions 2.3, history: nothing that was written is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from locframework.http.records import Upload

from .histories import branch, history, put, told


def test_every_change_of_a_value_is_a_revision_newest_first(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei", keys.translator)
    keys.act(key, "reject", reason="not a word of ours")
    keys.put(key, "de", "drei", keys.translator)
    keys.act(key, "approve")
    keys.put(key, "de", "")

    items = history(keys, key)

    assert told(items) == [
        (6, "", "untranslated", "human"),
        (5, "drei", "approved", "human"),
        (4, "drei", "pending_review", "human"),
        (3, "eins", "approved", "human"),
        (2, "zwei", "pending_review", "human"),
        (1, "eins", "approved", "human"),
    ]
    assert [item["reason"] for item in items] == [
        None, None, None, "not a word of ours", None, None,
    ]  # fmt: skip
    owner, translator = items[0]["actor"], items[2]["actor"]
    assert owner["type"] == translator["type"] == "user"
    assert [item["actor"] == owner for item in items] == [
        True, True, False, True, False, True,
    ]  # fmt: skip
    assert items[4]["actor"] == translator
    times = [item["createdAt"] for item in items]
    assert times == sorted(times, reverse=True)
    assert {item["pluralForm"] for item in items} == {None}


def test_a_value_written_again_after_it_was_cleared_goes_on_counting(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")

    keys.put(key, "de", "zwei")
    keys.put(key, "de", "")
    keys.put(key, "de", "drei")

    assert keys.detail(key, "de")["revision"] == 5
    assert [item["revision"] for item in history(keys, key)] == [5, 4, 3, 2, 1]


def test_a_batch_that_writes_one_value_twice_leaves_both_in_the_history(
    keys: Any,
) -> None:
    key = keys.made(values={"de": "eins"})
    texts = ("zwei", "", "drei")
    items = [
        {"keyId": key["id"], "languageCode": "de", "value": text} for text in texts
    ]

    path = f"/projects/{keys.project['id']}/values"
    assert keys.owner.put(path, json={"items": items}).status == 200

    assert [item["value"] for item in history(keys, key)] == [
        "drei", "", "zwei", "eins",
    ]  # fmt: skip


def test_plural_forms_have_revisions_of_their_own(keys: Any) -> None:
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.put(key, "de", {"other": "viele"})

    items = history(keys, key)

    assert [(i["pluralForm"], i["revision"], i["value"]) for i in items] == [
        ("other", 2, "viele"),
        ("one", 1, "1"),
        ("other", 1, "n"),
    ]


def test_a_history_comes_in_pages(keys: Any) -> None:
    key = keys.made()
    for number in range(5):
        keys.put(key, "de", str(number))

    pages = [history(keys, key, page=page, limit=2) for page in (1, 2, 3, 4)]

    assert [[item["value"] for item in page] for page in pages] == [
        ["4", "3"], ["2", "1"], ["0"], [],
    ]  # fmt: skip


def test_a_value_that_never_was_has_no_history(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    path = f"{keys.path}/{key['id']}/values"

    assert history(keys, key, "ar") == []
    assert keys.owner.get(f"{path}/sv/history").error["code"] == "language_not_found"
    nowhere = keys.owner.get(f"{keys.path}/{keys.project['id']}/values/de/history")
    assert nowhere.error["code"] == "key_not_found"


def test_rename_trash_and_restore_keep_the_history(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    before = history(keys, key)
    one = f"{keys.path}/{key['id']}"

    keys.owner.patch(one, json={"key": "c.d"})
    keys.owner.delete(one)
    keys.owner.post(f"{one}/restore", json={})

    assert history(keys, key) == before


def test_turning_plurals_ends_one_value_and_begins_another(keys: Any) -> None:
    key = keys.made(values={"de": "Datei"})
    one = f"{keys.path}/{key['id']}"
    for is_plural in (True, False, True):
        keys.owner.patch(one, json={"isPlural": is_plural})

    items = history(keys, key)

    def of(form: str | None) -> list[tuple[int, str]]:
        mine = [item for item in items if item["pluralForm"] == form]
        mine.sort(key=lambda item: -item["revision"])
        return [(item["revision"], item["status"]) for item in mine]

    assert [status for _, status in of("other")] == [
        "approved", "untranslated", "approved",
    ]  # fmt: skip
    assert [status for _, status in of(None)] == [
        "untranslated", "approved", "untranslated", "approved",
    ]  # fmt: skip
    assert [item["revision"] for item in items] == [*range(7, 0, -1)]


@pytest.mark.parametrize("branch", [None, "spring"])
def test_a_text_from_before_plurals_has_its_number_for_itself(
    keys: Any, branch: str | None
) -> None:
    key = keys.made(values={"de": "Datei"})
    root, one = f"/projects/{keys.project['id']}", f"{keys.path}/{key['id']}"
    query = {}
    if branch is not None:
        assert keys.owner.post(f"{root}/branches", json={"name": branch}).status == 201
        query = {"branch": branch}
    keys.owner.patch(one, json={"isPlural": True}, query=query)
    forms = {"value": {"one": "1", "other": "n"}}
    keys.owner.put(f"{one}/values/de", json=forms, query=query)
    keys.owner.patch(one, json={"isPlural": False}, query=query)

    items = history(keys, key, **query)
    plain = {item["revision"] for item in items if item["pluralForm"] is None}
    formed = {item["revision"] for item in items if item["pluralForm"] is not None}

    assert plain.isdisjoint(formed)
    assert max(plain) > max(formed)  # it goes on after them
    assert keys.act(key, "revert", query=query, revision=1).status == 200
    newest = history(keys, key, **query)[0]
    assert (newest["pluralForm"], newest["value"]) == (None, "Datei")


def test_an_import_is_told(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    file = Upload("de.json", json.dumps({"a.b": "zwei"}).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"

    keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))

    assert told(history(keys, key)) == [
        (2, "zwei", "approved", "import"),
        (1, "eins", "approved", "human"),
    ]


# on branches


def test_a_branch_tells_mains_history_up_to_its_copy_and_then_its_own(
    keys: Any,
) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    spring = branch(keys)
    assert history(keys, key, **spring) == history(keys, key)

    put(keys, key, "auf dem Zweig", spring)
    keys.put(key, "de", "main danach")

    assert [item["value"] for item in history(keys, key, **spring)] == [
        "auf dem Zweig", "zwei", "eins",
    ]  # fmt: skip
    assert [item["value"] for item in history(keys, key)] == [
        "main danach", "zwei", "eins",
    ]  # fmt: skip


def test_a_merge_is_told_on_main(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    spring = branch(keys)
    put(keys, key, "zwei", spring)
    put(keys, key, "drei", spring)
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"

    assert keys.owner.post(merge, json={}).status == 200

    [merged, first] = history(keys, key)
    assert (merged["value"], merged["origin"]) == ("drei", "merge")
    assert merged["revision"] >= 3  # no number that the branch gave to another text
    assert first["value"] == "eins"


def test_a_value_cleared_on_main_and_written_on_the_branch_goes_on_counting(
    keys: Any,
) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")
    spring = branch(keys)

    put(keys, key, "zwei", spring)

    assert [item["revision"] for item in history(keys, key, **spring)] == [3, 2, 1]
