"""Webhooks, what is sent to them, and each attempt to send it."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE webhooks (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            organization_id TEXT NOT NULL,
            url TEXT NOT NULL,
            description TEXT NOT NULL,
            event_types TEXT NOT NULL,
            language_codes TEXT,
            branches TEXT,
            is_active BOOLEAN NOT NULL,
            disabled_reason TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            last_delivery_at TEXT,
            secrets TEXT NOT NULL,
            good_at TEXT NOT NULL,
            failing_since TEXT,
            failed_at TEXT,
            failed_delivery TEXT,
            failed_others BOOLEAN NOT NULL,
            deleted_at TEXT
        )""",
        "CREATE INDEX webhooks_of_project ON webhooks (project_id, created_at, id)",
        """CREATE INDEX webhooks_deleted ON webhooks (deleted_at)
            WHERE deleted_at IS NOT NULL""",
        # due_at: when it may be claimed: its next attempt; while it is sent, the
        # end of the lease; NULL once it has ended
        """CREATE TABLE webhook_deliveries (
            id TEXT PRIMARY KEY,
            webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
            project_id TEXT NOT NULL,
            event_type TEXT NOT NULL,
            payload TEXT NOT NULL,
            status TEXT NOT NULL,
            cause TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            due_at TEXT,
            planned_at TEXT,
            owner TEXT,
            created_at TEXT NOT NULL
        )""",
        """CREATE INDEX webhook_deliveries_of ON webhook_deliveries
            (webhook_id, created_at, id)""",
        """CREATE INDEX webhook_deliveries_due ON webhook_deliveries
            (webhook_id, due_at) WHERE due_at IS NOT NULL""",
        """CREATE INDEX webhook_deliveries_held ON webhook_deliveries (owner)
            WHERE owner IS NOT NULL""",
        "CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at)",
        "CREATE INDEX webhook_deliveries_project ON webhook_deliveries (project_id)",
        """CREATE TABLE webhook_attempts (
            delivery_id TEXT NOT NULL
                REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            at TEXT NOT NULL,
            cause TEXT NOT NULL,
            status_code INTEGER,
            error TEXT,
            duration_ms INTEGER,
            response_body TEXT,
            PRIMARY KEY (delivery_id, number)
        ) WITHOUT ROWID""",
    )
