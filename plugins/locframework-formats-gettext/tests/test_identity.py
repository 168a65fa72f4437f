"""How messages become keys and keys messages."""

import re

import pytest
from locframework_formats_gettext.identity import key_of, message_of, source_of
from locframework_formats_gettext.po_file import Message
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, UnreadableFile, legal_key


def key(msgid, msgctxt=None, separator="."):
    return key_of(Message(msgid, msgctxt), separator)


def test_a_key_is_readable_legal_and_told_apart_by_a_hash():
    assert key("Save changes?") == "save-changes-3d876c1cdd96"
    assert key("Save changes!") != key("Save changes?")
    assert key("Open", "menu") != key("Open", "dialog") != key("Open")
    assert key("保存") == "41f33e7e37f8"


@pytest.mark.parametrize(
    "msgid",
    ["%(count)d items", "a" * 5000, "x y " * 900, "…", "", "é", "--", "a\nb\0c"],
)
def test_every_msgid_gives_a_legal_key(msgid):
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key(msgid, "context"))


def test_a_msgid_that_is_a_key_is_its_own_key():
    assert key("checkout.pay_now") == "checkout.pay_now"
    assert key("Save") == "Save"
    assert key("checkout:pay", separator=":") == "checkout:pay"
    assert key("checkout.pay", separator=":") != "checkout.pay"
    assert key("checkout.pay", "menu") != "checkout.pay"
    assert key("etc.") != "etc."
    assert len(key("k" * 501)) < 60


def test_a_plural_is_another_key_but_where_the_msgid_is_a_name():
    assert key_of(Message("a file", None, "files"), ".") != key("a file")
    assert key_of(Message("file", None, "files"), ".") != key("file")
    assert key_of(Message("cart.items", None, "cart.items"), ".") == "cart.items"


def test_a_name_has_no_source_text():
    assert source_of(Message("checkout.pay"), ".") is None
    assert source_of(Message("pay_now"), ".") is None
    assert source_of(Message("Save"), ".") == "Save"
    assert source_of(Message("Read the file."), ".") == "Read the file."
    assert source_of(Message("file", None, "files"), ".") == {
        "one": "file",
        "other": "files",
    }


def test_a_key_of_another_origin_is_found_again_by_its_context():
    message = message_of(Entry("checkout.pay", "Zahlen", source="Pay"), ".")

    assert (message.msgctxt, message.msgid) == ("key:checkout.pay", "Pay")
    assert key_of(message, ".") == "checkout.pay"
    assert source_of(message, ".") == "Pay"


def test_a_key_without_a_source_text_is_its_own_msgid():
    message = message_of(Entry("checkout.pay", "Zahlen"), ".")

    assert (message.msgctxt, message.msgid) == (None, "checkout.pay")


def test_a_plural_of_another_origin_has_both_source_texts():
    source = {"one": "%d file", "other": "%d files"}

    message = message_of(Entry("files", None, is_plural=True, source=source), ".")

    assert (message.msgid, message.msgid_plural) == ("%d file", "%d files")
    assert source_of(message, ".") == source


@pytest.mark.parametrize(
    ("source", "msgid", "plural"),
    [
        ({"other": "ファイル"}, "ファイル", "ファイル"),
        ({"one": "файл", "few": "файла", "many": "файлов"}, "файл", "файлов"),
        ("file", "file", "file"),
        (None, "files", "files"),
        ({}, "files", "files"),
    ],
)
def test_a_plural_always_has_a_msgid_and_a_plural(source, msgid, plural):
    message = message_of(Entry("files", is_plural=True, source=source), ".")

    assert (message.msgid, message.msgid_plural) == (msgid, plural)


def test_the_stored_message_wins_over_key_and_source():
    detail = {"msgid": "Pay", "msgctxt": "button", "flags": "c-format"}

    message = message_of(Entry("renamed", source="Pay now", key_detail=detail), ".")

    assert (message.msgctxt, message.msgid) == ("button", "Pay")
    assert message.flags == "c-format"


def test_a_detail_of_another_shape_counts_as_none():
    message = message_of(Entry("a.b", key_detail={"msgid": 1}), ".")

    assert message.msgid == "a.b"


@pytest.mark.parametrize(
    "description",
    ["", "Explained", "Explained\n\ntwice", "Told\nlocframework-key: other"],
)
@pytest.mark.parametrize("is_plural", [True, False])
def test_a_key_that_was_renamed_or_made_plural_is_read_as_itself(
    read, write, description, is_plural
):
    [entry] = read('msgid "Save it"\nmsgstr "Sichern"\n').entries
    value = {"one": "Sichern", "other": "Sichern"} if is_plural else "Sichern"
    renamed = replace(
        entry,
        key="menu.save",
        value=value,
        is_plural=is_plural,
        description=description,
    )

    written = write(Catalogue("de", [renamed]))
    catalogue = read(written)

    [again] = catalogue.entries
    assert catalogue.warnings == []
    assert written.count("#. locframework-key: menu.save\n") == 1
    assert (again.key, again.value) == ("menu.save", value)
    assert again.description == description
    assert again.key_detail["msgid"] == "Save it"


