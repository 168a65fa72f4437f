"""docs/reference/delivery.md: manifest, tables and client are what is served."""

import hashlib
import json
from urllib.error import HTTPError

import msgspec
import pytest

from locframework.delivery.records import Manifest, NewDistribution
from locframework.http.operation import camel

from .conftest import served

PAGE = "delivery.md"


@pytest.fixture
def origin(sqlite_workspace):
    """Where the application is served over HTTP."""
    with served(sqlite_workspace.app) as address:
        yield f"http://{address}"


@pytest.fixture
def update(page):
    """The client of the page."""
    [code] = page.blocks("python")
    names = {}
    exec(compile(code, PAGE, "exec"), names)
    return names["update"]


class Web:
    """A distribution split by module, and what is done with it."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.project = workspace.project(languages=["de"])
        workspace.key(self.project, "checkout.pay", values={"de": "Zahlen"})
        workspace.key(self.project, "title", values={"de": "Laden"})
        self.path = f"/projects/{self.project['id']}/distributions"
        body = {"name": "Web", "format": "json-i18next", "splitByModule": True,
                "languageCodes": ["de"]}  # fmt: skip
        made = workspace.owner.post(self.path, json=body).data["distribution"]
        self.path += f"/{made['id']}"
        self.url = f"/api/v1/content/{made['publicKey']}/manifest.json"

    def build(self):
        self.workspace.run_jobs()
        return self

    def act(self, action, **body):
        answer = self.workspace.owner.post(f"{self.path}/{action}", json=body)
        assert answer.status < 300, answer
        self.workspace.run_jobs()
        return answer

    def manifest(self, **headers):
        client = self.workspace.owner.with_token(None)
        return client.get(self.url, headers=headers)


@pytest.fixture
def web(sqlite_workspace):
    return Web(sqlite_workspace).build()


def shape(value):
    """The members of a JSON value, without what they hold."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    return None


def test_the_manifest_example_has_the_fields_that_are_served(page, web):
    [example] = [json.loads(block) for block in page.blocks("json")]

    served = web.manifest().json

    assert msgspec.convert(example, Manifest)
    assert shape(example) == shape(served)
    assert list(example) == list(served)
    assert example["schema"] == served["schema"]
    for part in ("distribution", "project", "format", "release"):
        assert list(example[part]) == list(served[part])


def test_the_content_hash_is_computed_as_described(web):
    manifest = web.manifest().json

    lines = "".join(
        f"{file['language']}\t{file['module'] or ''}\t{file['contentHash']}\n"
        for file in manifest["files"]
    )
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert manifest["release"]["contentHash"] == f"sha256:{digest}"
    assert [file["path"] for file in manifest["files"]] == [
        "de/@root.json",
        "de/checkout.json",
    ]


def test_the_table_has_every_field_of_a_new_distribution_with_its_default(page):
    rows = page.rows(page.sections()["Publish"])

    fields = {
        camel(field.name): None if field.required else json.dumps(field.default)
        for field in msgspec.structs.fields(NewDistribution)
    }
    assert {name: default or None for name, default, _ in rows} == fields


def test_the_table_of_responses_matches_the_service(page, sqlite_workspace):
    rows = page.rows(page.sections()["Answers"])
    told = {int(status): text for status, _, text in rows}
    web = Web(sqlite_workspace)

    building = web.manifest()
    served = web.build().manifest()
    unchanged = web.manifest(**{"If-None-Match": served.headers["ETag"] or ""})
    web.act("pause")
    paused = web.manifest()

    answers = (building, served, unchanged, paused)
    assert [each.status for each in answers] == [202, 200, 304, 404]
    assert building.content.decode() in told[202]
    assert f"Retry-After: {building.headers['Retry-After']}" in told[202]
    assert paused.content.decode() in told[404]
    assert served.headers["X-Service-Release"] == "1"
    assert str(served.headers["Cache-Control"]) in page.text
    exposed = str(served.headers["Access-Control-Expose-Headers"]).split(", ")
    assert all(f"`{name}`" in page.text for name in exposed)


def test_the_client_fetches_only_changed_files(
    update, sqlite_workspace, origin, tmp_path
):
    folder = tmp_path / "texts"
    folder.mkdir()
    web = Web(sqlite_workspace)
    url = origin + web.url

    assert update(url, folder) is False  # before the first release
    assert list(folder.iterdir()) == []
    web.build()
    assert update(url, folder) is True
    assert json.loads((folder / "de/checkout.json").read_bytes()) == {
        "checkout": {"pay": "Zahlen"}
    }
    assert update(url, folder) is False

    (folder / "de/@root.json").write_text("not to be fetched again")
    key = web.workspace.owner.get(
        f"/projects/{web.project['id']}/keys", query={"prefix": "checkout"}
    ).data["items"][0]
    path = f"/projects/{web.project['id']}/keys/{key['id']}/values/de"
    web.workspace.owner.put(path, json={"value": "Bezahlen"})
    web.act("releases")

    assert update(url, folder) is True
    assert b"Bezahlen" in (folder / "de/checkout.json").read_bytes()
    assert (folder / "de/@root.json").read_text() == "not to be fetched again"

    web.act("rollback", version=1)
    assert update(url, folder) is True
    assert b"Bezahlen" not in (folder / "de/checkout.json").read_bytes()

    web.act("pause")
    with pytest.raises(HTTPError, match="404"):
        update(url, folder)


def test_every_action_in_the_table_is_an_operation(page, sqlite_workspace):
    rows = page.rows(page.sections()["Operate"])

    paths = sqlite_workspace.owner.get("/openapi.json").json["paths"]
    known = {path.rpartition("/")[2] for path in paths if "{distributionId}/" in path}
    told = {row[0].partition("`")[0] for row in rows}
    assert told < known
    assert {"releases", "rollback", "pause", "resume", "rotate-key"} == told
