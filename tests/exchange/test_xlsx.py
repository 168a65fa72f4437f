"""A workbook goes in and comes back, and is published."""

import io

import openpyxl
import pytest

from tests.exchange.test_properties import put

ROWS = [
    ["Key", "Comment", "English (en)", "German (de)", "de status", "Screenshot"],
    ["cart.pay", "A button", "Pay now", "Jetzt zahlen", "ok", "pay.png"],
    ["cart.title", None, 'Your "cart"', "Dein Korb", "needs review", None],
    ["total", None, "=SUM", None, None, None],
]
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def workbook():
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.active["C4"].data_type = "s"
    book.create_sheet("Notes")["A1"] = "kept"
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def rows_in(content, sheet=0):
    book = openpyxl.load_workbook(io.BytesIO(content))
    rows = book.worksheets[sheet].iter_rows(values_only=True)
    return [list(row) for row in rows]


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "fr"])


@pytest.fixture
def content(uploads, project):
    """The workbook that the project has."""
    content = workbook()
    result = uploads.result(project, "texts.xlsx", content)
    assert result["warnings"] == []
    assert [(f["format"], f["texts"]) for f in result["files"]] == [
        ("xlsx", 3),
        ("xlsx", 2),
    ]
    return content


def exported(uploads, project, **query):
    path = f"/projects/{project['id']}/export"
    answer = uploads.workspace.owner.get(path, query={"format": "xlsx"} | query)
    assert answer.status == 200, answer
    assert answer.headers["Content-Type"] == TYPE
    return answer.content


def test_without_a_change_the_same_bytes_come_back(uploads, project, content):
    assert uploads.values(project)["total"] == {"en": "=SUM"}
    assert exported(uploads, project) == content


def test_one_text_changes_one_cell(uploads, project, content):
    put(uploads, project, "total", "de", "-1")

    made = exported(uploads, project)

    rows = [[*row] for row in ROWS]
    rows[3][3] = "-1"
    made_rows = rows_in(made)
    assert [row[:4] for row in made_rows] == [row[:4] for row in rows]
    assert rows_in(made, 1) == [["kept"]]
    again = uploads.result(project, "texts.xlsx", made)
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_is_a_new_column(uploads, project, content):
    put(uploads, project, "total", "fr", "Somme")

    made = rows_in(exported(uploads, project))

    at = made[0].index("fr")
    assert [row[at] for row in made] == ["fr", None, None, "Somme"]


def test_a_workbook_that_is_broken_is_refused(uploads, project, content):
    asked = uploads.ask(project, "x.xlsx", content[:-100], format="xlsx")

    assert asked.status == 400
    assert asked.error["code"] == "unreadable_file"


def test_a_release_has_a_workbook_for_each_language(uploads, project, content):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "xlsx"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert {file["contentType"] for file in found} == {TYPE}
    rows = rows_in(texts["de.xlsx"])
    assert rows[0] == ["key", "description", "en", "de"]
    assert rows[1] == ["cart.pay", "A button", "Pay now", "Jetzt zahlen"]
