"""What the matcher does when its database is away, busy, or does not let it in."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from getpass import getuser
from time import sleep
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_matching_postgres import (
    MatchingSettings,
    PostgresMatcher,
    PostgresPlugin,
)
from locframework_matching_postgres.tables import lock, signature

from locframework.errors import Unavailable
from locframework.memories.matching.port import Wanted
from locframework.testing.contracts.matchers import (
    MEMORY,
    SegmentsInMemory,
    distance_of,
    entries,
)
from tests.empty_databases import fresh_postgres_url

TEXTS = st.text("abc ü文", max_size=40)


@pytest.fixture
def database():
    with fresh_postgres_url() as url:
        yield url


@pytest.fixture
def segments():
    made = SegmentsInMemory()
    made.change(MEMORY, entries(["open file"]))
    return made


def percents(matcher, segments):
    [found] = matcher.find(segments, [Wanted(MEMORY, 70)], ["open file"], 10)
    return [hit.percent for hit in found.hits]


def are_left(database, count):
    """Whether matchers have so many connections; one that was closed is gone soon."""
    with psycopg.connect(database, autocommit=True) as connection:
        for _ in range(200):
            found = connection.execute(
                """SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND
                          application_name = 'locframework matching'"""
            ).fetchone()
            if found == (count,):
                return True
            sleep(0.01)
    return False


@given(TEXTS, TEXTS)
def test_a_text_lacks_at_most_two_bits_of_another_for_each_edit_between_them(
    first, second
):
    apart = distance_of(first, second)

    lacking = signature(first) & ~signature(second)

    assert lacking.bit_count() <= 2 * apart


def test_a_signature_is_the_same_in_every_version():
    assert signature("a a a") == 1 << 41 | 1 << 69 | 1 << 164 | 1 << 212


@pytest.mark.server
def test_a_connection_that_the_server_ended_is_made_again(database, segments):
    matcher = PostgresMatcher(MatchingSettings(database))
    assert percents(matcher, segments) == [100]

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()"""
        )

    assert percents(matcher, segments) == [100]


@pytest.mark.server
def test_the_connections_end_with_the_framework(database, segments):
    plugin = PostgresPlugin(MatchingSettings(database))
    [matcher] = plugin.loc_provide_matchers()
    assert isinstance(matcher, PostgresMatcher)
    assert percents(matcher, segments) == [100]
    assert are_left(database, 1)

    with matcher._connections.lent():
        plugin.loc_on_close()
        assert are_left(database, 1)  # in use

    assert are_left(database, 0)
    assert percents(matcher, segments) == [100]  # of another framework
    assert are_left(database, 0)


@pytest.mark.server
def test_many_may_make_the_tables_at_once(database, segments):
    matchers = [PostgresMatcher(MatchingSettings(database)) for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda matcher: percents(matcher, segments), matchers))

    assert found == [[100]] * 6


@pytest.mark.server
def test_what_another_process_wrote_is_not_read_again(database, segments):
    percents(PostgresMatcher(MatchingSettings(database)), segments)
    segments.changes = None

    assert percents(PostgresMatcher(MatchingSettings(database)), segments) == [100]


@pytest.mark.server
def test_who_waits_too_long_for_another_process_is_told_to_ask_again(
    database, segments
):
    matcher = PostgresMatcher(MatchingSettings(database, patience_seconds=1))
    percents(matcher, segments)
    segments.change(MEMORY, entries(["open files"]))

    with psycopg.connect(database) as other:
        lock(other, MEMORY)
        with pytest.raises(Unavailable, match="is being indexed; ask again"):
            percents(matcher, segments)

    assert percents(matcher, segments) == [100, 90]


@pytest.mark.server
def test_a_user_who_may_not_make_the_schema_is_told_what_to_do(database, segments):
    user = f"loc_test_{secrets.token_hex(6)}"
    parts = urlsplit(database)
    theirs = urlunsplit(parts._replace(netloc=f"{user}@{parts.hostname}:{parts.port}"))
    matcher = PostgresMatcher(MatchingSettings(theirs))
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {user} LOGIN".encode())
        try:
            told = "let its owner CREATE SCHEMA locframework_matching_1"
            with pytest.raises(Unavailable, match=told):
                percents(matcher, segments)

            owner.execute(
                f"CREATE SCHEMA locframework_matching_1 AUTHORIZATION {user}".encode()
            )
            assert percents(matcher, segments) == [100]
        finally:
            owner.execute(f"DROP OWNED BY {user}".encode())
            owner.execute(f"DROP ROLE {user}".encode())


def test_an_address_of_another_database_is_refused():
    with pytest.raises(ValueError, match="must be postgresql://user@host/name"):
        MatchingSettings("sqlite:///data/tm.sqlite3")


@pytest.mark.parametrize("login", ["u:se%cret@", "u:s/e?cret@"])
def test_an_address_that_cannot_be_read_is_refused_without_its_password(login):
    with pytest.raises(ValueError, match="is not an address such as") as refused:
        MatchingSettings(f"postgresql://{login}h/x")

    assert "cret" not in str(refused.value)


def test_a_password_may_hold_a_question_mark(database, segments):
    parts = urlsplit(database)
    host = parts.netloc.rpartition("@")[2]
    login = f"{parts.username or getuser()}:p?[w"
    matcher = PostgresMatcher(
        MatchingSettings(urlunsplit(parts._replace(netloc=f"{login}@{host}")))
    )

    assert percents(matcher, segments) == [100]
    matcher.close()
