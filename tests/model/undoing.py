"""Rules: what was done on a line is undone, and the undoing too."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from msgspec.structs import replace

from locframework.activity.records import RevertRequest, RevertResult
from locframework.errors import KeyNotFound
from locframework.keys.store import KeyStore

from .lines import MAIN
from .past import own_view
from .people import People, some
from .telling import META
from .texts import OTHER, Fields, Keeping, Place, is_form, places, spelled, spread
from .undo import Undo

somebody = st.sampled_from([None, None, "approver", "translator"])


class Undoing(People):
    """What people do to take back what people did."""

    @precondition(lambda self: self.past.of_line(MAIN))
    @rule(back=st.integers(1, 6), by=somebody, which=st.none() | some)
    def undo_since(self, back: int, by: str | None, which: int | None) -> None:
        """The last steps on main, all or somebody's, of all keys or of one."""
        self.undo_last(MAIN, back, by, which)

    @precondition(lambda self: self.past.of_branches())
    @rule(line=some, back=st.integers(1, 6), by=somebody, which=st.none() | some)
    def undo_on_branch(
        self, line: int, back: int, by: str | None, which: int | None
    ) -> None:
        """Likewise on an open branch."""
        branches = self.past.of_branches()
        self.undo_last(branches[line % len(branches)], back, by, which)

    def undo_last(
        self, line: str | None, back: int, by: str | None, which: int | None
    ) -> None:
        steps = self.past.of_line(line)
        since = [*steps.values()][-back:][0].first_at
        actor = getattr(self.office, by).actor.id if by else None
        known = self.touched_on(line)
        only = None if which is None else known[which % len(known)]
        branch = "main" if line is MAIN else line
        asked = RevertRequest(actor=actor, since=since, key_id=only, branch=branch)
        chosen = {
            n
            for n, step in steps.items()
            if step.last_at >= since and actor in (None, step.actor)
        }
        self.undo(line, chosen, asked, only)

    def touched_on(self, line: str | None) -> list[str]:
        """Keys, in the same order whenever the run is done again: ids are others."""
        keys = {**self.model.trashed(line), **self.model.seen(line)}
        known = {
            id_: at for (where, id_), at in self.past.touches.items() if where == line
        }
        return sorted(
            known, key=lambda id_: (known[id_], keys.get(id_, {}).get("key", ""))
        )

    @precondition(lambda self: any(s.job_id for s in self.past.of_line(MAIN).values()))
    @rule(which=st.integers(1, 3))
    def undo_job(self, which: int) -> None:
        """One of the last jobs on main, be it an import or an undo."""
        self.undo_job_on([MAIN], which)

    @precondition(
        lambda self: any(s.job_id and s.line for s in self.past.steps.values())
    )
    @rule(which=st.integers(1, 3))
    def undo_job_on_branch(self, which: int) -> None:
        """Likewise on open branches."""
        self.undo_job_on(self.past.of_branches(), which)

    def undo_job_on(self, lines: Sequence[str | None], which: int) -> None:
        steps = self.past.steps
        all_ = (s.job_id for s in steps.values() if s.line in lines and s.job_id)
        job_id = list(dict.fromkeys(all_))[-which:][0]
        chosen = {n for n, step in steps.items() if step.job_id == job_id}
        [line] = {steps[n].line for n in chosen}
        self.undo(line, chosen, RevertRequest(job_id=job_id))

    @precondition(lambda self: any(s.merge_of for s in self.past.steps.values()))
    @rule(which=st.integers(1, 2))
    def undo_merge(self, which: int) -> None:
        """One of the last merges, named by its branch."""
        steps = self.past.steps
        merged = list(dict.fromkeys(s.merge_of for s in steps.values() if s.merge_of))
        branch_id = merged[-which:][0]
        chosen = {n for n, step in steps.items() if step.merge_of == branch_id}
        self.undo(MAIN, chosen, RevertRequest(branch=branch_id))

    def undo(
        self,
        line: str | None,
        chosen: set[int],
        asked: RevertRequest,
        only: str | None = None,
    ) -> None:
        with self.told(line):
            before = copy.deepcopy(self.model.seen(line))
            trash = copy.deepcopy(self.model.trashed(line))
            was = {**trash, **before}
            stale = {id_: set(self.model.stale(line, id_)) for id_ in was}
            tried = self.run_undo(replace(asked, dry_run=True))
            done = self.run_undo(asked)
            assert replace_flag(tried) == done

            def marks(id_: str, fields: Collection[Any]) -> set[Place]:
                return self.marks(line, id_, fields)

            undo = Undo(self.past, self.model, line, chosen, marks, only)
            undo.run()
            self.adopt_marks()
            found = skipped_in(done)
            assert found == undo.skipped, (found ^ undo.skipped, done.skipped)
            self.quiet, self.back = undo.quiet, undo.back
            self.undone = undo.written
            self.check_counts_of(done, undo, before, trash)
            self.note_undone(line, was, stale, undo)

    def check_counts_of(
        self,
        done: RevertResult,
        undo: Undo,
        before: dict[str, Fields],
        trash: dict[str, Fields],
    ) -> None:
        """Nothing that reads as before is counted, and no name of main's that comes
        free on a branch."""
        assert done.keys_deleted == len(undo.removed)
        assert done.keys_restored == len(undo.restored)
        now = self.model.seen(undo.line)
        if before.keys() - now.keys() != undo.removed:
            return  # a branch took back all it said of a key that main has deleted
        if undo.line is not MAIN and undo.restored:
            return  # with what main changed meanwhile
        was = {**trash, **before}
        now = self.model.trashed(undo.line) | now  # some go there as they came from it
        own = {*undo.view, *own_view(self.model, undo.line)}
        others = {
            id_
            for id_ in now.keys() & was.keys()
            for field in META
            if undo.line is MAIN or field != "key" or (id_, field) in own
            if now[id_][field] != was[id_][field]
        }
        assert done.keys_updated == len(others)

    def run_undo(self, asked: RevertRequest) -> RevertResult:
        """What it says that it did."""
        caller, framework = self.office.approver, self.framework
        job = framework.activity.start_revert(caller, self.project_id, asked)
        framework.runner.run_until_idle()
        job = framework.jobs.get_job(caller, self.project_id, job.id)
        assert job.status == "succeeded", job
        return msgspec.convert(job.result, RevertResult)

    def marks(
        self, line: str | None, id_: str, fields: Collection[Any] = ()
    ) -> set[Place]:
        """What is outdated after an undo; tests/api/test_undo_of_marks.py says why."""
        try:
            return self.shown_outdated(line, id_)
        except KeyNotFound:
            store = self.store(line)
            if line is not MAIN and not store.trashed(self.project_id, [id_]):
                return self.model.stale_once_back(line, id_, fields)
            return self.outdated_in_the_trash(store, id_)

    def store(self, line: str | None) -> KeyStore:
        storage, project_id = self.framework.storage, self.project_id
        if line is MAIN:
            return storage.keys
        branch = storage.branches.find_branch(project_id, line)
        assert branch is not None
        return storage.branch_keys(project_id, branch.id)

    def outdated_in_the_trash(self, store: KeyStore, id_: str) -> set[Place]:
        """As no interface shows it: by the newest revision of each text."""
        rows = store.revisions_of([id_])
        newest = {
            (row.language_code, row.plural_form): row
            for row in sorted(rows, key=lambda row: row.revision)
        }
        return {
            (code, form or OTHER)
            for (code, form), row in newest.items()
            if row.is_outdated and row.status != "untranslated"
        }

    def adopt_marks(self) -> None:
        for name, entries in self.model.branches.items():
            for id_, entry in entries.items():
                if entry.mine is not None:
                    entry.stale = self.marks(name, id_)

    def note_undone(
        self, line: str | None, before: Any, stale: dict[str, set[Place]], undo: Undo
    ) -> None:
        """What is told beside what differs: texts that are as they were, but fresh."""
        now = self.model.trashed(line) | self.model.seen(line)
        proposed = self.told_as_proposed()
        for id_ in before.keys() & now.keys():
            old, new = before[id_], now[id_]
            was, is_now = stale[id_], self.model.stale(line, id_)
            same = {p for p in places(new) if old.get(p) == new[p]}
            fresh = {p: new[p] for p in same & (was - is_now)}
            if id_ in undo.restored and line is not MAIN:
                self.loose |= {
                    (id_, spelled(place, old["isPlural"])): new[place]
                    for place in same & (was ^ is_now)
                }
                continue
            if id_ in undo.restored and old["isPlural"] != new["isPlural"]:
                self.note(id_, fresh, plural=new["isPlural"])
                continue
            follows = line is not MAIN and (id_, "isPlural") not in undo.said
            if old["isPlural"] != new["isPlural"] and not follows:
                mains = {p for p in places(new) if is_form(p) and line is not MAIN}
                mains -= {
                    p
                    for key_id, p in undo.said
                    if key_id == id_ and undo.said[key_id, p]
                }
                self.turned[id_] = {*spread(old), *spread(new)} - mains | {
                    spelled(place, new["isPlural"])
                    for place in places(old)
                    if new["isPlural"] or place[1] == OTHER
                }
                if line is MAIN:  # one that is fresh again was written, and not moved
                    self.note(id_, fresh, plural=new["isPlural"])
                continue
            said = {
                place: text.text if isinstance(text, Keeping) else text
                for (key_id, place), text in undo.said.items()
                if key_id == id_ and old.get(place) != new.get(place)
                if isinstance(place, tuple)
            }
            self.note(id_, said, plural=old["isPlural"])  # it may follow main in that
            beside = {at for key_id, at in proposed if key_id == id_}
            if line is not MAIN:  # a mark that follows main has no event
                self.loose |= {
                    (id_, spelled(place, old["isPlural"])): new[place]
                    for place in same & ((was ^ is_now) | beside)
                }
                continue
            marked = {at for key_id, at in undo.written | proposed if key_id == id_}
            told = same & ((was - is_now) | ((is_now - was) & marked))
            self.loose |= {  # a mark may be told with the text, or by itself
                (id_, spelled(place, new["isPlural"])): new[place]
                for place in (same & (is_now - was)) - marked
            }
            self.note(id_, {p: new[p] for p in told}, plural=new["isPlural"])
        for id_ in before.keys() - now.keys():  # a branch took back all it said of it
            old = before[id_]
            self.loose |= {
                (id_, spelled(place, old["isPlural"])): old[place]
                for place in places(old)
                if (id_, "isPlural") not in undo.said
                or place in stale[id_] ^ undo.mains_marks[id_]
            }

    def told_as_proposed(self) -> set[tuple[str, Place]]:
        """Also a proposal that became outdated, when the text beside it is fresh again:
        marks are taken as they are."""
        return {
            (
                str(item["keyId"]),
                (str(item["languageCode"]), item["pluralForm"] or OTHER),
            )
            for event in self.office.ear.events
            if event.type == "translation.submitted"
            for item in event.items
        }


def replace_flag(result: RevertResult) -> RevertResult:
    return replace(result, dry_run=False)


def skipped_in(result: RevertResult) -> set[tuple[str, Any]]:
    """Key ids, each with a field, the place of a text, or None for all of it."""
    assert result.skipped_count == len(result.skipped)
    found = [
        (
            each.key_id,
            (each.language_code, each.plural_form or OTHER)
            if each.field == "value"
            else each.field,
        )
        for each in result.skipped
    ]
    assert len({*found}) == len(found), found
    return {*found}
