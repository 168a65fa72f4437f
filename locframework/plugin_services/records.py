"""What plugins declare and get: their jobs, stored values, settings of projects."""

from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work

Secret = Annotated[
    str, Meta(extra_json_schema={"writeOnly": True, "format": "password"})
]
"""A field of ``project_settings_type`` that the API accepts and never shows."""

RunJob = Callable[[StoredJob, Work], Mapping[str, object] | None]


class PluginJob(Struct, frozen=True):
    """A type of job of a plugin. The API calls it ``plugin.<plugin>.<name>``."""

    name: str
    """Lower-case letters, then also digits, ``_`` and ``-``."""
    permission: str
    """Who has it in the project may start, read and cancel such jobs."""
    run: RunJob
    """Does the work of one job, again after a crash: see ``Work``. Ends it with
    ``work.finish()``, or returns the result of the job, a JSON object, or None."""
    cron: str | None = None
    """When to start one in each project that has settings of the plugin: minute, hour,
    day of month, month, day of week (mon to sun)."""
    timezone: str = "UTC"
    """Of ``cron``: ``Europe/Berlin``."""


class StoredItem(Struct, frozen=True):
    """A value that a plugin keeps under a key."""

    key: str
    value: object  # JSON


class PluginSettings(Struct, frozen=True, rename="camel"):
    """The settings of a plugin for a project."""

    settings: dict[str, object]
    """All of them, with the plugin's defaults; secrets that are set are "…"."""
    is_set: bool
    """Whether they were ever changed here. The plugin's schedules run in such projects
    only."""
