"""Prints what becomes of files that projects keep in git: imported, exported, changed.

Each folder in the one that is given is one set: the files of a project in all its
languages. A set goes in as one ZIP archive and comes out in its own layout. The table
shows texts that were lost or changed, files that differ in a byte, and the lines that
differ in a typical file; then what an import of the export changes, and how many lines
change in a file when one of its texts does.

Run it in a checkout: ``.venv/bin/python tests/benchmarks/real_files.py FOLDER``, with
the names of sets to take only those.
"""

from __future__ import annotations

import io
import json
import plistlib
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polib
from fluent.syntax import FluentParser, FluentSerializer, ast

from locframework.formats.rules import is_neutral, language_in_path
from locframework.languages import match_language
from locframework.testing.client import Upload
from locframework.testing.workspace import Workspace, open_workspace

HEADER = (
    "set",
    "format",
    "files/languages",
    "keys",
    "import",
    "skipped",
    "texts lost/changed/added",
    "bytes identical",
    "lines of a typical file",
    "imported again",
    "lines of one text",
    "seconds",
)
LANGUAGES = (
    *("ar", "ca", "cs", "de", "en", "es", "fr", "hu", "id", "it", "ja"),
    *("ko", "nl", "pl", "pt", "ru", "sl", "sr", "tr", "uk", "zh"),
)
"""Languages that the end of a name may say: ``lang-de.json``."""
Files = Mapping[str, bytes]


