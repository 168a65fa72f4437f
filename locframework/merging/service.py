"""Compares branches with main, merges them, and updates them from main."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import Branch
from locframework.branches.service import Branches, BranchScope, require_open
from locframework.errors import BranchNotOpen, MergeConflict, abbreviate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.keys.branch_copies import count_changes, merges_of
from locframework.keys.catalogues import MODULES
from locframework.keys.imported_files import as_base, merge_details, new_base
from locframework.keys.records import FileDetail
from locframework.keys.store import BranchKeyStore, KeyStorage, store_of
from locframework.keys.three_way import KeyMerge, Unit
from locframework.keys.writing.plan import keys_in
from locframework.keys.writing.trash import KeyTrash, raise_first
from locframework.keys.writing.writer import (
    KeyWriter,
    Work,
    WritePlan,
    written_or_raise,
)
from locframework.projects.service import Languages, Projects
from locframework.quality.check import Dismissed
from locframework.transactions import crash_point
from locframework.validation import check_record

from .records import Applied, Change, Diff, MergeRequest, MergeResult, UpdateResult
from .rules import (
    Incoming,
    Listed,
    applied,
    changes_of,
    counts_of,
    decide,
    incoming,
    is_lost,
    lost_forms,
    updated_base,
    within_languages,
    write_units,
    write_whole,
)

CONFLICTS_LIMIT = 1000  # listed when a merge is refused


@dataclass(eq=False, repr=False)
class Merging:
    """Diff, merge and update of branches."""

    _storage: KeyStorage
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _writer: KeyWriter
    _trash: KeyTrash
    _events: EventLog
    _clock: Clock

    def diff(self, caller: Caller, project_id: str, branch: str) -> Diff:
        """Return what merging the branch would do now.

        Raises BranchNotFound, BranchNotOpen. A number of statements that grows with the
        copied keys / 500.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        scope = BranchScope(project, self._branches.find_open(project, branch))
        with self._storage.snapshot():
            touched = self._touched(scope)
        changes = sorted(_changes(touched), key=_in_order)
        return Diff(changes, counts_of(changes))

    def merge(
        self,
        caller: Caller,
        project_id: str,
        branch: str,
        request: MergeRequest = MergeRequest(),
    ) -> MergeResult:
        """Apply the branch's changes to main: all in one transaction, or none.

        A protected main accepts a merge; values that are pending review stay so.
        Merging a merged branch does nothing. It is planned on a snapshot; a dry run
        writes nothing, and raises the same errors, except that conflicts are returned.
        Raises BranchNotFound, BranchNotOpen, ValidationFailed (a resolution),
        MergeConflict (``details.conflicts``), LanguageNotAssigned, KeyExists,
        WriteRefused, Unavailable (others kept changing the same keys).
        """
        project = self._projects.require(caller, "branch_merge", project_id)
        check_record(request)
        found = self._branches.find(project, branch)
        if found.status == "merged":
            return MergeResult(found, Applied(), [])
        scope = BranchScope(project, require_open(found))
        self._writer.prepare_checks(project.id)
        plan = partial(self._plan_merge, caller, request)
        try:
            result = self._writer.run(scope, plan)
        except BranchNotOpen:
            found = self._branches.find(project, found.id)
            if found.status != "merged":
                raise
            return MergeResult(found, Applied(), [])  # by somebody else, meanwhile
        crash_point("merging.after_commit")
        return result

    def update(self, caller: Caller, project_id: str, branch: str) -> UpdateResult:
        """Bring main's later changes of copied keys into the branch.

        A field or value that the branch changed too stays, and is returned as a
        conflict; a merge decides it. Keys that main deleted and the branch did not
        change are deleted there as well. One transaction, planned on a snapshot. Raises
        BranchNotFound, BranchNotOpen, LanguageNotAssigned, WriteRefused, Unavailable.
        """
        project = self._projects.require(caller, "branch_manage", project_id)
        scope = BranchScope(project, self._branches.find_open(project, branch))
        self._writer.prepare_checks(project.id)
        count = self._writer.run(scope, partial(self._plan_update, caller))
        with self._storage.snapshot():
            after = self._branches.find(project, branch_of(scope).id)
            after = self._branches.with_behind(after)
            changes = _changes(self._touched(scope))
        conflicts = sorted((each for each in changes if each.conflict), key=_in_order)
        return UpdateResult(after, count, conflicts)

    def _plan_update(self, caller: Caller, scope: BranchScope) -> Work[int]:
        """The result is the number of fields and values that the branch takes over."""
        latest = self._events.latest(scope.project.id)
        touched, overlay = self._touched(scope), self._keys(scope)
        news = [each for one in touched if (each := incoming(one)) is not None]
        dropped = [each.key_id for each in news if each.is_dropped]
        kept = [each for each in news if not each.is_dropped]
        units = {each.key_id: each.units for each in kept if each.units}
        taken = [each.swapped for each in kept]
        are_terms_current, write = self._plan(caller, scope, taken, units, free=dropped)

        def is_current(is_last: bool) -> bool:
            return (is_last or are_terms_current()) and self._is_unchanged(
                scope, touched, latest
            )

        def apply() -> int:
            overlay.drop_overlay(dropped)
            write()
            self._rebase(scope, overlay, kept)
            _, merged = self._merged_details(scope)
            now = timestamp(self._clock())
            base = new_base(self._storage.keys, scope.project.id, now)
            overlay.put_details([*merged, *base])
            crash_point("update.before_commit")
            return sum(len(each.units) or 1 for each in news if each.has_news)

        return is_current, apply

    def _rebase(
        self, scope: BranchScope, overlay: BranchKeyStore, news: Sequence[Incoming]
    ) -> None:
        """Set the new bases, and count the changes against them."""
        bases = {each.key_id: updated_base(each) for each in news}
        overlay.put_overlay(
            [
                replace(entry, base=bases[entry.key_id])
                for entry in overlay.overlay(bases)
            ]
        )
        count_changes(self._storage, scope, bases, timestamp(self._clock()))

    def _plan_merge(
        self, caller: Caller, request: MergeRequest, scope: BranchScope
    ) -> Work[MergeResult]:
        latest = self._events.latest(scope.project.id)
        branch = self._branches.with_behind(branch_of(scope))
        touched, overlay = self._touched(scope), self._keys(scope)
        listed = [one for each in touched for one in changes_of(each)]
        sides = decide(listed, request.strategy, request.resolutions)
        coming = [each for each in listed if sides[each.change.id] == "branch"]
        conflicts = [e.change for e in listed if sides[e.change.id] is None]
        done = applied(each.change for each in coming)
        if conflicts and not request.dry_run:
            details = {"conflicts": conflicts[:CONFLICTS_LIMIT]}
            raise MergeConflict(_conflict_message(conflicts), details)
        if conflicts:
            return None, lambda: MergeResult(branch, done, conflicts)
        main, units = BranchScope(scope.project), _units(coming)
        dismissals = overlay.dismissals_of(scope.project.id)
        are_terms_current, write = self._plan(
            caller,
            main,
            touched,
            units,
            dismissed={each.finding for each in dismissals},
            dry_run=request.dry_run,
        )
        if request.dry_run:
            return None, lambda: MergeResult(branch, done, [])

        def is_current(is_last: bool) -> bool:
            return (is_last or are_terms_current()) and self._is_unchanged(
                scope, touched, latest
            )

        def apply() -> MergeResult:
            main_details, merged = self._merged_details(scope)
            file_details = [each for each in merged if each not in main_details]
            dismissals = overlay.dismissals_of(scope.project.id)
            if not (touched or file_details or dismissals or request.close_after):
                return MergeResult(branch, done, [])
            if dismissals:
                self._storage.keys.put_dismissals(scope.project.id, dismissals)
            if not request.close_after:  # else they are purged with the branch
                overlay.drop_overlay([each.entry.key_id for each in touched])
            with self._events.because(merge_of=branch.id):
                write()
                crash_point("merging.after_keys")
                self._storage.keys.put_details(file_details)
                if not request.close_after:
                    overlay.put_details([*merged, *as_base(merged)])
                result = MergeResult(self._end(caller, scope, request), done, [])
            crash_point("merging.before_commit")
            return result

        return is_current, apply

    def _is_unchanged(
        self, scope: BranchScope, touched: Iterable[KeyMerge], latest: str | None
    ) -> bool:
        """Return whether no event since ``latest`` is of the branch, or of one of these
        keys of main or their names."""
        events = self._events.since(scope.project.id, latest)
        if not events:
            return events is not None
        states = [state for each in touched for state in (each.main, each.branch)]
        names = {state.key.key for state in states if state is not None}
        names |= {each.entry.key_id for each in touched}
        return not any(
            event.branch == scope.name or event.is_about(names) for event in events
        )

    def _merged_details(
        self, scope: BranchScope
    ) -> tuple[list[FileDetail], list[FileDetail]]:
        """Return what main keeps of files, and that merged with the branch's own; of a
        branch that imported none, nothing."""
        id_, overlay = scope.project.id, self._keys(scope)
        has_imported = overlay.details_of(id_, MODULES, "", [""], own=True)
        own = overlay.details_of(id_, None, None, own=True) if has_imported else []
        key_ids = {each.key_id for each in own}
        of_main = self._storage.keys.details_of(id_, None, None, key_ids) if own else []
        return of_main, merge_details(of_main, own)

    def _plan(
        self,
        caller: Caller,
        target: BranchScope,
        touched: Sequence[KeyMerge],
        units: Mapping[str, set[Unit]],
        *,
        free: Collection[str] = (),
        dismissed: Dismissed = (),
        dry_run: bool = False,
    ) -> tuple[Callable[[], bool], Callable[[], None]]:
        """Plan to write the chosen units of each key, by its id, to the target.

        Return whether the terms that were checked are current, and what writes; both
        are called in a transaction. Deletions go first: they free names, as do the keys
        ``free``. Where a key has to be restored, all is planned in the transaction.
        Raises LanguageNotAssigned, KeyExists, WriteRefused.
        """
        chosen = [each for each in touched if each.entry.key_id in units]
        languages = self._languages.of(target.project)
        states = [each.main for each in chosen if each.branch is None]
        gone = [state.key for state in states if state is not None]
        raise_first(self._trash.check_trash(caller, target, gone, origin="merge"))
        free = {*free, *(key.id for key in gone)}
        lost = [each.entry.key_id for each in chosen if is_lost(each)]
        store = store_of(self._storage, target)
        found = store.find_keys(target.project.id, lost, in_trash=True) if lost else {}
        back = list(found.values())
        raise_first(
            self._trash.check_restore(caller, target, back, origin="merge", free=free)
        )
        purged = set(lost) - found.keys()
        source, writes = target.project.source_language, []
        for each in chosen:
            id_, branch = each.entry.key_id, each.branch
            deleted, mine = found.get(id_), units[id_]
            if branch is None or (dry_run and deleted is not None):
                continue  # what is not restored is not there to be written to
            if id_ in purged:
                writes.append(write_whole(each, branch, source))
                continue
            if deleted is not None and not deleted.is_plural:
                mine = mine | lost_forms(each)
            writes.append(write_units(each, branch, mine, source, deleted))
        there = {language.language_code for language in languages}
        writes = [within_languages(write, there) for write in writes]

        def plan() -> WritePlan:
            loaded = self._writer.load(target, *keys_in(writes))
            loaded.also_dismissed = dismissed
            made = self._writer.plan(
                caller,
                target,
                languages,
                writes,
                origin="merge",
                loaded=loaded,
                free=free,
                stops=True,
                dry_run=dry_run,
            )
            for result in made.results:
                written_or_raise(result)
            return made

        planned = None if back and not dry_run else plan()

        def write() -> None:
            self._trash.trash(caller, target, gone)
            self._trash.restore(caller, target, languages, back)
            self._writer.apply(planned or plan())

        def are_terms_current() -> bool:
            return planned is None or planned.runner.is_current()

        return are_terms_current, write

    def _end(self, caller: Caller, scope: BranchScope, request: MergeRequest) -> Branch:
        now, branch = timestamp(self._clock()), branch_of(scope)
        status = "merged" if request.close_after else branch.status
        branch = replace(
            branch,
            status=status,
            change_count=0,
            updated_at=now,
            merged_at=now,
        )
        self._storage.branches.save_branch(branch)
        self._events.append(
            "branch.merged",
            organization_id=scope.project.organization_id,
            project_id=scope.project.id,
            actor=caller.actor,
            items=[{"branchId": branch.id, "name": branch.name}],
        )
        return branch

    def _keys(self, scope: BranchScope) -> BranchKeyStore:
        return self._storage.branch_keys(scope.project.id, branch_of(scope).id)

    def _touched(self, scope: BranchScope) -> list[KeyMerge]:
        overlay, project = self._keys(scope), scope.project
        return merges_of(self._storage.keys, overlay, project.id, overlay.overlay())


def _changes(touched: Iterable[KeyMerge]) -> list[Change]:
    return [one.change for each in touched for one in changes_of(each)]


def _units(coming: Iterable[Listed]) -> dict[str, set[Unit]]:
    units: dict[str, set[Unit]] = {}
    for each in coming:
        units.setdefault(each.change.key_id, set()).add(each.unit)
    return units


def _conflict_message(conflicts: Sequence[Change]) -> str:
    """Return "2 changes conflict with main, first the value of 'cart.pay' in de; …"."""
    first, count = conflicts[0], len(conflicts)
    many = "1 change conflicts" if count == 1 else f"{count} changes conflict"
    language = f" in {first.language_code}" if first.language_code else ""
    what = f"the {first.field} of {abbreviate(first.key)!r}{language}"
    return f"{many} with main, first {what}; decide by strategy or resolutions"


def _in_order(change: Change) -> tuple[str, str, str, str]:
    """Sort by key; the fields of a key keep their order, before its values."""
    code, form = change.language_code or "", change.plural_form or ""
    return change.key, change.key_id, code, form


def branch_of(scope: BranchScope) -> Branch:
    """Return the branch of ``scope``, which is not main."""
    if scope.branch is None:
        raise RuntimeError("main is no branch")
    return scope.branch
