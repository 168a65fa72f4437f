"""What becomes of outdated texts once a proposal is judged.

``approved_outdated`` is about the approved text that a proposal waits beside, and
``keeps_fresh`` about what a proposed source text is to do when it is approved.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        *(
            f"ALTER TABLE {table} ADD COLUMN {column} BOOLEAN NOT NULL DEFAULT FALSE"
            for table in ("key_values", "value_revisions")
            for column in ("approved_outdated", "keeps_fresh")
        ),
        """UPDATE key_values SET approved_outdated = TRUE
            WHERE is_outdated AND status <> 'approved'
                AND approved_value IS NOT NULL""",
    )
