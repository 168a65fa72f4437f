"""Which keys an event is about, and what it changed in them, to undo it.

What was appended before has no ``trace``: what it changed in names, descriptions and
the like was not kept.
"""

import json

import peewee
from locframework_storage_peewee.ddl import run

ROWS = 1000


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE event_keys (
            key_id TEXT NOT NULL,
            seq INTEGER NOT NULL,
            trace TEXT,
            PRIMARY KEY (key_id, seq)
        ) WITHOUT ROWID""",
    )
    last = 0
    page = f"""SELECT seq, items FROM events WHERE seq > {db.param}
        ORDER BY seq LIMIT {ROWS}"""
    while rows := db.execute_sql(page, (last,)).fetchall():
        last = rows[-1][0]
        pairs = {
            (item["keyId"], seq)
            for seq, items in rows
            for item in json.loads(items)
            if "keyId" in item
        }
        db.cursor().executemany(
            f"INSERT INTO event_keys (key_id, seq) VALUES ({db.param}, {db.param})",
            sorted(pairs),
        )
