"""What imports do to a project, from the upload to the end of the job."""

import threading
import time

import pytest

from locframework.testing.client import Answer
from locframework.testing.contracts.storage_events import latest
from tests.databases import statements_of

from .conftest import Uploads


def test_a_file_is_imported_by_a_job(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])

    accepted = uploads.ask(project, "en.json", {"cart": {"pay": "Pay"}})

    assert accepted.status == 202
    assert accepted.headers["Retry-After"] == "2"
    job = accepted.data["job"]
    assert (job["type"], job["status"]) == ("import", "queued")
    assert uploads.values(project) == {}
    done = uploads.workspace.job_of(accepted)
    assert done["id"] == job["id"]
    assert (done["status"], done["error"]) == ("succeeded", None)
    assert done["progress"] == {"done": 1, "total": 1}
    assert done["result"] == {
        "dryRun": False,
        "keysCreated": 1,
        "keysUpdated": 0,
        "keysUnchanged": 0,
        "keysRemoved": 0,
        "valuesWritten": 1,
        "conflictCount": 0,
        "textsNotTaken": 0,
        "conflicts": [],
        "warnings": [],
        "files": [
            {
                "path": "en.json",
                "format": "json-nested",
                "languageCode": "en",
                "keys": 1,
                "texts": 1,
                "module": None,
            }
        ],
        "skipped": [],
        "removed": [],
        "renames": [],
    }
    assert uploads.values(project) == {"cart.pay": {"en": "Pay"}}


def test_the_same_file_twice_changes_nothing(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "en.json", {"a": "A", "n": {"one": "1", "other": "n"}})
    before = uploads.workspace.owner.get(f"/projects/{project['id']}/keys").data

    found = uploads.result(
        project, "en.json", {"a": "A", "n": {"one": "1", "other": "n"}}
    )

    assert uploads.counts(found) == (0, 0, 2, 0, 0)
    assert uploads.workspace.owner.get(f"/projects/{project['id']}/keys").data == before


def test_a_text_that_differs_is_kept_unless_told_otherwise(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "en.json", {"a": "A", "b": "B"})
    changed = {"a": "A!", "b": "B", "c": "C"}

    kept = uploads.result(project, "en.json", changed, onConflict="keep")
    text_kept = uploads.values(project)["a"]["en"]
    written = uploads.result(project, "en.json", changed, onConflict="overwrite")

    assert uploads.counts(kept) == (1, 0, 2, 0, 1)
    assert text_kept == "A"
    conflict = {
        "key": "a",
        "languageCode": "en",
        "pluralForm": None,
        "base": "A",
        "existing": "A",
        "imported": "A!",
        "kept": "existing",
    }
    assert kept["conflicts"] == [conflict]
    assert written["conflicts"] == [conflict | {"base": "A!", "kept": "imported"}]
    assert uploads.counts(written) == (0, 1, 2, 0, 1)
    assert uploads.values(project)["a"]["en"] == "A!"


def test_replace_keeps_a_plural_whose_forms_are_null(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "en.json", {"a": "A", "b": {"one": "B", "other": "Bs"}})
    file = {"a": "Ä", "b": {"one": None, "other": None}}

    found = uploads.result(project, "de.json", file, mode="replace")

    assert found["keysRemoved"] == 0
    assert found["warnings"] == [
        "nothing was removed: no file is in the source language"
    ]


