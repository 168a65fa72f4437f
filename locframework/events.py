"""The event log: one row per committed change, told inside and after the commit."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal, NamedTuple, NoReturn, Protocol

from msgspec import Struct
from msgspec.structs import replace

from .fields import Clock, Timestamp, new_id, timestamp
from .pagination import Page, PageRequest
from .transactions import Transactions

ITEMS_LIMIT = 100
SINCE_LIMIT = 1000


ActorType = Literal["user", "token", "plugin", "system"]


class Actor(Struct, frozen=True):
    """Who did it: a user, a token of a project, a plugin, or the service by itself."""

    type: ActorType
    id: str


SYSTEM = Actor("system", "locframework")


class Event(Struct, frozen=True, rename="camel"):
    """Something that happened in a project, or in an organization as a whole.

    docs/how-to/webhooks.md has a table of the types and what their items name;
    ``GET /webhook-event-types`` adds those of plugins. The ``id`` is unique, and no
    order.
    """

    id: str
    type: str
    organization_id: str
    project_id: str | None  # None: of the organization as a whole
    branch: str | None  # None: main
    actor: Actor
    items: Sequence[Mapping[str, object]]  # 1 to 100
    created_at: Timestamp
    job_id: str | None = None  # of the job that did it
    merge_of: str | None = None  # id of the branch whose merge brought it

    def is_about(self, keys: Collection[str]) -> bool:
        """Whether it is of main, and of a key with one of these ids or names."""
        return self.branch is None and any(
            str(item.get(name)) in keys
            for item in self.items
            for name in ("keyId", "key")
        )


def _refuse(item: object, *_: object, **__: object) -> NoReturn:
    copies = "dict(item)" if isinstance(item, dict) else "list(values)"
    raise TypeError(f"an event cannot be changed; change a copy: {copies}")


class _FrozenDict(dict[str, object]):
    """A dict that refuses changes; JSON like any other. ``copy.deepcopy`` and pickle
    make plain dicts of it."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[object]]:
        return dict, ({**self},)


