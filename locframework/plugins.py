"""The plugin host: finds the plugins, configures them, and calls their hooks."""

from __future__ import annotations

import inspect
import logging
import re
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import Distribution, EntryPoint, EntryPoints, entry_points
from time import perf_counter
from types import MappingProxyType, ModuleType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypeVar,
    get_type_hints,
)

import msgspec
import pluggy
from click import Command
from msgspec import Struct
from msgspec.structs import astuple, fields

from . import hookspecs
from .access.permissions import (
    PERMISSIONS,
    Permission,
    Permissions,
    permission_of_plugin,
)
from .access.permissions import fault_of as fault_of_permission
from .access.records import Caller
from .blobs.blob_store import BlobStore
from .compatibility import DEPRECATED, version_fault
from .errors import (
    PLUGIN_EXCEPTIONS,
    PluginError,
    SettingsError,
    Unauthorized,
    Unavailable,
    WriteRefused,
)
from .events import Event, frozen
from .fields import identifier
from .formats.format import Format
from .hook_times import SLOW_SECONDS, HookTimes
from .http.dispatch import PermissionCheck, VisibilityCheck
from .http.metrics import Reading
from .http.operation import Operation, operations_of
from .http.pages import Pages, require_pages
from .http.plugin_operations import operations_of_plugin
from .keys.changes import NOTE_LENGTH, Change, WriteNote, WriteRefusal, WriteVeto, named
from .machine_translation.translator import Translator
from .marker import DURABLE
from .memories.matching.port import Matcher
from .plugin_services.records import PluginJob
from .plugin_services.rules import job_fault, job_type, settings_type_fault
from .quality.check import Check, name_of_check
from .quality.checks import BUILT_IN
from .settings import Settings, fault_in, setting_in
from .storage import Storage, StorageProvider
from .validation import check_record, suggestion
from .webhooks.event_schemas import fault_of
from .webhooks.records import EventType
from .webhooks.transport import Transport

T = TypeVar("T")
GROUP = hookspecs.GROUP
log = logging.getLogger("locframework.plugins")

_PREFIX = "loc_"
_COMMANDS = "loc_provide_commands"
_ENDPOINTS = "loc_provide_endpoints"
_CHOSEN_BY_NAME = {
    "loc_provide_blob_stores",
    "loc_provide_formats",
    "loc_provide_matchers",
    "loc_provide_storages",
    "loc_provide_translators",
    "loc_provide_transports",
}
_ALWAYS = {"loc_decide_settings", "loc_on_close", "loc_on_start"}
"""What a plugin may have beside those, and still do nothing where it is not named."""

_DECIDES = "it decides what people may do; set it, or name it in blocked_plugins"

OWN_COMMANDS = frozenset(
    {"check-settings", "convert", "export", "glossary", "import", "jobs", "listeners"}
    | {"member", "migrate", "new-plugin", "organization", "plugins", "project"}
    | {"recheck", "serve", "tm", "token", "translate", "verify", "webhooks", "worker"}
)
"""The commands of the framework; no plugin with commands has one of these names."""

EVENTS_DEEP_MOST = 8
"""How deep events may lie in each other: listeners that write cause further events."""

_PLUGIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")  # that a setting or a user chooses by
_FORMAT_ID = re.compile(r"[a-z][a-z0-9_.-]*")  # "xliff-1.2"


class LoadedPlugin(Struct, frozen=True, rename="camel"):
    """A plugin of this application, as ``GET /plugins`` and the command list it."""

    name: Annotated[str, msgspec.Meta(examples=["json"])]
    distribution: str
    version: str
    hooks: list[str]
    settings: list[str]  # "name: type = default", one a setting
    project_settings: list[str]  # the same of those that each project has for itself


class NotConfigured(NamedTuple):
    """An installed plugin that is not loaded, as it lacks settings and has none."""

    fault: str
    hooks: frozenset[str]
    distribution: str
    version: str


class FoundPlugin(NamedTuple):
    """A plugin, and the distribution that it was installed with."""

    plugin: object
    distribution: str  # of a plugin made in code its module
    version: str = ""

    @property
    def origin(self) -> str:
        return f"{self.distribution} {self.version}".rstrip()


class _Telling(threading.local):
    def __init__(self) -> None:
        self.plugins: list[str] = []  # whose listeners run in this thread


