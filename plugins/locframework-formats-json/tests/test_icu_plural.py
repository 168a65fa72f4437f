"""ICU plural messages become forms where nothing is lost, and come back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json.icu_plural import parse_plural, write_plural

from locframework.ports import PLURAL_FORMS

unhurried = settings(deadline=None)  # the machine may be busy


def test_a_message_is_taken_apart() -> None:
    message = "{ n ,plural,  one {1 item}other{{n} items ({size})}\n}"

    assert parse_plural(message) == (
        "n",
        {"one": "1 item", "other": "{n} items ({size})"},
        {},
    )


def test_numbers_are_the_forms_that_flutter_takes_them_for() -> None:
    plural = parse_plural("{count, plural, =2{a pair} =0{} few{some} other{many}}")

    assert plural is not None
    assert plural.forms == {"zero": "", "two": "a pair", "few": "some", "other": "many"}
    assert plural.exact == {"two": "=2", "zero": "=0"}


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{count}",
        "{count, plural}",
        "{count, plural, }",
        "{count, plural, one{1}}",
        "{count, plural, other{n} other{m}}",
        "{count, plural, one{1} =1{1} other{n}}",
        "{count, plural, =3{3} other{n}}",
        "{count, plural, offset:1 one{1} other{n}}",
        "{count, plural, One{1} other{n}}",
        "{count, plural, one other{n}}",
        "{count, plural, other{n}",
        "{count, plural, other{n}} ",
        " {count, plural, other{n}}",
        "{count, plural, other{n}} of {count, plural, other{n}}",
        "{count, plural, other{n}}}",
        "{count, selectordinal, one{1st} other{nth}}",
        "{gender, select, male{he} other{they}}",
        "{a b, plural, other{n}}",
        "{count, plural, one{'}'} other{n}}",
    ],
)
def test_a_message_that_says_more_than_forms_stays_a_text(message: str) -> None:
    assert parse_plural(message) is None


@pytest.mark.parametrize("text", ["}", "{", "}{", "{}}", "a {b} c}"])
def test_braces_without_their_pair_cannot_be_written(text: str) -> None:
    assert write_plural("count", {"one": text, "other": "n"}, {}) is None


def test_the_spelling_of_numbers_is_kept_only_where_it_fits() -> None:
    forms = {"one": "1", "two": "2", "other": "n"}
    exact = {"one": "=1", "two": "=1", "few": "=2", "other": 3}

    message = write_plural("count", forms, exact)

    assert message == "{count, plural, =1{1} two{2} other{n}}"


@unhurried
@given(st.dictionaries(st.sampled_from(PLURAL_FORMS), st.text("{}' ,=1onether#\n")))
def test_what_is_written_is_taken_apart_the_same(forms: dict[str, str]) -> None:
    forms = {**forms, "other": forms.get("other", "")}
    exact = {"one": "=1"} if "one" in forms else {}

    message = write_plural("count", forms, exact)

    assert message is None or parse_plural(message) == ("count", forms, exact)


def test_a_long_message_takes_no_longer_than_it_is() -> None:
    for part in ("{", "}", " ", "a", "=", "one{", "one{}", "one{x} "):
        assert parse_plural("{count, plural, " + part * 100_000) is None
