"""What formats and variables mean, what templates keep, and what is told."""

import os
import plistlib
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_apple import ApplePlugin
from msgspec.structs import replace

from locframework.ports import PLURAL_FORMS, Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(".", "en")
FORMAT, RULE, TYPE = (
    "NSStringLocalizedFormatKey",
    "NSStringFormatSpecTypeKey",
    "NSStringFormatValueTypeKey",
)
PLURAL = "NSStringPluralRuleType"
DEVICE = {"NSStringDeviceSpecificRuleType": {"mac": "Click", "iphone": "Tap"}}
ITEMS = {"one": "%d item", "other": "%d items"}
ONE = {"a": {FORMAT: "%#@n@", "n": {RULE: PLURAL, TYPE: "d", **ITEMS}}}
IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"


@pytest.fixture
def stringsdict():
    return ApplePlugin().loc_provide_formats()[1]


def with_format(format_, **variables):
    """The file of a key with a format."""
    named = {name: {RULE: PLURAL, TYPE: "ld", **v} for name, v in variables.items()}
    return plistlib.dumps({"a": {FORMAT: format_, **named}}, sort_keys=False)


def read(format_, content, plurals=()):
    """The entries of a file, and its warnings."""
    options = replace(OPTIONS, plurals=dict.fromkeys(plurals, True))
    [found] = format_.read(SourceFile("x.stringsdict", content), options)
    return [replace(entry, line=None) for entry in found.entries], found.warnings


def texts_in(format_, content):
    return {entry.key: entry.value for entry in read(format_, content)[0]}


def written(format_, entries, template=None):
    """The file of some entries, and its warnings."""
    done = format_.write([Catalogue("ru", entries, template=template)], OPTIONS)
    return done.content, done.warnings


def changed(format_, template, texts):
    """The file with other texts of these keys."""
    entries, _ = read(format_, template)
    news = [replace(each, value=texts.get(each.key, each.value)) for each in entries]
    return written(format_, news, template)[0]


def lines_changed(before, after):
    old, new = before.decode().splitlines(), after.decode().splitlines()
    return [line.strip() for line in new if line not in old]


ANY = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=["Cc"],
        exclude_characters="\ufffe\uffff",
        include_characters="\n\r\t",
    ),
    min_size=1,
)
FORMS = st.dictionaries(st.sampled_from(PLURAL_FORMS), ANY, min_size=1)


@settings(deadline=None)
@given(st.dictionaries(ANY, ANY | FORMS))
def test_another_reader_reads_what_was_written(texts):
    format_ = ApplePlugin().loc_provide_formats()[1]
    entries = [
        Entry(key, text, is_plural=isinstance(text, dict))
        for key, text in texts.items()
    ]

    found = plistlib.loads(written(format_, entries)[0])

    for item in found.values():
        variable = item.pop("value", {})
        assert variable.pop(TYPE, "d")
        assert not variable or item[FORMAT] == "%#@value@"
        assert variable.pop(RULE, PLURAL) == PLURAL
        item.update(variable and {FORMAT: variable})
    assert {name: item[FORMAT] for name, item in found.items()} == texts


@pytest.mark.judge
@pytest.mark.skipif(
    shutil.which("plistutil") is None and not IS_REQUIRED,
    reason="needs apt-get install libplist-utils",
)
def test_plistutil_reads_what_was_written(stringsdict, tmp_path):
    template = plistlib.dumps({**ONE, "b": DEVICE}, sort_keys=False)
    forms = {"few": "<few> & more\nlines", "other": "ünd 😀"}
    entries = [
        Entry('%d of "it\'s"', "b < c"),
        Entry("a", forms, is_plural=True),
        Entry("new", forms, is_plural=True),
    ]
    (tmp_path / "x.plist").write_bytes(written(stringsdict, entries, template)[0])

    command = ["plistutil", "-i", "x.plist", "-f", "bin", "-o", "x.bin"]
    subprocess.run(command, cwd=tmp_path, check=True)

    plural = {RULE: PLURAL, TYPE: "d", **forms}
    assert plistlib.loads((tmp_path / "x.bin").read_bytes()) == {
        '%d of "it\'s"': {FORMAT: "b < c"},
        "a": {FORMAT: "%#@n@", "n": plural},
        "new": {FORMAT: "%#@value@", "value": plural},
        "b": DEVICE,
    }


