"""Endpoints of plugins: operations like the core's, and raw ones."""

from __future__ import annotations

import logging
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, field

from locframework import Framework, PluginError, Settings, hookimpl
from locframework.ports import (
    Accepted,
    Caller,
    LocError,
    Page,
    PageRequest,
    Prepared,
    Raw,
    RawBody,
    RawResponse,
    RequestInfo,
    Wrapped,
    operation,
)
from locframework.testing.client import Client

HERE = "/plugins/my-digest"


class NoReceiver(LocError, status=409):
    """The project has no address to send to."""


class Key(Struct, frozen=True):
    """Named as a type of the core."""

    name: Annotated[str, Meta(min_length=1)]


class Sending(Struct, frozen=True, rename="camel"):
    """What to send."""

    dry_run: bool = False
    keys: list[Key] = field(default_factory=list)


class Sent(Struct, frozen=True, rename="camel"):
    """What was sent."""

    project_id: str
    sender: str
    keys: list[Key]


class DigestPlugin:
    """Has an operation of every kind."""

    name = "my-digest"

    def __init__(self) -> None:
        self.level = 1
        self.sent: list[Any] = []

    @hookimpl
    def loc_on_start(self, framework: Framework) -> None:
        self._framework = framework

    @hookimpl
    def loc_provide_endpoints(self) -> list[object]:
        return [self]

    @operation(
        "POST",
        "/projects/{projectId}/send",
        permission="webhook_manage",
        errors=(NoReceiver,),
    )
    def send_now(
        self, caller: Caller, project_id: str, body: Sending
    ) -> Annotated[Sent, Wrapped("sent")]:
        """Send the digest of a project.

        At once.
        """
        if body.dry_run:
            raise NoReceiver("the project has no address to send to")
        self.sent.append(project_id)
        return Sent(project_id, caller.actor.id, body.keys)

    @operation("GET", "/projects/{projectId}/sent", permission=None, tag="History")
    def list_sent(self, project_id: str, query: PageRequest) -> Page[Sent]:
        """List what was sent."""
        return Page([], 0, query.page, query.limit)

    @operation("GET", "/level", permission="project_read")
    def get_level(self) -> Annotated[int, Wrapped("level")]:
        """Get the level."""
        return self.level

    @operation("PUT", "/level", permission="project_update", etag=True)
    def set_level(self, body: Key) -> Annotated[int, Wrapped("level")]:
        """Set the level."""
        self.level = len(body.name)
        return self.level

    @operation("POST", "/organizations/{organizationId}/sum", permission="audit_read")
    def sum_up(self, organization_id: str) -> Accepted[Key]:
        """Sum up."""
        return Accepted(Key(organization_id), "/projects")

    @operation(
        "POST",
        "/talk",
        permission=None,
        body_limit=100,
        short_path="/talk",
        raw=(RawResponse(200, "The same", "text/plain"),),
    )
    def talk(self, caller: Caller, body: RawBody, request: RequestInfo) -> Raw:
        """Say what was said."""
        assert "authorization" not in request.headers
        said = f"{body.content_type}|{request.headers['x-mine']}|".encode()
        return Raw(said + body.content, "text/plain; charset=utf-8", 202)

    @operation("POST", "/hook", public=True)
    def receive(self, body: RawBody) -> Raw:
        """Receive what others send."""
        self.sent.append(body)
        return Raw(b"", None, 204)

    @operation("GET", "/slow", permission="project_read")
    def get_slow(self) -> Key:
        """Get."""
        return Key("slow")

    @operation("PUT", "/slow", permission="project_update")
    def prepare(self) -> Prepared[Key]:
        """Do what takes long before the transaction."""
        self.sent.append(self._in_transaction())
        return Prepared(lambda: Key(self._in_transaction()))

    def _in_transaction(self) -> str:
        try:
            self._framework.storage.before_commit("it", lambda: lambda: None)
        except RuntimeError:
            return "outside"
        return "inside"

    @operation("GET", "/broken", permission=None)
    def get_broken(self) -> Key:
        """Fail."""
        raise RuntimeError("secret of the plugin")


@pytest.fixture
def plugin():
    return DigestPlugin()


