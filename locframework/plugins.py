"""The plugin host: finds the plugins, configures them, and calls their hooks."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from inspect import (
    isasyncgenfunction,
    iscoroutinefunction,
    isgeneratorfunction,
    ismethod,
    signature,
)
from types import ModuleType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec
import pluggy
from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import FieldInfo, astuple, fields

from . import hookspecs
from .access.records import Caller, Scope
from .blobs.blob_store import BlobStore
from .errors import (
    PLUGIN_EXCEPTIONS,
    PluginError,
    SettingsError,
    Unauthorized,
    Unavailable,
    WriteRefused,
)
from .events import Event
from .formats.format import Format
from .formats.records import FormatInfo
from .keys.changes import (
    NOTE_LENGTH,
    Change,
    WriteNote,
    WriteRefusal,
    WriteVeto,
    named,
)
from .memories.matching.port import Concordancer, Matcher
from .quality.check import Check, name_of_check
from .quality.checks import BUILT_IN
from .settings import Settings, setting_in
from .storage import Storage, StorageProvider
from .transactions import Transactions
from .validation import check_record
from .webhooks.event_schemas import fault_of
from .webhooks.plugin_events import EmitForPlugin, EventEmitter, Items
from .webhooks.records import EventType
from .webhooks.transport import Transport

T = TypeVar("T")
GROUP = hookspecs.GROUP
log = logging.getLogger("locframework.plugins")

_is_hook = re.compile("loc_").match
_collects = re.compile("loc_provide_").match
_ORDERING = {"wrapper", "hookwrapper", "tryfirst", "trylast"}  # options of @hookimpl


class LoadedPlugin(msgspec.Struct, frozen=True):
    """A plugin of this application, as ``GET /plugins`` and the command list it."""

    name: Annotated[str, msgspec.Meta(examples=["json"])]
    distribution: str
    version: str
    hooks: list[str]
    settings: list[str]  # "name: type = default", one a setting


class _Manager(pluggy.PluginManager):
    """pluggy's, which looks at nothing but what is named as hooks are."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> pluggy.HookimplOpts | None:
        return super().parse_hookimpl_opts(plugin, name) if _is_hook(name) else None

    def parse_hookspec_opts(self, of: Any, name: str) -> pluggy.HookspecOpts | None:
        return super().parse_hookspec_opts(of, name) if _is_hook(name) else None


