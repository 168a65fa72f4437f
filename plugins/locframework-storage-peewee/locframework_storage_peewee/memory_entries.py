"""Entries of translation memories, their translations, and which keys teach them.

Hand-written SQL: values are learned with every write and imports have a million
entries, 5 µs each and not 250 µs as through models.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter, itemgetter
from secrets import randbelow

from msgspec.structs import astuple

from locframework.ports import (
    EntryQuery,
    KeyLink,
    MemoryEntry,
    MemoryWriting,
    Page,
    StoredTranslation,
    TermTranslation,
    Texts,
    Timestamp,
    folded,
)

from .database import Database, Order, SqlFragment, Store, all_of, chunks, insert_one
from .engine import Row
from .filters import IN_LANGUAGE, OF_MEMORY, conditions

_LINK = "l.project_id, l.key_id, NULLIF(l.plural_form, ''), e.id"

_MEMORY = "memory + 0"
"""That of entries which are looked up by id: SQLite would go by the memory, and read
all of its entries, for it takes them to be ten."""

_ENTRY = "e.id, m.id, e.source_text, e.context, e.created_at, e.updated_at"
_ENTRIES = "memory_entries e JOIN memories m ON m.number = e.memory"
_OF = "m.id = ? AND m.deleted_at IS NULL"
_BY_ID = f"memory_entries e JOIN memories m ON m.number = e.{_MEMORY}"
_ENTRY_KEPT = """id, memory, digest, revision, created_at, updated_at, context,
    source_text, source_folded, is_learned, values_digest"""
_TRANSLATION = "t.language_code, t.value, t.status, t.approved_at, t.proposed_value"
_TRANSLATION_KEPT = (
    "memory, entry, language_code, value, status, approved_at, proposed_value,"
    " updated_at, is_learned, value_folded"
)
_PUT_TRANSLATION = insert_one(
    "memory_translations", _TRANSLATION_KEPT, key="entry, language_code"
)
Value = tuple[str, str, str]  # language code, value and status, as applied
_VALUE = attrgetter("language_code", "value", "status")
_ORDER = Order(
    {"createdAt": "e.number", "updatedAt": "e.updated_at"},
    tie="e.number",
    default="createdAt",
)

REVISION_STEP = 1 << 20  # room for 10^12 writes


def digest_of(texts: Texts) -> str:
    """What stands in the index for source text and context."""
    return blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()


class MemoryEntryTables(Store):
    """The part of the memory store that is about entries and their links."""

    def begin(self, tm_id: str) -> MemoryWriting | None:
        self._database.require_transaction()
        # a number that no other write has: after an older database was brought back,
        # who knows what is gone by now does not take it for what came instead
        row = self._database.row(
            """UPDATE memories SET revision = revision + ?
                WHERE id = ? AND deleted_at IS NULL RETURNING number, revision""",
            (1 + randbelow(REVISION_STEP), tm_id),
        )
        return None if row is None else MemoryWriting(tm_id, *row)

    def add_entries(
        self,
        writing: MemoryWriting,
        entries: Sequence[MemoryEntry],
        *,
        learned: bool = False,
    ) -> None:
        rows = [
            (
                entry.id,
                writing.number,
                digest_of((entry.source_text, entry.context)),
                writing.revision,
                entry.created_at,
                entry.updated_at,
                entry.context,
                entry.source_text,
                folded(entry.source_text),
                learned,
                values_digest(map(_VALUE, entry.translations)),
            )
            for entry in entries
        ]
        with self._database.transaction():
            self._database.insert_many("memory_entries", _ENTRY_KEPT, rows)
            self._count(writing, len(rows))
            numbers = numbers_of(
                self._database, [e.id for e in entries if e.translations]
            )
            kept = [
                StoredTranslation(entry.id, each, entry.updated_at, learned)
                for entry in entries
                for each in entry.translations
            ]
            self._database.insert_many(
                "memory_translations",
                _TRANSLATION_KEPT,
                _translation_rows(writing, kept, numbers),
            )

    def find_entries(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, MemoryEntry]:
        mine = f"{self._database.among('e.id')} AND {_OF}"
        sql = f"SELECT {_ENTRY} FROM {_BY_ID} WHERE {mine}"
        rows = self._database.rows_of(entry_ids, sql, tm_id)
        return {entry.id: entry for entry in self._entries(rows)}

    def entry_ids_by_text(
        self, tm_id: str, texts: Collection[Texts]
    ) -> dict[Texts, str]:
        digests = {digest_of(each): each for each in texts}
        mine = f"{self._database.among('e.digest')} AND {_OF}"
        sql = f"SELECT e.digest, e.id FROM {_ENTRIES} WHERE {mine}"
        rows = self._database.rows_of(digests, sql, tm_id)
        return {digests[digest]: id_ for digest, id_ in rows}

    def list_entries(self, tm_id: str, query: EntryQuery) -> Page[MemoryEntry]:
        with self._database.snapshot():
            count = f"SELECT m.entry_count FROM memories m WHERE {_OF}"
            [total] = self._database.row(count, (tm_id,)) or [0]
            found = list(conditions(self._database, query, total))
            asked = all_of([SqlFragment(OF_MEMORY, (tm_id,)), *found])
            of = f"FROM {_ENTRIES} WHERE {asked.sql}"
            if found:
                [(total,)] = self._database.rows(f"SELECT count(*) {of}", asked.params)
            rows = self._database.rows(
                f"SELECT {_ENTRY} {of} ORDER BY {_ORDER.of(query)} LIMIT ? OFFSET ?",
                (*asked.params, query.limit, query.offset),
            )
            items = self._entries(rows)
        return Page(items, total, query.page, query.limit)

    def stream_entries(self, tm_id: str) -> Iterator[MemoryEntry]:
        rows = self._database.stream(
            f"""SELECT {_ENTRY}, {_TRANSLATION} FROM {_ENTRIES}
                LEFT JOIN memory_translations t ON t.entry = e.number
                WHERE {_OF} ORDER BY e.number, t.language_code""",
            (tm_id,),
        )
        for _, group in groupby(rows, key=itemgetter(0)):
            some = list(group)
            found = [TermTranslation(*row[6:]) for row in some if row[6] is not None]
            yield MemoryEntry(*(*some[0][:6], tuple(found)))

    def save_entries(
        self, writing: MemoryWriting, entries: Sequence[MemoryEntry]
    ) -> None:
        self._database.run_many(
            """UPDATE memory_entries SET digest = ?, source_text = ?,
                source_folded = ?, context = ?, updated_at = ?, revision = ?
                WHERE id = ? AND memory = ?""",
            [
                (
                    digest_of((entry.source_text, entry.context)),
                    entry.source_text,
                    folded(entry.source_text),
                    entry.context,
                    entry.updated_at,
                    writing.revision,
                    entry.id,
                    writing.number,
                )
                for entry in entries
            ],
        )

    def remove_entries(
        self,
        writing: MemoryWriting,
        entry_ids: Collection[str],
        *,
        only_learned: bool = False,
    ) -> set[str]:
        gone: set[str] = set()
        with self._database.transaction():
            for some in chunks(entry_ids):
                gone |= self._remove(writing, some, only_learned=only_learned)
        return gone

    def translations_of(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, list[StoredTranslation]]:
        found: dict[str, list[StoredTranslation]] = {}
        sql = f"""SELECT e.id, t.updated_at, t.is_learned, {_TRANSLATION}
            FROM {_BY_ID} JOIN memory_translations t ON t.entry = e.number
            WHERE {self._database.among("e.id")} AND {_OF}"""
        for row in self._database.rows_of(entry_ids, sql, tm_id):
            id_, at, is_learned, *rest = row
            kept = StoredTranslation(id_, TermTranslation(*rest), at, is_learned)
            found.setdefault(id_, []).append(kept)
        return found

    def write_translations(
        self,
        writing: MemoryWriting,
        translations: Sequence[StoredTranslation],
        at: Timestamp,
        removed: Collection[tuple[str, str]] = (),
    ) -> None:
        times = {entry_id: at for entry_id, _ in removed}
        times |= {each.entry_id: each.updated_at for each in translations}
        with self._database.transaction():
            numbers = numbers_of(self._database, times)
            self._database.run_many(
                "DELETE FROM memory_translations WHERE entry = ? AND language_code = ?",
                [(numbers[entry_id], code) for entry_id, code in removed],
            )
            self._database.run_many(
                _PUT_TRANSLATION, _translation_rows(writing, translations, numbers)
            )
            self._touch(writing, times)

    def delete_language(
        self, writing: MemoryWriting, language_code: str, after: int, rows: int
    ) -> int | None:
        with self._database.transaction():
            found = [
                entry
                for mine in IN_LANGUAGE
                for (entry,) in self._database.rows(
                    f"""SELECT entry FROM memory_translations
                        WHERE {mine} AND entry > ? ORDER BY entry LIMIT ?""",
                    (writing.number, language_code, after, rows),
                )
            ]
            if found:
                until: int = sorted(found)[:rows][-1]
                self._drop_translations_in(writing, language_code, (after, until))
            if len(found) >= rows:
                return until
            self._database.run(
                """DELETE FROM memory_languages
                    WHERE memory_id = ? AND language_code = ?""",
                (writing.tm_id, language_code),
            )
        return None

    def _drop_translations_in(
        self, writing: MemoryWriting, language_code: str, numbers: tuple[int, int]
    ) -> None:
        """Those of a memory's entries after the first number, up to the second."""
        params = (writing.number, language_code, *numbers)
        for mine in IN_LANGUAGE:
            those = f"memory_translations WHERE {mine} AND entry > ? AND entry <= ?"
            self._database.run(
                f"""UPDATE memory_entries SET revision = ?
                    WHERE number IN (SELECT entry FROM {those})""",
                (writing.revision, *params),
            )
            self._database.run(f"DELETE FROM {those}", params)
        changed = "memory = ? AND revision = ?"
        emptied = self._database.rows(
            f"""SELECT id FROM memory_entries WHERE {changed}
                AND is_learned AND NOT EXISTS (
                    SELECT 1 FROM memory_translations t
                    WHERE t.entry = memory_entries.number)""",
            (writing.number, writing.revision),
        )
        self.remove_entries(writing, [id_ for (id_,) in emptied])
        left = self._database.rows(
            f"SELECT id FROM memory_entries WHERE {changed}",
            (writing.number, writing.revision),
        )
        _update_digests(self._database, [id_ for (id_,) in left])

    def _remove(
        self, writing: MemoryWriting, entry_ids: Collection[str], *, only_learned: bool
    ) -> set[str]:
        mine = f"{_MEMORY} = ? AND {self._database.among('id')}"
        if only_learned:
            mine += " AND is_learned"
        params = (writing.number, self._database.listed(entry_ids))
        gone = self._database.run_rows(
            f"""INSERT INTO memory_removals (memory, revision, entry, entry_id)
                SELECT memory, ?, number, id FROM memory_entries WHERE {mine}
                RETURNING entry_id""",
            (writing.revision, *params),
        )
        for table in ("memory_translations", "memory_links"):
            self._database.run(
                f"""DELETE FROM {table} WHERE entry IN (
                    SELECT number FROM memory_entries WHERE {mine})""",
                params,
            )
        self._database.run(f"DELETE FROM memory_entries WHERE {mine}", params)
        self._count(writing, -len(gone))
        return {entry_id for (entry_id,) in gone}

    def _count(self, writing: MemoryWriting, more: int) -> None:
        self._database.run(
            "UPDATE memories SET entry_count = entry_count + ? WHERE number = ?",
            (more, writing.number),
        )

    def _touch(self, writing: MemoryWriting, times: dict[str, Timestamp]) -> None:
        digests = _read_digests(self._database, times)
        self._database.run_many(
            """UPDATE memory_entries SET updated_at = ?, revision = ?, values_digest = ?
                WHERE id = ?""",
            [(at, writing.revision, digests[id_], id_) for id_, at in times.items()],
        )

    def _entries(self, rows: Sequence[Row]) -> list[MemoryEntry]:
        found: dict[str, list[TermTranslation]] = {}
        sql = f"""SELECT e.id, {_TRANSLATION} FROM memory_entries e
            JOIN memory_translations t ON t.entry = e.number
            WHERE {self._database.among("e.id")} ORDER BY t.language_code"""
        for id_, *rest in self._database.rows_of([row[0] for row in rows], sql):
            found.setdefault(id_, []).append(TermTranslation(*rest))
        return [MemoryEntry(*(*row, tuple(found.get(row[0], ())))) for row in rows]

    def find_links(
        self,
        *,
        tm_id: str | None = None,
        project_id: str | None = None,
        key_ids: Collection[str] | None = None,
        entry_ids: Collection[str] | None = None,
    ) -> Iterator[KeyLink]:
        among, listed = self._database.among, self._database.listed
        filters = [SqlFragment("m.deleted_at IS NULL")]
        if tm_id is not None:
            filters.append(SqlFragment("m.id = ?", (tm_id,)))
        if project_id is not None:
            filters.append(SqlFragment("l.project_id = ?", (project_id,)))
        column, ids = (
            ("l.key_id", key_ids) if entry_ids is None else ("e.id", entry_ids)
        )
        read = self._database.stream if ids is None else self._database.rows
        for some in [None] if ids is None else chunks(ids):
            where = all_of(filters)
            if some is not None:
                where = all_of([*filters, SqlFragment(among(column), (listed(some),))])
            rows = read(
                f"""SELECT {_LINK} FROM memory_links l
                    JOIN memory_entries e ON e.number = l.entry JOIN memories m
                    ON m.number = l.{"memory" if entry_ids is None else _MEMORY}
                    WHERE {where.sql}""",
                where.params,
            )
            for row in rows:
                yield KeyLink(*row)

    def replace_links(
        self, writing: MemoryWriting, old: Collection[KeyLink], new: Collection[KeyLink]
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

    def detach_entries(
        self, writing: MemoryWriting, entry_ids: Collection[str]
    ) -> None:
        with self._database.transaction():
            for some in chunks(entry_ids):
                mine = f"""IN (SELECT number FROM memory_entries
                    WHERE {_MEMORY} = ? AND {self._database.among("id")})"""
                params = (writing.number, self._database.listed(some))
                for sql in (
                    f"""UPDATE memory_translations SET is_learned = FALSE
                        WHERE is_learned AND entry {mine}""",
                    f"""UPDATE memory_entries SET is_learned = FALSE
                        WHERE is_learned AND number {mine}""",
                    f"DELETE FROM memory_links WHERE entry {mine}",
                ):
                    self._database.run(sql, params)


def values_digest(values: Iterable[Value]) -> str:
    """Return a digest that is equal exactly for equal values; "" for none."""
    applied = sorted(each for each in values if each[1])
    text = "\0".join(part for each in applied for part in each)
    return blake2b(text.encode(), digest_size=16).hexdigest() if applied else ""


def _read_digests(database: Database, entry_ids: Collection[str]) -> dict[str, str]:
    values: dict[str, list[Value]] = {id_: [] for id_ in entry_ids}
    of_entry = database.engine.join_each(
        "memory_translations", "t", "t.entry = e.number"
    )
    sql = f"""SELECT e.id, t.language_code, t.value, t.status
        FROM memory_entries e {of_entry} WHERE {database.among("e.id")}"""
    for id_, code, value, status in database.rows_of(entry_ids, sql):
        values[id_].append((code, value, status))
    return {id_: values_digest(there) for id_, there in values.items()}


def _update_digests(database: Database, entry_ids: Sequence[str]) -> None:
    """Write the digests of entries whose translations were written."""
    for some in chunks(entry_ids):
        database.run_many(
            "UPDATE memory_entries SET values_digest = ? WHERE id = ?",
            [(digest, id_) for id_, digest in _read_digests(database, some).items()],
        )


def _translation_rows(
    writing: MemoryWriting,
    translations: Iterable[StoredTranslation],
    numbers: Mapping[str, int],
) -> list[Row]:
    """``numbers``: of the entries, by id."""
    return [
        (
            writing.number,
            numbers[kept.entry_id],
            *astuple(kept.translation),
            kept.updated_at,
            kept.is_learned,
            folded(kept.translation.value),
        )
        for kept in translations
    ]


def numbers_of(database: Database, entry_ids: Collection[str]) -> dict[str, int]:
    """The numbers of the entries that are there, by id."""
    sql = f"SELECT id, number FROM memory_entries WHERE {database.among('id')}"
    return dict(database.rows_of(entry_ids, sql))
