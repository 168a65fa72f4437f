"""ETag on single reads, If-None-Match, and If-Match on writes (decisions 2.1.6)."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from locframework.testing.client import patiently

OLD = '"0123456789abcdef0123456789abcdef"'


class Shop:
    """A project with one of everything that can be read on its own and changed."""

    def __init__(self, workspace):
        self.owner = workspace.owner
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        key = workspace.key(self.project, "pay", values={"en": "Pay", "de": "x"})
        self.key = f"{self.path}/keys/{key['id']}"
        body = {"name": "Web", "format": "json-nested"}
        made = self.owner.post(f"{self.path}/distributions", json=body)
        self.distribution = (
            f"{self.path}/distributions/{made.data['distribution']['id']}"
        )
        workspace.run_jobs()
        organization = f"/organizations/{workspace.organization_id}"
        self.changes = [
            ("PATCH", "/organization", {"name": "Skerry"}),
            ("PATCH", organization, {"tmEnabled": False}),
            ("PATCH", self.path, {"description": "new"}),
            ("PATCH", f"{self.path}/languages/de", {"label": "Deutsch!"}),
            ("PATCH", self.distribution, {"name": "Shop"}),
            ("PATCH", self.key, {"description": "new"}),
            ("PUT", f"{self.key}/values/de", {"value": "Zahlen"}),
        ]
        self.deletes = [
            self.distribution,
            f"{self.path}/languages/fr",
            self.key,
            self.path,
        ]

    def etag(self, path):
        tag = self.owner.get(path).headers["ETag"]
        assert tag is not None
        return tag

    def ask(self, method, path, etag, **how):
        return self.owner.request(method, path, headers={"If-Match": etag}, **how)


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def test_a_single_read_has_an_etag_that_spares_the_next_one(shop):
    for path in {path for _, path, _ in shop.changes} | {"/tokens/self"}:
        first = shop.owner.get(path)
        headers = {"If-None-Match": f'"x", W/{first.headers["ETag"]}'}

        again = shop.owner.get(path, headers=headers)

        assert (first.status, again.status) == (200, 304), path
        assert again.content == b""
        assert again.headers["Content-Type"] is None
        assert again.headers["ETag"] == first.headers["ETag"]
        assert again.headers["X-RateLimit-Limit"] == "600"


def test_a_list_has_no_etag(shop):
    for path in ("/projects", f"{shop.path}/keys", f"{shop.path}/languages"):
        assert shop.owner.get(path).headers["ETag"] is None


def test_a_write_passes_with_the_etag_of_the_state_and_no_other(shop):
    for method, path, body in shop.changes:
        before = shop.owner.get(path)

        late = shop.ask(method, path, f"{OLD}, W/{before.headers['ETag']}", json=body)
        assert (late.status, late.error["code"]) == (412, "precondition_failed"), path
        assert shop.owner.get(path).content == before.content

        etag = before.headers["ETag"] or ""
        assert shop.ask(method, path, f"{OLD}, {etag}", json=body).status == 200, path
        assert shop.etag(path) != etag
        again = shop.ask(method, path, etag, json=body)
        assert again.status == 412, path
        assert shop.ask(method, path, "*", json=body).status == 200, path


def test_an_etag_in_the_answer_of_a_write_is_that_of_the_next_read(shop):
    tagged = set()
    for method, path, body in shop.changes:
        answer = shop.owner.request(
            method, path, json=body, headers={"If-None-Match": "*"}
        )
        assert answer.status == 200
        if answer.headers["ETag"] is not None:
            assert answer.headers["ETag"] == shop.etag(path), path
            tagged.add(path)
    # a key is changed without its values being read, a value answers its key
    assert {path for _, path, _ in shop.changes} - tagged == {
        shop.key,
        f"{shop.key}/values/de",
    }


def test_nothing_is_deleted_in_another_state(shop):
    for path in shop.deletes:
        etag = shop.etag(path)

        assert shop.ask("DELETE", path, OLD).status == 412
        assert shop.etag(path) == etag
        assert shop.ask("DELETE", path, etag).status == 200
        assert shop.owner.get(path).status == 404


def test_the_etag_of_a_value_is_not_touched_by_another_language(shop):
    de, fr = f"{shop.key}/values/de", f"{shop.key}/values/fr"
    etag, of_key = shop.etag(de), shop.etag(shop.key)

    shop.owner.put(fr, json={"value": "Payer"})

    assert shop.ask("PUT", de, etag, json={"value": "neu"}).status == 200
    assert shop.ask("PATCH", shop.key, of_key, json={"tags": ["x"]}).status == 412


def test_a_first_text_can_be_written_only_if_there_is_none_yet(shop):
    fr = f"{shop.key}/values/fr"
    empty = shop.etag(fr)

    first = shop.ask("PUT", fr, empty, json={"value": "Payer"})
    second = shop.ask("PUT", fr, empty, json={"value": "Régler"})

    assert (first.status, second.status) == (200, 412)
    assert shop.owner.get(fr).data["value"]["value"] == "Payer"


def test_what_has_no_etag_is_not_written_under_a_condition(workspace, shop):
    organization = f"/organizations/{workspace.organization_id}"
    new = {"email": "anna@example.com", "role": "viewer"}
    made = shop.owner.post(f"{organization}/members", json=new).data["member"]
    member = f"{organization}/members/{made['id']}"
    items = [{"key": "pay", "languageCode": "de", "value": "neu"}]

    refused = [
        shop.ask("PATCH", member, "*", json={"role": "owner"}),
        shop.ask("DELETE", member, "*"),
        shop.ask("PUT", f"{shop.path}/values", "*", json={"items": items}),
    ]

    assert {answer.status for answer in refused} == {412}
    assert shop.owner.get(f"{organization}/members").data["items"][0] == made
    assert shop.owner.get(f"{shop.key}/values/de").data["value"]["value"] == "x"


def test_who_may_not_write_is_told_so_whatever_the_etag(workspace, shop):
    viewer, stranger = workspace.client("viewer"), workspace.organization("Other")[1]
    mute = workspace.client("translator", permissions=["translation_write"])
    path, headers = f"{shop.key}/values/de", {"If-Match": OLD}
    ask = {"json": {"value": "neu"}, "headers": headers}

    assert viewer.put(path, **ask).status == 403
    assert stranger.put(path, **ask).status == 404
    refused = mute.put(path, **ask)  # may write, and may not read what is there
    assert refused.status == 403
    assert refused.error["details"] == {"required": "translation_read"}
    assert shop.ask("PUT", path, OLD, json={"value": 7}).status == 400
    absent = f"{shop.path}/keys/{shop.project['id']}/values/de"
    assert shop.ask("PUT", absent, "*", json={"value": "neu"}).status == 404


@pytest.mark.parametrize("shape", ["W/{}", "w/{}", "x{}", "{}x"])
def test_a_tag_that_no_state_can_have_is_told_to_be_none(shop, shape):
    path = f"{shop.key}/values/de"

    refused = shop.ask("PUT", path, shape.format(shop.etag(path)), json={"value": "y"})
    late = shop.ask("PUT", path, OLD, json={"value": "y"})

    assert (refused.status, late.status) == (412, 412)
    assert "in double quotes, without W/" in refused.error["message"]
    assert "read it again" in late.error["message"]


def test_what_is_no_tag_spares_no_answer(shop):
    etag = shop.etag(shop.key)

    for header, status in ((f"W/{etag}", 304), (f"w/{etag}", 200), (f"{etag}x", 200)):
        answer = shop.owner.get(shop.key, headers={"If-None-Match": header})
        assert answer.status == status, header


def test_of_fifty_writers_with_one_etag_one_wins_each_round(shop):
    path = f"{shop.key}/values/de"
    for written in range(2, 6):
        etag, start = shop.etag(path), Barrier(50)

        def write(number, etag=etag, start=start):
            start.wait(60)
            body = {"value": f"{etag} {number}"}
            return patiently(lambda: shop.ask("PUT", path, etag, json=body))

        with ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(write, range(50)))

        statuses = Counter(answer.status for answer in answers)
        assert statuses == {200: 1, 412: 49}
        assert shop.owner.get(path).data["value"]["revision"] == written


def test_without_if_match_the_last_writer_wins(shop):
    path = f"{shop.key}/values/de"
    client = shop.owner

    def write(number):
        return patiently(lambda: client.put(path, json={"value": str(number)}))

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(write, range(20)))

    assert {answer.status for answer in answers} == {200}
    assert client.get(path).data["value"]["revision"] == 21


def test_an_endpoint_says_which_headers_it_knows(shop):
    paths = shop.owner.get("/openapi.json").json["paths"]

    def headers(path, method):
        parameters = paths[path][method].get("parameters", [])
        return [each["name"] for each in parameters if each["in"] == "header"]

    one = "/projects/{projectId}/keys/{keyId}"
    assert headers(one, "get") == ["If-None-Match"]
    assert "ETag" in paths[one]["get"]["responses"]["200"]["headers"]
    assert "304" in paths[one]["get"]["responses"]
    assert headers(one, "patch") == headers(one, "delete") == ["If-Match"]
    assert "412" in paths[one]["patch"]["responses"]
    term = "/glossaries/{glossaryId}/terms/{termId}/translations/{lang}"
    assert headers(term, "put") == headers(term, "delete") == ["If-Match"]
    assert "ETag" in paths[term]["put"]["responses"]["200"]["headers"]
    assert headers("/projects/{projectId}/keys", "get") == []
    assert headers("/projects/{projectId}/values", "put") == []
