"""What a branch changes is told exactly: in its diff, its count, and its merge."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer
from locframework.testing.images import png
from locframework.testing.workspace import Workspace

from .branched import Branched


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    return Branched(workspace)


def told(changes: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Of each change, what it is about."""
    return [(c["type"], c["key"], c["field"], c["languageCode"]) for c in changes]


# texts found right


def test_a_text_found_right_on_a_branch_is_a_change_that_a_merge_brings(
    shop: Branched,
) -> None:
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


def test_writing_an_outdated_text_again_on_a_branch_finds_it_right_too(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "Pay now")
    shop.write(shop.pay, "de", "Zahlen", "spring")

    count = shop.one()["changeCount"]
    shop.merge()

    assert count == 1
    assert shop.outdated(shop.pay) == {"en": False, "de": False}


def test_a_text_found_right_that_main_has_written_anew_is_mains(shop: Branched) -> None:
    shop.write(shop.pay, "en", "Pay now")
    shop.approve(shop.pay, "de", "spring")
    shop.write(shop.pay, "de", "Jetzt zahlen")

    assert shop.diff() == []
    assert shop.one()["changeCount"] == 0
    assert shop.texts(shop.pay, "spring")["de", None] == "Jetzt zahlen"


def test_a_text_found_right_is_outdated_again_when_the_source_changes_again(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "Pay now")
    shop.approve(shop.pay, "de", "spring")
    shop.write(shop.pay, "en", "Buy now")

    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": True}
    assert shop.diff() == []


def test_who_may_not_write_a_language_cannot_bring_what_was_found_right_in_it(
    shop: Branched,
) -> None:
    member = shop.workspace.client("developer", languages=["ar"])
    shop.write(shop.pay, "en", "Pay now")
    shop.approve(shop.pay, "de", "spring")

    refused = shop.merge(client=member)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert shop.outdated(shop.pay)["de"]


# how many changes there are


def test_the_count_of_changes_is_that_of_the_diff_while_main_has_a_key_so_named(
    shop: Branched,
) -> None:
    counts = []

    def count() -> None:
        counts.append((shop.one()["changeCount"], len(shop.diff())))

    shop.create("spring", key="banner", values={"en": "Hello", "de": "Los!"})
    count()
    theirs = shop.create(key="banner", values={"en": "Hello"})
    count()
    shop.write(theirs, "de", "Los!")
    count()
    shop.patch(theirs, key="other")
    count()
    shop.patch(theirs, key="banner")
    count()
    shop.delete(theirs)
    count()
    shop.owner.post(f"{shop.path}/keys/{theirs['id']}/restore")
    count()

    assert counts == [(n, n) for n in (3, 1, 0, 3, 0, 3, 0)]


def test_the_count_of_changes_is_that_of_the_diff_when_a_language_leaves(
    shop: Branched,
) -> None:
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
    assert shop.one()["changeCount"] == len(diff)


def test_a_language_that_comes_back_is_not_what_the_branch_took_away(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", description="The big one")
    shop.owner.delete(f"{shop.path}/languages/de")
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "de"})
    shop.write(shop.pay, "de", "Kaufen")

    assert shop.texts(shop.pay, "spring")["de", None] == "Kaufen"
    assert told(shop.diff()) == [("updated", "checkout.pay", "description", None)]


def test_a_branch_is_updated_by_what_is_edited_on_it(shop: Branched) -> None:
    def moved() -> bool:
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


def test_a_merge_tells_what_became_of_mains_keys_and_texts(shop: Branched) -> None:
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


def test_a_text_that_main_has_cleared_and_the_branch_changed_is_added_again(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "")

    [change] = shop.diff()

    assert (change["type"], change["base"], change["main"]) == ("added", "Zahlen", None)


# resolutions


def resolve(shop: Branched, *uses: tuple[dict[str, Any], str]) -> list[dict[str, str]]:
    return [{"changeId": change["id"], "use": use} for change, use in uses]


def by_field(shop: Branched) -> dict[tuple[str, str], dict[str, Any]]:
    return {(c["key"], c["languageCode"] or c["field"]): c for c in shop.diff()}


