"""What a branch reads from main when it is undone: nobody changed that there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from msgspec import Struct

from locframework.keys.edits import Touched
from locframework.keys.marks import marked_as
from locframework.keys.records import Field, StoredValue
from locframework.keys.revisions import Revision
from locframework.keys.three_way import sides

from .rules import Place


class Following(Struct, frozen=True):
    """What of one key follows main, on a branch; on main itself nothing does.

    The text of a key without plurals is that of the form ``other``.
    """

    is_branch: bool = False
    own: frozenset[tuple[Field, Place]] = frozenset()  # a field has no place
    told: Mapping[Place, Collection[int]] = {}  # revisions made on the branch
    bases: Mapping[Place, StoredValue] = {}  # what the branch's own are compared with

    @classmethod
    def of(cls, touched: Touched, told: Mapping[Place, Collection[int]]) -> Self:
        """Of a key that the branch has for itself."""
        base, main, branch = touched.entry.base, touched.main, touched.branch
        if base is None or main is None or branch is None:
            return cls()
        found = sides(base, main, branch).items()
        own = frozenset(
            (unit.field, _text_of((unit.language_code or "", unit.plural_form)))
            for unit, side in found
            if side.own
        )
        bases = {
            _text_of((row.language_code, row.plural_form)): row for row in base.values
        }
        return cls(is_branch=True, own=own, told=told, bases=bases)

    def follows(self, field: Field, place: Place = ("", None)) -> bool:
        """Whether the branch reads it from main."""
        return self.is_branch and (field, _text_of(place)) not in self.own

    def until(
        self, place: Place, rows: Sequence[Revision], chosen: Collection[int]
    ) -> Sequence[Revision]:
        """The revisions without those that only followed main after the chosen ones."""
        last = max(chosen, default=0)
        told = self.told.get(place, ())
        return [row for row in rows if row.revision <= last or row.revision in told]

    def said(self, history: Mapping[Place, Sequence[Revision]], was: Revision) -> bool:
        """Whether somebody on the branch said this, in a value that follows main.

        Turning plurals moves a text to another place without saying it again.
        """
        place = was.language_code, was.plural_form
        if was.revision in self.told.get(place, ()):
            return True
        return any(
            (each.value, each.status) == (was.value, was.status)
            for other, rows in history.items()
            if other != place and _text_of(other) == _text_of(place)
            for each in rows
            if each.revision in self.told.get(other, ())
        )

    def is_base(self, was: Revision) -> bool:
        """Whether this is what main says."""
        base = self.bases.get(_text_of((was.language_code, was.plural_form)))
        return base is not None and (base.value, base.status) == (was.value, was.status)

    def as_base(self, value: StoredValue) -> StoredValue:
        """The value; where it goes back to main's it is outdated as main's is."""
        base = self.bases.get(_text_of((value.language_code, value.plural_form)))
        if base is None or (base.value, base.status) != (value.value, value.status):
            return value
        return marked_as(value, base)


def _text_of(place: Place) -> Place:
    code, form = place
    return code, (form or "other") if code else None
