"""When a distribution was deleted: its releases are purged later, in pieces."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE distributions ADD COLUMN deleted_at TEXT",
        """CREATE INDEX distributions_deleted ON distributions (deleted_at)
            WHERE deleted_at IS NOT NULL""",
    )
