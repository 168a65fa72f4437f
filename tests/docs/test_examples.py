"""docs/examples: each plugin there is built, installed, and passes its own tests."""

import shutil
import tomllib
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PAGE = "write-a-plugin.md"
DISTRIBUTION = "locframework-slack-digest"
LINES_MOST = 200


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source") / DISTRIBUTION
    shutil.copytree(EXAMPLES / DISTRIBUTION, folder)
    return folder


def test_each_example_is_tested_here_and_named_in_the_guide(page):
    assert [each.name for each in EXAMPLES.iterdir()] == [DISTRIBUTION]
    assert DISTRIBUTION in page.text


def test_the_digest_is_short_and_imports_public_modules_alone():
    module = EXAMPLES / DISTRIBUTION / "locframework_slack_digest.py"
    lines = module.read_text(encoding="utf-8").splitlines()

    imports = [line for line in lines if line.startswith("from locframework")]
    assert imports == ["from locframework import (", "from locframework.ports import ("]
    assert len(lines) < LINES_MOST


def test_the_digest_passes_its_tests_once_it_is_installed(source, run_its_tests):
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    assert project["name"] == DISTRIBUTION
    (source / "locframework_slack_digest.py").rename(source / "not_imported.txt")

    said = run_its_tests()

    assert "8 passed" in said
