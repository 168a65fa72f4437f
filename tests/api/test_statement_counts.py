"""How many statements a request costs: the same whatever the page or the project."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace
from tests.databases import statements_of

Ask = Callable[[], Answer]

FEW, MANY = 3, 230
EVENT_ITEMS = 100  # more keys than that are told in several events


class Shop:
    """A project with so many keys, values, jobs and releases."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.public = Client(workspace.app)
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        self.key = workspace.key(self.project, "pay", values={"en": "Pay", "de": "x"})
        workspace.key(self.project, "wrong", values={"en": "1", "de": "2", "fr": "3"})
        body = {"name": "Web", "format": "json-nested", "splitByModule": True}
        path = f"{self.path}/distributions"
        made = self.owner.post(path, json=body).data["distribution"]
        self.one = f"{path}/{made['id']}"
        self.manifest = f"/content/{made['publicKey']}/manifest.json"
        self.webhooks = f"{self.path}/webhooks"
        self.log = f"{self.webhooks}/{self.hook()}/deliveries"
        self._batches = 0
        workspace.run_jobs()

    def grow(self) -> None:
        """Many more of everything that is listed."""
        self.bulk(MANY)
        for _ in range(3):
            self.bulk(1)
            self.owner.post(f"{self.one}/releases", json={})
            self.workspace.run_jobs()
        for number in range(12):
            new = {"name": f"Token {number}", "permissions": ["translation_read"]}
            for path in ("/tokens", f"{self.path}/tokens"):
                assert self.owner.post(path, json=new).status == 201
            self.workspace.project()
            self.workspace.client("viewer")
            self.hook()
            assert self.owner.post(f"{self.log[:-11]}/test").status == 202
        body = {"name": "More", "format": "json-flat"}
        for _ in range(5):
            self.owner.post(f"{self.path}/distributions", json=body)
        self.workspace.run_jobs()

    def hook(self) -> str:
        """The id of a webhook that none of these requests is told to."""
        body = {"url": "https://93.184.215.14/", "eventTypes": ["branch.closed"]}
        made: str = self.owner.post(self.webhooks, json=body).data["webhook"]["id"]
        return made

    def names(self, count: int) -> list[str]:
        """Names that no key has."""
        self._batches += 1
        return [f"batch{self._batches}.key{number}" for number in range(count)]

    def bulk(self, count: int, **more: Any) -> Answer:
        return self.create(self.names(count), **more)

    def create(self, names: list[str], **more: Any) -> Answer:
        keys = [
            {"key": name, "tags": ["bulk"], "values": {"en": name, "de": name}}
            for name in names
        ]
        return self.owner.post(f"{self.path}/keys/bulk", json={"keys": keys, **more})

    def cost(self, ask: Ask, *, status: int = 200) -> int:
        """How many statements the request runs; what is noted beside it apart."""
        framework = self.workspace.framework
        framework._background.submit(lambda: None).result()
        with statements_of(framework.storage) as statements:
            answer = ask()
        assert answer.status == status, answer
        return len(statements)


@pytest.fixture
def shop(workspace: Workspace) -> Shop:
    made = Shop(workspace)
    made.owner.get("/tokens/self")  # notes that the token is used, for a minute
    made.owner.get(f"{made.path}/languages")  # read once for each version
    return made


def lists(shop: Shop) -> dict[str, int]:
    """Every list, and the most statements that it may cost."""
    organization = f"/organizations/{shop.workspace.organization_id}"
    return {
        "/organizations": 3,
        f"{organization}/members": 4,
        "/projects": 3,
        "/tokens": 3,
        f"{shop.path}/tokens": 4,
        f"{shop.path}/languages": 3,
        f"{shop.path}/keys": 5,
        f"{shop.path}/keys?include=values": 6,
        f"{shop.path}/keys?include=values&search=pay": 7,
        f"{shop.path}/keys?tag=bulk&languageCode=de&status=approved": 6,
        f"{shop.path}/keys?isPlural=false&sort=-updatedAt": 6,
        f"{shop.path}/keys?prefix=batch&isOutdated=false": 6,
        f"{shop.path}/keys?hasIssues=true&languageCode=de": 6,
        f"{shop.path}/issues?check=numbers&languageCode=de&severity=warning": 5,
        f"{shop.path}/keys/trash": 4,
        f"{shop.path}/activity": 4,
        f"{shop.path}/jobs": 4,
        f"{shop.path}/distributions": 4,
        f"{shop.one}/releases": 5,
        shop.webhooks: 4,
        shop.log: 6,
        f"{shop.log}?status=pending&eventType=webhook.test": 6,
    }


def test_a_list_costs_the_same_whatever_the_page_and_however_much_there_is(
    shop: Shop,
) -> None:
    def costs(page: int, limit: int) -> dict[str, int]:
        query = {"page": page, "limit": limit}
        return {
            path: shop.cost(lambda path=path: shop.owner.get(path, query=query))
            for path in lists(shop)
        }

    few = costs(1, 200)
    shop.grow()

    many, second = costs(1, 200), costs(2, 100)
    assert many == costs(1, 1)
    for path, most in lists(shop).items():
        assert max(few[path], many[path], second[path]) <= most, path


