"""Plurals that are turned on and off, on main and on branches."""

from __future__ import annotations

from typing import Any

import pytest

MAIN, SPRING = None, "spring"
ON, OFF = {"isPlural": True}, {"isPlural": False}
PLURAL = {
    ("en", "one"): "1 item",
    ("en", "other"): "items",
    ("de", "one"): "Ein",
    ("de", "other"): "Viele",
}
FOLDED = {("en", None): "items", ("de", None): "Viele"}
WROTE_A_FORM = [(SPRING, "en", {"one": "a thing"}), (MAIN, OFF)]

Steps = list[tuple[Any, ...]]


@pytest.fixture
def cart(shop):
    return shop.create(
        key="cart",
        isPlural=True,
        values={
            "en": {"one": "1 item", "other": "items"},
            "de": {"one": "Ein", "other": "Viele"},
        },
    )


def run(shop, key, steps):
    """Change the key or write a text in a language, on main or on the branch."""
    for branch, *what in steps:
        if len(what) == 2:
            answer = shop.write(key, *what, branch)
        else:
            answer = shop.patch(key, branch, **what[0])
        assert answer.status == 200, answer


def changes(shop):
    """Fields with base, main and branch, and whether they conflict."""
    return [
        (
            change["field"],
            change["languageCode"],
            change["pluralForm"],
            (change["base"], change["main"], change["branch"]),
            change["conflict"],
        )
        for change in shop.diff()
    ]


def is_plural(shop, key, branch=None):
    return shop.read(key, branch).data["key"]["isPlural"]


def resolved(shop, uses):
    """Merge with some changes decided, by field and language."""
    ids = {(c["field"], c["languageCode"]): c["id"] for c in shop.diff()}
    return shop.merge(
        resolutions=[{"changeId": ids[each], "use": uses[each]} for each in uses]
    )


MERGES: dict[str, tuple[Steps, Any, tuple[int, int, int] | None, Any]] = {
    # steps; strategy or resolutions; added, updated and deleted; texts of main
    "off on the branch": ([(SPRING, OFF)], {}, (0, 1, 2), FOLDED),
    "off on the branch, which writes afterwards": (
        [(SPRING, OFF), (SPRING, "en", "new"), (SPRING, "de", "neu")],
        {},
        None,
        {("en", None): "new", ("de", None): "neu"},
    ),
    "off on the branch, which clears a text": (
        [(SPRING, OFF), (SPRING, "de", "")],
        {},
        None,
        {("en", None): "items"},
    ),
    "off on both": (
        [(SPRING, OFF), (SPRING, "de", "neu"), (MAIN, OFF)],
        {},
        None,
        {**FOLDED, ("de", None): "neu"},
    ),
    "off on the branch, kept by main": (
        [(SPRING, OFF), (SPRING, "de", "neu")],
        {("isPlural", None): "main"},
        None,
        {**PLURAL, ("de", "other"): "neu"},
    ),
    "off on main, the branch wrote other": (
        [(SPRING, "de", {"other": "Dinge"}), (MAIN, OFF)],
        {},
        None,
        {**FOLDED, ("de", None): "Dinge"},
    ),
    "off and on again on main": (
        [(SPRING, "en", {"few": "some"}), (MAIN, OFF), (MAIN, ON)],
        {},
        None,
        {("en", "few"): "some", ("en", "other"): "items", ("de", "other"): "Viele"},
    ),
    "off on main, a form is left out": (
        WROTE_A_FORM,
        {("isPlural", None): "branch", ("value", "de"): "main"},
        None,
        {("en", "one"): "a thing", ("en", "other"): "items", ("de", "other"): "Viele"},
    ),
    **{
        f"off on main, decided for the branch by {by}": (
            [
                (SPRING, "en", {"one": "a thing", "few": "some"}),
                (MAIN, OFF),
                (MAIN, "de", "Dinge"),
            ],
            how,
            (3, 1, 0),
            {
                **PLURAL,
                ("en", "one"): "a thing",
                ("en", "few"): "some",
                ("de", "other"): "Dinge",
            },
        )
        for by, how in (
            ("strategy", "use_branch"),
            ("resolution", {("isPlural", None): "branch"}),
        )
    },
    **{
        f"off on main, decided for main by {by}": (
            [
                (SPRING, "en", {"one": "a thing"}),
                (SPRING, "de", {"other": "Dinge"}),
                (MAIN, OFF),
            ],
            how,
            (0, 1, 0),
            {("en", None): "items", ("de", None): "Dinge"},
        )
        for by, how in (
            ("strategy", "use_main"),
            ("resolution", {("isPlural", None): "main"}),
        )
    },
}


