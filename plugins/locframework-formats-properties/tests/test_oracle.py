"""Files mean the same to another reader."""

import javaproperties
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from locframework_formats_properties import PropertiesPlugin, PropertiesSettings

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")
SIGNS = st.sampled_from([*"ab=: \t\f\\#!nrtfu", "\n", "\r", "\r\n", "\\u00fc", "ü"])


def format_with(*, utf8):
    format_, *_ = PropertiesPlugin(PropertiesSettings(utf8)).loc_provide_formats()
    return format_


def texts_in(content):
    [found] = format_with(utf8=False).read(SourceFile("x.properties", content), OPTIONS)
    return {entry.key: entry.value for entry in found.entries}


@settings(deadline=None, max_examples=1000)
@given(st.lists(SIGNS, max_size=30).map("".join))
@example("\\\n#a=b")  # no comment: the line began before
def test_a_file_says_what_another_reader_reads(text):
    try:
        expected = javaproperties.loads(text)
    except javaproperties.InvalidUEscapeError:
        with pytest.raises(UnreadableFile):
            texts_in(text.encode())
        return
    expected.pop("", None)  # no name

    assert texts_in(text.encode()) == expected


@settings(deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
        st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    ),
    st.booleans(),
)
def test_another_reader_reads_what_was_written(texts, utf8):
    entries = [Entry(key, text) for key, text in texts.items()]
    written = format_with(utf8=utf8).write([Catalogue("en", entries)], OPTIONS)
    text = written.content.decode("utf-8" if utf8 else "ascii")

    assert javaproperties.loads(text) == texts
    assert texts_in(written.content) == texts


def test_a_million_continued_lines_take_linear_time():
    content = b"a=\\\n" + b"x\\\n" * 1_000_000

    assert texts_in(content) == {"a": "x" * 1_000_000}
