"""docs/glossaries.md: its proposal, worked from beginning to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .conftest import shows, walk

PAGE = "glossaries.md"


def test_every_answer_is_what_the_page_shows(page: Any, demo_folder: Path) -> None:
    commands, answers = page.blocks("sh"), page.blocks("text")

    printed = walk(demo_folder, commands)

    assert len(printed) == len(answers) == 4
    for shown, found in zip(answers, printed, strict=True):
        assert shows(shown, found), found
