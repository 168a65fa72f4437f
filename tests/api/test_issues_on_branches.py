"""What checks found on a branch, and what a merge makes of it."""

import pytest

from .checked_shop import FOUND, OWN, Shop


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


# branches


def test_a_branch_has_mains_issues_but_for_what_it_changes(shop):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    assert shop.issues(branch="spring") == FOUND
    shop.put(shop.hello, "de", "Hallo {name}!", branch="spring")
    shop.key("own", branch="spring", en="{a}", de="b")

    assert shop.issues(branch="spring") == [
        *FOUND[1:],
        ("own", "de", None, FOUND[0][3]),
    ]
    assert shop.issues() == FOUND
    assert shop.names(branch="spring", hasIssues=True) == ["hello", "own"]
    assert shop.names(branch="spring", hasIssues=True, languageCode="de") == ["own"]
    assert shop.names(branch="spring", hasIssues=False) == ["pay"]
    assert shop.issues(branch="spring", keyId=shop.hello) == FOUND[1:]
    assert shop.detail(shop.hello, "de", branch="spring")["value"]["issues"] == []
    assert shop.detail(shop.hello, "fr", branch="spring")["value"]["issues"] != []
    ids = {one["keyId"] for one in shop.listed(branch="spring")["items"]}
    assert shop.hello in ids
    assert all("@" not in key_id for key_id in ids)


def test_a_merge_brings_issues_to_main(shop):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put(shop.hello, "de", "Hallo {name}!", branch="spring")
    shop.key("own", branch="spring", en="{a}", de="b")
    shop.owner.delete(f"{shop.path}/keys/{shop.pay}")

    merged = shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert merged.status == 200
    assert shop.issues() == [*FOUND[1:], OWN]


def test_a_key_that_a_merge_brings_back_has_its_issues_again(shop):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put(shop.hello, "de", "Hallo {name}!", branch="spring")
    shop.owner.delete(f"{shop.path}/keys/{shop.hello}")

    path = f"{shop.path}/branches/spring/merge"
    merged = shop.owner.post(path, json={"strategy": "use_branch"})

    assert merged.status == 200, merged
    assert shop.issues() == FOUND[1:]


def test_issues_of_a_branch_that_is_not_there_are_refused(shop):
    answer = shop.owner.get(f"{shop.path}/issues", query={"branch": "autumn"})

    assert (answer.status, answer.error["code"]) == (404, "branch_not_found")
