"""Screenshots over HTTP: an image of a project, and the keys that show it."""

import pytest

from locframework.fields import new_id
from locframework.files.records import IMAGE_MOST
from locframework.testing.client import Client
from locframework.testing.workspace import open_workspace
from tests import images
from tests.databases import statements_of

from .shots import BASE, Shots


@pytest.fixture
def shots(workspace):
    return Shots(workspace)


@pytest.mark.parametrize("what", images.GOOD)
def test_an_image_is_kept_and_read_as_it_came(shots, what):
    content, type_ = images.GOOD[what]

    made = shots.send(content, "../../x.html", "text/html")
    file = made.data["file"]
    read = shots.owner.get(file["url"])

    assert made.status == 201
    assert set(file) == {"id", "url", "contentType", "byteSize", "createdAt"}
    assert file["url"] == f"{BASE}{shots.path}/files/{file['id']}"
    assert (file["contentType"], file["byteSize"]) == (type_, len(content))
    assert read.status == 200
    assert read.content == content
    assert read.headers["Content-Type"] == type_


def test_whatever_the_bytes_are_a_browser_runs_nothing_of_them(shots):
    script = images.chunk(b"tEXt", b"x\0<script>alert(1)</script>")
    file = shots.send(images.png(more=script), 'a".html', "text/html").data["file"]

    headers = shots.owner.get(file["url"]).headers

    assert headers["Content-Type"] == "image/png"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Disposition"] == f'inline; filename="{file["id"]}.png"'
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert (headers["Cache-Control"] or "").startswith("private")


def test_an_image_that_the_client_has_is_not_sent_again(shots):
    url = shots.file()["url"]
    etag = shots.owner.get(url).headers["ETag"] or ""

    for header in (etag, "*", f'W/{etag}, "x"'):
        again = shots.owner.get(url, headers={"If-None-Match": header})
        assert (again.status, again.content) == (304, b"")
        assert again.headers["ETag"] == etag
        assert again.headers["Content-Type"] is None
    other = shots.owner.get(url, headers={"If-None-Match": '"x"'})
    assert other.status == 200


def test_head_tells_what_get_would(shots):
    url = shots.file()["url"]
    get = shots.owner.get(url)

    head = shots.owner.request("HEAD", url)

    assert (head.status, head.content) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag", "Content-Disposition"):
        assert head.headers[name] == get.headers[name], name


@pytest.mark.parametrize("what", images.BAD)
def test_what_is_no_image_is_refused_whatever_it_is_called(sqlite_workspace, what):
    shots = Shots(sqlite_workspace)

    refused = shots.send(images.BAD[what], "a.png", "image/png")

    assert (refused.status, refused.error["code"]) == (400, "unreadable_file")
    assert refused.error["details"][0]["path"] == "form.file"
    index = sqlite_workspace.framework.storage.blobs
    assert index.list_expired("9999", 10, ["disk"], look_again="9999") == []


def large(size):
    """A PNG of exactly so many bytes."""
    rest = size - len(images.png()) - 12
    content = images.png(more=images.chunk(b"teXt", b"x" * rest))
    assert len(content) == size
    return content


def test_an_image_has_at_most_5_mib(shots):
    assert shots.send(large(IMAGE_MOST)).status == 201

    for size in (IMAGE_MOST + 1, 2 * IMAGE_MOST):
        refused = shots.send(large(size))
        assert (refused.status, refused.error["code"]) == (413, "payload_too_large")


def test_a_form_without_a_file_is_refused(shots):
    path = f"{shots.path}/files"

    texts = shots.owner.post(path, form={"file": "x"})
    json = shots.owner.post(path, json={"file": "x"})

    assert [texts.status, json.status] == [400, 415]


def test_a_screenshot_is_shown_with_its_url(shots):
    file = shots.file()

    patched = shots.patch(file["id"]).data["key"]

    told = (patched["screenshotFileId"], patched["screenshotUrl"])
    assert told == (file["id"], file["url"])
    assert shots.shown() == told
    listed = shots.owner.get(f"{shots.path}/keys").data["items"]
    urls = {key["key"]: key["screenshotUrl"] for key in listed}
    assert urls == {"pay": file["url"], "title": None}
    assert shots.owner.get(file["url"]).status == 200


def test_null_takes_a_screenshot_away_and_nothing_leaves_it(shots):
    file = shots.file()
    shots.patch(file["id"])
    path = f"{shots.path}/keys/{shots.pay['id']}"

    shots.owner.patch(path, json={"description": "x"})
    assert shots.shown() == (file["id"], file["url"])

    assert shots.patch(None).status == 200
    assert shots.shown() == (None, None)


def test_a_foreign_file_is_refused_like_an_absent_one(shots):
    other = Shots(shots.workspace)
    theirs = other.file()

    for file_id in (theirs["id"], new_id(), "", "x", theirs["id"].upper(), "é" * 999):
        refused = shots.patch(file_id)

        assert refused.status == 400, file_id
        assert refused.content == shots.patch(new_id()).content
        assert refused.error["details"][0]["path"] == "$.screenshotFileId"
    assert shots.shown() == (None, None)


def test_a_key_that_is_not_there_stays_not_found(shots):
    file = shots.file()

    absent = shots.patch(file["id"], {"id": new_id()})

    assert (absent.status, absent.error["code"]) == (404, "key_not_found")


