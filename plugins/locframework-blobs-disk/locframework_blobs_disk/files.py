"""Reads and writes files so that what is done stays done after a power cut."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from tempfile import TemporaryFile

FOLDER_MODE = 0o750
FILE_MODE = 0o640  # the group may read: a static server in front


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """A descriptor of the folder; OSError when its last part is a symbolic link."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_file(folder: int, name: str) -> tuple[bytes, os.stat_result]:
    """The regular file's content, and what it was just before it was read.

    OSError for anything else of this name, a symbolic link too.
    """
    # O_NONBLOCK: a pipe planted here must not hang us
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=folder)
    try:
        found = os.fstat(descriptor)
        if not S_ISREG(found.st_mode):
            raise OSError(errno.EIO, "it is not a regular file")
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            return file.read(), found
    finally:
        os.close(descriptor)


@contextmanager
def write_file(folder: int, stem: str, content: bytes) -> Iterator[str]:
    """The name of a new file of ``folder`` with ``content``, synced.

    The file is gone when the block ends, unless the block has renamed it.
    """
    name = f"{stem}.{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        yield name
    finally:
        with suppress(OSError):  # renamed; or the reason why we are here tells more
            os.unlink(name, dir_fd=folder)


def make_folder(path: Path) -> None:
    """Make the folder and its parents where they are missing.

    FileNotFoundError where none can be made although its parent is there: in /proc.
    """
    with suppress(FileExistsError):
        try:
            os.mkdir(path, FOLDER_MODE)
        except FileNotFoundError:
            make_folder(path.parent)
            os.mkdir(path, FOLDER_MODE)


def require_possible(folder: Path) -> None:
    """Raise OSError for a folder that is not there and cannot be made; makes none."""
    if not folder.exists():
        require_writable(folder)


def require_writable(folder: Path) -> None:
    """Raise OSError where no file can be made in the folder, or in the one above that
    it would be made in. Leaves nothing behind."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    TemporaryFile(dir=there).close()


def sync_with_parents(folder: Path) -> None:
    """Sync the entries of ``folder``, and the ones that lead to it.

    All the way up to the mount point, since another process may have made a parent
    a moment ago and not have synced it yet. A parent that we may not open is older.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if not os.path.ismount(folder):
        with suppress(PermissionError):
            sync_with_parents(folder.parent)


def remove_older(folder: Path, modified_before: float) -> int:
    """Remove the folder's files last modified before a Unix time; tell how many."""
    removed = 0
    with open_folder(folder) as descriptor, os.scandir(descriptor) as entries:
        for entry in entries:
            with suppress(OSError):  # another process sweeps too; not worth a failure
                if entry.stat(follow_symlinks=False).st_mtime < modified_before:
                    os.unlink(entry.name, dir_fd=descriptor)
                    removed += 1
    return removed
