"""The storage: one database behind the stores of all areas."""

from collections.abc import Callable, Sequence

from locframework.ports import (
    AccessStore,
    AiUsageStore,
    BlobIndex,
    BranchKeyStore,
    BranchStore,
    DeliveryStore,
    Due,
    EventStore,
    FileStore,
    GlossaryStore,
    IdempotencyStore,
    JobStore,
    KeyStore,
    ListenerStore,
    MemoryStore,
    MemoryTextStore,
    Need,
    PluginStore,
    ProcessStore,
    ProjectStore,
    Purgeable,
    Queues,
    StatisticsStore,
    TermStore,
    Timestamp,
    WebhookStore,
    last_lease_end,
)

from .access import AccessTables
from .ai_usage import AiUsageTable
from .blobs import BlobNotes
from .branch_keys import BranchKeyTables
from .branches import BranchTables
from .database import Database
from .delivery import DeliveryTables
from .engine import Engine
from .events import EventTable
from .files import FileTable
from .glossaries import GlossaryTables
from .idempotency import IdempotencyTable
from .jobs import CLAIMABLE, RUNNING, JobTable
from .keys import KeyTables
from .listeners import IS_LISTENER_DUE, ListenerTables, purge_listeners
from .memories import MemoryTables
from .memory_texts import MemoryTexts
from .migrator import migrate, pending_migrations
from .plugin_entries import PluginTable
from .processes import ProcessTable
from .projects import ProjectTables
from .purge import purge
from .statistics import StatisticsTables
from .terms import TermTables
from .webhook_deliveries import IS_DUE
from .webhooks import WebhookTables

# ``families`` skips through a primary key that has a row for each key
_NEEDS = """
    WITH RECURSIVE published AS (
        SELECT d.*, p.slug || ': ' || d.name AS place
        FROM distributions d JOIN projects p ON p.id = d.project_id
        WHERE d.deleted_at IS NULL AND p.deleted_at IS NULL),
    families(slug, number, family) AS (
        SELECT p.slug, l.number,
            (SELECT min(family) FROM file_details WHERE project = l.number)
        FROM projects p JOIN lines l ON l.id = p.id WHERE p.deleted_at IS NULL
        UNION ALL
        SELECT slug, number, (SELECT min(d.family) FROM file_details d
            WHERE d.project = families.number AND d.family > families.family)
        FROM families WHERE family IS NOT NULL)
    SELECT 'format', format, count(*), min(place) FROM published GROUP BY format
    UNION ALL
    SELECT 'next_release', storage, count(*), min(place) FROM published
        GROUP BY storage
    UNION ALL
    SELECT 'release', r.storage, count(*), min(place) FROM published
        JOIN releases r ON r.id = current_release_id GROUP BY r.storage
    UNION ALL
    SELECT 'screenshot', f.store, count(*), min(p.slug) FROM files f
        JOIN projects p ON p.id = f.project_id WHERE p.deleted_at IS NULL
        GROUP BY f.store
    UNION ALL
    SELECT 'imported', family, count(*), min(slug) FROM families
        WHERE family IS NOT NULL GROUP BY family"""


