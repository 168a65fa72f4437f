"""Host applications with ours mounted at /loc, each asked through its own stack."""

from __future__ import annotations

import asyncio
import json as json_library
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.headers import Headers
from wsgiref.types import WSGIApplication

import pytest

from locframework import OPERATOR, Framework, Settings, create_app
from locframework.access.records import NewToken
from locframework.fields import new_id
from locframework.testing.client import Answer, Client

DATABASE = "l10n.sqlite3"
MOUNT = "/loc"
PAGE = b"the host's own page"

Ask = Callable[..., Answer]


def settings_in(folder: Path, **settings: Any) -> Settings:
    tree: dict[str, Any] = {
        "start_scheduler": False,
        "plugins": {
            "peewee": {"database": f"sqlite:///{folder}/{DATABASE}"},
            "disk": {"folder": f"{folder}/blobs"},
            "rapidfuzz": {"folder": f"{folder}/matching"},
        },
    }
    return Settings.of({**tree, **settings})


def new_token(framework: Framework, name: str = "Skerry Ferries") -> str:
    """The token of the owner of a new organization."""
    organization, owner = framework.organizations.create_organization(
        name, f"{name.split()[0]}@example.com"
    )
    new = NewToken("embedding")
    return framework.tokens.create_for_member(OPERATOR, organization.id, owner.id, new)[
        1
    ]


class Mounted:
    """Our app inside a host; paths are those of the host, or whole URLs."""

    def __init__(self, framework: Framework, ask: Ask, origin: str) -> None:
        self.framework = framework
        self.origin = origin  # how clients reach the host, "http://127.0.0.1:8000"
        self.api = f"{origin}{MOUNT}/api/v1"
        self.token = new_token(framework)
        self._ask = ask

    def __call__(
        self,
        method: str,
        url: str,
        *,
        json: object = None,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Answer:
        sent = {"Authorization": f"Bearer {token or self.token}", **(headers or {})}
        if json is not None:
            content = json_library.dumps(json).encode()
            sent["Content-Type"] = "application/json"
        url = url if url.startswith("http") else self.api + url
        assert url.startswith(self.origin), f"{url} is not at {self.origin}"
        return self._ask(method, url.removeprefix(self.origin), content, sent)

    def project(self) -> str:
        body = {"name": f"Shop {new_id()}", "sourceLanguage": "en"}
        made = self("POST", "/projects", json=body).data["project"]
        return f"/projects/{made['id']}"

    def published(self, project: str) -> dict[str, Any]:
        body = {"name": "Web", "format": "json-nested"}
        made = self("POST", f"{project}/distributions", json=body)
        self.framework.runner.run_until_idle()
        distribution: dict[str, Any] = made.data["distribution"]
        return distribution


@contextmanager
def flask_host(app: WSGIApplication) -> Iterator[tuple[Ask, str]]:
    from flask import Flask
    from werkzeug.middleware.dispatcher import DispatcherMiddleware
    from werkzeug.serving import make_server

    host = Flask("host")
    host.add_url_rule("/", view_func=lambda: PAGE)
    host.wsgi_app = DispatcherMiddleware(host.wsgi_app, {MOUNT: app})
    with served(make_server("127.0.0.1", 0, host, threaded=True)) as origin:
        yield over_http(origin), origin


@contextmanager
def django_host(app: WSGIApplication) -> Iterator[tuple[Ask, str]]:
    from django.conf import settings
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.test import override_settings
    from django.urls import path

    if not settings.configured:  # once a process, whoever comes first
        settings.configure(ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None)
    own_page = path("", lambda request: HttpResponse(PAGE))
    middleware = ["django.middleware.common.CommonMiddleware"]

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"].startswith(f"{MOUNT}/"):
            environ["SCRIPT_NAME"] += MOUNT
            environ["PATH_INFO"] = environ["PATH_INFO"].removeprefix(MOUNT)
            return app(environ, start_response)
        return site(environ, start_response)

    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler, ipv6=False)
    server.set_app(application)
    with override_settings(ROOT_URLCONF=(own_page,), MIDDLEWARE=middleware):
        site = get_wsgi_application()
        with served(server) as origin:
            yield over_http(origin), origin


@contextmanager
def fastapi_host(app: WSGIApplication) -> Iterator[tuple[Ask, str]]:
    import httpx
    from a2wsgi import WSGIMiddleware
    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse

    host = FastAPI()
    host.get("/", response_class=PlainTextResponse)(lambda: PAGE.decode())
    host.mount(MOUNT, WSGIMiddleware(app))
    origin = "http://localhost:8100"

    async def send(
        method: str, path: str, content: bytes, headers: Mapping[str, str]
    ) -> httpx.Response:
        stack = httpx.ASGITransport(app=host)
        async with httpx.AsyncClient(transport=stack, base_url=origin) as client:
            return await client.request(
                method, path, content=content, headers=dict(headers)
            )

    def ask(*request: Any) -> Answer:
        got = asyncio.run(send(*request))
        return Answer(got.status_code, Headers(list(got.headers.items())), got.content)

    yield ask, origin


HOSTS = {"flask": flask_host, "django": django_host, "fastapi": fastapi_host}


@contextmanager
def served(server: Any) -> Iterator[str]:
    """A server of the standard library's kind, in a thread; where it is reached."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def over_http(origin: str) -> Ask:
    def ask(
        method: str, path: str, content: bytes, headers: Mapping[str, str]
    ) -> Answer:
        connection = HTTPConnection(urlsplit(origin).netloc, timeout=20)
        try:
            connection.request(method, path, content or None, dict(headers))
            got = connection.getresponse()
            return Answer(got.status, Headers(got.getheaders()), got.read())
        finally:
            connection.close()

    return ask


@contextmanager
def mounted(host: str, folder: Path, **settings: Any) -> Iterator[Mounted]:
    """A framework of its own, mounted in a host of the kind."""
    with Framework(settings_in(folder, **settings)) as framework:
        framework.migrate()
        with HOSTS[host](create_app(framework)) as (ask, origin):
            yield Mounted(framework, ask, origin)


@pytest.fixture(scope="module", params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    """The name of each kind of host."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def loc(host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounted]:
    with mounted(host, tmp_path_factory.mktemp("loc")) as here:
        yield here


@pytest.fixture
def open_mounted(host: str, tmp_path: Path) -> Callable[..., Any]:
    """Opens another framework in a host of the same kind, with settings."""
    return lambda **settings: mounted(host, tmp_path, **settings)


@pytest.fixture
def open_framework(
    tmp_path: Path, migrated_sqlite: Path
) -> Iterator[Callable[..., Framework]]:
    """Opens frameworks, each on a database of its own, migrated."""
    with ExitStack() as closing:

        def open_framework(*plugins: object, **settings: Any) -> Framework:
            folder = tmp_path / new_id()
            folder.mkdir()
            shutil.copy(migrated_sqlite, folder / DATABASE)
            framework = Framework(settings_in(folder, **settings), plugins)
            closing.enter_context(framework).migrate()
            return framework

        yield open_framework


@pytest.fixture
def client_of() -> Callable[..., Client]:
    """A client of a framework's app, with the token of a new organization's owner."""

    def client_of(framework: Framework, token: str | None = None) -> Client:
        return Client(create_app(framework), token or new_token(framework))

    return client_of
