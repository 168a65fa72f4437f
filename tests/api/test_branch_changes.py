"""What a branch changes is told exactly: in its diff, its count, and its merge."""

import pytest

from locframework.http.records import Upload
from tests.images import png


def told(changes):
    """Of each change, what it is about."""
    return [(c["type"], c["key"], c["field"], c["languageCode"]) for c in changes]


# texts found right


def test_a_text_found_right_on_a_branch_is_a_change_that_a_merge_brings(shop):
    shop.write(shop.pay, "en", "Pay now")  # German is outdated on both
    shop.approve(shop.pay, "de", "spring")

    [change] = shop.diff()
    merged = shop.merge()

    assert (change["type"], change["field"], change["languageCode"]) == (
        "updated",
        "value",
        "de",
    )
    assert change["base"] == change["main"] == change["branch"] == "Zahlen"
    assert not change["conflict"]
    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert shop.outdated(shop.pay) == {"en": False, "de": False}


def test_writing_an_outdated_text_again_on_a_branch_finds_it_right_too(shop):
    shop.write(shop.pay, "en", "Pay now")
    shop.write(shop.pay, "de", "Zahlen", "spring")

    count = shop.one()["changeCount"]
    shop.merge()

    assert count == 1
    assert shop.outdated(shop.pay) == {"en": False, "de": False}


def test_who_may_not_write_a_language_cannot_bring_what_was_found_right_in_it(shop):
    member = shop.workspace.client("developer", languages=["ar"])
    shop.write(shop.pay, "en", "Pay now")
    shop.approve(shop.pay, "de", "spring")

    refused = shop.merge(client=member)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert shop.outdated(shop.pay)["de"]


# how many changes there are


def test_a_removed_language_is_no_change_of_a_branch(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", description="The big one")
    shop.delete(shop.title, "spring")
    shop.write(shop.title, "de", "Laden")
    shop.create("spring", key="banner", values={"en": "Spring!", "de": "Los!"})

    shop.owner.delete(f"{shop.path}/languages/de")

    diff = shop.diff()
    assert told(diff) == [
        ("added", "banner", "key", None),
        ("added", "banner", "value", "en"),
        ("updated", "checkout.pay", "description", None),
        ("deleted", "title", "key", None),
    ]
    assert not any(change["conflict"] for change in diff)


def test_a_branch_is_updated_by_what_is_edited_on_it(shop):
    def moved():
        before, shop.seen = shop.seen, shop.one()["updatedAt"]
        return bool(shop.seen > before)

    shop.seen = shop.one()["updatedAt"]
    shop.write(shop.title, "en", "Shops")
    assert not moved()
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    assert moved()
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    assert not moved()
    shop.delete(shop.title, "spring")
    assert moved()


# what a merge did


def test_a_merge_tells_what_became_of_mains_keys_and_texts(shop):
    file = {"file": Upload("a.png", png(), "image/png")}
    made = shop.owner.post(f"{shop.path}/files", files=file, form={})
    shop.patch(shop.pay, screenshotFileId=made.data["file"]["id"])
    shop.create("spring", key="banner", values={"en": "Spring!", "de": "Los!"})
    shop.create(key="banner", values={"en": "Hello"})
    shop.patch(shop.pay, "spring", screenshotFileId=None)

    changes, merged = shop.diff(), shop.merge(strategy="use_branch")

    assert told(changes) == [
        ("added", "banner", "value", "de"),
        ("updated", "banner", "value", "en"),
        ("updated", "checkout.pay", "screenshotFileId", None),
    ]
    assert merged.data["applied"] == {"added": 1, "updated": 2, "deleted": 0}


def test_a_text_that_main_has_cleared_and_the_branch_changed_is_added_again(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "")

    [change] = shop.diff()

    assert (change["type"], change["base"], change["main"]) == ("added", "Zahlen", None)


# what the trash does not hold any more


def test_a_key_that_main_lost_for_good_comes_back_as_the_branch_has_it(shop):
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.delete(shop.pay)
    shop.workspace.framework.storage.purge("keys", "2999-01-01T00:00:00.000Z", 10)

    merged = shop.merge(strategy="use_branch")

    assert merged.status == 200, merged
    assert shop.texts(shop.pay) == {
        ("en", None): "Pay",
        ("de", None): "Zahlen",
        ("ar", None): "ادفع",
    }
    assert shop.read(shop.pay).data["key"]["tags"] == ["button"]


def test_a_branch_that_goes_on_after_its_merge_sees_all_of_main(shop):
    shop.create("spring", key="banner", values={"en": "Spring!"})
    shop.create(key="banner", values={"en": "Hello"})

    shop.merge(strategy="use_main", closeAfter=False)

    assert shop.names("spring") == shop.names() == ["banner", "checkout.pay", "title"]
    assert shop.diff() == []


# what both sides deleted


def restore(shop, branch=None):
    query = {"branch": branch} if branch else {}
    return shop.owner.post(f"{shop.path}/keys/{shop.pay['id']}/restore", query=query)


def test_a_key_deleted_on_a_branch_stays_so_when_main_deletes_it_and_brings_it_back(
    shop,
):
    shop.delete(shop.pay, "spring")
    shop.delete(shop.pay)
    while_gone = shop.diff()
    restore(shop)

    [change] = shop.diff()
    read = shop.read(shop.pay, "spring")

    assert while_gone == []
    assert read.status == 404
    assert (change["type"], change["field"], change["conflict"]) == (
        "deleted",
        "key",
        False,
    )
    assert shop.one()["changeCount"] == 1
    assert shop.merge().data["applied"]["deleted"] == 1
    assert shop.read(shop.pay).status == 404


@pytest.mark.parametrize("order", [(None, "spring"), ("spring", None)])
def test_what_a_branch_changed_of_a_key_that_both_sides_deleted_is_in_its_trash(
    shop, order
):
    shop.write(shop.pay, "ar", "ادفع", "spring")
    for line in order:
        shop.delete(shop.pay, line)

    query = {"branch": "spring"}
    trash = shop.owner.get(f"{shop.path}/keys/trash", query=query).data
    back = restore(shop, "spring")

    assert [item["id"] for item in trash["items"]] == [shop.pay["id"]]
    assert back.status == 200, back
    assert shop.texts(shop.pay, "spring")["ar", None] == "ادفع"
    assert [each["conflict"] for each in shop.diff()] == [True]
    restore(shop)
    assert [each["conflict"] for each in shop.diff()] == [False]
    assert shop.texts(shop.pay, "spring")["ar", None] == "ادفع"
