"""What main's source texts make outdated on a branch that has its own translations."""

from __future__ import annotations

import pytest

from locframework.testing.workspace import Workspace

from .branched import Branched


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    shop = Branched(workspace)
    shop.write(shop.pay, "de", "Kaufen", "spring")
    return shop


def source(shop: Branched, text: str, role: str = "owner", **more: object) -> None:
    client = shop.owner if role == "owner" else shop.workspace.client("translator")
    path = f"{shop.path}/keys/{shop.pay['id']}/values/en"
    assert client.put(path, json={"value": text, **more}).status == 200


def is_outdated(shop: Branched, branch: str | None = "spring") -> bool:
    return shop.outdated(shop.pay, branch)["de"]


@pytest.mark.parametrize("keep", [True, False])
def test_a_source_text_of_main_keeps_fresh_on_branches_what_it_keeps_fresh(
    shop: Branched, keep: bool
) -> None:
    source(shop, "Pay!", keepFresh=keep)

    assert is_outdated(shop) is is_outdated(shop, None) is not keep
    shop.merge()
    assert is_outdated(shop, None) is not keep


@pytest.mark.parametrize("keep", [True, False])
def test_a_proposed_source_text_counts_on_branches_when_it_is_approved(
    shop: Branched, keep: bool
) -> None:
    source(shop, "Pay!", "translator", keepFresh=keep)
    assert not is_outdated(shop)

    shop.approve(shop.pay, "en")
    assert is_outdated(shop) is not keep


@pytest.mark.parametrize("keep", [True, False])
def test_a_merge_keeps_fresh_on_other_branches_what_it_keeps_fresh(
    shop: Branched, keep: bool
) -> None:
    shop.branch("autumn")
    path = f"{shop.path}/keys/{shop.pay['id']}/values/en"
    body = {"value": "Pay!", "keepFresh": keep}
    shop.owner.put(path, json=body, query={"branch": "autumn"})

    shop.merge("autumn")

    assert is_outdated(shop) is is_outdated(shop, None) is not keep


def test_turning_plurals_on_main_makes_nothing_outdated(shop: Branched) -> None:
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "en", {"one": "Pay once"})  # the first of its form

    assert not is_outdated(shop)
    assert not is_outdated(shop, None)


def test_a_form_that_is_new_on_main_follows_it_where_the_branch_has_plurals_too(
    shop: Branched,
) -> None:
    shop.patch(shop.title, "spring", isPlural=True)
    shop.patch(shop.title, isPlural=True)
    for text in ("one shop", "1 shop"):
        shop.write(shop.title, "en", {"one": text})

    assert shop.texts(shop.title, "spring") == shop.texts(shop.title)
    assert [change["key"] for change in shop.diff()] == ["checkout.pay"]


@pytest.mark.parametrize("values", [{"en": "Pay"}, {"en": "Pay", "de": "Alt"}, {}])
def test_a_source_text_that_waits_on_a_branch_outdates_nothing_that_main_writes(
    shop: Branched, values: dict[str, str]
) -> None:
    key = shop.create(key="cart", values=values)
    translator = shop.workspace.client("translator")
    path, on = f"{shop.path}/keys/{key['id']}/values/en", {"branch": "spring"}
    assert translator.put(path, json={"value": "Buy"}, query=on).status == 200

    shop.write(key, "de", "Neu")

    assert shop.outdated(key, "spring")["de"] is False
    shop.merge()
    assert shop.outdated(key)["de"] is False


def test_it_does_once_it_is_approved(shop: Branched) -> None:
    key = shop.create(key="cart", values={"en": "Pay"})
    translator = shop.workspace.client("translator")
    path, on = f"{shop.path}/keys/{key['id']}/values/en", {"branch": "spring"}
    assert translator.put(path, json={"value": "Buy"}, query=on).status == 200
    shop.approve(key, "en", "spring")

    shop.write(key, "de", "Neu")

    assert shop.outdated(key, "spring")["de"] is True


@pytest.mark.parametrize("keep", [True, False])
def test_what_main_writes_beside_a_source_text_of_a_branch_is_kept_fresh_by_it(
    shop: Branched, keep: bool
) -> None:
    key = shop.create(key="cart", values={"en": "Pay"})
    path, on = f"{shop.path}/keys/{key['id']}/values/en", {"branch": "spring"}
    body = {"value": "Pay now", "keepFresh": keep}
    assert shop.owner.put(path, json=body, query=on).status == 200

    shop.write(key, "de", "Neu")

    assert shop.outdated(key, "spring")["de"] is not keep


@pytest.mark.parametrize("keep", [True, False])
def test_who_approves_says_so_also_in_place_of_a_proposal_that_kept_nothing_fresh(
    shop: Branched, keep: bool
) -> None:
    key = shop.create(key="cart", values={"en": "Pay"})
    path, on = f"{shop.path}/keys/{key['id']}/values/en", {"branch": "spring"}
    translator = shop.workspace.client("translator")
    assert translator.put(path, json={"value": "Buy"}).status == 200
    body = {"value": "Pay now", "keepFresh": keep}
    assert shop.owner.put(path, json=body, query=on).status == 200

    shop.write(key, "de", "Neu")

    assert shop.outdated(key, "spring")["de"] is not keep
    shop.write(key, "en", "Buy")
    shop.write(key, "de", "Kaufen")  # of another source text than it kept fresh for
    assert shop.outdated(key, "spring")["de"]


@pytest.mark.parametrize("is_plural", [False, True])
@pytest.mark.parametrize("mains", ["none", "cleared before", "cleared since"])
def test_a_branchs_source_text_where_main_has_none_outdates_nothing(
    shop: Branched, mains: str, is_plural: bool
) -> None:
    def text(said: str) -> object:
        return {"other": said} if is_plural else said

    values = {} if mains == "none" else {"en": text("Old")}
    key = shop.create(key="cart", isPlural=is_plural, values=values)
    if mains == "cleared before":
        shop.write(key, "en", text(""))
    shop.write(key, "en", text("Cart"), "spring")
    if mains == "cleared since":
        shop.write(key, "en", text(""))
    shop.write(key, "de", text("Korb"))

    assert shop.outdated(key, "spring") == {"en": False, "de": False}
    assert shop.merge(strategy="use_branch").status == 200
    assert shop.outdated(key) == {"en": False, "de": False}
