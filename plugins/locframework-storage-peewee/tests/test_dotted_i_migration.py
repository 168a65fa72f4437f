"""The migration that folds texts of before as search compares them now."""

from __future__ import annotations

import unicodedata

import pytest
from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.folding import fold
from locframework.glossaries.records import TermFilter
from locframework.paging import PageRequest
from locframework.testing.contracts.storage_glossaries import (
    add_glossary,
    add_terms,
    term,
)
from locframework.testing.contracts.storage_records import add_project

MIGRATION = "0029_dotted_i"
TEXT = "İstanbul πρωτεΐνη"


def folded_before(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def migrate_again(storage: PeeweeStorage) -> None:
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()
    assert storage.migrate() == [MIGRATION]


def test_keys_and_values_of_before_are_found(storage: PeeweeStorage) -> None:
    old = folded_before(TEXT)
    run = storage.database.run
    run(
        """INSERT INTO key_values (key_number, language_code, plural_form, status,
            is_outdated, revision, origin, updated_at, updated_by, value, folded)
            VALUES (?, 'tr', '', 'approved', ?, 1, 'human', '', '', ?, ?)""",
        (1, False, TEXT, old),
    )
    run(
        """INSERT INTO keys (number, id, project, key, is_plural, created_at,
            updated_at, tags, description, folded)
            VALUES (1, 'k', 1, 'a', ?, '', '', '[]', ?, ?)""",
        (False, TEXT, f"a\x1f{old}"),
    )

    migrate_again(storage)

    rows = storage.database.rows
    assert rows("SELECT folded FROM key_values") == [(fold(TEXT),)]
    assert rows("SELECT folded FROM keys") == [(f"a\x1f{fold(TEXT)}",)]


def test_terms_of_before_are_folded_and_two_that_are_one_now_both_stay(
    storage: PeeweeStorage,
) -> None:
    organization_id = add_project(storage).organization_id
    of = add_glossary(storage, organization_id=organization_id)
    add_terms(storage, term(of, "istanbul"), term(of, "placeholder"), term(of, "x"))
    set_term = "UPDATE terms SET term = ?, spelling = ?, listed = ?, folded = ?"
    for was, now in (("placeholder", "İstanbul"), ("x", "İzmir")):
        old = folded_before(now)
        storage.database.run(
            f"{set_term} WHERE term = ?", (now, old, old, f"{old}\n", was)
        )

    migrate_again(storage)

    found = storage.terms.list_terms(of.id, TermFilter(search="i"), PageRequest()).items
    assert {each.term for each in found} == {"istanbul", "İstanbul", "İzmir"}
    spellings = dict(storage.database.rows("SELECT term, spelling FROM terms"))
    assert spellings["İzmir"] == "izmir"
    assert spellings["istanbul"] == "istanbul" != spellings["İstanbul"]


@pytest.mark.parametrize("where", ["source", "translation"])
def test_entries_of_memories_are_folded_and_read_anew(
    storage: PeeweeStorage, where: str
) -> None:
    run, rows = storage.database.run, storage.database.rows
    old = folded_before("İzmir")
    source, value = (old, "x") if where == "source" else ("x", old)
    add_project(storage)
    [(organization_id,)] = rows("SELECT id FROM organizations")
    run(
        """INSERT INTO memories (id, slug, organization_id, name,
            source_language, min_match_percentage, penalties, requires_approval,
            entry_count, revision, created_at, updated_at)
            VALUES ('m', 'm', ?, 'm', 'en', 70, '{}', ?, 2, 5, '', '')""",
        (organization_id, False),
    )
    [(memory,)] = rows("SELECT number FROM memories")
    entry = """INSERT INTO memory_entries (memory, id, digest, revision, created_at,
        updated_at, context, source_text, source_folded)
        VALUES (?, ?, ?, ?, '', '', '', '', ?)"""
    run(entry, (memory, "e", "e", 4, source))
    run(entry, (memory, "other", "other", 5, "y"))
    [(number,)] = rows("SELECT number FROM memory_entries WHERE id = 'e'")
    run(
        """INSERT INTO memory_translations (entry, language_code, status, updated_at,
            is_learned, value, value_folded)
            VALUES (?, 'tr', 'approved', '', ?, '', ?)""",
        (number, False, value),
    )

    migrate_again(storage)

    assert rows("SELECT revision FROM memories") == [(6,)]
    told = rows("SELECT id, revision FROM memory_entries ORDER BY id")
    assert told == [("e", 6), ("other", 5)]
    folded = [
        *rows("SELECT source_folded FROM memory_entries WHERE id = 'e'"),
        *rows("SELECT value_folded FROM memory_translations"),
    ]
    assert ("izmir",) in folded