@pytest.mark.parametrize(
    ("steps", "how", "applied", "texts"), MERGES.values(), ids=MERGES
)
def test_merging_plurals(shop, cart, steps, how, applied, texts):
    run(shop, cart, steps)

    merged = shop.merge(strategy=how) if isinstance(how, str) else resolved(shop, how)

    assert merged.status == 200, merged
    if applied is not None:
        names = ("added", "updated", "deleted")
        assert tuple(merged.data["applied"][name] for name in names) == applied
    assert shop.texts(cart) == texts
    assert is_plural(shop, cart) == all(form for _, form in texts)


def test_merging_plurals_on_brings_the_forms_and_leaves_the_rest(shop):
    run(shop, shop.pay, [(SPRING, ON), (SPRING, "de", {"one": "Eins"})])
    on_branch = shop.texts(shop.pay, SPRING)

    shop.merge()

    assert shop.texts(shop.pay) == on_branch
    assert on_branch == {
        ("en", "other"): "Pay",
        ("de", "one"): "Eins",
        ("de", "other"): "Zahlen",
    }


# main turns plurals off, the branch wrote a form


def test_plurals_that_main_turns_off_conflict_with_a_form_of_the_branch(shop, cart):
    run(shop, cart, WROTE_A_FORM)
    on_branch = shop.texts(cart, SPRING)

    refused = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "merge_conflict")
    [conflict] = refused.error["details"]["conflicts"]
    assert conflict["field"] == "isPlural"
    assert changes(shop) == [
        ("isPlural", None, None, (True, False, True), True),
        ("value", "de", "one", ("Ein", None, "Ein"), False),
        ("value", "en", "one", ("1 item", None, "a thing"), False),
    ]
    assert is_plural(shop, cart, SPRING)
    assert shop.texts(cart, SPRING) == on_branch == {**PLURAL, ("en", "one"): "a thing"}
    assert shop.texts(cart) == FOLDED


def test_a_text_that_both_sides_wrote_is_a_conflict_beside_the_plurals(shop, cart):
    shop.write(cart, "en", {"one": "a thing", "other": "things"}, SPRING)
    run(shop, cart, [(MAIN, OFF), (MAIN, "en", "goods")])

    assert [each[:4] for each in changes(shop) if each[4]] == [
        ("isPlural", None, None, (True, False, True)),
        ("value", "en", "other", ("items", "goods", "things")),
    ]


def test_a_branch_that_takes_its_form_back_has_no_plurals_any_more(shop, cart):
    run(shop, cart, [*WROTE_A_FORM, (SPRING, "en", {"one": "1 item"})])

    assert shop.diff() == []


def test_a_branch_keeps_its_form_when_main_turns_plurals_on_again(shop, cart):
    run(shop, cart, [(SPRING, "en", {"few": "some"}), (MAIN, OFF), (MAIN, ON)])

    assert [each[:3] for each in changes(shop)] == [("value", "en", "few")]


def test_plurals_of_a_key_that_main_deleted_come_back_with_it(shop, cart):
    run(shop, cart, WROTE_A_FORM)
    shop.delete(cart)
    on_branch = shop.texts(cart, SPRING)

    shop.merge(strategy="use_branch")

    assert shop.texts(cart) == on_branch == {**PLURAL, ("en", "one"): "a thing"}


