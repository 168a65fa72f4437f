"""The one place where everything meets: Framework; ``wsgi.py`` serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from .access.authenticate import Authenticator
from .access.linked import LinkedAccess
from .access.organizations import Organizations
from .access.permissions import PERMISSIONS
from .access.records import Caller
from .access.service import Access
from .access.tokens import Tokens, TokenUse
from .blobs.service import Blobs
from .branches.service import Branches
from .delivery.builder import ReleaseBuilder
from .delivery.distributions import Distributions
from .delivery.public import Meter, PublicContent
from .delivery.queue import ReleaseQueue
from .delivery.releases import Releases
from .errors import SettingsError, Unavailable
from .events import SYSTEM, EventLog
from .exchange.exports import Exports
from .exchange.import_job import ImportJob
from .exchange.imports import Imports
from .fields import Clock, system_clock, timestamp
from .files.service import Files
from .formats.service import Formats
from .glossaries.imports import GlossaryFiles
from .glossaries.matching import GlossaryMatches, TermCache
from .glossaries.service import Glossaries
from .glossaries.terms import Terms, TermTranslations
from .history.service import Activity
from .history.undo import UndoJob
from .history.values import History
from .housekeeping import Purge
from .issues.service import Issues, RecheckJob, Rechecks
from .jobs.runner import JobRunner
from .jobs.service import Jobs
from .jobs.ticker import Ticker
from .keys.bulk import BulkKeys
from .keys.catalogues import Catalogues
from .keys.review import Review
from .keys.service import Keys
from .keys.writing.trash import KeyTrash
from .keys.writing.writer import KeyWriter
from .memories.entries import Entries
from .memories.imports import MemoryFiles
from .memories.matches import Matching
from .memories.prefill import Prefill, PrefillJob
from .memories.service import Memories
from .memories.tm_sync import LANGUAGE_EVENTS, TmSync, TmSyncJob
from .merging.applying import Applying
from .merging.service import Merging
from .plugins import PluginHost, chosen
from .projects.languages import Languages
from .projects.service import Projects
from .quality.service import Checks
from .settings import Settings, as_settings
from .statistics.service import ProjectStatistics
from .webhooks.attempt_log import AttemptLog
from .webhooks.deliveries import Deliveries
from .webhooks.dispatcher import Dispatcher, WebhookNumbers
from .webhooks.event_schemas import EventTypes
from .webhooks.fan_out import FanOut
from .webhooks.plugin_events import PluginEvents
from .webhooks.sender import Sender
from .webhooks.service import Webhooks
from .webhooks.signing import SecretBox

MIGRATIONS_TOLD = 5  # by name; of more, the first and the last
OPERATOR = Caller(actor=SYSTEM, everything=True)
"""The caller that may do everything: for the operator's own code, never over HTTP."""


