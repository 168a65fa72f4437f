"""``new-plugin``: what it writes is installed, and its own tests pass."""

import os
import subprocess
import sys
import tomllib

import pytest

from locframework.commands.new_plugin import PORTS, new_files

PIP = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
NEEDED = ["locframework-storage-peewee", "locframework-blobs-disk"]
NEEDED += ["locframework-matching-rapidfuzz", "locframework-webhooks-https"]
ONLY_ASKED_FOR = """
from locframework import plugins as finding

every = finding.installed_entries
finding.installed_entries = lambda: [e for e in every() if e.dist.name in {names!r}]
"""


@pytest.fixture
def run(folder):
    """Runs a command that must succeed; returns what it printed."""

    def run(*command, cwd=folder, **environ):
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, **environ},
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.parametrize("port", PORTS)
def test_the_tests_of_a_new_plugin_pass_as_written(command, folder, run, port):
    told = command("new-plugin", "my-own", "--port", port)
    source = folder / f"locframework-{PORTS[port].kind}-my-own"
    site = folder / "site"
    run(*PIP, "--no-build-isolation", "--target", site, source)
    (site / "only.py").write_text(ONLY_ASKED_FOR.format(names=[source.name, *NEEDED]))

    said = run(
        *(sys.executable, "-W", "error", "-m", "pytest", "-W", "error", "-q"),
        *("-p", "no:cacheprovider", "-p", "only"),
        *("-W", "ignore::pytest.PytestUnraisableExceptionWarning"),
        cwd=source,
        PYTHONPATH=str(site),
    )
    run(sys.executable, "-m", "ruff", "check", "--isolated", "--select=E,F,I", source)

    assert told.stdout.splitlines() == [
        f"{source.name}: 6 files",
        f"next: cd {source.name} && pip install -e '.[test]' && pytest",
    ]
    assert " passed" in said
    assert "@@" not in "".join(new_files("my-own", port).values())


@pytest.mark.parametrize("port", PORTS)
def test_what_it_needs_is_named_in_its_project_file(port):
    project = tomllib.loads(new_files("ini", port)["pyproject.toml"])["project"]
    extras = project["optional-dependencies"]

    assert project["name"] == f"locframework-{PORTS[port].kind}-ini"
    assert project["dependencies"][0] == "locframework"
    assert extras == {"test": ["locframework[testing]", *NEEDED]}
    assert [*project["entry-points"]["locframework"]] == ["ini"]


def test_nothing_that_exists_is_written_to(command, folder):
    (folder / "locframework-checks-ini").mkdir()

    refused = command("new-plugin", "ini", "--port", "check")

    line = "locframework-checks-ini exists already; choose another name or folder"
    assert (refused.exit_code, refused.stderr) == (1, f"Error: {line}\n")
    assert list((folder / "locframework-checks-ini").iterdir()) == []


@pytest.mark.parametrize("name", ["Ini", "1ni", "ini_file", "-ini", "import", "ini-"])
def test_a_name_that_is_none_is_refused(command, folder, name):
    refused = command("new-plugin", "--port", "check", "--", name)

    assert refused.exit_code == 2
    assert f"{name!r} is not lower-case letters and digits" in refused.stderr
    assert list(folder.iterdir()) == []


def test_a_storage_has_no_small_example(command, folder):
    refused = command("new-plugin", "mine", "--port", "storage")

    assert refused.exit_code == 1
    assert "about 180 methods" in refused.stderr
    assert "docs/reference/ports.md" in refused.stderr
    assert list(folder.iterdir()) == []
