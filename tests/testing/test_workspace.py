"""What tests of plugins get: a workspace with the plugins that they name, and the
fixtures of the pytest plugin."""

import subprocess
import sys
from textwrap import dedent

import pytest

from locframework import SettingsError, hookimpl
from locframework.testing.workspace import NEEDED, open_workspace
from tests.empty_databases import fresh_url

NEEDED_BY_ALL = sorted(NEEDED)


class Ear:
    name = "ear"

    @hookimpl
    def loc_on_event(self, event):
        pass


def names(workspace):
    return [each.name for each in workspace.framework.plugins.loaded]


def test_a_test_sees_only_the_plugins_that_it_names(database_url, tmp_path):
    with open_workspace(database_url, tmp_path, plugins=["json", Ear()]) as workspace:
        assert names(workspace) == sorted([*NEEDED_BY_ALL, "ear", "json"])
        workspace.project()


def test_without_a_list_all_installed_plugins_are_there(sqlite_workspace):
    assert {*NEEDED_BY_ALL, "json", "gettext", "pseudo"} <= {*names(sqlite_workspace)}


def test_installed_plugins_take_settings(tmp_path, migrated):
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(
            url, tmp_path, plugins=["json"], plugin_settings={"json": {"indent": 4}}
        ) as workspace,
    ):
        project = workspace.project()
        workspace.key(project, "a", values={"en": "One"})
        path, query = f"/projects/{project['id']}/export", {"format": "json-flat"}
        exported = workspace.owner.get(path, query=query)

    assert exported.content == b'{\n    "a": "One"\n}\n'


def test_an_object_takes_the_place_of_an_installed_plugin(tmp_path, migrated):
    ear = Ear()
    ear.name = "json"
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, plugins=[ear]) as workspace,
    ):
        [found] = [p for p in workspace.framework.plugins.loaded if p.name == "json"]

    assert found.hooks == ["loc_on_event"]


def test_a_plugin_that_is_not_installed_is_refused(tmp_path):
    with (
        pytest.raises(SettingsError, match=r"provides 'jason'; available: .*json"),
        open_workspace("sqlite://", tmp_path, plugins=["jason"]),
    ):
        pass


TEST = """
def test_a_key_is_made(workspace, client, database_url):
    project = workspace.project()
    assert client.get(f"/projects/{project['id']}").status == 200
    names = [each.name for each in workspace.framework.plugins.loaded]
    print("has", database_url.partition(":")[0], *names)
"""


@pytest.fixture
def run(tmp_path):
    """Runs the test in a process of its own, with these settings and conftest.py."""

    def run(settings, conftest=""):
        (tmp_path / "pytest.toml").write_text(f"[pytest]\n{settings}\n")
        (tmp_path / "conftest.py").write_text(dedent(conftest))
        (tmp_path / "test_it.py").write_text(TEST)
        pytest_ = [sys.executable, "-W", "error", "-m", "pytest", "-W", "error", "-rP"]
        done = subprocess.run(
            [*pytest_, "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        return done.stdout + done.stderr

    return run


def test_fixtures_have_the_plugins_and_databases_of_the_settings(run, tmp_path):
    with fresh_url("postgres", tmp_path) as url:
        said = run(
            f'locframework_plugins = ["json"]\n'
            f'locframework_databases = ["sqlite", "{url}"]'
        )

    there = " ".join(sorted([*NEEDED_BY_ALL, "json"]))
    assert "2 passed" in said
    assert f"has sqlite {there}\n" in said
    assert f"has postgresql {there}\n" in said


def test_a_conftest_overrides_plugins_and_settings(run):
    said = run(
        'locframework_plugins = ["json"]',
        """
        import pytest
        from locframework import hookimpl

        class Ear:
            @hookimpl
            def loc_on_event(self, event): pass

        @pytest.fixture
        def workspace_plugins():
            return [Ear(), "pseudo"]

        @pytest.fixture
        def workspace_settings():
            return {"plugin_settings": {"pseudo": {}}, "translator": "pseudo"}
        """,
    )

    there = " ".join(sorted([*NEEDED_BY_ALL, "Ear", "pseudo"]))
    assert "1 passed" in said
    assert f"has sqlite {there}\n" in said


def test_projects_that_name_no_plugins_get_no_fixtures(run):
    assert "fixture 'workspace' not found" in run("")


def test_pytest_starts_without_importing_the_framework():
    code = "import locframework.testing.pytest_plugin, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert [
        name for name in done.stdout.split() if name.startswith("locframework")
    ] == [
        "locframework.marker",
        "locframework",
        "locframework.testing",
        "locframework.testing.pytest_plugin",
    ]
