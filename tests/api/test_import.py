"""POST /projects/{projectId}/import: what it answers and refuses, at once."""

import io
import json
import random
import time
import zipfile

import pytest

from locframework.http.records import Upload


def ask(client, project, name, content, **form):
    """Upload a file; content that is not bytes becomes JSON."""
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    files = {"file": Upload(name, sent, "application/octet-stream")}
    path = f"/projects/{project['id']}/import"
    return client.post(path, form=form, files=files)


def refusal(answer):
    return answer.status, answer.error["code"]


@pytest.mark.parametrize(
    ("name", "content", "form", "code"),
    [
        ("en.json", b'{"a": ', {}, "unreadable_file"),
        ("en.po", b'msgid "x\n', {}, "unreadable_file"),
        ("en.zip", b"PK\x03\x04 no archive", {}, "unreadable_file"),
        ("en.xyz", b"?", {}, "unknown_format"),
        ("en.json", {"a": "A"}, {"format": "xliff"}, "unknown_format"),
        ("en.json", {"a" * 300: "A"}, {"module": "m" * 300}, "invalid_key"),
        ("en.json", {"a": "A"}, {"module": "a b"}, "invalid_key"),
        ("en.json", {"a": "A"}, {"module": "a.b"}, "invalid_key"),
        ("fr.json", {"a": "A"}, {}, "language_not_in_project"),
        ("en.json", {"a": "A"}, {"languageCode": "fr"}, "language_not_in_project"),
        ("en.json", {"a": "A"}, {"languageCode": "!"}, "validation_failed"),
        ("app.json", {"a": "A"}, {}, "validation_failed"),
        ("en.json", {"a": "A"}, {"mode": "merge?"}, "validation_failed"),
        ("en.json", {"a": "A"}, {"tags": ["x"] * 21}, "validation_failed"),
        ("en.json", {"a": "A"}, {"tags": [" "]}, "validation_failed"),
        ("en.json", {"a": "A"}, {"tags": "a,,b"}, "validation_failed"),
        ("en.json", {"a": "A"}, {"tags": "x" * 51}, "validation_failed"),
        (
            "en.json",
            {"a": "A"},
            {"tags": ",".join(f"t{number}" for number in range(21))},
            "validation_failed",
        ),
    ],
)
def test_a_wrong_request_is_refused_at_once(
    sqlite_workspace, name, content, form, code
):
    project = sqlite_workspace.project()

    refused = ask(sqlite_workspace.owner, project, name, content, **form)

    assert refusal(refused) == (400, code)
    jobs = sqlite_workspace.owner.get(f"/projects/{project['id']}/jobs").data
    assert jobs["total"] == 0


def test_every_fault_is_told_with_its_line(sqlite_workspace):
    project = sqlite_workspace.project()
    content = json.dumps({"a" * 300: "x", "ok": "y", "b" * 300: "z"}, indent=2)
    module = "m" * 300

    owner = sqlite_workspace.owner
    refused = ask(owner, project, "en.json", content.encode(), module=module)

    details = refused.error["details"]
    assert [(each["path"], each["rule"]) for each in details] == [
        ("line 2", "key"),
        ("line 4", "key"),
    ]


def test_every_fault_in_an_archive_is_told_with_its_file(sqlite_workspace):
    project = sqlite_workspace.project(languages=["de"])
    unreadable, wrong = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(unreadable, "w") as archive:
        archive.writestr("de.po", 'msgid "x\n')
    with zipfile.ZipFile(wrong, "w") as archive:
        archive.writestr("de.json", '{"ok": "y",\n"' + "a" * 300 + '": "x"}')

    first = ask(sqlite_workspace.owner, project, "all.zip", unreadable.getvalue())
    module = "m" * 300
    owner = sqlite_workspace.owner
    second = ask(owner, project, "all.zip", wrong.getvalue(), module=module)

    assert refusal(first) == (400, "unreadable_file")
    assert first.error["details"][0]["path"] == "de.po line 1"
    assert first.error["message"].startswith("de.po line 1: ")
    assert refusal(second) == (400, "invalid_key")
    assert second.error["details"][0]["path"] == "de.json line 2"
    assert second.error["message"].startswith("de.json line 2: ")


