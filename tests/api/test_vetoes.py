"""The hook loc_decide_write, of texts: asked on every path; it fails closed."""

import pytest

from locframework.errors import Unavailable
from locframework.ports import WriteNote, WriteRefusal

from .veto import Veto, imported, refused


def test_a_change_is_refused_on_every_path_and_nothing_is_kept(watched, veto):
    key = watched.made(values={"de": "gut"})
    here = f"/projects/{watched.project['id']}"
    before = watched.get(key)

    assert refused(watched.put(key, "de", "bad"))
    assert refused(watched.create(key="c", values={"de": "gut", "en": "bad"}))
    job = imported(watched, {"a.b": "bad"})
    assert (job["status"], job["error"]["code"]) == ("failed", "write_refused")
    assert job["error"]["message"] == "a.b, de: bad words are not ours"

    assert watched.get(key) == before
    assert watched.names() == ["a.b"]
    assert {change.origin for change in veto.seen} == {"human", "import"}
    assert {change.project_id for change in veto.seen} == {watched.project["id"]}
    assert watched.owner.get(f"{here}/jobs").data["total"] == 1


def test_in_a_batch_the_item_fails_alone(watched):
    here = f"/projects/{watched.project['id']}"
    keys = [
        {"key": "a", "values": {"en": "good", "de": "bad"}},
        {"key": "b", "values": {"de": "gut"}},
    ]
    bulk = watched.owner.post(f"{here}/keys/bulk", json={"keys": keys})
    items = [
        {"key": "b", "languageCode": "de", "value": "bad"},
        {"key": "b", "languageCode": "ar", "value": "جيد"},
    ]
    values = watched.owner.put(f"{here}/values", json={"items": items})

    for answer in (bulk, values):
        first, second = answer.data["results"]
        assert first["error"]["code"] == "write_refused"
        assert second["outcome"] in ("created", "updated")
    assert watched.names() == ["b"]


def test_a_review_and_a_revert_are_asked_too(watched, veto):
    key = watched.made(values={"de": "gut"})
    path = f"{watched.path}/{key['id']}/values/de"
    watched.put(key, "de", "besser", watched.translator)
    veto.answers = WriteRefusal("not now")

    for verb in ("approve", "reject"):
        answer = watched.owner.post(f"{path}/{verb}", json={})
        assert answer.error["details"]["reason"] == "not now"
    watched.owner.post(f"{path}/revert", json={"revision": 1})

    approved, rejected, reverted = veto.seen[-3:]
    assert (approved.action, approved.before, approved.after, approved.status) == (
        "approve", "besser", "besser", "approved",
    )  # fmt: skip
    assert (rejected.action, rejected.before, rejected.after) == (
        "reject", "besser", "gut",
    )  # fmt: skip
    assert (reverted.action, reverted.origin, reverted.after) == (
        "write", "revert", "gut",
    )  # fmt: skip
    assert watched.detail(key, "de")["revision"] == 2


def test_a_merge_is_refused_as_a_whole(watched, veto):
    key, other = watched.made(values={"de": "gut"}), watched.made(key="c")
    here = f"/projects/{watched.project['id']}"
    watched.owner.post(f"{here}/branches", json={"name": "spring"})
    for each in (key, other):
        watched.owner.put(
            f"{watched.path}/{each['id']}/values/de",
            json={"value": "anders"},
            query={"branch": "spring"},
        )
    assert veto.seen[-1].branch == "spring"
    veto.answers = WriteRefusal("no merge today")

    merge = watched.owner.post(f"{here}/branches/spring/merge", json={})

    assert (merge.status, merge.error["code"]) == (409, "write_refused")
    assert (veto.seen[-1].branch, veto.seen[-1].origin) == (None, "merge")
    assert watched.texts(key) == {("de", None): "gut"}
    branch = watched.owner.get(f"{here}/branches/spring").data["branch"]
    assert branch["status"] == "open"


def test_a_note_is_kept_with_its_revision(watched):
    key = watched.made(values={"de": "fine"})
    watched.put(key, "de", "etwas anderes")

    items = watched.owner.get(f"{watched.path}/{key['id']}/values/de/history").data
    assert [item["note"] for item in items["items"]] == [None, "fine"]


def test_a_note_on_what_was_cleared_is_kept(watched, veto):
    key = watched.made(values={"de": "gut"})
    veto.answers = WriteNote("gone\n\u0645")

    watched.put(key, "de", "")

    items = watched.owner.get(f"{watched.path}/{key['id']}/values/de/history").data
    assert items["items"][0]["note"] == "gone\n\u0645"
    assert (veto.seen[-1].after, veto.seen[-1].status) == (None, "untranslated")


def test_an_empty_note_is_none(watched, veto):
    veto.answers = WriteNote("")

    key = watched.made(values={"de": "gut"})

    items = watched.owner.get(f"{watched.path}/{key['id']}/values/de/history").data
    assert [item["note"] for item in items["items"]] == [None]


def test_all_plugins_are_asked_and_one_refusal_is_enough(keys_with):
    vetoes = [Veto("b-second"), Veto("a-first")]
    keys = keys_with(*vetoes)
    vetoes[0].answers, vetoes[1].answers = WriteNote("two"), WriteNote("one")
    key = keys.made(values={"de": "gut"})

    vetoes[0].answers = WriteRefusal("no")
    answer = keys.put(key, "de", "besser")

    assert answer.error["details"]["plugin"] == "b-second"
    [item] = keys.owner.get(f"{keys.path}/{key['id']}/values/de/history").data["items"]
    assert item["note"] == "one\ntwo"


@pytest.mark.parametrize(
    "answers", ["yes", True, WriteNote(3), WriteNote("\0"), WriteRefusal("\ud800")]
)
def test_a_plugin_that_answers_nonsense_refuses(watched, veto, answers):
    key = watched.made()
    veto.answers = answers

    answer = watched.put(key, "de", "gut")

    assert answer.error["details"]["reason"] == "a plugin could not decide"
    assert watched.texts(key) == {}


def test_a_refusal_names_what_was_refused(watched, veto):
    key = watched.made(isPlural=True)

    answer = watched.put(key, "de", {"one": "gut", "other": "bad"})

    assert answer.error["message"] == "a.b, de, other: bad words are not ours"
    assert answer.error["details"] == {
        "plugin": "veto",
        "reason": "bad words are not ours",
        "key": "a.b",
        "languageCode": "de",
        "pluralForm": "other",
    }


@pytest.mark.parametrize("raises", [RuntimeError("secret"), SystemExit(1)])
def test_a_plugin_that_fails_refuses_and_tells_nothing(watched, veto, raises):
    key = watched.made()
    veto.raises = raises

    answer = watched.put(key, "de", "gut")

    assert (answer.status, answer.error["code"]) == (409, "write_refused")
    assert b"secret" not in answer.content
    assert watched.texts(key) == {}


def test_a_plugin_whose_source_does_not_answer_is_503(watched, veto):
    key = watched.made()
    veto.raises = Unavailable("the glossary service is away")

    assert watched.put(key, "de", "gut").status == 503


def test_what_changes_nothing_is_not_asked(watched, veto):
    key = watched.made(values={"de": "gut"})
    veto.seen.clear()

    watched.put(key, "de", "gut")

    assert veto.seen == []