# the branch turns plurals off, main wrote a form


@pytest.mark.parametrize("form", ["one", "few"])
def test_plurals_that_the_branch_turned_off_conflict_with_a_form_that_main_wrote(
    shop, cart, form
):
    run(shop, cart, [(SPRING, OFF), (MAIN, "en", {form: "main's"})])
    conflicts = [each for each in changes(shop) if each[4]]
    refused = shop.merge()

    assert conflicts == [("isPlural", None, None, (True, True, False), True)]
    assert refused.status == 409
    assert shop.texts(cart) == {**PLURAL, ("en", form): "main's"}
    assert shop.texts(cart, SPRING) == FOLDED
    shop.write(cart, "de", "neu", SPRING)
    shop.branch("autumn")
    shop.patch(cart, "autumn", isPlural=False)

    shop.merge(strategy="use_main")

    assert is_plural(shop, cart)
    kept = {**PLURAL, ("en", form): "main's", ("de", "other"): "neu"}
    assert shop.texts(cart) == kept
    [turn] = [one for one in shop.diff("autumn") if one["field"] == "isPlural"]
    assert not turn["conflict"]  # that branch knew the form


def test_a_form_cannot_stay_on_main_while_the_plurals_go(shop, cart):
    shop.patch(cart, SPRING, isPlural=False)
    [form, *_] = [one for one in shop.diff() if one["pluralForm"] == "one"]

    refused = shop.merge(resolutions=[{"changeId": form["id"], "use": "main"}])

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"] == "$.resolutions[0].use"
    assert shop.texts(cart) == PLURAL


# main turns plurals on, the branch wrote the text


def test_a_text_of_the_branch_is_the_form_other_when_main_turns_plurals_on(shop):
    run(shop, shop.pay, [(SPRING, "de", "Kaufen"), (MAIN, ON)])
    shop.write(shop.pay, "de", {"one": "Eins"})

    assert changes(shop) == [
        ("value", "de", "other", ("Zahlen", "Zahlen", "Kaufen"), False)
    ]
    assert shop.merge().status == 200
    assert shop.texts(shop.pay) == {
        ("en", "other"): "Pay",
        ("de", "one"): "Eins",
        ("de", "other"): "Kaufen",
    }
    assert is_plural(shop, shop.pay)


def test_a_text_of_the_branch_conflicts_with_what_main_wrote_for_other(shop):
    run(shop, shop.pay, [(SPRING, "de", "Kaufen"), (MAIN, ON)])
    shop.write(shop.pay, "de", {"other": "Bezahlen"})

    assert changes(shop) == [
        ("value", "de", "other", ("Zahlen", "Bezahlen", "Kaufen"), True)
    ]


# a decision is about what was seen


@pytest.mark.parametrize("use", ["branch", "main"])
@pytest.mark.parametrize("turned", [SPRING, MAIN])
def test_turned_plurals_are_another_change_when_the_forms_beside_them_go_on(
    shop, cart, turned, use
):
    writing = MAIN if turned else SPRING
    run(shop, cart, [(writing, "en", {"one": "a thing"}), (turned, OFF)])
    shop.write(cart, "en", {"one": "the thing"}, writing)
    [seen] = [change for change in shop.diff() if change["field"] == "isPlural"]
    shop.write(cart, "en", {"one": "one thing", "few": "some"}, writing)

    refused = shop.merge(resolutions=[{"changeId": seen["id"], "use": use}])

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert shop.one()["status"] == "open"
    assert resolved(shop, {("isPlural", None): use}).status == 200


def test_turned_plurals_stay_the_same_change_when_a_text_that_stays_goes_on(shop, cart):
    run(shop, cart, [(SPRING, OFF), (MAIN, "en", {"one": "a thing"})])
    seen = [c["id"] for c in shop.diff() if c["field"] == "isPlural"]

    shop.write(cart, "en", {"other": "things"})

    assert seen == [c["id"] for c in shop.diff() if c["field"] == "isPlural"]


