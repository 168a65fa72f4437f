"""The POSTs of a day that came with an ``Idempotency-Key``, and their answers."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE idempotency_keys (
            owner TEXT NOT NULL,
            key TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            created_at TEXT NOT NULL,
            status INTEGER,
            location TEXT,
            content TEXT,
            PRIMARY KEY (owner, key)
        )""",
        "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)",
    )
