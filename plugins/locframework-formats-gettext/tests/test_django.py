"""Every catalogue that Django ships comes back as it was, and msgfmt accepts it.

What differs, and should: 3 % of the files have plural messages that do not fit
their own header. msgfmt refuses the originals; what we write, it accepts.
"""

import importlib.util
import os
import re
from pathlib import Path

import polib
import pytest
from msgspec.structs import replace

from locframework.ports import FileOptions, SourceFile
from tests.gettext_tools import normalised, refusals

pytestmark = [pytest.mark.judge, pytest.mark.slow]

OPTIONS = FileOptions(key_separator=".", source_language="en")
REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
MISFIT = re.compile(r"^nplurals = |plural forms$", re.MULTILINE)


@pytest.fixture(scope="module")
def files():
    spec = importlib.util.find_spec("django")
    if spec is None or spec.origin is None:
        if REQUIRED:
            pytest.fail("Django is not installed")
        pytest.skip("Django is not installed")
    found = sorted(Path(spec.origin).parent.rglob("*.po"))
    assert len(found) > 1000
    return found


@pytest.fixture(scope="module")
def catalogues(files, po):
    return {
        path: po.read(SourceFile(path.name, path.read_bytes()), OPTIONS)[0]
        for path in files
    }


@pytest.fixture(scope="module")
def written(catalogues, po):
    return {
        path: po.write([catalogue], OPTIONS).content
        for path, catalogue in catalogues.items()
    }


@pytest.fixture(scope="module")
def theirs(files):
    """What polib reads in each file."""
    return {
        path: polib._POFileParser(path.read_text(encoding="utf-8")).parse()
        for path in files
    }


@pytest.fixture(scope="module")
def texts(files):
    return [path.read_text(encoding="utf-8") for path in files]


@pytest.fixture(scope="module")
def new_texts(files, written):
    return [written[path].decode() for path in files]


def parted(text):
    """The header's fields, and the messages, empty forms aside."""
    header, _, messages = text.partition("\n\n")
    comment = [line for line in header.split("\n") if line.startswith("#")]
    fields = dict(polib._POFileParser(header).parse().metadata)
    # a plural message that is not translated has as many empty forms as the rule
    messages = re.sub(r'^msgstr\[\d\] ""\n(?!")', "", messages, flags=re.MULTILINE)
    return fields | {"#": "\n".join(comment)}, messages


def test_every_file_comes_back_as_it_was(
    files, catalogues, texts, new_texts, gettext_tools
):
    before = map(parted, normalised(texts))
    after = map(parted, normalised(new_texts))

    for path, (fields, messages), (new_fields, new_messages) in zip(
        files, before, after, strict=True
    ):
        if catalogues[path].warnings:  # the header did not fit
            del fields["Plural-Forms"], new_fields["Plural-Forms"]
        assert new_fields == fields, path
        assert new_messages == messages, path


def test_every_file_comes_back_byte_for_byte_into_itself(files, catalogues, po):
    for path in files:
        content = path.read_bytes()
        catalogue = replace(catalogues[path], template=content)
        assert po.write([catalogue], OPTIONS).content == content, path


def test_msgfmt_accepts_what_is_written(
    files, catalogues, texts, new_texts, gettext_tools
):
    refused = {files[at]: told for at, told in refusals(new_texts).items()}
    misfits = set()
    for at, told in refusals(texts).items():
        if MISFIT.search(told):
            misfits.add(files[at])
        else:
            refused.pop(files[at], None)  # wrong in itself: a placeholder is missing
    assert refused == {}
    assert misfits
    assert misfits == {path for path in files if catalogues[path].warnings}


def test_every_file_is_read_as_polib_reads_it(files, catalogues, theirs):
    for path in files:
        ours = catalogues[path].entries
        assert [
            (
                entry.key_detail.get("msgctxt"),
                entry.key_detail["msgid"],
                entry.key_detail.get("msgidPlural", ""),
                entry.value or "",
                entry.description,
                entry.needs_review,
            )
            for entry in ours
            if not entry.is_plural
        ] == [
            (e.msgctxt, e.msgid, e.msgid_plural, e.msgstr, e.comment, e.fuzzy)
            for e in theirs[path]
            if not e.obsolete and not e.msgid_plural
        ], path


def test_a_message_has_one_key_in_all_languages(files, catalogues):
    by_app = {}
    for path in files:
        keys = by_app.setdefault((path.parents[2], path.name), {})
        for entry in catalogues[path].entries:
            detail = entry.key_detail
            names = ("msgctxt", "msgid", "msgidPlural")
            identity = tuple(detail.get(name) for name in names)
            assert keys.setdefault(identity, entry.key) == entry.key
    for keys in by_app.values():
        assert len(set(keys.values())) == len(keys)