class PluginHost:
    """The plugins of one application. Two applications share nothing.

    Registered sorted by name, so that no outcome hangs on the order of discovery.
    Raises PluginError, one line that names plugin, distribution and reason, for a
    plugin that cannot be loaded, configured or registered.
    """

    def __init__(self, plugins: Mapping[str, object]) -> None:
        self._manager = _Manager(GROUP)
        self._manager.add_hookspecs(hookspecs)
        self.emit_event: EmitForPlugin | None = None  # set by the framework
        self._givers: dict[tuple[str, str], str] = {}  # (hook, name) to plugin
        for name in sorted(plugins):
            self._register(name, plugins[name])
        self.storages: dict[str, StorageProvider] = self._provided(
            "loc_provide_storages"
        )
        self.blob_stores: dict[str, BlobStore] = self._provided(
            "loc_provide_blob_stores"
        )
        self.formats: dict[str, Format] = self._provided("loc_provide_formats")
        self.transports: dict[str, Transport] = self._provided("loc_provide_transports")
        self.matchers: dict[str, Matcher] = self._provided("loc_provide_matchers")
        self.concordancers: dict[str, Concordancer] = self._provided(
            "loc_provide_concordancers"
        )
        for check in BUILT_IN:  # they have their names already
            self._givers["loc_provide_checks", check.name] = GROUP
        self.checks: dict[str, Check] = {check.name: check for check in BUILT_IN}
        self.checks |= self._provided("loc_provide_checks")
        self.event_types: dict[str, EventType] = self._provided(
            "loc_provide_event_types", emit=self._emitter
        )
        self._listeners = self._one_by_one("loc_on_event")
        self._closers = self._one_by_one("loc_on_close")
        self._judges = self._one_by_one("loc_decide_write")
        self._deciders = self._one_by_one("loc_decide_settings")
        # the one whose name sorts last is asked first, as pluggy would
        self._callers = self._one_by_one("loc_decide_caller")[::-1]
        self._refusers = self._one_by_one("loc_decide_refusal")[::-1]

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

        ``settings`` is by plugin name; a name that nobody has is a SettingsError,
        here and in ``blocked``.
        """
        return cls(
            find_plugins(settings, blocked=blocked, more=more, installed=installed)
        )

    def storage(self, name: str) -> StorageProvider:
        """The storage of this name. SettingsError when nobody provides it."""
        return _pick("storage", name, self.storages)

    def open_storage(self, name: str) -> Storage:
        """The storage of this name, opened. SettingsError and Unavailable pass;
        PluginError for all else that its plugin does wrong."""
        provider, hook = self.storage(name), "loc_provide_storages"
        try:
            return opened(provider)
        except (SettingsError, Unavailable):
            raise
        except PortBroken as fault:
            raise self._refused(self._givers[hook, name], hook, str(fault)) from None
        except PLUGIN_EXCEPTIONS as error:
            reason = f"{name} cannot be opened: {error!r}"
            raise self._refused(self._givers[hook, name], hook, reason) from error

    def blob_store(self, name: str) -> BlobStore:
        """The blob store of this name. SettingsError when nobody provides it."""
        return _pick("blob_store", name, self.blob_stores)

    def transport(self, name: str) -> Transport:
        """The webhook transport of this name. SettingsError when nobody provides it."""
        return _pick("webhook_transport", name, self.transports)

    def matcher(self, name: str) -> Matcher:
        """The matcher of this name. SettingsError when nobody provides it."""
        return _pick("matcher", name, self.matchers)

    def any_concordancer(self, name: str) -> Concordancer | None:
        """The concordancer of this name. SettingsError when only others are there.

        None where nobody provides any: the database is asked then.
        """
        there = self.concordancers
        return _pick("concordancer", name, there) if there else None

    def caller(self, token: str) -> Caller | None:
        """The first plugin's answer to who holds the token, or None.

        A plugin that fails refuses, as one does that answers anything else:
        Unauthorized. Unavailable passes, for one whose own source does not answer.
        """
        for name, decide in self._callers:
            try:
                found = decide(token=token)
                if found is not None:
                    # there and back: a Caller may be made of anything
                    made = msgspec.convert(msgspec.to_builtins(found), Caller)
                    check_record(made, "caller")  # no text that nobody can keep
                    return made
            except (Unauthorized, Unavailable):
                raise
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_decide_caller", name)
                raise Unauthorized from None
        return None

    def refusal(self, caller: Caller, permission: str, scope: Scope) -> str | None:
        """The first reason that a plugin gives to refuse, or None.

        A plugin that fails refuses too, as one does that answers anything else: a
        broken judge lets nobody through.
        """
        for name, decide in self._refusers:
            try:
                reason = decide(caller=caller, permission=permission, scope=scope)
                if reason is not None:
                    return msgspec.convert(reason, str)
            except Unavailable:
                raise
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_decide_refusal", name)
                return "a plugin could not decide"
        return None

    @property
    def write_veto(self) -> WriteVeto | None:
        """What asks the plugins about a change; None: there are none to ask."""
        return self._judge_write if self._judges else None

    def _judge_write(self, caller: Caller, change: Change) -> str | None:
        """All their notes, or None. Raises WriteRefused.

        A plugin that fails refuses, as one does that answers anything else.
        Unavailable passes, for one whose own source does not answer.
        """
        notes: list[str] = []
        for name, judge in self._judges:
            try:
                found = write_answer(judge(caller=caller, change=change))
            except Unavailable:
                raise
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_decide_write", name)
                reason = "a plugin could not decide"
                raise WriteRefused(name, reason, named(change)) from None
            if isinstance(found, WriteRefusal):
                raise WriteRefused(name, found.reason[:NOTE_LENGTH], named(change))
            if found is not None:
                notes.append(found.text)
        return "\n".join(notes)[:NOTE_LENGTH] or None

    def require_usable(self, settings: Settings) -> None:
        """Ask every plugin whether what its settings name is of use here.

        Raises PluginError for the first that says no, or fails.
        """
        for name, decide in self._deciders:
            try:
                decide(settings=settings)
            except SettingsError as error:
                origin = origin_of(name, self._manager.get_plugin(name))
                setting = f"plugins.{name}.{error.setting}"
                reason = f"settings: {error}"
                raise PluginError(name, origin, reason, setting) from error
            except PLUGIN_EXCEPTIONS as error:
                hook = "loc_decide_settings"
                raise self._refused(name, hook, repr(error)) from error

    def tell(self, event: Event) -> None:
        """Give a committed event to every plugin that listens."""
        for name, listen in self._listeners:
            try:
                listen(event=event)
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_on_event %s", name, event.type)

    def close(self) -> None:
        """Have every plugin let go of what it holds."""
        for name, close in self._closers:
            try:
                close()
            except PLUGIN_EXCEPTIONS:
                log.exception("plugin %s failed in loc_on_close", name)

    def plugin_of_format(self, format_id: str) -> str:
        """The name of the plugin that provides the format."""
        return self._givers["loc_provide_formats", format_id]

    def loaded(self) -> list[LoadedPlugin]:
        """All plugins, by name."""
        return [
            self._describe(name) for name, _ in sorted(self._manager.list_name_plugin())
        ]

    def _register(self, name: str, plugin: object) -> None:
        reason = self._fault_of(plugin)
        if reason is None:
            try:
                settings_type_of(plugin)
                self._manager.register(plugin, name)
                self._manager.check_pending()
                return
            except (TypeError, ValueError, pluggy.PluginValidationError) as error:
                reason = " ".join(str(error).split())
        raise PluginError(name, origin_of(name, plugin), reason)

    def _fault_of(self, plugin: object) -> str | None:
        """What pluggy would let pass without a word; None when there is nothing."""
        if isinstance(plugin, type):
            return "is a class; give an object of it"
        hooks = list(filter(_is_hook, dir(plugin)))
        if not hooks:
            return f"{_mentioned(plugin)} has no hook: no method marked @hookimpl"
        for hook in hooks:
            if not hasattr(hookspecs, hook):
                return f"unknown hook {hook}"
            options = self._manager.parse_hookimpl_opts(plugin, hook)
            if options is None:
                return f"{hook} lacks @hookimpl"
            method = getattr(plugin, hook)
            if lacks_self(method, getattr(hookspecs, hook)):
                return f"{hook} lacks self"
            if is_async(method):
                return f"{hook} is async, and would never run: write a plain def"
            if _ORDERING & {name for name, value in options.items() if value}:
                return f"{hook}: no outcome may depend on the order of plugins"
            if isgeneratorfunction(method) and not _collects(hook):
                return f"{hook} has a yield, and would never run: return instead"
        return None

    def _emitter(self, plugin: str) -> EventEmitter:
        """Return what emits the events of a plugin."""

        def emit(
            type_: str, project_id: str, items: Items, *, branch: str | None = None
        ) -> None:
            if self.emit_event is None:
                raise RuntimeError("events are emitted once the framework is made")
            self.emit_event(plugin, type_, project_id, items, branch)

        return emit

    def _provided(self, hook: str, **given: Callable[[str], object]) -> dict[str, Any]:
        """By name; ``given`` makes the arguments of the hook, by plugin."""
        found: dict[str, Any] = {}
        for plugin, call in self._one_by_one(hook):
            asked = partial(call, **{key: make(plugin) for key, make in given.items()})
            for name, item in self._given_by(plugin, hook, asked):
                giver = self._givers.get((hook, name))
                if giver is not None:
                    reason = f"{name!r} is provided by plugin {giver!r} already"
                    raise self._refused(plugin, hook, reason)
                if isinstance(item, EventType) and (why := fault_of(item, plugin)):
                    raise self._refused(plugin, hook, why)
                found[name] = item
                self._givers[hook, name] = plugin
        return found

    def _given_by(
        self, plugin: str, hook: str, call: Callable[[], Any]
    ) -> list[tuple[str, Any]]:
        try:
            return list(by_name(hook, call()))
        except PortBroken as fault:
            raise self._refused(plugin, hook, str(fault)) from None
        except PLUGIN_EXCEPTIONS as error:
            raise self._refused(plugin, hook, repr(error)) from error

    def _refused(self, plugin: str, hook: str, reason: str) -> PluginError:
        origin = origin_of(plugin, self._manager.get_plugin(plugin))
        return PluginError(plugin, origin, f"{hook}: {reason}")

    def _one_by_one(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        """Each plugin's answer to the hook, by name of the plugin."""
        found = getattr(self._manager.hook, hook).get_hookimpls()
        callers = [(each.plugin_name, _call_of(each)) for each in found]
        return sorted(callers, key=lambda named: named[0])

    def _describe(self, name: str) -> LoadedPlugin:
        plugin = self._manager.get_plugin(name)
        hooks = [c.name for c in self._manager.get_hookcallers(plugin) or ()]
        distribution, version = distribution_of(name, plugin)
        return LoadedPlugin(
            name, distribution, version, sorted(hooks), list(settings_of(plugin))
        )


