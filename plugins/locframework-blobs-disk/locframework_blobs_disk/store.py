"""Keeps blobs as files of a folder: ``ab/ab12…``, 256 folders by two hex digits."""

import errno
import logging
import os
import re
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG

from locframework.ports import Unavailable

from .files import (
    make_folder,
    open_folder,
    read_file,
    remove_older,
    require_possible,
    require_writable,
    sync_with_parents,
    write_file,
)
from .settings import DiskSettings

log = logging.getLogger(__name__)

NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)
SHARDS = tuple(f"{number:02x}" for number in range(256))
INCOMING = "incoming"  # files being written; in the same file system as the shards
ORPHAN_SECONDS = 3600  # no put takes that long: its process was killed
SETTLED_NANOSECONDS = 1_000_000_000
MOST_VERIFIED = 16_384  # about 6 MB

Fingerprint = tuple[int, ...]


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
        self._verified: dict[str, Fingerprint] = {}

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content``. A damaged copy of it is replaced by this one."""
        check_name(name)
        if sha256(content).hexdigest() != name:
            raise ValueError(f"{name} is not the SHA-256 of the content")
        try:
            if not self._prepared:
                self._prepare()
            try:
                self._keep(name, content)
            except FileNotFoundError:  # somebody tidied empty folders away
                self._prepare()
                self._keep(name, content)
        except OSError as error:
            raise self._unavailable("kept", name, error) from error

    def get(self, name: str) -> bytes | None:
        """The whole content, or None; hashed again only when the file has changed."""
        check_name(name)
        try:
            with open_folder(self._shard_of(name)) as shard:
                return self._read(shard, name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable("read", name, error) from error

    def has(self, name: str) -> bool:
        """Whether there is a file of this name; it is not read.

        Unavailable also where the folder neither is nor can be.
        """
        check_name(name)
        try:
            with open_folder(self._shard_of(name)) as shard:
                found = os.stat(name, dir_fd=shard, follow_symlinks=False)
        except FileNotFoundError:
            self._require_possible(name)
            return False
        except OSError as error:
            raise self._unavailable("looked for", name, error) from error
        return S_ISREG(found.st_mode)

    def delete(self, name: str) -> None:
        """Forget the blob. A crash of the machine right after may bring it back."""
        check_name(name)
        self._verified.pop(name, None)
        try:
            with open_folder(self._shard_of(name)) as shard:
                os.unlink(name, dir_fd=shard)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unavailable("deleted", name, error) from error

    def names(self) -> Iterator[str]:
        """Every name kept, shard by shard."""
        for shard in SHARDS:
            yield from self._names_in(shard)

    def public_url(self, name: str) -> str | None:
        """The address at ``public_base_url``, which shows the folder as it is."""
        check_name(name)
        if self._base_url is None:
            return None
        return f"{self._base_url.rstrip('/')}/{name[:2]}/{name}"

    def require_usable(self) -> None:
        """Raise OSError where a blob could not be kept; changes nothing."""
        for folder in ("", INCOMING, *SHARDS):
            require_writable(self._folder / folder)

    def _shard_of(self, name: str) -> Path:
        return self._folder / name[:2]

    def _require_possible(self, name: str) -> None:
        try:
            require_possible(self._folder)
        except OSError as error:
            raise self._unavailable("looked for", name, error) from error

    def _prepare(self) -> None:
        """Make every folder there will ever be, durably, and sweep up after crashes.

        With all shards there from the start, a put has one folder to sync, its own.
        """
        for folder in (INCOMING, *SHARDS):
            make_folder(self._folder / folder)
        sync_with_parents(self._folder)
        swept = remove_older(self._folder / INCOMING, time.time() - ORPHAN_SECONDS)
        if swept:
            log.info("removed %s unfinished files of killed processes", swept)
        self._prepared = True

    def _keep(self, name: str, content: bytes) -> None:
        with open_folder(self._shard_of(name)) as shard:
            if not self._is_whole(shard, name):
                with (
                    open_folder(self._folder / INCOMING) as incoming,
                    write_file(incoming, name, content) as written,
                ):
                    os.rename(written, name, src_dir_fd=incoming, dst_dir_fd=shard)
            # Also for a file found whole: its bytes were synced before it got its
            # name, but whoever renamed it may not have come to this line yet.
            os.fsync(shard)

    def _is_whole(self, shard: int, name: str) -> bool:
        try:
            self._read(shard, name)
        except OSError:  # missing, damaged, unreadable: all mended by a new file
            return False
        return True

    def _read(self, shard: int, name: str) -> bytes:
        """The content, surely the one put; OSError when there is none of that kind."""
        content, found = read_file(shard, name)
        seen = fingerprint(found)
        if self._verified.get(name) == seen and len(content) == found.st_size:
            return content
        if sha256(content).hexdigest() != name:
            raise OSError(errno.EIO, "its content is damaged")
        self._remember(name, seen, found.st_ctime_ns)
        return content

    def _remember(self, name: str, seen: Fingerprint, changed_at: int) -> None:
        # A file system's clock ticks in milliseconds: a file that changed just now
        # could change again within the tick and look the same.
        if time.time_ns() - changed_at < SETTLED_NANOSECONDS:
            return
        if len(self._verified) >= MOST_VERIFIED:
            self._verified.clear()
        self._verified[name] = seen

    def _names_in(self, shard: str) -> list[str]:
        try:
            with (
                open_folder(self._folder / shard) as folder,
                os.scandir(folder) as entries,
            ):
                return [
                    entry.name
                    for entry in entries
                    if NAME.fullmatch(entry.name)
                    and entry.name.startswith(shard)
                    and entry.is_file(follow_symlinks=False)
                ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unavailable("listed", f"{shard}…", error) from error

    def _unavailable(self, done: str, name: str, error: OSError) -> Unavailable:
        log.error("blob %s in %s cannot be %s: %s", name, self._folder, done, error)
        # strerror only: str(error) would show a path of the host (decisions 2.10)
        return Unavailable(f"the blob {name} cannot be {done}: {error.strerror}")


def check_name(name: str) -> None:
    """Raise ValueError unless ``name`` is 64 lower-case hex digits."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name[:80]!r} is not a SHA-256 in lower-case hex digits")


def fingerprint(found: os.stat_result) -> Fingerprint:
    """What changes when a file does; the ctime cannot be set back by anyone."""
    return (
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )
