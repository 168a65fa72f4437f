"""Killed processes, failing disks and damage leave no blob but whole ones."""

import errno
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings

from locframework.ports import Unavailable

CHILD = Path(__file__).parent / "child.py"
CONTENT = b"as it was put"
NAME = sha256(CONTENT).hexdigest()
SECOND = sha256(b"second").hexdigest()


@pytest.fixture
def folder(tmp_path):
    """Where the blobs go; not there yet."""
    return tmp_path / "data" / "blobs"


@pytest.fixture
def store(folder):
    """A store over ``folder``."""
    return DiskBlobStore(DiskSettings(str(folder)))


@pytest.fixture
def file(folder, store):
    """The file of a blob that was put and read."""
    store.put(NAME, CONTENT)
    assert store.get(NAME) == CONTENT
    return folder / NAME[:2] / NAME


def start_child(task, folder, under=()):
    command = [*under, sys.executable, str(CHILD), task, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_process_leaves_whole_blobs_only(folder, store):
    acknowledged = set()
    rounds = 0

    # on a fast disk most kills come between two puts: go on until one came in a put
    while rounds < 5 or (rounds < 100 and not list((folder / "incoming").iterdir())):
        rounds += 1
        children = [start_child("put_for_ever", folder) for _ in range(4)]
        for child in children:
            assert child.stdout is not None
            acknowledged.add(child.stdout.readline().strip())
        for child in children:
            time.sleep(random.uniform(0.001, 0.03))
            child.kill()
        for child in children:
            assert child.stdout is not None
            with child.stdout as told:  # communicate() would lose what readline() took
                acknowledged.update(told.read().split("\n")[:-1])
            child.wait(timeout=30)

    kept = set(store.names())
    assert len(acknowledged) >= 20
    assert kept >= acknowledged
    for name in kept:
        assert sha256((folder / name[:2] / name).read_bytes()).hexdigest() == name
    assert list((folder / "incoming").iterdir()), "no kill came in the middle of a put"


@pytest.mark.skipif(not shutil.which("strace"), reason="strace shows the system calls")
def test_a_blob_is_durable_before_it_is_seen_and_seen_durably_before_put_returns(
    folder, tmp_path
):
    calls = "trace=mkdir,fsync,rename,write"
    strace = ("strace", "-y", "-o", str(tmp_path / "trace"), "-e", calls)
    child = start_child("put_two", folder, under=strace)
    told = child.communicate(timeout=60)[0]
    if child.returncode and not told:
        pytest.skip("strace may not trace here")
    trace = (tmp_path / "trace").read_text()

    folders_then_their_names = (
        rf'mkdir\("{folder}/ff",',
        rf"fsync\(\d+<{folder}>\)",
        rf"fsync\(\d+<{folder.parent}>\)",
    )
    assert re.search(".*".join(folders_then_their_names), trace, re.DOTALL)
    steps = (
        rf"write\(\d+<{folder}/incoming/{SECOND}",
        rf"fsync\(\d+<{folder}/incoming/{SECOND}",
        rf'rename\(.*"{folder}/{SECOND[:2]}/{SECOND}"\)',
        rf"fsync\(\d+<{folder}/{SECOND[:2]}>\)",
        rf'write\(1<.*, "{SECOND[:20]}',
    )
    assert re.search(".*".join(steps), trace, re.DOTALL)


@pytest.mark.parametrize("at", [1, 2])  # the file, and the folder that names it
def test_a_failing_disk_is_never_acknowledged(folder, file, store, at):
    synced = []

    def failing(descriptor):
        synced.append(descriptor)
        if len(synced) == at:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(Unavailable) as refusal:
            store.put(SECOND, b"second")

    told = f"the blob {SECOND} cannot be kept: Input/output error"
    assert refusal.value.message == told
    assert list((folder / "incoming").iterdir()) == []
    store.put(SECOND, b"second")
    assert store.get(SECOND) == b"second"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two MiB. Skips where nobody may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system of a fixed size can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def refused_put(store, content):
    """Put what cannot be kept; return the reason that is told."""
    name = sha256(content).hexdigest()
    with pytest.raises(Unavailable) as refusal:
        store.put(name, content)
    assert not store.has(name)
    assert store.get(name) is None
    told = f"the blob {name} cannot be kept: "
    assert refusal.value.message.startswith(told)
    return refusal.value.message.removeprefix(told)


def test_a_full_disk_keeps_nothing_half_written(small_disk):
    store = DiskBlobStore(DiskSettings(str(small_disk / "blobs")))
    store.put(NAME, CONTENT)
    large = os.urandom(3 * 2**20)

    for _ in range(2):
        assert refused_put(store, large) == "No space left on device"

    assert list((small_disk / "blobs" / "incoming").iterdir()) == []
    assert list(store.names()) == [NAME]
    store.put(SECOND, b"second")  # what the failed put took is free again
    assert (store.get(NAME), store.get(SECOND)) == (CONTENT, b"second")


def test_a_file_that_is_cut_off_while_it_is_written_is_not_kept(folder, file, store):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        reason = refused_put(store, bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert reason == "File too large"
    assert list((folder / "incoming").iterdir()) == []
    store.put(sha256(bytes(100_000)).hexdigest(), bytes(100_000))
    assert len(list(store.names())) == 2


@pytest.mark.parametrize("since", ["the start", "a put"])
def test_a_folder_that_is_read_only_refuses_puts_and_serves_what_is_there(
    small_disk, since
):
    store = DiskBlobStore(DiskSettings(str(small_disk / "blobs")))
    store.put(NAME, CONTENT)
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True)  # root may write whatever chmod says
    if since == "the start":
        store = DiskBlobStore(DiskSettings(str(small_disk / "blobs")))

    assert refused_put(store, b"second") == "Read-only file system"
    with pytest.raises(Unavailable, match="cannot be deleted: Read-only file system"):
        store.delete(NAME)
    assert (list(store.names()), store.get(NAME)) == ([NAME], CONTENT)
    assert list((small_disk / "blobs" / "incoming").iterdir()) == []


DAMAGES: list[Callable[[Path], object]] = [
    lambda file: file.write_bytes(CONTENT.replace(b"put", b"pat")),
    lambda file: file.write_bytes(CONTENT + b"!"),
    lambda file: os.truncate(file, 5),
    lambda file: os.truncate(file, 0),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_and_logged_with_its_place_and_mended_by_a_put(
    file, store, damage, caplog
):
    damage(file)

    with pytest.raises(Unavailable) as refusal:
        store.get(NAME)

    message = f"the blob {NAME} cannot be read: its content is damaged"
    assert refusal.value.message == message
    assert str(file.parent.parent) in caplog.text
    store.put(NAME, CONTENT)
    assert store.get(NAME) == CONTENT


def test_putting_a_whole_blob_again_does_not_write_it_anew(file, store):
    before = file.stat()

    store.put(NAME, CONTENT)

    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_orphans_of_killed_processes_are_swept_at_the_first_put(folder, file):
    old, young = (folder / "incoming" / f"{NAME}.{age}" for age in ("old", "young"))
    for orphan in (old, young):
        orphan.write_bytes(b"as it")
    hour_ago = time.time() - 3601
    os.utime(old, (hour_ago, hour_ago))

    later = DiskBlobStore(DiskSettings(str(folder)))
    later.put(SECOND, b"second")

    assert not old.exists()
    assert young.exists()


def test_strangers_in_the_folder_are_not_taken_for_blobs(folder, file, store):
    (folder / "index.html").touch()
    (file.parent / f"{NAME}.old").touch()
    elsewhere = "00" if file.parent.name != "00" else "01"
    (folder / elsewhere / NAME).touch()

    assert list(store.names()) == [NAME]


def test_folders_that_were_removed_come_back(folder, file, store):
    shutil.rmtree(folder)
    assert store.get(NAME) is None

    store.put(NAME, CONTENT)

    assert store.get(NAME) == CONTENT
