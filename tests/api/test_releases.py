"""Decisions 2.8: releases, one after another, their differences, and the way back."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from locframework.events import SYSTEM
from locframework.fields import new_id
from locframework.http.records import Upload


def test_a_change_is_published_as_the_next_version(published):
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


def test_the_files_of_older_releases_stay_readable(published):
    old = published.manifest().json["files"][1]
    published.change("Bezahlen")
    published.release()

    answer = published.public.get(old["url"])

    assert f"sha256:{hashlib.sha256(answer.content).hexdigest()}" == old["contentHash"]


def test_publishing_nothing_new_answers_200_with_the_current_release(published):
    answer = published.act("releases")

    assert answer.status == 200
    assert answer.data["release"]["version"] == 1
    assert answer.data["job"] is None


@pytest.mark.parametrize("is_auto", [True, False])
def test_a_project_to_which_nothing_happened_yet_is_published_just_once(
    workspace, is_auto
):
    path = f"/projects/{workspace.project()['id']}"
    body = {"name": "Web", "format": "json-nested", "autoPublish": is_auto}
    made = workspace.owner.post(f"{path}/distributions", json=body)
    workspace.run_jobs()

    one = f"{path}/distributions/{made.data['distribution']['id']}"
    answer = workspace.owner.post(f"{one}/releases", json={})

    assert answer.status == 200
    assert answer.data["release"]["version"] == 1
    assert workspace.owner.get(f"{path}/jobs").data["total"] == 1


def test_what_an_import_says_beside_the_texts_is_published(publish, workspace):
    published = publish(format="gettext-po").build()
    message = '# Above the door\nmsgctxt "key:title"\nmsgid "Shop"\nmsgstr "Laden"\n'
    files = {"file": Upload("de.po", message.encode(), "text/x-po")}
    path = f"{published.path}/import"

    workspace.job_of(workspace.owner.post(path, files=files))
    job = published.release()

    assert job["result"] == {"version": 2, "unchanged": False}
    [german] = [
        published.public.get(file["url"]).content
        for file in published.manifest().json["files"]
        if file["language"] == "de"
    ]
    assert b"# Above the door" in german


def test_publishing_again_brings_back_a_file_that_the_blob_store_has_lost(published):
    framework = published.workspace.framework
    file = published.manifest().json["files"][0]
    digest = file["contentHash"].removeprefix("sha256:")
    framework.plugins.blob_stores[framework.settings.blob_store].delete(digest)
    assert published.public.get(file["url"]).status == 503

    job = published.release()

    assert job["result"] == {"version": 1, "unchanged": True}
    assert published.manifest().json["release"]["version"] == 1
    assert published.public.get(file["url"]).status == 200


def test_a_release_job_ends_with_all_of_its_progress(published):
    published.change("Bezahlen")

    assert published.release()["progress"] == {"done": 3, "total": 3}


def test_a_second_release_waits_for_the_first(published):
    published.change("Bezahlen")
    assert published.act("releases").status == 202

    assert published.act("releases").error["code"] == "release_in_progress"


def test_a_cancelled_release_frees_the_way(published):
    published.change("Bezahlen")
    job = published.act("releases").data["job"]
    cancel = f"{published.path}/jobs/{job['id']}/cancel"

    cancelled = published.workspace.owner.post(cancel, json={}).data["job"]

    assert cancelled["status"] == "cancelled"
    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    assert [release["status"] for release in releases] == ["failed", "ready"]
    assert published.release()["result"] == {"version": 3, "unchanged": False}


def test_a_diff_looks_past_any_number_of_failed_releases(published, workspace):
    store = workspace.framework.storage.delivery
    first = store.find_release(published.distribution["id"], version=1)
    with workspace.framework.storage.transaction():
        for _ in range(201):
            version = store.next_version(published.distribution["id"])
            shown = replace(
                first.release, id=new_id(), version=version, status="failed"
            )
            store.releases.insert(replace(first, release=shown, files=()))
    published.change("Bezahlen")
    published.release()

    path = f"{published.one}/releases/203/diff"
    diff = published.workspace.owner.get(path).data["diff"]

    assert diff["fromVersion"] == 1


def test_a_dry_run_tells_what_would_change_and_keeps_nothing(published):
    published.change("Bezahlen")

    diff = published.act("releases", {"dryRun": True}).data["diff"]

    assert [(c["change"], c["path"]) for c in diff["files"]] == [("updated", "de.json")]
    assert diff["unchangedFileCount"] == 2
    assert published.manifest().json["release"]["version"] == 1


def test_a_diff_compares_two_releases_file_by_file(published):
    published.change("Bezahlen")
    published.release()
    read = published.workspace.owner.get

    diff = read(f"{published.one}/releases/2/diff", query={"from": 1}).data["diff"]
    first = read(f"{published.one}/releases/1/diff").data["diff"]

    assert [change["path"] for change in diff["files"]] == ["de.json"]
    assert first["fromVersion"] is None
    assert {change["change"] for change in first["files"]} == {"added"}


def test_rollback_is_a_new_version_with_the_old_files(published):
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


def test_a_release_after_a_rollback_publishes_what_there_is_now(published):
    published.change("Bezahlen")
    published.release()
    published.act("rollback", {"version": 1})

    assert published.release()["result"] == {"version": 4, "unchanged": False}


def test_a_rollback_that_matches_the_texts_again_is_published_just_once(publish):
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")
    published.workspace.run_jobs()
    published.act("rollback", {"version": 1})
    published.change("Zahlen")

    published.workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 3
    assert published.act("releases").status == 200


def test_a_release_that_comes_late_does_not_replace_a_newer_one(published):
    store = published.workspace.framework.storage.delivery
    published.change("Bezahlen")
    accepted = published.act("releases")
    late = store.find_release(published.distribution["id"], status="building")
    store.releases.update(replace(late, release=replace(late.release, status="failed")))
    published.act("rollback", {"version": 1})
    store.releases.update(late)

    job = published.workspace.job_of(accepted)

    assert job["result"] == {"version": 3, "unchanged": True}
    assert published.manifest().json["release"]["version"] == 3
    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    assert [release["version"] for release in releases] == [3, 1]


@pytest.mark.parametrize("version", ["01", "+1", "1.0", "0", "-1", "9" * 30, "\u0661"])
def test_a_release_has_one_name(published, version):
    read = published.workspace.owner.get

    found = read(f"{published.one}/releases/{version}")

    assert read(f"{published.one}/releases/1").status == 200
    assert (found.status, found.error["code"]) == (404, "release_not_found")


def test_a_release_tells_when_it_was_made_and_when_it_went_live(published):
    published.change("Bezahlen")
    published.release()
    published.act("rollback", {"version": 1})

    [third, second, first] = published.workspace.owner.get(
        f"{published.one}/releases"
    ).data["items"]

    assert first["createdAt"] <= first["publishedAt"] <= second["createdAt"]
    assert second["createdAt"] <= second["publishedAt"] <= third["createdAt"]
    assert third["createdAt"] == third["publishedAt"]


def test_a_release_and_a_change_at_once_build_one_release(publish):
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")
    published.workspace.run_jobs()
    published.act("rollback", {"version": 1})

    with ThreadPoolExecutor(1) as threads:
        with published.workspace.framework.storage.transaction():
            assert published.act("releases").status == 202
            changed = threads.submit(published.change, "Begleichen")
            time.sleep(0.5)  # time enough for the other to go wrong
        changed.result()

    releases = published.workspace.owner.get(f"{published.one}/releases").data["items"]
    states = [release["status"] for release in releases]
    assert states == ["building", "ready", "ready", "ready"]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_change_committed_after_a_later_event_is_not_lost(published):
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


def _tell_of_a_job(published):
    framework = published.workspace.framework
    with framework.storage.transaction():
        framework.events.append(
            "job.failed",
            organization_id=published.workspace.organization_id,
            project_id=published.project["id"],
            actor=SYSTEM,
            items=[{"jobId": new_id(), "type": "import", "code": "internal_error"}],
        )


def _german(published):
    files = published.manifest().json["files"]
    [url] = [file["url"] for file in files if file["language"] == "de"]
    return published.public.get(url).json["checkout"]["pay"]


def test_another_branch_of_the_same_name_is_published_as_it_is(published):
    owner, branches = published.workspace.owner, f"{published.path}/branches"
    [key, *_] = owner.get(f"{published.path}/keys").data["items"]
    text = f"{published.path}/keys/{key['id']}/values/de"
    owner.post(branches, json={"name": "spring"})
    owner.put(text, json={"value": "Begleichen"}, query={"branch": "spring"})
    owner.patch(published.one, json={"branch": "spring"})
    published.release()
    before = published.manifest().json["release"]

    owner.delete(f"{branches}/spring")
    owner.post(branches, json={"name": "spring"})
    job = published.release()

    after = published.manifest().json["release"]
    assert job["result"] == {"version": before["version"] + 1, "unchanged": False}
    assert after["contentHash"] != before["contentHash"]
    assert published.act("releases").status == 200


@pytest.mark.parametrize("body", [{}, {"dryRun": True}])
@pytest.mark.parametrize("changes", [True, False])
def test_a_branch_that_has_ended_is_not_published(published, body, changes):
    owner, branches = published.workspace.owner, f"{published.path}/branches"
    owner.post(branches, json={"name": "spring"})
    owner.patch(published.one, json={"branch": "spring"})
    published.release()
    owner.delete(f"{branches}/spring")
    if changes:
        published.change("Begleichen")

    answer = published.act("releases", body)

    assert (answer.status, answer.error["code"]) == (409, "branch_not_open")
