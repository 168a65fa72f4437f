"""A table with a column for each language goes in and comes back, and is published."""

import difflib

import pytest

TABLE = '''\
Key;Comment;English (en);German (de);de status;Screenshot
cart.pay;A button;Pay now;Jetzt zahlen;ok;pay.png
"cart.title";"";"Your ""cart""";"Dein Korb";"needs review";""

Sign in;;Sign in;;;
total;;'=SUM;'-1;;
'''.replace("\n", "\r\n").encode()


def lines_changed(old, new):
    """The lines that were taken out, and those that came in."""
    lines = [list(text.decode().splitlines()) for text in (old, new)]
    diff = list(difflib.ndiff(*lines))
    return [d[2:] for d in diff if d[0] == "-"], [d[2:] for d in diff if d[0] == "+"]


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de"])


@pytest.fixture
def shop(uploads, project):
    """The project with the table."""
    uploads.result(project, "texts.csv", TABLE)
    return project


def put(uploads, project, key, code, text, **query):
    body = {"items": [{"key": key, "languageCode": code, "value": text}]}
    path = f"/projects/{project['id']}/values"
    answer = uploads.workspace.owner.put(path, json=body, query=query)
    assert answer.data["results"][0]["outcome"] == "updated", answer


def exported(uploads, project, **query):
    path = f"/projects/{project['id']}/export"
    answer = uploads.workspace.owner.get(path, query={"format": "csv"} | query)
    assert answer.status == 200, answer
    return answer.content


def test_a_table_brings_all_its_languages_and_their_states(uploads, project):
    result = uploads.result(project, "texts.csv", TABLE)

    items = {item["key"]: item for item in uploads.items(project)}
    statuses = {
        (item["key"], value["languageCode"]): value["status"]
        for item in items.values()
        for value in item["values"]
    }
    assert [(f["languageCode"], f["texts"]) for f in result["files"]] == [
        ("en", 4),
        ("de", 3),
    ]
    assert uploads.values(project) == {
        "cart.pay": {"en": "Pay now", "de": "Jetzt zahlen"},
        "cart.title": {"en": 'Your "cart"', "de": "Dein Korb"},
        "sign-in-a626632de3d4": {"en": "Sign in"},
        "total": {"en": "=SUM", "de": "-1"},
    }
    assert items["cart.pay"]["description"] == "A button"
    assert statuses["cart.pay", "de"] == "approved"
    assert statuses["cart.title", "de"] == "pending_review"


def test_without_a_change_the_same_bytes_come_back(uploads, shop):
    assert exported(uploads, shop) == TABLE
    assert exported(uploads, shop, languageCodes="de") == TABLE


def test_one_text_changes_one_line(uploads, shop):
    put(uploads, shop, "cart.pay", "de", "Zahlen; jetzt")

    gone, new = lines_changed(TABLE, exported(uploads, shop))

    assert gone == ["cart.pay;A button;Pay now;Jetzt zahlen;ok;pay.png"]
    assert new == ['cart.pay;A button;Pay now;"Zahlen; jetzt";ok;pay.png']


def test_an_approval_is_written_into_the_column_of_the_status(uploads, shop):
    keys = {item["key"]: item["id"] for item in uploads.items(shop)}
    path = f"/projects/{shop['id']}/keys/{keys['cart.title']}/values/de/approve"
    assert uploads.workspace.owner.post(path, json={}).status == 200

    content = exported(uploads, shop)

    assert lines_changed(TABLE, content)[1] == [
        '"cart.title";"";"Your ""cart""";"Dein Korb";"approved";""'
    ]
    again = uploads.result(shop, "texts.csv", content)
    assert uploads.counts(again) == (0, 0, 4, 0, 0)


def test_a_new_language_gets_a_column(uploads, shop):
    path = f"/projects/{shop['id']}/languages"
    added = uploads.workspace.owner.post(path, json={"languageCode": "fr"})
    assert added.status == 201, added
    put(uploads, shop, "total", "fr", "Somme")

    gone, new = lines_changed(TABLE, exported(uploads, shop))

    assert len(gone) == len(new) == 2
    assert new[0].endswith(";Screenshot;fr")
    assert new[1] == "total;;'=SUM;'-1;;;Somme"


def test_a_language_that_is_not_exported_stays_as_it_was(uploads, shop):
    put(uploads, shop, "total", "en", "Sum")
    put(uploads, shop, "total", "de", "Summe")

    content = exported(uploads, shop, languageCodes="de")

    assert lines_changed(TABLE, content)[1] == ["total;;'=SUM;Summe;;"]