def _mentioned(plugin: object) -> str:
    """What may be shown of an object: no other repr, as it may hold a password."""
    return repr(plugin) if isinstance(plugin, str | None) else "it"


def _pick(setting: str, name: str, provided: Mapping[str, T]) -> T:
    if name not in provided:
        raise SettingsError(no_such(setting, name, provided), setting)
    return provided[name]


def _call_of(implementation: pluggy.HookImpl) -> Callable[..., Any]:
    """The plugin's method, given the arguments that it names."""
    method, names = implementation.function, implementation.argnames
    return lambda **given: method(*(given[name] for name in names))


class NoSettings(msgspec.Struct, forbid_unknown_fields=True):
    """What a plugin without a ``settings_type`` may be set to: nothing."""


def installed_entries() -> EntryPoints:
    """The entry points of all installed plugins."""
    return _entries_on(tuple(sys.path))


@cache
def _entries_on(_path: tuple[str, ...]) -> EntryPoints:
    """All distributions there are asked for it: 10 ms."""
    return entry_points(group=GROUP)


def built(entry: EntryPoint, settings: Mapping[str, object]) -> object:
    """The plugin of an entry point. Raises PluginError, one line with the reason."""
    try:
        plugin_class = entry.load()
        wanted = settings_type_of(plugin_class)
        given = msgspec.convert(settings, wanted, strict=False)
        return plugin_class() if wanted is NoSettings else plugin_class(given)
    except msgspec.ValidationError as error:
        setting = setting_in(error, f"plugins.{entry.name}")
        reason = f"settings: {error}"
        raise PluginError(entry.name, installed_with(entry), reason, setting) from error
    except SettingsError as error:
        setting = f"plugins.{entry.name}.{error.setting}"
        reason = f"settings: {error}"
        raise PluginError(entry.name, installed_with(entry), reason, setting) from error
    except PLUGIN_EXCEPTIONS as error:
        reason = f"cannot be loaded: {error!r}"
        raise PluginError(entry.name, installed_with(entry), reason) from error


