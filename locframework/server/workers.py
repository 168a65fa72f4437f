"""The threads that serve: whoever polls also runs what comes, as long as that is quick.

Handing each request from a thread that polls to one that runs it, and telling the first
when it is done, took a quarter to a third of a short answer's processor time.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic, thread_time
from typing import Protocol

from .limits import ServerError

log = logging.getLogger(__name__)

IDLE_SECONDS = 0.5  # of polling, and of the watch, while nothing happens
# A request that still runs after one to two of these no longer holds up the others.
WATCH_SECONDS = 0.005
# Requests that wait longer, for a database, are to wait side by side. One of so many is
# looked at, and all once one was slow; the spell begins when slow ones outnumber the
# others by so many.
LONG_WAIT_SECONDS = 0.0003
LOOK_AT_ONE_OF = 32
SLOW_MOST = 8
SLOW_SPELL_SECONDS = 1.0


class Servable(Protocol):
    """A connection with a request to run."""

    @property
    def may_take_long(self) -> bool: ...
    def service(self) -> None: ...
    def cancel(self) -> None: ...


class Workers:
    """Threads of which one, the leader, polls. It alone starts requests.

    It runs a quick one itself, while nobody polls. Before one that may take long it
    gives up the lead, to a thread that is free; if one takes long all the same, the
    thread that watches takes the lead from it. At most ``most`` requests run at once;
    as there is a thread more, somebody can always poll.

    ``poll`` is called with the seconds it may wait, by one thread at a time; ``wake``
    ends its waiting.
    """

    def __init__(
        self, most: int, *, poll: Callable[[float], None], wake: Callable[[], None]
    ) -> None:
        self._most = most
        self._poll = poll
        self._wake = wake
        self._queue: deque[Servable] = deque()
        self._threads: list[threading.Thread] = []
        self._free = threading.Condition(threading.Lock())  # guards what follows
        self._leader: int | None = None  # the thread, by its identifier
        self._running = 0
        self._begun = 0  # how many requests leaders have begun
        self._is_in_request = False  # the leader is, and does not poll
        self._slow = 0  # by how many slow requests outnumber others, lately
        self._slow_until = 0.0
        self._is_recalled = False
        self._is_ended = False
        self._is_watched = False
        self._calls: SimpleQueue[None] = SimpleQueue()  # to the thread that watches
        self._is_broken = False

    # Of the thread that watches, and polls in the end

    def watch_until(self, is_over: Callable[[], bool]) -> None:
        """Starts the threads. Raises ServerError when polling has failed."""
        for number in range(self._most + 1):
            thread = threading.Thread(
                target=self._work, name=f"serving-{number}", daemon=True
            )
            thread.start()
            self._threads.append(thread)
        seen = 0
        while not is_over():
            if self._is_broken:
                raise ServerError("a thread that serves has failed; see above")
            with self._free:
                self._is_watched = self._begun != seen
                if self._is_in_request and not self._is_watched:
                    self._give_up_lead()
                seen = self._begun
            with suppress(Empty):
                self._calls.get(
                    timeout=WATCH_SECONDS if self._is_watched else IDLE_SECONDS
                )

    def call(self) -> None:
        """Lets ``watch_until`` ask again whether it is over. Signal handlers may."""
        self._calls.put(None)

    def take_lead(self) -> None:
        """From now on the caller polls, and the threads run what it hands out."""
        with self._free:
            self._is_recalled = True
            while self._leader is not None and not self._is_in_request:
                self._wake()
                self._free.wait(IDLE_SECONDS)
            self._leader = threading.get_ident()

    def hand_out(self) -> None:
        """Wakes as many threads as there are requests in the queue."""
        with self._free:
            self._free.notify(len(self._queue))

    def end(self, timeout: float) -> None:
        """Cancels what has not begun, and waits for what has."""
        with self._free:
            self._is_ended = True
            self._free.notify_all()
        until = monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        running = sum(thread.is_alive() for thread in self._threads)
        if running:
            log.warning("%d requests are still running", running)
        while self._queue:
            self._queue.popleft().cancel()

    # Of any thread

    def add_task(self, task: Servable) -> None:
        """Queues it. Told by the thread that polls, or by one about to be free."""
        self._queue.append(task)

    @property
    def is_led_by_me(self) -> bool:
        return self._leader == threading.get_ident()

    # Of the threads that serve

    def _work(self) -> None:
        me = threading.get_ident()
        try:
            while True:
                with self._free:
                    while not self._has_work():
                        self._free.wait()
                    if self._is_ended:
                        return
                    if not self._is_recalled:
                        self._leader = me
                self._lead(me) if self._leader == me else self._run_next(me)
        finally:
            self._is_broken = not self._is_ended
            self.call()

    def _has_work(self) -> bool:
        if self._is_ended:
            return True
        return bool(self._queue) if self._is_recalled else self._leader is None

    def _lead(self, me: int) -> None:
        """Polls and runs requests, until another thread has the lead."""
        while self._leader == me:
            if self._is_recalled:
                with self._free:
                    self._give_up_lead()
                return
            can_run = self._queue and self._running < self._most
            self._poll(0 if can_run else IDLE_SECONDS)
            for _ in range(len(self._queue)):
                if self._is_recalled or not self._run_next(me):
                    break

    def _run_next(self, me: int) -> bool:
        """Runs the first request of the queue. Whether to go on with the next."""
        with self._free:
            if not self._queue or self._running >= self._most:
                return False
            task = self._queue.popleft()
            self._running += 1
            is_looked_at = self._leader == me and self._begin_as_leader(task)
        waited = seconds_waited() if is_looked_at else 0.0
        try:
            task.service()
        except BaseException:
            log.exception("serving %r failed", task)
        if is_looked_at:
            waited = seconds_waited() - waited
        with self._free:
            self._running -= 1
            if is_looked_at:
                self._count(is_slow=waited > LONG_WAIT_SECONDS)
            if leads := self._leader == me:
                self._is_in_request = False
        if not leads:
            self._wake()  # there is a connection to listen to again, and a free thread
        return leads

    # Under the lock

    def _begin_as_leader(self, task: Servable) -> bool:
        """Keeps the lead or gives it up; whether to look how long this one waits."""
        if task.may_take_long or monotonic() < self._slow_until:
            self._give_up_lead()
            return False
        self._is_in_request = True
        self._begun += 1
        if not self._is_watched:
            self._is_watched = True
            self.call()
        return self._slow > 0 or self._begun % LOOK_AT_ONE_OF == 0

    def _give_up_lead(self) -> None:
        self._leader = None
        self._is_in_request = False
        self._free.notify(len(self._threads) if self._is_recalled else 1)

    def _count(self, *, is_slow: bool) -> None:
        self._slow = max(0, self._slow + (1 if is_slow else -1))
        if self._slow == SLOW_MOST:
            self._slow //= 2  # to find out sooner when the spell is over
            self._slow_until = monotonic() + SLOW_SPELL_SECONDS


def seconds_waited() -> float:
    """A clock that goes while the calling thread waits, except for a CPU."""
    return monotonic() - thread_time() - _seconds_queued()


def _seconds_queued() -> float:
    """For how long so far it could have run, had others not. 0 where nobody counts."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0
