"""The matcher keeps the contract of the port: exactly as comparing with all."""

from collections.abc import Iterator

import psycopg
import pytest
from locframework_matching_postgres import MatchingSettings, PostgresMatcher

from locframework.testing.contracts.matchers import Damage, MatcherContract, OpenMatcher
from tests.empty_databases import fresh_postgres_url


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """One for all tests; each begins without the matcher's schema."""
    with fresh_postgres_url() as url:
        yield url


def drop_schema(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS locframework_matching_1 CASCADE")


@pytest.mark.server
class TestPostgresMatcher(MatcherContract):
    @pytest.fixture
    def open_index(self, database: str) -> OpenMatcher:
        drop_schema(database)
        return lambda: PostgresMatcher(MatchingSettings(database))

    @pytest.fixture
    def damage(self, database: str) -> Damage:
        return lambda _: drop_schema(database)

    @pytest.fixture
    def broken_index(self) -> PostgresMatcher:
        return PostgresMatcher(MatchingSettings("postgresql://127.0.0.1:1/nowhere"))
