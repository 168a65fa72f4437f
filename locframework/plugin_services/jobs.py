"""Runs the jobs of plugins, and starts those that have a schedule."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.errors import (
    PLUGIN_EXCEPTIONS,
    LocError,
    ProjectNotFound,
)
from locframework.events import Actor
from locframework.fields import Clock, Timestamp, parse_timestamp, timestamp
from locframework.jobs.records import StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Cancelled, LeaseLost, Work
from locframework.projects.service import scope_of
from locframework.transactions import crash_point
from locframework.validation import plain_json

from .project_settings import settings_space
from .records import PluginJob
from .rules import job_type, last_due, next_after, trigger_of
from .store import EVERYWHERE, PluginEntry, PluginStorage

log = logging.getLogger("locframework.plugins")

_SCHEDULES = "@schedules"
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class PluginJobHandler:
    """Runs the jobs of one type (locframework/jobs/work.py, JobHandler)."""

    plugin: str
    job: PluginJob
    _storage: PluginStorage
    _access: Access
    _renewed: Renewed

    @property
    def type(self) -> str:
        return job_type(self.plugin, self.job.name)

    def run(self, job: StoredJob, work: Work) -> None:
        """Call the plugin, and end the job with the result that it returns, unless it
        has ended it. What it raises by mistake is logged, and fails the job. So does a
        caller who has lost the permission."""
        job = replace(job, caller=self._caller(job))
        try:
            result = self.job.run(job, work)
            if result is not None:
                plain_json(dict(result))
        except (LocError, Cancelled, LeaseLost):
            raise
        except PLUGIN_EXCEPTIONS:
            log.exception(
                "plugin %s failed in job %s (%s)", self.plugin, job.job.id, self.type
            )
            message = (
                f"the plugin {self.plugin!r} failed; the log of the server has more"
            )
            raise LocError(message) from None
        if not work.is_finished:
            with work.finish(lock_project=False) as outcome:
                outcome.result = result

    def _caller(self, job: StoredJob) -> Caller:
        """Return who started the job, with the present permissions."""
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        caller, where = self._renewed(job.caller), scope_of(project)
        return self._access.require_still(caller, where, self.job.permission)


def plugin_caller(plugin: str) -> Caller:
    """Return the caller of what a plugin does by itself; it may do everything."""
    return Caller(actor=Actor("plugin", plugin), everything=True)


class _Schedule:
    """When a type of job is due, as far as this process knows."""

    def __init__(self, plugin: str, job: PluginJob) -> None:
        self.plugin, self.job = plugin, job
        self.type = job_type(plugin, job.name)
        self.trigger: Any = trigger_of(job)
        self.next_at: datetime | None = None  # None: not known yet


class Schedules:
    """Starts the jobs that are due by a ``cron``: once, however many processes share
    the database. What is due is known in memory; the database is asked when something
    is, and once at the start.

    The time of the last start is stored. Who changes it first starts the jobs, in the
    same transaction. Times that pass while no process runs are made up for by one
    start.
    """

    def __init__(
        self,
        jobs: Sequence[PluginJobHandler],
        storage: PluginStorage,
        service: Jobs,
        clock: Clock,
    ) -> None:
        self._schedules = [
            _Schedule(each.plugin, each.job) for each in jobs if each.job.cron
        ]
        self._storage, self._jobs, self._clock = storage, service, clock

    def run_due(self) -> None:
        """Start what is due now. Called each second. Raises Unavailable."""
        now = self._clock()
        for each in self._schedules:
            if each.next_at is None or now >= each.next_at:
                last = self._last(each, now)
                due = last_due(each.trigger, parse_timestamp(last), now)
                if due is not None:
                    self._start(each, last, timestamp(due))
                each.next_at = next_after(each.trigger, now) or _NEVER

    def _last(self, schedule: _Schedule, now: datetime) -> Timestamp:
        """Return when it was last started, by any process; now, if it is new."""
        store = self._storage.plugin_entries
        found = store.find(_SCHEDULES, EVERYWHERE, schedule.type)
        if found is None:
            store.write(_entry(schedule, timestamp(now)), None)
            found = store.find(_SCHEDULES, EVERYWHERE, schedule.type)
        return timestamp(now) if found is None else _time(found)

    def _start(self, schedule: _Schedule, last: Timestamp, due: Timestamp) -> None:
        store, space = self._storage.plugin_entries, settings_space(schedule.plugin)
        with self._storage.transaction():
            if store.write(_entry(schedule, due), _entry(schedule, last).value):
                self._jobs.start_in_projects(
                    plugin_caller(schedule.plugin),
                    {
                        each.owner_id: each.organization_id or ""
                        for each in store.list_of_projects(space)
                    },
                    schedule.type,
                    schedule.job.permission,
                    {"scheduledFor": due},
                )
                crash_point("schedule.before_commit")


def _entry(schedule: _Schedule, at: Timestamp) -> PluginEntry:
    value = msgspec.json.encode(at).decode()
    return PluginEntry(_SCHEDULES, EVERYWHERE, None, schedule.type, value)


def _time(entry: PluginEntry) -> Timestamp:
    time: str = msgspec.json.decode(entry.value, type=str)
    return time
