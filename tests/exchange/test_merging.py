"""Imports merge three ways: what the file brought last, the file, the project."""

import json
from hashlib import sha256
from typing import Any

import pytest

from locframework.http.records import Upload

from .conftest import Uploads


@pytest.fixture
def project(uploads: Uploads) -> dict[str, Any]:
    return uploads.workspace.project(languages=["de"])


def set_value(uploads: Uploads, project: Any, key: str, lang: str, text: str) -> None:
    path = f"/projects/{project['id']}/keys"
    owner = uploads.workspace.owner
    [found] = owner.get(path, query={"prefix": key}).data["items"]
    path = f"{path}/{found['id']}/values/{lang}"
    assert owner.put(path, json={"value": text}).status == 200


def both(en: dict[str, str], de: dict[str, str]) -> bytes:
    return Uploads.zipped({"en.json": en, "de.json": de})


@pytest.mark.parametrize(
    ("language", "of_file", "of_project", "text", "conflicts"),
    [
        ("de", "Sichern!", "Sichern", "Sichern!", 0),  # only the file changed
        ("de", "Sichern", "Speichern", "Speichern", 0),  # only the project changed
        ("de", "Sichern!", "Speichern", "Speichern", 1),  # both: the project wins
        ("de", "Speichern", "Speichern", "Speichern", 0),  # both, to the same text
        ("en", "Save!", "Store", "Save!", 1),  # both: the file wins in the source
    ],
)
def test_the_side_that_changed_since_the_last_import_wins(
    uploads: Uploads,
    project: dict[str, Any],
    language: str,
    of_file: str,
    of_project: str,
    text: str,
    conflicts: int,
) -> None:
    first = {"en": "Save", "de": "Sichern"}
    uploads.result(project, "all.zip", both({"a": first["en"]}, {"a": first["de"]}))
    if of_project != first[language]:
        set_value(uploads, project, "a", language, of_project)
    texts = first | {language: of_file}

    found = uploads.result(
        project, "all.zip", both({"a": texts["en"]}, {"a": texts["de"]})
    )

    assert uploads.values(project)["a"][language] == text
    assert found["conflictCount"] == conflicts
    for each in found["conflicts"]:
        kept = "imported" if language == "en" else "existing"
        assert each == {
            "key": "a",
            "languageCode": language,
            "pluralForm": None,
            "base": first[language],
            "existing": of_project,
            "imported": of_file,
            "kept": kept,
        }
    assert found["textsNotTaken"] == (conflicts if language == "de" else 0)


def test_without_a_base_the_project_keeps_a_translation_that_differs(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.workspace.key(project, "a", values={"en": "Save", "de": "Speichern"})

    found = uploads.result(project, "all.zip", both({"a": "Save!"}, {"a": "Sichern"}))

    assert uploads.values(project)["a"] == {"en": "Save!", "de": "Speichern"}
    assert [each["base"] for each in found["conflicts"]] == [None, None]


def test_an_import_after_a_conflict_does_not_list_it_again(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "Save"}, {"a": "Sichern"}))
    set_value(uploads, project, "a", "de", "Speichern")
    changed = both({"a": "Save"}, {"a": "Sichern!"})

    first = uploads.result(project, "all.zip", changed)
    second = uploads.result(project, "all.zip", changed)

    assert (first["conflictCount"], second["conflictCount"]) == (1, 0)
    assert uploads.values(project)["a"]["de"] == "Speichern"


def test_a_file_that_did_not_change_leaves_an_outdated_text_outdated(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "Save"}, {"a": "Sichern"}))
    changed = both({"a": "Save it"}, {"a": "Sichern"})

    counts = [uploads.counts(uploads.result(project, "all.zip", changed))[1:3]]
    counts.append(uploads.counts(uploads.result(project, "all.zip", changed))[1:3])

    [item] = uploads.items(project)
    assert [v["isOutdated"] for v in item["values"]] == [False, True]
    assert counts == [(1, 0), (0, 1)]


