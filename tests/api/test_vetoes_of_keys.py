"""The hook loc_decide_write, of keys: made, changed, removed, merged, undone."""

import json

import pytest

from locframework.http.records import Upload
from locframework.ports import KeyFields

from .veto import refused


def told(changes):
    return [(each.action, each.origin, each.branch, each.key) for each in changes]


def undone(keys, **where):
    path = f"/projects/{keys.project['id']}/activity/revert"
    result = keys.workspace.job_of(keys.owner.post(path, json=where))
    assert result["status"] == "succeeded", result
    return result["result"] | {"id": result["id"]}


def replaced(keys, *names, **more):
    """An import that removes all other keys."""
    file = Upload("en.json", json.dumps(dict.fromkeys(names, "x")).encode(), "a/b")
    form = {"languageCode": "en", "mode": "replace", "format": "json-flat", **more}
    path = f"/projects/{keys.project['id']}/import"
    return keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))


def test_a_key_is_asked_about_with_what_it_says_before_and_after(watched, veto):
    key = watched.made(description="d", tags=["t"])
    one = f"{watched.path}/{key['id']}"
    watched.owner.patch(one, json={"key": "c", "isPlural": True})
    watched.owner.patch(one, json={"key": "c"})
    watched.put(key, "de", {"other": "x"})
    watched.owner.delete(one)
    watched.owner.post(f"{one}/restore")

    old = KeyFields("a.b", "d", ("t",), is_plural=False, screenshot_file_id=None)
    new = KeyFields("c", "d", ("t",), is_plural=True, screenshot_file_id=None)
    assert [(each.action, each.before, each.after) for each in veto.seen_keys] == [
        ("create", None, old),
        ("update", old, new),
        ("delete", new, None),
        ("restore", None, new),
    ]
    assert {each.key_id for each in veto.seen_keys} == {key["id"]}
    assert {each.origin for each in veto.seen_keys} == {"human"}


@pytest.mark.parametrize("action", ["create", "update", "delete", "restore"])
def test_a_change_of_a_key_is_refused_by_itself(watched, veto, action):
    key, gone = watched.made(), watched.made(key="gone")
    one, lost = (f"{watched.path}/{each['id']}" for each in (key, gone))
    watched.owner.delete(lost)
    veto.refuses = action

    answers = {
        "create": watched.create(key="new"),
        "update": watched.owner.patch(one, json={"tags": ["x"]}),
        "restore": watched.owner.post(f"{lost}/restore"),
        "delete": watched.owner.delete(one),
    }

    assert [name for name in answers if answers[name].status == 409] == [action]
    assert refused(answers[action])


def test_a_batch_leaves_out_the_keys_that_are_refused(watched, veto):
    watched.made(key="old")
    veto.refuses = "create"
    keys = [{"key": "old", "description": "d"}, {"key": "new", "values": {"de": "x"}}]
    path = f"{watched.path}/bulk"

    answer = watched.owner.post(path, json={"keys": keys, "onExisting": "update"})

    first, second = answer.data["results"]
    assert (first["outcome"], second["error"]["code"]) == ("updated", "write_refused")
    assert watched.names() == ["old"]
    assert veto.seen == []  # of its values nobody was asked any more


def test_an_import_is_refused_as_a_whole_also_for_what_it_removes(watched, veto):
    watched.made(key="old")
    veto.refuses = "delete"

    job = replaced(watched, "new")

    assert (job["status"], job["error"]["code"]) == ("failed", "write_refused")
    assert watched.names() == ["old"]
    assert told(veto.seen_keys[-2:]) == [
        ("create", "import", None, "new"),
        ("delete", "import", None, "old"),
    ]


@pytest.mark.parametrize("action", ["create", "delete"])
def test_a_dry_run_of_an_import_is_refused_what_the_import_would_be(
    watched, veto, action
):
    watched.made(key="old")
    veto.refuses = action

    dry, wet = (replaced(watched, "new", dryRun=dry) for dry in (True, False))

    assert wet["error"]["code"] == "write_refused"
    assert (dry["status"], dry["error"]) == (wet["status"], wet["error"])


@pytest.mark.parametrize("action", ["create", "update", "delete", "restore"])
def test_branches_and_their_merges_are_asked(watched, veto, action):
    here, spring = f"/projects/{watched.project['id']}", {"branch": "spring"}
    changed, gone, lost = (watched.made(key=name) for name in "abc")
    watched.owner.post(f"{here}/branches", json={"name": "spring"})
    veto.seen_keys.clear()
    watched.owner.post(watched.path, json={"key": "new"}, query=spring)
    for each in (changed, lost):
        one = f"{watched.path}/{each['id']}"
        watched.owner.patch(one, json={"description": "x"}, query=spring)
    watched.owner.delete(f"{watched.path}/{gone['id']}", query=spring)
    assert {each.branch for each in veto.seen_keys} == {"spring"}
    watched.owner.delete(f"{watched.path}/{lost['id']}")
    veto.seen_keys.clear()
    body = {"strategy": "use_branch"}

    veto.refuses = action
    merge = watched.owner.post(f"{here}/branches/spring/merge", json=body)
    assert refused(merge)
    assert watched.names() == ["a", "b"]

    veto.refuses = None
    veto.seen_keys.clear()
    assert watched.owner.post(f"{here}/branches/spring/merge", json=body).status == 200
    assert sorted(told(veto.seen_keys)) == [
        ("create", "merge", None, "new"),
        ("delete", "merge", None, "b"),
        ("restore", "merge", None, "c"),
        ("update", "merge", None, "a"),
        ("update", "merge", None, "c"),
    ]


@pytest.mark.parametrize("action", ["update", "delete", "restore"])
def test_an_undo_leaves_out_what_is_refused_and_tells_it(watched, veto, action):
    changed, gone = watched.made(key="changed"), watched.made(key="gone")
    since = changed["createdAt"]
    developer = watched.workspace.client("developer")
    actor = watched.workspace.framework.authenticate(developer.token).actor.id
    developer.patch(f"{watched.path}/{changed['id']}", json={"description": "x"})
    developer.delete(f"{watched.path}/{gone['id']}")
    assert watched.create(developer, key="new").status == 201
    veto.seen_keys.clear()
    veto.refuses = action

    result = undone(watched, actor=actor, since=since)

    assert sorted(told(veto.seen_keys)) == [
        ("delete", "revert", None, "new"),
        ("restore", "revert", None, "gone"),
        ("update", "revert", None, "changed"),
    ]
    names = {"update": "changed", "delete": "new", "restore": "gone"}
    [skipped] = result["skipped"]
    assert (skipped["key"], skipped["reason"]) == (names[action], "write_refused")
    kept = {"update": 0, "delete": 0, "restore": 0} | {action: 1}
    assert (result["keysUpdated"], result["keysDeleted"], result["keysRestored"]) == (
        1 - kept["update"], 1 - kept["delete"], 1 - kept["restore"],
    )  # fmt: skip
