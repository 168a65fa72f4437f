"""Works out what brings one key back to how it stood."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import Line
from locframework.clock import Timestamp
from locframework.events import Touch
from locframework.keys.marks import outdated
from locframework.keys.records import Field, Key, KeyWrite, StoredValue
from locframework.keys.revisions import Revision, value_of
from locframework.keys.traces import FieldValue, KeyTrace, fields_of, key_trace
from locframework.projects.records import Language
from locframework.projects.service import scope_of

from .following import Following
from .records import RevertResult, Skipped
from .rules import (
    ChangedLater,
    FieldChange,
    History,
    Place,
    before,
    can_turn,
    field_before,
)
from .undoing import LineChanges

SKIPPED_TOLD = 1000


class Untouched(Exception):
    """A value that follows main did so before, too."""


Places = dict[Place, set[int]]
"""The chosen revisions of values of one key."""


class LineRun(Struct):
    """One line while it is undone."""

    caller: Caller
    line: Line
    languages: Sequence[Language]
    changes: LineChanges
    result: RevertResult
    may_update: bool
    may_delete: bool
    told: Mapping[str, Places]  # on a branch: revisions that were made there
    gone: set[str] = field(default_factory=set)  # keys that are there no more
    kept: dict[str, str] = field(default_factory=dict)
    """Keys that were made and stay, and why: they keep the texts they came with."""

    def marks(
        self, key_id: str, place: Place, since: Timestamp | None
    ) -> Collection[int]:
        """The revisions that chosen changes have made outdated since then."""
        found = self.changes.outdated.get(key_id, {}).get(place, {})
        return {at for at, when in found.items() if since is not None and when >= since}

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
        """Tell that something stays; the first 1000 are listed."""
        self.result.skipped_count += 1
        if len(self.result.skipped) < SKIPPED_TOLD:
            code, form = place
            key = self.changes.names[key_id]
            told = Skipped(key_id, key, field, code or None, form, reason)
            self.result.skipped.append(told)


class KeyPast(Struct):
    """A key, and what is known of it before."""

    key: Key
    history: History
    traces: Mapping[str, KeyTrace]  # by event id, in order, since the first chosen one
    following: Following

    @classmethod
    def of(
        cls,
        key: Key,
        history: History,
        touches: Sequence[Touch],
        following: Following,
    ) -> KeyPast:
        return cls(key, history, traces_of(touches), following)

    def follows(self, place: Place) -> bool:
        """Whether a branch reads the value from main."""
        return self.following.follows("value", place)

    def before(self, place: Place, chosen: Collection[int]) -> Revision | None:
        """How a value stood before the chosen changes. Raises ChangedLater, Untouched.

        What follows main goes on doing so, if it did then.
        """
        rows, following = self.history.get(place, ()), self.following
        if not self.follows(place):
            return before(rows, chosen)
        found = before(following.until(place, rows, chosen), chosen)
        if found is None or not following.said(self.history, found):
            raise Untouched
        return found

    def before_turn(self, place: Place, chosen: Collection[int]) -> Revision | None:
        """How a value stood that has a place again once plurals are turned back.

        Where nothing chosen was last, nothing was there: the key has no place for it.
        Raises Untouched.
        """
        try:
            return self.before(place, chosen)
        except ChangedLater:
            if self.follows(place):
                raise Untouched from None
            return None

    def undone_since(
        self, source: str, stood: Mapping[Place, Revision | None]
    ) -> Timestamp | None:
        """When the first source text came that goes; ``stood``: what comes back."""
        gone = (
            row.updated_at
            for place, was in stood.items()
            if place[0] == source
            for row in self.history.get(place, ())
            if was is None or row.revision > was.revision
        )
        return min(gone, default=None)

    def changed_after(self, source: str, at: Timestamp) -> bool:
        """Whether a source text is younger than this."""
        return any(
            row.updated_at > at
            for (code, _), rows in self.history.items()
            if code == source
            for row in rows
        )

    def fresh_before(
        self, source: str, stood: Mapping[Place, Revision | None]
    ) -> frozenset[Place]:
        """The values that stood before a source text came that goes, and that it did
        not make outdated: nor does it when it goes.

        What follows main is fresh beside main's source text.
        """
        since = self.undone_since(source, stood)
        if since is None:
            return frozenset()
        kept = all(
            was is None or self.following.is_base(was)
            for place, was in stood.items()
            if place[0] == source
        )
        newest = {at: _newest(rows) for at, rows in self.history.items()}
        return frozenset(
            at
            for at, row in newest.items()
            if row is not None and not row.is_outdated and row.updated_at < since
            if kept or not self.follows(at)
        )

    def landings(self) -> Iterator[Place]:
        """Where turning plurals moves the texts that the key has."""
        for (code, form), rows in self.history.items():
            if form not in (None, "other") or self.key.is_plural != (form == "other"):
                continue
            newest = _newest(rows)
            if newest is not None and newest.status != "untranslated":
                yield code, None if form else "other"


class Attempt(Struct):
    """A write that brings something back, and what that is."""

    write: KeyWrite
    fields: Sequence[Field] = ()
    places: Collection[Place] = ()


class KeyRevert:
    """Judges what the caller may put back, and what nobody changed since."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def attempts(self, run: LineRun, past: KeyPast) -> Iterator[Attempt]:
        """The name, what else the key says, and its values: one may be refused where
        others are not."""
        chosen = [id_ for id_ in past.traces if id_ in run.changes.events]
        found = dict(_fields(run, past, chosen))
        key = past.key
        is_plural = found.pop("isPlural", None)
        found = {name: text for name, text in found.items() if text != _now(key, name)}
        if "key" in found:
            yield _attempt(key, {"key": found.pop("key")})
        if found:
            yield _attempt(key, found)
        told = run.changes.values.get(key.id, {})
        moved = moved_by([past.traces[id_] for id_ in chosen])
        places = {at: told[at] - moved.get(at, set()) for at in told}
        if isinstance(is_plural, bool):
            both = {
                at: told.get(at, set()) | moved.get(at, set()) for at in told | moved
            }
            if is_plural == key.is_plural:
                places = both
            elif can_turn(past.history, both, past.follows):
                yield self._values(run, past, both, is_plural=is_plural)
                return
            else:
                run.skip(key.id, "changed_later", "isPlural")
        places = {at: revisions for at, revisions in places.items() if revisions}
        if places:
            yield self._values(run, past, places, is_plural=key.is_plural)

    def _values(
        self, run: LineRun, past: KeyPast, places: Places, *, is_plural: bool
    ) -> Attempt:
        """What brings values back to how they stood, in a key that has plurals then."""
        key, turns = past.key, is_plural != past.key.is_plural
        before = past.before_turn if turns else past.before
        stood: dict[Place, Revision | None] = {}
        if turns:  # what has a place now goes with the plurals
            there = {at for at in places if is_plural == (at[1] is not None)}
            at_all = sorted(there.union(past.landings()), key=str)
            places = {at: places.get(at, set()) for at in at_all}
        for place, chosen in places.items():
            reason = self._refusal(run, place, is_plural=is_plural)
            found = None
            try:
                found = before(place, chosen)
            except Untouched:
                continue
            except ChangedLater:
                reason = reason or "changed_later"
            if reason is not None:
                run.skip(key.id, reason, "value", place)
                continue
            if key.id in run.kept and (found is None or value_of(found) is None):
                run.skip(key.id, run.kept[key.id], "value", place)
            else:
                stood[place] = found
        source = run.line.project.source_language
        since = past.undone_since(source, stood)
        carried = {
            place: None if was is None else _as_it_is_now(run, past, place, was, since)
            for place, was in stood.items()
        }
        if since is not None:
            carried |= self._fresh_again(run, past, carried, since, is_plural=is_plural)
        write = KeyWrite(
            name=key.key,
            key_id=key.id,
            is_plural=is_plural if turns else UNSET,
            carried=carried,
            fresh=past.fresh_before(source, stood),
        )
        turned: list[Field] = ["isPlural"] if turns else []
        return Attempt(write, turned, tuple(carried))

    def _refusal(self, run: LineRun, place: Place, *, is_plural: bool) -> str | None:
        code, form = place
        if code not in {language.language_code for language in run.languages}:
            return "language_not_found"
        scope = scope_of(run.line.project)
        if not self._access.may_write_language(run.caller, scope, code):
            return "language_not_assigned"
        if is_plural != (form is not None):
            return "plural_mismatch"
        return None

    def _fresh_again(
        self,
        run: LineRun,
        past: KeyPast,
        done: Collection[Place],
        since: Timestamp,
        *,
        is_plural: bool,
    ) -> dict[Place, StoredValue | None]:
        """Translations that only the source text which goes made outdated."""
        found: dict[Place, StoredValue | None] = {}
        for place in run.changes.outdated.get(past.key.id, {}):
            newest = _newest(past.history.get(place, ()))
            if newest is None or not newest.is_outdated or place in done:
                continue
            if newest.revision not in run.marks(past.key.id, place, since):
                continue
            if self._refusal(run, place, is_plural=is_plural) is None:
                found[place] = value_of(replace(newest, is_outdated=False))
        return found


