"""PHP reads the same texts as we do, from any file, and those that we write."""

import json
import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from locframework_formats_php import PhpPlugin

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile
from locframework.testing.contracts.formats import TEXTS

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
OPTIONS = FileOptions(".", "en")
ARRAY = PhpPlugin().loc_provide_formats()[0]
CODE = "echo json_encode(require $argv[1], JSON_THROW_ON_ERROR);"
_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_PIECES = st.sampled_from(
    ("\\", "'", '"', "$", "{", "n", "x4", "101", "u{e9}", "\n", "\r\n", " ", "é", "//")
)

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        shutil.which("php") is None and not IS_REQUIRED,
        reason="needs apt-get install php-cli",
    ),
]
often = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def in_php(folder, content):
    """What PHP says of the file; None if it refuses it."""
    path = folder / "x.php"
    path.write_bytes(content)
    done = subprocess.run(
        ["php", "-d", "display_errors=stderr", "-r", CODE, path],
        capture_output=True,
        check=False,
    )
    return json.loads(done.stdout) if not done.returncode and done.stdout else None


def flat(value, path=()):
    """The texts by their paths."""
    if isinstance(value, str):
        return {".".join(path): value}
    found = {}
    if isinstance(value, (dict, list)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in parts:
            found |= flat(inner, (*path, str(name)))
    return found


def read(content):
    [found] = ARRAY.read(SourceFile("x.php", content), OPTIONS)
    return {entry.key: entry.value for entry in found.entries}


def written(texts, template=None):
    entries = [Entry(key, text) for key, text in texts.items()]
    done = ARRAY.write([Catalogue("de", entries, template=template)], OPTIONS)
    assert done.warnings == []
    return done.content


def test_php_reads_what_is_written(tmp_path):
    texts = {f"a.{at}.b": text for at, text in enumerate(TEXTS.values())}
    assert flat(in_php(tmp_path, written(texts))) == texts


@often
@given(st.lists(st.text(_CHARACTERS) | st.lists(_PIECES).map("".join), min_size=1))
def test_php_reads_any_text_in_any_quotes(tmp_path, texts):
    new = {f"key{at}": text for at, text in enumerate(texts)}
    for quote in "'\"":
        lines = [f"{quote}{key}{quote} => {quote}{quote}," for key in new]
        template = "\n".join(["<?php return [", *lines, "];"]).encode()
        content = written(new, template)
        assert flat(in_php(tmp_path, content)) == new
        assert read(content) == new


FORMS = (
    "'{}'",
    '"{}"',
    "<<<X\n{}\nX",
    "<<<'X'\n{}\nX",
    '<<<"X"\r\n  {}\r\n  X',
    "'a' . \"{}\" /* ' */ . 'b'",
)


@often
@given(st.lists(_PIECES, max_size=8).map("".join), st.sampled_from(FORMS))
@example("\n\r\n", FORMS[4])
def test_texts_of_a_file_are_those_of_php(tmp_path, text, form):
    content = f"<?php return ['a' => {form.format(text)}, 'b' => 'c'];".encode()
    theirs = in_php(tmp_path, content)
    if theirs is None:  # no PHP, or a variable
        return
    found = read(content)
    assert found == theirs or ("$" in text and found == {"b": theirs["b"]})


def test_arrays_are_those_of_php(tmp_path):
    content = rb"""<?php
declare(strict_types=1);
namespace App; use App\Text;
/** A [ */ return array ( # ]
    'a' => ['x', 'y', ['z']], 5 => 'five', '05' => 'text', "5" => "again", -3 => 'm',
    'b' => <<<A
      A1
     A
     . 'c', 'd' => array(1 => 'e', 2 => 'f',), 'g' => "\u{1F600}\x41\101\e[0m",
    'h' => 1.5, 'i' => null, 'j' => true ? 'k' : 'l', 'm' => ['n' => 'o'] + ['p' => 'q']
);
?>
"""
    theirs = flat(in_php(tmp_path, content))
    del theirs["j"], theirs["m.n"], theirs["m.p"]
    assert read(content) == theirs
    changed = written({key: f"{text}'" for key, text in theirs.items()}, content)
    new = flat(in_php(tmp_path, changed))
    assert {key: new[key] for key in theirs} == {k: f"{t}'" for k, t in theirs.items()}


def test_a_file_without_its_texts_is_still_php(tmp_path):
    content = b"""<?php return [ // a
    'a' => 'b' // c
    , 'd' => [ // e
        'f' => 'g', // h
        # i
    ], 'j' => ['k', 'l'], 'm' => X::class // n
];"""
    assert in_php(tmp_path, written({}, content)) == {"m": "X"}
    texts = {"j.1": "new", "o": "p", "d.q": "r"}
    expected = {"j.0": "", **texts, "m": "X"}
    assert flat(in_php(tmp_path, written(texts, content))) == expected
