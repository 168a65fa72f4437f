"""Every hook that a plugin may implement; one promise each.

The prefix says how a hook is called; docs/reference/hooks.md shows each at work.

- ``loc_provide_*``: once, at the start. The answers of all plugins are collected by
  name. ``loc_provide_commands`` is called when a command is run.
- ``loc_decide_*``: per request. The first answer that is not None counts, and an
  exception refuses. Of ``loc_decide_write`` all answers count; ``loc_decide_settings``
  answers nothing, so that only its exceptions count.
- ``loc_on_*``: when something has happened. Every plugin is called; an exception is
  logged, and changes nothing. One of ``loc_on_start`` stops the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

from locframework.access.permissions import Permission
from locframework.access.records import Caller
from locframework.blobs.blob_store import BlobStore
from locframework.events import Event
from locframework.formats.format import Format
from locframework.http.pages import Pages
from locframework.keys.changes import Change, WriteNote, WriteRefusal
from locframework.machine_translation.translator import Translator
from locframework.memories.matching.port import Matcher
from locframework.plugin_services.records import PluginJob
from locframework.quality.check import Check
from locframework.settings import Settings
from locframework.storage import StorageProvider
from locframework.webhooks.plugin_events import EventEmitter
from locframework.webhooks.records import EventType
from locframework.webhooks.transport import Transport

if TYPE_CHECKING:
    from click import Command

    from locframework.app import Framework

GROUP = "locframework"
hookspec = pluggy.HookspecMarker(GROUP)


@hookspec
def loc_provide_storages() -> Sequence[StorageProvider]:  # type: ignore[empty-body]
    """The databases that the setting ``storage`` can name."""


@hookspec
def loc_provide_blob_stores() -> Sequence[BlobStore]:  # type: ignore[empty-body]
    """The file stores that the setting ``blob_store`` can name."""


@hookspec
def loc_provide_formats() -> Sequence[Format]:  # type: ignore[empty-body]
    """File formats for import, export and delivery."""


@hookspec
def loc_provide_matchers() -> Sequence[Matcher]:  # type: ignore[empty-body]
    """The fuzzy matchers that the setting ``matcher`` can name."""


@hookspec
def loc_provide_checks() -> Sequence[Check]:  # type: ignore[empty-body]
    """Checks on the quality of texts, beside those that come with the framework."""


@hookspec
def loc_provide_translators() -> Sequence[Translator]:  # type: ignore[empty-body]
    """The engines of machine translation that the setting ``translator`` and runs can
    name."""


@hookspec
def loc_provide_transports() -> Sequence[Transport]:  # type: ignore[empty-body]
    """The ways to send webhooks that the setting ``webhook_transport`` can name."""


@hookspec
def loc_provide_event_types(  # type: ignore[empty-body]
    emit: EventEmitter,
) -> Sequence[EventType]:
    """Types of events of your own, for webhooks; ``emit`` emits one."""


@hookspec
def loc_provide_endpoints() -> Sequence[object]:  # type: ignore[empty-body]
    """Objects with methods marked ``@operation``: operations of the API below
    ``/api/v1/plugins/<the plugin's name>``."""


@hookspec
def loc_provide_pages() -> Pages:  # type: ignore[empty-body]
    """A folder of static files, served below ``/<the plugin's name>/``."""


@hookspec
def loc_provide_permissions() -> Sequence[Permission]:  # type: ignore[empty-body]
    """Permissions for the plugin's own operations; roles and tokens may have them."""


@hookspec
def loc_provide_commands() -> Sequence[Command]:  # type: ignore[empty-body]
    """Commands and groups of click, which are run as ``locframework <the plugin's
    name> …``. Called only when one of them is run or they are listed."""


@hookspec
def loc_provide_jobs() -> Sequence[PluginJob]:  # type: ignore[empty-body]
    """Types of jobs of your own, started by your code or by a schedule."""


@hookspec(firstresult=True)
def loc_decide_caller(token: str) -> Caller | None:
    """Who holds this bearer token, or None when it is not one of yours.

    Asked before the built-in tokens, once per request, with the text after
    ``Bearer ``. Raise Unauthorized when it is yours and bad. Any other exception
    refuses the request too.
    """


@hookspec
def loc_decide_write(caller: Caller, change: Change) -> WriteRefusal | WriteNote | None:
    """A last word on each change of a key or value, on every path, before it is kept.
    Every plugin is asked: one refusal refuses, all notes are kept. One that fails
    refuses."""


@hookspec
def loc_decide_settings(settings: Settings) -> None:
    """Raise SettingsError where what your settings name is of no use on this machine,
    and Unavailable where it does not work at the moment. Called by ``locframework
    check-settings`` alone: look, and change nothing. Return at once where ``settings``
    choose another plugin in place of yours."""


@hookspec
def loc_on_start(framework: Framework) -> None:
    """The application was made; these are its services.

    Called once by each ``Framework``, as the last step of making it, in the order of
    the plugins' names. Keep the object and use it later: the database need not be
    migrated yet, and nothing runs in the background. An exception stops the start.
    """


@hookspec
def loc_on_event(event: Event) -> None:
    """Something was committed. Called after the commit, in no promised order. With
    ``@hookimpl(durable=True)`` called in the background instead, at least once for each
    event and in the order of the log, also after a crash."""


@hookspec
def loc_on_close() -> None:
    """The application was closed: let go of connections, files and threads.

    Called by each ``Framework.close()``, when nothing runs in the background any more
    and the database is closed. A plugin object that two applications share hears of
    the end of each, and goes on being called by the other.
    """
