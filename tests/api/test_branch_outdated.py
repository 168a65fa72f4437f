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


def test_turning_plurals_on_main_makes_nothing_outdated(shop: Branched) -> None:
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "en", {"one": "Pay once"})  # the first of its form

    assert not is_outdated(shop)
    assert not is_outdated(shop, None)
