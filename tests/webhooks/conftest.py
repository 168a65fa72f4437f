"""A receiver in this process, the transport that reaches it, and a project."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
import pytest
from standardwebhooks import Webhook as Verifier

from locframework import hookimpl
from locframework.errors import UrlNotAllowed
from locframework.ports import Answer, Post
from locframework.testing.workspace import Workspace, open_workspace
from locframework.webhooks.event_schemas import EventTypes

URL = "https://receiver.example/hook"
EVERYTHING = ["key.created", "key.deleted", "translation.updated"]
OK = (204, {}, b"")
FAIL = (500, {}, b"broken")
GONE = (410, {}, b"gone")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


class Received:
    """One request that came in."""

    def __init__(self, post: Post) -> None:
        self.path = urlsplit(post.url).path
        self.headers = {name.lower(): value for name, value in post.headers}
        self.body = post.body
        self.at = time.time()

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> Any:
        return json.loads(self.body)

    def verify(self, secret: str) -> None:
        """Raise WebhookVerificationError for a wrong signature."""
        Verifier(secret).verify(self.body, self.headers)


class Receiver:
    """Takes webhooks, and is the plugin and the transport that bring them.

    ``answers`` are those to the next requests; later ones get 204.
    """

    name = "loopback"
    url = URL

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.on_request: Callable[[Received], object] = lambda received: None

    @hookimpl
    def loc_provide_transports(self) -> list[Receiver]:
        return [self]

    def check_url(self, url: str) -> None:
        if not url.startswith(URL):
            raise UrlNotAllowed(f"only {URL} is reached here")

    def send(self, post: Post) -> Answer:
        received = Received(post)
        self.received.append(received)
        self.on_request(received)
        status, headers, body = self.next_answer()
        return Answer(status, None, 1, headers.get("Retry-After"), body)

    def next_answer(self) -> tuple[int, dict[str, str], bytes]:
        return self.answers.pop(0) if self.answers else OK


class Hooked:
    """A project with languages de and fr, and its webhooks, over HTTP."""

    def __init__(self, workspace: Workspace, receiver: Receiver) -> None:
        self.workspace = workspace
        self.receiver = receiver
        self.owner = workspace.owner
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        self.webhooks = f"{self.path}/webhooks"

    def create(self, **fields: object) -> tuple[dict[str, Any], str]:
        """A webhook of the receiver, and its secret."""
        body = {"url": self.receiver.url, "eventTypes": EVERYTHING, **fields}
        made = self.owner.post(self.webhooks, json=body)
        assert made.status == 201, made
        return made.data["webhook"], made.data["signingSecret"]

    def get(self, webhook: dict[str, Any]) -> dict[str, Any]:
        path = f"{self.webhooks}/{webhook['id']}"
        found: dict[str, Any] = self.owner.get(path).data["webhook"]
        return found

    def key(self, name: str, **fields: object) -> dict[str, Any]:
        return self.workspace.key(self.project, name, **fields)

    def log(self, webhook: dict[str, Any], **query: object) -> list[dict[str, Any]]:
        """The deliveries, newest first."""
        path = f"{self.webhooks}/{webhook['id']}/deliveries"
        found = self.owner.get(path, query=query)
        assert found.status == 200, found
        items: list[dict[str, Any]] = found.data["items"]
        return items

    def replay(self, webhook: dict[str, Any], delivery_id: str) -> Any:
        path = f"{self.webhooks}/{webhook['id']}/deliveries/{delivery_id}/replay"
        return self.owner.post(path)

    def send(self) -> list[Received]:
        """Send what is due; what the receiver got of it."""
        before = len(self.receiver.received)
        self.workspace.send_webhooks()
        return self.receiver.received[before:]


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@contextmanager
def open_hooked(
    url: str, folder: Path, receiver: Receiver, **settings: Any
) -> Iterator[Hooked]:
    more = {"webhook_transport": "loopback", **settings}
    with open_workspace(
        url, folder, plugins=["json", "pseudo", receiver], **more
    ) as workspace:
        yield Hooked(workspace, receiver)


@pytest.fixture
def hooked(database_url: str, tmp_path: Path, receiver: Receiver) -> Iterator[Hooked]:
    """A project and a receiver, on SQLite and on PostgreSQL; sends when asked."""
    with open_hooked(database_url, tmp_path, receiver) as hooked:
        yield hooked


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(
    database_url: str, tmp_path: Any, receiver: Receiver, clock: Clock
) -> Iterator[Hooked]:
    """As ``hooked``, by the clock of the test."""
    with open_hooked(database_url, tmp_path, receiver, clock=clock) as hooked:
        yield hooked


def without_others(schema: Any) -> Any:
    """The schema without room for further properties."""
    if isinstance(schema, list):
        return [without_others(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: without_others(each) for name, each in schema.items()}
    return {**found, "additionalProperties": False} if "properties" in schema else found


TYPES = {each.type: each for each in EventTypes().shown}
SCHEMAS = {type_: without_others(each.schema) for type_, each in TYPES.items()}


class EventRecorder:
    """A project with a webhook for all events: records what an operation sends."""

    def __init__(self, hooked: Hooked) -> None:
        self.hooked = hooked
        self.owner, self.path = hooked.owner, hooked.path
        self.workspace = hooked.workspace
        hooked.create(eventTypes=list(TYPES), branches=["*"])
        self.translator = self.workspace.client("translator")

    def after(self, *acts: Callable[[], Any]) -> list[str]:
        """The types of the events of the acts, in alphabetical order."""
        self.hooked.send()
        for act in acts:
            answer = act()
            assert answer.status < 400, answer
        self.workspace.run_jobs()
        self.received = self.hooked.send()
        for each in self.received:
            jsonschema_rs.validate(SCHEMAS[each.payload["type"]], each.payload)
        return sorted(each.payload["type"] for each in self.received)

    def items(self, type_: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for each in self.received:
            if each.payload["type"] == type_:
                found += each.payload["data"]["items"]
        return found

    def branches(self) -> set[str | None]:
        return {each.payload["data"]["branch"] for each in self.received}

    def act(self, method: str, path: str, client: Any = None, **how: Any) -> Any:
        """A request to be made later. A path with // in front is not of the project."""
        call = getattr(client or self.owner, method)
        where = path[1:] if path.startswith("//") else self.path + path
        return lambda: call(where, **how)

    def post(self, path: str, body: Any = None, **how: Any) -> Callable[[], Any]:
        return self.act("post", path, json=body or {}, **how)

    def patch(self, path: str, body: Any) -> Callable[[], Any]:
        return self.act("patch", path, json=body)

    def delete(self, path: str) -> Callable[[], Any]:
        return self.act("delete", path)

    def value(self, key: Any, lang: str, text: Any, client: Any = None) -> Any:
        path = f"/keys/{key['id']}/values/{lang}"
        return self.act("put", path, client, json={"value": text})


@pytest.fixture
def events(hooked: Hooked) -> EventRecorder:
    return EventRecorder(hooked)
