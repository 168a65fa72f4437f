"""The charset of the header is honoured, and only a charset."""

import os
import subprocess

import pytest

TEXT = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\n'
MESSAGE = 'msgid "Tree"\nmsgstr "{}"\n'


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("UTF-8", "Дерево"),
        ("utf8", "Дерево"),
        ("KOI8-R", "Дерево"),
        ("windows-1251", "Дерево"),
        ("ISO-8859-2", "Drzewo ł"),
        ("Shift_JIS", "表示"),  # its second byte is a backslash
        ("GB18030", "树"),
        ("Big5", "功"),  # its second byte is a backslash
    ],
)
def test_a_text_is_decoded_by_the_headers_charset(read, charset, text):
    content = (TEXT.format(charset) + MESSAGE.format(text)).encode(charset)

    assert read(content).entries[0].value == text


@pytest.mark.parametrize("charset", ["CHARSET", "ASCII", "us-ascii"])
def test_a_placeholder_or_ascii_is_utf_8(read, charset):
    assert read(TEXT.format(charset) + MESSAGE.format("é")).entries[0].value == "é"


@pytest.mark.parametrize(
    "charset",
    ["hex", "zip", "rot13", "idna", "unicode_escape", "utf-7", "utf-16", "x-unknown"],
)
def test_what_is_no_charset_of_gettext_is_refused(refused, charset):
    content = (TEXT.format(charset) + MESSAGE.format("x")).encode()

    assert refused(content) == [("line 3", "encoding")]


def test_only_the_header_names_the_charset(read):
    mime = 'msgid "Content-Type: text/plain; charset=koi8-r"\n'
    content = TEXT.format("UTF-8") + f'{mime}msgstr ""\n"{mime[7:-2]}: é"\n'

    assert "é" in read(content).entries[0].value


def test_a_wrapped_header_names_the_charset_too(read):
    header = (
        'msgid ""\nmsgstr ""\n"X: y\\nContent-Type: "\n"text; charset="\n"cp1251\\n"'
    )
    content = (header + "\n" + MESSAGE.format("Дерево")).encode("cp1251")

    assert read(content).entries[0].value == "Дерево"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (TEXT.format("UTF-8").encode() + b'msgid "a"\nmsgstr "\xff"\n', 6),
        (MESSAGE.encode("utf-16"), 1),
        ('msgid "a"\nmsgstr "\ud800"\n'.encode("utf-8", "surrogatepass"), 2),
    ],
)
def test_bytes_that_are_no_text_are_refused_with_their_line(refused, content, line):
    assert refused(content) == [(f"line {line}", "encoding")]


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(read):
    content = b"\xef\xbb\xbf" + MESSAGE.format("Baum").replace("\n", "\r\n").encode()

    [entry] = read(content).entries
    assert (entry.value, entry.line) == ("Baum", 1)


def test_writing_is_always_utf_8(read, write):
    catalogue = read(
        (TEXT.format("KOI8-R") + MESSAGE.format("Дерево")).encode("koi8-r")
    )

    text = write(catalogue)

    assert "charset=UTF-8" in text
    assert "koi8" not in text.lower()
    assert "Дерево" in text


@pytest.mark.usefixtures("gettext_tools")
@pytest.mark.parametrize("odd", ["\0", r"\000", r"\xff", r"\377", r"\400"])
def test_a_text_that_is_no_text_is_left_out_and_told(read, write, odd):
    """msgfmt accepts the file, too."""
    bad = f'msgid "bad"\nmsgstr "b{odd}c"\n\nmsgid "d{odd}"\nmsgstr "e"\n\n'
    plural = f'msgid "f"\nmsgid_plural "g"\nmsgstr[0] "{odd}"\nmsgstr[1] "h"\n\n'
    rest = f'# {odd}\n{MESSAGE.format("Baum")}\n#~ msgid "j{odd}"\n#~ msgstr "i"\n'
    text = TEXT.format("UTF-8") + bad + plural + rest
    checked = ["msgfmt", "-o", os.devnull, "-"]
    subprocess.run(checked, input=text.encode(), check=True, capture_output=True)

    catalogue = read(text)

    assert [(entry.key, entry.value) for entry in catalogue.entries] == [
        ("bad", None),
        (catalogue.entries[1].key, {"other": "h"}),
        ("Tree", "Baum"),
    ]
    assert [warning.split(":")[0] for warning in catalogue.warnings] == [
        *("line 5", "line 8", "line 11", "line 20")
    ]
    assert "\0" not in write(catalogue)
