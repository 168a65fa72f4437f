"""The one place where everything meets: Framework; ``wsgi.py`` serves it."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cached_property
from threading import Event, Lock
from types import MappingProxyType
from typing import Any, Self

from .access.organizations import Organizations
from .access.permissions import APPROVALS
from .access.records import Caller
from .access.service import Access, LinkedAccess, without
from .access.sessions import Sessions
from .access.tokens import Authenticator, Tokens
from .api import calls_of, endpoints_of, permission_checks_of, visibility_checks_of
from .blobs.service import Blobs
from .branches.service import Branches
from .delivery.builder import ReleaseBuilder
from .delivery.distributions import Distributions
from .delivery.public import Meter, PublicContent
from .delivery.queue import ReleaseQueue
from .delivery.releases import Releases
from .errors import PluginError, SettingsError, Unavailable
from .events import SYSTEM, EventLog
from .exchange.exports import Exports
from .exchange.import_job import ImportJob
from .exchange.imports import Imports
from .exchange.uploads import UploadChecker
from .fields import Clock, system_clock, timestamp
from .files.service import Files
from .formats.service import Formats
from .glossaries.imports import GlossaryFiles
from .glossaries.matching import GlossaryMatches, TermCache
from .glossaries.service import Glossaries
from .glossaries.terms import Terms
from .history.service import Activity
from .history.undo import UndoJob
from .history.values import History
from .housekeeping import Purge
from .http.calls import Calls, OperationInfo
from .http.metrics import Reading
from .http.operation import operation_names
from .http.rate_limit import RateLimiter, memory_limit, open_windows
from .issues.service import Issues, Rechecks
from .jobs.runner import JobRunner
from .jobs.service import Jobs
from .jobs.ticker import Ticker
from .keys.bulk import BulkKeys
from .keys.bulk_review import BulkReviews
from .keys.catalogues import Catalogues
from .keys.dismissals import Dismissals
from .keys.imported_files import layout_family
from .keys.service import Keys, Review
from .keys.writing.trash import KeyTrash
from .keys.writing.writer import KeyWriter
from .listeners import DurableListeners
from .machine_translation.approval import RunApprovals
from .machine_translation.quality import DraftReviews
from .machine_translation.run import TranslationRuns
from .machine_translation.service import MachineTranslation
from .machine_translation.usage import Budgets
from .memories.entries import Entries
from .memories.imports import MemoryFiles
from .memories.matches import Matching
from .memories.prefill import Prefill
from .memories.service import Memories
from .memories.tm_sync import LANGUAGE_EVENTS, TmSync
from .merging.service import Merging
from .plugin_services.jobs import PluginJobHandler, Schedules
from .plugin_services.project_settings import ProjectSettings
from .plugin_services.service import PluginServices, require_plugin
from .plugins import PluginHost
from .projects.service import Languages, Projects
from .quality.check import Checks
from .settings import Settings, as_settings
from .statistics.service import ProjectStatistics
from .webhooks.dispatcher import Dispatcher
from .webhooks.event_schemas import EventTypes
from .webhooks.fan_out import FanOut
from .webhooks.plugin_events import PluginEvents
from .webhooks.service import REPLAYS_LIMIT, Webhooks
from .webhooks.signing import SecretBox

log = logging.getLogger("locframework")

_NEEDED = {
    "format": ("format", "distributions"),
    "next_release": ("blob store", "distributions"),
    "release": ("blob store", "current releases"),
    "screenshot": ("blob store", "screenshots"),
}
_NOT_READ = (
    "no installed plugin reads the %s files that were imported last (projects: %d, as"
    " %s); exports ignore them"
)

OPERATOR = Caller(actor=SYSTEM, everything=True)
"""The caller that may do everything: for the operator's own code, never over HTTP."""


