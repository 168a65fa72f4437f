"""The activity list (decisions 2.6) and the filters it shares with undo."""

import pytest

from .undoing import import_german


def listed(keys, client=None, **query):
    path = f"/projects/{keys.project['id']}/activity"
    answer = (client or keys.owner).get(path, query=query)
    assert answer.status == 200, answer
    found = answer.data["items"]
    return [item for item in found if item["type"] != "language.completed"]


def types(keys, **query):
    return [item["type"] for item in listed(keys, **query)]


def create_branch(keys, name="spring"):
    path = f"/projects/{keys.project['id']}/branches"
    return keys.owner.post(path, json={"name": name}).data["branch"]["id"]


def test_item_has_actor_branch_and_records(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei", keys.translator)

    newest, *_ = listed(keys)

    assert (newest["type"], newest["branch"]) == ("translation.submitted", None)
    assert newest["actor"]["type"] == "user"
    assert newest["jobId"] is newest["mergedBranchId"] is None
    [item] = newest["items"]
    assert (item["keyId"], item["key"]) == (key["id"], "a.b")
    assert (item["languageCode"], item["revision"]) == ("de", 2)


@pytest.mark.parametrize("branch", [None, "spring"])
def test_item_has_the_time_of_its_change(keys, branch):
    where = {"branch": branch} if branch else {}
    create_branch(keys)
    new = {"key": "a.b", "values": {"de": "eins"}}
    key = keys.owner.post(keys.path, json=new, query=where).data["key"]
    one = f"{keys.path}/{key['id']}"

    def last():
        newest, *_ = listed(keys, branch=branch or "main")
        return newest["createdAt"]

    assert key["createdAt"] == key["updatedAt"] == last()
    for verb, body in (("", {"value": "zwei"}), ("/revert", {"revision": 1})):
        send = keys.owner.post if verb else keys.owner.put
        assert send(f"{one}/values/de{verb}", json=body, query=where).status == 200
        path = f"{one}/values/de/history"
        revision, *_ = keys.owner.get(path, query=where).data["items"]
        updated = keys.owner.get(one, query=where).data["key"]["updatedAt"]
        assert revision["createdAt"] == updated == last()
    assert keys.owner.delete(one, query=where).status == 200
    [gone] = keys.owner.get(f"{keys.path}/trash", query=where).data["items"]
    assert gone["deletedAt"] == last()


def test_filters_are_combined(keys):
    one, two = keys.made(), keys.made(key="c")
    keys.put(one, "de", "eins", keys.translator)
    [first] = listed(keys, keyId=two["id"])
    translator = listed(keys)[0]["actor"]["id"]

    assert types(keys, actor=translator) == ["translation.submitted"]
    assert types(keys, actor=translator, keyId=two["id"]) == []
    assert types(keys, keyId=two["id"]) == ["key.created"]
    assert "language.added" not in types(keys, since=first["createdAt"])
    assert types(keys, until="2020-01-01") == []
    keys.owner.delete(f"{keys.path}/{two['id']}")
    assert types(keys, keyId=two["id"]) == ["key.deleted", "key.created"]


def test_job_filter_lists_the_changes_of_the_job(keys):
    job_id = import_german(keys, {"a.b": "eins"})

    found = listed(keys, jobId=job_id)

    assert [item["type"] for item in found] == [
        "import.completed", "translation.updated", "key.created",
    ]  # fmt: skip
    assert {item["jobId"] for item in found} == {job_id}


def test_branch_filter_includes_the_changes_of_its_merge(keys):
    key = keys.made(values={"de": "eins"})
    branch_id = create_branch(keys)
    value = f"{keys.path}/{key['id']}/values/de"
    keys.owner.put(value, json={"value": "zwei"}, query={"branch": "spring"})
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"
    keys.owner.post(merge, json={})

    for name in ("spring", branch_id):
        found = listed(keys, branch=name)
        where = [(i["type"], i["branch"], i["mergedBranchId"]) for i in found]
        assert where == [
            ("branch.merged", None, branch_id),
            ("translation.updated", None, branch_id),
            ("translation.updated", "spring", None),
        ]
    assert {item["branch"] for item in listed(keys, branch="main")} == {None}


def test_list_is_paged(keys):
    for number in range(3):
        keys.made(key=f"k{number}")
    everything = listed(keys)

    pages = [listed(keys, page=page, limit=2) for page in (1, 2, 3, 4)]

    assert [item for page in pages for item in page] == everything


@pytest.mark.parametrize("role", ["viewer", "translator", "reviewer"])
def test_list_needs_audit_read(keys, role):
    path = f"/projects/{keys.project['id']}/activity"

    refused = keys.workspace.client(role).get(path)

    assert refused.error["details"] == {"required": "audit_read"}


def test_invalid_filters_are_refused(keys):
    path = f"/projects/{keys.project['id']}/activity"

    since = keys.owner.get(path, query={"since": "yesterday"})
    branch = keys.owner.get(path, query={"branch": "nowhere"})

    assert since.error["details"][0]["path"] == "query.since"
    assert (branch.status, branch.error["code"]) == (404, "branch_not_found")


MATCH_NOTHING = [
    ({"jobId": "nope"}, "jobId"),
    ({"jobId": "01a1fd83-6a3c-7d53-9d8e-3f0c7c9b1a55"}, "jobId"),
    ({"keyId": "%"}, "keyId"),
    ({"keyId": "01a1fd83-6a3c-7d53-9d8e-3f0c7c9b1a55"}, "keyId"),
    ({"actor": ""}, "actor"),
    ({"keyId": ""}, "keyId"),
    ({"branch": ""}, "branch"),
    ({"since": "2026-02-01", "until": "2026-01-31T23:59:59Z"}, "since"),
]


@pytest.mark.parametrize(("asked", "name"), MATCH_NOTHING)
def test_filters_that_match_nothing_are_refused(keys, asked, name):
    path = f"/projects/{keys.project['id']}/activity"

    listing = keys.owner.get(path, query=asked)
    undoing = keys.owner.post(f"{path}/revert", json=asked)

    for refused, root in ((listing, "query"), (undoing, "$")):
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        [fault] = refused.error["details"]
        assert fault["path"] == f"{root}.{name}"


def test_job_of_another_project_is_refused(keys):
    job_id = import_german(keys, {"a.b": "eins"})
    other = keys.workspace.project()
    path = f"/projects/{other['id']}/activity"

    refused = keys.owner.get(path, query={"jobId": job_id})

    assert (refused.status, refused.error["details"][0]["path"]) == (400, "query.jobId")


def test_key_of_another_project_is_refused(keys):
    key, other = keys.made(), keys.workspace.project()
    path, where = f"/projects/{other['id']}/activity", {"keyId": key["id"]}

    listing = keys.owner.get(path, query=where)
    undoing = keys.owner.post(f"{path}/revert", json=where)

    for refused, root in ((listing, "query"), (undoing, "$")):
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert refused.error["details"][0]["path"] == f"{root}.keyId"


def test_job_filter_works_after_the_job_was_deleted(keys):
    job_id = import_german(keys, {"a.b": "eins"})
    database = keys.workspace.framework.storage.database
    database.run("DELETE FROM jobs WHERE id = ?", (job_id,))

    assert "key.created" in types(keys, jobId=job_id)


def test_unchanged_settings_make_no_event(keys):
    path = f"/projects/{keys.project['id']}"
    before = listed(keys)
    project = keys.owner.get(path).data["project"]
    german = keys.owner.get(f"{path}/languages/de").data["language"]

    answers = [
        keys.owner.patch(path, json={}),
        keys.owner.patch(path, json={"name": project["name"]}),
        keys.owner.patch(f"{path}/languages/de", json={"label": german["label"]}),
    ]

    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[1].data["project"] == project
    assert listed(keys) == before
