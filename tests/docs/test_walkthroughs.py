"""The commands of README, branches.md and glossaries.md print what is shown."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import run_commands, shows

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "language", "count"),
    [
        ("../README.md", "json", 4),
        ("branches.md", "text", 4),
        ("glossaries.md", "text", 4),
    ],
    ids=["readme", "branches", "glossaries"],
)
def test_the_commands_print_what_the_page_shows(
    open_page, demo_folder, name, language, count
):
    page = open_page(name)
    commands, outputs = page.blocks("sh"), page.blocks(language)

    printed = run_commands(demo_folder, commands)
    if name == "../README.md":
        printed = printed[1:]  # the first block sets variables

    assert len(printed) == len(outputs) == count
    for shown, found in zip(outputs, printed, strict=True):
        assert shows(shown, found), found


def test_the_embedding_example_of_the_readme_runs(open_page, tmp_path):
    [code] = open_page("../README.md").blocks("python")

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("example-ltd-"), done.stderr
    assert done.stderr == ""


def test_links_of_the_readme_exist_and_every_plugin_is_listed(open_page):
    text = open_page("../README.md").text
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    plugins = [path.name for path in (ROOT / "plugins").iterdir()]

    assert [target for target in targets if not (ROOT / target).exists()] == []
    assert [name for name in plugins if f"| {name} |" not in text] == []
    assert "docs/operate.md" in targets
