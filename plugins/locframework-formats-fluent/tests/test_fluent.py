"""What becomes of messages, attributes, terms, selectors and comments."""

import time

import pytest
from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import FluentParser, FluentSerializer, ast
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_fluent import FluentPlugin
from msgspec.structs import replace

from locframework.errors import UnreadableFile
from locframework.ports import Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(key_separator=".", source_language="en", language_code="en")
[FORMAT] = FluentPlugin().loc_provide_formats()

FILE = """### The shop

-brand = Shop
    .gender = masculine
# The button
pay = Pay { $amount }
    .title = Pay with { -brand }
    .label = Pay
files = { $n ->
    [one] One file
   *[other] { $n } files
}
os =
    { PLATFORM() ->
        [windows] Options
       *[other] Preferences
    }
"""


def read(text, *, language="en", plurals=None, separator="."):
    options = replace(
        OPTIONS,
        language_code=language,
        plurals=plurals or {},
        key_separator=separator,
    )
    [catalogue] = FORMAT.read(SourceFile("x.ftl", text.encode()), options)
    return {entry.key: entry for entry in catalogue.entries}


def values(text, **more):
    return {key: entry.value for key, entry in read(text, **more).items()}


def written(entries, template=None, *, language="en", separator="."):
    catalogue = Catalogue(
        language,
        [*entries],
        ("one", "other"),
        template=None if template is None else template.encode(),
    )
    options = replace(OPTIONS, key_separator=separator)
    return FORMAT.write([catalogue], options)


def changed(new, *, template=FILE, language="en"):
    """The file with other texts: without those that are None."""
    entries = read(template)
    for key, value in new.items():
        old = entries.get(key, Entry(key))
        entries[key] = replace(old, value=value)
    return written(entries.values(), template, language=language).content.decode()


def shown(text, name, arguments=None):
    """What fluent.runtime shows of a message."""
    bundle = FluentBundle(["en"], use_isolating=False)
    bundle.add_resource(FluentResource(text))
    shown, errors = bundle.format_pattern(bundle.get_message(name).value, arguments)
    assert errors == []
    return shown


def test_values_attributes_and_terms_are_keys():
    assert values(FILE) == {
        "-brand": "Shop",
        "-brand.gender": "masculine",
        "pay": "Pay { $amount }",
        "pay.title": "Pay with { -brand }",
        "pay.label": "Pay",
        "files": {"one": "One file", "other": "{ $n } files"},
        "os": "{ PLATFORM() ->\n    [windows] Options\n   *[other] Preferences\n}",
    }


def test_attributes_are_joined_by_the_separator_of_the_project():
    entries = read("pay =\n    .title = Pay\n", separator=":")

    assert [*entries] == ["pay:title"]
    again = written(entries.values(), separator=":")
    assert again.content == b"pay =\n    .title = Pay\n"


@pytest.mark.parametrize(
    ("key", "text", "old", "new"),
    [
        ("pay.label", "Go", "    .label = Pay\n", "    .label = Go\n"),
        ("pay", "Go", "pay = Pay { $amount }\n", "pay = Go\n"),
        ("pay", "a\nb", "pay = Pay { $amount }\n", "pay =\n    a\n    b\n"),
        ("pay", None, "pay = Pay { $amount }\n", "pay =\n"),
        ("pay.title", None, "    .title = Pay with { -brand }\n", ""),
        ("-brand", None, "-brand = Shop\n", '-brand = { "" }\n'),
        ("pay.alt", "New", ".label = Pay\n", ".label = Pay\n    .alt = New\n"),
        ("-brand.alt", "New", "masculine\n", "masculine\n    .alt = New\n"),
        ("last", "New", "Preferences\n    }\n", "Preferences\n    }\nlast = New\n"),
        (
            "files",
            {"one": "A file", "other": "{ $n } files"},
            FILE[FILE.index("files") : FILE.index("os =")],
            """files =
    { $n ->
        [one] A file
       *[other] { $n } files
    }
""",
        ),
        (
            "files",
            "Some",
            FILE[FILE.index("files") : FILE.index("os")],
            "files = Some\n",
        ),
        (
            "os",
            "{ PLATFORM() ->\n    [windows] Settings\n   *[other] Preferences\n}",
            "[windows] Options",
            "[windows] Settings",
        ),
    ],
)
def test_only_the_lines_of_a_changed_text_change(key, text, old, new):
    assert FILE.count(old) == 1
    assert changed({key: text}) == FILE.replace(old, new)


