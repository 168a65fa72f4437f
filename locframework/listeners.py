"""Durable listeners: each sees every committed event at least once, in order.

A row for each listener and event waits in the database from the commit of the event
until the listener has returned. One process at a time has the lease on a listener.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from time import monotonic
from typing import NamedTuple, Protocol

from msgspec import Struct

from .errors import PLUGIN_EXCEPTIONS, Unavailable
from .events import Event
from .fields import Clock, Timestamp, timestamp
from .http.metrics import Reading
from .jobs.lease import new_owner
from .jobs.queues import age_seconds
from .transactions import Transactions, crash_point

log = logging.getLogger("locframework.plugins")

LEASE = timedelta(seconds=30)
RENEW_SECONDS = 10.0
STOP_SECONDS = 10.0
EVENTS_AT_ONCE = 100
HAND_OVER_SECONDS = 1.0  # until what was handed over is stored: a crash repeats it
LONGEST_DELAY_SECONDS = 300
AWAY_SECONDS = 1.0  # until a database is asked again that did not answer
BEHIND_SECONDS = 300.0  # since when an event has waited, to be logged
GONE_SECONDS = 3600.0  # since when no process has had a listener, to be logged


class Claimed(NamedTuple):
    """The oldest events that wait for a listener, of one who has the lease on it."""

    events: Sequence[tuple[int, Event | None]]
    """In the order of the log, with their numbers; None: of a project that is deleted.
    """
    failures: int  # how often it failed in succession at the first of them


class ListenerState(Struct, frozen=True, rename="camel"):
    """How far a durable listener is."""

    plugin: str
    waiting: int
    failures: int  # in succession, at ``next_event``
    due_at: Timestamp  # not called before; a running one: when its lease ends
    seen_at: Timestamp  # when a process last had the plugin, to the minute
    owner: str | None  # of the lease
    next_number: int | None = None
    next_event: str | None = None  # id
    next_type: str | None = None
    next_at: Timestamp | None = None  # when it happened


class ListenerStore(Protocol):
    """The durable listeners, and the events that wait for each.

    An event that is added (``EventStore.add``) waits for every listener that is
    registered, in the same transaction; it costs one statement more if there are any.
    """

    def register(self, plugins: Collection[str], at: Timestamp) -> None:
        """Have events wait for these listeners from now on; note that they are in use.
        One statement for each."""

    def claim(
        self,
        plugin: str,
        owner: str,
        now: Timestamp,
        lease_until: Timestamp,
        most: int,
    ) -> Claimed | None:
        """Lease the listener to the owner, or prolong its lease, and return up to
        ``most`` events. None: nothing waits, it is not due, or another has the lease.
        With ``most`` 0 it only prolongs the owner's lease."""

    def settle(
        self,
        plugin: str,
        owner: str,
        numbers: Sequence[int],
        due_at: Timestamp,
        failures: int,
    ) -> None:
        """End the waiting of these events. Give the lease up, if nobody else has it:
        the listener is due from then on, and failed so often at its next event."""

    def states(self) -> list[ListenerState]:
        """Return all listeners, by the name of the plugin. One statement."""


class ListenerStorage(Transactions, Protocol):
    """The part of the storage that this module uses."""

    listeners: ListenerStore


def delay_seconds(failures: int) -> int:
    """Return how long a listener waits after so many failures in succession: 1, 2, 4
    seconds, up to five minutes."""
    return min(1 << min(failures - 1, 9), LONGEST_DELAY_SECONDS)


