"""A key becomes one text when its file in the source language has one text."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from .conftest import Uploads

ICU = "{count, plural, one{1 file} other{{count} files}}"


def lines(members: Mapping[str, object]) -> bytes:
    return json.dumps(members, indent=2).encode() + b"\n"


def is_plural(uploads: Uploads, project: Any) -> bool:
    return bool({item["key"]: item for item in uploads.items(project)}["n"]["isPlural"])


FORMS = {"one": "one", "other": "many"}


@pytest.fixture
def nested(uploads: Uploads) -> Any:
    """A project with a plural key that came in both languages."""
    project = uploads.workspace.project(languages=["de"])
    for code in ("en", "de"):
        uploads.result(project, f"{code}.json", lines({"a": "A", "n": FORMS}))
    return project


@pytest.mark.parametrize("mode", ["merge", "replace"])
@pytest.mark.parametrize(
    ("format_id", "name", "before", "after"),
    [
        ("json-nested", "{}.json", {"n": FORMS, "a": "A"}, {"n": "any", "a": "A"}),
        (
            "json-i18next",
            "{}.json",
            {"a": "A", "n_one": "one", "n_other": "many"},
            {"a": "A", "n": "any"},
        ),
        (
            "arb",
            "app_{}.arb",
            {"n": ICU, "a": "A"},
            {"n": "any", "a": "A"},
        ),
    ],
)
def test_forms_that_become_one_text_in_the_files_do_so_in_the_project(
    uploads: Uploads, mode: str, format_id: str, name: str, before: Any, after: Any
) -> None:
    project = uploads.workspace.project(languages=["de"])
    files = {name.format(code): lines(before) for code in ("en", "de")}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    assert is_plural(uploads, project)

    changed = {name.format(code): lines(after) for code in ("en", "de")}
    found = uploads.result(project, "all.zip", Uploads.zipped(changed), mode=mode)

    texts = {"n": {"en": "any", "de": "any"}, "a": {"en": "A", "de": "A"}}
    assert uploads.values(project) == texts
    assert not is_plural(uploads, project)
    assert (uploads.counts(found), found["conflicts"]) == ((0, 1, 1, 0, 2), [])
    assert uploads.exported(project, format=format_id) == changed
    again = uploads.result(project, "all.zip", Uploads.zipped(changed), mode=mode)
    assert uploads.counts(again) == (0, 0, 2, 0, 0)


def test_a_language_whose_file_did_not_come_keeps_its_other_form(
    uploads: Uploads, nested: Any
) -> None:
    content = lines({"a": "A", "n": "any"})

    uploads.result(nested, "en.json", content)

    assert uploads.values(nested)["n"] == {"en": "any", "de": "many"}
    de = lines({"a": "A", "n": "many"})
    assert uploads.exported(nested) == {
        "en.json": content,
        "de.json": de,
    }


def test_a_text_that_the_project_changed_too_is_a_conflict(
    uploads: Uploads, nested: Any
) -> None:
    workspace, [_, item] = uploads.workspace, uploads.items(nested)
    path = f"/projects/{nested['id']}/keys/{item['id']}/values/de"
    workspace.owner.put(path, json={"value": {"other": "edited"}})
    files = {f"{code}.json": lines({"n": "any"}) for code in ("en", "de")}

    dry, found = (
        uploads.result(nested, "all.zip", Uploads.zipped(files), dryRun=dry)
        for dry in ("true", "false")
    )

    [conflict] = found["conflicts"]
    assert dry == found | {"dryRun": True}
    told = ("base", "existing", "imported", "kept", "pluralForm")
    expected = ["many", "edited", "any", "existing", None]
    assert [conflict[name] for name in told] == expected
    assert uploads.values(nested)["n"] == {"en": "any", "de": "edited"}


@pytest.mark.parametrize("on_conflict", ["keep", "fail", "auto"])
def test_a_key_stays_plural_where_the_import_may_not_change_it(
    uploads: Uploads, nested: Any, on_conflict: str
) -> None:
    client, reason = uploads.workspace.owner, f"onConflict is {on_conflict}"
    if on_conflict == "auto":
        permissions = ["import_run", "translation_write", "translation_approve"]
        client = uploads.workspace.client("developer", permissions=permissions)
        reason = "key_update is missing"

    job = uploads.run(
        nested,
        "en.json",
        lines({"a": "A", "n": "many"}),
        client=client,
        onConflict=on_conflict,
    )

    [warning] = job["result"]["warnings"]
    assert warning.startswith("n: is no plural in the file any more")
    assert reason in warning
    assert uploads.values(nested)["n"]["en/one"] == "one"


def test_a_plain_text_stays_one_of_a_key_that_became_plural_in_the_project(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["de"])
    files = {f"{code}.json": lines({"n": "many"}) for code in ("en", "de")}
    uploads.result(project, "all.zip", Uploads.zipped(files))
    [item] = uploads.items(project)
    path = f"/projects/{project['id']}/keys/{item['id']}"
    uploads.workspace.owner.patch(path, json={"isPlural": True})

    files["en.json"] = lines({"n": "any"})
    uploads.result(project, "all.zip", Uploads.zipped(files), mode="replace")

    texts = {"en/other": "any", "de/other": "many"}
    assert (is_plural(uploads, project), uploads.values(project)["n"]) == (True, texts)
    assert uploads.exported(project, format="json-nested") == files


def test_a_second_import_that_waits_meanwhile_keeps_the_key_singular(
    uploads: Uploads, nested: Any
) -> None:
    content = lines({"a": "A", "n": "any"})
    asked = [uploads.ask(nested, "en.json", content) for _ in range(2)]

    jobs = [uploads.workspace.job_of(answer) for answer in asked]

    assert [job["status"] for job in jobs] == ["succeeded", "succeeded"]
    assert uploads.values(nested)["n"] == {"en": "any", "de": "many"}


def test_a_key_that_was_made_plain_stays_so_when_the_same_files_come_again(
    uploads, nested
):
    files = {"en.json": {"a": "A", "n": "any"}, "de.json": {"a": "A", "n": FORMS}}
    archive = Uploads.zipped(files)
    uploads.result(nested, "all.zip", archive)

    found = uploads.result(nested, "all.zip", archive)

    assert (found["keysUpdated"], found["keysCreated"]) == (0, 0)
    assert not is_plural(uploads, nested)
