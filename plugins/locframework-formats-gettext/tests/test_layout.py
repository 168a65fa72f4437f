"""A catalogue is written into the file that was last imported."""

import os
import subprocess
from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_formats_gettext import GettextPlugin, GettextSettings
from locframework_formats_gettext.wrapping import ONE_LINE, quoted
from msgspec.structs import replace

from locframework.ports import Entry, FileOptions, SourceFile
from tests.gettext_tools import refusals

HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
OPTIONS = FileOptions(key_separator=".", source_language="en")
PO, POT = GettextPlugin(GettextSettings()).loc_provide_formats()
TAIL = (
    "# Copyright\n#\n\n# note\n#. told\n#: b.c:2\n#: a.c:1 a.c:9\n#, c-format\n"
    'msgid "zeta"\nmsgstr "Zeta"\n\n'
    '#, fuzzy\n#| msgid "old"\nmsgctxt "m"\nmsgid "alpha"\nmsgstr "Alpha"\n\n\n'
    'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d Datei"\n'
    'msgstr[1] "%d Dateien"\n\n'
    '#~ msgid "gone"\n#~ msgstr "fort"\n\nmsgid "last"\nmsgstr ""\n\n'
    '#, fuzzy\n#~ msgid "back"\n#~ msgstr "zurück"\n\n# the end\n'
)


@pytest.fixture
def file(with_header):
    return with_header(TAIL)


def read(content, language="de"):
    """What is read, with the file as the template to write it into again."""
    data = content.encode() if isinstance(content, str) else content
    [catalogue] = PO.read(SourceFile("x.po", data), OPTIONS)
    return replace(catalogue, language_code=language, template=data)


def write(catalogue, options=OPTIONS):
    return PO.write([catalogue], options).content.decode()


def changed(catalogue, start, **values):
    entries = [
        replace(entry, **values) if entry.key.startswith(start) else entry
        for entry in catalogue.entries
    ]
    return replace(catalogue, entries=entries)


def difference(before, after):
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in list(lines)[2:] if line[:2] != "@@"]


_TEXTS = st.text('ab "\\\n-/語「。é', min_size=1, max_size=120).map(
    lambda text: f"x{text}x"
)
_REMARKS = st.sampled_from(
    ["", "# note\n", "#. told\n#: a.c:1\n", "#,fuzzy\n", "#: b\n# n\n#, c-format\n"]
)
_STYLES = st.sampled_from([79, 0, ONE_LINE, 40, 100])


@st.composite
def po_files(draw):
    """PO files of any layout."""
    width, gap = draw(_STYLES), draw(st.sampled_from(["\n", "\n\n", "", "\n# \n\n"]))
    blocks = []
    if draw(st.booleans()):
        blocks.append(HEADER)
    ids = draw(st.lists(_TEXTS, unique=True, min_size=1, max_size=6))
    for at, name in enumerate(ids):
        mark = draw(st.sampled_from(["", "", "#~ "]))
        lines = quoted("msgid", name, width)
        texts = draw(st.lists(st.just("") | _TEXTS, min_size=1, max_size=2))
        if len(texts) == 1:
            lines += "\n" + quoted("msgstr", texts[0], width)
        else:
            lines += "\n" + quoted("msgid_plural", "xs", width)
            for index, text in enumerate(texts):
                lines += "\n" + quoted(f"msgstr[{index}]", text, width)
        if draw(st.booleans()):
            lines = f'msgctxt "{at}"\n{lines}'
        block = "\n".join(mark + line for line in lines.split("\n"))
        blocks.append(draw(_REMARKS) + block + "\n")
    end = draw(st.sampled_from(["\n", "", "\n\n", "\r\n", "\n# end"]))
    text = gap.join(blocks).removesuffix("\n") + end
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(po_files())
def test_any_file_comes_back_byte_for_byte(text):
    catalogue = read(text)

    assert write(catalogue) == text
    assert write(replace(catalogue, entries=catalogue.entries[::-1])) == text


@given(po_files(), _TEXTS, st.randoms())
def test_a_changed_text_changes_its_own_lines_only(text, new, random):
    catalogue = read(text)
    texts = [e for e in catalogue.entries if not e.is_plural]
    if not texts:
        return
    entry = random.choice(texts)

    new_one = replace(entry, value=new, needs_review=False)
    entries = [new_one if one is entry else one for one in catalogue.entries]

    written = write(replace(catalogue, entries=entries))

    again = {one.key: one for one in read(written).entries}
    before = {one.key: one for one in catalogue.entries}
    assert again[entry.key].value == new
    assert {k: e.value for k, e in again.items() if k != entry.key} == {
        k: e.value for k, e in before.items() if k != entry.key
    }
    start = max(0, entry.line - 4)  # the mark may be on one of three lines before
    assert written.splitlines()[:start] == text.splitlines()[:start]
    assert ("\r\n" in written) == ("\r\n" in text)


