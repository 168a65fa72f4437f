"""What one can do with the changes of a branch: see them, and merge them to main."""

from collections.abc import Callable

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import Branch, BranchScope
from locframework.branches.service import Branches
from locframework.errors import BranchNotOpen, MergeConflict, abbreviate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.keys.comparing import touched_keys
from locframework.keys.edits import KeyMerge
from locframework.keys.store import BranchKeyStore
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.storage import Storage
from locframework.transactions import crash_point
from locframework.validation import check_record

from .applying import Applying
from .records import Applied, Change, Diff, MergeRequest, MergeResult
from .rules import applied, changes_of, counts_of, decide

CONFLICTS_TOLD = 1000  # of one refused merge


class Merging:
    """Compares branches with main, and merges them."""

    def __init__(
        self,
        storage: Storage,
        projects: Projects,
        branches: Branches,
        applying: Applying,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._applying = applying
        self._events = events
        self._clock = clock

    def diff(self, caller: Caller, project_id: str, branch: str) -> Diff:
        """What merging the branch would do now. Raises BranchNotFound, BranchNotOpen.

        A number of statements that grows with the keys touched / 500.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        scope = BranchScope(project, self._branches.find_open(project, branch))
        with self._storage.snapshot():
            touched = self._touched(scope)
        changes = [one.change for each in touched for one in changes_of(each)]
        changes.sort(key=_in_order)
        return Diff(changes, counts_of(changes))

    def merge(
        self, caller: Caller, project_id: str, branch: str, request: MergeRequest
    ) -> MergeResult:
        """Bring the branch's changes to main: all in one transaction, or none.

        Main's protection does not stop a merge; values that wait for review go on
        waiting. Merging what was merged already does nothing, and so does merging a
        branch without changes that stays open. Raises BranchNotFound, BranchNotOpen,
        ValidationFailed (a resolution), MergeConflict (``details.conflicts``),
        LanguageNotAssigned, KeyExists, WriteRefused. A dry run without open conflicts
        does it all and takes it back, so it raises them too, and stands in no
        transaction of its caller's.
        """
        project = self._projects.require(caller, "branch_merge", project_id)
        check_record(request)
        found = self._branches.find(project, branch)
        if found.status == "merged":
            return MergeResult(found, Applied(), [])
        self._applying.prepare(project.id)
        try:
            with self._storage.transaction():
                scope = self._lock_scope(project, found)
                with self._events.because(merge_of=found.id):
                    result = self._merge(caller, scope, request)
                if request.dry_run:
                    raise _TakenBack(replace(result, branch=branch_of(scope)))
                crash_point("merging.before_commit")
        except _TakenBack as done:
            return done.result
        crash_point("merging.after_commit")
        return result

    def prepare_merge(
        self, caller: Caller, project_id: str, branch: str, request: MergeRequest
    ) -> Callable[[], MergeResult]:
        """``merge`` as a call, which may stand in a transaction.

        A dry run is over by then: it takes back all that its transaction holds.
        Raises at once what is wrong with the caller or the request.
        """
        self._projects.require(caller, "branch_merge", project_id)
        check_record(request)
        if not request.dry_run:
            return lambda: self.merge(caller, project_id, branch, request)
        result = self.merge(caller, project_id, branch, request)
        return lambda: result

    def _lock_scope(self, project: Project, branch: Branch) -> BranchScope:
        """The branch as it is by now. Raises _TakenBack where it was just merged."""
        try:
            return self._branches.lock_scope(BranchScope(project, branch))
        except BranchNotOpen:
            found = self._branches.find(project, branch.id)
            if found.status != "merged":
                raise
            raise _TakenBack(MergeResult(found, Applied(), [])) from None

    def _merge(
        self, caller: Caller, scope: BranchScope, request: MergeRequest
    ) -> MergeResult:
        touched = self._touched(scope)
        listed = [one for each in touched for one in changes_of(each)]
        sides = decide(listed, request.strategy, request.resolutions)
        coming = [each for each in listed if sides[each.change.id] == "branch"]
        conflicts = [e.change for e in listed if sides[e.change.id] is None]
        done = applied(each.change for each in coming)
        if conflicts and request.dry_run:
            return MergeResult(branch_of(scope), done, conflicts)
        if conflicts:
            shown_ones = {"conflicts": conflicts[:CONFLICTS_TOLD]}
            raise MergeConflict(_told(conflicts), shown_ones)
        overlay = self._keys(scope)
        details = overlay.own_details()
        if not (touched or details or request.close_after):
            return MergeResult(branch_of(scope), done, [])
        mine = [each.entry.key_id for each in touched]
        overlay.drop_overlay([*mine, *overlay.hidden()])
        self._applying.apply(caller, BranchScope(scope.project), touched, coming)
        crash_point("merging.after_keys")
        self._storage.keys.put_details(details)
        return MergeResult(self._ended(caller, scope, request), done, [])

    def _ended(
        self, caller: Caller, scope: BranchScope, request: MergeRequest
    ) -> Branch:
        now, branch = timestamp(self._clock()), branch_of(scope)
        status = "merged" if request.close_after else branch.status
        branch = replace(
            branch, status=status, change_count=0, updated_at=now, merged_at=now
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
        """The keys that the branch has for itself, in their three states."""
        overlay = self._keys(scope)
        entries = overlay.overlay()
        return touched_keys(self._storage.keys, overlay, scope.project.id, entries)


class _TakenBack(Exception):
    """Ends the transaction of a merge with nothing written."""

    def __init__(self, result: MergeResult) -> None:
        super().__init__()
        self.result = result


def _told(conflicts: list[Change]) -> str:
    """``2 changes conflict with main, first the value of 'cart.pay' in de; …``."""
    first, count = conflicts[0], len(conflicts)
    many = "1 change conflicts" if count == 1 else f"{count} changes conflict"
    place = f" in {first.language_code}" if first.language_code else ""
    what = f"the {first.field} of {abbreviate(first.key)!r}{place}"
    return f"{many} with main, first {what}; decide by strategy or resolutions"


def _in_order(change: Change) -> tuple[str, str, str, str]:
    """Fields of a key stay as they come, before its texts."""
    code, form = change.language_code or "", change.plural_form or ""
    return change.key, change.key_id, code, form


def branch_of(scope: BranchScope) -> Branch:
    """The branch of a line that is none of main."""
    if scope.branch is None:
        raise RuntimeError("this is about a branch")
    return scope.branch
