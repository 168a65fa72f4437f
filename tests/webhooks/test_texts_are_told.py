"""However texts change, it is told: by batches, jobs, memories, merges and undo."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from locframework.http.records import Upload

from .hearing import Heard

UPDATED = ["translation.updated"]


def bringing(heard: Heard, texts: dict[str, str], **form: str) -> Callable[[], Any]:
    """An import of German texts."""
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    fields = {"languageCode": "de", "format": "json-flat", **form}
    return lambda: heard.owner.post(
        f"{heard.path}/import", form=fields, files={"file": file}
    )


def statuses(heard: Heard, type_: str) -> list[tuple[str, str, str, int]]:
    return sorted(
        (item["key"], item["languageCode"], item["status"], item["revision"])
        for item in heard.items(type_)
    )


def test_a_batch_of_values(heard: Heard) -> None:
    for name in ("a", "b", "c"):
        heard.hooked.key(name, values={"en": "x"})
    items = [{"key": name, "languageCode": "de", "value": "y"} for name in "ab"]
    path = f"{heard.path}/values"

    assert heard.told_by(lambda: heard.owner.put(path, json={"items": items})) == (
        UPDATED
    )
    assert statuses(heard, "translation.updated") == [
        ("a", "de", "approved", 1),
        ("b", "de", "approved", 1),
    ]
    proposals = [{**item, "value": "z"} for item in items]
    told = heard.told_by(lambda: heard.translator.put(path, json={"items": proposals}))
    assert told == ["translation.submitted"]


def test_an_import_and_none_where_it_only_tries(heard: Heard) -> None:
    heard.hooked.key("a", values={"en": "x", "de": "y", "fr": "z"})
    heard.hooked.key("b", values={"en": "x"})
    texts = {"a": "new", "b": "first"}

    assert heard.told_by(bringing(heard, texts, dryRun="true")) == []
    told = heard.told_by(bringing(heard, texts, onConflict="overwrite"))

    assert told == ["import.completed", "language.completed", "translation.updated"]
    assert statuses(heard, "translation.updated") == [
        ("a", "de", "approved", 2),
        ("b", "de", "approved", 1),
    ]
    source = bringing(heard, {"a": "x!"}, languageCode="en", onConflict="overwrite")
    assert heard.told_by(source) == [
        "import.completed",
        "translation.outdated",
        "translation.updated",
    ]


def test_what_a_memory_fills_in(heard: Heard) -> None:
    heard.hooked.key("a", values={"en": "Pay now"})
    body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = heard.owner.post("/translation-memories", json=body)
    memory = f"/translation-memories/{made.data['translationMemory']['id']}"
    heard.owner.put(f"{heard.path}{memory}", json={"writeMode": "none"})
    entry = {"sourceText": "Pay now", "translations": {"de": "Jetzt zahlen"}}
    heard.owner.post(f"{memory}/entries", json=entry)

    told = heard.told_by(heard.post("/tm/prefill", {"languageCodes": ["de"]}))

    assert told == ["language.completed", "translation.updated"]
    assert statuses(heard, "translation.updated") == [("a", "de", "draft", 1)]


def test_an_undone_import(heard: Heard) -> None:
    heard.hooked.key("a", values={"en": "x", "de": "old"})
    heard.told_by(bringing(heard, {"a": "new", "b": "B"}, onConflict="overwrite"))
    jobs = heard.owner.get(f"{heard.path}/jobs").data["items"]

    told = heard.told_by(heard.post("/activity/revert", {"jobId": jobs[0]["id"]}))

    assert told == ["key.deleted", "language.completed", "translation.updated"]
    assert [item["key"] for item in heard.items("key.deleted")] == ["b"]
    assert statuses(heard, "translation.updated") == [("a", "de", "approved", 3)]


def test_a_merge_tells_main_what_the_branch_changed(heard: Heard) -> None:
    kept = heard.hooked.key("kept", values={"en": "File", "de": "Datei"})
    gone = heard.hooked.key("gone", values={"en": "x"})
    heard.post("/branches", {"name": "spring"})()
    on = {"branch": "spring"}
    keys = f"{heard.path}/keys"
    heard.owner.patch(f"{keys}/{kept['id']}", json={"isPlural": True}, query=on)
    forms = {"value": {"one": "Datei", "other": "Dateien"}}
    heard.owner.put(f"{keys}/{kept['id']}/values/de", json=forms, query=on)
    heard.owner.delete(f"{keys}/{gone['id']}", query=on)
    heard.owner.post(keys, json={"key": "new", "values": {"en": "N"}}, query=on)

    told = heard.told_by(heard.post("/branches/spring/merge"))

    assert {*told} == {
        "branch.merged", "key.created", "key.deleted", "key.updated",
        "translation.updated",
    }  # fmt: skip
    places = {
        (item["key"], item["languageCode"], item["pluralForm"], item["status"])
        for item in heard.items("translation.updated")
    }
    assert places == {
        ("new", "en", None, "approved"),
        ("kept", "en", None, "untranslated"), ("kept", "en", "other", "approved"),
        ("kept", "de", None, "untranslated"), ("kept", "de", "other", "approved"),
        ("kept", "de", "one", "approved"),
    }  # fmt: skip


def test_texts_go_and_come_back_with_their_key(heard: Heard) -> None:
    key = heard.hooked.key("a", values={"en": "x", "de": "y"})
    one = f"{heard.path}/keys/{key['id']}"

    assert heard.told_by(lambda: heard.owner.delete(one)) == ["key.deleted"]
    assert heard.told_by(heard.post(f"/keys/{key['id']}/restore")) == ["key.restored"]


def test_a_glossary_tells_of_files_and_of_its_end(heard: Heard) -> None:
    body = {"name": "Terms", "sourceLanguage": "en"}
    glossary = heard.owner.post("/glossaries", json=body).data["glossary"]
    here = f"/glossaries/{glossary['id']}"
    heard.owner.put(f"{heard.path}{here}")
    file = Upload("terms.csv", b"term,de\npier,Anleger\n", "text/csv")

    told = heard.told_by(
        lambda: heard.owner.post(f"{here}/import", form={}, files={"file": file})
    )
    assert told == ["glossary.term.created", "glossary.translation.updated"]
    [item] = heard.items("glossary.term.created")
    german = f"{here}/terms/{item['termId']}/translations/de"
    clear = lambda: heard.owner.delete(german)  # noqa: E731
    assert heard.told_by(clear) == ["glossary.translation.updated"]
    assert heard.told_by(lambda: heard.owner.delete(here)) == ["glossary.detached"]


def test_what_changes_no_content_is_not_told(heard: Heard) -> None:
    make = heard.post("/distributions", {"name": "Web", "format": "json-nested"})
    heard.told_by(make)
    [item] = heard.items("distribution.published")
    one = f"/distributions/{item['distributionId']}"
    delete = lambda: heard.owner.delete(f"{heard.path}{one}")  # noqa: E731

    assert heard.told_by(heard.post(f"{one}/rotate-key"), delete) == []
