"""The history of a value, and its revert (decisions 2.3)."""

import json

import pytest

from locframework.http.records import Upload


def history(keys, key, lang="de", **query):
    path = f"{keys.path}/{key['id']}/values/{lang}/history"
    found = keys.owner.get(path, query=query)
    assert found.status == 200, found
    items = found.data["items"]
    if not query.get("limit"):
        assert found.data["total"] == len(items)
    return items


def summary(items):
    return [(i["revision"], i["value"], i["status"], i["origin"]) for i in items]


def create_branch(keys, name="spring"):
    path = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(path, json={"name": name}).status == 201
    return {"branch": name}


def put_on(keys, key, text, query, lang="de"):
    path = f"{keys.path}/{key['id']}/values/{lang}"
    assert keys.owner.put(path, json={"value": text}, query=query).status == 200


def test_every_change_is_a_revision_newest_first(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei", keys.translator)
    keys.act(key, "reject", reason="not a word of ours")
    keys.put(key, "de", "drei", keys.translator)
    keys.act(key, "approve")
    keys.put(key, "de", "")

    items = history(keys, key)

    assert summary(items) == [
        (6, "", "untranslated", "human"),
        (5, "drei", "approved", "human"),
        (4, "drei", "pending_review", "human"),
        (3, "eins", "approved", "human"),
        (2, "zwei", "pending_review", "human"),
        (1, "eins", "approved", "human"),
    ]
    assert [item["reason"] for item in items] == [
        None, None, None, "not a word of ours", None, None,
    ]  # fmt: skip
    owner, translator = items[0]["actor"], items[2]["actor"]
    assert owner["type"] == translator["type"] == "user"
    assert [item["actor"] == owner for item in items] == [
        True, True, False, True, False, True,
    ]  # fmt: skip
    assert items[4]["actor"] == translator
    times = [item["createdAt"] for item in items]
    assert times == sorted(times, reverse=True)
    assert {item["pluralForm"] for item in items} == {None}


def test_revisions_continue_after_a_value_was_cleared(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")

    keys.put(key, "de", "zwei")
    keys.put(key, "de", "")
    keys.put(key, "de", "drei")

    assert keys.detail(key, "de")["revision"] == 5
    assert [item["revision"] for item in history(keys, key)] == [5, 4, 3, 2, 1]


def test_batch_with_several_writes_of_one_value_makes_a_revision_of_each(keys):
    key = keys.made(values={"de": "eins"})
    texts = ("zwei", "", "drei")
    items = [
        {"keyId": key["id"], "languageCode": "de", "value": text} for text in texts
    ]

    path = f"/projects/{keys.project['id']}/values"
    assert keys.owner.put(path, json={"items": items}).status == 200

    assert [item["value"] for item in history(keys, key)] == [
        "drei", "", "zwei", "eins",
    ]  # fmt: skip


def test_plural_forms_have_separate_revisions(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.put(key, "de", {"other": "viele"})

    items = history(keys, key)

    assert [(i["pluralForm"], i["revision"], i["value"]) for i in items] == [
        ("other", 2, "viele"),
        ("one", 1, "1"),
        ("other", 1, "n"),
    ]


def test_history_is_paged(keys):
    key = keys.made()
    for number in range(5):
        keys.put(key, "de", str(number))

    pages = [history(keys, key, page=page, limit=2) for page in (1, 2, 3, 4)]

    assert [[item["value"] for item in page] for page in pages] == [
        ["4", "3"], ["2", "1"], ["0"], [],
    ]  # fmt: skip


def test_history_of_a_missing_value_is_empty(keys):
    key = keys.made(values={"de": "eins"})
    path = f"{keys.path}/{key['id']}/values"

    assert history(keys, key, "ar") == []
    assert keys.owner.get(f"{path}/sv/history").error["code"] == "language_not_found"
    nowhere = keys.owner.get(f"{keys.path}/{keys.project['id']}/values/de/history")
    assert nowhere.error["code"] == "key_not_found"


def test_rename_delete_and_restore_keep_the_history(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    before = history(keys, key)
    one = f"{keys.path}/{key['id']}"

    keys.owner.patch(one, json={"key": "c.d"})
    keys.owner.delete(one)
    keys.owner.post(f"{one}/restore", json={})

    assert history(keys, key) == before


def test_change_of_plurals_clears_one_value_and_writes_another(keys):
    key = keys.made(values={"de": "Datei"})
    one = f"{keys.path}/{key['id']}"
    for is_plural in (True, False, True):
        keys.owner.patch(one, json={"isPlural": is_plural})

    items = history(keys, key)

    def of(form):
        mine = [item for item in items if item["pluralForm"] == form]
        mine.sort(key=lambda item: -item["revision"])
        return [(item["revision"], item["status"]) for item in mine]

    assert [status for _, status in of("other")] == [
        "approved", "untranslated", "approved",
    ]  # fmt: skip
    assert [status for _, status in of(None)] == [
        "untranslated", "approved", "untranslated", "approved",
    ]  # fmt: skip
    assert [item["revision"] for item in items] == [*range(7, 0, -1)]


@pytest.mark.parametrize("branch", [None, "spring"])
def test_revision_numbers_of_plain_text_and_form_other_differ(keys, branch):
    key = keys.made(values={"de": "Datei"})
    root, one = f"/projects/{keys.project['id']}", f"{keys.path}/{key['id']}"
    query = {}
    if branch is not None:
        assert keys.owner.post(f"{root}/branches", json={"name": branch}).status == 201
        query = {"branch": branch}
    keys.owner.patch(one, json={"isPlural": True}, query=query)
    forms = {"value": {"one": "1", "other": "n"}}
    keys.owner.put(f"{one}/values/de", json=forms, query=query)
    keys.owner.patch(one, json={"isPlural": False}, query=query)

    items = history(keys, key, **query)
    plain = {item["revision"] for item in items if item["pluralForm"] is None}
    formed = {item["revision"] for item in items if item["pluralForm"] is not None}

    assert plain.isdisjoint(formed)
    assert max(plain) > max(formed)  # it goes on after them
    assert keys.act(key, "revert", query=query, revision=1).status == 200
    newest = history(keys, key, **query)[0]
    assert (newest["pluralForm"], newest["value"]) == (None, "Datei")


def test_import_makes_a_revision_with_its_origin(keys):
    key = keys.made(values={"de": "eins"})
    file = Upload("de.json", json.dumps({"a.b": "zwei"}).encode(), "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    path = f"/projects/{keys.project['id']}/import"

    keys.workspace.job_of(keys.owner.post(path, form=form, files={"file": file}))

    assert summary(history(keys, key)) == [
        (2, "zwei", "approved", "import"),
        (1, "eins", "approved", "human"),
    ]


# on branches


def test_branch_history_is_that_of_main_until_its_copy(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    spring = create_branch(keys)
    assert history(keys, key, **spring) == history(keys, key)

    put_on(keys, key, "auf dem Zweig", spring)
    keys.put(key, "de", "main danach")

    assert [item["value"] for item in history(keys, key, **spring)] == [
        "auf dem Zweig", "zwei", "eins",
    ]  # fmt: skip
    assert [item["value"] for item in history(keys, key)] == [
        "main danach", "zwei", "eins",
    ]  # fmt: skip


def test_merge_makes_one_revision_on_main(keys):
    key = keys.made(values={"de": "eins"})
    spring = create_branch(keys)
    put_on(keys, key, "zwei", spring)
    put_on(keys, key, "drei", spring)
    merge = f"/projects/{keys.project['id']}/branches/spring/merge"

    assert keys.owner.post(merge, json={}).status == 200

    [merged, first] = history(keys, key)
    assert (merged["value"], merged["origin"]) == ("drei", "merge")
    assert merged["revision"] >= 3  # no number that the branch gave to another text
    assert first["value"] == "eins"


def test_revisions_on_a_branch_continue_after_main_cleared_the_value(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")
    spring = create_branch(keys)

    put_on(keys, key, "zwei", spring)

    assert [item["revision"] for item in history(keys, key, **spring)] == [3, 2, 1]


# reverts of a value


def test_revert_writes_a_new_revision(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")

    answer = keys.act(key, "revert", revision=1)

    assert answer.data["key"] == keys.get(key)
    assert summary(history(keys, key))[0] == (3, "eins", "approved", "revert")


def test_revert_without_translation_approve_is_pending_review(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")

    keys.act(key, "revert", client=keys.translator, revision=1)

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("eins", "pending_review")
    assert (detail["approvedValue"], detail["origin"]) == ("zwei", "revert")


def test_revert_can_restore_and_clear_a_value(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")

    keys.act(key, "revert", revision=1)
    assert keys.texts(key) == {("de", None): "eins"}

    keys.act(key, "revert", revision=2)
    assert keys.texts(key) == {}
    assert [item["revision"] for item in history(keys, key)] == [4, 3, 2, 1]


def test_revert_to_a_missing_revision_is_refused(keys):
    key = keys.made(values={"de": "eins"})

    for body in ({"revision": 2}, {"revision": 0}, {"revision": "1"}, {}):
        refused = keys.act(key, "revert", **body)
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert refused.error["details"][0]["path"] in ("$.revision", "$")


def test_revert_needs_the_plural_form_where_numbers_are_equal(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.put(key, "de", {"one": "eins", "other": "viele"})

    refused = keys.act(key, "revert", revision=1)
    keys.act(key, "revert", revision=1, pluralForm="one")

    assert refused.error["details"][0]["path"] == "$.pluralForm"
    assert keys.texts(key) == {("de", "one"): "1", ("de", "other"): "viele"}


def test_revert_with_an_invalid_or_empty_plural_form_is_refused(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})

    none = keys.act(key, "revert", revision=1, pluralForm="several")
    empty = keys.act(key, "revert", revision=1, pluralForm="few")

    assert (none.status, none.error["code"]) == (400, "invalid_plural_form")
    assert none.error["message"].startswith("$.pluralForm: 'several' is not one of")
    assert (empty.status, empty.error["code"]) == (400, "validation_failed")
    assert empty.error["message"] == "$.revision: the form few has no revision 1"


@pytest.mark.parametrize("form", [{}, {"pluralForm": "other"}])
def test_revert_to_a_text_from_before_plurals_writes_form_other(keys, form):
    key = keys.made(values={"de": "Datei"})
    keys.put(key, "de", "Dateien")
    keys.owner.patch(f"{keys.path}/{key['id']}", json={"isPlural": True})

    assert keys.act(key, "revert", revision=1, **form).status == 200
    assert keys.texts(key) == {("de", "other"): "Datei"}


@pytest.mark.parametrize("protected", [False, True])
def test_permissions_of_revert(keys, protected):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    keys.owner.patch(
        f"/projects/{keys.project['id']}", json={"mainProtected": protected}
    )
    arabic = keys.workspace.client("translator", languages=["ar"])
    viewer = keys.workspace.client("viewer")

    scoped = keys.act(key, "revert", client=arabic, revision=1)
    missing = keys.act(key, "revert", client=viewer, revision=1)
    allowed = keys.act(key, "revert", revision=1)

    assert scoped.error["code"] == "language_not_assigned"
    assert missing.error["details"] == {"required": "translation_write"}
    assert allowed.status == (409 if protected else 200)
    assert keys.detail(key, "de")["value"] == ("zwei" if protected else "eins")


def test_value_that_a_rejection_restores_is_outdated_if_it_was(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now")
    keys.put(key, "de", "Jetzt zahlen", keys.translator)

    keys.act(key, "reject")

    assert keys.detail(key, "de")["isOutdated"]


def test_revert_on_a_branch_to_a_revision_of_main(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    spring = create_branch(keys)

    keys.act(key, "revert", query=spring, revision=1)

    [newest, *_] = history(keys, key, **spring)
    assert (newest["value"], newest["revision"]) == ("eins", 3)
    assert keys.texts(key) == {("de", None): "zwei"}