@pytest.mark.parametrize("tags", ["a,b", ["a", "b"], ["a, b", "b"]])
def test_tags_come_a_field_each_or_with_commas(sqlite_workspace, tags):
    project = sqlite_workspace.project()

    accepted = ask(sqlite_workspace.owner, project, "en.json", {"k": "K"}, tags=tags)

    assert sqlite_workspace.job_of(accepted)["status"] == "succeeded"
    keys = sqlite_workspace.owner.get(f"/projects/{project['id']}/keys").data
    assert [key["tags"] for key in keys["items"]] == [["a", "b"]]


def test_a_branch_that_is_not_there_is_not_found(sqlite_workspace):
    project = sqlite_workspace.project()

    refused = ask(sqlite_workspace.owner, project, "en.json", {"a": "A"}, branch="x")

    assert refusal(refused) == (404, "branch_not_found")


def test_a_protected_main_takes_no_import(workspace):
    project = workspace.project(mainProtected=True)

    refused = ask(workspace.owner, project, "en.json", {"a": "A"})

    assert refusal(refused) == (409, "branch_protected")


@pytest.mark.parametrize(
    ("permissions", "form", "missing"),
    [
        (["translation_write", "key_create"], {}, "import_run"),
        (["import_run", "key_create"], {}, "translation_write"),
        (["import_run", "translation_write"], {}, "key_create"),
        (
            ["import_run", "translation_write", "key_create"],
            {"mode": "replace"},
            "key_delete",
        ),
    ],
)
def test_each_right_that_is_needed_is_asked_for(
    sqlite_workspace, permissions, form, missing
):
    project = sqlite_workspace.project()
    client = sqlite_workspace.client("developer", permissions=permissions)

    refused = ask(client, project, "en.json", {"a": "A"}, **form)

    assert refusal(refused) == (403, "permission_denied")
    assert refused.error["details"] == {"required": missing}


def test_only_assigned_languages_are_imported(workspace):
    project = workspace.project(languages=["de", "pl"])
    workspace.key(project, "a", values={"en": "A"})
    client = workspace.client("developer", languages=["de"])

    refused = ask(client, project, "pl.json", {"a": "A pl"})
    accepted = ask(client, project, "de.json", {"a": "A de"})

    assert refusal(refused) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "pl"}
    assert accepted.status == 202


def test_replace_needs_every_language_of_the_project(sqlite_workspace):
    project = sqlite_workspace.project(languages=["de"])
    sqlite_workspace.key(project, "old", values={"en": "Old", "de": "Alt"})
    some = sqlite_workspace.client("developer", languages=["de"])
    all_ = sqlite_workspace.client("developer", languages=["de", "en"])

    refused = ask(some, project, "de.json", {"old": "Alt"}, mode="replace")
    merged = ask(some, project, "de.json", {"old": "Alt"})
    accepted = ask(all_, project, "de.json", {"old": "Alt"}, mode="replace")

    assert refusal(refused) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "en"}
    assert (merged.status, accepted.status) == (202, 202)


def test_replace_on_a_branch_takes_what_its_own_keys_hid_of_main(workspace):
    project, owner = workspace.project(), workspace.owner
    path, at = f"/projects/{project['id']}", {"branch": "spring"}
    owner.post(f"{path}/branches", json={"name": "spring"})
    for query in (at, {}):
        made = owner.post(f"{path}/keys", json={"key": "same"}, query=query)
        assert made.status == 201
    assert owner.post(f"{path}/branches/spring/update").status == 200
    form = {"mode": "replace", **at}

    results = [
        workspace.job_of(ask(owner, project, "en.json", {"a": "A"}, **form, **more))
        for more in ({"dryRun": "true"}, {}, {})
    ]

    assert [each["result"]["keysRemoved"] for each in results] == [2, 2, 0]
    names = [
        [key["key"] for key in owner.get(f"{path}/keys", query=query).data["items"]]
        for query in (at, {})
    ]
    assert names == [["a"], ["same"]]


def test_a_project_of_others_is_out_of_sight(workspace):
    project = workspace.project()
    _, stranger = workspace.organization("Others")

    refused = ask(stranger, project, "en.json", {"a": "A"})

    assert refusal(refused) == (404, "project_not_found")


