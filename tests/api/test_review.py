"""decisions 2.3, approve and reject: each line on them."""

import pytest

from locframework.testing.contracts.storage_events import latest


def approve(keys, key, **more):
    return keys.act(key, "approve", **more)


def reject(keys, key, **more):
    return keys.act(key, "reject", **more)


def events(keys, type_):
    found = latest(keys.workspace.framework.storage.events, keys.project["id"], 1000)
    return [dict(i) for event in found if event.type == type_ for i in event.items]


def test_an_approved_text_counts_from_then_on(keys):
    key = keys.made(values={"de": "Zahlen"})
    keys.put(key, "de", "Bezahlen", keys.translator)

    answer = approve(keys, key)
    detail = keys.detail(key, "de")

    assert answer.status == 200
    assert answer.data["key"] == keys.get(key)
    assert (detail["value"], detail["status"]) == ("Bezahlen", "approved")
    assert (detail["approvedValue"], detail["revision"]) == ("Bezahlen", 3)
    [item] = events(keys, "translation.approved")
    assert item == {
        "keyId": key["id"],
        "key": "a.b",
        "languageCode": "de",
        "pluralForm": None,
        "status": "approved",
        "revision": 3,
    }


def test_a_rejected_text_gives_way_to_the_last_approved_one(keys):
    key = keys.made(values={"de": "Zahlen"})
    before = keys.detail(key, "de")
    keys.put(key, "de", "Bezahlen", keys.translator)

    answer = reject(keys, key, reason="too long")
    detail = keys.detail(key, "de")

    assert answer.status == 200
    assert (detail["value"], detail["status"]) == ("Zahlen", "approved")
    assert detail["approvedAt"] == before["approvedAt"]
    [item] = events(keys, "translation.rejected")
    assert (item["status"], item["revision"]) == ("approved", 3)


def test_a_rejected_text_without_an_approved_one_stays_as_draft(keys):
    key = keys.made()
    keys.put(key, "de", "Bezahlen", keys.translator)

    assert reject(keys, key).status == 200

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Bezahlen", "draft")
    assert detail["approvedValue"] is None
    assert reject(keys, key).error["code"] == "nothing_pending"
    assert approve(keys, key, revision=1).error["code"] == "nothing_pending"
    assert approve(keys, key).status == 200
    assert keys.detail(key, "de")["status"] == "approved"


def test_where_nothing_waits_there_is_nothing_to_judge(keys):
    key = keys.made(values={"de": "Zahlen"})

    for answer in (
        approve(keys, key),
        reject(keys, key),
        approve(keys, key, lang="ar"),
    ):
        assert (answer.status, answer.error["code"]) == (409, "nothing_pending")


def test_only_the_revision_that_was_read_is_judged(keys):
    key = keys.made()
    keys.put(key, "de", "Bezahlen", keys.translator)
    keys.put(key, "de", "Zahlen", keys.translator)

    for verb in ("approve", "reject"):
        moved = keys.act(key, verb, revision=1)
        assert (moved.status, moved.error["code"]) == (409, "nothing_pending")
    assert approve(keys, key, revision=2).status == 200
    assert approve(keys, key, revision="2").status == 400
    assert approve(keys, key, revision={"one": 2}).status == 400