def test_a_page_by_a_cursor_costs_what_one_by_its_number_does(shop: Shop) -> None:
    def costs(limit: int) -> tuple[int, int]:
        query: dict[str, Any] = {"limit": limit, "include": "values"}
        path = f"{shop.path}/keys"
        first = shop.owner.get(path, query=query).data
        behind = {**query, "cursor": first["nextCursor"]}
        return (
            shop.cost(lambda: shop.owner.get(path, query=query)),
            shop.cost(lambda: shop.owner.get(path, query=behind)),
        )

    shop.grow()

    assert costs(1) == costs(100) == (5, 5)


READS = {
    "/tokens/self": 1,
    "/permissions": 1,
    "/formats": 1,
    "/plugins": 1,
    "/organization": 2,
    "{path}": 2,
    "{path}/languages/de": 3,
    "{path}/statistics": 3,
    "{path}/keys/{key}": 3,
    "{path}/keys/{key}/values/de/history": 6,
    "{path}/keys/{key}/values/de": 6,
    "{one}": 3,
    "{one}/releases/1": 5,
    "{one}/releases/1/diff": 7,
    "/healthz": 0,
}


def test_a_read_costs_the_same_however_much_there_is(shop: Shop) -> None:
    def costs() -> dict[str, int]:
        places = {"path": shop.path, "one": shop.one, "key": shop.key["id"]}
        return {
            path: shop.cost(lambda path=path: shop.owner.get(path.format(**places)))
            for path in READS
        }

    few = costs()
    shop.grow()

    assert costs() == few
    assert {path: cost for path, cost in few.items() if cost > READS[path]} == {}


def test_published_content_costs_two_statements_at_most(shop: Shop) -> None:
    """service.md, content delivery: the manifest 1, a file 2, changed or not."""

    def read(path: str, etag: str | None = None) -> int:
        headers = {} if etag is None else {"If-None-Match": etag}
        status = 200 if etag is None else 304
        get = shop.public.get
        # the quota is read again each few seconds, so at most in one of two
        costs = [
            shop.cost(lambda: get(path, headers=headers), status=status)
            for _ in range(2)
        ]
        return min(costs)

    for _ in range(2):
        first = shop.public.get(shop.manifest)
        file = first.json["files"][0]["url"]

        assert read(shop.manifest) == 1
        assert read(shop.manifest, first.headers["ETag"]) == 1
        assert read(file) == 2
        assert read(file, "*") == 2
        shop.grow()


def test_only_the_first_read_of_a_release_costs_more(shop: Shop) -> None:
    """Its files are read, and, each few seconds, what the organization may have."""
    shop.bulk(MANY)
    shop.owner.post(f"{shop.one}/releases", json={})
    shop.workspace.run_jobs()

    assert shop.cost(lambda: shop.public.get(shop.manifest)) <= 4
    assert shop.cost(lambda: shop.public.get(shop.manifest)) == 1


def test_a_write_of_one_key_costs_the_same_however_much_there_is(shop: Shop) -> None:
    texts = iter(["few", "many"])

    def costs() -> dict[str, int]:
        keys, one = f"{shop.path}/keys", f"{shop.path}/keys/{shop.key['id']}"
        [name, full] = shop.names(2)
        text = next(texts)
        values = {"en": "a", "de": "b", "fr": "c"}
        with_values = {"key": full, "values": values}
        return {
            "POST key": shop.cost(
                lambda: shop.owner.post(keys, json={"key": name}), status=201
            ),
            "POST key with values": shop.cost(
                lambda: shop.owner.post(keys, json=with_values), status=201
            ),
            "PATCH key": shop.cost(
                lambda: shop.owner.patch(one, json={"description": text})
            ),
            "PUT value": shop.cost(
                lambda: shop.owner.put(f"{one}/values/de", json={"value": text})
            ),
            "PUT source value": shop.cost(
                lambda: shop.owner.put(f"{one}/values/en", json={"value": text})
            ),
            "POST revert": shop.cost(
                lambda: shop.owner.post(f"{one}/values/de/revert", json={"revision": 1})
            ),
            "POST key that exists": shop.cost(
                lambda: shop.owner.post(keys, json={"key": name}), status=409
            ),
            "PUT of the same value": shop.cost(
                lambda: shop.owner.put(f"{one}/values/de", json={"value": text})
            ),
        }

    few = costs()
    shop.grow()

    assert costs() == few
    assert few["PUT value"] <= 15
    assert max(few.values()) <= 32  # two ask for glossaries