def test_a_message_without_texts_goes_with_its_comment():
    gone = dict.fromkeys(("pay", "pay.title", "pay.label"))

    start, end = FILE.index("# The button"), FILE.index("files")
    assert changed(gone) == FILE[:start] + FILE[end:]


def test_a_plural_in_the_layout_of_fluent_changes_in_one_line():
    text = "a =\n    { $n ->\n        [one] x\n       *[other] y\n    }\n# b\nb = c\n"

    new = {"a": {"one": "x", "other": "{ $n } z"}}

    assert changed(new, template=text) == text.replace("[other] y", "[other] { $n } z")


def test_the_last_form_is_the_default():
    text = "a =\n    { $n ->\n        [one] x\n       *[many] y\n    }\n"

    assert values(text) == {"a": {"one": "x", "many": "y"}}
    forms = {"one": "x", "many": "y", "other": "z"}
    new = text.replace("       *[many] y", "        [many] y\n       *[other] z")
    assert changed({"a": forms}, template=text) == new


def test_a_plural_keeps_its_variable_in_other_languages():
    entries = read("a = { $n ->\n  [one] x\n  *[other] y\n}\n")
    other = replace(entries["a"], value={"other": "z"}, detail=None)

    assert written([other], language="ja").content == (
        b"a =\n    { $n ->\n       *[other] z\n    }\n"
    )
    foreign = Entry("b", {"one": "x", "other": "y"}, is_plural=True)
    assert b"{ $count ->" in written([foreign]).content


@pytest.mark.parametrize(
    "pattern",
    [
        "{ $n ->\n    [0] x\n   *[other] y\n}",
        "{ $n ->\n    [one] x\n   *[one] y\n}",
        "{ $n ->\n   *[one] x\n    [other] y\n}",
        "{ $n ->\n    [male] x\n   *[other] y\n}",
        '{ NUMBER($n, type: "ordinal") ->\n    [one] x\n   *[other] y\n}',
        "{ $n ->\n    [one] { $m ->\n       *[other] x\n    }\n   *[other] y\n}",
        "All { $n ->\n    [one] x\n   *[other] y\n}",
        "{ $n ->\n    [one] x\n   *[other] y\n} all",
        "{ $n ->\n    [one] x\n   *[other] y\n}{ $m }",
        '{ -brand(case: "dative") ->\n   *[other] y\n}',
    ],
)
def test_what_forms_cannot_express_is_one_text(pattern):
    text = "a = " + pattern.replace("\n", "\n    ") + "\n"
    if "-brand" in pattern:
        pattern = pattern.replace('-brand(case: "dative")', "-brand.gender")
        text = text.replace('-brand(case: "dative")', "-brand.gender")

    assert values(text) == {"a": pattern}
    assert values(written(read(text).values()).content.decode()) == {"a": pattern}


def test_a_selector_of_a_key_that_is_not_plural_stays_one_text():
    text = "a =\n    { $n ->\n        [one] x\n       *[other] y\n    }\n"
    plain = "{ $n ->\n    [one] x\n   *[other] y\n}"

    assert values(text, language="de", plurals={"a": False}) == {"a": plain}
    assert values(text, plurals={"a": False}) == {"a": {"one": "x", "other": "y"}}
    same = written([Entry("a", plain)], text, language="de")
    assert same.content.decode() == text


def test_a_plain_text_of_a_plural_key_stays_one():
    text = "a = x\n"

    assert read(text, language="ja", plurals={"a": True})["a"].is_plural
    entry = Entry("a", {"other": "x"}, is_plural=True)
    assert written([entry], text, language="ja").content == b"a = x\n"
    entry = replace(entry, value={"other": "y"})
    assert written([entry], text, language="ja").content == b"a = y\n"


