"""A text is one text, whatever plurals its key has had.

Turning plurals ends the text without them and begins the form ``other``, or the other
way round, and nobody has said anything by it. Here both are one row of revisions, that
of the form ``other``. The other forms do end with the plurals, and do not come again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from locframework.fields import Timestamp
from locframework.keys.revisions import Revision
from locframework.keys.traces import Moved, text_of

from .rules import History, Place
from .undoing import Told

Places = dict[Place, set[int]]
"""Revisions of values of one key."""
Saying = tuple[int, Timestamp]
"""A revision, and when it was told of: numbers come again when a branch begins anew
with a key, or a language leaves and comes back."""
Sayings = Mapping[Place, Collection[Saying]]
Ages = Mapping[Place, Mapping[int, Timestamp]]
"""When the revisions that are there were made."""


class Lineage(Struct, frozen=True):
    """Every revision of the texts of one key, oldest first."""

    rows: Mapping[Place, list[Revision]] = {}
    made: Places | None = None  # of a branch that follows main: its own, moved or not
    moved: Mapping[Place, Collection[Saying]] = {}
    """The revisions of texts that only turning plurals made."""
    ages: Ages = {}
    origins: Mapping[Place, Mapping[int, int]] = {}
    """The revisions that are moved texts, and those in which they were said."""

    @classmethod
    def of(
        cls,
        history: History,
        moved: Sayings,
        told: Told | None,
    ) -> Self:
        """``told``: what was made on a branch, and when; the rest follows main.

        What a branch told of a key before that went with main's is gone: it is known
        by revisions that are there no more, or are younger.
        """
        rows: dict[Place, list[Revision]] = {}
        origins: dict[Place, dict[int, int]] = {}
        for place, all_ in history.items():
            rows.setdefault(text_of(place), []).extend(all_)
        rows = {place: _numbered(all_, told or {}) for place, all_ in rows.items()}
        moved = _of_texts(moved)
        ages: Ages = {
            place: {row.revision: row.updated_at for row in all_}
            for place, all_ in rows.items()
        }
        made = None if told is None else _made(ages, sayings(told))
        silent = _there(ages, moved)
        for place, all_ in rows.items():
            if place[1] == "other":
                mine = silent[place]
                if made is not None:
                    mine = mine | {row.revision for row in all_} - made.get(
                        place, set()
                    )
                rows[place], origins[place] = _joined(all_, mine)
        return cls(rows, made, moved, ages, origins)

    def numbers(self, told: Told) -> Places:
        """Revisions of the texts, and those in which the same texts were moved."""
        said = self.said(sayings(told))
        return {place: self.marks(place, said[place]) for place in said}

    def said(self, asked: Sayings) -> Places:
        """Revisions of the texts that are there yet, without those that only moved
        them; none of a text of which all are gone."""
        found: Places = {}
        for place, all_ in _of_texts(asked).items():
            if place[1] == "other":
                all_ = all_ - {*self.moved.get(place, ())}
            if all_:
                there = _made(self.ages, {place: all_}).get(place, set())
                mine = there if self.made is None else self.made.get(place, set())
                found[place] = there & mine
        return found

    def marks(self, place: Place, numbers: Collection[int]) -> set[int]:
        """The revisions, and those that the same texts were moved to after them."""
        origins = self.origins.get(place, {})
        first: dict[int, int] = {}  # of the revisions of one text
        for number in sorted(numbers):
            first.setdefault(origins.get(number, number), number)
        later = (at for at, text in origins.items() if at > first.get(text, at))
        return {*numbers, *later}


def _numbered(rows: Iterable[Revision], told: Told) -> list[Revision]:
    """One row of each number, in their order: main's may have that of one that was made
    on the branch, when one side has it with plurals and the other without."""
    found: dict[int, Revision] = {}
    for row in rows:
        times = told.get((row.language_code, row.plural_form), {})
        is_told = row.updated_at == times.get(row.revision)
        if is_told or row.revision not in found:
            found[row.revision] = row
    return [found[number] for number in sorted(found)]


def _joined(
    rows: Iterable[Revision], silent: Collection[int]
) -> tuple[list[Revision], dict[int, int]]:
    """The rows without ends that were none, and which text others are."""
    found: list[Revision] = []
    origins: dict[int, int] = {}
    for row in rows:
        end = found[-1] if found else None
        if (
            end is not None
            and end.revision in silent
            and end.status == "untranslated"
            and end.plural_form != row.plural_form
        ):
            found.pop()
            if found and row.revision in silent and _said(found[-1]) == _said(row):
                text = found[-1]
                origins[row.revision] = origins.get(text.revision, text.revision)
                row = replace(row, updated_at=text.updated_at)
        found.append(row)
    return found, origins


def _said(row: Revision) -> tuple[object, ...]:
    return row.value, row.status, row.approved_value


def sayings(told: Told) -> Sayings:
    """The revisions with their times."""
    return {place: times.items() for place, times in told.items()}


def sayings_of(rows: Iterable[tuple[Moved, Timestamp]]) -> Sayings:
    """The revisions of traces, by place."""
    found: dict[Place, set[Saying]] = {}
    for (code, form, revision), at in rows:
        found.setdefault((code, form), set()).add((revision, at))
    return found


def _there(ages: Ages, asked: Sayings) -> Places:
    """Those of the revisions that are there: a younger one of a number is another."""
    mine = _of_texts(asked)
    return {
        place: {no for no, at in mine.get(place, ()) if no in known and known[no] <= at}
        for place, known in ages.items()
    }


def _made(ages: Ages, asked: Sayings) -> Places:
    """Those of the revisions that are there, and were made when they were told of."""
    mine = _of_texts(asked)
    return {
        place: {no for no, at in mine.get(place, ()) if known.get(no) == at}
        for place, known in ages.items()
    }


def _of_texts(places: Sayings) -> dict[Place, set[Saying]]:
    found: dict[Place, set[Saying]] = {}
    for place, all_ in places.items():
        found.setdefault(text_of(place), set()).update(all_)
    return found