class Framework:
    """The services, for use from Python; ``create_app`` serves the same over HTTP.

    Methods take a ``Caller`` first, such as ``OPERATOR``. ``help(framework.keys)``
    lists what one service does:

    - organizations, tokens, sessions: organizations, members, tokens, and signing in
    - projects, languages: projects and their languages
    - keys, bulk_keys: keys and values, one or many
    - history: revisions of values
    - review, bulk_reviews: approving and rejecting, one or by a filter
    - dismissals, issues: what checks found, and what was dismissed
    - branches, merging: branches, their changes, and merging these into main
    - activity, statistics: who changed what, and undoing it; how much is translated
    - files: screenshots
    - glossaries, terms, glossary_matches, glossary_files: glossaries
    - memories, memory_entries, matching, prefill, memory_files: translation memories
    - machine_translation, run_approvals: runs, suggestions, and approving a run
    - imports, exports: files of texts, in and out
    - distributions, releases, content: what is published, and reading it
    - webhooks: where events are sent, and the log of deliveries
    - jobs: reading, waiting for and cancelling them
    - formats, plugins: what is installed
    - plugin, project_settings: what belongs to a plugin; its settings in projects
    - runner, dispatcher, schedules, listeners: what runs jobs, sends webhooks, starts
      jobs, and calls durable listeners
    - operations, call: the operations of the API, and running one by its name

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
        choose = self.plugins.choose
        choose("blob_store", self.settings.blob_store, self.plugins.blob_stores)
        if self.settings.translator != Settings().translator:  # which may be missing
            choose("translator", self.settings.translator, self.plugins.translators)
        self.transport = choose(
            "webhook_transport",
            self.settings.webhook_transport,
            self.plugins.transports,
        )
        self.storage = self.plugins.open_storage(self.settings.storage)
        self._background = ThreadPoolExecutor(1, thread_name_prefix="locframework")
        self._is_migrated = self._has_needs = False
        self._lock = Lock()
        self._made_calls: Calls[Caller] | None = None
        self.closed = Event()
        self._ticker: Ticker | None = None
        self._unwatch: Callable[[], None] = lambda: None
        self._purge = Purge(self.storage, clock)
        self._build()
        try:
            if self.plugin_operations:
                names = operation_names(endpoints_of(self))
                self.plugins.require_own_names(self.plugin_operations, names)
            self.plugins.start(self)
        except PluginError:
            self.close()
            raise

    def _build(self) -> None:
        plugins, settings = self.plugins, self.settings
        storage, clock = self.storage, self.clock
        events = self.events = EventLog(storage.events, storage, clock)
        events.listen_after(plugins.tell)
        checks = self.checks = Checks(
            plugins.checks, plugins.times, plugins.timed_checks
        )

        access = self.access = Access(storage.access, plugins.permissions)
        linked = self.linked_access = LinkedAccess(access)
        self.organizations = Organizations(storage.access, storage, access, clock)
        tokens = self.tokens = Tokens(storage.access, storage, access, clock)
        self.sessions = Sessions(storage.access, storage, access, clock)
        renewed = tokens.renewed
        self.authenticate = Authenticator(
            plugins.caller, tokens, storage.access, storage, clock, self._later
        )
        projects = self.projects = Projects(
            storage.projects,
            storage,
            access,
            tokens,
            events,
            clock,
            checks.names,
            plugins.translators,
        )
        languages = self.languages = Languages(
            storage.projects, storage, projects, events, clock
        )
        branches = self.branches = Branches(
            storage.branches, storage, projects, events, clock
        )

        workers = settings.job_workers
        runner = self.runner = JobRunner(storage, [], events, clock, workers=workers)
        self.queues = runner.queues
        jobs = self.jobs = Jobs(
            storage.jobs, storage, projects, access, runner, events, clock
        )
        blobs = self.blobs = Blobs(
            storage.blobs, plugins.blob_stores, settings.blob_store, storage, clock
        )
        files = self.files = Files(storage, projects, blobs, clock)
        formats = self.formats = Formats(plugins.formats, plugins.plugin_of_format)

        glossaries = self.glossaries = Glossaries(
            storage, access, linked, projects, events, clock
        )
        terms = self.terms = Terms(storage, glossaries, linked, clock)
        term_cache = self.term_cache = TermCache(storage)
        self.glossary_matches = GlossaryMatches(storage, projects, term_cache)
        common = linked, blobs, jobs, clock, renewed
        self.glossary_files = GlossaryFiles(
            storage, storage.glossaries, *common, glossaries, terms
        )
        runner.add_handler(self.glossary_files)

        writer = self.key_writer = KeyWriter(
            storage,
            events,
            access,
            branches,
            languages,
            clock,
            checks,
            term_cache,
            plugins.write_veto,
            plugins.write_times,
        )
        trash = self.key_trash = KeyTrash(storage, writer, events, clock)
        self.keys = Keys(
            storage, projects, branches, languages, files, writer, trash, checks
        )
        self.bulk_keys = BulkKeys(projects, branches, languages, writer)
        self.review = Review(projects, branches, writer)
        self.dismissals = Dismissals(
            storage, projects, branches, access, self.keys, clock
        )
        self.history = History(storage, projects, branches, languages, writer, access)
        catalogues = self.catalogues = Catalogues(storage)
        self.statistics = ProjectStatistics(storage, projects, branches)
        self.merging = Merging(
            storage, projects, branches, languages, writer, trash, events, clock
        )

        rechecks = Rechecks(storage, jobs, writer)
        events.listen_inside(
            rechecks.on_event, prefixes=("glossary.", "language.", "project.")
        )
        runner.add_handler(rechecks)
        self.issues = Issues(
            storage, projects, branches, languages, checks, rechecks, writer
        )
        self.activity = Activity(storage, projects, branches, jobs, clock)
        runner.add_handler(
            UndoJob(storage, access, files, writer, trash, renewed, events)
        )

        matcher = plugins.choose("matcher", settings.matcher, plugins.matchers)
        sync = TmSync(storage, jobs, clock)
        events.listen_inside(sync.on_key_event, subscriber="memories")
        events.listen_inside(sync.on_language_event, prefixes=LANGUAGE_EVENTS)
        runner.add_handler(sync)
        memories = self.memories = Memories(
            storage, access, linked, projects, sync, clock, matcher.forget
        )
        self.memory_entries = Entries(storage, memories, linked, clock)
        matching = self.matching = Matching(storage, projects, matcher)
        self.memory_files = MemoryFiles(
            storage, storage.memories, *common, memories, sync
        )
        runner.add_handler(self.memory_files)
        self.prefill = Prefill(
            storage, access, projects, branches, jobs, writer, matching, renewed
        )
        runner.add_handler(self.prefill)

        budgets = self.budgets = Budgets(storage, clock)
        writer.on_review = DraftReviews(storage, budgets).on_review
        runner.add_handler(
            TranslationRuns(
                storage,
                access,
                branches,
                writer,
                events,
                matching,
                term_cache,
                renewed,
                plugins.translators,
                checks,
                budgets,
            )
        )
        self.bulk_reviews = BulkReviews(
            storage,
            access,
            projects,
            branches,
            languages,
            jobs,
            writer,
            checks,
            renewed,
        )
        self.run_approvals = RunApprovals(
            storage,
            access,
            projects,
            branches,
            jobs,
            writer,
            renewed,
            self.bulk_reviews,
        )
        runner.add_handler(self.run_approvals)
        self.machine_translation = MachineTranslation(
            storage,
            access,
            projects,
            branches,
            languages,
            jobs,
            term_cache,
            plugins.translators,
            settings.translator,
            budgets,
            max(1, settings.server.threads // 4),
        )

        checker = UploadChecker(storage, access, projects, languages, formats)
        self.imports = Imports(storage, projects, branches, blobs, jobs, checker)
        runner.add_handler(
            ImportJob(
                storage,
                access,
                branches,
                writer,
                trash,
                blobs,
                events,
                renewed,
                languages,
                formats,
                checker,
            )
        )
        self.exports = Exports(
            storage, projects, branches, languages, formats, catalogues
        )

        queue = ReleaseQueue(storage, jobs, clock)
        events.listen_inside(queue.on_event, subscriber="distributions")
        builder = ReleaseBuilder(
            storage, formats, catalogues, branches, blobs, queue, events, clock
        )
        runner.add_handler(
            builder, instead_of_retry="publish again, which makes a new release"
        )
        stores = sorted(
            plugins.blob_stores, key=lambda name: name != settings.blob_store
        )
        distributions = self.distributions = Distributions(
            storage, projects, branches, queue, formats, stores, events, clock
        )
        self.releases = Releases(
            storage, projects, distributions, queue, builder, events, clock
        )
        meter = self.meter = Meter(
            storage.delivery, storage.access, storage, clock, self._later
        )
        self.content = PublicContent(
            storage.delivery, blobs, meter, quota_refuses=settings.quota_refuses
        )

        transport = self.transport
        types = EventTypes(plugins.event_types.values())
        box = SecretBox(settings.webhooks.secret_key, settings.webhooks.old_secret_keys)
        self.dispatcher = Dispatcher(
            storage,
            transport,
            box,
            events,
            clock,
            self.queues,
            senders=settings.webhooks.senders,
        )
        wake = self.dispatcher.wake
        count = memory_limit(REPLAYS_LIMIT, "replays in this project")
        self.webhooks = Webhooks(
            storage, access, projects, types, transport, box, wake, count, clock
        )
        plugins.emit_event = PluginEvents(storage, events, types).emit
        events.listen_inside(FanOut(storage, wake).on_event, subscriber="webhooks")
        listeners = plugins.durable_listeners
        self.listeners = DurableListeners(storage, listeners, clock)
        if listeners:
            events.listen_after(lambda _: self.listeners.wake())

        self.project_settings = ProjectSettings(
            plugins.project_settings, storage, projects, events
        )
        handlers = [
            PluginJobHandler(
                plugins.plugin_of_job(type_), job, storage, access, renewed
            )
            for type_, job in plugins.jobs.items()
        ]
        for handler in handlers:
            runner.add_handler(handler)
        self.schedules = Schedules(handlers, storage, jobs, clock)
        self.plugin_operations = plugins.operations(
            permission_checks_of(self), visibility_checks_of(self)
        )

    @cached_property
    def limiter(self) -> RateLimiter:
        """What counts requests and calls. Raises SettingsError if the setting
        ``rate_limit_storage`` cannot be used."""
        return RateLimiter(
            open_windows(self.settings.rate_limit_storage),
            content_limit=self.settings.content_requests_per_minute,
        )

    @property
    def operations(self) -> tuple[OperationInfo, ...]:
        """All operations of the API, with their schemas; ``call`` runs one. They are
        described once, when they are first asked for."""
        return self._calls.listed

    def call(
        self,
        operation_id: str,
        caller: Caller,
        params: Mapping[str, object] = MappingProxyType({}),
        body: object = None,
        *,
        propose: bool = False,
        dry_run: bool = False,
    ) -> Any:
        """Run an operation of the API, with the checks and limits that a request of
        ``caller`` meets, and as one request of theirs in the limit a minute.

        ``params``: the parameters of the path and the query, by the names that they
        have in URLs (``{"projectId": …, "limit": 50}``). What is None is left out.
        ``body``: JSON-shaped; of a form a dict, whose files are ``Upload``; also bytes
        where an operation takes the body as it comes.
        ``propose``: without the permissions to approve, here and in the jobs that the
        call starts, so that texts are written as proposals.
        ``dry_run``: everything is checked, plugins are asked for vetoes, and nothing
        is written or sent. While it writes, others wait as for a real call.

        Return the JSON-shaped ``data`` of the answer; ``Raw`` where it is a file.
        Raises every LocError that a request would be refused with, RateLimited too;
        ValidationFailed also for an unknown operation, and for a dry run of an
        operation that has none. RuntimeError for one inside a transaction.
        """
        self.require_migrated()
        if propose:
            caller = without(caller, APPROVALS)
        return self._calls.run(operation_id, caller, params, body, dry_run=dry_run)

    @property
    def _calls(self) -> Calls[Caller]:
        self.require_open()
        with self._lock:
            if self._made_calls is None:
                self._made_calls = calls_of(self)
            return self._made_calls

    def plugin(self, name: str) -> PluginServices:
        """Return what belongs to a plugin: its data, its settings of projects, its
        jobs. Raises SettingsError for one that is not loaded."""
        loaded = {each.name: each for each in self.plugins.loaded}
        require_plugin(name, loaded)
        own = {
            job.name: job
            for type_, job in self.plugins.jobs.items()
            if self.plugins.plugin_of_job(type_) == name
        }
        return PluginServices(
            name, own, self.storage, self.project_settings, self.projects, self.jobs
        )

    def transaction(self) -> AbstractContextManager[None]:
        """Write all of a block, or nothing of it: every service and the data of plugins
        join it. Others wait until it ends, up to 5 seconds: do nothing slow in it."""
        return self.storage.transaction()

    def migrate(self) -> list[str]:
        """Bring the database up to date; return the migrations applied. Safe when
        several processes start at once."""
        applied = self.storage.migrate()
        self.listeners.register()
        self._is_migrated = True
        return applied

    def require_migrated(self) -> None:
        """Raise SettingsError when the database waits for a migration."""
        pending = () if self._is_migrated else self.storage.migrate(dry_run=True)
        if pending:
            raise SettingsError(
                f"the database lacks {', '.join(pending)}; run: locframework migrate, "
                "or use the folder and settings of the service"
            )
        self._is_migrated = True

    def require_needs(self) -> None:
        """Raise SettingsError when stored data needs a key, blob store or format that
        is missing. Warn of imported files that no format reads any more."""
        if self._has_needs:
            return
        needs = self.storage.needs()
        self.webhooks.require_keys(n.name for n in needs if n.kind == "webhook")
        formats = [each.id for each in self.formats.list_formats()]
        families = [each.family for each in self.formats.list_formats()]
        for need in needs:
            family = need.name.partition("/")[0]
            if need.kind == "imported":
                if need.name == layout_family(family) and family not in families:
                    log.warning(_NOT_READ, family, need.uses, need.example)
            elif need.kind in _NEEDED:
                port, data = _NEEDED[need.kind]
                stores = sorted(self.plugins.blob_stores)
                provided = formats if port == "format" else stores
                if need.name not in provided:
                    raise SettingsError(
                        f"no installed plugin provides the {port} {need.name!r}, which"
                        f" stored data needs ({data}: {need.uses}, as {need.example});"
                        f" available: {', '.join(provided) or 'none'}"
                        f"{self.plugins.hint(port.replace(' ', '_'))}"
                    )
        self._has_needs = True

    def require_open(self) -> None:
        """Raise Unavailable once the framework was closed."""
        if self.closed.is_set():
            raise Unavailable("the framework was closed")

    def start(self) -> None:
        """Begin jobs, webhooks and housekeeping, after any fork and ``migrate``."""
        self.require_open()
        self.require_migrated()
        if self._ticker is not None:
            return
        self.require_needs()
        chores = [self.files.purge, self.blobs.prune, self.meter.write]
        chores += [self.listeners.check, self._purge]
        self._ticker = Ticker(self._wake_if_due, chores)
        self.runner.start()
        self.dispatcher.start()
        self.listeners.start()
        self._ticker.start()
        self._unwatch = self.storage.watch(self._wake)

    def metrics(self) -> Iterator[Reading]:
        """Yield what background work this process did, what is queued, and what hooks
        of plugins took."""
        yield from self.queues.metrics()
        yield from self.dispatcher.metrics()
        yield from self.listeners.metrics()
        yield from self.plugins.metrics()

    def close(self) -> None:
        """Finish or give back what runs in the background; close the database, and have
        plugins let go of what they hold (``loc_on_close``). The app answers 503 as soon
        as this is called; services raise Unavailable once it is done."""
        self.closed.set()
        if self._ticker is not None:
            self._unwatch()
            self._ticker.stop()
            self.listeners.stop()
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
        self.listeners.wake()

    def _wake_if_due(self) -> None:
        now, plugins = timestamp(self.clock()), self.listeners.plugins
        due = self.storage.find_due(self.runner.types, now, plugins)
        self.runner.wake_if(due.jobs)
        self.dispatcher.wake_if(due.deliveries)
        self.schedules.run_due()
        self.listeners.tick(due.events)

    def _later(self, call: Callable[[], None]) -> None:
        self._background.submit(call)
