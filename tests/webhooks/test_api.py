"""Webhooks over HTTP: registered, changed, renewed, switched off, and their log."""

from base64 import b64decode
from datetime import timedelta

import pytest

from locframework.fields import system_clock, timestamp

UNKNOWN = "0197b2c0-6a70-7a11-9c35-3b1d0e8f4a5b"


def test_creating_answers_every_field_and_the_secret_this_once(hooked):
    webhook, secret = hooked.create(
        description="CI", languageCodes=["DE", "fr", "de"], branches=["spring", "main"]
    )

    assert len(b64decode(secret.removeprefix("whsec_"))) == 32
    assert secret.startswith("whsec_")
    assert webhook == {
        "id": webhook["id"],
        "projectId": hooked.project["id"],
        "url": hooked.receiver.url,
        "description": "CI",
        "eventTypes": ["key.created", "key.deleted", "translation.updated"],
        "languageCodes": ["de", "fr"],
        "branches": ["spring", "main"],
        "isActive": True,
        "disabledReason": None,
        "createdAt": webhook["createdAt"],
        "updatedAt": webhook["createdAt"],
        "lastDeliveryAt": None,
    }
    assert hooked.get(webhook) == webhook
    assert hooked.owner.get(hooked.webhooks).data["items"] == [webhook]
    default, _ = hooked.create()
    assert (default["languageCodes"], default["branches"]) == (None, None)
    assert (default["description"], default["isActive"]) == ("", True)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"url": None}, "validation_failed"),
        ({"url": ""}, "validation_failed"),
        ({"url": "https://x.example/" + "a" * 2000}, "validation_failed"),
        ({"url": "https://x.example/"}, "url_not_allowed"),
        ({"eventTypes": []}, "validation_failed"),
        ({"eventTypes": "key.created"}, "validation_failed"),
        ({"eventTypes": ["key.created", "key.exploded"]}, "unknown_event_type"),
        ({"eventTypes": ["webhook.test"]}, "unknown_event_type"),
        ({"languageCodes": []}, "validation_failed"),
        ({"languageCodes": ["!"]}, "validation_failed"),
        ({"languageCodes": ["nl"]}, "language_not_in_project"),
        ({"branches": []}, "validation_failed"),
        ({"branches": ["no such name"]}, "validation_failed"),
        ({"branches": ["spring\n"]}, "validation_failed"),
        ({"branches": ["spring/*"]}, "validation_failed"),
        ({"branches": ["a//b"]}, "validation_failed"),
        ({"branches": ["x/merge"]}, "validation_failed"),
        ({"branches": ["Main"]}, "validation_failed"),
        ({"description": "x" * 1001}, "validation_failed"),
        ({"isActive": "yes"}, "validation_failed"),
    ],
)
def test_what_cannot_be_is_refused(hooked, fields, code):
    body = {"url": hooked.receiver.url, "eventTypes": ["key.created"], **fields}

    created = hooked.owner.post(hooked.webhooks, json=body)
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}"
    changed = hooked.owner.patch(path, json=fields)

    for answer in (created, changed):
        assert (answer.status, answer.error["code"]) == (400, code)
    assert hooked.get(webhook) == webhook


def test_refusals_name_the_path_and_the_rule(hooked):
    refused = hooked.owner.post(hooked.webhooks, json={"branches": ["a b"]})

    assert [(each["path"], each["rule"]) for each in refused.error["details"]] == [
        ("$.url", "required"),
        ("$.eventTypes", "required"),
        ("$.branches[0]", "pattern"),
    ]


CHANGEABLE = [
    "url",
    "eventTypes",
    "languageCodes",
    "branches",
    "description",
    "isActive",
]


def test_changes_are_stored_and_what_was_read_can_be_written(hooked):
    webhook, _ = hooked.create(languageCodes=["de"], branches=["a/b", "main", "*"])
    path = f"{hooked.webhooks}/{webhook['id']}"
    for body in ({}, {name: webhook[name] for name in CHANGEABLE}):
        assert hooked.owner.patch(path, json=body).data["webhook"] == webhook
    assert hooked.get(webhook) == webhook
    changes = {
        "url": hooked.receiver.url + "/2",
        "eventTypes": ["branch.merged"],
        "languageCodes": None,
        "branches": ["*"],
        "description": "new",
    }

    changed = hooked.owner.patch(path, json=changes).data["webhook"]

    assert changed == {**webhook, **changes, "updatedAt": changed["updatedAt"]}
    assert hooked.get(webhook) == changed


