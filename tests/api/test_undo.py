"""Undo: selection, permissions, dry runs; keys that were created, deleted, merged."""

import re

import pytest

from tests.databases import statements_of

from .undoing import (
    SPRING,
    Period,
    actor_of,
    counts,
    create_branch,
    delete,
    events,
    import_german,
    is_found,
    merge,
    patch,
    put_on_branch,
    reasons,
    request_undo,
    restore,
    undo,
)

# what is selected


def test_undo_of_a_person_puts_back_what_nobody_changed_later(keys):
    one, two = keys.made(values={"de": "eins"}), keys.made(key="c")
    reviewer = keys.workspace.client("reviewer")
    for text in ("falsch", "noch falscher"):
        keys.put(one, "de", text, reviewer)
    keys.put(two, "de", "neu", reviewer)
    keys.put(two, "ar", "جديد", reviewer)
    keys.put(two, "ar", "مصحح")

    result = undo(keys, actor=actor_of(keys, reviewer))

    assert keys.texts(one) == {("de", None): "eins"}
    assert keys.texts(two) == {("ar", None): "مصحح"}
    assert counts(result) == {"reverted": 2}
    [skipped] = result["skipped"]
    assert skipped == {
        "keyId": two["id"],
        "key": "c",
        "field": "value",
        "languageCode": "ar",
        "pluralForm": None,
        "reason": "changed_later",
        "eventType": None,
    }
    history = f"{keys.path}/{one['id']}/values/de/history"
    newest, *_ = keys.owner.get(history).data["items"]
    assert (newest["value"], newest["origin"], newest["revision"]) == (
        "eins", "revert", 4,
    )  # fmt: skip


def test_undo_of_an_import_trashes_the_keys_it_created(keys):
    key = keys.made(values={"de": "eins"})
    job_id = import_german(keys, {"a.b": "zwei", "new.one": "neu", "new.two": "neu"})
    items = keys.owner.get(keys.path).data["items"]
    [other] = [each for each in items if each["key"] == "new.two"]
    keys.put(other, "ar", "جديد")

    result = undo(keys, jobId=job_id)

    assert keys.names() == ["a.b", "new.two"]
    assert keys.texts(key) == {("de", None): "eins"}
    assert keys.texts(other) == {("de", None): "neu", ("ar", None): "جديد"}
    assert counts(result) == {"reverted": 1, "keysDeleted": 1}
    assert reasons(result) == [
        ("new.two", None, "changed_later"),
        ("new.two", "de", "changed_later"),
    ]


def test_undo_of_an_import_restores_the_keys_it_deleted(keys):
    key = keys.made(values={"en": "one", "de": "eins"})
    taken = keys.made(key="taken", values={"en": "old", "de": "alt"})
    english = {"languageCode": "en", "mode": "replace"}
    job_id = import_german(keys, {"other": "x"}, **english)
    keys.made(key="taken")

    result = undo(keys, jobId=job_id)

    assert keys.names() == ["a.b", "taken"]
    assert keys.texts(key) == {("en", None): "one", ("de", None): "eins"}
    assert not is_found(keys, taken)
    assert counts(result) == {"keysRestored": 1, "keysDeleted": 1}
    assert reasons(result) == [("taken", None, "key_exists")]


