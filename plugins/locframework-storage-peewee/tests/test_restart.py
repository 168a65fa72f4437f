"""A PostgreSQL server that crashes is Unavailable, and back as it was before."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import pytest
from msgspec.structs import replace

from locframework.ports import Unavailable
from locframework.testing.contracts.storage_records import (
    add_project,
    organization,
    project,
)

BACK_SECONDS = 5

pytestmark = [pytest.mark.kill, pytest.mark.server, pytest.mark.slow]


class Cluster:
    """A PostgreSQL server of our own, so that we may crash it."""

    def __init__(self, binaries, folder):
        self._binaries = binaries
        self._data = folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        # the server refuses to be run by root
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._run(
            "initdb", "-D", self._data, "-U", "tester", "-A", "trust", "-E", "UTF8"
        )
        self.control("start")

    @property
    def url(self):
        return f"postgresql://tester@127.0.0.1:{self._port}/postgres"

    def control(self, action, *more):
        """What ``pg_ctl`` can do; returns when it is done."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -k ''"
        log = self._data.parent / "log"
        self._run(
            "pg_ctl", action, "-w", "-D", self._data, "-l", log, "-o", options, *more
        )

    def _run(self, program, *arguments):
        command = [str(self._binaries / program), *map(str, arguments)]
        subprocess.run(
            command,
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            timeout=60,
        )


def binaries():
    """Where initdb and pg_ctl are: Debian keeps them out of the PATH."""
    found = shutil.which("initdb")
    places = [os.path.dirname(found)] if found else []
    places += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    return Path(places[0]) if places else None


@pytest.fixture
def cluster():
    place = binaries()
    if place is None:
        pytest.skip("no initdb to make a server with")
    with TemporaryDirectory() as folder:  # the server's user must get at it
        made = Cluster(place, Path(folder))
        yield made
        made.control("stop", "-m", "immediate")


def test_a_crash_of_the_server_loses_nothing_and_is_over_in_seconds(
    cluster, open_storage
):
    storage = open_storage(cluster.url)
    storage.migrate()
    owner = storage.access.organizations.find(add_project(storage).organization_id)
    assert owner is not None
    acknowledged = []
    refused = []
    stop = Event()

    def write():
        while not stop.is_set():
            made = project(owner)
            try:
                with storage.transaction():
                    storage.projects.insert(made)
                    storage.projects.update(replace(made, description="twice"))
                acknowledged.append(made.id)
            except Unavailable:
                refused.append(time.monotonic())
                time.sleep(0.02)

    writers = [Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    time.sleep(0.3)
    cluster.control("restart", "-m", "immediate")
    back, before = time.monotonic(), len(acknowledged)
    while len(acknowledged) < before + 10 and time.monotonic() < back + BACK_SECONDS:
        time.sleep(0.01)
    stop.set()
    for writer in writers:
        writer.join(30)

    assert refused
    assert len(acknowledged) >= before + 10
    rows = storage.database.rows("SELECT id, description FROM projects")
    kept = dict(rows)
    assert set(acknowledged) <= set(kept)
    assert {kept[id_] for id_ in acknowledged} == {"twice"}


def test_while_the_server_is_down_every_question_is_unavailable(cluster, open_storage):
    storage = open_storage(cluster.url)
    storage.migrate()
    made = organization()
    storage.access.organizations.insert(made)

    cluster.control("stop", "-m", "immediate")
    for _ in range(2):
        with pytest.raises(Unavailable):
            storage.access.organizations.find(made.id)
        with pytest.raises(Unavailable):
            storage.access.organizations.update(made)
        with pytest.raises(Unavailable):
            storage.ping()
    cluster.control("start")

    assert storage.access.organizations.find(made.id) == made
