"""Files without modules that call different keys alike later."""

import json
from random import Random

import pytest

from .conftest import Uploads

EN_DE = ("en", "de")
FIRST = {
    "en/common.json": {"save": "Save"},
    "de/common.json": {"save": "Sichern"},
    "en/shop.json": {"buy": "Buy"},
    "de/shop.json": {"buy": "Kaufen"},
}
BOTH = {path: {"both": "OK"} for path in FIRST}
ADDED = {
    "en/common.json": {"title": "Start"},
    "de/common.json": {"title": "Anfang"},
    "en/shop.json": {"title": "Shop"},
    "de/shop.json": {"title": "Laden"},
}


def together(first, *others):
    return {
        path: {
            name: text for each in (first, *others) for name, text in each[path].items()
        }
        for path in first
    }


def exported(uploads, project):
    found = uploads.exported(project)
    return {name: json.loads(content) for name, content in found.items()}


@pytest.fixture
def project(uploads):
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "all.zip", Uploads.zipped(FIRST))
    return project


def test_a_name_that_two_files_get_with_different_texts_is_a_key_in_each(
    uploads, project
):
    files = together(FIRST, ADDED)

    found = uploads.result(project, "all.zip", Uploads.zipped(files))
    again = uploads.result(project, "all.zip", Uploads.zipped(files))

    values = uploads.values(project)
    assert values["title"] == {"en": "Start", "de": "Anfang"}
    assert values["shop.title"] == {"en": "Shop", "de": "Laden"}
    [warning] = found["warnings"]
    assert warning.startswith("title of shop is the key shop.title: another file")
    assert (again["keysUnchanged"], again["valuesWritten"]) == (4, 0)
    assert again["warnings"] == []
    assert exported(uploads, project) == files


def test_a_file_that_comes_alone_leaves_the_key_of_the_other(uploads, project):
    with_title = together(
        FIRST,
        {path: {} for path in FIRST}
        | {path: ADDED[path] for path in ("en/common.json", "de/common.json")},
    )
    uploads.result(project, "all.zip", Uploads.zipped(with_title))
    files = together(FIRST, ADDED)

    for path in ("en/shop.json", "de/shop.json"):
        uploads.result(project, "one.zip", Uploads.zipped({path: files[path]}))

    values = uploads.values(project)
    assert values["title"] == {"en": "Start", "de": "Anfang"}
    assert values["shop.title"] == {"en": "Shop", "de": "Laden"}
    assert exported(uploads, project) == files


def test_a_name_that_is_no_key_is_written_and_removed_in_its_own_file(uploads, project):
    files = together(FIRST, {path: {"Sign in": path} for path in FIRST})
    for name in ("common", "shop"):
        some = {path: files[path] for path in files if name in path}
        uploads.result(project, "some.zip", Uploads.zipped(some))
    both = exported(uploads, project)

    files = together(FIRST, {p: {"Sign in": p} if "common" in p else {} for p in FIRST})
    found = uploads.result(project, "all.zip", Uploads.zipped(files), mode="replace")

    assert both == together(FIRST, {path: {"Sign in": path} for path in FIRST})
    assert found["removed"] == ["shop.sign-in-a626632de3d4"]
    assert exported(uploads, project) == files


def test_a_name_that_only_another_file_had_for_a_key_of_its_own_is_a_new_key(
    uploads, project
):
    for names in (("common", "shop"), ("shop",), ("common",)):
        texts = {p: {"Sign in": f"{p} {names}"} for p in FIRST if p[3:-5] in names}
        files = together(FIRST, {path: texts.get(path, {}) for path in FIRST})

        uploads.result(project, "all.zip", Uploads.zipped(files), mode="replace")

        assert exported(uploads, project) == files


@pytest.mark.parametrize("names", [("common", "shop"), ("shop", "common")])
def test_a_key_of_its_own_is_none_that_another_text_has(uploads, project, names):
    nested = {p: {"shop": {"title": f"{p} in"}} if "com" in p else {} for p in FIRST}
    files = together(FIRST, ADDED, nested)

    for name in names:
        some = {path: files[path] for path in files if name in path}
        uploads.result(project, "some.zip", Uploads.zipped(some))
    again = uploads.result(project, "all.zip", Uploads.zipped(files))

    assert exported(uploads, project) == files
    assert (again["keysUnchanged"], again["valuesWritten"]) == (5, 0)


