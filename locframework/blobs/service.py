"""Stores files in the blob stores, notes how long, and deletes expired ones."""

import hashlib
import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import BinaryIO

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable
from locframework.fields import Clock, timestamp
from locframework.transactions import Transactions, crash_point

from .blob_store import BlobStore
from .store import BlobIndex, BlobNote, KeptParts

log = logging.getLogger("locframework.plugins")

PRUNED_AT_ONCE = 100
DELETED_AGAIN = timedelta(hours=1)
LOOKED_AT_AGAIN = timedelta(days=1)  # what is named: all that is published, in years
PART_BYTES = 4 * 1024 * 1024  # of a file that is stored in parts


@dataclass(eq=False, repr=False)
class Blobs:
    """Files by the SHA-256 of their content. A file is noted before it is put, so that
    no file is left without a note. It is deleted in the transaction that deletes its
    note: a put of the same content at that moment waits, and writes it again."""

    _index: BlobIndex
    _stores: Mapping[str, BlobStore]
    _default_store: str
    _transactions: Transactions
    _clock: Clock

    def put(
        self, content: bytes, *, keep_for: timedelta, store: str | None = None
    ) -> BlobNote:
        """Store one file; see ``put_all``."""
        [note] = self.put_all([content], keep_for=keep_for, store=store)
        return note

    def put_all(
        self,
        contents: Iterable[bytes],
        *,
        keep_for: timedelta,
        store: str | None = None,
    ) -> list[BlobNote]:
        """Store files at least so long, and while a release or a file names them.

        Return one note for each distinct content, in order. Afterwards every file
        survives a crash of the machine. Must not be called in a transaction. Raises
        Unavailable. ``store`` defaults to the one of the settings.
        """
        store_name = store or self._default_store
        keep_until = timestamp(self._clock() + keep_for)
        by_name = {hashlib.sha256(each).hexdigest(): each for each in contents}
        notes = [
            BlobNote(store_name, name, len(content), keep_until)
            for name, content in by_name.items()
        ]
        with self.store(store_name) as kept_in:
            with self._transactions.transaction():
                self._index.note(notes)
            crash_point("blobs.after_note")
            for name, content in by_name.items():
                if not kept_in.has(name):
                    kept_in.put(name, content)
                crash_point("blobs.after_put")
        return notes

    def put_parts(self, file: BinaryIO, *, keep_for: timedelta) -> KeptParts:
        """Store a file of any size from its position on, in parts of 4 MiB."""
        store, names = self._default_store, []
        while part := file.read(PART_BYTES):
            names.append(self.put(part, keep_for=keep_for, store=store).name)
        return KeptParts(store, names)

    @contextmanager
    def open_parts(self, kept: KeptParts) -> Iterator[BinaryIO]:
        """Open a copy of the file on the disk, part by part. Raises Unavailable."""
        with tempfile.TemporaryFile() as file:
            for name in kept.names:
                content = self.get(name, store=kept.store)
                if content is None:
                    raise Unavailable(
                        "what was read from the file has been lost; import it again"
                    )
                file.write(content)
            file.seek(0)
            yield file

    def get(self, name: str, *, store: str | None = None) -> bytes | None:
        """Return the content or None. Raises Unavailable, also for a damaged file."""
        with self.store(store or self._default_store) as kept_in:
            return kept_in.get(name)

    def fault_of(self, name: str, store: str) -> str | None:
        """Return why a file cannot be read as it was put, or None. Reads all of it."""
        try:
            content = self.get(name, store=store)
        except Unavailable as error:
            told = error.message  # which may not say which blob it is
            return told if name in told else f"the blob {name}: {told}"
        if content is None:
            return f"the blob {name} is lost"
        if hashlib.sha256(content).hexdigest() != name:  # the store did not notice
            return f"the blob {name} is damaged"
        return None

    @contextmanager
    def store(self, name: str) -> Iterator[BlobStore]:
        """Use a blob store: what it raises is logged, and is Unavailable, as an absent
        one is."""
        if name not in self._stores:
            raise Unavailable(f"the blob store {name!r} is not installed")
        try:
            yield self._stores[name]
        except Unavailable as error:  # its message is for clients: it has no cause
            log.error("blob store %s: %s (%r)", name, error.message, error.__cause__)
            raise
        except PLUGIN_EXCEPTIONS as error:
            log.exception("the blob store %s failed", name)
            raise Unavailable(f"the blob store {name} failed") from error

    def prune(self) -> int:
        """Delete up to 100 expired files that no release and no file names; return
        their number.

        Named files are checked once a day. Files of a store that is not installed stay.
        Raises Unavailable for one that cannot be deleted; it is tried again in an hour.
        """
        at = self._clock()
        now, later = timestamp(at), timestamp(at + LOOKED_AT_AGAIN)
        stores = sorted(self._stores)
        notes = self._index.list_expired(now, PRUNED_AT_ONCE, stores, look_again=later)
        return sum(self._drop(note, now) for note in notes)

    def _drop(self, note: BlobNote, now: str) -> bool:
        try:
            with self._transactions.transaction():
                if not self._index.forget(note, now):
                    return False
                with self.store(note.store) as store:
                    store.delete(note.name)
                crash_point("blobs.after_delete")
        except Unavailable:
            until = timestamp(self._clock() + DELETED_AGAIN)
            with self._transactions.transaction():
                self._index.note([replace(note, keep_until=until)])
            raise
        return True
