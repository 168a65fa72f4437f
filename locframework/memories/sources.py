"""What entries are compared by: noted with what a matcher finds, or read."""

from collections.abc import Iterable

import msgspec

from .matcher import Hit
from .search_records import MatchSource
from .text_store import MemoryTextStore

_NOTES = msgspec.msgpack.Encoder()
_NOTED = msgspec.msgpack.Decoder(MatchSource)


def noted(source: MatchSource) -> bytes:
    """The note that goes with an entry's text to matchers (matcher.SegmentChange)."""
    return _NOTES.encode(source)


class Sources:
    """The sources of entries that were found, by entry id, as of one snapshot.

    ``are_noted``: nothing was written since before they were found, so that what was
    noted of them is what the snapshot says. Else, and where nothing was noted, they
    are read.
    """

    def __init__(self, store: MemoryTextStore, *, are_noted: bool) -> None:
        self._store = store
        self._are_noted = are_noted
        self.known: dict[str, MatchSource] = {}

    def learn(self, hits: Iterable[Hit]) -> None:
        """Know the sources of these; those that are gone have none."""
        known, decode, are_noted = self.known, _NOTED.decode, self._are_noted
        unread = []
        for hit in hits:
            entry_id = hit.entry_id
            if entry_id in known:
                continue
            if not (are_noted and hit.note):
                unread.append(entry_id)
                continue
            try:  # of thousands: a call for each would take as long as the decoding
                known[entry_id] = decode(hit.note)
            except msgspec.MsgspecError:  # it is not as it was given
                unread.append(entry_id)
        if unread:
            known |= self._store.match_sources(unread)
