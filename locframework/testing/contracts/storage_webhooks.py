"""Contract of the webhook store: webhooks, their deliveries, and the queue."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage
from locframework.webhooks.records import (
    AttemptOutcome,
    ClaimedDelivery,
    Delivery,
    DeliveryAttempt,
    DeliveryFilter,
    NewDelivery,
    QueueDepth,
    SealedSecret,
    StoredWebhook,
    WaitingWebhook,
    Webhook,
    WebhookHealth,
)

from .storage_records import ALL, TEXTS, add_project, at

OWNER = "sender-1"


def webhook(of: Project, minute: int = 0, **changes: Any) -> StoredWebhook:
    """Return a webhook created at ``minute``; ``changes`` of it or its storage."""
    shown = Webhook(
        id=new_id(),
        project_id=of.id,
        url="https://hooks.example.com/l10n",
        description="",
        event_types=("key.created",),
        language_codes=None,
        branches=None,
        is_active=True,
        disabled_reason=None,
        created_at=at(minute),
        updated_at=at(minute),
        last_delivery_at=None,
    )
    stored = StoredWebhook(
        webhook=shown,
        organization_id=of.organization_id,
        secrets=(SealedSecret("k1", "c2VhbGVk", None),),
        health=WebhookHealth(good_at=at(minute)),
    )
    own = {name: changes.pop(name) for name in list(changes) if hasattr(shown, name)}
    return replace(stored, webhook=replace(shown, **own), **changes)


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
    return AttemptOutcome(of, attempt(of), True, "succeeded", None)


def retry(of: ClaimedDelivery, minute: int) -> AttemptOutcome:
    """Return a failed attempt whose next one is at ``minute``."""
    return AttemptOutcome(
        of, attempt(of, status_code=500), False, "pending", at(minute)
    )


def log(storage: Storage, of: StoredWebhook, **where: Any) -> list[Delivery]:
    found = storage.webhooks.list_deliveries(
        of.webhook.id, DeliveryFilter(**where), ALL
    )
    assert found.total == len(found.items)
    return found.items


class StorageWebhooksContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_webhook_with_all_fields_is_found_in_its_project_only(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
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
            health=WebhookHealth(at(1), at(2), at(3), "msg_1", True),
        )

        assert storage.webhooks.find(made.webhook.id, of.id) == made
        assert storage.webhooks.find(made.webhook.id, new_id()) is None
        assert storage.webhooks.find(new_id(), of.id) is None

    def test_update_leaves_creation_and_last_delivery(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.webhooks
        made, other = add_webhook(storage, of), add_webhook(storage, of)
        how = WebhookHealth(at(1), at(2), at(2), "msg_1", True)
        with storage.transaction():
            store.save_health({made.webhook.id: (at(2), how)})
            found = store.find_webhooks([made.webhook.id, new_id()], lock=True)
        new = webhook(of, 5, id=made.webhook.id, url="https://b.example")

        store.update(new)

        shown = replace(made.webhook, last_delivery_at=at(2))
        assert found == {made.webhook.id: replace(made, webhook=shown, health=how)}
        shown = replace(new.webhook, created_at=at(0), last_delivery_at=at(2))
        assert store.find_webhooks([made.webhook.id, other.webhook.id]) == {
            made.webhook.id: replace(new, webhook=shown),
            other.webhook.id: other,
        }

    def test_webhooks_are_listed_newest_first(self, storage: Storage) -> None:
        of = add_project(storage)
        made = [add_webhook(storage, of, minute=minute // 2) for minute in range(5)]
        add_webhook(storage)

        listed = storage.webhooks.list_webhooks(of.id, PageRequest(limit=3))

        shown = [each.webhook for each in made]
        shown.sort(key=lambda each: (each.created_at, each.id), reverse=True)
        assert (listed.items, listed.total) == (shown[:3], 5)

    @pytest.mark.parametrize("deletes", ["webhook", "project"])
    def test_deleted_webhook_is_hidden_and_purged_in_pieces(
        self, storage: Storage, deletes: str
    ) -> None:
        of, store = add_project(storage), storage.webhooks
        gone, kept = add_webhook(storage, of), add_webhook(storage)
        [delivery, *_] = add_deliveries(storage, gone, 5)
        add_deliveries(storage, kept)

        if deletes == "webhook":
            store.delete(gone.webhook.id, at(10))
        else:
            storage.projects.delete(of.id, at(10))

        assert store.find(gone.webhook.id, of.id) is None
        assert store.list_webhooks(of.id, ALL).items == []
        assert store.find_webhooks([gone.webhook.id]) == {}
        assert [each.webhook_id for each in store.waiting(at(20), 4)] == [
            kept.webhook.id
        ]
        assert store.queue_depth().pending == 1
        assert store.sealing_keys() == {"k1"}
        table: Any = f"{deletes}s"
        assert storage.purge(table, at(10), 3) == 0
        assert storage.purge(table, at(11), 3) == 3
        while storage.purge(table, at(11), 100):
            pass
        assert store.find_delivery(gone.webhook.id, delivery.id) is None
        assert len(log(storage, kept)) == 1

    def test_active_webhooks_are_those_of_the_projects(self, storage: Storage) -> None:
        projects = [add_project(storage) for _ in range(3)]
        made = [add_webhook(storage, of).webhook for of in projects]
        add_webhook(storage, projects[0], is_active=False, disabled_reason="manual")
        gone = add_webhook(storage, projects[0])
        storage.webhooks.delete(gone.webhook.id, at(1))

        found = storage.webhooks.active_webhooks([each.id for each in projects[:2]])

        assert found == sorted(made[:2], key=lambda each: each.id)
        assert storage.webhooks.active_webhooks([]) == []

    def test_sealing_keys_are_those_of_current_secrets(self, storage: Storage) -> None:
        old = SealedSecret("k0", "b", at(9))
        add_webhook(storage, secrets=(SealedSecret("k1", "a", None), old))
        for _ in range(2):
            add_webhook(storage, secrets=(SealedSecret("k2", "a", None),))

        assert storage.webhooks.sealing_keys() == {"k1", "k2"}

    def test_new_delivery_is_due_and_found_with_its_payload(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage)
        payload = '{"data":{"é":["ü",null]}}'
        [new] = add_deliveries(storage, of, minute=3, payload=payload)
        with pytest.raises(RuntimeError):  # it needs the transaction of its event
            storage.webhooks.add_deliveries([new])

        found = storage.webhooks.find_delivery(of.webhook.id, new.id)

        expected = Delivery(
            new.id, of.webhook.id, "key.created", "pending", (), at(3), at(3)
        )
        assert found == replace(expected, payload={"data": {"é": ["ü", None]}})
        assert log(storage, of) == [replace(expected, payload=UNSET)]
        assert storage.webhooks.find_delivery(new_id(), new.id) is None

    def test_deliveries_are_filtered_and_listed_newest_first(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage)
        [old] = add_deliveries(storage, of, minute=1)
        [young] = add_deliveries(storage, of, minute=2, event_type="key.deleted")
        add_deliveries(storage, add_webhook(storage))
        [claimed] = claim(storage, of)
        storage.webhooks.finish([succeeded(claimed)], OWNER)

        def ids(**where: Any) -> list[str]:
            return [each.id for each in log(storage, of, **where)]

        assert ids() == [young.id, old.id]
        assert ids(status="succeeded") == [old.id]
        assert ids(event_type="key.deleted") == [young.id]
        assert ids(since=at(2)) == [young.id]
        assert ids(status="failed") == []

    def test_waiting_counts_due_deliveries_up_to_a_limit(
        self, storage: Storage
    ) -> None:
        of, store = add_project(storage), storage.webhooks
        well, ill, idle = (add_webhook(storage, of) for _ in range(3))
        add_deliveries(storage, well, 6, minute=10)
        add_deliveries(storage, ill, 1, minute=10)
        add_deliveries(storage, idle, 1, minute=40)
        failing = WebhookHealth(at(1), at(2), at(2), "msg_1")
        store.save_health({ill.webhook.id: (at(2), failing)})

        found = {each.webhook_id: each for each in store.waiting(at(20), 4)}

        assert found == {
            well.webhook.id: WaitingWebhook(well.webhook.id, 4, False),
            ill.webhook.id: WaitingWebhook(ill.webhook.id, 1, True),
        }
        assert storage.find_due([], at(20)) == (False, True)
        assert store.waiting(at(5), 4) == []
        assert storage.find_due([], at(5)) == (False, False)

    def test_claim_takes_what_has_been_due_longest(self, storage: Storage) -> None:
        of = add_webhook(storage)
        [late] = add_deliveries(storage, of, minute=15)
        [old] = add_deliveries(storage, of, minute=5, payload='{"é":1}')
        add_deliveries(storage, of, minute=30)

        [first], rest = claim(storage, of), claim(storage, of, 5)

        assert first == ClaimedDelivery(
            id=old.id,
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
        assert [each.id for each in rest] == [late.id]
        assert storage.webhooks.waiting(at(20), 4) == []

    def test_claim_after_the_lease_is_the_next_attempt_and_alone_decides(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage), storage.webhooks
        add_deliveries(storage, of)
        [late] = claim(storage, of)

        assert claim(storage, of, now=24, until=29) == []
        [current] = claim(storage, of, owner="sender-2", now=25, until=30)
        store.finish([retry(current, 40)], "sender-2")
        store.finish([succeeded(late)], OWNER)

        assert current == replace(late, number=2, tries=2)
        [found] = log(storage, of)
        assert (found.status, found.next_attempt_at) == ("pending", at(40))
        codes = [(each.number, each.status_code) for each in found.attempts]
        assert codes == [(1, 204), (2, 500)]
        assert storage.lease_owners() == set()

    def test_attempt_is_logged_from_its_beginning(self, storage: Storage) -> None:
        of = add_webhook(storage)
        add_deliveries(storage, of)
        [claimed] = claim(storage, of)

        [begun] = log(storage, of)[0].attempts
        done = attempt(
            claimed, status_code=None, error="timeout", response_body=TEXTS["scripts"]
        )
        outcome = AttemptOutcome(claimed, done, False, "failed", None)
        storage.webhooks.finish([outcome], OWNER)

        assert begun == DeliveryAttempt(1, at(20), "auto", None, None, None, None)
        [found] = log(storage, of)
        assert found.attempts == (done,)
        assert (found.status, found.next_attempt_at) == ("failed", None)

    def test_replay_is_one_more_attempt_beside_the_plan(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        [new] = add_deliveries(storage, of)
        [first] = claim(storage, of)
        assert store.replay_deliveries([new.id], at(21)) == 0  # it is being sent
        store.finish([retry(first, 50)], OWNER)

        for minute in (30, 31):
            assert store.replay_deliveries([new.id], at(minute)) == 1
        [replayed] = claim(storage, of, now=31, until=35)

        assert (replayed.number, replayed.tries) == (2, 1)
        assert (replayed.trigger, replayed.planned_at) == ("replay", at(50))
        store.finish([retry(replayed, 50)], OWNER)
        [planned] = claim(storage, of, now=50, until=55)
        assert (planned.trigger, planned.tries, planned.number) == ("auto", 2, 3)
        assert planned.planned_at is None

    def test_ended_deliveries_are_found_by_status_and_age(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage), storage.webhooks
        add_deliveries(storage, of, 3, minute=1)
        [young] = add_deliveries(storage, of, minute=9)
        good, *bad = claim(storage, of, 3)
        store.finish([succeeded(good)], OWNER)
        store.give_up([*bad, *claim(storage, of)])

        def ended(**where: Any) -> list[str]:
            return store.ended_deliveries(of.webhook.id, DeliveryFilter(**where))

        assert len(ended()) == 4
        assert len(ended(status="failed")) == 3
        assert ended(status="failed", since=at(9)) == ended()[3:] == [young.id]
        store.replay_deliveries([young.id], at(30))
        assert ended(status="failed", since=at(9)) == []

    @pytest.mark.parametrize("end", ["finish", "give_up", "end_deliveries"])
    def test_succeeded_delivery_stays_so_when_its_replay_fails(
        self, storage: Storage, end: str
    ) -> None:
        of, store = add_webhook(storage), storage.webhooks
        [new] = add_deliveries(storage, of)
        store.finish([succeeded(each) for each in claim(storage, of)], OWNER)
        store.replay_deliveries([new.id], at(20))

        if end == "end_deliveries":
            store.end_deliveries(of.webhook.id)
        else:
            [again] = claim(storage, of)
            if end == "give_up":
                store.give_up([again])
            else:
                failed = replace(retry(again, 0), status="failed", next_at=None)
                store.finish([failed], OWNER)

        [found] = log(storage, of)
        assert (found.status, found.next_attempt_at) == ("succeeded", None)

    def test_claim_of_a_test_counts_attempts_lost_before(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage)
        add_deliveries(storage, of, trigger="test")
        [first] = claim(storage, of)

        lost = [claim(storage, of, now=30, until=30)[0].lost for _ in range(7)]

        assert (first.lost, lost) == (0, [1, 2, 3, 4, 5, 6, 6])

    def test_ending_deliveries_leaves_those_being_sent(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        add_deliveries(storage, of, 3)
        [held] = claim(storage, of)

        store.end_deliveries(of.webhook.id)

        assert store.waiting(at(20), 4) == []
        statuses = {each.id: each.status for each in log(storage, of)}
        assert sorted(statuses.values()) == ["failed", "failed", "pending"]
        assert statuses[held.id] == "pending"
        store.finish([succeeded(held)], OWNER)
        assert {each.status for each in log(storage, of)} == {"failed", "succeeded"}

    def test_released_leases_can_be_claimed_at_once(self, storage: Storage) -> None:
        of = add_webhook(storage)
        add_deliveries(storage, of, 2)
        claim(storage, of)
        [kept] = claim(storage, of, owner="sender-2")

        storage.release_leases(OWNER, at(21))
        [again] = claim(storage, of, 9, now=21)

        assert again.id != kept.id
        assert again.number == 2
        assert storage.lease_owners() == {OWNER, "sender-2"}

    def test_queue_depth_counts_pending_deliveries(self, storage: Storage) -> None:
        of, store = add_webhook(storage), storage.webhooks
        assert store.queue_depth() == QueueDepth(0, None)
        add_deliveries(storage, of, 2, minute=4)
        add_deliveries(storage, of, 1, minute=2)
        [claimed] = claim(storage, of)
        store.finish([succeeded(claimed)], OWNER)

        assert store.queue_depth() == QueueDepth(2, at(4))

    def test_ended_deliveries_are_purged_by_age(self, storage: Storage) -> None:
        of = add_webhook(storage)
        add_deliveries(storage, of, 3, minute=1)
        claimed = claim(storage, of, 2)
        storage.webhooks.finish([succeeded(each) for each in claimed], OWNER)
        add_deliveries(storage, of, 1, minute=9)

        purged = [storage.purge("deliveries", at(5), rows) for rows in (1, 9, 9)]

        assert purged == [1, 1, 0]
        assert len(log(storage, of)) == 2

    def test_concurrent_claims_never_share_a_delivery(self, storage: Storage) -> None:
        of, count, together = add_webhook(storage), 40, Barrier(4)
        add_deliveries(storage, of, count)

        def work(number: int) -> list[str]:
            together.wait()
            mine: list[str] = []
            while found := claim(storage, of, 3, owner=f"sender-{number}"):
                mine += [each.id for each in found]
            return mine

        with ThreadPoolExecutor(4) as pool:
            claimed = [id_ for share in pool.map(work, range(4)) for id_ in share]

        assert len(claimed) == len(set(claimed)) == count
