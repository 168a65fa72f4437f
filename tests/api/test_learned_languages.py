"""Which languages memories learn, and what becomes of those that come and go."""

import pytest

from locframework.errors import Unavailable
from locframework.http.records import Upload

from .teaching import Shop


@pytest.fixture
def shop(sqlite_workspace):
    made = Shop(sqlite_workspace)
    made.assign()
    return made


def test_a_language_that_leaves_the_project_is_forgotten(shop):
    shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.owner.delete(f"{shop.path}/languages/de")
    shop.workspace.run_jobs()

    assert shop.learned() == {"Pay | pay": {"pl": "Zaplac"}}


@pytest.mark.parametrize("project_first", [False, True])
def test_what_was_learned_in_one_language_alone_goes_with_it(workspace, project_first):
    shop = Shop(workspace)
    shop.assign()
    shop.key("only", en="Only german", de="Nur")
    shop.key("both", en="Both", de="Beide", pl="Oba")
    shop.owner.post(f"{shop.memory}/entries", json={"sourceText": "By hand"})
    paths = [f"{shop.memory}/languages/de", f"{shop.path}/languages/de"]

    for path in reversed(paths) if project_first else paths:
        assert shop.owner.delete(path).status == 200
    at_once = shop.learned()
    workspace.run_jobs()

    assert at_once == {"Both | both": {"pl": "Oba"}, "By hand | ": {}}
    assert shop.learned() == at_once
    memory = shop.owner.get(shop.memory).data["translationMemory"]
    assert memory["entryCount"] == 2
    found = shop.owner.post(f"{shop.path}/tm/search", json={"query": "german"})
    assert found.data["total"] == 0


def test_a_language_that_comes_back_to_a_memory_is_learned_again(shop):
    shop.key(en="Only german", de="Nur")
    shop.owner.delete(f"{shop.memory}/languages/de")

    shop.owner.post(f"{shop.memory}/languages", json={"languageCode": "de"})
    shop.workspace.run_jobs()

    assert shop.learned() == {"Only german | pay": {"de": "Nur"}}


def test_a_language_that_an_import_brings_back_is_learned_again(shop):
    shop.key(en="Pay", de="Zahlen", pl="Kup")
    shop.owner.delete(f"{shop.memory}/languages/pl")
    file = Upload("more.csv", b"en,pl\nOther,Inne\n", "text/csv")

    sent = shop.owner.post(f"{shop.memory}/import", files={"file": file})
    job = shop.workspace.job_of(sent)

    assert job["result"]["languagesAdded"] == ["pl"]
    assert shop.learned() == {
        "Pay | pay": {"de": "Zahlen", "pl": "Kup"},
        "Other | ": {"pl": "Inne"},
    }


def test_a_language_that_was_taken_from_a_memory_stays_away(shop):
    shop.key(en="Pay", de="Zahlen", pl="Kup")
    shop.owner.delete(f"{shop.memory}/languages/pl")

    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "sv"})
    shop.owner.delete(f"{shop.path}/languages/sv")
    shop.assign(writeMode="all")

    found = shop.owner.get(f"{shop.memory}/languages").data["items"]
    assert {each["languageCode"] for each in found} == {"de", "sv"}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}

    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "en-GB"})
    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "en-GB"})
    assert moved.status == 200
    shop.workspace.run_jobs()
    assert shop.learned() == {}  # it says nothing in British English
    assert "pl" not in str(shop.owner.get(f"{shop.memory}/languages").data)


def test_a_language_that_another_project_brings_back_is_learned_of_all(workspace):
    mine, other = Shop(workspace), Shop(workspace)
    other.memory = mine.memory
    mine.assign()
    mine.key(en="Pay", de="Zahlen", pl="Kup")
    mine.owner.delete(f"{mine.memory}/languages/pl")

    other.assign()

    assert mine.learned() == {"Pay | pay": {"de": "Zahlen", "pl": "Kup"}}

    other.owner.delete(f"{other.path}/languages/pl")
    mine.owner.delete(f"{mine.memory}/languages/pl")
    other.owner.post(f"{other.path}/languages", json={"languageCode": "pl"})
    workspace.run_jobs()
    assert mine.learned() == {"Pay | pay": {"de": "Zahlen", "pl": "Kup"}}


def test_the_source_language_stays_while_memories_of_it_are_assigned(workspace):
    shop = Shop(workspace)
    shop.assign()
    shop.key(en="Pay", de="Zahlen")

    refused = shop.owner.patch(shop.path, json={"sourceLanguage": "de", "name": "x"})
    kept = shop.owner.get(shop.path).data["project"]
    shop.owner.delete(f"{shop.path}{shop.memory}")
    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "de"})

    assert (refused.status, refused.error["code"]) == (409, "memories_assigned")
    assert shop.memory.rpartition("/")[2] in refused.error["message"]
    assert (kept["sourceLanguage"], kept["name"]) == ("en", shop.project["name"])
    assert moved.data["project"]["sourceLanguage"] == "de"
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_memory_that_is_only_read_holds_the_source_language_too(shop):
    shop.assign(writeMode="none")

    refused = shop.owner.patch(shop.path, json={"sourceLanguage": "de"})

    assert refused.error["code"] == "memories_assigned"


def test_a_source_language_of_another_region_is_followed(shop):
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "en-GB"})
    shop.key(**{"en": "Color", "en-GB": "Colour", "de": "Farbe"})

    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "en-GB"})
    shop.workspace.run_jobs()

    assert moved.status == 200
    assert shop.learned() == {"Colour | pay": {"de": "Farbe"}}


def test_a_language_comes_to_a_memory_only_with_the_job_that_learns_it(
    shop, monkeypatch
):
    shop.key(en="Only german", de="Nur")
    shop.owner.delete(f"{shop.memory}/languages/de")
    path, body = f"{shop.memory}/languages", {"languageCode": "de"}

    with monkeypatch.context() as busy:
        busy.setattr(shop.workspace.framework.jobs, "start", _cannot)
        refused = shop.owner.post(path, json=body)
    again = shop.owner.post(path, json=body)
    shop.workspace.run_jobs()

    assert (refused.status, again.status) == (503, 201)
    assert shop.learned() == {"Only german | pay": {"de": "Nur"}}


@pytest.mark.parametrize("way", ["assigned", "added"])
def test_a_language_that_another_project_brings_comes_only_with_the_jobs_of_all(
    workspace, monkeypatch, way
):
    mine, other = Shop(workspace), Shop(workspace)
    other.memory = mine.memory
    mine.assign()
    if way == "added":
        other.assign()
        other.owner.delete(f"{other.path}/languages/pl")
    mine.key(en="Pay", pl="Kup")
    mine.owner.delete(f"{mine.memory}/languages/pl")
    workspace.run_jobs()

    jobs = workspace.framework.jobs
    start = jobs.start

    def start_no_job_of_mine(caller, project, *job):
        if project.id == mine.project["id"]:
            _cannot()
        return start(caller, project, *job)

    def bring():
        if way == "assigned":
            return other.owner.put(f"{other.path}{other.memory}", json={}).status
        body = {"languageCode": "pl"}
        return other.owner.post(f"{other.path}/languages", json=body).status

    with monkeypatch.context() as busy:
        busy.setattr(jobs, "start", start_no_job_of_mine)
        refused = bring()
    again = bring()
    workspace.run_jobs()

    assert (refused, again) == (503, 200 if way == "assigned" else 201)
    assert mine.learned() == {"Pay | pay": {"pl": "Kup"}}


def _cannot(*_):
    raise Unavailable("the database is busy")
