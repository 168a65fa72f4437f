"""Which language a path names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.formats.rules import language_in_path

PROJECT = ["en", "de", "pt-BR", "zh-Hans", "sr-Latn", "id"]


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        ("de.json", "de"),
        ("de", "de"),
        ("DE.json", "de"),
        ("pt_BR.po", "pt-BR"),
        ("pt-br.json", "pt-BR"),
        ("de/app.json", "de"),
        ("app/de/common.json", "de"),
        ("app.de.json", "de"),
        ("app.pt-BR.json", "pt-BR"),
        ("messages_de.properties", "de"),
        ("messages_pt_BR.properties", "pt-BR"),
        ("app-de.json", "de"),
        ("my_app_de.json", "de"),
        ("app_zh_Hans.arb", "zh-Hans"),
        ("locale/pt_BR/LC_MESSAGES/django.po", "pt-BR"),
        ("res/values-de/strings.xml", "de"),
        ("res/values-pt-rBR/strings.xml", "pt-BR"),
        ("res/values-b+sr+Latn/strings.xml", "sr-Latn"),
        ("App/de.lproj/Localizable.strings", "de"),
        ("App/zh-Hans.lproj/Localizable.strings", "zh-Hans"),
        ("de\\app.json", "de"),
    ],
)
def test_a_language_of_the_project_is_found_where_people_write_it(
    path: str, tag: str
) -> None:
    assert language_in_path(path, PROJECT) == tag


@pytest.mark.parametrize(
    "path",
    ["app.json", "web.po", "messages.po", "strings.xml", "values/strings.xml",
     "src/new/common.json", "LC_MESSAGES/django.po", "", ".json", "django.pot",
     "Base.lproj/x.strings", "app_new.json", "2024.json"],
)  # fmt: skip
def test_a_name_that_is_no_language_names_none(path: str) -> None:
    assert language_in_path(path, PROJECT) is None


def test_a_language_that_the_project_lacks_is_named_where_it_is_plain() -> None:
    assert language_in_path("fr.json", PROJECT) == "fr"
    assert language_in_path("locale/fr_CA/LC_MESSAGES/django.po", PROJECT) == "fr-CA"
    assert language_in_path("app.json", PROJECT) is None
    assert language_in_path("messages_fr.properties", PROJECT) is None


def test_the_last_part_of_the_path_wins() -> None:
    assert language_in_path("en/pt-BR.json", PROJECT) == "pt-BR"
    assert language_in_path("de/en/app.json", PROJECT) == "en"


def test_a_language_of_the_project_wins_over_one_it_lacks() -> None:
    assert language_in_path("de/is.json", PROJECT) == "de"


def test_the_region_alone_is_no_language() -> None:
    assert language_in_path("messages_fr_ID.properties", PROJECT) is None


@given(st.text(max_size=40), st.sampled_from(PROJECT))
def test_a_folder_named_like_a_language_of_the_project_is_enough(
    name: str, tag: str
) -> None:
    found = language_in_path(f"{tag}/{name.replace('/', '')}", [tag])

    assert found == tag
