"""Moves keys to the trash and back, as undoing does."""

from collections.abc import Sequence

from locframework.access.records import Caller
from locframework.branches.records import Line
from locframework.clock import Clock, timestamp
from locframework.events import EventLog
from locframework.keys.events import KeyEvents
from locframework.keys.records import Key
from locframework.keys.store import store_of
from locframework.keys.writer import KeyWriter
from locframework.projects.records import Language
from locframework.storage import Storage


class KeyMoves:
    """In the open transaction; whether it may be was judged before."""

    def __init__(
        self, storage: Storage, writer: KeyWriter, events: EventLog, clock: Clock
    ) -> None:
        self._storage = storage
        self._writer = writer
        self._events = events
        self._clock = clock

    def trash(self, caller: Caller, line: Line, keys: Sequence[Key]) -> None:
        """Move keys to the trash, in a constant number of statements."""
        ids, store = [key.id for key in keys], store_of(self._storage, line)
        self._writer.completion.watch(caller.actor, line)
        store.trash_keys(line.project.id, ids, timestamp(self._clock()))
        events = KeyEvents(self._events, caller.actor, line)
        events.deleted(keys)
        events.append({})
        self._writer.overlays.follow(line, ids)

    def restore(
        self, caller: Caller, line: Line, languages: Sequence[Language], key: Key
    ) -> None:
        """Bring a key back from the trash, with its values."""
        store = store_of(self._storage, line)
        self._writer.completion.watch(caller.actor, line)
        store.restore_key(line.project.id, key.id, timestamp(self._clock()))
        self._writer.findings.rework(line, languages, [key.id])
        events = KeyEvents(self._events, caller.actor, line)
        events.restored(key)
        events.append({})
        self._writer.overlays.follow(line, [key.id], [key.key])
