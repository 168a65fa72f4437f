"""Keeps blobs as files of a folder: ``ab/ab12…``, 256 folders by two hex digits."""

import errno
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from tempfile import TemporaryFile
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from locframework.ports import Unavailable

log = logging.getLogger(__name__)

FOLDER_MODE = 0o750
FILE_MODE = 0o640  # the group may read: a static server in front
NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)
SHARDS = tuple(f"{number:02x}" for number in range(256))
INCOMING = "incoming"  # files being written; in the same file system as the shards
ORPHAN_SECONDS = 3600  # no put takes that long: its process was killed

# a NUL would pass as text and fail in every system call
FolderName = Annotated[str, Meta(min_length=1, pattern=r"^[^\0]+$")]


class DiskSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the files are, and who else hands them out.

    Raises ValueError for a base URL that blobs could not be reached under.
    """

    folder: FolderName = "data/blobs"  # relative to the folder the process starts in
    public_base_url: str | None = None  # a static server or CDN in front of ``folder``

    def __post_init__(self) -> None:
        if self.public_base_url is not None:
            check_base_url(self.public_base_url)


class DiskBlobStore:
    """The port BlobStore over a local file system that knows rename and fsync.

    Any number of threads and processes may share the folder. There is no lock:
    a blob is written aside and renamed into place when it is whole and durable.
    """

    name = "disk"

    def __init__(self, settings: DiskSettings) -> None:
        self._folder = Path(settings.folder).absolute()
        self._base_url = settings.public_base_url
        self._prepared = False

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content``. A damaged copy of it is replaced by this one."""
        path = self._path_of(name)
        if sha256(content).hexdigest() != name:
            raise ValueError(f"{name} is not the SHA-256 of the content")
        with self._reporting("kept", name):
            if not self._prepared:
                self._prepare()
            try:
                self._keep(path, content)
            except FileNotFoundError:  # somebody removed empty folders
                self._prepare()
                self._keep(path, content)

    def get(self, name: str) -> bytes | None:
        """Return the whole content, compared with its name, or None."""
        path = self._path_of(name)
        with self._reporting("read", name), suppress(FileNotFoundError):
            return _read(path)
        return None

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name; it is not read."""
        path = self._path_of(name)
        with self._reporting("looked for", name), suppress(FileNotFoundError):
            return S_ISREG(path.stat().st_mode)
        return False

    def delete(self, name: str) -> None:
        """Forget the blob. A crash of the machine right after may bring it back."""
        path = self._path_of(name)
        with self._reporting("deleted", name):
            path.unlink(missing_ok=True)

    def names(self) -> Iterator[str]:
        """Yield every name kept, shard by shard."""
        for shard in SHARDS:
            found: list[str] = []
            with self._reporting("listed", f"{shard}…"), suppress(FileNotFoundError):
                found = os.listdir(self._folder / shard)
            for name in found:
                if NAME.fullmatch(name) and name.startswith(shard):
                    yield name

    def public_url(self, name: str) -> str | None:
        """Return the address under ``public_base_url``, which shows the folder."""
        path = self._path_of(name)
        if self._base_url is None:
            return None
        return f"{self._base_url.rstrip('/')}/{path.parent.name}/{name}"

    def require_usable(self) -> None:
        """Raise OSError where no file can be made, now or in a folder made later."""
        for folder in (self._folder, self._folder / INCOMING):
            there = next(each for each in (folder, *folder.parents) if each.exists())
            TemporaryFile(dir=there).close()

    def _path_of(self, name: str) -> Path:
        """Return where the blob is. Raises ValueError for what is no SHA-256."""
        if not NAME.fullmatch(name):
            raise ValueError(f"{name[:80]!r} is not a SHA-256 in lower-case hex digits")
        return self._folder / name[:2] / name

    def _prepare(self) -> None:
        """Make every folder there will ever be, durably, and sweep up after crashes.

        With all shards there from the start, a put has one folder to sync, its own.
        """
        incoming = self._folder / INCOMING
        self._folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        for folder in (incoming, *(self._folder / shard for shard in SHARDS)):
            folder.mkdir(FOLDER_MODE, exist_ok=True)
        _sync_with_parents(self._folder)
        before = time.time() - ORPHAN_SECONDS
        for file in incoming.iterdir():
            with suppress(OSError):  # another process sweeps too
                if file.stat().st_mtime < before:
                    file.unlink()
        self._prepared = True

    def _keep(self, path: Path, content: bytes) -> None:
        try:
            _read(path)
        except OSError:  # missing, damaged or unreadable: a new file mends it
            written = self._folder / INCOMING / f"{path.name}.{os.urandom(8).hex()}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            try:
                with open(os.open(written, flags, FILE_MODE), "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                written.rename(path)
            finally:
                with suppress(OSError):  # it was renamed
                    written.unlink()
        # Also for a file found whole: its bytes were synced before it got its
        # name, but whoever renamed it may not have come to this line yet.
        _sync(path.parent)

    @contextmanager
    def _reporting(self, done: str, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            log.error("blob %s in %s cannot be %s: %s", name, self._folder, done, error)
            # strerror only: str(error) would show a path of the host (decisions 2.10)
            message = f"the blob {name} cannot be {done}: {error.strerror}"
            raise Unavailable(message) from error


def _read(path: Path) -> bytes:
    """Return the content. OSError when there is none, or another than was put."""
    content = path.read_bytes()
    if sha256(content).hexdigest() != path.name:
        raise OSError(errno.EIO, "its content is damaged")
    return content


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_with_parents(folder: Path) -> None:
    """Sync the entries of ``folder``, and the ones that lead to it.

    All the way up to the mount point, since another process may have made a parent
    a moment ago and not have synced it yet. A parent that we may not open is older.
    """
    _sync(folder)
    if not os.path.ismount(folder):
        with suppress(PermissionError):
            _sync_with_parents(folder.parent)


def check_base_url(url: str) -> None:
    """Raise ValueError unless ``url`` is absolute, http(s), and can be extended."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("public_base_url: only printable ASCII without spaces")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("public_base_url: not an absolute http or https URL")
    if "?" in url or "#" in url or "@" in parts.netloc:
        raise ValueError("public_base_url: has a query, a fragment or a user name")
