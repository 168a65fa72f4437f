"""The contract of Storage, part SW from 9 on: deliveries, and who sends them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.storage import Storage
from locframework.webhooks.records import (
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    DeliveryFilter,
    QueueDepth,
    WaitingWebhook,
    WebhookHealth,
    WebhookTarget,
)

from .storage_records import TEXTS, add_project, at
from .storage_webhook_records import (
    OWNER,
    add_deliveries,
    add_webhook,
    attempt,
    claim,
    log,
    put_off,
    succeeded,
)


class StorageDeliveriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sw9_waiting_tells_who_has_deliveries_due(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.webhooks
        well, ill, idle = (add_webhook(storage, of) for _ in range(3))
        add_deliveries(storage, well, 6, minute=10)
        add_deliveries(storage, ill, 1, minute=10)
        add_deliveries(storage, idle, 1, minute=40)
        with storage.transaction():
            failing = WebhookHealth(at(1), at(2), at(2), "msg_1")
            store.save_health({ill.webhook.id: (at(2), failing)})

        found = store.waiting(at(20), 4)

        assert sorted(found, key=lambda each: each.webhook_id) == sorted(
            [
                WaitingWebhook(well.webhook.id, 4, False),
                WaitingWebhook(ill.webhook.id, 1, True),
            ],
            key=lambda each: each.webhook_id,
        )
        assert store.waiting(at(5), 4) == []

    def test_sw10_a_claim_takes_what_is_due_the_longest(self, storage: Storage) -> None:
        of = add_webhook(storage, add_project(storage))
        [late] = add_deliveries(storage, of, minute=15)
        [old] = add_deliveries(storage, of, minute=5, payload='{"é":1}')
        add_deliveries(storage, of, minute=30)

        [first] = claim(storage, of)
        rest = claim(storage, of, 5)

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
        assert storage.webhooks.owners() == [OWNER]

    def test_sw11_a_delivery_whose_lease_ran_out_is_claimed_again(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
        add_deliveries(storage, of)
        [first] = claim(storage, of)

        assert claim(storage, of, now=24, until=29) == []
        [again] = claim(storage, of, owner="sender-2", now=25, until=30)

        assert again == replace(first, number=2, tries=2)

    def test_sw12_only_the_current_attempt_decides_and_both_are_logged(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
        add_deliveries(storage, of)
        [late] = claim(storage, of)
        [current] = claim(storage, of, owner="sender-2", now=26, until=31)
        store = storage.webhooks

        store.finish([put_off(current, 40)], "sender-2")
        store.finish([succeeded(late)], OWNER)

        [found] = log(storage, of)
        assert (found.status, found.next_attempt_at) == ("pending", at(40))
        told = [(each.number, each.status_code) for each in found.attempts]
        assert told == [(1, 204), (2, 500)]
        assert store.owners() == []

    def test_sw13_an_attempt_is_in_the_log_from_its_beginning(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
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

    def test_sw14_a_replay_is_one_more_attempt_beside_the_plan(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        [new] = add_deliveries(storage, of)
        [first] = claim(storage, of)
        store.replay_delivery(new.id, at(21))  # it is being sent
        store.finish([put_off(first, 50)], OWNER)

        store.replay_delivery(new.id, at(30))
        store.replay_delivery(new.id, at(31))
        [replayed] = claim(storage, of, now=31, until=35)

        assert (replayed.number, replayed.tries) == (2, 1)
        assert (replayed.trigger, replayed.planned_at) == ("replay", at(50))
        store.finish([put_off(replayed, 50)], OWNER)
        [planned] = claim(storage, of, now=50, until=55)
        assert (planned.trigger, planned.tries, planned.number) == ("auto", 2, 3)
        assert planned.planned_at is None

    def test_sw15_what_has_ended_is_replayed_by_status_and_age(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        add_deliveries(storage, of, 3, minute=1)
        [young] = add_deliveries(storage, of, minute=9)
        claimed = claim(storage, of, 3)
        store.finish([succeeded(each) for each in claimed[:1]], OWNER)
        for each in claimed[1:]:
            store.give_up([each])
        [last] = claim(storage, of)
        store.give_up([last])

        ended = store.ended_deliveries
        old_and_young = ended(of.webhook.id, DeliveryFilter("failed"))
        found = ended(of.webhook.id, DeliveryFilter("failed", since=at(9)))

        assert len(old_and_young) == 3
        assert old_and_young[2:] == found == [young.id]
        assert store.replay_deliveries(found, at(30)) == 1
        assert store.replay_deliveries(found, at(31)) == 0
        assert ended(of.webhook.id, DeliveryFilter("failed", since=at(9))) == []
        [again] = claim(storage, of, 9, now=30, until=35)
        assert (again.id, again.trigger, again.planned_at) == (young.id, "replay", None)
        assert len(ended(of.webhook.id, DeliveryFilter())) == 3
        assert ended(new_id(), DeliveryFilter()) == []

    def test_sw23_what_succeeded_once_stays_so_when_a_replay_fails(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        [new] = add_deliveries(storage, of)
        store.finish([succeeded(each) for each in claim(storage, of)], OWNER)

        def status_after_replay(end: Callable[[ClaimedDelivery], None]) -> str:
            store.replay_delivery(new.id, at(30))
            [again] = claim(storage, of, now=30, until=35)
            end(again)
            [found] = log(storage, of)
            assert found.next_attempt_at is None
            return found.status

        def fail(claimed: ClaimedDelivery) -> None:
            done = replace(put_off(claimed, 0), status="failed", next_at=None)
            store.finish([done], OWNER)

        assert status_after_replay(fail) == "succeeded"
        assert status_after_replay(lambda each: store.give_up([each])) == "succeeded"
        store.replay_delivery(new.id, at(40))
        store.end_deliveries(of.webhook.id)
        assert log(storage, of)[0].status == "succeeded"

    def test_sw24_a_test_or_replay_tells_how_many_attempts_were_lost_before_it(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
        add_deliveries(storage, of, trigger="test")
        [first] = claim(storage, of)

        lost = [claim(storage, of, now=30, until=30)[0].lost for _ in range(7)]

        assert (first.lost, lost) == (0, [1, 2, 3, 4, 5, 6, 6])

    def test_sw16_ending_deliveries_leaves_those_that_are_being_sent(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        add_deliveries(storage, of, 3)
        [held] = claim(storage, of)

        store.end_deliveries(of.webhook.id)

        assert store.waiting(at(20), 4) == []
        statuses = {each.id: each.status for each in log(storage, of)}
        assert sorted(statuses.values()) == ["failed", "failed", "pending"]
        assert statuses[held.id] == "pending"
        store.finish([succeeded(held)], OWNER)
        assert {each.status for each in log(storage, of)} == {"failed", "succeeded"}

    def test_sw17_what_an_owner_held_is_due_at_once_when_released(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        add_deliveries(storage, of, 2)
        claim(storage, of)
        [kept] = claim(storage, of, owner="sender-2")

        assert store.release(OWNER, at(21)) == 1
        [again] = claim(storage, of, 9, now=21)

        assert again.id != kept.id
        assert again.number == 2
        assert sorted(store.owners()) == [OWNER, "sender-2"]

    def test_sw18_health_is_kept_and_told_with_the_webhook(
        self, storage: Storage
    ) -> None:
        of, store = add_project(storage), storage.webhooks
        made, other = add_webhook(storage, of), add_webhook(storage, of)
        how = WebhookHealth(at(1), at(2), at(3), "msg_1", True)

        with storage.transaction():
            before = store.health_of([made.webhook.id, new_id()])
            store.save_health({made.webhook.id: (at(3), how)})
        with storage.transaction():
            after = store.health_of([made.webhook.id, other.webhook.id])

        assert before == {made.webhook.id: made}
        shown = replace(made.webhook, last_delivery_at=at(3))
        assert after == {
            made.webhook.id: replace(made, webhook=shown, health=how),
            other.webhook.id: other,
        }
        assert store.targets_of([made.webhook.id]) == [
            WebhookTarget(made.webhook.id, made.webhook.url, True, made.secrets)
        ]

    def test_sw19_the_queue_tells_how_much_waits_and_for_how_long(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        assert store.queue_depth() == QueueDepth(0, None)
        add_deliveries(storage, of, 2, minute=4)
        add_deliveries(storage, of, 1, minute=2)
        [claimed] = claim(storage, of)
        store.finish([succeeded(claimed)], OWNER)

        assert store.queue_depth() == QueueDepth(2, at(4))

    def test_sw20_old_deliveries_are_dropped_once_they_have_ended(
        self, storage: Storage
    ) -> None:
        of, store = add_webhook(storage, add_project(storage)), storage.webhooks
        add_deliveries(storage, of, 3, minute=1)
        claimed = claim(storage, of, 2)
        store.finish([succeeded(each) for each in claimed], OWNER)
        add_deliveries(storage, of, 1, minute=9)

        assert storage.purge("deliveries", at(5), 1) == 1
        assert storage.purge("deliveries", at(5), 9) == 1
        assert storage.purge("deliveries", at(5), 9) == 0
        assert len(log(storage, of)) == 2

    def test_sw21_many_claimers_never_share_a_delivery(self, storage: Storage) -> None:
        of, count = add_webhook(storage, add_project(storage)), 40
        add_deliveries(storage, of, count)
        together = Barrier(4)

        def work(number: int) -> list[str]:
            together.wait()
            mine: list[str] = []
            while found := claim(storage, of, 3, owner=f"sender-{number}"):
                mine += [each.id for each in found]
            return mine

        with ThreadPoolExecutor(4) as pool:
            shares = list(pool.map(work, range(4)))

        claimed = [id_ for share in shares for id_ in share]
        assert len(claimed) == count
        assert len(set(claimed)) == count

    def test_sw22_what_belongs_to_a_deleted_project_is_not_sent(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        made = add_webhook(storage, of)
        [new] = add_deliveries(storage, made)

        storage.projects.delete(of.id, at(10))

        assert storage.webhooks.waiting(at(20), 4) == []
        assert storage.webhooks.find(made.webhook.id, of.id) is None
        assert storage.webhooks.sealing_keys() == set()
        assert storage.webhooks.queue_depth() == QueueDepth(0, None)
        with storage.transaction():
            storage.purge("projects", at(11), 100)
        assert storage.webhooks.find_delivery(made.webhook.id, new.id) is None

    def test_sw23_what_is_due_too_late_is_brought_forward(
        self, storage: Storage
    ) -> None:
        of, other = (add_webhook(storage, add_project(storage)) for _ in range(2))
        add_deliveries(storage, of, minute=15)
        [late] = add_deliveries(storage, of, minute=45)
        [later] = add_deliveries(storage, other, minute=50)
        [held] = claim(storage, of, now=15)

        with storage.transaction():
            assert storage.webhooks.bring_forward(at(40), at(20)) == 2

        assert [each.id for each in claim(storage, of, 9)] == [late.id]
        assert [each.id for each in claim(storage, other, 9)] == [later.id]
        assert held.id not in (late.id, later.id)
        assert storage.webhooks.bring_forward(at(40), at(20)) == 0