class Set:
    """The files of a project, and the project that they are imported into."""

    def __init__(self, files: Files, workspace: Workspace) -> None:
        self.files = files
        self.workspace, self.owner = workspace, workspace.owner
        tags = {tag for path in files if (tag := language_of(path))}
        is_po = any(path.endswith(".po") for path in files)
        of_english = sorted(tag for tag in tags if tag.startswith("en-"))
        has_source = is_po or any(map(is_neutral, files))
        is_regional = not has_source and "en" not in tags and of_english
        self.source = of_english[0] if is_regional else "en"
        others = sorted(tags - {self.source})
        project = workspace.project(languages=others, sourceLanguage=self.source)
        self.path = f"/projects/{project['id']}"

    def load(self, files: Files) -> dict[str, Any]:
        """Import the files; the result of the job. Raises ValueError."""
        form = {"onUnreadable": "skip", "addLanguages": "true"}
        if any(path.endswith(".php") for path in files):
            form["modules"] = "always"
        upload = {"file": Upload("set.zip", zipped(files), "application/zip")}
        answer = self.owner.post(f"{self.path}/import", form=form, files=upload)
        if answer.status != 202:
            details = answer.error.get("details", [])
            raise ValueError([answer.error["message"], *details[:3]])
        job = self.workspace.job_of(answer)
        if job["status"] != "succeeded":
            raise ValueError(job["error"])
        found: dict[str, Any] = job["result"]
        return found

    def export(self, formats: list[str]) -> dict[str, bytes]:
        """All files, by path."""
        found: dict[str, bytes] = {}
        for format_ in formats:
            answer = self.owner.get(f"{self.path}/export", query={"format": format_})
            assert answer.status == 200, answer
            if answer.headers["Content-Type"] == "application/zip":
                with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                    found |= {name: archive.read(name) for name in archive.namelist()}
            else:
                name = str(answer.headers["Content-Disposition"]).split('"')[1]
                paths = [path for path in self.files if path.endswith(name)]
                found[paths[0] if paths else name] = answer.content
        return found

    def change_texts(self) -> int:
        """Change one text of each language, but none of a source text in PO."""
        query = {"include": "values", "limit": 100}
        items = self.owner.get(f"{self.path}/keys", query=query).data["items"]
        changed = set()
        for item in items[len(items) // 2 :] + items[: len(items) // 2]:
            for value in item["values"]:
                code, text = value["languageCode"], value["value"]
                if code in changed or value["pluralForm"] or not text or "\n" in text:
                    continue
                path = f"{self.path}/keys/{item['id']}/values/{code}"
                answer = self.owner.put(path, json={"value": f"{text} x"})
                assert answer.status == 200, answer
                changed.add(code)
        return len(changed)


def row_of(name: str, files: Files, workspace: Workspace) -> list[str]:
    """The row of a set."""
    begun = time.monotonic()
    one = Set(files, workspace)
    result = one.load(files)
    told = f"{len(result['warnings'])} warnings, {result['conflictCount']} conflicts"
    formats = list(dict.fromkeys(file["format"] for file in result["files"]))
    codes = {file["languageCode"] for file in result["files"]}
    skipped = {each["path"] for each in result["skipped"]}
    wanted = {path: files[path] for path in files if path not in skipped}
    exported = one.export(formats)
    same = [path for path in wanted if exported.get(path) == wanted[path]]
    lost, changed, added = compared(wanted, exported)
    typical = typical_of(wanted)
    pairs = (wanted[typical], exported.get(typical, b""))
    again = one.load(exported)
    counts = [again[f"keys{what}"] for what in ("Created", "Updated", "Removed")]
    counts += [again["valuesWritten"], again["conflictCount"]]
    is_stable = one.export(formats) == exported
    one.change_texts()
    later = one.export(formats)
    lines = [lines_changed(exported[path], later.get(path, b"")) for path in exported]
    for path in sorted(wanted.keys() - same)[:5]:
        print(f"  {name}: differs: {path}", file=sys.stderr)
    for each in result["skipped"]:
        print(f"  {name}: skipped: {each['path']}: {each['message']}", file=sys.stderr)
    return [
        name,
        ", ".join(formats),
        f"{len(files)}/{len(codes)}",
        str(result["keysCreated"]),
        told,
        str(len(skipped)),
        f"{lost}/{changed}/{added}",
        f"{len(same)} of {len(wanted)}, {len(exported.keys() - wanted)} new",
        "-{}/+{}".format(*lines_changed(*pairs)),
        ("nothing" if is_stable else "files change")
        if not any(counts)
        else f"{counts}",
        "-{}/+{} at most".format(*max(lines, key=sum)),
        f"{time.monotonic() - begun:.0f}",
    ]


def language_of(path: str) -> str | None:
    return language_in_path(path, frozenset()) or language_in_path(
        path, frozenset(LANGUAGES)
    )


def typical_of(files: Files) -> str:
    """The path of the German file, or of the last one."""
    german = [
        path
        for path in files
        if (code := language_of(path)) and match_language("de", frozenset([code]))
    ]
    return (german or sorted(files))[-1]


def compared(old: Files, new: Files) -> tuple[int, int, int]:
    """How many texts were lost, changed and added, as the formats' own libraries read
    them."""
    lost = changed = added = 0
    for path, content in old.items():
        before = dict(texts_of(path, content))
        after = dict(texts_of(path, new[path])) if path in new else {}
        lost += len(before.keys() - after.keys())
        added += len(after.keys() - before.keys())
        both = before.keys() & after.keys()
        changed += sum(before[place] != after[place] for place in both)
    return lost, changed, added


def texts_of(path: str, content: bytes) -> Iterator[tuple[object, object]]:
    """Every text with its place in the file."""
    if path.endswith((".po", ".pot")):
        try:
            entries = polib.pofile(content.decode("utf-8-sig"))
        except OSError as fault:  # which msgfmt reads
            yield str(fault), content
            return
        for entry in entries:
            place = entry.msgctxt, entry.msgid, entry.msgid_plural, entry.obsolete
            yield place, (entry.msgstr, entry.msgstr_plural, entry.fuzzy)
        return
    if path.endswith(".php"):
        code = "echo json_encode(token_get_all(stream_get_contents(STDIN)));"
        done = subprocess.run(
            ["php", "-r", code], input=content, capture_output=True, check=True
        )
        tokens = [part[1] for part in json.loads(done.stdout) if part[1:]]
        yield from enumerate(text for text in tokens if text[0] in "'\"")
        return
    if path.endswith(".stringsdict"):
        yield from leaves_of(plistlib.loads(content))
        return
    if path.endswith((".xml", ".resx", ".resw", ".ts")):
        for at, element in enumerate(ElementTree.fromstring(content)):
            place = element.tag, element.attrib.get("name", at)
            yield place, ElementTree.tostring(element).strip()
        return
    if path.endswith((".xlf", ".xliff")):
        yield from units_of(content)
        return
    if path.endswith((".ini", ".toml")):  # equal names are told apart by their section
        section = ""
        for line in content.decode("utf-8-sig").splitlines():
            section = line if line.startswith("[") else section
            name, _, text = line.partition("=")
            yield (section, name.strip()), text.strip()
        return
    if path.endswith(".ftl"):
        for message in FluentParser().parse(content.decode("utf-8-sig")).body:
            if isinstance(message, ast.Message | ast.Term):
                yield (
                    (type(message), message.id.name),
                    FluentSerializer().serialize_entry(message),
                )
        return
    yield from leaves_of(json.loads(content))


def leaves_of(tree: object) -> Iterator[tuple[object, object]]:
    """Everything in a tree that has no members, with its place."""
    trees: list[tuple[tuple[object, ...], object]] = [((), tree)]
    for place, tree in trees:
        if isinstance(tree, dict):
            trees += [((*place, key), tree[key]) for key in tree]
        elif isinstance(tree, list):
            trees += [((*place, at), each) for at, each in enumerate(tree)]
        else:
            yield place, tree


def units_of(content: bytes) -> Iterator[tuple[object, object]]:
    """Every unit of XLIFF with all that is in it, by its file and id."""
    for file in ElementTree.fromstring(content).iterfind("{*}file"):
        for unit in (*file.iter("{*}trans-unit"), *file.iter("{*}unit")):
            place = (file.get("original", file.get("id")), unit.get("id"))
            yield place, ElementTree.canonicalize(ElementTree.tostring(unit))


def lines_changed(old: bytes, new: bytes) -> tuple[int, int]:
    """How many lines went, and how many came."""
    before, after = old.split(b"\n"), new.split(b"\n")
    while before and after and before[-1] == after[-1]:  # as long files are
        del before[-1], after[-1]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return len(before) - kept, len(after) - kept


def zipped(files: Files) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for path, content in files.items():
            made.writestr(path, content)
    return target.getvalue()


def main(folder: Path, names: list[str]) -> None:
    print(
        "|".join(("", *HEADER, "")),
        "|".join(("", *["---"] * len(HEADER), "")),
        sep="\n",
    )
    for place in sorted(each for each in folder.iterdir() if each.is_dir()):
        if names and place.name not in names:
            continue
        paths = sorted(each for each in place.rglob("*") if each.is_file())
        files = {
            each.relative_to(place).as_posix(): each.read_bytes() for each in paths
        }
        with tempfile.TemporaryDirectory() as scratch:
            database = f"sqlite:///{scratch}/test.sqlite3"
            with open_workspace(database, Path(scratch)) as workspace:
                try:
                    row = row_of(place.name, files, workspace)
                except (AssertionError, ValueError) as fault:
                    row = [place.name, "", str(len(files)), "", f"failed: {fault}"]
        print("|".join(("", *(cell.replace("|", "/") for cell in row), "")), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
