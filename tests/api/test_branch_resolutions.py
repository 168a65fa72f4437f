"""What a merge takes and leaves out, change by change."""

import pytest


def resolve(shop, *uses):
    return [{"changeId": change["id"], "use": use} for change, use in uses]


def by_field(shop):
    return {(c["key"], c["languageCode"] or c["field"]): c for c in shop.diff()}


def test_a_resolution_leaves_main_as_it_is_also_where_nothing_conflicts(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", description="The big one")
    shop.delete(shop.title, "spring")
    changes = by_field(shop)
    chosen = resolve(
        shop, (changes["checkout.pay", "de"], "main"), (changes["title", "key"], "main")
    )

    merged = shop.merge(resolutions=chosen)

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert shop.read(shop.pay).data["key"]["description"] == "The big one"
    assert shop.names() == ["checkout.pay", "title"]


def test_a_key_that_is_left_out_takes_its_texts_with_it(shop):
    shop.create("spring", key="banner", values={"en": "Spring!"})
    chosen = resolve(shop, (by_field(shop)["banner", "key"], "main"))

    merged = shop.merge(resolutions=chosen)

    assert merged.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert shop.names() == ["checkout.pay", "title"]


def test_plural_forms_stay_out_where_the_plurals_do(shop):
    shop.patch(shop.title, "spring", isPlural=True)
    shop.write(shop.title, "en", {"one": "Shop", "other": "Shops"}, "spring")
    [plural] = [change for change in shop.diff() if change["field"] == "isPlural"]

    merged = shop.merge(resolutions=resolve(shop, (plural, "main")))

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert shop.texts(shop.title) == {("en", None): "Shops"}


def test_a_new_key_has_no_plurals_on_main_where_they_are_left_out(shop):
    values = {"en": {"one": "1 item", "other": "items"}, "de": {"one": "Ein"}}
    cart = shop.create("spring", key="cart", isPlural=True, values=values)
    [plural] = [change for change in shop.diff() if change["field"] == "isPlural"]

    merged = shop.merge(resolutions=resolve(shop, (plural, "main")))

    assert merged.data["applied"] == {"added": 2, "updated": 0, "deleted": 0}
    assert not shop.read(cart).data["key"]["isPlural"]
    assert shop.texts(cart) == {("en", None): "items"}


def test_a_resolution_that_cannot_be_obeyed_is_refused_and_named(shop):
    shop.create("spring", key="banner", values={"en": "Spring!"})
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Kaufen")
    changes = by_field(shop)
    seen = changes["checkout.pay", "de"]
    shop.write(shop.pay, "de", "Erwerben")
    key, text = changes["banner", "key"], changes["banner", "en"]
    cases = {
        "$.resolutions[0].changeId": resolve(shop, (seen, "branch")),
        "$.resolutions[1].changeId": resolve(shop, (key, "branch"), (key, "main")),
        "$.resolutions[1].use": resolve(shop, (key, "main"), (text, "branch")),
    }

    for path, chosen in cases.items():
        for dry_run in (True, False):
            refused = shop.merge(resolutions=chosen, dryRun=dry_run)
            assert (refused.status, refused.error["code"]) == (400, "validation_failed")
            assert [each["path"] for each in refused.error["details"]] == [path]
    assert shop.one()["status"] == "open"


@pytest.mark.parametrize("what", ["text", "description", "proposal"])
def test_a_deletion_is_another_change_when_main_goes_on_with_the_key(shop, what):
    shop.delete(shop.pay, "spring")
    shop.write(shop.pay, "en", "Pay now")
    [seen] = shop.diff()
    if what == "text":
        shop.write(shop.pay, "en", "Pay at once")
    elif what == "description":
        shop.patch(shop.pay, description="The big one")
    else:
        shop.keys.put(shop.pay, "en", "Pay now!", shop.keys.translator)

    refused = shop.merge(resolutions=resolve(shop, (seen, "branch")))

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert "checkout.pay" in shop.names()
    merged = shop.merge(resolutions=resolve(shop, (*shop.diff(), "branch")))
    assert merged.status == 200
    assert shop.names() == ["title"]


def test_a_key_of_the_branch_is_another_change_when_its_texts_go_on(shop):
    banner = shop.create("spring", key="banner", values={"en": "Spring!"})
    seen = by_field(shop)["banner", "key"]
    shop.write(banner, "de", "Lenz!", "spring")

    refused = shop.merge(resolutions=resolve(shop, (seen, "main")))

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