@pytest.fixture
def here(keys_with, plugin):
    """A project where the plugin is installed."""
    return keys_with(plugin)


def urls(keys, path):
    return f"{HERE}/projects/{keys.project['id']}{path}"


def test_an_operation_is_served_below_the_name_of_the_plugin(here, plugin):
    project = here.project

    sent = here.owner.post(urls(here, "/send"), json={"keys": [{"name": "a"}]})
    listed = here.owner.get(urls(here, "/sent"), query={"limit": "5"})

    assert sent.data == {
        "sent": {
            "projectId": project["id"],
            "sender": here.owner.get("/tokens/self").data["token"]["userId"],
            "keys": [{"name": "a"}],
        }
    }
    assert listed.data["limit"] == 5
    assert (sent.headers["X-RateLimit-Limit"], sent.headers["X-Request-Id"] or "") > (
        "600",
        "",
    )


def test_its_errors_are_those_of_the_api(here):
    path = urls(here, "/send")

    answers = [
        here.owner.post(path, json={"dryRun": True}),
        here.owner.post(path, json={"dryrun": True}),
        here.owner.post(path, json={"keys": [{"name": ""}]}),
        here.owner.post(path, content=b"{"),
        here.owner.get(path),
        here.owner.get(f"{HERE}/nothing"),
        here.owner.with_token("junk").post(path, json={}),
    ]

    assert [(each.status, each.error["code"]) for each in answers] == [
        (409, "no_receiver"),
        (400, "validation_failed"),
        (400, "validation_failed"),
        (415, "unsupported_media_type"),
        (405, "method_not_allowed"),
        (404, "not_found"),
        (401, "unauthorized"),
    ]
    assert answers[1].error["message"] == (
        "$.dryrun: unknown field 'dryrun'; did you mean 'dryRun'?"
    )


def test_the_permission_is_checked_though_the_plugin_checks_nothing(here, plugin):
    translator = here.workspace.client("translator")

    refused = translator.post(urls(here, "/send"), json={})
    level = translator.put(f"{HERE}/level", json={"name": "abc"})

    assert [(each.status, each.error["code"]) for each in (refused, level)] == [
        (403, "permission_denied")
    ] * 2
    assert (plugin.sent, plugin.level) == ([], 1)


def test_projects_of_others_are_not_found_whatever_the_permission(here, plugin):
    _, stranger = here.workspace.organization()
    bound = here.workspace.client("manager", project_ids=[])

    answers = [
        client.request(method, urls(here, path), json=body)
        for client in (stranger, bound)
        for method, path, body in [("POST", "/send", {}), ("POST", "/send", {"x": 1})]
    ]
    answers += [client.get(urls(here, "/sent")) for client in (stranger, bound)]
    answers += [here.owner.get(f"{HERE}/projects/nothing/sent")]

    codes = {(each.status, each.error["code"]) for each in answers}
    assert codes == {(404, "project_not_found")}
    assert plugin.sent == []
    path = f"{HERE}/organizations/{here.workspace.organization_id}/sum"
    assert here.owner.post(path).status == 202
    assert stranger.post(path).error["code"] == "organization_not_found"


def test_a_slug_becomes_the_id(here, plugin):
    slug = here.project["slug"]

    sent = here.owner.post(f"{HERE}/projects/{slug}/send", json={})

    assert slug != here.project["id"]
    assert sent.data["sent"]["projectId"] == here.project["id"]


def test_the_same_idempotency_key_sends_once(here, plugin):
    path, key = urls(here, "/send"), {"Idempotency-Key": "once"}

    first, again = (here.owner.post(path, json={}, headers=key) for _ in range(2))
    other = here.owner.post(path, json={"keys": [{"name": "a"}]}, headers=key)

    assert first.content == again.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert other.error["code"] == "idempotency_conflict"
    assert len(plugin.sent) == 1


def test_slow_work_stays_outside_the_transaction_of_if_match(here, plugin):
    path = f"{HERE}/slow"
    state = {"If-Match": str(here.owner.get(path).headers["ETag"])}

    plain, matched = here.owner.put(path), here.owner.put(path, headers=state)

    assert (plain.data["name"], matched.data["name"]) == ("outside", "inside")
    assert plugin.sent == ["outside", "outside"]