class _Manager(pluggy.PluginManager):
    """Looks at nothing of a plugin but its hooks: most of the time of a start."""

    def parse_hookimpl_opts(
        self, plugin: object, name: str
    ) -> pluggy.HookimplOpts | None:
        if name.startswith("loc_"):
            return super().parse_hookimpl_opts(plugin, name)
        return None


class PluginHost:
    """The plugins of one application. Two applications share nothing.

    Registered sorted by name, so that no outcome hangs on the order of discovery.
    Raises PluginError, one line that names plugin, distribution and reason, for a
    plugin that cannot be loaded, configured or registered.
    """

    def __init__(
        self,
        plugins: Mapping[str, FoundPlugin],
        not_configured: Mapping[str, NotConfigured] = MappingProxyType({}),
    ) -> None:
        self._found = plugins
        self.not_configured = not_configured
        self._manager = _Manager(GROUP)
        self._manager.add_hookspecs(hookspecs)
        self.emit_event: Callable[..., None] | None = None  # set by the framework
        self.times = HookTimes()
        self._telling = _Telling()
        self._warned: set[tuple[str, str]] = set()  # of what is deprecated
        self._providers: dict[tuple[str, str], str] = {}  # (hook, name) to plugin
        self.project_settings: dict[str, type[Struct]] = {}  # by plugin
        self.loaded = [self._register(name) for name in sorted(plugins)]
        self.storages: dict[str, StorageProvider] = self._provided(
            "storages", StorageProvider
        )
        self.blob_stores: dict[str, BlobStore] = self._provided(
            "blob_stores", BlobStore
        )
        self.formats: dict[str, Format] = self._provided("formats", Format)
        self.transports: dict[str, Transport] = self._provided("transports", Transport)
        self.translators: dict[str, Translator] = self._provided(
            "translators", Translator
        )
        self.matchers: dict[str, Matcher] = self._provided("matchers", Matcher)
        for check in BUILT_IN:  # they have their names already
            self._providers["loc_provide_checks", check.name] = GROUP
        self.checks: dict[str, Check] = {check.name: check for check in BUILT_IN}
        self.checks |= self._provided("checks", Check)
        for key in PERMISSIONS:
            self._providers["loc_provide_permissions", key] = GROUP
        self.permissions = Permissions(
            permission_of_plugin(each, self._providers["loc_provide_permissions", key])
            for key, each in self._provided("permissions", Permission).items()
        )
        self.event_types: dict[str, EventType] = self._provided(
            "event_types", EventType
        )
        self.pages = self._provided_pages()
        self.jobs = self._provided_jobs()
        listeners = self._implementations("loc_on_event")
        durable = {
            each.plugin_name
            for each in self._manager.hook.loc_on_event.get_hookimpls()
            if getattr(each.function, DURABLE, False)
        }
        self._durable = [each for each in listeners if each[0] in durable]
        self._listeners = [each for each in listeners if each[0] not in durable]
        self._starters = self._implementations("loc_on_start")
        self._closers = self._implementations("loc_on_close")
        self._vetoes = self._implementations("loc_decide_write")
        self._deciders = self._implementations("loc_decide_settings")
        # the one whose name sorts last is asked first, as pluggy would
        self._callers = self._implementations("loc_decide_caller")[::-1]

    @classmethod
    def discover(
        cls,
        settings: Mapping[str, Mapping[str, object]],
        *,
        blocked: Sequence[str] = (),
        more: Iterable[object] = (),
        installed: bool = True,
    ) -> PluginHost:
        """The installed plugins with their settings, and ``more`` made by hand.
        ``settings`` is by plugin name; a name that nobody has is a SettingsError, here
        and in ``blocked``. A plugin that lacks settings and has none is not loaded
        (``not_configured``), unless it decides about callers or writes."""
        entries = installed_entries() if installed else ()
        if installed:
            there = {entry.name: entry for entry in entries}
            for name in blocked:
                chosen("blocked_plugins", name, there)
        plugins: dict[str, FoundPlugin] = {}
        not_configured: dict[str, NotConfigured] = {}

        def require_free(name: str, origin: str) -> None:
            if not _PLUGIN_NAME.fullmatch(name):
                reason = "its name may only have letters, 0-9, ., _ and -"
                raise PluginError(name, origin, reason)
            if name in plugins:
                reason = f"another plugin has this name: {plugins[name].origin}"
                raise PluginError(name, origin, reason)

        for entry in entries:
            if entry.name not in blocked:
                installed_with = _name_and_version(entry.dist)
                origin = origin_of(entry)
                require_free(entry.name, origin)
                given = settings.get(entry.name, {})
                try:
                    plugin = _built(entry, given, origin)
                except PluginError as error:
                    if given or not error.setting or not _may_be_left_out(entry):
                        raise
                    fault, hooks = str(error), _hooks_of(entry.load())
                    if any(_must_run(hook) for hook in hooks):
                        raise PluginError(
                            entry.name, origin, f"{error.reason}; {_DECIDES}"
                        ) from error
                    log.info("not configured: %s", fault)
                    not_configured[entry.name] = NotConfigured(
                        fault, hooks, *installed_with
                    )
                    continue
                plugins[entry.name] = FoundPlugin(plugin, *installed_with)
        for plugin in more:
            made_of = plugin if isinstance(plugin, type | ModuleType) else type(plugin)
            name = getattr(plugin, "name", None) or made_of.__name__
            found = FoundPlugin(plugin, getattr(made_of, "__module__", name))
            require_free(name, found.origin)
            _require_version(name, found.origin, plugin)
            if name in settings:
                reason = "was made in code, so it takes no settings"
                raise PluginError(name, found.origin, reason)
            plugins[name] = found
        for name in settings:
            if name not in (*blocked, *not_configured):
                chosen("plugins", name, plugins, f"plugins.{name}")
        return cls(plugins, not_configured)

    def choose(self, setting: str, name: str, provided: Mapping[str, T]) -> T:
        """See ``chosen``; the error has the plugins that are not configured."""
        return chosen(setting, name, provided, hint=self.hint(setting))

    def hint(self, kind: str) -> str:
        """What an error adds that misses a ``blob_store``, for example: the plugins for
        such that are not configured."""
        hook = f"loc_provide_{kind.removeprefix('webhook_')}s"
        return "".join(
            f"; not configured: {each.fault}"
            for each in self.not_configured.values()
            if hook in each.hooks
        )

    def operations(
        self,
        permission_checks: Mapping[str, PermissionCheck[Caller]],
        visibility_checks: Mapping[str, VisibilityCheck[Caller]],
    ) -> list[Operation]:
        """Return the operations of all plugins. They check their callers by themselves.
        Raises PluginError."""
        hook = _ENDPOINTS
        found: list[Operation] = []
        for plugin, provide in self._implementations(hook):
            try:
                self._claim(hook, f"the prefix {identifier(plugin)!r}", plugin)
                own = operations_of_plugin(
                    plugin,
                    provide(),
                    self.permissions.by_key,
                    permission_checks,
                    visibility_checks,
                )
                for short in {each.short_path for each in own} - {""}:
                    self._claim(hook, f"short_path={short!r}", plugin)
                    if short[1:] in self.pages:
                        whose = f"that of the pages of plugin {short[1:]!r}"
                        raise ValueError(f"short_path={short!r} is {whose}")
            except PLUGIN_EXCEPTIONS as error:
                raise self._refused(plugin, hook, error) from error
            found += own
        return found

    def require_own_names(
        self, operations: Iterable[Operation], taken: Collection[str]
    ) -> None:
        """Raise PluginError for an operation that has a name of the framework's."""
        for each in operations:
            if each.plugin and each.name in taken:
                reason = f"{_ENDPOINTS}: {each.name} is an operation of the framework"
                origin = self._found[each.plugin].origin
                raise PluginError(each.plugin, origin, reason)

    def commands(self, plugin: str) -> dict[str, Command]:
        """Return the commands of a plugin by name; they are made now. Raises
        PluginError, and SettingsError for a plugin that is not loaded."""
        if plugin in self.not_configured:
            raise SettingsError(self.not_configured[plugin].fault)
        if plugin not in self._found:
            reason = "is not loaded: blocked_plugins names it"
            raise SettingsError(f"plugin {plugin!r} {reason}", "blocked_plugins")
        found: dict[str, Command] = {}
        for name, provide in self._implementations(_COMMANDS):
            if name == plugin:
                try:
                    for command in _items(provide()):
                        if not isinstance(command, Command) or not command.name:
                            raise ValueError(f"{command!r} is not a command of click")
                        if command.name in found:
                            raise ValueError(f"{command.name!r} is provided twice")
                        found[command.name] = command
                except PLUGIN_EXCEPTIONS as error:
                    raise self._refused(plugin, _COMMANDS, error) from error
        return found

    def _provided_pages(self) -> dict[str, Pages]:
        hook = "loc_provide_pages"
        found: dict[str, Pages] = {}
        for plugin, provide in self._implementations(hook):
            try:
                pages = provide()
                require_pages(pages)
                if plugin == "api":
                    raise ValueError("/api is taken; give the plugin another name")
                found[plugin] = pages
            except PLUGIN_EXCEPTIONS as error:
                raise self._refused(plugin, hook, error) from error
        return found

    def provided(self, plugin: str) -> dict[str, list[str]]:
        """Return what a plugin provides, by kind: names, of endpoints the method and
        path, of pages the path. Raises PluginError."""
        found: dict[str, list[str]] = {}
        for (hook, name), provided_by in self._providers.items():
            if provided_by == plugin and hook != _ENDPOINTS:
                found.setdefault(hook.removeprefix("loc_provide_"), []).append(name)
        for name, provide in self._implementations(_ENDPOINTS):
            if name == plugin:
                found["endpoints"] = [
                    f"{each.method} /plugins/{plugin}{each.path}"
                    for of in provide()
                    for each in operations_of(of)
                ]
        if commands := self.commands(plugin):
            found["commands"] = list(commands)
        if plugin in self.pages:
            found["pages"] = [f"/{plugin}/"]
        return dict(sorted(found.items()))

    def selected(self, plugin: str, settings: Settings) -> list[str]:
        """Return the settings that choose something that the plugin provides."""
        chosen_by = {
            "blob_store": "loc_provide_blob_stores",
            "matcher": "loc_provide_matchers",
            "storage": "loc_provide_storages",
            "translator": "loc_provide_translators",
            "webhook_transport": "loc_provide_transports",
        }
        return [
            setting
            for setting, hook in chosen_by.items()
            if self._providers.get((hook, getattr(settings, setting))) == plugin
        ]

    def required_ports(self, plugin: str) -> str | None:
        """Return the version of the ports that a plugin was written for, if it says."""
        version: str | None = getattr(
            self._found[plugin].plugin, "requires_ports", None
        )
        return version

    def open_storage(self, name: str) -> Storage:
        """Open the storage. Raises SettingsError, Unavailable, and PluginError for all
        else."""
        provider, hook = (
            self.choose("storage", name, self.storages),
            "loc_provide_storages",
        )
        try:
            storage = provider.open()
            _require_members(Storage, storage)
            return storage
        except (SettingsError, Unavailable):
            raise
        except PLUGIN_EXCEPTIONS as error:
            provided_by = self._providers[hook, name]
            raise self._refused(provided_by, f"{hook}: {name}", error) from error

    def caller(self, token: str) -> Caller | None:
        """Return the first plugin's answer to who holds the token, or None. A plugin
        that fails refuses: Unauthorized. Unavailable passes."""
        for name, decide in self._callers:
            began, failed = perf_counter(), True
            try:
                found = decide(token=token)
                if found is not None:
                    # there and back: a Caller may be made of anything
                    made = msgspec.convert(msgspec.to_builtins(found), Caller)
                    check_record(made, "caller")  # no text that nobody can keep
                    failed = False
                    return made
                failed = False
            except Unauthorized:
                failed = False
                raise
            except Unavailable:
                raise
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_decide_caller", name)
                raise Unauthorized from None
            finally:
                self.times.add((name, "loc_decide_caller"), began, failed=failed)
        return None

    @property
    def write_veto(self) -> WriteVeto | None:
        """What asks the plugins about a change; None: there are none to ask."""
        return self._ask_vetoes if self._vetoes else None

    def _ask_vetoes(self, caller: Caller, change: Change) -> str | None:
        """Return all notes, or None. Raises WriteRefused, also if a plugin fails.
        Unavailable passes."""
        notes: list[str] = []
        for name, decide in self._vetoes:
            hook, began = (name, "loc_decide_write"), perf_counter()
            try:
                found = write_answer(decide(caller=caller, change=change))
                self.times.add(hook, began)
            except Unavailable:
                self.times.add(hook, began, failed=True)
                raise
            except PLUGIN_EXCEPTIONS:
                self.times.add(hook, began, failed=True)
                log.exception("plugin %s failed in loc_decide_write", name)
                reason = "a plugin could not decide"
                raise WriteRefused(name, reason, named(change)) from None
            if isinstance(found, WriteRefusal):
                raise WriteRefused(name, found.reason[:NOTE_LENGTH], named(change))
            if found is not None:
                notes.append(found.text)
        return "\n".join(notes)[:NOTE_LENGTH] or None

    def require_usable(self, settings: Settings) -> list[str]:
        """Ask every plugin whether what its settings name is of use here. Return what
        does not work at the moment. Raises PluginError."""
        faults = []
        for name, decide in self._deciders:
            try:
                decide(settings=settings)
            except Unavailable as error:
                faults.append(f"{name}: {error.message}")
            except PLUGIN_EXCEPTIONS as error:
                raise self._refused(name, "loc_decide_settings", error) from error
        return faults

    def start(self, framework: object) -> None:
        """Give every plugin the framework. Raises PluginError."""
        for name, start in self._starters:
            try:
                start(framework=framework)
            except PLUGIN_EXCEPTIONS as error:
                raise self._refused(name, "loc_on_start", error) from error

    @property
    def write_times(self) -> HookTimes | None:
        """What times the hooks that a write calls; None: plugins have none."""
        return self.times if self._vetoes or self.timed_checks else None

    @property
    def timed_checks(self) -> dict[str, tuple[str, str]]:
        """The checks of plugins, and as what ``times`` counts each."""
        owners = {
            name: self._providers["loc_provide_checks", name] for name in self.checks
        }
        return {
            name: (plugin, f"check:{name}")
            for name, plugin in owners.items()
            if plugin != GROUP
        }

    def metrics(self) -> Iterator[Reading]:
        """Yield how often hooks of plugins were called here, how long that took, and
        how often they failed."""
        counts = self.times.counts()
        for name, description in (
            ("calls", "Calls of hooks of plugins"),
            ("seconds", "Seconds in hooks of plugins"),
            ("failures", "Calls of hooks of plugins that raised an exception"),
        ):
            yield Reading(
                f"locframework_plugin_{name}",
                description,
                "counter",
                {hook: getattr(count, name) for hook, count in counts.items()},
                labels=("plugin", "hook"),
            )

    def tell(self, event: Event) -> None:
        """Give a committed event to every plugin that listens. Not if listeners caused
        it whose own events are told to others again, and so on, 8 deep."""
        if not self._listeners:
            return
        running = self._telling.plugins
        if len(running) >= EVENTS_DEEP_MOST:
            self._log_endless(event, running)
            return
        event = frozen(event)
        for name, listen in self._listeners:
            running.append(name)
            try:
                seconds = self._listen(name, listen, event)
                hook = name, "loc_on_event"
                if seconds > SLOW_SECONDS and self.times.may_log(hook):
                    log.warning(
                        "plugin %s is slow: loc_on_event took %.0f ms for %s",
                        *(name, seconds * 1000, event.type),
                    )
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_on_event %s", name, event.type)
            finally:
                running.pop()

    @property
    def durable_listeners(self) -> dict[str, Callable[[Event], None]]:
        """What calls each durable listener, by plugin. It raises what that raises."""

        def call(name: str, listen: Callable[..., Any], event: Event) -> None:
            self._listen(name, listen, frozen(event))

        return {name: partial(call, name, listen) for name, listen in self._durable}

    def _listen(self, name: str, listen: Callable[..., Any], event: Event) -> float:
        """Call a listener; return how many seconds it took."""
        began, failed = perf_counter(), True
        try:
            listen(event=event)
            failed = False
        finally:
            seconds = self.times.add((name, "loc_on_event"), began, failed=failed)
        return seconds

    def _log_endless(self, event: Event, running: Sequence[str]) -> None:
        names = ", ".join(dict.fromkeys(running))
        if self.times.may_log((names, event.type)):
            log.error(
                "loc_on_event of plugin %s causes events without end: it was not called"
                " for a %s, %d deep; let it return at once for events that it causes",
                *(names, event.type, len(running)),
            )

    def close(self) -> None:
        """Have every plugin let go of what it holds."""
        for name, close in self._closers:
            try:
                close()
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_on_close", name)

    def _provided_jobs(self) -> dict[str, PluginJob]:
        """Return the types of jobs of all plugins, by type."""
        jobs: dict[str, PluginJob] = self._provided("jobs", PluginJob)
        for type_, job in jobs.items():
            if job.permission not in self.permissions.by_key:
                fault = f"job {job.name!r}: there is no permission {job.permission!r}"
                plugin = self.plugin_of_job(type_)
                raise self._refused(plugin, "loc_provide_jobs", ValueError(fault))
        return jobs

    def plugin_of_job(self, type_: str) -> str:
        """The name of the plugin that provides jobs of the type."""
        return self._providers["loc_provide_jobs", type_]

    def plugin_of_format(self, format_id: str) -> str:
        """The name of the plugin that provides the format."""
        return self._providers["loc_provide_formats", format_id]

    def _register(self, name: str) -> LoadedPlugin:
        plugin, distribution, version = self._found[name]
        try:
            if isinstance(plugin, type):
                raise TypeError("is a class; give an object of it")
            if not _hooks_of(plugin):
                raise TypeError("it has no hook: no method marked @hookimpl")
            hooks = []
            for hook in sorted(_hooks_of(plugin)):
                options = self._manager.parse_hookimpl_opts(plugin, hook)
                if not hasattr(hookspecs, hook):
                    if options is not None and options["optionalhook"]:
                        log.info("plugin %s: %s is no hook here; ignored", name, hook)
                        continue
                    known = [each for each in vars(hookspecs) if each[:4] == _PREFIX]
                    meant = suggestion(hook, known)
                    raise TypeError(f"unknown hook {hook}{meant}")
                hooks.append(hook)
                if options is None:
                    raise TypeError(f"{hook} lacks @hookimpl")
                method = getattr(plugin, hook)
                if inspect.iscoroutinefunction(method):
                    raise TypeError(f"{hook} is async; hooks are plain methods")
                if getattr(method, DURABLE, False) and hook != "loc_on_event":
                    raise TypeError(f"{hook} is durable; only loc_on_event can be")
                if options["wrapper"] or options["hookwrapper"]:
                    raise TypeError(f"{hook} is a wrapper; hooks are plain methods")
                _require_arguments(hook, method)
            if _COMMANDS in hooks and name in OWN_COMMANDS:
                is_taken = f"`locframework {name}` is a command of the framework"
                raise TypeError(
                    f"{_COMMANDS}: {is_taken}; give the plugin another name"
                )
            settings = list(settings_of(getattr(plugin, "settings_type", NoSettings)))
            of_project = getattr(plugin, "project_settings_type", None)
            if of_project is not None:
                if fault := settings_type_fault(of_project):
                    raise TypeError(fault)
                self.project_settings[name] = of_project
            of_projects = list(settings_of(of_project or NoSettings))
            self._manager.register(plugin, name)
            for hook in hooks if DEPRECATED else ():
                method = getattr(plugin, hook)
                arguments = inspect.signature(method).parameters
                for used in (hook, *(f"{hook}({each})" for each in arguments)):
                    self._warn_of(name, used, method)
        except (
            TypeError,
            ValueError,
            NameError,  # of a type that only type checkers import
            pluggy.PluginValidationError,
        ) as error:
            reason = " ".join(str(error).split())
            raise PluginError(name, self._found[name].origin, reason) from error
        return LoadedPlugin(name, distribution, version, hooks, settings, of_projects)

    def _emit(self, plugin: str, *event: Any, **branch: Any) -> None:
        if self.emit_event is None:
            raise RuntimeError("events are emitted once the framework is made")
        self.emit_event(plugin, *event, **branch)

    def _provided(self, kind: str, port: type) -> dict[str, Any]:
        hook = f"loc_provide_{kind}"
        found: dict[str, Any] = {}
        for plugin, call in self._implementations(hook):
            try:
                for item in _items(call(emit=partial(self._emit, plugin))):
                    _require_members(port, item)
                    for used in DEPRECATED:
                        of_port, _, member = used.partition(".")
                        if of_port == port.__name__ and hasattr(item, member):
                            self._warn_of(plugin, used, getattr(item, member))
                    name = _name_of(port, item, plugin)
                    self._claim(hook, repr(name), plugin, name)
                    if name in found:
                        raise ValueError(f"{name!r} is provided twice")
                    found[name] = item
            except PLUGIN_EXCEPTIONS as error:
                raise self._refused(plugin, hook, error) from error
        return found

    def _warn_of(self, plugin: str, used: str, by: object) -> None:
        """Log and warn once that a plugin uses what is deprecated, and where."""
        if used not in DEPRECATED or (plugin, used) in self._warned:
            return
        self._warned.add((plugin, used))
        by = inspect.unwrap(by) if inspect.isroutine(by) else type(by)
        file, line = inspect.getsourcefile(by) or "", inspect.getsourcelines(by)[1]
        origin = self._found[plugin].origin
        reason = f"{used} is deprecated: {DEPRECATED[used]}"
        log.warning("plugin %s (%s): %s:%d: %s", plugin, origin, file, line, reason)
        message = f"plugin {plugin!r} ({origin}): {reason}"
        warnings.warn_explicit(message, DeprecationWarning, file, line)

    def _claim(self, hook: str, what: str, plugin: str, name: str = "") -> None:
        """Note whose name it is. Raises ValueError if another plugin has it."""
        taken_by = self._providers.setdefault((hook, name or what), plugin)
        if taken_by != plugin:
            found = self._found.get(taken_by)
            of = f" ({found.origin})" if found else ""  # or the framework
            raise ValueError(f"{what} is provided by plugin {taken_by!r} already{of}")

    def _refused(self, plugin: str, where: str, error: BaseException) -> PluginError:
        if isinstance(error, SettingsError):
            setting = f"plugins.{plugin}.{error.setting}"
            origin = self._found[plugin].origin
            return PluginError(plugin, origin, f"settings: {error}", setting)
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        return PluginError(plugin, self._found[plugin].origin, f"{where}: {reason}")

    def _implementations(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        found = getattr(self._manager.hook, hook).get_hookimpls()
        callers = [(each.plugin_name, _call_of(each)) for each in found]
        return sorted(callers, key=lambda named: named[0])


def chosen(
    setting: str, name: str, provided: Mapping[str, T], below: str = "", hint: str = ""
) -> T:
    """Return what is provided by this name. Raises SettingsError of ``below``, or
    ``setting``, if nothing is."""
    if name not in provided:
        names = ", ".join(sorted(provided)) or "none"
        reason = f"no installed plugin provides {name!r}"
        message = f"settings: {setting}: {reason}; available: {names}{hint}"
        raise SettingsError(message, below or setting)
    return provided[name]


def _call_of(implementation: pluggy.HookImpl) -> Callable[..., Any]:
    method, names = implementation.function, implementation.argnames
    return lambda **given: method(*(given[name] for name in names))


def installed_entries() -> EntryPoints:
    """The entry points of all installed plugins."""
    return _entries_on(tuple(sys.path))


@cache
def _entries_on(_path: tuple[str, ...]) -> EntryPoints:
    """All distributions there are asked for it: 10 ms."""
    return entry_points(group=GROUP)


@cache
def _name_and_version(distribution: Distribution | None) -> tuple[str, str]:
    """Read from its metadata: 1 ms for each of the two."""
    if distribution is None:
        return "unknown", ""
    return distribution.name, distribution.version


def origin_of(entry: EntryPoint) -> str:
    """Return the name and version of the distribution of an installed plugin."""
    return " ".join(_name_and_version(entry.dist)).rstrip()


class NoSettings(Struct, forbid_unknown_fields=True):
    """What a plugin without a ``settings_type`` may be set to: nothing."""


def _require_version(name: str, origin: str, plugin: object) -> None:
    """Raise PluginError for a plugin that was written for other ports."""
    wanted = getattr(plugin, "requires_ports", None)
    if wanted is not None and (fault := version_fault(wanted, origin.split(" ")[0])):
        raise PluginError(name, origin, fault)


def _built(entry: EntryPoint, settings: Mapping[str, object], origin: str) -> object:
    try:
        plugin_class = entry.load()
        _require_version(entry.name, origin, plugin_class)
        settings_type = getattr(plugin_class, "settings_type", NoSettings)
        given = msgspec.convert(settings, settings_type, strict=False)
        return plugin_class() if settings_type is NoSettings else plugin_class(given)
    except msgspec.ValidationError as error:
        setting = setting_in(error, f"plugins.{entry.name}")
        reason = f"settings: {fault_in(error, settings_type)}"
        raise PluginError(entry.name, origin, reason, setting) from error
    except SettingsError as error:
        setting = f"plugins.{entry.name}.{error.setting}"
        reason = f"settings: {error}"
        raise PluginError(entry.name, origin, reason, setting) from error
    except PluginError:
        raise
    except PLUGIN_EXCEPTIONS as error:
        reason = f"cannot be loaded: {error!r}"
        raise PluginError(entry.name, origin, reason) from error


def _hooks_of(plugin: object) -> frozenset[str]:
    return frozenset(each for each in dir(plugin) if each.startswith(_PREFIX))


def _require_arguments(hook: str, method: Callable[..., object]) -> None:
    """Raise TypeError for an argument that the hook does not give."""
    there = list(inspect.signature(getattr(hookspecs, hook)).parameters)
    for name, each in inspect.signature(method).parameters.items():
        is_given = each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        if is_given and each.default is each.empty and name not in there:
            choices = f"may have: {', '.join(there)}" if there else "has none"
            raise TypeError(f"{hook} has no argument {name!r}; it {choices}")


def _may_be_left_out(entry: EntryPoint) -> bool:
    """Whether the plugin has a setting that must be given, or does nothing where it is
    not named."""
    plugin = entry.load()
    if any(each.required for each in fields(getattr(plugin, "settings_type", Struct))):
        return True
    hooks = _hooks_of(plugin)
    others = hooks - _CHOSEN_BY_NAME
    return others < hooks and others <= _ALWAYS


def _must_run(hook: str) -> bool:
    """Whether to leave the hook out would let people do what a plugin forbids."""
    return hook.startswith("loc_decide_") and hook != "loc_decide_settings"


def settings_of(settings_type: type[Struct]) -> Iterator[str]:
    """Yield ``name: type = default`` of each setting. Raises TypeError if they are no
    struct."""
    settings = fields(settings_type)
    types = get_type_hints(settings_type)  # without what Annotated adds
    for setting in settings:
        made, default = setting.default_factory, ""
        if not setting.required:
            value = setting.default if made is msgspec.NODEFAULT else made()
            default = f" = {value!r}"
        type_ = inspect.formatannotation(types[setting.name])
        yield f"{setting.encode_name}: {type_}{default}"


def _items(answer: Any) -> Iterable[Any]:
    """Return what a hook provides. Raises ValueError for what is no list."""
    if not isinstance(answer, Iterable):
        raise ValueError(f"returns {answer!r}; return a list")
    return answer


def _require_members(port: type, item: object) -> None:
    """Raise ValueError for an object that lacks a member of the port."""
    if isinstance(item, type):
        raise ValueError(f"{item.__name__} is a class; give an object of it")
    for kind in port.__mro__:
        for name in (*getattr(kind, "__annotations__", ()), *vars(kind)):
            if not name.startswith("_") and not hasattr(item, name):
                is_no = f"{type(item).__name__} is not of type {port.__name__}"
                raise ValueError(f"{is_no}: it lacks {name}")


def _name_of(port: type, item: Any, plugin: str) -> str:
    """What a setting or a user chooses it by. Raises ValueError."""
    if port is EventType:
        if fault := fault_of(item, plugin):
            raise ValueError(fault)
        return str(item.type)
    if port is Permission:
        if fault := fault_of_permission(item, plugin):
            raise ValueError(fault)
        return str(item.key)
    if port is PluginJob:
        if fault := job_fault(item, plugin):
            raise ValueError(fault)
        return job_type(plugin, item.name)
    if port is Check:
        return name_of_check(item)
    name: object = item.info.id if port is Format else item.name
    rule = _FORMAT_ID if port is Format else _NAME
    if not isinstance(name, str) or not rule.fullmatch(name):
        raise ValueError(f"name {name!r} is not lower-case letters, 0-9, _, -")
    return name


def write_answer(answer: object) -> WriteRefusal | WriteNote | None:
    """Return what a plugin said of a change; an empty note is none. Raises TypeError or
    ValueError for what is no answer."""
    if answer is None or answer == WriteNote(""):
        return None
    if not isinstance(answer, WriteRefusal | WriteNote):
        raise TypeError(f"{answer!r} is not an answer to loc_decide_write")
    for text in astuple(answer):
        if "\0" in text or not text.encode():
            raise ValueError("a reason or note must be text")
    return answer
