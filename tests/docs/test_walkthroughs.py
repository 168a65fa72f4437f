"""The commands of README, branches.md and glossaries.md print what is shown."""

import re
from pathlib import Path

import pytest

from .conftest import run_commands, shows

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "count"),
    [("../README.md", 3), ("branches.md", 4), ("glossaries.md", 4)],
    ids=["readme", "branches", "glossaries"],
)
def test_the_commands_print_what_the_page_shows(open_page, demo_folder, name, count):
    page = open_page(name)

    printed = run_commands(demo_folder, page.blocks("sh"))

    found = [each for each in printed if each.strip()]
    shown = page.blocks("text")
    assert len(shown) == len(found) == count
    for block, text in zip(shown, found, strict=True):
        assert shows(block, text), text


def test_links_of_the_readme_exist(open_page):
    targets = re.findall(r"\]\(([^)#]+)\)", open_page("../README.md").text)

    assert [target for target in targets if not (ROOT / target).exists()] == []
    assert "docs/tutorial.md" in targets
