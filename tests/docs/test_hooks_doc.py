"""docs/reference/hooks.md: every hook has its signature and an example that runs."""

import ast
import inspect
from datetime import UTC, datetime, timedelta
from functools import cache
from time import sleep

import msgspec
import pytest
from click.testing import CliRunner

import locframework
from locframework import Framework, PluginError, Settings, create_app, hookspecs, ports
from locframework.commands import main
from locframework.plugins import PluginHost
from locframework.testing.client import Client
from locframework.testing.contracts.blobs import BlobStoreContract
from locframework.testing.contracts.matchers import MatcherContract
from locframework.testing.contracts.translators import TranslatorContract
from locframework.testing.workspace import open_workspace

PAGE = "hooks.md"
HOOKS = [name for name in vars(hookspecs) if name.startswith("loc_")]
PREFIXES = ("loc_provide_", "loc_decide_", "loc_on_")


def test_headings_are_the_hooks(page):
    headings = [name for name in page.sections() if name.startswith("loc_")]

    assert sorted(headings) == sorted(HOOKS)
    assert all(name.startswith(PREFIXES) for name in HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_the_signature_matches_the_code(page, hook):
    signature, _ = page.blocks("python", page.sections()[hook])

    [code] = ast.parse(inspect.getsource(getattr(hookspecs, hook))).body
    assert isinstance(code, ast.FunctionDef)
    arguments, answer = ast.unparse(code.args), ast.unparse(code.returns or code)
    assert signature.strip() == f"def {hook}({arguments}) -> {answer}"


@pytest.mark.parametrize("hook", HOOKS)
def test_each_argument_is_explained(page, hook):
    section = page.sections()[hook]

    names = list(inspect.signature(getattr(hookspecs, hook)).parameters)
    told = [line.split("`")[1] for line in section.split("\n") if line[:3] == "- `"]
    assert told == names


def test_all_types_are_exported_by_ports(page):
    signatures = [page.blocks("python", page.sections()[hook])[0] for hook in HOOKS]

    words = ast.walk(ast.parse("\n".join(f"{each}: ..." for each in
                                         map(str.strip, signatures))))  # fmt: skip
    types = {node.id for node in words if isinstance(node, ast.Name)}
    known = {*vars(ports), *dir(locframework)}
    assert types - {"Command", "Sequence", "object", "str"} <= known


def test_each_hook_has_a_test_of_its_example():
    assert all(f"test_the_example_of_{hook}" in globals() for hook in HOOKS)


def test_the_example_of_loc_provide_formats(example, open_with):
    plugin = example("loc_provide_formats")["LinesPlugin"]()

    with open_with(plugin) as workspace:
        project = workspace.project()
        workspace.key(project, "a", values={"en": "One"})
        workspace.key(project, "b", isPlural=True, values={"en": {"other": "x"}})
        path = f"/projects/{project['id']}"
        exported = workspace.owner.get(f"{path}/export", query={"format": "lines"})
        body = {"name": "Web", "format": "lines"}
        made = workspace.owner.post(f"{path}/distributions", json=body)

    assert exported.content == b"a\tOne\n"
    assert made.status == 201


def test_the_example_of_loc_provide_checks(example, open_with):
    plugin = example("loc_provide_checks")["NoShoutingPlugin"]()
    subject = ports.Subject("a", "de", {None: "SICHERN"}, "en", {None: "Save"})

    with open_with(plugin) as workspace:
        project = workspace.project(checkSeverities={"shouting": "error"})
        found = workspace.framework.checks.findings(subject)

    assert project["checkSeverities"] == {"shouting": "error"}
    assert [each.check for each in found] == ["shouting"]


def test_the_example_of_loc_provide_storages(example, tmp_path):
    plugin = example("loc_provide_storages")["ThrowawayPlugin"]()
    disk = {"folder": str(tmp_path)}
    tree = {"storage": "throwaway", "start_scheduler": False, "plugins": {"disk": disk}}

    with Framework(Settings.of(tree), [plugin]) as framework:
        framework.migrate()
        assert Client(create_app(framework)).get("/readyz").status == 200
        made, _ = framework.organizations.create_organization("Try", "a@example.com")
        assert made.name == "Try"


def test_the_example_of_loc_provide_blob_stores(example, open_with):
    plugin = example("loc_provide_blob_stores")["MemoryPlugin"]()

    with open_with(plugin, blob_store="memory") as workspace:
        project = workspace.project()
        workspace.key(project, "a", values={"en": "One"})
        path = f"/projects/{project['id']}/distributions"
        body = {"name": "Web", "format": "json-flat"}
        made = workspace.owner.post(path, json=body).data["distribution"]
        workspace.run_jobs()
        url = f"/content/{made['publicKey']}/manifest.json"
        [file] = workspace.owner.get(url).json["files"]
        content = workspace.owner.get(file["url"])

    assert made["storage"] == "memory"
    assert content.json == {"a": "One"}


class TestTheExampleOfLocProvideBlobStores(BlobStoreContract):
    undamageable = "nothing else has the bytes"
    unbreakable = "there is nothing to reach"
    unshared = "nothing else can put anything there"

    @pytest.fixture
    def open_store(self, example):
        plugin = example("loc_provide_blob_stores")["MemoryPlugin"]()
        return lambda: plugin.loc_provide_blob_stores()[0]


def test_the_example_of_loc_provide_transports(example, open_with):
    plugin = example("loc_provide_transports")["DrawerPlugin"]()
    post = ports.Post("https://example.com/hook", (), b"{}")

    with open_with(plugin, webhook_transport="drawer") as workspace:
        transport = workspace.framework.plugins.transports["drawer"]
        with pytest.raises(ports.UrlNotAllowed):
            transport.check_url("http://example.com/hook")
        transport.check_url(post.url)
        answer = transport.send(post)

    assert (answer.status_code, plugin.drawer.posts) == (204, [post])


def test_the_example_of_loc_provide_translators(example, open_with):
    plugin = example("loc_provide_translators")["DictionaryPlugin"]()

    with open_with(plugin, translator="dictionary") as workspace:
        project = workspace.project(languages=["de"])
        for key, text in (("a", "Save"), ("b", "Open")):
            workspace.key(project, key, values={"en": text})
        path = f"/projects/{project['id']}/ai/translate"
        job = workspace.job_of(
            workspace.owner.post(path, json={"languageCodes": ["de"]})
        )

    assert [each["message"] for each in job["result"]["items"]] == [
        None,
        "does not know 'Open'",
    ]


class TestTheExampleOfLocProvideTranslators(TranslatorContract):
    @pytest.fixture
    def translator(self, example):
        plugin = example("loc_provide_translators")["DictionaryPlugin"]()
        return plugin.loc_provide_translators()[0]


def test_the_example_of_loc_provide_matchers(example, open_with):
    plugin = example("loc_provide_matchers")["PlainPlugin"]()

    with open_with(plugin, matcher="plain") as workspace:
        assert workspace.framework.settings.matcher == "plain"
        assert workspace.framework.plugins.matchers["plain"].name == "plain"


class TestTheExampleOfLocProvideMatchers(MatcherContract):
    undamageable = "nothing is kept"
    unbreakable = "there is nothing to reach"
    size = 40
    longest = 130

    @pytest.fixture
    def open_index(self, example):
        plugin = example("loc_provide_matchers")["PlainPlugin"]()

        def open_index():
            [matcher] = plugin.loc_provide_matchers()
            matcher.distance = cache(matcher.distance)  # it is slow, and asked again
            return matcher

        return open_index


def test_the_example_of_loc_provide_event_types(example, open_with):
    plugin = example("loc_provide_event_types")["BigChanges"](least=3)
    told = "plugin.big-changes.noticed"
    body = {"url": "https://93.184.215.14/", "eventTypes": [told]}

    with open_with(plugin) as workspace:
        project = workspace.project()
        path = f"/projects/{project['id']}"
        types = workspace.owner.get("/webhook-event-types").data["eventTypes"]
        made = workspace.owner.post(f"{path}/webhooks", json=body).data["webhook"]
        for count in (2, 3):
            keys = [
                {"key": f"k{n}", "values": {"en": f"{count}"}} for n in range(count)
            ]
            bulk = {"keys": keys, "onExisting": "update"}
            workspace.owner.post(f"{path}/keys/bulk", json=bulk)
        log = f"{path}/webhooks/{made['id']}/deliveries"
        [delivery] = workspace.owner.get(log).data["items"]
        one = workspace.owner.get(f"{log}/{delivery['id']}").data["delivery"]

    assert types[-1]["type"] == told
    assert types[-1]["group"] == "plugin.big-changes"
    assert one["payload"]["data"]["items"] == [{"count": 3}]
    assert one["payload"]["data"]["actor"] == {"type": "plugin", "id": "big-changes"}


def test_the_example_of_loc_decide_caller(example, open_with):
    sessions = example("loc_decide_caller")["Sessions"]("set below")

    with open_with(sessions) as workspace:
        sessions._organization_id = workspace.organization_id
        sessions.users["session-1"] = ("anna", ["de"])
        project = workspace.project(languages=["de", "fr"])
        key = workspace.key(project, "a", values={"en": "One"})
        values = f"/projects/{project['id']}/keys/{key['id']}/values"
        anna = workspace.owner.with_token("session-1")

        assert anna.put(f"{values}/de", json={"value": "Eins"}).status == 200
        assert anna.put(f"{values}/fr", json={"value": "Un"}).status == 403
        assert anna.with_token("session-2").get("/projects").status == 401
        assert workspace.owner.get("/projects").status == 200


def test_the_example_of_loc_decide_write(example, open_with):
    lawyers = set()
    plugin = example("loc_decide_write")["LegalTexts"](lawyers)

    with open_with(plugin) as workspace:
        project = workspace.project()
        keys, owner = f"/projects/{project['id']}/keys", workspace.owner
        lawyer = workspace.framework.authenticate(owner.token).actor.id
        lawyers.add(lawyer)
        key = workspace.key(project, "legal.terms")
        lawyers.clear()
        path = f"{keys}/{key['id']}/values/en"
        translator = workspace.client("translator")
        proposed = translator.put(path, json={"value": "Terms"})
        refused = [
            owner.post(f"{path}/approve", json={}),
            owner.post(keys, json={"key": "legal.other"}),
            owner.patch(f"{keys}/{key['id']}", json={"key": "terms"}),
            owner.delete(f"{keys}/{key['id']}"),
        ]
        lawyers.add(lawyer)
        approved = owner.post(f"{path}/approve", json={})
        [newest, _] = owner.get(f"{path}/history").data["items"]

    assert (proposed.status, approved.status) == (200, 200)
    assert [answer.error["code"] for answer in refused] == ["write_refused"] * 4
    assert newest["note"] == "seen by the legal department"


def test_the_example_of_loc_provide_endpoints(example, open_with):
    plugin = example("loc_provide_endpoints")["BacklogPlugin"]()

    with open_with(plugin) as workspace:
        project = workspace.project(languages=["de", "fr"])
        key = workspace.key(project, "a", values={"en": "One", "fr": "Un"})
        translator = workspace.client("translator")
        values = f"/projects/{project['id']}/keys/{key['id']}/values"
        translator.put(f"{values}/de", json={"value": "Eins"})
        waiting = f"/plugins/backlog/projects/{project['id']}/waiting"
        found = translator.get(waiting)
        _, stranger = workspace.organization()
        hidden = stranger.get(waiting)
        short = translator.post("http://localhost/count-words")
        target = str(short.headers["Location"])
        counted = translator.post(target, content=b"one two three")

    assert found.data == [{"languageCode": "de", "pendingReview": 1}]
    assert hidden.error["code"] == "project_not_found"
    assert (short.status, counted.content) == (308, b"3")


def test_the_example_of_loc_provide_pages(example, open_with, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text("<h1>Desk</h1>")
    plugin = example("loc_provide_pages")["DeskPlugin"](folder)

    with open_with(plugin) as workspace:
        client = Client(workspace.app)
        shown = client.get("http://localhost/desk/projects/7")

    assert shown.content == b"<h1>Desk</h1>"
    assert "img-src 'self' data:" in str(shown.headers["Content-Security-Policy"])


def test_the_example_of_loc_provide_permissions(example, open_with):
    sent = []
    plugin = example("loc_provide_permissions")["RemindersPlugin"](
        lambda project_id: sent.append(project_id) or 3
    )

    with open_with(plugin) as workspace:
        project = workspace.project()
        path = f"/plugins/reminders/projects/{project['id']}/send"
        roles = ("translator", "reviewer", "developer")
        answers = [workspace.client(role).post(path) for role in roles]
        own = workspace.framework.authenticate(workspace.owner.token)
        scope = ports.Scope(workspace.organization_id, project["id"])
        may = workspace.framework.access.may(own, "reminders_send", scope)

    assert [answer.status for answer in answers] == [403, 200, 200]
    assert (answers[1].data, sent, may) == ({"sent": 3}, [project["id"]] * 2, True)


def test_the_example_of_loc_provide_commands(page, tmp_path, monkeypatch):
    _, code = page.blocks("python", page.sections()["loc_provide_commands"])
    (tmp_path / "loc_backlog.py").write_text(code)
    info = tmp_path / "loc_backlog-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: loc-backlog\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[locframework]\nbacklog=loc_backlog:Backlog"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    settings = {"LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE": "sqlite:///a.sqlite3"}
    with open_workspace("sqlite:///a.sqlite3", tmp_path, plugins=[]) as workspace:
        project = workspace.project(languages=["de"])
        key = workspace.key(project, "a", values={"en": "One"})
        values = f"/projects/{project['id']}/keys/{key['id']}/values/de"
        workspace.client("translator").put(values, json={"value": "Eins"})

    def run(*words):
        return CliRunner(env=settings).invoke(main, words)

    told = run("backlog", "waiting", project["slug"])
    as_json = run("backlog", "waiting", project["slug"], "--json")
    unknown = run("backlog", "waiting", "no-project")

    assert (told.stdout, as_json.stdout) == (
        "1 wait for review\n",
        '{\n  "pendingReview": 1\n}\n',
    )
    assert (unknown.exit_code, unknown.stderr) == (
        1,
        "Error: there is no project 'no-project'; there are: web-shop-2\n",
    )


def test_the_example_of_loc_on_start(example, open_with):
    plugin = example("loc_on_start")["Backlog"]()

    with open_with(plugin) as workspace:
        project = workspace.project(languages=["de"])
        workspace.key(project, "a", values={"en": "One", "de": "Eins"})
        translator = workspace.client("translator")
        path = f"/projects/{project['id']}/keys"
        before = plugin.count(project["id"])
        key = workspace.key(project, "b", values={"en": "Two"})
        translator.put(f"{path}/{key['id']}/values/de", json={"value": "Zwei"})
        after = plugin.count(project["id"])

    assert (before, after) == (0, 1)


def test_the_example_of_loc_on_event(example, open_with):
    plugin = example("loc_on_event")["Publications"]()

    with open_with(plugin) as workspace:
        project = workspace.project()
        body = {"name": "Web", "format": "json-flat"}
        path = f"/projects/{project['id']}/distributions"
        workspace.owner.post(path, json=body)
        workspace.run_jobs()

    assert plugin.releases.get(timeout=1) == (project["id"], 1)
    assert plugin.releases.empty()


def test_the_example_of_loc_decide_settings(example):
    made = example("loc_decide_settings")["SpellingPlugin"]

    there, gone = (
        PluginHost.discover({}, more=[made(program)], installed=False)
        for program in ("sh", "no-such-program")
    )

    there.require_usable(Settings())
    with pytest.raises(PluginError, match="program: no-such-program: was not found"):
        gone.require_usable(Settings())


def test_the_example_of_durable_listeners(example, open_with):
    sent = {}
    plugin = example("Durable listeners")["Mirror"](sent.setdefault)

    with open_with(plugin) as workspace:
        workspace.key(workspace.project(), "a")
        framework = workspace.framework
        assert framework.listeners.run_until_idle() == 1
        assert framework.listeners.run_until_idle() == 0

    [content] = sent.values()
    event = msgspec.json.decode(content, type=ports.Event)
    assert (event.type, event.items[0]["key"]) == ("key.created", "a")
    assert {*sent} == {event.id}


def test_the_example_that_counts_each_event_once(example, open_with):
    plugin = example("Count each event once")["Counter"]()

    with open_with(plugin) as workspace:
        project = workspace.project(languages=["de"])
        key = workspace.key(project, "a", values={"en": "One"})
        values = f"/projects/{project['id']}/keys/{key['id']}/values"
        workspace.deliver_events(times=2)
        workspace.owner.put(f"{values}/de", json={"value": "Eins"})
        workspace.deliver_events(times=2)
        count = workspace.framework.plugin("counter").data(project["id"]).get("count")

    assert count == 2


def test_events_of_texts_are_those_of_the_table(open_with):
    heard = []

    class Ear:
        name = "ear"

        @locframework.hookimpl
        def loc_on_event(self, event):
            if event.type.startswith("translation."):
                states = [str(item["status"]) for item in event.items]
                heard.append((event.type.removeprefix("translation."), *states))

    with open_with(Ear()) as workspace:
        project = workspace.project(languages=["de"])
        path, owner = f"/projects/{project['id']}", workspace.owner
        key = workspace.key(project, "a", values={"en": "One"})
        value = f"{path}/keys/{key['id']}/values/de"
        translator = workspace.client("translator")

        def told(client, method, where="", **body):
            heard.clear()
            answer = getattr(client, method)(value + where, json=body)
            assert answer.status in (200, 204), answer.content
            return [*heard]

        proposed = told(translator, "put", value="Eins")
        withdrawn = told(translator, "post", "/withdraw")
        told(translator, "put", value="Ein")
        approved = told(owner, "post", "/approve")
        told(translator, "put", value="Eine")
        back = told(translator, "post", "/withdraw")
        applied = told(owner, "put", value="Einer")
        cleared = told(owner, "put", value="")

    assert proposed == [("submitted", "pending_review")]
    assert withdrawn == [("updated", "untranslated")]
    assert approved == [("approved", "approved")]
    assert back == [("updated", "approved")]
    assert applied == [("updated", "approved")]
    assert cleared == [("updated", "untranslated")]


def test_the_table_of_options_has_the_arguments_of_operation(page):
    rows = page.rows(page.sections()["loc_provide_endpoints"])

    fields = set(ports.operation.__struct_fields__)
    assert {row[0] for row in rows} <= fields
    assert fields - {row[0] for row in rows} == {
        *("method", "path", "rate", "upload_limit"),
    }


def test_the_example_of_loc_on_close(example, open_with):
    told = []

    def report(type_):
        sleep(0.01)
        told.append(type_)

    with open_with(example("loc_on_close")["Reporter"](report)) as workspace:
        project = workspace.project()
        workspace.key(project, "checkout.pay")

    assert told[-1] == "key.created"


def test_the_example_of_loc_provide_jobs(example, open_with):
    now = [datetime(2026, 11, 30, 5, 59, tzinfo=UTC)]  # a Monday, 6:59 in Berlin
    plugin = example("loc_provide_jobs")["DigestPlugin"]()

    with open_with(plugin, clock=lambda: now[0]) as workspace:
        project, other = workspace.project(languages=["de"]), workspace.project()
        path = f"/projects/{project['id']}"
        key = workspace.key(project, "a", values={"en": "One"})
        translator = workspace.client("translator")
        value = f"{path}/keys/{key['id']}/values/de"
        assert translator.put(value, json={"value": "Eins"}).status == 200
        assert workspace.owner.patch(f"{path}/plugins/digest", json={}).status == 200
        workspace.framework.schedules.run_due()
        now[0] += timedelta(minutes=1)
        workspace.framework.schedules.run_due()
        workspace.run_jobs()
        jobs = workspace.owner.get(f"{path}/jobs").data["items"]
        others = workspace.owner.get(f"/projects/{other['id']}/jobs").data["items"]
        kept = workspace.framework.plugin("digest").data(project["id"]).list_items()

    assert [each["type"] for each in jobs] == ["plugin.digest.count"]
    assert jobs[0]["result"] == {"pending": 1, "isMuch": True}
    assert jobs[0]["progress"] == {"done": 2, "total": 2}
    assert others == []
    assert [(each.key, each.value) for each in kept.items] == [("de", 1), ("en", 0)]


def test_the_example_of_what_belongs_to_a_plugin(page, open_with):
    [code] = page.blocks("python", page.sections()["What belongs to a plugin"])
    names = {}
    exec(compile(code, PAGE, "exec"), names)

    with open_with(names["QuotaPlugin"]()) as workspace:
        project = workspace.project()
        path = f"/projects/{project['id']}"
        changes = {"changesLimit": 2, "reportKey": "s3cr3t"}
        changed = workspace.owner.patch(f"{path}/plugins/quota", json=changes)
        workspace.key(project, "a", values={"en": "One"})
        made = workspace.key(project, "b", values={"en": "Two"})
        value = f"{path}/keys/{made['id']}/values/en"
        refused = workspace.owner.put(value, json={"value": "2"})

    assert changed.data["settings"] == {"changesLimit": 2, "reportKey": "…"}
    assert (refused.status, refused.json["error"]["code"]) == (409, "write_refused")
