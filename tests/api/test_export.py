"""GET /projects/{projectId}/export."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from locframework.http.records import Upload


def ask(client, project, format_, **query):
    query = {"format": format_, **query}
    return client.get(f"/projects/{project['id']}/export", query=query)


def texts(answer):
    assert answer.status == 200, answer
    return json.loads(answer.content)


def unzipped(answer):
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def project(workspace):
    made = workspace.project(languages=["de", "pl"], name="Web shop")
    workspace.key(
        made, "cart.pay", values={"en": "Pay", "de": "Zahlen"}, tags=["button"]
    )
    workspace.key(
        made,
        "cart.items",
        isPlural=True,
        values={"en": {"one": "1 item", "other": "{n} items"}},
    )
    workspace.key(made, "title", values={"en": "Shop"})
    return made


def test_one_language_is_one_file(workspace, project):
    answer = ask(workspace.owner, project, "json-nested", languageCodes="en")

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="en.json"'
    assert texts(answer) == {
        "cart": {"items": {"one": "1 item", "other": "{n} items"}, "pay": "Pay"},
        "title": "Shop",
    }


def test_several_languages_are_an_archive(workspace, project):
    answer = ask(workspace.owner, project, "json-flat")

    assert answer.headers["Content-Type"] == "application/zip"
    disposition = answer.headers["Content-Disposition"]
    assert disposition == 'attachment; filename="web-shop.zip"'
    files = unzipped(answer)
    assert list(files) == ["de.json", "en.json", "pl.json"]
    assert json.loads(files["de.json"]) == {"cart.pay": "Zahlen"}


def test_the_same_content_gives_the_same_bytes(workspace, project):
    for format_ in ("json-flat", "gettext-po"):
        first = ask(workspace.owner, project, format_)
        assert ask(workspace.owner, project, format_).content == first.content


@pytest.mark.parametrize(
    "codes", [["de", "pl"], "de,pl", "pl,de", ["de,pl"], ["DE", "pl", "de"]]
)
def test_languages_are_named_one_by_one_or_with_commas(workspace, project, codes):
    answer = ask(workspace.owner, project, "json-flat", languageCodes=codes)

    assert list(unzipped(answer)) == ["de.json", "pl.json"]


def test_a_module_and_a_tag_choose_the_keys(workspace, project):
    def keys(**query):
        answer = ask(workspace.owner, project, "json-flat", languageCodes="en", **query)
        return list(texts(answer))

    assert keys(module="cart") == ["cart.items", "cart.pay"]
    assert keys(module="@root") == ["title"]
    assert keys(module="car") == []
    assert keys(tag="button") == ["cart.pay"]
    assert keys(tag="button", module="@root") == []


def test_texts_that_wait_for_review_come_only_when_asked_for(workspace, project):
    translator = workspace.client("translator")
    key = workspace.key(project, "late", values={"en": "Late", "de": "Spaet"})
    path = f"/projects/{project['id']}/keys/{key['id']}/values/de"
    assert translator.put(path, json={"value": "Spät"}).status == 200

    def german(**query):
        answer = ask(workspace.owner, project, "json-flat", languageCodes="de", **query)
        return texts(answer)["late"]

    assert german() == "Spaet"
    assert german(minStatus="approved") == "Spaet"
    assert german(minStatus="any") == "Spät"


def test_po_has_a_text_that_waits_for_review_only_where_none_is_approved(workspace):
    project = workspace.project(languages=["de"])
    content = b"""msgid ""
msgstr "Language: de\\n"

#, fuzzy
msgid "Open that"
msgstr "Oeffne das"

