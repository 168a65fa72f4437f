"""``locframework serve`` and ``worker``, as processes of their own."""

import json
import re
import signal
import socket
import time
from contextlib import suppress
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from locframework import OPERATOR, Settings
from locframework.commands.serving import base_url
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.keys.records import KeyQuery
from locframework.webhooks.signing import new_key

from .conftest import PROGRAM

NO_KEY = "no webhook can be created without the setting webhooks.secret_key"
ADDRESS = r"Listening on (http://127\.0\.0\.1:\d+) \(documentation: (\1/api/v1)/docs\)"


def url_of(process):
    """The URL of the API, below the address that the process announces."""
    line = process.stdout.readline()
    found = re.fullmatch(ADDRESS, line.strip())
    assert found, line + process.stderr.read()
    return found[2]


def test_serve_migrates_serves_and_exits_with_0_on_sigterm(start):
    process = start("serve", "--port", "0")
    url = url_of(process)

    with urlopen(f"{url}/healthz", timeout=10) as answer:
        status = answer.status
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=20)

    assert status == 200
    assert process.returncode == 0
    assert told.count("migrated the database: 0001_initial") == 1
    assert told.count(NO_KEY) == told.count("locframework webhooks new-key") == 1
    assert "Traceback" not in told


def test_serve_does_not_warn_where_webhooks_have_their_key(start):
    process = start("serve", "--port", "0", LOCFRAMEWORK_WEBHOOKS__SECRET_KEY=new_key())
    url_of(process)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=20)

    assert NO_KEY not in told


def test_requests_are_logged_as_json_and_without_queries(start):
    arguments = ("--log-level", "info", "--log-format", "json")
    process = start(*arguments, "serve", "--port", "0")
    url = url_of(process)
    with urlopen(f"{url}/healthz", timeout=10) as answer:
        size = len(answer.read())
    with suppress(HTTPError):
        urlopen(f"{url}/content/{'k' * 30}/%0Amanifest.json?token=s3cret", timeout=10)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=20)

    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    requests = [line for line in lines if "method" in line]  # as their answers ended
    alive, missing = sorted(requests, key=lambda line: line["status"])
    assert alive.pop("milliseconds") < 1000
    assert alive.pop("time").endswith("+00:00")
    assert re.fullmatch("[0-9a-f]{24}", alive.pop("requestId"))
    assert alive == {
        "level": "info",
        "logger": "locframework.access",
        "method": "GET",
        "path": "/api/v1/healthz",
        "status": 200,
        "bytes": size,
        "tokenId": "-",
        "address": "127.0.0.1",
    }
    assert missing["path"] == "/api/v1/content/kkkk…/%0Amanifest.json"
    assert "s3cret" not in told


def test_a_second_process_does_not_start_where_each_counts_requests(start):
    first = start("serve", "--port", "0")
    url_of(first)

    second = start("serve", "--port", "0")
    out, told = second.communicate(timeout=20)
    first.kill()
    first.wait()
    third = start("serve", "--port", "0")  # the entry of a dead process is replaced

    assert (second.returncode, out) == (2, "")
    last = told.splitlines()[-1]
    assert last.startswith('Error: settings: rate_limit_storage: "memory://" counts')
    assert f"process {first.pid} on " in last
    url_of(third)


def gunicorn(start, folder, workers, settings=""):
    file = folder / "settings.toml"
    file.write_text(settings)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = start(
        f"--bind=127.0.0.1:{port}",
        f"--workers={workers}",
        "--worker-class=gthread",
        "--no-control-socket",
        "locframework.wsgi:app",
        program=PROGRAM.with_name("gunicorn"),
        LOCFRAMEWORK_SETTINGS=str(file),
    )
    return process, f"http://127.0.0.1:{port}/api/v1"


