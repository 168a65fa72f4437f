"""``maxLength`` of a key: set, checked, merged and undone like its other fields."""

import pytest


def limit(shop, key=None, branch=None):
    path = f"{shop.path}/keys/{(key or shop.pay)['id']}/detail"
    found = shop.owner.get(path, query={"branch": branch} if branch else {})
    assert found.status == 200
    return found.data["detail"]["maxLength"]


def findings(shop):
    found = shop.owner.get(f"{shop.path}/issues", query={"check": "length"}).data
    return [(one["key"], one["languageCode"]) for one in found["items"]]


def test_it_is_null_until_set_and_in_the_detail_alone(shop):
    assert limit(shop) is None

    changed = shop.patch(shop.pay, maxLength=5).data["key"]

    assert limit(shop) == 5
    assert "maxLength" not in changed
    assert "maxLength" not in shop.read(shop.pay).data["key"]
    listed = shop.owner.get(f"{shop.path}/keys").data["items"]
    assert all("maxLength" not in key for key in listed)
    assert shop.patch(shop.pay, maxLength=None).status == 200
    assert limit(shop) is None


def test_a_key_is_created_with_it_alone_and_in_a_batch(shop):
    made = shop.create(key="a", maxLength=65_536)
    keys = [
        {"key": "b", "maxLength": 7},
        {"key": "c", "maxLength": 0},
        {"key": "title", "maxLength": 9},
    ]
    body = {"keys": keys, "onExisting": "update"}

    results = shop.owner.post(f"{shop.path}/keys/bulk", json=body).data["results"]

    assert [each["outcome"] for each in results] == ["created", "failed", "updated"]
    assert results[1]["error"]["code"] == "validation_failed"
    assert (limit(shop, made), limit(shop, results[0]["key"])) == (65_536, 7)
    assert limit(shop, shop.title) == 9


@pytest.mark.parametrize("wrong", [0, -1, 65_537, "5", 2.5, True])
def test_another_value_is_refused(shop, wrong):
    created = shop.owner.post(
        f"{shop.path}/keys", json={"key": "new", "maxLength": wrong}
    )

    assert created.error["code"] == "validation_failed"
    assert shop.patch(shop.pay, maxLength=wrong).error["code"] == "validation_failed"
    assert limit(shop) is None


def test_the_check_length_uses_it_and_no_tag(shop):
    shop.patch(shop.pay, tags=["max-length:3"])
    assert findings(shop) == []

    shop.patch(shop.pay, maxLength=5)
    assert findings(shop) == [("checkout.pay", "de")]  # Zahlen

    shop.write(shop.pay, "de", "Zahl!")
    assert findings(shop) == []


def test_it_is_a_change_of_a_branch_that_a_merge_applies(shop):
    shop.patch(shop.pay, "spring", maxLength=8)

    [change] = shop.diff()

    assert (change["field"], change["type"]) == ("maxLength", "updated")
    assert (change["base"], change["main"], change["branch"]) == (None, None, 8)
    assert (limit(shop), limit(shop, branch="spring")) == (None, 8)
    assert shop.merge().status == 200
    assert limit(shop) == 8


def test_different_limits_on_both_sides_conflict(shop):
    shop.patch(shop.pay, "spring", maxLength=8)
    shop.patch(shop.pay, maxLength=9)

    [change] = shop.diff()

    assert change["conflict"]
    assert (change["main"], change["branch"]) == (9, 8)


def test_an_update_brings_it_to_the_branch(shop):
    shop.patch(shop.pay, "spring", description="Mine")
    shop.patch(shop.pay, maxLength=9)
    assert limit(shop, branch="spring") is None

    updated = shop.owner.post(f"{shop.path}/branches/spring/update")

    assert updated.status == 200
    assert limit(shop, branch="spring") == 9


def test_an_undo_puts_it_back(shop):
    shop.patch(shop.pay, maxLength=8)
    other = shop.workspace.client("developer")
    path = f"{shop.path}/keys/{shop.pay['id']}"
    assert other.patch(path, json={"maxLength": 9}).status == 200
    query = {"keyId": shop.pay["id"]}
    [last, *_] = shop.owner.get(f"{shop.path}/activity", query=query).data["items"]

    asked = shop.owner.post(
        f"{shop.path}/activity/revert", json={"actor": last["actor"]["id"]}
    )

    result = shop.workspace.job_of(asked)["result"]
    assert (result["keysUpdated"], result["skipped"]) == (1, [])
    assert limit(shop) == 8