msgid "Save"
msgstr "Sichern"
"""
    path = f"/projects/{project['id']}"
    files = {"file": Upload("de.po", content, "text/plain")}
    workspace.job_of(workspace.owner.post(f"{path}/import", files=files))
    [save] = workspace.owner.get(f"{path}/keys", query={"prefix": "Save"}).data["items"]
    value = f"{path}/keys/{save['id']}/values/de"
    translator = workspace.client("translator")
    assert translator.put(value, json={"value": "Speichern"}).status == 200

    written = ask(workspace.owner, project, "gettext-po", languageCodes="de").content

    assert b'#, fuzzy\nmsgid "Open that"\nmsgstr "Oeffne das"' in written
    assert b'\n\nmsgid "Save"\nmsgstr "Sichern"' in written


def test_po_carries_the_source_texts(workspace, project):
    answer = ask(workspace.owner, project, "gettext-po", languageCodes="pl")

    content = answer.content.decode()
    assert 'msgid "Pay"' in content
    assert 'msgid_plural "{n} items"' in content


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_a_project_stays_as_it_is_when_its_own_po_files_come_back(workspace, mode):
    owner, project = workspace.owner, workspace.project(languages=["de", "pl"])
    path = f"/projects/{project['id']}"

    def send(name, content, **form):
        files = {"file": Upload(name, content, "application/octet-stream")}
        job = workspace.job_of(owner.post(f"{path}/import", files=files, form=form))
        return job["result"]

    def rename(old, new):
        [key] = owner.get(f"{path}/keys", query={"prefix": old}).data["items"]
        assert owner.patch(f"{path}/keys/{key['id']}", json={"key": new}).status == 200

    def state():
        query = {"include": "values", "sort": "key"}
        return owner.get(f"{path}/keys", query=query).data["items"]

    def po(*texts):
        return "\n".join(f'msgid "{a}"\nmsgstr "{b}"\n' for a, b in texts).encode()

    send("de.po", po(("Save", "Sichern"), ("a.open", "Datei")))
    rename("Save", "menu.Save")
    rename("a.open", "a.a.open")
    for module, polish in (("b", "Zapisz"), ("c", "Zachowaj")):
        send("de.po", po(("Save", "Sichern")), module=module)
        send("pl.po", po(("Save", polish)), module=module)
    workspace.key(project, "ok", values={"de": "gut"})
    workspace.key(project, "n", isPlural=True, values={"de": {"other": "x"}})
    before = state()

    exported = ask(owner, project, "gettext-po").content
    result = send("all.zip", exported, mode=mode)

    counts = {name: count for name, count in result.items() if name.startswith("keys")}
    assert counts.pop("keysUnchanged") == len(before) == 6
    assert set(counts.values()) == {0}
    assert (result["valuesWritten"], result["conflicts"]) == (0, [])
    assert state() == before


def test_what_a_po_file_says_beyond_us_comes_back(workspace):
    project = workspace.project(languages=["de"])
    sent = Path(__file__).parents[2] / "example_app/demo/emails/de.po"
    files = {"file": Upload("de.po", sent.read_bytes(), "text/plain")}
    path = f"/projects/{project['id']}/import"
    workspace.job_of(workspace.owner.post(path, form={"module": "mail"}, files=files))

    answer = ask(
        workspace.owner, project, "gettext-po", languageCodes="de", module="mail"
    )

    def blocks(content):
        return sorted(content.decode().strip().split("\n\n"))

    assert blocks(answer.content) == blocks(sent.read_bytes())


@pytest.mark.parametrize("mode", ["merge", "replace"])
def test_a_renamed_key_from_po_is_found_again(workspace, mode):
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"

    def import_(content, **form):
        files = {"file": Upload("de.po", content, "text/plain")}
        sent = workspace.owner.post(f"{path}/import", form=form, files=files)
        return workspace.job_of(sent)["result"]

    head = b'msgid ""\nmsgstr "Language: de\\n"\n\n'
    import_(head + b'msgid "Hello world"\nmsgstr "Hallo Welt"\n')
    [key] = workspace.owner.get(f"{path}/keys").data["items"]
    workspace.owner.patch(f"{path}/keys/{key['id']}", json={"key": "greeting"})

    written = ask(workspace.owner, project, "gettext-po", languageCodes="de").content
    result = import_(written, mode=mode)

    assert (result["keysUnchanged"], result["keysCreated"]) == (1, 0)
    assert result["keysRemoved"] == 0
    assert [k["key"] for k in workspace.owner.get(f"{path}/keys").data["items"]] == [
        "greeting"
    ]


def test_a_po_file_grows_by_the_messages_of_the_source_file_only(workspace):
    project = workspace.project(languages=["ar", "ga"])
    path = f"/projects/{project['id']}"
    head = 'msgid ""\nmsgstr "Language: {}\\nContent-Type: text/plain; charset=UTF-8"\n'
    arabic = head.format("ar") + (
        '\nmsgid "Save"\nmsgstr "S"\n\n#~ msgid "Skip it"\n#~ msgstr "Y"\n'
    )
    irish = head.format("ga") + (
        '\nmsgid "Save"\nmsgstr "T"\n\nmsgid "Skip it"\nmsgstr "U"\n'
    )
    source = head.format("en") + irish.partition("\n\n")[2].replace('"U"', '""')

    def import_(**contents):
        for code, content in contents.items():
            files = {"file": Upload(f"{code}.po", content.encode(), "text/plain")}
            workspace.job_of(workspace.owner.post(f"{path}/import", files=files))

    def exported(code):
        answer = ask(workspace.owner, project, "gettext-po", languageCodes=code)
        return str(answer.content.decode())

    import_(ar=arabic, ga=irish)
    before = exported("ar")
    import_(en=source)

    assert before == arabic
    assert exported("ga") == irish
    revived = '#, fuzzy\nmsgid "Skip it"\nmsgstr "Y"\n'
    assert exported("ar") == f"{arabic.partition('#~')[0]}{revived}"


def test_what_only_a_translation_names_is_not_written_to_the_file_of_the_source(
    workspace,
):
    project = workspace.project(languages=["de"])
    head = 'msgid ""\nmsgstr "Language: {}\\nContent-Type: text/plain; charset=UTF-8"\n'
    english = head.format("en") + '\nmsgid "Save"\nmsgstr ""\n'
    german = (
        head.format("de")
        + '\nmsgid "Left over"\nmsgstr "R"\n\nmsgid "Save"\nmsgstr "S"\n'
    )
    for code, content in (("en", english), ("de", german)):
        files = {"file": Upload(f"{code}.po", content.encode(), "text/plain")}
        path = f"/projects/{project['id']}/import"
        workspace.job_of(workspace.owner.post(path, files=files))
    workspace.key(project, "new", values={"en": "New"})

    exported = {
        code: ask(workspace.owner, project, "gettext-po", languageCodes=code).content
        for code in ("en", "de")
    }

    assert exported["en"].startswith(english.encode())
    assert b"New" in exported["en"]
    assert b"Left over" not in exported["en"]
    assert b'msgid "Left over"\nmsgstr "R"\n' in exported["de"]


def test_po_files_of_several_modules_are_read_back_as_one(workspace):
    project = workspace.project(languages=["de"])
    head = b'msgid ""\nmsgstr "Language: de\\n"\n\n'
    for module, text in (("mail", b"Hello world"), ("web", b"Good day")):
        content = head + b'msgid "%s"\nmsgstr "Hallo"\n' % text
        files = {"file": Upload("de.po", content, "text/plain")}
        path = f"/projects/{project['id']}/import"
        sent = workspace.owner.post(path, form={"module": module}, files=files)
        workspace.job_of(sent)

    for layout, name in (("original", "de.zip"), ("canonical", "de.po")):
        asked = {"languageCodes": "de", "layout": layout}
        written = ask(workspace.owner, project, "gettext-po", **asked).content
        files = {"file": Upload(name, written, "text/plain")}
        result = workspace.job_of(workspace.owner.post(path, files=files))["result"]

        assert (result["keysUnchanged"], result["keysCreated"]) == (2, 0)


def test_an_export_reads_back_the_same(workspace, project):
    other = workspace.project(languages=["de", "pl"])
    archive = ask(workspace.owner, project, "json-flat").content
    files = {"file": Upload("all.zip", archive, "application/zip")}
    job = workspace.job_of(
        workspace.owner.post(f"/projects/{other['id']}/import", files=files)
    )

    assert job["status"] == "succeeded"
    assert ask(workspace.owner, other, "json-flat").content == archive


def test_what_a_format_cannot_express_is_told_in_headers(workspace, project):
    workspace.key(project, "cart", values={"en": "Cart", "de": "Körbchen"})

    answer = ask(workspace.owner, project, "json-nested")
    flat = ask(workspace.owner, project, "json-flat", languageCodes="de")

    warnings = json.loads(answer.headers["X-Service-Warnings"] or "")
    assert answer.headers["X-Service-Warning-Count"] == str(len(warnings))
    assert [warning[:3] for warning in warnings] == ["en:", "en:", "de:"]
    assert flat.headers["X-Service-Warning-Count"] == "0"
    assert flat.headers["X-Service-Warnings"] is None


def test_a_project_without_keys_gives_an_empty_file(workspace):
    project = workspace.project(name="日本")

    answer = ask(workspace.owner, project, "json-flat")

    assert texts(answer) == {}
    assert answer.headers["Content-Disposition"] == 'attachment; filename="en.json"'


@pytest.mark.parametrize(
    ("format_", "query", "status", "code"),
    [
        (None, {}, 400, "validation_failed"),
        ("xliff", {}, 400, "unknown_format"),
        ("json-nested", {"module": "a.b"}, 400, "invalid_key"),
        ("json-nested", {"module": ".."}, 400, "invalid_key"),
        ("json-flat", {"languageCodes": "fr"}, 400, "language_not_in_project"),
        ("json-flat", {"languageCodes": "!"}, 400, "validation_failed"),
        ("json-flat", {"languageCodes": ""}, 400, "validation_failed"),
        ("json-flat", {"minStatus": "draft"}, 400, "validation_failed"),
        ("json-flat", {"branch": "x"}, 404, "branch_not_found"),
    ],
)
def test_a_wrong_request_is_refused(sqlite_workspace, format_, query, status, code):
    project = sqlite_workspace.project()

    answer = ask(sqlite_workspace.owner, project, format_, **query)

    assert (answer.status, answer.error["code"]) == (status, code)


def test_export_needs_its_right_and_the_project(sqlite_workspace):
    project = sqlite_workspace.project()
    _, stranger = sqlite_workspace.organization("Others")
    viewer = sqlite_workspace.client("viewer")

    assert ask(viewer, project, "json-flat").error["code"] == "permission_denied"
    assert ask(stranger, project, "json-flat").error["code"] == "project_not_found"
