"""Texts of YAML files are read as Ruby reads them, and written where they stand."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from time import process_time

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_yaml import YamlPlugin, layout
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile, UnreadableFile
from locframework.testing.contracts.formats import KEYS, TEXTS

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
SYMFONY_OF_DEBIAN = "/usr/share/php/Symfony/Component/Translation/autoload.php"
WORDS = re.findall(
    r"\S+",
    """yes no on off y n true FALSE null ~ 1 -2 +3 1.5 1e3 .5 1_000 1,000 0x1F 0o7
    :sym 12:30 2026-01-02 1.2.3 5% a|b <b> =x 12:30:00 1_0.5 +""",
)
OPTIONS = FileOptions(key_separator=".", source_language="en")
RAILS, FLAT, SYMFONY = YamlPlugin().loc_provide_formats()


def read(content, format_=RAILS):
    [found] = format_.read(SourceFile("en.yml", content.encode()), OPTIONS)
    return found


def texts_in(content, format_=RAILS):
    return {entry.key: entry.value for entry in read(content, format_).entries}


def written(texts, template=None, format_=RAILS, code="en"):
    kept = (
        {entry.key: entry for entry in read(template, format_).entries}
        if template
        else {}
    )
    entries = [
        replace(kept.get(key, Entry(key)), value=text, is_plural=isinstance(text, dict))
        for key, text in texts.items()
    ]
    given = template.encode() if template is not None else None
    made = format_.write([Catalogue(code, entries, template=given)], OPTIONS)
    return made.content.decode(), made.warnings


def changed(template, format_=RAILS, **texts):
    """The template with other texts for some keys, ``__`` for the separator."""
    new = {key.replace("__", "."): text for key, text in texts.items()}
    return written({**texts_in(template, format_), **new}, template, format_)[0]


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("old # c", "new", "new # c"),
        ("old", "It's: new", '"It\'s: new"'),
        ("old", "no", '"no"'),
        ("old", "1,000", '"1,000"'),
        ("old", "a\nb", '"a\\nb"'),
        ("'old'", "It's", "'It''s'"),
        ("'old'", "a\tb", '"a\\tb"'),
        ('"old"', 'say "x"\\', '"say \\"x\\"\\\\"'),
        ("old\n    goes on", "new", "new"),
        ("&a old", "new", "&a new"),
        ("!!str 1", "2", '"2"'),
        (
            "|\n    old\n    b\n\n  # c",
            "new\n\n  b\n",
            "|\n    new\n\n      b\n\n  # c",
        ),
        ("|\n    old\n", "new", "|-\n    new\n"),
        ("|- # c\n    old", "a\nb\n", "| # c\n    a\n    b"),
        (">\n    old\n    b\n", "a\nb", ">-\n    a\n\n    b\n"),
        (">\n    old\n", "  x", '"  x"\n'),
        ("|2\n    old\n", "new\n", '"new\\n"\n'),
        ("", "new", "new"),
        ("~", "new", "new"),
        ("3 # c", "4", '"4" # c'),
    ],
)
def test_a_text_keeps_its_style_where_that_can_hold_it(before, text, after):
    space = " " if before else ""
    template = f"en:\n  first: x\n  a:{space}{before}\n  z: last\n"

    found = changed(template, a=text)

    assert found == f"en:\n  first: x\n  a: {after}\n  z: last\n"
    assert texts_in(found)["a"] == text


def test_what_is_no_text_is_kept_and_told():
    content = (
        "en:\n  a: b\n  n: 3\n  t: yes\n  s: :sym\n  d: 2026-01-02\n  m: 12:30\n"
        "  nil:\n  c: &x d\n  e: *x\n  '5': '5'\n  <<: *x\n  no: Norway\n"
    )
    found = read(content)

    assert texts_in(content) == {"a": "b", "c": "d", "5": "5", "no": "Norway"}
    assert [each.partition(":")[0] for each in found.warnings] == [
        f"line {line}" for line in (12, 13, 3, 4, 5, 6, 7, 10, 8)
    ]
    assert changed(content, a="x") == content.replace("a: b", "a: x")


def test_an_anchored_text_whose_key_is_gone_is_kept_while_there_are_aliases():
    content = "en:\n  a: &x b\n  c: *x\n"

    assert written({}, content) == (
        content,
        ["line 2: 'a' is kept: it has an anchor, and the file has aliases"],
    )


def test_keys_come_and_go_in_their_objects():
    template = (
        "en:\n    # head\n    cart:\n        a: '1'\n        b: '2'\n    z: '3'\n"
    )
    texts = {
        "cart.first": "0",
        "cart.a": "1",
        "cart.new.deep": "n",
        "cart.no": "x",
        "cart.b": "2",
        "top": {"one": "o", "other": "p"},
        "z": "3",
    }

    assert written(texts, template)[0] == (
        "en:\n    # head\n    cart:\n        first: '0'\n        a: '1'\n"
        "        new:\n            deep: 'n'\n        \"no\": 'x'\n        b: '2'\n"
        "    top:\n        one: 'o'\n        other: 'p'\n    z: '3'\n"
    )
    assert written({"z": "3"}, template)[0] == "en:\n    # head\n    z: '3'\n"
    assert written({}, template)[0] == "en:\n    # head\n"


def test_arrays_keep_positions_and_grow_at_the_end():
    template = "en:\n  days:\n  - Mo\n  - Tu\n  - We\n  f: [a, {b: c}]\n  x: y\n"
    texts = texts_in(template)
    del texts["days.1"]

    found = written({**texts, "days.4": "Fr", "f.2": "z", "f.1.b": "d"}, template)[0]

    assert found == (
        "en:\n  days:\n  - Mo\n  - ~\n  - We\n  - ~\n  - Fr\n"
        "  f: [a, {b: d}, z]\n  x: y\n"
    )


def test_a_plural_takes_and_loses_forms():
    template = "en:\n  items:\n    one: a\n    zero: b\n    other: b\n  text: c\n"
    texts = {
        "items": {"one": "a", "many": "m", "other": "b"},
        "text": {"one": "d", "other": "e"},
    }

    found = written(texts, template)[0]

    assert texts_in(found) == texts
    assert "  text:\n    one: d\n    other: e\n" in found
    assert written({**texts, "items": "one text"}, template)[0].startswith(
        "en:\n  items: one text\n"
    )


def test_the_template_of_another_language_gets_the_language():
    assert written({"a": "x"}, "en: # c\n  a: b\n", code="nb-NO")[0] == (
        "nb-NO: # c\n  a: x\n"
    )
    assert written({"a": "x"}, code="no")[0] == '"no":\n  a: x\n'


def test_new_keys_of_a_nested_file_are_nested_and_of_a_flat_one_flat():
    texts = {"a.b": "x", "c.d": "z"}

    assert written(texts, "a:\n  b: x\n", FLAT)[0] == "a:\n  b: x\nc:\n  d: z\n"
    assert written(texts, "a.b: x\n", FLAT)[0] == "a.b: x\nc.d: z\n"
    assert written(texts, "# c", FLAT)[0] == "# c\na.b: x\nc.d: z\n"
    assert written(texts, '{"a.b": "x"}', FLAT)[0] == '{"a.b": "x", c.d: "z"}'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("config/locales/de.yml", "# c\n---\nde:\n  a: b\n", True),
        ("devise.pt-BR.yaml", '"pt-BR":\n  a: b\n', True),
        ("zh_CN.yml", "zh-CN:\n  a: b\n", True),
        ("app/en/x.yml", "en: {a: b}\n", True),
        ("de.yml", "de:\n  a: b\nen:\n  a: b\n", False),
        ("web.yml", "services:\n  a: b\n", False),
        ("compose.yml", "db:\n  image: x\n", False),
        ("de.json", "de:\n  a: b\n", False),
    ],
)
def test_a_file_of_rails_is_known_by_its_language(name, content, expected):
    assert RAILS.recognizes(SourceFile(name, content.encode())) is expected


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("translations/messages.de.yaml", "a.b: c\n", True),
        ("translations/messages+intl-icu.zh_CN.yml", "a:\n  b: c\n", True),
        ("validators.sr-Latn.YAML", "# nothing yet\n", True),
        ("messages.de.yaml", "en:\n  a: b\n", True),
        ("devise.de.yml", "de:\n  a: b\n", False),
        ("de.yaml", "a: b\n", False),
        ("translations/de/messages.yaml", "a: b\n", False),
        ("docker-compose.dev.yml", "services:\n  a: b\n", False),
        ("config.test.yaml", "a: b\n", False),
        ("messages.de.xlf", "a: b\n", False),
    ],
)
def test_a_file_of_symfony_is_known_by_its_name(name, content, expected):
    assert SYMFONY.recognizes(SourceFile(name, content.encode())) is expected
    assert not (expected and RAILS.recognizes(SourceFile(name, content.encode())))


def test_a_plural_has_one_text_in_symfony():
    texts = {"a": {"one": "x", "other": "some"}, "b": "c"}

    assert written(texts, "b: d\n", SYMFONY) == (
        "a: some\nb: c\n",
        ["'a' has only one text: the files have no plural forms"],
    )
    assert written({"a": {"other": "x|y"}}, "a: x\n", SYMFONY) == ("a: x|y\n", [])


SIGNS = st.sampled_from(
    [
        *"ab\"'#:-?&*!|>{}[], \n%@`~.0=<\\\té",
        "no",
        "yes",
        ": ",
        " #",
        "---",
        "1e3",
        "\x85",
    ]
)
ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.lists(
    SIGNS, max_size=8
).map("".join)


@settings(deadline=None, max_examples=400)
@given(st.dictionaries(ANY.filter(bool), ANY, max_size=6))
def test_another_reader_reads_what_was_written(texts):
    content = written(texts, format_=FLAT)[0]

    assert texts_in(content, FLAT) == texts
    assert (yaml.safe_load(content) or {}) == texts


@settings(deadline=None, max_examples=200)
@given(
    st.dictionaries(ANY.filter(bool), ANY, max_size=6), st.sampled_from([RAILS, FLAT])
)
def test_the_parser_without_libyaml_reads_the_same(texts, format_):
    content = written(texts, format_=format_)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "Loader", yaml.SafeLoader)
        slow = read(content, format_)

    assert slow == read(content, format_)


STYLES = ["x", "'x'", '"x"', "|\n    x\n", ">-\n    x\n", "x # c", "|\n    x\n\n"]


@settings(deadline=None, max_examples=600)
@given(st.lists(st.tuples(st.sampled_from(STYLES), ANY), min_size=1, max_size=4))
def test_another_reader_reads_what_was_changed(cases):
    lines = [f"  k{n}: {old}\n" for n, (old, _) in enumerate(cases)]
    texts = {f"k{n}": new for n, (_, new) in enumerate(cases)}

    content = written(texts, "en:\n" + "".join(lines))[0]

    assert texts_in(content) == texts
    assert yaml.safe_load(content) == {"en": texts}


@settings(deadline=None, max_examples=1000)
@given(st.lists(SIGNS, max_size=20).map("".join))
def test_any_file_comes_back_as_it_was(text):
    content = f"en:\n  a: {text}\n"
    try:
        texts = texts_in(content)
    except UnreadableFile:
        return
    assert written(texts, content)[0] == content


@pytest.mark.parametrize(
    "content",
    [
        "en:\n"
        + "".join(f"  a{n}: &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 99)),
        "en:\n  a: " + "[" * 40_000,
        "en:\n  a: " + "{a: " * 20_000,
        "en:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 500)),
        "en:\n  a: " + "- " * 20_000,
        "en:\n  a: " + "x " * 100_000,
        'en:\n  a: "' + "\\n" * 60_000 + '"',
        "en:\n  a: |\n" + "   x\n" * 20_000,
        "en:\n  a: " + "&a " * 20_000,
        "en:\n" + "  ? a\n" * 10_000,
        "en:\n" + "#\n" * 60_000,
        "en:\n  a: |\n   x" + "\n" * 100_000 + "   y\n",
        "en:\n  a: [" + "a: b, " * 20_000 + "]\n",
        "en:\n  " + "k" * 100_000 + ": x\n",
        "en:\n" + "  a:\n" * 20_000,
    ],
)
def test_hostile_files_take_little_time(content):
    start = process_time()
    with suppress(UnreadableFile):
        written(texts_in(content), content)
    assert process_time() - start < 10


@pytest.mark.judge
@pytest.mark.skipif(
    not Path(SYMFONY_OF_DEBIAN).exists() and not IS_REQUIRED,
    reason="needs PHP and Symfony: apt install php-cli php-symfony-{translation,yaml}",
)
def test_symfony_reads_the_same_texts(tmp_path):
    texts = {f"group.text{n}": text for n, text in enumerate(TEXTS.values())}
    texts |= {f"keys.{key}": "x" for key in KEYS}
    texts |= {f"plain.{n}": word for n, word in enumerate(WORDS)}
    lines = "".join(f"  k{n}: {word}\n" for n, word in enumerate(WORDS))
    files = {"new": written(texts, format_=SYMFONY)[0], "read": f"a:\n{lines}"}
    script = (
        f"require '{SYMFONY_OF_DEBIAN}';"
        "require '/usr/share/php/Symfony/Component/Yaml/autoload.php';"
        "$l = new Symfony\\Component\\Translation\\Loader\\YamlFileLoader();"
        "echo json_encode($l->load($argv[1], 'de', 'm')->all('m'));"
    )
    found = {}
    for name, content in files.items():
        path = tmp_path / f"{name}.de.yaml"
        path.write_text(content)
        result = subprocess.run(
            ["php", "-r", script, path], capture_output=True, check=True
        )
        found[name] = msgspec.json.decode(result.stdout)

    assert found["new"] == texts
    are_texts = {key: text for key, text in found["read"].items() if type(text) is str}
    assert texts_in(files["read"], SYMFONY) == are_texts


@pytest.mark.judge
@pytest.mark.skipif(
    not shutil.which("ruby") and not IS_REQUIRED,
    reason="needs Ruby and its i18n: apt install ruby ruby-i18n",
)
def test_ruby_reads_the_same_texts(tmp_path):
    texts = {f"group.text{n}": text for n, text in enumerate(TEXTS.values())}
    texts |= {f"keys.{key}": "x" for key in KEYS}
    texts |= {"things": {"one": "1 %{count}", "other": "n %{count}"}}
    (tmp_path / "no.yml").write_text(written(texts, code="no")[0])
    script = (
        "require 'i18n'; require 'json'; I18n.load_path = [ARGV[0]];"
        "puts JSON.dump(I18n.available_locales);"
        "t = JSON.parse(STDIN.read); t.each { |k| "
        "count = k == 'things' ? {count: 1} : {};"
        "puts JSON.dump(I18n.t(k, locale: :no, raise: true, **count)) }"
    )
    names = [*texts]
    result = subprocess.run(
        ["ruby", "-e", script, tmp_path / "no.yml"],
        input=msgspec.json.encode(names),
        capture_output=True,
        check=True,
    )

    locales, *found = [msgspec.json.decode(line) for line in result.stdout.splitlines()]
    assert "no" in locales
    expected = {**texts, "things": "1 1"}
    assert dict(zip(names, found, strict=True)) == expected
