"""The example app as its user starts it: a process, over HTTP."""

import json
import re
import stat
from base64 import b64decode
from urllib.request import Request, urlopen

import pytest

PRINTED = re.compile(
    r"base URL     (?P<base>http://127\.0\.0\.1:\d+/api/v1)\n"
    r"owner token  (?P<token>svc_pat_[0-9A-Za-z]{42})\n"
    r"manifest     (?P<manifest>\S+/manifest\.json)\n"
    r"docs         (?P<docs>\S+/docs)\n"
)
LANGUAGES = ["ar", "de", "en", "fr", "ja", "pl", "pt-BR"]


@pytest.fixture
def get(app):
    """Ask the API as the owner."""

    def ask(path):
        headers = {"Authorization": f"Bearer {app.demo['token']}"}
        url = f"{app.demo['baseUrl']}{path}"
        with urlopen(Request(url, headers=headers), timeout=10) as answer:
            return json.load(answer)["data"]

    return ask


def test_it_prints_what_demo_json_has_for_its_owner(app, get):
    printed = PRINTED.match(app.printed)
    key = app.data_dir / "webhooks.key"
    mine = get("/tokens/self")["token"]

    assert printed, app.printed
    assert printed["manifest"].startswith(f"{printed['base']}/content/")
    assert printed["docs"] == f"{printed['base']}/docs"
    assert list(app.demo) == [
        "baseUrl",
        "token",
        "translatorToken",
        "organizationId",
        "projectId",
        "distributionId",
        "publicKey",
    ]
    assert (app.demo["baseUrl"], app.demo["token"]) == (
        printed["base"],
        printed["token"],
    )
    assert app.demo["publicKey"] in printed["manifest"]
    assert mine["grants"][0]["organizationId"] == app.demo["organizationId"]
    assert "member_manage" in mine["effectivePermissions"]
    assert f"webhook key  {key} (keep it: " in app.printed
    assert len(b64decode(key.read_text())) == 32
    variables = app.demo_file.with_suffix(".env")
    assert f"\nMANIFEST='{printed['manifest']}'\n" in variables.read_text()
    for file in (app.demo_file, variables, key):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert list(app.data_dir.glob(f"{file.name}*")) == [file]


def test_the_project_shows_what_people_work_on(app, get):
    project = f"/projects/{app.demo['projectId']}"

    [waiting] = get(f"{project}/keys?status=pending_review&languageCode=fr")["items"]
    outdated = get(f"{project}/keys?isOutdated=true&languageCode=de")["items"]
    [branch] = get(f"{project}/branches")["items"]
    diff = get(f"{project}/branches/winter-timetable/diff")

    assert waiting["key"] == "common.tagline"
    assert [key["key"] for key in outdated] == ["search.submit"]
    assert (branch["name"], branch["status"]) == ("winter-timetable", "open")
    [conflict] = [change for change in diff["items"] if change["conflict"]]
    assert (conflict["languageCode"], conflict["main"]) == ("de", "Fahrpläne")


def test_the_manifest_publishes_every_language(app):
    url = PRINTED.match(app.printed)["manifest"]
    with urlopen(url, timeout=10) as answer:
        manifest = json.load(answer)

    with urlopen(manifest["files"][1]["url"], timeout=10) as answer:
        german = json.load(answer)

    directions = {one["code"]: one["direction"] for one in manifest["languageDetails"]}
    assert manifest["languages"] == LANGUAGES
    assert manifest["project"]["sourceLanguage"] == "en"
    assert directions["ar"] == "rtl"
    assert german["common"]["button"]["back"] == "Zurück"


def test_there_are_plurals_placeholders_tags_and_descriptions(app, get):
    keys = get(f"/projects/{app.demo['projectId']}/keys?limit=200&include=values")
    items = keys["items"]
    polish = {
        value["pluralForm"]
        for key in items
        for value in key["values"]
        if value["languageCode"] == "pl"
    }

    assert keys["total"] >= 60
    assert sum(key["isPlural"] for key in items) >= 5
    assert sum(bool(key["tags"]) for key in items) >= 30
    assert sum(bool(key["description"]) for key in items) >= 60
    assert any("{name}" in value["value"] for key in items for value in key["values"])
    assert {None, "one", "few", "many"} <= polish
    emails = [key for key in items if key["key"].startswith("emails.")]
    assert len(emails) >= 15
    for key in emails:  # from PO files, below their module
        codes = {value["languageCode"] for value in key["values"]}
        assert "email" in key["tags"]
        assert codes >= {"en", "de", "ar"}  # the Japanese file has gaps, as files do


def test_every_file_came_by_an_import_job(app, get):
    jobs = get(f"/projects/{app.demo['projectId']}/jobs?limit=200")["items"]

    done = [(job["type"], job["status"]) for job in jobs]
    assert done.count(("import", "succeeded")) == 13
    assert done.count(("release", "succeeded")) == 1
    assert [type_ for type_, _ in done].count("recheck") == 1  # for its glossary
    assert done.count(("tm_learn", "succeeded")) == 1  # for its memory
    assert done.count(("ai_translate", "succeeded")) == 2
    assert len(done) == 18


def test_a_dry_run_said_what_a_run_of_machine_translation_then_drafted(app, get):
    project = f"/projects/{app.demo['projectId']}"
    jobs = get(f"{project}/jobs?type=ai_translate")["items"]
    run, dry = (job["result"] for job in jobs)  # newest first
    drafts = get(f"{project}/keys?status=draft&languageCode=ja&limit=200")["items"]

    assert (dry["dryRun"], run["dryRun"]) == (True, False)
    assert dry["translated"] == run["translated"] == 11
    assert (dry["cost"], run["failed"], run["skipped"]) == ("0", 0, 0)
    assert run["languages"]["ja"]["provider"] == "pseudo"
    assert {key["id"] for key in drafts} == {item["keyId"] for item in run["items"]}


def test_the_memory_knows_the_project_and_what_files_brought(get):
    [memory] = get("/translation-memories")["items"]
    path = f"/translation-memories/{memory['id']}/entries?limit=200"
    entries = [*get(path)["items"], *get(f"{path}&page=2")["items"]]

    of_contexts = {entry["context"]: entry for entry in entries}
    assert memory["entryCount"] == len(entries) > 200
    assert '<ph x="1">{time}</ph>' in of_contexts["boarding.begins"]["sourceText"]
    assert len(of_contexts["tickets.dogs"]["translations"]) == 3
    [of_django] = [one for one in entries if one["sourceText"] == "Personal info"]
    said = {one["languageCode"]: one["value"] for one in of_django["translations"]}
    assert said["de"] == "Persönliche Informationen"
    assert sorted(said) == [code for code in LANGUAGES if code != "en"]


def test_a_check_has_found_what_a_text_that_waits_has_lost(app, get):
    project = f"/projects/{app.demo['projectId']}"

    [issue] = get(f"{project}/issues?severity=error")["items"]

    assert (issue["key"], issue["languageCode"]) == ("common.greeting", "de")
    assert issue["message"] == "the placeholder {name} is missing"
    waiting = get(
        f"{project}/keys?hasIssues=true&languageCode=de&status=pending_review"
    )
    assert [key["id"] for key in waiting["items"]] == [issue["keyId"]]
