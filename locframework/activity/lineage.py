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

from locframework.keys.revisions import Revision
from locframework.keys.traces import KeyTrace, Moved, text_of

from .rules import History, Place
from .undoing import Told

Places = dict[Place, set[int]]
"""Revisions of values of one key."""


class Lineage(Struct, frozen=True):
    """Every revision of the texts of one key, oldest first."""

    rows: Mapping[Place, list[Revision]] = {}
    made: Places | None = None  # of a branch that follows main: its own, moved or not
    moved: Places = {}
    """The revisions of texts that only turning plurals made."""
    origins: Mapping[Place, Mapping[int, int]] = {}
    """The revisions that are moved texts, and those in which they were said."""

    @classmethod
    def of(
        cls,
        history: History,
        traces: Iterable[KeyTrace],
        told: Told | None,
    ) -> Self:
        """``told``: what was made on a branch, and when; the rest follows main.

        What a branch told of a key before that went with main's is gone: it is known
        by revisions that are there no more, or are younger.
        """
        moved = _of_texts(places_of(row for each in traces for row in each.moved))
        made = None if told is None else _of_texts(_there(history, told))
        rows: dict[Place, list[Revision]] = {}
        origins: dict[Place, dict[int, int]] = {}
        for place, all_ in history.items():
            rows.setdefault(text_of(place), []).extend(all_)
        for place, all_ in rows.items():
            all_.sort(key=lambda row: row.revision)
            if place[1] == "other":
                mine = moved.get(place, set())
                if made is not None:
                    mine = mine | {row.revision for row in all_} - made.get(
                        place, set()
                    )
                rows[place], origins[place] = _joined(all_, mine)
        return cls(rows, made, moved, origins)

    def numbers(self, places: Mapping[Place, Collection[int]]) -> Places:
        """Revisions of the texts, without those that only moved them."""
        found: Places = {}
        for place, numbers in _of_texts(places).items():
            if place[1] == "other":
                numbers = numbers - {*self.moved.get(place, ())}
            if numbers:
                found[place] = self._there(place, numbers)
        return found

    def _there(self, place: Place, numbers: Collection[int]) -> set[int]:
        there = numbers if self.made is None else self.made.get(place, set())
        return self.marks(place, {*numbers} & {*there})

    def marks(self, place: Place, numbers: Collection[int]) -> set[int]:
        """The revisions, and those in which the same texts were moved."""
        origins = self.origins.get(place, {})
        return {*numbers}.union(at for at in origins if origins[at] in numbers)


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


def _there(history: History, told: Told) -> Places:
    found: Places = {}
    for place, rows in history.items():
        times = told.get(place, {})
        found[place] = {
            row.revision
            for row in rows
            if row.revision in times and row.updated_at <= times[row.revision]
        }
    return found


def places_of(rows: Iterable[Moved]) -> Places:
    """The revisions of traces, by place."""
    found: Places = {}
    for code, form, revision in rows:
        found.setdefault((code, form), set()).add(revision)
    return found


def _of_texts(places: Mapping[Place, Collection[int]]) -> Places:
    found: Places = {}
    for place, numbers in places.items():
        found.setdefault(text_of(place), set()).update(numbers)
    return found
