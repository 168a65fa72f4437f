"""One key, one value written, and a manifest by hand: the least our promises cost.

One function an answer, on bare Falcon, with the same statements: the token is judged
by its owner's role, requests are counted exactly for a minute and measured for
Prometheus, each has an id, a paused distribution is not there, and delivery is metered.
No areas, no records, no plugins, no other routes, and no error but 404.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_hex
from typing import Any

import falcon
import msgspec
import peers
from prometheus_client import CollectorRegistry, Counter, Histogram

from locframework.access.permissions import ROLES
from locframework.fields import new_id, timestamp
from locframework.http.rate_limit import MemoryWindows
from locframework.keys.records import VALUE_BYTES, Key, KeyValue, NewValue
from locframework.languages import fold
from locframework.quality.check import Checks, Subject
from locframework.quality.checks import BUILT_IN

NO_LIMIT = 10**9
VALUE = peers.KEY  # where the columns of a value begin
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_encode = msgspec.json.Encoder().encode


class _Measured:
    """The id of each request, and its time."""

    def __init__(self, route: str) -> None:
        labels, registry = ("method", "route", "status"), CollectorRegistry()
        self._route = route
        self._requests = Counter("requests", "Requests", labels, registry=registry)
        self._seconds = Histogram("seconds", "Time", labels[:2], registry=registry)
        self._children: dict[tuple[str, str], tuple[Counter, Histogram]] = {}

    def process_request(self, request: falcon.Request, _: falcon.Response) -> None:
        request.env["begun"] = time.perf_counter()

    def process_response(
        self, request: falcon.Request, response: falcon.Response, *_: object
    ) -> None:
        response.set_header("X-Request-Id", token_hex(12))
        response.set_header("X-Content-Type-Options", "nosniff")
        place = request.method, response.status
        if place not in self._children:
            labels = request.method, self._route, response.status[:3]
            of_time = self._seconds.labels(*labels[:2])
            self._children[place] = self._requests.labels(*labels), of_time
        requests, seconds = self._children[place]
        requests.inc()
        seconds.observe(time.perf_counter() - request.env["begun"])


class _Asked:
    """The statements of a request, one after the other, on a connection a thread."""

    def __init__(self, url: str, statements: Sequence[peers.Statement]) -> None:
        self._url = url
        self._statements = [sql for sql, _ in statements]
        self._local = threading.local()
        self._windows = MemoryWindows()

    def rows(self, at: int, *params: str) -> list[Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = peers.connect(self._url)
        found: list[Any] = connection.execute(self._statements[at], params).fetchall()
        return found

    def count(self, key: str) -> list[tuple[str, str]]:
        """Count the request; the three headers that tell of it."""
        window = self._windows.take(key, NO_LIMIT)
        if not window.is_accepted:
            raise falcon.HTTPTooManyRequests
        return window.headers(time.time())


class _OneKey(_Asked):
    def on_get(
        self, request: falcon.Request, response: falcon.Response, project: str, key: str
    ) -> None:
        token, grants = self._holder(request.env.get("HTTP_AUTHORIZATION", ""))
        response.set_headers(self.count(f"token:{token}"))
        if not _ID.fullmatch(project) or not _ID.fullmatch(key):
            raise falcon.HTTPNotFound
        projects = self.rows(1, project)
        if not projects or not _may(
            grants, "translation_read", projects[0][2], project
        ):
            raise falcon.HTTPNotFound
        rows = self.rows(2, project, project, key)
        if not rows:
            raise falcon.HTTPNotFound
        content = _encode({"key": _key(project, rows)})
        response.set_header("ETag", f'"{sha256(content).hexdigest()[:32]}"')
        response.set_header("Cache-Control", "no-store")
        response.content_type = peers.JSON
        response.data = b'{"success":true,"data":' + content + b"}"

    def _holder(self, header: str) -> tuple[str, list[Any]]:
        """The id of the token, and what it may do in each organization."""
        text = header.removeprefix("Bearer ")
        rows = self.rows(0, sha256(text.encode()).hexdigest())
        if not rows:
            raise falcon.HTTPUnauthorized
        token, expires_at, revoked_at = rows[0][0], rows[0][7], rows[0][16]
        is_over = expires_at and datetime.fromisoformat(expires_at) <= datetime.now(UTC)
        if revoked_at is not None or is_over:
            raise falcon.HTTPUnauthorized
        allowed = frozenset(json.loads(rows[0][4]))
        grants = [
            (row[17], ROLES[row[18]] & allowed, json.loads(row[20])) for row in rows
        ]
        return token, grants


def _may(grants: list[Any], permission: str, organization: str, project: str) -> bool:
    return any(
        mine == organization
        and permission in permissions
        and (projects is None or project in projects)
        for mine, permissions, projects in grants
    )


def _key(project: str, rows: list[Any]) -> Key:
    values = [
        (code, form, text, state, old) for *_, code, text, state, form, old in rows
    ]
    return _key_of(project, rows[0], values)


def _key_of(project: str, row: Sequence[Any], values: list[Any]) -> Key:
    id_, key, description, tags, is_plural, url, file, *_ = row
    created, updated = row[VALUE - 2 : VALUE]
    return Key(
        id=id_,
        project_id=project,
        key=key,
        description=description,
        tags=tuple(json.loads(tags)),
        is_plural=bool(is_plural),
        screenshot_url=url,
        screenshot_file_id=file,
        key_source="main",
        created_at=created,
        updated_at=updated,
        values=[
            KeyValue(code, text, status, form, bool(is_outdated))
            for code, form, text, status, is_outdated in values
            if code is not None
        ],
    )


class _PutValue(_OneKey):
    """Writes a value as a translator does: pending review, in one transaction.

    ``statements`` are those of such a request of ours; their constants are taken over.
    """

    def __init__(self, url: str, statements: Sequence[peers.Statement]) -> None:
        super().__init__(url, statements)
        self._params = [list(params) for _, params in statements]
        self._at = {
            table: next(at for at, sql in enumerate(self._statements) if begin in sql)
            for table, begin in _WRITES.items()
        }
        self._is_sqlite = url.startswith("sqlite:")
        self._checks = Checks({check.name: check for check in BUILT_IN})

    def on_put(
        self,
        request: falcon.Request,
        response: falcon.Response,
        project: str,
        key: str,
        language: str,
    ) -> None:
        token, grants = self._holder(request.env.get("HTTP_AUTHORIZATION", ""))
        response.set_headers(self.count(f"token:{token}"))
        if not _ID.fullmatch(project) or not _ID.fullmatch(key):
            raise falcon.HTTPNotFound
        text = msgspec.json.decode(request.bounded_stream.read(), type=NewValue).value
        assert isinstance(text, str)
        if len(text.encode()) > VALUE_BYTES:
            raise falcon.HTTPBadRequest
        projects = self.rows(1, project)
        permission = "translation_write"
        if not projects or not _may(grants, permission, projects[0][2], project):
            raise falcon.HTTPNotFound
        connection, source = self._local.connection, projects[0][5]
        connection.execute("BEGIN" if self._is_sqlite else _SNAPSHOT)
        rows = self.rows(2, project, key)
        connection.execute("COMMIT")
        if not rows:
            raise falcon.HTTPNotFound
        texts = {row[VALUE]: row[VALUE + 2] for row in rows}
        assert not self._checks.findings(
            Subject(rows[0][1], language, {None: text}, source, {None: texts[source]})
        )
        [old] = [row for row in rows if row[VALUE] == language]
        now = timestamp(datetime.now(UTC))
        connection.execute("BEGIN IMMEDIATE" if self._is_sqlite else "BEGIN")
        self._write(connection, key, old[VALUE:], text, now)
        connection.execute("COMMIT")
        new = (language, None, text, "pending_review", False)
        values = [new if row is old else row[VALUE : VALUE + 5] for row in rows]
        made = _key_of(project, (*rows[0][: VALUE - 1], now), values)
        response.set_header("Cache-Control", "no-store")
        response.content_type = peers.JSON
        response.data = b'{"success":true,"data":' + _encode({"key": made}) + b"}"

    def _write(self, connection: Any, key: str, old: Any, text: str, now: str) -> None:
        seq = 0
        for at in range(3, len(self._statements)):
            params = self._params[at]
            if at == self._at["keys"]:
                params = [now, *params[1:-1], old[10]]
            elif at == self._at["value_revisions"]:
                [params] = params
                params = [*params[:2], old[2], *params[3:5], old[5], *params[6:]]
                params[10] = old[10]
            elif at == self._at["key_values"]:
                params = [*params[:2], text, *params[3:5], old[5] + 1, *params[6:]]
                params[10], params[-2] = now, fold(text)
            elif at == self._at["language_counts"]:
                params = [*params[:-1], now]
            elif at == self._at["events"]:
                [item] = json.loads(params[10])
                items = _encode([{**item, "revision": old[5] + 1}]).decode()
                params = [new_id(), *params[1:7], now, *params[8:10], items]
            elif at == self._at["event_keys"]:
                params = [key, seq, None]
            cursor = connection.execute(self._statements[at], params)
            if at == self._at["keys"]:
                assert len(cursor.fetchall()) == 1
            elif at == self._at["events"]:
                [(_, seq, *_)] = cursor.fetchall()
            elif cursor.description is not None:
                cursor.fetchall()


_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITES = {
    "keys": "UPDATE keys SET updated_at",
    **{
        table: f"INSERT INTO {table} ("
        for table in (
            "value_revisions", "key_values", "language_counts", "events", "event_keys"
        )
    },
}  # fmt: skip


class _Manifest(_Asked):
    def __init__(
        self, url: str, statements: Sequence[peers.Statement], body: bytes, etag: str
    ) -> None:
        super().__init__(url, statements)
        self._held = body, etag
        self._lock = threading.Lock()
        self._delivered: dict[tuple[str, str], tuple[int, int]] = {}

    def on_get(
        self, request: falcon.Request, response: falcon.Response, key: str
    ) -> None:
        response.set_header("Access-Control-Allow-Origin", "*")
        response.set_header("Access-Control-Expose-Headers", "ETag, Retry-After")
        self.count(f"ip:{request.env.get('REMOTE_ADDR', '')}")
        rows = self.rows(0, key)
        if not rows or rows[0][5] == "paused":
            raise falcon.HTTPNotFound
        body, etag = self._held
        response.set_header("ETag", etag)
        response.set_header("Cache-Control", "public, max-age=60")
        response.set_header("X-Service-Release", str(rows[0][7]))
        is_known = request.env.get("HTTP_IF_NONE_MATCH") == etag
        self._meter(rows[0][1], 0 if is_known else len(body))
        if is_known:
            response.status = falcon.HTTP_304
            return
        response.content_type = peers.JSON
        response.data = body

    def _meter(self, organization: str, sent: int) -> None:
        place = datetime.now(UTC).strftime("%Y-%m"), organization
        with self._lock:
            requests, size = self._delivered.get(place, (0, 0))
            self._delivered[place] = requests + 1, size + sent


def key_app(url: str, statements: Sequence[peers.Statement]) -> Any:
    """One key, below the path that ours has."""
    path = "/api/v1/projects/{project}/keys/{key}"
    app = falcon.App(middleware=[_Measured(path)])
    app.add_route(path, _OneKey(url, statements))
    return app


def put_app(url: str, statements: Sequence[peers.Statement]) -> Any:
    """One value, below the path that ours has."""
    path = "/api/v1/projects/{project}/keys/{key}/values/{language}"
    app = falcon.App(middleware=[_Measured(path)])
    app.add_route(path, _PutValue(url, statements))
    return app


def manifest_app(
    url: str, statements: Sequence[peers.Statement], body: bytes, etag: str
) -> Any:
    """The manifest, below the path that ours has."""
    path = "/api/v1/content/{key}/manifest.json"
    app = falcon.App(middleware=[_Measured(path)])
    app.add_route(path, _Manifest(url, statements, body, etag))
    return app
