"""Serves the whole application in processes that tests may kill.

This process loads all there is once, and forks a server for each line of JSON on its
standard input: a fork serves after 50 ms, a fresh interpreter after two seconds. It
sends ``{"ready": port, "pid": pid}`` and ``{"ended": code}`` of each, one at a time;
``{"signal": number}`` in between goes to the server.
"""

import encodings.idna  # noqa: F401
import gc
import json
import os
import select
import sys
import threading
import time
from functools import partial
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import locframework_storage_peewee.postgres  # noqa: F401
import waitress  # noqa: F401
from locframework_storage_peewee import database

from locframework import (
    Framework,
    Settings,
    app,
    create_app,
    hookimpl,
    transactions,
)
from locframework.events import Event
from locframework.keys.writing.unit_of_work import KeyEvents
from locframework.server import listen, serve, stop_signals


def send(**message: object) -> None:
    os.write(1, (json.dumps(message) + "\n").encode())


def crash_around_writes() -> None:
    """Add crash points to every write of keys: around its events and its commit."""
    append, commit, writing = KeyEvents.append, database._COMMIT, threading.local()

    def append_events(*args: Any, **named: Any) -> None:
        writing.is_open = True
        transactions.crash_point("keys.before_events")
        append(*args, **named)
        transactions.crash_point("keys.after_events")

    def commit_events(connection: Any) -> object:
        is_write, writing.is_open = getattr(writing, "is_open", False), False
        if is_write:
            transactions.crash_point("keys.before_commit")
        result = commit(connection)
        if is_write:
            transactions.crash_point("keys.after_commit")
        return result

    KeyEvents.append = append_events  # type: ignore[method-assign]
    database._COMMIT = commit_events


class Recorder:
    """A durable listener that appends what it is handed to a file."""

    name = "recorder"

    def __init__(self, path: str, seconds: float = 0) -> None:
        self._path, self._seconds = path, seconds

    @hookimpl(durable=True)
    def loc_on_event(self, event: Event) -> None:
        self._note("begun", event)
        time.sleep(self._seconds)
        self._note("done", event)

    def _note(self, what: str, event: Event) -> None:
        line = json.dumps([what, event.id, os.getpid()]) + "\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line.encode())
        os.close(file)


def serve_one(asked: dict[str, Any]) -> None:
    """Serve by these settings, until told to stop; or die at ``crash_at``.

    ``hang_at``: who comes to that place does not go on. ``recorder``: the file of a
    Recorder, and how long each of its calls takes.
    """
    plugins = [Recorder(*asked["recorder"])] if "recorder" in asked else []
    crash_around_writes()
    transactions.arm(asked.get("hang_at", asked["crash_at"]))
    if "hang_at" in asked:
        transactions.os = SimpleNamespace(_exit=lambda _: time.sleep(3600))
    if "requests_a_minute" in asked:  # for clients that are quicker than any of ours
        app.RateLimiter = partial(app.RateLimiter, api_limit=asked["requests_a_minute"])
    with (
        stop_signals() as stop,
        listen("127.0.0.1", 0) as listening,
        Framework(Settings.of(asked["settings"]), plugins) as framework,
    ):
        port = listening.getsockname()[1]
        serve(
            create_app(framework),
            listening,
            stop,
            threads=asked.get("threads", 4),
            on_ready=lambda: send(ready=port, pid=os.getpid()),
        )


def fork(asked: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        serve_one(asked)
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)


def wait_for(pid: int) -> int:
    """The exit code; negative: the signal. Passes on signals that come as lines.

    So no signal ever goes to another process that was given the number since. Killed
    when the tests end before it.
    """
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if select.select([0], [], [], 0.005)[0]:
            lines = os.read(0, 65536).splitlines()
            for line in lines or [b'{"signal": 9}']:
                os.kill(pid, json.loads(line)["signal"])


def main() -> None:
    with TemporaryDirectory() as folder:
        plugins = {"peewee": {"database": f"sqlite:///{folder}/x.sqlite3"}}
        with Framework(Settings.of({"plugins": plugins})) as framework:
            framework.migrate()
            create_app(framework)  # what is worked out once is there for all
        del framework
    gc.collect()
    gc.freeze()
    if threading.active_count() != 1:
        raise RuntimeError("a process with threads cannot fork")
    send(loaded=True)
    while line := os.read(0, 65536):
        asked = json.loads(line)
        if "settings" in asked:  # else a signal for one that had ended by then
            send(ended=wait_for(fork(asked)))


if __name__ == "__main__":
    main()
