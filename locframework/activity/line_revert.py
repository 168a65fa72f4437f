"""Undoes what chosen events did on one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.errors import KeyNotFound, LocError
from locframework.events import EventFilter, EventLine, Touch
from locframework.fields import Timestamp
from locframework.files.service import Files
from locframework.jobs.work import Work
from locframework.keys.comparing import states_of, touched_keys
from locframework.keys.edits import KeyMerge
from locframework.keys.records import BranchKey, Key
from locframework.keys.revisions import Revision
from locframework.keys.store import KeyStore, store_of
from locframework.keys.traces import fields_of
from locframework.keys.trash import KeyTrash
from locframework.keys.writer import KeyWriter
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.storage import Storage
from locframework.transactions import crash_point

from .following import Following
from .key_revert import Attempt, KeyRevert
from .lineage import Lineage
from .past import KeyPast, KeysLost, LineRun, left_by, moved_by, traces_of
from .records import RevertResult
from .rules import Place, stands_alone, went_by
from .undoing import LineChanges, Told, by_line

KEYS_AT_ONCE = 500
LATER = "changed_later"
NOT_FOUND = KeyNotFound.code

Histories = dict[str, dict[Place, list[Revision]]]
Step = Callable[[LineRun, Sequence[str]], None]


class LineRevert:
    """Undoes what was done on one line, in a number of statements that grows with the
    keys / 500."""

    def __init__(
        self,
        storage: Storage,
        access: Access,
        files: Files,
        writer: KeyWriter,
        moves: KeyTrash,
    ) -> None:
        self._storage = storage
        self._access = access
        self._files = files
        self._writer = writer
        self._moves = moves
        self._keys = KeyRevert(access)

    def begin(
        self,
        caller: Caller,
        line: BranchScope,
        languages: Sequence[Language],
        changes: LineChanges,
        result: RevertResult,
    ) -> LineRun:
        """What the caller may undo of the changes."""
        scope = scope_of(line.project)
        told = self._told(line, languages)
        return LineRun(
            caller=caller,
            line=line,
            languages=languages,
            changes=changes,
            result=result,
            told=told,
            may_update=self._access.may(caller, "key_update", scope),
            may_delete=self._access.may(caller, "key_delete", scope),
        )

    def _told(
        self, line: BranchScope, languages: Sequence[Language]
    ) -> Mapping[str, Told]:
        """The revisions that were made on a branch: what follows main is no event."""
        if line.branch is None:
            return {}
        mine = EventLine(line.name, since=line.branch.created_at)
        where = EventFilter(line=mine)
        events = self._storage.events.walk_events(line.project.id, where)
        found = by_line(events, lambda event: event.branch, languages).get(line.name)
        return found.values if found is not None else {}

    def undo(self, run: LineRun, work: Work) -> None:
        """Keys that were made go first, then those that were brought back, and those
        that were deleted come back last: the names that they need are free by then."""
        changes = run.changes
        changed = dict.fromkeys([*changes.values, *changes.described])
        new = [id_ for id_ in changes.made if id_ not in changes.restored]
        steps: list[tuple[Step, list[str]]] = [
            (self._remove, new),
            (self._remove, [id_ for id_ in changes.made if id_ in changes.restored]),
            (self._put_back, [id_ for id_ in changed if id_ not in changes.deleted]),
            (self._bring_back, list(changes.deleted)),
        ]
        done, total = 0, sum(len(ids) for _, ids in steps)
        for step, ids in steps:
            for at in range(0, len(ids), KEYS_AT_ONCE):
                work.check_cancelled()
                some = ids[at : at + KEYS_AT_ONCE]
                step(run, some)
                done += len(some)
                work.report(done, total)
                crash_point("revert.after_batch")

    def _remove(self, run: LineRun, ids: Sequence[str]) -> None:
        """Move the keys that were made, or brought back, to the trash.

        One that stays loses no text for it: a key without its source text is neither
        what it was nor what it became. One that was brought back goes as it came: it
        can be restored once more.
        """
        store, project_id = self._store(run), run.line.project.id
        keys = store.find_keys(project_id, ids)
        touches = self._touches(run, list(keys))
        mine = []
        for key_id, key in keys.items():
            if not run.may_delete:
                run.keep(key_id, "permission_denied")
            elif not stands_alone(touches[key_id], run.changes.events):
                run.keep(key_id, LATER)
            else:
                mine.append(key)
        back = [key.id for key in mine if key.id in run.changes.restored]
        if changed := run.changes.changed(back):
            self._put_back(run, changed)
            now = store.find_keys(project_id, [key.id for key in mine])
            mine = list(now.values())  # a branch may have nothing of its own by then
        refused = self._moves.trash_each(run.caller, run.line, mine, origin="revert")
        for key_id, refusal in refused.items():
            run.keep(key_id, refusal.code)
        run.result.keys_deleted += len(mine) - len(refused)
        gone = {key_id for key_id in ids if key_id not in keys}  # deleted already
        gone |= {key.id for key in mine if key.id not in refused}
        run.done |= gone.union(back)

    def _bring_back(self, run: LineRun, ids: Sequence[str]) -> None:
        """Bring back the keys that were deleted, as they were before other changes.

        Raises KeysLost.
        """
        store, project_id = self._store(run), run.line.project.id
        found = store.trashed(project_id, ids)
        there = store.find_keys(project_id, [id_ for id_ in ids if id_ not in found])
        gone = [id_ for id_ in ids if id_ not in found and id_ not in there]
        refused = dict.fromkeys([*gone, *run.lost], NOT_FOUND)
        wanted = [found[id_] for id_ in ids if id_ in found and id_ not in run.lost]
        if not run.may_delete:
            refused |= {key.id: "permission_denied" for key in wanted}
        else:
            refused |= self._restore(run, wanted)
        for key_id in [id_ for id_ in ids if id_ in refused]:
            run.skip(key_id, refused[key_id])
        back = [id_ for id_ in ids if id_ not in refused]
        restored = [id_ for id_ in back if id_ in found]
        run.result.keys_restored += len(restored)
        self._put_back(run, run.changes.changed(back))
        if run.line.branch is not None:
            lost = {*restored} - store.find_keys(project_id, restored).keys()
            if lost:
                raise KeysLost(run.line.branch.id, lost)

    def _restore(self, run: LineRun, keys: Sequence[Key]) -> dict[str, str]:
        """Bring keys back from the trash; why others stay there, by id."""
        touches = self._touches(run, [key.id for key in keys])
        chosen = run.changes.events
        mine = [key for key in keys if went_by(touches[key.id], chosen)]
        stay = {key.id for key in keys} - {key.id for key in mine}
        refused = self._moves.restore_each(
            run.caller, run.line, run.languages, mine, origin="revert"
        )
        codes = {key_id: refusal.code for key_id, refusal in refused.items()}
        return dict.fromkeys(stay, LATER) | codes

    def _put_back(self, run: LineRun, ids: Sequence[str]) -> None:
        """Bring keys that are there back to how they stood."""
        wanted = [key_id for key_id in ids if key_id not in run.done]
        if not wanted:
            return
        store = self._store(run)
        found = store.find_keys(run.line.project.id, wanted)
        for key_id in wanted:
            if key_id not in found:
                run.skip(key_id, NOT_FOUND)
        keys = {key_id: found[key_id] for key_id in wanted if key_id in found}
        histories = _histories(store, list(keys))
        touches = self._touches(run, list(keys))
        pasts = self._pasts(run, keys, histories, touches)
        attempts = [
            attempt for past in pasts for attempt in self._keys.attempts(run, past)
        ]
        self._write(run, list(self._with_screenshots(run, attempts)))
        self._writer.overlays.agree(run.line, run.agreed)
        run.agreed.clear()

    def _with_screenshots(
        self, run: LineRun, attempts: Sequence[Attempt]
    ) -> Iterator[Attempt]:
        """The attempts, with where their screenshots are read; a file may be gone."""
        wanted = {str(each.write.screenshot_file_id) for each in attempts}
        urls = self._files.use_files(run.line.project, wanted)
        for each in attempts:
            if "screenshotFileId" not in each.fields:
                yield each
                continue
            file_id = each.write.screenshot_file_id
            write = replace(each.write, screenshot_url=urls.get(str(file_id)))
            if file_id is None or file_id in urls:
                yield replace(each, write=write)
                continue
            run.skip(str(write.key_id), "file_not_found", "screenshotFileId")
            rest = [field for field in each.fields if field != "screenshotFileId"]
            if rest:
                kept = replace(write, screenshot_file_id=UNSET, screenshot_url=UNSET)
                yield replace(each, write=kept, fields=rest)

    def _write(self, run: LineRun, attempts: Sequence[Attempt]) -> None:
        results = self._writer.write_each(
            run.caller,
            run.line,
            run.languages,
            [each.write for each in attempts],
            origin="revert",
        )
        updated: set[str] = set()
        for each, done in zip(attempts, results, strict=True):
            key_id = str(each.write.key_id)
            if isinstance(done, LocError):
                for field in each.fields:
                    run.skip(key_id, done.code, field)
                for place in each.places:
                    run.skip(key_id, done.code, "value", place)
                continue
            run.result.reverted += done.values_written
            if _is_told(each, done.key):
                updated.add(key_id)
        run.result.keys_updated += len(updated)

    def _touches(self, run: LineRun, ids: Sequence[str]) -> dict[str, list[Touch]]:
        """The events about keys since the first chosen one, by key id."""
        found: dict[str, list[Touch]] = {key_id: [] for key_id in ids}
        if ids:
            touches = self._storage.events.touches(
                run.line.project.id,
                ids,
                branch=run.line.name,
                since=_began(run),
            )
            for touch in touches:
                found[touch.key_id].append(touch)
        return found

    def _pasts(
        self,
        run: LineRun,
        keys: Mapping[str, Key],
        histories: Histories,
        touches: Mapping[str, Sequence[Touch]],
    ) -> list[KeyPast]:
        compared = self._compared(run, keys)
        found: list[KeyPast] = []
        for id_, key in keys.items():
            mine = touches.get(id_, ())
            traces, following = traces_of(mine), Following()
            history, three = histories.get(id_, {}), compared.get(id_)
            is_own = three is not None and three.branch is not three.main
            told = run.told.get(id_, {}) if is_own else {}
            lineage = Lineage.of(history, moved_by(mine), told if three else None)
            if three:
                left = lineage.said(left_by(mine))
                following = Following.of(three, lineage.numbers(told), left)
            found.append(KeyPast(key, lineage, traces, following))
        return found

    def _compared(self, run: LineRun, ids: Collection[str]) -> dict[str, KeyMerge]:
        """The keys of main that are undone on a branch, in their three states; those
        that the branch has not for itself are as main has them."""
        if run.line.branch is None or not ids:
            return {}
        project_id, main = run.line.project.id, self._storage.keys
        branch = self._storage.branch_keys(project_id, run.line.branch.id)
        entries = branch.overlay(ids)
        touched = touched_keys(main, branch, project_id, entries)
        rest = {*ids} - {entry.key_id for entry in entries}
        states = states_of(main, project_id, rest)
        return {
            id_: KeyMerge(BranchKey(id_, "copy", state), state, state)
            for id_, state in states.items()
        } | {each.entry.key_id: each for each in touched if each.entry.base is not None}

    def _store(self, run: LineRun) -> KeyStore:
        return store_of(self._storage, run.line)


def _is_told(attempt: Attempt, key: Key) -> bool:
    """Whether a key says other things than before: a name of main's that comes free on
    a branch was not taken back by a write that names none."""
    before, after = fields_of(attempt.key), fields_of(key)
    if "key" not in attempt.fields:
        del before["key"], after["key"]
    return before != after


def _began(run: LineRun) -> Timestamp:
    """Since when it counts what others did: of a branch all is told, as what was said
    there before goes before what follows main."""
    branch = run.line.branch
    return run.changes.first_at if branch is None else branch.created_at


def _histories(store: KeyStore, key_ids: Sequence[str]) -> Histories:
    """Every revision of these keys, by key and place."""
    found: Histories = {}
    for each in store.revisions_of(key_ids) if key_ids else ():
        places = found.setdefault(each.key_id, {})
        places.setdefault((each.language_code, each.plural_form), []).append(each)
    return found
