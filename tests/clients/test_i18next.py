"""i18next reads what we publish, and renders plurals right in Russian and Arabic."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from locframework.testing.workspace import Workspace

from .conftest import installed

SCRIPTS = Path(__file__).parent / "i18next"

RUSSIAN = {"one": "{count} файл", "few": "{count} файла", "many": "{count} файлов"}
ARABIC = {
    "zero": "لا ملفات",
    "one": "ملف واحد",
    "two": "ملفان",
    "few": "{count} ملفات",
    "many": "{count} ملفًا",
    "other": "{count} ملف",
}


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an installed script."""
    return installed(SCRIPTS, tmp_path_factory.mktemp("i18next"))


@pytest.fixture
def address(sqlite_workspace: Workspace) -> Iterator[str]:
    app = sqlite_workspace.app
    with make_server("127.0.0.1", 0, app, Threaded, Quiet) as server:
        serve = server.serve_forever
        thread = threading.Thread(target=serve, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1"
        server.shutdown()


@pytest.mark.node
def test_i18next_renders_published_plurals_in_russian_and_arabic(
    sqlite_workspace: Workspace, address: str, node: Path
) -> None:
    workspace = sqlite_workspace
    project = workspace.project(languages=["ru", "ar"])
    russian = {**RUSSIAN, "other": "{count} файла"}
    workspace.key(
        project,
        "files.count",
        isPlural=True,
        values={
            "en": {"one": "{count} file", "other": "{count} files"},
            "ru": russian,
            "ar": ARABIC,
        },
    )
    workspace.key(project, "greeting", values={"en": "Hello {name}", "ru": "Привет"})
    made = workspace.owner.post(
        f"/projects/{project['id']}/distributions",
        json={"name": "Web", "format": "json-i18next"},
    ).data["distribution"]
    workspace.run_jobs()
    questions = [
        *(["ru", "files.count", {"count": n}] for n in (1, 2, 5, 11, 21, 1.5)),
        *(["ar", "files.count", {"count": n}] for n in (0, 1, 2, 3, 11, 100)),
        ["en", "greeting", {"name": "Ada"}],
    ]

    done = subprocess.run(
        [
            "node",
            "read.js",
            f"{address}/content/{made['publicKey']}/manifest.json",
            json.dumps(questions),
        ],
        cwd=node,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        "1 файл",
        "2 файла",
        "5 файлов",
        "11 файлов",
        "21 файл",
        "1.5 файла",
        "لا ملفات",
        "ملف واحد",
        "ملفان",
        "3 ملفات",
        "11 ملفًا",
        "100 ملف",
        "Hello Ada",
    ]
