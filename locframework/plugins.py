"""Finds the installed plugins, gives them their settings, and calls their hooks."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import isgeneratorfunction
from typing import Annotated, Any, TypeVar

import msgspec
import pluggy

from . import hookspecs
from .access.records import Caller, Scope
from .blobs.blob_store import BlobStore
from .errors import (
    PLUGIN_FAULTS,
    PluginError,
    SettingsError,
    Unauthorized,
    Unavailable,
    WriteRefused,
)
from .events import Event
from .formats.format import Format
from .keys.changes import (
    NOTE_LENGTH,
    Change,
    WriteJudge,
    WriteRefusal,
    named,
)
from .memories.concordancer import Concordancer
from .memories.matcher import Matcher
from .plugin_facts import distribution_of, origin_of, settings_of, settings_type_of
from .plugin_finding import find_plugins, no_such
from .plugin_ports import (
    PortBroken,
    by_name,
    is_async,
    lacks_self,
    opened,
    write_answer,
)
from .quality.check import Check
from .quality.checks import BUILT_IN
from .settings import Settings
from .storage import Storage, StorageProvider
from .validation import check_record
from .webhooks.event_types import fault_of
from .webhooks.plugin_events import EventTeller, Items, PluginTells
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
        self.tells: PluginTells | None = None  # set by the framework, once it can
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
            "loc_provide_event_types", tell=self._teller
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
        except PLUGIN_FAULTS as error:
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
            except PLUGIN_FAULTS:
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
            except PLUGIN_FAULTS:
                log.exception("plugin %s failed in loc_decide_refusal", name)
                return "a plugin could not decide"
        return None

    @property
    def write_judge(self) -> WriteJudge | None:
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
            except PLUGIN_FAULTS:
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
            except PLUGIN_FAULTS as error:
                hook = "loc_decide_settings"
                raise self._refused(name, hook, repr(error)) from error

    def tell(self, event: Event) -> None:
        """Give a committed event to every plugin that listens."""
        for name, listen in self._listeners:
            try:
                listen(event=event)
            except PLUGIN_FAULTS:
                log.exception("plugin %s failed in loc_on_event %s", name, event.type)

    def close(self) -> None:
        """Have every plugin let go of what it holds."""
        for name, close in self._closers:
            try:
                close()
            except PLUGIN_FAULTS:
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

    def _teller(self, plugin: str) -> EventTeller:
        """What says, for a plugin, that one of its events happened."""

        def tell(
            type_: str, project_id: str, items: Items, *, branch: str | None = None
        ) -> None:
            if self.tells is None:
                raise RuntimeError("no event can be told before the framework is made")
            self.tells(plugin, type_, project_id, items, branch)

        return tell

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
        except PLUGIN_FAULTS as error:
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
