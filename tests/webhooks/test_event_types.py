"""Which events each operation sends, and that they match their schemas."""

import json
import re
from pathlib import Path

import jsonschema_rs

from locframework.http.records import Upload

from .conftest import GONE, OK, SCHEMAS, TYPES

UPDATED = ["translation.updated"]


def importing(events, texts, **form):
    """An import of a JSON file, of German texts unless told otherwise."""
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    fields = {"languageCode": "de", "format": "json-flat", **form}
    return events.act("post", "/import", form=fields, files={"file": file})


def statuses(events, type_):
    return sorted(
        (item["key"], item["languageCode"], item["status"], item["revision"])
        for item in events.items(type_)
    )


def test_keys_are_created_changed_deleted_and_restored(events):
    make = events.post("/keys", {"key": "a", "values": {"en": "x"}})
    assert events.after(make) == ["key.created", "translation.updated"]
    [item] = events.items("key.created")
    one = f"/keys/{item['keyId']}"
    assert item == {"keyId": item["keyId"], "key": "a"}

    assert events.after(events.patch(one, {"key": "b"})) == ["key.updated"]
    assert events.items("key.updated") == [{**item, "key": "b", "previousKey": "a"}]
    assert events.after(events.delete(one)) == ["key.deleted"]
    assert events.after(events.post(f"{one}/restore")) == ["key.restored"]


def test_a_batch_is_one_event_of_each_type(events):
    keys = [{"key": f"k{n}", "values": {"en": "x"}} for n in range(5)]
    items = [{"key": f"k{n}", "languageCode": "de", "value": "y"} for n in range(2)]
    proposals = {"items": [{**item, "value": "z"} for item in items]}

    assert events.after(events.post("/keys/bulk", {"keys": keys})) == [
        "key.created",
        "translation.updated",
    ]
    assert len(events.items("key.created")) == 5
    assert len(events.items("translation.updated")) == 5
    assert events.after(events.act("put", "/values", json={"items": items})) == UPDATED
    assert statuses(events, "translation.updated") == [
        ("k0", "de", "approved", 1),
        ("k1", "de", "approved", 1),
    ]
    propose = events.act("put", "/values", events.translator, json=proposals)
    assert events.after(propose) == ["translation.submitted"]


def test_texts_are_written_reviewed_and_outdated(events):
    key = events.hooked.key("a", values={"en": "Pay", "de": "Zahlen"})
    value = f"/keys/{key['id']}/values/de"
    submitted = ["translation.submitted"]

    assert events.after(events.value(key, "de", "Bezahlen")) == UPDATED
    [item] = events.items("translation.updated")
    assert item == {
        "keyId": key["id"],
        "key": "a",
        "languageCode": "de",
        "pluralForm": None,
        "status": "approved",
        "revision": 2,
    }
    assert events.after(events.value(key, "de", "Los", events.translator)) == submitted
    assert events.after(events.post(f"{value}/approve")) == ["translation.approved"]
    assert events.after(events.value(key, "de", "Hm", events.translator)) == submitted
    reject = events.post(f"{value}/reject", {"reason": "no"})
    assert events.after(reject) == ["translation.rejected"]
    assert events.after(events.value(key, "en", "Buy")) == [
        "translation.outdated",
        "translation.updated",
    ]
    [outdated] = events.items("translation.outdated")
    assert outdated["languageCode"] == "de"
    assert events.after(events.post(f"{value}/revert", {"revision": 1})) == UPDATED
    assert events.after(events.value(key, "de", "")) == UPDATED
    assert events.items("translation.updated")[0]["status"] == "untranslated"


def test_plurals_switched_on_and_off_change_every_text_they_move(events):
    key = events.hooked.key("a", values={"en": "File", "de": "Datei"})
    over = {"onExisting": "update"}

    def changed(**fields):
        write = events.post("/keys/bulk", {"keys": [{"key": "a", **fields}], **over})
        assert events.after(write) == ["key.updated", "translation.updated"]
        items = events.items("translation.updated")
        slots = [(item["languageCode"], item["pluralForm"]) for item in items]
        assert len(slots) == len({*slots})
        states = [(item["status"], item["revision"]) for item in items]
        return dict(zip(slots, states, strict=True))

    assert changed(isPlural=True) == {
        ("en", None): ("untranslated", 2), ("en", "other"): ("approved", 3),
        ("de", None): ("untranslated", 2), ("de", "other"): ("approved", 3),
    }  # fmt: skip
    events.after(events.value(key, "de", {"one": "Datei", "other": "Dateien"}))
    assert changed(isPlural=False, values={"de": "Eine"}) == {
        ("en", "other"): ("untranslated", 4), ("en", None): ("approved", 5),
        ("de", "other"): ("untranslated", 5), ("de", None): ("approved", 7),
        ("de", "one"): ("untranslated", 4),
    }  # fmt: skip


