"""What is outdated: after proposals, rejections, approvals, and with keepFresh."""

import pytest

from locframework.http.records import Upload


def shown(keys, key, lang="de"):
    detail = keys.detail(key, lang)
    return detail["value"], detail["status"], detail["isOutdated"]


def review(keys, key, verb, lang="de"):
    path = f"{keys.path}/{key['id']}/values/{lang}/{verb}"
    assert keys.owner.post(path, json={}).status == 200


def root(keys):
    return f"/projects/{keys.project['id']}"


def made(keys):
    return keys.made(values={"en": "Pay", "de": "Zahlen"})


# rejections


@pytest.mark.parametrize("moved", ["before", "between", "after", "never"])
def test_a_rejection_brings_the_approved_text_back_as_it_stands(keys, moved):
    key = made(keys)

    def move(when):
        if when == moved:
            keys.put(key, "en", "Pay now")

    move("before")
    keys.put(key, "de", "Bezahlen", keys.translator)
    move("between")
    keys.put(key, "de", "Kaufen", keys.translator)
    move("after")
    review(keys, key, "reject")

    assert shown(keys, key) == ("Zahlen", "approved", moved != "never")


def test_a_proposal_that_came_with_a_new_source_text_leaves_an_outdated_one(keys):
    keys.owner.patch(root(keys), json={"blockingChecks": ["placeholders"]})
    key = made(keys)
    items = [
        {"keyId": key["id"], "languageCode": "en", "value": "Pay now"},
        {"keyId": key["id"], "languageCode": "de", "value": "{x} bezahlen"},
    ]
    keys.owner.put(f"{root(keys)}/values", json={"items": items})
    proposed = shown(keys, key)

    review(keys, key, "reject")

    assert proposed == ("{x} bezahlen", "pending_review", False)
    assert shown(keys, key) == ("Zahlen", "approved", True)


def test_an_approval_forgets_that_the_text_before_was_outdated(keys):
    key = made(keys)
    keys.put(key, "en", "Pay now")
    keys.put(key, "de", "Bezahlen", keys.translator)
    review(keys, key, "approve")
    keys.put(key, "de", "Kaufen", keys.translator)

    review(keys, key, "reject")

    assert shown(keys, key) == ("Bezahlen", "approved", False)


# keepFresh


def test_a_proposed_source_text_keeps_fresh_what_its_writer_wanted_fresh(keys):
    kept, moved = made(keys), keys.made(key="b", values={"en": "Pay", "de": "Zahlen"})
    keys.put(kept, "en", "Pay!", keys.translator, keepFresh=True)
    keys.put(moved, "en", "Pay!", keys.translator)

    for key in (kept, moved):
        review(keys, key, "approve", "en")

    assert (shown(keys, kept)[2], shown(keys, moved)[2]) == (False, True)


def test_of_proposals_on_top_of_each_other_each_must_keep_fresh(keys):
    key = made(keys)
    keys.put(key, "en", "Buy", keys.translator)
    keys.put(key, "en", "Buy!", keys.translator, keepFresh=True)

    review(keys, key, "approve", "en")

    assert shown(keys, key)[2]


def test_a_rejected_proposal_keeps_nothing_fresh_that_comes_after(keys):
    key = made(keys)
    keys.put(key, "en", "Pay!", keys.translator, keepFresh=True)
    review(keys, key, "reject", "en")
    keys.put(key, "en", "Buy", keys.translator)

    review(keys, key, "approve", "en")

    assert shown(keys, key)[2]


def test_a_proposal_that_is_merged_keeps_fresh_when_it_is_approved(keys):
    key = made(keys)
    branches = f"{root(keys)}/branches"
    keys.owner.post(branches, json={"name": "spring"})
    path, body = f"{keys.path}/{key['id']}/values/en", {"value": "Pay!"}
    keys.translator.put(
        path, json={**body, "keepFresh": True}, query={"branch": "spring"}
    )
    keys.owner.post(f"{branches}/spring/merge", json={})
    assert shown(keys, key, "en")[:2] == ("Pay!", "pending_review")

    review(keys, key, "approve", "en")

    assert not shown(keys, key)[2]


@pytest.mark.parametrize("keep", [True, False])
def test_a_source_text_that_is_brought_back_keeps_fresh_what_it_is_to_keep(keys, keep):
    key = made(keys)
    keys.put(key, "en", "Pay now", keepFresh=True)
    path = f"{keys.path}/{key['id']}/values/en/revert"

    back = keys.owner.post(path, json={"revision": 1, "keepFresh": keep})

    assert back.status == 200
    assert shown(keys, key, "en")[0] == "Pay"
    assert shown(keys, key)[2] is not keep


@pytest.mark.parametrize("keep", [True, False])
def test_batches_keep_fresh_what_they_are_to_keep(keys, keep):
    one, two = made(keys), keys.made(key="b", values={"en": "Pay", "de": "Zahlen"})
    of_keys = {"key": "a.b", "values": {"en": "Buy"}, "keepFresh": keep}
    keys.owner.post(
        f"{keys.path}/bulk", json={"keys": [of_keys], "onExisting": "update"}
    )
    item = {"key": "b", "languageCode": "en", "value": "Buy", "keepFresh": keep}
    keys.owner.put(f"{root(keys)}/values", json={"items": [item]})

    assert [shown(keys, key)[2] for key in (one, two)] == [not keep] * 2


@pytest.mark.parametrize("keep", [True, False])
def test_an_import_keeps_fresh_what_it_is_to_keep(keys, keep):
    key = made(keys)
    form = {"languageCode": "en", "onConflict": "overwrite", "format": "json-flat"}
    if keep:
        form["keepFresh"] = "true"
    file = Upload("en.json", b'{"a.b": "Buy"}', "application/json")
    accepted = keys.owner.post(f"{root(keys)}/import", form=form, files={"file": file})

    assert keys.workspace.job_of(accepted)["status"] == "succeeded"
    assert shown(keys, key, "en")[0] == "Buy"
    assert shown(keys, key)[2] is not keep
