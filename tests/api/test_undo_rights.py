"""An undo that waits has the rights of the moment in which it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from locframework.testing.client import Client

from .branched import Branched

Change = Callable[[Branched, Client], object]


def member(shop: Branched, client: Client) -> str:
    workspace = shop.workspace
    user_id = client.get("/tokens/self").data["token"]["userId"]
    path = f"/organizations/{workspace.organization_id}/members"
    members = shop.owner.get(path).data["items"]
    [found] = [each["id"] for each in members if each["userId"] == user_id]
    return f"{path}/{found}"


def revoke_token(shop: Branched, client: Client) -> None:
    token_id = client.get("/tokens/self").data["token"]["id"]
    assert client.delete(f"/tokens/{token_id}").status == 200


def lower_role(shop: Branched, client: Client) -> None:
    body = {"role": "viewer"}
    assert shop.owner.patch(member(shop, client), json=body).status == 200


def remove_member(shop: Branched, client: Client) -> None:
    assert shop.owner.delete(member(shop, client)).status == 200


def undo_after(
    shop: Branched, client: Client, change: Change, **where: object
) -> dict[str, Any]:
    """The job of an undo of all of a key, that runs after the rights have changed."""
    body = {"keyId": shop.pay["id"], **where}
    accepted = client.post(f"{shop.path}/activity/revert", json=body)
    assert accepted.status == 202
    change(shop, client)
    return shop.workspace.job_of(accepted, shop.owner)


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("change", [revoke_token, lower_role, remove_member])
def test_an_undo_fails_whose_rights_were_taken_away(
    shop: Branched, change: Change, dry_run: bool
) -> None:
    shop.write(shop.pay, "de", "Kaufen")
    before = shop.texts(shop.pay)

    job = undo_after(shop, shop.workspace.client("manager"), change, dryRun=dry_run)

    assert (job["status"], job["error"]["code"]) == ("failed", "permission_denied")
    assert shop.texts(shop.pay) == before


def test_an_undo_leaves_languages_that_are_not_assigned_any_more(
    shop: Branched,
) -> None:
    known = len(shop.told(shop.pay))
    shop.write(shop.pay, "de", "Kaufen")
    shop.write(shop.pay, "ar", "ادفع")
    since = shop.told(shop.pay)[known]["createdAt"]

    def assign(shop: Branched, client: Client) -> None:
        body = {"assignedLanguages": ["ar"]}
        assert shop.owner.patch(member(shop, client), json=body).status == 200

    job = undo_after(shop, shop.workspace.client("reviewer"), assign, since=since)

    assert job["status"] == "succeeded"
    [skipped] = job["result"]["skipped"]
    assert (skipped["languageCode"], skipped["reason"]) == (
        "de",
        "language_not_assigned",
    )
    assert shop.texts(shop.pay)["de", None] == "Kaufen"
    assert ("ar", None) not in shop.texts(shop.pay)
