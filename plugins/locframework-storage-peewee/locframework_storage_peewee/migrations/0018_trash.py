"""Who deleted a key, and a way to look into the trash of a line."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE keys ADD COLUMN deleted_by TEXT",
        """CREATE INDEX keys_in_trash_of_line
            ON keys (project, deleted_at, id) WHERE deleted_at IS NOT NULL""",
    )
