"""A file that was imported is written with its own layout; only texts change."""

import json
from collections.abc import Mapping
from difflib import ndiff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    Format,
    JsonLayout,
    SourceFile,
    Text,
    UnreadableFile,
    legal_key,
)

OPTIONS = FileOptions(key_separator=".", source_language="en", language_code="en")
FORMATS = {
    format_.info.id: format_
    for format_ in JsonPlugin(JsonSettings()).loc_provide_formats()
}
NESTED, I18NEXT = FORMATS["json-nested"], FORMATS["json-i18next"]
FLAT, ARB = FORMATS["json-flat"], FORMATS["arb"]


def read(format_: Format, content: bytes, language: str = "en") -> Catalogue:
    """What the framework makes of a file: names that are no keys are file keys."""
    options = replace(OPTIONS, language_code=language)
    (found,) = format_.read(SourceFile("x.json", content), options)
    entries = [
        replace(entry, is_file_key=legal_key(entry.key, ".") != entry.key)
        for entry in found.entries
    ]
    return replace(found, entries=entries, language_code=language, template=content)


def write(format_: Format, catalogue: Catalogue) -> bytes:
    return format_.write([catalogue], OPTIONS).content


def changed(
    format_: Format,
    content: str,
    texts: Mapping[str, Text | None],
    language: str = "en",
) -> str:
    """The file with other texts by key; a key that is new stands behind all others."""
    found = read(format_, content.encode(), language)
    known = {entry.key for entry in found.entries}
    entries = [
        replace(entry, value=texts.get(entry.key, entry.value))
        for entry in found.entries
    ]
    entries += [
        Entry(key, text, isinstance(text, dict))
        for key, text in texts.items()
        if key not in known
    ]
    return write(format_, replace(found, entries=entries)).decode()


def without(format_: Format, content: str, *keys: str) -> str:
    """The file without keys."""
    found = read(format_, content.encode())
    entries = [entry for entry in found.entries if entry.key not in keys]
    return write(format_, replace(found, entries=entries)).decode()


def lines_changed(before: str, after: str) -> list[str]:
    lines = ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


_SIGNS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_TEXTS = st.text(_SIGNS, max_size=8) | st.sampled_from(
    ["a/b", "ü", "\U0001f600", '"\\', "\n", "{n, plural, =1 {x}\n other{y} }"]
)
_NAMES = st.sampled_from(
    ["a", "b", "a.b", "", "x_one", "x_other", "x", "one", "other", "Hello. World", "@a"]
) | st.text(_SIGNS, max_size=4)
_LEAVES = _TEXTS | st.none() | st.booleans() | st.integers() | st.just(1.5e10)
_TREES = st.dictionaries(
    _NAMES,
    st.recursive(
        _LEAVES,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4)
        ),
        max_leaves=15,
    ),
    max_size=5,
)


