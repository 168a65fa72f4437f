"""Which deliveries a change makes, and what they cost."""

import pytest

from locframework.events import SYSTEM
from locframework.webhooks.fan_out import PAYLOAD_LIMIT
from tests.databases import statements_of


def test_a_change_reaches_the_receiver_signed_and_is_in_the_log(hooked):
    webhook, secret = hooked.create()

    key = hooked.key("checkout.pay")
    [received] = hooked.send()

    received.verify(secret)
    assert received.headers["content-type"] == "application/json"
    assert received.payload == {
        "type": "key.created",
        "timestamp": received.payload["timestamp"],
        "data": {
            "projectId": hooked.project["id"],
            "branch": None,
            "actor": received.payload["data"]["actor"],
            "items": [{"keyId": key["id"], "key": "checkout.pay"}],
        },
    }
    [delivery] = hooked.log(webhook)
    [attempt] = delivery["attempts"]
    assert delivery["id"] == received.id
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("succeeded", None)
    assert (attempt["number"], attempt["statusCode"]) == (1, 204)
    assert (attempt["trigger"], attempt["error"]) == ("auto", None)
    assert hooked.get(webhook)["lastDeliveryAt"] == attempt["at"]


def sent(received):
    """The types of the events, and the languages or keys of their items."""
    return sorted(
        (each.payload["type"], [item.get("languageCode", item.get("key")) for item in
                                each.payload["data"]["items"]])
        for each in received
    )  # fmt: skip


def test_each_webhook_gets_the_events_it_subscribes_to(hooked):
    hooked.create(eventTypes=["key.created"])
    hooked.create(eventTypes=["translation.updated"], languageCodes=["de"])
    hooked.create(eventTypes=["branch.created"])
    hooked.create(eventTypes=["key.created"], isActive=False)

    hooked.key("a", values={"en": "x", "de": "y", "fr": "z"})

    assert sent(hooked.send()) == [
        ("key.created", ["a"]),
        ("translation.updated", ["de"]),
    ]


def test_events_of_a_branch_go_to_webhooks_that_name_it(hooked):
    main, _ = hooked.create(eventTypes=["key.created"])
    everywhere, _ = hooked.create(eventTypes=["key.created"], branches=["*"])
    spring, _ = hooked.create(eventTypes=["key.created"], branches=["spring"])
    hooked.owner.post(f"{hooked.path}/branches", json={"name": "spring"})

    hooked.owner.post(f"{hooked.path}/keys?branch=spring", json={"key": "on.branch"})
    hooked.key("on.main")
    received = hooked.send()

    counts = [len(hooked.log(each)) for each in (main, everywhere, spring)]
    assert counts == [1, 2, 1]
    branches = [each.payload["data"]["branch"] for each in received]
    assert sorted(map(str, branches)) == ["None", "None", "spring", "spring"]


def test_webhooks_of_other_projects_get_nothing(hooked):
    hooked.create()
    other = hooked.workspace.project()

    hooked.workspace.key(other, "a")

    assert hooked.send() == []


def test_what_is_not_committed_is_not_sent(hooked):
    hooked.create()
    framework, project = hooked.workspace.framework, hooked.project

    def append():
        framework.events.append(
            "key.created",
            organization_id=project["organizationId"],
            project_id=project["id"],
            actor=SYSTEM,
            items=[{"keyId": "k", "key": "a"}],
        )

    def fail():
        with framework.storage.transaction():
            append()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert hooked.send() == []
    with framework.storage.transaction():
        append()
    assert len(hooked.send()) == 1


def test_a_big_change_is_sent_in_parts_of_at_most_a_hundred_items_and_20_kb(hooked):
    hooked.create(eventTypes=["key.created"])
    names = [f"{'long.' * 60}{number}" for number in range(250)]
    body = {"keys": [{"key": name} for name in names]}

    hooked.owner.post(f"{hooked.path}/keys/bulk", json=body)
    received = hooked.send()

    parts = [each.payload["data"]["items"] for each in received]
    assert sorted(item["key"] for part in parts for item in part) == sorted(names)
    assert all(1 <= len(part) <= 100 for part in parts)
    assert all(len(each.body) < PAYLOAD_LIMIT for each in received)
    assert len({each.id for each in received}) == len(received) > 3


def test_a_change_costs_two_statements_more_if_there_are_webhooks(hooked):
    framework = hooked.workspace.framework
    keys = f"{hooked.path}/keys/bulk"

    def cost(prefix, count):
        body = {"keys": [{"key": f"{prefix}{number}"} for number in range(count)]}
        framework._background.submit(lambda: None).result()
        with statements_of(framework.storage) as statements:
            assert hooked.owner.post(keys, json=body).status == 200
        return len(statements)

    cost("warm", 1)
    without = cost("a", 1), cost("b", 400)
    for _ in range(3):
        hooked.create()
    assert (cost("c", 1), cost("d", 400)) == (without[0] + 2, without[1] + 2)