def installed_with(entry: EntryPoint) -> str:
    """Name and version of what an entry point was installed with."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"


def distribution_of(name: str, plugin: object) -> tuple[str, str]:
    """Name and version of where the plugin came from; its module when made by hand."""
    module = plugin.__module__ if isinstance(plugin, type) else type(plugin).__module__
    for entry in installed_entries().select(name=name):
        if entry.dist and entry.module.split(".")[0] == module.split(".")[0]:
            return entry.dist.name, entry.dist.version
    return module, ""


def origin_of(name: str, plugin: object) -> str:
    """The same in one text."""
    return " ".join(distribution_of(name, plugin)).rstrip()


def name_of(plugin: object) -> str:
    """The name of a plugin that was made by hand: its ``name``, else its class.

    A module is called as it is. Raises PluginError for a name that is no text.
    """
    made_of = plugin if isinstance(plugin, type | ModuleType) else type(plugin)
    origin = origin_of("", plugin)
    try:
        name = getattr(plugin, "name", None)
    except PLUGIN_EXCEPTIONS as error:
        reason = f"its name cannot be read: {error!r}"
        raise PluginError(made_of.__name__, origin, reason) from error
    if not isinstance(name, str | None):
        reason = f"its name is not text: {name!r}"
        raise PluginError(made_of.__name__, origin, reason)
    return name or made_of.__name__


def settings_type_of(plugin: object) -> type[msgspec.Struct]:
    """What the plugin's settings become. Raises TypeError for what is no struct."""
    wanted = getattr(plugin, "settings_type", None)
    if wanted is None:
        return NoSettings
    if not isinstance(wanted, type) or not issubclass(wanted, msgspec.Struct):
        raise TypeError(f"settings_type is not a msgspec.Struct: {wanted!r}")
    return wanted


def settings_of(plugin: object) -> Iterator[str]:
    """``name: type = default`` of each setting that the plugin has."""
    for setting in fields(settings_type_of(plugin)):
        default = "" if setting.required else f" = {_default_of(setting)!r}"
        yield f"{setting.encode_name}: {_plain(setting.type)}{default}"


def _default_of(setting: FieldInfo) -> object:
    made = setting.default_factory
    return setting.default if made is msgspec.NODEFAULT else made()