def test_an_import_without_a_file_is_refused(sqlite_workspace):
    project = sqlite_workspace.project()

    refused = sqlite_workspace.owner.post(
        f"/projects/{project['id']}/import", form={"format": "json-flat"}
    )

    assert refusal(refused) == (400, "validation_failed")


def test_the_answer_tells_where_the_job_is(workspace):
    project = workspace.project()

    accepted = ask(workspace.owner, project, "en.json", {"a": "A"})

    job = accepted.data["job"]
    location = accepted.headers["Location"] or ""
    assert accepted.status == 202
    assert accepted.headers["Retry-After"] == "2"
    assert location.endswith(f"/api/v1/projects/{project['id']}/jobs/{job['id']}")
    assert workspace.owner.get(location).data["job"] == job


LARGE = 2 * 1024 * 1024
BLANKS = random.Random(1).randbytes(LARGE).translate(b" \t" * 128)


def packed(content, compression=zipfile.ZIP_DEFLATED):
    """A small archive of a large file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        archive.writestr("en.json", content + BLANKS)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("en.json", b'{"a" 1'),
        ("en.json", b'{"a": "A",\n"a": "B"}'),
        ("fr.json", b'{"a": "A"}'),
        ("app.json", b'{"a": "A"}'),
        ("en.xyz", b"?"),
        ("en.po", b'msgid "' + b"\\\\" * 1000 + b"\n"),
        ("en.po", b'msgid "x"\nmsgstr "y\n'),
    ],
)
def test_the_job_of_a_large_file_fails_as_the_request_of_a_small_one_does(
    sqlite_workspace, name, content
):
    project, owner = sqlite_workspace.project(), sqlite_workspace.owner
    filling = b"\n# " + BLANKS if name.endswith("po") else BLANKS

    refused = ask(owner, project, name, content)
    accepted = ask(owner, project, name, content + filling)

    assert refused.status == 400
    for form in ({}, {"dryRun": "true"}):
        accepted = ask(owner, project, name, content + filling, **form)
        job = sqlite_workspace.job_of(accepted)
        assert (accepted.status, job["status"]) == (202, "failed")
        assert {"details": None, **job["error"]} == {"details": None, **refused.error}


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_of_a_large_file_is_read_by_the_job(workspace, compression):
    project, owner = workspace.project(), workspace.owner

    broken = ask(owner, project, "x.zip", packed(b'{"a" 1', compression))
    accepted = ask(owner, project, "x.zip", packed(b'{"a": "A"}', compression))

    assert workspace.job_of(broken)["error"]["details"][0]["path"] == "en.json line 1"
    assert workspace.job_of(accepted)["result"]["keysCreated"] == 1


@pytest.mark.parametrize(
    ("permissions", "missing"),
    [
        (["import_run", "key_create"], "translation_write"),
        (["import_run", "translation_write"], "key_create"),
    ],
)
def test_the_job_of_a_large_file_asks_for_the_rights_that_its_texts_need(
    sqlite_workspace, permissions, missing
):
    project = sqlite_workspace.project(languages=["de"])
    narrow = sqlite_workspace.client("developer", permissions=permissions)
    german = sqlite_workspace.client("developer", languages=["de"])
    content = b'{"a": "A"}' + BLANKS

    jobs = [
        sqlite_workspace.job_of(ask(client, project, "en.json", content))
        for client in (narrow, german)
    ]

    assert [job["error"]["code"] for job in jobs] == [
        "permission_denied",
        "language_not_assigned",
    ]
    assert [job["error"]["details"] for job in jobs] == [
        {"required": missing},
        {"languageCode": "en"},
    ]


def test_whatever_two_mebibytes_hold_the_request_takes_less_than_two_seconds(
    sqlite_workspace,
):
    project, owner = sqlite_workspace.project(), sqlite_workspace.owner
    escapes = b'msgid "' + b"\\\\" * (LARGE // 2 - 100) + b'\nmsgstr "\n'

    for name, content in [("en.po", escapes), ("x.zip", packed(b"{"))]:
        begun = time.thread_time()
        ask(owner, project, name, content)
        assert time.thread_time() - begun < 2
