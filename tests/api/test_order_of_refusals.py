"""What is wrong with a request comes before what is not there, and before what the
state of a thing refuses (decisions 2.2)."""

import pytest

from locframework.app import OPERATOR
from locframework.errors import ProjectNotFound, ValidationFailed
from locframework.fields import new_id
from locframework.http.records import Upload
from locframework.keys.records import Approval, Rejection

FILE = {"file": Upload("en.json", b'{"a": "A"}', "application/json")}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"pluralForms": ["several"]}, "validation_failed"),
        ({"fallbackLanguageCode": "not a tag"}, "validation_failed"),
        ({"fallbackLanguageCode": "fr"}, "language_not_in_project"),
        ({}, "language_exists"),
    ],
)
def test_a_language_that_is_there_is_refused_last(workspace, body, code):
    path = f"/projects/{workspace.project(languages=['de'])['id']}/languages"

    refused = workspace.owner.post(path, json={"languageCode": "de", **body})

    assert refused.error["code"] == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"pluralForms": ["several"]}, "validation_failed"),
        ({"fallbackLanguageCode": "not a tag"}, "validation_failed"),
        ({"label": "Français"}, "language_not_found"),
    ],
)
def test_a_language_that_is_not_there_is_missed_once_its_changes_are_right(
    workspace, body, code
):
    path = f"/projects/{workspace.project()['id']}/languages/fr"

    assert workspace.owner.patch(path, json=body).error["code"] == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": " "}, "validation_failed"),
        ({"sourceLanguage": "fr"}, "language_not_in_project"),
        ({"blockingChecks": ["horoscope"]}, "validation_failed"),
        ({"checkSeverities": {"horoscope": "off"}}, "validation_failed"),
        ({"sourceLanguage": "de"}, "separator_fixed"),
    ],
)
def test_the_fixed_separator_is_told_last_and_nothing_is_changed(workspace, body, code):
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    workspace.key(project, "a.b")
    before = [workspace.owner.get(f"{path}{of}").data for of in ("", "/languages")]

    refused = workspace.owner.patch(path, json={"keySeparator": "/", **body})

    assert refused.error["code"] == code
    after = [workspace.owner.get(f"{path}{of}").data for of in ("", "/languages")]
    assert after == before


WRONG_MEMBERS = [{"assignedLanguages": ["not a tag"]}, {"projectIds": [new_id()]}]


@pytest.mark.parametrize("wrong", WRONG_MEMBERS)
def test_what_a_member_is_to_have_is_judged_before_who_there_is(workspace, wrong):
    path = f"/organizations/{workspace.organization_id}/members"
    person = {"email": "ines@example.com", "role": "translator"}
    assert workspace.owner.post(path, json=person).status == 201

    again = workspace.owner.post(path, json={**person, **wrong})
    absent = workspace.owner.patch(f"{path}/{new_id()}", json=wrong)

    assert again.error["code"] == absent.error["code"] == "validation_failed"
    assert workspace.owner.post(path, json=person).error["code"] == "member_exists"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"format": "papyrus"}, "unknown_format"),
        ({"format": "json-flat", "module": "a.b"}, "invalid_key"),
        ({"format": "json-flat", "languageCodes": "fr"}, "language_not_in_project"),
        ({"format": "json-flat"}, "branch_not_found"),
    ],
)
def test_what_an_export_asks_for_is_judged_before_its_branch(workspace, query, code):
    path = f"/projects/{workspace.project()['id']}/export"

    refused = workspace.owner.get(path, query={**query, "branch": "gone"})

    assert refused.error["code"] == code


@pytest.mark.parametrize(
    ("form", "query", "place"),
    [
        ({"tags": "web,,cart"}, {}, "form.tags[1]"),
        ({"branch": "spring"}, {"branch": "autumn"}, "form.branch"),
    ],
)
def test_what_is_wrong_with_a_form_is_told_where_it_stands(
    workspace, form, query, place
):
    path = f"/projects/{workspace.project()['id']}/import"

    refused = workspace.owner.post(path, form=form, files=FILE, query=query)

    [problem] = refused.error["details"]
    assert (refused.error["code"], problem["path"]) == ("validation_failed", place)


@pytest.mark.parametrize(
    ("name", "asked"),
    [("approve", Approval(revision=0)), ("reject", Rejection(reason="x" * 1001))],
)
def test_python_is_told_first_that_there_is_no_such_project(workspace, name, asked):
    decide = getattr(workspace.framework.review, name)
    project = workspace.project(languages=["de"])

    with pytest.raises(ProjectNotFound):
        decide(OPERATOR, new_id(), new_id(), "de", asked)
    with pytest.raises(ValidationFailed):
        decide(OPERATOR, project["id"], new_id(), "de", asked)