def test_an_import_merges_each_language_by_what_the_table_last_brought(uploads, shop):
    put(uploads, shop, "cart.pay", "de", "Bezahlen")
    changed = TABLE.replace(b"Pay now", b"Pay").replace(b"'-1", b"minus")

    result = uploads.result(shop, "texts.csv", changed)

    assert result["conflicts"] == []
    values = uploads.values(shop)
    assert values["cart.pay"] == {"en": "Pay", "de": "Bezahlen"}
    assert values["total"] == {"en": "=SUM", "de": "minus"}


def test_a_code_that_the_project_spells_otherwise_keeps_its_column(uploads):
    project = uploads.workspace.project(languages=["zh-Hans", "nb"])
    table = b"key,en,zh_CN,no\na,Cart,x,y\n"
    uploads.result(project, "texts.csv", table)
    assert exported(uploads, project) == table

    put(uploads, project, "a", "zh-Hans", "z")

    assert exported(uploads, project) == b"key,en,zh_CN,no\na,Cart,z,y\n"


def test_a_table_of_one_language_is_in_that_of_its_name(uploads, project):
    for code in ("en", "de"):
        table = f"key,text\ntitle,{code}\n".encode()
        uploads.result(project, f"texts.{code}.csv", table)

    assert uploads.values(project) == {"title": {"en": "en", "de": "de"}}


def test_a_table_of_one_language_gets_no_texts_of_others(uploads, project):
    table = b"key,text\ntitle,Cart\n"
    uploads.result(project, "texts.csv", table, languageCode="en")
    put(uploads, project, "title", "de", "Korb")

    german = exported(uploads, project, languageCodes="de")
    files = uploads.unzipped(exported(uploads, project))

    assert german.decode("utf-8-sig") == "key,de\ntitle,Korb\n"
    assert files["texts.csv"] == table
    assert german in files.values()


def test_a_length_comes_in_and_goes_out(uploads, project):
    table = b"key,max length,en\ntitle,12,Cart\nother,,x\n"
    uploads.result(project, "texts.csv", table)
    [key] = [item for item in uploads.items(project) if item["key"] == "title"]

    path = f"/projects/{project['id']}/keys/{key['id']}/detail"
    detail = uploads.workspace.owner.get(path).data["detail"]
    canonical = exported(uploads, project, layout="canonical", languageCodes="en")

    assert detail["maxLength"] == 12
    assert canonical.decode("utf-8-sig").splitlines() == [
        "key,max length,en",
        "other,,x",
        "title,12,Cart",
    ]


def test_plurals_have_a_row_for_each_form(uploads, project):
    table = b"key,form,en,de\nn,one,1 file,\nn,other,{n} files,{n} Dateien\n"
    uploads.result(project, "texts.csv", table)
    put(uploads, project, "n", "de", {"one": "1 Datei", "other": "{n} Dateien"})

    content = exported(uploads, project)

    assert lines_changed(table, content) == (
        ["n,one,1 file,"],
        ["n,one,1 file,1 Datei"],
    )


def test_the_canonical_table_has_all_languages(uploads, shop):
    content = exported(uploads, shop, layout="canonical").decode("utf-8-sig")

    assert content.splitlines() == [
        "key,description,en,de,de status",
        "cart.pay,A button,Pay now,Jetzt zahlen",
        'cart.title,,"Your ""cart""",Dein Korb,needs review',
        "Sign in,,Sign in",
        "total,,'=SUM,'-1",
    ]


def test_on_a_branch_a_text_changes_one_line_too(uploads, shop):
    path = f"/projects/{shop['id']}/branches"
    assert uploads.workspace.owner.post(path, json={"name": "new"}).status == 201
    put(uploads, shop, "cart.pay", "de", "Los", branch="new")

    gone, new = lines_changed(TABLE, exported(uploads, shop, branch="new"))

    assert (len(gone), new) == (1, ["cart.pay;A button;Pay now;Los;ok;pay.png"])
    assert exported(uploads, shop) == TABLE


def test_a_release_has_a_table_for_each_language_with_the_source_texts(uploads, shop):
    owner = uploads.workspace.owner
    body = {"name": "Web", "format": "csv", "splitByModule": True}
    made = owner.post(f"/projects/{shop['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    files = public.get(f"/content/{key}/manifest.json").json["files"]

    tables = {file["path"]: public.get(file["url"]).content for file in files}
    assert {file["contentType"] for file in files} == {"text/csv; charset=utf-8"}
    assert tables["de/cart.csv"].decode("utf-8-sig").splitlines() == [
        "key,description,en,de",
        "cart.pay,A button,Pay now,Jetzt zahlen",
        'cart.title,,"Your ""cart"""',
    ]
    assert tables["en/@root.csv"].decode("utf-8-sig").splitlines() == [
        "key,en",
        "Sign in,Sign in",
        "total,'=SUM",
    ]
    assert tables["de/@root.csv"].decode("utf-8-sig").splitlines() == [
        "key,en,de",
        "Sign in,Sign in",
        "total,'=SUM,'-1",
    ]
