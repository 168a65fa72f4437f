"""The name of a person is each organization's own: none reads what another calls them.

All had one name for a person until now, and keep it.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE members ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        """UPDATE members SET name =
            (SELECT u.name FROM users u WHERE u.id = members.user_id)""",
        "ALTER TABLE users DROP COLUMN name",
    )
