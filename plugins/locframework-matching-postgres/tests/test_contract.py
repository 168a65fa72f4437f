"""The matcher keeps the contract of the port: exactly as comparing with all."""

import psycopg
import pytest
from locframework_matching_postgres import MatchingSettings, PostgresMatcher

from locframework.testing.contracts.matchers import MatcherContract
from tests.empty_databases import fresh_postgres_url


@pytest.fixture(scope="module")
def database():
    """One for all tests; each begins without the matcher's schema."""
    with fresh_postgres_url() as url:
        yield url


def drop_schema(database):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS locframework_matching_1 CASCADE")


@pytest.mark.server
class TestPostgresMatcher(MatcherContract):
    @pytest.fixture
    def open_index(self, database):
        drop_schema(database)
        return lambda: PostgresMatcher(MatchingSettings(database))

    @pytest.fixture
    def damage(self, database):
        return lambda _: drop_schema(database)

    @pytest.fixture
    def broken_index(self):
        return PostgresMatcher(MatchingSettings("postgresql://127.0.0.1:1/nowhere"))
