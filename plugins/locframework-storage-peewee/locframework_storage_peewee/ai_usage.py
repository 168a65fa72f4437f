"""Keeps what machine translation costs."""

from collections.abc import Collection
from decimal import Decimal

from locframework.ports import AiUsage, add_up

from .database import Store, fields, insert_one

_COLUMNS = (
    "organization_id, project_id, month, provider, language_code, translated, "
    "approved, edited, rejected, edit_distance, kept_words, cost"
)
_values = fields(_COLUMNS)
_ADD = insert_one("ai_usage", _COLUMNS, "project_id, month, provider, language_code")


class AiUsageTable(Store):
    """The store of usage (locframework/machine_translation/usage.py, AiUsageStore)."""

    def add_usage(self, usage: Collection[AiUsage]) -> None:
        self._database.require_transaction()
        months = [each.month for each in usage]
        [project_id] = {each.project_id for each in usage}
        stored = self.usage_of_project(project_id, min(months), max(months))
        sums = {_place(each): each for each in stored}
        for each in usage:
            there = sums.get(_place(each))
            sums[_place(each)] = each if there is None else add_up(there, each)
        changed = {_place(each): sums[_place(each)] for each in usage}
        rows = [_values(each) for each in changed.values()]
        self._database.run_many(_ADD, [(*row, f"{cost:f}") for *row, cost in rows])

    def usage_of_project(
        self, project_id: str, first_month: str, last_month: str
    ) -> list[AiUsage]:
        rows = self._database.rows(
            f"""SELECT {_COLUMNS} FROM ai_usage
                WHERE project_id = ? AND month >= ? AND month <= ?
                ORDER BY month DESC, provider, language_code""",
            (project_id, first_month, last_month),
        )
        names = _COLUMNS.split(", ")
        found = [dict(zip(names, row, strict=True)) for row in rows]
        return [AiUsage(**{**row, "cost": Decimal(row["cost"])}) for row in found]

    def cost_of_organization(self, organization_id: str, month: str) -> Decimal:
        rows = self._database.rows(
            "SELECT cost FROM ai_usage WHERE organization_id = ? AND month = ?",
            (organization_id, month),
        )
        return sum((Decimal(cost) for (cost,) in rows), Decimal(0))


def _place(usage: AiUsage) -> tuple[str, str, str]:
    return usage.month, usage.provider, usage.language_code
