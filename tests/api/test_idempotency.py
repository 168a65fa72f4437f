"""Idempotency-Key: what is sent again is answered again, and not done again."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from locframework.fields import system_clock
from locframework.http.records import Upload
from locframework.testing.workspace import open_workspace
from tests.databases import statements_of

THREADS = 20
KEY = {"Idempotency-Key": "order-4711"}


class Shop:
    """A project, and how many of each thing it has."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"

    def create(self, client=None, **how):
        body = how.pop("body", {"key": "pay", "values": {"en": "Pay"}})
        headers = how.pop("headers", KEY)
        path = how.pop("path", f"{self.path}/keys")
        return (client or self.owner).post(path, json=body, headers=headers, **how)

    def count(self, what):
        return self.owner.get(f"{self.path}/{what}").data["total"]


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def replayed(answer):
    return answer.headers["Idempotency-Replayed"] == "true"


def test_the_same_request_gets_the_first_answer_again(shop):
    first = shop.create()

    again = shop.create()

    assert (first.status, again.status) == (201, 201)
    assert first.headers["Idempotency-Replayed"] is None
    assert replayed(again)
    assert again.content == first.content
    for name in ("Content-Type", "Cache-Control"):
        assert again.headers[name] == first.headers[name]
    assert shop.count("keys") == 1


def test_an_answer_is_the_first_even_when_the_thing_has_changed(shop):
    first = shop.create()
    key_id = first.data["key"]["id"]
    assert shop.owner.delete(f"{shop.path}/keys/{key_id}").status == 200

    again = shop.create()

    assert again.content == first.content
    assert shop.count("keys") == 0


def test_how_a_body_is_written_is_no_difference(shop):
    shop.create(body={"key": "pay", "values": {"en": "Pay", "de": "Zahlen"}})
    written = b'{ "values": {"de": "Zahlen", "en": "Pay"},\n "key": "pay" }'
    headers = {**KEY, "Content-Type": "application/json"}

    again = shop.owner.post(f"{shop.path}/keys", content=written, headers=headers)

    assert replayed(again)


@pytest.mark.parametrize(
    "other",
    [
        {"body": {"key": "sell"}},
        {"path": "{path}/branches", "body": {"name": "pay"}},
        {"query": {"branch": "spring"}},
    ],
)
def test_another_request_with_the_key_is_refused(shop, other):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.create()
    if "path" in other:
        other = {**other, "path": other["path"].format(path=shop.path)}

    refused = shop.create(**other)

    assert (refused.status, refused.error["code"]) == (409, "idempotency_conflict")
    assert refused.headers["Idempotency-Replayed"] is None
    assert (shop.count("keys"), shop.count("branches")) == (1, 1)


def test_keys_of_two_tokens_do_not_meet(shop):
    other = shop.workspace.client("owner")
    first = shop.create()

    theirs = shop.create(other, body={"key": "sell"})

    assert theirs.status == 201
    assert theirs.data["key"]["id"] != first.data["key"]["id"]
    assert shop.create(other).error["code"] == "idempotency_conflict"


def test_a_refusal_is_not_kept(shop):
    denied = shop.create(shop.workspace.client("viewer"))
    wrong = shop.create(body={"key": "a..b"})
    absent = shop.create(query={"branch": "spring"})
    unread = shop.create(body={"key": 1})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})

    made = shop.create(query={"branch": "spring"})

    statuses = [each.status for each in (denied, wrong, absent, unread, made)]
    assert statuses == [403, 400, 404, 400, 201]


def test_who_may_not_see_it_any_more_is_not_answered_from_memory(shop):
    workspace = shop.workspace
    manager = workspace.client("manager")
    assert shop.create(manager).status == 201
    path = f"/organizations/{workspace.organization_id}/members"
    [member] = [
        each
        for each in workspace.owner.get(path).data["items"]
        if each["role"] == "manager"
    ]
    workspace.owner.patch(f"{path}/{member['id']}", json={"role": "viewer"})

    denied = shop.create(manager)
    workspace.owner.patch(f"{path}/{member['id']}", json={"projectIds": []})
    workspace.owner.delete(f"{path}/{member['id']}")
    hidden = shop.create(manager)

    assert denied.error["code"] == "permission_denied"
    assert hidden.status in (401, 404)


