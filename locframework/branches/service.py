"""What one can do with branches: make, list and close them, and find the line."""

from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import (
    BranchExists,
    BranchNotFound,
    BranchNotOpen,
    BranchProtected,
    ValidationFailed,
    truncate,
)
from locframework.events import EventLog
from locframework.fields import Clock, is_id, new_id, timestamp
from locframework.pagination import Page
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.transactions import Transactions
from locframework.validation import check_record, forbidden

from .records import MAIN, Branch, BranchesQuery, NewBranch
from .store import BranchStore

ENDS_OF_PATHS = ("diff", "merge", "update")
"""Of ``…/branches/{branch}/diff``: a name that ends so would be read as one of them."""

_NO_PARTS = ("", ".", "..")  # what clients and proxies take out of a path


class BranchScope(Struct, frozen=True):
    """Where keys are read and written: main, or a branch over it."""

    project: Project
    branch: Branch | None = None

    @property
    def name(self) -> str | None:
        """As events name it: None is main."""
        return self.branch.name if self.branch else None

    @property
    def branch_id(self) -> str | None:
        return self.branch.id if self.branch else None


@dataclass(eq=False, repr=False)
class Branches:
    """Branches. ``scope`` and ``lock_scope`` are how reads and writes find theirs."""

    _store: BranchStore
    _transactions: Transactions
    _projects: Projects
    _events: EventLog
    _clock: Clock

    def scope(self, project: Project, branch: str | None) -> BranchScope:
        """Return main for None and "main", else the open branch of that name or id.
        Raises BranchNotFound, BranchNotOpen."""
        if branch is None or branch == MAIN:
            return BranchScope(project)
        return BranchScope(project, self.find_open(project, branch))

    def lock_scope(self, scope: BranchScope) -> BranchScope:
        """Lock the scope in a transaction, and return it as it is now. Raises as
        ``scope``."""
        project = self._projects.lock(scope.project)
        return self.scope(project, scope.branch.id if scope.branch else None)

    def find(self, project: Project, reference: str) -> Branch:
        """By name or id, whatever its status. Raises BranchNotFound."""
        found = None
        if isinstance(reference, str) and not forbidden(reference):
            found = self._store.find_branch(project.id, reference)
        if found is None:
            raise BranchNotFound
        return found

    def find_open(self, project: Project, reference: str) -> Branch:
        """By name or id; never main. Raises BranchNotFound, BranchNotOpen."""
        return require_open(self.find(project, reference))

    def create_branch(self, caller: Caller, project_id: str, new: NewBranch) -> Branch:
        """A new branch of main. Raises ValidationFailed, BranchExists."""
        project = self._projects.require(caller, "branch_manage", project_id)
        check_record(new)
        check_name(new.name)
        now = timestamp(self._clock())
        branch = Branch(
            id=new_id(),
            project_id=project.id,
            name=new.name,
            status="open",
            change_count=0,
            created_by=caller.actor.id,
            created_at=now,
            updated_at=now,
            merged_at=None,
        )
        with self._transactions.transaction():
            project = self._projects.lock(project)
            there = self._store.find_branch(project.id, new.name)
            if there is not None and there.status == "open":
                raise BranchExists(f"branch {truncate(new.name)!r} is open already")
            self._store.add_branch(branch)
            self._tell("branch.created", caller, project, branch)
        return branch

    def get_branch(self, caller: Caller, project_id: str, reference: str) -> Branch:
        """By name or id; also one that was merged or closed."""
        project = self._projects.require(caller, "translation_read", project_id)
        return self.with_behind(self.find(project, reference))

    def with_behind(self, branch: Branch) -> Branch:
        """Return the branch with the number of copied keys that main has changed."""
        if branch.status != "open":
            return branch
        behind = self._store.count_behind([branch.id]).get(branch.id, 0)
        return replace(branch, behind=behind)

    def list_branches(
        self, caller: Caller, project_id: str, query: BranchesQuery = BranchesQuery()
    ) -> Page[Branch]:
        """Those of the project, or of one status, newest first."""
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        page = self._store.list_branches(project.id, query, status=query.status)
        opened = [each.id for each in page.items if each.status == "open"]
        behind = self._store.count_behind(opened) if opened else {}
        items = [replace(each, behind=behind.get(each.id, 0)) for each in page.items]
        return replace(page, items=items)

    def close_branch(self, caller: Caller, project_id: str, reference: str) -> Branch:
        """End a branch without merging it. Raises BranchNotFound, BranchNotOpen."""
        project = self._projects.require(caller, "branch_manage", project_id)
        with self._transactions.transaction():
            project = self._projects.lock(project)
            branch = self.find_open(project, reference)
            now = timestamp(self._clock())
            closed = replace(branch, status="closed", updated_at=now)
            self._store.save_branch(closed)
            self._tell("branch.closed", caller, project, closed)
        return closed

    def _tell(
        self, type_: str, caller: Caller, project: Project, branch: Branch
    ) -> None:
        self._events.append(
            type_,
            organization_id=project.organization_id,
            project_id=project.id,
            actor=caller.actor,
            items=[{"branchId": branch.id, "name": branch.name}],
        )


def require_open(branch: Branch) -> Branch:
    """Return the branch. Raise BranchNotOpen if it is merged or closed."""
    if branch.status != "open":
        raise BranchNotOpen(f"branch {branch.name!r} is {branch.status}")
    return branch


def require_writable(scope: BranchScope) -> None:
    """Raise BranchProtected when the line is a main that takes no direct writes."""
    if scope.branch is None and scope.project.main_protected:
        raise BranchProtected


def check_name(name: str, path: str = "$.name") -> None:
    """Raise ValidationFailed for a name that would mean something else."""
    if name.lower() == MAIN:  # in no list of branches, so nobody would tell them apart
        _refuse(path, f"{MAIN} is the main line: a branch needs another name")
    if is_id(name):
        _refuse(
            path, "a branch is also found by its id, so no name may look like an id"
        )
    first, *rest = name.split("/")
    if any(part in _NO_PARTS for part in (first, *rest)):
        _refuse(path, "no part between slashes may be empty, . or ..")
    if rest and rest[-1] in ENDS_OF_PATHS:
        _refuse(path, f"the last part may not be {' or '.join(ENDS_OF_PATHS)}")


def _refuse(path: str, message: str) -> None:
    raise ValidationFailed.at(path, "name", message)