@pytest.mark.parametrize("was_plural", [True, False])
@pytest.mark.parametrize("is_plural", [True, False])
def test_a_deleted_key_that_comes_back_has_the_plurals_that_main_had_last(
    shop, was_plural, is_plural
):
    values = {"en": {"one": "1 item", "other": "items"}} if was_plural else {}
    cart = shop.create(key="cart", isPlural=was_plural, values=values)
    shop.patch(cart, SPRING, isPlural=not was_plural, description="The cart")
    shop.patch(cart, isPlural=is_plural)
    last = shop.texts(cart)
    shop.delete(cart)
    fields = [(each["field"], each["languageCode"]) for each in shop.diff()]
    uses = dict.fromkeys(fields, "main") | {("description", None): "branch"}

    merged = resolved(shop, uses)

    assert merged.status == 200
    key = shop.read(cart).data["key"]
    assert (key["description"], key["isPlural"]) == ("The cart", is_plural)
    assert shop.texts(cart) == last


def test_the_history_goes_on_when_a_merge_turns_plurals_off(shop, cart):
    shop.patch(cart, SPRING, isPlural=False)
    shop.merge()

    path = f"{shop.path}/keys/{cart['id']}/values/en/history"
    items = shop.owner.get(path).data["items"]

    newest = {item["pluralForm"]: item["value"] for item in reversed(items)}
    assert newest[None] == "items"
    assert {item["value"] for item in items} >= {"1 item", "items"}


# keys of one name that were made on both sides


@pytest.mark.parametrize("mine", [True, False])
def test_plurals_of_one_side_alone_are_a_conflict_of_keys_of_one_name(shop, mine):
    form = {True: "other", False: None}
    given = {True: {"other": "text"}, False: "text"}
    shop.create(SPRING, key="same", isPlural=mine, values={"de": given[mine]})
    theirs = shop.create(key="same", isPlural=not mine, values={"en": given[not mine]})

    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    [conflict] = refused.error["details"]["conflicts"]
    assert (refused.status, conflict["field"]) == (409, "isPlural")
    assert (conflict["main"], conflict["branch"]) == (not mine, mine)
    assert merged.status == 200
    assert is_plural(shop, theirs) == mine
    assert shop.texts(theirs) == {
        ("de", form[mine]): "text",
        ("en", form[mine]): "text",
    }


def test_a_key_of_the_same_name_without_plurals_tells_the_forms_that_would_go(shop):
    shop.create(SPRING, key="same", values={"de": "neu"})
    theirs = shop.create(key="same", isPlural=True, values={"en": {"one": "1"}})

    assert changes(shop) == [
        ("isPlural", None, None, (None, True, False), True),
        ("value", "de", "other", (None, None, "neu"), False),
        ("value", "en", "one", (None, "1", None), False),
    ]
    assert shop.merge(strategy="use_branch").data["applied"]["deleted"] == 1
    assert shop.texts(theirs) == {("de", None): "neu"}


def test_a_new_key_tells_its_plurals_and_says_nothing_without(shop):
    shop.create(SPRING, key="one", values={"de": "Eins"})
    shop.create(SPRING, key="two", isPlural=True, values={"de": {"other": "Zwei"}})

    told = [(each["key"], each["field"], each["conflict"]) for each in shop.diff()]

    assert told == [
        ("one", "key", False),
        ("one", "value", False),
        ("two", "key", False),
        ("two", "isPlural", False),
        ("two", "value", False),
    ]


def test_plurals_stay_as_main_has_them_where_a_conflict_is_decided_for_main(shop):
    shop.create(SPRING, key="same", values={"de": "de"})
    values = {"en": {"one": "1", "other": "n"}}
    theirs = shop.create(key="same", isPlural=True, description="Ours", values=values)

    shop.merge(strategy="use_main")

    assert shop.read(theirs).data["key"]["description"] == "Ours"  # the branch has none
    assert shop.texts(theirs) == {
        ("en", "one"): "1",
        ("en", "other"): "n",
        ("de", "other"): "de",
    }
