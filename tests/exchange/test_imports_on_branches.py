"""A branch's imports are compared with the files that main had when it was made, or
updated last. Merges and updates keep the file that was imported last as layout, and
both sides' files as bases of the next import."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from .conftest import Uploads
from .test_merging import set_value

FILES = "de.json", "en.json"


class Branched:
    """A project with a file on main, and an open branch that imports others."""

    def __init__(self, uploads: Uploads) -> None:
        self.uploads, self.owner = uploads, uploads.workspace.owner
        self.project = uploads.workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        for name in FILES:
            self.on_main({"b": "B", "a": "A"}, name)
        branches = f"{self.path}/branches"
        assert self.owner.post(branches, json={"name": "spring"}).status == 201

    def on_main(self, file: object, name: str = "de.json", **form: Any) -> Any:
        return self.uploads.result(self.project, name, file, **form)

    def on_branch(self, file: object, name: str = "de.json", **form: Any) -> Any:
        return self.on_main(file, name, branch="spring", **form)

    def merge(self, **body: Any) -> None:
        asked = self.owner.post(f"{self.path}/branches/spring/merge", json=body)
        assert asked.status == 200, asked

    def update(self) -> None:
        asked = self.owner.post(f"{self.path}/branches/spring/update", json={})
        assert asked.status == 200, asked

    def exported(self, **query: Any) -> list[tuple[str, str]]:
        """The keys and texts of the German file, in its order."""
        query = {"format": "json-nested", "languageCodes": "de"} | query
        found = self.owner.get(f"{self.path}/export", query=query)
        return list(json.loads(found.content).items())

    def texts(self) -> Mapping[str, str]:
        found = self.uploads.values(self.project)
        return {key: texts["de"] for key, texts in found.items()}


@pytest.fixture
def branched(uploads: Uploads) -> Branched:
    return Branched(uploads)


OLD = {"b": "B", "a": "A"}
SPRING = {"new": "N", "b": "B spring", "a": "A"}
NEWER = {"c": "C", "a": "A", "b": "B"}


def test_the_file_of_a_branch_replaces_the_one_that_main_left(
    branched: Branched,
) -> None:
    branched.on_branch(SPRING)

    branched.merge()

    assert branched.exported() == list(SPRING.items())
    again = branched.on_main({**SPRING, "b": "B later"})
    assert (again["conflictCount"], branched.texts()["b"]) == (0, "B later")


def test_a_newer_file_of_main_outlives_a_merge(branched: Branched) -> None:
    branched.on_branch(SPRING)
    branched.on_main(NEWER)

    branched.merge()

    assert [key for key, _ in branched.exported()] == ["c", "new", "a", "b"]
    assert branched.texts() == SPRING | {"c": "C"}
    changed = {"c": "C2", "a": "A2", "b": "B2", "new": "N2"}
    assert branched.on_main(changed)["conflictCount"] == 0
    assert branched.texts() == changed


@pytest.mark.parametrize("file", [OLD, NEWER, SPRING])
@pytest.mark.parametrize("is_newer", [False, True])
def test_no_file_from_before_a_merge_reverts_a_text(
    branched: Branched, file: dict[str, str], *, is_newer: bool
) -> None:
    branched.on_branch(SPRING)
    if is_newer:
        branched.on_main(NEWER)
    branched.merge()
    set_value(branched.uploads, branched.project, "new", "de", "N edited")
    merged = branched.texts()

    found = branched.on_main(file)

    assert found["conflictCount"] == 0
    assert branched.texts() == {**file, **merged}


def test_a_text_that_both_sides_of_a_merge_left_is_a_conflict(
    branched: Branched,
) -> None:
    branched.on_branch(SPRING)
    branched.merge()
    set_value(branched.uploads, branched.project, "b", "de", "B edited")

    found = branched.on_main({**SPRING, "b": "B later"})

    [conflict] = found["conflicts"]
    assert (conflict["base"], conflict["existing"]) == ("B spring", "B edited")


def test_an_update_brings_mains_newer_file_into_a_branch(branched: Branched) -> None:
    branched.on_branch(SPRING)
    branched.on_main(NEWER)

    branched.update()

    merged = [("c", "C"), ("new", "N"), ("a", "A"), ("b", "B spring")]
    assert branched.exported(branch="spring") == merged
    assert branched.exported() == list(NEWER.items())
    assert branched.on_branch({**SPRING, "b": "B later"})["conflictCount"] == 0
    branched.merge()
    assert branched.texts() == SPRING | {"b": "B later", "c": "C"}


def test_a_merge_after_an_update_keeps_the_files_of_both_as_bases(
    branched: Branched,
) -> None:
    branched.on_branch(SPRING)
    branched.on_main(NEWER)
    branched.update()

    branched.merge()

    assert [key for key, _ in branched.exported()] == ["c", "new", "a", "b"]
    assert branched.on_main(NEWER | {"new": "N2"})["conflictCount"] == 0
    assert branched.texts() == SPRING | {"c": "C", "new": "N2"}


def test_a_branch_that_stays_open_brings_its_file_once(branched: Branched) -> None:
    branched.on_branch(SPRING)
    branched.merge(closeAfter=False)
    branched.on_main(NEWER)

    branched.merge(closeAfter=False)

    assert [key for key, _ in branched.exported()] == ["c", "new", "a", "b"]
    branched.on_branch({"x": "X", **NEWER})
    branched.update()
    assert [key for key, _ in branched.exported(branch="spring")][:2] == ["x", "c"]


def test_modules_of_both_sides_outlive_a_merge(branched: Branched) -> None:
    title = {"title": "T"}
    branched.on_branch(title, "shop.de.json", modules="always")
    branched.on_main(title, "blog.de.json", modules="always")

    branched.merge()

    for name in ("shop", "blog"):
        found = branched.on_main(title, f"{name}.de.json")
        assert (found["keysCreated"], found["keysUnchanged"]) == (0, 1)
        assert found["files"][0]["module"] == name


def test_the_state_of_an_export_changes_with_a_merged_file(branched: Branched) -> None:
    query = {"format": "json-nested", "languageCodes": "de"}
    branched.on_branch({"a": "A", "b": "B"})  # another order alone
    before = branched.owner.get(f"{branched.path}/export", query=query)

    branched.merge()

    after = branched.owner.get(f"{branched.path}/export", query=query)
    assert before.content != after.content
    assert before.headers["ETag"] != after.headers["ETag"]


def test_details_of_a_newer_file_of_main_outlive_a_merge(uploads: Uploads) -> None:
    branched = Branched(uploads)

    def po(line: int, text: str) -> bytes:
        return Uploads.po("de", f'#: shop.c:{line}\nmsgid "Hi"\nmsgstr "{text}"\n')

    branched.on_main(po(1, "Hi"), "de.po")
    branched.update()
    branched.on_branch(po(2, "Hallo"), "de.po")
    branched.on_main(po(3, "Hi"), "de.po")
    branched.merge()

    query = {"format": "gettext-po", "languageCodes": "de"}
    for layout in ("original", "canonical"):
        asked = query | {"layout": layout}
        found = branched.owner.get(f"{branched.path}/export", query=asked).content
        assert b"#: shop.c:3" in found
        assert b'msgstr "Hallo"' in found


MAINS = {"b": "B main", "a": "A", "nm": "NM"}
MINE = {"b": "B", "a": "A mine"}


@pytest.mark.parametrize("mode", ["merge", "replace"])
@pytest.mark.parametrize("has_imported", [False, True])
def test_a_branch_reverts_nothing_that_main_imported_since(
    branched: Branched, mode: str, *, has_imported: bool
) -> None:
    if has_imported:
        for name in FILES:
            branched.on_branch(OLD, name, mode=mode)
    for name in FILES:
        branched.on_main(MAINS, name)

    for name in FILES:
        found = branched.on_branch(MINE, name, mode=mode)
        assert (found["conflictCount"], found["keysRemoved"]) == (0, 0)

    diff = branched.owner.get(f"{branched.path}/branches/spring/diff").data["items"]
    assert {each["key"] for each in diff} == {"a"}
    both = MAINS | {"a": "A mine"}
    assert dict(branched.exported(branch="spring")) == both
    branched.merge()
    assert branched.texts() == both


@pytest.mark.parametrize("has_imported", [False, True])
def test_after_an_update_a_branch_knows_what_main_imported(
    branched: Branched, *, has_imported: bool
) -> None:
    if has_imported:
        branched.on_branch(OLD, "en.json")
    for name in FILES:
        branched.on_main(MAINS, name)
    branched.update()

    for name in FILES:
        found = branched.on_branch({"b": "B mine", "a": "A"}, name, mode="replace")
        assert found["conflictCount"] == 0

    branched.merge()
    assert branched.texts() == {"b": "B mine", "a": "A"}


def test_a_text_that_both_sides_changed_is_a_conflict_on_a_branch(
    branched: Branched,
) -> None:
    branched.on_main(MAINS)

    found = branched.on_branch({"b": "B mine", "a": "A"})

    [conflict] = found["conflicts"]
    assert (conflict["base"], conflict["existing"]) == ("B", "B main")


def test_a_branch_replaces_its_own_keys_and_those_of_its_files(
    branched: Branched,
) -> None:
    branched.on_branch({**OLD, "mine": "M", "merged": "M"}, "en.json")
    branched.on_branch({**OLD, "mine": "M", "merged": "M"})
    branched.merge(closeAfter=False)
    branched.on_branch({**OLD, "mine": "M", "own": "O", "merged": "M"}, "en.json")

    found = branched.on_branch({**OLD, "mine": "M"}, "en.json", mode="replace")

    assert found["removed"] == ["merged", "own"]


def test_a_branch_keeps_the_keys_that_another_one_brought_to_main(
    branched: Branched,
) -> None:
    for name in FILES:
        branched.on_branch(SPRING, name)
    branches = f"{branched.path}/branches"
    assert branched.owner.post(branches, json={"name": "summer"}).status == 201
    branched.merge()

    found = branched.on_main(OLD, "en.json", branch="summer", mode="replace")

    assert found["keysRemoved"] == 0
    assert branched.owner.post(f"{branches}/summer/merge", json={}).status == 200
    assert branched.texts() == SPRING


def test_a_branch_without_imports_has_no_files_to_merge(branched: Branched) -> None:
    branched.on_main(NEWER)
    at_main = branched.exported()
    assert branched.exported(branch="spring") == at_main

    branched.merge(closeAfter=False)

    branch = branched.owner.get(f"{branched.path}/branches/spring").data["branch"]
    assert branch["mergedAt"] is None  # nothing to merge
    branched.update()
    branched.merge()
    assert branched.exported() == at_main


@pytest.mark.parametrize("mover", ["main", "branch"])
@pytest.mark.parametrize("first", ["main", "branch"])
def test_files_that_one_side_moves_get_the_changes_of_the_other(
    uploads: Uploads, mover: str, first: str
) -> None:
    def files(folder: str, **texts: str) -> bytes:
        content = json.dumps({**OLD, **texts}).encode()
        return Uploads.zipped(
            {f"{folder}/{each}.json": content for each in ("de", "en")}
        )

    branched = Branched(uploads)
    branched.on_main(files("l"), "all.zip")
    branched.update()
    steps = {"main": branched.on_main, "branch": branched.on_branch}
    for side in sorted(steps, key=lambda side: side != first):
        file = files("src") if side == mover else files("l", a="A new")
        steps[side](file, "all.zip")

    branched.merge()

    found = branched.uploads.exported(branched.project)
    assert not [name for name in found if name.startswith("l/")]
    assert json.loads(found["src/de.json"]) == {**OLD, "a": "A new"}


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_what_main_removed_does_not_come_back_from_the_files_of_a_branch(
    branched, mode
):
    for name in FILES:
        branched.on_main({"a": "A"}, name, mode="replace" if "en" in name else "merge")

    for name in reversed(FILES):
        branched.on_branch({"b": "B", "a": "A2"}, name, mode=mode)
    branched.merge()

    assert branched.texts() == {"a": "A2"}
