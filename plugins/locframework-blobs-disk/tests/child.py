"""What the tests run in processes of their own: ``child.py TASK FOLDER``."""

import os
import sys
from collections.abc import Iterator
from hashlib import sha256

from locframework_blobs_disk import DiskBlobStore, DiskSettings


def main(task: str, folder: str) -> None:
    """Do the task; each line told is the name of a blob that is kept."""
    store = DiskBlobStore(DiskSettings(folder))
    for content in TASKS[task]():
        name = sha256(content).hexdigest()
        store.put(name, content)
        os.write(1, f"{name}\n".encode())


def endless() -> Iterator[bytes]:
    """New contents for ever."""
    while True:
        yield os.urandom(100_000)


TASKS = {"put_for_ever": endless, "put_two": lambda: [b"first", b"second"]}

if __name__ == "__main__":
    main(*sys.argv[1:])