class PeeweeStorage:
    """One open database (locframework/storage.py, Storage)."""

    def __init__(self, engine: Engine) -> None:
        self.database = Database(engine)
        self.access: AccessStore = AccessTables(self.database)
        self.projects: ProjectStore = ProjectTables(self.database)
        self.branches: BranchStore = BranchTables(self.database)
        self._keys = KeyTables(self.database)
        self.keys: KeyStore = self._keys
        self.statistics: StatisticsStore = StatisticsTables(self.database)
        self._jobs = JobTable(self.database)
        self.jobs: JobStore = self._jobs
        self.events: EventStore = EventTable(self.database)
        self.blobs: BlobIndex = BlobNotes(self.database)
        self.delivery: DeliveryStore = DeliveryTables(self.database)
        self._files = FileTable(self.database)
        self.files: FileStore = self._files
        self.glossaries: GlossaryStore = GlossaryTables(self.database)
        self.terms: TermStore = TermTables(self.database)
        self.memories: MemoryStore = MemoryTables(self.database)
        self.memory_texts: MemoryTextStore = MemoryTexts(self.database)
        self.ai_usage: AiUsageStore = AiUsageTable(self.database)
        self.plugin_entries: PluginStore = PluginTable(self.database)
        self.processes: ProcessStore = ProcessTable(self.database)
        self.listeners: ListenerStore = ListenerTables(self.database)
        self.idempotency: IdempotencyStore = IdempotencyTable(self.database)
        self._webhooks = WebhookTables(self.database)
        self.webhooks: WebhookStore = self._webhooks
        self.transaction = self.database.transaction
        self.snapshot = self.database.snapshot
        self.before_commit = self.database.before_commit
        self.after_commit = self.database.after_commit
        self.close = self.database.close
        self.watch = engine.watch

    def branch_keys(self, project_id: str, branch_id: str) -> BranchKeyStore:
        return BranchKeyTables(self.database, project_id, branch_id)

    def release_leases(self, is_over: Callable[[str], bool], now: Timestamp) -> None:
        rows = self.database.rows(
            f"""SELECT owner FROM jobs WHERE {RUNNING} AND owner IS NOT NULL
                UNION SELECT owner FROM webhook_deliveries WHERE owner IS NOT NULL
                UNION SELECT owner FROM event_listeners WHERE owner IS NOT NULL"""
        )
        owners = [owner for (owner,) in rows if is_over(owner)]
        if not owners:
            return  # it takes no lock
        with self.database.transaction():
            self.database.run_many(
                f"""UPDATE jobs SET owner = NULL, lease_until = ?
                    WHERE {RUNNING} AND owner = ?""",
                [(now, owner) for owner in owners],
            )
            self.database.run_many(
                """UPDATE webhook_deliveries SET owner = NULL, due_at = ?
                    WHERE owner = ?""",
                [(now, owner) for owner in owners],
            )
            self.database.run_many(
                "UPDATE event_listeners SET owner = NULL, due_at = ? WHERE owner = ?",
                [(now, owner) for owner in owners],
            )

    def find_due(
        self, job_types: Sequence[str], now: Timestamp, listeners: Sequence[str] = ()
    ) -> Due:
        among, listed = self.database.among, self.database.listed
        events, params = "FALSE", tuple[object, ...]()
        if listeners:
            events = f"{IS_LISTENER_DUE}{among('plugin')})"
            params = (now, listed(listeners))
        [found] = self.database.rows(
            f"""SELECT EXISTS (SELECT 1 FROM jobs
                    WHERE {CLAIMABLE} AND {among("type")}), {IS_DUE}, {events}""",
            (now, last_lease_end(now), listed(job_types), now, *params),
        )
        return Due(*map(bool, found))

    def queues(self, now: Timestamp) -> Queues:
        return Queues(self._jobs.queue(now), self._webhooks.depth())

    def needs(self) -> list[Need]:
        keys = [Need("webhook", key_id) for key_id in self._webhooks.sealing_keys()]
        return sorted([*keys, *(Need(*row) for row in self.database.rows(_NEEDS))])

    def purge(self, table: Purgeable, before: Timestamp, rows: int) -> int:
        if table == "files":
            return self._files.purge_files(before, rows)
        if table == "keys":
            return self._keys.purge_trash(before, rows)
        if table == "listeners":
            return purge_listeners(self.database, before, rows)
        return purge(self.database, table, before, rows)

    def migrate(self, *, dry_run: bool = False) -> list[str]:
        self.database.require_open()
        return (pending_migrations if dry_run else migrate)(self.database.engine)

    def ping(self) -> None:
        self.database.row("SELECT 1")
