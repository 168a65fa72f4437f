"""A matcher that fails is unavailable."""

from __future__ import annotations

from typing import Any

import pytest

from locframework import hookimpl
from locframework.errors import PluginError, Unavailable
from locframework.memories.matching.port import Found
from locframework.plugins import PluginHost
from locframework.testing.workspace import open_workspace
from tests.empty_databases import fresh_url


class Failing:
    """Returns ``result`` from every method, or raises it."""

    name = "failing"
    result: Any = None

    def find(self, *_):
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    forget = find

    def distance(self, first, second):
        raise AssertionError(first, second)


class Provider:
    """A plugin with one matcher."""

    def __init__(self):
        self.failing = Failing()

    @hookimpl
    def loc_provide_matchers(self):
        return [self.failing]


class Project:
    """A project with a memory of one entry."""

    def __init__(self, workspace, failing):
        self.failing, self.owner = failing, workspace.owner
        self.path = f"/projects/{workspace.project()['id']}"
        new = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
        made = self.owner.post("/translation-memories", json=new)
        self.memory = f"/translation-memories/{made.data['translationMemory']['id']}"
        assert self.owner.put(f"{self.path}{self.memory}", json={}).status == 200
        body = {"sourceText": "Save the file"}
        assert self.owner.post(f"{self.memory}/entries", json=body).status == 201

    def match(self, result):
        self.failing.result = result
        body = {"sourceTexts": ["Save the file"], "languageCodes": ["de"]}
        return self.owner.post(f"{self.path}/tm/matches", json=body)


@pytest.fixture
def project(tmp_path):
    plugin, names = Provider(), {"matcher": "failing"}
    with (
        fresh_url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, plugins=[plugin], **names) as workspace,
    ):
        yield Project(workspace, plugin.failing)


@pytest.mark.parametrize("result", [ZeroDivisionError("/secret"), SystemExit(3), []])
def test_a_matcher_that_fails_is_unavailable(project, result, caplog):
    refused = project.match(result)

    assert refused.status == 503
    assert refused.error["message"] == "the matcher failing failed"
    assert "the matcher failing failed" in caplog.text


def test_what_a_plugin_calls_unavailable_has_its_message(project):
    refused = project.match(Unavailable("its server is down"))

    assert (refused.status, refused.error["message"]) == (503, "its server is down")


def test_a_memory_is_deleted_also_where_plugins_fail_to_forget_it(project):
    project.failing.result = OSError("/secret")

    assert project.owner.delete(project.memory).status == 200
    assert project.owner.get(project.memory).status == 404


def test_hits_of_no_text_are_no_matches(project):
    answer = project.match([Found([], is_complete=True)])

    assert answer.data["matches"] == {"Save the file": {"de": []}}


@pytest.mark.parametrize("name", ["Bad Name", "", "1st", None])
def test_a_matcher_without_a_plain_name_stops_the_start(name):
    plugin = Provider()
    plugin.failing.name = name

    with pytest.raises(PluginError, match="loc_provide_matchers"):
        PluginHost.discover({}, more=[plugin], installed=False)