@pytest.mark.parametrize(
    ("format_", "texts"),
    [
        ("%#@n@", {"a": ITEMS}),
        ("%1$#@n@", {"a": ITEMS}),
        (
            "Only %#@n@ left",
            {"a": {"one": "Only %d item left", "other": "Only %d items left"}},
        ),
        ("%@ has %#@n@", {"a": "%@ has %#@n@", "a.n": ITEMS}),
        ("%#@n@: 100 %%", {"a": "%#@n@: 100 %%", "a.n": ITEMS}),
        ("%#@m@ of %#@n@", {"a": "%#@m@ of %#@n@", "a.n": ITEMS}),
        ("none", {"a": "none", "a.n": ITEMS}),
    ],
)
def test_a_key_has_forms_if_its_format_has_one_variable_and_no_other_placeholder(
    stringsdict, format_, texts
):
    content = with_format(format_, n=ITEMS)

    assert texts_in(stringsdict, content) == texts
    assert changed(stringsdict, content, {}) == content
    entries, _ = read(stringsdict, content)
    assert texts_in(stringsdict, written(stringsdict, entries)[0]) == texts


def test_variables_keep_their_names_and_types_in_new_files(stringsdict):
    entries, _ = read(stringsdict, with_format("%@: %#@m@, %#@n@", m=ITEMS, n=ITEMS))

    made = plistlib.loads(written(stringsdict, entries)[0])

    variable = {RULE: PLURAL, TYPE: "ld", **ITEMS}
    assert made == {
        "a": {FORMAT: "%@: %#@m@, %#@n@", "m": variable, "n": variable},
    }


@pytest.mark.parametrize(
    ("text", "type_"),
    [("%ld", "ld"), ("%1$lu of %2$@", "lu"), ("%@: %.1f", "f"), ("%@ %%", "d")],
)
def test_the_type_of_a_new_variable_is_that_of_its_placeholder(
    stringsdict, text, type_
):
    [entry] = [Entry("a", {"other": text}, is_plural=True)]

    made = plistlib.loads(written(stringsdict, [entry])[0])

    assert made["a"]["value"][TYPE] == type_


def test_what_is_around_a_variable_stays_if_all_forms_have_it(stringsdict):
    template = with_format("Only %#@n@ left", n=ITEMS)
    kept = {"one": "Only an item left", "other": "Only %d items left"}

    one = changed(stringsdict, template, {"a": kept})
    both = changed(stringsdict, template, {"a": {**kept, "one": "An item is left"}})

    assert lines_changed(template, one) == ["<string>an item</string>"]
    assert lines_changed(template, both) == [
        "<string>%#@n@</string>",
        "<string>An item is left</string>",
        "<string>Only %d items left</string>",
    ]


def test_forms_that_come_and_go_are_lines_of_their_own(stringsdict):
    template = plistlib.dumps({**ONE, "b": DEVICE}, sort_keys=False)
    forms = {"zero": "no", "few": "%d few", "other": "%d items"}

    filled = changed(stringsdict, template, {"a": forms})

    expected = template.decode().replace(
        "<key>one</key>\n\t\t\t<string>%d item</string>",
        "<key>zero</key>\n\t\t\t<string>no</string>\n"
        "\t\t\t<key>few</key>\n\t\t\t<string>%d few</string>",
    )
    assert filled.decode() == expected


def test_a_plain_text_of_a_plural_key_stays_plain(stringsdict):
    template = with_format("Items")
    entry = Entry("a", {"other": "Things"}, is_plural=True)

    filled, warnings = written(stringsdict, [entry], template)

    assert lines_changed(template, filled) == ["<string>Things</string>"]
    assert warnings == []


def test_a_plain_text_gets_forms(stringsdict):
    entry = Entry("a", ITEMS, is_plural=True)

    filled, _ = written(stringsdict, [entry], with_format("Items"))

    assert texts_in(stringsdict, filled) == {"a": ITEMS}


def test_a_key_of_which_the_source_has_variables_has_them_too(stringsdict):
    content = with_format("Only %#@n@", n=ITEMS)

    entries, _ = read(stringsdict, content, ["a.n"])

    assert [entry.key for entry in entries] == ["a", "a.n"]
    assert written(stringsdict, entries, content)[0] == content


