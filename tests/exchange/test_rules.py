"""What an import does to a key: fills in, keeps, overwrites, and never clears."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from locframework.exchange.records import ImportedKey, ImportResult, OnConflict
from locframework.exchange.rules import (
    LISTED_LIMIT,
    ImportRules,
    KeyPlan,
    count,
    plan_key,
    warn,
)
from locframework.formats.records import PLURAL_FORMS, Text
from locframework.keys.records import StoredKey, StoredValue

NOW = "2026-11-21T08:00:00.000Z"
KEEP = ImportRules(
    "keep", (), "en", fill_source=True, may_describe=True, may_approve=True
)
OVERWRITE = replace(KEEP, on_conflict="overwrite")
AUTO = replace(KEEP, on_conflict="auto")


def _field(plan: KeyPlan, name: str) -> object:
    """Return what the plan sets an attribute of the key to, or UNSET."""
    return UNSET if plan.write is None else plan.write.fields.get(name, UNSET)


def imported(values: Mapping[str, Text] | None = None, **fields: Any) -> ImportedKey:
    is_plural = any(isinstance(text, Mapping) for text in (values or {}).values())
    made = ImportedKey("cart.pay", is_plural, "", dict(values or {}), None, (), [])
    return replace(made, **fields)


def key(**fields: Any) -> StoredKey:
    made = StoredKey(
        "k1", "p1", "cart.pay", "", (), False, None, None, "main", NOW, NOW
    )
    return replace(made, **fields)


def value(tag: str, text: str, form: str | None = None) -> StoredValue:
    return StoredValue(
        "k1", tag, form, text, "approved", False, 1, "human", text, NOW, "u", NOW, "u"
    )


def written(plan: KeyPlan) -> Mapping[str, Text]:
    return plan.write.values if plan.write is not None else {}


def test_a_key_that_is_not_there_is_created_with_all_it_has() -> None:
    texts = {"en": "Pay", "de": "Zahlen"}
    new = imported(texts, description="A button", review=("de",))

    plan = plan_key(new, None, [], replace(KEEP, tags=("app",)))

    assert plan.write is not None
    assert plan.write.key_id is None
    assert (plan.write.values, plan.write.review) == (texts, {"de"})
    assert (_field(plan, "description"), _field(plan, "tags")) == ("A button", ("app",))
    assert _field(plan, "is_plural") is False
    assert plan.values_written == 2


def test_a_key_that_says_the_same_is_left_alone() -> None:
    new = imported({"en": "Pay"}, description="A button")
    rows = [value("en", "Pay"), value("de", "Zahlen")]

    plan = plan_key(new, key(description="A button"), rows, OVERWRITE)

    assert plan == KeyPlan(None, 0, [], [])


@pytest.mark.parametrize(("text", "conflicts"), [("Bezahlen", 1), ("Zahlen", 0)])
def test_a_text_that_waits_to_be_cleared_is_kept_as_it_is(
    text: str, conflicts: int
) -> None:
    row = replace(value("de", "Zahlen"), value="", status="pending_review")

    plan = plan_key(imported({"de": text}), key(), [row], KEEP)

    assert written(plan) == {}
    assert len(plan.conflicts) == conflicts


@pytest.mark.parametrize(
    ("before", "may_approve", "review", "is_written"),
    [
        ({"status": "pending_review"}, True, (), True),
        ({"status": "pending_review"}, True, ("de",), False),
        ({"status": "pending_review"}, False, (), False),
        ({"status": "draft"}, False, (), True),
        ({"status": "approved"}, True, ("de",), False),
        ({"is_outdated": True}, True, (), True),
        ({"is_outdated": True}, False, (), True),
        ({"is_outdated": True, "status": "pending_review"}, False, (), True),
    ],
)
def test_the_same_text_is_written_where_that_settles_it(
    before: Any, may_approve: bool, review: tuple[str, ...], is_written: bool
) -> None:
    row = replace(value("de", "Zahlen"), **before)
    rules = replace(KEEP, may_approve=may_approve)

    plan = plan_key(imported({"de": "Zahlen"}, review=review), key(), [row], rules)

    assert written(plan) == ({"de": "Zahlen"} if is_written else {})
    assert plan.values_written == int(is_written)
    assert plan.conflicts == []


@pytest.mark.parametrize(
    ("on_conflict", "texts"),
    [("keep", {}), ("overwrite", {"de": "Bezahlen"}), ("fail", {})],
)
def test_a_text_that_differs_is_a_conflict(
    on_conflict: OnConflict, texts: dict[str, str]
) -> None:
    rules = replace(KEEP, on_conflict=on_conflict)

    plan = plan_key(imported({"de": "Bezahlen"}), key(), [value("de", "Zahlen")], rules)

    assert written(plan) == texts
    [conflict] = plan.conflicts
    assert (conflict.existing, conflict.imported) == ("Zahlen", "Bezahlen")
    assert (conflict.key, conflict.language_code) == ("cart.pay", "de")


def test_a_conflict_shows_whole_texts() -> None:
    plan = plan_key(imported({"de": "n" * 999}), key(), [value("de", "o" * 999)], KEEP)

    [conflict] = plan.conflicts
    assert len(conflict.existing) == len(conflict.imported) == 999


@pytest.mark.parametrize(
    ("texts", "is_plural", "new"),
    [
        ({"de": "Zahlen"}, False, {"de": "Zahlen"}),
        ({"ja": "{n}個"}, True, {"ja": {"other": "{n}個"}}),
        ({"en": {"other": "{n}"}}, False, {"en": {"other": "{n}"}}),  # turns plural
    ],
)
def test_a_missing_text_is_filled_in_as_its_key_has_it(
    texts: dict[str, Text], is_plural: bool, new: dict[str, Text]
) -> None:
    plan = plan_key(imported(texts), key(is_plural=is_plural), [], KEEP)

    assert plan.write is not None
    assert written(plan) == new
    assert _field(plan, "is_plural") is (True if "en" in texts else UNSET)


def test_plural_forms_are_compared_one_by_one() -> None:
    new = imported({"de": {"one": "eins", "other": "{n}"}})
    rows = [value("de", "eins", "one"), value("de", "viele", "other")]

    kept = plan_key(new, key(is_plural=True), rows[:1], KEEP)
    conflicting = plan_key(new, key(is_plural=True), rows, OVERWRITE)

    assert written(kept) == {"de": {"other": "{n}"}}
    assert written(conflicting) == {"de": {"other": "{n}"}}
    assert [conflict.plural_form for conflict in conflicting.conflicts] == ["other"]


def test_a_key_with_texts_becomes_plural_only_when_asked_to_overwrite() -> None:
    new = imported({"en": {"one": "one", "other": "{n}"}})
    rows = [value("en", "{n}")]

    kept = plan_key(new, key(), rows, KEEP)
    turned = plan_key(new, key(), rows, OVERWRITE)

    assert kept.write is None
    told = [(each.plural_form, each.existing) for each in kept.conflicts]
    assert told == [("one", "{n}")]  # other says the same: that is no conflict
    assert "plural only in the file" in kept.warnings[0]
    assert turned.write is not None
    assert _field(turned, "is_plural") is True
    assert written(turned) == {"en": {"one": "one"}}  # other has its text already
    assert turned.conflicts == []


def test_nobody_makes_a_key_plural_without_key_update() -> None:
    new = imported({"en": {"other": "{n}"}})

    plan = plan_key(new, key(), [], replace(OVERWRITE, may_describe=False))

    assert plan.write is None
    assert "key_update" in plan.warnings[0]


def test_a_key_becomes_one_text_when_its_source_file_lost_the_forms() -> None:
    forms = {"one": "1", "other": "{n}"}
    new = imported({"en": "any"}, base={"en": forms})
    old = key(is_plural=True)
    rows = [value("en", "1", "one"), value("en", "{n}", "other")]

    turned = plan_key(new, old, rows, AUTO)
    of_german = plan_key(imported({"de": "any"}, base={"de": forms}), old, rows, AUTO)
    plain_before = plan_key(replace(new, base={"en": "{n}"}), old, rows, AUTO)

    assert _field(turned, "is_plural") is False
    assert (written(turned), turned.conflicts) == ({"en": "any"}, [])
    for plan, tag in ((of_german, "de"), (plain_before, "en")):
        assert _field(plan, "is_plural") is UNSET
        assert written(plan) == {tag: {"other": "any"}}


NO_SOURCE = "cart.pay: its source text is left out, as en is not assigned to you"


@pytest.mark.parametrize(
    ("texts", "source", "fill_source", "new", "warnings"),
    [
        ({"de": "Zahlen"}, None, True, {"en": "Pay", "de": "Zahlen"}, []),
        ({"en": "Pay now"}, None, True, {"en": "Pay now"}, []),
        ({"de": "Zahlen"}, "Pay now", True, {"de": "Zahlen"}, []),
        ({"de": "Zahlen"}, None, False, {"de": "Zahlen"}, [NO_SOURCE]),
        ({"de": "Zahlen"}, "Pay now", False, {"de": "Zahlen"}, []),
    ],
)
def test_a_source_text_beside_a_translation_only_fills_the_source(
    texts: dict[str, Text],
    source: str | None,
    fill_source: bool,
    new: dict[str, Text],
    warnings: list[str],
) -> None:
    rules = replace(OVERWRITE, fill_source=fill_source)
    rows = [] if source is None else [value("en", source)]
    file = imported(texts, source="Pay")

    plans = [plan_key(file, key(), rows, rules)]
    if source is None:
        plans.append(plan_key(file, None, [], rules))

    for plan in plans:
        assert written(plan) == new
        assert (plan.conflicts, plan.warnings) == ([], warnings)


@pytest.mark.parametrize(
    ("before", "on_conflict", "after"),
    [
        ("", "keep", "New"),
        ("Old", "keep", UNSET),
        ("Old", "overwrite", "New"),
        ("New", "overwrite", UNSET),
    ],
)
def test_a_description_fills_or_overwrites(
    before: str, on_conflict: OnConflict, after: object
) -> None:
    rules = replace(KEEP, on_conflict=on_conflict)

    plan = plan_key(imported(description="New"), key(description=before), [], rules)

    assert _field(plan, "description") == after


@pytest.mark.parametrize(
    ("before", "after", "warnings"),
    [
        (("a", "b"), ("a", "b", "c"), 0),
        (tuple(f"t{number}" for number in range(20)), UNSET, 1),
    ],
)
def test_tags_are_added_up_to_twenty(
    before: tuple[str, ...], after: object, warnings: int
) -> None:
    rules = replace(KEEP, tags=("b", "c"))

    plan = plan_key(imported(), key(tags=before), [], rules)

    assert _field(plan, "tags") == after
    assert len(plan.warnings) == warnings
    assert all("20 tags" in warning for warning in plan.warnings)


def test_description_and_tags_stay_without_key_update() -> None:
    rules = replace(KEEP, tags=("new",), may_describe=False)

    plan = plan_key(imported({"de": "Zahlen"}, description="New"), key(), [], rules)

    assert plan.write is not None
    assert (_field(plan, "description"), _field(plan, "tags")) == (UNSET, UNSET)
    assert written(plan) == {"de": "Zahlen"}
    assert "key_update" in plan.warnings[0]


def test_a_result_lists_a_hundred_conflicts_and_warnings_and_counts_all() -> None:
    result = ImportResult(dry_run=False)
    plan = plan_key(imported({"de": "b"}), key(), [value("de", "a")], KEEP)
    for _ in range(LISTED_LIMIT + 50):
        count(result, plan, is_new=False)
        warn(result, ["careful" * 100])

    assert result.conflict_count == LISTED_LIMIT + 50
    assert len(result.conflicts) == len(result.warnings) == LISTED_LIMIT
    assert len(result.warnings[0]) == 200


TAGS = st.sampled_from(["en", "de", "pl"])
TEXTS = st.sampled_from(["a", "b", "c"])
FORMS = st.dictionaries(st.sampled_from(PLURAL_FORMS), TEXTS, min_size=1)


@st.composite
def keys_there(draw: st.DrawFn) -> tuple[StoredKey, list[StoredValue]]:
    is_plural = draw(st.booleans())
    texts = draw(st.dictionaries(TAGS, FORMS if is_plural else TEXTS))
    rows = [
        value(tag, text, form)
        for tag, forms in texts.items()
        for form, text in (
            forms.items() if isinstance(forms, dict) else [(None, forms)]
        )
    ]
    return key(is_plural=is_plural), rows


@given(
    st.dictionaries(TAGS, TEXTS | FORMS),
    keys_there(),
    st.sampled_from(["keep", "overwrite", "fail"]),
)
def test_what_is_there_changes_only_when_asked_to_overwrite(
    texts: dict[str, Text],
    there: tuple[StoredKey, list[StoredValue]],
    on_conflict: OnConflict,
) -> None:
    old, rows = there
    before = {(row.language_code, row.plural_form): row.value for row in rows}

    plan = plan_key(imported(texts), old, rows, replace(KEEP, on_conflict=on_conflict))

    for tag, text in written(plan).items():
        forms = {None: text} if isinstance(text, str) else text
        for form, one in forms.items():
            if on_conflict != "overwrite":
                assert (tag, form) not in before
            assert before.get((tag, form)) != one


@given(st.dictionaries(TAGS, TEXTS | FORMS, min_size=1), keys_there())
def test_importing_the_same_twice_changes_nothing_the_second_time(
    texts: dict[str, Text], there: tuple[StoredKey, list[StoredValue]]
) -> None:
    old, rows = there
    new = imported(texts)
    first = plan_key(new, old, rows, OVERWRITE)
    if first.write is None:
        return
    turned = _field(first, "is_plural") is True
    after = {
        (row.language_code, "other" if turned else row.plural_form): row.value
        for row in rows
    }
    for tag, text in written(first).items():
        forms = {None: text} if isinstance(text, str) else text
        after |= {(tag, form): one for form, one in forms.items()}

    second = plan_key(
        new,
        replace(old, is_plural=old.is_plural or turned),
        [value(tag, text, form) for (tag, form), text in after.items()],
        OVERWRITE,
    )

    assert second == KeyPlan(None, 0, [], [])


@pytest.mark.parametrize(
    ("seen", "base", "taken"),
    [
        (None, "Zahlen", False),  # both left what the file brought last
        ("Zahlen", "Zahlen", False),
        ("Bezahlen", None, True),  # the project still has what the client saw
        ("Jetzt zahlen", None, False),  # the client has changed nothing
        ("Kasse", None, False),
    ],
)
def test_what_the_client_saw_is_the_base_and_is_shown_only_where_its_text_is_known(
    seen: str | None, base: str | None, taken: bool
) -> None:
    hashes = {} if seen is None else {"de": {"": sha256(seen.encode()).hexdigest()}}
    new = imported({"de": "Jetzt zahlen"}, base={"de": "Zahlen"}, seen=hashes)

    plan = plan_key(new, key(), [value("de", "Bezahlen")], AUTO)

    assert bool(written(plan)) is taken
    assert all(conflict.base == base for conflict in plan.conflicts)
    assert bool(plan.conflicts) is (seen in (None, "Zahlen", "Kasse"))
