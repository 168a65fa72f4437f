"""What the databases of tests promise: nothing of one test reaches the next."""

from pathlib import Path

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from tests.databases import Migrated


@pytest.mark.server
def test_a_connection_that_is_kept_comes_back_as_a_new_one(
    migrated: Migrated, tmp_path: Path
) -> None:
    with migrated.url("postgres", tmp_path) as url:
        first = psycopg.connect(url)
        process = first.info.backend_pid
        first.execute("SET lock_timeout = 7000")
        first.execute("SELECT pg_advisory_lock(7)")
        first.commit()
        first.execute("SELECT 1")
        first.close()

        with psycopg.connect(url) as second:
            is_idle = second.info.transaction_status == TransactionStatus.IDLE
            [(timeout,)] = second.execute("SHOW lock_timeout").fetchall()
            locks = second.execute(
                "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid = %s",
                (process,),
            ).fetchall()
            same = second.info.backend_pid

    assert same == process
    assert (is_idle, timeout, locks) == (True, "0", [])


@pytest.mark.server
def test_a_connection_that_was_lost_is_not_kept(
    migrated: Migrated, tmp_path: Path
) -> None:
    with migrated.url("postgres", tmp_path) as url:
        lost = psycopg.connect(url, autocommit=True)
        with pytest.raises(psycopg.OperationalError):
            lost.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        lost.close()

        with psycopg.connect(url, autocommit=True) as another:
            assert another.execute("SELECT 1").fetchall() == [(1,)]
