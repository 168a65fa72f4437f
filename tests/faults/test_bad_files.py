"""Files that are bombs, lead out of their archive or hold nonsense change nothing."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from locframework.http.records import Upload

World = Any  # tests/faults/conftest.py

MIB = 1024 * 1024
MOST_MEMORY = 200 * MIB  # over what the server has anyway
MOST_SECONDS = 20  # of a processor; about 2 are needed
GOOD = b'{"a": "b"}'


class Site(NamedTuple):
    """A server, and a project that nothing may change."""

    world: World
    server: Any
    client: Any
    path: str
    folder: Path

    def send(self, name, content, **form):
        file = Upload(name, content, "application/octet-stream")
        return self.client.post(f"{self.path}/import", files={"file": file}, form=form)

    def stored(self):
        """How many rows there are, and which files, beside the database's own."""
        files = [
            str(file.relative_to(self.folder))
            for root in (self.folder, self.folder.parent)
            for file in (root.rglob("*") if root == self.folder else root.iterdir())
            if root == self.folder or file.name.startswith("evil")
            if "sqlite3" not in file.name
        ]
        return {**self.world.row_counts(), "files": sorted(files)}


@pytest.fixture
def site(sqlite_world, tmp_path):
    """Files are read before the database is asked, so one kind of it is enough."""
    made = open_site(sqlite_world, tmp_path)
    before = made.stored()
    yield made
    assert made.stored() == before
    assert made.send("en.json", GOOD).status == 202
    made.client.close()
    assert made.server.stop() == 0


def open_site(world, folder):
    project = world.workspace.project(languages=["de"])
    server = world.start()
    path = f"/projects/{project['id']}"
    return Site(world, server, world.owner(server), path, folder)


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content, compression)
    return target.getvalue()


def entry(name, mode):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def lying(content, size):
    """The archive of one file, which says that it unpacks to ``size`` bytes."""
    made = bytearray(zipped({"en.json": content}))
    struct.pack_into("<I", made, 22, size)
    struct.pack_into("<I", made, made.index(b"PK\x01\x02") + 24, size)
    return bytes(made)


# What archives may not hold is listed in tests/formats/test_archive.py.
ARCHIVES = {
    "leads out": zipped({"../evil.json": GOOD}),
    "link": zipped({entry("evil.json", stat.S_IFLNK | 0o777): b"/etc/passwd"}),
    "good beside bad": zipped({"en.json": GOOD, "../evil.json": GOOD}),
    "cut off": zipped({"en.json": GOOD})[:-10],
    "empty head": b"PK\x03\x04",
    "empty": zipped({}),
    "nothing known": zipped({"readme": b"x"}),
    "one bad file": zipped({"en.json": GOOD, "de.json": b"{"}),
    "language of nobody": zipped({"fr.json": GOOD}),
    "two of one language": zipped({"en.json": GOOD, "en_US.json": GOOD}),
}


def test_an_archive_that_is_not_sound_is_refused_as_a_whole(site):
    got = {}
    for name, content in ARCHIVES.items():
        answer = site.send("upload.zip", content)
        got[name] = answer.status, answer.json.get("error", {}).get("code")
        assert b"/etc" not in answer.content
        assert str(site.folder).encode() not in answer.content

    expected = dict.fromkeys(ARCHIVES, (400, "unreadable_file"))
    expected["empty"] = expected["nothing known"] = (400, "unknown_format")
    expected["language of nobody"] = (400, "language_not_in_project")
    assert got == expected


zeros = bytes(20 * MIB)
REFUSALS = ("unreadable_file", "unknown_format", "validation_failed")  # no language
BOMBS = {
    "200 MiB of nothing": lambda: (
        "x.zip",
        zipped({f"{number}/en.json": zeros for number in range(10)}),
    ),
    "an entry that lies": lambda: ("x.zip", lying(bytes(100 * MIB), 10)),
    "an entry that lies the other way": lambda: ("x.zip", lying(GOOD, 2**31)),
    "archives in archives": lambda: (
        "x.zip",
        zipped({"1.zip": zipped({"2.zip": zipped({"en.json": bytes(100 * MIB)})})}),
    ),
    "50 MiB of blanks": lambda: ("x.json", b" " * (50 * MIB - 1000)),
    "10 million brackets": lambda: ("x.json", b"[" * (10 * MIB)),
    "objects in objects": lambda: ("x.json", b'{"a":' * (4 * MIB)),
    "a number of 20 MiB": lambda: ("x.json", b'{"a":%s}' % (b"1" * (20 * MIB))),
    "a name of 20 MiB": lambda: ("en.json", b'{"%s":"a"}' % (b"x" * (20 * MIB))),
    "20 MiB at random": lambda: ("x.po", random.Random(1).randbytes(20 * MIB)),
    "remarks only": lambda: ("x.po", b"# x\n" * (4 * MIB)),
}


@pytest.mark.hosts
def test_a_bomb_costs_little(sqlite_world, tmp_path):
    """What is sent is 50 MiB at most, what it would become is not."""
    site = open_site(sqlite_world, tmp_path)
    for name, bomb in BOMBS.items():
        file, content = bomb()
        before = site.server.peak_memory(is_reset=True)
        begun = site.server.processor_seconds()

        answer = site.send(file, content)

        error = answer.json.get("error")
        if answer.status == 202:  # over 2 MiB
            path = f"{site.path}/jobs/{answer.data['job']['id']}"
            error = site.client.end_of_job(path)["error"]
        assert error["code"] in REFUSALS, (name, answer)
        assert site.server.processor_seconds() - begun < MOST_SECONDS, name
        assert site.server.peak_memory() - before < MOST_MEMORY, name
        assert len(answer.content) < 20_000, name
    assert site.client.get(f"{site.path}/keys").data["total"] == 0


