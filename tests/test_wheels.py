"""The distributions as people install them: wheels, in an environment of their own."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings

JSON_FORMATS = JsonPlugin(JsonSettings()).loc_provide_formats()
ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
CONSTRAINTS = ["-c", str(ROOT / "constraints.txt")]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of the core and of one plugin."""
    folder = tmp_path_factory.mktemp("wheels")
    require_index(folder)
    plugin = ROOT / "plugins" / "locframework-formats-json"
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT, plugin)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory):
    """Where their programs are: nothing else is in this environment."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    run(*PIP, "--python", python, "install", *CONSTRAINTS, *wheels)
    return folder / "bin"


def require_index(folder):
    """Skip where there is no package index to ask, unless it is required."""
    probe = [*PIP, "download", "--no-deps", "-d", folder / "probe", "editables==0.6"]
    asked = subprocess.run(probe, capture_output=True, text=True, check=False)
    if asked.returncode == 0:
        return
    reason = f"no package index answers: {asked.stderr.strip().splitlines()[-1:]}"
    if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_core_and_one_plugin_alone_have_exactly_that_plugin(installed, tmp_path):
    told = run(installed / "locframework", "plugins")

    assert told == (
        "json  locframework-formats-json 0.1.0  (ports 1)\n"
        f"    formats: {', '.join(each.info.id for each in JSON_FORMATS)}\n"
        "    hooks: loc_provide_formats\n"
        "    indent: int = 2\n"
    )


@pytest.mark.slow
def test_what_serving_lacks_is_told_in_one_line(installed):
    asked = subprocess.run(
        [installed / "locframework", "check-settings"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert asked.returncode == 2
    assert asked.stderr == (
        "Error: settings: blob_store: no installed plugin provides 'disk';"
        " available: none\n"
    )


@pytest.mark.slow
def test_the_wheel_of_the_core_holds_types_pages_and_contracts(wheels):
    [core] = [wheel for wheel in wheels if wheel.name.startswith("locframework-")]

    names = run(sys.executable, "-m", "zipfile", "-l", core)

    assert "locframework/py.typed" in names
    assert "locframework/http/swagger_ui/swagger-ui-bundle.js" in names
    assert "locframework/testing/contracts/" in names
    assert "example_app" not in names
    assert "tests/" not in names.replace("locframework/testing/", "")