def test_a_cancelled_job_of_a_project_out_of_sight_is_not_told_from_memory(shop):
    workspace, owner = shop.workspace, shop.owner
    manager = workspace.client("manager")
    path = f"/organizations/{workspace.organization_id}/members?sort=-createdAt"
    member = owner.get(path).data["items"][0]
    files = {"file": Upload("en.json", b'{"a": "A"}', "application/json")}
    job = owner.post(f"{shop.path}/import", files=files).data["job"]
    cancel = f"{shop.path}/jobs/{job['id']}/cancel"
    assert manager.post(cancel, headers=KEY).status == 200
    assert replayed(manager.post(cancel, headers=KEY))

    bound = {"projectIds": []}
    owner.patch(f"{path.partition('?')[0]}/{member['id']}", json=bound)

    assert manager.post(cancel, headers=KEY).error["code"] == "project_not_found"


@pytest.mark.parametrize("key", ["", "a b", "ä", "x" * 256, "a\tb", "a\x7f"])
def test_what_is_no_key_is_refused(shop, key):
    refused = shop.create(headers={"Idempotency-Key": key})

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"] == "header.Idempotency-Key"
    assert shop.count("keys") == 0


def test_the_longest_key_and_every_visible_sign_are_one(shop):
    signs = "".join(map(chr, range(0x21, 0x7F)))
    for number, key in enumerate([signs, "x" * 255, "-"]):
        body = {"key": f"k{number}"}
        headers = {"Idempotency-Key": key}

        assert shop.create(body=body, headers=headers).status == 201
        assert replayed(shop.create(body=body, headers=headers))


def test_other_methods_take_no_notice(shop):
    key = shop.create().data["key"]
    path = f"{shop.path}/keys/{key['id']}"

    for text in ("one", "two"):
        changed = shop.owner.patch(path, json={"description": text}, headers=KEY)
        assert changed.data["key"]["description"] == text
    assert shop.owner.get(path, headers={"Idempotency-Key": "a b"}).status == 200


def test_a_secret_is_answered_once_and_kept_nowhere(shop):
    body = {"name": "ci"}
    for path in ("/tokens", f"{shop.path}/tokens"):
        headers = {"Idempotency-Key": path}
        first = shop.owner.post(path, json=body, headers=headers)

        again = shop.owner.post(path, json=body, headers=headers)

        assert (first.status, again.status) == (201, 409)
        assert again.error["code"] == "idempotency_conflict"
        assert "only once" in again.error["message"]
        secret = first.data["secret"]
        assert shop.owner.with_token(secret).get("/tokens/self").status == 200
        assert secret.encode() not in again.content
        owner = f"token:{_token_id(shop.owner)}"
        kept = shop.workspace.framework.storage.idempotency.find(owner, path, "2000")
        assert kept is not None
        assert kept.content is None
    names = [each["name"] for each in shop.owner.get("/tokens").data["items"]]
    assert names.count("ci") == 1


def _token_id(client):
    return client.get("/tokens/self").data["token"]["id"]


def test_every_answer_with_a_secret_says_so(shop):
    """So that none is kept in clear for an Idempotency-Key."""
    described = shop.owner.get("/openapi.json").json
    schemas = described["components"]["schemas"]

    def shows(schema):
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
        return any("secret" in name.lower() for name in schema.get("properties", {}))

    told = {}
    for path, methods in described["paths"].items():
        post = methods.get("post")
        if post is None or post.get("security") == []:
            continue
        for status, answer in post["responses"].items():
            if status < "300" and "content" in answer:
                media = answer["content"]["application/json"]["schema"]
                if shows(media["properties"]["data"]):
                    [header] = [
                        each
                        for each in post["parameters"]
                        if each["name"] == "Idempotency-Key"
                    ]
                    told[path] = "secret" in header["description"]

    assert "/tokens" in told
    assert [path for path, said in told.items() if not said] == []


def upload(shop, text, **how):
    file = Upload("en.json", json.dumps({"pay": text}).encode(), "application/json")
    form = {"format": "json-flat", "languageCode": "en"}
    path = f"{shop.path}/import"
    how = {"headers": KEY, **how}
    return shop.owner.post(path, form=form, files={"file": file}, **how)


def test_an_upload_is_told_by_what_it_holds(shop):
    """The client's boundaries are other ones each time."""
    first = upload(shop, "Pay")

    again, other = upload(shop, "Pay"), upload(shop, "Sell")

    assert (first.status, again.status, other.status) == (202, 202, 409)
    assert replayed(again)
    assert again.content == first.content
    for name in ("Location", "Retry-After"):
        assert again.headers[name] == first.headers[name]
    assert first.headers["Location"] is not None
    assert shop.count("jobs") == 1


