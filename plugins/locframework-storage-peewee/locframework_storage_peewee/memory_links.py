"""Links of keys to the entries of translation memories that they teach.

Hand-written SQL: links are read and written with values, in bulk, 3 µs each and not
120 µs as through a model.
"""

from collections.abc import Collection

from locframework.ports import KeyLink, MemoryWriting

from .database import Database, Store
from .sql import chunks

_LINK = "l.project_id, l.key_id, NULLIF(l.plural_form, ''), e.id"
_LINKS = """memory_links l JOIN memory_entries e ON e.number = l.entry
    JOIN memories m ON m.number = l.{memory} WHERE m.id = ? AND m.deleted_at IS NULL"""

MEMORY = "memory + 0"
"""That of entries which are looked up by id: SQLite would go by the memory, and read
all of its entries, for it takes them to be ten."""


class MemoryLinkTable(Store):
    """The part of the memory store that is about what keys teach."""

    def find_links(
        self,
        tm_id: str,
        *,
        key_ids: Collection[str] | None = None,
        entry_ids: Collection[str] | None = None,
    ) -> list[KeyLink]:
        found: list[KeyLink] = []
        for column, ids in (("l.key_id", key_ids), ("e.id", entry_ids)):
            memory = MEMORY if column == "e.id" else "memory"
            links = _LINKS.format(memory=memory)
            for some in chunks(ids or ()):
                rows = self._database.rows(
                    f"SELECT {_LINK} FROM {links} AND {self._database.among(column)}",
                    (tm_id, self._database.listed(some)),
                )
                found += [KeyLink(*row) for row in rows]
        return found

    def replace_links(
        self,
        writing: MemoryWriting,
        old: Collection[KeyLink],
        new: Collection[KeyLink],
    ) -> None:
        there, wanted = set(old), set(new)
        keys = {link.key_id for link in there ^ wanted}
        links = [link for link in wanted if link.key_id in keys]
        with self._database.transaction():
            for some in chunks(keys):
                self._database.run(
                    f"""DELETE FROM memory_links
                        WHERE memory = ? AND {self._database.among("key_id")}""",
                    (writing.number, self._database.listed(some)),
                )
            numbers = numbers_of(self._database, {link.entry_id for link in links})
            self._database.insert_many(
                "memory_links",
                "memory, project_id, key_id, plural_form, entry",
                [
                    (
                        writing.number,
                        link.project_id,
                        link.key_id,
                        link.plural_form or "",
                        numbers[link.entry_id],
                    )
                    for link in links
                    if link.entry_id in numbers
                ],
            )

    def learned_entries(self, tm_id: str, entry_ids: Collection[str]) -> set[str]:
        found: set[str] = set()
        for some in chunks(entry_ids):
            rows = self._database.rows(
                f"""SELECT e.id FROM memory_entries e JOIN memories m
                    ON m.number = e.{MEMORY} WHERE m.id = ? AND e.is_learned
                    AND {self._database.among("e.id")}""",
                (tm_id, self._database.listed(some)),
            )
            found.update(id_ for (id_,) in rows)
        return found

    def detach_entries(
        self, writing: MemoryWriting, entry_ids: Collection[str]
    ) -> None:
        with self._database.transaction():
            for some in chunks(entry_ids):
                mine = f"""IN (SELECT number FROM memory_entries
                    WHERE {MEMORY} = ? AND {self._database.among("id")})"""
                params = (writing.number, self._database.listed(some))
                self._detach(mine, params)
                self._database.run(
                    f"DELETE FROM memory_links WHERE entry {mine}", params
                )

    def linked_keys(self, project_id: str) -> set[str]:
        rows = self._database.rows(
            "SELECT DISTINCT key_id FROM memory_links WHERE project_id = ?",
            (project_id,),
        )
        return {key_id for (key_id,) in rows}

    def _detach(self, entries: str, params: tuple[object, ...]) -> None:
        self._database.run(
            f"""UPDATE memory_translations SET is_learned = FALSE
                WHERE is_learned AND entry {entries}""",
            params,
        )
        self._database.run(
            f"""UPDATE memory_entries SET is_learned = FALSE
                WHERE is_learned AND number {entries}""",
            params,
        )


def numbers_of(database: Database, entry_ids: Collection[str]) -> dict[str, int]:
    """The numbers of the entries that are there, by id."""
    numbers: dict[str, int] = {}
    for some in chunks(entry_ids):
        rows = database.rows(
            f"SELECT id, number FROM memory_entries WHERE {database.among('id')}",
            (database.listed(some),),
        )
        numbers.update(rows)
    return numbers
