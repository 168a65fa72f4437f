"""What plugins may declare, and what they may store."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

import msgspec
from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]
from msgspec import Struct
from msgspec.structs import fields

from locframework.errors import Problem, ValidationFailed
from locframework.validation import (
    PROBLEMS_LIMIT,
    members_of,
    plain_json,
    refusal,
    text_problems,
    unknown_members,
)

from .records import PluginJob

KEY_LENGTH = 200
VALUE_BYTES = 65_536
ENTRIES_LIMIT = 10_000  # of a plugin in one project, one organization, or everywhere
HIDDEN = "…"  # what is shown of a secret

_JOB_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_TYPE_LENGTH = 100
_SECRET = "writeOnly"
_NOT_A_SECRET = f"is {HIDDEN!r}, what is shown of a secret: send it, or leave it out"


# What is stored


def stored_json(value: object, path: str) -> str:
    """Return JSON text, the same for equal values. Raises ValidationFailed."""
    try:
        text = plain_json(value)
    except ValueError as error:
        raise ValidationFailed.at(path, "type", str(error)) from None
    if len(text.encode()) > VALUE_BYTES:
        message = f"has more than {VALUE_BYTES} bytes of JSON"
        raise ValidationFailed.at(path, "length", message)
    return text


def check_key(key: str, path: str = "key", least: int = 1) -> None:
    """Raise ValidationFailed for what is no key."""
    if not isinstance(key, str) or not least <= len(key) <= KEY_LENGTH:
        message = f"must be text of {least} to {KEY_LENGTH} characters"
        raise ValidationFailed.at(path, "length", message)
    if problems := text_problems(key, path):
        raise ValidationFailed.of(problems)


# Settings of projects


def settings_type_fault(type_: object) -> str | None:
    """Return why projects cannot have settings of the type; None if they can."""
    if not isinstance(type_, type) or not issubclass(type_, Struct):
        return "project_settings_type must be a msgspec.Struct"
    try:
        schema = msgspec.json.schema(type_)
    except TypeError as error:
        return f"project_settings_type: {error}"
    required = [each.name for each in fields(type_) if each.required]
    if required:
        return f"project_settings_type: {', '.join(required)} needs a default"
    own = _properties(schema)
    below = [each for name, each in own.items() if name not in secrets_of(type_)]
    below += [
        each for each in schema["$defs"].values() if each.get("properties") is not own
    ]
    if _SECRET in msgspec.json.encode(below).decode():
        return "project_settings_type: a Secret must be a field of its own, or | None"
    return None


@cache
def secrets_of(type_: type[Struct]) -> frozenset[str]:
    """Return the names of the fields that are secrets, as JSON has them."""
    properties = _properties(msgspec.json.schema(type_))
    return frozenset(
        name
        for name, schema in properties.items()
        if any(_SECRET in one for one in (schema, *schema.get("anyOf", ())))
    )


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schema["$defs"][reference]["properties"]
    return found


def checked_settings(
    type_: type[Struct], stored: dict[str, object], changes: dict[str, object]
) -> Struct:
    """Return the settings with changes. Raises ValidationFailed."""
    known = members_of(msgspec.inspect.type_info(type_))
    problems = list(islice(unknown_members(changes, known), PROBLEMS_LIMIT))
    value = stored | changes
    try:
        made = msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise refusal(error, value, type_, "$", problems) from None
    problems += [
        Problem(f"$.{name}", "secret", _NOT_A_SECRET)
        for name in sorted(secrets_of(type_) & changes.keys())
        if changes[name] == HIDDEN
    ]
    if problems:
        raise ValidationFailed.of(problems)
    return made


def fitting_settings(
    type_: type[Struct], stored: dict[str, object]
) -> tuple[Struct, dict[str, object]]:
    """Return the settings, and what of ``stored`` they are made of: what does not fit
    a newer version of the plugin is left out."""
    known = {each.encode_name: each.type for each in fields(type_)}
    fits = {}
    for name, value in stored.items():
        try:
            msgspec.convert(value, known[name])
            fits[name] = value
        except (KeyError, msgspec.ValidationError):
            continue
    try:
        return msgspec.convert(fits, type_), fits
    except msgspec.ValidationError:  # all together do not
        return type_(), {}


def shown_settings(settings: Struct) -> dict[str, object]:
    """Return settings as the API shows them."""
    shown: dict[str, object] = msgspec.to_builtins(settings)
    for name in secrets_of(type(settings)) & shown.keys():
        if shown[name]:
            shown[name] = HIDDEN
    return shown


# Jobs and their schedules


def job_type(plugin: str, name: str) -> str:
    """Return the type of a plugin's jobs, as the API names it."""
    return f"plugin.{plugin}.{name}"


def job_fault(job: PluginJob, plugin: str) -> str | None:
    """Return why a plugin cannot have such jobs; None if it can."""
    name: object = job.name
    if not isinstance(name, str) or not _JOB_NAME.fullmatch(name):
        return f"job name {name!r} is not lower-case letters, 0-9, _, -"
    type_ = job_type(plugin, name)
    if len(type_) > _TYPE_LENGTH:
        return f"job type {type_!r} has more than {_TYPE_LENGTH} characters"
    if not callable(job.run):
        return f"job {name!r}: run is no function"
    if job.cron is not None:
        try:
            trigger_of(job)
        except (ValueError, KeyError, TypeError) as error:
            return f"job {name!r}: cron {job.cron!r}: {error}"
    return None


def trigger_of(job: PluginJob) -> CronTrigger:
    """Return when a job is due. Raises ValueError, and KeyError for a time zone that
    does not exist."""
    *_, weekday = job.cron.split() if job.cron else [""]
    if re.search(r"\d", weekday.partition("/")[0]):
        # APScheduler counts from Monday, cron from Sunday
        raise ValueError("days of the week are named: mon, tue, …, sun")
    trigger = CronTrigger.from_crontab(job.cron, timezone=job.timezone)
    if next_after(trigger, datetime(2026, 1, 1, tzinfo=UTC)) is None:
        raise ValueError("there is no such day")
    return trigger


def next_after(trigger: CronTrigger, at: datetime) -> datetime | None:
    """Return the first due time after ``at``, in UTC."""
    found = trigger.get_next_fire_time(None, at + timedelta(microseconds=1))
    return None if found is None else found.astimezone(UTC)


def last_due(trigger: CronTrigger, after: datetime, now: datetime) -> datetime | None:
    """Return the last due time that is later than ``after`` and not later than ``now``.

    Looks back in steps that double, so that a long absence costs no more than a short
    one.
    """
    step, start = timedelta(minutes=1), now
    while start > after:
        start = max(after, now - step)
        due, latest = next_after(trigger, start), None
        while due is not None and due <= now:
            due, latest = next_after(trigger, due), due
        if latest is not None:
            return latest
        step *= 2
    return None
