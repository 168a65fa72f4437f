"""Reads one key with its values, as it is shown: the read that must be quickest."""

from itertools import starmap
from operator import itemgetter

from locframework.ports import KeyValue, StoredKey, StoredState, StoredValue

from .database import Database
from .key_columns import IN_PROJECT, KEY, VALUE, key_of

_COLUMNS = KEY.count(",") + 1
_KEY_WITH_VALUES = f"""SELECT {KEY}, v.language_code, v.value, v.status,
        NULLIF(v.plural_form, ''), v.is_outdated
    FROM keys k LEFT JOIN key_values v ON v.key_number = k.number
    LEFT JOIN languages l
        ON l.project_id = ? AND l.language_code = v.language_code
    WHERE k.{IN_PROJECT} AND k.deleted_at IS NULL AND k.id = ?
    ORDER BY l.id"""
_STATE = f"""SELECT {KEY}, {VALUE},
    EXISTS (SELECT 1 FROM findings f WHERE f.key_number = k.number)
    FROM keys k LEFT JOIN key_values v ON v.key_number = k.number
    WHERE k.{IN_PROJECT} AND k.deleted_at IS NULL AND k.id = ?"""
_value = itemgetter(slice(_COLUMNS, None))


def find_state(database: Database, project_id: str, key_id: str) -> StoredState | None:
    """See KeyStore.find_state."""
    rows = database.rows(_STATE, (project_id, key_id))
    if not rows:
        return None
    has_values = rows[0][_COLUMNS] is not None
    values = [StoredValue(key_id, *row[_COLUMNS:-1]) for row in rows if has_values]
    key = key_of(project_id, rows[0][:_COLUMNS])
    return StoredState(key, tuple(values), has_findings=bool(rows[0][-1]))


def find_key_with_values(
    database: Database, project_id: str, key_id: str, *, line_id: str | None = None
) -> StoredKey | None:
    """See KeyStore.find_key_with_values; ``line_id``: the branch that the row is of."""
    rows = database.rows(_KEY_WITH_VALUES, (project_id, line_id or project_id, key_id))
    if not rows:
        return None
    has_values = rows[0][_COLUMNS] is not None
    values = list(starmap(KeyValue, map(_value, rows))) if has_values else []
    return key_of(project_id, rows[0][:_COLUMNS], values)
