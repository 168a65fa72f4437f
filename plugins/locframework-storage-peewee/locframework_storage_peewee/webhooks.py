"""Keeps webhooks; their deliveries stand in webhook_log and webhook_queue."""

from collections.abc import Mapping, Sequence

import msgspec

from locframework.ports import (
    Page,
    PageRequest,
    SealedSecret,
    StoredWebhook,
    Timestamp,
    Webhook,
    WebhookHealth,
    WebhookTarget,
)

from .columns import json_or_null, json_text
from .database import Database
from .engine import Row
from .pages import Order, page_of
from .webhook_log import WebhookLog
from .webhook_queue import WebhookQueue

_WEBHOOK = """w.id, w.project_id, w.url, w.description, w.event_types,
    w.language_codes, w.branches, w.is_active, w.disabled_reason, w.created_at,
    w.updated_at, w.last_delivery_at"""
_WEBHOOK_COLUMNS = 12
_HEALTH = "w.good_at, w.failing_since, w.failed_at, w.failed_delivery, w.failed_others"
_STORED = f"{_WEBHOOK}, w.organization_id, w.secrets, {_HEALTH}"
_SOURCE = """webhooks w JOIN projects p ON p.id = w.project_id
    WHERE w.deleted_at IS NULL AND p.deleted_at IS NULL"""
_ORDER = Order({"createdAt": "w.created_at"}, tie="w.id", default="-createdAt")

_texts = msgspec.json.Decoder(tuple[str, ...])
_secrets = msgspec.json.Decoder(tuple[SealedSecret, ...])