def test_undo_of_a_period_covers_its_events_only(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    period = Period(keys, key)
    keys.put(key, "ar", "واحد")

    result = undo(keys, **period.since)

    assert keys.texts(key) == {("de", None): "zwei"}
    assert counts(result) == {"reverted": 1}
    assert counts(undo(keys, until="2020-01-01")) == {}


def test_undo_of_one_key_leaves_others_of_the_same_write(keys):
    pay, title = keys.made(values={"de": "Zahlen"}), keys.made(key="title")
    items = [
        {"keyId": key["id"], "languageCode": "de", "value": "Neu"}
        for key in (pay, title)
    ]
    path = f"/projects/{keys.project['id']}/values"
    period = Period(keys, pay)
    assert keys.owner.put(path, json={"items": items}).status == 200

    undo(keys, **period.until_now)

    assert keys.texts(pay) == {("de", None): "Zahlen"}
    assert keys.texts(title) == {("de", None): "Neu"}


def test_writes_on_a_branch_are_not_undone_on_main(keys):
    key = keys.made(values={"de": "eins"})
    writer = keys.workspace.client("developer")
    create_branch(keys)
    path = f"{keys.path}/{key['id']}/values/de"
    assert writer.put(path, json={"value": "zwei"}, query=SPRING).status == 200

    result = undo(keys, actor=actor_of(keys, writer))

    assert (counts(result), result["skipped"]) == ({}, [])
    one = keys.owner.get(f"{keys.path}/{key['id']}", query=SPRING).data["key"]
    assert [value["value"] for value in one["values"]] == ["zwei"]


def test_events_of_no_key_or_value_are_listed_as_not_revertible(keys):
    manager = keys.workspace.client("manager")
    here = f"/projects/{keys.project['id']}"
    assert manager.post(f"{here}/languages", json={"languageCode": "fr"}).status == 201
    assert manager.patch(here, json={"name": "Other"}).status == 200

    result = undo(keys, actor=actor_of(keys, manager))

    assert counts(result) == {}
    assert {each["reason"] for each in result["skipped"]} == {"not_revertible"}
    types = [each["eventType"] for each in result["skipped"]]
    assert types == ["language.added", "project.updated"]
    for each in result["skipped"]:
        assert each["keyId"] is each["key"] is each["field"] is None


def test_value_of_a_language_that_was_removed_and_added_again_is_not_selected(keys):
    key = keys.made(values={"en": "Shop"})
    period = Period(keys, key)
    keys.put(key, "de", "Laden")
    first = period.until_now
    languages = f"/projects/{keys.project['id']}/languages"
    keys.owner.delete(f"{languages}/de")
    keys.owner.post(languages, json={"languageCode": "de"})
    keys.put(key, "de", "Geschäft")

    result = undo(keys, **first)

    assert (counts(result), result["skipped"]) == ({}, [])
    assert keys.texts(key)["de", None] == "Geschäft"


@pytest.mark.parametrize(
    ("body", "path", "rule"),
    [
        ({}, "$", "required"),
        ({"dryRun": True}, "$", "required"),
        ({"since": "yesterday"}, "$.since", None),
        ({"since": "2999-01-01T00:00:00Z"}, "$.since", "range"),
        ({"actor": 3}, "$.actor", None),
        ({"actor": "nobody"}, "$.actor", "unknown"),
        ({"actor": "0197b2bf-11aa-7e55-b0d1-2f8e57c9ab34"}, "$.actor", "unknown"),
        ({"since": "2020-01-01", "jobid": "x"}, "$.jobid", None),
    ],
)
def test_missing_and_invalid_filters_are_refused(keys, body, path, rule):
    refused = request_undo(keys, **body)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    [problem] = refused.error["details"]
    assert problem["path"] == path
    assert rule in (None, problem["rule"])


def test_member_without_events_is_a_valid_actor_and_their_member_id_is_not(keys):
    reviewer = keys.workspace.client("reviewer")
    org = keys.project["organizationId"]
    members = keys.owner.get(f"/organizations/{org}/members").data["items"]

    refused = request_undo(keys, actor=members[0]["id"])

    assert refused.error["details"][0]["rule"] == "unknown"
    assert counts(undo(keys, actor=actor_of(keys, reviewer))) == {}


def test_open_branch_has_no_undo(keys):
    create_branch(keys)

    refused = request_undo(keys, branch="spring")
    missing = request_undo(keys, branch="nowhere")

    assert (refused.status, refused.error["code"]) == (409, "not_on_branch")
    assert (missing.status, missing.error["code"]) == (404, "branch_not_found")
    assert counts(undo(keys, branch="main")) == {}


# permissions


@pytest.mark.parametrize("role", ["viewer", "translator"])
def test_undo_needs_translation_approve(keys, role):
    refused = request_undo(keys, keys.workspace.client(role), actor="x")

    assert refused.error["details"] == {"required": "translation_approve"}


def test_values_of_languages_that_are_not_assigned_stay(keys):
    key = keys.made()
    writer = keys.workspace.client("reviewer")
    keys.put(key, "de", "eins", writer)
    keys.put(key, "ar", "واحد", writer)
    arabic = keys.workspace.client("reviewer", languages=["ar"])

    result = undo(keys, arabic, actor=actor_of(keys, writer))

    assert keys.texts(key) == {("de", None): "eins"}
    assert reasons(result) == [("a.b", "de", "language_not_assigned")]


def test_without_key_delete_created_keys_stay_and_deleted_keys_stay_deleted(keys):
    gone = keys.made(key="gone")
    english = {"languageCode": "en", "mode": "replace"}
    job_id = import_german(keys, {"a.b": "one"}, **english)
    reviewer = keys.workspace.client("reviewer")

    result = undo(keys, reviewer, jobId=job_id)

    assert sorted(reasons(result), key=str) == [
        ("a.b", "en", "permission_denied"),
        ("a.b", None, "permission_denied"),
        ("gone", None, "permission_denied"),
    ]
    [key] = keys.owner.get(keys.path).data["items"]
    assert keys.texts(key) == {("en", None): "one"}
    assert counts(result) == {}
    assert not is_found(keys, gone)


def test_without_key_update_fields_stay(keys):
    key = keys.made(values={"de": "eins"})
    period = Period(keys, key)
    keys.put(key, "de", "zwei")
    patch(keys, key, description="new")

    result = undo(keys, keys.workspace.client("reviewer"), **period.since)

    assert reasons(result) == [("a.b", "description", "permission_denied")]
    assert keys.get(key)["description"] == "new"
    assert keys.texts(key) == {("de", None): "eins"}


def test_protected_main_accepts_only_the_undo_of_a_merge(keys):
    key = keys.made(values={"de": "eins"})
    create_branch(keys)
    put_on_branch(keys, key, "de", "zwei")
    merge(keys)
    body = {"mainProtected": True}
    assert keys.owner.patch(f"/projects/{keys.project['id']}", json=body).status == 200
    reviewer = keys.workspace.client("reviewer")

    refused = request_undo(keys, keyId=key["id"])
    missing = request_undo(keys, reviewer, mergeOf="spring")
    result = undo(keys, mergeOf="spring")

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert missing.error["details"] == {"required": "branch_merge"}
    assert (counts(result), result["skipped"]) == ({"reverted": 1}, [])
    assert keys.texts(key) == {("de", None): "eins"}


def member_path(keys, client):
    user_id = client.get("/tokens/self").data["token"]["userId"]
    path = f"/organizations/{keys.workspace.organization_id}/members"
    members = keys.owner.get(path).data["items"]
    [found] = [each["id"] for each in members if each["userId"] == user_id]
    return f"{path}/{found}"


def revoke_token(keys, client):
    token_id = client.get("/tokens/self").data["token"]["id"]
    assert client.delete(f"/tokens/{token_id}").status == 200


def lower_role(keys, client):
    path = member_path(keys, client)
    assert keys.owner.patch(path, json={"role": "viewer"}).status == 200


def remove_member(keys, client):
    assert keys.owner.delete(member_path(keys, client)).status == 200


def assign_arabic(keys, client):
    body = {"assignedLanguages": ["ar"]}
    assert keys.owner.patch(member_path(keys, client), json=body).status == 200


def protect_main(keys, client):
    body = {"mainProtected": True}
    assert keys.owner.patch(f"/projects/{keys.project['id']}", json=body).status == 200


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (revoke_token, "permission_denied"),
        (lower_role, "permission_denied"),
        (remove_member, "permission_denied"),
        (protect_main, "branch_protected"),
    ],
)
def test_queued_undo_fails_when_its_rights_are_lost_meanwhile(
    keys, change, code, dry_run
):
    key = keys.made(values={"de": "eins"})
    manager = keys.workspace.client("manager")
    accepted = request_undo(keys, manager, keyId=key["id"], dryRun=dry_run)
    assert accepted.status == 202
    change(keys, manager)

    job = keys.workspace.job_of(accepted, keys.owner)

    assert (job["status"], job["error"]["code"]) == ("failed", code)
    assert keys.texts(key) == {("de", None): "eins"}


