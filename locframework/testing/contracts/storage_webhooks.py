"""Contract of the webhook store: webhooks, their deliveries, and the queue."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.jobs.records import QueueDepth
from locframework.projects.records import Project
from locframework.storage import Need, Storage
from locframework.webhooks.records import (
    AttemptOutcome,
    ClaimedDelivery,
    Delivery,
    DeliveryAttempt,
    DeliveryFilter,
    NewDelivery,
    SealedSecret,
    StoredWebhook,
    WaitingWebhook,
    Webhook,
    WebhookHealth,
)

from .storage_records import ALL, TEXTS, add_project, at, sample

OWNER = "sender-1"
FIELDS = Webhook.__struct_fields__


def webhook(of: Project, minute: int = 0, **changes: Any) -> StoredWebhook:
    """Return a webhook created at ``minute``; ``changes`` of it or its storage."""
    own = {name: changes.pop(name) for name in [*changes] if name in FIELDS}
    fields = {"project_id": of.id, "url": "https://hooks.example.com/l10n"}
    more = {"event_types": ("key.created",), "is_active": True}
    times = {"created_at": at(minute), "updated_at": at(minute)}
    stored = StoredWebhook(
        webhook=sample(Webhook, fields | more | times, own),
        organization_id=of.organization_id,
        secrets=(SealedSecret("k1", "c2VhbGVk", None),),
        health=WebhookHealth(good_at=at(minute)),
    )
    return replace(stored, **changes)


def add_webhook(
    storage: Storage, of: Project | None = None, **changes: Any
) -> StoredWebhook:
    made = webhook(of or add_project(storage), **changes)
    storage.webhooks.insert(made)
    return made


def add_deliveries(
    storage: Storage, of: StoredWebhook, count: int = 1, minute: int = 0, **changes: Any
) -> list[NewDelivery]:
    """Insert deliveries that are due from ``minute`` on."""
    made = [
        replace(
            NewDelivery(
                id="msg_" + new_id().replace("-", ""),
                webhook_id=of.webhook.id,
                project_id=of.webhook.project_id,
                event_type="key.created",
                payload='{"type":"key.created"}',
                created_at=at(minute),
            ),
            **changes,
        )
        for _ in range(count)
    ]
    with storage.transaction():
        storage.webhooks.add_deliveries(made)
    return made


def claim(
    storage: Storage,
    of: StoredWebhook,
    count: int = 1,
    *,
    owner: str = OWNER,
    now: int = 20,
    until: int = 25,
) -> list[ClaimedDelivery]:
    with storage.transaction():
        shares = {of.webhook.id: count}
        found = storage.webhooks.claim(shares, owner, at(now), at(until))
        storage.webhooks.begin_attempts(found, at(now))
    return found


def attempt(of: ClaimedDelivery, **changes: Any) -> DeliveryAttempt:
    made = DeliveryAttempt(of.number, at(20), of.trigger, 204, None, 12, "")
    return replace(made, **changes)


def succeeded(of: ClaimedDelivery) -> AttemptOutcome:
    return AttemptOutcome(of, attempt(of), "succeeded", None)


def retry(of: ClaimedDelivery, minute: int) -> AttemptOutcome:
    """Return a failed attempt whose next one is at ``minute``."""
    return AttemptOutcome(of, attempt(of, status_code=500), "pending", at(minute))


def finish(
    storage: Storage,
    *outcomes: AttemptOutcome,
    owner: str = OWNER,
    health: Mapping[str, tuple[str, WebhookHealth]] | None = None,
) -> None:
    storage.webhooks.finish(outcomes, owner, health or {})


def give_up(storage: Storage, claimed: Sequence[ClaimedDelivery]) -> None:
    with storage.transaction():
        storage.webhooks.begin_attempts([], at(21), claimed)


def log(storage: Storage, of: StoredWebhook, **where: Any) -> list[Delivery]:
    found = storage.webhooks.list_deliveries(
        of.webhook.id, DeliveryFilter(**where), ALL
    )
    assert found.total == len(found.items)
    return found.items


class StorageWebhooksContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_webhook_has_all_fields_and_health_apart(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.webhooks
        health = WebhookHealth(at(1), at(2), at(3), "msg_1", True)
        made = add_webhook(
            storage,
            of,
            description=TEXTS["scripts"],
            event_types=("key.created", "plugin.a.b"),
            language_codes=("de", "pt-BR"),
            branches=("*",),
            is_active=False,
            disabled_reason="failing",
            last_delivery_at=at(3),
            secrets=(SealedSecret("k2", "bg==", None), SealedSecret("k1", "b", at(9))),
            health=health,
        )
        other, id_ = add_webhook(storage, of), made.webhook.id
        assert store.find(id_, of.id) == made
        later = replace(health, good_at=at(5))

        with storage.transaction():
            finish(storage, health={id_: (at(4), later)})
            found = store.find_webhooks([id_, new_id()], lock=True)
        store.update(webhook(of, 5, id=id_, health=later))

        shown = replace(made.webhook, last_delivery_at=at(4))
        assert found == {id_: replace(made, webhook=shown, health=later)}
        new = webhook(of, id=id_, last_delivery_at=at(4), updated_at=at(5))
        assert store.find_webhooks([id_, other.webhook.id]) == {
            id_: replace(new, health=later),
            other.webhook.id: other,
        }

    @pytest.mark.parametrize("deletes", ["webhook", "project"])
    def test_deleted_webhook_is_unlisted(self, storage: Storage, deletes: str) -> None:
        of, store = add_project(storage), storage.webhooks
        gone, kept = add_webhook(storage, of), add_webhook(storage)
        secrets = (SealedSecret("k9", "a", None), SealedSecret("k0", "b", at(9)))
        idle = add_webhook(storage, is_active=False, secrets=secrets)
        for each in (gone, kept):
            add_deliveries(storage, each, 2)
        ids = [each.webhook.project_id for each in (gone, kept, idle)]
        assert store.active_webhooks(ids) == sorted(
            (gone.webhook, kept.webhook), key=lambda each: each.id
        )

        if deletes == "webhook":
            store.delete(gone.webhook.id, at(10))
        else:
            storage.projects.delete(of.id, at(10))

        if deletes == "webhook":
            assert store.active_webhooks(ids) == [kept.webhook]
        assert store.active_webhooks(ids[2:]) == store.active_webhooks([]) == []
        assert store.list_webhooks(of.id, ALL).items == []
        assert store.find_webhooks([gone.webhook.id]) == {}
        [waiting] = store.waiting(at(20), 4)
        assert waiting.webhook_id == kept.webhook.id
        assert storage.queues(at(20)).deliveries.pending == 2
        assert storage.needs() == [Need("webhook", "k1"), Need("webhook", "k9")]

    def test_deliveries_are_filtered_newest_first(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        payload = '{"data":{"é":["ü",null]}}'
        [old] = add_deliveries(storage, of, minute=1, payload=payload)
        new = Delivery(
            old.id, of.webhook.id, "key.created", "pending", (), at(1), at(1)
        )
        assert log(storage, of) == [replace(new, payload=UNSET)]
        whole = replace(new, payload={"data": {"é": ["ü", None]}})
        assert store.find_delivery(of.webhook.id, old.id) == whole
        assert store.find_delivery(new_id(), old.id) is None
        [young] = add_deliveries(storage, of, minute=2, event_type="key.deleted")
        add_deliveries(storage, add_webhook(storage))
        finish(storage, *map(succeeded, claim(storage, of)))

        def ids(**where: Any) -> list[str]:
            return [each.id for each in log(storage, of, **where)]

        assert ids() == [young.id, old.id]
        assert ids(status="succeeded") == [old.id]
        assert ids(event_type="key.deleted") == ids(since=at(2)) == [young.id]
        assert ids(status="failed") == []

    def test_waiting_counts_deliveries_up_to_a_limit(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.webhooks
        assert storage.queues(at(20)).deliveries == QueueDepth(0, None)
        well, ill, idle = (add_webhook(storage, of) for _ in range(3))
        add_deliveries(storage, well, 6, minute=10)
        add_deliveries(storage, ill, 1, minute=11)
        add_deliveries(storage, idle, 1, minute=40)
        failing = WebhookHealth(at(1), at(2), at(2), "msg_1")
        finish(storage, health={ill.webhook.id: (at(2), failing)})

        found = {each.webhook_id: each for each in store.waiting(at(20), 4)}

        assert found == {
            well.webhook.id: WaitingWebhook(well.webhook.id, 4, False),
            ill.webhook.id: WaitingWebhook(ill.webhook.id, 1, True),
        }
        assert store.waiting(at(5), 4) == []
        assert claim(storage, idle) == []
        claimed = claim(storage, well, 6)
        assert [each.webhook_id for each in store.waiting(at(20), 4)] == [
            ill.webhook.id
        ]
        finish(storage, *map(succeeded, claimed))
        assert storage.queues(at(20)).deliveries == QueueDepth(2, at(11))

    def test_attempts_are_logged_from_their_beginning(self, storage: Storage) -> None:
        of = add_webhook(storage)
        [new] = add_deliveries(storage, of, minute=5, payload='{"é":1}')
        [late] = claim(storage, of)
        assert late == ClaimedDelivery(
            id=new.id,
            webhook_id=of.webhook.id,
            project_id=of.webhook.project_id,
            event_type="key.created",
            payload='{"é":1}',
            created_at=at(5),
            number=1,
            trigger="auto",
            tries=1,
            planned_at=None,
        )
        begun = DeliveryAttempt(1, at(20), "auto", None, None, None, None)
        assert log(storage, of)[0].attempts == (begun,)

        [current] = claim(storage, of, owner="sender-2", now=25, until=30)
        assert current == replace(late, number=2, tries=2)
        finish(storage, retry(current, 40), owner="sender-2")
        lost = AttemptOutcome(late, attempt(late, status_code=404), "failed", None)
        finish(storage, lost)  # which decides nothing any more

        [found] = log(storage, of)
        assert (found.status, found.next_attempt_at) == ("pending", at(40))
        codes = [(each.number, each.status_code) for each in found.attempts]
        assert codes == [(1, 404), (2, 500)]
        [last] = claim(storage, of, now=40, until=45)
        done = attempt(
            last, status_code=None, error="timeout", response_body=TEXTS["scripts"]
        )
        finish(storage, AttemptOutcome(last, done, "failed", None))
        [found] = log(storage, of)
        assert (found.attempts[2], found.status) == (done, "failed")
        assert found.next_attempt_at is None

    def test_replay_is_one_more_attempt_beside_the_plan(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        [new] = add_deliveries(storage, of)
        [first] = claim(storage, of)
        assert store.replay_deliveries([new.id], at(21)) == 0  # it is being sent
        finish(storage, retry(first, 50))

        for minute in (30, 31):
            assert store.replay_deliveries([new.id], at(minute)) == 1
        [replayed] = claim(storage, of, now=31, until=35)

        assert (replayed.number, replayed.tries) == (2, 1)
        assert (replayed.trigger, replayed.planned_at) == ("replay", at(50))
        finish(storage, retry(replayed, 50))
        [planned] = claim(storage, of, now=50, until=55)
        assert (planned.trigger, planned.tries, planned.number) == ("auto", 2, 3)
        assert planned.planned_at is None

    @pytest.mark.parametrize("end", ["finish", "give_up", "end_deliveries"])
    def test_succeeded_delivery_stays_so_when_its_replay_fails(
        self, storage: Storage, end: str
    ) -> None:
        of, store = add_webhook(storage), storage.webhooks
        [new] = add_deliveries(storage, of)
        finish(storage, *map(succeeded, claim(storage, of)))
        store.replay_deliveries([new.id], at(20))

        if end == "end_deliveries":
            store.end_deliveries(of.webhook.id)
        else:
            [again] = claim(storage, of)
            if end == "give_up":
                give_up(storage, [again])
            else:
                failed = replace(retry(again, 0), status="failed", next_at=None)
                finish(storage, failed)

        [found] = log(storage, of)
        assert (found.status, found.next_attempt_at) == ("succeeded", None)

    def test_claim_of_a_test_counts_lost_attempts(self, storage: Storage) -> None:
        of = add_webhook(storage)
        add_deliveries(storage, of, trigger="test")
        [first] = claim(storage, of)

        lost = [claim(storage, of, now=30, until=30)[0].lost for _ in range(7)]

        assert (first.lost, lost) == (0, [1, 2, 3, 4, 5, 6, 6])

    def test_ended_deliveries_are_found_by_status(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        [good] = add_deliveries(storage, of, minute=1)
        finish(storage, *map(succeeded, claim(storage, of)))
        [bad] = add_deliveries(storage, of, minute=2)
        give_up(storage, claim(storage, of))
        [held, young] = add_deliveries(storage, of, 2, minute=9)
        [claimed] = claim(storage, of)
        if claimed.id == young.id:
            held, young = young, held

        store.end_deliveries(of.webhook.id)  # but not what is being sent

        def ended(**where: Any) -> list[str]:
            return store.ended_deliveries(of.webhook.id, DeliveryFilter(**where))

        assert ended() == [good.id, bad.id, young.id]
        assert ended(status="failed") == [bad.id, young.id]
        assert ended(status="failed", since=at(9)) == [young.id]
        assert store.waiting(at(20), 4) == []
        finish(storage, succeeded(claimed))
        assert {*ended(status="succeeded")} == {good.id, held.id}
        store.replay_deliveries([young.id], at(30))
        assert ended(status="failed", since=at(9)) == []