def test_all_plural_forms_that_wait_are_judged_at_once(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.put(key, "de", {"one": "eins", "two": "zwei"}, keys.translator)

    assert approve(keys, key, revision=2).status == 409
    assert approve(keys, key, revision={"one": 2}).status == 409
    assert approve(keys, key, revision={"one": 2, "two": 1}).status == 200

    states = {v["pluralForm"]: v["status"] for v in keys.get(key)["values"]}
    assert states == dict.fromkeys(("one", "two", "other"), "approved")
    forms = {item["pluralForm"] for item in events(keys, "translation.approved")}
    assert forms == {"one", "two"}


def test_a_key_without_plurals_has_one_revision(keys):
    key = keys.made()
    keys.put(key, "de", "Zahlen", keys.translator)

    refused = approve(keys, key, revision={"one": 1})

    assert (refused.status, refused.error["code"]) == (400, "plural_mismatch")


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_a_revision_of_what_is_no_plural_form_is_refused(keys, verb):
    key = keys.made(isPlural=True)
    keys.put(key, "de", {"one": "eins"}, keys.translator)

    refused = keys.act(key, verb, revision={"x": 1})

    assert (refused.status, refused.error["code"]) == (400, "invalid_plural_form")


def test_a_proposal_to_clear_is_accepted_or_dropped(keys):
    key = keys.made(values={"de": "Zahlen", "ar": "ادفع"})
    for code in ("de", "ar"):
        keys.put(key, code, "", keys.translator)

    approve(keys, key)
    reject(keys, key, lang="ar")

    assert keys.texts(key) == {("ar", None): "ادفع"}
    [item] = events(keys, "translation.approved")
    assert (item["status"], item["revision"]) == ("untranslated", 3)


def test_an_approval_makes_an_outdated_text_fresh(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now")
    assert keys.detail(key, "de")["isOutdated"]

    assert approve(keys, key).status == 200

    assert not keys.detail(key, "de")["isOutdated"]


def test_an_approved_source_text_outdates_the_translations(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now", keys.translator)
    assert not keys.detail(key, "de")["isOutdated"]

    approve(keys, key, lang="en")

    assert keys.detail(key, "de")["isOutdated"]


def test_a_rejected_source_text_outdates_nothing(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now", keys.translator)

    reject(keys, key, lang="en")

    assert not keys.detail(key, "de")["isOutdated"]


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_who_may_judge(keys, verb):
    key = keys.made()
    keys.put(key, "de", "Zahlen", keys.translator)
    arabic = keys.workspace.client("reviewer", languages=["ar"])

    missing = keys.act(key, verb, client=keys.translator)
    scoped = keys.act(key, verb, client=arabic)
    nowhere = keys.act(key, verb, lang="sv")
    nothing = keys.act({"id": keys.project["id"]}, verb)

    assert missing.error["details"] == {"required": "translation_approve"}
    assert scoped.status == 403
    assert scoped.error["code"] == "language_not_assigned"
    assert scoped.error["details"] == {"languageCode": "de"}
    assert (nowhere.status, nowhere.error["code"]) == (404, "language_not_found")
    assert (nothing.status, nothing.error["code"]) == (404, "key_not_found")
    assert keys.detail(key, "de")["status"] == "pending_review"


def test_a_reason_has_a_thousand_characters_at_most(keys):
    key = keys.made()
    keys.put(key, "de", "Zahlen", keys.translator)

    assert reject(keys, key, reason="x" * 1001).error["code"] == "validation_failed"
    assert reject(keys, key, reason="😀" * 1000).status == 200


def test_a_protected_main_is_judged_on_a_branch_only(keys):
    key = keys.made()
    keys.put(key, "de", "Zahlen", keys.translator)
    here = f"/projects/{keys.project['id']}"
    keys.owner.post(f"{here}/branches", json={"name": "spring"})
    keys.owner.patch(here, json={"mainProtected": True})

    refused = approve(keys, key)
    on_branch = approve(keys, key, query={"branch": "spring"})

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert on_branch.data["key"]["values"][0]["status"] == "approved"
    assert keys.detail(key, "de")["status"] == "pending_review"
    keys.owner.post(f"{here}/branches/spring/merge", json={})
    assert keys.detail(key, "de")["status"] == "approved"


def withdraw(keys, key, lang="de", **more):
    return keys.act(key, "withdraw", lang, more.pop("client", keys.translator), **more)


def test_who_proposed_a_text_may_withdraw_it(keys):
    key = keys.made(values={"de": "Zahlen"})
    keys.put(key, "de", "Bezahlen", keys.translator)

    answer = withdraw(keys, key)

    assert answer.status == 200
    assert answer.data["key"] == keys.get(key)
    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Zahlen", "approved")
    assert detail["revision"] == 3
    assert withdraw(keys, key).error["code"] == "nothing_pending"


def test_a_withdrawn_text_without_an_approved_one_is_cleared(keys):
    key = keys.made()
    keys.put(key, "de", "Bezahlen", keys.translator)

    assert withdraw(keys, key).status == 200

    assert keys.texts(key) == {}
    path = f"{keys.path}/{key['id']}/values/de/history"
    revisions = [one["value"] for one in keys.owner.get(path).data["items"]]
    assert revisions == ["", "Bezahlen"]


def test_a_withdrawn_proposal_to_clear_a_text_leaves_the_text(keys):
    key = keys.made(values={"de": "Zahlen"})
    keys.put(key, "de", "", keys.translator)

    assert withdraw(keys, key).status == 200

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Zahlen", "approved")


def test_nobody_withdraws_a_text_of_somebody_else(keys):
    key = keys.made()
    keys.put(key, "de", "Bezahlen", keys.translator)
    other = keys.workspace.client("translator")

    for client in (other, keys.owner):
        refused = withdraw(keys, key, client=client)
        assert (refused.status, refused.error["code"]) == (409, "nothing_pending")

    assert keys.detail(key, "de")["status"] == "pending_review"
    viewer = keys.workspace.client("viewer")
    assert withdraw(keys, key, client=viewer).status == 403
    assert withdraw(keys, key, lang="xx").error["code"] == "language_not_found"


def test_only_ones_own_plural_forms_are_withdrawn(keys):
    key = keys.made(isPlural=True)
    other = keys.workspace.client("translator")
    keys.put(key, "de", {"one": "Ein Tag"}, keys.translator)
    keys.put(key, "de", {"other": "{n} Tage"}, other)

    assert withdraw(keys, key).status == 200

    assert keys.texts(key) == {("de", "other"): "{n} Tage"}


def test_a_text_on_a_branch_is_withdrawn_there(keys):
    key = keys.made(values={"de": "Zahlen"})
    branches = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(branches, json={"name": "spring"}).status == 201
    on = {"branch": "spring"}
    path = f"{keys.path}/{key['id']}/values/de"
    put = keys.translator.put(path, json={"value": "Bezahlen"}, query=on)
    assert put.status == 200

    assert withdraw(keys, key).error["code"] == "nothing_pending"
    assert withdraw(keys, key, query=on).status == 200

    value = keys.owner.get(path, query=on).data["value"]
    assert (value["value"], value["status"]) == ("Zahlen", "approved")
