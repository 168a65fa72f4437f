"""Keeps open branches in step with main: what they did not edit follows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from locframework.branches.records import BranchScope
from locframework.events import Event
from locframework.fields import Timestamp
from locframework.projects.records import Project
from locframework.storage import Storage

from .comparing import states_of, touched, twins_of
from .edits import KeyMerge, agreed, edits_of
from .findings import Findings
from .outdated import marked_as
from .rebase import followed
from .records import BranchKey, Key, KeyState, StoredValue, ValueSlot
from .revisions import Revision, last_number, revision_of
from .store import BranchKeyStore, KeyStore
from .three_way import sides
from .traces import FieldValue, Followed, Part


class Overlays:
    """The copies that branches have of main's keys."""

    def __init__(self, storage: Storage, findings: Findings) -> None:
        self._storage = storage
        self._findings = findings

    def follow(
        self,
        scope: BranchScope,
        key_ids: Collection[str],
        names: Collection[str],
        at: Timestamp,
        outdating: Collection[str] = (),
    ) -> Followed:
        """After keys of a line were written, in the same transaction.

        After main, open branches follow it. After a branch, what was made equal to its
        base again follows main, and its changes are counted; the answer tells what
        became of its keys. ``names``: those that keys of main newly have, or have left.
        ``outdating``: keys whose source text changed and keeps nothing fresh. One
        statement on main when no branch is open; else a number of them a branch that
        grows with the keys / 500.
        """
        if not key_ids:
            return Followed()
        project, main = scope.project, self._storage.keys
        if scope.branch is not None:
            branch = self._storage.branch_keys(project.id, scope.branch.id)
            done = self._follow_together(branch, main, project, key_ids, key_ids)
            self._follow(branch, main, project, branch.hidden())
            self._storage.branches.touch_branch(scope.branch.id, at)
            return done
        for branch_id, theirs in main.branches_with(project.id, key_ids, names).items():
            branch = self._storage.branch_keys(project.id, branch_id)
            self._hide(branch, main, project, names)
            self._follow(branch, main, project, theirs, outdating)
        return Followed()

    def agree(
        self, scope: BranchScope, parts: Mapping[str, Mapping[Part, FieldValue]]
    ) -> None:
        """Have parts of a branch's keys, by id, follow main again: both say the same.
        Of tags ``parts`` has those that the branch shows: what it added and took away
        stays its own. A number of statements that grows with the keys / 500."""
        if scope.branch is None or not parts:
            return
        project, main = scope.project, self._storage.keys
        branch = self._storage.branch_keys(project.id, scope.branch.id)
        states = states_of(main, project.id, parts)
        branch.put_overlay(
            [
                replace(each, base=agreed(each.base, states[id_], parts[id_]))
                for each in branch.overlay(parts)
                for id_ in [each.key_id]
                if each.base is not None and id_ in states
            ]
        )
        self._follow(branch, main, project, parts)

    def on_event(self, event: Event) -> None:
        """Inside the transaction of every event: a language may have left."""
        if event.type != "language.removed":
            return
        project = self._storage.projects.find(event.project_id or "")
        if project is not None:
            for item in event.items:
                self._forget(project, str(item["languageCode"]))

    def _forget(self, project: Project, language_code: str) -> None:
        """Its texts are gone from every line, and no branch changed a thing by it."""
        main = self._storage.keys
        for branch_id in self._storage.branches.open_branches(project.id):
            branch = self._storage.branch_keys(project.id, branch_id)
            entries = branch.overlay()
            branch.put_overlay([_without(each, language_code) for each in entries])
            ids = [entry.key_id for entry in entries]
            self._follow_together(branch, main, project, ids)

    def _hide(
        self,
        branch: BranchKeyStore,
        main: KeyStore,
        project: Project,
        names: Collection[str],
    ) -> None:
        """Main's keys of a name that the branch has given to another key."""
        if not names:
            return
        seen = branch.find_keys_by_name(project.id, names)
        there = main.find_keys_by_name(project.id, names)
        clashing = [
            key.id
            for name, key in there.items()
            if name in seen and seen[name].id != key.id
        ]
        known = {entry.key_id for entry in branch.overlay(clashing)}
        branch.put_overlay(
            [BranchKey(id_, "hidden") for id_ in clashing if id_ not in known]
        )

    def _follow_together(
        self,
        branch: BranchKeyStore,
        main: KeyStore,
        project: Project,
        key_ids: Collection[str],
        outdating: Collection[str] = (),
    ) -> Followed:
        """Bring these keys of a branch up to date; where one goes, another of them may
        take its name, as in main."""
        done = self._follow(branch, main, project, key_ids, outdating)
        if not done.gone:
            return done
        again = self._follow(branch, main, project, {*key_ids} - {*done.gone})
        return done._replace(moved={**done.moved, **again.moved})

    def _follow(
        self,
        branch: BranchKeyStore,
        main: KeyStore,
        project: Project,
        key_ids: Collection[str],
        outdating: Collection[str] = (),
    ) -> Followed:
        """Bring these keys of a branch up to date."""
        entries = branch.overlay(key_ids) if key_ids else []
        ids = [entry.key_id for entry in entries]
        states, copies = states_of(main, project.id, ids), branch.copies(ids)
        holders = _holders(branch, project, [*states.values()])
        dropped: list[str] = []
        kept: list[KeyMerge] = []
        news: list[_News] = []
        for entry in entries:
            now, copy = states.get(entry.key_id), copies.get(entry.key_id)
            if _goes(entry, now, copy, holders):
                dropped.append(entry.key_id)
            elif entry.base is None:
                continue
            elif now is None or copy is None:
                kept.append(KeyMerge(entry, now, copy))
            else:
                outdates = entry.key_id in outdating
                source = project.source_language
                both = followed(entry.base, now, copy, source, outdates=outdates)
                news.append(_News(copy, *both))
        news = list(_settled(news, holders))
        moved = [each for each in news if each.is_other()]
        self._rewrite(branch, main, project, moved)
        kept += [
            KeyMerge(BranchKey(id_, "copy", each.base), states[id_], each.new)
            for each in news
            for id_ in [each.new.key.id]
        ]
        kept += _own(branch, main, project, entries, holders)
        branch.put_overlay(
            [replace(each.entry, changes=len(edits_of(each))) for each in kept]
        )
        branch.drop_overlay(dropped)
        left = [each for each in moved if each.new.key.key != each.copy.key.key]
        if left or dropped:  # main's key of such a name comes into sight
            self._follow(branch, main, project, branch.hidden())
        bases = {each.key_id: each.base for each in entries if each.base is not None}
        read = {each.new.key.id: each.new.key for each in moved}
        return Followed(bases, read, dropped)

    def _rewrite(
        self,
        branch: BranchKeyStore,
        main: KeyStore,
        project: Project,
        moved: Sequence[_News],
    ) -> None:
        if not moved:
            return
        ids = [each.new.key.id for each in moved]
        _rewrite(branch, moved, [*main.cleared_of(ids), *branch.cleared_of(ids)])
        self._findings.rework_states(branch, project, [each.new for each in moved])


