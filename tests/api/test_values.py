"""service.md, Key value, States; decisions 2.3: each line on values."""

import pytest

from locframework.fields import new_id


def test_who_cannot_approve_writes_a_pending_text(keys):
    key = keys.made(values={"de": "Zahlen"})

    answer = keys.put(key, "de", "Bezahlen", keys.translator)
    detail = keys.detail(key, "de")

    assert answer.status == 200
    assert (detail["value"], detail["status"]) == ("Bezahlen", "pending_review")
    assert (detail["approvedValue"], detail["revision"]) == ("Zahlen", 2)
    assert (detail["origin"], detail["issues"]) == ("human", [])


def test_an_approver_replaces_the_pending_text(keys):
    key = keys.made()
    keys.put(key, "de", "Bezahlen", keys.translator)

    keys.put(key, "de", "Zahlen")

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Zahlen", "approved")
    assert detail["approvedAt"] == detail["updatedAt"]


def test_forms_that_are_not_named_stay_and_an_empty_one_is_cleared(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})

    keys.put(key, "de", {"one": "eins"})
    assert keys.texts(key) == {("de", "one"): "eins", ("de", "other"): "n"}

    keys.put(key, "de", {"one": ""})
    assert keys.texts(key) == {("de", "other"): "n"}


def test_a_language_code_may_carry_a_file_extension_and_any_case(keys):
    key = keys.made()

    assert keys.put(key, "DE.json", "Hallo").status == 200
    assert keys.detail(key, "de")["value"] == "Hallo"
    assert keys.put(key, "sv", "Hej").error["code"] == "language_not_found"


def test_a_new_source_text_outdates_the_translations(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen", "ar": "ادفع"})

    keys.put(key, "en", "Pay now")
    outdated = {v["languageCode"]: v["isOutdated"] for v in keys.get(key)["values"]}
    assert outdated == {"en": False, "de": True, "ar": True}

    keys.put(key, "de", "Jetzt zahlen")
    assert not keys.detail(key, "de")["isOutdated"]


def test_keep_fresh_leaves_the_translations_fresh(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})

    keys.put(key, "en", "Pay!", keepFresh=True)

    assert not keys.detail(key, "de")["isOutdated"]


def test_a_value_of_64_kib_is_kept_byte_for_byte_and_one_more_is_refused(keys):
    key = keys.made()
    text = "\r\n\t " + "ä😀" * 10_000 + " \u200f\u202e"

    assert keys.put(key, "de", text).status == 200
    assert keys.detail(key, "de")["value"] == text
    assert keys.put(key, "de", "x" * 65_537).error["code"] == "validation_failed"


def test_turning_plurals_on_moves_texts_to_other_and_off_keeps_other(keys):
    key = keys.made(values={"de": "Datei"})
    one = f"{keys.path}/{key['id']}"

    keys.owner.patch(one, json={"isPlural": True})
    assert keys.texts(key) == {("de", "other"): "Datei"}

    keys.put(key, "de", {"one": "Eine Datei"})
    keys.owner.patch(one, json={"isPlural": False})
    assert keys.texts(key) == {("de", None): "Datei"}


def test_a_rename_keeps_values_and_refuses_a_name_that_is_taken(keys):
    key = keys.made(values={"de": "Zahlen"})
    keys.made(key="taken")
    one = f"{keys.path}/{key['id']}"

    renamed = keys.owner.patch(one, json={"key": "c.d"}).data["key"]

    assert (renamed["id"], renamed["key"]) == (key["id"], "c.d")
    assert keys.texts(key) == {("de", None): "Zahlen"}
    assert keys.owner.patch(one, json={"key": "taken"}).error["code"] == "key_exists"
    assert keys.owner.patch(one, json={"key": "x y"}).error["code"] == "invalid_key"


def test_a_source_write_answers_what_it_outdated(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})

    answered = keys.put(key, "en", "Pay now").data["key"]["values"]

    assert answered == keys.get(key)["values"]
    assert [value["isOutdated"] for value in answered] == [False, True]


def test_turning_plurals_on_with_a_new_source_text_outdates_the_translations(keys):
    key = keys.made(values={"en": "file", "de": "Datei"})
    keys.owner.post(
        f"{keys.path}/bulk",
        json={
            "onExisting": "update",
            "keys": [
                {"key": "a.b", "isPlural": True, "values": {"en": {"other": "f"}}}
            ],
        },
    )

    outdated = {v["languageCode"]: v["isOutdated"] for v in keys.get(key)["values"]}

    assert outdated == {"en": False, "de": True}


def test_plurals_are_turned_by_who_may_write_every_language_of_the_key(keys):
    key = keys.made(values={"en": "file", "de": "Datei"})
    forms = keys.made(key="c", isPlural=True, values={"de": {"one": "Datei"}})
    english = keys.workspace.client("developer", languages=["en"])
    before = keys.get(key)

    body = {"onExisting": "update", "keys": [{"key": "a.b", "isPlural": True}]}
    [bulk] = english.post(f"{keys.path}/bulk", json=body).data["results"]
    off = english.patch(f"{keys.path}/{forms['id']}", json={"isPlural": False})

    assert bulk["error"]["code"] == "language_not_assigned"
    assert off.error["code"] == "language_not_assigned"
    assert keys.get(key) == before
    assert keys.texts(forms) == {("de", "one"): "Datei"}


@pytest.mark.parametrize("code", ["fr", "xx", "english", ""])
def test_a_language_that_the_project_does_not_have_is_told_so_whatever_it_is(
    keys, code
):
    refused = keys.create(values={code: "Payer"})
    key = keys.made(key="pay")
    item = {"keyId": key["id"], "languageCode": code, "value": "Payer"}
    path = f"/projects/{keys.project['id']}/values"
    [result] = keys.owner.put(path, json={"items": [item]}).data["results"]

    assert (refused.status, refused.error["code"]) == (400, "language_not_in_project")
    assert result["error"]["code"] == "language_not_in_project"


def test_an_item_of_a_batch_is_told_what_is_not_there(keys):
    key, absent = keys.made(key="pay"), new_id()
    items = [
        {"key": "play", "languageCode": "de", "value": "x"},
        {"keyId": absent, "languageCode": "de", "value": "x"},
        {"keyId": "pay", "languageCode": "de", "value": "x"},
        {"keyId": key["id"], "languageCode": "fr", "value": "x"},
        {"key": "play", "languageCode": "de", "value": {"several": "x"}},
    ]
    path = f"/projects/{keys.project['id']}/values"

    results = keys.owner.put(path, json={"items": items}).data["results"]

    assert [result["error"]["message"] for result in results[:4]] == [
        "there is no such key",
        "there is no such key",
        "there is no such key",
        "$.items[3].languageCode: the project has no language 'fr'",
    ]
    assert results[4]["error"]["code"] == "invalid_plural_form"