@st.composite
def json_files(draw: st.DrawFn, lines: bool = False) -> bytes:
    """A valid file in any layout; with ``lines``, a member a line."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    indent = draw(st.sampled_from(["  ", "\t", ""]))
    blanks = st.just("") if lines else st.sampled_from(["", "", " ", "\n", "\t\r\n "])
    colon = draw(st.sampled_from([":", ": ", " : "]))
    is_escaped, has_slashes = draw(st.booleans()), draw(st.booleans())

    def literal(text: str) -> str:
        raw = json.dumps(text, ensure_ascii=is_escaped)
        return raw.replace("/", "\\/") if has_slashes else raw

    def rendered(value: object, depth: int) -> str:
        if isinstance(value, str):
            return literal(value)
        if not isinstance(value, (dict, list)):
            return json.dumps(value)
        start, end = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return f"{start}{draw(blanks)}{end}"
        items = (
            [
                f"{literal(name)}{colon}{rendered(inner, depth + 1)}"
                for name, inner in value.items()
            ]
            if isinstance(value, dict)
            else [rendered(each, depth + 1) for each in value]
        )
        inside = newline + indent * (depth + 1)
        joined = f"{draw(blanks)},{draw(blanks)}{inside}".join(items)
        return f"{start}{draw(blanks)}{inside}{joined}{newline}{indent * depth}{end}"

    text = rendered(draw(_TREES), 0) + draw(st.sampled_from(["", newline]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def read_or_none(format_: Format, content: bytes) -> Catalogue | None:
    try:
        return read(format_, content)
    except UnreadableFile:  # a key in two ways
        return None


every_format = pytest.mark.parametrize("format_", FORMATS.values(), ids=FORMATS.keys())


@every_format
@settings(deadline=None)
@given(content=json_files())
def test_every_file_that_is_read_is_written_to_the_same_bytes(
    format_: Format, content: bytes
) -> None:
    found = read_or_none(format_, content)

    assert JsonLayout(content).content() == content
    assert found is None or write(format_, found) == content


def texts_by_key(found: Catalogue) -> dict[str, Text]:
    return {e.key: e.value for e in found.entries if e.value and e.value != ""}


@every_format
@settings(deadline=None)
@given(content=json_files(), data=st.data())
def test_keys_that_come_and_go_leave_exactly_the_texts_that_are_wanted(
    format_: Format, content: bytes, data: st.DataObject
) -> None:
    found = read_or_none(format_, content)
    if found is None or any("given twice" in told for told in found.warnings):
        return
    gone = data.draw(st.sets(st.sampled_from([e.key for e in found.entries] or [""])))
    entries = [entry for entry in found.entries if entry.key not in gone]
    new = data.draw(
        st.dictionaries(st.text("abx_one.", min_size=1, max_size=5), _TEXTS, max_size=3)
    )
    for key, text in new.items():
        is_new = all(entry.key != key for entry in found.entries)
        if is_new and text and legal_key(key, ".") == key:
            at = data.draw(st.integers(0, len(entries)))
            entries.insert(at, Entry(key, text))
    wanted = replace(found, entries=entries)
    plurals = {entry.key: entry.is_plural for entry in entries}

    written = format_.write([wanted], OPTIONS)

    json.loads(written.content.decode("utf-8-sig"))
    options = replace(OPTIONS, plurals=plurals)
    (again,) = format_.read(SourceFile("x.json", written.content), options)
    told = " ".join(written.warnings)
    expected = {k: v for k, v in texts_by_key(wanted).items() if repr(k) not in told}
    left = {k: v for k, v in texts_by_key(again).items() if repr(k) not in told}
    assert left == expected


@every_format
@settings(deadline=None)
@given(content=json_files(lines=True), data=st.data())
def test_a_text_that_changes_changes_its_own_line_alone(
    format_: Format, content: bytes, data: st.DataObject
) -> None:
    found = read_or_none(format_, content)
    texts = [e for e in (found.entries if found else ()) if isinstance(e.value, str)]
    if found is None or not texts:
        return
    one = data.draw(st.sampled_from(texts))
    entries = [replace(e, value="new ü") if e is one else e for e in found.entries]

    after = write(format_, replace(found, entries=entries))

    before_lines, after_lines = content.split(b"\n"), after.split(b"\n")
    assert len(before_lines) == len(after_lines)
    differ = [a for a, b in zip(before_lines, after_lines, strict=True) if a != b]
    assert len(differ) <= 1 or found.warnings


LAID_OUT = (
    '\ufeff{\r\n\t"zeta" : "z\\/1",\r\n\t"list": ["a", "b", 3],\r\n'
    '\t"one": { "x": "\\u00e4", "y": "" },\r\n\t"alpha": "a"\r\n}\r\n'
)


def test_order_indentation_line_ends_escapes_and_the_rest_stay() -> None:
    after = changed(NESTED, LAID_OUT, {"zeta": "ü/2", "one.z": "new", "list.1": "c"})

    assert after == (
        '\ufeff{\r\n\t"zeta" : "\\u00fc\\/2",\r\n\t"list": ["a", "c", 3],\r\n'
        '\t"one": { "x": "\\u00e4", "y": "", "z": "new" },\r\n\t"alpha": "a"\r\n}\r\n'
    )


def test_a_key_that_goes_takes_its_comma_and_an_object_that_it_leaves_empty() -> None:
    content = '{\n  "a": {"b": "x"},\n  "c": "y",\n  "d": {},\n  "e": "z"\n}\n'

    assert without(NESTED, content, "a.b", "e") == '{\n  "c": "y",\n  "d": {}\n}\n'


def test_a_new_key_stands_behind_the_one_before_it_in_new_objects() -> None:
    start = '{\n    "b": {\n        "z": "1",\n'
    end = '        "c": "2"\n    },\n'
    found = read(NESTED, f'{start}{end}    "a": "3"\n}}'.encode())
    z, c, a = found.entries
    entries = [z, Entry("b.new", "n"), Entry("d.e.f", "o"), c, Entry("g", "p"), a]

    after = write(NESTED, replace(found, entries=entries)).decode()

    assert after == (
        f'{start}        "new": "n",\n{end}'
        '    "d": {\n        "e": {\n            "f": "o"\n        }\n    },\n'
        '    "g": "p",\n    "a": "3"\n}'
    )


@pytest.mark.parametrize("format_", [NESTED, FLAT, I18NEXT])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n  "z": "1",\n  "b": "2"\n}',
            '{\n  "a": "new",\n  "z": "1",\n  "b": "2"\n}',
        ),
        ('{"z": "1", "b": "2"}', '{"a": "new", "z": "1", "b": "2"}'),
        ('{"z":"1"}', '{"a":"new","z":"1"}'),
        ('{\n\n\t"z": "1"\n}', '{\n\n\t"a": "new",\n\t"z": "1"\n}'),
        ('{"x": 1, "z": "1"}', '{"x": 1, "a": "new", "z": "1"}'),
    ],
)
def test_a_new_first_key_stands_before_the_one_that_follows(
    format_: Format, before: str, after: str
) -> None:
    found = read(format_, before.encode())
    entries = [Entry("a", "new"), *found.entries]

    assert write(format_, replace(found, entries=entries)).decode() == after


def test_new_first_keys_stay_together_also_in_objects() -> None:
    content = '{\n  "g": {\n    "x": "1"\n  },\n  "b": "2"\n}'
    found = read(NESTED, content.encode())
    new = [Entry(key, key) for key in ("n.x", "n.y", "m", "g.w")]

    after = write(NESTED, replace(found, entries=[*new, *found.entries])).decode()

    assert after == (
        '{\n  "n": {\n    "x": "n.x",\n    "y": "n.y"\n  },\n  "m": "m",\n'
        '  "g": {\n    "w": "g.w",\n    "x": "1"\n  },\n  "b": "2"\n}'
    )


def test_a_group_that_another_replaces_at_the_start_leaves_it_there() -> None:
    content = '{\n  "a": {\n    "x": "1"\n  },\n  "b": {\n    "z": "2"\n  }\n}\n'
    found = read(NESTED, content.encode())
    entries = [replace(found.entries[0], key="alpha.x"), found.entries[1]]

    after = write(NESTED, replace(found, entries=entries)).decode()

    assert after == content.replace('"a"', '"alpha"')


def test_a_new_first_plural_stands_before_the_one_that_follows() -> None:
    content = '{\n  "b_one": "1",\n  "b_other": "2"\n}'
    found = read(I18NEXT, content.encode())
    new = Entry("a", {"one": "x", "other": "y"}, is_plural=True)

    after = write(I18NEXT, replace(found, entries=[new, *found.entries])).decode()

    assert after == content.replace("{", '{\n  "a_one": "x",\n  "a_other": "y",')


def test_an_empty_text_stays_until_there_is_a_text() -> None:
    content = '{\n  "a": "",\n  "b": "",\n  "c": "x"\n}'

    assert without(NESTED, content, "a") == content
    assert changed(NESTED, content, {"a": None}) == content
    assert changed(NESTED, content, {"a": "y"}) == content.replace('""', '"y"', 1)


def test_numbers_booleans_and_null_stay_and_null_makes_room_for_a_text() -> None:
    content = '{"a": 1.50, "b": null, "c": true, "d": [], "e": {"f": null}}'

    assert changed(NESTED, content, {}) == content
    after = changed(NESTED, content, {"b": "x", "e.f": "y", "d.0": "z"})
    assert after == '{"a": 1.50, "b": "x", "c": true, "d": ["z"], "e": {"f": "y"}}'


def test_a_position_of_an_array_that_goes_stays_empty_unless_it_is_the_last() -> None:
    content = '{"l": ["a", "b", "c"], "s": [{"t": "d"}, {"t": "e"}]}'

    after = without(NESTED, content, "l.1", "s.0.t")
    assert after == '{"l": ["a", "", "c"], "s": [{}, {"t": "e"}]}'
    assert without(NESTED, content, "l.2", "s.0.t", "s.1.t") == '{"l": ["a", "b"]}'
    assert '"c", "", "x"]' in changed(NESTED, content, {"l.4": "x"})


@pytest.mark.parametrize(
    "content",
    [
        '{"list": ["a", "b"], "s": [{"t": ["c"]}]}',
        '{"foo.bar": "x", "d": {"n": "v"}}',
        '{"a": {"Hello. World": "x", "": "y"}}',
        '{"a": {"one": "1", "other": {"b": "2"}}}',
        '{"a": {"other": "x"}, "b": {"few": "x", "other": "y"}}',
    ],
)
def test_a_path_that_the_key_does_not_tell_comes_back_without_a_template(
    content: str,
) -> None:
    for format_ in (NESTED, I18NEXT):
        found = replace(read(format_, content.encode()), template=None)

        assert json.loads(write(format_, found)) == json.loads(content)


def test_a_template_that_is_no_json_any_more_leaves_the_file_as_without_one() -> None:
    for template in (b"{", b"[]", b"\xff", b'{"a": }', b'{"a": "\x01\\x"}', b"{} {}"):
        catalogue = Catalogue("en", [Entry("a.b", "x")], template=template)
        for format_ in FORMATS.values():
            if format_.info.id == "json-go-i18n" and template == b"[]":
                continue  # such files may be arrays
            plain = write(format_, replace(catalogue, template=None))
            assert write(format_, catalogue) == plain


@pytest.mark.parametrize(
    ("content", "key", "added"),
    [
        ('"@metadata": {"authors": ["A"]}, "pad.a": "x", "pad.b": "y"', "pad.c", ""),
        ('"pad.a": "x", "m": {"n": "y"}, "o": {"p": "z"}', "pad.c", ""),
        ('"pad.a": "x", "pad.b": "x", "m": {"n": "y"}', "q.r.s", ""),
        ('"pad.a": "x", "pad.b": "x", "m": {"n": "y"}', "m.c", "m"),
        ('"pad.a": "x", "m": {"n": "y"}', "q.c", "q"),
        ('"m": {"pad.a": "x"}, "n": {"o": "p"}', "m.pad.c", "m"),
        ('"a": "x", "a.b": "y"', "q.c", "q"),
        ('"Reconnecting...": "x", "No.": "y", "Hi. All": "z"', "q.c", "q"),
    ],
)
def test_a_new_key_is_named_as_those_beside_it(
    content: str, key: str, added: str
) -> None:
    wanted = json.loads(f"{{{content}}}")
    path = key.removeprefix(f"{added}.") if added else key
    (wanted.setdefault(added, {}) if added else wanted)[path] = "new"
    for format_ in (NESTED, I18NEXT):
        after = changed(format_, f"{{{content}}}", {key: "new"})

        assert json.loads(after) == wanted
        assert key in [entry.key for entry in read(format_, after.encode()).entries]


def test_keys_that_clash_with_the_template_keep_their_whole_names() -> None:
    after = changed(NESTED, '{"a": "x", "l": ["y"]}', {"a.b": "1", "l.c": "2"})

    assert json.loads(after) == {"a": "x", "l": ["y"], "a.b": "1", "l.c": "2"}
    after = changed(NESTED, '{"a": {"b": "1"}}', {"a": "x"})
    assert json.loads(after) == {"a": "x", "a.b": "1"}


PLURAL = {"one": "1", "other": "n"}


def test_forms_come_and_go_beside_each_other() -> None:
    content = '{\n  "x_one": "1",\n  "x_other": "n",\n  "y": "z"\n}'
    few = {**PLURAL, "few": "f"}

    after = changed(I18NEXT, content, {"x": few})
    assert after == content.replace(',\n  "x_o', ',\n  "x_few": "f",\n  "x_o', 1)
    nested = '{"x": {"other": "n", "one": "1"}, "y": "z"}'
    after = changed(NESTED, nested, {"x": few})
    assert after == '{"x": {"other": "n", "one": "1", "few": "f"}, "y": "z"}'
    assert without(NESTED, nested, "x") == '{"y": "z"}'


def test_a_plural_without_other_gets_none() -> None:
    content = '{"n_one": "1", "n_few": "2", "n_many": "5"}'

    forms = {"one": "1", "few": "3", "many": "5"}
    after = changed(I18NEXT, content, {"n": forms}, "ru")

    assert after == content.replace("2", "3")


@pytest.mark.parametrize("format_", [NESTED, FLAT, I18NEXT, ARB])
def test_a_plain_text_of_a_plural_comes_back_as_one(format_: Format) -> None:
    content = b'{"hint": "Des articles"}'
    options = replace(OPTIONS, language_code="fr", plurals={"hint": True})
    (found,) = format_.read(SourceFile("", content), options)

    [entry] = found.entries
    assert (entry.value, entry.is_plural) == ("Des articles", True)
    assert json.loads(write(format_, found)) == json.loads(content)
    assert write(format_, replace(found, template=content)) == content
    both = replace(entry, value={"one": "Un article", "other": "Des articles"})
    after = write(format_, replace(found, entries=[both], template=content))
    (again,) = format_.read(SourceFile("", after), options)
    assert [e.value for e in again.entries] == [both.value]


ARB_FILE = """{
  "@@locale": "de",
  "@@author": "x",
  "@_HEAD": {},
  "items": "{ n, plural,\\n =0 {keine}\\n other {{n} Stück} one {eins}}",
  "@items": { "description": "d", "placeholders": {"n": {}} },
  "CRANE": "Kran",
  "cartPay": "Zahlen", "@cartPay": {"x-key": "cart.pay"},
  "torn": "{n, plural, one{x}"
}
"""


def test_an_arb_message_keeps_its_spelling() -> None:
    assert changed(ARB, ARB_FILE, {}, "de") == ARB_FILE
    forms = {"zero": "keine", "one": "ein Stück", "other": "{n} Stück"}
    after = changed(ARB, ARB_FILE, {"items": forms}, "de")
    assert after == ARB_FILE.replace("eins", "ein Stück")
    after = changed(ARB, ARB_FILE, {"items": {**forms, "few": "einige"}}, "de")
    assert "{n, plural, =0{keine} one{ein Stück} few{einige} other{" in after


def test_a_new_first_arb_message_stands_behind_the_locale() -> None:
    content = '{\n  "@@locale": "en",\n  "z": "Z",\n  "@z": {}\n}\n'
    found = read(ARB, content.encode())
    new = Entry("a", "A", description="The first")

    after = write(ARB, replace(found, entries=[new, *found.entries])).decode()

    lines = ['"a": "A",', '"@a": {', '  "description": "The first"', "},"]
    start = '{\n  "@@locale": "en",\n'
    assert after == content.replace(start, start + "".join(f"  {x}\n" for x in lines))


def test_an_arb_message_that_goes_takes_its_attributes_and_no_others() -> None:
    after = without(ARB, ARB_FILE, "items", "cart.pay")

    assert list(json.loads(after)) == [
        "@@locale",
        "@@author",
        "@_HEAD",
        "CRANE",
        "torn",
    ]


@pytest.mark.parametrize(("source", "has_attributes"), [("de", True), ("en", False)])
def test_attributes_of_new_messages_go_to_the_source_language(
    source: str, has_attributes: bool
) -> None:
    found = read(ARB, ARB_FILE.encode(), "de")
    new = Entry("a.b", "x", description="A button")
    entries = [replace(found.entries[0], description="new"), new, *found.entries[1:]]
    options = replace(OPTIONS, source_language=source)

    written = ARB.write([replace(found, entries=entries)], options).content.decode()

    lines = lines_changed(ARB_FILE, written)
    assert ('"description": "new"' in written) is has_attributes
    assert ('"description": "A button"' in written) is has_attributes
    assert '+   "aB": "x",' in lines
    names = list(json.loads(written))
    assert names[names.index("@items") + 1 :][:2] == ["aB", "@aB"]
