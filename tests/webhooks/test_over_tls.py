"""What receivers do, over real TLS, and what the delivery log says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from locframework_webhooks_https import HttpsSettings, HttpsTransport
from msgspec.structs import replace
from standardwebhooks import Webhook as Verifier

from locframework import hookimpl
from locframework.ports import Answer, Post, Transport
from locframework.testing.certificates import Authority
from locframework.testing.receiver import (
    HOST,
    Behaviour,
    Certify,
    Receiver,
    answering,
    closing,
    flooding,
    hanging,
    hanging_after_the_request,
    open_receiver,
    resetting,
    resetting_after_the_request,
    resetting_in_the_answer,
    saying,
    trickling,
)
from locframework.testing.workspace import Workspace, open_workspace

SECONDS = 0.4  # instead of 20
HOUR = timedelta(hours=1)
GIGABYTE = 1 << 30


class Hurried(HttpsTransport):
    """The transport that is shipped, in a hurry."""

    def send(self, post: Post) -> Answer:
        return super().send(replace(post, seconds=SECONDS))


class HurriedPlugin:
    def __init__(self, receiver: Receiver) -> None:
        given = (("127.0.0.0/8",), (receiver.port,), receiver.ca_file)
        self._transport = Hurried(HttpsSettings(*given))

    @hookimpl
    def loc_provide_transports(self) -> list[Transport]:
        return [self._transport]


class Moment:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


class Scene:
    """A project, a webhook to the receiver, and what became of its deliveries."""

    def __init__(self, workspace: Workspace, receiver: Receiver, clock: Moment) -> None:
        self.workspace, self.receiver, self.clock = workspace, receiver, clock
        self.project = workspace.project()
        self.path = f"/projects/{self.project['id']}/webhooks"
        body = {"url": receiver.url(), "eventTypes": ["key.created"]}
        made = workspace.owner.post(self.path, json=body).data
        self.secret: str = made["signingSecret"]
        self.path += f"/{made['webhook']['id']}"
        workspace.key(self.project, "checkout.pay")

    def send(self) -> dict[str, Any]:
        """Make the attempt that is due; the delivery after it."""
        self.workspace.send_webhooks()
        [delivery] = self.workspace.owner.get(f"{self.path}/deliveries").data["items"]
        found: dict[str, Any] = delivery
        return found

    def webhook(self) -> dict[str, Any]:
        found: dict[str, Any] = self.workspace.owner.get(self.path).data["webhook"]
        return found

    def wait_until(self, time: str) -> None:
        """Let it be a second after."""
        at = datetime.fromisoformat(time.replace("Z", "+00:00"))
        self.clock.now = at + timedelta(seconds=1)


Open = Callable[..., Scene]


@pytest.fixture
def scene(
    migrated_sqlite: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """A scene with a receiver that behaves as told."""
    with ExitStack() as stack:

        def scene(*behaviours: Behaviour, certificate: Certify | None = None) -> Scene:
            receiver = stack.enter_context(
                open_receiver(tmp_path, *behaviours, certificate=certificate)
            )
            database = tmp_path / "x.sqlite3"
            database.write_bytes(migrated_sqlite.read_bytes())
            clock = Moment()
            workspace = stack.enter_context(
                open_workspace(
                    f"sqlite:///{database}",
                    tmp_path,
                    plugins=[HurriedPlugin(receiver)],
                    blocked_plugins=["https"],
                    clock=clock,
                )
            )
            return Scene(workspace, receiver, clock)

        yield scene


def test_a_delivery_arrives_and_verifies(scene: Open) -> None:
    opened = scene(answering(202, [], b"thanks"))

    delivery = opened.send()

    [received] = opened.receiver.received
    Verifier(opened.secret).verify(
        received.body, {name.lower(): value for name, value in received.headers}
    )
    [attempt] = delivery["attempts"]
    assert delivery["status"] == "succeeded"
    assert (attempt["statusCode"], attempt["responseBody"]) == (202, "thanks")
    assert received.header("webhook-id") == delivery["id"]


NO_ANSWER: dict[str, tuple[Behaviour, tuple[str, ...]]] = {
    "hangs": (hanging, ("timeout",)),
    "hangs with the request": (hanging_after_the_request, ("timeout",)),
    "a byte at a time": (
        trickling(b"H", b"TTP/1.1 200 OK\r\n" * 9, 0.05),
        ("timeout",),
    ),
    "closes": (closing, ("tls_failed",)),
    "resets": (resetting, ("tls_failed", "connection_failed")),
    "resets with the request": (resetting_after_the_request, ("connection_lost",)),
    "resets in the answer": (resetting_in_the_answer, ("connection_lost",)),
    "no HTTP": (saying(b"220 mail.example.com ESMTP\r\n"), ("bad_answer",)),
}


@pytest.mark.parametrize(
    ("behaviour", "errors"), NO_ANSWER.values(), ids=NO_ANSWER.keys()
)
def test_without_an_answer_it_is_tried_again(
    scene: Open, behaviour: Behaviour, errors: tuple[str, ...]
) -> None:
    opened = scene(behaviour, answering(204))

    first = opened.send()
    opened.wait_until(first["nextAttemptAt"])
    second = opened.send()

    [failed] = first["attempts"]
    assert (first["status"], failed["statusCode"]) == ("pending", None)
    assert failed["error"] in errors
    assert failed["durationMs"] < 2000
    assert (second["status"], second["id"]) == ("succeeded", first["id"])
    assert [each["number"] for each in second["attempts"]] == [1, 2]


CERTIFICATES: dict[str, Certify] = {
    "expired": lambda by: by.certificate(HOST, begins=-3 * HOUR, ends=-2 * HOUR),
    "signed by itself": lambda by: by.certificate(HOST, self_signed=True),
    "of another host": lambda by: by.certificate("example.com"),
}


@pytest.mark.parametrize("certify", CERTIFICATES.values(), ids=CERTIFICATES.keys())
def test_a_certificate_that_is_not_good_gets_no_delivery(
    scene: Open, certify: Callable[[Authority], Path]
) -> None:
    opened = scene(answering(204), certificate=certify)

    delivery = opened.send()

    assert (delivery["status"], delivery["attempts"][0]["error"]) == (
        "pending",
        "tls_failed",
    )
    assert opened.receiver.received == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(
    scene: Open, status: int, tmp_path: Path
) -> None:
    (tmp_path / "inside").mkdir()
    with open_receiver(tmp_path / "inside") as inside:
        opened = scene(answering(status, [("Location", inside.url())]))

        delivery = opened.send()

    assert delivery["status"] == "pending"
    assert delivery["attempts"][0]["statusCode"] == status
    assert (opened.receiver.connections, inside.connections) == (1, 0)


@pytest.mark.parametrize("code", [200, 500])
def test_a_gigabyte_as_an_answer_is_cut(scene: Open, code: int) -> None:
    head = f"HTTP/1.1 {code} As told\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode()
    opened = scene(flooding(head, b"a" * (1 << 20), 1024))

    delivery = opened.send()

    assert delivery["status"] == {200: "succeeded", 500: "pending"}[code]
    assert delivery["attempts"][0]["responseBody"] == "a" * 1024
    assert opened.receiver.sent_bytes < GIGABYTE // 16


def test_a_packed_answer_is_not_unpacked(scene: Open) -> None:
    opened = scene(answering(200, [("Content-Encoding", "gzip")], b"\x1f\x8b" * 5000))

    delivery = opened.send()

    assert delivery["status"] == "succeeded"
    assert len(delivery["attempts"][0]["responseBody"]) == 1024


def test_410_switches_the_webhook_off(scene: Open) -> None:
    opened = scene(answering(410))

    delivery = opened.send()
    webhook = opened.webhook()

    assert delivery["status"] == "failed"
    assert delivery["nextAttemptAt"] is None
    assert (webhook["isActive"], webhook["disabledReason"]) == (False, "gone")


def at(clock: Moment, seconds: float) -> str:
    return f"{clock.now + timedelta(seconds=seconds):%a, %d %b %Y %H:%M:%S GMT}"


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        (lambda clock: "0", 4, 5),
        (lambda clock: "-1", 4, 5),
        (lambda clock: "soon", 4, 5),
        (lambda clock: "", 4, 5),
        (lambda clock: "7", 7, 7),
        (lambda clock: "600", 8, 10),
        (lambda clock: "864000", 8, 10),
        (lambda clock: "9" * 50, 8, 10),
        (lambda clock: at(clock, 7), 6, 7.1),
        (lambda clock: at(clock, 10**7), 8, 10),
        (lambda clock: at(clock, -60), 4, 5),
    ],
)
def test_retry_after_lengthens_the_wait_to_twice_the_plan_at_most(
    scene: Open, asked: Callable[[Moment], str], least: float, most: float
) -> None:
    opened = scene()
    told = asked(opened.clock)
    opened.receiver.behaviours = [answering(429, [("Retry-After", told)])]

    delivery = opened.send()

    planned = datetime.fromisoformat(delivery["nextAttemptAt"].replace("Z", "+00:00"))
    wait = (planned - opened.clock.now).total_seconds()
    assert delivery["attempts"][0]["statusCode"] == 429
    assert least - 0.01 <= wait <= most + 0.01


def test_after_six_attempts_it_has_failed(scene: Open) -> None:
    opened = scene(hanging, resetting, answering(500), closing, answering(302))

    delivery = opened.send()
    for _ in range(5):
        assert delivery["status"] == "pending"
        opened.wait_until(delivery["nextAttemptAt"])
        delivery = opened.send()

    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert [each["number"] for each in delivery["attempts"]] == [1, 2, 3, 4, 5, 6]
    assert {each.header("webhook-id") for each in opened.receiver.received} == {
        delivery["id"]
    }
    opened.clock.now += timedelta(days=1)
    assert opened.workspace.send_webhooks() == 0


def test_a_private_address_is_refused_when_a_webhook_is_made(
    sqlite_workspace: Workspace,
) -> None:
    project = sqlite_workspace.project()
    path = f"/projects/{project['id']}/webhooks"

    for url in (
        "https://127.0.0.1/",
        "https://localhost/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://1.1.1.1:8443/",
        "https://me@1.1.1.1/",
        "http://1.1.1.1/",
    ):
        body = {"url": url, "eventTypes": ["key.created"]}
        refused = sqlite_workspace.owner.post(path, json=body)
        assert (refused.status, refused.error["code"]) == (400, "url_not_allowed")
        assert refused.error["message"].startswith("url: ")
    assert sqlite_workspace.owner.get(path).data["total"] == 0
