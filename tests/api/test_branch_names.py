"""Names of branches with slashes, in paths and queries (decisions 2.6)."""

from urllib.parse import quote

import pytest

from .project_keys import Keys

NAMES = ["feature/x", "a/b/c", "diff", "merge", "diff/a", "a.b/-c_", "x/diff.v2"]


def made(keys, name):
    path = f"/projects/{keys.project['id']}/branches"
    return keys.owner.post(path, json={"name": name})


@pytest.mark.parametrize("name", NAMES)
def test_a_branch_is_found_by_a_name_with_slashes(keys, name):
    key = keys.made(key="pay", values={"en": "Pay"})
    branch = made(keys, name).data["branch"]
    one = f"/projects/{keys.project['id']}/branches/{quote(name, safe='')}"
    put = f"{keys.path}/{key['id']}/values/en"
    keys.owner.put(put, json={"value": "Paid"}, query={"branch": name})

    read = keys.owner.get(one)
    diff = keys.owner.get(f"{one}/diff")
    merged = keys.owner.post(f"{one}/merge", json={"closeAfter": False})
    closed = keys.owner.delete(one)

    assert read.data["branch"]["name"] == name
    assert read.data["branch"]["id"] == branch["id"]
    assert [change["branch"] for change in diff.data["items"]] == ["Paid"]
    assert merged.data["applied"]["updated"] == 1
    assert closed.data["id"] == branch["id"]
    assert keys.owner.get(one).data["branch"]["status"] == "closed"


NO_NAMES = ["feat\n", "main\n", "main", "Main", "-a", "a b", "é", "", "x" * 101]
NO_PATHS = ["a/diff", "a/merge", "a/b/diff", "a//b", "a/", "a/./b", "a/.."]


@pytest.mark.parametrize("name", [*NO_NAMES, *NO_PATHS])
def test_other_names_are_refused(keys, name):
    refused = made(keys, name)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"] == "$.name"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "$.name: Expected `str` of length >= 1"),
        ("a/../b", "$.name: no part between slashes may be empty, . or .."),
    ],
)
def test_a_refusal_of_a_name_tells_the_rule(keys, name, message):
    assert made(keys, name).error["message"] == message


def test_names_that_differ_in_case_are_two_branches(keys):
    key = keys.made(key="pay", values={"en": "Pay"})
    put = f"{keys.path}/{key['id']}/values/en"
    found = {}
    for name in ("spring", "Spring"):
        assert made(keys, name).status == 201
        keys.owner.put(put, json={"value": name}, query={"branch": name})

    for name in ("spring", "Spring"):
        path = f"/projects/{keys.project['id']}/branches/{name}"
        found[name] = keys.owner.get(f"{path}/diff").data["items"][0]["branch"]

    assert found == {"spring": "spring", "Spring": "Spring"}


@pytest.mark.parametrize("name", ["Main", "MAIN"])
def test_main_in_another_case_is_no_branch_and_not_main(keys, name):
    key = keys.made(key="pay", values={"en": "Pay"})
    put = f"{keys.path}/{key['id']}/values/en"

    refused = made(keys, name)
    written = keys.owner.put(put, json={"value": "Paid"}, query={"branch": name})
    read = keys.owner.get(keys.path, query={"branch": name})

    assert refused.error["details"][0]["path"] == "$.name"
    for answer in (written, read):
        assert (answer.status, answer.error["code"]) == (404, "branch_not_found")
    assert keys.texts(key) == {("en", None): "Pay"}


def test_an_encoded_slash_and_a_plain_one_are_the_same(keys):
    made(keys, "feature/x")
    path = f"/projects/{keys.project['id']}/branches"

    answers = [keys.owner.get(f"{path}/feature{slash}x") for slash in ("/", "%2F")]

    assert answers[0].status == 200
    assert answers[0].content == answers[1].content


def test_what_a_path_ends_with_is_no_part_of_a_name(keys):
    made(keys, "x")
    path = f"/projects/{keys.project['id']}/branches"

    assert "items" in keys.owner.get(f"{path}/x%2Fdiff").data
    assert keys.owner.post(f"{path}/x%2Fdiff", json={}).status == 405
    assert keys.owner.get(f"{path}/x%2Fmerge").status == 405
    absent = keys.owner.get(f"{path}/y%2Fdiff")
    assert absent.error["code"] == "branch_not_found"
    assert keys.owner.post(f"{path}/x%2Fy", json={}).status == 405


def test_no_branch_is_called_like_the_id_of_another(keys):
    path = f"/projects/{keys.project['id']}/branches"
    ended = made(keys, "spring").data["branch"]["id"]
    assert keys.owner.delete(f"{path}/spring").status == 200

    refused = made(keys, ended)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


@pytest.mark.parametrize("path", ["a//b", "a/", "a%2F", "%2Fa", "a%1Fb", "a%00"])
def test_odd_paths_find_no_branch(keys, path):
    made(keys, "a/b")

    answer = keys.owner.get(f"/projects/{keys.project['id']}/branches/{path}")

    assert answer.status == 404


def test_a_name_with_slashes_opens_no_other_project(workspace):
    mine, theirs = Keys(workspace), Keys(workspace)
    made(theirs, "feature/x")
    _, stranger = workspace.organization("Elsewhere")

    path = f"/projects/{theirs.project['id']}/branches/feature%2Fx"
    assert stranger.get(path).error["code"] == "project_not_found"
    path = f"/projects/{mine.project['id']}/branches/feature%2Fx"
    assert workspace.owner.get(path).error["code"] == "branch_not_found"
