"""What a hostile table costs is bounded by its size."""

import time
import tracemalloc

import pytest
from locframework_formats_table import TablePlugin, TableSettings

from locframework.ports import FileOptions, SourceFile, UnreadableFile

OPTIONS = FileOptions(key_separator=".", source_language="en")
CSV, *_ = TablePlugin(TableSettings()).loc_provide_formats()


def read(content):
    return CSV.read(SourceFile("x.csv", content), OPTIONS)


def test_many_languages_of_many_keys_without_texts_make_few_entries():
    languages = ",".join(f"en-x-a{at}" for at in range(990))
    rows = "".join(f"k{at}\n" for at in range(100_000))
    tracemalloc.start()
    started = time.monotonic()

    found = read(f"key,{languages}\n{rows}".encode())

    seconds = time.monotonic() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(len(each.entries) for each in found) == 100_000
    assert seconds < 20
    assert peak < 300e6


@pytest.mark.parametrize(
    "head", [",".join(["key", *["en"] * 1000]), "key" + "," * 1_000_000]
)
def test_more_than_a_thousand_columns_are_refused(head):
    with pytest.raises(UnreadableFile, match="more than 1,000 columns"):
        read(f"{head}\n".encode())


def test_a_quote_that_is_never_closed_is_refused_soon():
    started = time.monotonic()

    with pytest.raises(UnreadableFile, match="line 2"):
        read(b'key,en\na,"' + b'b""\n' * 1_000_000)

    assert time.monotonic() - started < 10
