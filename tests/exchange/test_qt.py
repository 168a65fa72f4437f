"""Translations of Qt go in and come back with one line changed, and are published."""

import os
import shutil
import subprocess

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"


def translations(language, *messages):
    """A file as lupdate writes it."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="{language}">
<context>
    <name>Cart</name>
{"".join(messages)}</context>
</TS>
""".encode()


def message(source, text):
    state = "" if text else ' type="unfinished"'
    return f"""    <message>
        <location filename="../cart.cpp" line="+1"/>
        <source>{source}</source>
        <extracomment>The {source}</extracomment>
        <translation{state}>{text}</translation>
    </message>
"""


def files_message(*texts):
    forms = "".join(
        f"            <numerusform>{text}</numerusform>\n" for text in texts
    )
    return f"""    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
{forms}        </translation>
    </message>
"""


ENGLISH = translations(
    "en",
    message("Pay", ""),
    message("&amp;Go", ""),
    files_message("%n file", "%n files"),
)
GERMAN = translations(
    "de",
    message("Pay", "Zahlen"),
    message("&amp;Go", "&amp;Los"),
    files_message("%n Datei", "%n Dateien"),
)
FILES = {"src/lang/app_en.ts": ENGLISH, "src/lang/app_de.ts": GERMAN}


@pytest.fixture
def project(uploads):
    project = uploads.workspace.project(languages=["de", "pt-BR"])
    result = uploads.result(project, "app.zip", uploads.zipped(FILES))
    found = {each["path"]: each["languageCode"] for each in result["files"]}
    assert found == {"src/lang/app_en.ts": "en", "src/lang/app_de.ts": "de"}
    assert result["warnings"] == []
    return project


@pytest.fixture
def names(uploads, project):
    """The keys, by their English texts."""
    texts = uploads.values(project)
    return {next(iter(texts[key].values())): key for key in texts}


def test_files_come_back_as_they_were(uploads, project, names):
    assert names.keys() == {"Pay", "&Go", "%n file"}
    assert uploads.exported(project, format="qt-ts") == FILES
    query = {"include": "details"}
    path = f"/projects/{project['id']}/keys"
    found = uploads.workspace.owner.get(path, query=query).data
    file_keys = [each["fileKey"] for each in found["details"].values()]
    descriptions = [each["description"] for each in found["items"]]
    assert {*zip(file_keys, descriptions, strict=True)} == {
        ("Cart\4Pay", "The Pay"),
        ("Cart\4&Go", "The &Go"),
        ("Cart\4%n file(s)", ""),
    }


def test_a_changed_text_changes_one_line(uploads, project, names):
    put(uploads, project, names["&Go"], "de", "Und 'los'")

    exported = uploads.exported(project, format="qt-ts")

    assert exported["src/lang/app_en.ts"] == ENGLISH
    assert lines_changed(GERMAN, exported["src/lang/app_de.ts"]) == (
        ["        <translation>&amp;Los</translation>"],
        ["        <translation>Und &apos;los&apos;</translation>"],
    )
    again = uploads.result(project, "app.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_a_file_with_all_messages(uploads, project, names):
    put(uploads, project, names["Pay"], "pt-BR", "Pagar")

    exported = uploads.exported(project, format="qt-ts")

    assert exported.keys() == {*FILES, "src/lang/app_pt_BR.ts"}
    new = exported["src/lang/app_pt_BR.ts"].decode()
    assert 'language="pt_BR" sourcelanguage="en"' in new
    assert "<source>Pay</source>" in new
    assert "<translation>Pagar</translation>" in new
    assert "<extracomment>The Pay</extracomment>" in new
    assert new.count('<translation type="unfinished">') == 2
    again = uploads.result(project, "app.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["keysCreated"] == 0


def test_unfinished_texts_are_to_be_reviewed(uploads, project, names):
    open_ = GERMAN.replace(b"<translation>Z", b'<translation type="unfinished">Bez')
    result = uploads.result(project, "app_de.ts", open_)
    assert result["valuesWritten"] == 1
    query = {"format": "qt-ts", "minStatus": "any"}
    exported = uploads.exported(project, **query)
    assert exported["src/lang/app_de.ts"] == open_


@pytest.mark.parametrize("format_id", ["xliff-2.0", "android-xml", "json-flat"])
def test_other_formats_have_the_keys_of_the_project(uploads, project, format_id):
    query = {"format": format_id, "layout": "canonical"}
    files = uploads.exported(project, **query)
    [content] = [files[path] for path in files if path.startswith("de")]

    for key, texts in uploads.values(project).items():
        assert key.encode() in content or not texts.get("de")
    assert b"Los" in content
    assert b"\4" not in content


@pytest.mark.judge
@pytest.mark.skipif(
    shutil.which("lrelease") is None and not IS_REQUIRED,
    reason="needs apt-get install qttools5-dev-tools",
)
def test_a_published_file_is_compiled_for_applications(uploads, project, tmp_path):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "qt-ts"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]
    found = public.get(f"/content/{key}/manifest.json").json["files"]
    texts = {file["path"]: public.get(file["url"]).content for file in found}
    (tmp_path / "app.ts").write_bytes(texts["de.ts"])

    for command in (
        ["lrelease", "app.ts", "-qm", "app.qm"],
        ["lconvert", "-i", "app.qm", "-o", "again.ts"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    again = (tmp_path / "again.ts").read_text()
    for text in ("Zahlen", "&amp;Los", "%n Datei", "%n Dateien"):
        assert f">{text}</" in again