def test_queued_undo_uses_the_languages_that_are_assigned_when_it_runs(keys):
    key = keys.made(values={"en": "Pay"})
    period = Period(keys, key)
    keys.put(key, "de", "Kaufen")
    keys.put(key, "ar", "ادفع")
    reviewer = keys.workspace.client("reviewer")
    accepted = request_undo(keys, reviewer, **period.since)
    assign_arabic(keys, reviewer)

    job = keys.workspace.job_of(accepted, keys.owner)

    assert job["status"] == "succeeded"
    assert reasons(job["result"]) == [("a.b", "de", "language_not_assigned")]
    assert keys.texts(key) == {("en", None): "Pay", ("de", None): "Kaufen"}


# dry runs


def change_everything(keys):
    """Change, create, delete and rename keys; return the actor, a new and a lost
    key."""
    key = keys.made(values={"de": "eins", "en": "one"}, tags=["x"])
    gone, renamed = keys.made(key="gone"), keys.made(key="renamed")
    writer = keys.workspace.client("developer")
    keys.put(key, "en", "two", writer)
    patch(keys, key, writer, tags=["y"], isPlural=True)
    delete(keys, gone, writer)
    patch(keys, renamed, writer, key="gone")
    patch(keys, keys.made(key="old"), writer, key="other")
    delete(keys, keys.made(key="old"), writer)  # its name goes back to another key
    return actor_of(keys, writer), keys.create(writer, key="new").data["key"], gone


