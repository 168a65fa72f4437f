"""What states and localizations mean, what templates keep, and what is told."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_apple import ApplePlugin
from msgspec.structs import replace

from locframework.ports import PLURAL_FORMS, Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(".", "en")
DEVICES = {"variations": {"device": {"mac": {"stringUnit": {"value": "Click"}}}}}


@pytest.fixture
def xcstrings():
    return ApplePlugin().loc_provide_formats()[2]


def unit(text, state="translated"):
    return {"stringUnit": {"state": state, "value": text}}


def plural(state="translated", **forms):
    return {"variations": {"plural": {f: unit(forms[f], state) for f in forms}}}


def catalog(**strings):
    """A file as Xcode writes it."""
    whole = {"sourceLanguage": "en", "strings": strings, "version": "1.0"}
    text = json.dumps(whole, ensure_ascii=False, indent=2, separators=(",", " : "))
    return text.replace("{}", "{\n\n    }").encode()


def localized(**localizations):
    return catalog(Pay={"localizations": localizations})


def read(format_, content):
    """The entries of a file by language, and its warnings."""
    found = format_.read(SourceFile("x.xcstrings", content), OPTIONS)
    entries = {
        each.language_code: [replace(entry, line=None) for entry in each.entries]
        for each in found
    }
    return entries, found[0].warnings


def written(format_, template=None, **entries):
    """The file of some entries by language, and its warnings."""
    catalogues = [Catalogue(code, entries[code], template=template) for code in entries]
    done = format_.write(catalogues, OPTIONS)
    return done.content, done.warnings


def lines_changed(before, after):
    old, new = before.decode().splitlines(), after.decode().splitlines()
    gone = [line.strip() for line in old if line not in new]
    return gone, [line.strip() for line in new if line not in old]


ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0{}"), min_size=1)
FORMS = st.dictionaries(st.sampled_from(PLURAL_FORMS), ANY, min_size=1)


@settings(deadline=None)
@given(st.dictionaries(ANY, ANY | FORMS))
def test_new_files_are_as_xcode_writes_them(texts):
    format_ = ApplePlugin().loc_provide_formats()[2]
    entries = [Entry(k, t, is_plural=isinstance(t, dict)) for k, t in texts.items()]

    made, _ = written(format_, en=entries, de=entries)

    found = json.loads(made)["strings"]
    expected = {
        key: {
            "localizations": {
                code: unit(text)
                if isinstance(text, str)
                else plural(**{form: text[form] for form in sorted(text)})
                for code in ("de", "en")
                if code == "de" or text != key
            }
        }
        for key, text in texts.items()
    }
    assert found == expected
    if found:
        assert made == catalog(**expected)


@pytest.mark.parametrize(
    ("state", "code", "is_open"),
    [
        ("translated", "de", False),
        ("needs_review", "de", True),
        ("new", "de", True),
        ("translated", "en", False),
        ("needs_review", "en", True),
        ("new", "en", False),
    ],
)
def test_a_state_tells_whether_a_text_is_to_be_reviewed(
    xcstrings, state, code, is_open
):
    content = localized(**{code: unit("x", state)})

    [entry] = read(xcstrings, content)[0][code]

    assert entry == Entry("Pay", "x", needs_review=is_open)
    assert written(xcstrings, content, **{code: [entry]})[0] == content
    reviewed = replace(entry, needs_review=not is_open)
    changed, _ = written(xcstrings, content, **{code: [reviewed]})
    new = "translated" if is_open else "needs_review"
    assert lines_changed(content, changed) == (
        [f'"state" : "{state}",'],
        [f'"state" : "{new}",'],
    )


def test_a_key_without_a_source_text_is_its_own(xcstrings):
    content = catalog(Cancel={}, Pay={"localizations": {"de": unit("Zahlen")}})

    entries, _ = read(xcstrings, content)

    assert entries["en"] == [Entry("Cancel", "Cancel"), Entry("Pay", "Pay")]
    assert written(xcstrings, content, **entries)[0] == content
    changed = [Entry("Cancel", "Stop"), Entry("Pay", "Pay")]
    filled, _ = written(xcstrings, content, en=changed, de=entries["de"])
    assert json.loads(filled)["strings"]["Cancel"] == {
        "localizations": {"en": unit("Stop")}
    }


def test_a_key_whose_translations_are_gone_stays(xcstrings):
    content = localized(de=unit("Zahlen"))

    filled, _ = written(xcstrings, content, en=[Entry("Pay", "Pay")], de=[Entry("Pay")])

    assert filled == catalog(Pay={})


def test_what_is_not_to_be_translated_is_no_key_and_kept(xcstrings):
    content = catalog(Pay={"shouldTranslate": False}, **{"": {}})

    assert read(xcstrings, content) == ({"en": []}, [])
    filled, warnings = written(xcstrings, content, en=[Entry("Pay", "x")])
    assert filled == content
    assert warnings == ["Pay is left out: it is not translated"]


def test_devices_and_substitutions_are_kept_and_told(xcstrings):
    many = unit("%#@n@") | {"substitutions": {"n": plural(other="%arg")}}
    content = localized(de=DEVICES, fr=many)

    entries, warnings = read(xcstrings, content)

    assert entries == {"en": [Entry("Pay", "Pay")], "fr": [Entry("Pay", "%#@n@")]}
    told = "has texts for devices, or substitutions: they are left out"
    assert warnings == [f"line 4: 'Pay' {told}"]
    filled, warnings = written(
        xcstrings, content, en=[Entry("Pay", "Pay")], de=[Entry("Pay", "Zahlen")]
    )
    assert filled == content
    assert warnings == ["Pay is left out in de: it has texts for devices"]
    filled, _ = written(xcstrings, content, fr=[Entry("Pay", "%#@n@ x")])
    assert lines_changed(content, filled)[1] == ['"value" : "%#@n@ x"']


def test_forms_come_and_go_in_the_order_of_xcode(xcstrings):
    content = localized(ru=plural("new", one="1", other="n"))
    forms = {"few": "f", "many": "m", "other": "n"}

    filled, _ = written(
        xcstrings, content, ru=[Entry("Pay", forms, is_plural=True, needs_review=True)]
    )

    ru = plural("needs_review", **forms)
    ru["variations"]["plural"]["other"] = unit("n", "new")
    assert filled == localized(ru=ru)


def test_a_plain_text_of_a_plural_key_stays_plain(xcstrings):
    content = localized(ja=unit("x"))

    filled, warnings = written(
        xcstrings, content, ja=[Entry("Pay", {"other": "y"}, is_plural=True)]
    )

    assert (filled, warnings) == (localized(ja=unit("y")), [])


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (unit("x"), {"one": "1", "other": "n"}, plural(one="1", other="n")),
        (plural(one="1", other="n"), "x", unit("x")),
        (unit(""), "x", unit("x")),
        (unit(""), {"other": "n"}, plural(other="n")),
    ],
)
def test_a_text_may_become_plural_and_singular(xcstrings, before, text, after):
    entry = Entry("Pay", text, is_plural=isinstance(text, dict))

    assert written(xcstrings, localized(de=before), de=[entry])[0] == localized(
        de=after
    )


def test_a_new_language_stands_in_the_order_of_the_alphabet(xcstrings):
    content = localized(de=unit("Zahlen"), fr=unit("Payer"))
    new = {code: [Entry("Pay", code)] for code in ("it", "es", "ar")}

    filled, _ = written(xcstrings, content, **new)

    texts = {"ar": "ar", "de": "Zahlen", "es": "es", "fr": "Payer", "it": "it"}
    assert filled == localized(**{code: unit(text) for code, text in texts.items()})


def test_a_language_is_found_however_it_is_spelled(xcstrings):
    content = localized(zh_Hans=unit("x"))

    filled, _ = written(xcstrings, content, **{"zh-Hans": [Entry("Pay", "y")]})

    assert filled == localized(zh_Hans=unit("y"))


def test_comments_are_descriptions(xcstrings):
    content = catalog(Pay={"comment": "old", "localizations": {"de": unit("x")}})
    entry = Entry("Pay", "Pay", description="new")

    filled, _ = written(xcstrings, content, en=[entry])

    assert lines_changed(content, filled) == (
        ['"comment" : "old",'],
        ['"comment" : "new",'],
    )
    filled, _ = written(xcstrings, localized(de=unit("x")), en=[entry])
    assert list(json.loads(filled)["strings"]["Pay"]) == ["comment", "localizations"]


def test_a_plural_without_a_form_for_other_is_told(xcstrings):
    _, warnings = written(xcstrings, en=[Entry("a", {"one": "x"}, is_plural=True)])

    assert warnings == ["a has no text for 'other', which is needed"]


@pytest.mark.parametrize(
    ("name", "content", "is_its"),
    [
        ("App/Localizable.xcstrings", catalog(), True),
        ("App/Localizable.json", catalog(), False),
        ("App/Localizable.xcstrings", b"{}", False),
    ],
)
def test_files_are_recognized_by_extension(xcstrings, name, content, is_its):
    assert xcstrings.recognizes(SourceFile(name, content)) is is_its