def test_braces_that_are_no_placeables_are_written_as_text():
    entries = [Entry("a", "{ 1, 2 } { $x }"), Entry("b", "Hello { $name }")]

    file = written(entries)

    assert file.content == (
        b'a = { "{" } 1, 2 { "}" } { "{" } $x { "}" }\nb = Hello { $name }\n'
    )
    assert file.warnings == [
        "a is no pattern of Fluent: its braces are written as text"
    ]
    assert values(file.content.decode()) == {
        "a": "{ 1, 2 } { $x }",
        "b": "Hello { $name }",
    }


@pytest.mark.parametrize(
    "pattern",
    [
        '{"{"}name{ "}" }',
        '{""}Text',
        '{"\\u00A0"}x',
        '{ DATETIME($d, month: "long") }',
        '{ FUN("}") }\n.x',
        'a { F("{") }\n.b = c',
    ],
)
def test_a_pattern_that_is_valid_stays_as_it_is(pattern):
    content = written([Entry("a", pattern)]).content.decode()

    assert values(content) == {"a": pattern}


def test_a_text_begins_and_ends_with_white_space():
    file = written([Entry("a", "  x\n\n  y\n"), Entry("b", "[x]"), Entry("c", "y\n*z")])

    assert file.content.decode() == (
        'a =\n    { "" }  x\n\n      y\n    { "" }\nb = [x]\nc =\n    y\n    { "*" }z\n'
    )


def test_texts_are_indented_as_the_file_does():
    text = "a =\n  .b = x\n"

    assert changed({"a.b": "x\ny"}, template=text) == "a =\n  .b =\n    x\n    y\n"
    assert changed(
        {"a.b": "x\ny"}, template=text.replace("  .b = x", "  .b =\n      x")
    ) == ("a =\n  .b =\n      x\n      y\n")


def test_comments_are_the_descriptions_in_the_source_language():
    assert read(FILE)["pay.title"].description == "The button"
    [pay] = [entry for entry in read(FILE).values() if entry.key == "pay"]
    new = replace(pay, description="A link\nbelow")
    others = [e for e in read(FILE).values() if not e.key.startswith("pay")]

    file = written([new, *others], FILE)

    assert "# A link\n# below\npay = Pay" in file.content.decode()
    file = written([new, *others], FILE, language="de")
    assert "# The button\npay = Pay" in file.content.decode()
    assert b"#" not in written([new], language="de").content


def test_a_message_has_one_description():
    entries = [Entry("a", "x", description="One"), Entry("a.b", "y")]

    file = written(entries)

    assert file.content == b"# One\na = x\n    .b = y\n"
    assert file.warnings == [
        "a.b has another description than a: they have one comment"
    ]


def test_a_comment_that_is_apart_stays_where_it_is():
    text = "# apart\n\n# of a\na = x\n## Group\n# of b\nb = y\n"

    assert read(text)["a"].description == "of a"
    assert changed({"a": None}, template=text) == "# apart\n\n## Group\n# of b\nb = y\n"


def test_keys_that_cannot_be_names_are_written_so_that_they_come_back():
    keys = ("a.b.c", "0", "a_.b_c.d", "a.0")

    file = written(Entry(key, "x") for key in keys)

    names = [line.split(" ")[0] for line in file.content.decode().splitlines()]
    assert names == ["key--a__b__c", "key--0", "key--a_u__b_uc__d", "key--a__0"]
    assert tuple(values(file.content.decode())) == keys
    assert values("key--a = x\nkey--0-_ = y\n") == {"key--a": "x", "key--0-_": "y"}


def test_names_of_other_formats_are_written_as_their_keys():
    entry = Entry("Sign in!", "x", name="sign-in-3f2a", is_file_key=True)

    assert written([entry]).content == b"sign-in-3f2a = x\n"


@pytest.mark.parametrize(
    ("content", "is_fluent"),
    [
        ("# Comment\n", True),
        ("\ufeff\n-term = x", True),
        ("### Comment", True),
        ("", True),
        ('<#import "x.ftl" as x>\n', False),
        ("${title}\n", False),
        ("#if (x)\n", False),
    ],
)
def test_templates_of_freemarker_are_not_recognized(content, is_fluent):
    assert FORMAT.recognizes(SourceFile("x.ftl", content.encode())) is is_fluent
    assert not FORMAT.recognizes(SourceFile("x.txt", content.encode()))


