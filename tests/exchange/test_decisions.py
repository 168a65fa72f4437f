"""What clients say of single texts: what they saw last, and what they decided."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer

from .conftest import Uploads, as_bytes

Make = Callable[[str], object]


@pytest.fixture
def project(uploads: Uploads) -> dict[str, Any]:
    return uploads.workspace.project(languages=["de"])


def ask(
    uploads: Uploads,
    project: Any,
    file: Upload,
    *,
    seen: object = None,
    resolutions: object = None,
    **form: Any,
) -> Answer:
    given = {"seen": seen, "resolutions": resolutions}
    files = {
        name: Upload(f"{name}.json", as_bytes(content), "application/json")
        for name, content in given.items()
        if content is not None
    }
    path = f"/projects/{project['id']}/import"
    return uploads.workspace.owner.post(path, form=form, files={"file": file, **files})


def run(uploads: Uploads, project: Any, file: Upload, **given: Any) -> dict[str, Any]:
    job = uploads.workspace.job_of(ask(uploads, project, file, **given))
    assert job["status"] == "succeeded", job
    found: dict[str, Any] = job["result"]
    return found


def json_file(content: object) -> Upload:
    return Upload("de.json", as_bytes(content), "application/json")


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def po(*lines: str) -> Make:
    return lambda text: Uploads.po("de", "\n".join(lines).replace("TEXT", text))


PLURAL = ('msgid "%d item"', 'msgid_plural "%d items"')
FORMS = ('msgstr[0] "TEXT"', 'msgstr[1] "%d Artikel"')


@pytest.mark.parametrize(
    ("path", "make", "name", "form"),
    [
        ("de.json", lambda text: {"cart": {"title": text}}, "cart.title", ""),
        ("de.json", lambda text: {"cart": {"Sign in": text}}, "cart.Sign in", ""),
        ("de.json", lambda text: {"steps": [text, "Zahlen"]}, "steps.0", ""),
        ("de.json", lambda text: {"n": {"one": text, "other": "x"}}, "n", "one"),
        ("de.json", lambda text: {"n_one": text, "n_other": "x"}, "n", "one"),
        ("de.arb", lambda text: {"@@locale": "de", "title": text}, "title", ""),
        (
            "de.arb",
            lambda text: {
                "@@locale": "de",
                "cartPay": text,
                "@cartPay": {"x-key": "cart.pay"},
            },
            "cartPay",
            "",
        ),
        (
            "de.arb",
            lambda text: {
                "@@locale": "de",
                "n": f"{{c, plural, one{{{text}}} other{{x}}}}",
            },
            "n",
            "one",
        ),
        ("de.po", po('msgid "Sign in"', 'msgstr "TEXT"'), "Sign in", ""),
        (
            "de.po",
            po('msgctxt "menu"', 'msgid "Open\\n"', 'msgstr "TEXT\\n"'),
            "menu\4Open\n",
            "",
        ),
        ("de.po", po(*PLURAL, *FORMS), "%d item", "one"),
        ("de.po", po('msgctxt "a"', *PLURAL, *FORMS), "a\4%d item", "one"),
        (
            "de.po",
            po("#. locframework-key: pay", 'msgid "Pay"', 'msgstr "TEXT"'),
            "Pay",
            "",
        ),
    ],
)
def test_what_the_client_saw_is_named_as_in_its_file(
    uploads: Uploads,
    project: dict[str, Any],
    path: str,
    make: Make,
    name: str,
    form: str,
) -> None:
    def file(text: str) -> Upload:
        return Upload(path, as_bytes(make(text)), "text/plain")

    end = "\n" if name.endswith("\n") else ""
    run(uploads, project, file("of the project"))
    run(uploads, project, file("of the last file"), onConflict="keep")
    seen = {path: {name: {form: hash_of("of the project" + end)}}}

    without = run(uploads, project, file("new"), dryRun="true")
    found = run(uploads, project, file("new"), seen=seen)

    assert without["textsNotTaken"] == 1
    assert (found["conflictCount"], found["valuesWritten"]) == (0, 1)
    assert found["warnings"] == []


def test_a_message_may_be_named_by_its_key_too(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    make = po('msgid "Sign in"', 'msgstr "TEXT"')
    run(uploads, project, Upload("de.po", as_bytes(make("Alt")), "text/plain"))
    [key] = uploads.values(project)
    seen = {"de.po": {key: {"": hash_of("Neu")}}}

    file = Upload("de.po", as_bytes(make("Neu")), "text/plain")
    found = run(uploads, project, file, seen=seen)

    assert found["warnings"] == []
    assert uploads.values(project)[key]["de"] == "Alt"  # the file has no news


def test_a_text_of_a_plural_key_may_be_named_without_its_form(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.workspace.key(
        project, "n", isPlural=True, values={"de": {"other": "of the project"}}
    )
    seen = {"de.json": {"n": {"": hash_of("of the project")}}}

    found = run(uploads, project, json_file({"n": "new"}), seen=seen)

    assert found["conflictCount"] == 0
    assert uploads.values(project) == {"n": {"de/other": "new"}}


@pytest.mark.parametrize(
    ("said", "path", "rule", "remedy"),
    [
        ({"": "abc"}, "form.seen['de.json']['a']['']", "hash", "64 digits 0-9 a-f"),
        ({"": "A" * 64}, "form.seen['de.json']['a']['']", "hash", "64 digits 0-9 a-f"),
        ({"": 5}, "form.seen['de.json']['a']['']", "hash", "64 digits 0-9 a-f"),
        ({"1": "a" * 64}, "form.seen['de.json']['a']['1']", "form", "one, two"),
        ("a" * 64, "form.seen['de.json']['a']", "type", '{"": hash}'),
    ],
)
def test_hashes_that_match_no_text_are_refused(
    uploads: Uploads,
    project: dict[str, Any],
    said: object,
    path: str,
    rule: str,
    remedy: str,
) -> None:
    seen = {"de.json": {"a": said, "b": {"": "a" * 64}}}

    refused = ask(uploads, project, json_file({"a": "A"}), seen=seen)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    [problem] = refused.error["details"]
    assert (problem["path"], problem["rule"]) == (path, rule)
    assert remedy in problem["message"]


def test_names_that_neither_the_file_nor_the_project_has_are_told(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    run(uploads, project, json_file({"a": "A", "Sign in": "B", "left": "C"}))
    names = [
        "a",
        "Sign in",
        "left",
        "Sign  in",
        "b",
        "c",
        "d\0",
        *map(str, range(2000)),
    ]
    seen = {"de.json": {name: {"": "a" * 64} for name in names}}

    found = run(uploads, project, json_file({"a": "A"}), seen=seen)

    [warning] = found["warnings"]
    first = "first 'Sign  in', 'b', 'c'"
    told = "2004 of the names in seen are not in the file"
    assert warning == f"de.json: {told}, {first}"


def test_all_paths_that_no_file_has_are_refused_and_files_left_out_are_not(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    zipped = Uploads.zipped({"de.json": {"a": "A"}, "README": b"Read me"})
    file = Upload("all.zip", zipped, "application/zip")
    seen: dict[str, Any] = {"de.json": {}, "README": {}}

    refused = ask(uploads, project, file, seen=seen | {"x": {}, "y": {}})

    assert [each["rule"] for each in refused.error["details"]] == ["path", "path"]
    assert run(uploads, project, file, seen=seen)["keysCreated"] == 1


@pytest.mark.parametrize("is_file", [True, False])
def test_decisions_may_be_as_large_as_the_upload(
    uploads: Uploads, project: dict[str, Any], is_file: bool
) -> None:
    uploads.workspace.key(project, "a", values={"de": "of the project"})
    padding = b" " * (3 * 1024 * 1024)
    decided = [{"key": "a", "languageCode": "de", "use": "imported"}]
    content = as_bytes(decided) + padding
    given: dict[str, Any] = {"seen": b"{}" + padding}
    if is_file:
        given["resolutions"] = content
    file = json_file({"a": "of the file"})

    if is_file:
        run(uploads, project, file, **given)
    else:
        uploads.result(project, "de.json", file.content, resolutions=content.decode())

    assert uploads.values(project) == {"a": {"de": "of the file"}}


DECIDED = {"key": "a", "languageCode": "de", "use": "imported"}


@pytest.mark.parametrize(
    ("decided", "path", "rule"),
    [
        ([DECIDED | {"key": "b"}], "form.resolutions[0].key", "key"),
        ([DECIDED | {"languageCode": "en"}], "form.resolutions[0].languageCode", ""),
        ([DECIDED | {"languageCode": "x y"}], "form.resolutions[0].languageCode", ""),
        ([DECIDED, DECIDED | {"use": "existing"}], "form.resolutions[1]", "unique"),
        ([DECIDED, DECIDED], "form.resolutions[1]", "unique"),
        ([DECIDED | {"use": "mine"}], "form.resolutions[0].use", "enum"),
        ([DECIDED | {"pluralForm": "1"}], "form.resolutions[0].pluralForm", "enum"),
        ([{"key": "a", "use": "existing"}], "form.resolutions[0].languageCode", ""),
    ],
)
def test_decisions_that_cannot_hold_are_refused(
    uploads: Uploads,
    project: dict[str, Any],
    decided: object,
    path: str,
    rule: str,
) -> None:
    refused = ask(uploads, project, json_file({"a": "A"}), resolutions=decided)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    [problem] = refused.error["details"]
    assert problem["path"] == path
    assert not rule or problem["rule"] == rule


def test_a_decision_about_texts_that_do_not_differ_is_told(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    uploads.workspace.key(project, "a", values={"de": "same"})
    decided = [DECIDED, DECIDED | {"key": "b"}, DECIDED | {"pluralForm": "one"}]

    found = run(
        uploads, project, json_file({"a": "same", "b": "new"}), resolutions=decided
    )

    told = "decides nothing, as there is no other text"
    assert found["warnings"] == [
        f"a: its resolution for de {told}",
        f"a: its resolution for de one {told}",
        f"b: its resolution for de {told}",
    ]


@pytest.mark.parametrize(("use", "text"), [("existing", "A"), ("imported", "A!")])
def test_a_decision_holds_also_where_only_one_side_changed(
    uploads: Uploads, project: dict[str, Any], use: str, text: str
) -> None:
    run(uploads, project, json_file({"a": "A"}))

    found = run(
        uploads,
        project,
        json_file({"a": "A!"}),
        resolutions=[DECIDED | {"use": use, "languageCode": "DE"}],
    )

    assert [each["kept"] for each in found["conflicts"]] == [use]
    assert uploads.values(project) == {"a": {"de": text}}


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_fail_refuses_only_what_is_not_decided(
    uploads: Uploads, project: dict[str, Any], dry_run: str
) -> None:
    for name in ("a", "b"):
        uploads.workspace.key(project, name, values={"de": "of the project"})
    file = json_file({"a": "of the file", "b": "of the file"})
    form = {"onConflict": "fail", "dryRun": dry_run}
    both = [DECIDED, DECIDED | {"key": "b", "use": "existing"}]

    asked = ask(uploads, project, file, resolutions=both[:1], **form)
    failed = uploads.workspace.job_of(asked)
    found = run(uploads, project, file, resolutions=both, **form)

    assert failed["error"]["code"] == "import_conflict"
    assert "1 text differs, first b in de" in failed["error"]["message"]
    assert [each["kept"] for each in found["conflicts"]] == ["imported", "existing"]
    texts = {key: texts["de"] for key, texts in uploads.values(project).items()}
    taken = "of the project" if dry_run == "true" else "of the file"
    assert texts == {"a": taken, "b": "of the project"}


def test_what_was_said_holds_when_another_import_ended_before(
    uploads: Uploads, project: dict[str, Any]
) -> None:
    for name in ("a", "b"):
        uploads.workspace.key(project, name, values={"de": "of the project"})
    ask(uploads, project, json_file({"c": "C"}))
    seen = {"de.json": {"b": {"": hash_of("of the project")}}}

    found = run(
        uploads,
        project,
        json_file({"a": "of the file", "b": "of the file"}),
        seen=seen,
        resolutions=[DECIDED],
    )

    assert [(each["key"], each["kept"]) for each in found["conflicts"]] == [
        ("a", "imported")
    ]
    texts = {key: texts["de"] for key, texts in uploads.values(project).items()}
    assert texts == {"a": "of the file", "b": "of the file", "c": "C"}
