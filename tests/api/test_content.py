"""service.md, Distribution manifest, Errors (content delivery), Limits: each line."""

import hashlib

import pytest

from locframework.delivery.records import ReleaseFile
from locframework.delivery.rules import content_hash

MANIFEST_CACHE = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"
FILE_CACHE = "public, max-age=31536000, immutable"


def test_before_the_first_release_the_manifest_answers_202_and_is_never_stored(
    workspace, publish
):
    answer = publish().manifest()

    assert answer.status == 202
    assert answer.json == {"status": "building"}
    assert answer.headers["Retry-After"] == "5"
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_manifest_is_bare_json_with_every_member_of_service_md(published):
    answer = published.manifest()
    manifest = answer.json

    assert answer.status == 200
    assert sorted(manifest) == [
        "bundles",
        "distribution",
        "files",
        "format",
        "languageDetails",
        "languages",
        "maxAppVersion",
        "minAppVersion",
        "project",
        "release",
        "schema",
    ]
    assert manifest["schema"].endswith("/v1")
    assert manifest["distribution"] == {
        "key": published.distribution["publicKey"],
        "name": "Web",
        "channel": "stable",
    }
    assert manifest["project"] == {
        "id": published.project["id"],
        "sourceLanguage": "en",
    }
    assert manifest["format"] == {
        "id": "json-nested",
        "keySeparator": ".",
        "extension": ".json",
    }
    assert (manifest["minAppVersion"], manifest["maxAppVersion"]) == (None, None)
    assert manifest["bundles"] == []


def test_language_details_are_aligned_with_languages(published):
    manifest = published.manifest().json

    details = manifest["languageDetails"]
    assert manifest["languages"] == [detail["code"] for detail in details]
    assert sorted(manifest["languages"]) == ["ar", "de", "en"]
    assert {d["code"]: d["direction"] for d in details}["ar"] == "rtl"
    assert all(sorted(d) == ["code", "direction", "icon", "label"] for d in details)


def test_every_file_is_what_the_manifest_says_of_it(published):
    manifest = published.manifest().json

    assert [file["language"] for file in manifest["files"]] == ["ar", "de", "en"]
    for file in manifest["files"]:
        answer = published.public.get(file["url"])

        digest = hashlib.sha256(answer.content).hexdigest()
        assert answer.status == 200
        assert file["contentHash"] == f"sha256:{digest}"
        assert file["byteSize"] == len(answer.content)
        assert file["contentType"] == answer.headers["Content-Type"]
        assert file["path"] == f"{file['language']}.json"
        assert file["module"] is None
        assert file["url"].startswith("http://localhost/api/v1/content/")


def test_the_release_hash_is_a_digest_over_all_files(published):
    manifest = published.manifest().json

    files = [
        ReleaseFile(f["language"], f["module"], f["path"], f["contentHash"][7:], 0, "")
        for f in manifest["files"]
    ]
    assert manifest["release"]["contentHash"] == content_hash(files)


def test_the_manifest_carries_the_headers_of_service_md(published):
    headers = published.manifest().headers

    assert headers["Cache-Control"] == MANIFEST_CACHE
    assert headers["X-Service-Release"] == "1"
    assert headers["X-Service-Quota"] is None
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["ETag"] is not None
    exposed = headers["Access-Control-Expose-Headers"] or ""
    for name in ("ETag", "X-Service-Release", "X-Service-Quota", "Retry-After"):
        assert name in exposed


def test_a_file_is_immutable_and_readable_from_any_origin(published):
    url = published.manifest().json["files"][0]["url"]

    headers = published.public.get(url).headers

    assert headers["Cache-Control"] == FILE_CACHE
    assert headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_if_none_match_yields_304_with_the_validator_again(published, form):
    etag = published.manifest().headers["ETag"] or ""
    file = published.manifest().json["files"][0]["url"]
    file_etag = published.public.get(file).headers["ETag"] or ""

    manifest = published.manifest(headers={"If-None-Match": form.format(etag)})
    blob = published.public.get(file, headers={"If-None-Match": form.format(file_etag)})

    assert (manifest.status, manifest.content) == (304, b"")
    assert manifest.headers["ETag"] == etag
    assert manifest.headers["Cache-Control"] == MANIFEST_CACHE
    assert manifest.headers["X-Service-Release"] == "1"
    assert (blob.status, blob.content) == (304, b"")
    assert blob.headers["ETag"] == file_etag
    assert blob.headers["Cache-Control"] == FILE_CACHE


def test_another_etag_gets_the_whole_manifest(published):
    answer = published.manifest(headers={"If-None-Match": '"r1-0000000000000000"'})

    assert answer.status == 200


def test_head_answers_like_get_without_a_body(published):
    whole = published.manifest()

    head = published.public.request("HEAD", published.url)

    assert (head.status, head.content) == (200, b"")
    assert head.headers["ETag"] == whole.headers["ETag"]


def test_a_preflight_lets_browsers_send_if_none_match(published):
    answer = published.public.request("OPTIONS", published.url)

    assert answer.status == 204
    assert "If-None-Match" in (answer.headers["Access-Control-Allow-Headers"] or "")


def test_paused_and_unknown_read_alike_to_the_last_byte(published):
    file = published.manifest().json["files"][0]["url"]
    unknown_url = f"/content/{'A' * 43}/manifest.json"

    assert published.act("pause").status == 200
    paused, unknown = published.manifest(), published.public.get(unknown_url)
    paused_file = published.public.get(file)

    for answer in (paused, unknown, paused_file):
        assert answer.status == 404
        assert answer.json == {"error": "not_found"}
        assert answer.headers["Cache-Control"] == "public, max-age=60"

    def shape(answer):
        return [(n, v) for n, v in answer.headers.items() if n != "x-request-id"]

    assert shape(paused) == shape(unknown)
    assert published.act("pause").error["code"] == "already_paused"