def test_other_rules_are_kept_and_told(stringsdict):
    items = {"a": {FORMAT: "Tap", **DEVICE}, "b": DEVICE, "c": "text", "d": [1]}
    template = plistlib.dumps(items, sort_keys=False)

    entries, warnings = read(stringsdict, template)

    assert entries == [Entry("a", "Tap")]
    rule = "it has no plural rule, or the name of a key"
    assert warnings == [
        f"line 9: 'a.NSStringDeviceSpecificRuleType' is left out: {rule}",
        f"line 19: 'b.NSStringDeviceSpecificRuleType' is left out: {rule}",
        "line 17: 'b' is left out: it has no text",
        "line 27: 'c' is left out: it has no text",
        "line 29: 'd' is left out: it has no text",
    ]
    filled = changed(stringsdict, template, {"a": "Press"})
    assert lines_changed(template, filled) == ["<string>Press</string>"]
    assert written(stringsdict, [], template)[0].count(b"Click") == 1


def test_the_last_of_two_keys_of_a_name_counts(stringsdict):
    one = f"<key>a</key><dict><key>{FORMAT}</key><string>{{}}</string></dict>\n"
    template = f"<plist><dict>\n{one.format(1)}{one.format(2)}</dict></plist>"

    entries, warnings = read(stringsdict, template.encode())

    assert entries == [Entry("a", "2")]
    assert warnings == ["line 3: 'a' is there before; this one counts"]
    filled = changed(stringsdict, template.encode(), {"a": "3"}).decode()
    assert filled == template.replace(">2<", ">3<")


@pytest.mark.parametrize("root", ["<dict/>", "<dict>\n</dict>", "<dict></dict>"])
def test_an_empty_file_gets_its_first_text(stringsdict, root):
    template = f"<plist>\n{root}\n</plist>".encode()

    filled, _ = written(stringsdict, [Entry("a", "x")], template)

    assert texts_in(stringsdict, filled) == {"a": "x"}
    assert plistlib.loads(filled) == {"a": {FORMAT: "x"}}
    assert written(stringsdict, [], template)[0] == template


def test_a_key_without_a_form_for_other_is_told(stringsdict):
    _, warnings = written(stringsdict, [Entry("a", {"one": "x"}, is_plural=True)])

    assert warnings == ["a has no text for 'other', which is needed"]


def test_characters_that_xml_cannot_have_are_left_out_and_told(stringsdict):
    content, warnings = written(stringsdict, [Entry("a", "x\x1by")])

    assert texts_in(stringsdict, content) == {"a": "xy"}
    told = "has characters that XML cannot have: they are left out"
    assert warnings == [f"a {told}"]


def test_a_file_keeps_its_charset_and_line_ends(stringsdict):
    text = with_format("ä", n=ITEMS).decode().replace("\n", "\r\n")
    template = text.replace("UTF-8", "iso-8859-1").encode("latin-1")

    done = changed(stringsdict, template, {"a": "ö €\n"})

    assert done == template.replace(b"\xe4", b"\xf6 &#8364;\r\n")


@pytest.mark.parametrize(
    ("name", "content", "is_its"),
    [
        ("de.lproj/Localizable.stringsdict", with_format("x"), True),
        ("Localizable.strings", with_format("x"), False),
        ("Localizable.stringsdict", b"bplist00", False),
    ],
)
def test_files_are_recognized_by_extension(stringsdict, name, content, is_its):
    assert stringsdict.recognizes(SourceFile(name, content)) is is_its


def test_a_hundred_thousand_keys_take_linear_time(stringsdict):
    one = f"<key>{{}}</key><dict><key>{FORMAT}</key><string>x</string></dict>\n"
    text = "".join(one.format(n) for n in range(50_000))
    content = f"<plist><dict>{text}</dict></plist>".encode()

    entries, _ = read(stringsdict, content)

    assert len(entries) == 50_000
    assert written(stringsdict, entries, content)[0] == content


def test_a_plural_form_without_a_name_is_none(stringsdict):
    content, _ = written(stringsdict, [Entry("a", ITEMS, is_plural=True)])

    content = content.replace(b"<key>one</key>", b"<key></key>")

    assert texts_in(stringsdict, content) == {"a": {"other": ITEMS["other"]}}
