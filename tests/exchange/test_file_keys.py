"""What files call keys: any text is imported, found again and written back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import InvalidKey
from locframework.keys.rules import check_key, legal_key

from .conftest import Uploads

NAMES = [
    "Hello world",
    "a/b",
    "@user",
    "50 %",
    "Reconnecting...",
    "你好",
    "a:b",
    "x y.z",
]
POT = b"""# A TITLE
#, fuzzy
msgid ""
msgstr ""
"Language: \\n"
"Content-Type: text/plain; charset=CHARSET\\n"

msgid "Open"
msgstr ""

msgid "Edit"
msgstr ""
"""


@given(st.text(), st.sampled_from(".:/|"))
def test_any_name_has_a_legal_key_and_a_legal_key_is_its_own(
    name: str, separator: str
) -> None:
    key = legal_key(name, separator)

    check_key(key, separator)
    try:
        check_key(name, separator)
    except InvalidKey:
        assert key != name
    else:
        assert key == name


@given(st.lists(st.text(), unique=True, max_size=30))
def test_different_names_have_different_keys(names: list[str]) -> None:
    assert len({legal_key(name, ".") for name in names}) == len(names)


def exported(uploads: Uploads, project: Any, **query: str) -> Any:
    path = f"/projects/{project['id']}/export"
    query = {"format": "json-flat", **query}
    answer = uploads.workspace.owner.get(path, query=query)
    assert answer.status == 200, answer
    return answer


@pytest.mark.parametrize("layout", ["original", "canonical"])
def test_names_that_are_no_keys_come_back_as_they_were(
    uploads: Uploads, layout: str
) -> None:
    project = uploads.workspace.project()
    texts = {name: f"text of {name}" for name in NAMES}

    uploads.result(project, "en.json", texts, format="json-flat")
    again = uploads.result(project, "en.json", texts, format="json-flat")

    assert again["keysUnchanged"] == len(NAMES)
    assert json.loads(exported(uploads, project, layout=layout).content) == texts


def test_a_file_key_is_searched_shown_and_kept_when_its_key_is_renamed(
    uploads: Uploads,
) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project(languages=["de"])
    uploads.result(project, "en.json", {"Hello world": "Hi"})
    path = f"/projects/{project['id']}/keys"
    query = {"search": "hello WORLD", "include": "details"}

    found = workspace.owner.get(path, query=query).data
    [key] = found["items"]
    workspace.owner.patch(f"{path}/{key['id']}", json={"key": "greeting"})
    result = uploads.result(project, "de.json", {"Hello world": "Hallo"})

    assert found["details"][key["id"]]["fileKey"] == "Hello world"
    detail = workspace.owner.get(f"{path}/{key['id']}/detail").data["detail"]
    assert (detail["fileKey"], detail["fileDetails"]) == ("Hello world", {})
    assert result["keysCreated"] == 0
    assert uploads.values(project) == {"greeting": {"en": "Hi", "de": "Hallo"}}
    written = exported(uploads, project, languageCodes="de").content
    assert json.loads(written) == {"Hello world": "Hallo"}


def test_a_branch_brings_file_keys_to_main(uploads: Uploads) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project()
    branches = f"/projects/{project['id']}/branches"
    assert workspace.owner.post(branches, json={"name": "b"}).status == 201
    uploads.result(project, "en.json", {"Hello world": "Hi"}, branch="b")

    merged = workspace.owner.post(f"{branches}/b/merge", json={})

    assert merged.status == 200, merged
    assert json.loads(exported(uploads, project).content) == {"Hello world": "Hi"}


# names of files as modules


def namespaces() -> dict[str, dict[str, str]]:
    """Three files of three languages that share the key ``title``."""
    return {
        f"locales/{code}/{name}.json": {"title": f"{name} {code}", f"of {name}": code}
        for code in ("en", "de", "fr")
        for name in ("common", "errors", "shop")
    }


def in_archive(content: bytes) -> dict[str, Any]:
    found = Uploads.unzipped(content)
    return {name: json.loads(file) for name, file in found.items()}


def test_files_that_share_keys_are_modules_and_come_back_without_them(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    files = namespaces()

    first = uploads.result(project, "all.zip", Uploads.zipped(files))
    second = uploads.result(project, "all.zip", Uploads.zipped(files))

    assert [each["module"] for each in first["files"]] == [
        "common",
        "errors",
        "shop",
    ] * 3
    assert uploads.values(project)["errors.title"] == {
        code: f"errors {code}" for code in ("en", "de", "fr")
    }
    assert second["keysUnchanged"] == 6
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_a_file_of_a_module_that_the_project_has_is_read_into_it(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    files = namespaces()
    uploads.result(project, "all.zip", Uploads.zipped(files))
    one = {"de/errors.json": {"title": "Fehler"}}

    found = uploads.result(project, "one.zip", Uploads.zipped(one))

    assert found["keysCreated"] == 0
    assert uploads.values(project)["errors.title"]["de"] == "Fehler"


@pytest.mark.parametrize(
    ("modules", "keys"),
    [
        ("auto", ["a", "b"]),
        ("always", ["one.a", "two.b"]),
        ("never", ["a", "b"]),
    ],
)
def test_modules_are_made_as_asked(
    uploads: Uploads, modules: str, keys: list[str]
) -> None:
    project = uploads.workspace.project()
    files = {"en/one.json": {"a": "A"}, "en/two.json": {"b": "B"}}

    uploads.result(project, "all.zip", Uploads.zipped(files), modules=modules)

    assert list(uploads.values(project)) == keys
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


@pytest.mark.parametrize(
    "layout", ["{}/{}/app.json", "{}/locale/{}/app.json", "{1}/x/{0}/y/app.json"]
)
def test_files_of_one_name_that_share_keys_are_told_apart_by_their_folders(
    uploads: Uploads, layout: str
) -> None:
    project = uploads.workspace.project(languages=["de"])
    files = {
        layout.format(app, code): {"title": f"{app} {code}", app: code}
        for app in ("shop", "admin")
        for code in ("en", "de")
    }

    first = uploads.result(project, "all.zip", Uploads.zipped(files))
    again = uploads.result(project, "all.zip", Uploads.zipped(files))
    alone = {layout.format("shop", "de"): {"title": "neu", "shop": "de"}}
    uploads.result(project, "one.zip", Uploads.zipped(alone))

    assert (first["keysCreated"], again["keysUnchanged"]) == (4, 4)
    assert uploads.values(project)["shop-app.title"] == {"en": "shop en", "de": "neu"}
    assert len(uploads.values(project)) == 4
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files | alone


@pytest.mark.parametrize("has_templates", [False, True])
def test_po_files_of_apps_keep_the_messages_that_they_share(
    uploads: Uploads, has_templates: bool
) -> None:
    project = uploads.workspace.project(languages=["de"])
    files = {
        f"{app}/locale/de/LC_MESSAGES/django.po": Uploads.po(
            "de", 'msgid "Edit"\nmsgstr "Bearbeiten"\n', f'msgid "{app}"\nmsgstr "A"\n'
        )
        for app in ("admin", "users")
    }
    for app in ("admin", "users") if has_templates else ():
        template = POT.replace(b"Open", app.encode())
        files[f"{app}/locale/django.pot"] = template

    uploads.result(project, "all.zip", Uploads.zipped(files))

    assert [*uploads.values(project)] == [
        "admin-django.Edit",
        "admin-django.admin",
        "users-django.Edit",
        "users-django.users",
    ]
    answer = exported(uploads, project, format="gettext-po")
    assert Uploads.unzipped(answer.content) == files


EDIT = 'msgid "Edit"\nmsgstr "Bearbeiten"\n'


def test_a_template_among_po_files_is_their_source_and_stays_a_template(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    german = Uploads.po("de", 'msgid "Open"\nmsgstr ""\n', EDIT)
    files = {"po/app.pot": POT, "po/de.po": german}

    result = uploads.result(project, "all.zip", Uploads.zipped(files))
    archive = exported(uploads, project, format="gettext-po").content
    less = {"app.pot": POT.replace(b"Open", b"Close"), "de.po": Uploads.po("de", EDIT)}
    replaced = uploads.result(project, "a.zip", Uploads.zipped(less), mode="replace")

    formats = {each["path"]: each["format"] for each in result["files"]}
    assert formats == {"po/app.pot": "gettext-pot", "po/de.po": "gettext-po"}
    assert Uploads.unzipped(archive) == files
    assert [name[:5] for name in replaced["removed"]] == ["Open"]


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"po/app.pot": POT, "po/de.po": Uploads.po("de", EDIT)}, "app.pot"),
        ({"po/de.po": Uploads.po("de", EDIT)}, "en.pot"),
        ({"en/app.po": Uploads.po("en", EDIT)}, "app.pot"),
        ({"en.json": {"Edit": "Edit"}, "de.json": {"Edit": "Bearbeiten"}}, "en.pot"),
    ],
)
@pytest.mark.parametrize("layout", ["original", "canonical"])
def test_a_template_is_written_once_and_not_for_each_language(
    uploads: Uploads, files: dict[str, Any], name: str, layout: str
) -> None:
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "all.zip", Uploads.zipped(files))

    answer = exported(uploads, project, format="gettext-pot", layout=layout)

    name = name if layout == "original" else "en.pot"
    assert f'filename="{name}"' in answer.headers["Content-Disposition"]
    assert b'msgid "Edit"\nmsgstr ""' in answer.content
    assert b"Bearbeiten" not in answer.content


def test_a_template_and_a_po_file_with_other_source_texts_come_back_each_as_it_was(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    template = POT.replace(b"CHARSET", b"UTF-8")
    files = {
        "po/app.pot": template,
        "po/de/app.po": Uploads.po("de", EDIT, 'msgid "Open"\nmsgstr "Auf"\n'),
        "po/de/days.po": Uploads.po("de", 'msgid "day1"\nmsgstr "Montag"\n'),
        "po/en/days.po": Uploads.po("en", 'msgid "day1"\nmsgstr "Monday"\n'),
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))

    archive = exported(uploads, project, format="gettext-po").content
    alone = exported(uploads, project, format="gettext-pot").content

    assert Uploads.unzipped(archive) == files
    assert alone == template


def test_po_files_that_move_with_their_template_keep_their_keys(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    open_ = 'msgid "Open"\nmsgstr "Auf"\n'
    files = {
        "po/app.pot": POT.replace(b"CHARSET", b"UTF-8"),
        "po/de.po": Uploads.po("de", EDIT, open_),
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    more = 'msgid "Read"\nmsgstr "Lesen"\n\nmsgid "Edit"\nmsgstr "Korrigieren"\n'
    other = {"doc/de.po": Uploads.po("de", more)}
    uploads.result(project, "all.zip", Uploads.zipped(files | other))
    moved = {f"src/{path}": files[path] for path in files}

    found = uploads.result(project, "all.zip", Uploads.zipped(moved | other))

    assert found["keysCreated"] == 0
    archive = exported(uploads, project, format="gettext-po").content
    assert sorted(Uploads.unzipped(archive)) == sorted(moved | other)


def test_a_template_beside_a_po_file_of_the_source_language_is_left_out(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    english = Uploads.po("en", 'msgid "Edit"\nmsgstr ""\n')
    files = {"app.pot": POT, "en.po": english, "de.po": Uploads.po("de", EDIT)}

    result = uploads.result(project, "all.zip", Uploads.zipped(files))

    told = "is left out beside en.po"
    assert result["skipped"] == [{"path": "app.pot", "message": told}]
    assert [*uploads.values(project).values()] == [{"en": "Edit", "de": "Bearbeiten"}]


@pytest.mark.parametrize(
    ("format_", "german"),
    [
        ("gettext-po", Uploads.po("de", 'msgid "Edit"\nmsgstr "Bearbeiten"\n')),
        ("json-nested", b'{"edit": "Bearbeiten"}'),
    ],
)
def test_a_language_without_a_file_and_texts_gets_none(
    uploads: Uploads, format_: str, german: bytes
) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    name = f"app/de.{'po' if format_ == 'gettext-po' else 'json'}"
    uploads.result(project, "all.zip", Uploads.zipped({name: german}))

    whole = exported(uploads, project, format=format_)
    named = exported(uploads, project, format=format_, languageCodes="en,de")

    assert whole.content == german
    assert len(Uploads.unzipped(named.content)) == 2


def test_the_second_file_of_one_language_and_module_is_skipped_when_asked(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["pt-BR"])
    files = {"pt-BR/app.json": {"a": "A"}, "pt_BR/app.json": {"a": "B", "b": "B"}}

    found = uploads.result(
        project, "all.zip", Uploads.zipped(files), onUnreadable="skip"
    )

    assert uploads.values(project) == {"a": {"pt-BR": "A"}}
    [skipped] = found["skipped"]
    assert skipped["path"] == "pt_BR/app.json"
    assert "pt-BR/app.json" in skipped["message"]


def test_an_archive_of_which_nothing_is_left_is_refused_with_every_reason(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project()
    files: dict[str, object] = {"en.json": b"{", "de.json": {"a": "A"}}

    refused = uploads.ask(
        project, "all.zip", Uploads.zipped(files), onUnreadable="skip"
    )

    assert refused.status == 400
    details = refused.error["details"]
    assert sorted(each["path"].split()[0] for each in details) == ["de.json", "en.json"]


def test_two_files_for_one_language_and_module_are_refused_with_both_paths(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    files = {"de.json": {"a": "A"}, "de_DE.json": {"b": "B"}}

    refused = uploads.ask(project, "all.zip", Uploads.zipped(files))

    assert (refused.status, refused.error["code"]) == (400, "unreadable_file")
    assert "de.json" in refused.error["message"]
    assert "de_DE.json" in refused.error["message"]


# files that cannot be read, and languages that are not there


def test_files_that_cannot_be_read_are_skipped_when_asked(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    files = {
        "en.json": {"a": "A"},
        "it.json": {"a": "A"},
        "percentages.json": {"a": 1},
        "en/broken.json": b"{",
    }

    refused = uploads.ask(project, "all.zip", Uploads.zipped(files))
    found = uploads.result(
        project, "all.zip", Uploads.zipped(files), onUnreadable="skip"
    )

    assert refused.status == 400
    assert len(refused.error["details"]) == 3
    assert sorted(each["path"] for each in found["skipped"]) == [
        "en/broken.json",
        "it.json",
        "percentages.json",
    ]
    assert uploads.values(project) == {"a": {"en": "A"}}


def test_languages_are_added_when_asked(uploads: Uploads) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project(languages=["fr"])
    files = {code: {"a": code} for code in ("en.json", "it.json", "fr_CA.json")}
    form = {"addLanguages": "true"}
    path = f"/projects/{project['id']}/languages"

    dry = uploads.result(project, "a.zip", Uploads.zipped(files), dryRun="true", **form)
    before = len(workspace.owner.get(path).data["items"])
    found = uploads.result(project, "a.zip", Uploads.zipped(files), **form)

    codes = [each["languageCode"] for each in workspace.owner.get(path).data["items"]]
    assert (before, sorted(codes)) == (2, ["en", "fr", "fr-CA", "it"])
    assert dry["valuesWritten"] == found["valuesWritten"] == 3
    developer = workspace.client("developer")
    refused = uploads.ask(
        project, "a.zip", Uploads.zipped(files), client=developer, **form
    )
    assert (refused.status, refused.error["code"]) == (403, "permission_denied")


def test_an_export_has_an_etag_that_changes_with_what_it_holds(
    uploads: Uploads,
) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project()
    uploads.result(project, "en.json", {"a": "A"})
    path = f"/projects/{project['id']}/export"
    query = {"format": "json-flat"}
    etag = exported(uploads, project).headers["ETag"]

    def status(**more: str) -> int:
        asked = {**query, **more}
        headers = {"If-None-Match": etag}
        return workspace.owner.get(path, query=asked, headers=headers).status

    assert status() == 304
    assert status(minStatus="any") == 200
    uploads.result(project, "en.json", {"a": "A!"})
    assert status() == 200


def test_a_file_without_plurals_is_read_and_written_as_the_others(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["ru"])
    english = b'{\n   "b": "B", "n_one": "one", "n_other": "other"}'
    russian = b'{\n   "n_one": "1", "n_few": "2",\n   "n_many": "5"}'
    uploads.result(project, "en.json", english)

    found = uploads.result(project, "ru.json", russian)

    assert (found["keysCreated"], found["files"][0]["format"]) == (0, "json-i18next")
    query = {"format": "json-i18next", "languageCodes": "ru"}
    assert exported(uploads, project, **query).content == russian


def test_a_new_key_of_a_module_of_po_files_is_found_again(uploads: Uploads) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project(languages=["de"])
    files = {
        f"locale/de/{name}.po": b'msgid "Save"\nmsgstr "%s"\n' % name.encode()
        for name in ("django", "djangojs")
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    workspace.key(project, "django.new", values={"en": "New", "de": "Neu"})
    before = uploads.values(project)

    query = {"format": "gettext-po", "languageCodes": "de"}
    archive = exported(uploads, project, **query).content
    found = uploads.result(project, "all.zip", archive)

    assert (found["keysCreated"], found["keysUnchanged"]) == (0, len(before))
    assert uploads.values(project) == before


def test_a_file_that_has_no_module_gets_none_when_others_share_its_keys(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project()
    files = {"en/common.json": {"title": "Common"}}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    files["en/errors.json"] = {"title": "Error"}

    found = uploads.result(project, "all.zip", Uploads.zipped(files))

    assert found["keysCreated"] == 1
    assert list(uploads.values(project)) == ["errors.title", "title"]
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_files_of_two_formats_each_keep_their_own_keys(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    files = {"en.json": {"a": "A"}, "app_en.arb": {"@@locale": "en", "b": "B"}}
    uploads.result(project, "all.zip", Uploads.zipped(files))

    written = {
        format_id: json.loads(exported(uploads, project, format=format_id).content)
        for format_id in ("json-nested", "arb")
    }

    assert written == {"json-nested": files["en.json"], "arb": files["app_en.arb"]}


@pytest.mark.parametrize("layout", ["original", "canonical"])
def test_of_two_keys_that_a_file_calls_the_same_none_is_lost(
    uploads: Uploads, layout: str
) -> None:
    workspace, project = uploads.workspace, uploads.workspace.project()
    uploads.result(project, "en.json", {"Sign in": "One"})
    path = f"/projects/{project['id']}/keys"
    [key] = workspace.owner.get(path).data["items"]
    workspace.owner.patch(f"{path}/{key['id']}", json={"key": "auth.login"})
    workspace.owner.delete(f"{path}/{key['id']}")
    uploads.result(project, "en.json", {"Sign in": "Two"})
    restored = workspace.owner.post(f"{path}/{key['id']}/restore")
    assert restored.status == 200, restored

    answer = exported(uploads, project, layout=layout)

    assert sorted(json.loads(answer.content).values()) == ["One", "Two"]
    assert answer.headers["X-Service-Warning-Count"] == "1"


def test_a_part_of_an_export_has_no_file_without_keys(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    uploads.result(project, "all.zip", Uploads.zipped(namespaces()))

    archive = exported(uploads, project, module="shop", format="json-nested").content

    assert list(in_archive(archive)) == [
        f"locales/{code}/shop.json" for code in ("de", "en", "fr")
    ]


# files that come one after the other

SHOP = {"title": "Shop"}


@pytest.mark.parametrize("queued", [False, True])
def test_a_file_with_other_texts_for_the_same_keys_is_a_module_of_its_own(
    uploads: Uploads, queued: bool
) -> None:
    project = uploads.workspace.project()
    first, second = {"title": "Shop", "a": "A"}, {"title": "Error", "b": "B"}
    files = {"common.en.json": first, "errors.en.json": second}

    asked = []
    for name, texts in files.items():
        asked.append(uploads.ask(project, name, texts))
        if not queued:
            uploads.workspace.job_of(asked[-1])
    results = [uploads.workspace.job_of(each)["result"] for each in asked]

    assert [each["files"][0]["module"] for each in results] == [None, "errors"]
    assert uploads.values(project) == {
        "a": {"en": "A"},
        "errors.b": {"en": "B"},
        "errors.title": {"en": "Error"},
        "title": {"en": "Shop"},
    }
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_a_file_that_was_renamed_keeps_its_keys(uploads: Uploads) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "app.en.json", {"a": "A", "b": "B", "c": "C"})

    found = uploads.result(project, "main.en.json", {"a": "A1", "b": "B", "c": "C"})

    assert (found["keysCreated"], found["conflictCount"]) == (0, 0)
    assert uploads.values(project)["a"] == {"en": "A1"}
    assert (
        exported(uploads, project, format="json-nested")
        .headers["Content-Disposition"]
        .endswith('"main.en.json"')
    )


def test_a_key_that_another_file_without_a_language_in_its_path_has_is_a_conflict(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "common.json", {"title": "Shop"}, languageCode="en")

    texts = {"b": "B", "title": "Error"}
    found = uploads.result(project, "errors.json", texts, languageCode="en")

    assert [each["existing"] for each in found["conflicts"]] == ["Shop"]


def test_a_file_without_folders_keeps_the_path_that_it_had(uploads: Uploads) -> None:
    project = uploads.workspace.project(languages=["de", "fr"])
    files = {
        "web/locales/en/app.json": {"a": "A"},
        "web/locales/de/app.json": {"a": "A de"},
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))

    uploads.result(project, "app.json", {"a": "B de"}, languageCode="de")
    uploads.result(project, "app.json", {"a": "A fr"}, languageCode="fr")

    archive = exported(uploads, project, format="json-nested").content
    files["web/locales/de/app.json"] = {"a": "B de"}
    files["web/locales/fr/app.json"] = {"a": "A fr"}
    assert in_archive(archive) == files


@pytest.mark.parametrize("format_", ["json-flat", "arb", "gettext-po"])
def test_an_empty_name_is_a_file_key_from_its_first_import_on(
    uploads: Uploads, format_: str
) -> None:
    project = uploads.workspace.project()

    first = uploads.result(project, "en.json", {"": "Hi"})
    again = uploads.result(project, "en.json", {"": "Hi"})

    assert (first["keysCreated"], again["keysUnchanged"]) == (1, 1)
    [key] = uploads.items(project)
    path = f"/projects/{project['id']}/keys/{key['id']}/detail"
    assert uploads.workspace.owner.get(path).data["detail"]["fileKey"] == ""
    query = {"format": format_, "languageCodes": "en", "layout": "canonical"}
    name = {"arb": "en.arb", "gettext-po": "en.po"}.get(format_, "en.json")
    found = uploads.result(project, name, exported(uploads, project, **query).content)
    assert (found["keysCreated"], found["keysUnchanged"]) == (0, 1)


def test_a_second_namespace_that_shares_a_few_texts_is_no_renamed_file(uploads):
    project = uploads.workspace.project()
    common = {"save": "Save", "title": "Welcome"} | {f"c{n}": "C" for n in range(8)}
    errors = {"save": "Save", "title": "Broken"} | {f"e{n}": "E" for n in range(6)}
    files = {"locales/en/common.json": common, "locales/en/errors.json": errors}

    for path, texts in files.items():
        uploads.result(project, "one.zip", Uploads.zipped({path: texts}))

    assert uploads.values(project)["title"] == {"en": "Welcome"}
    assert uploads.values(project)["errors.title"] == {"en": "Broken"}
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files
    again = uploads.result(project, "all.zip", Uploads.zipped(files))
    assert (again["keysCreated"], again["conflictCount"]) == (0, 0)


def test_files_of_one_name_that_come_one_by_one_are_told_apart_by_folders(uploads):
    project = uploads.workspace.project()
    files = {
        f"{app}/en/app.json": {"title": app, **{f"{app}{n}": "x" for n in range(3)}}
        for app in ("admin", "users")
    }

    for path, texts in files.items():
        uploads.result(project, "one.zip", Uploads.zipped({path: texts}))

    assert uploads.values(project)["users-app.title"] == {"en": "users"}
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_a_key_that_two_files_get_later_stays_in_both(uploads):
    project = uploads.workspace.project(languages=["de"])
    files = {
        f"{code}/{name}.json": {name: code}
        for code in ("en", "de")
        for name in ("common", "shop")
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    for path, texts in files.items():
        texts["save"] = path[:2]

    uploads.result(project, "all.zip", Uploads.zipped(files))

    assert list(uploads.values(project)) == ["common", "save", "shop"]
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_files_that_are_joined_leave_none_behind(uploads):
    project = uploads.workspace.project()
    files = {"a.en.json": {"a": "A"}, "b.en.json": {"b": "B", "c": "C"}}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    joined = {"a": "A", "b": "B", "c": "C"}

    uploads.result(project, "a.en.json", joined)

    found = exported(uploads, project, format="json-nested")
    assert '"a.en.json"' in found.headers["Content-Disposition"]
    assert json.loads(found.content) == joined


def test_a_file_without_folders_that_may_be_one_of_several_is_told_by_its_keys(uploads):
    project = uploads.workspace.project()
    files = {"web/en.json": {"a": "A"}, "app/en.json": {"b": "B"}}
    uploads.result(project, "all.zip", Uploads.zipped(files))

    uploads.result(project, "en.json", {"b": "C"})

    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files | {"app/en.json": {"b": "C"}}


def test_languages_at_the_end_of_names_that_begin_alike_are_added(uploads):
    project = uploads.workspace.project()
    files = {f"l10n/app_{code}.arb": {"a": code} for code in ("en", "af", "sr_Latn")}
    files["l10n/log_in.json"] = {"b": "in"}

    found = uploads.result(
        project,
        "all.zip",
        Uploads.zipped(files),
        addLanguages="true",
        onUnreadable="skip",
    )

    assert [each["path"] for each in found["skipped"]] == ["l10n/log_in.json"]
    assert uploads.values(project)["a"] == {
        "en": "en",
        "af": "af",
        "sr-Latn": "sr_Latn",
    }
    archive = exported(uploads, project, format="arb").content
    assert sorted(in_archive(archive)) == sorted(files)[:3]


def test_moved_files_keep_their_keys_after_texts_were_translated(uploads):
    project = uploads.workspace.project(languages=["de", "fr"])
    english = {f"k{n}": f"Text {n}" for n in range(4)}
    empty = dict.fromkeys(english, "")
    files = {"i18n/en.json": english, "i18n/de.json": empty, "i18n/fr.json": empty}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    german = {name: f"{text} de" for name, text in english.items()}
    moved = {"en.json": english, "de.json": german, "fr.json": empty}
    moved = {f"src/i18n/{name}": texts for name, texts in moved.items()}

    found = uploads.result(project, "all.zip", Uploads.zipped(moved))

    assert (found["keysCreated"], found["conflictCount"]) == (0, 0)
    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == moved


def test_a_small_file_that_comes_alone_leaves_the_larger_one(uploads):
    project = uploads.workspace.project()
    common = {"save": "Save", "cancel": "No", **{f"c{n}": "C" for n in range(6)}}
    buttons = {"save": "Save", "cancel": "No", "ok": "OK"}
    files = {"l/en/common.json": common, "l/en/buttons.json": buttons}

    for path, texts in files.items():
        uploads.result(project, "one.zip", Uploads.zipped({path: texts}))

    archive = exported(uploads, project, format="json-nested").content
    assert in_archive(archive) == files


def test_a_new_key_of_a_module_goes_into_its_file(uploads):
    project = uploads.workspace.project()
    files = {
        "l/en/common.json": {"c": "C", "title": "Shop"},
        "l/en/errors.json": {"title": "Error"},
    }
    for path, texts in files.items():
        uploads.result(project, "one.zip", Uploads.zipped({path: texts}))
    uploads.workspace.key(project, "errors.aaa", values={"en": "A"})

    archive = exported(uploads, project, format="json-nested").content

    files["l/en/errors.json"]["aaa"] = "A"
    assert in_archive(archive) == files


def test_keys_of_a_source_file_that_cannot_be_read_are_not_removed(uploads):
    project = uploads.workspace.project(languages=["de"])
    files = {
        f"{code}/{name}.json": {name: f"{name} {code}"}
        for code in ("en", "de")
        for name in ("common", "shop")
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    before = uploads.values(project)
    files["en/shop.json"] = b'{"shop": '

    found = uploads.result(
        project,
        "all.zip",
        Uploads.zipped(files),
        mode="replace",
        onUnreadable="skip",
    )

    assert [each["path"] for each in found["skipped"]] == ["en/shop.json"]
    assert (found["removed"], uploads.values(project)) == ([], before)
