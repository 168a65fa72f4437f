"""What the tests run in processes of their own: ``child.py TASK FOLDER``."""

import os
import random
import sys
from collections.abc import Iterator
from hashlib import sha256

from locframework_blobs_disk import DiskBlobStore, DiskSettings

from locframework.ports import Unavailable


def main(task: str, folder: str) -> None:
    """Do the task; each line told is one fact for the test."""
    store = DiskBlobStore(DiskSettings(folder))
    for line in TASKS[task](store):
        os.write(1, f"{line}\n".encode())


def put_for_ever(store: DiskBlobStore) -> Iterator[str]:
    """Put new blobs, and tell the name of each one when it is kept."""
    while True:
        yield put(store, os.urandom(100_000))


def put_the_shared(store: DiskBlobStore) -> Iterator[str]:
    """Put the same 40 blobs as every other process, and read each one back."""
    contents = [random.Random(number).randbytes(50_000) for number in range(40)]
    random.shuffle(contents)
    for content in contents:
        name = put(store, content)
        yield "right" if store.get(name) == content else "wrong"


def put_two(store: DiskBlobStore) -> Iterator[str]:
    """Put one blob, then another one twice."""
    for content in (b"first", b"second", b"second"):
        yield attempt(store, content)
        yield str(len(list(store.names())))


def fill_up(store: DiskBlobStore) -> Iterator[str]:
    """Put until nothing more can be kept; then make room for one more."""
    kept: dict[str, bytes] = {}
    while True:
        content = os.urandom(20_000)
        answer = attempt(store, content)
        if answer != "kept":
            break
        kept[sha256(content).hexdigest()] = content
    yield answer
    yield str(len(kept))
    yield str(sorted(store.names()) == sorted(kept))
    yield str(all(store.get(name) == kept[name] for name in kept))
    store.delete(next(iter(kept)))
    yield attempt(store, content)


def use_read_only(store: DiskBlobStore) -> Iterator[str]:
    """Read what ``put_two`` kept, put something new, and put the old again."""
    yield str(store.get(sha256(b"first").hexdigest()) == b"first")
    yield attempt(store, b"as it was put")
    yield attempt(store, b"first")
    yield str(len(list(store.names())))


def attempt(store: DiskBlobStore, content: bytes) -> str:
    """Put, and tell "kept" or the refusal."""
    try:
        put(store, content)
    except Unavailable as refusal:
        return refusal.message
    return "kept"


def put(store: DiskBlobStore, content: bytes) -> str:
    """Put under the right name, and give the name."""
    name = sha256(content).hexdigest()
    store.put(name, content)
    return name


TASKS = {
    task.__name__: task
    for task in (put_for_ever, put_the_shared, put_two, fill_up, use_read_only)
}

if __name__ == "__main__":
    main(*sys.argv[1:])
