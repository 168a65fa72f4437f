"""Keeps open branches in step with main: what they did not edit follows it."""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from locframework.branches.records import Line
from locframework.projects.records import Project
from locframework.storage import Storage

from .findings import Findings
from .records import BranchKey, Key, KeyState, StoredValue
from .revisions import Revision, revision_of
from .store import BranchKeyStore, KeyStore
from .three_way import edit_count, followed, sides

Place = tuple[str, str | None]


class Overlays:
    """The copies that branches have of main's keys."""

    def __init__(self, storage: Storage, findings: Findings) -> None:
        self._storage = storage
        self._findings = findings

    def follow(
        self, line: Line, key_ids: Collection[str], names: Collection[str] = ()
    ) -> None:
        """After keys of a line were written, in the same transaction.

        Open branches follow main; of a branch it is counted how many changes it has.
        ``names``: those that keys of main have newly taken. One statement on main when
        no branch is open.
        """
        if not key_ids:
            return
        if line.branch is not None:
            self._count(line, key_ids)
            return
        project, main = line.project, self._storage.keys
        for branch_id, theirs in main.branches_with(project.id, key_ids, names).items():
            branch = self._storage.branch_keys(project.id, branch_id)
            self._hide(branch, main, project, names)
            self._follow(branch, main, project, theirs)

    def _count(self, line: Line, key_ids: Collection[str]) -> None:
        assert line.branch is not None  # asked before
        branch = self._storage.branch_keys(line.project.id, line.branch.id)
        entries, copies = branch.overlay(key_ids), branch.copies(key_ids)
        branch.put_overlay(
            [
                replace(entry, changes=edit_count(entry.base, copies.get(entry.key_id)))
                for entry in entries
            ]
        )

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

    def _follow(
        self,
        branch: BranchKeyStore,
        main: KeyStore,
        project: Project,
        key_ids: Collection[str],
    ) -> None:
        entries = branch.overlay(key_ids)
        states = states_of(main, project.id, [entry.key_id for entry in entries])
        copies = branch.copies([entry.key_id for entry in entries])
        rewritten: list[KeyState] = []
        ends = [*main.cleared_of(list(copies)), *branch.cleared_of(list(copies))]
        for entry in entries:
            now, copy = states.get(entry.key_id), copies.get(entry.key_id)
            if entry.kind == "hidden" and not self._is_taken(branch, now):
                branch.drop_overlay([entry.key_id])
            if entry.base is None:
                continue  # made on the branch
            if now is None and not _is_edited(entry.base, copy):
                branch.drop_overlay([entry.key_id])  # deleted there as here
            if now is None or copy is None:
                continue  # deleted on one side: the merge tells
            base, new = followed(entry.base, now, copy, project.source_language)
            if self._is_taken(branch, new):  # main's new name is another key's there
                new = replace(new, key=replace(new.key, key=copy.key.key))
                base = replace(base, key=replace(base.key, key=copy.key.key))
            _rewrite(branch, copy, new, ends)
            rewritten.append(new)
            changes = edit_count(base, new)
            branch.put_overlay([BranchKey(entry.key_id, "copy", base, changes)])
        self._findings.rework_states(branch, project, rewritten)

    def _is_taken(self, branch: BranchKeyStore, state: KeyState | None) -> bool:
        if state is None:
            return False
        key = state.key
        found = branch.find_keys_by_name(key.project_id, [key.key]).get(key.key)
        return found is not None and found.id != key.id


def states_of(
    store: KeyStore, project_id: str, key_ids: Collection[str]
) -> dict[str, KeyState]:
    """Keys with all their texts, by id; those that are not there are left out."""
    keys = store.find_keys(project_id, key_ids) if key_ids else {}
    values = store.values_of(list(keys)) if keys else {}
    return {id_: KeyState(key, tuple(values.get(id_, ()))) for id_, key in keys.items()}


def _is_edited(base: KeyState, copy: KeyState | None) -> bool:
    """Whether a copy says anything that its base does not."""
    return copy is not None and any(
        side.edited for side in sides(base, base, copy).values()
    )


def _rewrite(
    branch: BranchKeyStore, old: KeyState, new: KeyState, ends: Iterable[Revision]
) -> None:
    """``ends``: the revisions that cleared values, of main and of the branch."""
    if _of_branch(new.key) != _of_branch(old.key):
        branch.save_keys([new.key])
    before = {_place(row): row for row in old.values}
    after = {_place(row): row for row in new.values}
    last = _last(ends, new.key.id)
    gone = [row for at, row in before.items() if at not in after]
    changed = list(_changed(before, after, last))
    branch.add_revisions(
        [
            *(revision_of(row) for row in gone),
            *(_end(row, last.get(_place(row))) for row in gone),
            *(revision_of(before[_place(r)]) for r in changed if _place(r) in before),
        ]
    )
    branch.remove_values(gone)
    branch.put_values(changed)


def _last(ends: Iterable[Revision], key_id: str) -> dict[Place, Revision]:
    """The last of the revisions that cleared a value of the key, by place."""
    found: dict[Place, Revision] = {}
    for end in sorted(ends, key=lambda end: end.revision):
        if end.key_id == key_id:
            found[end.language_code, end.plural_form] = end
    return found


def _end(row: StoredValue, end: Revision | None) -> Revision:
    """What tells on the branch that main cleared the value."""
    told = end or replace(revision_of(row), status="untranslated", value="")
    return replace(told, revision=max(told.revision, row.revision + 1))


def _changed(
    before: dict[Place, StoredValue],
    after: dict[Place, StoredValue],
    last: dict[Place, Revision],
) -> Iterable[StoredValue]:
    """No revision of the branch is told twice."""
    for at, row in after.items():
        old = before.get(at)
        if old is None:
            known = last[at].revision if at in last else 0
            yield replace(row, revision=max(row.revision, known + 1))
        elif row != old:
            yield replace(row, revision=max(row.revision, old.revision + 1))


def _of_branch(key: Key) -> Key:
    return replace(key, key_source="branch")


def _place(row: StoredValue) -> Place:
    return row.language_code, row.plural_form