def test_dry_run_reports_what_the_undo_does(keys):
    actor, new, gone = change_everything(keys)
    before = keys.owner.get(keys.path, query={"include": "values"}).data

    planned = undo(keys, actor=actor, dryRun=True)

    assert keys.owner.get(keys.path, query={"include": "values"}).data == before
    done = undo(keys, actor=actor)
    assert (planned.pop("dryRun"), done.pop("dryRun")) == (True, False)
    planned.pop("jobId")
    done.pop("jobId")
    assert planned == done
    assert counts(done) == {
        "reverted": 2,
        "keysUpdated": 3,
        "keysDeleted": 1,
        "keysRestored": 1,
    }
    assert reasons(done) == [("old", None, "key_exists")]
    assert not is_found(keys, new)
    assert is_found(keys, gone)


def test_dry_run_counts_what_goes_back_in_a_key_that_it_would_restore(keys):
    key = keys.made(values={"de": "eins", "en": "one"})
    writer = keys.workspace.client("developer")
    keys.put(key, "en", "two", writer)
    patch(keys, key, writer, key="renamed", tags=["y"], description="new")
    delete(keys, key, writer)
    actor = actor_of(keys, writer)

    planned, done = undo(keys, actor=actor, dryRun=True), undo(keys, actor=actor)

    for each in (planned, done):
        del each["dryRun"], each["jobId"]
    assert planned == done
    assert counts(done) == {"reverted": 2, "keysUpdated": 1, "keysRestored": 1}
    assert keys.names() == [key["key"]]


def test_dry_run_writes_and_locks_only_its_job(keys):
    actor, *_ = change_everything(keys)
    request_undo(keys, actor=actor, dryRun=True)

    with statements_of(keys.workspace.framework.storage) as statements:
        keys.workspace.run_jobs()

    written = re.compile(r"^(?:UPDATE|INSERT INTO|DELETE FROM) (\w+)")
    tables = {m[1] for each in statements if (m := written.match(each.lstrip()))}
    assert tables == {"jobs"}
    locks = re.compile(r"FOR (NO KEY )?(UPDATE|SHARE)|advisory")
    locking = [each for each in statements if locks.search(each)]
    assert not [each for each in locking if "FROM jobs" not in each]


# created and deleted keys


