"""``Framework.call``: what HTTP does, for code in the same process."""

import json

import jsonschema_rs
import pytest
from msgspec import Struct

from locframework import OPERATOR, LocError, Upload, hookimpl
from locframework.access.permissions import APPROVALS
from locframework.fields import new_id
from locframework.ports import (
    Caller,
    Raw,
    RawBody,
    RawResponse,
    WriteRefusal,
    operation,
)
from locframework.testing.workspace import open_workspace

from .called import arguments, asked, called, caller_of, kept
from .every_operation import World, rows


class Ear:
    name = "ear"

    def __init__(self):
        self.heard = []

    @hookimpl
    def loc_on_event(self, event):
        self.heard.append(event.type)


@pytest.fixture
def ear():
    return Ear()


@pytest.fixture
def heard_workspace(database_url, tmp_path, ear):
    with open_workspace(
        database_url, tmp_path, plugins=["json", "pseudo", ear]
    ) as workspace:
        yield workspace


class Words(Struct, frozen=True):
    """The number of words of a text."""

    count: int


class Text(Struct, frozen=True):
    """A text."""

    text: str


class Counting:
    """A plugin with operations of its own."""

    name = "my-counter"

    @hookimpl
    def loc_on_start(self, framework):
        self.framework = framework

    @hookimpl
    def loc_provide_endpoints(self):
        return [self]

    @operation("POST", "/projects/{projectId}/words", permission="key_create")
    def count_words(self, caller: Caller, project_id: str, body: Text) -> Words:
        """Count words."""
        return Words(len(body.text.split()))

    @operation(
        "POST", "/projects/{projectId}/notes", permission="key_create", dry_run=True
    )
    def add_note(self, caller: Caller, project_id: str, body: Text) -> Words:
        """Add a key for a text."""
        new = {"key": "noted", "values": {"en": body.text}}
        self.framework.call("createKey", caller, {"projectId": project_id}, new)
        query = {"projectId": project_id, "search": body.text}
        return Words(self.framework.call("listKeys", caller, query)["total"])

    @operation(
        "POST",
        "/raw",
        permission=None,
        raw=(RawResponse(200, "The body", "text/plain"),),
    )
    def echo(self, caller: Caller, body: RawBody) -> Raw:
        """Answer the body."""
        return Raw(body.content, body.content_type)


def infos(workspace):
    return {each.id: each for each in workspace.framework.operations}


def test_every_operation_answers_a_call_as_a_request(workspace):
    first, second = World(workspace, "first"), World(workspace, "fresh")
    workspace.run_jobs()  # the second has run those of the first
    caller = caller_of(workspace, second.owner)
    known = infos(workspace)

    for row in rows(first.owner):
        if row.name in known and row.name != "getOpenapi":  # which has /metrics too
            asks = asked(row, first.owner, first.ids_for(row))
            assert called(workspace, row, caller, second.ids_for(row)) == asks, row.name
    unknown = {row.name for row in rows(first.owner)} - set(known)
    assert unknown == {"getMetrics"}


def test_a_dry_run_answers_what_the_call_would_and_leaves_everything(
    heard_workspace, tmp_path, ear
):
    workspace = heard_workspace
    world = World(workspace, "first")
    caller = caller_of(workspace, world.owner)
    known, tried = infos(workspace), []

    for row in rows(world.owner):
        ids = world.ids_for(row)
        if row.name in known and row.method != "GET":
            before, heard = kept(workspace, tmp_path), len(ear.heard)
            dry = called(workspace, row, caller, ids, dry_run=True)
            assert kept(workspace, tmp_path) == before, row.name
            assert len(ear.heard) == heard, row.name
            real = asked(row, world.owner, ids)
            if known[row.name].can_dry_run:
                assert dry == real, row.name
                tried.append(row.name)
            else:
                assert dry[:2] == [400, "validation_failed"], row.name
                assert f"{row.name} has no dry run: it " in dry[2]
        else:
            asked(row, world.owner, ids)
    assert len(tried) > 70
    assert len(ear.heard) > 30


class Project:
    """A project with a key, and calls in it by one caller."""

    def __init__(self, workspace, caller):
        self.workspace, self.caller = workspace, caller
        self.project = workspace.project(languages=["de", "fr"])
        self.key = workspace.key(self.project, "pay", values={"en": "Pay"})
        self.path = f"/projects/{self.project['id']}"

    def call(self, operation_id, params=(), body=None, **how):
        params = {"projectId": self.project["id"], **dict(params)}
        call = self.workspace.framework.call
        return call(operation_id, self.caller, params, body, **how)

    def statuses(self):
        """The status of each text by key and language, and of its proposal."""
        query = {"include": "values", "limit": 50}
        keys = self.workspace.owner.get(f"{self.path}/keys", query=query).data["items"]
        return {
            (key["key"], value["languageCode"]): value["status"]
            for key in keys
            for value in key["values"]
        }


