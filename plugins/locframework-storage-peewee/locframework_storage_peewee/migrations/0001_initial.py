"""The whole schema. Edit it directly until the first release; then add migrations."""

import peewee
from locframework_storage_peewee.migrator import run_file


def up(migrator: object, db: peewee.Database) -> None:
    kind = "postgres" if isinstance(db, peewee.PostgresqlDatabase) else "sqlite"
    run_file(db, "0001_initial.sql")
    run_file(db, f"0001_initial_{kind}.sql")