def test_key_that_took_the_name_of_a_deleted_one_goes_first(keys):
    key = keys.made(values={"de": "eins"})
    developer = keys.workspace.client("developer")
    delete(keys, key, developer)
    keys.create(developer, values={"de": "neu"})

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.texts(key) == {("de", None): "eins"}
    assert counts(result) == {"keysDeleted": 1, "keysRestored": 1}
    assert result["skipped"] == []


def test_of_two_deleted_keys_of_one_name_the_first_is_restored(keys):
    title = keys.made(key="title")
    later = keys.made(key="later", values={"en": "Later"})
    period = Period(keys, later)
    delete(keys, later)
    patch(keys, title, key="later")
    delete(keys, title)

    result = undo(keys, since=period.since["since"])

    assert [(s["keyId"], s["reason"]) for s in result["skipped"]] == [
        (title["id"], "key_exists")
    ]
    assert keys.names() == ["later"]
    assert keys.texts(later) == {("en", None): "Later"}


def test_key_that_was_deleted_again_later_stays_deleted(keys):
    key = keys.made()
    period = Period(keys, key)
    delete(keys, key)
    first = period.until_now
    restore(keys, key)
    delete(keys, key)

    result = undo(keys, **first)

    assert reasons(result) == [("a.b", None, "changed_later")]
    assert counts(result) == {}
    assert not is_found(keys, key)


def test_values_of_a_key_that_was_deleted_later_stay(keys):
    key = keys.made(values={"de": "Zahlen"})
    period = Period(keys, key)
    keys.put(key, "de", "Kaufen")
    first = period.until_now
    delete(keys, key)

    result = undo(keys, **first)

    assert reasons(result) == [("a.b", None, "changed_later")]


def test_restored_key_goes_to_the_trash_with_the_state_it_had_there(keys):
    key = keys.made(values={"de": "Zahlen"}, tags=["button"])
    before = keys.get(key)
    delete(keys, key)
    period = Period(keys, key)
    restore(keys, key)
    keys.put(key, "de", "Bezahlen")
    patch(keys, key, description="the button")

    result = undo(keys, **period.since)

    assert not is_found(keys, key)
    assert counts(result) == {"keysDeleted": 1, "reverted": 1, "keysUpdated": 1}
    assert result["skipped"] == []
    restore(keys, key)
    after = keys.get(key)
    for name in ("key", "description", "tags"):
        assert after[name] == before[name]
    assert keys.texts(key) == {("de", None): "Zahlen"}


def test_undo_of_that_undo_restores_the_key_as_it_was_edited(keys):
    key = keys.made(values={"de": "Zahlen"})
    delete(keys, key)
    period = Period(keys, key)
    restore(keys, key)
    keys.put(key, "de", "Bezahlen")
    patch(keys, key, description="the button")
    first = undo(keys, **period.since)

    undo(keys, jobId=first["jobId"])

    assert keys.texts(key) == {("de", None): "Bezahlen"}
    assert keys.get(key)["description"] == "the button"


def test_restored_and_renamed_key_goes_to_the_trash_under_its_old_name(keys):
    key = keys.made(values={"en": "Pay"})
    delete(keys, key)
    period = Period(keys, key)
    restore(keys, key)
    patch(keys, key, key="buy")
    keys.made(values={"en": "Other"})

    result = undo(keys, since=period.since["since"])

    assert (counts(result)["keysDeleted"], result["skipped"]) == (2, [])
    restore(keys, key)
    assert keys.get(key)["key"] == "a.b"


# undo of an undo


def test_undo_can_be_undone(keys):
    key = keys.made(values={"de": "eins"})
    reviewer = keys.workspace.client("reviewer")
    keys.put(key, "de", "zwei", reviewer)
    first = undo(keys, actor=actor_of(keys, reviewer))

    undo(keys, jobId=first["jobId"])

    assert keys.texts(key) == {("de", None): "zwei"}
    assert counts(undo(keys, jobId=first["jobId"])) == {}


