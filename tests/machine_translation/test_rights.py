"""Who may run machine translation and ask for suggestions, and for which languages."""

import pytest

from .scripted import outcomes, values


def start(client, project, **body):
    body = {"languageCodes": ["de"], **body}
    return client.post(f"/projects/{project['id']}/ai/translate", json=body)


def suggest(client, project, **body):
    body = {"languageCode": "de", **body}
    return client.post(f"/projects/{project['id']}/ai/suggest", json=body)


def key_id(shop, project, name):
    items = shop.owner.get(f"/projects/{project['id']}/keys").data["items"]
    return next(item["id"] for item in items if item["key"] == name)


def test_who_may_run_drafts_texts_without_the_right_to_write_them(shop, project):
    client = shop.client("developer", permissions=["ai_run"])
    value = f"/projects/{project['id']}/keys/{key_id(shop, project, 'a')}/values/de"

    job = shop.job_of(start(client, project), client)

    assert (job["status"], job["result"]["translated"]) == ("succeeded", 4)
    assert {status for _, status in values(shop, project).values()} == {"draft"}
    refused = client.put(value, json={"value": "Sichern {name}"})
    assert (refused.status, refused.error["code"]) == (403, "permission_denied")


@pytest.mark.parametrize("ask", [start, suggest])
def test_all_other_rights_together_do_not_suffice(shop, project, ask):
    every = shop.client("owner").get("/tokens/self").data["token"]
    others = {*every["effectivePermissions"]} - {"ai_run", "ai_suggest"}
    client = shop.client("owner", permissions=sorted(others))

    answer = ask(client, project)

    assert (answer.status, answer.error["code"]) == (403, "permission_denied")
    assert answer.error["details"]["required"] in ("ai_run", "ai_suggest")


def test_who_may_only_ask_for_suggestions_reads_no_key(shop, project):
    client = shop.client("translator", permissions=["ai_suggest"])
    reader = shop.client("translator", permissions=["ai_suggest", "translation_read"])
    id_ = key_id(shop, project, "b")

    text = suggest(client, project, text="Go")
    refused = suggest(client, project, keyId=id_)
    unknown = suggest(client, project, keyId="0" * 36)

    assert text.data["suggestion"]["value"] == "GO"
    for answer in (refused, unknown):
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "translation_read"}
    assert suggest(reader, project, keyId=id_).data["suggestion"]["value"] == "CLOSE"
    assert start(client, project).status == 403


def test_a_run_into_a_language_that_is_not_assigned_is_refused(shop, project, engine):
    client = shop.client("developer", languages=["de"])

    refused = start(client, project, languageCodes=["de", "ru"])
    job = shop.job_of(start(client, project), client)
    suggested = suggest(client, project, languageCode="ru", text="Go")

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "ru"}
    assert job["result"]["translated"] == 4
    assert suggested.status == 200  # nothing is written
    assert values(shop, project, "ru") == {}


def change_developer(shop, **changes):
    """Change the only member with this role."""
    members = f"/organizations/{shop.organization_id}/members"
    found = shop.owner.get(members).data["items"]
    [id_] = [each["id"] for each in found if each["role"] == "developer"]
    assert shop.owner.patch(f"{members}/{id_}", json=changes).status == 200


def test_rights_that_were_lost_before_a_run_begins_end_it_unpaid(shop, project, engine):
    client = shop.client("developer")
    asked = start(client, project)
    change_developer(shop, role="translator")

    job = shop.job_of(asked)

    assert (job["status"], job["error"]["code"]) == ("failed", "permission_denied")
    assert engine.batches == []


def test_a_language_that_was_taken_away_before_a_run_begins_is_not_paid(
    shop, project, engine
):
    client = shop.client("developer")
    asked = start(client, project, languageCodes=["de", "ru"], filter={"prefix": "a"})
    change_developer(shop, assignedLanguages=["ru"])

    job = shop.job_of(asked)

    assert outcomes(shop, project, job) == [
        (None, "de", "failed", "language_not_assigned"),
        ("a", "ru", "translated", None),
    ]
    assert [batch.target_language for batch in engine.batches] == ["ru"]
