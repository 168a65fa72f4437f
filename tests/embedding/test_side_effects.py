"""What the library does to the process that embeds it: nothing until it is told to."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from locframework import Framework, Settings, create_app
from locframework.errors import SettingsError
from tests.empty_databases import KINDS, fresh_url

# run in a process of its own; prints what changed, as JSON
WATCH = """
import json, logging, os, signal, sys, threading
opened = []
def watch(event, args):
    path = str(args[0]) if args else ""
    written = event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    if written and "__pycache__" not in path:
        opened.append(path)
    if event == "os.putenv" and args[0].endswith(b"BLAS_MAIN_FREE"):
        return  # numpy, which takes it back once it is imported
    if event.startswith(("socket.connect", "socket.bind", "subprocess.", "os.mkdir",
                         "os.putenv", "sqlite3.connect")):
        opened.append(event)
before = set(sys.modules)
handlers = [signal.getsignal(each) for each in signal.valid_signals()]
sys.addaudithook(watch)
%s
root = logging.getLogger()
ours = logging.getLogger("locframework")
print(json.dumps({
    "opened": opened,
    "threads": [each.name for each in threading.enumerate()],
    "signals": handlers == [signal.getsignal(s) for s in signal.valid_signals()],
    "logging": [len(root.handlers), root.level, len(ours.handlers), ours.level],
    "modules": sorted({m.partition(".")[0] for m in set(sys.modules) - before}),
}))
"""
HEAVY = {"falcon", "babel", "langcodes", "apscheduler", "limits", "peewee", "psycopg"}
UNTOUCHED_LOGGING = [0, logging.WARNING, 0, logging.NOTSET]


def changed_by(code, folder):
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LOCFRAMEWORK_")
    }
    done = subprocess.run(
        [sys.executable, "-c", WATCH % code],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_the_import_is_light_and_touches_nothing(tmp_path):
    changes = changed_by("import locframework", tmp_path)

    assert not HEAVY & set(changes["modules"])
    assert (changes["opened"], changes["threads"]) == ([], ["MainThread"])


def test_the_front_doors_touch_nothing_either(tmp_path):
    code = "from locframework import Framework, create_app, ports, server, testing"

    changes = changed_by(code, tmp_path)

    assert (changes["opened"], changes["threads"]) == ([], ["MainThread"])
    assert changes["signals"]
    assert changes["logging"] == UNTOUCHED_LOGGING
    assert list(tmp_path.iterdir()) == []


def test_a_framework_opens_nothing_before_it_is_used(tmp_path):
    changes = changed_by("import locframework; locframework.Framework()", tmp_path)

    assert (changes["opened"], changes["threads"]) == ([], ["MainThread"])
    assert list(tmp_path.iterdir()) == []


def test_a_whole_life_leaves_logging_signals_and_threads_as_they_were(tmp_path):
    code = """
import locframework
with locframework.Framework() as framework:
    framework.migrate()
    app = locframework.create_app(framework)
    assert threading.active_count() > 1
"""
    changes = changed_by(code, tmp_path)

    assert changes["threads"] == ["MainThread"]
    assert changes["signals"]
    assert changes["logging"] == UNTOUCHED_LOGGING


def test_the_app_begins_the_background_work_and_close_ends_it(open_framework):
    before = set(threading.enumerate())
    create_app(open_framework(start_scheduler=False))
    framework = open_framework(start_scheduler=True, job_workers=3)
    assert set(threading.enumerate()) == before

    create_app(framework)
    threads = set(threading.enumerate())
    framework.start()  # once more does nothing
    assert set(threading.enumerate()) == threads
    begun = [each.name for each in threads - before]
    framework.close()
    framework.close()

    assert sum(name.startswith("locframework-job-") for name in begun) == 3
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_background_work_is_refused_before_the_migrations(kind, tmp_path):
    before = set(threading.enumerate())

    with fresh_url(kind, tmp_path) as url:
        tree = {"plugins": {"peewee": {"database": url}}}
        with Framework(Settings.of(tree)) as framework:
            for begin in (framework.start, lambda: create_app(framework)):
                with pytest.raises(SettingsError, match="run: locframework migrate"):
                    begin()
            assert set(threading.enumerate()) == before

            framework.migrate()
            framework.start()

    assert set(threading.enumerate()) == before


def test_jobs_run_by_themselves_and_their_threads_end_too(open_framework, client_of):
    before = set(threading.enumerate())
    framework = open_framework(start_scheduler=True)
    owner = client_of(framework)
    project = {"name": "Web shop", "sourceLanguage": "en"}
    id_ = owner.post("/projects", json=project).data["project"]["id"]
    path = f"/projects/{id_}/distributions"

    made = owner.post(path, json={"name": "Web", "format": "json-nested"})
    one = f"{path}/{made.data['distribution']['id']}"
    wait_until(lambda: owner.get(one).data["distribution"]["status"] == "published")
    framework.close()

    wait_until(lambda: not {*threading.enumerate()} - before)  # of these some may end


def wait_until(is_so, seconds=10):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_signal_handlers_of_the_host_stay(open_framework):
    def mine(number, frame):
        raise AssertionError

    before = signal.signal(signal.SIGTERM, mine)
    try:
        framework = open_framework(start_scheduler=True)
        create_app(framework)
        assert signal.getsignal(signal.SIGTERM) is mine
        framework.close()
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        signal.signal(signal.SIGTERM, before)
