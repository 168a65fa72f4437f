"""Keeps what a matcher of a plugin does wrong from doing harm to others."""

import logging
from collections.abc import Mapping, Sequence

from locframework.errors import PLUGIN_FAULTS, Unavailable

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
        try:
            found = self._matcher.find(segments, wanted, texts, most)
            least = {each.memory_id: each.least_percent for each in wanted}
            if len(found) != len(texts):
                raise ValueError(f"{len(found)} answers to {len(texts)} texts")
            for each in found:
                _check(each, least, most)
        except Unavailable:
            raise
        except PLUGIN_FAULTS as error:
            raise self._failed() from error
        return found

    def distance(self, first: str, second: str) -> int:
        """As the port says."""
        try:
            apart = self._matcher.distance(first, second)
            if not 0 <= apart <= max(len(first), len(second)):
                raise ValueError(f"a distance of {apart!r}")
        except Unavailable:
            raise
        except PLUGIN_FAULTS as error:
            raise self._failed() from error
        return apart

    def forget(self, memory_id: str) -> None:
        """As the port says."""
        try:
            self._matcher.forget(memory_id)
        except Unavailable:
            raise
        except PLUGIN_FAULTS as error:
            raise self._failed() from error

    def _failed(self) -> Unavailable:
        """To be raised from the fault, which is logged with it."""
        log.exception("the matcher %s failed", self.name)
        return Unavailable(f"the matcher {self.name} failed")


def _check(found: Found, least: Mapping[str, int], most: int) -> None:
    """Raise for an answer that is none, whatever the texts are."""
    hits: list[Hit] = found.hits
    if len(hits) > most:
        raise ValueError(f"{len(hits)} hits of {most}")
    before = 100
    for hit in hits:
        if type(hit.percent) is not int:
            raise TypeError(f"a percentage of {hit.percent!r}")
        if not least[hit.memory_id] <= hit.percent <= before:
            raise ValueError(f"{hit.percent} % after {before} %")
        if type(hit.note) is not bytes:
            raise TypeError(f"a note of {hit.note!r}")
        before = hit.percent
