"""Finds the open branches that have some keys for themselves."""

from collections.abc import Collection, Mapping

from .database import Database
from .key_lists import chunks

_MARK = "@"  # between the id of a key and that of a branch (branch_keys.py)


def open_branches(database: Database, project_id: str) -> list[str]:
    """See BranchStore.open_branches."""
    rows = database.rows(
        "SELECT id FROM branches WHERE project_id = ? AND status = 'open'",
        (project_id,),
    )
    return [branch_id for (branch_id,) in rows]


def branches_with(
    database: Database,
    project_id: str,
    key_ids: Collection[str],
    names: Collection[str],
) -> Mapping[str, Collection[str]]:
    """See KeyStore.branches_with."""
    found: dict[str, set[str]] = {}
    opened = open_branches(database, project_id)
    if not opened:
        return found
    branch_ids = database.listed(opened)
    for some in chunks(key_ids):
        rows = database.rows(
            f"""SELECT branch_id, key_id FROM branch_keys
                WHERE {database.among("key_id")} AND {database.among("branch_id")}""",
            (database.listed(some), branch_ids),
        )
        for branch_id, key_id in rows:
            found.setdefault(branch_id, set()).add(key_id)
    for some in chunks(names):
        rows = database.rows(
            f"""SELECT l.id, k.id FROM lines l JOIN keys k ON k.project = l.number
                WHERE {database.among("l.id")} AND {database.among("k.key")}
                    AND k.deleted_at IS NULL""",
            (branch_ids, database.listed(some)),
        )
        for branch_id, key_id in rows:
            found.setdefault(branch_id, set()).add(key_id.partition(_MARK)[0])
    return found
