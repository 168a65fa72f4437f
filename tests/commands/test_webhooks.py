"""``locframework webhooks``: ``listen``, a process of its own, and the rest."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path

import pytest
from click.testing import Result
from locframework_webhooks_https import HttpsSettings, HttpsTransport
from standardwebhooks import Webhook

from locframework import OPERATOR, Framework, Settings
from locframework.keys.records import NewKey
from locframework.ports import Post
from locframework.projects.records import Project
from locframework.testing.certificates import Authority
from locframework.testing.workspace import WEBHOOK_KEY
from locframework.webhooks.records import NewWebhook, WebhookChanges

SECRET = "whsec_" + "QUJD" * 8
OTHER = "whsec_" + "REVG" * 8
BODY = '{"type":"key.created","data":{"items":[{"key":"größe"}]}}'
LISTENING = re.compile(r"listening at (https?)://127\.0\.0\.1:(\d+)/ \(any path\)")

Command = Callable[..., Result]
Start = Callable[..., "subprocess.Popen[str]"]


class Listening:
    """A running ``webhooks listen``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        first = process.stdout.readline()
        found = LISTENING.match(first)
        assert found, first + (process.stderr.read() if process.stderr else "")
        self.scheme, self.port = found[1], int(found[2])

    def post(self, body: str = BODY, **headers: str) -> int:
        """The status that a POST is answered with."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/hook", body.encode(), sent)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def lines(self) -> list[str]:
        """What is shown of the next request."""
        shown = []
        assert self.process.stdout is not None
        while not shown or not shown[-1].strip().startswith("answered"):
            shown.append(self.process.stdout.readline().rstrip("\n"))
        return shown


def signed(secret: str, body: str = BODY, webhook_id: str = "msg_1") -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "webhook_id": webhook_id,
        "webhook_timestamp": str(int(now.timestamp())),
        "webhook_signature": Webhook(secret).sign(webhook_id, now, body),
    }


def test_a_delivery_is_shown_with_what_became_of_its_signature(start: Start) -> None:
    listening = Listening(start("webhooks", "listen", "--secret", SECRET))

    status = listening.post(**signed(SECRET))
    shown = listening.lines()

    assert status == 204
    assert re.fullmatch(r"\d\d:\d\d:\d\d  key\.created  msg_1", shown[0])
    assert shown[1] == " " * 10 + "/hook, 59 bytes, signature good"
    assert shown[2:-1] == [
        " " * 10 + line
        for line in (
            "{",
            '  "type": "key.created",',
            '  "data": {',
            '    "items": [',
            "      {",
            '        "key": "größe"',
            "      }",
            "    ]",
            "  }",
            "}",
        )
    ]
    assert shown[-1] == " " * 10 + "answered 204"


def test_a_wrong_signature_is_told_and_answered_with_401(start: Start) -> None:
    listening = Listening(start("webhooks", "listen", WEBHOOK_SECRET=SECRET))
    good = signed(SECRET)
    wrong: list[tuple[dict[str, str], str]] = [
        (signed(OTHER), "No matching signature found"),
        ({}, "Missing required headers"),
        (good | {"webhook_signature": "v1"}, "malformed"),
        (good | {"webhook_signature": "v1,a,b"}, "malformed"),
        (good | {"webhook_timestamp": "1"}, "Message timestamp too old"),
        (good | {"webhook_timestamp": "soon"}, "Invalid Signature Headers"),
        (good | {"webhook_id": "msg_2"}, "No matching signature found"),
    ]

    for headers, told in wrong:
        assert listening.post(**headers) == 401
        shown = listening.lines()
        assert shown[1].endswith(f"signature WRONG: {told}")
        assert shown[-1].endswith("answered 401")
        assert SECRET not in "".join(shown)


def test_either_of_two_secrets_may_be_right(start: Start) -> None:
    listening = Listening(
        start("webhooks", "listen", "--secret", OTHER, "--secret", SECRET)
    )

    assert listening.post(**signed(SECRET)) == 204
    assert listening.post(**signed(OTHER)) == 204


def test_a_repeat_is_told(start: Start) -> None:
    listening = Listening(start("webhooks", "listen"))

    for times in (1, 2):
        listening.post(webhook_id="msg_7")
        shown = listening.lines()
        assert shown[0].endswith("msg_7" if times == 1 else "msg_7, seen 2 times")
    assert shown[1].endswith("signature not verified: no --secret")


def test_status_and_delay_are_as_told(start: Start) -> None:
    listening = Listening(
        start("webhooks", "listen", "--status", "503", "--delay", "0.3")
    )
    began = time.monotonic()

    status = listening.post()

    assert status == 503
    assert time.monotonic() - began >= 0.3


def test_what_is_no_event_is_shown_without_harm_to_the_terminal(start: Start) -> None:
    listening = Listening(start("webhooks", "listen"))
    hostile = "\x1b[2J\x07\u202e\x9b2J"

    for body in ("", "no json", '{"type": 3}', "[" * 100_000, hostile, '"\x7f"'):
        assert listening.post(body, webhook_id="a\x9b2Jb") == 204
        shown = listening.lines()
        assert "no event" in shown[0]
        assert all(line.isprintable() for line in shown)


def test_what_cannot_be_a_webhook_is_refused(start: Start) -> None:
    listening = Listening(start("webhooks", "listen"))

    for header, status in (
        ("Content-Length: many", 411),
        ("Content-Length: -1", 411),
        ("Transfer-Encoding: chunked", 411),
        ("Content-Length: 99999999", 413),
    ):
        with socket.create_connection(("127.0.0.1", listening.port), 20) as connection:
            connection.sendall(f"POST / HTTP/1.1\r\n{header}\r\n\r\n".encode())
            assert connection.recv(12) == f"HTTP/1.0 {status}".encode()


def test_over_tls_it_takes_what_the_service_sends(start: Start, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    file = authority.certificate("127.0.0.1")
    given = ("webhooks", "listen", "--certificate", str(file), "--secret", SECRET)
    listening = Listening(start(*given))
    transport = HttpsTransport(
        HttpsSettings(("127.0.0.0/8",), (listening.port,), str(authority.ca_file))
    )
    headers = {name.replace("_", "-"): v for name, v in signed(SECRET).items()}

    url = f"https://127.0.0.1:{listening.port}/hook"
    answer = transport.send(Post(url, tuple(headers.items()), BODY.encode()))

    assert listening.scheme == "https"
    assert answer.status_code == 204
    assert listening.lines()[1].endswith("signature good")


def test_ctrl_c_ends_it_without_a_word(start: Start) -> None:
    listening = Listening(start("webhooks", "listen"))

    listening.process.send_signal(signal.SIGINT)
    out, err = listening.process.communicate(timeout=20)

    assert (listening.process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--secret", "whsec_!"], "is not a signing secret: whsec_ and then base64"),
        (["--secret", "whsec_a"], "is not a signing secret: whsec_ and then base64"),
        (["--secret", "abcd"], "is not a signing secret: whsec_ and then base64"),
        (["--certificate", __file__], "holds no certificate with its key"),
        (["--certificate", "/nowhere"], "'/nowhere' does not exist"),
        (["--status", "199"], "199 is not in the range 200<=x<=599"),
    ],
)
def test_what_cannot_be_meant_is_told(
    command: Command, options: list[str], told: str
) -> None:
    result = command("webhooks", "listen", *options)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "whsec_!" not in result.stderr


def test_a_port_in_use_is_told(command: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = command("webhooks", "listen", "--port", port)

    place = f"127.0.0.1 port {port}"
    assert result.exit_code == 2
    assert result.stderr == f"Error: cannot listen on {place}: Address already in use\n"


URL = "https://93.184.215.14/hook"
KEY = {"LOCFRAMEWORK_WEBHOOKS__SECRET_KEY": WEBHOOK_KEY}


def test_the_log_of_each_webhook_is_shown(
    command: Command, framework: Framework, project: Project
) -> None:
    where = OPERATOR, project.id
    with Framework(Settings.of({"webhooks": {"secret_key": WEBHOOK_KEY}})) as keyed:
        asked = NewWebhook(URL, ["key.created"])
        webhook, _ = keyed.webhooks.create_webhook(*where, asked)
        for name in "abc":
            keyed.keys.create_key(*where, NewKey(name))
        base = ("webhooks", "deliveries")

        shown = command(*base, **KEY)
        cut = command(*base, "--project", project.id, "--limit", 2, **KEY)
        failed = command(*base, "--status", "failed", **KEY)
        other = command(*base, "--type", "key.deleted", "--webhook", webhook.id, **KEY)
        absent = command(*base, "--webhook", project.id, **KEY)
        off = WebhookChanges(is_active=False)
        keyed.webhooks.update_webhook(*where, webhook.id, off)
        switched_off = command(*base, **KEY)

    head, *lines = shown.output.splitlines()
    assert shown.exit_code == 0, shown.output
    assert head == f"{URL}  {webhook.id}  active"
    assert len(lines) == 3
    for line in lines:
        assert "  pending    key.created             0 attempts, next 20" in line
    assert cut.output.splitlines()[-1] == "  … and 1 more"
    for nothing in (failed, other):
        assert nothing.output.splitlines()[1:] == ["  nothing was sent"]
    assert absent.exit_code == 1
    assert absent.output == "Error: there is no such webhook\n"
    assert switched_off.output.splitlines()[0].endswith("  off: manual")
    for asked_for in (["serve", "--port", 0], ["check-settings"]):
        refused = command(*asked_for)
        assert refused.exit_code == 2
        assert "Error: settings: webhooks.secret_key: is missing, " in refused.output


def test_a_new_key_is_one_that_the_setting_accepts(command: Command) -> None:
    one, other = (command("webhooks", "new-key").output.strip() for _ in range(2))

    assert one != other
    assert len(b64decode(one)) == 32
