"""Disks that are full or fail: writes are refused with 503, and nothing is lost."""

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from itertools import count

import pytest

from locframework.http.records import Upload

MIB = 1024 * 1024
SIZE = 16 * MIB


class Disk:
    """A small file system of its own."""

    def __init__(self, folder):
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, *, leave=0):
        """Leave so many bytes free."""
        with self._filler.open("wb", buffering=0) as file:
            room = os.statvfs(self.folder).f_bavail * os.statvfs(self.folder).f_frsize
            os.posix_fallocate(file.fileno(), 0, max(1, room - leave))

    def make_room(self):
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path):
    """Skips where nobody may mount; root may, in most containers and in CI."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system of a fixed size can be mounted here")
    yield Disk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def is_full(answer):
    """Whether it is the one right refusal."""
    if answer.status != 503:
        return False
    assert answer.error["code"] == "unavailable", answer
    assert int(answer.headers["Retry-After"] or "") > 0
    assert b"/" not in answer.error["message"].encode()
    return True


def upload(client, path, keys):
    texts = {f"new.key{number}": f"Text {number} " * 10 for number in range(keys)}
    file = Upload("en.json", json.dumps(texts).encode(), "application/json")
    return client.post(f"{path}/import", files={"file": file})


@pytest.fixture
def full_world(disk, migrated_sqlite, make_world):
    """Database and files on the small disk."""
    copy = disk.folder / migrated_sqlite.name
    shutil.copy(migrated_sqlite, copy)
    return make_world(f"sqlite:///{copy}", disk.folder)


def test_a_full_disk_refuses_writes_serves_reads_and_loses_nothing(full_world, disk):
    world, owner = full_world, full_world.workspace.owner
    project = world.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    world.workspace.key(project, "first", values={"en": "First", "de": "Erster"})
    body = {"name": "Web", "format": "json-nested"}
    made = owner.post(f"{path}/distributions", json=body).data["distribution"]
    world.workspace.run_jobs()
    manifest = f"/content/{made['publicKey']}/manifest.json"
    client = world.owner(world.start())
    disk.fill(leave=MIB // 2)
    acknowledged = ["first"]

    for number in count():
        name = f"key{number}"
        values = {"en": "x" * 4000, "de": "y" * 4000}
        answer = client.post(f"{path}/keys", {"key": name, "values": values})
        if is_full(answer):
            break
        assert answer.status == 201, answer
        acknowledged.append(name)

    assert len(acknowledged) > 3
    distribution, called = f"{path}/distributions/{made['id']}", "Web"
    for number in count():  # where a large write had no room a small one may have some
        body = {"name": f"Web {number}"}
        answer = client.request("PATCH", distribution, json_body=body)
        if is_full(answer):
            break
        assert answer.status == 200, answer
        called = body["name"]
    writes = [
        client.post(f"{path}/keys", {"key": "late", "values": {"en": "x" * 9000}}),
        client.post(
            f"{path}/keys/bulk", {"keys": [{"key": f"l{n}"} for n in range(99)]}
        ),
        client.post(f"{distribution}/releases", {}),
        upload(client, path, 100),
    ]
    assert [answer.status for answer in writes if not is_full(answer)] == []
    reads = [
        client.get(path),
        client.get(f"{path}/keys"),
        client.get(f"{path}/keys", query={"search": "first", "include": "values"}),
        client.get(manifest),
        client.get("/tokens/self"),
        client.get("/readyz"),
    ]
    assert [answer.status for answer in reads] == [200] * len(reads)
    [file] = client.get(manifest).json["files"][:1]
    assert client.get(file["url"]).status == 200
    names = world.workspace.framework.storage.keys.names_of
    assert sorted(names(project["id"])) == sorted(acknowledged)
    assert client.get(distribution).data["distribution"]["name"] == called

    disk.make_room()

    assert client.post(f"{path}/keys", {"key": "late"}).status == 201
    assert client.job(upload(client, path, 50))["status"] == "succeeded"
    release = client.post(f"{distribution}/releases", {})
    assert client.job(release)["status"] == "succeeded"
    assert client.get(manifest).json["release"]["version"] == 2
    assert len(names(project["id"])) == len(acknowledged) + 1 + 50
    world.check_database()


@pytest.fixture
def world_of_full_files(database_url, disk, make_world):
    """Only the files are on the small disk."""
    return make_world(database_url, disk.folder)


def test_without_room_for_files_a_release_waits_and_the_old_one_stays(
    world_of_full_files, disk
):
    world, owner = world_of_full_files, world_of_full_files.workspace.owner
    project = world.workspace.project()
    path = f"/projects/{project['id']}"
    world.workspace.key(project, "first", values={"en": "First"})
    body = {"name": "Web", "format": "json-nested"}
    made = owner.post(f"{path}/distributions", json=body).data["distribution"]
    world.workspace.run_jobs()
    manifest = f"/content/{made['publicKey']}/manifest.json"
    server = world.start()
    client = world.owner(server)
    keys = [{"key": f"k{n}", "values": {"en": "x" * 400}} for n in range(500)]
    assert client.post(f"{path}/keys/bulk", {"keys": keys}).status == 200
    disk.fill()

    assert is_full(upload(client, path, 100))
    accepted = client.post(f"{path}/distributions/{made['id']}/releases", {})
    assert accepted.status == 202

    def state():
        found = client.get(manifest)
        assert client.get(found.json["files"][0]["url"]).status == 200
        [job, *_] = client.get(f"{path}/jobs").data["items"]
        return found.json["release"]["version"], job["status"]

    world.wait_until(lambda: state() == (1, "running"))
    time.sleep(0.5)  # for it to meet the full disk; it stays as it is then
    assert state() == (1, "running")
    disk.make_room()
    assert server.stop() == 0
    client = world.owner(world.start())  # else it is tried again when its lease is out

    assert client.job(accepted)["status"] == "succeeded"
    assert state() == (2, "succeeded")


# a disk that fails is not covered up: no wrong bytes, no success that was none


@contextmanager
def failing_syncs(pid, which):
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
def test_a_write_whose_sync_fails_is_not_acknowledged(sqlite_world):
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
def test_a_damaged_file_is_503_and_never_other_bytes(sqlite_world, damage):
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
