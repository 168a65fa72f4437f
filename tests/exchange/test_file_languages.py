"""The language of each imported file: found, told, or refused with its name."""

import pytest

from tests.exchange.conftest import Uploads

PO = 'msgid ""\nmsgstr ""\n"Language: %s\\n"\n\nmsgid "Hi"\nmsgstr "%s"\n'


def po(language: str, text: str = "x") -> bytes:
    return (PO % (language, text)).encode()


def test_a_file_in_a_language_that_the_project_lacks_never_becomes_another(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["es"])

    refused = uploads.ask(project, "ca_ES.json", {"a": "Bon dia"})

    assert (refused.status, refused.error["code"]) == (400, "language_not_in_project")
    assert "'ca-ES'" in refused.error["message"]
    assert uploads.values(project) == {}


@pytest.mark.parametrize(
    ("name", "content", "language"),
    [
        ("zh_CN.json", {"a": "x"}, "zh-Hans"),
        ("messages.po", po("zh_CN"), "zh-Hans"),
        ("messages.po", po("de_DE"), "de"),
        ("messages.po", po("pt"), "pt-BR"),
        ("sr@latin.po", po("sr"), "sr-Latn"),
        ("sr@latin.po", po(""), "sr-Latn"),
        ("app.arb", {"@@locale": "de_DE", "a": "x"}, "de"),
    ],
)
def test_a_language_that_is_spelled_in_another_way_is_found_and_told(
    uploads: Uploads, name: str, content: object, language: str
) -> None:
    codes = ["de", "pt-BR", "sr", "sr-Latn", "zh-Hans"]
    project = uploads.workspace.project(languages=codes)

    result = uploads.result(project, name, content)

    assert [each["languageCode"] for each in result["files"]] == [language]
    [texts] = uploads.values(project).values()
    assert texts[language] == "x"


def test_an_archive_is_told_file_by_file(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de", "fr", "zh-Hans"])
    plural = {"one": "1", "other": "n"}
    files = {
        "locale/de_DE/app.json": {"a": "x", "n": plural},
        "locale/fr_FR/app.json": {"a": "y"},
        "locale/zh_CN/app.json": {"a": "z"},
    }

    result = uploads.result(project, "all.zip", uploads.zipped(files))

    told = [
        (each["path"], each["languageCode"], each["keys"], each["texts"])
        for each in result["files"]
    ]
    assert told == [
        ("locale/de_DE/app.json", "de", 2, 3),
        ("locale/fr_FR/app.json", "fr", 1, 1),
        ("locale/zh_CN/app.json", "zh-Hans", 1, 1),
    ]


def test_every_problem_of_an_archive_is_told_at_once(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de"])
    missing = {"it.po": po("it"), "ro.po": po("ro"), "de.po": po("de")}
    several = missing | {"app.json": b'{"a": "x"}', "de/b.json": b'{"a": "x"'}

    languages = uploads.ask(project, "all.zip", uploads.zipped(missing))
    everything = uploads.ask(project, "all.zip", uploads.zipped(several))

    assert languages.error["code"] == "language_not_in_project"
    told = [(each["path"], each["rule"]) for each in languages.error["details"]]
    assert told == [("it.po", "language"), ("ro.po", "language")]
    assert everything.error["code"] == "unreadable_file"
    rules = [each["rule"] for each in everything.error["details"]]
    assert sorted(rules) == ["language", "language", "required", "syntax"]
    assert uploads.values(project) == {}


def test_a_header_that_contradicts_the_path_is_told(uploads: Uploads) -> None:
    """Translators leave the header of the template in their files."""
    project = uploads.workspace.project(languages=["de"])
    files = {"de/messages.po": po("en_US", "Hallo")}

    result = uploads.result(project, "all.zip", uploads.zipped(files))

    assert [each["languageCode"] for each in result["files"]] == ["de"]
    assert result["warnings"] == [
        "de/messages.po says that it is in en-US; by its path it is de"
    ]
