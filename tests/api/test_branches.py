"""Branches over HTTP: names, states, and main beside them (decisions 2.6)."""

import pytest

from .branched import Branched


def test_a_branch_is_made_listed_read_by_name_and_id_and_closed(shop):
    made = shop.branch("fix/typo-1").data["branch"]

    listed = shop.owner.get(f"{shop.path}/branches").data
    by_id = shop.one(made["id"])
    closed = shop.owner.delete(f"{shop.path}/branches/{made['id']}")

    assert (made["name"], made["status"], made["changeCount"]) == (
        "fix/typo-1",
        "open",
        0,
    )
    assert [each["name"] for each in listed["items"]] == ["fix/typo-1", "spring"]
    assert by_id == made
    assert closed.data == {"id": made["id"], "deleted": True}
    assert shop.one(made["id"])["status"] == "closed"


def test_branches_are_listed_by_status(shop):
    shop.branch("done")
    shop.branch("gone")
    assert shop.owner.post(f"{shop.path}/branches/done/merge", json={}).status == 200
    assert shop.owner.delete(f"{shop.path}/branches/gone").status == 200

    for status, names in (
        ("open", ["spring"]),
        ("merging", []),
        ("merged", ["done"]),
        ("closed", ["gone"]),
    ):
        listed = shop.owner.get(f"{shop.path}/branches", query={"status": status}).data
        assert [each["name"] for each in listed["items"]] == names
        assert listed["total"] == len(names)
    refused = shop.owner.get(f"{shop.path}/branches", query={"status": "done"})
    assert (refused.status, refused.error["details"][0]["path"]) == (
        400, "query.status",
    )  # fmt: skip


def test_two_open_branches_never_share_a_name_but_a_closed_one_frees_it(shop):
    refused = shop.branch("spring")
    shop.owner.delete(f"{shop.path}/branches/spring")
    again = shop.branch("spring")

    assert (refused.status, refused.error["code"]) == (409, "branch_exists")
    assert again.status == 201
    assert shop.one()["id"] == again.data["branch"]["id"]


def test_a_branch_that_is_not_there_or_not_open_is_told_apart(shop):
    unknown = shop.read(shop.pay, "autumn")
    shop.owner.delete(f"{shop.path}/branches/spring")
    read = shop.read(shop.pay, "spring")
    written = shop.write(shop.pay, "de", "Bezahlen", "spring")

    assert (unknown.status, unknown.error["code"]) == (404, "branch_not_found")
    assert (read.status, read.error["code"]) == (409, "branch_not_open")
    assert (written.status, written.error["code"]) == (409, "branch_not_open")


def test_protection_of_main_sends_writers_to_a_branch(workspace):
    """service.md, States: the write must target a branch."""
    shop = Branched(workspace)
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.write(shop.pay, "de", "Bezahlen")
    taken = shop.write(shop.pay, "de", "Bezahlen", "spring")
    merged = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert (taken.status, merged.status) == (200, 200)
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"


def test_a_language_stays_with_its_texts_while_main_is_protected(workspace):
    """Decisions 2.3.3: only a merge passes."""
    shop = Branched(workspace)
    german = f"{shop.path}/languages/de"
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.owner.delete(german)
    kept = shop.texts(shop.pay)["de", None]
    shop.owner.patch(shop.path, json={"mainProtected": False})

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert "mainProtected" in refused.error["message"]
    assert kept == "Zahlen"
    assert shop.owner.delete(german).status == 200


def test_main_may_be_named_where_a_branch_may(shop):
    """No branch can have its name, so nothing else can be meant."""
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    asked = {"branch": "main"}
    body = {"name": "Web", "format": "json-nested", "branch": "main"}

    written = shop.write(shop.pay, "en", "Pay now", "main")
    made = shop.owner.post(f"{shop.path}/distributions", json=body)

    texts = {("en", None): "Pay now", ("de", None): "Zahlen"}
    assert written.status == 200
    assert shop.texts(shop.pay) == shop.texts(shop.pay, "main") == texts
    assert shop.owner.get(f"{shop.path}/statistics", query=asked).status == 200
    assert made.data["distribution"]["branch"] is None


def test_main_is_no_branch_to_read_compare_merge_or_close(shop):
    main = f"{shop.path}/branches/main"

    answers = [
        shop.owner.get(main),
        shop.owner.get(f"{main}/diff"),
        shop.owner.post(f"{main}/merge", json={}),
        shop.owner.delete(main),
    ]

    found = [(answer.status, answer.error["code"]) for answer in answers]
    assert found == [(404, "branch_not_found")] * 4


@pytest.mark.parametrize("by", ["id", "name"])
def test_a_branch_of_another_project_is_no_branch_of_this_one(workspace, shop, by):
    other = Branched(workspace)
    other.branch("summer")
    other.write(other.pay, "de", "Bezahlen", "summer")
    before = other.one("summer")
    foreign = f"{shop.path}/branches/{before[by]}"

    answers = [
        shop.owner.get(foreign),
        shop.owner.get(f"{foreign}/diff"),
        shop.owner.post(f"{foreign}/merge", json={}),
        shop.owner.delete(foreign),
    ]

    found = [(answer.status, answer.error["code"]) for answer in answers]
    assert found == [(404, "branch_not_found")] * 4
    assert other.one("summer") == before
    assert other.texts(other.pay)["de", None] == "Zahlen"


def test_languages_assigned_to_a_person_limit_what_they_merge(shop):
    member = shop.workspace.client("developer", languages=["ar"])
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    refused = shop.merge(client=member)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


def test_permissions_of_branches(shop):
    viewer = shop.workspace.client("viewer")

    assert shop.branch("mine", viewer).error["details"] == {"required": "branch_manage"}
    assert shop.merge(client=viewer).error["details"] == {"required": "branch_merge"}
    assert viewer.get(f"{shop.path}/branches/spring/diff").status == 200


def test_the_separator_is_fixed_by_the_keys_of_open_branches_too(workspace):
    project = workspace.project()
    path, owner = f"/projects/{project['id']}", workspace.owner
    owner.post(f"{path}/branches", json={"name": "spring"})
    body, on_branch = {"key": "checkout.pay"}, {"branch": "spring"}
    owner.post(f"{path}/keys", json=body, query=on_branch)

    refused = owner.patch(path, json={"keySeparator": "/"})
    same = owner.patch(path, json={"keySeparator": "."})
    owner.delete(f"{path}/branches/spring")
    changed = owner.patch(path, json={"keySeparator": "/"})
    owner.post(f"{path}/keys", json={"key": "checkout/pay"})
    fixed = owner.patch(path, json={"keySeparator": "."})

    assert (refused.status, refused.error["code"]) == (409, "separator_fixed")
    assert (same.status, changed.status) == (200, 200)
    assert (fixed.status, fixed.error["code"]) == (409, "separator_fixed")
