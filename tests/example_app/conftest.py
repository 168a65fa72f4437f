"""Starts the example app as its user does: a process of its own."""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

READY_SECONDS = 120  # machines that run tests are busy


class App:
    """One running example app."""

    def __init__(self, process: "subprocess.Popen[str]", data_dir: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        self.demo_file = data_dir / "demo.json"
        self.printed = ""

    @property
    def demo(self) -> dict[str, str]:
        demo: dict[str, str] = json.loads(self.demo_file.read_text())
        return demo

    @property
    def manifest(self) -> dict[str, Any]:
        path = f"/content/{self.demo['publicKey']}/manifest.json"
        with urlopen(f"{self.demo['baseUrl']}{path}", timeout=10) as answer:
            manifest: dict[str, Any] = json.load(answer)
        return manifest

    def wait_until_ready(self) -> None:
        """Read what it prints, up to its last line."""
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while "Ctrl-C stops" not in self.printed:
            line = lines.get(timeout=READY_SECONDS)
            if not line:
                raise AssertionError(self.printed + self.stop()[1])
            self.printed += line

    def _read(self, lines: "queue.Queue[str]") -> None:
        for line in self.process.stdout or ():
            lines.put(line)
        lines.put("")

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send the signal; the exit code, and what stood on stderr."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=30)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()


@contextmanager
def launching() -> Iterator[Callable[..., App]]:
    """What starts apps and waits for nothing; they are killed when the block ends."""
    apps: list[App] = []

    def launch(
        data_dir: Path, *arguments: str, port: int = 0, cwd: str = "/", **environ: str
    ) -> App:
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("LOCFRAMEWORK_")
        }
        command = [sys.executable, "-m", "example_app", "--port", str(port)]
        process = subprocess.Popen(
            [*command, "--data-dir", str(data_dir), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=clean | environ,
        )
        apps.append(App(process, data_dir))
        return apps[-1]

    yield launch
    for app in apps:
        app.process.kill()
        app.process.wait()
        for pipe in (app.process.stdout, app.process.stderr):
            if pipe is not None:
                pipe.close()


class Finished(NamedTuple):
    """An app after its first start: what was there, what it said, what it left."""

    data_dir: Path
    printed: str
    demo: dict[str, str]
    manifest: dict[str, Any]
    status: int
    told: str  # on stderr

    def copy_to(self, data_dir: Path) -> None:
        shutil.copytree(self.data_dir, data_dir, dirs_exist_ok=True)


@pytest.fixture
def launch() -> Iterator[Callable[..., App]]:
    """``launch(data_dir, …)`` starts the app and waits for nothing."""
    with launching() as launch:
        yield launch


@pytest.fixture
def start_app(launch):
    """``start_app(data_dir, …)`` starts the app and waits until it serves."""

    def start(data_dir: Path, *arguments: str, **options: str) -> App:
        app = launch(data_dir, *arguments, **options)
        app.wait_until_ready()
        return app

    return start


@pytest.fixture
def start_again(start_app, finished):
    """``start_again(data_dir)`` starts it where there is a copy of a finished demo."""

    def start(data_dir: Path) -> App:
        finished.copy_to(data_dir)
        return start_app(data_dir)

    return start


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """For tests of what comes after a first start; nobody serves its base URL again."""
    with launching() as launch:
        app = launch(tmp_path_factory.mktemp("finished") / "data")
        app.wait_until_ready()
        demo, manifest = app.demo, app.manifest
        status, told = app.stop()
    nowhere = {**demo, "baseUrl": "http://127.0.0.1:9/api/v1"}
    app.demo_file.write_text(json.dumps(nowhere))
    return Finished(app.data_dir, app.printed, demo, manifest, status, told)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app after its first start, for tests that only read."""
    with launching() as launch:
        app = launch(tmp_path_factory.mktemp("first") / "data")
        app.wait_until_ready()
        yield app