def test_more_than_fifty_mebibytes_are_too_much(site):
    before = site.server.peak_memory(is_reset=True)

    answer = site.send("en.json", b" " * (50 * MIB + 1))

    assert (answer.status, answer.error["code"]) == (413, "payload_too_large")
    assert site.server.peak_memory() - before < MOST_MEMORY


CONTENTS = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"null",
    b"[]",
    b'"a"',
    b"{}",
    b'{"a": NaN}',
    b'{"a": Infinity}',
    b'{"a": 1e999}',
    b'{"a": %s}' % (b"9" * 5000),
    b'{"a": "b", "a": "c"}',
    rb'{"a": "\u0000"}',
    rb'{"a": "\ud800"}',
    rb'{"\ud800": "a"}',
    rb'{"@@\udfff": "a"}',
    rb'{"@a": {"description": "\ud800"}, "a": "b"}',
    rb'{"a": "b", "@a": {"placeholders": {"\u0000": {}}}}',
    b'{"a": {"b": "c"}, "a.b": "d"}',
    b'{"a..b": "c"}',
    b'{"": "c"}',
    '{"ä": "c"}'.encode(),
    b'{"a": "%s"}' % (b"x" * 70_000),
    b'{"a": [1, 2, null, true, {"b": []}]}',
    b'{"a": %s1%s}' % (b"[" * 65, b"]" * 65),
    b'{"a": %s1%s}' % (b"[" * 50_000, b"]" * 50_000),
    b'{"%s": "x"}' % (b"a" * 501),
    b'{"a_one": "x", "a_sixth": "y"}',
    '{"a": "b"}'.encode("utf-16"),
    '{"a": "b"}'.encode("utf-32"),
    b'{"@@locale": "../../etc"}',
    b'{"@@locale": 3}',
    b'{"a": "{count, plural, ' + b"other {{count, plural, " * 5000,
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=%s\\n"' % (b"x" * 300),
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=rot13\\n"',
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-7\\n"',
    b'msgid ""\nmsgstr "Plural-Forms: nplurals=999999999; plural=n;\\n"',
    b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n/0;\\n"',
    b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=%s;\\n"' % (b"(" * 9000),
    b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=__import__(1);\\n"',
    b'msgid "a"\nmsgstr "\\0"',
    b'msgid "a"\nmsgstr "\\x00"',
    b'msgid "a"\nmsgstr "\\xff"',
    b'msgid "a"\nmsgstr "\0"',
    b'msgid "a"\nmsgstr "\xed\xa0\x80"',
    b'msgid "a"\nmsgid "b"',
    b'msgid "a"\nmsgstr[5] "b"',
    b'msgid "a"\nmsgstr "b"\n' * 2,
    b'msgctxt "%s"\nmsgid "a"\nmsgstr "b"' % (b"x" * 10_000),
    b'#, fuzzy\n#| msgid "\n',
    b'"' * 10_000,
    b"msgid " * 10_000,
]


def test_no_content_of_any_format_breaks_the_server(sqlite_world, tmp_path):
    """What can be read all the same is tried out, by a job that changes nothing."""
    site = open_site(sqlite_world, tmp_path)
    before = site.stored()
    formats = [each["id"] for each in site.client.get("/formats").data["formats"]]
    assert len(formats) >= 6
    faults, read = [], 0
    options = {"languageCode": "en", "dryRun": "true"}
    for format_id in formats:
        for content in CONTENTS:
            answer = site.send("x", content, format=format_id, **options)
            if answer.status == 202:
                read += 1
                job = site.client.job(answer)
                if job["status"] != "succeeded":
                    faults.append((format_id, content[:60], job))
            elif answer.status != 400 or not answer.error["code"]:
                faults.append((format_id, content[:60], answer))

    assert faults == []
    assert read > 0
    changing = {"jobs", "blob_notes", "files"}
    after = site.stored()
    assert {name for name in after if after[name] != before[name]} <= changing


FORMS: list[tuple[dict[str, str], str]] = [
    ({"format": "nonsense"}, "unknown_format"),
    ({"format": "x" * 101}, "validation_failed"),
    ({"format": "json-nested\0"}, "validation_failed"),
    ({"languageCode": "fr"}, "language_not_in_project"),
    ({"languageCode": "../en"}, "validation_failed"),
    ({"languageCode": ""}, "validation_failed"),
    ({"mode": "destroy"}, "validation_failed"),
    ({"onConflict": "OVERWRITE"}, "validation_failed"),
    ({"dryRun": "perhaps"}, "validation_failed"),
    ({"tags": "x" * 51}, "validation_failed"),
    ({"module": "a..b"}, "invalid_key"),
    ({"module": "a" * 501}, "validation_failed"),
    ({"module": "\u0000"}, "validation_failed"),
]


def test_a_form_that_does_not_fit_is_refused(site):
    for form, code in FORMS:
        answer = site.send("en.json", GOOD, **form)
        assert (answer.status, answer.error["code"]) == (400, code), form