def test_what_an_upload_needs_in_time_stands_outside_the_transaction(shop):
    """A file that is put in a transaction would be lost sight of with it."""
    blobs = shop.workspace.framework.blobs
    depths = []
    put = blobs.put_all

    def watched(*args, **more):
        database = shop.workspace.framework.storage.database
        depths.append(database._sessions.here.session.depth)
        return put(*args, **more)

    blobs.put_all = watched
    upload(shop, "Pay")

    assert depths == [0]


def cost(shop, ask):
    shop.workspace.framework._background.submit(lambda: None).result()
    with statements_of(shop.workspace.framework.storage) as statements:
        assert ask().status < 300
    return len(statements)


def test_a_key_costs_three_statements_at_most(shop):
    shop.create(body={"key": "first"}, headers={})
    without = cost(shop, lambda: shop.create(body={"key": "a"}, headers={}))
    with_key = cost(shop, lambda: shop.create(body={"key": "b"}))
    again = cost(shop, lambda: shop.create(body={"key": "b"}))
    sent = cost(shop, lambda: upload(shop, "Pay", headers={}))
    other = {"Idempotency-Key": "another"}
    sent_with_key = cost(shop, lambda: upload(shop, "Sell", headers=other))

    assert with_key - without == 3
    assert again <= 5
    assert sent_with_key - sent <= 3


@pytest.mark.parametrize("what", ["key", "token", "import"])
def test_of_many_at_once_one_is_done(shop, what):
    def once():
        if what == "token":
            return shop.owner.post("/tokens", json={"name": "ci"}, headers=KEY)
        return shop.create() if what == "key" else upload(shop, "Pay")

    def ask(_):
        answer = once()
        while answer.status == 503:  # it waited for too long: what clients do then
            answer = once()
        return answer

    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(ask, range(THREADS)))

    first = [a for a in answers if a.status < 300 and not replayed(a)]
    assert len(first) == 1
    if what == "token":
        assert sum(answer.status == 409 for answer in answers) == THREADS - 1
        names = [each["name"] for each in shop.owner.get("/tokens").data["items"]]
        assert names.count("ci") == 1
    else:
        assert {answer.content for answer in answers} == {first[0].content}
        assert shop.count("keys" if what == "key" else "jobs") == 1


@pytest.mark.parametrize("path", ["keys", "keys/bulk"])
def test_what_another_has_done_while_it_was_planned_is_answered_again(
    shop, monkeypatch, path
):
    new = {"key": "pay"}
    asked = {
        "path": f"{shop.path}/{path}",
        "body": new if path == "keys" else {"keys": [new]},
    }
    store, others = shop.workspace.framework.storage.idempotency, []
    find = store.find

    def find_too_early(*of):
        found = find(*of)
        if not others:
            others.append(None)
            others[0] = shop.create(**asked)
        return found

    monkeypatch.setattr(store, "find", find_too_early)

    answer = shop.create(**asked)

    assert replayed(answer)
    assert not replayed(others[0])
    assert answer.content == others[0].content


def test_an_answer_is_kept_for_a_day_and_then_purged(database_url, tmp_path):
    late = timedelta(0)
    with open_workspace(
        database_url, tmp_path, clock=lambda: system_clock() + late
    ) as workspace:
        shop = Shop(workspace)
        first = shop.create()
        late = timedelta(hours=23, minutes=59)
        assert replayed(shop.create())

        late = timedelta(hours=24, minutes=1)
        taken = shop.create()
        other = shop.create(body={"key": "sell"})
        again = shop.create(body={"key": "sell"})

        assert (first.status, taken.error["code"]) == (201, "key_exists")
        assert (other.status, replayed(again)) == (201, True)

        owner = f"token:{_token_id(shop.owner)}"
        store = workspace.framework.storage.idempotency
        shop.create(body={"key": "old"}, headers={"Idempotency-Key": "old"})
        late = timedelta(hours=48, minutes=2)
        shop.create(body={"key": "new"}, headers={"Idempotency-Key": "new"})
        workspace.framework._purge()
        assert store.find(owner, "old", "2000") is None
        assert store.find(owner, "new", "2000") is not None
