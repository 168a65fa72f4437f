"""The hook loc_decide_write: asked for each change on every path; it fails closed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from locframework import hookimpl
from locframework.errors import Unavailable
from locframework.http.records import Upload
from locframework.keys.changes import KeyAction
from locframework.ports import (
    Change,
    KeyChange,
    KeyFields,
    ValueChange,
    WriteNote,
    WriteRefusal,
)
from locframework.testing.client import Answer
from locframework.testing.workspace import open_workspace

from .project_keys import Keys


class Judge:
    """Refuses texts with a bad word, notes some others, and remembers all it saw."""

    name = "judge"

    def __init__(self, name: str = "judge") -> None:
        self.name = name
        self.seen: list[ValueChange] = []
        self.seen_keys: list[KeyChange] = []
        self.refuses: KeyAction | None = None
        self.raises: Exception | None = None
        self.answers: object = None

    @hookimpl
    def loc_decide_write(self, change: Change) -> object:
        if change.kind == "key":
            self.seen_keys.append(change)
            if change.action == self.refuses:
                return WriteRefusal("bad words are not ours")
            return None
        self.seen.append(change)
        if self.raises is not None:
            raise self.raises
        if self.answers is not None:
            return self.answers
        if "bad" in (change.after or ""):
            return WriteRefusal("bad words are not ours")
        return WriteNote("fine") if "fine" in (change.after or "") else None


Made = Callable[..., Keys]


@pytest.fixture
def keys_with(database_url: str, tmp_path: Path) -> Iterator[Made]:
    with ExitStack() as stack:

        def make(*plugins: object) -> Keys:
            opened = open_workspace(database_url, tmp_path, plugins=plugins)
            return Keys(stack.enter_context(opened))

        yield make


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def judged(keys_with: Made, judge: Judge) -> Keys:
    return keys_with(judge)


def refused(answer: Answer) -> bool:
    why = answer.error["details"]
    return (answer.status, answer.error["code"], why["plugin"], why["reason"]) == (
        409,
        "write_refused",
        "judge",
        "bad words are not ours",
    )


def imported(keys: Keys, texts: dict[str, str]) -> dict[str, Any]:
    file = Upload("de.json", json.dumps(texts).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"
    return keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))


def test_a_change_is_refused_on_every_path_and_nothing_is_kept(
    judged: Keys, judge: Judge
) -> None:
    key = judged.made(values={"de": "gut"})
    here = f"/projects/{judged.project['id']}"
    before = judged.get(key)

    assert refused(judged.put(key, "de", "bad"))
    assert refused(judged.create(key="c", values={"de": "gut", "en": "bad"}))
    job = imported(judged, {"a.b": "bad"})
    assert (job["status"], job["error"]["code"]) == ("failed", "write_refused")
    assert job["error"]["message"] == "a.b, de: bad words are not ours"

    assert judged.get(key) == before
    assert judged.names() == ["a.b"]
    assert {change.origin for change in judge.seen} == {"human", "import"}
    assert {change.project_id for change in judge.seen} == {judged.project["id"]}
    assert judged.owner.get(f"{here}/jobs").data["total"] == 1


def test_in_a_batch_the_item_fails_alone(judged: Keys) -> None:
    here = f"/projects/{judged.project['id']}"
    keys = [
        {"key": "a", "values": {"en": "good", "de": "bad"}},
        {"key": "b", "values": {"de": "gut"}},
    ]
    bulk = judged.owner.post(f"{here}/keys/bulk", json={"keys": keys})
    items = [
        {"key": "b", "languageCode": "de", "value": "bad"},
        {"key": "b", "languageCode": "ar", "value": "جيد"},
    ]
    values = judged.owner.put(f"{here}/values", json={"items": items})

    for answer in (bulk, values):
        first, second = answer.data["results"]
        assert first["error"]["code"] == "write_refused"
        assert second["outcome"] in ("created", "updated")
    assert judged.names() == ["b"]


def test_a_review_and_a_revert_are_asked_too(judged: Keys, judge: Judge) -> None:
    key = judged.made(values={"de": "gut"})
    path = f"{judged.path}/{key['id']}/values/de"
    judged.put(key, "de", "besser", judged.translator)
    judge.answers = WriteRefusal("not now")

    for verb in ("approve", "reject"):
        answer = judged.owner.post(f"{path}/{verb}", json={})
        assert answer.error["details"]["reason"] == "not now"
    judged.owner.post(f"{path}/revert", json={"revision": 1})

    approved, rejected, reverted = judge.seen[-3:]
    assert (approved.action, approved.before, approved.after, approved.status) == (
        "approve", "besser", "besser", "approved",
    )  # fmt: skip
    assert (rejected.action, rejected.before, rejected.after) == (
        "reject", "besser", "gut",
    )  # fmt: skip
    assert (reverted.action, reverted.origin, reverted.after) == (
        "write", "revert", "gut",
    )  # fmt: skip
    assert judged.detail(key, "de")["revision"] == 2


def test_a_merge_is_refused_as_a_whole(judged: Keys, judge: Judge) -> None:
    key, other = judged.made(values={"de": "gut"}), judged.made(key="c")
    here = f"/projects/{judged.project['id']}"
    judged.owner.post(f"{here}/branches", json={"name": "spring"})
    for each in (key, other):
        judged.owner.put(
            f"{judged.path}/{each['id']}/values/de",
            json={"value": "anders"},
            query={"branch": "spring"},
        )
    assert judge.seen[-1].branch == "spring"
    judge.answers = WriteRefusal("no merge today")

    merge = judged.owner.post(f"{here}/branches/spring/merge", json={})

    assert (merge.status, merge.error["code"]) == (409, "write_refused")
    assert (judge.seen[-1].branch, judge.seen[-1].origin) == (None, "merge")
    assert judged.texts(key) == {("de", None): "gut"}
    branch = judged.owner.get(f"{here}/branches/spring").data["branch"]
    assert branch["status"] == "open"


def test_a_note_is_kept_with_its_revision(judged: Keys) -> None:
    key = judged.made(values={"de": "fine"})
    judged.put(key, "de", "etwas anderes")

    items = judged.owner.get(f"{judged.path}/{key['id']}/values/de/history").data
    assert [item["note"] for item in items["items"]] == [None, "fine"]


def test_a_note_on_what_was_cleared_is_kept(judged: Keys, judge: Judge) -> None:
    key = judged.made(values={"de": "gut"})
    judge.answers = WriteNote("gone\n\u0645")

    judged.put(key, "de", "")

    items = judged.owner.get(f"{judged.path}/{key['id']}/values/de/history").data
    assert items["items"][0]["note"] == "gone\n\u0645"
    assert (judge.seen[-1].after, judge.seen[-1].status) == (None, "untranslated")


def test_all_plugins_are_asked_and_one_refusal_is_enough(keys_with: Made) -> None:
    judges = [Judge("b-second"), Judge("a-first")]
    keys = keys_with(*judges)
    judges[0].answers, judges[1].answers = WriteNote("two"), WriteNote("one")
    key = keys.made(values={"de": "gut"})

    judges[0].answers = WriteRefusal("no")
    answer = keys.put(key, "de", "besser")

    assert answer.error["details"]["plugin"] == "b-second"
    [item] = keys.owner.get(f"{keys.path}/{key['id']}/values/de/history").data["items"]
    assert item["note"] == "one\ntwo"


@pytest.mark.parametrize(
    "answers", ["yes", True, WriteNote(3), WriteNote("\0"), WriteRefusal("\ud800")]
)
def test_a_plugin_that_answers_nonsense_refuses(
    judged: Keys, judge: Judge, answers: object
) -> None:
    key = judged.made()
    judge.answers = answers

    answer = judged.put(key, "de", "gut")

    assert answer.error["details"]["reason"] == "a plugin could not decide"
    assert judged.texts(key) == {}


def test_a_refusal_names_what_was_refused(judged: Keys, judge: Judge) -> None:
    key = judged.made(isPlural=True)

    answer = judged.put(key, "de", {"one": "gut", "other": "bad"})

    assert answer.error["message"] == "a.b, de, other: bad words are not ours"
    assert answer.error["details"] == {
        "plugin": "judge",
        "reason": "bad words are not ours",
        "key": "a.b",
        "languageCode": "de",
        "pluralForm": "other",
    }


@pytest.mark.parametrize("raises", [RuntimeError("secret"), SystemExit(1)])
def test_a_plugin_that_fails_refuses_and_tells_nothing(
    judged: Keys, judge: Judge, raises: Exception
) -> None:
    key = judged.made()
    judge.raises = raises

    answer = judged.put(key, "de", "gut")

    assert (answer.status, answer.error["code"]) == (409, "write_refused")
    assert b"secret" not in answer.content
    assert judged.texts(key) == {}


def test_a_plugin_whose_source_does_not_answer_is_503(
    judged: Keys, judge: Judge
) -> None:
    key = judged.made()
    judge.raises = Unavailable("the glossary service is away")

    assert judged.put(key, "de", "gut").status == 503


def test_what_changes_nothing_is_not_asked(judged: Keys, judge: Judge) -> None:
    key = judged.made(values={"de": "gut"})
    judge.seen.clear()

    judged.put(key, "de", "gut")

    assert judge.seen == []


def told(changes: list[KeyChange]) -> list[tuple[str, str, str | None, str]]:
    return [(each.action, each.origin, each.branch, each.key) for each in changes]


def undone(keys: Keys, **where: object) -> dict[str, Any]:
    path = f"/projects/{keys.project['id']}/activity/revert"
    result: dict[str, Any] = keys.workspace.job_of(keys.owner.post(path, json=where))
    assert result["status"] == "succeeded", result
    return result["result"] | {"id": result["id"]}


def replaced(keys: Keys, *names: str) -> dict[str, Any]:
    """An import that removes all other keys."""
    file = Upload("de.json", json.dumps(dict.fromkeys(names, "x")).encode(), "a/b")
    form = {"languageCode": "de", "mode": "replace", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"
    return keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))


def test_a_key_is_asked_about_with_what_it_says_before_and_after(
    judged: Keys, judge: Judge
) -> None:
    key = judged.made(description="d", tags=["t"])
    one = f"{judged.path}/{key['id']}"
    judged.owner.patch(one, json={"key": "c", "isPlural": True})
    judged.owner.patch(one, json={"key": "c"})
    judged.put(key, "de", {"other": "x"})
    judged.owner.delete(one)
    judged.owner.post(f"{one}/restore")

    old = KeyFields("a.b", "d", ("t",), is_plural=False, screenshot_file_id=None)
    new = KeyFields("c", "d", ("t",), is_plural=True, screenshot_file_id=None)
    assert [(each.action, each.before, each.after) for each in judge.seen_keys] == [
        ("create", None, old),
        ("update", old, new),
        ("delete", new, None),
        ("restore", None, new),
    ]
    assert {each.key_id for each in judge.seen_keys} == {key["id"]}
    assert {each.origin for each in judge.seen_keys} == {"human"}


@pytest.mark.parametrize("action", ["create", "update", "delete", "restore"])
def test_a_change_of_a_key_is_refused_by_itself(
    judged: Keys, judge: Judge, action: KeyAction
) -> None:
    key, gone = judged.made(), judged.made(key="gone")
    one, lost = (f"{judged.path}/{each['id']}" for each in (key, gone))
    judged.owner.delete(lost)
    judge.refuses = action

    answers = {
        "create": judged.create(key="new"),
        "update": judged.owner.patch(one, json={"tags": ["x"]}),
        "restore": judged.owner.post(f"{lost}/restore"),
        "delete": judged.owner.delete(one),
    }

    assert [name for name in answers if answers[name].status == 409] == [action]
    assert refused(answers[action])


def test_a_batch_leaves_out_the_keys_that_are_refused(
    judged: Keys, judge: Judge
) -> None:
    judged.made(key="old")
    judge.refuses = "create"
    keys = [{"key": "old", "description": "d"}, {"key": "new", "values": {"de": "x"}}]
    path = f"{judged.path}/bulk"

    answer = judged.owner.post(path, json={"keys": keys, "onExisting": "update"})

    first, second = answer.data["results"]
    assert (first["outcome"], second["error"]["code"]) == ("updated", "write_refused")
    assert judged.names() == ["old"]
    assert judge.seen == []  # of its values nobody was asked any more


def test_an_import_is_refused_as_a_whole_also_for_what_it_removes(
    judged: Keys, judge: Judge
) -> None:
    judged.made(key="old")
    judge.refuses = "delete"

    job = replaced(judged, "new")

    assert (job["status"], job["error"]["code"]) == ("failed", "write_refused")
    assert judged.names() == ["old"]
    assert told(judge.seen_keys[-2:]) == [
        ("create", "import", None, "new"),
        ("delete", "import", None, "old"),
    ]


@pytest.mark.parametrize("action", ["create", "update", "delete", "restore"])
def test_branches_and_their_merges_are_asked(
    judged: Keys, judge: Judge, action: KeyAction
) -> None:
    here, spring = f"/projects/{judged.project['id']}", {"branch": "spring"}
    changed, gone, lost = (judged.made(key=name) for name in "abc")
    judged.owner.post(f"{here}/branches", json={"name": "spring"})
    judge.seen_keys.clear()
    judged.owner.post(judged.path, json={"key": "new"}, query=spring)
    for each in (changed, lost):
        one = f"{judged.path}/{each['id']}"
        judged.owner.patch(one, json={"description": "x"}, query=spring)
    judged.owner.delete(f"{judged.path}/{gone['id']}", query=spring)
    assert {each.branch for each in judge.seen_keys} == {"spring"}
    judged.owner.delete(f"{judged.path}/{lost['id']}")
    judge.seen_keys.clear()
    body = {"strategy": "use_branch"}

    judge.refuses = action
    merge = judged.owner.post(f"{here}/branches/spring/merge", json=body)
    assert refused(merge)
    assert judged.names() == ["a", "b"]

    judge.refuses = None
    judge.seen_keys.clear()
    assert judged.owner.post(f"{here}/branches/spring/merge", json=body).status == 200
    assert sorted(told(judge.seen_keys)) == [
        ("create", "merge", None, "new"),
        ("delete", "merge", None, "b"),
        ("restore", "merge", None, "c"),
        ("update", "merge", None, "a"),
        ("update", "merge", None, "c"),
    ]


@pytest.mark.parametrize("action", ["update", "delete", "restore"])
def test_an_undo_leaves_out_what_is_refused_and_tells_it(
    judged: Keys, judge: Judge, action: KeyAction
) -> None:
    changed, gone = judged.made(key="changed"), judged.made(key="gone")
    since = changed["createdAt"]
    developer = judged.workspace.client("developer")
    actor = judged.workspace.framework.authenticate(developer.token).actor.id
    developer.patch(f"{judged.path}/{changed['id']}", json={"description": "x"})
    developer.delete(f"{judged.path}/{gone['id']}")
    assert judged.create(developer, key="new").status == 201
    judge.seen_keys.clear()
    judge.refuses = action

    result = undone(judged, actor=actor, since=since)

    assert sorted(told(judge.seen_keys)) == [
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
