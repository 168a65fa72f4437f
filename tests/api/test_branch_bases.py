"""What a branch keeps as its own while main goes its way."""

import pytest


@pytest.mark.parametrize("way", ["Bezahlen", ""])
def test_a_text_of_the_branch_stays_its_own_when_main_passes_through_the_same(
    shop, way
):
    shop.write(shop.pay, "de", way, "spring")
    shop.write(shop.pay, "de", way)
    while_equal = shop.diff()
    shop.write(shop.pay, "de", "Kaufen")

    [change] = shop.diff()

    assert while_equal == []
    assert shop.texts(shop.pay, "spring").get(("de", None), "") == way
    assert (change["base"], change["main"]) == ("Zahlen", "Kaufen")
    assert change["branch"] == (way or None)
    assert change["conflict"]
    assert shop.one()["changeCount"] == 1


def test_a_text_of_the_branch_is_a_change_again_when_main_goes_back_to_the_base(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Bezahlen")
    shop.write(shop.pay, "de", "Zahlen")

    [change] = shop.diff()
    shop.merge()

    assert not change["conflict"]
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"


@pytest.mark.parametrize(
    ("field", "mine", "later"),
    [
        ("key", "checkout.buy", "checkout.order"),
        ("description", "The button", "A button"),
    ],
)
def test_a_field_of_the_branch_stays_its_own_when_main_passes_through_the_same(
    shop, field, mine, later
):
    shop.patch(shop.pay, "spring", **{field: mine})
    shop.patch(shop.pay, **{field: mine})
    while_equal = shop.diff()
    shop.patch(shop.pay, **{field: later})

    [change] = shop.diff()

    assert while_equal == []
    assert shop.read(shop.pay, "spring").data["key"][field] == mine
    assert (change["main"], change["branch"], change["conflict"]) == (later, mine, True)


def test_the_base_of_tags_is_what_they_were_when_the_branch_changed_them(shop):
    shop.patch(shop.pay, tags=["a", "b"])
    shop.patch(shop.pay, "spring", tags=["b", "c"])
    shop.patch(shop.pay, tags=["a", "z"])

    [change] = shop.diff()

    assert change["base"] == ["a", "b"]
    assert change["main"] == ["a", "z"]
    assert change["branch"] == ["z", "c"]
    shop.patch(shop.pay, tags=["a"])
    shop.merge()
    assert shop.read(shop.pay).data["key"]["tags"] == ["c"]


def test_a_tag_of_the_branch_stays_when_main_adds_it_too_and_takes_it_away(shop):
    shop.patch(shop.pay, "spring", tags=["button", "cart"])
    shop.patch(shop.pay, tags=["button", "cart"])
    while_equal = shop.diff()
    shop.patch(shop.pay, tags=["button", "legal"])

    [change] = shop.diff()

    assert while_equal == []
    assert change["base"] == ["button"]
    assert change["branch"] == ["button", "legal", "cart"]
    assert not change["conflict"]


def test_plurals_of_the_branch_stay_when_main_turns_its_own_on_and_off(shop):
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.patch(shop.pay, isPlural=True)
    shop.patch(shop.pay, isPlural=False)

    [change] = shop.diff()

    assert (change["field"], change["branch"]) == ("isPlural", True)
    assert shop.texts(shop.pay, "spring")["de", "other"] == "Zahlen"
