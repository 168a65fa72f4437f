"""What becomes of the source texts of a key when some are undone, as its translations
see it: those that go, and those that stay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Self

from msgspec import Struct

from locframework.fields import Timestamp
from locframework.keys.revisions import Revision

from .lineage import Places
from .rules import History, Place


class Sources(Struct, frozen=True):
    """When the source texts came."""

    language_code: str
    since: Timestamp | None  # the first of those that go; None: none does
    staying: Collection[Timestamp]
    outdating: Collection[Timestamp]  # those that stay and outdated translations

    @classmethod
    def of(
        cls,
        history: History,
        source: str,
        stood: Mapping[Place, Revision | None],
        places: Places,
        follows: Callable[[Place], bool],
    ) -> Self:
        """``stood``: what comes back, of the revisions in ``places``. One that
        ``follows`` main and did so before may have been another between."""

        def goes(place: Place, row: Revision) -> bool:
            if place in stood:
                was = stood[place]
                return was is None or row.revision > was.revision
            return row.revision in places.get(place, ()) and follows(place)

        def stays(place: Place, row: Revision) -> bool:
            is_chosen = place in stood and row.revision in places.get(place, ())
            return not goes(place, row) and not is_chosen

        texts = {at: rows for at, rows in history.items() if at[0] == source}
        rows = [(place, row) for place in texts for row in texts[place]]
        others = [(place, row) for place in texts for row in _outdating(texts[place])]
        return cls(
            language_code=source,
            since=min(
                (row.updated_at for at, row in rows if goes(at, row)), default=None
            ),
            staying={row.updated_at for at, row in rows if stays(at, row)},
            outdating={row.updated_at for at, row in others if stays(at, row)},
        )

    def undoes(self, marked: Timestamp) -> bool:
        """Whether a translation that became outdated then is right again: whatever
        made it so goes, and all that was changed since."""
        if self.since is None or marked < self.since:
            return False
        return all(at < marked for at in self.outdating)

    def changed_after(self, at: Timestamp) -> bool:
        """Whether a text that stays is younger than this."""
        return any(each > at for each in self.staying)

    def outdated_with(self, was: Revision, rows: Iterable[Revision]) -> bool:
        """Whether a translation was replaced in the very write of a source text that
        stays: it bears no mark of that. ``rows``: its revisions."""
        if was.language_code == self.language_code:
            return False
        later = (row for row in rows if row.revision > was.revision)
        end = min(later, key=lambda each: each.revision, default=None)
        return end is not None and end.updated_at in self.outdating


def _outdating(rows: Iterable[Revision]) -> Iterator[Revision]:
    """Those that made another text count, and were not to keep translations fresh."""
    before: str | None = None
    for row in sorted(rows, key=lambda each: each.revision):
        counts = _counts(row)
        if before not in (None, counts) and not row.keeps_fresh:
            yield row
        before = counts


def _counts(row: Revision) -> str | None:
    if row.status == "untranslated":
        return None
    return row.value if row.approved_value is None else row.approved_value
