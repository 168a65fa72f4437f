"""What a branch reads from main when it is undone: nobody changed that there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from locframework.keys.edits import Touched, own_sides
from locframework.keys.marks import marked_as
from locframework.keys.records import Field, StoredValue
from locframework.keys.revisions import Revision, revision_of
from locframework.keys.three_way import Sides, united
from locframework.keys.traces import FieldValue, Part, fields_of, text_of

from .rules import ChangedLater, FieldChange, Place


class Following(Struct, frozen=True):
    """What of one key follows main, on a branch; on main itself nothing does.

    The text of a key without plurals is that of the form ``other``.
    """

    is_branch: bool = False
    own: frozenset[Part] = frozenset()
    shared: frozenset[Part] = frozenset()  # own, and main came to say the same
    told: Mapping[Place, Collection[int]] = {}  # revisions made on the branch
    returned: Mapping[Place, Collection[int]] = {}  # by which it followed main again
    bases: Mapping[Place, StoredValue] = {}  # what the branch's own are compared with
    base_fields: Mapping[Field, FieldValue] = {}  # likewise

    @classmethod
    def of(
        cls,
        touched: Touched,
        told: Mapping[Place, Collection[int]],
        returned: Mapping[Place, Collection[int]],
    ) -> Self:
        """Of a key that the branch has for itself, as main had it last."""
        base, branch = touched.entry.base, touched.branch
        if base is None or branch is None:
            return cls()
        own = own_sides(base, touched.main, branch)
        bases = {
            text_of((row.language_code, row.plural_form)): row for row in base.values
        }
        tags = base.key.tags if base.followed_tags is None else base.followed_tags
        return cls(
            is_branch=True,
            own=frozenset(own),
            shared=frozenset(
                part
                for part, side in own.items()
                if side.own and side.branch == side.main
            ),
            told=told,
            returned=returned,
            bases=bases,
            base_fields={**fields_of(base.key), "tags": tags},
        )

    def follows(self, field: Field, place: Place = ("", None)) -> bool:
        """Whether the branch reads it from main."""
        return self.is_branch and (field, text_of(place)) not in self.own

    def meets(self, field: Field, before: FieldValue) -> bool:
        """Whether a field reads as it does now once it says this again: it follows
        main then, which says what the branch does."""
        shared = (field, ("", None)) in self.shared
        return shared and before == self.base_fields[field]

    def meets_text(self, place: Place, before: Revision | None) -> bool:
        """Likewise of a value; None: there was none."""
        if ("value", place) not in self.shared:
            return False
        if before is None or before.status == "untranslated":
            return place not in self.bases
        return self.is_base(before)

    def keeps_plurals(
        self, before: FieldValue, texts: Iterable[Revision | None]
    ) -> bool:
        """Whether plurals read as they do now once they are turned back: they follow
        main, unless a form of these texts is the branch's own, and keeps them."""
        return self.meets("isPlural", before) and all(
            was.plural_form in (None, "other") or self.is_base(was)
            for was in texts
            if was is not None and was.status != "untranslated"
        )

    def field_before(
        self, name: Field, changes: Sequence[FieldChange], chosen: Collection[str]
    ) -> FieldValue:
        """What a field said before the chosen events; what main says, where it followed
        main. ``changes``: all that were made on the branch.

        Main goes on without an event of the branch, and that is nobody's change there.
        Raises ChangedLater when the last one was not chosen.
        """
        rest, gone = _parted(changes, chosen)
        was = gone[0].before
        is_own = bool(rest) and not rest[-1].follows and rest[-1].after == was
        return was if is_own else self.base_fields[name]

    def tags_before(
        self,
        changes: Sequence[FieldChange],
        chosen: Collection[str],
        now: FieldValue,
    ) -> tuple[str, ...]:
        """Tags that go back by each of the chosen changes at the end.

        What main has put on or taken off the key between them and since is no part of
        that, nor is their order. Raises ChangedLater when the last one was not chosen.
        """
        rest, gone = _parted(changes, chosen)
        found, base = now, self.base_fields["tags"]
        for change in reversed(gone):
            found = united(Sides(change.after, change.before, found))
        assert isinstance(now, tuple)
        assert isinstance(found, tuple)
        assert isinstance(base, tuple)
        if not rest or rest[-1].follows or {*found} == {*base}:
            found = base
        return now if {*found} == {*now} else found

    def until(
        self, place: Place, rows: Sequence[Revision], chosen: Collection[int]
    ) -> Sequence[Revision]:
        """The revisions without those that only followed main after the chosen ones."""
        last = max(chosen, default=0)
        told = self.told.get(place, ())
        return [row for row in rows if row.revision <= last or row.revision in told]

    def said(self, was: Revision) -> bool:
        """Whether the branch had this for itself; else it was as main has it."""
        place = text_of((was.language_code, was.plural_form))
        is_mine = was.revision in self.told.get(place, ())
        return is_mine and was.revision not in self.returned.get(place, ())

    def mains(self, place: Place, was: Revision | None) -> Revision | None:
        """What a value goes back to that followed main, when ``was`` stood there: what
        main says, or said last before the branch left it."""
        base = self.bases.get(place)
        if base is None:
            return None
        if was is not None and self.is_base(was):
            return was  # outdated as it was beside the branch's source text
        number = base.revision if was is None else was.revision
        return replace(revision_of(base), plural_form=place[1], revision=number)

    def is_base(self, was: Revision) -> bool:
        """Whether this is what main says."""
        base = self.bases.get(text_of((was.language_code, was.plural_form)))
        return base is not None and (
            (base.value, base.status, base.approved_value)
            == (was.value, was.status, was.approved_value)
        )

    def keeps_fresh(self, rows: Sequence[Revision], source: Revision) -> bool:
        """Whether a source text leaves fresh what is so beside main's: it is main's, or
        each that the branch said since it left main's was to do so."""
        place = text_of((source.language_code, source.plural_form))
        told = self.told.get(place, ())
        for row in sorted(rows, key=lambda each: each.revision, reverse=True):
            if row.revision > source.revision:
                continue
            if self.is_base(row) or row.revision not in told:
                return self.is_base(row)
            if not row.keeps_fresh:
                return False
        return False

    def has_own(self, code: str, stood: Mapping[Place, Revision | None]) -> bool:
        """Whether the branch has texts of its own in a language once these stand."""
        back = {text_of(at): was for at, was in stood.items() if at[0] == code}
        own = {at for field, at in self.own if field == "value" and at[0] == code}
        return not own <= back.keys() or any(
            at in self.bases
            if was is None or was.status == "untranslated"
            else not self.is_base(was)
            for at, was in back.items()
        )

    def as_base(self, value: StoredValue) -> StoredValue:
        """The value; where it goes back to main's it is outdated as main's is, unless
        the branch said so itself."""
        place = text_of((value.language_code, value.plural_form))
        base = self.bases.get(place)
        if base is None or value.revision in self.told.get(place, ()):
            return value
        if (base.value, base.status) != (value.value, value.status):
            return value
        return marked_as(value, base)


def _parted(
    changes: Sequence[FieldChange], chosen: Collection[str]
) -> tuple[Sequence[FieldChange], Sequence[FieldChange]]:
    """The changes that stay, and the chosen ones at the end. Raises ChangedLater."""
    at = len(changes)
    while at and changes[at - 1].event_id in chosen:
        at -= 1
    if at == len(changes):
        raise ChangedLater
    return changes[:at], changes[at:]
