"""The hook loc_decide_write, of texts: asked on every path; it fails closed."""

from __future__ import annotations

import pytest

from locframework.errors import Unavailable
from locframework.ports import WriteNote, WriteRefusal

from .judge import Judge, Made, imported, refused
from .project_keys import Keys


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


def test_an_empty_note_is_none(judged: Keys, judge: Judge) -> None:
    judge.answers = WriteNote("")

    key = judged.made(values={"de": "gut"})

    items = judged.owner.get(f"{judged.path}/{key['id']}/values/de/history").data
    assert [item["note"] for item in items["items"]] == [None]


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
