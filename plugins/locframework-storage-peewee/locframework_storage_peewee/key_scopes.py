"""Which rows of ``keys`` a scope shows: main, or main overlaid with a branch."""

from typing import NamedTuple

from .key_columns import PROJECT
from .sql import SqlFragment

_NOT_ON_BRANCH = f"""NOT EXISTS (SELECT 1 FROM branch_keys b
        WHERE b.branch_id = ? AND b.key_id = {{k}}.id)
    AND NOT EXISTS (SELECT 1 FROM keys o
        WHERE o.project = {PROJECT} AND o.key = {{k}}.key AND o.deleted_at IS NULL)"""
"""That a branch neither copied main's key nor has a key of its name."""


class Source(NamedTuple):
    """Keys of main or of a branch; with ``branch_id``, main's as the branch shows them.

    ``mark`` is what the ids of a branch's rows end with.
    """

    line_id: str
    branch_id: str | None = None
    mark: str = ""

    def shows(self, table: str) -> SqlFragment:
        """Return the condition that a row of ``keys`` belongs to the source."""
        sql = f"{table}.project = {PROJECT} AND {table}.deleted_at IS NULL"
        if self.branch_id is None:
            return SqlFragment(sql, (self.line_id,))
        hidden = _NOT_ON_BRANCH.format(k=table)
        branch = (self.branch_id, self.branch_id)
        return SqlFragment(f"{sql} AND {hidden}", (self.line_id, *branch))


def sources_of(project_id: str, branch_id: str | None) -> list[Source]:
    """Return main alone, or what a branch shows of main and its own keys."""
    if branch_id is None:
        return [Source(project_id)]
    return [Source(project_id, branch_id), Source(branch_id, mark=f"@{branch_id}")]