def test_a_resolution_leaves_main_as_it_is_also_where_nothing_conflicts(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", description="The big one")
    shop.delete(shop.title, "spring")
    changes = by_field(shop)
    chosen = resolve(
        shop,
        (changes["checkout.pay", "de"], "main"),
        (changes["title", "key"], "main"),
    )

    merged = shop.merge(resolutions=chosen)

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert shop.read(shop.pay).data["key"]["description"] == "The big one"
    assert shop.names() == ["checkout.pay", "title"]


def test_a_key_that_is_left_out_takes_its_texts_with_it(shop: Branched) -> None:
    shop.create("spring", key="banner", values={"en": "Spring!"})
    chosen = resolve(shop, (by_field(shop)["banner", "key"], "main"))

    merged = shop.merge(resolutions=chosen)

    assert merged.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert shop.names() == ["checkout.pay", "title"]


def test_plural_forms_stay_out_where_the_plurals_do(shop: Branched) -> None:
    shop.patch(shop.title, "spring", isPlural=True)
    shop.write(shop.title, "en", {"one": "Shop", "other": "Shops"}, "spring")
    [plural] = [change for change in shop.diff() if change["field"] == "isPlural"]

    merged = shop.merge(resolutions=resolve(shop, (plural, "main")))

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert shop.texts(shop.title) == {("en", None): "Shops"}


def test_a_resolution_that_cannot_be_obeyed_is_refused_and_named(
    shop: Branched,
) -> None:
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
def test_a_deletion_is_another_change_when_main_goes_on_with_the_key(
    shop: Branched, what: str
) -> None:
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


def test_a_key_of_the_branch_is_another_change_when_its_texts_go_on(
    shop: Branched,
) -> None:
    banner = shop.create("spring", key="banner", values={"en": "Spring!"})
    seen = by_field(shop)["banner", "key"]
    shop.write(banner, "de", "Lenz!", "spring")

    refused = shop.merge(resolutions=resolve(shop, (seen, "main")))

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


# what the trash does not hold any more


def test_a_key_that_main_lost_for_good_comes_back_as_the_branch_has_it(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.delete(shop.pay)
    shop.workspace.framework.storage.keys.purge_trash("2999-01-01T00:00:00.000Z", 10)

    merged = shop.merge(strategy="use_branch")

    assert merged.status == 200, merged
    assert shop.texts(shop.pay) == {
        ("en", None): "Pay",
        ("de", None): "Zahlen",
        ("ar", None): "ادفع",
    }
    assert shop.read(shop.pay).data["key"]["tags"] == ["button"]


def test_a_branch_that_goes_on_after_its_merge_sees_all_of_main(shop: Branched) -> None:
    shop.create("spring", key="banner", values={"en": "Spring!"})
    shop.create(key="banner", values={"en": "Hello"})

    shop.merge(strategy="use_main", closeAfter=False)

    assert shop.names("spring") == shop.names() == ["banner", "checkout.pay", "title"]
    assert shop.diff() == []


# what both sides deleted


def restore(shop: Branched, branch: str | None = None) -> Answer:
    query = {"branch": branch} if branch else {}
    return shop.owner.post(f"{shop.path}/keys/{shop.pay['id']}/restore", query=query)


def test_a_key_deleted_on_a_branch_stays_so_when_main_deletes_it_and_brings_it_back(
    shop: Branched,
) -> None:
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
    shop: Branched, order: tuple[str | None, ...]
) -> None:
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


def test_a_key_that_both_sides_deleted_unchanged_comes_back_once_main_has_it(
    shop: Branched,
) -> None:
    shop.delete(shop.pay, "spring")
    shop.delete(shop.pay)

    refused = restore(shop, "spring")
    restore(shop)
    back = restore(shop, "spring")

    assert (refused.status, refused.error["code"]) == (404, "key_not_found")
    assert back.status == 200
    assert shop.read(shop.pay, "spring").status == 200
    assert shop.diff() == []


# what main passes through


@pytest.mark.parametrize("way", ["Bezahlen", ""])
def test_a_text_of_the_branch_stays_its_own_when_main_passes_through_the_same(
    shop: Branched, way: str
) -> None:
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


def test_a_text_of_the_branch_is_a_change_again_when_main_goes_back_to_the_base(
    shop: Branched,
) -> None:
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
    shop: Branched, field: str, mine: str, later: str
) -> None:
    shop.patch(shop.pay, "spring", **{field: mine})
    shop.patch(shop.pay, **{field: mine})
    while_equal = shop.diff()
    shop.patch(shop.pay, **{field: later})

    [change] = shop.diff()

    assert while_equal == []
    assert shop.read(shop.pay, "spring").data["key"][field] == mine
    assert (change["main"], change["branch"], change["conflict"]) == (later, mine, True)


def test_the_base_of_tags_is_what_they_were_when_the_branch_changed_them(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, tags=["a", "b"])
    shop.patch(shop.pay, "spring", tags=["b", "c"])
    shop.patch(shop.pay, tags=["a", "z"])

    [change] = shop.diff()

    assert change["base"] == ["a", "b"]
    assert change["main"] == ["a", "z"]
    assert change["branch"] == ["z", "c"]
    shop.patch(shop.pay, tags=["a"])
    assert shop.read(shop.pay, "spring").data["key"]["tags"] == ["c"]
    shop.merge()
    assert shop.read(shop.pay).data["key"]["tags"] == ["c"]


def test_a_tag_of_the_branch_stays_when_main_adds_it_too_and_takes_it_away(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", tags=["button", "cart"])
    shop.patch(shop.pay, tags=["button", "cart"])
    while_equal = shop.diff()
    shop.patch(shop.pay, tags=["button", "legal"])

    [change] = shop.diff()

    assert while_equal == []
    assert change["base"] == ["button"]
    assert change["branch"] == ["button", "legal", "cart"]
    assert not change["conflict"]


def test_plurals_of_the_branch_stay_when_main_turns_its_own_on_and_off(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.patch(shop.pay, isPlural=True)
    shop.patch(shop.pay, isPlural=False)

    [change] = shop.diff()

    assert (change["field"], change["branch"]) == ("isPlural", True)
    assert shop.texts(shop.pay, "spring")["de", "other"] == "Zahlen"


def test_a_text_that_both_sides_wrote_alike_is_outdated_with_main_and_found_right(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Bezahlen")
    shop.write(shop.pay, "en", "Pay now")
    outdated = shop.outdated(shop.pay, "spring")["de"]
    shop.approve(shop.pay, "de", "spring")
    shop.patch(shop.pay, description="Main goes on")

    [change] = shop.diff()
    shop.merge()

    assert outdated
    assert (change["field"], change["main"]) == ("value", "Bezahlen")
    assert not shop.outdated(shop.pay)["de"]
