"""What the documentation says, taken apart for the tests that hold it to it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
_SECTION = re.compile(r"^(#+) (.+)$", re.M)


class Page:
    """One page of docs/."""

    def __init__(self, name: str) -> None:
        self.text = (ROOT / "docs" / name).read_text(encoding="utf-8")

    def blocks(self, language: str, text: str | None = None) -> list[str]:
        """The code blocks of a language, in order."""
        found = _BLOCK.findall(self.text if text is None else text)
        return [code for name, code in found if name == language]

    def files(self) -> dict[str, str]:
        """The code blocks under a line that is a file's name alone."""
        return dict(_FILE.findall(self.text))

    def sections(self) -> dict[str, str]:
        """What stands below each heading, code fences not taken for headings."""
        plain = _BLOCK.sub(lambda found: "\0" * len(found[0]), self.text)
        heads = list(_SECTION.finditer(plain))
        ends = [head.start() for head in heads[1:]] + [len(self.text)]
        return {
            head[2].strip("`"): self.text[head.end() : end]
            for head, end in zip(heads, ends, strict=True)
        }

    def rows(self, text: str | None = None) -> list[list[str]]:
        """The rows of all tables, cells without backticks; heads are left out."""
        lines = (self.text if text is None else text).split("\n")
        rows = []
        for at, line in enumerate(lines):
            is_head = at + 1 < len(lines) and lines[at + 1].startswith("|---")
            if line.startswith("|") and not line.startswith("|---") and not is_head:
                cells = re.split(r"(?<!\\)\|", line)[1:-1]
                rows.append([cell.strip().strip("`") for cell in cells])
        return rows


@pytest.fixture(scope="module")
def page(request: pytest.FixtureRequest) -> Page:
    """The page that the test module names in PAGE."""
    return Page(request.module.PAGE)


@pytest.fixture(scope="session")
def open_page() -> type[Page]:
    """Opens any page by its name."""
    return Page
