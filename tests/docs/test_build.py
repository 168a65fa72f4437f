"""The documentation builds without a warning, and asks no other host for anything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(r"<(?:script|img|link)\b[^>]*?(?:src|href)=\"([^\"]+)\"")
CHAPTER = re.compile(r"\b[Dd]ecisions (2\.\d+)(?:\.(\d+))?")
DECISION = re.compile(r"\bdecisions/(\d{4})")
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?(https?:|//)")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    target = tmp_path_factory.mktemp("html")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*sphinx, "-d", str(target / "doctrees"), str(ROOT / "docs"), str(target)],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


def test_every_page_is_built_and_reached_from_the_index(built):
    sources = {
        path.relative_to(ROOT / "docs").with_suffix(".html")
        for path in (ROOT / "docs").rglob("*.md")
        if not {"_build", "examples"}.intersection(path.parts)
    }

    assert all((built / page).is_file() for page in sources)


def test_every_link_has_a_text_where_pages_are_read_unbuilt_too():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

    assert [page.name for page in pages if "[](" in page.read_text("utf-8")] == []


def test_no_page_fetches_anything_from_elsewhere(built):
    for page in built.rglob("*.html"):
        for address in FETCHED.findall(page.read_text(encoding="utf-8")):
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page}: {address}"
    for style in built.rglob("*.css"):
        assert not IN_STYLES.search(style.read_text(encoding="utf-8")), style


def test_citations_of_the_specification_and_of_decisions_name_something():
    chapters = (ROOT / "docs/spec/decisions.md").read_text(encoding="utf-8")
    numbers = {page.name[:4] for page in (ROOT / "docs/decisions").glob("0*.md")}
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md", "*.c"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    cited = set()
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if not path.is_file():  # deleted, and not committed yet
            continue
        text = path.read_text(encoding="utf-8")
        for chapter, item in CHAPTER.findall(text):
            cited.add(chapter)
            _, _, rest = chapters.partition(f"\n## {chapter} ")
            section = rest.partition("\n## ")[0]
            assert section, f"{name} cites decisions {chapter}"
            assert not item or f"\n{item}. " in section, f"{name}: {chapter}.{item}"
        missing = {*DECISION.findall(text)} - numbers
        assert not missing, f"{name} cites docs/decisions/{missing}"
    assert len(cited) > 9
