"""Archives are read without trust, and written the same way each time."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locframework.errors import UnreadableFile
from locframework.formats import archive
from locframework.formats.archive import (
    ENTRIES_MOST,
    is_archive,
    read_archive,
    write_archive,
)
from locframework.formats.records import SourceFile

Change = Callable[[zipfile.ZipInfo], None]


def zipped(
    *entries: tuple[str, bytes],
    change: Change = lambda entry: None,
    compression: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            change(info)
            made.writestr(info, content)
    return target.getvalue()


def refusal(content: bytes) -> str:
    with pytest.raises(UnreadableFile) as refused:
        list(read_archive(content))
    return refused.value.message


def test_the_files_of_an_archive_come_by_path() -> None:
    content = zipped(("fr/app.json", b"{2}"), ("de/app.json", b"{1}"))

    assert list(read_archive(content)) == [
        SourceFile("de/app.json", b"{1}"),
        SourceFile("fr/app.json", b"{2}"),
    ]


def test_folders_hidden_files_and_finder_leftovers_are_left_out() -> None:
    names = ["de/", "de/app.json", ".DS_Store", "de/.x", "__MACOSX/de/._app.json"]
    content = zipped(*((name, b"") for name in names))

    assert [file.name for file in read_archive(content)] == ["de/app.json"]


def test_backslashes_are_folders() -> None:
    content = zipped(("de/app.json", b"{}")).replace(b"de/app.json", b"de\\app.json")

    assert [file.name for file in read_archive(content)] == ["de/app.json"]


def test_names_in_any_script_are_read() -> None:
    content = zipped(("ja/設定　一.json", b"{}"))

    assert [file.name for file in read_archive(content)] == ["ja/設定　一.json"]


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "\\etc\\passwd",
        "C:/windows/x.json",
        "C:x.json",
        "../x.json",
        "de/../../x.json",
        "de\\..\\..\\x.json",
        "..",
        "a/..",
        "de/x\n.json",
        "de/x\x7f.json",
        "x" * 1001,
    ],
)
def test_a_path_that_leads_out_is_refused(name: str) -> None:
    safe = "s" * len(name)
    content = zipped((safe, b"{}")).replace(safe.encode(), name.encode())

    assert "path" in refusal(content) or "name" in refusal(content)


def test_a_name_that_ends_early_at_a_nul_is_refused() -> None:
    content = zipped(("app.json_exe", b"{}")).replace(b"app.json_exe", b"app.json\0exe")

    assert "control character" in refusal(content)


def special(kind: int) -> bytes:
    """An archive with an entry that is a link or a device."""

    def make_special(entry: zipfile.ZipInfo) -> None:
        entry.create_system = 3
        entry.external_attr = (kind | 0o777) << 16

    return zipped(("de/app.json", b"/etc/passwd"), change=make_special)


def flagged(flag: int) -> bytes:
    content = bytearray(zipped(("de/app.json", b"{}")))
    at = content.index(b"PK\x01\x02") + 8
    content[at : at + 2] = struct.pack("<H", flag)
    return bytes(content)


def starting(start: bytes) -> bytes:
    return zipped(("de/app.json", start + bytes(range(256))))


KINDS = (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK)
STARTS = (
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"BZh9",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
)
METHODS = (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *((special(kind), "link or a device") for kind in KINDS),
        *((flagged(flag), "encrypted") for flag in (0x1, 0x40, 0x2000)),
        *((zipped(("a", b"{}"), compression=each), "deflate") for each in METHODS),
        *((starting(start), "itself an archive") for start in STARTS),
    ],
)
def test_an_entry_that_is_no_plain_file_is_refused(content: bytes, told: str) -> None:
    assert told in refusal(content)


@pytest.mark.parametrize("end", [".json", "/"])  # folders, too
def test_two_thousand_entries_are_read_and_one_more_is_refused(end: str) -> None:
    entries = [(f"{number}{end}", b"") for number in range(ENTRIES_MOST + 1)]

    assert len(list(read_archive(zipped(*entries[:-1])))) in (0, ENTRIES_MOST)
    assert "2000 entries" in refusal(zipped(*entries))


def test_a_million_entries_are_refused_before_they_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the directory was read")

    monkeypatch.setattr(archive, "ZipFile", never)

    assert "2000 entries" in refusal(b"PK\x03\x04" + b"PK\x01\x02" * 1_000_000)


def test_a_bomb_is_refused_by_what_it_unpacks_to() -> None:
    content = zipped(("de/app.json", bytes(15 * 1024 * 1024)))

    assert len(content) < 20_000
    assert "100 times" in refusal(content)


def test_a_bomb_that_lies_about_its_size_is_refused() -> None:
    honest = bytes(15 * 1024 * 1024)
    content = zipped(("de/app.json", honest)).replace(
        struct.pack("<I", len(honest)), struct.pack("<I", 100)
    )

    assert "de/app.json" in refusal(content) or "not a valid" in refusal(content)


def test_an_entry_over_twenty_mebibytes_is_refused() -> None:
    content = zipped(("de/app.json", b"x" * (20 * 1024 * 1024 + 1)), compression=0)

    assert "20971520" in refusal(content)


def test_entries_over_a_hundred_mebibytes_together_are_refused() -> None:
    some = b"".join(bytes([at % 251]) * 100 for at in range(190_000))  # 19 MB
    content = zipped(*((f"{number}.json", some) for number in range(6)))

    assert "104857600" in refusal(content)


def test_what_the_entries_really_unpack_to_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive, "ALL_BYTES_MOST", 1000)
    monkeypatch.setattr(archive, "sum", lambda _: 0, raising=False)  # as if they lied
    content = zipped(*((f"{number}.json", b"0123456789" * 30) for number in range(4)))

    assert "1000 bytes" in refusal(content)


def test_two_entries_of_one_name_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zipped(("de.json", b"{1}"), ("de.json", b"{2}"))

    assert refusal(content) == "de.json is twice in the archive"


def test_a_damaged_entry_is_refused() -> None:
    content = bytearray(zipped(("de.json", b"abcdef"), compression=0))
    content[content.index(b"abcdef")] ^= 1

    assert "not a valid ZIP" in refusal(bytes(content))


def test_a_refusal_does_not_repeat_a_long_name() -> None:
    content = zipped(("x" * 900, b"PK\x03\x04"))

    assert len(refusal(content)) <= 200


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6),
    st.integers(0, 400),
)
def test_a_garbled_archive_is_read_or_refused_and_nothing_else(
    changes: list[tuple[int, int]], cut: int
) -> None:
    content = bytearray(zipped(("de/a.json", b'{"a": "b"}'), ("fr/a.json", b"{}" * 99)))
    for at, byte in changes:
        content[at % len(content)] = byte
    garbled = bytes(content[: len(content) - cut % 40])

    try:
        files = list(read_archive(garbled))
    except UnreadableFile:
        return
    assert all(".." not in file.name.split("/") for file in files)


def test_bytes_that_are_no_archive_are_refused() -> None:
    for content in (b"", b"{}", b"PK\x03\x04", b"PK\x03\x04" + bytes(100)):
        assert "not a valid ZIP" in refusal(content)


def test_an_archive_is_known_by_its_first_bytes() -> None:
    assert is_archive(zipped(("a", b"")))
    assert is_archive(zipped())
    assert not is_archive(b'{"a": "PK"}')


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?\.json", fullmatch=True),
                       st.binary(max_size=300).filter(lambda b: not b.startswith(
                           archive._ARCHIVES)), max_size=8))  # fmt: skip
def test_what_is_written_is_read_back(files: dict[str, bytes]) -> None:
    written = write_archive([SourceFile(*item) for item in files.items()])

    assert {file.name: file.content for file in read_archive(written)} == files


def test_the_same_files_give_the_same_bytes() -> None:
    files = [SourceFile("de.json", b"{1}"), SourceFile("fr.json", b"{2}")]

    assert write_archive(files) == write_archive(files[::-1])
    assert zlib.crc32(write_archive(files)) == zlib.crc32(write_archive(files))
    with zipfile.ZipFile(io.BytesIO(write_archive(files))) as made:
        assert {entry.date_time for entry in made.infolist()} == {(1980, 1, 1, 0, 0, 0)}