SIZE = 100_000
BOMBS = {
    "blank lines": "a = b\n" + "\n" * SIZE + "c = d\n",
    "blank lines in a text": "a = b\n" + "\n" * SIZE + "  c\n",
    "spaces": "a = b" + " " * SIZE + "c\n",
    "spaces before a name": " " * SIZE + "a = b\n",
    "spaces in a placeable": "a = {" + " " * SIZE + "$b }\n",
    "spaces in a selector": "a = { $n" + " " * SIZE + "->\n *[other] x\n }\n",
    "blank lines in a selector": "a = { $n ->\n *[other] x" + "\n" * SIZE + " }\n",
    "comments": "# a\n" * (SIZE // 4),
    "groups": "## a\n" * (SIZE // 5),
    "braces": "a = " + "{" * SIZE + "\n",
    "pairs of braces": "a = " + "{" * SIZE + "}" * SIZE + "\n",
    "calls": "a = {" + "F(" * SIZE + "\n",
    "literals": "a = " + '{"' * SIZE + "\n",
    "junk": "a b\n" * (SIZE // 10),
    "selectors": "a = " + "{ $n ->\n *[other] " * 2000 + "\n",
    "attributes": "a = b\n" + "".join(f" .a{n} = c\n" for n in range(SIZE // 10)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_takes_long_to_read(name):
    started = time.monotonic()
    try:
        texts = values(BOMBS[name])
        written([Entry(key, value) for key, value in texts.items()], BOMBS[name])
    except UnreadableFile:
        pass
    for text in (BOMBS[name][4:], BOMBS[name][5:]):
        written([Entry("a", text)])

    assert time.monotonic() - started < 15


PLACEABLES = (
    *("{ $name }", "{ -brand }", '{"{"}', '{"x"}', "{ 1.50 }"),
    *("{ NUMBER($n, minimumFractionDigits: 2) }", "{ pay.label }"),
    "{ $n ->\n    [one] x { $n }\n   *[other] y\n}",
)
WORDS = st.text(st.sampled_from(' ab\n\t.[]*#=-"\\\u3000ü'), max_size=8)
PATTERNS = st.lists(WORDS | st.sampled_from(PLACEABLES), min_size=1, max_size=5)
PLAIN = st.lists(
    WORDS | st.sampled_from((*PLACEABLES[:2], *PLACEABLES[4:])), max_size=5
)


@settings(max_examples=300, deadline=None)
@given(parts=PATTERNS)
def test_fluent_shows_what_a_text_says(parts):
    text = "".join(parts)
    plain = {
        "{ $name }": "Ada",
        "{ -brand }": "Shop",
        '{"{"}': "{",
        '{"x"}': "x",
        "{ 1.50 }": "1.5",
        PLACEABLES[5]: "7.00",
        "{ pay.label }": "Pay",
        PLACEABLES[7]: "y",
    }
    expected = "".join(plain.get(part, part) for part in parts)
    if not text:
        return
    as_text = {"language": "de", "plurals": {"text": False}}
    content = written([Entry("text", text)], FILE).content.decode()

    assert values(content, **as_text)["text"] == text
    source = FILE.replace("PLATFORM()", "$os") + content[content.index("text =") :]
    assert shown(source, "text", {"name": "Ada", "n": 7}) == expected


@settings(max_examples=100, deadline=None)
@given(parts=PLAIN, other=PLAIN, ends=st.sampled_from(("\n", "\r\n")))
def test_files_of_the_serializer_come_back(parts, other, ends):
    texts = ["".join(each) or "x" for each in (parts, other)]
    file = written([Entry("a", texts[0]), Entry("a.b", texts[1])]).content.decode()
    body = FluentParser().parse(file).body
    assert not any(isinstance(each, ast.Junk) for each in body)
    content = FluentSerializer().serialize(ast.Resource(body)).replace("\n", ends)

    entries = read(content)

    assert {key: entry.value for key, entry in entries.items()} == values(file)
    assert written(entries.values(), content).content.decode() == content


def test_a_plural_that_does_not_read_as_one_is_told():
    entry = Entry("a", {"one": "x", "other": "{{n}}"}, is_plural=True)

    found = FORMAT.write([Catalogue("en", [entry])], OPTIONS)

    assert found.warnings == ["a does not read as a plural: its texts are too complex"]
