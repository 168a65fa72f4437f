"""Killed processes, power cuts and many processes at once leave no half a blob."""

import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from locframework_blobs_disk import DiskBlobStore

StartChild = Callable[..., subprocess.Popen[str]]

SECOND = sha256(b"second").hexdigest()
needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace shows and refuses the system calls"
)


def test_a_killed_process_leaves_whole_blobs_only(
    start_child: StartChild, folder: Path, store: DiskBlobStore
) -> None:
    acknowledged: set[str] = set()
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
        assert sha256(store.get(name) or b"").hexdigest() == name
    assert list((folder / "incoming").iterdir()), "no kill came in the middle of a put"


def test_processes_that_put_the_same_blobs_all_succeed(
    start_child: StartChild, folder: Path, store: DiskBlobStore
) -> None:
    children = [start_child("put_the_shared", folder) for _ in range(4)]
    told = [child.communicate(timeout=60)[0] for child in children]

    assert told == ["right\n" * 40] * 4
    assert len(list(store.names())) == 40
    assert list((folder / "incoming").iterdir()) == []


def traced(start_child: StartChild, folder: Path, *options: str) -> tuple[str, str]:
    """What ``put_two`` told, and its system calls, all or with faults injected."""
    trace = folder.parent.parent / "trace"
    calls = "trace=mkdir,fsync,renameat,renameat2"
    strace = ("strace", "-y", "-o", str(trace), "-e", calls, *options)
    child = start_child("put_two", folder, under=strace)
    told = child.communicate(timeout=60)[0]
    if child.returncode and not told:
        pytest.skip("strace may not trace here")
    return told, trace.read_text()


@needs_strace
def test_a_blob_is_durable_before_it_is_seen_and_seen_durably_before_put_returns(
    start_child: StartChild, folder: Path
) -> None:
    _, trace = traced(start_child, folder, "-e", "trace=mkdir,fsync,renameat,write")

    folders_then_their_names = (
        rf'mkdir\("{folder}/ff",',
        rf"fsync\(\d+<{folder}>\)",
        rf"fsync\(\d+<{folder.parent}>\)",
    )
    assert re.search(".*".join(folders_then_their_names), trace, re.DOTALL)
    steps = (
        rf"write\(\d+<{folder}/incoming/{SECOND}",
        rf"fsync\(\d+<{folder}/incoming/{SECOND}",
        rf'renameat\(.*<{folder}/{SECOND[:2]}>, "{SECOND}"\)',
        rf"fsync\(\d+<{folder}/{SECOND[:2]}>\)",
        r'write\(1<.*, "kept',
    )
    second_put = trace[trace.index(SECOND) - 200 :]
    assert re.search(".*".join(steps), second_put, re.DOTALL)


@needs_strace
def test_a_failing_disk_is_never_acknowledged(
    start_child: StartChild, folder: Path
) -> None:
    _, trace = traced(start_child, folder)
    # the last three: the second blob, its shard, the same shard at the third put
    before = trace.count("fsync(") - 3
    shutil.rmtree(folder)

    told, _ = traced(
        start_child, folder, "-e", f"inject=fsync:error=EIO:when={before + 1}"
    )
    refusal = f"the blob {SECOND} cannot be kept: Input/output error"
    assert told.splitlines() == ["kept", "1", refusal, "1", "kept", "2"]
    assert list((folder / "incoming").iterdir()) == []
    shutil.rmtree(folder)

    told, _ = traced(
        start_child, folder, "-e", f"inject=fsync:error=EIO:when={before + 2}"
    )
    assert told.splitlines() == ["kept", "1", refusal, "2", "kept", "2"]
