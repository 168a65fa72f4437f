"""The storage port: transactions, and one store an area."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from locframework.access.store import AccessStore
from locframework.blobs.store import BlobIndex
from locframework.branches.store import BranchStore
from locframework.delivery.store import DeliveryStore
from locframework.events import EventStore
from locframework.files.store import FileStore
from locframework.glossaries.store import GlossaryStore, TermStore
from locframework.http.idempotency import IdempotencyStore
from locframework.jobs.records import Queues
from locframework.jobs.store import JobStore
from locframework.keys.store import BranchKeyStore, KeyStore
from locframework.listeners import ListenerStore
from locframework.machine_translation.usage import AiUsageStore
from locframework.memories.matching.port import MemoryTextStore
from locframework.memories.store import MemoryStore
from locframework.plugin_services.store import PluginStore
from locframework.projects.store import ProjectStore
from locframework.statistics.store import StatisticsStore
from locframework.webhooks.store import WebhookStore

from .fields import Timestamp
from .processes import ProcessStore
from .transactions import Transactions

Purgeable = Literal[
    "branches",
    "deliveries",
    "distributions",
    "files",
    "glossaries",
    "idempotency_keys",
    "jobs",
    "keys",
    "listeners",
    "memories",
    "projects",
    "webhooks",
]


class Due(NamedTuple):
    """Which kinds of work may be claimed."""

    jobs: bool
    deliveries: bool
    events: bool = False  # for durable listeners


class Need(Struct, frozen=True, order=True):
    """What stored data cannot be used without: the format of distributions, a blob
    store (of their next or current releases, or of screenshots), a key of webhooks, or
    a family of details that imported files left (keys/imported_files.py)."""

    kind: Literal[
        "format", "imported", "next_release", "release", "screenshot", "webhook"
    ]
    name: str
    uses: int = 1
    example: str = ""  # where one of these is


class Storage(Transactions, Protocol):
    """One open database. Threads may share it; a process does not pass it on. Every
    text that the core lets through is kept byte for byte. A database that does not
    answer raises Unavailable, and the next call tries anew by itself."""

    access: AccessStore
    projects: ProjectStore
    branches: BranchStore
    keys: KeyStore  # of main
    statistics: StatisticsStore
    jobs: JobStore
    events: EventStore
    blobs: BlobIndex
    delivery: DeliveryStore
    idempotency: IdempotencyStore
    files: FileStore
    glossaries: GlossaryStore
    terms: TermStore
    memories: MemoryStore
    webhooks: WebhookStore
    memory_texts: MemoryTextStore
    ai_usage: AiUsageStore
    processes: ProcessStore
    plugin_entries: PluginStore
    listeners: ListenerStore

    def branch_keys(self, project_id: str, branch_id: str) -> BranchKeyStore:
        """The keys as they are seen from a branch. Asks nothing by itself."""

    def release_leases(self, is_over: Callable[[str], bool], now: Timestamp) -> None:
        """Let jobs, deliveries and durable listeners of owners for whom ``is_over`` is
        true be claimed at once."""

    def find_due(
        self, job_types: Sequence[str], now: Timestamp, listeners: Sequence[str] = ()
    ) -> Due:
        """Return which kinds of work may be claimed, once a second: jobs of these
        types, deliveries, and events that wait for these durable listeners. One
        statement."""

    def queues(self, now: Timestamp) -> Queues:
        """Return how much background work there is. Three statements."""

    def needs(self) -> list[Need]:
        """Return what the data needs that was not deleted, each name of a kind once,
        sorted. Asked at a start."""

    def watch(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call from another thread when any process has committed jobs, deliveries or
        events that wait for durable listeners, if the database can notify. Return a
        function that ends it."""

    def purge(self, table: Purgeable, before: Timestamp, rows: int) -> int:
        """Drop up to about ``rows`` rows of what ended before then, oldest first.

        What was deleted goes with all it held, branches with the keys they hold, and
        files that no key has named since. Finished jobs, deliveries and responses to
        repeated requests go by their age, and durable listeners, with the events that
        wait for them, by ``seen_at``. Return the number of rows; 0 means that
        nothing is left.
        """

    def migrate(self, *, dry_run: bool = False) -> list[str]:
        """Bring the schema up to date; return what was applied, in order.

        Safe when several processes start at once and when killed half-way. Raises
        SettingsError when the schema is newer than this program, or the address of
        the database is of no use until somebody mends it. ``dry_run`` returns what
        would be applied; it changes nothing, and creates no database.
        """

    def ping(self) -> None:
        """Ask the database anything; Unavailable when it does not answer."""

    def close(self) -> None:
        """Close all connections for good: whatever is asked afterwards raises
        Unavailable."""


class StorageProvider(Protocol):
    """What a storage plugin gives: a name to choose it by, and how to open it."""

    @property
    def name(self) -> str: ...

    def open(self) -> Storage:
        """Open the database that the plugin's settings name; makes no schema."""
