"""The README's walk, walked: its commands run, its outputs compared."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import shows, walk

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def walked(demo_folder):
    """What each block of commands printed; the first only sets variables."""
    return walk(demo_folder, [body for kind, body in BLOCKS if kind == "sh"])[1:]


def outputs():
    return [body for kind, body in BLOCKS if kind == "json"]


def test_every_block_of_commands_has_its_output(walked):
    assert len(walked) == len(outputs()) > 3


@pytest.mark.parametrize("number", range(len(outputs())))
def test_the_output_is_what_the_readme_shows(walked, number):
    assert shows(outputs()[number], walked[number]), walked[number]


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