@pytest.fixture(params=["token", "operator"])
def shop(request, workspace):
    token = caller_of(workspace, workspace.owner)
    return Project(workspace, OPERATOR if request.param == "operator" else token)


def refusal(call, *arguments, **how):
    with pytest.raises(LocError) as refused:
        call(*arguments, **how)
    return refused.value


def test_values_are_proposed(shop):
    at = {"keyId": shop.key["id"], "lang": "de"}
    shop.call("setValue", at, {"value": "Zahlen"}, propose=True)
    items = [{"key": "pay", "languageCode": "fr", "value": "Payer"}]
    shop.call("setValues", {}, {"items": items}, propose=True)
    new = {"key": "cart", "values": {"en": "Cart", "de": "Korb"}}
    shop.call("createKey", {}, new, propose=True)

    proposed = {("pay", "de"), ("pay", "fr"), ("cart", "en"), ("cart", "de")}
    assert shop.statuses() == {
        ("pay", "en"): "approved",
        **dict.fromkeys(proposed, "pending_review"),
    }
    for judge in ("approveValue", "rejectValue"):
        body = {"reason": "no"} if judge == "rejectValue" else {}
        refused = refusal(shop.call, judge, at, body, propose=True)
        assert (refused.status, refused.code) == (403, "permission_denied")
    shop.call("approveValue", at, {})
    assert shop.statuses()["pay", "de"] == "approved"


def test_jobs_that_a_proposing_call_starts_propose(shop):
    workspace = shop.workspace
    file = Upload("fr.json", b'{"pay": "Payer"}', "application/json")
    form = {"file": file, "format": "json-nested", "languageCode": "fr"}

    started = shop.call("startImport", {}, form, propose=True)["job"]

    workspace.run_jobs()
    job = shop.call("getJob", {"jobId": started["id"]})["job"]
    assert (job["status"], job["error"]) == ("succeeded", None)
    assert shop.statuses() == {
        ("pay", "en"): "approved",
        ("pay", "fr"): "pending_review",
    }
    shop.call("startImport", {}, form)
    workspace.run_jobs()
    assert shop.statuses()["pay", "fr"] == "approved"


def test_terms_are_proposed(shop):
    call, caller = shop.workspace.framework.call, shop.caller
    new = {"name": "Terms", "sourceLanguage": "en", "requiresApproval": True}
    glossary = shop.workspace.owner.post("/glossaries", json=new).data["glossary"]
    at = {"glossaryId": glossary["id"]}
    body = {"term": "pier", "translations": {"fr": "quai"}}
    term = call("createTerm", caller, at, body, propose=True)["term"]
    one = {**at, "termId": term["id"], "lang": "de"}
    call("setTermTranslation", caller, one, {"value": "Pier"}, propose=True)
    file = Upload("terms.csv", b"term,de\nquay,Kai\n", "text/csv")
    call("importGlossary", caller, at, {"file": file}, propose=True)
    shop.workspace.run_jobs()

    found = call("listTerms", caller, at)["items"]

    assert [each["term"] for each in found] == ["pier", "quay"]
    texts = [text for each in found for text in each["translations"]]
    assert [text["status"] for text in texts] == ["pending_review"] * 3
    refused = refusal(call, "approveTermTranslation", caller, one, propose=True)
    assert (refused.status, refused.code) == (403, "permission_denied")
    call("approveTermTranslation", caller, one)


def test_translations_of_memories_are_proposed(shop):
    call, caller = shop.workspace.framework.call, shop.caller
    new = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de", "fr"]}
    new |= {"requiresApproval": True}
    made = shop.workspace.owner.post("/translation-memories", json=new).data
    at = {"tmId": made["translationMemory"]["id"]}
    body = {"sourceText": "Pay", "translations": {"fr": "Payer"}}
    entry = call("createEntry", caller, at, body, propose=True)["entry"]
    one = {**at, "entryId": entry["id"], "lang": "de"}
    call("setEntryTranslation", caller, one, {"value": "Zahlen"}, propose=True)
    file = Upload("tm.csv", b"en,de\nBye,Ade\n", "text/csv")
    call("importMemory", caller, at, {"file": file}, propose=True)
    shop.workspace.run_jobs()

    found = call("listEntries", caller, at)["items"]

    texts = [text for each in found for text in each["translations"]]
    assert [text["status"] for text in texts] == ["pending_review"] * 3
    refused = refusal(call, "approveEntryTranslation", caller, one, propose=True)
    assert (refused.status, refused.code) == (403, "permission_denied")
    call("approveEntryTranslation", caller, one)