class Framework:
    """The services, for use from Python; ``create_app`` serves the same over HTTP.

    ``plugins`` are objects made by hand, beside the installed ones (``discover``
    False: without them). Opens no connection and starts nothing by itself:
    ``migrate`` brings the database up to date, ``start`` begins background work,
    ``close`` ends it. Two of them in one process share nothing. Raises SettingsError
    and PluginError, each one line that says what to mend.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        plugins: Iterable[object] = (),
        *,
        discover: bool = True,
        clock: Clock = system_clock,
    ) -> None:
        self.settings = Settings() if settings is None else as_settings(settings)
        self.clock = clock
        self.plugins = PluginHost.discover(
            self.settings.plugins,
            blocked=self.settings.blocked_plugins,
            more=plugins,
            installed=discover,
        )
        chosen("blob_store", self.settings.blob_store, self.plugins.blob_stores)
        transports = self.plugins.transports
        self.transport = chosen(
            "webhook_transport", self.settings.webhook_transport, transports
        )
        self.storage = self.plugins.open_storage(self.settings.storage)
        self._background = ThreadPoolExecutor(1, thread_name_prefix="locframework")
        self._is_migrated = self._is_closed = False
        self._ticker: Ticker | None = None
        self._unwatch: Callable[[], None] = lambda: None
        self._purge = Purge(self.storage, clock)
        self.checks = Checks(self.plugins.checks)
        self._build_access()
        self._build_jobs()
        self._build_glossaries()
        self._build_keys()
        self._build_issues()
        self._build_activity()
        self._build_memories()
        self._build_exchange()
        self._build_delivery()
        self._build_webhooks()

    def _build_access(self) -> None:
        storage, clock = self.storage, self.clock
        self.events = EventLog(storage.events, storage, clock)
        self.events.listen_after(self.plugins.tell)
        self.access = Access(storage.access, self.plugins.refusal)
        self.linked_access = LinkedAccess(self.access, self.plugins.refusal)
        self.organizations = Organizations(storage.access, storage, self.access, clock)
        self.tokens = Tokens(storage.access, storage, self.access, clock, PERMISSIONS)
        use = TokenUse(storage.access, storage, clock, self._later)
        self.authenticate = Authenticator(self.plugins.caller, self.tokens, use)
        self.projects = Projects(
            storage.projects,
            storage,
            self.access,
            self.tokens,
            self.events,
            clock,
            self.checks.names,
        )
        self.languages = Languages(
            storage.projects, storage, self.projects, self.events, clock
        )
        self.branches = Branches(
            storage.branches, storage, self.projects, self.events, clock
        )

    def _build_jobs(self) -> None:
        storage, clock, workers = self.storage, self.clock, self.settings.job_workers
        self.runner = JobRunner(storage, [], self.events, clock, workers=workers)
        self.jobs = Jobs(
            storage.jobs,
            storage,
            self.projects,
            self.access,
            self.runner,
            self.events,
            clock,
        )
        self.blobs = Blobs(
            storage.blobs,
            self.plugins.blob_stores,
            self.settings.blob_store,
            storage,
            clock,
        )
        self.files = Files(storage, self.projects, self.blobs, clock)
        self.formats = Formats(self.plugins.formats, self.plugins.plugin_of_format)

    def _build_glossaries(self) -> None:
        storage, events, clock = self.storage, self.events, self.clock
        linked, projects = self.linked_access, self.projects
        glossaries = self.glossaries = Glossaries(
            storage, self.access, linked, projects, events, clock
        )
        self.terms = Terms(storage, glossaries, linked, events, clock)
        self.term_translations = TermTranslations(
            storage, glossaries, self.terms, linked, events, clock
        )
        self.term_cache = TermCache(storage)
        self.glossary_matches = GlossaryMatches(storage, projects, self.term_cache)
        self.glossary_files = GlossaryFiles(
            storage,
            linked,
            glossaries,
            self.terms,
            self.blobs,
            self.jobs,
            events,
            clock,
            self.tokens.renewed,
        )
        self.runner.add_handler(self.glossary_files)

    def _build_keys(self) -> None:
        storage, clock, access = self.storage, self.clock, self.access
        projects, branches, languages = self.projects, self.branches, self.languages
        writer = self.key_writer = KeyWriter(
            storage,
            self.events,
            access,
            branches,
            languages,
            clock,
            self.checks,
            self.term_cache,
            self.plugins.write_veto,
        )
        moves = self.key_trash = KeyTrash(storage, writer, self.events, clock)
        self.keys = Keys(
            storage,
            projects,
            branches,
            languages,
            self.files,
            writer,
            moves,
            self.checks,
        )
        self.bulk_keys = BulkKeys(projects, branches, languages, writer)
        self.review = Review(projects, branches, writer)
        self.history = History(storage, projects, branches, languages, writer, access)
        self.catalogues = Catalogues(storage)
        self.statistics = ProjectStatistics(storage, projects, branches)
        applying = Applying(storage, languages, writer, moves, clock)
        self.merging = Merging(
            storage, projects, branches, applying, self.events, clock
        )

    def _build_issues(self) -> None:
        storage, projects, branches = self.storage, self.projects, self.branches
        rechecks = Rechecks(storage, self.jobs)
        self.events.listen_inside(
            rechecks.on_event, prefixes=("glossary.", "language.", "project.")
        )
        self.runner.add_handler(RecheckJob(storage, self.key_writer))
        self.issues = Issues(
            storage, projects, branches, self.languages, self.checks, rechecks
        )

    def _build_activity(self) -> None:
        storage, writer = self.storage, self.key_writer
        self.activity = Activity(
            storage, self.projects, self.branches, self.jobs, self.clock
        )
        self.runner.add_handler(
            UndoJob(
                storage,
                self.access,
                self.files,
                writer,
                self.key_trash,
                self.tokens.renewed,
            )
        )

    def _build_memories(self) -> None:
        storage, clock, projects = self.storage, self.clock, self.projects
        store, linked, access = storage.memories, self.linked_access, self.access
        matcher = chosen("matcher", self.settings.matcher, self.plugins.matchers)
        there = self.plugins.concordancers  # without any, the database is asked
        name = self.settings.concordancer
        concordancer = chosen("concordancer", name, there) if there else None
        forget = [each.forget for each in (matcher, concordancer) if each is not None]
        sync = TmSync(storage, self.jobs, clock)
        self.events.listen_inside(sync.on_key_event, subscriber="memories")
        self.events.listen_inside(sync.on_language_event, prefixes=LANGUAGE_EVENTS)
        self.runner.add_handler(TmSyncJob(storage, sync))
        memories = self.memories = Memories(
            storage, access, linked, projects, sync, clock, forget
        )
        self.memory_entries = Entries(storage, memories, linked, clock)
        self.matching = Matching(
            store, storage.memory_texts, storage.access, projects, matcher, concordancer
        )

        self.memory_files = MemoryFiles(
            storage,
            linked,
            memories,
            self.blobs,
            self.jobs,
            sync,
            clock,
            self.tokens.renewed,
        )
        self.runner.add_handler(self.memory_files)

        self.prefill = Prefill(storage, access, projects, self.branches, self.jobs)
        self.runner.add_handler(
            PrefillJob(
                storage,
                access,
                self.branches,
                self.key_writer,
                self.matching,
                self.tokens.renewed,
            )
        )

    def _build_exchange(self) -> None:
        storage = self.storage
        self.imports = Imports(
            storage,
            self.access,
            self.projects,
            self.branches,
            self.languages,
            self.formats,
            self.blobs,
            self.jobs,
        )
        self.runner.add_handler(
            ImportJob(
                storage,
                self.access,
                self.branches,
                self.key_writer,
                self.key_trash,
                self.blobs,
                self.events,
                self.tokens.renewed,
            )
        )
        self.exports = Exports(
            storage,
            self.projects,
            self.branches,
            self.languages,
            self.formats,
            self.catalogues,
        )

    def _build_delivery(self) -> None:
        storage, clock, events = self.storage, self.clock, self.events
        queue = ReleaseQueue(storage, self.jobs, clock)
        events.listen_inside(queue.on_event, subscriber="distributions")
        builder = ReleaseBuilder(
            storage,
            self.formats,
            self.catalogues,
            self.branches,
            self.blobs,
            queue,
            events,
            clock,
        )
        self.runner.add_handler(builder)
        stores = sorted(
            self.plugins.blob_stores, key=lambda name: name != self.settings.blob_store
        )
        self.distributions = Distributions(
            storage,
            self.projects,
            self.branches,
            queue,
            self.formats,
            stores,
            events,
            clock,
        )
        self.releases = Releases(
            storage, self.projects, self.distributions, queue, builder, events, clock
        )
        self.meter = Meter(
            storage.delivery, storage.access, storage, clock, self._later
        )
        self.content = PublicContent(
            storage.delivery,
            self.blobs,
            self.meter,
            quota_refuses=self.settings.quota_refuses,
        )

    def _build_webhooks(self) -> None:
        storage, clock, events = self.storage, self.clock, self.events
        projects, settings = self.projects, self.settings.webhooks
        types = EventTypes(self.plugins.event_types.values())
        box = SecretBox(settings.secret_key, settings.old_secret_keys)
        self.webhooks = Webhooks(
            storage, self.access, projects, types, self.transport, box, clock
        )
        self.dispatcher = Dispatcher(
            storage,
            Sender(self.transport, box, clock),
            AttemptLog(storage, events, clock),
            clock,
            senders=settings.senders,
        )
        wake = self.dispatcher.wake
        self.deliveries = Deliveries(storage, projects, self.webhooks, wake, clock)
        self.webhook_numbers = WebhookNumbers(storage.webhooks, self.dispatcher, clock)
        self.plugins.emit_event = PluginEvents(storage, events, types).emit
        events.listen_inside(FanOut(storage, wake).on_event, subscriber="webhooks")

    def migrate(self) -> list[str]:
        """Bring the database up to date; answers the migrations applied.

        Safe when several processes start at once.
        """
        applied = self.storage.migrate()
        self._is_migrated = True
        return applied

    def require_migrated(self) -> None:
        """Raise SettingsError when the database waits for a migration."""
        pending = () if self._is_migrated else self.storage.pending_migrations()
        if pending:
            told = ", ".join(pending[:MIGRATIONS_TOLD])
            if len(pending) > MIGRATIONS_TOLD:
                told = f"{len(pending)} migrations, {pending[0]} to {pending[-1]}"
            raise SettingsError(f"the database lacks {told}; run: locframework migrate")

    def require_open(self) -> None:
        """Raise Unavailable once the framework was closed."""
        if self._is_closed:
            raise Unavailable("the framework was closed")

    def start(self) -> None:
        """Begin jobs, webhooks and housekeeping, after any fork and ``migrate``."""
        self.require_open()
        self.require_migrated()
        if self._ticker is not None:
            return
        self.webhooks.require_keys()
        chores = [self.files.purge, self.blobs.prune, self.meter.write]
        chores += [self._purge]
        self._ticker = Ticker(self._wake_if_due, chores)
        self.runner.start()
        self.dispatcher.start()
        self._ticker.start()
        self._unwatch = self.storage.watch(self._wake)

    def close(self) -> None:
        """Finish or give back what runs in the background; close the database, and have
        plugins let go of what they hold (``loc_on_close``). The app answers 503 as soon
        as this is called; services raise Unavailable once it is done."""
        self._is_closed = True
        if self._ticker is not None:
            self._unwatch()
            self._ticker.stop()
            self.dispatcher.stop()
            self.runner.stop()
            self._ticker = None
        self._background.shutdown()
        self.meter.write()
        self.storage.close()
        self.plugins.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wake(self) -> None:
        self.runner.wake()
        self.dispatcher.wake()

    def _wake_if_due(self) -> None:
        due = self.storage.find_due(self.runner.types, timestamp(self.clock()))
        self.runner.wake_if(due.jobs)
        self.dispatcher.wake_if(due.deliveries)

    def _later(self, call: Callable[[], None]) -> None:
        self._background.submit(call)
