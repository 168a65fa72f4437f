"""What a later start finds: after a good first one, and after one that was cut off."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from base64 import b64encode
from urllib.request import Request, urlopen

import pytest

pytestmark = pytest.mark.kill


def ask(app, path, method="GET", **body):
    headers = {"Authorization": f"Bearer {app.demo['token']}"}
    if body:
        headers["Content-Type"] = "application/json"
    data = json.dumps(body).encode() if body else None
    url = f"{app.demo['baseUrl']}{path}"
    request = Request(url, data, headers, method=method)
    with urlopen(request, timeout=10) as answer:
        return json.load(answer)["data"]


def test_help_shows_commands_that_work_before_anything_is_installed():
    command = [sys.executable, "-m", "example_app", "--help"]

    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert told.startswith("Usage: python3 dev.py run [OPTIONS]\n")
    assert "\n    python3 dev.py run --port 8081" in told
    assert "python -m" not in told


def test_a_second_start_keeps_the_data_and_prints_all_but_the_token(
    start_again, finished, tmp_path
):
    second = start_again(tmp_path)
    with sqlite3.connect(tmp_path / "locframework.sqlite3") as database:
        stored = "\n".join(database.iterdump())

    before, after = finished.demo, second.demo
    assert (finished.status, "Traceback" in finished.told) == (0, False)
    assert "owner token" in finished.printed
    assert "owner token" not in second.printed
    for text in (second.printed, finished.told, stored):
        assert before["token"] not in text
    assert after["baseUrl"] in second.printed
    assert {**after, "baseUrl": ""} == {**before, "baseUrl": ""}
    assert second.manifest["release"] == finished.manifest["release"]
    assert ask(second, "/projects")["total"] == 1
    status, told = second.stop(signal.SIGINT)
    assert (status, "Traceback" in told) == (0, False)


def test_a_second_start_in_the_same_folder_is_refused(launch, tmp_path):
    starts = [launch(tmp_path / "data"), launch(tmp_path / "data")]
    refused, served = starts
    deadline = time.monotonic() + 30
    while refused.process.poll() is None:
        assert time.monotonic() < deadline
        refused, served = served, refused
        time.sleep(0.05)
    told = refused.process.stderr.read()
    served.wait_until_ready()

    assert refused.process.returncode == 2
    assert told.startswith(f"Error: another process serves {tmp_path / 'data'}; ")
    assert_complete(served)


def test_the_data_may_be_anywhere_and_a_settings_file_wins(start_app, tmp_path):
    data_dir = tmp_path / "with spaces & ünïcode %41"
    file = tmp_path / "my.toml"
    file.write_text(f'[plugins.disk]\nfolder = "{tmp_path}/files"\n')

    app = start_app(data_dir, "--settings", str(file), cwd=str(tmp_path))

    names = {path.name for path in data_dir.iterdir()}
    assert names >= {"demo.json", "locframework.sqlite3"}
    assert "blobs" not in names
    assert {path.name for path in tmp_path.iterdir()} == {
        data_dir.name,
        "files",
        "my.toml",
    }
    assert ask(app, "/projects")["total"] == 1


@pytest.mark.parametrize(
    ("kept", "fault"),
    [(None, "is missing"), (b64encode(bytes(32)) + b"\n", "holds another key")],
)
def test_a_lost_webhook_key_is_named_and_no_other_is_put_in_its_place(
    launch, start_again, tmp_path, kept, fault
):
    app = start_again(tmp_path)
    hook = {"url": "https://93.184.215.14/", "eventTypes": ["key.created"]}
    ask(app, f"/projects/{app.demo['projectId']}/webhooks", "POST", **hook)
    app.stop()
    key = tmp_path / "webhooks.key"
    key.unlink()
    if kept is not None:
        key.write_bytes(kept)

    told = launch(tmp_path).process.communicate(timeout=60)[1]

    assert told.startswith(f"Error: {key} {fault}: restore the one ")
    assert told.count("\n") == 1
    assert (key.read_bytes() if key.exists() else None) == kept


def test_a_busy_port_is_told_in_one_line_before_anything_is_made(
    launch, start_app, tmp_path
):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        app = launch(tmp_path / "data", port=port)
        status = app.process.wait(timeout=60)
        told = app.process.stderr.read()

    assert list(tmp_path.iterdir()) == []
    assert status == 2
    assert told.startswith(f"Error: cannot listen on 127.0.0.1 port {port}: ")
    assert told.count("\n") == 1
    assert told.count(str(port)) == 1
    assert "owner token" in start_app(tmp_path / "data").printed


def test_a_wrong_settings_file_is_told_in_one_line(launch, tmp_path):
    app = launch(tmp_path, "--settings", str(tmp_path / "nowhere.toml"))

    told = app.process.communicate(timeout=30)[1]

    assert app.process.returncode == 2
    assert told.startswith("Error: settings: cannot read ")
    assert told.count("\n") == 1


CRASHES = [  # one is left to the default run
    "job.after_claim#1",
    "import.before_commit#2",
    "import.after_job#8",
    "import.after_commit#13",
    "ai_translate.after_step#2",
    "release.after_blobs",
    "release.after_commit",
]


@pytest.mark.parametrize(
    "point",
    [CRASHES[0], *(pytest.param(p, marks=pytest.mark.kill) for p in CRASHES[1:])],
)
def test_a_first_start_that_died_is_completed_by_the_next(
    launch, start_app, tmp_path, point
):
    died = launch(tmp_path, LOCFRAMEWORK_CRASH_AT=point)
    status = died.process.wait(timeout=60)

    app = start_app(tmp_path)

    assert status == 137
    assert "owner token" in app.printed
    assert_complete(app)


@pytest.mark.slow
@pytest.mark.kill
def test_a_first_start_that_is_killed_at_any_time_is_completed_by_the_next(
    launch, start_app, tmp_path
):
    for tenths in (3, 6, 8, 10, 13, 17, 22, 28):
        died = launch(tmp_path)
        time.sleep(tenths / 10)
        died.process.kill()
        died.process.wait()

    app = start_app(tmp_path)

    assert_complete(app)


def assert_complete(app):
    """One organization, one project with every key once, one distribution."""
    project = f"/projects/{app.demo['projectId']}"
    keys = ask(app, f"{project}/keys?limit=200&include=values")
    languages = {
        value["languageCode"] for key in keys["items"] for value in key["values"]
    }
    manifest = app.manifest

    assert ask(app, "/organizations")["total"] == 1
    assert ask(app, "/projects")["total"] == 1
    assert ask(app, f"{project}/distributions")["total"] == 1
    assert keys["total"] == 130
    assert len(languages) == len(manifest["languages"]) == 7
    assert sum(bool(key["description"]) for key in keys["items"]) >= 60
    for file in manifest["files"]:
        with urlopen(file["url"], timeout=10) as answer:
            assert len(answer.read()) == file["byteSize"]


def test_a_demo_json_that_was_lost_or_broken_is_made_again(
    start_app, finished, tmp_path
):
    finished.copy_to(tmp_path)
    (tmp_path / "demo.json").write_text('{"token": 7')

    again = start_app(tmp_path)

    before, after = finished.demo, again.demo
    assert "owner token" in again.printed
    assert after["projectId"] == before["projectId"]
    assert after["token"] != before["token"]
    assert_complete(again)


def revoke(app):
    token = ask(app, "/tokens/self")["token"]
    ask(app, f"/tokens/{token['id']}", "DELETE")


def lose_the_file(app):
    app.demo_file.unlink()


def keep_all(app):
    pass


@pytest.mark.parametrize("lose", [keep_all, revoke, lose_the_file])
def test_what_the_user_has_changed_stays(start_again, start_app, tmp_path, lose):
    first = start_again(tmp_path)
    before, manifest = first.demo, first.manifest
    project = f"/projects/{before['projectId']}"
    gone, text, about, *_ = ask(first, f"{project}/keys?tag=button")["items"]
    ask(first, f"{project}/keys/{gone['id']}", "DELETE")
    value = f"{project}/keys/{text['id']}/values/en"
    ask(first, value, "PUT", value="Mine")
    ask(first, f"{project}/keys/{about['id']}", "PATCH", description="", tags=["mine"])
    ask(first, project, "PATCH", name="Ours", mainProtected=True)
    ask(first, "/organization", "PATCH", name="Our ferries")
    lose(first)
    first.stop()

    second = start_app(tmp_path)

    after = ask(second, f"{project}/keys/{about['id']}")["key"]
    assert ("owner token" in second.printed) == (lose is not keep_all)
    assert ask(second, f"{project}/keys")["total"] == 129
    assert ask(second, value)["value"]["value"] == "Mine"
    assert (after["description"], after["tags"]) == ("", ["mine"])
    assert ask(second, "/projects")["total"] == 1
    assert second.demo["projectId"] == before["projectId"]
    assert second.manifest["release"] == manifest["release"]


def test_a_demo_project_that_was_deleted_is_not_made_again(
    start_again, start_app, tmp_path
):
    first = start_again(tmp_path)
    ask(first, f"/projects/{first.demo['projectId']}", "DELETE")
    first.stop()

    second = start_app(tmp_path)

    assert "manifest" not in second.printed
    assert ask(second, "/projects")["total"] == 0