def _plain(type_: Any) -> str:
    """A type as people read it: without what Annotated adds."""
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _plain(inner[0])
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin in (Union, UnionType):
        return " | ".join(map(_plain, inner))
    if origin is not None:
        return f"{origin.__name__}[{', '.join(map(_plain, inner))}]"
    if type_ in (..., NoneType):
        return "..." if type_ is ... else "None"
    return getattr(type_, "__name__", None) or str(type_)


_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def find_plugins(
    settings: Mapping[str, Mapping[str, object]],
    *,
    blocked: Sequence[str],
    more: Iterable[object],
    installed: bool,
) -> dict[str, object]:
    """All plugins by name: PluginHost.discover tells what is what.

    Raises PluginError and SettingsError.
    """
    entries = installed_entries() if installed else ()
    if installed:
        _require("blocked_plugins", blocked, {entry.name for entry in entries})
    plugins: dict[str, object] = {}
    origins: dict[str, str] = {}
    for entry in entries:
        if entry.name not in blocked:
            _take_name(entry.name, installed_with(entry), origins)
            plugins[entry.name] = built(entry, settings.get(entry.name, {}))
    for plugin in more:
        name = name_of(plugin)
        _take_name(name, origin_of(name, plugin), origins)
        if name in settings:
            reason = "was made in code, so it takes no settings"
            raise PluginError(name, origins[name], reason)
        plugins[name] = plugin
    for name in settings:
        if name not in blocked:
            _require("plugins", [name], plugins, f"plugins.{name}")
    return plugins


def no_such(setting: str, name: str, there: Iterable[str]) -> str:
    """The line for a name that the setting has and nobody else."""
    names = ", ".join(sorted(there)) or "none"
    reason = f"no installed plugin provides {name!r}"
    return f"settings: {setting}: {reason}; available: {names}"


def _take_name(name: str, origin: str, taken: dict[str, str]) -> None:
    """Note who has the name. Raises PluginError when it is none, or another's."""
    if not _NAME.fullmatch(name):
        reason = "its name may only have letters, 0-9, ., _ and -"
        raise PluginError(name, origin, reason)
    if name in taken:
        raise PluginError(name, origin, f"another plugin has this name: {taken[name]}")
    taken[name] = origin


def _require(
    what: str, names: Iterable[str], there: Iterable[str], setting: str = ""
) -> None:
    """Raise SettingsError for a name that nobody has."""
    for name in names:
        if name not in there:
            raise SettingsError(no_such(what, name, there), setting or what)


_PLAIN = re.compile(r"[a-z][a-z0-9_-]*")
_KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EXTENSION = re.compile(r"(\.[a-z0-9]+)+")
_CONTENT_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+(; ?charset=utf-8)?")
_STORAGE = {
    name
    for kind in (Storage, Transactions)
    for name in (*kind.__annotations__, *vars(kind))
    if not name.startswith("_")
}  # what a Storage has


class PortBroken(Exception):
    """What is provided cannot be used, in some words for its author."""


def by_name(hook: str, provided: Iterable[Any] | None) -> Iterator[tuple[str, Any]]:
    """Each thing that a plugin's answer to the hook provides, with its name.

    Raises PortBroken, and whatever the plugin's own code raises when it is looked at.
    """
    if provided is None:
        raise PortBroken("returned None; return a list, even an empty one")
    port = _PORTS[hook]
    for item in provided:
        _require_kept(port.promise, item)
        yield port.name_of(item), item


def _require_kept(promise: type, item: object) -> None:
    """Raise PortBroken for what lacks a member of a Protocol, or is no such record."""
    if isinstance(item, type):
        raise PortBroken(f"{item.__name__} is a class; give an object of it")
    kind = type(item).__name__
    if issubclass(promise, Struct):
        if not isinstance(item, promise):
            raise PortBroken(f"{kind} is not of type {promise.__name__}")
        return
    for name in dir(promise):
        if name.startswith("_"):
            continue
        if not hasattr(item, name):
            raise PortBroken(
                f"{kind} is not of type {promise.__name__}: it lacks {name}"
            )
        promised, kept = getattr(promise, name), getattr(item, name)
        if callable(promised) and (fault := _fault_of_method(promised, kept)):
            raise PortBroken(f"{kind}.{name} {fault}")