def test_languages_are_completed_once_and_added_changed_and_removed(events):
    key = events.hooked.key("a")

    assert events.after(events.value(key, "de", "x")) == [
        "language.completed",
        "translation.updated",
    ]
    assert events.items("language.completed")[0]["languageCode"] == "de"
    assert events.after(events.value(key, "de", "y")) == UPDATED

    add = events.post("/languages", {"languageCode": "nl"})
    assert events.after(add) == ["language.added"]
    fall_back = events.patch("/languages/fr", {"fallbackLanguageCode": "nl"})
    assert events.after(fall_back) == ["language.updated"]
    assert events.after(events.delete("/languages/nl")) == [
        "language.removed",
        "language.updated",  # of the language that fell back to it
    ]
    [item] = events.items("language.updated")
    assert (item["languageCode"], item["fields"]) == ("fr", ["fallbackLanguageCode"])


def test_branches_are_created_merged_and_closed(events):
    kept = events.hooked.key("kept", values={"en": "File", "de": "Datei"})
    gone = events.hooked.key("gone", values={"en": "x"})
    make = events.post("/branches", {"name": "spring"})
    assert events.after(make) == ["branch.created"]

    forms = {"value": {"one": "Datei", "other": "Dateien"}}
    on_branch = events.after(
        events.patch(f"/keys/{kept['id']}?branch=spring", {"isPlural": True}),
        events.act("put", f"/keys/{kept['id']}/values/de?branch=spring", json=forms),
        events.delete(f"/keys/{gone['id']}?branch=spring"),
        events.post("/keys?branch=spring", {"key": "new", "values": {"en": "N"}}),
    )
    assert "key.created" in on_branch
    assert events.branches() == {"spring"}

    merged = events.after(events.post("/branches/spring/merge"))
    assert {*merged} == {
        "branch.merged", "key.created", "key.deleted", "key.updated",
        "translation.updated",
    }  # fmt: skip
    assert events.branches() == {None}
    assert {
        (item["key"], item["languageCode"], item["pluralForm"], item["status"])
        for item in events.items("translation.updated")
    } == {
        ("new", "en", None, "approved"),
        ("kept", "en", None, "untranslated"), ("kept", "en", "other", "approved"),
        ("kept", "de", None, "untranslated"), ("kept", "de", "other", "approved"),
        ("kept", "de", "one", "approved"),
    }  # fmt: skip

    other = events.post("/branches", {"name": "autumn"})
    close = events.delete("/branches/autumn")
    assert events.after(other, close) == ["branch.closed", "branch.created"]


def test_an_import_and_its_undo(events):
    events.hooked.key("a", values={"en": "x", "de": "y", "fr": "z"})
    texts = {"a": "new", "b": "first"}
    overwrite = {"onConflict": "overwrite"}

    assert events.after(importing(events, texts, dryRun="true")) == []
    assert events.after(importing(events, texts, **overwrite)) == [
        "import.completed",
        "key.created",
        "translation.updated",
    ]
    assert statuses(events, "translation.updated") == [
        ("a", "de", "approved", 2),
        ("b", "de", "approved", 1),
    ]
    jobs = events.owner.get(f"{events.path}/jobs").data["items"]
    undo = events.post("/activity/revert", {"jobId": jobs[0]["id"]})
    assert events.after(undo) == [
        "key.deleted",
        "language.completed",
        "translation.updated",
    ]
    assert [item["key"] for item in events.items("key.deleted")] == ["b"]
    assert statuses(events, "translation.updated") == [("a", "de", "approved", 3)]

    events.hooked.key("old", values={"en": "x", "de": "y", "fr": "z"})
    source = {"languageCode": "en", "mode": "replace", **overwrite}
    assert events.after(importing(events, {"a": "x!"}, **source)) == [
        "import.completed",
        "key.deleted",
        "translation.outdated",
        "translation.updated",
    ]


def test_a_pre_translation(events):
    events.hooked.key("a", values={"en": "Pay now"})
    body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = events.owner.post("/translation-memories", json=body)
    memory = f"/translation-memories/{made.data['translationMemory']['id']}"
    events.owner.put(f"{events.path}{memory}", json={"writeMode": "none"})
    entry = {"sourceText": "Pay now", "translations": {"de": "Jetzt zahlen"}}
    events.owner.post(f"{memory}/entries", json=entry)

    types = events.after(events.post("/tm/prefill", {"languageCodes": ["de"]}))

    assert types == ["language.completed", "translation.updated"]
    assert statuses(events, "translation.updated") == [("a", "de", "draft", 1)]


def test_a_run_of_machine_translation(events):
    events.hooked.key("a", values={"en": "Pay now"})
    body = {"languageCodes": ["de"]}

    assert events.after(events.post("/ai/translate", body | {"dryRun": True})) == []
    assert events.after(events.post("/ai/translate", body)) == [
        "ai.completed",
        "language.completed",
        "translation.updated",
    ]


