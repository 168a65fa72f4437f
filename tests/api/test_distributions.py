"""Decisions 2.8: distributions and releases, and what the public sees of them."""

import pytest
from msgspec.structs import replace

from locframework.delivery.queue import EVENTS_LOOKED_AT
from locframework.errors import UnreadableFile


def test_resume_shows_the_last_release_again(published):
    published.act("pause")

    assert published.act("resume").data["distribution"]["status"] == "published"
    assert published.manifest().status == 200
    assert published.act("resume").error["code"] == "not_paused"


@pytest.mark.parametrize("actions", [["pause"], ["pause", "resume"], ["rotate-key"]])
def test_pause_resume_and_a_new_key_change_when_it_was_updated_and_no_file(
    published, workspace, actions
):
    project_id = published.path.rpartition("/")[2]
    for action in actions:
        store = workspace.framework.storage.delivery
        long_ago = replace(
            store.find(published.distribution["id"], project_id),
            updated_at="2000-01-01T00:00:00.000Z",
        )
        store.update(long_ago)
        answer = published.act(action).data["distribution"]

        assert answer["updatedAt"] > answer["createdAt"]
        assert workspace.owner.get(published.one).data["distribution"] == answer

    if actions != ["pause"]:
        assert published.act("releases").status == 200  # there is nothing to build


@pytest.fixture
def failed(publish):
    """A distribution whose first release failed: its job was cancelled."""
    published = publish()
    read = published.workspace.owner.get
    [job] = read(f"{published.path}/jobs?type=release").data["items"]
    cancel = f"{published.path}/jobs/{job['id']}/cancel"
    assert published.workspace.owner.post(cancel).status == 200
    return published


def test_a_first_release_that_failed_says_why(failed):
    read = failed.workspace.owner.get

    shown = read(failed.one).data["distribution"]
    [release] = read(f"{failed.one}/releases").data["items"]

    assert (shown["status"], shown["currentRelease"]) == ("building", None)
    assert shown["failedRelease"] == release
    assert (release["version"], release["status"]) == (1, "failed")
    assert release["error"] == {"code": "cancelled", "message": "its job was cancelled"}
    assert failed.manifest().status == 202


def test_a_release_that_a_fault_ended_has_the_error_of_its_job(publish, monkeypatch):
    published = publish()

    def fail(*_, **__):
        raise UnreadableFile("the paper is blank")

    with monkeypatch.context() as patched:
        patched.setattr(published.workspace.framework.formats, "write", fail)
        published.build()

    shown = published.workspace.owner.get(published.one).data["distribution"]
    error = {"code": "unreadable_file", "message": "the paper is blank"}
    assert shown["failedRelease"]["error"] == error


@pytest.mark.parametrize("way", ["releases", "pause and resume", "patch", "change"])
def test_a_first_release_that_failed_is_mended(failed, way):
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


def test_a_new_key_ends_the_old_one(published):
    rotated = published.act("rotate-key").data["distribution"]

    assert published.manifest().status == 404
    fresh = published.public.get(f"/content/{rotated['publicKey']}/manifest.json")
    assert fresh.status == 200
    assert fresh.json["distribution"]["key"] == rotated["publicKey"]
    assert published.public.get(fresh.json["files"][0]["url"]).status == 200


def test_split_by_module_publishes_a_file_for_each_language_and_module(
    workspace, publish
):
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
def test_a_missing_text_is_left_out_or_stood_in_for(workspace, publish, missing, title):
    published = publish(missing=missing)
    fallback = {"fallbackLanguageCode": "de"}
    workspace.owner.patch(f"{published.path}/languages/ar", json=fallback)
    published.build()

    [arabic] = [
        file for file in published.manifest().json["files"] if file["language"] == "ar"
    ]
    texts = published.public.get(arabic["url"]).json

    assert texts.get("title") == title


def test_a_pending_text_is_published_only_where_any_status_is(workspace, publish):
    approved, everything = (publish(), publish(minStatus="any"))
    translator = workspace.client("translator")
    for published in (approved, everything):
        keys = workspace.owner.get(f"{published.path}/keys").data["items"]
        path = f"{published.path}/keys/{keys[0]['id']}/values/de"
        translator.put(path, json={"value": "Moin"})
    workspace.run_jobs()

    def german(published):
        [file] = [
            file
            for file in published.manifest().json["files"]
            if file["language"] == "de"
        ]
        return published.public.get(file["url"]).json["checkout"]["pay"]

    assert german(approved) == "Zahlen"
    assert german(everything) == "Moin"


def test_auto_publish_follows_every_change(workspace, publish):
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")

    workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 2


@pytest.mark.parametrize("way", ["resume", "switch on", "settings"])
def test_auto_publish_catches_up_with_what_it_has_not_seen(workspace, publish, way):
    published = publish(autoPublish=way != "switch on").build()
    if way == "resume":
        published.act("pause")
    if way != "settings":
        published.change("Bezahlen")
        workspace.run_jobs()

    if way == "resume":
        published.act("resume")
    else:
        body = {"autoPublish": True, "languageCodes": ["de"]}
        workspace.owner.patch(published.one, json=body)
    workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 2


