"""The services, used from Python without HTTP."""

import sqlite3
import threading

import pytest
from msgspec.structs import replace

from locframework import OPERATOR, create_app, hookimpl
from locframework.access.records import NewMember, NewToken
from locframework.delivery.records import NewDistribution
from locframework.errors import (
    JobNotFound,
    KeyExists,
    PermissionDenied,
    PluginError,
    ProjectNotFound,
    SettingsError,
    Unavailable,
    ValidationFailed,
)
from locframework.exchange.records import ExportQuery, ImportOptions
from locframework.fields import new_id
from locframework.formats.records import SourceFile
from locframework.http.records import RequestInfo
from locframework.keys.records import NewKey
from locframework.memories.records import NewMemory
from locframework.pagination import PageRequest
from locframework.projects.records import NewLanguage, NewProject
from locframework.testing.contracts.storage_events import latest

REQUEST = RequestInfo("GET", "https://x/api/v1", "", None)


@pytest.fixture
def framework(open_framework):
    return open_framework()


@pytest.fixture
def organization_id(framework):
    made, _ = framework.organizations.create_organization("Ferries", "o@example.com")
    return made.id


@pytest.fixture
def project(framework, organization_id):
    new = NewProject("Web shop", "en", organization_id=organization_id)
    project = framework.projects.create_project(OPERATOR, new)
    framework.languages.add_language(OPERATOR, project.id, NewLanguage("de"))
    return project


@pytest.fixture
def viewer(framework, organization_id):
    """A caller behind a token, as a request would have one."""
    new = NewMember(email="v@example.com", role="viewer")
    member = framework.organizations.add_member(OPERATOR, organization_id, new)
    _, text = framework.tokens.create_for_member(
        OPERATOR, organization_id, member.id, NewToken("script")
    )
    caller = framework.authenticate(text)
    assert caller is not None
    return caller


@pytest.mark.parametrize("email", ["", "ada", "a b@example.com", "a@" + "b" * 260])
def test_an_owner_needs_an_email(framework, email):
    with pytest.raises(ValidationFailed, match=r"\$\.email"):
        framework.organizations.create_organization("Ferries", email)

    page = framework.organizations.list_organizations(OPERATOR, PageRequest())
    assert page.total == 0


def test_the_same_refusals_are_raised_that_http_would_answer(
    framework, project, viewer
):
    framework.keys.create_key(OPERATOR, project.id, NewKey("a"))

    with pytest.raises(KeyExists) as exists:
        framework.keys.create_key(OPERATOR, project.id, NewKey("a"))
    with pytest.raises(PermissionDenied) as denied:
        framework.keys.create_key(viewer, project.id, NewKey("b"))
    with pytest.raises(ProjectNotFound):
        framework.keys.create_key(viewer, "no-such-project", NewKey("b"))
    assert (exists.value.code, exists.value.status) == ("key_exists", 409)
    assert denied.value.details == {"required": "key_create"}


def test_files_go_in_and_out_and_are_published(framework, project):
    file = SourceFile("de.json", b'{"checkout": {"pay": "Zahlen"}}')
    job = framework.imports.start_import(OPERATOR, project.id, file)
    new = NewDistribution("Web", "json-nested")
    made = framework.distributions.create_distribution(OPERATOR, project.id, new)
    framework.runner.run_until_idle()

    done = framework.jobs.get_job(OPERATOR, project.id, job.id)
    query = ExportQuery("json-flat", language_codes=["de"], layout="canonical")
    exported = framework.exports.export(OPERATOR, project.id, query)
    public = framework.content.read_manifest(made.public_key, REQUEST)

    assert done.status == "succeeded"
    assert done.result is not None
    assert done.result["keysCreated"] == 1
    [event, *_] = latest(framework.storage.events, project.id, 1)
    assert (event.actor.type, event.actor.id) == ("system", "locframework")
    assert exported.content == b'{\n  "checkout.pay": "Zahlen"\n}\n'
    assert public.status == 200
    assert b'"url":"https://x/api/v1/content/' in public.content


def start_import(framework, project, content=b'{"a": "b"}', **options):
    file, given = SourceFile("de.json", content), ImportOptions(**options)
    return framework.imports.start_import(OPERATOR, project.id, file, given)


def test_a_job_that_runs_here_is_awaited(framework, project):
    framework.start()

    ended = framework.jobs.wait(start_import(framework, project))
    failed = start_import(framework, project, b'{"a": "c"}', on_conflict="fail")
    failed = framework.jobs.wait(failed)

    assert (ended.status, ended.error) == ("succeeded", None)
    assert failed.status == "failed"
    assert failed.error.code == "import_conflict"
    assert framework.jobs.wait(ended, timeout_seconds=0) == ended


