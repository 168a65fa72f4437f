"""Undo of tags on a branch, while main puts others on the key or takes them off."""

from __future__ import annotations

import pytest

from .branched import Branched


def tags(shop: Branched, line: str | None = "spring") -> set[str]:
    return {*shop.read(shop.pay, line).data["key"]["tags"]}


@pytest.mark.parametrize("mains", [["button", "new"], ["new"], []])
@pytest.mark.parametrize("own", [[], ["red"], ["button", "red"]])
def test_tags_that_a_branch_changed_follow_main_again(
    shop: Branched, own: list[str], mains: list[str]
) -> None:
    shop.patch(shop.pay, "spring", tags=own)
    shop.patch(shop.pay, tags=mains)
    before = tags(shop)

    undone = shop.undo(branch="spring")

    assert (undone["skipped"], shop.diff()) == ([], [])
    assert tags(shop) == {*mains}
    again = shop.undo(jobId=undone["jobId"])
    assert (again["skipped"], tags(shop)) == ([], before)


def test_tags_come_back_on_top_of_what_main_put_on_meanwhile(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", tags=["red"])
    undone = shop.undo(branch="spring")
    shop.patch(shop.pay, tags=["button", "new"])

    shop.undo(jobId=undone["jobId"])

    assert tags(shop) == {"red", "new"}


def test_tags_go_back_one_by_one_though_main_has_deleted_the_key(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, "spring", tags=["button", "red"])
    since = shop.told(shop.pay)[known]["createdAt"]
    shop.patch(shop.pay, tags=["new"])
    shop.delete(shop.pay)

    result = shop.undo(branch="spring", since=since)

    assert (result["skipped"], tags(shop)) == ([], {"new"})


def test_a_tag_comes_back_though_main_has_deleted_the_key_meanwhile(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", tags=["red"])
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, "spring", tags=["red", "new", "button"])
    since = shop.told(shop.pay)[known]["createdAt"]
    shop.patch(shop.pay, tags=["new", "red", "button"])
    shop.undo(branch="spring", since=since)
    assert tags(shop) == {"new", "red"}
    undone = shop.undo(branch="spring", since=since)
    assert tags(shop) == {"red"}
    shop.delete(shop.pay)

    again = shop.undo(jobId=undone["jobId"])

    assert (again["skipped"], tags(shop)) == ([], {"new", "red"})


def test_tags_go_back_by_each_change_though_main_changed_some_between_them(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", tags=["red", "button", "old"])
    shop.patch(shop.pay, tags=["new"])
    shop.undo(branch="spring")
    shop.patch(shop.pay, "spring", tags=["new", "red"])

    result = shop.undo(branch="spring")

    assert (result["skipped"], tags(shop)) == ([], {"new"})


def test_tags_that_follow_main_again_stay_so_when_the_undo_is_repeated(
    shop: Branched,
) -> None:
    for line in ("spring", None):
        shop.patch(shop.pay, line, tags=["button", "red"])

    for _ in range(2):
        result = shop.undo(branch="spring")

        assert (result["keysUpdated"], result["skipped"]) == (0, [])
        assert (tags(shop), shop.diff()) == ({"button", "red"}, [])


def test_tags_that_main_took_off_too_are_told_by_nobody(shop: Branched) -> None:
    shop.patch(shop.pay, tags=["button", "red"])
    shop.patch(shop.pay, "spring", tags=["button"])
    shop.undo(branch="spring")
    shop.patch(shop.pay, "spring", tags=[])
    shop.patch(shop.pay, tags=[])

    result = shop.undo(branch="spring")

    assert (result["keysUpdated"], result["skipped"]) == (0, [])
    assert tags(shop) == set()
    shop.patch(shop.pay, tags=["red"])
    assert tags(shop) == {"red"}


def test_a_tag_that_only_main_kept_away_is_not_taken_for_the_branchs(
    shop: Branched,
) -> None:
    for line in ("spring", None):
        shop.patch(shop.pay, line, tags=[])
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, "spring", tags=["button", "red"])
    since = shop.told(shop.pay)[known]["createdAt"]
    assert tags(shop) == {"red"}  # it took off the other, as main did
    shop.patch(shop.pay, tags=["button"])

    shop.undo(branch="spring", since=since)

    assert tags(shop) == {"button"}


def test_tags_that_came_back_with_a_key_are_no_change_of_it(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", tags=[])
    shop.delete(shop.pay, "spring")
    shop.patch(shop.pay, tags=["new"])
    known = len(shop.told(shop.pay))
    path = f"{shop.path}/keys/{shop.pay['id']}/restore"
    shop.owner.post(path, query={"branch": "spring"})
    since = shop.told(shop.pay)[known]["createdAt"]

    result = shop.undo(branch="spring", since=since)

    assert (result["keysDeleted"], result["keysUpdated"]) == (1, 0)
