"""The matcher ``rapidfuzz``: exact, from indexes in a folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from locframework.ports import Found, Segments, Unavailable, Wanted

from .building import Noted
from .entries import id_bytes
from .indexes import Indexes
from .kernel import compiled
from .segment import Segment
from .settings import MatchingSettings
from .text_view import TextView, together
from .view import Change

LONG = 1000  # characters
NEAR = 31  # edits that a text and one like it may well be apart
PARTS = 4  # of the texts, for each thread: it waits for the interpreter after each


class RapidfuzzMatcher:
    """The port Matcher. Opens nothing until the first text is looked for."""

    name = "rapidfuzz"

    def __init__(self, settings: MatchingSettings) -> None:
        self._settings = settings
        self._kernel = compiled() if settings.compiled else None
        folder = Path(settings.folder)
        self._indexes = Indexes(folder, Segment.open, TextView, settings.tail)
        self._lock = Lock()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether kernel.c does the work."""
        return self._kernel is not None

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """As the port says; several texts are looked for at once."""
        now = segments.revisions([each.memory_id for each in wanted])
        views = [
            (each, self._view(segments, each.memory_id, now[each.memory_id]))
            for each in wanted
            if each.memory_id in now
        ]
        different = dict.fromkeys(text for text in texts if text)
        # the longest first, so that no thread is left with them at the end
        parts = _parted(sorted(different, key=len, reverse=True), PARTS * self._threads)
        found = {"": Found([], is_complete=True)}
        for of_part in self._map(self._search(views, most), parts):
            found |= of_part
        return [found[text] for text in texts]

    def distance(self, first: str, second: str) -> int:
        """The Levenshtein distance."""
        # they were mostly found to be alike: of long ones a narrow band is tried first
        hint = NEAR if len(first) > LONG else None
        return Levenshtein.distance(first, second, score_hint=hint)

    def forget(self, memory_id: str) -> None:
        """Remove the index of the memory."""
        self._indexes.forget(memory_id)

    def _view(self, segments: Segments, memory_id: str, revision: int) -> TextView:
        patience = self._settings.patience_seconds
        source = _Source(segments, memory_id)
        try:
            view = self._indexes.view(source, memory_id, revision, patience)
        except OSError as error:
            # strerror only: str(error) would show a path of the host (decisions 2.10)
            reason = f"the index of translation memory {memory_id} cannot be kept"
            raise Unavailable(f"{reason}: {error.strerror}") from error
        if view is None:
            reason = f"translation memory {memory_id} is being indexed"
            raise Unavailable(f"{reason}; ask again in a few seconds")
        return view

    def _search(
        self, views: Sequence[tuple[Wanted, TextView]], most: int
    ) -> Callable[[Sequence[str]], Mapping[str, Found]]:
        def search(texts: Sequence[str]) -> Mapping[str, Found]:
            found = [view.near(self._kernel, texts, each, most) for each, view in views]
            best = together(found, len(texts), most)
            return dict(zip(texts, best, strict=True))

        return search

    def _map(
        self,
        search: Callable[[Sequence[str]], Mapping[str, Found]],
        parts: Sequence[Sequence[str]],
    ) -> Iterable[Mapping[str, Found]]:
        if len(parts) < 2 or self._threads == 1:
            return map(search, parts)
        return self._threaded().map(search, parts)

    @property
    def _threads(self) -> int:
        return self._settings.threads or os.cpu_count() or 1

    def _threaded(self) -> ThreadPoolExecutor:
        """Made on first use, and again in a process that was forked since."""
        with self._lock:
            if self._pool is None or self._pool[0] != os.getpid():
                pool = ThreadPoolExecutor(self._threads, "locframework-matching")
                self._pool = os.getpid(), pool
            return self._pool[1]


def _parted(texts: Sequence[str], most: int) -> list[list[str]]:
    """The texts in order, in parts of about the same length together."""
    enough = sum(map(len, texts)) // most + 1
    parts, length = list[list[str]](), enough
    for text in texts:
        if length >= enough:
            parts.append([])
            length = 0
        parts[-1].append(text)
        length += len(text)
    return parts


class _Source(NamedTuple):
    segments: Segments
    memory_id: str

    def revision(self) -> int:
        return self.segments.revisions([self.memory_id]).get(self.memory_id, 0)

    def is_in_block(self) -> bool:
        return self.segments.is_in_block()

    def changes(self, after: int) -> Iterator[tuple[bytes, Change[Noted]]]:
        for each in self.segments.changes(self.memory_id, after):
            told = (each.text, each.note) if each.text else None
            yield id_bytes(each.entry_id), (each.revision, told)
