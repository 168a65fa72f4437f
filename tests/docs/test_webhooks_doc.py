"""docs/how-to/webhooks.md: the receivers run, and the tables match the code."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import get_args

import jsonschema_rs
import msgspec
import pytest
from locframework_webhooks_https import HttpsSettings, HttpsTransport

from locframework.fields import system_clock
from locframework.ports import Post, SendError
from locframework.webhooks.event_schemas import EventTypes
from locframework.webhooks.records import NewWebhook
from locframework.webhooks.signing import new_secret, signed_headers

PAGE = "webhooks.md"
TYPES = {each.type: each for each in EventTypes().shown}
START_SECONDS = 30
NODE_PARTS = Path(__file__).parents[1] / "clients" / "standardwebhooks"


class Receiving:
    """A running receiver of the page."""

    def __init__(self, process, port, secret):
        self.process = process
        self.port = port
        self.secret = secret

    def post(self, id_, body, signed=None):
        """Send a body, signed as ``signed`` if given, and return the status."""
        text = body if signed is None else signed
        headers = dict(signed_headers(id_, system_clock(), text, [self.secret]))
        connection = HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        connection.request("POST", "/", body.encode(), headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def printed(self):
        """Stop the process and return the lines it has printed."""
        self.process.terminate()
        return self.process.communicate(timeout=START_SECONDS)[0].splitlines()


@contextmanager
def running(folder, *command):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    secret = new_secret()
    environ = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not is_open(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield Receiving(process, port, secret)
    finally:
        process.kill()
        process.wait()


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def check(receiving, payload):
    """Assert that signed requests are accepted once, and altered ones refused."""
    event = json.loads(payload)
    altered = payload.replace("checkout.pay", "checkout.bay")

    statuses = [
        receiving.post("msg_1", payload),
        receiving.post("msg_1", payload),
        receiving.post("msg_2", altered, signed=payload),
        receiving.post("msg_3", payload),
    ]

    assert statuses == [204, 204, 400, 204]
    told = [line.partition(" ") for line in receiving.printed()]
    assert [type_ for type_, _, _ in told] == [event["type"]] * 2
    assert [json.loads(item) for _, _, item in told] == event["data"]["items"] * 2


@pytest.fixture
def payload(page):
    [example] = page.blocks("json")
    jsonschema_rs.validate(TYPES["translation.updated"].schema, json.loads(example))
    return json.dumps(json.loads(example))


def test_the_receiver_in_python_accepts_signed_requests_only_once(
    page, tmp_path, payload
):
    (tmp_path / "receiver.py").write_text(page.files()["receiver.py"])

    with running(tmp_path, sys.executable, "receiver.py") as receiving:
        check(receiving, payload)


@pytest.mark.node
def test_the_receiver_in_node_accepts_signed_requests_only_once(
    page, tmp_path, payload
):
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            pytest.fail("node and npm are required")
        pytest.skip("node and npm are not installed")
    shutil.copy(NODE_PARTS / "package.json", tmp_path)
    (tmp_path / "receiver.mjs").write_text(page.files()["receiver.mjs"])
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=180)

    with running(tmp_path, "node", "receiver.mjs") as receiving:
        check(receiving, payload)


def test_the_table_lists_every_event_type(page):
    rows = page.rows(page.sections()["Types of events"])

    told = {type_: (when, items) for type_, when, items in rows}
    assert told == {
        type_.type: (
            type_.description,
            ", ".join(f"`{name}`" for name in names_of(type_)).strip("`"),
        )
        for type_ in TYPES.values()
    }
    assert [type_ for type_, _, _ in rows] == list(TYPES)


def names_of(type_):
    return list(
        type_.schema["properties"]["data"]["properties"]["items"]["items"]["properties"]
    )


def test_the_table_lists_every_field_with_its_default(page):
    rows = page.rows(page.sections()["Register one"])

    told = {name: json.loads(default) if default else ... for name, default, _ in rows}
    assert told == {
        field.encode_name: ... if field.required else field.default
        for field in msgspec.structs.fields(NewWebhook)
    }


def test_the_example_of_registering_is_accepted(page, sqlite_workspace, monkeypatch):
    [command] = page.blocks("sh", page.sections()["Register one"])
    body = json.loads(command.partition("-d '")[2].partition("'")[0])
    project = sqlite_workspace.project(languages=["de", "fr"])
    body["url"] = "https://93.184.215.14/l10n"

    path = f"/projects/{project['id']}/webhooks"
    made = sqlite_workspace.owner.post(path, json=body)

    assert made.status == 201
    assert made.data["signingSecret"].startswith("whsec_")


def test_the_local_receiver_is_reached_with_the_settings_on_the_page(
    page, tmp_path, monkeypatch
):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    section = page.sections()["On one's own machine"]
    [commands], [settings] = page.blocks("sh", section), page.blocks("toml", section)
    make, _, start = commands.rstrip().rpartition("\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run(["sh", "-ec", make], check=True, capture_output=True)
    (tmp_path / "receiver.py").write_text(page.files()["receiver.py"])
    given_in = dict(word.split("=") for word in start.split() if "=" in word)
    monkeypatch.setenv("CERTIFICATE", given_in["CERTIFICATE"])

    with running(tmp_path, sys.executable, "receiver.py") as receiving:
        tree = tomllib.loads(settings.replace("9000", str(receiving.port)))
        given = msgspec.convert(tree["plugins"]["https"], HttpsSettings)
        body = json.dumps({"type": "webhook.test", "data": {"items": []}})
        headers = signed_headers("msg_1", system_clock(), body, [receiving.secret])
        post = Post(f"https://127.0.0.1:{receiving.port}/", headers, body.encode())
        answer = HttpsTransport(given).send(post)

    assert start.split()[-2:] == ["python", "receiver.py"]
    assert "https://127.0.0.1:9000/" in section
    assert (answer.status_code, answer.error) == (204, None)


def test_the_table_lists_every_error_of_an_attempt(page):
    rows = page.rows(page.sections()["When it does not arrive"])

    assert [error for error, _ in rows if "_" in error or error == "timeout"] == list(
        get_args(SendError)
    )