def test_gunicorn_serves_the_app_that_each_worker_builds(start, folder, framework):
    settings = 'rate_limit_storage = "redis://127.0.0.1:1/0"'
    process, url = gunicorn(start, folder, 2, settings)
    deadline = time.monotonic() + 60
    while len(framework.storage.processes.list_all()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)

    with urlopen(f"{url}/healthz", timeout=10) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)

    assert process.returncode == 0
    assert framework.storage.processes.list_all() == []


def test_gunicorn_starts_no_second_worker_that_counts_requests_apart(
    start, folder, framework
):
    process, _ = gunicorn(start, folder, 2)
    _, told = process.communicate(timeout=30)

    assert process.returncode != 0
    assert 'SettingsError: settings: rate_limit_storage: "memory://"' in told


def test_a_busy_port_is_one_line_exit_code_2_and_no_database(start, folder):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        process = start("serve", "--port", port)
        out, told = process.communicate(timeout=20)

    last = told.splitlines()[-1]
    assert last.startswith(f"Error: cannot listen on 127.0.0.1 port {port}: ")
    assert (process.returncode, out) == (2, "")
    assert "Traceback" not in told
    assert list(folder.iterdir()) == []


def test_a_worker_does_the_jobs_that_a_server_leaves_to_it(
    start, framework, project, folder
):
    file = SourceFile("en.json", b'{"pay": "Pay"}')
    framework.imports.start_import(
        OPERATOR, project.id, file, ImportOptions(format="json-flat")
    )

    worker = start("worker")
    line = worker.stdout.readline()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if framework.keys.list_keys(OPERATOR, project.id, KeyQuery()).items:
            break
        time.sleep(0.05)
    worker.send_signal(signal.SIGTERM)
    _, told = worker.communicate(timeout=20)

    assert line == "locframework works on jobs, 2 at once\n"
    assert framework.keys.list_keys(OPERATOR, project.id, KeyQuery()).total == 1
    assert (worker.returncode, told) == (0, "")


def test_a_worker_tells_prometheus_of_what_it_sends_where_it_is_asked_to(start):
    worker = start("worker", "--metrics-port", "0")
    worker.stdout.readline()
    told = iter(worker.stderr.readline, "")
    url = next(line for line in told if line.startswith("metrics: ")).split()[1]

    with urlopen(url, timeout=10) as answer:
        page = answer.read().decode()
    worker.send_signal(signal.SIGINT)
    _, rest = worker.communicate(timeout=20)

    assert "# TYPE locframework_webhooks_attempts_total counter" in page
    assert "locframework_webhooks_pending 0.0" in page
    assert (worker.returncode, "Traceback" in rest) == (0, False)


def test_a_busy_port_for_metrics_is_one_line_and_exit_code_2(start):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        worker = start("worker", "--metrics-port", port)
        out, told = worker.communicate(timeout=20)

    last = told.splitlines()[-1]
    assert last.startswith(f"Error: cannot listen on 127.0.0.1 port {port}: ")
    assert (worker.returncode, out) == (2, "")
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("settings", "host", "url"),
    [
        (Settings(), "127.0.0.1", "http://127.0.0.1:81/api/v1"),
        (Settings(), "0.0.0.0", "http://127.0.0.1:81/api/v1"),
        (Settings(), "::", "http://[::1]:81/api/v1"),
        (Settings(), "2001:db8::1", "http://[2001:db8::1]:81/api/v1"),
        (
            Settings(base_url="https://x.example/api/v1"),
            "::",
            "https://x.example/api/v1",
        ),
    ],
)
def test_the_address_that_is_told_can_be_opened(settings, host, url):
    assert base_url(settings, host, 81) == url


def test_an_address_that_others_reach_needs_base_url(start, folder):
    process = start("serve", "--host", "0.0.0.0", "--port", "0")
    _, told = process.communicate(timeout=60)

    assert process.returncode == 2
    assert told.startswith(
        "Error: settings: base_url: is needed to serve on 0.0.0.0; set it to the"
        " address that clients use"
    )