def test_a_key_of_its_own_is_none_that_somebody_made(uploads, project):
    uploads.workspace.key(project, "shop.title", values={"en": "Mine"})

    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, ADDED)))

    values = uploads.values(project)
    assert values["shop.title"] == {"en": "Mine"}
    assert values["shop-2.title"] == {"en": "Shop", "de": "Laden"}


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_new_file_with_the_old_name_of_a_renamed_one_gets_a_module_of_its_own(
    uploads, is_alone
):
    project = uploads.workspace.project(languages=["de"])
    files = {f"{c}/{n}.json": {"a": c, "b": n} for c in EN_DE for n in ("app", "shop")}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    files = {path.replace("app", "web"): files[path] for path in files}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    new = {f"{code}/app.json": {"a": f"new {code}"} for code in EN_DE}

    came = new if is_alone else files | new
    uploads.result(project, "some.zip", Uploads.zipped(came))

    assert uploads.values(project)["app-2.a"] == {"en": "new en", "de": "new de"}
    assert exported(uploads, project) == files | new


@pytest.mark.parametrize("name", ["title", "Sign in"])
def test_a_key_of_its_own_that_was_renamed_or_translated_here_is_called_as_in_its_file(
    uploads, project, name
):
    old = {path: {name if "com" in path else "old": path} for path in FIRST}
    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, old)))
    files = together(FIRST, {path: {name: path} for path in FIRST})
    sources = {path: files[path] for path in files if path.startswith("en/")}

    found = uploads.result(
        project, "all.zip", Uploads.zipped(sources), mode="replace", renames="carry"
    )

    [rename] = found["renames"]
    assert (rename["old"], rename["new"].partition(".")[0]) == ("old", "shop")
    assert exported(uploads, project) == files


def test_a_text_that_two_files_shared_becomes_two_with_all_translations(
    uploads, project
):
    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, BOTH)))
    files = together(FIRST, BOTH | {"en/shop.json": {"both": "Fine"}})
    sources = {path: files[path] for path in files if path.startswith("en/")}

    uploads.result(project, "all.zip", Uploads.zipped(sources))

    values = uploads.values(project)
    assert values["both"] == {"en": "OK", "de": "OK"}
    assert values["shop.both"] == {"en": "Fine", "de": "OK"}
    assert exported(uploads, project) == files


def test_a_shared_text_that_changes_in_one_file_after_the_other_stays_one(
    uploads, project
):
    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, BOTH)))

    for path in ("en/common.json", "en/shop.json"):
        files = {path: FIRST[path] | {"both": "Fine"}}
        uploads.result(project, "one.zip", Uploads.zipped(files))

    assert uploads.values(project)["both"] == {"en": "Fine", "de": "OK"}
    assert len(uploads.values(project)) == 3


@pytest.mark.parametrize("first", [FIRST, {p: FIRST[p] for p in FIRST if "com" in p}])
@pytest.mark.parametrize("name", ["common", "shop"])
def test_a_file_that_is_renamed_beside_another_with_its_names_keeps_its_keys(
    uploads, first, name
):
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "all.zip", Uploads.zipped(first))
    before = together(FIRST, {path: {"a": "A", "b": "B"} for path in FIRST}, ADDED)
    uploads.result(project, "all.zip", Uploads.zipped(before))
    values = uploads.values(project)
    files = {path.replace(name, "moved"): before[path] for path in before}
    files["en/moved.json"] = {**files["en/moved.json"], "title": "New"}

    found = uploads.result(project, "all.zip", Uploads.zipped(files))

    assert (found["keysCreated"], found["valuesWritten"]) == (0, 1)
    assert uploads.values(project).keys() == values.keys()
    assert exported(uploads, project) == files


def test_a_file_with_a_module_keeps_it_whatever_comes_or_moves_beside_it(uploads):
    project = uploads.workspace.project(languages=["de"])
    names = [f"k{at}" for at in range(6)]
    plain = {
        f"lib/app_{code}.json": {n: f"{n} {code}" for n in names} for code in EN_DE
    }
    own = {f"lib/extra/app_{code}.json": {"k0": code, "own": code} for code in EN_DE}
    moved = {f"moved/{path}": plain[path] for path in plain}
    more = {f"lib/more/app_{code}.json": {"k0": "-", "own": "-"} for code in EN_DE}
    for files in (plain, plain | own, moved | own):
        uploads.result(project, "all.zip", Uploads.zipped(files))

    again = uploads.result(project, "all.zip", Uploads.zipped(moved | own))
    uploads.result(project, "all.zip", Uploads.zipped(moved | own | more))

    assert (again["keysCreated"], again["valuesWritten"]) == (0, 0)
    assert {name.partition(".")[0] for name in uploads.values(project)} == {
        *names,
        "extra-app",
        "lib-more-app",
    }
    assert exported(uploads, project) == moved | own | more


def test_the_module_of_a_file_stays_when_one_of_its_name_comes(uploads):
    project = uploads.workspace.project()
    files = {f"en/{name}.json": {"title": name} for name in ("app", "shop")}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    files["blog/en/app.json"] = {"title": "Blog"}

    found = uploads.result(project, "all.zip", Uploads.zipped(files))

    assert found["keysCreated"] == 1
    assert exported(uploads, project) == files