def test_the_name_of_a_plugin_may_have_capitals_and_dots(keys_with):
    here = keys_with(providing(declaring(path="/a"), name="My.Desk-2"))

    answer = here.owner.get("/plugins/My.Desk-2/a")
    paths = here.owner.get("/openapi.json").json["paths"]

    assert answer.data == {"name": "a"}
    operation_id = paths["/plugins/My.Desk-2/a"]["get"]["operationId"]
    assert operation_id == "myDesk2GetIt"


def test_if_match_names_the_state_that_was_read(here, plugin):
    path = f"{HERE}/level"
    read = here.owner.get(path)
    old = {"If-Match": str(read.headers["ETag"])}

    done = here.owner.put(path, json={"name": "abc"}, headers=old)
    refused = here.owner.put(path, json={"name": "abcd"}, headers=old)
    unchanged = here.owner.get(
        path, headers={"If-None-Match": str(done.headers["ETag"])}
    )

    assert (done.data, refused.error["code"]) == ({"level": 3}, "precondition_failed")
    assert (plugin.level, unchanged.status) == (3, 304)


def test_a_raw_endpoint_takes_and_answers_any_bytes(here, plugin):
    headers = {"Content-Type": "text/x-mine", "X-Mine": "1"}

    said = here.owner.post(f"{HERE}/talk", content=b"\xff{", headers=headers)
    empty = here.owner.post(f"{HERE}/talk", headers={"X-Mine": ""})
    public = Client(here.workspace.app).post(f"{HERE}/hook", content=b"x")

    assert (said.status, said.content) == (202, b"text/x-mine|1|\xff{")
    assert said.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert (empty.content, public.status, public.content) == (b"||", 204, b"")
    assert plugin.sent == [RawBody(b"x", "")]


def test_a_raw_endpoint_has_a_limit_and_refuses_what_is_not_kept_or_compressed(here):
    path, mine = f"{HERE}/talk", {"X-Mine": "1"}

    exact = here.owner.post(path, content=b"x" * 100, headers=mine)
    answers = [
        here.owner.post(path, content=b"x" * 101, headers=mine),
        here.owner.post(path, headers={**mine, "Content-Encoding": "gzip"}),
        here.owner.post(path, headers={**mine, "Idempotency-Key": "a"}),
        Client(here.workspace.app).post(path, content=b"x", headers=mine),
    ]

    assert exact.status == 202
    assert [each.error["code"] for each in answers] == [
        "payload_too_large",
        "unsupported_media_type",
        "validation_failed",
        "unauthorized",
    ]


def test_a_short_path_redirects_with_method_body_and_query(here):
    for method in ("GET", "POST", "OPTIONS"):
        answer = here.owner.request(
            method, "http://localhost/talk?a=%20b", content=b"x"
        )
        assert answer.status == 308
        assert answer.headers["Location"] == (
            "http://localhost/api/v1/plugins/my-digest/talk?a=%20b"
        )
    assert here.owner.get("http://localhost/talk/more").status == 404


def test_a_plugin_that_fails_is_named_in_the_log_and_nowhere_else(here, caplog):
    with caplog.at_level(logging.ERROR):
        answer = here.owner.get(f"{HERE}/broken")

    assert (answer.status, answer.error["code"]) == (500, "internal_error")
    assert "secret" not in answer.content.decode()
    assert "failed in plugin my-digest" in caplog.text
    assert "secret of the plugin" in caplog.text


def test_the_description_has_the_operations_and_leaves_the_core_as_it_is(here):
    document = here.owner.get("/openapi.json").json
    paths, schemas = document["paths"], document["components"]["schemas"]
    send = paths[f"{HERE}/projects/{{projectId}}/send"]["post"]

    assert send["operationId"] == "myDigestSendNow"
    assert send["tags"] == ["my-digest"]
    assert send["summary"] == "Send the digest of a project"
    assert send["x-permission"] == "webhook_manage"
    assert "or_no_receiver" in send["responses"]["409"]["$ref"]
    assert [each["name"] for each in send["parameters"]] == [
        "projectId",
        "Idempotency-Key",
    ]
    assert paths[f"{HERE}/projects/{{projectId}}/sent"]["get"]["tags"] == ["History"]
    assert set(schemas["Key"]["properties"]) > {"key", "createdAt"}
    assert set(schemas["my_digest.Key"]["properties"]) == {"name"}
    talk = paths[f"{HERE}/talk"]["post"]
    assert list(talk["requestBody"]["content"]) == ["*/*"]
    assert "parameters" not in talk


