"""What is known of a line and its keys while something on it is undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.events import Touch
from locframework.fields import Timestamp
from locframework.keys.records import Field, Key
from locframework.keys.revisions import Revision
from locframework.keys.traces import FieldValue, KeyTrace, Part, key_trace, text_of
from locframework.projects.records import Language

from .following import Following
from .lineage import Lineage, Places, Sayings, sayings_of
from .records import RevertResult, Skipped
from .rules import History, Place, before, said, stands
from .sources import Sources
from .undoing import LineChanges, Told

SKIPPED_TOLD = 1000


class Untouched(Exception):
    """A value that follows main did so before, too."""


class KeysLost(Exception):
    """Keys that came back on a branch are gone once all is done: main deleted them too,
    and nothing that the branch said of its own is left."""

    def __init__(self, branch_id: str, key_ids: Collection[str]) -> None:
        super().__init__()
        self.branch_id = branch_id
        self.key_ids = key_ids


class LineRun(Struct):
    """One line while changes on it are undone."""

    caller: Caller
    line: BranchScope
    languages: Sequence[Language]
    changes: LineChanges
    result: RevertResult
    may_update: bool
    may_delete: bool
    told: Mapping[str, Told]  # on a branch: revisions that were made there
    lost: Collection[str] = ()  # keys that an earlier try has lost: see KeysLost
    agreed: dict[str, dict[Part, FieldValue]] = field(default_factory=dict)
    """By key id, parts that follow main again: both say the same (Overlays.agree)."""
    done: set[str] = field(default_factory=set)
    """Keys that are there no more, or are back to how they stood."""
    kept: dict[str, str] = field(default_factory=dict)
    """Keys that were made and stay, and why: they keep the texts they came with."""

    def agree(self, key_id: str, field: Field, before: FieldValue = None) -> None:
        """Note that a field follows main again, which says the same by now."""
        self.agreed.setdefault(key_id, {})[field, ("", None)] = before

    def agree_text(self, key_id: str, place: Place) -> None:
        """Likewise of a value."""
        self.agreed.setdefault(key_id, {})["value", text_of(place)] = None

    def keep(self, key_id: str, reason: str) -> None:
        """Tell that a key that was made stays."""
        self.kept[key_id] = reason
        self.skip(key_id, reason)

    def skip(
        self,
        key_id: str,
        reason: str,
        field: Field | None = None,
        place: Place = ("", None),
    ) -> None:
        """Tell that something stays."""
        skip(self.result, self.changes, key_id, reason, field, place)


def skip(
    result: RevertResult,
    changes: LineChanges,
    key_id: str,
    reason: str,
    field: Field | None = None,
    place: Place = ("", None),
) -> None:
    """Tell that something stays; the first 1000 are listed."""
    result.skipped_count += 1
    if len(result.skipped) < SKIPPED_TOLD:
        (code, form), key = place, changes.names[key_id]
        told = Skipped(key_id, key, changes.branch, field, code or None, form, reason)
        result.skipped.append(told)


def skip_all(result: RevertResult, changes: LineChanges, reason: str) -> None:
    """Tell that none of the changes is undone: keys, then values of others."""
    whole = {**changes.made, **changes.deleted, **dict.fromkeys(changes.described)}
    for key_id in whole:
        skip(result, changes, key_id, reason)
    for key_id, places in changes.values.items():
        for place in places if key_id not in changes.made else ():
            skip(result, changes, key_id, reason, "value", place)


class KeyPast(Struct):
    """A key, and what is known of it before."""

    key: Key
    lineage: Lineage
    traces: Mapping[str, KeyTrace]  # by event id, in order, since the first chosen one
    following: Following

    @property
    def history(self) -> History:
        """Every revision of its texts."""
        return self.lineage.rows

    def follows(self, place: Place) -> bool:
        """Whether a branch reads the value from main."""
        return self.following.follows("value", place)

    def before(self, place: Place, chosen: Collection[int]) -> Revision | None:
        """How a text stood before the chosen changes. Raises ChangedLater, Untouched.

        What follows main goes on doing so, if it did then.
        """
        rows, following = self.history.get(place, ()), self.following
        if not following.is_branch:
            return before(rows, chosen)
        mine = following.told.get(place, ())
        found = before((row for row in rows if row.revision in mine), chosen)
        if found is not None and following.said(found):
            return found
        last = max(chosen)
        was = newest_of(
            row for row in rows if row.revision < last and row.revision not in chosen
        )
        if not self.follows(place):
            return following.mains(place, was)
        if was is None or not is_another_mark(was, newest_of(rows)):
            raise Untouched
        return was

    def was_said(self, was: Revision) -> bool:
        """Whether it is a text that somebody gave this line."""
        if was.status == "untranslated":
            return False
        following = self.following
        return not following.is_branch or following.said(was)

    def was_outdated(self, place: Place, chosen: Collection[int]) -> bool:
        """Whether a value of a branch that only was found right was outdated before."""
        rows = self.history.get(place, ())
        was = newest_of(row for row in rows if row.revision not in chosen)
        newest = newest_of(rows)
        is_chosen = newest is not None and newest.revision in chosen
        return is_chosen and was is not None and was.is_outdated

    def sources(
        self,
        code: str,
        stood: Mapping[Place, Revision | None],
        places: Places,
    ) -> Sources:
        """What becomes of the source texts, in the language of this code; ``stood``:
        what comes back, of the revisions in ``places``."""
        return Sources.of(self.history, code, stood, places, self.follows)

    def marks(
        self,
        outdated: Mapping[Place, Mapping[int, Timestamp]],
        place: Place,
        sources: Sources,
    ) -> Collection[int]:
        """The revisions of a text that were made ``outdated`` by what goes."""
        code, form = place
        numbers = {
            at
            for each in {place, (code, None if form == "other" else form)}
            for at, when in outdated.get(each, {}).items()
            if sources.undoes(when)
        }
        return self.lineage.marks(place, numbers)

    def beside_stays(self, place: Place, marks: Collection[int]) -> bool:
        """Whether the approved text beside the newest one stays outdated when these
        marks go: it was so by another before."""
        rows = sorted(self.history[place], key=lambda row: row.revision, reverse=True)
        proposals = 0
        for row in rows:
            if row.status == "approved":
                break
            proposals += row.revision in marks
        else:
            return True
        return row.revision not in marks if row.is_outdated else not proposals

    def fresh_before(
        self,
        source: str,
        stood: Mapping[Place, Revision | None],
        since: Timestamp | None,
    ) -> frozenset[Place]:
        """The values that stood before a source text came that goes, and that it did
        not make outdated: nor does it when it goes.

        What follows main is fresh beside main's source text, and beside one of the
        branch that kept it so.
        """
        if since is None:
            return frozenset()
        kept = all(
            was is None or self.following.keeps_fresh(self.history.get(place, ()), was)
            for place, was in stood.items()
            if place[0] == source
        )
        newest = {at: newest_of(rows) for at, rows in self.history.items()}
        return frozenset(
            at
            for at, row in newest.items()
            if row is not None and not row.is_outdated and row.updated_at < since
            if kept or not self.follows(at)
        )

    def stands(self, place: Place, chosen: Collection[int]) -> bool:
        """Whether a text that was changed later says by now what it said before the
        chosen changes, or what main says that it followed then."""
        rows, following = self.history.get(place, ()), self.following
        if not following.is_branch:
            return stands(rows, chosen, newest_of(rows))

        def told(row: Revision | None) -> object:
            is_own = row is not None and following.said(row)
            return said(row if is_own else following.mains(place, None))

        mine = following.told.get(place, ())
        own = [row for row in rows if row.revision in mine]
        return stands(own, chosen, newest_of(rows), told)

    def needs_plurals(self, stood: Mapping[Place, Revision | None]) -> bool:
        """Whether the key has a form that goes with the plurals, once these stand; what
        follows main keeps nothing on a branch."""
        now = {
            place: newest_of(rows)
            for place, rows in self.history.items()
            if not self.follows(place)
        }
        return any(
            row is not None and self.was_said(row)
            for (_, form), row in {**now, **stood}.items()
            if form != "other"
        )


def traces_of(touches: Sequence[Touch]) -> dict[str, KeyTrace]:
    """What changes of a key were, by event id, in order."""
    told = ((each.event_id, each.trace) for each in touches)
    return {id_: key_trace(trace) for id_, trace in told if trace}


def moved_by(touches: Sequence[Touch]) -> Sayings:
    """The revisions that turning plurals made."""
    return sayings_of(
        (row, at) for trace, at in _traces(touches) for row in trace.moved
    )


def left_by(touches: Sequence[Touch]) -> Sayings:
    """The revisions of a branch that came to where a value followed main."""
    return sayings_of((row, at) for trace, at in _traces(touches) for row in trace.left)


def _traces(touches: Sequence[Touch]) -> Iterator[tuple[KeyTrace, Timestamp]]:
    for each in touches:
        if each.trace:
            yield key_trace(each.trace), each.created_at


def is_another_mark(was: Revision, now: Revision | None) -> bool:
    """Whether a value says the same as it did, and only what is outdated differs: a
    text was found right."""
    if now is None or was.status == "untranslated":
        return False
    same = (was.value, was.status, was.approved_value)
    return same == (now.value, now.status, now.approved_value) and (
        was.is_outdated != now.is_outdated
    )


def newest_of(rows: Iterable[Revision]) -> Revision | None:
    """The value as it is now, or how it ended."""
    return max(rows, key=lambda each: each.revision, default=None)
