"""A disk that fails is not covered up: no wrong bytes, no success that was none."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

World = Any  # tests/faults/conftest.py


@contextmanager
def failing_syncs(pid: int, which: str) -> Iterator[None]:
    """Let some of the process's syncs fail while the block runs."""
    strace = ["strace", "-f", "-p", str(pid), "-o", "/dev/null"]
    fault = f"inject=fdatasync,fsync:error=EIO:when={which}"
    command = [*strace, "-e", "trace=fdatasync,fsync", "-e", fault]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    if "attached" not in tracer.stderr.readline():
        tracer.wait()
        pytest.skip("strace may not attach to a process here")
    try:
        yield
    finally:
        tracer.terminate()
        tracer.communicate()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace lets syncs fail")
def test_a_write_whose_sync_fails_is_not_acknowledged(sqlite_world: World) -> None:
    world = sqlite_world
    project = world.workspace.project()
    path = f"/projects/{project['id']}/keys"
    server = world.start()
    client = world.owner(server)
    client.get("/tokens/self")
    time.sleep(0.2)  # for the use of the token to be noted
    answers = {}

    with failing_syncs(server.pid, "3+4"):
        for number in range(40):
            answers[f"k{number}"] = client.post(path, {"key": f"k{number}"})

    statuses = Counter(answer.status for answer in answers.values())
    assert set(statuses) == {201, 503}
    assert statuses[503] >= 5
    stored = world.workspace.framework.storage.keys.names_of(project["id"])
    for name, answer in answers.items():
        assert (name in stored) == (answer.status == 201)
    assert client.post(path, {"key": "after"}).status == 201
    server.kill()
    world.check_database()
    stored = world.workspace.framework.storage.keys.names_of(project["id"])
    assert len(stored) == statuses[201] + 1


@pytest.mark.parametrize("damage", ["flipped", "cut off", "empty", "gone"])
def test_a_damaged_file_is_503_and_never_other_bytes(
    sqlite_world: World, damage: str
) -> None:
    world, owner = sqlite_world, sqlite_world.workspace.owner
    project = world.workspace.project(languages=["de"])
    world.workspace.key(project, "a", values={"en": "Pay", "de": "Zahlen"})
    body = {"name": "Web", "format": "json-nested"}
    path = f"/projects/{project['id']}/distributions"
    made = owner.post(path, json=body).data["distribution"]
    world.workspace.run_jobs()
    client = world.start().client()
    manifest = f"/content/{made['publicKey']}/manifest.json"
    bad, good = client.get(manifest).json["files"]
    name = bad["url"].rpartition("/")[2]
    file = world.blobs / name[:2] / name
    content = file.read_bytes()
    assert client.get(bad["url"]).content == content

    file.chmod(0o640)
    file.unlink()
    if damage == "flipped":
        file.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    elif damage != "gone":
        file.write_bytes(content[:-1] if damage == "cut off" else b"")
    answer = client.get(bad["url"])

    assert (answer.status, answer.json) == (503, {"error": "unavailable"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert client.get(good["url"]).status == 200
    assert client.get(manifest).status == 200
    file.write_bytes(content)
    assert client.get(bad["url"]).content == content