def test_one_text_that_changes_is_one_line(file):
    catalogue = read(file)

    assert difference(file, write(changed(catalogue, "zeta", value="Neu"))) == [
        '-msgstr "Zeta"',
        '+msgstr "Neu"',
    ]
    plural = {"one": "%d Datei", "other": "%d Akten"}
    assert difference(file, write(changed(catalogue, "d-file", value=plural))) == [
        '-msgstr[1] "%d Dateien"',
        '+msgstr[1] "%d Akten"',
    ]


def test_approving_a_fuzzy_text_takes_the_mark_away_and_the_reverse_sets_it(file):
    catalogue = read(file)

    approved = write(changed(catalogue, "alpha", needs_review=False))
    pending = write(changed(catalogue, "zeta", needs_review=True))

    assert difference(file, approved) == ["-#, fuzzy"]
    assert difference(file, pending) == ["-#, c-format", "+#, fuzzy, c-format"]


def test_a_key_that_is_gone_takes_its_lines_along(file):
    catalogue = read(file)
    rest = [entry for entry in catalogue.entries if not entry.key.startswith("alpha")]

    lines = difference(file, write(replace(catalogue, entries=rest)))

    assert [line[0] for line in lines] == ["-"] * len(lines)
    assert '-msgid "alpha"' in lines
    assert '"Alpha"' not in write(replace(catalogue, entries=rest))
    assert write(replace(catalogue, entries=[])).count("msgid") == 3


def test_new_messages_stand_behind_the_one_before_them_or_before_the_next(file):
    catalogue = read(file)
    first, *others = catalogue.entries
    new = [
        Entry(f"new{at}", f"Neu {at}", key_detail={"msgid": f"n{at}"}) for at in "ab"
    ]

    behind = write(replace(catalogue, entries=[first, *new, *others]))
    start = write(replace(catalogue, entries=[new[0], first, *others]))

    assert 'msgstr "Zeta"\n\n#. locframework-key: newa\nmsgid "na"' in behind
    assert 'msgstr "Neu a"\n\n#. locframework-key: newb\nmsgid "nb"' in behind
    assert 'msgid "na"\nmsgstr "Neu a"\n\n# Copyright\n' in start
    assert read(start).entries[0].key == "newa"
    for written in (behind, start):
        assert {line[0] for line in difference(file, written)} == {"+"}
        assert [e.value for e in read(written).entries if e.key[:3] == "new"]


def test_new_messages_that_no_message_follows_stand_at_the_end(with_header):
    catalogue = read(with_header('#~ msgid "gone"\n#~ msgstr "fort"\n'))

    written = write(replace(catalogue, entries=[Entry("one.a", "A"), Entry("b", "B")]))

    assert [entry.value for entry in read(written).entries] == ["A", "B"]
    assert written.startswith('msgid ""\n')


def test_a_new_text_is_wrapped_as_the_file_is(with_header):
    new = "word " * 40

    def written(width):
        texts = [f"{letter} long text {letter} " * 12 for letter in "abc"]
        messages = [
            f"{quoted('msgid', text, width)}\n{quoted('msgstr', text, width)}\n"
            for text in texts
        ]
        catalogue = read(with_header("\n".join(messages)))
        return write(changed(catalogue, "a-long", value=new))

    for width in (79, 100, 40, 0):
        assert quoted("msgstr", new, width) in written(width)


def test_a_header_changes_where_it_must_only(with_header):
    text = with_header('msgid "a"\nmsgid_plural "b"\nmsgstr[0] "1"\nmsgstr[1] "2"\n')
    odd = text.replace("(n != 1)", "n/0").replace("Language: de", "Language: ")
    catalogue = read(odd)
    value = {"one": "1", "other": "3"}

    assert write(catalogue) == odd
    lines = difference(odd, write(changed(catalogue, "a", value=value)))
    assert [line[:16] for line in lines if "Plural" in line] == [
        *('-"Plural-Forms: ', '+"Plural-Forms: ')
    ]
    assert len(lines) == 4


def test_a_charset_stays_while_it_has_the_characters(with_header):
    text = with_header('msgid "Tree"\nmsgstr "Дерево"\n\nmsgid "b"\nmsgstr "c"\n')
    content = text.replace("UTF-8", "KOI8-R").encode("koi8-r")
    catalogue = read(content, "ru")

    same = PO.write([changed(catalogue, "b", value="д")], OPTIONS).content
    other = PO.write([changed(catalogue, "b", value="語")], OPTIONS).content

    assert same == content.replace(b'"c"', '"д"'.encode("koi8-r"))
    assert other.decode() == text.replace('"c"', '"語"')