def test_replace_stays_within_the_module(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    there = {"cart": {"pay": "Pay", "buy": "Buy"}, "carton": {"x": "X"}, "cart2": "2"}
    uploads.result(project, "en.json", there)

    found = uploads.result(
        project, "en.json", {"pay": "Pay"}, mode="replace", module="cart"
    )

    assert uploads.counts(found) == (0, 0, 1, 1, 0)
    assert list(uploads.values(project)) == ["cart.pay", "cart2", "carton.x"]
    assert uploads.event_types(project)[-2:] == ["key.deleted", "import.completed"]


def test_replace_keeps_what_only_a_language_names_that_is_left_out(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    there = {"cart": {"a": "A", "b": "B", "c": "C"}}
    uploads.result(project, "en.json", there)
    files = uploads.zipped({"en.json": {"a": "A", "b": "B"}, "de.json": {"b": "B!"}})

    found = uploads.result(
        project, "all.zip", files, mode="replace", languageCode="en", module="cart"
    )

    assert uploads.counts(found) == (0, 0, 2, 1, 0)
    assert uploads.values(project) == {"cart.a": {"en": "A"}, "cart.b": {"en": "B"}}


def test_a_file_without_keys_cannot_replace_everything(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "en.json", {"a": "A"})

    refused = uploads.ask(project, "en.json", {}, mode="replace")

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


@pytest.mark.parametrize("on_conflict", ["keep", "overwrite", "fail"])
def test_a_dry_run_tells_what_would_come_of_it(
    uploads: Uploads, on_conflict: str
) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "en.json", {"a": "A", "b": "B", "c": "C"})
    before, told = uploads.values(project), uploads.event_types(project)
    form = {"mode": "replace", "onConflict": on_conflict, "tags": ["new"]}
    content = {"a": "A!", "b": "B", "d": "D"}

    dry = uploads.run(project, "en.json", content, dryRun=True, **form)
    after_dry = uploads.values(project), uploads.event_types(project)
    wet = uploads.run(project, "en.json", content, **form)

    assert dry["status"] == wet["status"]
    if on_conflict == "fail":
        assert dry["error"] == wet["error"]
    else:
        assert after_dry == (before, told)
        assert dry["result"] == {**wet["result"], "dryRun": True}


def test_an_archive_brings_all_its_languages(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de", "pt-BR"])
    content = uploads.zipped(
        {
            "locales/en/app.json": {"a": "A"},
            "locales/de/app.json": {"a": "A de"},
            "locales/pt_BR/app.json": {"a": "A pt"},
            "README.md": b"read me",
        }
    )

    found = uploads.result(project, "texts.zip", content)

    assert uploads.counts(found) == (1, 0, 0, 0, 3)
    assert uploads.values(project) == {"a": {"en": "A", "de": "A de", "pt-BR": "A pt"}}
    assert found["warnings"] == ["README.md is not in a known format"]


def test_po_brings_sources_plurals_descriptions_and_reviews(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    content = uploads.po(
        "de",
        '#. The button\nmsgctxt "key:pay"\nmsgid "Pay"\nmsgstr "Zahlen"\n',
        '#, fuzzy\nmsgctxt "key:buy"\nmsgid "Buy"\nmsgstr "Kaufen"\n',
        'msgctxt "key:n"\nmsgid "one"\nmsgid_plural "%d"\n'
        'msgstr[0] "eins"\nmsgstr[1] "%d"\n',
    )

    uploads.result(project, "de.po", content)

    items = uploads.items(project)
    buy, n, pay = items
    assert pay["description"] == "The button"
    assert {v["languageCode"]: v["status"] for v in buy["values"]} == {
        "en": "approved",
        "de": "pending_review",
    }
    assert n["isPlural"] is True
    assert uploads.values(project) == {
        "pay": {"en": "Pay", "de": "Zahlen"},
        "buy": {"en": "Buy", "de": "Kaufen"},
        "n": {
            "en/one": "one",
            "en/other": "%d",
            "de/one": "eins",
            "de/other": "%d",
        },
    }


def test_what_po_says_of_the_source_changes_no_source(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "pay", values={"en": "Pay now"})
    content = uploads.po("de", 'msgctxt "key:pay"\nmsgid "Pay"\nmsgstr "Zahlen"\n')

    uploads.result(project, "de.po", content, onConflict="overwrite")

    assert uploads.values(project)["pay"] == {"en": "Pay now", "de": "Zahlen"}


def test_what_was_done_is_told_as_events(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "a", values={"en": "A"})
    told = len(uploads.event_types(project))

    job = uploads.run(project, "de.json", {"a": "A de", "b": "B de"}, tags=["x"])

    assert sorted(uploads.event_types(project)[told:]) == [
        "import.completed",
        "key.created",
        "key.updated",
        "language.completed",
        "translation.updated",
    ]
    store = uploads.workspace.framework.storage.events
    events = {each.type: each for each in latest(store, project["id"], 5)}
    assert list(events["import.completed"].items) == [{"jobId": job["id"]}]


def test_an_outdated_text_that_is_imported_again_is_outdated_no_more(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "a", values={"en": "A", "de": "A de"})
    uploads.result(project, "en.json", {"a": "A!"}, onConflict="overwrite")
    [item] = uploads.items(project)
    before = [v["isOutdated"] for v in item["values"]]

    found = uploads.result(project, "de.json", {"a": "A de"})
    settled = uploads.result(project, "de.json", {"a": "A de"})

    assert uploads.counts(found) == (0, 1, 0, 0, 1)
    assert uploads.counts(settled) == (0, 0, 1, 0, 0)
    [item] = uploads.items(project)
    assert before == [False, True]
    assert [v["isOutdated"] for v in item["values"]] == [False, False]
    assert "translation.outdated" in uploads.event_types(project)


def test_an_import_can_be_cancelled_while_it_writes(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = uploads.workspace
    project = workspace.project()
    answers: list[Answer] = []

    def cancel_from_another_thread(point: str) -> None:
        if point == "import.after_batch" and not cancelling.is_alive():
            cancelling.start()
            time.sleep(0.3)

    def cancel() -> None:
        path = f"/projects/{project['id']}/jobs/{job_id}/cancel"
        answers.append(workspace.owner.post(path))

    cancelling = threading.Thread(target=cancel)
    monkeypatch.setattr("locframework.exchange.import_job.KEYS_AT_ONCE", 1)
    monkeypatch.setattr(
        "locframework.exchange.import_job.crash_point", cancel_from_another_thread
    )
    accepted = uploads.ask(project, "en.json", {"a": "A", "b": "B", "c": "C"})
    job_id = accepted.data["job"]["id"]
    job = workspace.job_of(accepted)
    cancelling.join()

    assert job["status"] == "cancelled"
    assert answers[0].status == 200
    assert uploads.values(project) == {}


def test_checks_know_the_format_flags_of_the_file(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    owner, path = uploads.workspace.owner, f"/projects/{project['id']}"
    file = b"""msgid ""
msgstr "Language: de"

#, qt-format
msgid "%2 and :name"
msgstr "2 und :nom"
"""

    def shown() -> list[str]:
        items = owner.get(f"{path}/issues", query={"check": "placeholders"}).data
        return [item["message"] for item in items["items"]]

    uploads.result(project, "de.po", file)
    assert shown() == ["the placeholder %2 is missing"]

    uploads.result(project, "de.po", file.replace(b"qt-", b"no-qt-"))
    assert shown() == [
        "the placeholder :name is missing",
        "the placeholder :nom is not in the source text",
    ]
    [item] = uploads.items(project)
    place = f"{path}/keys/{item['id']}/values/de"
    owner.put(place, json={"value": "2 und :name"})
    assert shown() == []

    again = uploads.result(project, "de.po", file.replace(b"qt-", b"no-qt-"))
    assert uploads.counts(again) == (0, 0, 1, 0, 0)


@pytest.mark.parametrize("is_new", [True, False])
def test_format_flags_of_a_branch_come_to_main(
    uploads: Uploads, *, is_new: bool
) -> None:
    project = uploads.workspace.project(languages=["de"])
    owner, path = uploads.workspace.owner, f"/projects/{project['id']}"
    file = b'msgid ""\nmsgstr "Language: de"\n\n#, qt-format\nmsgid "%2"\nmsgstr "2"\n'
    if not is_new:
        uploads.result(project, "de.po", file.replace(b"#, qt-format\n", b""))
    assert owner.post(f"{path}/branches", json={"name": "spring"}).status == 201
    uploads.result(project, "de.po", file, branch="spring")

    assert owner.post(f"{path}/branches/spring/merge", json={}).status == 200

    found = owner.get(f"{path}/issues", query={"check": "placeholders"}).data["items"]
    assert [each["message"] for each in found] == ["the placeholder %2 is missing"]


def test_each_language_costs_one_statement_to_check(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de", "fr", "it", "pl"])
    files = {
        f"{code}/{name}.json": {"title": f"{name} {code}"}
        for code in ("en", "de", "fr", "it", "pl")
        for name in ("common", "errors")
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    costs = []
    for count in (6, 10):
        some = Uploads.zipped(dict(list(files.items())[:count]))
        with statements_of(uploads.workspace.framework.storage) as statements:
            assert uploads.ask(project, "all.zip", some).status == 202
        costs.append(len(statements))

    assert costs[1] - costs[0] == 2