def test_what_changes_while_a_paused_distribution_is_built_waits_until_it_is_resumed(
    workspace, publish, monkeypatch
):
    published = publish(autoPublish=True).build()
    store = workspace.framework.plugins.blob_stores["disk"]
    put = store.put

    def change_and_put(name, content):
        monkeypatch.undo()
        published.change("Begleichen")
        put(name, content)

    published.change("Bezahlen")
    published.act("pause")
    monkeypatch.setattr(store, "put", change_and_put)
    workspace.run_jobs()

    releases = f"{published.one}/releases"
    assert workspace.owner.get(releases).data["total"] == 2

    published.act("resume")
    workspace.run_jobs()

    assert published.manifest().json["release"]["version"] == 3


@pytest.fixture
def rolled_back(workspace, publish):
    """Publishes by itself, and shows as version 3 what version 1 was."""
    published = publish(autoPublish=True).build()
    published.change("Bezahlen")
    workspace.run_jobs()
    published.act("rollback", {"version": 1})
    return published


def test_what_was_rolled_back_to_stays_when_a_distribution_is_resumed(
    workspace, rolled_back
):
    rolled_back.act("pause")
    rolled_back.act("resume")
    workspace.run_jobs()

    assert rolled_back.manifest().json["release"]["version"] == 3


@pytest.mark.parametrize("others", [0, EVENTS_LOOKED_AT + 1])
def test_what_changed_after_a_rollback_is_published_when_it_is_resumed(
    workspace, rolled_back, others
):
    rolled_back.act("pause")
    rolled_back.change("Begleichen")
    workspace.owner.post(f"{rolled_back.path}/branches", json={"name": "side"})
    for number in range(others):
        body, on = {"key": f"k{number}"}, {"branch": "side"}
        workspace.owner.post(f"{rolled_back.path}/keys", json=body, query=on)
    rolled_back.act("resume")
    workspace.run_jobs()

    assert rolled_back.manifest().json["release"]["version"] == 4


def test_a_language_that_left_the_project_is_left_out_with_a_warning(
    workspace, publish
):
    published = publish(autoPublish=True, languageCodes=["ar", "de"]).build()

    workspace.owner.delete(f"{published.path}/languages/de")
    workspace.run_jobs()

    release = workspace.owner.get(f"{published.one}/releases/2").data["release"]
    assert published.manifest().json["languages"] == ["ar"]
    warning = "de: the project no longer has this language"
    assert release["warnings"] == [warning]


def test_clients_keep_what_they_have_when_no_language_is_left(workspace, publish):
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


@pytest.mark.parametrize("lack", ["branch", "language"])
def test_what_cannot_be_published_by_itself_is_tried_once_until_it_can(
    workspace, publish, lack
):
    published = publish(autoPublish=True).build()
    branches, languages = f"{published.path}/branches", f"{published.path}/languages"
    where, new, gone, wanted = {
        "branch": (branches, {"name": "spring"}, "spring", {"branch": "spring"}),
        "language": (
            languages,
            {"languageCode": "fr"},
            "fr",
            {"languageCodes": ["fr"]},
        ),
    }[lack]
    workspace.owner.post(where, json=new)
    workspace.owner.patch(published.one, json=wanted)
    workspace.run_jobs()
    assert workspace.owner.delete(f"{where}/{gone}").status == 200

    def builds():
        """How the builds ended, the newest first."""
        workspace.run_jobs()
        jobs = workspace.owner.get(f"{published.path}/jobs", query={"type": "release"})
        return [job["status"] for job in jobs.data["items"]]

    for text in ("Bezahlen", "Begleichen", "Entrichten"):
        published.change(text)
        assert builds() == ["failed", "succeeded", "succeeded"]
    workspace.owner.post(where, json=new)
    published.change("Zahlen")

    assert builds()[0] == "succeeded"


def test_over_quota_content_is_served_and_says_so(published):
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


def test_what_is_delivered_is_counted(published):
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


def test_a_deleted_distribution_or_project_is_unknown_at_once(workspace, publish):
    one, other = publish().build(), publish().build()

    assert workspace.owner.delete(one.one).status == 200
    assert workspace.owner.delete(other.path).status == 200

    assert one.manifest().status == 404
    assert other.manifest().status == 404


def test_the_same_content_gives_the_same_bytes_again(workspace, publish):
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
def test_a_distribution_that_cannot_be_is_refused(workspace, fields, code):
    project = workspace.project()
    body = {"name": "Web", "format": "json-nested", **fields}

    answer = workspace.owner.post(f"/projects/{project['id']}/distributions", json=body)

    assert answer.error["code"] == code
