"""Updating a branch from main: docs/spec/decisions.md 2.6."""

import pytest

from tests.databases import statements_of

WRITES = ("INSERT", "UPDATE", "DELETE")


def update(shop, client=None):
    return (client or shop.owner).post(f"{shop.path}/branches/spring/update", json={})


def updated(shop):
    answer = update(shop)
    assert answer.status == 200, answer
    assert answer.data["branch"] == shop.one()
    return answer.data["updated"], answer.data["conflicts"]


def test_a_copied_key_takes_over_what_main_changed_elsewhere(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, key="cart.pay", description="The button", tags=["button", "x"])
    shop.write(shop.pay, "ar", "ادفع")
    before = shop.read(shop.pay, "spring").data["key"]

    assert shop.one()["behind"] == 1
    assert updated(shop) == (4, [])

    assert (before["key"], before["description"]) == ("checkout.pay", "")
    key = shop.read(shop.pay, "spring").data["key"]
    assert (key["key"], key["description"]) == ("cart.pay", "The button")
    assert key["tags"] == ["button", "x"]
    assert shop.texts(shop.pay, "spring") == {
        ("en", None): "Pay",
        ("de", None): "Bezahlen",
        ("ar", None): "ادفع",
    }
    assert shop.one()["behind"] == 0
    assert shop.one()["changeCount"] == 1
    [change] = shop.diff()
    assert (change["languageCode"], change["base"]) == ("de", "Zahlen")
    assert updated(shop) == (0, [])


def test_what_both_changed_is_a_conflict_and_stays_as_the_branch_has_it(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", description="Ours")
    shop.write(shop.pay, "de", "Kaufen")
    shop.write(shop.pay, "ar", "ادفع")
    shop.patch(shop.pay, description="Theirs")

    count, conflicts = updated(shop)

    assert count == 1
    assert [(c["field"], c["base"], c["main"], c["branch"]) for c in conflicts] == [
        ("description", "", "Theirs", "Ours"),
        ("value", "Zahlen", "Kaufen", "Bezahlen"),
    ]
    assert shop.texts(shop.pay, "spring")["de", None] == "Bezahlen"
    assert shop.texts(shop.pay, "spring")["ar", None] == "ادفع"
    refused = shop.merge()
    assert refused.error["code"] == "merge_conflict"
    assert shop.merge(strategy="use_branch").status == 200
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"


def test_tags_of_both_are_united(shop):
    shop.patch(shop.pay, "spring", tags=["button", "ours"])
    shop.patch(shop.pay, tags=["theirs"])

    assert updated(shop) == (1, [])

    for branch in ("spring", None):
        tags = shop.read(shop.pay, branch).data["key"]["tags"]
        assert sorted(tags) == ["ours", "theirs"]
        shop.merge()


def test_what_both_changed_alike_is_no_change_of_the_branch_any_more(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Bezahlen")

    assert shop.diff() == []
    assert updated(shop) == (0, [])
    assert shop.one()["changeCount"] == 0


def test_a_new_source_text_of_main_outdates_what_the_branch_wrote(shop):
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.write(shop.pay, "en", "Pay now")

    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": False, "ar": False}
    updated(shop)

    assert shop.texts(shop.pay, "spring")["en", None] == "Pay now"
    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": True, "ar": True}


def test_a_translation_of_an_older_source_text_arrives_outdated_on_main(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "en", "Pay now")

    assert shop.merge().status == 200

    assert shop.texts(shop.pay)["de", None] == "Bezahlen"
    assert shop.outdated(shop.pay) == {"en": False, "de": True}


def test_plurals_that_main_turned_on_come_with_its_forms(shop):
    shop.write(shop.title, "de", "Laden", "spring")
    shop.patch(shop.title, isPlural=True)
    shop.write(shop.title, "en", {"one": "One shop", "other": "Shops"})

    _, conflicts = updated(shop)

    assert conflicts == []
    assert shop.texts(shop.title, "spring") == {
        ("en", "one"): "One shop",
        ("en", "other"): "Shops",
        ("de", "other"): "Laden",
    }


def test_a_key_that_main_deleted_goes_from_a_branch_that_changed_nothing_in_it(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Zahlen", "spring")
    shop.write(shop.title, "de", "Laden", "spring")
    shop.delete(shop.pay)
    shop.delete(shop.title)
    assert shop.names("spring") == ["checkout.pay", "title"]
    assert shop.one()["behind"] == 2

    count, conflicts = updated(shop)

    assert count == 1
    assert [(c["key"], c["main"], c["branch"]) for c in conflicts] == [
        ("title", None, "Laden")
    ]
    assert shop.names("spring") == ["title"]


def test_a_key_of_main_is_hidden_by_one_of_its_name_on_the_branch(shop):
    mine = shop.create("spring", key="cart", values={"en": "Mine"})
    theirs = shop.create(key="cart", values={"en": "Theirs"})

    assert shop.names("spring") == ["cart", "checkout.pay", "title"]
    assert shop.read(theirs, "spring").error["code"] == "key_not_found"
    assert shop.texts(mine, "spring") == {("en", None): "Mine"}
    assert [c["conflict"] for c in shop.diff()] == [True]
    shop.delete(mine, "spring")
    assert shop.texts(theirs, "spring") == {("en", None): "Theirs"}


def test_update_needs_branch_manage_and_an_open_branch(shop):
    reviewer = shop.workspace.client("reviewer")
    assert update(shop, reviewer).error["details"] == {"required": "branch_manage"}
    shop.merge()
    assert update(shop).error["code"] == "branch_not_open"


def test_a_write_on_main_costs_the_same_with_a_hundred_open_branches(shop):
    storage = shop.workspace.framework.storage

    def cost(number):
        found = []
        for write in (
            lambda: shop.write(shop.pay, "de", f"Zahlen {number}"),
            lambda: shop.write(shop.pay, "en", f"Pay {number}"),
            lambda: shop.patch(shop.pay, key=f"pay{number}"),
            lambda: shop.create(key=f"new{number}", values={"en": "New"}),
            lambda: shop.delete(shop.create(key=f"gone{number}")),
        ):
            with statements_of(storage) as statements:
                write()
            found.append(len(statements))
        return found

    cost(0)
    none = cost(1)
    for number in range(100):
        name = f"b{number}"
        assert shop.branch(name).status == 201
        assert shop.write(shop.pay, "de", f"Zahl {number}!", name).status == 200

    assert cost(2) == none


@pytest.mark.parametrize("strategy", ["fail", "use_branch", "use_main"])
def test_a_dry_run_of_a_merge_writes_nothing(shop, strategy):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.create("spring", key="new", values={"en": "New"})
    shop.delete(shop.title, "spring")
    storage = shop.workspace.framework.storage

    with statements_of(storage) as statements:
        answer = shop.merge(dryRun=True, strategy=strategy)

    assert answer.status == 200
    assert answer.data["applied"]["deleted"] == 1
    assert len(answer.data["conflicts"]) == (strategy == "fail")
    assert not [s for s in statements if s.lstrip().upper().startswith(WRITES)]
    assert not [s for s in statements if "FOR UPDATE" in s.upper()]
    assert shop.names() == ["checkout.pay", "title"]