def test_resolutions_decide_single_texts(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    texts = {"a": "A", "b": "B"}
    uploads.result(project, "all.zip", both(texts, texts))
    for key in texts:
        set_value(uploads, project, key, "de", f"{key} of the project")
    changed = both(texts, {"a": "A!", "b": "B!"})
    dry = uploads.result(project, "all.zip", changed, dryRun="true")
    resolution = {"key": "b", "languageCode": "de", "use": "imported"}

    found = uploads.result(
        project, "all.zip", changed, resolutions=json.dumps([resolution])
    )

    assert [each["kept"] for each in dry["conflicts"]] == ["existing", "existing"]
    assert [each["kept"] for each in found["conflicts"]] == ["existing", "imported"]
    assert uploads.values(project)["b"]["de"] == "B!"


def test_what_the_client_saw_last_is_the_base_where_it_says_so(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "A"}, {"a": "old"}))
    set_value(uploads, project, "a", "de", "new")
    seen = {"de.json": {"a": {"": sha256(b"new").hexdigest()}}}
    files = {
        "file": Upload("all.zip", both({"a": "A"}, {"a": "newest"}), "application/zip"),
        "seen": Upload("seen.json", json.dumps(seen).encode(), "application/json"),
    }
    path = f"/projects/{project['id']}/import"

    job = uploads.workspace.job_of(uploads.workspace.owner.post(path, files=files))

    assert job["result"]["conflicts"] == []
    assert uploads.values(project)["a"]["de"] == "newest"


def test_a_conflict_shows_what_the_client_saw_last_from_the_history(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "A"}, {"a": "old"}))
    for text in ("new", "newer"):
        set_value(uploads, project, "a", "de", text)
    seen = {"de.json": {"a": {"": sha256(b"new").hexdigest()}}}
    files = {
        "file": Upload("all.zip", both({"a": "A"}, {"a": "newest"}), "application/zip"),
        "seen": Upload("seen.json", json.dumps(seen).encode(), "application/json"),
    }
    path = f"/projects/{project['id']}/import"

    job = uploads.workspace.job_of(uploads.workspace.owner.post(path, files=files))

    [conflict] = job["result"]["conflicts"]
    assert (conflict["base"], conflict["existing"]) == ("new", "newer")


@pytest.mark.parametrize("part", ["resolutions", "seen"])
def test_decisions_that_are_no_json_are_refused(
    uploads: Uploads, project: dict[str, Any], part: str
) -> None:
    files = {"file": Upload("de.json", b"{}", "application/json")}
    form = {}
    if part == "seen":
        files["seen"] = Upload("seen.json", b"[1]", "application/json")
    else:
        form[part] = '[{"key": "a"}]'
    path = f"/projects/{project['id']}/import"

    refused = uploads.workspace.owner.post(path, form=form, files=files)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"].startswith(f"form.{part}")


def test_all_conflicts_of_an_import_are_listed_in_pages(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    texts = {f"key{number:03}": "x" for number in range(150)}
    uploads.result(project, "de.json", texts)
    for number in range(150):
        texts[f"key{number:03}"] = "y"
    other = uploads.workspace.project(languages=["de"])
    uploads.result(other, "de.json", dict.fromkeys(texts, "z"))
    workspace = uploads.workspace

    job = uploads.run(project, "de.json", texts, onConflict="keep")
    path = f"/projects/{project['id']}/jobs/{job['id']}/conflicts"
    page = workspace.owner.get(path, query={"page": "2", "limit": "100"}).data

    assert (job["result"]["conflictCount"], len(job["result"]["conflicts"])) == (
        150,
        100,
    )
    assert (page["total"], len(page["items"])) == (150, 50)
    assert page["items"][-1]["key"] == "key149"
    viewer = workspace.client("viewer")
    assert viewer.get(path).status == 404
    foreign = f"/projects/{other['id']}/jobs/{job['id']}/conflicts"
    assert workspace.owner.get(foreign).status == 404


def test_replace_removes_by_files_of_the_source_language_alone(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "A", "b": "B"}, {"a": "a", "b": "b"}))

    by_german = uploads.result(project, "de.json", {"a": "a"}, mode="replace")
    dry = uploads.result(project, "en.json", {"a": "A"}, mode="replace", dryRun="true")
    by_english = uploads.result(project, "en.json", {"a": "A"}, mode="replace")

    assert by_german["removed"] == []
    assert by_german["warnings"] == [
        "nothing was removed: no file is in the source language"
    ]
    assert dry["removed"] == by_english["removed"] == ["b"]
    assert list(uploads.values(project)) == ["a"]