def test_jobs_that_fail_or_are_cancelled(events):
    events.hooked.key("a", values={"en": "x"})
    make = events.post(
        "/distributions",
        {"name": "Web", "format": "json-flat", "languageCodes": ["de"]},
    )
    assert events.after(make, events.delete("/languages/de"))[:1] == ["job.failed"]
    accepted = importing(events, {"a": "x"}, languageCode="fr")()
    cancel = events.post(f"/jobs/{accepted.data['job']['id']}/cancel")

    assert events.after(cancel) == ["job.cancelled"]
    assert events.items("job.cancelled")[0]["type"] == "import"


def test_distributions_are_published_rolled_back_paused_and_resumed(events):
    key = events.hooked.key("a", values={"en": "x"})
    make = events.post("/distributions", {"name": "Web", "format": "json-nested"})
    assert events.after(make) == ["distribution.published"]
    [first] = events.items("distribution.published")
    one = f"/distributions/{first['distributionId']}"
    publish = events.post(f"{one}/releases")
    pause, resume = events.post(f"{one}/pause"), events.post(f"{one}/resume")

    events.value(key, "en", "y")()
    assert events.after(publish) == ["distribution.published"]
    assert events.items("distribution.published")[0]["version"] == 2
    back = events.post(f"{one}/rollback", {"version": 1})
    assert events.after(back) == ["distribution.rolled_back"]
    assert events.after(pause) == ["distribution.paused"]
    events.value(key, "en", "z")()
    assert events.after(publish) == ["distribution.published"]  # although it is paused
    assert events.after(resume) == ["distribution.resumed"]
    assert events.after(events.post(f"{one}/rotate-key"), events.delete(one)) == []


def test_events_of_a_glossary_go_to_each_project_that_uses_it(events):
    body = {"name": "Terms", "sourceLanguage": "en", "requiresApproval": True}
    glossary = events.owner.post("/glossaries", json=body).data["glossary"]
    link, here = f"/glossaries/{glossary['id']}", f"//glossaries/{glossary['id']}"
    after = events.after

    assert after(events.act("put", link)) == ["glossary.attached"]
    rename = events.patch(here, {"name": "All terms"})
    assert after(rename) == ["glossary.updated"]
    assert events.items("glossary.updated")[0]["fields"] == ["name"]
    assert after(rename) == []
    make = events.post(f"{here}/terms", {"term": "Quay"})
    assert after(make) == ["glossary.term.created"]
    [item] = events.items("glossary.term.created")
    term = f"{here}/terms/{item['termId']}"
    assert after(events.patch(term, {"notes": "x"})) == ["glossary.term.updated"]

    german = f"{term}/translations/de"

    def put(client, text):
        return events.act("put", german, client, json={"value": text})

    assert after(put(events.owner, "Kai")) == ["glossary.translation.updated"]
    proposed = ["glossary.translation.proposed"]
    assert after(put(events.translator, "Anleger")) == proposed
    approve = events.post(f"{german}/approve")
    assert after(approve) == ["glossary.translation.approved"]
    assert after(put(events.translator, "Ufer")) == proposed
    reject = events.post(f"{german}/reject", {"reason": "no"})
    assert after(reject) == ["glossary.translation.rejected"]
    assert events.items("glossary.translation.rejected") == [
        {**item, "languageCode": "de", "reason": "no"}
    ]
    assert after(events.delete(german)) == ["glossary.translation.updated"]
    assert after(events.delete(term)) == ["glossary.term.deleted"]
    file = Upload("terms.csv", b"term,de\npier,Anleger\n", "text/csv")
    bring = events.act("post", f"{here}/import", form={}, files={"file": file})
    assert after(bring) == ["glossary.term.created", "glossary.translation.updated"]
    assert after(events.delete(link)) == ["glossary.detached"]
    assert after(events.act("put", link), events.delete(here)) == [
        "glossary.attached",
        "glossary.detached",
    ]


def test_a_project_is_changed_and_a_webhook_disabled(events):
    assert events.after(events.patch("", {"name": "New"})) == ["project.updated"]
    assert events.items("project.updated")[0]["fields"] == ["name"]

    receiver = events.hooked.receiver
    events.hooked.create(eventTypes=["key.created"], url=f"{receiver.url}/2")
    receiver.next_answer = lambda: (
        GONE if receiver.received[-1].path.endswith("/2") else OK
    )
    assert events.after(events.post("/keys", {"key": "z"})) == [
        "key.created",
        "key.created",
        "webhook.disabled",
    ]
    assert events.items("webhook.disabled")[0]["reason"] == "gone"


def test_every_type_is_tested_here():
    tested = {*re.findall(r'"([a-z_]+(?:\.[a-z_]+)+)"', Path(__file__).read_text())}

    assert {*TYPES} - tested == set()


def test_every_example_matches_its_schema():
    for type_ in TYPES.values():
        jsonschema_rs.validate(SCHEMAS[type_.type], type_.example)
