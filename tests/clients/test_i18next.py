"""i18next reads what we publish, and renders plurals right in Russian and Arabic."""

import io
import json
import subprocess
import threading
import zipfile
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from locframework.http.records import Upload

from .conftest import installed

pytestmark = pytest.mark.judge

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
    def log_message(self, format, *args):
        """Say nothing."""


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """The folder of an installed script."""
    return installed(SCRIPTS, tmp_path_factory.mktemp("i18next"))


@pytest.fixture
def address(sqlite_workspace):
    app = sqlite_workspace.app
    with make_server("127.0.0.1", 0, app, Threaded, Quiet) as server:
        serve = server.serve_forever
        thread = threading.Thread(target=serve, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1"
        server.shutdown()


@pytest.mark.node
def test_i18next_renders_published_plurals_in_russian_and_arabic(
    sqlite_workspace, address, node
):
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

    manifest = f"{address}/content/{made['publicKey']}/manifest.json"

    assert asked(node, "read.js", manifest, questions) == [
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


@pytest.mark.node
def test_i18next_finds_namespaces_in_a_release_by_module(
    sqlite_workspace, address, node
):
    workspace, names = sqlite_workspace, ("common", "errors", "shop")
    project = workspace.project(languages=["de", "fr"])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        for code in ("en", "de", "fr"):
            for name in names:
                texts = {"title": f"{name} {code}", "say hello!": f"Hi {name} {code}"}
                files.writestr(f"locales/{code}/{name}.json", json.dumps(texts))
    upload = {"file": Upload("locales.zip", archive.getvalue(), "application/zip")}
    path = f"/projects/{project['id']}"
    workspace.job_of(workspace.owner.post(f"{path}/import", files=upload))
    new = {"name": "Web", "format": "json-i18next", "splitByModule": True}
    made = workspace.owner.post(f"{path}/distributions", json=new).data["distribution"]
    workspace.run_jobs()
    keys = [f"{name}:{key}" for name in names for key in ("title", "say hello!")]
    manifest = f"{address}/content/{made['publicKey']}/manifest.json"

    found = asked(node, "namespaces.js", manifest, [["de", key] for key in keys])

    assert found == [text for name in names for text in (f"{name} de", f"Hi {name} de")]


def asked(node, script, manifest, questions):
    """What the script prints, as JSON."""
    done = subprocess.run(
        ["node", script, manifest, json.dumps(questions)],
        cwd=node,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
