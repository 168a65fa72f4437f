"""What INI files keep, what is told, and that go-ini reads what we write."""

import os
import shutil
import subprocess
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_properties import PropertiesPlugin, PropertiesSettings
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
)
from locframework.testing.contracts.formats import KEYS, TEXTS
from tests.empty_databases import REQUIRED_VARIABLE

OPTIONS = FileOptions(".", "en", "en")
INI = PropertiesPlugin(PropertiesSettings()).loc_provide_formats()[1]
OBS = 'Language="German"\nBasic.Main="Main \\"window\\""\n'
PROGRAM = """
package main

import (
	"encoding/hex"
	"fmt"
	"os"

	"gopkg.in/ini.v1"
)

func main() {
	options := ini.LoadOptions{
		IgnoreInlineComment:         true,
		UnescapeValueCommentSymbols: true,
		IgnoreContinuation:          true,
	}
	file, err := ini.LoadSources(options, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, section := range file.Sections() {
		for _, key := range section.Keys() {
			text := section.Name() + "\\x00" + key.Name() + "\\x00" + key.Value()
			fmt.Println(hex.EncodeToString([]byte(text)))
		}
	}
}
"""


def read(text):
    """The texts of a file by key, and its warnings."""
    [found] = INI.read(SourceFile("x.ini", text.encode()), OPTIONS)
    return {entry.key: entry.value for entry in found.entries}, found.warnings


def written(entries, template=None, language="en"):
    """The file of some entries, and its warnings."""
    content = None if template is None else template.encode()
    done = INI.write([Catalogue(language, entries, template=content)], OPTIONS)
    return done.content.decode(), done.warnings


SIGNS = st.sampled_from([*"ab \t\"'`\\;#=:[]\r\nü\u2003\x85"])
PAIRS = st.sampled_from(['"""', "\\;", "\\#"])
TEXT = st.lists(SIGNS | PAIRS, max_size=12).map("".join)


@settings(deadline=None, max_examples=500)
@given(st.dictionaries(TEXT.map(lambda name: f"k{name}"), TEXT, max_size=5))
def test_a_text_comes_back_or_is_told(texts):
    entries = [Entry(key, text, is_file_key=True) for key, text in texts.items()]

    made, warnings = written(entries)

    found, _ = read(made)
    told = {w.removesuffix(" is left out: the file cannot have it") for w in warnings}
    assert found == {key: text for key, text in texts.items() if key not in told}
    for key in told:
        assert not key.isidentifier() or '"""' in texts[key]


def test_a_new_text_keeps_the_quotes_that_it_can_have():
    template = "a = `x`\nb = 'y'\nc = \"z\"\nd = w\n"
    entries = [Entry("a", "1"), Entry("b", "2"), Entry("c", '"3"'), Entry("d", " 4")]

    filled, _ = written(entries, template)

    assert filled == 'a = `1`\nb = \'2\'\nc = "3"\nd = " 4"\n'.replace(
        'c = "3"', 'c = `"3"`'
    )


def test_new_keys_are_written_as_most_of_the_file():
    template = "[a]\nx=`1`\ny=`2`\nz = 3\n"

    filled, _ = written([Entry("a.x", "1"), Entry("a.w", "new")], template)

    assert filled == "[a]\nx=`1`\nw=`new`\n"


def test_keys_go_to_their_sections_and_new_sections_stand_behind_the_one_before():
    template = "home = Home\n\n[a]\nx = 1\n\n[a.b]\ny = 2\n\n[z]\nq = 3\n"
    keys = {"home": "Home", "b": "B", "a.x": "1", "a.b.c": "C", "a.b.y": "2"}
    keys |= {"n.k": "N", "z.q": "3"}

    filled, _ = written([Entry(key, text) for key, text in keys.items()], template)

    assert filled == (
        "home = Home\nb = B\n\n[a]\nx = 1\n\n[a.b]\nc = C\ny = 2\n\n[n]\nk = N\n\n"
        "[z]\nq = 3\n"
    )
    assert written([Entry("home", "Home")], template)[0] == "home = Home\n\n"


def test_a_file_without_sections_gets_none():
    assert written([Entry("a.b", "1"), Entry("a.c", "2")], "a.b=1\n")[0] == (
        "a.b=1\na.c=2\n"
    )


