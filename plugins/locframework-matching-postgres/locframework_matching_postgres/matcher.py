"""The matcher ``postgres``: exact, from tables in PostgreSQL."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar
from uuid import UUID

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from locframework.ports import Forgotten, Found, Hit, Segments, Unavailable, Wanted

from . import tables
from .tables import Connections, MatchingSettings, Stale

log = logging.getLogger("locframework.matching")

T = TypeVar("T")

LONG = 1000  # characters
NEAR = 31  # edits that a text and one like it may well be apart


class PostgresMatcher:
    """The port Matcher. Connects to nothing until the first text is looked for.

    What it keeps is in the database alone, so all processes share it at once.
    """

    name = "postgres"

    def __init__(self, settings: MatchingSettings) -> None:
        self._connections = Connections(settings.database, settings.patience_seconds)

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """As the port says; a statement for each different text and memory."""
        now = segments.revisions([each.memory_id for each in wanted])
        there = [each for each in wanted if each.memory_id in now]
        different = [text for text in dict.fromkeys(texts) if text] if there else []
        found = {text: Found([], is_complete=True) for text in texts}
        if there and segments.is_in_block():
            found.update(
                self._ask(lambda to: _find_aside(to, segments, there, different, most))
            )
        elif there:
            known = self._ask(lambda to: tables.revisions(to, list(now)))
            for memory_id in now:
                if known.get(memory_id) != now[memory_id]:
                    self._ask(
                        partial(_catch_up, segments=segments, memory_id=memory_id)
                    )
            found.update(self._ask(lambda to: _find(to, there, different, most)))
        return [found[text] for text in texts]

    def close(self) -> None:
        """Keep no connection: who asks on opens one for each answer."""
        self._connections.close()

    def distance(self, first: str, second: str) -> int:
        """The Levenshtein distance."""
        # they were mostly found to be alike: of long ones a narrow band is tried first
        hint = NEAR if len(first) > LONG else None
        return Levenshtein.distance(first, second, score_hint=hint)

    def forget(self, memory_id: str) -> None:
        """Remove what is known of the memory."""

        def remove(to: tables.Connection) -> None:
            tables.lock(to, memory_id)
            tables.remove(to, memory_id)

        try:
            self._ask(remove)
        except Unavailable as error:
            log.warning(
                "the index of memory %s could not be removed: %s",
                memory_id,
                error.message,
            )

    def _ask(self, work: Callable[[tables.Connection], T]) -> T:
        """What comes of it, in a transaction; asked again when the server was away."""
        for _ in range(2):
            with suppress(Stale), self._connections.lent() as connection:
                return work(connection)
        raise Unavailable("the database of the matcher cannot be used")


def _catch_up(to: tables.Connection, segments: Segments, memory_id: str) -> None:
    """Write what has changed; one process does it, the others wait."""
    tables.lock(to, memory_id)
    known = tables.revisions(to, [memory_id]).get(memory_id)
    now = segments.revisions([memory_id]).get(memory_id, 0)
    if known is not None and known > now:
        log.info(
            "memory %s went back to an earlier state, its index is built anew",
            memory_id,
        )
        tables.remove(to, memory_id)
        known = None
    if known is None or known < now:
        reached = _write(to, segments, memory_id, known or 0)
        tables.note(to, memory_id, max(now, reached))


def _find_aside(
    to: tables.Connection,
    segments: Segments,
    wanted: Sequence[Wanted],
    texts: Sequence[str],
    most: int,
) -> dict[str, Found]:
    """What is found with what may be rolled back: nothing of it is kept."""
    with to.transaction(force_rollback=True):
        for each in wanted:
            _catch_up(to, segments, each.memory_id)
        return _find(to, wanted, texts, most)


def _write(
    to: tables.Connection, segments: Segments, memory_id: str, after: int
) -> int:
    """Write what changed after the revision; up to which it reaches."""
    try:
        changes = segments.changes(memory_id, after)
        return tables.write(to, memory_id, changes, after)
    except Forgotten:
        tables.remove(to, memory_id)
        return tables.write(to, memory_id, segments.changes(memory_id, 0), 0)


def _find(
    connection: tables.Connection,
    wanted: Sequence[Wanted],
    texts: Sequence[str],
    most: int,
) -> dict[str, Found]:
    found = {}
    for text in texts:
        hits = [hit for each in wanted for hit in _hits(connection, each, text)]
        hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
        found[text] = Found(hits[:most], is_complete=len(hits) <= most)
    return found


def _hits(connection: tables.Connection, wanted: Wanted, text: str) -> list[Hit]:
    least = max(1, wanted.least_percent)
    ids, texts = tables.candidates(connection, wanted.memory_id, text, least)
    farthest = (100 - least) * (len(text) * 100 // least) // 100
    near = process.extract(
        text, texts, scorer=Levenshtein.distance, score_cutoff=farthest, limit=None
    )
    hits = []
    for other, distance, at in near:
        longest = max(len(text), len(other))
        percent = (longest - int(distance)) * 100 // longest
        if percent >= least:
            hits.append(Hit(wanted.memory_id, str(UUID(bytes=ids[at])), percent))
    return hits
