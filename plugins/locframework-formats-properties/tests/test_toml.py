"""What TOML files keep, what is told, and that other readers read what we write."""

import os
import shutil
import subprocess
import tomllib
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
from locframework.testing.contracts.formats import TEXTS
from tests.empty_databases import REQUIRED_VARIABLE

OPTIONS = FileOptions(".", "en", "en")
TOML = PropertiesPlugin(PropertiesSettings()).loc_provide_formats()[2]
THEME = """title = "Title"

[readMore]
other = "Read more"

[minutes]
one = "one minute"
other = "{{ .Count }} minutes"
"""
PROGRAM = """
package main

import (
	"encoding/hex"
	"fmt"
	"os"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
)

func main() {
	content, _ := os.ReadFile(os.Args[1])
	functions := map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal}
	file, err := i18n.ParseMessageFileBytes(content, "active.en.toml", functions)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, m := range file.Messages {
		text := m.ID + "\\x00" + m.Description + "\\x00" + m.One + "\\x00" + m.Other
		fmt.Println(hex.EncodeToString([]byte(text)))
	}
}
"""


def read(text, **options):
    """The entries of a file, by key."""
    given = replace(OPTIONS, **options)
    [found] = TOML.read(SourceFile("x.toml", text.encode()), given)
    return {entry.key: entry for entry in found.entries}


def texts_in(text, **options):
    return {key: entry.value for key, entry in read(text, **options).items()}


def written(entries, template=None, language="en"):
    """The file of some entries, and its warnings."""
    content = None if template is None else template.encode()
    done = TOML.write([Catalogue(language, entries, template=content)], OPTIONS)
    tomllib.loads(done.content.decode())
    return done.content.decode(), done.warnings


def changed(template, key, text, **more):
    """The file with another text of a key."""
    entries = read(template) | {key: Entry(key, text, **more)}
    return written(entries.values(), template)[0]


ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
SIGNS = st.text(st.sampled_from([*"ab'\"\\\n\r\t#=.[]"]), max_size=12)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(ANY | SIGNS, ANY | SIGNS, max_size=4))
def test_another_reader_reads_what_was_written(texts):
    entries = [Entry(key, text, is_file_key=True) for key, text in texts.items()]
    entries = [replace(e, key_detail={"toml": {"path": ["t", e.key]}}) for e in entries]

    made, _ = written([replace(e, key=f"t.{e.key}") for e in entries])

    assert tomllib.loads(made).get("t", {}) == texts
    assert texts_in(made) == {f"t.{key}": text for key, text in texts.items()}


@settings(deadline=None, max_examples=300)
@given(SIGNS, SIGNS, st.sampled_from(["'", '"', "'''", '"""']), st.booleans())
def test_a_text_of_any_quotes_is_read_and_changed(old, new, quote, has_lines):
    old = old if has_lines and len(quote) == 3 else old.replace("\n", "")
    template = f"a = {quote}{old}{quote}\nb = 'b'\n"
    try:
        [text, *rest] = tomllib.loads(template).values()
    except tomllib.TOMLDecodeError:
        return

    assert texts_in(template) == {"a": text, "b": "b"}, rest
    filled, _ = written([Entry("a", new), Entry("b", "b")], template)
    assert tomllib.loads(filled) == {"a": new, "b": "b"}
    assert filled.endswith("\nb = 'b'\n")


@pytest.mark.parametrize(
    ("old", "text", "new"),
    [
        ("'a'", "b\\c", "'b\\c'"),
        ("'a'", "it's", '"it\'s"'),
        ('"""\na\n"""', 'b "c"\n', '"""\nb "c"\n"""'),
        ('"""a"""', 'b"', '"""b\\""""'),
        ("'''a'''", "b\nc", "'''\nb\nc'''"),
        ('"\\u0041"', "ü\n", '"ü\\n"'),
    ],
)
def test_a_changed_text_keeps_its_quotes_if_it_can(old, text, new):
    template = f"[t]\n  a  =  {old} # a\nb = ''\n"

    assert changed(template, "t.a", text) == template.replace(old, new)


def test_new_keys_go_to_their_tables():
    template = "[a]\nx.y = '1'\n\n[a.b]\n  z = '2'\n\n[c]\nq = '3'\n"
    new = {"a.x.w": "W", "a.b.v": "V", "a.n.m": "M", "top": "T", "c.q.r": "R"}

    filled, warnings = written(
        [*read(template).values(), *(Entry(k, t) for k, t in new.items())], template
    )

    assert filled == (
        "top = 'T'\n\"c.q.r\" = 'R'\n[a]\nx.y = '1'\nx.w = 'W'\n\n"
        "[a.b]\n  z = '2'\n  v = 'V'\n\n[a.n]\nm = 'M'\n\n[c]\nq = '3'\n"
    )
    assert texts_in(filled) == {**texts_in(template), **new}
    why = "another key is in its place, or it is nested too deep"
    assert warnings == [f"'c.q.r' keeps its whole name: {why}"]


def test_tables_go_with_their_last_key():
    assert written([Entry("title", "Title")], THEME)[0] == 'title = "Title"\n\n'


def test_messages_of_go_i18n_stay_messages():
    found = read(THEME)

    assert {key: entry.value for key, entry in found.items()} == {
        "title": "Title",
        "readMore": "Read more",
        "minutes": {"one": "one minute", "other": "{{ .Count }} minutes"},
    }
    assert changed(THEME, "readMore", "More") == THEME.replace("Read more", "More")
    filled, _ = written([*found.values(), Entry("less", "Less")], THEME)
    assert filled == f'{THEME}\n[less]\nother = "Less"\n'
    assert written(found.values(), language="de")[0] == THEME
    more = THEME.replace("[readMore]\n", '[readMore]\ndescription = "A link"\n')
    assert changed(THEME, "readMore", "Read more", description="A link") == more
    assert changed(more, "readMore", "Read more", description="x") == (
        more.replace("A link", "x")
    )


