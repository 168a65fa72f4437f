"""What machine translation costs: counted by month, and kept within budgets."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.store import AccessStore
from locframework.errors import BudgetExceeded
from locframework.fields import Clock, timestamp
from locframework.projects.records import Project
from locframework.projects.store import ProjectStore

MONTH_LENGTH = len("2026-11")


class AiUsage(Struct, frozen=True):
    """What an engine did in a language of a project in a calendar month (UTC)."""

    organization_id: str
    project_id: str
    month: str  # 2026-11
    provider: str
    language_code: str
    translated: int = 0  # texts that runs stored
    approved: int = 0  # texts that reviewers took as they were
    edited: int = 0  # texts that were approved after people changed them
    rejected: int = 0
    edit_distance: int = 0  # of the edited texts, see quality.py
    kept_words: int = 0  # of the approved ones
    cost: Decimal = Decimal(0)


class AiUsageStore(Protocol):
    """How usage is kept: one record a project, month, provider and language."""

    def add_usage(self, usage: Collection[AiUsage]) -> None:
        """Add the numbers to those that are stored, of one project, which the
        transaction has locked. The number of statements does not depend on theirs."""

    def usage_of_project(
        self, project_id: str, first_month: str, last_month: str
    ) -> list[AiUsage]:
        """Return what a project used in these months: the newest month first, then by
        provider and language."""

    def cost_of_organization(self, organization_id: str, month: str) -> Decimal:
        """Return what all projects of an organization cost in a month, also those that
        were deleted since."""


class UsageStorage(Protocol):
    """The part of the storage that budgets use."""

    access: AccessStore
    projects: ProjectStore
    ai_usage: AiUsageStore


class Limit(NamedTuple):
    """What calls may cost, and what sets the limit, for people."""

    left: Decimal
    reason: str


@dataclass(eq=False, repr=False)
class Budgets:
    """The monthly budgets of projects and organizations."""

    _storage: UsageStorage
    _clock: Clock

    def month(self) -> str:
        """Return the calendar month (UTC)."""
        return timestamp(self._clock())[:MONTH_LENGTH]

    def spent(self, project: Project) -> Decimal:
        """Return what the project has spent in this month."""
        month = self.month()
        found = self._storage.ai_usage.usage_of_project(project.id, month, month)
        return sum((each.cost for each in found), Decimal(0))

    def limit(self, project: Project, *, locks: bool = False) -> Limit | None:
        """Return what is left of the budgets in this month; None: there are none.

        ``locks``: nobody else may spend the organization's budget until the end of the
        transaction, which has locked the project.
        """
        limits = []
        if project.ai.monthly_budget is not None:
            left = Decimal(project.ai.monthly_budget) - self.spent(project)
            limits.append(self._limit("project", project.ai.monthly_budget, left))
        organizations = self._storage.access.organizations
        id_ = project.organization_id
        found = organizations.find(id_)
        if locks and found is not None and found.ai_monthly_budget is not None:
            found = organizations.lock(id_)
        if found is not None and found.ai_monthly_budget is not None:
            spent = self._storage.ai_usage.cost_of_organization(id_, self.month())
            left = Decimal(found.ai_monthly_budget) - spent
            limits.append(self._limit("organization", found.ai_monthly_budget, left))
        return min(limits, default=None)

    def _limit(self, owner: str, budget: str, left: Decimal) -> Limit:
        whole = f"the {owner}'s budget of {budget} for {self.month()}"
        return Limit(left, f"it may cost more than is left of {whole}")


@dataclass(eq=False)
class Reservation:
    """What calls of an engine may cost: counted as spent before they are made, so that
    no crash and no other run makes a budget be exceeded."""

    _budgets: Budgets
    _storage: UsageStorage
    project: Project
    provider: str
    language_code: str
    amount: Decimal = Decimal(0)
    _month: str = ""

    def raise_to(self, amount: Decimal) -> None:
        """Reserve so much in all, in a transaction that has locked the project. Raises
        BudgetExceeded, with nothing changed."""
        more = amount - self.amount
        project = self._storage.projects.find(self.project.id) or self.project
        limit = self._budgets.limit(project, locks=True)
        if limit is not None and more > limit.left:
            raise BudgetExceeded(limit.reason)
        self._month = self._month or self._budgets.month()
        self._add(more)
        self.amount = amount

    def settle(self, cost: Decimal, translated: int = 0) -> None:
        """Count what the calls did cost, and the texts that are stored. In a
        transaction that has locked the project."""
        self._month = self._month or self._budgets.month()
        if cost != self.amount or translated:
            self._add(cost - self.amount, translated)
        self.amount = cost

    def _add(self, cost: Decimal, translated: int = 0) -> None:
        usage = AiUsage(
            self.project.organization_id,
            self.project.id,
            self._month,
            self.provider,
            self.language_code,
            translated,
            cost=cost,
        )
        self._storage.ai_usage.add_usage([usage])


def add_up(one: AiUsage, other: AiUsage) -> AiUsage:
    """Return the first record with the numbers of both."""
    names = one.__struct_fields__[5:]
    return replace(
        one, **{name: getattr(one, name) + getattr(other, name) for name in names}
    )
