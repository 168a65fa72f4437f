"""Keeps what a matcher of a plugin does wrong from doing harm to others."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable

from .matcher import Found, Hit, Matcher, Segments, Wanted

log = logging.getLogger("locframework.plugins")


class CheckedMatcher:
    """A matcher whose faults, and answers that cannot be, are logged and Unavailable.

    What is wrong about an answer that can be, nobody can tell from it.
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self.name = matcher.name

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """As the port says."""
        with self._guarded():
            found = self._matcher.find(segments, wanted, texts, most)
            least = {each.memory_id: each.least_percent for each in wanted}
            if len(found) != len(texts):
                raise ValueError(f"{len(found)} answers to {len(texts)} texts")
            for each in found:
                _check(each, least, most)
            return found

    def distance(self, first: str, second: str) -> int:
        """As the port says."""
        with self._guarded():
            apart = self._matcher.distance(first, second)
            if not 0 <= apart <= max(len(first), len(second)):
                raise ValueError(f"a distance of {apart!r}")
            return apart

    def forget(self, memory_id: str) -> None:
        """As the port says."""
        with self._guarded():
            self._matcher.forget(memory_id)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Unavailable:
            raise
        except PLUGIN_EXCEPTIONS as error:
            log.exception("the matcher %s failed", self.name)
            raise Unavailable(f"the matcher {self.name} failed") from error


def _check(found: Found, least: Mapping[str, int], most: int) -> None:
    """Raise for an answer that is none, whatever the texts are."""
    hits: list[Hit] = found.hits
    if len(hits) > most:
        raise ValueError(f"{len(hits)} hits of {most}")
    percents, notes = [hit.percent for hit in hits], [hit.note for hit in hits]
    if kinds := {*map(type, percents)} - {int} | {*map(type, notes)} - {bytes}:
        raise TypeError(f"percentages or notes of {kinds}")
    if [100, *percents] != sorted([100, *percents], reverse=True):
        raise ValueError(f"percentages in this order: {percents[:20]}")
    lowest = {hit.memory_id: hit.percent for hit in hits}  # the last of each
    if any(percent < least[memory_id] for memory_id, percent in lowest.items()):
        raise ValueError(f"{lowest} % where {least} % are the least")
