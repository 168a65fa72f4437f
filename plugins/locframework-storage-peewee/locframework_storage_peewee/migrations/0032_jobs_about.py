"""Jobs of glossaries and memories are listed, too."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE INDEX jobs_about ON jobs (subject_id, created_at, id)
            WHERE subject_id IS NOT NULL""",
    )
