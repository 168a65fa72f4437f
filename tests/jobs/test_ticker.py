"""The ticker rings, whatever comes of what it rings for."""

import logging
import threading

import pytest

from locframework.errors import Unavailable
from locframework.jobs import ticker
from locframework.jobs.ticker import Ticker


def test_it_wakes_again_and_again() -> None:
    twice = threading.Semaphore(0)
    clock = Ticker(twice.release, [])
    clock.start()

    rang = twice.acquire(timeout=30) and twice.acquire(timeout=30)
    clock.stop()

    assert rang


def test_a_chore_that_fails_stops_neither_the_wake_nor_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ticker, "HOUSEKEEPING_SECONDS", 1)
    woke, swept = threading.Semaphore(0), threading.Semaphore(0)

    def fails() -> None:
        raise ZeroDivisionError

    clock = Ticker(woke.release, [fails, swept.release])
    clock.start()
    rang = all(each.acquire(timeout=30) for each in (woke, swept, woke, swept))
    clock.stop()

    assert rang


def test_a_chore_that_the_database_keeps_waiting_is_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ticker, "HOUSEKEEPING_SECONDS", 1)
    swept = threading.Semaphore(0)

    def purge() -> None:
        swept.release()
        raise Unavailable("the database does not answer")

    clock = Ticker(lambda: None, [purge])
    clock.start()
    rang = swept.acquire(timeout=30) and swept.acquire(timeout=30)
    clock.stop()

    assert rang
    told = "background work is put off: the database does not answer"
    said = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert {each.getMessage() for each in said} == {told}
    assert all(each.exc_info is None for each in said)


def test_it_rings_no_more_after_stop() -> None:
    woke = threading.Semaphore(0)
    clock = Ticker(woke.release, [])
    clock.start()
    assert woke.acquire(timeout=30)
    clock.stop()
    while woke.acquire(blocking=False):
        pass

    assert not woke.acquire(timeout=1.5)


def test_it_does_not_fill_the_log_of_an_embedder(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    woke = threading.Semaphore(0)
    clock = Ticker(woke.release, [])
    clock.start()
    assert woke.acquire(timeout=30)
    assert woke.acquire(timeout=30)
    clock.stop()

    said = [record.getMessage() for record in caplog.records]
    assert [each for each in said if "Running job" in each or "Adding" in each] == []