class WebhookTables(WebhookLog, WebhookQueue):
    """The webhook store (locframework/webhooks/store.py, WebhookStore)."""

    def __init__(self, database: Database) -> None:
        WebhookLog.__init__(self, database)
        WebhookQueue.__init__(self, database)
        self._database = database

    def add_webhook(self, webhook: StoredWebhook) -> None:
        shown = webhook.webhook
        self._database.run(
            """INSERT INTO webhooks (url, description, event_types, language_codes,
                branches, is_active, disabled_reason, updated_at, secrets, good_at,
                failing_since, failed_at, failed_delivery, failed_others, id,
                project_id, organization_id, created_at, last_delivery_at)
                VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
            (
                *_changing(webhook),
                shown.id,
                shown.project_id,
                webhook.organization_id,
                shown.created_at,
                shown.last_delivery_at,
            ),
        )

    def find_webhook(self, project_id: str, webhook_id: str) -> StoredWebhook | None:
        row = self._database.row(
            f"SELECT {_STORED} FROM {_SOURCE} AND w.id = ? AND w.project_id = ?",
            (webhook_id, project_id),
        )
        return _stored(row) if row else None

    def save_webhook(self, webhook: StoredWebhook) -> None:
        self._database.run(
            """UPDATE webhooks SET url = ?, description = ?, event_types = ?,
                language_codes = ?, branches = ?, is_active = ?, disabled_reason = ?,
                updated_at = ?, secrets = ?, good_at = ?, failing_since = ?,
                failed_at = ?, failed_delivery = ?, failed_others = ? WHERE id = ?""",
            (*_changing(webhook), webhook.webhook.id),
        )

    def lock_webhook(self, webhook_id: str) -> None:
        self._database.lock_row("webhooks", webhook_id)

    def delete_webhook(self, webhook_id: str, at: Timestamp) -> None:
        self._database.run(
            """UPDATE webhooks SET deleted_at = ?, is_active = FALSE, secrets = '[]'
                WHERE id = ?""",
            (at, webhook_id),
        )

    def list_webhooks(self, project_id: str, page: PageRequest) -> Page[Webhook]:
        return page_of(
            self._database,
            _webhook,
            page,
            select=_WEBHOOK,
            source=f"{_SOURCE} AND w.project_id = ?",
            order=_ORDER,
            params=(project_id,),
        )

    def active_webhooks(self, project_ids: Sequence[str]) -> list[Webhook]:
        rows = self._database.rows(
            f"""SELECT {_WEBHOOK} FROM webhooks w
                WHERE {self._database.among("w.project_id")} AND w.is_active
                AND w.deleted_at IS NULL""",
            (self._database.listed(project_ids),),
        )
        return [_webhook(row) for row in sorted(rows)]

    def sealing_keys(self) -> set[str]:
        rows = self._database.rows(f"SELECT w.secrets FROM {_SOURCE}")
        return {
            secret.key_id
            for (secrets,) in rows
            for secret in _secrets.decode(secrets)
            if secret.signs_until is None
        }

    def targets_of(self, webhook_ids: Sequence[str]) -> list[WebhookTarget]:
        rows = self._database.rows(
            f"""SELECT w.id, w.url, w.is_active, w.secrets FROM {_SOURCE}
                AND {self._database.among("w.id")}""",
            (self._database.listed(webhook_ids),),
        )
        return [
            WebhookTarget(id_, url, is_active, _secrets.decode(secrets))
            for id_, url, is_active, secrets in rows
        ]

    def health_of(self, webhook_ids: Sequence[str]) -> dict[str, StoredWebhook]:
        self._database.require_transaction()
        rows = self._database.rows(
            f"""SELECT {_STORED} FROM webhooks w
                WHERE {self._database.among("w.id")} AND w.deleted_at IS NULL
                ORDER BY w.id{self._database.engine.for_update}""",
            (self._database.listed(webhook_ids),),
        )
        return {row[0]: _stored(row) for row in rows}

    def save_health(
        self, health: Mapping[str, tuple[Timestamp, WebhookHealth]]
    ) -> None:
        self._database.run_many(
            """UPDATE webhooks SET last_delivery_at = ?, good_at = ?,
                failing_since = ?, failed_at = ?, failed_delivery = ?,
                failed_others = ? WHERE id = ?""",
            [
                (at, *msgspec.structs.astuple(how), webhook_id)
                for webhook_id, (at, how) in health.items()
            ],
        )

    def purge_webhooks(self, rows: int) -> int:
        gone = self._database.run(
            """DELETE FROM webhook_deliveries WHERE id IN (
                SELECT d.id FROM webhook_deliveries d
                JOIN webhooks w ON w.id = d.webhook_id
                WHERE w.deleted_at IS NOT NULL LIMIT ?)""",
            (rows,),
        )
        return gone + self._database.run(
            """DELETE FROM webhooks WHERE id IN (SELECT w.id FROM webhooks w
                WHERE w.deleted_at IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id)
                LIMIT ?)""",
            (max(0, rows - gone),),
        )


def _changing(stored: StoredWebhook) -> tuple[object, ...]:
    """What a webhook may have anew, in the order that both writers name it."""
    webhook = stored.webhook
    return (
        webhook.url,
        webhook.description,
        json_text(webhook.event_types),
        json_or_null(webhook.language_codes),
        json_or_null(webhook.branches),
        webhook.is_active,
        webhook.disabled_reason,
        webhook.updated_at,
        json_text(stored.secrets),
        *msgspec.structs.astuple(stored.health),
    )


def _stored(row: Row) -> StoredWebhook:
    organization_id, secrets, *health = row[_WEBHOOK_COLUMNS:]
    return StoredWebhook(
        webhook=_webhook(row[:_WEBHOOK_COLUMNS]),
        organization_id=organization_id,
        secrets=_secrets.decode(secrets),
        health=WebhookHealth(*health),
    )


def _webhook(row: Row) -> Webhook:
    id_, project_id, url, description, types, languages, branches, *rest = row
    is_active, disabled_reason, created_at, updated_at, last_delivery_at = rest
    return Webhook(
        id=id_,
        project_id=project_id,
        url=url,
        description=description,
        event_types=_texts.decode(types),
        language_codes=None if languages is None else _texts.decode(languages),
        branches=None if branches is None else _texts.decode(branches),
        is_active=is_active,
        disabled_reason=disabled_reason,
        created_at=created_at,
        updated_at=updated_at,
        last_delivery_at=last_delivery_at,
    )
