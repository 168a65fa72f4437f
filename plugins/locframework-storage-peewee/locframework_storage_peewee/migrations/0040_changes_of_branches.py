"""An index of how many changes the keys of a branch are: each request on a branch reads
their sum, which was read from rows that hold whole keys."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "CREATE INDEX branch_keys_by_changes ON branch_keys (branch_id, changes)")