def test_a_job_of_a_memory_that_runs_elsewhere_is_awaited(framework, project):
    new = NewMemory("Texts", "en", organization_id=project.organization_id)
    memory = framework.memories.create_memory(OPERATOR, new)
    content = b"source,de\nPay,Zahlen\n"
    job = framework.memory_files.prepare_import(OPERATOR, memory.id, content)()
    elsewhere = threading.Thread(target=framework.runner.run_until_idle)
    elsewhere.start()

    ended = framework.jobs.wait(job)

    elsewhere.join()
    assert (ended.id, ended.status) == (job.id, "succeeded")


def test_who_waits_where_nothing_runs_jobs_is_told_what_to_do(framework, project):
    job = start_import(framework, project)

    with pytest.raises(TimeoutError, match=r"is queued after 0.2 s.*framework\.start"):
        framework.jobs.wait(job, timeout_seconds=0.2)
    with pytest.raises(JobNotFound):
        framework.jobs.wait(replace(job, id=new_id()))


def test_the_app_of_a_closed_framework_answers_503_to_everything(
    open_framework, client_of
):
    framework = open_framework()
    client = client_of(framework)
    project = client.post("/projects", json={"name": "Shop", "sourceLanguage": "en"})
    path = f"/projects/{project.data['project']['id']}"
    own, other = client.get(path), client_of(open_framework()).get("/projects")

    framework.close()

    asked = [path, "/healthz", "/metrics", "/openapi.json", "/nowhere"]
    for answer in (*map(client.get, asked), client.post(f"{path}/keys", json={})):
        assert (answer.status, answer.error["code"]) == (503, "unavailable")
        assert answer.headers["X-Request-Id"]
    assert client.get(f"/content/{'k' * 43}/manifest.json").json == {
        "error": "unavailable"
    }
    assert (own.status, other.status) == (200, 200)


def test_the_services_of_a_closed_framework_open_no_database_again(
    open_framework, monkeypatch
):
    opened = []
    found = []

    class Last:
        name = "last"

        @hookimpl
        def loc_on_close(self):
            with pytest.raises(Unavailable) as refused:
                framework.storage.projects.list_projects(None, PageRequest())
            found.append(str(refused.value))

    framework = open_framework(Last())
    framework.close()
    assert found == ["the database was closed"]
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: opened.append(_))

    for use in (
        lambda: framework.organizations.create_organization("F", "o@example.com"),
        lambda: framework.projects.list_projects(OPERATOR, PageRequest()),
        lambda: framework.content.read_manifest("k" * 43, REQUEST),
        framework.migrate,
    ):
        with pytest.raises(Unavailable, match="the database was closed"):
            use()
    for start in (framework.start, lambda: create_app(framework)):
        with pytest.raises(Unavailable, match="the framework was closed"):
            start()
    assert opened == []


def test_a_plugin_has_the_services_from_the_start_to_the_end(open_framework):
    told = []

    class Curious:
        name = "curious"

        @hookimpl
        def loc_on_start(self, framework):
            told.append((framework, framework.jobs))

        @hookimpl
        def loc_on_close(self):
            told.append("closed")

    framework = open_framework(Curious())
    created = list(told)
    framework.close()

    assert created == [(framework, framework.jobs)]
    assert told[1:] == ["closed"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (RuntimeError("no"), "loc_on_start: RuntimeError('no')"),
        (ValueError("wrong time"), "loc_on_start: wrong time"),
        (SettingsError("hour: 25 is no hour", "hour"), "settings: hour: 25 is no hour"),
        (SystemExit(3), "loc_on_start: SystemExit(3)"),
    ],
)
def test_a_plugin_that_fails_at_the_start_stops_it_and_all_are_closed(
    open_framework, error, line
):
    done = []

    class Bad:
        name = "bad"

        @hookimpl
        def loc_on_start(self, framework):
            done.append(framework)
            raise error

        @hookimpl
        def loc_on_close(self):
            done.append("closed")

    with pytest.raises(PluginError) as caught:
        open_framework(Bad())

    assert str(caught.value) == f"plugin 'bad' (tests.embedding.test_services): {line}"
    assert caught.value.setting == ("plugins.bad.hour" if "hour" in line else "")
    assert done[1:] == ["closed"]
    with pytest.raises(Unavailable):
        done[0].migrate()