def test_what_was_read_can_be_written_when_a_language_has_left(hooked):
    webhook, _ = hooked.create(languageCodes=["de", "fr"])
    path = f"{hooked.webhooks}/{webhook['id']}"
    hooked.owner.delete(f"{hooked.path}/languages/fr")

    read = {name: webhook[name] for name in CHANGEABLE}
    changed = hooked.owner.patch(path, json={**read, "description": "new"})

    assert changed.data["webhook"]["languageCodes"] == ["de", "fr"]
    hooked.owner.patch(path, json={"languageCodes": ["de"]})
    back = hooked.owner.patch(path, json={"languageCodes": ["de", "fr"]})
    assert (back.status, back.error["code"]) == (400, "language_not_in_project")


def test_a_url_is_checked_where_it_changes(hooked, monkeypatch):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}"
    checked = []
    monkeypatch.setattr(hooked.receiver, "check_url", checked.append)

    hooked.owner.patch(path, json={"url": webhook["url"], "description": "new"})
    hooked.owner.patch(path, json={"url": webhook["url"] + "/2"})

    assert checked == [webhook["url"] + "/2"]


def test_switching_off_ends_pending_deliveries_and_switching_on_sends_none_of_them(
    hooked,
):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}"
    hooked.key("a")

    off = hooked.owner.patch(path, json={"isActive": False}).data["webhook"]
    hooked.key("b")
    on = hooked.owner.patch(path, json={"isActive": True}).data["webhook"]

    assert (off["isActive"], off["disabledReason"]) == (False, "manual")
    assert (on["isActive"], on["disabledReason"]) == (True, None)
    assert hooked.send() == []
    [delivery] = hooked.log(webhook)
    assert (delivery["status"], delivery["attempts"]) == ("failed", [])


def test_a_change_of_what_is_off_leaves_its_replays(hooked):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}"
    hooked.owner.patch(path, json={"isActive": False})
    hooked.owner.post(f"{path}/test")

    hooked.owner.patch(path, json={"description": "new", "isActive": False})

    assert len(hooked.send()) == 1


def test_if_match_protects_a_change(hooked):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}"
    etag = hooked.owner.get(path).headers["ETag"]

    def change(text):
        body = {"description": text, "url": hooked.receiver.url}
        return hooked.owner.patch(path, json=body, headers={"If-Match": etag})

    first, second = change("a"), change("b")

    assert (first.status, second.status) == (200, 412)
    assert hooked.get(webhook)["description"] == "a"


def test_a_deleted_webhook_is_gone_with_its_log(hooked):
    webhook, _ = hooked.create()
    hooked.key("a")
    path = f"{hooked.webhooks}/{webhook['id']}"

    gone = hooked.owner.delete(path)

    assert gone.data == {"id": webhook["id"], "deleted": True}
    for below in ("", "/deliveries"):
        answer = hooked.owner.get(path + below)
        assert (answer.status, answer.error["code"]) == (404, "webhook_not_found")
    assert hooked.send() == []


def test_a_test_is_sent_once_also_to_a_webhook_that_is_switched_off(hooked):
    webhook, secret = hooked.create(isActive=False)
    hooked.receiver.answers = [(500, {}, b"no")]

    accepted = hooked.owner.post(f"{hooked.webhooks}/{webhook['id']}/test")
    [received] = hooked.send()

    assert accepted.status == 202
    where = accepted.headers["Location"].partition("/api/v1")[2]
    delivery = hooked.owner.get(where).data["delivery"]
    assert delivery["id"] == accepted.data["delivery"]["id"] == received.id
    assert delivery["eventType"] == "webhook.test"
    assert delivery["payload"] == received.payload
    assert received.payload["data"]["items"] == [{"webhookId": webhook["id"]}]
    received.verify(secret)
    [attempt] = delivery["attempts"]
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert (attempt["trigger"], attempt["statusCode"]) == ("test", 500)
    assert attempt["responseBody"] == "no"