class _News(NamedTuple):
    """What becomes of a branch's copy, and of its base."""

    copy: KeyState
    base: KeyState
    new: KeyState

    def is_other(self) -> bool:
        """Whether the branch reads otherwise from now on."""
        old = {_place(row): row for row in self.copy.values}
        rows = self.new.values
        return (
            _of_branch(self.new.key) != _of_branch(self.copy.key)
            or len(rows) != len(old)
            or not all(_place(r) in old and _is_as(r, old[_place(r)]) for r in rows)
        )

    def named(self, name: str) -> _News:
        base = replace(self.base, key=replace(self.base.key, key=name))
        new = replace(self.new, key=replace(self.new.key, key=name))
        return _News(self.copy, base, new)


Holders = Mapping[str, str]
"""Who has a name on a branch: the id of its own key, by name."""


def _holders(
    branch: BranchKeyStore, project: Project, states: Sequence[KeyState]
) -> Holders:
    names = {state.key.key for state in states}
    found = branch.find_keys_by_name(project.id, names) if names else {}
    return {name: key.id for name, key in found.items() if key.key_source == "branch"}


def _is_held(state: KeyState | None, holders: Holders) -> bool:
    """Whether another key of the branch has the name that main's key has."""
    return (
        state is not None and holders.get(state.key.key, state.key.id) != state.key.id
    )


def _goes(
    entry: BranchKey, now: KeyState | None, copy: KeyState | None, holders: Holders
) -> bool:
    """Whether the branch has nothing to say of a key any more."""
    if entry.kind == "hidden":
        return not _is_held(now, holders)
    if entry.base is None or now is not None or copy is None:
        return False
    said = sides(entry.base, entry.base, copy).values()
    return not any(side.edited for side in said)  # goes with main's


