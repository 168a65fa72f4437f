"""Works out what brings one key back to how it stood."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from locframework.access.service import Access
from locframework.keys.outdated import outdated
from locframework.keys.records import Field, Key, KeyWrite, StoredValue
from locframework.keys.revisions import Revision, value_of
from locframework.keys.traces import FieldValue, KeyTrace, fields_of, text_of
from locframework.projects.service import scope_of

from .lineage import Places
from .past import KeyPast, LineRun, Untouched, newest_of
from .rules import ChangedLater, FieldChange, Place, field_before, first_of_last
from .sources import Sources


class Attempt(Struct):
    """A write that brings something back, and what that is."""

    key: Key  # as it is now
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
        for name in [name for name in found if past.following.meets(name, found[name])]:
            run.agree(key.id, name, found[name])
            del found[name]
        if "key" in found:
            yield _attempt(key, {"key": found.pop("key")})
        if found:
            yield _attempt(key, found)
        places = past.lineage.numbers(run.changes.values.get(key.id, {}))
        was_plural = is_plural if isinstance(is_plural, bool) else key.is_plural
        if places or was_plural != key.is_plural:
            yield self._values(run, past, places, was_plural)

    def _values(
        self, run: LineRun, past: KeyPast, places: Places, is_plural: bool
    ) -> Attempt:
        """What brings texts back to how they stood; ``is_plural``: so did the key."""
        key, following = past.key, past.following
        before = dict(self._stood(run, past, places))
        is_plural = _turned(run, past, before, is_plural)
        turned: list[Field] = ["isPlural"] if is_plural != key.is_plural else []
        stood = dict(_in_place(run, past, before, is_plural))
        source = run.line.project.source_language
        for place in [at for at in stood if following.meets_text(at, stood[at])]:
            run.agree_text(key.id, place)
            del stood[place]
        has_own = following.has_own(source, stood)
        if not has_own:  # beside main's source text the marks are main's
            stood = {
                at: stood[at] for at in stood if not following.only_marks(at, stood[at])
            }
        sources = past.sources(source, stood, places)
        carried = {
            place: _as_it_is_now(run, past, place, was, sources)
            for place, was in stood.items()
        }
        if sources.since is not None:
            again = self._fresh_again(run, past, carried, sources)
            moves = following.moves(source, stood)
            carried |= {
                place: again[place]
                for place in again
                if not moves or following.follows("value", place)
            }
        if not has_own:
            carried = {
                place: value and following.as_base(value)
                for place, value in carried.items()
            }
        fresh = past.fresh_before(source, stood, sources.since)
        write = KeyWrite(
            name=key.key,
            key_id=key.id,
            is_plural=is_plural if turned else UNSET,
            carried={
                _spelled(at, is_plural): value
                and replace(value, plural_form=_spelled(at, is_plural)[1])
                for at, value in carried.items()
                if is_plural or at[1] == "other"
            },
            fresh=frozenset(_spelled(at, is_plural) for at in fresh),
        )
        return Attempt(key, write, turned, tuple(write.carried))

    def _stood(
        self, run: LineRun, past: KeyPast, places: Places
    ) -> Iterator[tuple[Place, Revision | None]]:
        """How texts stood that go back; None: there was none. What stays is told."""
        for place, chosen in places.items():
            reason, found = self._refusal(run, place), None
            try:
                found = past.before(place, chosen)
            except Untouched:
                continue
            except ChangedLater:
                if past.stands(place, chosen):
                    continue
                reason = reason or "changed_later"
            if reason is None and (found is None or value_of(found) is None):
                reason = run.kept.get(past.key.id)
            if reason is not None:
                _skip(run, past, reason, place)
            else:
                yield place, found

    def _refusal(self, run: LineRun, place: Place) -> str | None:
        code, _ = place
        if code not in {language.language_code for language in run.languages}:
            return "language_not_found"
        scope = scope_of(run.line.project)
        if not self._access.may_write_language(run.caller, scope, code):
            return "language_not_assigned"
        return None

    def _fresh_again(
        self,
        run: LineRun,
        past: KeyPast,
        done: Collection[Place],
        sources: Sources,
    ) -> dict[Place, StoredValue | None]:
        """Translations that only the source text which goes made outdated."""
        found: dict[Place, StoredValue | None] = {}
        key_id = past.key.id
        told = past.lineage.numbers(run.changes.values.get(key_id, {}))
        outdated = run.changes.outdated.get(key_id, {})
        for place in dict.fromkeys(map(text_of, outdated)):
            newest = newest_of(past.history.get(place, ()))
            if newest is None or place in done:
                continue
            marks = past.marks(outdated, place, sources)
            is_fresh = newest.is_outdated and newest.revision in marks
            is_fresh &= not past.was_outdated(place, told.get(place, ()))
            beside = newest.approved_outdated and not past.beside_stays(place, marks)
            if not (is_fresh or beside):
                continue
            reason = self._refusal(run, place)
            if reason is None:
                found[place] = value_of(
                    replace(
                        newest,
                        # a proposal for the source text that goes is outdated then
                        is_outdated=not is_fresh,
                        approved_outdated=newest.approved_outdated and not beside,
                    )
                )
            elif place not in told and not past.follows(place):  # else it was listed
                _skip(run, past, reason, place)
        return found


def _turned(
    run: LineRun,
    past: KeyPast,
    stood: Mapping[Place, Revision | None],
    is_plural: bool,
) -> bool:
    """Whether the key has plurals in the end, that is to have them as it did.

    They stay while a form stays that would go with them.
    """
    key, following = past.key, past.following
    if is_plural == key.is_plural:
        return is_plural
    needs_plurals = past.needs_plurals(stood)
    if following.meets("isPlural", is_plural) and not (is_plural and needs_plurals):
        run.agree(key.id, "isPlural")
        return key.is_plural
    if needs_plurals and not is_plural:
        run.skip(key.id, "changed_later", "isPlural")
        return key.is_plural
    return is_plural


def _in_place(
    run: LineRun,
    past: KeyPast,
    stood: Mapping[Place, Revision | None],
    is_plural: bool,
) -> Iterator[tuple[Place, Revision | None]]:
    """The texts that the key has place for; it is told of the others."""
    for place, was in stood.items():
        if is_plural or place[1] == "other":
            yield place, was
        elif was is not None and past.was_said(was):
            _skip(run, past, "plural_mismatch", place)


def _spelled(place: Place, is_plural: bool) -> Place:
    """The place of a text in a key, with plurals or without."""
    code, form = place
    return code, (form if is_plural or form != "other" else None)


def _skip(run: LineRun, past: KeyPast, reason: str, place: Place) -> None:
    spelled = _spelled(place, past.key.is_plural)
    run.skip(past.key.id, reason, "value", spelled)


def _as_it_is_now(
    run: LineRun,
    past: KeyPast,
    place: Place,
    was: Revision | None,
    sources: Sources,
) -> StoredValue | None:
    """What comes back: outdated if it was, or if the source text was changed since;
    but not by a change that is undone."""
    value = None if was is None else value_of(was)
    rows = past.history.get(place, ())
    newest = newest_of(rows)
    if was is None or value is None or newest is None:
        return value
    outdating = run.changes.outdated.get(past.key.id, {})
    undone = past.marks(outdating, place, sources)
    is_marked = newest.is_outdated and newest.revision not in undone
    is_marked &= sources.changed_after(newest.updated_at)
    if is_marked or sources.outdated_with(was, rows):
        value = outdated(value)
    elif was.revision in undone:
        value = replace(value, is_outdated=False)
    return value


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
            FieldChange(id_, *trace.fields[name], _followed(trace, name))
            for id_, trace in past.traces.items()
            if name in trace.fields
        ]
        if not run.may_update:
            run.skip(key_id, "permission_denied", name)
            continue
        try:
            yield name, _said_before(run, past, name, changes)
        except ChangedLater:
            if not _stands(run, past, name, changes):
                run.skip(key_id, "changed_later", name)


def _followed(trace: KeyTrace, name: Field) -> bool | None:
    return None if trace.followed is None else name in trace.followed


def _said_before(
    run: LineRun, past: KeyPast, name: Field, changes: Sequence[FieldChange]
) -> FieldValue:
    """Raises ChangedLater."""
    following, now = past.following, _now(past.key, name)
    chosen = run.changes.events
    if not following.is_branch:
        return field_before(changes, chosen, now)
    if name == "tags":
        return following.tags_before(changes, chosen, now)
    return following.field_before(name, changes, chosen)


def _stands(
    run: LineRun, past: KeyPast, name: Field, changes: Sequence[FieldChange]
) -> bool:
    """Whether a field that was changed later says by now what it said before."""
    first, now = first_of_last(changes, run.changes.events), _now(past.key, name)
    before = first.before
    if past.following.is_branch:
        before = past.following.said_before(name, first, changes)
    if isinstance(before, tuple) and isinstance(now, tuple):
        return {*before} == {*now}  # their order is no part of it
    return before == now


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
    return Attempt(key, write, list(fields))
