"""An embedder's plugin answers who asks, may refuse, and hears what was done."""

import pytest

from locframework import hookimpl
from locframework.access.permissions import ROLES
from locframework.ports import Actor, Caller, Grant, Unauthorized, Unavailable
from locframework.testing.workspace import Workspace


class Directory:
    """The embedder's own users, by the session that they come with."""

    name = "directory"

    def __init__(self):
        self.callers = {}
        self.heard = []

    def know(self, session, *grants):
        actor = Actor("user", f"directory:{session}")
        self.callers[session] = Caller(actor, grants)

    @hookimpl
    def loc_decide_caller(self, token):
        found = self.callers.get(token)
        if isinstance(found, Exception):
            raise found
        return found

    @hookimpl
    def loc_on_event(self, event):
        self.heard.append(event)


@pytest.fixture
def directory():
    return Directory()


@pytest.fixture
def workspace(open_framework, directory):
    return Workspace(open_framework(directory))


@pytest.fixture
def project(workspace):
    return f"/projects/{workspace.project(languages=['de', 'pt-BR'])['id']}"


def grant(workspace, role, **limits):
    return Grant(workspace.organization_id, ROLES[role], **limits)


# loc_decide_caller


def test_a_session_of_the_embedder_is_a_caller(workspace, directory, project):
    directory.know("s3ss10n", grant(workspace, "developer"))
    anna = workspace.owner.with_token("s3ss10n")

    made = anna.post(f"{project}/keys", json={"key": "a", "values": {"de": "Ja"}})
    me = anna.get("/tokens/self").data["token"]

    assert made.status == 201
    assert (me["kind"], me["id"], me["userId"]) == ("plugin", None, None)
    assert me["effectivePermissions"] == sorted(ROLES["developer"])
    assert directory.heard[-1].actor == Actor("user", "directory:s3ss10n")


def test_idempotency_keys_are_the_actors_whatever_session_they_come_with(
    workspace, directory, project
):
    anna = Caller(Actor("user", "anna"), (grant(workspace, "developer"),))
    ben = Caller(Actor("user", "ben"), (grant(workspace, "developer"),))
    directory.callers |= {"monday": anna, "tuesday": anna, "other": ben}
    headers = {"Idempotency-Key": "once"}

    answers = [
        workspace.owner.with_token(session).post(
            f"{project}/keys", json={"key": name}, headers=headers
        )
        for session, name in (("monday", "a"), ("tuesday", "a"), ("other", "b"))
    ]

    assert [answer.status for answer in answers] == [201, 201, 201]
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert answers[1].content == answers[0].content
    assert answers[2].data["key"]["key"] == "b"


def test_built_in_tokens_go_on_working_beside_it(workspace):
    assert workspace.owner.get("/tokens/self").data["token"]["kind"] == "personal"
    assert workspace.owner.with_token("unknown").get("/projects").status == 401


def test_a_session_reaches_what_its_grants_name_and_nothing_else(
    workspace, directory, project
):
    id_ = project.rpartition("/")[2]
    hidden = f"/projects/{workspace.project()['id']}"
    directory.know("s", grant(workspace, "viewer", project_ids=frozenset({id_})))
    directory.know("stranger", Grant("another-organization", ROLES["owner"]))
    viewer = workspace.owner.with_token("s")
    stranger = workspace.owner.with_token("stranger")

    assert viewer.get(project).status == 200
    assert viewer.get(hidden).error["code"] == "project_not_found"
    assert stranger.get(project).content == stranger.get(hidden).content
    assert [each["id"] for each in viewer.get("/projects").data["items"]] == [id_]
    refused = viewer.post(f"{project}/keys", json={"key": "a"})
    assert (refused.status, refused.error["details"]) == (
        403,
        {"required": "key_create"},
    )