def _settled(news: Sequence[_News], holders: Holders) -> Iterator[_News]:
    """Main's new name is another key's on the branch: there the old one stays."""
    staying: set[str] = set()
    while True:
        leaving = {
            each.new.key.id
            for each in news
            if each.new.key.key != each.copy.key.key and each.new.key.id not in staying
        }
        more = {
            each.new.key.id
            for each in news
            if each.new.key.id in leaving
            and _is_held(each.new, holders)
            and holders[each.new.key.key] not in leaving
        }
        if not more:
            break
        staying |= more
    for each in news:
        stays = each.new.key.id in staying
        yield each.named(each.copy.key.key) if stays else each


def _own(
    branch: BranchKeyStore,
    main: KeyStore,
    project: Project,
    entries: Sequence[BranchKey],
    holders: Holders,
) -> list[KeyMerge]:
    """Keys that were made on the branch: those of the entries, and those whose name a
    key of main has that is an entry, out of sight."""
    known = {entry.key_id: entry for entry in entries}
    if any(entry.kind == "hidden" for entry in entries):
        more = branch.overlay([id_ for id_ in holders.values() if id_ not in known])
        known |= {entry.key_id: entry for entry in more}
    own = {id_: entry for id_, entry in known.items() if entry.kind == "own"}
    if not own:
        return []
    copies = branch.copies(own)
    twins = twins_of(main, branch, project.id, copies.values())
    return [touched(entry, None, copies.get(id_), twins) for id_, entry in own.items()]


def _without(entry: BranchKey, language_code: str) -> BranchKey:
    """The entry with a base that has no text in the language."""
    if entry.base is None:
        return entry
    rows = tuple(row for row in entry.base.values if row.language_code != language_code)
    return replace(entry, base=replace(entry.base, values=rows))


def _rewrite(
    branch: BranchKeyStore, news: Sequence[_News], ends: Iterable[Revision]
) -> None:
    """``ends``: the revisions that cleared values, of main and of the branch."""
    ends = list(ends)
    branch.save_keys(
        [
            each.new.key
            for each in news
            if _of_branch(each.new.key) != _of_branch(each.copy.key)
        ]
    )
    gone: list[StoredValue] = []
    put: list[StoredValue] = []
    told: list[Revision] = []
    for each in news:
        before = {_place(row): row for row in each.copy.values}
        after = {_place(row): row for row in each.new.values}
        last = _last(ends, each.new.key.id)
        lost = [row for at, row in before.items() if at not in after]
        ended = [_end(row, last.get(_place(row))) for row in lost]
        changed = list(_changed(before, after, [*last.values(), *ended]))
        told += (revision_of(row) for row in lost)
        told += ended
        told += (revision_of(old) for old in _replaced(before, changed))
        gone += lost
        put += changed
    branch.add_revisions(told)
    branch.remove_values(gone)
    branch.put_values(put)


def _replaced(
    before: Mapping[ValueSlot, StoredValue], changed: Iterable[StoredValue]
) -> Iterator[StoredValue]:
    """What stood where there is another text now."""
    for row in changed:
        old = before.get(_place(row))
        if old is not None and old.revision != row.revision:
            yield old


def _last(ends: Iterable[Revision], key_id: str) -> dict[ValueSlot, Revision]:
    """The last of the revisions that cleared a value of the key, by place."""
    found: dict[ValueSlot, Revision] = {}
    for end in sorted(ends, key=lambda end: end.revision):
        if end.key_id == key_id:
            found[end.language_code, end.plural_form] = end
    return found


def _end(row: StoredValue, end: Revision | None) -> Revision:
    """What tells on the branch that main cleared the value."""
    told = end or replace(revision_of(row), status="untranslated", value="")
    return replace(told, revision=max(told.revision, row.revision + 1))


def _changed(
    before: dict[ValueSlot, StoredValue],
    after: dict[ValueSlot, StoredValue],
    ends: Iterable[Revision],
) -> Iterable[StoredValue]:
    """No revision of the branch is told twice."""
    gone: dict[ValueSlot, int] = {}
    for end in ends:
        place = (end.language_code, end.plural_form)
        gone[place] = max(gone.get(place, 0), end.revision)
    for at, row in after.items():
        old = before.get(at)
        if old is None:
            yield replace(row, revision=max(row.revision, last_number(at, gone) + 1))
        elif not _is_as(row, old):
            aged = marked_as(old, row)
            told = replace(row, revision=max(row.revision, old.revision + 1))
            yield aged if _is_as(row, aged) else told  # a mark is no new text


def _is_as(row: StoredValue, old: StoredValue) -> bool:
    """Whether a value is the same but for its number: lines count on their own."""
    return replace(row, revision=old.revision) == old


def _of_branch(key: Key) -> Key:
    return replace(key, key_source="branch")


def _place(row: StoredValue) -> ValueSlot:
    return row.language_code, row.plural_form
