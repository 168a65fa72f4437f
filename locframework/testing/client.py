"""Asks a WSGI app in the same process, as tests of plugins and embedders do."""

from __future__ import annotations

import json as json_library
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partialmethod
from typing import Any
from urllib.parse import unquote_to_bytes, urlencode, urlsplit
from wsgiref.headers import Headers

from falcon.testing import StartResponseMock, closed_wsgi_iterable, create_environ
from msgspec import UNSET

from locframework.http.encoding import Texts, multipart, pairs
from locframework.http.records import Upload as Upload  # for tests to import

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

PREFIX = "/api/v1"


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: Headers, content: bytes) -> None:
        self.status = status
        self.headers = headers  # names in any letter case; None when absent
        self.content = content

    def __repr__(self) -> str:
        return f"<{self.status} {self.content[:200]!r}>"

    @property
    def json(self) -> Any:
        """The whole body."""
        return json_library.loads(self.content)

    @property
    def data(self) -> Any:
        """What is in the envelope of a success. Raises AssertionError otherwise."""
        if self.status >= 400:
            raise AssertionError(self)
        return self.json["data"]

    @property
    def error(self) -> Any:
        """``code``, ``message``, ``details`` of a refusal; AssertionError otherwise."""
        if self.status < 400:
            raise AssertionError(self)
        return self.json["error"]


def patiently(ask: Callable[[], Answer], tries: int = 20) -> Answer:
    """What is answered in the end: a 503 wrote nothing, and is asked again when its
    ``Retry-After`` is over."""
    for _ in range(tries):
        answer = ask()
        if answer.status != 503:
            break
        assert answer.error["code"] == "unavailable", answer
        time.sleep(float(str(answer.headers["Retry-After"])))
    return answer


class Client:
    """Sends requests to an app, always with the same token."""

    def __init__(
        self,
        app: WsgiApp,
        token: str | None = None,
        *,
        script_name: str = "",
        remote_address: str = "127.0.0.1",
    ) -> None:
        """``script_name`` is where the app is mounted, "" for nowhere special."""
        self.app = app
        self.token = token
        self.script_name = script_name
        self.remote_address = remote_address

    def with_token(self, token: str | None) -> Client:
        """The same client, with another token."""
        return Client(
            self.app,
            token,
            script_name=self.script_name,
            remote_address=self.remote_address,
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = UNSET,
        content: bytes | None = None,
        form: Texts | None = None,
        files: Mapping[str, Upload] | None = None,
        query: Texts | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request.

        ``path`` is below ``/api/v1`` ("/projects"), or a whole URL that an answer
        named. The body is one of ``json``, ``content`` (as it is), or ``form`` with
        ``files`` (multipart). ``None`` values of ``query`` are left out.
        """
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if json is not UNSET:
            content = json_library.dumps(json).encode()
            sent.setdefault("Content-Type", "application/json")
        elif form is not None or files is not None:
            content, media_type = multipart(form or {}, files or {})
            sent.setdefault("Content-Type", media_type)
        return self._call(self._environ(method, path, query or {}, sent, content))

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    put = partialmethod(request, "PUT")
    patch = partialmethod(request, "PATCH")
    delete = partialmethod(request, "DELETE")

    def _environ(
        self,
        method: str,
        path: str,
        query: Texts,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> dict[str, Any]:
        parts = urlsplit(path)
        below = parts.path.removeprefix(self.script_name)
        if not (parts.netloc or below.startswith(PREFIX + "/")):
            below = PREFIX + below
        environ = create_environ(
            query_string="&".join(filter(None, [parts.query, urlencode(pairs(query))])),
            method=method,
            headers=headers,
            body=content or b"",
            host="localhost",
            root_path=self.script_name,
            remote_addr=self.remote_address,
        )
        environ["PATH_INFO"] = unquote_to_bytes(below).decode("latin-1")
        return environ

    def _call(self, environ: dict[str, Any]) -> Answer:
        start = StartResponseMock()
        content = b"".join(closed_wsgi_iterable(self.app(environ, start)))
        status = int((start.status or "").split()[0])
        return Answer(status, Headers(list(start.headers or [])), content)
