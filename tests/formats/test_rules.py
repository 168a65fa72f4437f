"""Which language a path names."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from locframework.formats.rules import (
    is_in_default_folder,
    is_neutral,
    language_in_path,
    module_path,
    path_in,
)
from locframework.languages import same_language

PROJECT = frozenset(("en", "de", "pt-BR", "zh-Hans", "sr-Latn", "id"))


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
        ("res/values-in/strings.xml", "id"),
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


@pytest.mark.parametrize(
    ("path", "languages", "tag"),
    [
        ("ca_ES.json", "en es", "ca-ES"),
        ("ca_ES.json", "en es ca", "ca"),
        ("es_AR.json", "en es ar", "es-AR"),
        ("es-AR.json", "es ar", "es-AR"),
        ("app.es-AR.json", "es ar", "es-AR"),
        ("es_AR/app.json", "es ar", "es-AR"),
        ("app_es_AR.arb", "es ar", "es-AR"),
        ("plugin-fr_CA.po", "fr ca", "fr-CA"),
        ("nl_BE/app.json", "nl fr be", "nl-BE"),
        ("hi_IN.json", "hi id", "hi"),
        ("zh_MO.json", "zh ro", "zh-MO"),
        ("et_EE.json", "et ee", "et"),
        ("sl_SI.json", "sl si", "sl"),
        ("de_IT.json", "de it", "de-IT"),
        ("eu_ES.json", "eu es", "eu"),
        ("messages_es_AR.json", "es ar", "es-AR"),
        ("messages_fr_ID.properties", "en id", "fr-ID"),
        ("es/ca_ES.json", "es", "ca-ES"),
        ("lang-sr@latin.json", "en", "sr-Latn"),
        ("po/en@shaw.po", "en", "en-Shaw"),
        ("locales/be-tarask.json", "en", "be-tarask"),
        ("app_ca_ES@valencia.po", "en ca", "ca-ES-valencia"),
        ("de/lang-sr@latin.json", "de", "de"),
    ],
)
def test_a_region_is_no_language(path: str, languages: str, tag: str) -> None:
    assert language_in_path(path, frozenset(languages.split())) == tag


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        ("zh_CN.json", "zh-Hans"),
        ("zh-Hans-CN.json", "zh-Hans"),
        ("locale/de_DE/LC_MESSAGES/x.po", "de"),
        ("pt.json", "pt-BR"),
        ("sr_Latn_RS.json", "sr-Latn"),
        ("sr@latin.po", "sr-Latn"),
        ("sr_RS@latin.po", "sr-Latn"),
        ("messages_de_DE.properties", "de"),
    ],
)
def test_another_spelling_of_a_language_of_the_project_is_that_language(
    path: str, tag: str
) -> None:
    assert language_in_path(path, PROJECT) == tag


@pytest.mark.parametrize(
    "path",
    ["de/how-to.json", "de/to-do.json", "de/user_id.json", "de/admin/sign-in.json",
     "de/my_id.json", "de/what-is.json"],
)  # fmt: skip
def test_a_folder_counts_more_than_the_last_word_of_a_name(path: str) -> None:
    languages = frozenset(("en", "de", "to", "id", "is"))

    assert language_in_path(path, languages) == "de"


def test_a_resource_bundle_is_in_the_language_that_its_name_ends_with() -> None:
    path = "src/main/resources/de/company/messages_fr.properties"

    assert language_in_path(path, frozenset(("de", "fr"))) == "fr"


@given(st.text(max_size=40), st.sampled_from(sorted(PROJECT)))
def test_a_folder_named_like_a_language_of_the_project_is_enough(
    name: str, tag: str
) -> None:
    name = name.replace("/", "")
    assume(language_in_path(name, frozenset()) is None)  # it names none itself

    assert language_in_path(f"{tag}/{name}", frozenset((tag,))) == tag


@given(
    st.sampled_from(["ca", "es", "hi", "it", "sl", "sr_Cyrl", "zh_Hant"]),
    st.sampled_from(["AR", "BE", "BR", "CA", "EE", "ES", "FI", "ID", "IT", "SI"]),
    st.sampled_from(
        ["{}.json", "app.{}.json", "app_{}.arb", "{}/x.json", "x-{}.po",
         "locale/{}/LC_MESSAGES/x.po", "x_{}.properties"]
    ),
    st.sets(st.sampled_from(["ar", "be", "br", "ca", "ee", "es", "fi", "id", "it"])),
)  # fmt: skip
def test_a_code_with_a_region_never_names_another_language(
    language: str, region: str, layout: str, languages: set[str]
) -> None:
    path = layout.format(f"{language}_{region}")

    found = language_in_path(path, frozenset(languages))

    assert found is not None
    assert same_language(found, language.replace("_", "-"))


@pytest.mark.parametrize(
    ("folder", "tag"),
    [
        ("values-iw", "he"),
        ("values-in", "id"),
        ("values-ji", "yi"),
        ("values-kab", "kab"),
        ("values-kn-rIN", "kn-IN"),
        ("values-b+es+419", "es-419"),
        ("values-b+ast", "ast"),
    ],
)
def test_folders_of_android_name_languages_that_the_project_lacks(
    folder: str, tag: str
) -> None:
    path = f"app/src/main/res/{folder}/strings.xml"

    assert language_in_path(path, frozenset(["en"])) == tag
    assert module_path(path, tag) == ("app", "src", "main", "res", "strings")


@pytest.mark.parametrize(
    "folder", ["values", "values-car", "values-night", "values-v21", "values-land"]
)
def test_other_folders_of_android_name_no_language(folder: str) -> None:
    path = f"res/{folder}/strings.xml"

    assert language_in_path(path, frozenset(["en"])) is None
    assert is_in_default_folder(path) is (folder == "values")


@pytest.mark.parametrize(
    ("tag", "folder"),
    [
        ("de", "values-de"),
        ("pt-BR", "values-pt-rBR"),
        ("id", "values-in"),
        ("sr-Latn", "values-b+sr+Latn"),
        ("es-419", "values-b+es+419"),
    ],
)
def test_a_file_of_android_is_in_the_folder_of_its_language(
    tag: str, folder: str
) -> None:
    path = f"res/{folder}/strings.xml"

    assert path_in("res/values/strings.xml", "en", tag) == path
    assert path_in("res/values-fr/strings.xml", "fr", tag) == path
    assert module_path("res/values/strings.xml", "en") == module_path(path, tag)


def test_values_is_a_name_like_others_where_no_resources_are_in_it() -> None:
    assert path_in("values/app.de.json", "de", "fr") == "values/app.fr.json"
    assert module_path("values/app.json", "en") == ("values", "app")
    assert not is_in_default_folder("values/app.json")


@pytest.mark.parametrize(
    ("path", "is_source"),
    [
        ("App/Resources.resx", True),
        ("Form.Main.RESX", True),
        ("Strings/Resources.resw", False),
        ("res/values/strings.xml", True),
        ("app.json", False),
    ],
)
def test_resources_without_a_language_are_in_the_source_language(
    path: str, is_source: bool
) -> None:
    assert language_in_path(path, PROJECT) is None
    assert is_neutral(path) is is_source


@pytest.mark.parametrize("tag", ["de", "de-DE", "zh-Hans"])
def test_a_file_of_dotnet_has_its_language_before_the_extension(tag: str) -> None:
    path = f"App/Resources.{tag}.resx"

    assert path_in("App/Resources.resx", "en", tag) == path
    assert path_in("App/Resources.fr.resx", "fr", tag) == path
    assert module_path("App/Resources.resx", "en") == module_path(path, tag)
    assert language_in_path(path, frozenset((tag,))) == tag
    strings = "Strings/{}/Resources.resw"
    assert path_in(strings.format("en-US"), "en-US", tag) == strings.format(tag)


@pytest.mark.parametrize("extension", ["ts", "properties"])
def test_java_and_qt_have_underscores_in_names(extension: str) -> None:
    new = path_in(f"lang/app_de.{extension}", "de", "pt-BR")
    assert new == f"lang/app_pt_BR.{extension}"
