"""What an event came of: a job, or the merge of a branch."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE events ADD COLUMN job_id TEXT",
        "ALTER TABLE events ADD COLUMN merge_of TEXT",
        "CREATE INDEX events_of_actor ON events (project_id, actor_id, seq)",
        """CREATE INDEX events_of_job ON events (project_id, job_id, seq)
            WHERE job_id IS NOT NULL""",
        """CREATE INDEX events_of_merge ON events (project_id, merge_of, seq)
            WHERE merge_of IS NOT NULL""",
    )