def test_one_form_is_a_plural_if_the_key_is_known_or_the_language_has_no_other():
    text = '[a]\nother = "x"\n'

    assert texts_in(text) == {"a": "x"}
    assert texts_in(text, language_code="ja") == {"a": {"other": "x"}}
    assert texts_in(text, plurals={"a": True}) == {"a": {"other": "x"}}
    assert texts_in(text, language_code="ja", plurals={"a": False}) == {"a": "x"}
    assert texts_in(text, plurals={"a.other": False}) == {"a.other": "x"}


def test_a_text_that_becomes_a_plural_and_the_reverse():
    plural = Entry("a", {"one": "1", "other": "n"}, is_plural=True)

    filled, _ = written([plural], 'a = "x"\n')
    assert filled == '\n[a]\none = "1"\nother = "n"\n'.lstrip()
    assert written([Entry("a", "x")], filled)[0] == '[a]\nother = "x"\n'


def test_what_is_no_text_is_kept_and_told():
    template = (
        "n = 1\nd = ['x',\n 'y'] # z\n[[list]]\ntitle = 'x'\n[list.more]\na = 'b'\n"
    )

    [found] = TOML.read(SourceFile("x.toml", template.encode()), OPTIONS)

    assert found.entries == []
    told = "is left as it is: it is no text, or contains U+0000"
    places = {1: "n", 2: "d", 4: "list", 6: "list.more"}
    assert found.warnings == [f"line {n}: {k!r} {told}" for n, k in places.items()]
    entries = [Entry(key, "x") for key in ("n", "d.e", "list.title", "ok")]
    filled, warnings = written(entries, template)
    why = "another key is in its place, or it is nested too deep"
    told = {"n": "is left out", "d.e": "keeps its whole name"}
    told["list.title"] = told["d.e"]
    assert warnings == [f"{key!r} {each}: {why}" for key, each in told.items()]
    assert texts_in(filled) == {"ok": "x", "d.e": "x", "list.title": "x"}


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("i18n/de.toml", True),
        ("locales/active.zh-CN.toml", True),
        ("i18n/pt_BR/app.toml", True),
        ("Cargo.toml", False),
        ("pyproject.toml", False),
        ("config/_default/hugo.toml", False),
        ("de.json", False),
    ],
)
def test_files_are_recognized_by_the_language_in_their_names(name, is_one):
    assert TOML.recognizes(SourceFile(name, b"a = 1")) is is_one


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Loads a file by go-i18n; description, one and other by id."""
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

    def judge(text):
        (folder / "in.toml").write_bytes(text.encode())
        command = [folder / "judge", folder / "in.toml"]
        told = subprocess.run(command, capture_output=True)
        assert told.returncode == 0, (told.stderr, text)
        lines = [bytes.fromhex(line).decode() for line in told.stdout.decode().split()]
        return {each.split("\0")[0]: each.split("\0")[1:] for each in lines}

    return judge


@pytest.mark.judge
def test_go_i18n_reads_every_text(judge):
    entries = [Entry(f"a.k{at}", text) for at, text in enumerate(TEXTS.values())]
    entries += [Entry("a b.c", "x", is_file_key=True), Entry("a.one.b", "y")]
    plural = Entry("items", {"one": "1", "other": "n"}, is_plural=True)
    kept = {"toml": {"message": True, "path": ["hello"]}}
    message = Entry("hello", "Hello", description='A "b"\n', key_detail=kept)

    made, warnings = written([*entries, plural, message])

    expected = {entry.key: ["", "", entry.value] for entry in entries}
    expected["items"] = ["", "1", "n"]
    expected["hello"] = ['A "b"\n', "", "Hello"]
    assert warnings == []
    assert judge(made) == expected


def test_hostile_files_take_linear_time():
    for part in ("\n", " ", "'", '"', "a='''\n", 'a="""\n', "a=[\n", "a.", "[[a]]\n"):
        for start in ("", "a = "):
            content = (start + part * 100_000).encode()
            with suppress(UnreadableFile):
                TOML.read(SourceFile("x.toml", content), OPTIONS)


@pytest.mark.parametrize(
    "template",
    [
        '# c\na.other = "x"\n[b]\nother = "y"\n',
        '[a]\n# c\nother = "x"\none = "y"\n\n[b]\nhash = "0"\nother = "z"\n',
    ],
)
def test_comments_of_messages_stay_comments(template):
    assert written(read(template).values(), template)[0] == template


def test_what_would_break_the_file_has_another_place_or_is_left_out():
    template = "[a.b]\n\n[c]\nd.e = 1\n"

    filled, warnings = written([Entry("a", "x"), Entry("c.d.f", "y")], template)
    assert filled == f"{template}d.f = 'y'\n".replace("'", '"')
    told = "another key is in its place, or it is nested too deep"
    assert warnings == [f"'a' is left out: {told}"]

    plural = Entry("a", {"one": "1", "other": "n"}, is_plural=True)
    made, warnings = written([plural, Entry("a.one", "x")])
    assert made == '[a]\none = "1"\nother = "n"\n'
    assert warnings == ["'a.one' is left out: it is a form of the plural 'a'"]