def test_a_key_that_its_message_tells_is_not_named_beside(read, write):
    for text in ('msgid "Save it"\nmsgstr "Sichern"\n', 'msgid "a.b"\nmsgstr "x"\n'):
        assert "locframework-key" not in write(read(text))
    new = Entry("menu.save", "Sichern", source="Save it")
    assert "locframework-key" not in write(Catalogue("de", [new]))


@pytest.mark.parametrize(
    "note", ["no key!", "", "a..b", "a (b", "(b)", "a a", "a (a)", "k" * 501, "a, b"]
)
def test_what_is_no_key_after_the_note_is_a_comment_and_told(read, note):
    catalogue = read(f'#. locframework-key: {note}\nmsgid "a"\nmsgstr "b"\n')

    [entry] = catalogue.entries
    assert entry.key == "a"
    assert entry.description == f"locframework-key: {note}"
    [warning] = catalogue.warnings
    told = "line 2: its comment names no key, as `locframework-key:` should"
    assert warning == told


@pytest.mark.parametrize("note", ["locframework-key:b", "locframework-key:  b \t"])
def test_an_editor_may_change_the_space_around_a_named_key(read, note):
    catalogue = read(f'#. Told\n#. {note}\nmsgid "a"\nmsgstr "b"\n')

    [entry] = catalogue.entries
    assert (entry.key, entry.description, catalogue.warnings) == ("b", "Told", [])


def test_keys_that_are_one_message_are_all_named(read, write):
    born = {"msgid": "Save"}
    a = Entry("a.save", "Sichern", key_detail=born, description="In a menu")
    same = Entry("b.save", "Sichern", key_detail=born)
    none = Entry("c.save", None, key_detail=born)
    other = Entry("d.save", "Speichern", key_detail=born)

    written = write(Catalogue("de", [a, same, none, other]))
    again = {entry.key: entry for entry in read(written).entries}

    assert "#. locframework-key: a.save b.save (c.save) (d.save)\n" in written
    assert {key: entry.value for key, entry in again.items()} == {
        "a.save": "Sichern",
        "b.save": "Sichern",
        "c.save": None,
        "d.save": None,
    }
    assert [entry.description for entry in again.values()] == ["In a menu", "", "", ""]
    assert [entry.key_detail for entry in again.values()] == [born, None, None, None]


def test_a_name_without_a_source_text_is_not_read_as_one(read, write):
    names = [Entry("ok", "gut"), Entry("home-page"), Entry("a.b")]
    names += [Entry("n", {"one": "x", "other": "y"}, is_plural=True)]
    born = Entry("x.ok", "Okay", key_detail={"msgid": "ok"}, source="ok")

    written = write(Catalogue("de", [*names, born]))

    assert [(e.key, e.source, e.key_detail) for e in read(written).entries[:2]] == [
        ("ok", None, None),
        ("home-page", None, None),
    ]
    sources = {entry.key: entry.source for entry in read(written).entries}
    assert sources == dict.fromkeys(["ok", "home-page", "a.b", "n"]) | {"x.ok": "ok"}
    assert written.count("locframework-key") == 4  # a name with a separator is plain


def test_of_a_module_that_was_asked_for_only_other_names_are_told(po, options):
    born = [Entry(f"mail.{msgid}", "x", key_detail={"msgid": msgid}) for msgid in "ab"]
    entries = [*born, Entry("mail.mail.c", "x", key_detail={"msgid": "mail.c"})]

    def written(module):
        asked = replace(options, module=module)
        return po.write([Catalogue("de", entries)], asked).content.decode()

    assert written(None).count("locframework-key") == 3
    assert written("mail").count("locframework-key") == 1
    assert "locframework-key: mail.mail.c" in written("mail")


def test_two_messages_that_name_one_key_are_told_by_it(read):
    text = '#. locframework-key: x\nmsgid "{}"\nmsgstr "S"\n\n'

    with pytest.raises(UnreadableFile) as refused:
        read(text.format("Save") + text.format("Quit"))

    assert "line 6: its key is x, as that of line 2" in str(refused.value)


@pytest.mark.parametrize("source", ["Hello", None])
@pytest.mark.parametrize("name", ["Hello world", "Read the file.", "top left.a b", "…"])
def test_a_name_of_another_file_comes_back_as_it_is(read, write, name, source):
    entry = Entry(name, "Hallo", source=source, is_file_key=True)

    written = write(Catalogue("de", [entry]))
    [again] = read(written).entries

    known = name if source else legal_key(name, ".")
    assert (again.key, again.value, again.source) == (known, "Hallo", source)
    assert f'msgctxt "key:{name}"' in written
    assert again.key_detail is None


def test_a_key_begins_with_the_legal_segments_of_its_msgid():
    assert key("menu.file.Save as…").startswith("menu.file.save-as-")
    assert key("Öffnen").startswith("offnen-")
