"""@fluent/bundle, the runtime of Firefox, reads what we publish and what we write."""

from pathlib import Path

import pytest
from locframework_formats_fluent import FluentPlugin

from locframework.ports import Catalogue, Entry, FileOptions
from locframework.testing.contracts.formats import TEXTS

from .conftest import installed
from .test_i18next import address, asked

pytestmark = pytest.mark.judge

__all__ = ["address"]

SCRIPTS = Path(__file__).parent / "fluent"
RUSSIAN = {"one": "{ $n } файл", "few": "{ $n } файла", "many": "{ $n } файлов"}


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """The folder of an installed script."""
    return installed(SCRIPTS, tmp_path_factory.mktemp("fluent"))


@pytest.mark.node
def test_fluent_shows_what_is_published(sqlite_workspace, address, node):
    workspace = sqlite_workspace
    project = workspace.project(languages=["ru"])
    texts = {
        "-brand": {"en": "Shop", "ru": "Лавка"},
        "pay": {"en": "Pay { $amount }", "ru": "Заплатить { $amount }"},
        "pay.title": {"en": "At { -brand }", "ru": "  В «{ -brand }»\n[сейчас]\n"},
        "cart.pay.now": {"en": "Now {", "ru": "Сейчас { 1, 2 }"},
    }
    for key, values in texts.items():
        workspace.key(project, key, values=values)
    english = {"one": "{ $n } file", "other": "{ $n } files"}
    forms = {"en": english, "ru": {**RUSSIAN, "other": "{ $n } файла"}}
    workspace.key(project, "files", isPlural=True, values=forms)
    made = workspace.owner.post(
        f"/projects/{project['id']}/distributions",
        json={"name": "Web", "format": "fluent"},
    ).data["distribution"]
    workspace.run_jobs()
    manifest = f"{address}/content/{made['publicKey']}/manifest.json"
    questions = [
        ["en", "pay", None, {"amount": "5 €"}],
        ["ru", "pay", "title", {}],
        ["en", "key--cart__pay__now", None, {}],
        ["ru", "key--cart__pay__now", None, {}],
        *(["ru", "files", None, {"count": n, "n": n}] for n in (1, 2, 5, 21, 1.5)),
        ["en", "files", None, {"count": 1, "n": 1}],
    ]

    assert asked(node, "read.js", manifest, questions) == [
        "Pay 5 €",
        "  В «Лавка»\n[сейчас]\n",
        "Now {",
        "Сейчас { 1, 2 }",
        "1 файл",
        "2 файла",
        "5 файлов",
        "21 файл",
        "1,5 файла",
        "1 file",
    ]


@pytest.mark.node
def test_fluent_shows_every_text_as_it_is(node):
    [format_] = FluentPlugin().loc_provide_formats()
    options = FileOptions(key_separator=".", source_language="en")
    texts = {
        f"text-{at}": text
        for at, (name, text) in enumerate(TEXTS.items())
        if name == "braces" or "{" not in text
    }
    entries = [Entry(key, text) for key, text in texts.items()]
    entries.append(
        Entry("all", {"one": "x", "other": TEXTS["windows line breaks"]}, True)
    )
    file = format_.write([Catalogue("en", entries, ("one", "other"))], options)
    (node / "texts.ftl").write_bytes(file.content)

    questions = [["en", key, None, {"count": 3}] for key in (*texts, "all")]
    found = asked(node, "read.js", "texts.ftl", questions)

    assert found == [*texts.values(), TEXTS["windows line breaks"]]