def test_urls_are_of_the_host_that_is_asked(shots):
    """And kept of none: who writes cannot name a host to those who read."""
    file = shots.file()
    path = f"{shots.path}/keys/{shots.pay['id']}"
    body = {"screenshotFileId": file["id"]}
    shots.owner.patch(path, json=body, headers={"Host": "localhost:1"})
    headers = {"Host": "127.0.0.1:8080"}

    asked = shots.owner.get(path, headers=headers)

    there = f"http://127.0.0.1:8080/api/v1{shots.path}/files/{file['id']}"
    assert asked.data["key"]["screenshotUrl"] == there
    assert shots.shown() == (file["id"], file["url"])
    etag = asked.headers["ETag"] or ""
    told = {"If-Match": etag, **headers}
    assert shots.owner.patch(path, json={}, headers=told).status == 200


def test_every_answer_with_a_key_tells_the_whole_url(shots):
    """Whoever adds an operation need not think of it."""
    file = shots.file()
    shots.patch(file["id"])
    one = f"{shots.path}/keys/{shots.pay['id']}"
    owner = shots.owner
    owner.delete(one)

    answers = [
        owner.post(f"{one}/restore", json={}),
        owner.put(f"{one}/values/de", json={"value": "Zahlen"}),
        owner.post(f"{shots.path}/keys/bulk", json={"keys": [{"key": "pay"}]}),
        owner.put(
            f"{shots.path}/values",
            json={"items": [{"key": "pay", "languageCode": "de", "value": "x"}]},
        ),
        owner.get(f"{shots.path}/keys", query={"include": "values"}),
    ]

    for answer in answers:
        assert answer.status == 200
        assert f'"screenshotUrl":"{file["url"]}"'.encode() in answer.content


def test_a_setting_names_the_base_of_urls(database_url, tmp_path):
    base = "https://loc.example.com/api/v1"
    with open_workspace(database_url, tmp_path, base_url=base) as workspace:
        shots = Shots(workspace)

        file = shots.file()
        shots.patch(file["id"])

        assert file["url"] == f"{base}{shots.path}/files/{file['id']}"
        assert shots.shown() == (file["id"], file["url"])


def test_a_screenshot_on_a_branch_comes_to_main_with_the_merge(shots):
    old, new = shots.file(1), shots.file(2)
    shots.patch(old["id"])
    branches = f"{shots.path}/branches"
    shots.owner.post(branches, json={"name": "spring"})

    assert shots.patch(new["id"], branch="spring").status == 200

    assert shots.shown() == (old["id"], old["url"])
    assert shots.shown(branch="spring") == (new["id"], new["url"])
    [change] = shots.owner.get(f"{branches}/spring/diff").data["items"]
    assert change["field"] == "screenshotFileId"
    assert (change["base"], change["main"]) == (old["id"], old["id"])
    assert change["branch"] == new["id"]
    assert shots.owner.post(f"{branches}/spring/merge", json={}).status == 200
    assert shots.shown() == (new["id"], new["url"])


def test_a_branch_shows_what_main_shows_until_it_copies_the_key(shots):
    first, second = shots.file(1), shots.file(2)
    shots.owner.post(f"{shots.path}/branches", json={"name": "spring"})
    path = f"{shots.path}/keys/{shots.pay['id']}"
    shots.patch(first["id"])
    assert shots.shown(branch="spring") == (first["id"], first["url"])

    shots.owner.patch(path, json={"description": "x"}, query={"branch": "spring"})
    shots.patch(second["id"])

    assert shots.shown(branch="spring") == (first["id"], first["url"])
    shots.patch(None, branch="spring")
    assert shots.shown(branch="spring") == (None, None)


def test_reading_needs_translation_read_and_bringing_key_update(shots):
    workspace = shots.workspace
    viewer, developer = workspace.client("viewer"), workspace.client("developer")
    blind = workspace.client("owner", permissions=["key_update"])
    url = shots.file()["url"]

    assert shots.send(images.png(), client=developer).status == 201
    denied = shots.send(b"no image at all", client=viewer)
    assert denied.error["details"] == {"required": "key_update"}
    assert viewer.get(url).status == 200
    assert blind.get(url).error["details"] == {"required": "translation_read"}
    assert Client(workspace.app).get(url).status == 401


def test_a_file_of_another_project_reads_like_an_absent_one(shots):
    other = Shots(shots.workspace)
    theirs, absent = other.file()["id"], new_id()

    foreign, nowhere, odd = (
        shots.owner.get(f"{shots.path}/files/{file_id}")
        for file_id in (theirs, absent, "x")
    )

    assert (foreign.status, foreign.error["code"]) == (404, "file_not_found")
    assert foreign.content == nowhere.content == odd.content
    _, stranger = shots.workspace.organization("Elsewhere")
    hidden = stranger.get(f"{shots.path}/files/{shots.file()['id']}")
    assert hidden.error["code"] == "project_not_found"


def test_sent_again_with_its_key_an_image_is_one_file(shots):
    headers = {"Idempotency-Key": "shot"}
    first = shots.send(images.png(), headers=headers)

    again = shots.send(images.png(), headers=headers)
    other = shots.send(images.png(9), headers=headers)

    assert again.content == first.content
    assert other.error["code"] == "idempotency_conflict"


def test_what_files_cost(shots):
    storage = shots.workspace.framework.storage
    shots.workspace.framework._background.submit(lambda: None).result()
    with statements_of(storage) as sent:
        file = shots.file()
    with statements_of(storage) as read:
        assert shots.owner.get(file["url"]).status == 200
    path = f"{shots.path}/keys/{shots.pay['id']}"
    with statements_of(storage) as described:
        shots.owner.patch(path, json={"description": "x"})
    with statements_of(storage) as named:
        shots.patch(file["id"])

    assert len(sent) <= 7
    assert len(read) <= 4
    assert len(named) - len(described) <= 2  # found before, and kept in the write
