"""Qt's own tools accept what is written, and have the same texts and rules."""

import os
import re
import shutil
import subprocess

import pytest
from locframework_formats_qt import QtPlugin
from locframework_formats_qt.plural_forms import LANGUAGES, forms_of

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    forms_of_rule,
)
from locframework.testing.contracts.formats import TEXTS

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
OPTIONS = FileOptions(".", "en")
FORMAT = QtPlugin().loc_provide_formats()[0]
OTHERWISE = {
    "fil": "CLDR calls most numbers one",
    "tl": "CLDR calls most numbers one",
    "ik": "CLDR does not have the language",
    "sm": "CLDR does not have the language",
    "lg": "Qt has it since version 6",
}

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        shutil.which("lrelease") is None and not IS_REQUIRED,
        reason="needs apt-get install qttools5-dev-tools",
    ),
]


def written(entries, language="de"):
    return FORMAT.write([Catalogue(language, entries)], OPTIONS).content


def run(folder, *command):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def released(folder, content, *options):
    """The texts of the file that applications load, and what the compiler says."""
    (folder / "app.ts").write_bytes(content)
    told = run(folder, "lrelease", *options, "app.ts", "-qm", "app.qm")
    run(folder, "lconvert", "-i", "app.qm", "-o", "again.ts")
    again = (folder / "again.ts").read_bytes()
    [found] = FORMAT.read(SourceFile("again.ts", again), OPTIONS)
    return {each.key: each.value for each in found.entries}, told


def test_the_compiled_file_has_all_texts(tmp_path):
    texts = {f"Main\4{name}": text for name, text in TEXTS.items() if text.strip()}
    texts |= {"Main\4Open": "a", "Main\4Open\4verb": "\x1b\x07"}
    entries = [Entry(key, text, is_file_key=True) for key, text in texts.items()]
    forms = {"one": "%n Datei", "other": "%n Dateien"}
    entries.append(Entry("Main\4%n file(s)", forms, True, is_file_key=True))
    entries.append(Entry("Main\4Review", "x", needs_review=True, is_file_key=True))
    entries.append(Entry("Main\4None", None, source="None", is_file_key=True))

    found, told = released(tmp_path, written(entries))

    assert found == {**texts, "Main\4%n file(s)": forms, "Main\4Review": "x"}
    assert f"Generated {len(entries) - 1} translation(s)" in told
    assert "Ignored 1 untranslated" in told


def test_texts_with_ids_are_compiled_by_them(tmp_path):
    entries = [Entry("cart.pay", "Zahlen", source="Pay"), Entry("cart.title", "Korb")]

    found, told = released(tmp_path, written(entries), "-idbased")

    assert found == {"\4cart.pay": "Zahlen", "\4cart.title": "Korb"}
    assert "Generated 2 translation(s)" in told


def test_qt_writes_a_new_file_in_the_same_way(tmp_path):
    entries = [
        Entry("Main\4A \"b\" 'c' > <", "ä\xa0\n\x1b\t&", is_file_key=True),
        Entry("Main\4%n", {"one": "a", "other": "b"}, True, is_file_key=True),
        Entry("Main\4C\4d", "c", description="e\nd", is_file_key=True),
        Entry("pay", "Zahlen", source="Pay", needs_review=True),
        Entry("title", None, source="Title"),
    ]
    content = written(entries)
    (tmp_path / "app.ts").write_bytes(content)

    run(tmp_path, "lconvert", "-i", "app.ts", "-o", "again.ts")

    assert (tmp_path / "again.ts").read_bytes() == content


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - OTHERWISE))
def test_forms_are_those_of_most_numbers_in_the_rule_of_qt(tmp_path, language):
    entry = Entry("Main\4%n", None, True, source={"other": "%n"}, is_file_key=True)
    (tmp_path / "app.ts").write_bytes(written([entry], language))

    run(tmp_path, "lconvert", "-i", "app.ts", "-o", "app.po")

    po = (tmp_path / "app.po").read_text().replace('"\n"', "")
    [rule] = re.findall(r"Plural-Forms: (.*?)\\n", po)
    assert forms_of(language, 0) == forms_of_rule(rule, language)
