"""The contract of Storage, part SW: webhooks, their deliveries, and who sends them."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.paging import PageRequest
from locframework.storage import Storage
from locframework.webhooks.records import (
    Delivery,
    DeliveryFilter,
    SealedSecret,
    WebhookHealth,
)

from .storage_records import ALL, TEXTS, add_project, at
from .storage_webhook_records import (
    OWNER,
    add_deliveries,
    add_webhook,
    claim,
    log,
    succeeded,
    webhook,
)


class StorageWebhooksContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sw1_a_webhook_comes_back_as_it_was(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.webhooks
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

        assert store.find(made.webhook.id, of.id) == made
        assert store.find(made.webhook.id, new_id()) is None
        assert store.find(new_id(), of.id) is None

    def test_sw2_a_webhook_is_saved_but_for_its_last_delivery(
        self, storage: Storage
    ) -> None:
        of, store = add_project(storage), storage.webhooks
        made = add_webhook(storage, of)
        other = add_webhook(storage, of)
        told = WebhookHealth(at(1), at(2), at(2), "msg_1")
        with storage.transaction():
            store.save_health({made.webhook.id: (at(2), told)})
        new = webhook(
            of, 5, id=made.webhook.id, url="https://b.example", branches=("x",)
        )

        store.update(new)

        kept = replace(
            new.webhook, created_at=made.webhook.created_at, last_delivery_at=at(2)
        )
        found = store.find(made.webhook.id, of.id)
        assert found == replace(new, webhook=kept)
        assert store.find(other.webhook.id, of.id) == other

    def test_sw3_webhooks_are_listed_newest_first(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        made = [add_webhook(storage, of, minute=minute // 2) for minute in range(5)]
        add_webhook(storage, other)

        listed = storage.webhooks.list_webhooks(of.id, PageRequest(limit=3))

        ordered = sorted(made, key=lambda w: (w.webhook.created_at, w.webhook.id))
        assert listed.items == [each.webhook for each in reversed(ordered)][:3]
        assert listed.total == 5

    def test_sw4_a_deleted_webhook_is_gone_with_its_secrets(
        self, storage: Storage
    ) -> None:
        of, store = add_project(storage), storage.webhooks
        gone, stays = add_webhook(storage, of), add_webhook(storage, of)
        add_deliveries(storage, gone, 5)
        add_deliveries(storage, stays)

        store.delete(gone.webhook.id, at(10))

        assert store.find(gone.webhook.id, of.id) is None
        assert store.list_webhooks(of.id, ALL).items == [stays.webhook]
        assert store.active_webhooks([of.id]) == [stays.webhook]
        assert store.targets_of([gone.webhook.id]) == []
        waiting = store.waiting(at(20), 4)
        assert [each.webhook_id for each in waiting] == [stays.webhook.id]
        assert store.queue_depth().pending == 1
        assert storage.purge("webhooks", at(20), 3) == 3
        assert storage.purge("webhooks", at(20), 100) == 3  # two deliveries, and itself
        assert storage.purge("webhooks", at(20), 100) == 0
        assert len(log(storage, stays)) == 1

    def test_sw5_active_webhooks_are_those_of_the_projects_named(
        self, storage: Storage
    ) -> None:
        projects = [add_project(storage) for _ in range(3)]
        made = [add_webhook(storage, of) for of in projects]
        add_webhook(storage, projects[0], is_active=False, disabled_reason="manual")

        found = storage.webhooks.active_webhooks([each.id for each in projects[:2]])

        assert found == sorted(
            [each.webhook for each in made[:2]], key=lambda each: each.id
        )
        assert storage.webhooks.active_webhooks([]) == []

    def test_sw6_the_keys_are_told_that_sealed_the_current_secrets(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        old = SealedSecret("k0", "b", at(9))
        add_webhook(storage, of, secrets=(SealedSecret("k1", "a", None), old))
        add_webhook(storage, of, secrets=(SealedSecret("k2", "a", None),))
        add_webhook(storage, of, secrets=(SealedSecret("k2", "a", None),))

        assert storage.webhooks.sealing_keys() == {"k1", "k2"}

    def test_sw7_a_new_delivery_is_due_and_comes_back_with_its_payload(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
        payload = '{"data":{"é":["ü",null]}}'
        [new] = add_deliveries(storage, of, minute=3, payload=payload)
        with pytest.raises(RuntimeError):
            storage.webhooks.add_deliveries([new])

        found = storage.webhooks.find_delivery(of.webhook.id, new.id)

        told = Delivery(
            new.id, of.webhook.id, "key.created", "pending", (), at(3), at(3)
        )
        assert found == replace(told, payload={"data": {"é": ["ü", None]}})
        assert log(storage, of) == [replace(told, payload=UNSET)]
        assert storage.webhooks.find_delivery(new_id(), new.id) is None

    def test_sw8_deliveries_are_listed_newest_first_as_asked(
        self, storage: Storage
    ) -> None:
        of = add_webhook(storage, add_project(storage))
        other = add_webhook(storage, add_project(storage))
        [old] = add_deliveries(storage, of, minute=1)
        [young] = add_deliveries(storage, of, minute=2, event_type="key.deleted")
        add_deliveries(storage, other)
        [claimed] = claim(storage, of)
        storage.webhooks.finish([succeeded(claimed)], OWNER)

        def ids(**where: Any) -> list[str]:
            found = storage.webhooks.list_deliveries(
                of.webhook.id, DeliveryFilter(**where), ALL
            )
            assert found.total == len(found.items)
            return [each.id for each in found.items]

        assert ids() == [young.id, old.id]
        assert ids(status="succeeded") == [old.id]
        assert ids(event_type="key.deleted") == [young.id]
        assert ids(since=at(2)) == [young.id]
        assert ids(status="failed") == []