def test_a_file_without_a_module_gets_no_text_of_one_with_a_module(uploads):
    project = uploads.workspace.project()
    files = {"en/main.json": {"x": "1"}}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    files["en/app.json"] = {"title": "App", "Sign in": "of app"}
    files["en/shop.json"] = {"title": "Shop"}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    files["en/main.json"] = {"x": "1", "Sign in": "of main"}
    main = {"en/main.json": files["en/main.json"]}

    uploads.result(project, "one.zip", Uploads.zipped(main))

    assert exported(uploads, project) == files


def test_a_file_below_one_that_has_a_module_gets_its_own(uploads):
    project = uploads.workspace.project(languages=["de"])
    files = {
        f"web/{app}/locales/{code}/app.json": {"title": f"{app} {code}"}
        for app in ("base", "shop")
        for code in EN_DE
    }
    uploads.result(project, "all.zip", Uploads.zipped(files))
    below = {f"web/base/locales/extra/{code}/app.json": {"b": code} for code in EN_DE}
    uploads.result(project, "all.zip", Uploads.zipped(files | below))
    for path in below:
        below[path]["title"] = "Extra"

    uploads.result(project, "all.zip", Uploads.zipped(files | below))

    assert sorted(uploads.values(project)) == [
        "base-app.title",
        "extra-app.b",
        "extra-app.title",
        "shop-app.title",
    ]
    assert exported(uploads, project) == files | below


def test_the_parts_of_a_file_beside_another_with_its_names_keep_its_keys(uploads):
    project = uploads.workspace.project(languages=["de"])
    names = [f"k{at}" for at in range(6)]
    files = {f"{code}/all.json": {n: f"{n} {code}" for n in names} for code in EN_DE}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    other = {f"{code}/shop.json": {"k0": "0", "k5": "5"} for code in EN_DE}
    uploads.result(project, "all.zip", Uploads.zipped(files | other))
    parts = {
        f"{code}/{part}.json": {n: f"{n} {code}" for n in some}
        for code in EN_DE
        for part, some in (("one", names[:3]), ("two", names[3:]))
    }

    found = uploads.result(project, "all.zip", Uploads.zipped(parts | other))

    assert (found["keysCreated"], found["valuesWritten"]) == (0, 0)
    assert exported(uploads, project) == parts | other


def test_replace_removes_a_key_of_its_own_that_leaves_its_file(uploads, project):
    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, ADDED)))
    files = together(FIRST, ADDED | {path: {} for path in ADDED if "shop" in path})

    uploads.result(project, "all.zip", Uploads.zipped(files), mode="replace")

    assert sorted(uploads.values(project)) == ["buy", "save", "title"]
    assert exported(uploads, project) == files


def test_a_branch_brings_keys_that_files_call_alike_to_main(uploads, project):
    files, owner = together(FIRST, ADDED), uploads.workspace.owner
    path = f"/projects/{project['id']}/branches"
    owner.post(path, json={"name": "next"})
    uploads.result(project, "all.zip", Uploads.zipped(files), branch="next")

    owner.post(f"{path}/next/merge", json={})

    assert exported(uploads, project) == files
    again = uploads.result(project, "all.zip", Uploads.zipped(files))
    assert (again["keysUnchanged"], again["valuesWritten"]) == (4, 0)


def test_a_shared_text_may_become_two_on_a_branch(uploads, project):
    uploads.result(project, "all.zip", Uploads.zipped(together(FIRST, BOTH)))
    path = f"/projects/{project['id']}/branches"
    uploads.workspace.owner.post(path, json={"name": "next"})
    changed = {path: {"both": f"new {path}"} for path in FIRST if "common" in path}
    files = together(FIRST, BOTH | changed)

    uploads.result(project, "all.zip", Uploads.zipped(files), branch="next")
    uploads.workspace.owner.post(f"{path}/next/merge", json={})

    assert exported(uploads, project) == files


@pytest.mark.parametrize("seed", range(6))
def test_files_come_back_as_they_went_in_whatever_they_share(uploads, seed):
    random = Random(seed)
    project = uploads.workspace.project(languages=["de"])
    names = ("common", "shop", "users")
    uploads.result(
        project,
        "all.zip",
        Uploads.zipped(
            {f"{code}/{n}.json": {n: n} for code in ("en", "de") for n in names}
        ),
    )
    for _ in range(4):
        files = {f"{code}/{n}.json": {n: n} for code in ("en", "de") for n in names}
        for n in names:
            for key in random.sample(["a", "b", "Sign in"], random.randint(0, 3)):
                for code in ("en", "de"):
                    files[f"{code}/{n}.json"][key] = random.choice("xyz")

        uploads.result(project, "all.zip", Uploads.zipped(files), mode="replace")

        assert exported(uploads, project) == files
        again = uploads.result(project, "all.zip", Uploads.zipped(files))
        assert (again["valuesWritten"], again["keysUpdated"]) == (0, 0)
