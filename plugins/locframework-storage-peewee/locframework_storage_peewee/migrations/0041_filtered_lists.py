"""What the logs of webhooks and jobs are filtered by stands in their indexes: how many
there are of a kind was counted by reading each row, with its payload or result."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "DROP INDEX webhook_deliveries_of",
        """CREATE INDEX webhook_deliveries_of ON webhook_deliveries
            (webhook_id, created_at, id, status, event_type)""",
        "DROP INDEX jobs_of_project",
        """CREATE INDEX jobs_of_project ON jobs
            (project_id, created_at, id, permission, status, type)""",
    )
