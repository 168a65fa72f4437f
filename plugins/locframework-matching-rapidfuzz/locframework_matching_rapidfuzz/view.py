"""What one memory holds at one moment."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, Self

from .entries import Bits, S, T

Change = tuple[int, T | None]  # since which revision, and what it says; None: gone


class Part(NamedTuple, Generic[S]):
    """Entries of which some are gone."""

    entries: S
    gone: Bits


class View(Generic[S, T]):
    """Immutable: a search goes on in it while others move on to the next.

    ``segments`` are the oldest first; what one holds is gone where a later one or
    ``tail`` (by entry id) says otherwise. Complete up to ``revision``.
    """

    def __init__(
        self,
        segments: Iterable[S] = (),
        tail: Mapping[bytes, Change[T]] | None = None,
        revision: int = 0,
    ) -> None:
        self.revision = revision
        self.tail: Mapping[bytes, Change[T]] = tail or {}
        self.parts: list[Part[S]] = []
        for segment in segments:
            self._mark_gone([segment.ids.tobytes(), segment.removed.tobytes()])
            self.parts.append(Part(segment, segment.none_gone()))
        self._mark_gone(self.tail)

    def after(self, changes: Mapping[bytes, Change[T]], revision: int) -> Self:
        """The view with these changes, which bring it up to the revision."""
        later = type(self)((), {**self.tail, **changes}, revision)
        later.parts = list(self.parts)
        later._mark_gone(changes)
        return later

    def _mark_gone(self, ids: Iterable[bytes]) -> None:
        ids = list(ids)
        self.parts = [Part(one, one.with_gone(gone, ids)) for one, gone in self.parts]

    @property
    def size(self) -> int:
        """How many entries there are, counting those that are gone."""
        return sum(part.entries.count for part in self.parts) + len(self.tail)

    @cached_property
    def all_parts(self) -> list[Part[S]]:
        """All entries there are, the tail's as a segment of its own."""
        ids, told = self.there(())
        if not ids:
            return self.parts
        recent = self.segment_of(ids, told)
        return [*self.parts, Part(recent, recent.none_gone())]

    def there(self, parts: Iterable[Part[S]]) -> tuple[list[bytes], list[T]]:
        """The entries of these parts and of the tail that are not gone."""
        ids: list[bytes] = []
        told: list[T] = []
        for entries, gone in parts:
            docs = entries.there(gone).tolist()
            ids += map(entries.id_of, docs)
            told += entries.told(docs)
        for id_, (_, said) in self.tail.items():
            if said is not None:
                ids.append(id_)
                told.append(said)
        return ids, told

    def removed_of_base(self) -> set[bytes]:
        """What is gone, and said to be by the tail or a segment beside the base."""
        gone = {id_ for id_, (_, said) in self.tail.items() if said is None}
        for entries, _ in self.parts[1:]:
            gone.update(row.tobytes() for row in entries.removed)
        return gone

    @abstractmethod
    def segment_of(
        self, ids: Sequence[bytes], told: Sequence[T], removed: Iterable[bytes] = ()
    ) -> S:
        """The entries as a segment in memory."""
