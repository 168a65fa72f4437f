"""The event log: one row per committed change, told inside and after the commit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from .clock import Clock, Timestamp, timestamp
from .ids import new_id
from .storage import Transactions

ITEMS_MOST = 100


ActorType = Literal["user", "token", "plugin", "system"]


class Actor(Struct, frozen=True):
    """Who did it (decisions 2.7)."""

    type: ActorType
    id: str


SYSTEM = Actor("system", "locframework")


class Event(Struct, frozen=True, rename="camel"):
    """Something that happened; ``type`` and ``items`` are those of decisions 2.7."""

    id: str
    type: str
    organization_id: str
    project_id: str | None  # None: of the organization as a whole
    branch: str | None  # None: main
    actor: Actor
    items: Sequence[Mapping[str, object]]  # 1 to 100
    created_at: Timestamp


class EventStore(Protocol):
    """Keeps events."""

    def add(self, events: Sequence[Event]) -> None:
        """Append, in the transaction that is open."""
        ...

    def list_events(self, project_id: str, limit: int) -> list[Event]:
        """The project's latest events, newest first."""
        ...


Listener = Callable[[Event], None]


class EventLog:
    """Appends events and tells those who listen, in two rings.

    ``inside`` listeners run in the transaction and may refuse it; ``after``
    listeners run once it is committed and can change nothing any more.
    """

    def __init__(self, store: EventStore, transactions: Transactions, clock: Clock):
        self._store = store
        self._transactions = transactions
        self._clock = clock
        self._inside: list[Listener] = []
        self._after: list[Listener] = []

    def listen_inside(self, listener: Listener) -> None:
        """Call ``listener`` in the transaction of every event from now on."""
        self._inside.append(listener)

    def listen_after(self, listener: Listener) -> None:
        """Call ``listener`` after the commit of every event from now on."""
        self._after.append(listener)

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
        """Record that something happened; a transaction must be open.

        More than 100 items become several events; no items, none.
        """
        at = timestamp(self._clock())
        events = [
            Event(
                id=new_id(),
                type=type_,
                organization_id=organization_id,
                project_id=project_id,
                branch=branch,
                actor=actor,
                items=items[start : start + ITEMS_MOST],
                created_at=at,
            )
            for start in range(0, len(items), ITEMS_MOST)
        ]
        if not events:
            return
        self._store.add(events)
        for event in events:
            for listener in self._inside:
                listener(event)
        self._transactions.after_commit(lambda: self._tell(events))

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            for listener in self._after:
                listener(event)