def traces_of(touches: Sequence[Touch]) -> dict[str, KeyTrace]:
    """What changes of a key were, by event id, in order."""
    told = ((each.event_id, each.trace) for each in touches)
    return {id_: key_trace(trace) for id_, trace in told if trace}


def _as_it_is_now(
    run: LineRun, past: KeyPast, place: Place, was: Revision, since: Timestamp | None
) -> StoredValue | None:
    """What comes back: outdated if it was, or if the source text was changed since;
    but not by a change that is undone, as all ``since`` then are."""
    value, newest = value_of(was), _newest(past.history[place])
    if value is None or newest is None:
        return None
    undone = run.marks(past.key.id, place, since)
    source = run.line.project.source_language
    is_marked = newest.is_outdated and newest.revision not in undone
    if is_marked and past.changed_after(source, newest.updated_at):
        value = outdated(value)
    elif was.revision in undone:
        value = replace(value, is_outdated=False)
    return past.following.as_base(value)


def _newest(rows: Iterable[Revision]) -> Revision | None:
    return max(rows, key=lambda each: each.revision, default=None)


def _fields(
    run: LineRun, past: KeyPast, chosen: Sequence[str]
) -> Iterator[tuple[Field, FieldValue]]:
    """What fields of the key said before; what cannot be undone is told."""
    key_id = past.key.id
    if run.changes.described.get(key_id, set()) - set(chosen):
        run.skip(key_id, "fields_stay")
    names = dict.fromkeys(name for id_ in chosen for name in past.traces[id_].fields)
    for name in names:
        changes = [
            FieldChange(id_, *trace.fields[name])
            for id_, trace in past.traces.items()
            if name in trace.fields
        ]
        if not run.may_update:
            run.skip(key_id, "permission_denied", name)
            continue
        try:
            follows = past.following.follows(name)
            chosen_ids, now = run.changes.events, _now(past.key, name)
            yield name, field_before(changes, chosen_ids, now, follows=follows)
        except ChangedLater:
            run.skip(key_id, "changed_later", name)


def moved_by(traces: Iterable[KeyTrace]) -> Places:
    """The revisions that turning plurals made."""
    found: Places = {}
    for trace in traces:
        for code, form, revision in trace.moved:
            found.setdefault((code, form), set()).add(revision)
    return found


def _now(key: Key, name: Field) -> FieldValue:
    return fields_of(key)[name]


_MEMBERS: Mapping[Field, str] = {
    "key": "rename",
    "description": "description",
    "tags": "tags",
    "screenshotFileId": "screenshot_file_id",
}


def _attempt(key: Key, fields: Mapping[Field, FieldValue]) -> Attempt:
    members = {_MEMBERS[name]: value for name, value in fields.items()}
    write = replace(KeyWrite(name=key.key, key_id=key.id), **members)
    return Attempt(write, list(fields))