def test_a_token_made_by_a_proposing_call_cannot_approve(workspace):
    shop = Project(workspace, caller_of(workspace, workspace.owner))

    for caller in (shop.caller, OPERATOR):
        shop.caller = caller
        made = shop.call("createProjectToken", {}, {"name": "ci"}, propose=True)
        permissions = set(made["token"]["permissions"])
        assert "translation_write" in permissions
        assert not permissions & APPROVALS
        asks = {"name": "ci", "permissions": ["translation_approve"]}
        refused = refusal(shop.call, "createProjectToken", {}, asks, propose=True)
        assert refused.code == "permission_denied"


def test_calls_count_as_requests_of_the_caller(workspace):
    shop = Project(workspace, caller_of(workspace, workspace.owner))

    def left():
        answer = workspace.owner.get("/permissions")
        return int(answer.headers["X-RateLimit-Remaining"] or 0)

    before = left()
    shop.call("listKeys")
    at = {"keyId": shop.key["id"], "lang": "de"}
    shop.call("setValue", at, {"value": "Zahlen"}, dry_run=True)
    refusal(shop.call, "getKey", {"keyId": "nothing"})
    assert left() == before - 4

    for _ in range(left()):
        shop.call("listKeys")
    refused = refusal(shop.call, "listKeys")
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert workspace.owner.get("/permissions").status == 429
    workspace.framework.call("listPermissions", OPERATOR)  # counted alone


