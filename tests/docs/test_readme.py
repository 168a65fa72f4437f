"""The README's walk, walked: its commands run, its outputs compared."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
START_SECONDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with ``data/demo.json`` of an app that is running."""
    folder = tmp_path_factory.mktemp("readme")
    demo = folder / "data" / "demo.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "example_app", "--port", "0", "--data-dir", demo.parent],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    deadline = time.monotonic() + START_SECONDS
    while not demo.is_file():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield folder
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture(scope="module")
def walked(folder):
    """What each block of commands printed, in one shell."""
    commands = [body for kind, body in BLOCKS if kind == "sh"]
    commands = [body.replace("sleep 1", "sleep 3") for body in commands]  # slow CI
    script = "\necho; echo =====\n".join(["set -euo pipefail", *commands])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("=====\n")[2:]  # after "set", and the variables


def outputs():
    return [body for kind, body in BLOCKS if kind == "json"]


def test_every_block_of_commands_has_its_output(walked):
    assert len(walked) == len(outputs()) > 3


@pytest.mark.parametrize("number", range(len(outputs())))
def test_the_output_is_what_the_readme_shows(walked, number):
    """ "…" stands for what differs from run to run, or is long."""
    shown = [re.escape(part) for part in re.split("…|\n", outputs()[number]) if part]

    assert re.search(".*?".join(shown), walked[number], re.DOTALL), walked[number]


def test_the_application_of_ones_own_works(tmp_path):
    [body] = [body for kind, body in BLOCKS if kind == "python"]

    done = subprocess.run(
        [sys.executable, "-c", body],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("example-ltd-"), done.stderr
    assert done.stderr == ""


def test_every_link_leads_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)

    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []


def test_every_plugin_is_listed():
    plugins = [path.name for path in (ROOT / "plugins").iterdir()]

    assert [name for name in plugins if f"| {name} |" not in TEXT] == []
