"""docs/reference/formats.md and its pages: examples go in and come out as shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import fields

from locframework.exchange.records import ExportQuery, ImportForm
from locframework.formats.converting import convert_entry
from locframework.formats.records import Entry, FormatInfo
from locframework.plugins import PluginHost
from locframework.testing.client import Upload
from locframework.testing.workspace import Workspace

OpenPage = Callable[[str], Any]

EXAMPLES = {"json": "json-nested", "arb": "arb", "po": "gettext-po"}
EXAMPLES |= {"properties": "java-properties", "strings": "apple-strings"}
EXAMPLES |= {"table": "csv", "android": "android-xml", "xliff": "xliff-1.2"}
EXAMPLES |= {"yaml": "yaml-rails", "resx": "resx"}
EXAMPLES |= {"ini": "ini", "toml": "toml"}
EXAMPLES["fluent"] = "fluent"
EXAMPLES["qt"] = "qt-ts"
BLOCKS = {"po": "po", "properties": "properties", "strings": "text", "table": "text"}
BLOCKS |= {"android": "xml", "xliff": "xml", "yaml": "yaml", "resx": "xml"}
BLOCKS |= {"qt": "xml"}
IN_GERMAN = ("po", "properties", "strings", "table", "android", "xliff", "yaml")
BLOCKS |= {"ini": "ini", "toml": "toml"}
IN_GERMAN += ("ini", "toml")
BLOCKS["fluent"] = "text"
IN_GERMAN += ("fluent",)
IN_GERMAN += ("resx", "qt")
EXAMPLES["php"] = "php-array"
BLOCKS["php"] = "php"
IN_GERMAN += ("php",)
EXAMPLES["stringsdict"] = "apple-stringsdict"
EXAMPLES["xcstrings"] = "apple-xcstrings"
BLOCKS["stringsdict"] = "xml"
IN_GERMAN += ("stringsdict",)
_CHANGED = re.compile(r"changes `([\w.]+)` to `([^`]+)`")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_comes_out_as_it_went_in_but_for_the_changed_text(
    open_page: OpenPage, sqlite_workspace: Workspace, name: str
) -> None:
    page = open_page(f"{name}.md")
    text = page.sections()["Example"]
    before, after = page.blocks(BLOCKS.get(name, "json"), text)
    [path] = re.findall(r"`([\w.]+)` goes in", text)
    [(key, value)] = _CHANGED.findall(text)
    shop = _Shop(sqlite_workspace, "de" if name in IN_GERMAN else "en")

    shop.bring(path, before)

    assert shop.texts() == [[f"`{key}`", cell] for key, cell in rows_of(text)]
    assert shop.export(EXAMPLES[name]) == before
    shop.change(key, value)
    assert shop.export(EXAMPLES[name]) == after
    shown = zip(before.splitlines(), after.splitlines(), strict=True)
    assert sum(old != new for old, new in shown) == 1


def test_the_example_of_seen_has_the_names_and_hashes_of_the_files(
    open_page: OpenPage, sqlite_workspace: Workspace
) -> None:
    text = open_page("formats.md").sections()["Names and hashes in `seen"]
    [example] = open_page("formats.md").blocks("json", text)
    seen = json.loads(example)
    for name in EXAMPLES:
        page = open_page(f"{name}.md").sections()["Example"]
        [path] = re.findall(r"`([\w.]+)` goes in", page)
        before, _ = open_page(f"{name}.md").blocks(BLOCKS.get(name, "json"), page)
        shop = _Shop(sqlite_workspace, "de" if name in IN_GERMAN else "en")
        hashes = {
            sha256(re.sub(r"^(\w+: )?`|`$", "", cell).encode()).hexdigest()
            for _, cell in rows_of(page)
        }

        result = shop.bring(path, before, seen={path: seen[path]})

        assert result["warnings"] == []
        shown = {digest for forms in seen[path].values() for digest in forms.values()}
        assert shown <= hashes


def test_the_table_of_placeholders_is_what_exports_do(open_page: OpenPage) -> None:
    page = open_page("formats.md")
    texts = [f"Hi {name}, 5%" for name in ("%1$s", "{name}")]
    texts[0] += "%"
    origins = ["java-printf", "icu"]
    rows = page.rows(page.sections()["Into another format"])

    for ids, dialect, *shown in rows:
        for text, origin, cell in zip(texts, origins, shown, strict=True):
            info = FormatInfo("x", "X", ".x", "text/plain", placeholders=dialect)
            entry = Entry("key", text, format_flags=(f"dialect:{origin}",))
            made = convert_entry(entry, text, info, []).value
            assert made == (cell or text), (ids, origin)
    told = {id_: dialect for ids, dialect, *_ in rows for id_ in ids.split("`, `")}
    formats = PluginHost.discover({}).formats.items()
    known = {id_: each.info.placeholders for id_, each in formats}
    assert told == {id_: dialect for id_, dialect in known.items() if dialect}


def rows_of(text: str) -> list[tuple[str, str]]:
    """Return key and cell of each row of the table, as they stand."""
    return re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.M)


class _Shop:
    """A project that files are brought to."""

    def __init__(self, workspace: Workspace, code: str) -> None:
        project = workspace.project(languages=["de"])
        self._workspace, self._code = workspace, code
        self._path = f"/projects/{project['id']}"

    def bring(self, name: str, content: str, seen: object = None) -> dict[str, Any]:
        files = {"file": Upload(name, content.encode(), "application/octet-stream")}
        if seen is not None:
            content = json.dumps(seen)
            files["seen"] = Upload("seen.json", content.encode(), "application/json")
        answer = self._workspace.owner.post(f"{self._path}/import", files=files)
        job = self._workspace.job_of(answer)
        assert job["status"] == "succeeded"
        result: dict[str, Any] = job["result"]
        return result

    def export(self, format_: str) -> str:
        query = {"format": format_, "languageCodes": self._code}
        answer = self._workspace.owner.get(f"{self._path}/export", query=query)
        content: bytes = answer.content
        return content.decode()

    def change(self, key: str, value: str) -> None:
        [found] = [each for each in self._keys() if each["key"] == key]
        path = f"{self._path}/keys/{found['id']}/values/{self._code}"
        assert self._workspace.owner.put(path, json={"value": value}).status == 200

    def texts(self) -> list[list[str]]:
        rows = []
        for key in self._keys():
            for value in key["values"]:
                if value["languageCode"] == self._code and value["value"]:
                    form, text = value["pluralForm"], f"`{value['value']}`"
                    cell = text if form is None else f"{form}: {text}"
                    rows.append([f"`{key['key']}`", cell])
        return rows

    def _keys(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._workspace.owner.get(
            f"{self._path}/keys", query={"include": "values"}
        ).data["items"]
        return found


@pytest.mark.parametrize(
    ("type_", "head"),
    [(ImportForm, "Fields of the form"), (ExportQuery, "Parameters of")],
)
def test_the_tables_name_every_field(
    open_page: OpenPage, type_: type[Any], head: str
) -> None:
    page = open_page("formats.md")
    _, _, text = page.sections()["Reference"].partition(head)
    text = text.partition("\nParameters of")[0]

    shown = {name for name, *_ in page.rows(text)}

    assert shown == {field.encode_name for field in fields(type_)} - {"file"}