def test_a_session_without_grants_is_known_and_may_nothing(
    workspace, directory, project
):
    directory.know("empty")
    nobody = workspace.owner.with_token("empty")

    assert nobody.get("/permissions").status == 200
    assert nobody.get(project).status == 404
    assert nobody.get("/projects").status == 403


def test_the_languages_of_a_grant_limit_writes_and_never_reads(
    workspace, directory, project
):
    limits = {"languages": frozenset({"pt-BR"})}
    directory.know("s", grant(workspace, "translator", **limits))
    translator = workspace.owner.with_token("s")
    workspace.key({"id": project[10:]}, "a", values={"en": "Yes", "de": "Ja"})
    key = workspace.owner.get(f"{project}/keys").data["items"][0]["id"]
    values = f"{project}/keys/{key}/values"

    allowed = translator.put(f"{values}/pt-br", json={"value": "Sim"})
    refused = translator.put(f"{values}/de", json={"value": "Jawohl"})

    assert allowed.status == 200
    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "de"}
    assert translator.get(f"{values}/de").data["value"]["value"] == "Ja"
    assert translator.get(f"{values}/pt-BR").data["value"]["status"] == (
        "pending_review"
    )


def test_a_grant_to_read_everything_does_not_widen_the_languages_of_another(
    workspace, directory, project
):
    limits = {"languages": frozenset({"pt-BR"})}
    grants = grant(workspace, "viewer"), grant(workspace, "translator", **limits)
    directory.know("s", *grants)
    translator = workspace.owner.with_token("s")
    made = workspace.key({"id": project[10:]}, "a", values={"en": "Yes"})
    values = f"{project}/keys/{made['id']}/values"

    assert translator.put(f"{values}/pt-BR", json={"value": "Sim"}).status == 200
    refused = translator.put(f"{values}/de", json={"value": "Ja"})
    assert refused.error["code"] == "language_not_assigned"


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (Unauthorized(), 401, "a valid bearer token is required"),
        (ConnectionError("ldap://10.0.0.7"), 401, "a valid bearer token is required"),
        (Unavailable("the directory sleeps"), 503, "the directory sleeps"),
    ],
)
def test_a_plugin_that_raises_refuses_even_a_good_built_in_token(
    workspace, directory, error, status, message
):
    directory.callers[str(workspace.owner.token)] = error

    refused = workspace.owner.get("/projects")

    assert (refused.status, refused.error["message"]) == (status, message)
    if status == 401:
        unknown = workspace.owner.with_token("never seen").get("/projects")
        assert refused.content == unknown.content


def test_sessions_are_counted_by_their_actor(workspace, directory):
    directory.know("a", grant(workspace, "viewer"))
    directory.callers["a-too"] = directory.callers["a"]
    directory.know("b", grant(workspace, "viewer"))

    def left(session):
        answer = workspace.owner.with_token(session).get("/permissions")
        return answer.headers["X-RateLimit-Remaining"]

    assert [left("a"), left("a-too"), left("b")] == ["599", "598", "599"]


def test_a_session_cannot_make_personal_tokens_unless_it_names_a_user(
    workspace, directory
):
    directory.know("s", grant(workspace, "owner"))
    owner = workspace.owner.with_token("s")

    refused = owner.post("/tokens", json={"name": "mine"})

    assert (refused.status, refused.error["code"]) == (403, "permission_denied")
    assert owner.get("/tokens").data["items"] == []


def test_jobs_that_a_session_started_run_as_that_session(workspace, directory, project):
    limits = {"languages": frozenset({"en", "de"})}
    directory.know("s", grant(workspace, "developer", **limits))
    anna = workspace.owner.with_token("s")

    body = {"name": "Web", "format": "json-nested"}
    path = f"{project}/distributions"
    assert anna.post(path, json=body).status == 201
    workspace.run_jobs()

    assert anna.get(path).data["items"][0]["status"] == "published"
    assert directory.heard[-1].type == "distribution.published"
    assert directory.heard[-1].actor.id == "directory:s"