def test_replace_leaves_what_no_file_of_the_source_language_ever_had(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    german = {"@metadata": {"authors": ["Ann", "Ben"]}, "a": "a", "b": "b"}
    files = both({"a": "A", "b": "B"}, german)

    first = uploads.result(project, "all.zip", files, mode="replace")
    again = uploads.result(project, "all.zip", files, mode="replace")
    alone = uploads.result(project, "en.json", {"a": "A"}, mode="replace")
    german["@metadata"]["authors"].append("Cid")
    last = uploads.result(project, "all.zip", both({"a": "A"}, german), mode="replace")

    assert (first["keysCreated"], again["keysRemoved"]) == (4, 0)
    assert (alone["removed"], last["removed"]) == (["b"], [])
    assert sorted(text["de"] for text in uploads.values(project).values()) == [
        "Ann",
        "Ben",
        "Cid",
        "a",
    ]


@pytest.mark.parametrize("carry", [False, True])
def test_a_renamed_key_is_listed_and_may_keep_its_translations(
    uploads: Uploads, project: dict[str, Any], *, carry: bool
) -> None:
    english = {"old": "Save as", "twice1": "Same", "twice2": "Same", "b": "B"}
    uploads.result(project, "all.zip", both(english, dict.fromkeys(english, "de")))
    renamed = {"new": "Save as", "once": "Same", "b": "B"}
    form = {"mode": "replace", "renames": "carry" if carry else "list"}

    dry = uploads.result(project, "en.json", renamed, dryRun="true", **form)
    found = uploads.result(project, "en.json", renamed, **form)

    pair = [{"old": "old", "new": "new"}]
    assert (dry["renames"], found["renames"]) == (pair, pair)
    assert dry["removed"] == found["removed"]
    assert dry["keysRemoved"] == found["keysRemoved"] == (2 if carry else 3)
    assert dry["keysCreated"] == found["keysCreated"] == (1 if carry else 2)
    assert uploads.values(project)["new"].get("de") == ("de" if carry else None)


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_a_translation_that_its_file_lost_is_exported_again(
    uploads: Uploads, project: dict[str, Any], mode: str
) -> None:
    english = {"a": "A", "b": "B"}
    files = both(english, {"a": "x", "b": "y"})
    uploads.result(project, "all.zip", files)

    found = uploads.result(project, "all.zip", both(english, {"a": "x"}), mode=mode)

    assert (found["keysUnchanged"], found["keysRemoved"]) == (2, 0)
    assert json.loads(uploads.exported(project)["de.json"]) == {"a": "x", "b": "y"}


@pytest.mark.parametrize("carry", [False, True])
def test_a_key_that_moves_to_another_module_is_renamed_if_files_replace(
    uploads: Uploads, project: dict[str, Any], *, carry: bool
) -> None:
    files = {
        f"{code}/{name}.json": {"title": f"{name} {code}"}
        for code in ("en", "de")
        for name in ("common", "errors")
    }
    moved = {path: {**texts} for path, texts in files.items()}
    for code in ("en", "de"):
        files[f"{code}/common.json"]["b"] = moved[f"{code}/errors.json"]["b"] = code
    uploads.result(project, "all.zip", Uploads.zipped(files))
    form = {"mode": "replace", "renames": "carry"} if carry else {}

    uploads.result(project, "all.zip", Uploads.zipped(moved), **form)

    values = uploads.values(project)
    assert values["errors.b"] == {"en": "en", "de": "de"}
    assert ("common.b" in values) is not carry
    common = json.loads(uploads.exported(project)["de/common.json"])
    assert ("b" in common) is not carry


def test_imports_that_are_queued_together_keep_the_files_of_each(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    files = {"one.de.json": {"b": "B", "a": "A"}, "two.de.json": {"d": "D", "c": "C"}}

    asked = [uploads.ask(project, name, texts) for name, texts in files.items()]
    for each in asked:
        assert uploads.workspace.job_of(each)["status"] == "succeeded"

    found = uploads.exported(project, languageCodes="de")
    assert {name: json.loads(content) for name, content in found.items()} == files


def test_an_import_that_is_refused_adds_no_language(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "de.json", {"a": "A"})
    archive = Uploads.zipped({"de.json": {"a": "B"}, "it.json": {"a": "A"}})

    job = uploads.run(
        project, "all.zip", archive, onConflict="fail", addLanguages="true"
    )

    assert job["error"]["code"] == "import_conflict"
    path = f"/projects/{project['id']}/languages"
    items = uploads.workspace.owner.get(path).data["items"]
    assert [each["languageCode"] for each in items] == ["en", "de"]


def test_imports_that_are_queued_together_are_merged_in_turn(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"a": "A"}, {"a": "D0"}))

    asked = [uploads.ask(project, "de.json", {"a": text}) for text in ("D1", "D2")]
    results = [uploads.workspace.job_of(each)["result"] for each in asked]

    assert [each["conflictCount"] for each in results] == [0, 0]
    assert uploads.values(project)["a"]["de"] == "D2"


