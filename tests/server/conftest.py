"""The service as operators run it: alone, and as two processes behind nginx."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

NGINX_CONF = Path(__file__).parents[2] / "docs/deploy/nginx.conf"
REDIS = os.environ.get("LOCFRAMEWORK_TEST_REDIS", "redis://127.0.0.1:6379/15")
PROGRAM = Path(sys.executable).with_name("locframework")
SECONDS = 60.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def status_of(port: int, path: str = "/healthz", *, source: str = "127.0.0.1") -> int:
    """Return the status of a GET on a new connection."""
    connection = HTTPConnection(
        "127.0.0.1", port, timeout=SECONDS, source_address=(source, 0)
    )
    try:
        connection.request("GET", f"/api/v1{path}")
        return connection.getresponse().status
    finally:
        connection.close()


class Site:
    """Processes of ``locframework serve`` on one database; ``port`` is for clients."""

    def __init__(self, folder: Path, stack: ExitStack, processes: int) -> None:
        self.folder, self._stack = folder, stack
        self.ports = [free_port() for _ in range(processes)]
        self.processes = [self.start(port) for port in self.ports]
        for port in self.ports:
            wait_until_served(port)
        self.port = self.ports[0]

    def start(self, port: int) -> "subprocess.Popen[bytes]":
        """Start the process of a port."""
        shared = {"LOCFRAMEWORK_RATE_LIMIT_STORAGE": REDIS}
        environment = {**os.environ, "LOCFRAMEWORK_SERVER__TRUSTED_PROXY": "127.0.0.1"}
        if len(self.ports) > 1:
            environment.update(shared)
        process = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(port)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def wait_until_served(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            if status_of(port) == 200:
                return
        except (OSError, HTTPException):
            pass
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.1)


def start_nginx(site: Site, stack: ExitStack) -> None:
    """Start nginx with the shipped configuration, on other ports and folders."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            pytest.fail("nginx is not installed")
        pytest.skip("nginx is not installed")
    site.port = free_port()
    temp = site.folder / "nginx"
    temp.mkdir()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {temp}/{kind};\n" for kind in kinds)
    text = NGINX_CONF.read_text()
    for old, new in [
        ("127.0.0.1:8081", f"127.0.0.1:{site.ports[0]}"),
        ("127.0.0.1:8082", f"127.0.0.1:{site.ports[1]}"),
        ("listen 80 default_server", f"listen 127.0.0.1:{site.port}"),
        ("/var/cache/locframework", f"{temp}/cache"),
        ("http {\n", f"http {{\n{folders}"),
    ]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = temp / "nginx.conf"
    file.write_text(text)
    options = f"daemon off; pid {temp}/pid; error_log {temp}/error.log;"
    if os.geteuid() == 0:  # else a worker is another user, who cannot enter the folder
        options += " user root root;"
    command = [nginx, "-p", str(temp), "-c", str(file), "-g", options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    wait_until_served(site.port)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two processes behind nginx."""
    with ExitStack() as stack:
        site = Site(tmp_path_factory.mktemp("proxied"), stack, 2)
        start_nginx(site, stack)
        yield site


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One process, which clients reach directly."""
    with ExitStack() as stack:
        yield Site(tmp_path_factory.mktemp("alone"), stack, 1)


@pytest.fixture(params=["alone", "proxied"])
def site(request: pytest.FixtureRequest) -> Site:
    found: Site = request.getfixturevalue(request.param)
    return found