def test_keys_that_an_undo_restored_go_when_it_is_undone(keys):
    key, other = keys.made(values={"de": "eins"}), keys.made(key="c")
    developer = keys.workspace.client("developer")
    for each in (key, other):
        delete(keys, each, developer)
    first = undo(keys, actor=actor_of(keys, developer))
    assert (counts(first), keys.names()) == ({"keysRestored": 2}, ["a.b", "c"])
    keys.put(other, "de", "danach")

    second = undo(keys, jobId=first["jobId"])

    assert keys.names() == ["c"]
    assert counts(second) == {"keysDeleted": 1}
    assert reasons(second) == [("c", None, "changed_later")]


def test_repeated_undo_lists_nothing(keys):
    key, title = keys.made(values={"de": "eins"}), keys.made(key="title")
    writer = keys.workspace.client("developer")
    keys.put(key, "de", "Neu", writer)
    keys.put(title, "de", "Laden", writer)
    patch(keys, key, writer, description="The button", tags=["red"], isPlural=True)
    actor = actor_of(keys, writer)
    first = undo(keys, actor=actor)

    second = undo(keys, actor=actor)

    assert (first["keysUpdated"], first["skipped"]) == (1, [])
    assert (counts(second), second["skipped"]) == ({}, [])


# merges


def test_undo_of_a_merge_takes_back_values_fields_and_keys(keys):
    key = keys.made(values={"de": "eins"}, tags=["label"])
    create_branch(keys)
    put_on_branch(keys, key, "de", "zwei")
    body = {"key": "made.there", "values": {"de": "neu"}}
    keys.owner.post(keys.path, json=body, query=SPRING)
    body = {"key": "renamed", "tags": ["button"], "description": "new"}
    path = f"{keys.path}/{key['id']}"
    assert keys.owner.patch(path, json=body, query=SPRING).status == 200
    merge(keys)
    assert keys.names() == ["made.there", "renamed"]

    result = undo(keys, mergeOf="spring")

    assert keys.names() == ["a.b"]
    assert keys.texts(key) == {("de", None): "eins"}
    now = keys.get(key)
    assert (now["description"], now["tags"]) == ("", ["label"])
    assert counts(result) == {"reverted": 1, "keysUpdated": 1, "keysDeleted": 1}
    assert result["skipped"] == []


def test_merged_key_that_was_changed_later_keeps_its_values(keys):
    create_branch(keys)
    body = {"key": "made.there", "values": {"en": "New", "ar": "جديد"}}
    key = keys.owner.post(keys.path, json=body, query=SPRING).data["key"]
    merge(keys)
    keys.put(key, "de", "neu")
    keys.put(key, "ar", "مصحح")
    patch(keys, key, description="of main")

    result = undo(keys, mergeOf="spring")

    assert keys.texts(key) == {
        ("en", None): "New", ("de", None): "neu", ("ar", None): "مصحح",
    }  # fmt: skip
    assert sorted(reasons(result), key=str) == [
        ("made.there", "ar", "changed_later"),
        ("made.there", "en", "changed_later"),
        ("made.there", None, "changed_later"),
    ]
    assert counts(result) == {}


def test_key_that_a_merge_restored_goes_to_the_trash_with_its_old_values(keys):
    key = keys.made(values={"de": "Zahlen"})
    create_branch(keys)
    put_on_branch(keys, key, "de", "Bezahlen")
    delete(keys, key)
    merge(keys, strategy="use_branch")
    assert keys.texts(key) == {("de", None): "Bezahlen"}

    result = undo(keys, mergeOf="spring")

    assert (counts(result)["keysDeleted"], result["skipped"]) == (1, [])
    restore(keys, key)
    assert keys.texts(key) == {("de", None): "Zahlen"}


def test_undo_appears_in_the_activity_as_changes_of_its_job(keys):
    key = keys.made(values={"de": "eins"})
    reviewer = keys.workspace.client("reviewer")
    keys.put(key, "de", "zwei", reviewer)

    job_id = undo(keys, actor=actor_of(keys, reviewer))["jobId"]

    newest = events(keys, key)[-1]
    assert (newest["type"], newest["jobId"]) == ("translation.updated", job_id)
    assert newest["actor"]["id"] == actor_of(keys, keys.owner)