@pytest.mark.parametrize("charset", ["CHARSET", "ASCII"])
def test_a_file_of_ascii_becomes_utf_8_when_it_has_to(with_header, charset):
    text = with_header('msgid "b"\nmsgstr "c"\n').replace("UTF-8", charset)
    catalogue = read(text)

    assert write(changed(catalogue, "b", value="d")) == text.replace('"c"', '"d"')
    assert "charset=UTF-8" in write(changed(catalogue, "b", value="ü"))


def test_the_byte_order_mark_and_windows_line_ends_stay(file):
    content = b"\xef\xbb\xbf" + file.replace("\n", "\r\n").encode()
    catalogue = read(content)

    written = PO.write([changed(catalogue, "zeta", value="a\nb")], OPTIONS).content

    assert PO.write([catalogue], OPTIONS).content == content
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.count(b"\n") == written.count(b"\r\n")


def test_an_obsolete_text_comes_back_as_fuzzy_and_is_lost_to_no_empty_one(file):
    catalogue = read(file)
    live = Entry("back", key_detail={"msgid": "back"})
    said = replace(live, value="wieder da")

    without = replace(catalogue, entries=[*catalogue.entries, live])
    empty = write(without)
    canonical = write(replace(without, template=None))
    full = write(replace(catalogue, entries=[*catalogue.entries, said]))

    for written in (empty, canonical):
        assert '#, fuzzy\nmsgid "back"\nmsgstr "zurück"\n' in written
        assert '#~ msgid "back"' not in written
        assert '#~ msgid "gone"' in written
    assert 'msgid "back"\nmsgstr "wieder da"\n' in full
    assert "zurück" not in full
    found = {entry.key: entry for entry in read(empty).entries}["back"]
    assert (found.value, found.needs_review) == ("zurück", True)
    assert write(read(empty)) == empty


def test_an_obsolete_message_beside_a_live_one_of_its_name_stays(file):
    both = file + '\n#~ msgid "zeta"\n#~ msgstr "alt"\n'
    catalogue = read(both)

    assert write(catalogue) == both
    written = write(changed(catalogue, "zeta", value="neu"))
    assert written.endswith('\n#~ msgid "zeta"\n#~ msgstr "alt"\n')


def test_descriptions_are_written_to_the_file_of_the_source_language_only(file):
    german = changed(read(file), "zeta", description="new")
    english = replace(german, language_code="en")

    assert write(german) == file
    assert difference(file, write(english)) == ["-#. told", "+#. new"]


def test_a_renamed_key_is_named_in_its_place(file):
    lines = difference(file, write(changed(read(file), "zeta", key="menu.zeta")))

    assert lines == ["+#. locframework-key: menu.zeta"]


def test_keys_of_a_module_are_those_of_the_file(file):
    catalogue = read(file)
    moved = [replace(e, key=f"mail.{e.key}") for e in catalogue.entries]

    written = write(replace(catalogue, entries=moved), replace(OPTIONS, module="mail"))

    assert written == file


def test_a_message_that_another_file_has_as_a_name_stays(with_header):
    text = with_header('msgid "Hello world"\nmsgstr "Hallo"\n')
    catalogue = read(text)

    named = changed(catalogue, "hello", key="Hello world", is_file_key=True)

    assert write(named) == text
    assert write(replace(named, template=None)) == text


def test_a_source_text_that_changes_keeps_its_place(with_header):
    text = with_header(
        'msgctxt "key:a.b"\nmsgid "Pay"\nmsgstr "Zahlen"\n\nmsgid "c"\nmsgstr "d"\n'
    )
    catalogue = read(text)

    written = write(changed(catalogue, "a.b", source="Pay now"))

    assert difference(text, written) == ['-msgid "Pay"', '+msgid "Pay now"']


@pytest.mark.parametrize("template", [b"", b"\n", b'{"a": "b"}', b"# nothing\n"])
def test_what_is_no_file_to_write_into_is_left_alone(file, template):
    catalogue = replace(read(file), template=None)

    assert write(replace(catalogue, template=template)) == write(catalogue)


def test_a_template_keeps_its_layout_too(file):
    [catalogue] = POT.read(SourceFile("x.pot", file.encode()), OPTIONS)
    catalogue = replace(catalogue, template=file.encode())

    assert POT.write([catalogue], OPTIONS).content.decode() == file


@pytest.mark.usefixtures("gettext_tools")
def test_what_msgfmt_accepted_it_accepts_again(file):
    catalogue = read(file)
    live = Entry("back", key_detail={"msgid": "back"})
    value = {"one": "%d x", "other": "%d y"}
    some = changed(changed(catalogue, "zeta", value="é" * 90), "d-file", value=value)

    written = write(replace(some, entries=[*some.entries, live]))

    assert refusals([file, written]) == {}
    done = subprocess.run(
        ["msgcat", "-o", os.devnull, "-"], input=written.encode(), check=False
    )
    assert done.returncode == 0
