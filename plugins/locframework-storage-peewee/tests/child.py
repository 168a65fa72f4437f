"""What tests do in another process: ``python child.py TASK URL [MORE]``.

Each task says "ready" and waits for a line, so that a test can start several at once.
"""

import json
import os
import signal
import sqlite3
import sys
import time

import peewee
from locframework_storage_peewee import PeeweeProvider, migrator
from msgspec.structs import replace

from locframework.storage import Storage
from locframework.testing.contracts.storage_records import project


def say(value: object) -> None:
    print(json.dumps(value), flush=True)


def wait() -> None:
    say("ready")
    sys.stdin.readline()


def migrate(storage: Storage) -> None:
    """Migrate; says what was applied."""
    wait()
    say(storage.migrate())


def die_migrating(storage: Storage, statements: str) -> None:
    """Migrate, and be killed after so many statements."""
    left = int(statements)
    run = migrator.run

    def run_and_die(database: peewee.Database, *all_: str) -> None:
        nonlocal left
        for statement in all_:
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            run(database, statement)

    migrator.run = run_and_die
    wait()
    say(storage.migrate())


def write(storage: Storage, organization_id: str) -> None:
    """Add projects until killed; says each id once it is committed."""
    organization = storage.access.organizations.find(organization_id)
    assert organization is not None
    wait()
    while True:
        made = project(organization)
        with storage.transaction():
            storage.projects.insert(made)
            storage.projects.update(replace(made, name="twice"))
        say(made.id)


def lengthen(storage: Storage, project_id: str, times: str) -> None:
    """Read the project and write it longer, so many times."""
    wait()
    for _ in range(int(times)):
        with storage.transaction():
            storage.projects.lock(project_id)
            old = storage.projects.find(project_id)
            assert old is not None
            longer = replace(old, description=old.description + "x")
            storage.projects.update(longer)
    say("done")


def lock(storage: Storage, path: str, seconds: str) -> None:
    """Lock the SQLite file at ``path`` so long; says "ready" when it is locked."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    say("ready")
    time.sleep(float(seconds))
    connection.execute("ROLLBACK")


TASKS = (migrate, die_migrating, write, lengthen, lock)

if __name__ == "__main__":
    task, url, *more = sys.argv[1:]
    chosen = {task.__name__: task for task in TASKS}[task]
    chosen(PeeweeProvider(url).open(), *more)