class DurableListeners:
    """Calls the durable listeners of this process; any number may share a storage.

    A thread for each. It looks for events when it is woken: after a commit in this
    process, when another process notifies, or each second if any are due.
    """

    def __init__(
        self,
        storage: ListenerStorage,
        calls: Mapping[str, Callable[[Event], None]],
        clock: Clock,
    ) -> None:
        """``calls``: what to call, by the name of the plugin."""
        self._storage, self._clock = storage, clock
        self._listeners = [
            _DurableListener(plugin, call, storage, clock)
            for plugin, call in calls.items()
        ]
        self.plugins = list(calls)

    def register(self) -> None:
        """Have events wait for the listeners from now on. Without any, does nothing."""
        if self.plugins:
            now = timestamp(self._clock())
            self._storage.listeners.register(self.plugins, now)

    def start(self) -> None:
        """Start the threads; warn of listeners that no process has any more."""
        self.register()
        for state in self._storage.listeners.states():
            unused = age_seconds(state.seen_at, self._clock())
            if state.plugin not in self.plugins and unused > GONE_SECONDS:
                log.warning(
                    "no process has the plugin %s since %s; %d events wait for its"
                    " durable listener, and are dropped after 30 days",
                    *(state.plugin, state.seen_at, state.waiting),
                )
        for listener in self._listeners:
            listener.start()

    def stop(self) -> None:
        """Call nothing more; wait for calls that run, up to ten seconds."""
        for listener in self._listeners:
            listener.ask_to_stop()
        until = monotonic() + STOP_SECONDS
        for listener in self._listeners:
            listener.join(max(0.0, until - monotonic()))

    def wake(self) -> None:
        """Look for events now. Cheap, from any thread."""
        for listener in self._listeners:
            listener.woken.set()

    def tick(self, is_due: bool) -> None:
        """Wake if events are due; prolong the leases of calls that take long."""
        if is_due:
            self.wake()
        for listener in self._listeners:
            listener.renew()

    def run_until_idle(self, *, times: int = 1, raises: bool = False) -> int:
        """Hand over all events that are due, in this thread; return how many.

        ``times``: how often each is handed over; ``raises``: raise what a listener
        raises, and let it be due again at once.
        """
        handed = 0
        for listener in self._listeners:
            while some := listener.work(times, raises):
                handed += some
        return handed

    def check(self) -> None:
        """Note that the listeners are in use, and warn of those that are far behind."""
        if not self.plugins:
            return
        self.register()
        for state in self._own_states():
            seconds = age_seconds(state.next_at, self._clock())
            if seconds > BEHIND_SECONDS:
                log.warning(
                    "plugin %s is behind: %d events wait for loc_on_event, the oldest,"
                    " %s, for %.0f s",
                    *(state.plugin, state.waiting, state.next_event, seconds),
                )

    def skip(self, plugin: str) -> ListenerState | None:
        """Skip the event that a listener is at; return the state before, None if no
        event waits."""
        for state in self._storage.listeners.states():
            if state.plugin == plugin and state.next_number is not None:
                now = timestamp(self._clock())
                number = state.next_number
                with self._storage.transaction():
                    self._storage.listeners.settle(plugin, "", [number], now, 0)
                return state
        return None

    def metrics(self) -> Iterator[Reading]:
        """Yield how far behind the listeners are, if that can be read."""
        if not self.plugins:
            return
        try:
            states = self._own_states()
        except Unavailable:
            return
        now = self._clock()
        yield Reading(
            "locframework_plugin_events_behind",
            "Events that wait for a durable listener",
            "gauge",
            {(state.plugin,): state.waiting for state in states},
            labels=("plugin",),
        )
        yield Reading(
            "locframework_plugin_events_oldest_seconds",
            "For how long the oldest event has waited for a durable listener",
            "gauge",
            {(state.plugin,): age_seconds(state.next_at, now) for state in states},
            labels=("plugin",),
        )

    def _own_states(self) -> list[ListenerState]:
        states = self._storage.listeners.states()
        return [state for state in states if state.plugin in self.plugins]


class _DurableListener:
    """One listener, and the thread that calls it."""

    def __init__(
        self,
        plugin: str,
        call: Callable[[Event], None],
        storage: ListenerStorage,
        clock: Clock,
    ) -> None:
        self.woken = threading.Event()
        self._plugin, self._call = plugin, call
        self._storage, self._clock = storage, clock
        self._owner = new_owner()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._claimed_at: float | None = None  # while events are handed over
        self._renewed_at = 0.0

    def start(self) -> None:
        self._owner = new_owner()  # of this process: it may be a fork
        self._stopping.clear()
        self.woken.set()
        name = f"locframework-listener-{self._plugin}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask_to_stop(self) -> None:
        self._stopping.set()
        self.woken.set()

    def join(self, timeout_seconds: float) -> None:
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.woken.wait()
            self.woken.clear()
            try:
                while not self._stopping.is_set() and self.work():
                    pass
            except Unavailable as error:
                log.info("the durable listener of %s waits: %s", self._plugin, error)
                # the lease may be ours: then no poll finds it due
                self._stopping.wait(AWAY_SECONDS)
                self.woken.set()
            except Exception:
                log.exception("the durable listener of %s continues", self._plugin)

    def work(self, times: int = 1, raises: bool = False) -> int:
        """Hand over the oldest events, for about a second; return how many. Those of
        deleted projects are skipped, and count."""
        claimed = self._claim(EVENTS_AT_ONCE)
        if claimed is None:
            return 0
        began = self._claimed_at = monotonic()
        handed: list[int] = []
        failures, delay = claimed.failures, timedelta()
        raised: BaseException | None = None
        try:
            for number, event in claimed.events:
                if self._stopping.is_set() or monotonic() - began > HAND_OVER_SECONDS:
                    break
                if event is None:
                    handed.append(number)
                    failures = 0
                    continue
                crash_point("listeners.before_call")
                try:
                    for _ in range(times):
                        self._call(event)
                except PLUGIN_EXCEPTIONS as error:
                    if raises:
                        raised = error
                        break
                    failures += 1
                    delay = timedelta(seconds=delay_seconds(failures))
                    log.exception(
                        "plugin %s failed %d times in succession in loc_on_event at the"
                        " event %s (%s); it is called again in %d s, and gets no other"
                        " event before",
                        *(self._plugin, failures, event.id, event.type),
                        delay.total_seconds(),
                    )
                    break
                crash_point("listeners.after_call")
                handed.append(number)
                failures = 0
        finally:
            self._claimed_at = None
        due_at = timestamp(self._clock() + delay)
        with self._storage.transaction():
            self._storage.listeners.settle(
                self._plugin, self._owner, handed, due_at, failures
            )
        if raised is not None:
            raise raised
        return len(handed)

    def renew(self) -> None:
        """Prolong the lease if it is old: the listener is slow."""
        claimed_at, now = self._claimed_at, monotonic()
        if (
            claimed_at is None
            or now - max(claimed_at, self._renewed_at) < RENEW_SECONDS
        ):
            return
        self._renewed_at = now
        self._claim(0)

    def _claim(self, most: int) -> Claimed | None:
        now = self._clock()
        with self._storage.transaction():
            return self._storage.listeners.claim(
                *(self._plugin, self._owner, timestamp(now)),
                *(timestamp(now + LEASE), most),
            )
