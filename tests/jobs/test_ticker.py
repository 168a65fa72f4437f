"""The ticker calls its functions again, whether or not they fail."""

import logging
import threading

from locframework.errors import Unavailable
from locframework.jobs import ticker
from locframework.jobs.ticker import Ticker


def test_failing_task_stops_neither_the_poll_nor_other_tasks(monkeypatch):
    monkeypatch.setattr(ticker, "HOUSEKEEPING_SECONDS", 1)
    polled, cleaned = threading.Semaphore(0), threading.Semaphore(0)

    def fails():
        raise ZeroDivisionError

    tick = Ticker(polled.release, [fails, cleaned.release])
    tick.start()
    called = all(
        each.acquire(timeout=30) for each in (polled, cleaned, polled, cleaned)
    )
    tick.stop()

    assert called


def test_unavailable_database_is_logged_in_one_line_without_traceback(
    monkeypatch, caplog
):
    monkeypatch.setattr(ticker, "HOUSEKEEPING_SECONDS", 1)
    cleaned = threading.Semaphore(0)

    def clean():
        cleaned.release()
        raise Unavailable("the database does not answer")

    tick = Ticker(lambda: None, [clean])
    tick.start()
    called = cleaned.acquire(timeout=30) and cleaned.acquire(timeout=30)
    tick.stop()

    assert called
    expected = "background work is postponed: the database does not answer"
    logged = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert {each.getMessage() for each in logged} == {expected}
    assert all(each.exc_info is None for each in logged)


def test_calls_are_not_logged_and_end_with_stop(caplog):
    caplog.set_level(logging.INFO)
    polled = threading.Semaphore(0)
    tick = Ticker(polled.release, [])
    tick.start()
    assert polled.acquire(timeout=30)
    assert polled.acquire(timeout=30)
    tick.stop()
    while polled.acquire(blocking=False):
        pass

    assert not polled.acquire(timeout=1.5)
    logged = [record.getMessage() for record in caplog.records]
    assert [each for each in logged if "Running job" in each or "Adding" in each] == []