class _FrozenList(list[object]):
    """A list that refuses changes, as a _FrozenDict does."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type, tuple[object]]:
        return list, ([*self],)


def frozen(event: Event) -> Event:
    """Return the event with items that refuse changes, for all who share it. These are
    dicts and lists still, equal to those of the event. 1 µs for an item."""
    items = [_frozen(item) for item in event.items]
    return replace(event, items=_FrozenList(items))


def _frozen(value: object) -> object:
    if isinstance(value, dict):
        return _FrozenDict({name: _frozen(one) for name, one in value.items()})
    if isinstance(value, list | tuple):
        return _FrozenList(map(_frozen, value))
    return value


class EventScope(Struct, frozen=True):
    """Events of one line; of a branch also those that its merges brought to main."""

    branch: str | None  # its name; None: main
    branch_id: str | None = None
    since: Timestamp | None = None  # names are given again: when the branch was made
    until: Timestamp | None = None  # and when it ended


UndoEntry = Mapping[str, object]
"""What an event changed in one key, JSON-shaped: kept to undo it, and never shown."""


UndoLog = Mapping[str, Mapping[str, UndoEntry]]
"""By type of event, then by key id: the ``keyId`` of an item."""


class Touch(Struct, frozen=True):
    """That an event was about a key."""

    event_id: str
    type: str  # of the event
    key_id: str
    undo: UndoEntry | None
    created_at: Timestamp


class EventFilter(Struct, frozen=True):
    """Which events are meant; every condition that is set must hold."""

    actor_id: str | None = None
    since: Timestamp | None = None  # created_at >= this
    until: Timestamp | None = None  # created_at <= this
    key_id: str | None = None  # an item names the key
    job_id: str | None = None
    merge_of: str | None = None  # the id of the branch whose merge caused them
    scope: EventScope | None = None  # None: main and all branches
    of_keys: bool = False  # only those of keys and their values


class Subscribers(Struct, frozen=True):
    """Who acts on the events of a project."""

    memories: bool  # a translation memory learns from it
    distributions: bool  # a distribution publishes by itself
    webhooks: bool  # a webhook is active


class EventStore(Protocol):
    """Keeps events."""

    def add(self, events: Sequence[Event], undo: UndoLog | None = None) -> Subscribers:
        """Append, in the transaction that is open; return who acts on the events of the
        project of the last one. Two statements a 500 events, and another if there are
        durable listeners, for which they wait from then on (``ListenerStore``).
        ``undo`` is kept beside the events that are about their keys."""

    def page_of_events(
        self, project_id: str, where: EventFilter, page: PageRequest
    ) -> Page[Event]:
        """Newest first. Two statements."""

    def stream_events(
        self, project_id: str, where: EventFilter, *, latest: int | None = None
    ) -> Iterator[Event]:
        """Stream events in the order they were appended; ``latest``: so many, newest
        first."""

    def touches(
        self,
        project_id: str,
        key_ids: Collection[str],
        *,
        branch: str | None,
        since: Timestamp,
    ) -> list[Touch]:
        """Which events of a line, main or the branch of this name, had items of these
        keys since then, in the order they were appended. One statement a 500 keys."""


Listener = Callable[[Event], None]

_OF_KEYS = ("key.", "translation.")
_KEYS_ALONE = EventFilter(of_keys=True)


class _Inside(NamedTuple):
    listener: Listener
    prefixes: tuple[str, ...]
    subscriber: str | None


class _Cause(threading.local):
    job_id: str | None = None
    merge_of: str | None = None


class EventLog:
    """Appends events and tells those who listen, in two rings. ``inside`` listeners run
    in the transaction and may refuse it; ``after`` listeners run once it is committed
    and can change nothing any more."""

    def __init__(self, store: EventStore, transactions: Transactions, clock: Clock):
        self._store = store
        self._transactions = transactions
        self._clock = clock
        self._inside: list[_Inside] = []
        self._after: list[Listener] = []
        self._cause = _Cause()

    def listen_inside(
        self,
        listener: Listener,
        *,
        prefixes: tuple[str, ...] = ("",),
        subscriber: Literal["memories", "distributions", "webhooks"] | None = None,
    ) -> None:
        """Call ``listener`` in the transaction of every event from now on. Only of
        events whose type begins with one of ``prefixes``. ``subscriber``: of events of
        keys and values only in projects that have such a subscriber."""
        self._inside.append(_Inside(listener, prefixes, subscriber))

    def listen_after(self, listener: Listener) -> None:
        """Call ``listener`` after the commit of every event from now on."""
        self._after.append(listener)

    @contextmanager
    def because(
        self, *, job_id: str | None = None, merge_of: str | None = None
    ) -> Iterator[None]:
        """What this thread appends in the block comes of that job or merge."""
        before = self._cause.job_id, self._cause.merge_of
        self._cause.job_id = job_id or before[0]
        self._cause.merge_of = merge_of or before[1]
        try:
            yield
        finally:
            self._cause.job_id, self._cause.merge_of = before

    def latest(self, project_id: str) -> str | None:
        """Return the id of the newest event of a project's keys.

        These are appended under the project's lock, so that their order is that of the
        commits. An event of another kind may be committed before an older one of a key.
        """
        found = self._store.stream_events(project_id, _KEYS_ALONE, latest=1)
        return next((event.id for event in found), None)

    def since(self, project_id: str, event_id: str | None) -> list[Event] | None:
        """Return the events of a project's keys after that one, newest first.

        None: there are more than a thousand.
        """
        later: list[Event] = []
        for most in (1, SINCE_LIMIT + 1):
            later = []
            for event in self._store.stream_events(
                project_id, _KEYS_ALONE, latest=most
            ):
                if event.id == event_id:
                    return later
                later.append(event)
        return later if event_id is None and len(later) <= SINCE_LIMIT else None

    def append(
        self,
        type_: str,
        *,
        organization_id: str,
        project_id: str | None,
        actor: Actor,
        items: Sequence[Mapping[str, object]],
        branch: str | None = None,
    ) -> None:
        """Record that something happened; a transaction must be open. More than 100
        items become several events; no items, none."""
        self.append_all(
            {type_: items},
            organization_id=organization_id,
            project_id=project_id,
            actor=actor,
            branch=branch,
        )

    def append_all(
        self,
        items: Mapping[str, Sequence[Mapping[str, object]]],
        *,
        organization_id: str,
        project_id: str | None,
        actor: Actor,
        branch: str | None = None,
        undo: UndoLog | None = None,
        at: Timestamp | None = None,
    ) -> None:
        """As ``append``, of several types at once; ``items`` by type, in order.
        ``undo`` is kept beside them; ``at`` defaults to now."""
        at = at or timestamp(self._clock())
        events = [
            Event(
                id=new_id(),
                type=type_,
                organization_id=organization_id,
                project_id=project_id,
                branch=branch,
                actor=actor,
                items=some[start : start + ITEMS_LIMIT],
                created_at=at,
                job_id=self._cause.job_id,
                merge_of=self._cause.merge_of,
            )
            for type_, some in items.items()
            for start in range(0, len(some), ITEMS_LIMIT)
        ]
        if not events:
            return
        found = self._store.add(events, undo)
        subscribers = found if events[0].type.startswith(_OF_KEYS) else None  # all
        for event in events:
            for inside in self._inside:
                if not event.type.startswith(inside.prefixes):
                    continue
                if (
                    subscribers is None
                    or inside.subscriber is None
                    or getattr(subscribers, inside.subscriber)
                ):
                    inside.listener(event)
        self._transactions.after_commit(partial(self._tell, events))

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            for listener in self._after:
                listener(event)
