"""What a branch reads from main when it is undone: nobody changed that there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from locframework.keys.edits import KeyMerge, own_sides
from locframework.keys.outdated import marked_as
from locframework.keys.records import Field, StoredValue
from locframework.keys.revisions import Revision, revision_of, value_of
from locframework.keys.three_way import Sides, Text, united
from locframework.keys.three_way import text_of as said_by
from locframework.keys.traces import FieldValue, Part, fields_of_base, text_of

from .rules import ChangedLater, FieldChange, Place


class Following(Struct, frozen=True):
    """What of one key follows main, on a branch; on main itself nothing does.

    The text of a key without plurals is that of the form ``other``.
    """

    is_branch: bool = False
    own: frozenset[Part] = frozenset()
    shared: frozenset[Part] = frozenset()  # own, and main came to say the same
    others: frozenset[Place] = frozenset()  # texts: another counts than main's
    told: Mapping[Place, Collection[int]] = {}  # revisions made on the branch
    left: Mapping[Place, Collection[int]] = {}  # those of them that found main's
    bases: Mapping[Place, StoredValue] = {}  # what the branch's own are compared with
    base_fields: Mapping[Field, FieldValue] = {}  # likewise
    tags: tuple[str, ...] = ()  # that it shows
    mains_fields: Mapping[Field, FieldValue] = {}  # as main says them by now
    mains_texts: Mapping[Place, Text] = {}

    @classmethod
    def of(
        cls,
        touched: KeyMerge,
        told: Mapping[Place, Collection[int]],
        left: Mapping[Place, Collection[int]],
    ) -> Self:
        """Of a key that the branch has for itself, as main had it last."""
        base, branch = touched.entry.base, touched.branch
        if base is None or branch is None:
            return cls()
        main, own = touched.main or base, own_sides(base, touched.main, branch)
        bases = {
            text_of((row.language_code, row.plural_form)): row for row in base.values
        }
        return cls(
            is_branch=True,
            own=frozenset(own),
            shared=frozenset(
                part
                for part, side in own.items()
                if side.own and side.branch == side.main
            ),
            others=frozenset(
                place
                for (field, place), side in own.items()
                if field == "value" and side.edited and side.has_another
            ),
            told=told,
            left=left,
            bases=bases,
            base_fields=fields_of_base(base),
            tags=branch.key.tags,
            mains_fields=fields_of_base(main),
            mains_texts={
                text_of((row.language_code, row.plural_form)): said_by(row)
                for row in main.values
            },
        )

    def follows(self, field: Field, place: Place = ("", None)) -> bool:
        """Whether the branch reads it from main."""
        return self.is_branch and (field, text_of(place)) not in self.own

    def meets(self, field: Field, before: FieldValue) -> bool:
        """Whether a field reads as it does now once it says this again: it follows
        main then, which says what the branch does; tags one by one."""
        if field == "tags" and self.is_branch:
            back = united(
                Sides(self.base_fields[field], self.mains_fields[field], before)
            )
            return back == self.tags
        shared = (field, ("", None)) in self.shared
        return shared and before == self.base_fields[field]

    def meets_text(self, place: Place, before: Revision | None) -> bool:
        """Likewise of a value; None: there was none."""
        if ("value", place) not in self.shared:
            return False
        if before is None or before.status == "untranslated":
            return place not in self.bases
        return self.is_base(before)

    def field_before(
        self, name: Field, changes: Sequence[FieldChange], chosen: Collection[str]
    ) -> FieldValue:
        """What a field said before the chosen events; what main says, where it followed
        main. ``changes``: all that were made on the branch.

        Main goes on without an event of the branch, and that is nobody's change there.
        Raises ChangedLater when the last one was not chosen.
        """
        return self.said_before(name, _last(changes, chosen)[0], changes)

    def said_before(
        self, name: Field, change: FieldChange, changes: Sequence[FieldChange]
    ) -> FieldValue:
        """What a field said before a change of it, or what main says by now."""
        is_mains = _found_mains(change, changes)
        return self.base_fields[name] if is_mains else change.before

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
        last = _last(changes, chosen)
        found, base = now, self.base_fields["tags"]
        for change in reversed(last):
            found = _as_they_stood(change, found)
        assert isinstance(now, tuple)
        assert isinstance(found, tuple)
        assert isinstance(base, tuple)
        if _found_mains(last[0], changes) or {*found} == {*base}:
            found = base
        return now if {*found} == {*now} else found

    def said(self, was: Revision) -> bool:
        """Whether the branch had this for itself; else it was as main has it."""
        place = text_of((was.language_code, was.plural_form))
        told, left = self.told.get(place, ()), self.left.get(place, ())
        if was.revision not in told:
            return False
        after = min((each for each in told if each > was.revision), default=None)
        return after not in left if after else not self.follows("value", place)

    def only_marks(self, place: Place, was: Revision | None) -> bool:
        """Whether a text follows main, was outdated, and followed main then or says
        what main says by now: that it is outdated is main's to say, but not that the
        branch found it right."""
        if was is None or not was.is_outdated or not self.follows("value", place):
            return False
        return not self.said(was) or self.is_base(was)

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
        """Whether other texts count on the branch in a language once these stand."""
        back = {text_of(at): was for at, was in stood.items() if at[0] == code}
        others = {at for at in self.others if at[0] == code}
        return not others <= back.keys() or any(
            at in self.bases and at in self.mains_texts
            if was is None or was.status == "untranslated"
            else not self.is_base(was) and self._is_another(at, was)
            for at, was in back.items()
        )

    def moves(self, code: str, stood: Mapping[Place, Revision | None]) -> bool:
        """Whether a source text goes back to main's, where another counts by now: it
        outdates what the branch says in other languages."""
        return self.is_branch and any(
            self.is_base(was) and self._counts_otherwise(at, was)
            for at, was in stood.items()
            if at[0] == code and was is not None
            if self.mains_fields["isPlural"] or at[1] == "other"
        )

    def _counts_otherwise(self, place: Place, was: Revision) -> bool:
        value, main = value_of(was), self.mains_texts.get(place)
        return value is not None and (
            main is None or main.counts != said_by(value).counts
        )

    def _is_another(self, place: Place, was: Revision) -> bool:
        value = value_of(was)
        said = None if value is None else said_by(value)
        return Sides(None, self.mains_texts.get(place), said).has_another

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


def _as_they_stood(change: FieldChange, now: FieldValue) -> tuple[str, ...]:
    """Tags without what a change put on, with what it took off, in their old order."""
    tags = united(Sides(change.after, change.before, now))
    before = change.before if isinstance(change.before, tuple) else ()
    old = [tag for tag in before if tag in tags]
    return (*old, *(tag for tag in tags if tag not in old))


def _last(
    changes: Sequence[FieldChange], chosen: Collection[str]
) -> Sequence[FieldChange]:
    """The chosen changes at the end. Raises ChangedLater where there are none."""
    at = len(changes)
    while at and changes[at - 1].event_id in chosen:
        at -= 1
    if at == len(changes):
        raise ChangedLater
    return changes[at:]


def _found_mains(change: FieldChange, changes: Sequence[FieldChange]) -> bool:
    """Whether a change found what main said; where that was not kept yet, it is taken
    for so of the first of them."""
    is_first = change is changes[0]
    return is_first if change.followed is None else change.followed
