"""Runtimes show the same of a text in every dialect that it was converted into."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from locframework.formats.placeholders import icu_message
from tests.empty_databases import REQUIRED_VARIABLE
from tests.formats.test_placeholders import WRITERS, converted, text_in

from .conftest import installed

pytestmark = pytest.mark.judge

SCRIPTS = Path(__file__).parent / "messages"
VALUES = ["x {y} 'z' %1$s", "Zoë", "100%"]
NAMED = {f"a{at}": value for at, value in enumerate(VALUES, 1)}
SIGNS = ["a", " ", "%", "{", "}", "'", "$", "#", "@", "%%", "{{", "''", "it's", "5"]
JAVA = """
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.*;

public class Render {
    static String text(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }
    public static void main(String[] args) {
        Scanner lines = new Scanner(System.in);
        Object[] values = Arrays.stream(args).map(Render::text).toArray();
        while (lines.hasNextLine()) {
            String[] parts = lines.nextLine().split(" ");
            String text = text(parts[1]);
            String shown = parts[0].equals("java")
                ? new MessageFormat(text, Locale.ROOT).format(values)
                : String.format(Locale.ROOT, text, values);
            System.out.println(HexFormat.of().formatHex(
                shown.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
"""
PHP = """
[$cases, $values] = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($text) => vsprintf($text, $values), $cases));
"""
RUBY = """
require 'json'
require 'i18n'
texts, values = JSON.parse($stdin.read)
values = values.transform_keys(&:to_sym)
puts JSON.generate(texts.map { |text| I18n.interpolate(text, values) })
"""


class Case(NamedTuple):
    """A text in a dialect, and what it has to show."""

    dialect: str
    text: str
    expected: str
    origin: str


def cases_of(*targets: str) -> list[Case]:
    """Return texts of every dialect, converted into these."""
    found: list[Case] = []
    drawn = random.Random(7)
    for origin in (*WRITERS, *WRITERS):
        for target in targets:
            for _ in range(60):
                picked = drawn.choices([*SIGNS, 1, 2, 3], k=drawn.randint(1, 8))
                parts = [1, *picked]
                shown = [p if isinstance(p, str) else VALUES[p - 1] for p in parts]
                source = text_in(origin, [1, " ", 2, " ", 3])
                flags = [f"a{at}:{at}" for at in (1, 2, 3)]
                text = text_in(origin, parts)
                entry, warnings = converted(origin, target, text, source, *flags)
                is_new = origin != target and not warnings
                if is_new and isinstance(entry.value, str):
                    found.append(Case(target, entry.value, "".join(shown), origin))
    assert {case.dialect for case in found} == {*targets}
    assert len({case.origin for case in found}) > 3
    return found


def check(cases: Sequence[Case], shown: Sequence[str]) -> None:
    pairs = zip(cases, shown, strict=True)
    assert not [(case, one) for case, one in pairs if one != case.expected]


def program(name: str) -> str:
    """Return the path of a program. Skips, or fails where all have to be there."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return path


def told(command: Sequence[str], given: object, cwd: Path | None = None) -> Any:
    content = json.dumps(given).encode()
    run = subprocess.run(command, input=content, capture_output=True, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_python_shows_the_same():
    cases = [*cases_of("python"), *own_cases("python")]

    check(cases, [case.text % NAMED for case in cases])


def own_cases(dialect: str) -> list[Case]:
    """Return texts that were written in the dialect, so that its writer is judged."""
    return [
        Case(dialect, text_in(dialect, [1, sign, 2]), VALUES[0] + sign + VALUES[1], "")
        for sign in SIGNS
    ]


@pytest.mark.judge
def test_java_shows_the_same(tmp_path):
    program("javac")
    (tmp_path / "Render.java").write_text(JAVA)
    subprocess.run(["javac", "Render.java"], cwd=tmp_path, check=True)
    cases = [*cases_of("java-printf", "java"), *own_cases("java-printf")]

    lines = "\n".join(f"{c.dialect} {c.text.encode().hex()}" for c in cases)
    values = [value.encode().hex() for value in VALUES]
    run = subprocess.run(
        ["java", "Render", *values], input=lines.encode(), cwd=tmp_path,
        capture_output=True, check=True,
    )  # fmt: skip

    check(cases, [bytes.fromhex(line).decode() for line in run.stdout.decode().split()])


@pytest.mark.judge
def test_php_shows_the_same():
    cases = [*cases_of("php"), *own_cases("c")]

    shown = told([program("php"), "-r", PHP], [[c.text for c in cases], VALUES])

    check(cases, shown)


@pytest.mark.judge
def test_ruby_shows_the_same():
    cases = cases_of("ruby")

    shown = told([program("ruby"), "-e", RUBY], [[c.text for c in cases], NAMED])

    check(cases, shown)


@pytest.mark.node
def test_formatjs_and_i18next_show_the_same(tmp_path):
    folder = installed(SCRIPTS, tmp_path)
    cases = cases_of("icu", "i18next")
    given = [{"dialect": c.dialect, "text": c.text, "values": NAMED} for c in cases]

    check(cases, told(["node", "render.js"], given, folder))


PLURALS = {
    "one": "{{count}} '{'file'}' of {{a2}}",
    "other": "{{count}} # files of {{a2}} it's 5%",
}


@pytest.mark.node
def test_formatjs_shows_the_plurals_of_i18next(tmp_path):
    folder = installed(SCRIPTS, tmp_path)
    entry, warnings = converted("i18next", "icu", PLURALS)
    assert isinstance(entry.value, dict)
    text = icu_message("count", entry.value)
    given = [
        {"dialect": "icu", "text": text, "values": {"count": count, "a2": "Zoë"}}
        for count in (1, 2)
    ]

    assert warnings == []
    assert told(["node", "render.js"], given, folder) == [
        "1 '{'file'}' of Zoë",
        "2 # files of Zoë it's 5%",
    ]
