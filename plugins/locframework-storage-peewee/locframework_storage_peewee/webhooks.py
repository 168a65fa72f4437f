"""Webhooks; their deliveries are in webhook_deliveries.py.

Management goes through peewee models. What runs with every commit or attempt is
hand-written SQL: 5 µs, not 200 µs.
"""

from collections.abc import Sequence

import msgspec

from locframework.ports import (
    Page,
    PageRequest,
    SealedSecret,
    StoredWebhook,
    Timestamp,
    Webhook,
    WebhookHealth,
)

from .engine import Row
from .models import WebhookRow
from .tables import Table, map_page
from .webhook_deliveries import WebhookDeliveries

_WEBHOOK = """w.id, w.project_id, w.url, w.description, w.event_types,
    w.language_codes, w.branches, w.is_active, w.disabled_reason, w.created_at,
    w.updated_at, w.last_delivery_at"""
_WEBHOOK_COLUMNS = 12
_LIVE = """webhooks w JOIN projects p ON p.id = w.project_id
    WHERE w.deleted_at IS NULL AND p.deleted_at IS NULL"""

_texts = msgspec.json.Decoder(tuple[str, ...])
_secrets = msgspec.json.Decoder(tuple[SealedSecret, ...])


class WebhookTables(Table[StoredWebhook], WebhookDeliveries):
    """The webhook store (locframework/webhooks/store.py, WebhookStore)."""

    model = WebhookRow
    record = StoredWebhook
    parent = "project_id"
    constant = Table.constant | {"last_delivery_at"}
    sorts = ("created_at",)
    sort = "-createdAt"

    def delete(self, record_id: str, at: Timestamp) -> None:
        self.write(
            WebhookRow.update(deleted_at=at, is_active=False, secrets=()).where(
                WebhookRow.id == record_id
            )
        )

    def list_webhooks(self, project_id: str, page: PageRequest) -> Page[Webhook]:
        query = self.select().where(WebhookRow.project_id == project_id)
        return map_page(self.page(query, page), lambda stored: stored.webhook)

    def active_webhooks(self, project_ids: Sequence[str]) -> list[Webhook]:
        rows = self._database.rows(
            f"""SELECT {_WEBHOOK} FROM webhooks w
                WHERE {self._database.among("w.project_id")} AND w.is_active
                AND w.deleted_at IS NULL""",
            (self._database.listed(project_ids),),
        )
        return [_webhook(row) for row in sorted(rows)]

    def sealing_keys(self) -> set[str]:
        """Return the ids of the keys that sealed the current secrets of webhooks."""
        query = WebhookRow.select(WebhookRow.secrets).where(*self.live())
        return {
            secret.key_id
            for (secrets,) in self.tuples(query)
            for secret in secrets
            if secret.signs_until is None
        }

    def find_webhooks(
        self, webhook_ids: Sequence[str], *, lock: bool = False
    ) -> dict[str, StoredWebhook]:
        locking = " FOR NO KEY UPDATE OF w" if lock else ""
        rows = self._database.rows(
            f"""SELECT {_WEBHOOK}, w.organization_id, w.secrets, w.good_at,
                w.failing_since, w.failed_at, w.failed_delivery, w.failed_others
                FROM {_LIVE} AND {self._database.among("w.id")}
                ORDER BY w.id{locking if self._database.engine.for_update else ""}""",
            (self._database.listed(webhook_ids),),
        )
        found = {}
        for row in rows:
            organization_id, secrets, *health = row[_WEBHOOK_COLUMNS:]
            found[row[0]] = StoredWebhook(
                _webhook(row[:_WEBHOOK_COLUMNS]),
                organization_id,
                _secrets.decode(secrets),
                WebhookHealth(*health),
            )
        return found


def _webhook(row: Row) -> Webhook:
    lists = (None if each is None else _texts.decode(each) for each in row[4:7])
    return Webhook(*row[:4], *lists, *row[7:])
