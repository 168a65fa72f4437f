"""``disabledChecks`` of a key and of a project: checks that are not run there."""

import pytest

from .branched import Branched

LENGTH = {"maxLength": 5}  # Zahlen has six


def disabled(shop, key, branch=None):
    path = f"{shop.path}/keys/{key['id']}/detail"
    found = shop.owner.get(path, query={"branch": branch} if branch else {})
    return found.data["detail"]["disabledChecks"]


def issues(shop, branch=None):
    query = {"branch": branch} if branch else {}
    found = shop.owner.get(f"{shop.path}/issues", query=query).data
    listed = [(one["key"], one["check"]) for one in found["items"]]
    keys = sorted({key for key, _ in listed})
    assert shop.names(branch, hasIssues=True) == keys
    return listed


def test_a_check_that_a_key_disables_is_not_run_on_it(shop):
    shop.patch(shop.pay, **LENGTH)
    shop.patch(shop.title, maxLength=2)
    assert issues(shop) == [("checkout.pay", "length"), ("title", "length")]

    changed = shop.patch(shop.pay, disabledChecks=["length", "numbers", "length"])

    assert changed.status == 200
    assert "disabledChecks" not in changed.data["key"]
    assert disabled(shop, shop.pay) == ["length", "numbers"]
    assert issues(shop) == [("title", "length")]
    shop.write(shop.pay, "de", "Bezahlen {x}")
    assert issues(shop) == [("checkout.pay", "placeholders"), ("title", "length")]
    shop.patch(shop.pay, disabledChecks=[])
    assert ("checkout.pay", "length") in issues(shop)


def test_a_check_that_the_project_disables_finds_nothing(shop):
    shop.patch(shop.pay, **LENGTH)

    project = shop.owner.patch(shop.path, json={"disabledChecks": ["length"]})

    assert project.data["project"]["disabledChecks"] == ["length"]
    assert issues(shop) == issues(shop, "spring") == []
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    assert shop.owner.get(path).data["value"]["issues"] == []
    shop.owner.patch(shop.path, json={"disabledChecks": []})
    assert issues(shop) == [("checkout.pay", "length")]


@pytest.mark.parametrize("of", ["key", "project"])
def test_a_disabled_check_blocks_nothing(workspace, of):
    shop = Branched(workspace, blockingChecks=["length"])
    shop.patch(shop.pay, **LENGTH)
    translator = workspace.client("translator")
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    translator.put(path, json={"value": "Bezahlen"})
    assert shop.approve(shop.pay, "de").status == 409

    if of == "key":
        shop.patch(shop.pay, disabledChecks=["length"])
    else:
        shop.owner.patch(shop.path, json={"disabledChecks": ["length"]})

    assert shop.approve(shop.pay, "de").status == 200


def test_it_is_empty_at_first_and_may_be_given_with_a_new_project(workspace):
    project = workspace.project(disabledChecks=["markup", "markup"])

    assert project["disabledChecks"] == ["markup"]
    assert workspace.project()["disabledChecks"] == []


@pytest.mark.parametrize(
    "wrong", [["spelling"], ["length", "Length"], "length", [1], None]
)
def test_what_is_no_list_of_checks_is_refused(shop, wrong):
    body = {"disabledChecks": wrong}
    new = {"name": "New", "sourceLanguage": "en", **body}

    for refused in (
        shop.patch(shop.pay, disabledChecks=wrong),
        shop.owner.patch(shop.path, json=body),
        shop.owner.post("/projects", json=new),
    ):
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert "disabledChecks" in refused.error["details"][0]["path"]
    assert disabled(shop, shop.pay) == []


def test_on_a_branch_it_is_a_change_that_a_merge_applies(shop):
    shop.patch(shop.pay, **LENGTH)
    shop.patch(shop.pay, "spring", disabledChecks=["length"])

    [change] = shop.diff()

    assert (change["field"], change["type"]) == ("disabledChecks", "updated")
    assert (change["main"], change["branch"]) == ([], ["length"])
    assert issues(shop) == [("checkout.pay", "length")]
    assert issues(shop, "spring") == []
    assert shop.merge().status == 200
    assert disabled(shop, shop.pay) == ["length"]
    assert issues(shop) == []


def test_different_checks_on_both_sides_conflict(shop):
    shop.patch(shop.pay, "spring", disabledChecks=["length"])
    shop.patch(shop.pay, disabledChecks=["markup"])

    assert [change["conflict"] for change in shop.diff()] == [True]
    assert shop.merge(strategy="use_branch").status == 200
    assert disabled(shop, shop.pay) == ["length"]


def test_a_key_made_on_a_branch_brings_it_to_main(shop):
    made = shop.create("spring", key="new", values={"en": "New"})
    shop.patch(made, "spring", disabledChecks=["length"])

    assert shop.merge().status == 200

    assert disabled(shop, made) == ["length"]


def test_an_undo_brings_the_check_back(shop):
    shop.patch(shop.pay, **LENGTH)
    other = shop.workspace.client("developer")
    path = f"{shop.path}/keys/{shop.pay['id']}"
    assert other.patch(path, json={"disabledChecks": ["length"]}).status == 200
    query = {"keyId": shop.pay["id"]}
    [last, *_] = shop.owner.get(f"{shop.path}/activity", query=query).data["items"]

    asked = shop.owner.post(
        f"{shop.path}/activity/revert", json={"actor": last["actor"]["id"]}
    )

    assert shop.workspace.job_of(asked)["result"]["keysUpdated"] == 1
    assert disabled(shop, shop.pay) == []
    assert issues(shop) == [("checkout.pay", "length")]