def test_a_new_language_of_obs_studio_is_written_as_the_first():
    [found] = INI.read(SourceFile("en.ini", OBS.encode()), OPTIONS)

    made, _ = written(found.entries, language="de")

    assert made == OBS
    new = Entry("Basic.New", "a\\nb")
    _, warnings = written([*found.entries, new], OBS)
    assert warnings == ["Basic.New is left out: the file cannot have it"]


def test_comments_change_in_the_source_language_only():
    template = "; old\n; two\na = 1\n"
    entries = [Entry("a", "1", description="new")]

    assert written(entries, template)[0] == "; new\na = 1\n"
    assert written(entries, template, "de")[0] == template


def test_the_last_of_two_texts_of_a_key_counts_and_is_told():
    template = "[a]\nb = 1\n[a]\nb = 2\n"

    told = "line 4: the key 'a.b' is there before; the last text counts"
    assert read(template) == ({"a.b": "2"}, [told])
    filled, _ = written([Entry("a.b", "3")], template)
    assert filled == template.replace("2", "3")


def test_a_plural_has_one_text_and_is_told():
    entry = Entry("a.b", {"one": "1", "other": "n"}, is_plural=True)

    made, warnings = written([entry])

    assert made == "[a]\nb = n\n"
    assert warnings == ["a.b has only one text: INI files have no plural forms"]


def test_hostile_files_take_linear_time():
    for line in ("\n", " ", "`\n", "a=`x\n", '"', "a:" + " " * 9, "#\n", "[a]\nb=1\n"):
        content = (line * 100_000).encode()
        with suppress(UnreadableFile):
            INI.read(SourceFile("x.ini", content), OPTIONS)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Loads a file in Go, as Gitea does; the values by section and key."""
    if shutil.which("go") is None:
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail("Go is not installed")
        pytest.skip("Go is not installed")
    folder = tmp_path_factory.mktemp("go")
    (folder / "judge.go").write_text(PROGRAM)
    # Debian's packages of Go libraries are there
    env = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    env["GOCACHE"] = str(folder / "cache")
    subprocess.run(["go", "build", "judge.go"], cwd=folder, env=env, check=True)

    def judge(content):
        (folder / "in.ini").write_bytes(content)
        command = [folder / "judge", folder / "in.ini"]
        told = subprocess.run(command, capture_output=True)
        assert told.returncode == 0, (told.stderr, content)
        lines = told.stdout.decode().split()
        values = [bytes.fromhex(line).decode().split("\0") for line in lines]
        return {(section, key): text for section, key, text in values}

    return judge


@pytest.mark.judge
def test_go_ini_reads_every_text(judge):
    texts = {f"cart.k{at}": text for at, text in enumerate(TEXTS.values())}
    names = [*KEYS, "a b", "a=b", "#a", "[a]", "ü:ö", "a\\b", '"a', "`a"]
    names.remove("-")  # a number of its own, in Go
    texts |= {f"names.{name}": "x" for name in names}
    [*entries] = [
        Entry(key, text, key_detail={"ini": {"path": key.split(".", 1)}})
        for key, text in texts.items()
    ]

    made, warnings = written(entries)

    assert warnings == []
    assert judge(made.encode()) == {
        tuple(key.split(".", 1)): text for key, text in texts.items()
    }


@pytest.mark.judge
@settings(deadline=None, max_examples=200)
@given(texts=st.dictionaries(st.from_regex("[a-z]{3}", fullmatch=True), TEXT))
def test_go_ini_reads_a_file_as_we_do(judge, texts):
    made, _ = written([Entry(f"a.{key}", text) for key, text in texts.items()])

    found = {
        f"{section}.{key}": text
        for (section, key), text in judge(made.encode()).items()
    }
    assert found == read(made)[0]


def test_a_text_of_obs_that_its_line_cannot_have_is_told() -> None:
    content = b'A="b"  # c\nD="e"\n'
    [read] = INI.read(SourceFile("x.ini", content), OPTIONS)
    entries = [replace(read.entries[0], value="x\\"), *read.entries[1:]]

    written = INI.write([Catalogue("en", entries, template=content)], OPTIONS)

    assert written.content == content
    assert written.warnings == ["A is as it was: the file cannot have it"]


def test_a_new_key_makes_no_section_in_a_file_of_obs() -> None:
    old = Entry("a.b", "c\nd", key_detail={"ini": {"path": ["a.b"], "obs": True}})

    written = INI.write([Catalogue("de", [Entry("a.a", "x"), old])], OPTIONS)

    assert written.content == b'a.a="x"\na.b="c\\nd"\n'
