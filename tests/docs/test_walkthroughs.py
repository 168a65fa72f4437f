"""The commands of README and of how-to guides print what is shown, on the demo."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.clients.conftest import installed
from tests.gettext_tools import require_gettext

from .conftest import run_commands, shows

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("README.md", 3),
        ("add-a-translator.md", 3),
        ("review.md", 4),
        ("git.md", 2),
        ("convert-files.md", 3),
        ("api.md", 3),
        ("branches.md", 4),
        ("glossaries.md", 4),
        ("quality.md", 1),
        ("machine-translation.md", 5),
    ],
)
def test_the_commands_print_what_the_page_shows(open_page, demo_folder, name, count):
    page = open_page(name)

    printed = run_commands(demo_folder, page.blocks("sh"))

    found = [each for each in printed if each.strip()]
    shown = page.blocks("text")
    assert len(shown) == len(found) == count
    for block, text in zip(shown, found, strict=True):
        assert shows(block, text), text


def test_the_readme_links_every_guide_and_page_of_reference(open_page):
    targets = re.findall(r"\]\(([^)#]+)\)", open_page("README.md").text)
    pages = [
        str(path.relative_to(ROOT))
        for folder in ("how-to", "reference", "internals")
        for path in (ROOT / "docs" / folder).glob("*.md")
    ]

    assert [target for target in targets if not (ROOT / target).exists()] == []
    assert {"docs/tutorial.md", "docs/glossary.md", *pages} <= set(targets)


@pytest.fixture(scope="module")
def apps(demo_folder, open_page):
    """What the commands of how-to/apps.md print; the files are in the demo's folder."""
    require_gettext()
    first, *blocks = open_page("apps.md").blocks("sh")
    return run_commands(demo_folder, [f". .venv/bin/activate; {first}", *blocks])


I18NEXT = '{"dependencies": {"i18next": "26", "react": "19", "react-i18next": "17"}}'
ASK = """
import i18n, { ready } from "./i18n.mjs";
await ready;
console.log(i18n.t("common.button.back"));
"""


@pytest.mark.node
def test_i18next_shows_a_text_in_german(open_page, apps, tmp_path):
    code = open_page("apps.md").files()["i18n.js"]
    manifest = apps[1].strip()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/package.json").write_text(I18NEXT)
    (tmp_path / "scripts/ask.mjs").write_text(ASK)
    code, count = re.subn(r'(?<=MANIFEST = )".*"', f'"{manifest}"', code)
    (tmp_path / "scripts/i18n.mjs").write_text(code)
    folder = installed(tmp_path / "scripts", tmp_path)
    wait_for(manifest)

    asked = subprocess.run(["node", "ask.mjs"], cwd=folder, capture_output=True)

    assert count == 1
    assert asked.stdout.decode() == "Zurück\n", asked.stderr


def wait_for(manifest):
    deadline = time.monotonic() + 30
    while urlopen(manifest).status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


DJANGO = """
import django
from django.conf import settings
settings.configure(USE_I18N=True, LOCALE_PATHS=["locale"])
django.setup()
"""


def test_django_shows_a_text_in_german(open_page, apps, demo_folder):
    page = open_page("apps.md")
    [code] = page.blocks("python")

    command = [sys.executable, "-c", DJANGO + code]
    done = subprocess.run(command, cwd=demo_folder, capture_output=True, text=True)

    assert done.stdout == page.blocks("text")[1], done.stderr


def test_flutter_finds_every_text_under_a_name_that_dart_allows(apps, demo_folder):
    german = json.loads((demo_folder / "lib/l10n/de.arb").read_text())
    names = [name for name in german if not name.startswith("@")]

    assert (german["@@locale"], german["commonButtonBack"]) == ("de", "Zurück")
    assert (demo_folder / "lib/l10n/en.arb").is_file()
    assert len(names) > 100
    assert all(re.fullmatch("[a-z][A-Za-z0-9]*", name) for name in names)
