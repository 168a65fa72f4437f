"""docs/how-to/write-an-engine.md: the engine of the page is built and translates."""

import json
import sys
from pathlib import Path

import pytest

from locframework import hookimpl
from locframework.plugins import PluginHost
from locframework.testing.receiver import NETWORK, open_receiver, replying

PAGE = "write-an-engine.md"
DISTRIBUTION = "locframework-translators-inhouse"
MODULE = "locframework_translators_inhouse"
LINES_MOST = 60


class Provider:
    """Provides an engine in code: settings of the workspace would be all plugins'."""

    def __init__(self, translator):
        self._translator = translator

    @hookimpl
    def loc_provide_translators(self):
        return [self._translator]


@pytest.fixture
def server(tmp_path):
    """A server that answers as the page says, in capitals."""

    def reply(request):
        sent = json.loads(request.body)
        assert (request.path, sent["from"], sent["to"]) == ("/translate", "en", "de")
        answer = [{**i, "text": i["text"].replace("Pay", "PAY")} for i in sent["items"]]
        return 200, json.dumps(answer).encode()

    with open_receiver(tmp_path, replying(reply)) as receiver:
        yield receiver


@pytest.fixture
def host(beside, server):
    """The plugins, with settings of the engine."""
    settings = {
        "url": server.url(""),
        "price": "20",
        "allowed_networks": [NETWORK],
        "allowed_ports": [server.port],
        "ca_file": server.ca_file,
    }
    return PluginHost.discover({"inhouse": settings})


def test_the_page_shows_the_files_that_it_lists(page):
    assert list(page.files()) == ["pyproject.toml", f"{MODULE}.py", "test_inhouse.py"]
    assert all(name in page.blocks("")[0] for name in page.files())


def test_the_engine_is_short_and_imports_only_public_modules(page):
    plugin = page.files()[f"{MODULE}.py"]

    imports = [line for line in plugin.splitlines() if "from locframework" in line]
    assert len(plugin.splitlines()) < LINES_MOST
    assert all(len(line) <= 88 for line in plugin.splitlines())
    assert imports == ["from locframework import hookimpl, ports"]


def test_its_tests_pass_with_only_its_extra_installed(run_its_tests):
    said = run_its_tests()

    passed = int(said.rpartition(" passed")[0].split()[-1])
    assert passed > 25
    assert "failed" not in said


def test_the_host_finds_it_by_its_entry_point(host, beside):
    found = next(each for each in host.loaded if each.name == "inhouse")

    assert (found.distribution, found.version) == (DISTRIBUTION, "1.0.0")
    assert found.hooks == ["loc_provide_translators"]
    assert Path(sys.modules[MODULE].__file__ or "").parent == beside


def test_it_translates_a_project_and_keeps_the_budget(host, open_with):
    with open_with(Provider(host.translators["inhouse"])) as workspace:
        owner, project = workspace.owner, workspace.project(languages=["de"])
        path = f"/projects/{project['id']}"
        key = workspace.key(project, "pay", values={"en": "Pay <b>{n}</b> & go"})
        [shown] = [
            each
            for each in owner.get(f"{path}/ai/providers").data["providers"]
            if each["id"] == "inhouse"
        ]
        body = {"languageCodes": ["de"], "provider": "inhouse"}
        poor, rich = (
            workspace.job_of(
                owner.post(f"{path}/ai/translate", json={**body, "maxCost": most})
            )["result"]
            for most in ("0.0001", "0.01")
        )
        value = owner.get(f"{path}/keys/{key['id']}/values/de").data["value"]

    assert (shown["unit"], shown["price"]) == ("character", "20")
    assert poor["items"][0]["reason"] == "over_budget"
    assert rich["translated"] == 1
    assert float(poor["cost"]) == 0 < float(rich["cost"]) < 0.01
    assert value["value"] == "PAY <b>{n}</b> & go"
