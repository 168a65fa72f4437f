"""Decisions 2.8: distributions and releases, and what the public sees of them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.errors import UnreadableFile
from locframework.events import SYSTEM
from locframework.ids import new_id
from locframework.testing.workspace import Workspace


def test_resume_shows_the_last_release_again(published: Any) -> None:
    published.act("pause")

    assert published.act("resume").data["distribution"]["status"] == "published"
    assert published.manifest().status == 200
    assert published.act("resume").error["code"] == "not_paused"


def test_a_change_is_published_as_the_next_version(published: Any) -> None:
    before = published.manifest()
    published.change("Bezahlen")

    job = published.release()
    after = published.manifest()

    assert job["result"] == {"version": 2, "unchanged": False}
    assert after.json["release"]["version"] == 2
    assert after.headers["X-Service-Release"] == "2"
    assert after.headers["ETag"] != before.headers["ETag"]
    changed = {
        new["language"]
        for old, new in zip(before.json["files"], after.json["files"], strict=True)
        if old["url"] != new["url"]
    }
    assert changed == {"de"}


def test_the_files_of_older_releases_stay_readable(published: Any) -> None:
    old = published.manifest().json["files"][1]
    published.change("Bezahlen")
    published.release()

    answer = published.public.get(old["url"])

    assert f"sha256:{hashlib.sha256(answer.content).hexdigest()}" == old["contentHash"]


def test_publishing_nothing_new_answers_200_with_the_current_release(
    published: Any,
) -> None:
    answer = published.act("releases")

    assert answer.status == 200
    assert answer.data["release"]["version"] == 1
    assert answer.data["job"] is None


@pytest.mark.parametrize("actions", [["pause"], ["pause", "resume"], ["rotate-key"]])
def test_pause_resume_and_a_new_key_change_when_it_was_updated_and_no_file(
    published: Any, workspace: Workspace, actions: list[str]
) -> None:
    project_id = published.path.rpartition("/")[2]
    for action in actions:
        store = workspace.framework.storage.delivery
        long_ago = replace(
            store.find_distribution(project_id, published.distribution["id"]),
            updated_at="2000-01-01T00:00:00.000Z",
        )
        store.save_distribution(long_ago)
        answer = published.act(action).data["distribution"]

        assert answer["updatedAt"] > answer["createdAt"]
        assert workspace.owner.get(published.one).data["distribution"] == answer

    if actions != ["pause"]:
        assert published.act("releases").status == 200  # there is nothing to build


def test_a_release_job_ends_with_all_of_its_progress(published: Any) -> None:
    published.change("Bezahlen")

    assert published.release()["progress"] == {"done": 3, "total": 3}


def test_a_second_release_waits_for_the_first(published: Any) -> None:
    published.change("Bezahlen")
    assert published.act("releases").status == 202

    assert published.act("releases").error["code"] == "release_in_progress"


def test_a_cancelled_release_frees_the_way(published: Any) -> None:
    published.change("Bezahlen")
    job = published.act("releases").data["job"]
    cancel = f"{published.path}/jobs/{job['id']}/cancel"

    cancelled = published.workspace.owner.post(cancel, json={}).data["job"]

    assert cancelled["status"] == "cancelled"
    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    assert [release["status"] for release in releases] == ["failed", "ready"]
    assert published.release()["result"] == {"version": 3, "unchanged": False}


@pytest.fixture
def failed(publish: Callable[..., Any]) -> Any:
    """A distribution whose first release failed: its job was cancelled."""
    published = publish()
    read = published.workspace.owner.get
    [job] = read(f"{published.path}/jobs?type=release").data["items"]
    cancel = f"{published.path}/jobs/{job['id']}/cancel"
    assert published.workspace.owner.post(cancel).status == 200
    return published


def test_a_first_release_that_failed_says_why(failed: Any) -> None:
    read = failed.workspace.owner.get

    shown = read(failed.one).data["distribution"]
    [release] = read(f"{failed.one}/releases").data["items"]

    assert (shown["status"], shown["currentRelease"]) == ("building", None)
    assert shown["failedRelease"] == release
    assert (release["version"], release["status"]) == (1, "failed")
    assert release["error"] == {"code": "cancelled", "message": "its job was cancelled"}
    assert failed.manifest().status == 202


def test_a_release_that_a_fault_ended_has_the_error_of_its_job(
    publish: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    published = publish()

    def fail(*_: object, **__: object) -> None:
        raise UnreadableFile("the paper is blank")

    with monkeypatch.context() as patched:
        patched.setattr(published.workspace.framework.formats, "write", fail)
        published.build()

    shown = published.workspace.owner.get(published.one).data["distribution"]
    error = {"code": "unreadable_file", "message": "the paper is blank"}
    assert shown["failedRelease"]["error"] == error


@pytest.mark.parametrize("way", ["releases", "pause and resume", "patch", "change"])
def test_a_first_release_that_failed_is_mended(failed: Any, way: str) -> None:
    if way == "releases":
        assert failed.act("releases").status == 202
    elif way == "pause and resume":
        failed.act("pause")
        failed.act("resume")
    else:
        is_auto = way == "change"
        body = {"format": "json-flat", "autoPublish": is_auto}
        failed.workspace.owner.patch(failed.one, json=body)
    if way == "change":
        failed.change("Bezahlen")

    failed.build()

    shown = failed.workspace.owner.get(failed.one).data["distribution"]
    assert (shown["status"], shown["failedRelease"]) == ("published", None)
    assert failed.manifest().json["release"]["version"] == 2


def test_a_diff_looks_past_any_number_of_failed_releases(
    published: Any, workspace: Workspace
) -> None:
    store = workspace.framework.storage.delivery
    first = store.find_release(published.distribution["id"], 1)
    with workspace.framework.storage.transaction():
        for _ in range(201):
            version = store.next_version(published.distribution["id"])
            shown = replace(
                first.release, id=new_id(), version=version, status="failed"
            )
            store.add_release(replace(first, release=shown, files=()))
    published.change("Bezahlen")
    published.release()

    path = f"{published.one}/releases/203/diff"
    diff = published.workspace.owner.get(path).data["diff"]

    assert diff["fromVersion"] == 1


def test_a_dry_run_tells_what_would_change_and_keeps_nothing(
    published: Any,
) -> None:
    published.change("Bezahlen")

    diff = published.act("releases", {"dryRun": True}).data["diff"]

    assert [(c["change"], c["path"]) for c in diff["files"]] == [("updated", "de.json")]
    assert diff["unchangedFileCount"] == 2
    assert published.manifest().json["release"]["version"] == 1


def test_rollback_is_a_new_version_with_the_old_files(published: Any) -> None:
    first = published.manifest().json
    published.change("Bezahlen")
    published.release()

    release = published.act("rollback", {"version": 1}).data["release"]
    again = published.manifest().json

    assert (release["version"], release["rolledBackFrom"]) == (3, 1)
    assert again["release"]["version"] == 3
    assert again["files"] == first["files"]
    assert again["release"]["contentHash"] == first["release"]["contentHash"]
    assert published.act("rollback", {"version": 9}).error["code"] == (
        "release_not_found"
    )


def test_a_release_after_a_rollback_publishes_what_there_is_now(
    published: Any,
) -> None:
    published.change("Bezahlen")
    published.release()
    published.act("rollback", {"version": 1})

    assert published.release()["result"] == {"version": 4, "unchanged": False}


def test_a_diff_compares_two_releases_file_by_file(published: Any) -> None:
    published.change("Bezahlen")
    published.release()
    read = published.workspace.owner.get

    diff = read(f"{published.one}/releases/2/diff", query={"from": 1}).data["diff"]
    first = read(f"{published.one}/releases/1/diff").data["diff"]

    assert [change["path"] for change in diff["files"]] == ["de.json"]
    assert first["fromVersion"] is None
    assert {change["change"] for change in first["files"]} == {"added"}


@pytest.mark.parametrize("version", ["01", "+1", "1.0", "0", "-1", "9" * 30, "\u0661"])
def test_a_release_has_one_name(published: Any, version: str) -> None:
    read = published.workspace.owner.get

    found = read(f"{published.one}/releases/{version}")

    assert read(f"{published.one}/releases/1").status == 200
    assert (found.status, found.error["code"]) == (404, "release_not_found")


def test_a_new_key_ends_the_old_one(published: Any) -> None:
    rotated = published.act("rotate-key").data["distribution"]

    assert published.manifest().status == 404
    fresh = published.public.get(f"/content/{rotated['publicKey']}/manifest.json")
    assert fresh.status == 200
    assert fresh.json["distribution"]["key"] == rotated["publicKey"]
    assert published.public.get(fresh.json["files"][0]["url"]).status == 200


def test_split_by_module_publishes_a_file_for_each_language_and_module(
    workspace: Workspace,
    publish: Callable[..., Any],
) -> None:
    manifest = publish(splitByModule=True).build().manifest().json

    places = [(f["language"], f["module"], f["path"]) for f in manifest["files"]]
    assert places == [
        ("ar", "@root", "ar/@root.json"),
        ("ar", "checkout", "ar/checkout.json"),
        ("de", "@root", "de/@root.json"),
        ("de", "checkout", "de/checkout.json"),
        ("en", "@root", "en/@root.json"),
        ("en", "checkout", "en/checkout.json"),
    ]


@pytest.mark.parametrize(
    ("missing", "title"), [("omit", None), ("source", "Shop"), ("fallback", "Laden")]
)
def test_a_missing_text_is_left_out_or_stood_in_for(
    workspace: Workspace, publish: Callable[..., Any], missing: str, title: str | None
) -> None:
    published = publish(missing=missing)
    fallback = {"fallbackLanguageCode": "de"}
    workspace.owner.patch(f"{published.path}/languages/ar", json=fallback)
    published.build()

    [arabic] = [
        file for file in published.manifest().json["files"] if file["language"] == "ar"
    ]
    texts = published.public.get(arabic["url"]).json

    assert texts.get("title") == title


def test_a_pending_text_is_published_only_where_any_status_is(
    workspace: Workspace,
    publish: Callable[..., Any],
) -> None:
    approved, everything = (
        publish(),
        publish(minStatus="any"),
    )
    translator = workspace.client("translator")
    for published in (approved, everything):
        keys = workspace.owner.get(f"{published.path}/keys").data["items"]
        path = f"{published.path}/keys/{keys[0]['id']}/values/de"
        translator.put(path, json={"value": "Moin"})
    workspace.run_jobs()

    def german(published: Any) -> str:
        [file] = [
            file
            for file in published.manifest().json["files"]
            if file["language"] == "de"
        ]
        text: str = published.public.get(file["url"]).json["checkout"]["pay"]
        return text

    assert german(approved) == "Zahlen"
    assert german(everything) == "Moin"


def test_auto_publish_follows_every_change(
    workspace: Workspace, publish: Callable[..., Any]
) -> None:
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")

    workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 2


def test_a_language_that_left_the_project_is_left_out_with_a_warning(
    workspace: Workspace, publish: Callable[..., Any]
) -> None:
    published = publish(autoPublish=True, languageCodes=["ar", "de"]).build()

    workspace.owner.delete(f"{published.path}/languages/de")
    workspace.run_jobs()

    release = workspace.owner.get(f"{published.one}/releases/2").data["release"]
    assert published.manifest().json["languages"] == ["ar"]
    warning = "de: the project does not have this language any more"
    assert release["warnings"] == [warning]


def test_clients_keep_what_they_have_when_no_language_is_left(
    workspace: Workspace, publish: Callable[..., Any]
) -> None:
    published = publish(autoPublish=True, languageCodes=["de"]).build()
    before = published.manifest().json

    workspace.owner.delete(f"{published.path}/languages/de")
    workspace.run_jobs()

    shown = workspace.owner.get(published.one).data["distribution"]
    preview = published.act("releases", {"dryRun": True})
    failed = shown["failedRelease"]
    assert published.manifest().json == before
    assert shown["currentRelease"]["version"] == 1
    assert failed["version"] == 2
    assert failed["error"]["code"] == "language_not_in_project"
    assert "languageCodes" in failed["error"]["message"]
    refused = (preview.status, preview.error["code"])
    assert refused == (400, "language_not_in_project")


def test_over_quota_content_is_served_and_says_so(published: Any) -> None:
    workspace = published.workspace
    quota = {"deliveryQuota": {"requests": 0, "bytes": 10**9}}
    changed = workspace.owner.patch("/organization", json=quota)
    workspace.framework.meter.write()

    manifest = published.manifest()
    file = published.public.get(manifest.json["files"][0]["url"])

    assert changed.status == 200
    assert (manifest.status, file.status) == (200, 200)
    assert manifest.headers["X-Service-Quota"] == "exceeded"
    assert file.headers["X-Service-Quota"] == "exceeded"


def test_what_is_delivered_is_counted(published: Any) -> None:
    framework = published.workspace.framework
    manifest = published.manifest()
    published.public.get(manifest.json["files"][0]["url"])
    framework.meter.write()

    month = framework.clock().strftime("%Y-%m")
    usage = framework.storage.delivery.usage_of(
        published.workspace.organization_id, month
    )
    size = manifest.json["files"][0]["byteSize"]
    assert (usage.requests, usage.bytes) == (2, len(manifest.content) + size)


def test_a_deleted_distribution_or_project_is_unknown_at_once(
    workspace: Workspace,
    publish: Callable[..., Any],
) -> None:
    one, other = publish().build(), publish().build()

    assert workspace.owner.delete(one.one).status == 200
    assert workspace.owner.delete(other.path).status == 200

    assert one.manifest().status == 404
    assert other.manifest().status == 404


def test_the_same_content_gives_the_same_bytes_again(
    workspace: Workspace, publish: Callable[..., Any]
) -> None:
    one, other = publish().build(), publish().build()

    hashes = [
        published.manifest().json["release"]["contentHash"]
        for published in (one, other)
    ]

    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"format": "papyrus"}, "unknown_format"),
        ({"languageCodes": ["sv"]}, "language_not_in_project"),
        ({"branch": "feature"}, "branch_not_found"),
        ({"storage": "attic"}, "validation_failed"),
        ({"name": "  "}, "validation_failed"),
    ],
)
def test_a_distribution_that_cannot_be_is_refused(
    workspace: Workspace, fields: dict[str, object], code: str
) -> None:
    project = workspace.project()
    body = {"name": "Web", "format": "json-nested", **fields}

    answer = workspace.owner.post(f"/projects/{project['id']}/distributions", json=body)

    assert answer.error["code"] == code


def test_a_release_and_a_change_at_once_build_one_release(
    publish: Callable[..., Any],
) -> None:
    published = publish().build()
    published.change("Bezahlen")
    published.workspace.owner.patch(published.one, json={"autoPublish": True})

    with ThreadPoolExecutor(1) as threads:
        with published.workspace.framework.storage.transaction():
            assert published.act("releases").status == 202
            changed = threads.submit(published.change, "Begleichen")
            time.sleep(0.5)  # time enough for the other to go wrong
        changed.result()

    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    assert [release["status"] for release in releases] == ["building", "ready"]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_change_committed_after_a_later_event_is_not_lost(published: Any) -> None:
    workspace = published.workspace
    published.change("Bezahlen")
    published.act("releases")

    with ThreadPoolExecutor(2) as threads:
        with workspace.framework.storage.transaction():
            published.change("Begleichen")
            threads.submit(_tell_of_a_job, published).result()
            built = threads.submit(workspace.run_jobs)
            time.sleep(0.5)  # time enough for the build to look at its event
        built.result()
    answer = published.act("releases")
    workspace.run_jobs()

    assert answer.status in (200, 202)
    assert _german(published) == "Begleichen"


def _tell_of_a_job(published: Any) -> None:
    framework = published.workspace.framework
    with framework.storage.transaction():
        framework.events.append(
            "job.failed",
            organization_id=published.workspace.organization_id,
            project_id=published.project["id"],
            actor=SYSTEM,
            items=[{"jobId": new_id(), "type": "import", "code": "internal_error"}],
        )


def _german(published: Any) -> str:
    files = published.manifest().json["files"]
    [url] = [file["url"] for file in files if file["language"] == "de"]
    text: str = published.public.get(url).json["checkout"]["pay"]
    return text


def test_a_release_that_comes_late_does_not_replace_a_newer_one(
    published: Any,
) -> None:
    store = published.workspace.framework.storage.delivery
    published.change("Bezahlen")
    accepted = published.act("releases")
    late = store.find_building(published.distribution["id"])
    store.save_release(replace(late, release=replace(late.release, status="failed")))
    published.act("rollback", {"version": 1})
    store.save_release(late)

    job = published.workspace.job_of(accepted)

    assert job["result"] == {"version": 3, "unchanged": True}
    assert published.manifest().json["release"]["version"] == 3
    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    assert [release["version"] for release in releases] == [3, 1]


def test_a_rollback_that_matches_the_texts_again_is_published_just_once(
    publish: Callable[..., Any],
) -> None:
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")
    published.workspace.run_jobs()
    published.act("rollback", {"version": 1})
    published.change("Zahlen")

    published.workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 3
    assert published.act("releases").status == 200


def test_a_release_tells_when_it_was_made_and_when_it_went_live(
    published: Any,
) -> None:
    published.change("Bezahlen")
    published.release()
    published.act("rollback", {"version": 1})

    [third, second, first] = published.workspace.owner.get(
        f"{published.one}/releases"
    ).data["items"]

    assert first["createdAt"] <= first["publishedAt"] <= second["createdAt"]
    assert second["createdAt"] <= second["publishedAt"] <= third["createdAt"]
    assert third["createdAt"] == third["publishedAt"]
