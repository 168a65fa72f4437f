"""The table of event types: every operation tells just what it says (decisions 2.7)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs

from locframework.http.records import Upload

from .hearing import SCHEMAS, TYPES, Heard

FILE = Upload("en.json", b'{"a": "Pay", "new": "New"}', "application/json")


def test_keys_tell_that_they_are_made_changed_deleted_and_restored(
    heard: Heard,
) -> None:
    assert heard.told_by(heard.post("/keys", {"key": "a"})) == ["key.created"]
    [item] = heard.items("key.created")
    one = f"/keys/{item['keyId']}"
    assert item == {"keyId": item["keyId"], "key": "a"}

    rename = lambda: heard.owner.patch(heard.path + one, json={"key": "b"})  # noqa: E731
    assert heard.told_by(rename) == ["key.updated"]
    assert heard.items("key.updated") == [{**item, "key": "b", "previousKey": "a"}]

    delete = lambda: heard.owner.delete(heard.path + one)  # noqa: E731
    assert heard.told_by(delete) == ["key.deleted"]
    assert heard.told_by(heard.post(f"{one}/restore")) == ["key.restored"]


def test_many_keys_at_once_are_one_event_of_each_type(heard: Heard) -> None:
    keys = [{"key": f"k{n}", "values": {"en": "x", "de": "y"}} for n in range(5)]

    told = heard.told_by(heard.post("/keys/bulk", {"keys": keys}))

    assert told == ["key.created", "translation.updated"]
    assert len(heard.items("key.created")) == 5
    assert len(heard.items("translation.updated")) == 10


def test_texts_tell_of_writing_review_and_what_outdates_them(heard: Heard) -> None:
    key = heard.hooked.key("a", values={"en": "Pay", "de": "Zahlen"})
    value = f"/keys/{key['id']}/values/de"

    assert heard.told_by(heard.value(key, "de", "Bezahlen")) == ["translation.updated"]
    [item] = heard.items("translation.updated")
    assert item == {
        "keyId": key["id"],
        "key": "a",
        "languageCode": "de",
        "pluralForm": None,
        "status": "approved",
        "revision": 2,
    }
    proposal = heard.value(key, "de", "Los", heard.translator)
    assert heard.told_by(proposal) == ["translation.submitted"]
    assert heard.told_by(heard.post(f"{value}/approve")) == ["translation.approved"]
    assert heard.told_by(heard.value(key, "de", "Hm", heard.translator)) == [
        "translation.submitted"
    ]
    rejected = heard.told_by(heard.post(f"{value}/reject", {"reason": "no"}))
    assert rejected == ["translation.rejected"]
    assert heard.told_by(heard.value(key, "en", "Buy")) == [
        "translation.outdated",
        "translation.updated",
    ]
    assert [each["languageCode"] for each in heard.items("translation.outdated")] == [
        "de"
    ]
    reverted = heard.told_by(heard.post(f"{value}/revert", {"revision": 1}))
    assert reverted == ["translation.updated"]
    assert heard.told_by(heard.value(key, "de", "")) == ["translation.updated"]
    assert heard.items("translation.updated")[0]["status"] == "untranslated"


def test_turning_plurals_tells_of_every_text_that_it_moves_or_ends(
    heard: Heard,
) -> None:
    key = heard.hooked.key("a", values={"en": "File", "de": "Datei"})
    over = {"onExisting": "update"}

    def told(**fields: object) -> dict[tuple[str, str | None], tuple[str, int]]:
        write = heard.post("/keys/bulk", {"keys": [{"key": "a", **fields}], **over})
        assert heard.told_by(write) == ["key.updated", "translation.updated"]
        items = heard.items("translation.updated")
        places = [(item["languageCode"], item["pluralForm"]) for item in items]
        assert len(places) == len({*places})
        said = [(item["status"], item["revision"]) for item in items]
        return dict(zip(places, said, strict=True))

    assert told(isPlural=True) == {
        ("en", None): ("untranslated", 2), ("en", "other"): ("approved", 3),
        ("de", None): ("untranslated", 2), ("de", "other"): ("approved", 3),
    }  # fmt: skip
    heard.told_by(heard.value(key, "de", {"one": "Datei", "other": "Dateien"}))
    assert told(isPlural=False, values={"de": "Eine"}) == {
        ("en", "other"): ("untranslated", 4), ("en", None): ("approved", 5),
        ("de", "other"): ("untranslated", 5), ("de", None): ("approved", 7),
        ("de", "one"): ("untranslated", 4),
    }  # fmt: skip


def test_the_last_missing_text_of_a_language_completes_it_once(heard: Heard) -> None:
    key = heard.hooked.key("a")

    assert heard.told_by(heard.value(key, "de", "x")) == [
        "language.completed",
        "translation.updated",
    ]
    assert heard.items("language.completed")[0]["languageCode"] == "de"
    assert heard.told_by(heard.value(key, "de", "y")) == ["translation.updated"]


def test_languages_tell_that_they_come_change_and_go(heard: Heard) -> None:
    add = heard.post("/languages", {"languageCode": "nl"})
    nl = f"{heard.path}/languages/nl"

    assert heard.told_by(add) == ["language.added"]
    assert heard.told_by(lambda: heard.owner.patch(nl, json={"label": "x"})) == [
        "language.updated"
    ]
    assert heard.told_by(lambda: heard.owner.delete(nl)) == ["language.removed"]


def test_a_language_tells_that_what_it_fell_back_to_has_gone(heard: Heard) -> None:
    nl, fr = (f"{heard.path}/languages/{code}" for code in ("nl", "fr"))
    heard.told_by(heard.post("/languages", {"languageCode": "nl"}))
    fall_back = {"fallbackLanguageCode": "nl"}
    heard.told_by(lambda: heard.owner.patch(fr, json=fall_back))

    told = heard.told_by(lambda: heard.owner.delete(nl))

    assert sorted(told) == ["language.removed", "language.updated"]
    [item] = heard.items("language.updated")
    assert item["languageCode"] == "fr"
    assert item["fields"] == ["fallbackLanguageCode"]


def test_branches_tell_that_they_are_made_merged_and_closed(heard: Heard) -> None:
    make = heard.post("/branches", {"name": "spring"})
    assert heard.told_by(make) == ["branch.created"]

    write = heard.post("/keys?branch=spring", {"key": "a", "values": {"de": "x"}})
    on_branch = heard.told_by(write)
    assert "key.created" in on_branch
    assert {each.payload["data"]["branch"] for each in heard.received} == {"spring"}

    merged = heard.told_by(heard.post("/branches/spring/merge", {}))
    assert {"branch.merged", "key.created", "translation.updated"} <= set(merged)
    assert {each.payload["data"]["branch"] for each in heard.received} == {None}

    other = heard.post("/branches", {"name": "autumn"})
    close = lambda: heard.owner.delete(f"{heard.path}/branches/autumn")  # noqa: E731
    assert heard.told_by(other, close) == ["branch.closed", "branch.created"]


def test_an_import_tells_its_keys_texts_and_end(heard: Heard) -> None:
    heard.hooked.key("a", values={"en": "x"})
    heard.hooked.key("old", values={"en": "x"})
    send = lambda: heard.owner.post(  # noqa: E731
        f"{heard.path}/import",
        form={"format": "json-nested", "mode": "replace", "onConflict": "overwrite"},
        files={"file": FILE},
    )

    told = heard.told_by(send)

    assert told == [
        "import.completed",
        "key.created",
        "key.deleted",
        "translation.updated",
    ]
    assert [each["key"] for each in heard.items("key.deleted")] == ["old"]


def test_a_job_that_fails_or_is_cancelled_tells_so(heard: Heard) -> None:
    bad = Upload("en.json", b'{"a": {}', "application/json")
    form = {"format": "json-nested"}
    send = lambda file: heard.owner.post(  # noqa: E731
        f"{heard.path}/import", form=form, files={"file": file}
    )
    answer = send(bad)
    failed = heard.told_by(lambda: answer) if answer.status < 400 else ["job.failed"]
    accepted = send(FILE)
    path = f"/jobs/{accepted.data['job']['id']}/cancel"

    cancelled = heard.told_by(heard.post(path))

    assert failed == ["job.failed"]
    assert cancelled == ["job.cancelled"]
    assert heard.items("job.cancelled")[0]["type"] == "import"


def test_distributions_tell_what_becomes_of_them(heard: Heard) -> None:
    key = heard.hooked.key("a", values={"en": "x"})
    make = heard.post("/distributions", {"name": "Web", "format": "json-nested"})
    assert heard.told_by(make) == ["distribution.published"]
    [first] = heard.items("distribution.published")
    one = f"/distributions/{first['distributionId']}"

    heard.value(key, "en", "y")()
    again = heard.told_by(heard.post(f"{one}/releases", {}))
    assert again == ["distribution.published"]
    assert heard.items("distribution.published")[0]["version"] == 2
    back = heard.told_by(heard.post(f"{one}/rollback", {"version": 1}))
    assert back == ["distribution.rolled_back"]
    assert heard.told_by(heard.post(f"{one}/pause")) == ["distribution.paused"]
    assert heard.told_by(heard.post(f"{one}/resume")) == ["distribution.resumed"]


def test_a_release_of_a_paused_distribution_is_told_when_it_is_made(
    heard: Heard,
) -> None:
    key = heard.hooked.key("a", values={"en": "x"})
    heard.told_by(heard.post("/distributions", {"name": "Web", "format": "json-flat"}))
    [first] = heard.items("distribution.published")
    one = f"/distributions/{first['distributionId']}"
    made = heard.owner.get(f"{heard.path}{one}").data["distribution"]
    manifest = f"/content/{made['publicKey']}/manifest.json"
    heard.told_by(heard.post(f"{one}/pause"))
    heard.value(key, "en", "y")()

    told = heard.told_by(heard.post(f"{one}/releases", {}))
    hidden = heard.owner.get(manifest)
    resumed = heard.told_by(heard.post(f"{one}/resume"))

    assert told == ["distribution.published"]
    assert hidden.status == 404
    assert resumed == ["distribution.resumed"]
    assert heard.owner.get(manifest).json["release"]["version"] == 2


def test_a_glossary_tells_each_project_that_uses_it(heard: Heard) -> None:
    body = {"name": "Terms", "sourceLanguage": "en", "requiresApproval": True}
    glossary = heard.owner.post("/glossaries", json=body).data["glossary"]
    link = f"{heard.path}/glossaries/{glossary['id']}"
    here = f"/glossaries/{glossary['id']}"
    told = heard.told_by

    assert told(lambda: heard.owner.put(link)) == ["glossary.attached"]
    rename = lambda: heard.owner.patch(here, json={"name": "All terms"})  # noqa: E731
    assert told(rename) == ["glossary.updated"]
    assert heard.items("glossary.updated")[0]["fields"] == ["name"]
    assert told(rename) == []
    make = lambda: heard.owner.post(f"{here}/terms", json={"term": "Quay"})  # noqa: E731
    assert told(make) == ["glossary.term.created"]
    [item] = heard.items("glossary.term.created")
    term = f"{here}/terms/{item['termId']}"
    change = lambda: heard.owner.patch(term, json={"notes": "x"})  # noqa: E731
    assert told(change) == ["glossary.term.updated"]

    def put(client: Any, text: str) -> Callable[[], Any]:
        path = f"{term}/translations/de"
        return lambda: client.put(path, json={"value": text})

    def judge(verdict: str, **body: str) -> Callable[[], Any]:
        path = f"{term}/translations/de/{verdict}"
        return lambda: heard.owner.post(path, json=body)

    assert told(put(heard.owner, "Kai")) == ["glossary.translation.updated"]
    proposed = ["glossary.translation.proposed"]
    assert told(put(heard.translator, "Anleger")) == proposed
    assert told(judge("approve")) == ["glossary.translation.approved"]
    assert told(put(heard.translator, "Ufer")) == proposed
    assert told(judge("reject", reason="no")) == ["glossary.translation.rejected"]
    assert heard.items("glossary.translation.rejected") == [
        {**item, "languageCode": "de", "reason": "no"}
    ]
    assert told(lambda: heard.owner.delete(term)) == ["glossary.term.deleted"]
    assert told(lambda: heard.owner.delete(link)) == ["glossary.detached"]


def test_a_changed_project_and_a_switched_off_webhook_are_told(heard: Heard) -> None:
    change = lambda: heard.owner.patch(heard.path, json={"description": "x"})  # noqa: E731
    assert heard.told_by(change) == ["project.updated"]
    rename = lambda: heard.owner.patch(heard.path, json={"name": "New"})  # noqa: E731
    heard.told_by(rename)
    assert heard.items("project.updated")[0]["fields"] == ["name"]

    heard.hooked.create(
        eventTypes=["key.created"], url=f"{heard.hooked.receiver.url}/2"
    )
    gone = (410, {}, b"")
    heard.hooked.receiver.next_answer = lambda: (
        gone
        if heard.hooked.receiver.received[-1].path.endswith("/2")
        else (204, {}, b"")
    )
    assert heard.told_by(heard.post("/keys", {"key": "z"})) == [
        "key.created",
        "key.created",
        "webhook.disabled",
    ]
    assert heard.items("webhook.disabled")[0]["reason"] == "gone"


def test_every_type_is_one_that_an_operation_here_is_heard_to_tell() -> None:
    heard_here = {*re.findall(r'"([a-z_]+(?:\.[a-z_]+)+)"', Path(__file__).read_text())}

    assert {*TYPES} - heard_here == set()


def test_every_example_fits_its_schema() -> None:
    for type_ in TYPES.values():
        jsonschema_rs.validate(SCHEMAS[type_.type], type_.example)
