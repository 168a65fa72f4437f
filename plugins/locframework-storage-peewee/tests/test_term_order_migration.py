"""The migration that says where terms stand in lists, of those there were before."""

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.glossaries.records import TermFilter
from locframework.paging import PageRequest
from locframework.testing.contracts.storage_glossaries import (
    add_glossary,
    add_terms,
    term,
)
from locframework.testing.contracts.storage_records import add_project

MIGRATION = "0028_term_order"


def test_terms_of_before_are_listed_whatever_their_case(
    storage: PeeweeStorage,
) -> None:
    organization_id = add_project(storage).organization_id
    of = add_glossary(storage, organization_id=organization_id)
    add_terms(storage, *(term(of, text) for text in ("b", "Z1", "a1", "Ä" * 500)))
    storage.database.run("DROP INDEX terms_in_order")
    storage.database.run("ALTER TABLE terms DROP COLUMN listed")
    storage.database.run("CREATE INDEX terms_by_text ON terms (glossary_id, term, id)")
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    found = storage.terms.list_terms(of.id, TermFilter(), PageRequest()).items
    assert [each.term for each in found] == ["a1", "b", "Z1", "Ä" * 500]
