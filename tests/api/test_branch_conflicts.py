"""What main and a branch both changed: what conflicts, and what decides then."""

import pytest


def test_edits_in_different_languages_never_clash(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "ar", "ادفع")

    assert shop.merge().status == 200
    assert shop.texts(shop.pay) == {
        ("en", None): "Pay",
        ("de", None): "Bezahlen",
        ("ar", None): "ادفع",
    }


def test_a_conflict_is_reported_and_nothing_is_written(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.title, "spring", description="Heading")
    shop.write(shop.pay, "de", "Kaufen")

    refused = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "merge_conflict")
    assert refused.error["message"] == (
        "1 change conflicts with main, first the value of 'checkout.pay' in de;"
        " decide by strategy or resolutions"
    )
    [conflict] = refused.error["details"]["conflicts"]
    assert (conflict["base"], conflict["main"], conflict["branch"]) == (
        "Zahlen",
        "Kaufen",
        "Bezahlen",
    )
    assert shop.read(shop.title).data["key"]["description"] == ""
    assert shop.one()["status"] == "open"


@pytest.mark.parametrize(
    ("strategy", "text"), [("use_branch", "Bezahlen"), ("use_main", "Kaufen")]
)
def test_a_strategy_decides_conflicts(shop, strategy, text):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.patch(shop.title, "spring", description="Heading")

    merged = shop.merge(strategy=strategy)

    assert merged.status == 200
    assert shop.texts(shop.pay)["de", None] == text
    assert shop.read(shop.title).data["key"]["description"] == "Heading"


def test_a_resolution_decides_one_conflict_before_the_strategy(shop):
    for lang in ("de", "ar"):
        shop.write(shop.pay, lang, f"branch {lang}", "spring")
        shop.write(shop.pay, lang, f"main {lang}")
    [german] = [item for item in shop.diff() if item["languageCode"] == "de"]

    merged = shop.merge(
        strategy="use_main", resolutions=[{"changeId": german["id"], "use": "branch"}]
    )

    assert merged.status == 200
    assert shop.texts(shop.pay)["de", None] == "branch de"
    assert shop.texts(shop.pay)["ar", None] == "main ar"


def test_a_deletion_against_an_edit_is_a_conflict_on_either_side(shop):
    shop.delete(shop.pay, "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.write(shop.title, "de", "Laden", "spring")
    shop.delete(shop.title)

    conflicts = {(i["key"], i["type"]): i["conflict"] for i in shop.diff()}
    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    assert conflicts == {("checkout.pay", "deleted"): True, ("title", "added"): True}
    assert refused.error["code"] == "merge_conflict"
    assert merged.status == 200
    assert shop.names() == ["title"]
    assert shop.texts(shop.title) == {("en", None): "Shop", ("de", None): "Laden"}


def test_a_deletion_tells_what_main_changed_of_the_key(shop):
    shop.delete(shop.pay, "spring")
    shop.delete(shop.title, "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.write(shop.pay, "ar", "ادفع")
    shop.patch(shop.pay, tags=["link"])

    deletion, other = shop.diff()
    refused = shop.merge()

    names = ("field", "languageCode", "pluralForm", "base", "main")
    told = [tuple(each[name] for name in names) for each in deletion["mainChanges"]]
    assert sorted(told, key=str) == [
        ("tags", None, None, ["button"], ["link"]),
        ("value", "ar", None, None, "ادفع"),
        ("value", "de", None, "Zahlen", "Kaufen"),
    ]
    assert refused.error["details"]["conflicts"] == [deletion]
    assert (deletion["branch"], deletion["conflict"]) == (None, True)
    assert (other["conflict"], "mainChanges" in other) == (False, False)
    assert shop.one()["changeCount"] == 2


def test_tags_that_would_be_too_many_together_are_a_conflict(shop):
    mine, theirs = ([f"{side}{n}" for n in range(15)] for side in "ab")
    shop.patch(shop.pay, "spring", tags=mine)
    shop.patch(shop.pay, tags=theirs)

    on_branch = shop.read(shop.pay, "spring").data["key"]["tags"]
    [change] = [change for change in shop.diff() if change["field"] == "tags"]
    refused = shop.merge()
    shop.merge(strategy="use_branch")

    assert on_branch == mine
    assert (change["conflict"], refused.status) == (True, 409)
    assert shop.read(shop.pay).data["key"]["tags"] == mine


def test_keys_of_one_name_made_on_both_sides_become_one(shop):
    shop.create("spring", key="banner", values={"en": "Spring!", "de": "Los!"})
    theirs = shop.create(key="banner", values={"en": "Hello"})

    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    assert [c["languageCode"] for c in refused.error["details"]["conflicts"]] == ["en"]
    assert merged.status == 200
    assert shop.texts(theirs) == {("en", None): "Spring!", ("de", None): "Los!"}
    assert shop.names() == ["banner", "checkout.pay", "title"]


def test_names_that_both_sides_gave_away_refuse_the_merge_and_are_told_before(shop):
    shop.patch(shop.title, "spring", key="headline")
    shop.patch(shop.title, key="caption")
    shop.create("spring", key="caption")
    shop.create(key="headline")

    for strategy in ("use_branch", "use_main"):
        dry = shop.merge(strategy=strategy, dryRun=True)
        real = shop.merge(strategy=strategy)
        assert (dry.status, dry.error["code"]) == (409, "key_exists")
        assert (real.status, real.error["code"]) == (409, "key_exists")


def test_a_merge_that_needs_another_name_tells_which_keys_have_it(shop):
    shop.patch(shop.title, "spring", key="headline")
    theirs = shop.create(key="headline")

    refused = shop.merge(strategy="use_branch")

    assert (refused.status, refused.error["code"]) == (409, "key_exists")
    assert refused.error["message"] == (
        f"key 'headline' is already in the project: {theirs['id']} has the name on"
        f" main, and {shop.title['id']} on the branch; rename one of them, and merge"
        " again"
    )
    shop.patch(theirs, key="caption")
    assert shop.merge().status == 200


def test_plurals_turned_on_a_branch_merge_with_a_text_changed_on_main(shop):
    shop.patch(shop.title, "spring", isPlural=True)
    shop.write(shop.title, "en", {"one": "One shop"}, "spring")
    shop.write(shop.title, "en", "Shops")

    assert shop.merge().status == 200
    assert shop.texts(shop.title) == {
        ("en", "one"): "One shop",
        ("en", "other"): "Shops",
    }