def test_a_replay_keeps_the_id_and_both_secrets_sign_after_a_rotation(hooked):
    webhook, old_secret = hooked.create()
    hooked.key("a")
    [first] = hooked.send()
    first.verify(old_secret)
    rotated = hooked.owner.post(f"{hooked.webhooks}/{webhook['id']}/rotate-secret")
    assert (rotated.status, rotated.data["webhook"]["id"]) == (200, webhook["id"])

    accepted = hooked.replay(webhook, first.id)
    [second] = hooked.send()

    assert accepted.status == 202
    assert accepted.data["delivery"]["status"] == "pending"
    assert (second.id, second.body) == (first.id, first.body)
    assert len(second.headers["webhook-signature"].split(" ")) == 2
    second.verify(rotated.data["signingSecret"])
    second.verify(old_secret)
    [delivery] = hooked.log(webhook)
    triggers = [each["trigger"] for each in delivery["attempts"]]
    assert triggers == ["auto", "replay"]
    assert delivery["status"] == "succeeded"


def test_many_are_replayed_by_status_and_time(hooked):
    webhook, _ = hooked.create()
    for name in "abc":
        hooked.key(name)
    hooked.send()
    path = f"{hooked.webhooks}/{webhook['id']}/deliveries"
    since = hooked.log(webhook)[1]["createdAt"]

    none = hooked.owner.post(f"{path}/replay")
    later = timestamp(system_clock() + timedelta(hours=1))
    late = hooked.owner.post(
        f"{path}/replay", json={"status": "succeeded", "since": later}
    )
    some = hooked.owner.post(
        f"{path}/replay", json={"status": "succeeded", "since": since}
    )

    assert [each.data["count"] for each in (none, late, some)] == [0, 0, 2]
    names = [each.payload["data"]["items"][0]["key"] for each in hooked.send()]
    assert sorted(names) == ["b", "c"]


@pytest.mark.parametrize(
    "body", [{"status": "pending"}, {"since": "yesterday"}, {"since": 5}]
)
def test_what_cannot_be_replayed_is_refused(hooked, body):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}/deliveries/replay"

    refused = hooked.owner.post(path, json=body)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


def test_the_log_is_paged_and_filtered(hooked):
    webhook, _ = hooked.create()
    for name in "abc":
        hooked.key(name, values={"de": "x"})

    def count(**query):
        return len(hooked.log(webhook, **query))

    assert count() == 6
    assert count(eventType="key.created") == 3
    assert count(eventType="none.such") == 0
    assert count(status="pending") == 6
    assert count(limit=4, page=2) == 2
    hooked.send()
    assert count(status="pending") == 0
    assert count(status="succeeded") == 6
    path = f"{hooked.webhooks}/{webhook['id']}/deliveries"
    assert hooked.owner.get(path, query={"status": "lost"}).status == 400


@pytest.mark.parametrize("id_", [UNKNOWN, "msg_" + "0" * 32, "msg_x", "MSG_"])
def test_a_delivery_that_there_is_not_is_not_found(hooked, id_):
    webhook, _ = hooked.create()
    path = f"{hooked.webhooks}/{webhook['id']}/deliveries/{id_}"

    for answer in (hooked.owner.get(path), hooked.owner.post(f"{path}/replay")):
        assert (answer.status, answer.error["code"]) == (404, "delivery_not_found")


def test_event_types_are_listed_with_group_description_schema_and_example(hooked):
    found = hooked.owner.get("/webhook-event-types").data["eventTypes"]

    for type_ in found:
        assert type_["group"] == type_["type"].split(".")[0]
        assert type_["description"]
        assert type_["schema"]["properties"]["type"] == {"const": type_["type"]}
        assert type_["example"]["type"] == type_["type"]
    types = [type_["type"] for type_ in found]
    assert len(set(types)) == len(types)
    assert "key.created" in types
    assert "webhook.test" not in types