def test_a_refused_import_renames_nothing(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"old": "Text"}, {"old": "Alt"}))
    set_value(uploads, project, "old", "de", "Neu")
    form = {"mode": "replace", "renames": "carry", "onConflict": "fail"}

    job = uploads.run(project, "all.zip", both({"new": "Text"}, {"new": "X"}), **form)

    assert job["error"]["code"] == "import_conflict"
    assert list(uploads.values(project)) == ["old"]


def test_a_renamed_key_is_merged_with_what_its_old_name_had(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.result(project, "all.zip", both({"old": "Text"}, {"old": "Alt"}))
    renamed = both({"new": "Text"}, {"new": "Neu"})
    form = {"mode": "replace", "renames": "carry"}

    dry = uploads.result(project, "all.zip", renamed, dryRun="true", **form)
    found = uploads.result(project, "all.zip", renamed, **form)

    assert found == dry | {"dryRun": False}
    assert (found["conflictCount"], found["keysUpdated"]) == (0, 1)
    assert uploads.values(project) == {"new": {"en": "Text", "de": "Neu"}}


def test_a_key_that_one_file_still_has_is_renamed_and_merged_like_others(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    texts = {"en.json": "Text", "de.json": "Alt", "fr.json": "F"}
    old = {path: {"old": text} for path, text in texts.items()}
    uploads.result(project, "all.zip", Uploads.zipped(old))
    new = old | {"en.json": {"new": "Text"}, "de.json": {"new": "Neu"}}
    form = {"mode": "replace", "renames": "carry"}

    found = uploads.result(project, "all.zip", Uploads.zipped(new), **form)

    assert found["conflictCount"] == 0
    assert uploads.values(project) == {"new": {"en": "Text", "de": "Neu", "fr": "F"}}


def test_what_was_seen_of_a_file_that_does_not_come_is_refused(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    files = {
        "file": Upload("de.json", b'{"a": "A"}', "application/json"),
        "seen": Upload("seen.json", b'{"./de.json": {}}', "application/json"),
    }
    path = f"/projects/{project['id']}/import"

    refused = uploads.workspace.owner.post(path, files=files)

    assert refused.error["details"][0]["path"] == "form.seen"
    assert "./de.json" in refused.error["message"]


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_what_the_source_file_lost_does_not_come_back_from_other_files(uploads, mode):
    project = uploads.workspace.project(languages=["de"])
    english, german = ({n: f"{n} {c}" for n in "abc"} for c in ("en", "de"))
    uploads.result(project, "all.zip", both(english, german))
    english = {"a": "a en", "new": "c en"}  # b was deleted, c was renamed
    form = {"mode": "replace", "renames": "carry"}
    if mode == "merge":  # after the file of the source language came alone
        uploads.result(project, "en.json", english, **form)
        form = {}

    found = uploads.result(project, "all.zip", both(english, german), **form)

    assert uploads.values(project) == {
        "a": {"en": "a en", "de": "a de"},
        "new": {"en": "c en", "de": "c de"},
    }
    [warning] = found["warnings"]
    assert warning.startswith("2 keys, first b, left out: the project or source files")
    again = uploads.result(project, "all.zip", both(english, german), **form)
    assert again["keysCreated"] == again["keysRemoved"] == 0
