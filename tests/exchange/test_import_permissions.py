"""What an import may do: judged for who sent it, and again when the job writes."""

from typing import Any

Uploads = Any  # tests/exchange/conftest.py


def test_an_approver_who_imports_a_proposed_text_approves_it(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "a", values={"en": "A"})
    importer = uploads.workspace.client(
        "developer", permissions=["import_run", "translation_write"]
    )
    uploads.run(project, "de.json", {"a": "A de"}, client=importer)

    again = uploads.run(project, "de.json", {"a": "A de"}, client=importer)
    found = uploads.result(project, "de.json", {"a": "A de"})
    settled = uploads.result(project, "de.json", {"a": "A de"})

    assert uploads.counts(again["result"]) == (0, 0, 1, 0, 0)
    assert uploads.counts(found) == (0, 1, 0, 0, 1)
    assert uploads.counts(settled) == (0, 0, 1, 0, 0)
    assert found["conflicts"] == []
    [item] = uploads.items(project)
    assert item["values"][1]["status"] == "approved"


def test_replace_fails_when_a_language_of_others_came_meanwhile(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project()
    uploads.workspace.key(project, "a", values={"en": "A"})
    client = uploads.workspace.client("developer", languages=["en"])
    accepted = uploads.ask(
        project, "en.json", {"b": "B"}, client=client, mode="replace"
    )
    uploads.workspace.owner.post(
        f"/projects/{project['id']}/languages", json={"languageCode": "de"}
    )

    job = uploads.workspace.job_of(accepted)

    assert (job["status"], job["error"]["code"]) == ("failed", "language_not_assigned")
    assert list(uploads.values(project)) == ["a"]


def test_texts_for_keys_that_are_there_need_no_key_create(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "a", description="", values={"en": "A"})
    client = uploads.workspace.client(
        "developer", permissions=["import_run", "translation_write"]
    )

    job = uploads.run(project, "de.json", {"a": "A de"}, client=client, tags=["x"])

    assert job["status"] == "succeeded"
    assert uploads.values(project)["a"]["de"] == "A de"
    assert job["result"]["warnings"] == [
        "a: description and tags stay, as key_update is missing"
    ]


def test_a_dry_run_is_refused_what_the_import_would_be(uploads: Uploads) -> None:
    """Plurals are turned in all languages, and the importer has one."""
    project = uploads.workspace.project(languages=["de"])
    uploads.workspace.key(project, "n", values={"en": "file", "de": "Datei"})
    client = uploads.workspace.client("developer", languages=["de"])
    content = {"n": {"one": "Datei", "other": "Dateien"}}
    form = {"onConflict": "overwrite", "client": client}

    dry, wet = (
        uploads.run(project, "de.json", content, dryRun=dry, **form)
        for dry in (True, False)
    )

    assert (wet["status"], wet["error"]["code"]) == ("failed", "language_not_assigned")
    assert (dry["status"], dry["error"]) == (wet["status"], wet["error"])


def test_po_fills_no_source_for_one_who_may_not_write_it(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    client = uploads.workspace.client("developer", languages=["de"])
    content = uploads.po("de", 'msgctxt "key:pay"\nmsgid "Pay"\nmsgstr "Zahlen"\n')

    uploads.run(project, "de.po", content, client=client)

    assert uploads.values(project) == {"pay": {"de": "Zahlen"}}


def test_a_main_protected_meanwhile_takes_none_either(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    accepted = uploads.ask(project, "en.json", {"a": "A"})
    uploads.workspace.owner.patch(
        f"/projects/{project['id']}", json={"mainProtected": True}
    )

    job = uploads.workspace.job_of(accepted)

    assert (job["status"], job["error"]["code"]) == ("failed", "branch_protected")
    assert uploads.values(project) == {}
