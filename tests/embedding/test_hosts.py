"""Mounted at /loc in Flask, Django and FastAPI, the app is all there."""

import hashlib

PAGE = b"the host's own page"
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="en.json"\r\n'
    b"Content-Type: application/json\r\n\r\n%b\r\n--b--\r\n"
)


def import_file(loc, project, content):
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    return loc("POST", f"{project}/import", content=FORM % content, headers=headers)


def test_the_host_keeps_its_own_pages(loc):
    assert loc("GET", loc.origin + "/").content == PAGE
    assert loc("GET", loc.origin + "/elsewhere").status == 404
    assert b"success" not in loc("GET", loc.origin + "/elsewhere").content


def test_a_key_is_made_and_read_through_the_host(loc):
    project = loc.project()

    body = {"key": "checkout.pay", "values": {"en": "Paß 支払う 💶"}}
    made = loc("POST", f"{project}/keys", json=body)
    read = loc("GET", f"{project}/keys/{made.data['key']['id']}")

    assert (made.status, read.status) == (201, 200)
    assert read.data["key"]["values"][0]["value"] == "Paß 支払う 💶"
    found = loc("GET", f"{project}/keys?search=%E6%94%AF%E6%89%95&limit=5")
    assert [key["key"] for key in found.data["items"]] == ["checkout.pay"]


def test_refusals_are_ours_with_status_headers_and_envelope(loc):
    nobody = loc("GET", "/projects", headers={"Authorization": "Basic eA=="})
    absent = loc("GET", "/no/such/route")
    wrong = loc("POST", "/projects", content=b"{", headers={"Content-Type": "a/b"})

    assert (nobody.status, nobody.error["code"]) == (401, "unauthorized")
    assert nobody.headers["WWW-Authenticate"] == "Bearer"
    assert (absent.status, absent.error["code"]) == (404, "not_found")
    assert (wrong.status, wrong.error["code"]) == (415, "unsupported_media_type")
    for answer in (nobody, absent, wrong):
        assert answer.headers["X-Request-Id"]
        assert answer.headers["X-RateLimit-Limit"] == "600"


def test_the_location_of_a_job_is_where_the_app_is_mounted(loc):
    project = loc.project()

    accepted = import_file(loc, project, b'{"checkout": {"pay": "Pay"}}')
    loc.framework.runner.run_until_idle()

    location = accepted.headers["Location"]
    assert accepted.status == 202
    assert location.startswith(f"{loc.origin}/loc/api/v1/projects/")
    job = loc("GET", location).data["job"]
    assert (job["status"], job["result"]["keysCreated"]) == ("succeeded", 1)


def test_the_urls_of_a_manifest_lead_to_the_files_without_a_token(loc):
    project = loc.project()
    loc("POST", f"{project}/keys", json={"key": "a.b", "values": {"en": "One"}})
    public_key = loc.published(project)["publicKey"]
    public = {"Authorization": ""}

    url = f"{loc.api}/content/{public_key}/manifest.json"
    manifest = loc("GET", url, headers=public)
    [file] = manifest.json["files"]
    content = loc("GET", file["url"], headers=public)

    assert file["url"].startswith(f"{loc.origin}/loc/api/v1/content/{public_key}/b/")
    assert content.json == {"a": {"b": "One"}}
    assert file["contentHash"][7:] == hashlib.sha256(content.content).hexdigest()
    assert content.headers["Content-Type"] == file["contentType"]


def test_conditional_and_head_requests_pass_through_the_host(loc):
    public_key = loc.published(loc.project())["publicKey"]
    url = f"{loc.api}/content/{public_key}/manifest.json"

    whole = loc("GET", url)
    head = loc("HEAD", url)
    unchanged = loc("GET", url, headers={"If-None-Match": whole.headers["ETag"]})
    preflight = loc("OPTIONS", url)

    assert (head.status, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(whole.content))
    assert (unchanged.status, unchanged.content) == (304, b"")
    assert unchanged.headers["ETag"] == whole.headers["ETag"]
    assert preflight.status == 204
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"


def test_the_setting_base_url_wins_over_the_mount_point(open_mounted):
    outside = "https://l10n.example.com/api/v1"
    with open_mounted(base_url=outside) as loc:
        project = loc.project()
        loc("POST", f"{project}/keys", json={"key": "a", "values": {"en": "One"}})
        accepted = import_file(loc, project, b'{"b": "Two"}')
        public_key = loc.published(project)["publicKey"]

        manifest = loc("GET", f"/content/{public_key}/manifest.json").json
        document = loc("GET", "/openapi.json").json

    assert accepted.headers["Location"].startswith(f"{outside}{project}/jobs/")
    [file] = manifest["files"]
    assert file["url"].startswith(f"{outside}/content/{public_key}/b/")
    assert document["servers"] == [{"url": outside}]


def test_odd_paths_below_the_mount_are_not_found_and_break_nothing(loc):
    for path in ("/projects/", "//projects", "/projects/%00", "/%E2%82%AC", "/.."):
        answer = loc("GET", path)
        assert answer.status == 404, path


def test_a_branch_is_found_by_a_name_with_a_slash_through_the_host(loc):
    project = loc.project()
    loc("POST", f"{project}/branches", json={"name": "feature/x"})

    for slash in ("%2F", "/"):
        found = loc("GET", f"{project}/branches/feature{slash}x")
        diff = loc("GET", f"{project}/branches/feature{slash}x/diff")
        assert found.data["branch"]["name"] == "feature/x"
        assert diff.status == 200