@pytest.mark.parametrize(
    ("operation", "params", "body", "path", "message"),
    [
        ("createKy", {}, None, "operationId", "did you mean 'createKey'?"),
        ("frobnicate", {}, None, "operationId", "see framework.operations"),
        ("getProject", {"projectId": None}, None, "params.projectId", "is required"),
        ("getProject", {"projctId": "a"}, None, "params.projectId", "is required"),
        ("getProject", {"projectId": "a/b"}, None, "params.projectId", "slashes"),
        ("getProject", {"projectId": ""}, None, "params.projectId", "not empty"),
        ("getProject", {"projectId": ["a", "b"]}, None, "params.projectId", "one text"),
        ("getProject", {"projectId": {}}, None, "params.projectId", "a text, a number"),
        ("listProjects", {"limt": 2}, None, "query.limt", "did you mean 'limit'?"),
        ("listProjects", {"limit": 0}, None, "query.limit", ">= 1"),
        ("listProjects", {}, {}, "body", "belong into params"),
        ("createProject", {}, {"nam": "x"}, "$.nam", "did you mean 'name'?"),
        ("createProject", {"name": "x"}, {}, "query.name", "unknown field 'name'"),
        ("addFile", {"projectId": "a"}, b"", "body", "fields of the form"),
        ("addFile", {"projectId": "a"}, {1: 2}, "form", "the name 1 is no text"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(
    sqlite_workspace, operation, params, body, path, message
):
    caller = caller_of(sqlite_workspace, sqlite_workspace.owner)

    refused = refusal(sqlite_workspace.framework.call, operation, caller, params, body)

    assert (refused.status, refused.code) == (400, "validation_failed")
    assert refused.details[0].path == path
    assert message in refused.details[0].message


@pytest.mark.parametrize(
    "body", [{"name": float("nan")}, {"name": "\ud800"}, {"name": {1, 2}}, None]
)
def test_what_is_no_json_is_refused(sqlite_workspace, body):
    caller = caller_of(sqlite_workspace, sqlite_workspace.owner)

    refused = refusal(
        sqlite_workspace.framework.call, "createProject", caller, {}, body
    )

    assert (refused.status, refused.code) == (400, "invalid_json")


def test_404_and_403_come_before_faults_of_the_body(workspace):
    call = workspace.framework.call
    viewer = caller_of(workspace, workspace.client("viewer"))
    project = workspace.project()

    fault = {"nothing": "that exists"}
    absent = {"projectId": new_id()}
    assert refusal(call, "createKey", viewer, absent, fault).status == 404
    here = {"projectId": project["id"]}
    assert refusal(call, "createKey", viewer, here, fault).status == 403


class Asks:
    """Makes a dry run of its own when it is asked about another one."""

    name = "asks"

    def __init__(self):
        self.at, self.seen = None, []

    @hookimpl
    def loc_decide_write(self, caller, change):
        if self.at is None or change.kind == "key":
            return None
        dry = self.framework.call("listKeys", caller, self.at, dry_run=True)
        self.seen.append(dry["total"])
        return WriteRefusal("not this") if "bad" in change.after else None


def test_vetoes_are_asked_and_may_make_dry_runs(database_url, tmp_path):
    asks = Asks()
    with open_workspace(database_url, tmp_path, plugins=[asks]) as workspace:
        asks.framework = workspace.framework
        shop = Project(workspace, caller_of(workspace, workspace.owner))
        at = {"keyId": shop.key["id"], "lang": "de"}
        before = kept(workspace, tmp_path)

        asks.at = {"projectId": shop.project["id"]}
        shop.call("setValue", at, {"value": "Zahlen"}, dry_run=True)
        refused = refusal(shop.call, "setValue", at, {"value": "bad"}, dry_run=True)
        assert refused.code == "write_refused"
        assert kept(workspace, tmp_path) == before

        path = f"{shop.path}/keys/bulk"
        body = {"keys": [{"key": "cart", "values": {"en": "Cart"}}]}
        headers = {"Idempotency-Key": "once"}
        for _ in range(2):
            made = workspace.owner.post(path, json=body, headers=headers)
            assert made.status == 200
        assert made.headers["Idempotency-Replayed"] == "true"
        assert len(asks.seen) == 3
        assert set(shop.statuses()) == {("pay", "en"), ("cart", "en")}


def test_a_dry_run_inside_a_transaction_is_refused(workspace):
    shop = Project(workspace, OPERATOR)
    storage = workspace.framework.storage

    with storage.transaction():
        shop.call("createKey", {}, {"key": "kept"})
        with pytest.raises(RuntimeError, match="inside a transaction"):
            shop.call("createKey", {}, {"key": "tried"}, dry_run=True)

    keys = shop.call("listKeys", {"sort": "key"})["items"]
    assert [each["key"] for each in keys] == ["kept", "pay"]


def test_operations_are_listed_with_complete_schemas(workspace):
    document = workspace.owner.get("/openapi.json").json
    written = {
        each["operationId"]: (path, method.upper(), each)
        for path, methods in document["paths"].items()
        for method, each in methods.items()
    }
    del written["getMetrics"]

    operations = workspace.framework.operations

    assert workspace.framework.operations is operations
    called = workspace.framework.call("getOpenapi", OPERATOR)
    assert (
        json.loads(called.content)["paths"]["/tokens"] == document["paths"]["/tokens"]
    )
    assert sorted(each.id for each in operations) == sorted(written)
    for each in operations:
        path, method, told = written[each.id]
        assert (each.path, each.method) == (path, method)
        assert (each.summary, [each.tag]) == (told["summary"], told["tags"])
        assert each.permission == (told.get("x-permission") or None)
        assert each.plugin is None
        for schema in (each.parameters, each.body, each.answer):
            if schema is not None:
                jsonschema_rs.validator_for(schema)  # all that it refers to is there


def test_operations_of_plugins_are_called_alike(database_url, tmp_path):
    with open_workspace(database_url, tmp_path, plugins=[Counting()]) as workspace:
        known = infos(workspace)
        shop = Project(workspace, caller_of(workspace, workspace.owner))
        viewer = Project(workspace, caller_of(workspace, workspace.client("viewer")))
        text, at = {"text": "two words"}, {"projectId": shop.project["id"]}
        before = kept(workspace, tmp_path)

        assert shop.call("myCounterCountWords", {}, text) == {"count": 2}
        assert shop.call("myCounterAddNote", {}, text, dry_run=True) == {"count": 1}
        assert kept(workspace, tmp_path) == before
        assert shop.call("myCounterAddNote", {}, text) == {"count": 1}
        assert refusal(viewer.call, "myCounterAddNote", at, text).status == 403
        dry = refusal(shop.call, "myCounterCountWords", {}, text, dry_run=True)
        assert "it does not declare dry_run=True" in dry.message
        call = workspace.framework.call
        raw = call("myCounterEcho", shop.caller, {}, b"bytes")
        assert (raw.content, raw.content_type) == (b"bytes", "application/octet-stream")
        assert call("myCounterEcho", shop.caller, {}, {"a": 1}).content == b'{"a":1}'

        info = known["myCounterAddNote"]
        assert info.path == "/plugins/my-counter/projects/{projectId}/notes"
        assert (info.plugin, info.permission) == ("my-counter", "key_create")
        jsonschema_rs.validate(info.body, text)
        assert {name for name, each in known.items() if each.plugin} == {
            "myCounterCountWords",
            "myCounterAddNote",
            "myCounterEcho",
        }


def test_answers_fit_the_schemas_of_their_operations(workspace):
    world = World(workspace, "first")
    caller = caller_of(workspace, world.owner)
    known, fitted = infos(workspace), 0

    for row in rows(world.owner):
        info = known.get(row.name)
        if info is None or info.answer is None:
            continue
        params, body = arguments(row, world.ids_for(row))
        jsonschema_rs.validate(info.parameters, params)
        if info.body is not None and row.files is None:
            jsonschema_rs.validate(info.body, body or {})
        try:
            answer = workspace.framework.call(row.name, caller, params, body)
        except LocError:
            continue
        jsonschema_rs.validate(info.answer, answer)
        fitted += 1
    assert fitted > 120