def opened(provider: StorageProvider) -> Storage:
    """Its storage. Raises PortBroken, and whatever the plugin's own code raises."""
    storage = provider.open()
    for name in sorted(_STORAGE):
        if not hasattr(storage, name):
            kind = type(storage).__name__
            fault = f"{kind} is not of type Storage: it lacks {name}"
            raise PortBroken(f"{provider.name}: {fault}")
    return storage


def write_answer(answer: object) -> WriteRefusal | WriteNote | None:
    """What a plugin said of a change; an empty note is none.

    Raises TypeError or ValueError for what is no answer.
    """
    if answer is None or answer == WriteNote(""):
        return None
    if not isinstance(answer, WriteRefusal | WriteNote):
        raise TypeError(f"{answer!r} is not an answer to loc_decide_write")
    for text in astuple(answer):
        if "\0" in text or not text.encode():
            raise ValueError("a reason or note must be text")
    return answer


def is_async(method: Any) -> bool:
    """Whether a call of it would begin nothing: nobody here awaits."""
    return iscoroutinefunction(method) or isasyncgenfunction(method)


def lacks_self(method: Any, promised: Callable[..., Any]) -> bool:
    """Whether a method's first argument, which is its object, is called as one of the
    promised ones: it would be taken for that, without a word."""
    if not ismethod(method):
        return False
    first = next(iter(signature(method.__func__).parameters), "")
    return first in signature(promised).parameters


def _fault_of_method(promised: Callable[..., Any], kept: Any) -> str | None:
    """Why it cannot be called as the port's; None when it can."""
    if not callable(kept):
        return "is not a method"
    if is_async(kept):
        return "is async, and would never run: write a plain def"
    _, *given = signature(promised).parameters
    try:
        signature(kept).bind(*given)
    except TypeError:
        return f"does not take ({', '.join(given)})"
    except ValueError:  # it is written in C, and does not tell
        return None
    return None


def _plain_name(item: Any) -> str:
    """What a setting chooses it by (clauses B1, M1, CO1 and T1)."""
    name = item.name
    if not isinstance(name, str) or not _PLAIN.fullmatch(name):
        raise PortBroken(f"name {name!r} is not lower-case letters, 0-9, _, -")
    return name


def _format_id(format_: Format) -> str:
    """What users choose a format by (clause F1)."""
    info: object = format_.info
    if not isinstance(info, FormatInfo):
        raise PortBroken(f"info is {type(info).__name__}, not FormatInfo")
    if not isinstance(info.id, str) or not _KEBAB.fullmatch(info.id):
        raise PortBroken(f"id {info.id!r} is not lower-case kebab")
    _require_typed(info, f"info of {info.id}")
    if not _EXTENSION.fullmatch(info.extension):
        fault = "is not a dot and lower-case letters or digits"
        raise PortBroken(f"extension {info.extension!r} of {info.id} {fault}")
    if not _CONTENT_TYPE.fullmatch(info.content_type):
        raise PortBroken(f"content_type {info.content_type!r} of {info.id} is not one")
    return info.id


def _check_name(check: Check) -> str:
    """What projects choose a check by (clause K1)."""
    try:
        return name_of_check(check)
    except ValueError as error:
        raise PortBroken(str(error)) from None


def _event_type(item: EventType) -> str:
    """What webhooks subscribe to; whose it may be is judged by ``fault_of``."""
    if not isinstance(item.type, str):
        raise PortBroken(f"event type {item.type!r} is not text")
    _require_typed(item, f"event type {item.type!r}")
    return item.type


def _require_typed(record: Struct, called: str) -> None:
    """Raise PortBroken for a field of another type than the record's: its
    constructor checks nothing."""
    try:
        convert(to_builtins(record), type(record))
    except (ValidationError, TypeError) as error:
        raise PortBroken(f"{called}: {error}") from None


class _Port(NamedTuple):
    """What is asked of all that answers a hook gives."""

    promise: type  # the Protocol, or the record
    name_of: Callable[[Any], str]


_PORTS = {
    "loc_provide_storages": _Port(StorageProvider, _plain_name),
    "loc_provide_blob_stores": _Port(BlobStore, _plain_name),
    "loc_provide_formats": _Port(Format, _format_id),
    "loc_provide_transports": _Port(Transport, _plain_name),
    "loc_provide_matchers": _Port(Matcher, _plain_name),
    "loc_provide_concordancers": _Port(Concordancer, _plain_name),
    "loc_provide_checks": _Port(Check, _check_name),
    "loc_provide_event_types": _Port(EventType, _event_type),
}