def framework_with(*plugins):
    settings = Settings.of({"plugins": {"peewee": {"database": "sqlite:///x.sqlite3"}}})
    return Framework(settings, plugins)


def providing(*endpoints, name="digest"):
    class Plugin:
        @hookimpl
        def loc_provide_endpoints(self):
            return endpoints

    plugin = Plugin()
    plugin.name = name
    return plugin


def declaring(method="GET", path="/a", *, permission=None, **how):
    class Endpoints:
        @operation(method, path, permission=permission, **how)
        def get_it(self) -> Key:
            """Get it."""
            return Key("a")

    return Endpoints()


class OfReport:
    @operation("GET", "/reports/{reportId}", permission="project_read")
    def get_report(self, report_id: str) -> Key:
        """Get a report."""
        return Key(report_id)


class OfOrganization:
    @operation("GET", "/organizations/{organizationId}", permission=None)
    def get_sum(self, organization_id: str) -> Key:
        """Get a sum."""
        return Key(organization_id)


class OfNumber:
    @operation("GET", "/{number}", permission=None)
    def get_it(self, number: int) -> Key:
        """Get it."""
        return Key(str(number))


class Slow:
    @operation("GET", "/a", permission=None)
    async def get_it(self) -> Key:
        """Get it."""
        return Key("a")


class NoHints:
    @operation("GET", "/a", permission=None)
    def get_it(self):
        """Get it."""


@pytest.mark.parametrize(
    ("endpoints", "said"),
    [
        (object(), "object has no method marked @operation"),
        (declaring(path="a"), "operation get_it: its path 'a' must begin with /"),
        (declaring(path="/a/"), "operation get_it: its path '/a/' must begin with /"),
        (declaring(permission="fly"), "the permission 'fly' is unknown"),
        (declaring(permission=""), "it must name its permission"),
        (declaring(rate="content"), 'rate="content" is for the published content'),
        (declaring(short_path="/api"), "short_path='/api' must be one segment"),
        (declaring(short_path="mcp"), "short_path='mcp' must be one segment"),
        (declaring(short_path="/a/b"), "short_path='/a/b' must be one segment"),
        (declaring(path="/{x}"), "its path names ['x'], its arguments []"),
        (OfReport(), "there is no permission check for 'reportId'"),
        (OfOrganization(), "it needs a permission, as nothing else keeps callers from"),
        (OfNumber(), "parameters of a path are texts: annotate them with str"),
        (Slow(), "it is async; operations are plain methods"),
        (NoHints(), "it must say what it returns"),
    ],
)
def test_a_wrong_declaration_stops_the_start(endpoints, said):
    with pytest.raises(PluginError) as caught:
        framework_with(providing(endpoints))

    line = str(caught.value)
    assert line.startswith(
        "plugin 'digest' (tests.api.test_plugin_endpoints): loc_prov"
    )
    assert said in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("plugins", "said"),
    [
        (
            [providing(declaring(), declaring(path="/b"))],
            "operations digest_get_it and digest_get_it both have the name",
        ),
        (
            [providing(declaring(), name="a-b"), providing(declaring(), name="a.b")],
            "the prefix 'a_b' is provided by plugin 'a-b' already",
        ),
        (
            [providing(declaring(short_path="/x"), name=name) for name in "ab"],
            "short_path='/x' is provided by plugin 'a' already",
        ),
    ],
)
def test_two_of_the_same_stop_the_start(plugins, said):
    with pytest.raises(PluginError) as caught:
        framework_with(*plugins)

    assert said in str(caught.value)


class OfKeys:
    @operation("GET", "/key", permission=None)
    def key(self) -> Key:
        """Get a key."""
        return Key("a")


def test_an_operation_with_a_name_of_the_framework_stops_the_start():
    with pytest.raises(PluginError) as caught:
        framework_with(providing(OfKeys(), name="create"))

    assert "create_key is an operation of the framework" in str(caught.value)
