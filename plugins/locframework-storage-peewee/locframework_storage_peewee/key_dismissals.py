"""Keeps which findings people dismissed."""

from collections.abc import Collection

from locframework.ports import Actor, Dismissal

from .database import Database, SqlFragment, fields, insert_one
from .engine import Row
from .key_columns import KEYS_A_PROJECT, PROJECT, ScopedStore, Source, plain_id

_KEPT = """key_id, language_code, check_name, texts_hash, reason, actor_type,
    dismissed_by, dismissed_at"""
_KEY = "texts_hash, check_name, line"
_PUT = insert_one("dismissals", " ".join(f"{_KEPT}, line".split()), key=_KEY)
_plain = fields("key_id, language_code, check, texts_hash, reason")
_place = fields("texts_hash, check")
_SEEN = """SELECT m.number FROM lines s JOIN lines m ON m.id IN (s.id, s.project_id)
    WHERE s.id = ?"""
"""The line, and main: what main dismisses is dismissed on its branches."""


class KeyDismissals(ScopedStore):
    """Findings that people dismissed, on main or on a branch."""

    def dismissals_of(
        self, project_id: str, key_ids: Collection[str] | None = None
    ) -> list[Dismissal]:
        select, line_id = f"SELECT {_KEPT} FROM dismissals", self._own_line(project_id)
        if key_ids is None:
            rows = self._database.rows(f"{select} WHERE line = {PROJECT}", (line_id,))
        else:
            of_keys = f"{self._database.among('key_id')} AND line IN ({_SEEN})"
            rows = self._database.rows_of(key_ids, f"{select} WHERE {of_keys}", line_id)
        return list(map(_dismissal, rows))

    def put_dismissals(
        self,
        project_id: str,
        dismissals: Collection[Dismissal],
        dropped: Collection[Dismissal] = (),
    ) -> None:
        with self._database.transaction():
            [(line,)] = self._database.rows(
                f"SELECT {PROJECT}", (self._own_line(project_id),)
            )
            self._database.run_many(
                """DELETE FROM dismissals
                    WHERE texts_hash = ? AND check_name = ? AND line = ?""",
                [(*_place(each), line) for each in dropped],
            )
            rows = []
            for each in dismissals:
                by = each.dismissed_by
                rows.append((*_plain(each), by.type, by.id, each.dismissed_at, line))
            self._database.run_many(_PUT, rows)


def is_open(source: Source) -> SqlFragment:
    """Return the condition that a finding f of the source is not dismissed.

    It is on a branch if it is on main, where the texts are the same.
    """
    return SqlFragment(
        f"""(f.texts_hash, f.check_name) NOT IN (SELECT d.texts_hash, d.check_name
            FROM dismissals d WHERE d.line IN ({_SEEN}))""",
        (source.branch_id or source.line_id,),
    )


def drop_dismissals(database: Database, keys: Collection[Row]) -> None:
    """Keys are gone: each with the number and id of its row."""
    database.run_many(
        "DELETE FROM dismissals WHERE line = ? AND key_id = ?",
        [(number // KEYS_A_PROJECT, plain_id(row_id)) for number, row_id in keys],
    )


def _dismissal(row: Row) -> Dismissal:
    key_id, code, check, texts_hash, reason, *by, at = row
    return Dismissal(key_id, code, check, texts_hash, reason, Actor(*by), at)
