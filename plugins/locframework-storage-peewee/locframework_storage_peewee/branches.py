"""Keeps branches; the keys that they change stand in branch_keys.py."""

from collections.abc import Collection

from locframework.ports import Branch, BranchStatus, Page, PageRequest

from .database import Order, Store, fields, insert_one, of_given
from .engine import Row
from .key_columns import PROJECT

_BRANCH = """b.id, b.project_id, b.name, b.status,
    CAST((SELECT coalesce(sum(k.changes), 0)
        FROM branch_keys k
        WHERE k.branch_id = b.id AND b.status <> 'merged') AS BIGINT),
    b.created_by, b.created_at, b.updated_at, b.merged_at"""
_KEPT = "id, project_id, name, status, created_by, created_at, updated_at, merged_at"
_LIVE = """branches b JOIN projects p ON p.id = b.project_id
    WHERE p.deleted_at IS NULL"""
_ORDER = Order(
    {"name": "b.name", "createdAt": "b.created_at", "updatedAt": "b.updated_at"},
    tie="b.id",
    default="-createdAt",
)

# the families come one by one from the index: most rows are of keys
_COPY_FILES = f"""INSERT INTO file_details
        (project, family, language_code, key_id, module, detail)
    WITH RECURSIVE families (name) AS (
        SELECT min(family) FROM file_details WHERE project = {PROJECT}
        UNION ALL
        SELECT (SELECT min(family) FROM file_details
            WHERE project = {PROJECT} AND family > name)
        FROM families WHERE name IS NOT NULL
    )
    SELECT {PROJECT}, family || '/base', language_code, key_id, module, detail
    FROM families JOIN file_details ON family = name AND project = {PROJECT}
    WHERE name LIKE '%/layout'"""


class BranchTables(Store):
    """The branch store (locframework/branches/store.py, BranchStore)."""

    def add_branch(self, branch: Branch) -> None:
        with self._database.transaction():
            self._database.run(insert_one("branches", _KEPT), fields(_KEPT)(branch))
            self._database.run(
                "INSERT INTO lines (id, project_id, key_count) VALUES (?, ?, 0)",
                (branch.id, branch.project_id),
            )
            ids = (branch.project_id, branch.project_id, branch.id, branch.project_id)
            self._database.run(_COPY_FILES, ids)

    def find_branch(self, project_id: str, reference: str) -> Branch | None:
        row = self._database.row(
            f"""SELECT {_BRANCH} FROM {_LIVE}
                AND b.project_id = ? AND (b.id = ? OR b.name = ?)
                ORDER BY b.id = ? DESC, b.status = 'open' DESC, b.id DESC LIMIT 1""",
            (project_id, reference, reference, reference),
        )
        return Branch(*row) if row else None

    def save_branch(self, branch: Branch) -> None:
        self._database.run(
            """UPDATE branches SET status = ?, updated_at = ?, merged_at = ?
                WHERE id = ?""",
            (branch.status, branch.updated_at, branch.merged_at, branch.id),
        )

    def list_branches(
        self, project_id: str, page: PageRequest, *, status: BranchStatus | None = None
    ) -> Page[Branch]:
        asked = of_given({"b.project_id = ?": project_id, "b.status = ?": status})
        source = f"{_LIVE} AND {asked.sql}"
        return self._page(page, _branch, _BRANCH, source, asked.params, _ORDER)

    def count_behind(self, branch_ids: Collection[str]) -> dict[str, int]:
        rows = self._database.rows(
            f"""SELECT b.branch_id, count(*) FROM branch_keys b
                WHERE {self._database.among("b.branch_id")} AND b.kind = 'copy'
                AND NOT EXISTS (SELECT 1 FROM keys k WHERE k.id = b.key_id
                    AND k.deleted_at IS NULL AND k.updated_at = b.base_updated_at)
                GROUP BY b.branch_id""",
            (self._database.listed(branch_ids),),
        )
        return dict(rows)


def _branch(row: Row) -> Branch:
    return Branch(*row)