LONG = "x" * (64 * 1024 + 1)
STALE = {"If-Match": '"x"'}
WRONG_CHANGES = [
    ({"key": "a..b"}, "invalid_key"),
    ({"tags": [" "]}, "validation_failed"),
]
WRONG_TEXTS = [
    (LONG, "validation_failed"),
    ({"one": LONG}, "validation_failed"),
    ({"several": "x"}, "invalid_plural_form"),
]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"key": "a..b"}, "invalid_key"),
        ({"key": "a", "tags": [" "]}, "validation_failed"),
        ({"key": "a", "values": {"fr": "x"}}, "language_not_in_project"),
        ({"key": "a", "values": {"de": {"one": "x"}}}, "plural_mismatch"),
        ({"key": "a", "values": {"de": LONG}}, "validation_failed"),
        ({"key": "a"}, "branch_not_found"),
    ],
)
def test_a_new_key_is_judged_before_its_branch_is_looked_for(keys, body, code):
    refused = keys.owner.post(keys.path, json=body, query={"branch": "gone"})

    assert refused.error["code"] == code


@pytest.mark.parametrize(("body", "code"), [*WRONG_CHANGES, ({}, "key_not_found")])
def test_changes_are_judged_before_their_key_is_looked_for(keys, body, code):
    for key_id in (new_id(), "none"):
        refused = keys.owner.patch(f"{keys.path}/{key_id}", json=body)
        assert refused.error["code"] == code


@pytest.mark.parametrize(("text", "code"), [*WRONG_TEXTS, ("x", None)])
def test_a_text_is_judged_before_its_key_and_language_are_looked_for(keys, text, code):
    absent, key = {"id": new_id()}, keys.made(isPlural=True)

    for found, lang, missing in (
        (absent, "de", "key_not_found"),
        (key, "fr", "language_not_found"),
    ):
        assert keys.put(found, lang, text).error["code"] == (code or missing)


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize(("body", "code"), WRONG_CHANGES)
def test_what_a_body_says_is_judged_after_the_state_it_is_for(keys, body, code, stale):
    path = f"{keys.path}/{keys.made()['id']}"
    headers = STALE if stale else {}

    formless = keys.owner.patch(path, json={"tags": 7}, headers=headers)
    refused = keys.owner.patch(path, json=body, headers=headers)

    assert formless.error["code"] == "validation_failed"
    assert refused.error["code"] == ("precondition_failed" if stale else code)


def test_a_state_comes_before_languages_and_what_is_there(keys):
    keys.made(key="taken")
    path = f"{keys.path}/{keys.made(values={'de': 'a'})['id']}"
    writer = keys.workspace.client("developer", languages=["ar"])

    for client, verb, where, body, code in (
        (writer, "PATCH", path, {"isPlural": True}, "language_not_assigned"),
        (writer, "PUT", f"{path}/values/de", {"value": "b"}, "language_not_assigned"),
        (keys.owner, "PATCH", path, {"key": "taken"}, "key_exists"),
    ):
        late = client.request(verb, where, json=body, headers=STALE)
        refused = client.request(verb, where, json=body)
        assert (late.status, refused.error["code"]) == (412, code)


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_the_forms_of_a_judgement_come_before_its_key_and_language(keys, verb):
    key = keys.made(isPlural=True, values={"de": {"one": "1"}})
    other = keys.workspace.client("reviewer", languages=["ar"])

    for found, lang, client in (
        ({"id": new_id()}, "de", keys.owner),
        (key, "fr", keys.owner),
        (key, "de", other),
    ):
        refused = keys.act(found, verb, lang, client, revision={"several": 1})
        assert refused.error["code"] == "invalid_plural_form"


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_forms_of_a_key_without_plurals_are_refused_before_that_nothing_waits(
    keys, verb
):
    key = keys.made(values={"de": "Zahlen"})

    refused = keys.act(key, verb, revision={"one": 1})

    assert (refused.status, refused.error["code"]) == (400, "plural_mismatch")
    assert keys.act(key, verb, revision=1).error["code"] == "nothing_pending"


def test_the_form_to_go_back_to_comes_before_its_key_and_language(keys):
    key = keys.made(values={"de": "Zahlen"})
    other = keys.workspace.client("reviewer", languages=["ar"])
    asked = {"revision": 1, "pluralForm": "several"}

    for found, lang, client in (
        ({"id": new_id()}, "de", keys.owner),
        (key, "fr", keys.owner),
        (key, "de", other),
    ):
        refused = keys.act(found, "revert", lang, client, **asked)
        assert refused.error["code"] == "invalid_plural_form"
