"""What keys and texts may be, and what becomes of a written value."""

import pytest
from msgspec.structs import replace

from locframework.errors import (
    InvalidKey,
    InvalidPluralForm,
    PluralMismatch,
    ValidationFailed,
)
from locframework.keys.records import StoredValue
from locframework.keys.rules import (
    apply_write,
    check_key,
    clean_tags,
    in_order,
    module_of,
    moved_form,
    new_value,
    texts_by_form,
)

THEN, NOW = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"


def value(text, **fields):
    fresh = new_value("k", "de", None, text, origin="human", at=NOW, by="anna")
    return replace(fresh, **fields)


def approved(text, **fields):
    return value(
        text,
        status="approved",
        approved_value=text,
        approved_at=THEN,
        approved_by="bert",
        updated_at=THEN,
        updated_by="bert",
        **fields,
    )


@pytest.mark.parametrize("key", ["a", "a.b", "A-1_x.Y", "k" * 500, "-", "_"])
def test_a_key_of_legal_segments_passes(key):
    check_key(key, ".")  # raises nothing

    assert module_of(key + ".z", ".") == key.split(".")[0]


@pytest.mark.parametrize(
    "key",
    ["", ".", "a.", ".a", "a..b", "a b", "ä", "a.b\n", "²", "a:b", "k" * 501, "а"],
)
def test_a_key_with_an_illegal_segment_is_refused(key):
    with pytest.raises(InvalidKey):
        check_key(key, ".")


def test_the_separator_is_the_projects():
    check_key("a:b", ":")
    with pytest.raises(InvalidKey):
        check_key("a.b", ":")


def test_the_module_is_the_first_segment_and_root_for_a_single_one():
    assert module_of("checkout.pay.now", ".") == "checkout"
    assert module_of("title", ".") == "@root"


def test_tags_are_trimmed_and_kept_once_in_order():
    assert clean_tags([" b ", "a", "b"]) == ("b", "a")
    with pytest.raises(ValidationFailed):
        clean_tags(["a", "  "])


def test_a_plural_key_takes_an_object_and_another_a_string():
    assert texts_by_form("x", is_plural=False) == {None: "x"}
    assert texts_by_form({"one": "x"}, is_plural=True) == {"one": "x"}
    with pytest.raises(PluralMismatch):
        texts_by_form("x", is_plural=True)
    with pytest.raises(PluralMismatch):
        texts_by_form({"other": "x"}, is_plural=False)
    with pytest.raises(InvalidPluralForm):
        texts_by_form({"several": "x"}, is_plural=True)


def test_a_text_has_64_kib_at_most_counted_in_bytes():
    texts_by_form("ä" * 32768, is_plural=False)
    with pytest.raises(ValidationFailed, match="bytes"):
        texts_by_form("ä" * 32769, is_plural=False)


def test_an_approvers_text_is_approved():
    kept = apply_write(None, value("Hallo"), "approved")

    assert isinstance(kept, StoredValue)
    assert (kept.value, kept.status, kept.approved_value) == (
        "Hallo",
        "approved",
        "Hallo",
    )
    assert (kept.approved_at, kept.approved_by, kept.revision) == (NOW, "anna", 1)


def test_anothers_text_waits_and_the_approved_one_stays_beside_it():
    for text in ("Moin", ""):  # an empty one proposes to clear it
        kept = apply_write(approved("Hallo", revision=3), value(text), "pending_review")

        assert isinstance(kept, StoredValue)
        assert (kept.value, kept.status, kept.revision) == (text, "pending_review", 4)
        assert (kept.approved_value, kept.approved_by) == ("Hallo", "bert")


@pytest.mark.parametrize(
    ("old", "text", "status", "expected"),
    [
        (approved("Hallo"), "", "approved", None),
        (value("Moin"), "", "pending_review", None),
        (None, "", "approved", "unchanged"),
        (approved("Hallo"), "Hallo", "approved", "unchanged"),
        (approved("Hallo"), "Hallo", "pending_review", "unchanged"),
    ],
)
def test_a_text_is_cleared_or_unchanged(old, text, status, expected):
    assert apply_write(old, value(text), status) == expected


@pytest.mark.parametrize("old", [approved("Hallo", is_outdated=True), value("Hallo")])
def test_an_approver_who_writes_a_text_again_approves_it_as_up_to_date(old):
    kept = apply_write(old, value("Hallo"), "approved")

    assert isinstance(kept, StoredValue)
    assert (kept.status, kept.is_outdated) == ("approved", False)


def test_turning_plurals_on_moves_the_text_to_other_and_back():
    on = moved_form(value("Datei"), is_plural=True)

    assert on is not None
    assert on.plural_form == "other"
    back = moved_form(on, is_plural=False)
    assert back is not None
    assert back.plural_form is None
    assert moved_form(replace(on, plural_form="one"), is_plural=False) is None


def test_values_come_by_project_language_then_by_plural_form():
    def at(language, form):
        return value("x", language_code=language, plural_form=form)

    mixed = [at("de", "other"), at("en", "many"), at("de", "one"), at("en", "zero")]

    ordered = in_order(mixed, {"en": 0, "de": 1})

    assert [(v.language_code, v.plural_form) for v in ordered] == [
        ("en", "zero"),
        ("en", "many"),
        ("de", "one"),
        ("de", "other"),
    ]