@pytest.mark.parametrize("what", ["create", "update", "skip", "values"])
def test_a_batch_costs_the_same_however_many_keys_it_has(shop: Shop, what: str) -> None:
    """Also where several events tell of them, a hundred keys each."""

    def cost(count: int) -> int:
        names = shop.names(count)
        if what != "create":
            shop.create(names)
        if what == "values":
            items = [
                {"key": name, "languageCode": "fr", "value": "neu"} for name in names
            ]
            path = f"{shop.path}/values"
            return shop.cost(lambda: shop.owner.put(path, json={"items": items}))
        keys = [
            {"key": name, "description": "x", "values": {"de": "y"}} for name in names
        ]
        body = {"keys": keys, "onExisting": "skip" if what == "skip" else "update"}
        path = f"{shop.path}/keys/bulk"
        return shop.cost(lambda: shop.owner.post(path, json=body))

    few = cost(FEW)
    assert cost(EVENT_ITEMS) == few
    assert cost(500) == few
    # one asks for open branches, two for glossaries; three are of findings, of history
    assert few <= 32


def test_an_export_costs_the_same_however_many_keys_there_are(shop: Shop) -> None:
    def cost(format_id: str, codes: str) -> int:
        query = {"format": format_id, "languageCodes": codes}
        return shop.cost(lambda: shop.owner.get(f"{shop.path}/export", query=query))

    asked = [
        (format_id, codes)
        for format_id in ("json-nested", "json-flat", "gettext-po")
        for codes in ("en", "de", "en,de", "en,de,fr")
    ]
    few = {each: cost(*each) for each in asked}
    shop.grow()

    assert {each: cost(*each) for each in asked} == few
    assert (
        few["json-flat", "en"] <= 11
    )  # one for the files of the language, two for the ETag
    per_language = few["json-flat", "en,de,fr"] - few["json-flat", "en,de"]
    assert per_language <= 5
    assert few["json-flat", "en,de"] - few["json-flat", "en"] == per_language


def test_an_upload_and_a_release_cost_the_same_to_ask_for(shop: Shop) -> None:
    def upload(count: int) -> int:
        texts = dict.fromkeys(shop.names(count), "x")
        file = Upload("en.json", json.dumps(texts).encode(), "application/json")
        path = f"{shop.path}/import"
        return shop.cost(
            lambda: shop.owner.post(path, files={"file": file}), status=202
        )

    def release() -> int:
        shop.bulk(1)
        path = f"{shop.one}/releases"
        found = shop.cost(lambda: shop.owner.post(path, json={}), status=202)
        shop.workspace.run_jobs()
        return found

    upload(1)
    shop.workspace.run_jobs()
    few = upload(FEW), release()
    shop.grow()

    assert (upload(1200), release()) == few
    assert max(few) <= 16


def undo(shop: Shop, where: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """What undoing it costs, and its result."""
    asked = shop.owner.post(f"{shop.path}/activity/revert", json=where)
    with statements_of(shop.workspace.framework.storage) as statements:
        shop.workspace.run_jobs()
    return len(statements), shop.workspace.job_of(asked)["result"]


def imported(shop: Shop, texts: dict[str, str], **options: str) -> dict[str, Any]:
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite"}
    path = f"{shop.path}/import"
    sent = shop.owner.post(path, form=form | options, files={"file": file})
    return shop.workspace.job_of(sent)


def of_values(shop: Shop, count: int) -> tuple[int, int]:
    """What the undo of an import costs, and how many values it brings back."""
    texts = {name: f"{name} of old" for name in shop.names(count)}
    shop.create(list(texts))
    statements, result = undo(shop, {"jobId": imported(shop, texts)["id"]})
    assert result["skipped"] == []
    return statements, result["reverted"]


def of_deleted_keys(shop: Shop, count: int) -> tuple[int, int]:
    replace = {"mode": "replace", "languageCode": "en"}  # as only the source may
    imported(shop, {"stays": "x"}, **replace)
    shop.bulk(count)
    job = imported(shop, {"stays": "x"}, **replace)
    statements, result = undo(shop, {"jobId": job["id"]})
    assert result["skipped"] == []
    return statements, result["keysRestored"]


def of_merged_fields(shop: Shop, count: int) -> tuple[int, int]:
    names = shop.names(count)
    shop.create(names)
    branch, here = {"branch": names[0]}, f"{shop.path}/branches"
    assert shop.owner.post(here, json={"name": names[0]}).status == 201
    update = [{"key": name, "description": "x", "tags": ["y"]} for name in names]
    body = {"keys": update, "onExisting": "update"}
    done = shop.owner.post(f"{shop.path}/keys/bulk", json=body, query=branch)
    assert done.status == 200
    assert shop.owner.post(f"{here}/{names[0]}/merge", json={}).status == 200
    statements, result = undo(shop, {"mergeOf": names[0]})
    assert result["skipped"] == []
    return statements, result["keysUpdated"]


@pytest.mark.parametrize("of", [of_values, of_deleted_keys, of_merged_fields])
def test_an_undo_costs_the_same_however_much_it_brings_back(
    shop: Shop, of: Callable[[Shop, int], tuple[int, int]]
) -> None:
    few, _ = of(shop, FEW)

    for count in (EVENT_ITEMS, 400):
        assert of(shop, count) == (few, count)
