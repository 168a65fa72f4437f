"""Event types that webhooks can subscribe to, with JSON Schemas and examples."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from locframework.events import ITEMS_LIMIT, Actor
from locframework.fields import Timestamp

from .records import TYPE_LENGTH, EventType, ShownEventType

TEST = "webhook.test"  # not subscribable (decisions 2.7)
PLUGIN_PREFIX = "plugin."

_EVENT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)
_TEXT: dict[str, Any] = {"type": "string"}
_ID = {**_TEXT, "format": "uuid", "examples": ["0197b2c0-6a70-7a11-9c35-3b1d0e8f4a5b"]}
_NAMES: dict[str, Any] = {"type": "array", "items": _TEXT}
_PROPERTIES: dict[str, dict[str, Any]] = {  # of items; examples[0] is in the example
    "keyId": _ID,
    "key": {**_TEXT, "examples": ["checkout.pay"]},
    "previousKey": {**_TEXT, "description": "if it was renamed"},
    "languageCode": {**_TEXT, "examples": ["de"]},
    "pluralForm": {"type": ["string", "null"]},
    "status": {
        **_TEXT,
        "examples": ["approved"],
        "description": "draft, pending_review, approved, or untranslated if cleared",
    },
    "revision": {
        "type": "integer",
        "examples": [4],
        "description": "grows with each change",
    },
    "languageId": _ID,
    "projectId": _ID,
    "fields": {**_NAMES, "examples": [["name"]]},
    "language.updated/fields": {**_NAMES, "examples": [["label"]]},
    "branchId": _ID,
    "name": {**_TEXT, "examples": ["spring-campaign"]},
    "jobId": _ID,
    "type": {**_TEXT, "examples": ["import"]},
    "code": {**_TEXT, "examples": ["unreadable_file"], "description": "of its error"},
    "distributionId": _ID,
    "releaseId": _ID,
    "version": {"type": "integer", "examples": [12]},
    "rolledBackFrom": {"type": "integer", "examples": [10]},
    "glossaryId": _ID,
    "termId": _ID,
    "reason": {**_TEXT, "description": "of a rejection"},
    "webhookId": _ID,
    "webhook.disabled/reason": {
        **_TEXT,
        "examples": ["failing"],
        "description": "failing or gone",
    },
}

_KEY = "keyId key"
_RENAMED = f"{_KEY} previousKey?"
_VALUE = "keyId key languageCode pluralForm status revision"
_LANGUAGE = "languageId languageCode"
_TERM = "glossaryId termId"
_TERM_VALUE = "glossaryId termId languageCode"
_REJECTED = f"{_TERM_VALUE} reason?"
_RELEASE = "distributionId releaseId version"
_ROLLED_BACK = f"{_RELEASE} rolledBackFrom"
_ENDED_JOB = "jobId type code?"
_TYPES: dict[str, tuple[str, str]] = {  # properties of an item, ? if optional
    "key.created": (_KEY, "Keys were created"),
    "key.updated": (_RENAMED, "Names or other fields of keys changed"),
    "key.deleted": (_KEY, "Keys went to the trash"),
    "key.restored": (_KEY, "Keys came back from the trash"),
    "translation.updated": (_VALUE, "Texts were applied, changed or cleared"),
    "translation.submitted": (_VALUE, "Texts wait for review"),
    "translation.approved": (_VALUE, "Texts were approved"),
    "translation.rejected": (_VALUE, "Texts were rejected"),
    "translation.outdated": (_VALUE, "The source of these texts changed"),
    "language.added": (_LANGUAGE, "A language was added"),
    "language.updated": (_LANGUAGE + " fields", "A language's settings changed"),
    "language.removed": (_LANGUAGE, "A language was removed, with its texts"),
    "language.completed": (_LANGUAGE, "No key lacks a text any longer"),
    "branch.created": ("branchId name", "A branch was created"),
    "branch.merged": ("branchId name", "A branch was merged to main"),
    "branch.closed": ("branchId name", "A branch was closed without a merge"),
    "glossary.attached": ("glossaryId", "The project now uses a glossary"),
    "glossary.detached": ("glossaryId", "The project no longer uses a glossary"),
    "glossary.updated": ("glossaryId fields", "Settings of a glossary changed"),
    "glossary.term.created": (_TERM, "Terms were created"),
    "glossary.term.updated": (_TERM, "Terms changed"),
    "glossary.term.deleted": (_TERM, "Terms were deleted"),
    "glossary.translation.updated": (_TERM_VALUE, "Term translations changed"),
    "glossary.translation.proposed": (_TERM_VALUE, "Term translations were proposed"),
    "glossary.translation.approved": (_TERM_VALUE, "Term translations were approved"),
    "glossary.translation.rejected": (_REJECTED, "Proposals for terms were rejected"),
    "ai.completed": ("jobId", "A run of machine translation was completed"),
    "import.completed": ("jobId", "An import was completed"),
    "job.failed": (_ENDED_JOB, "A job failed"),
    "job.cancelled": (_ENDED_JOB, "A job was cancelled"),
    "distribution.published": (_RELEASE, "A release has become the current one"),
    "distribution.rolled_back": (_ROLLED_BACK, "An older release is current again"),
    "distribution.paused": ("distributionId", "A distribution no longer answers"),
    "distribution.resumed": ("distributionId", "A paused distribution answers again"),
    "project.updated": ("projectId fields", "Settings of the project changed"),
    "webhook.disabled": ("webhookId reason", "A webhook failed, and was switched off"),
}


def _event_type(type_: str, names: str, description: str) -> EventType:
    properties = {
        name: _PROPERTIES.get(f"{type_}/{name}") or _PROPERTIES[name]
        for name in names.replace("?", "").split()
    }
    required = [name for name in names.split() if name in properties]
    example = {name: properties[name].get("examples", [None])[0] for name in required}
    schema = {"type": "object", "properties": properties, "required": required}
    return EventType(type_, description, schema, (example,))


class EventTypes:
    """The types of one application: the built-in ones, and those of its plugins."""

    def __init__(self, of_plugins: Iterable[EventType] = ()) -> None:
        built_in = [
            _event_type(type_, names, description)
            for type_, (names, description) in _TYPES.items()
        ]
        self._types = {each.type: each for each in [*built_in, *of_plugins]}

    @cached_property
    def shown(self) -> list[ShownEventType]:
        """All of them, the built-in ones first."""
        return [_shown(each) for each in self._types.values()]

    def __contains__(self, type_: object) -> bool:
        return type_ in self._types


def fault_of(type_: EventType, plugin: str) -> str | None:
    """Return why the type cannot be one of the plugin's; None if it can."""
    name = type_.type.removeprefix(f"{PLUGIN_PREFIX}{plugin}.")
    fault = None
    if name == type_.type or not _EVENT_NAME.fullmatch(name):
        fault = f"must be {PLUGIN_PREFIX}{plugin}.<event>, of a-z, 0-9, _ and -"
    elif len(type_.type) > TYPE_LENGTH:
        fault = f"has more than {TYPE_LENGTH} characters"
    elif not type_.description.strip():
        fault = "has no description"
    elif not 1 <= len(type_.example_items) <= ITEMS_LIMIT:
        fault = f"needs 1 to {ITEMS_LIMIT} example items"
    return fault and f"event type {type_.type!r} {fault}"


def _shown(type_: EventType) -> ShownEventType:
    is_plugins = type_.type.startswith(PLUGIN_PREFIX)
    group = type_.type.rpartition(".")[0] if is_plugins else type_.type.split(".")[0]
    items = {
        "type": "array",
        "items": type_.item_schema,
        "minItems": 1,
        "maxItems": ITEMS_LIMIT,
    }
    data = {
        "projectId": {**_TEXT, "format": "uuid"},
        "branch": {"type": ["string", "null"], "description": "null: main"},
        "actor": _object(
            {"type": {"enum": ["user", "token", "plugin", "system"]}, "id": _TEXT}
        ),
        "items": items,
    }
    example = {
        "type": type_.type,
        "timestamp": "2026-11-21T08:45:29.123Z",
        "data": {
            "projectId": "0197b2c0-5f1e-7c3a-8d21-9f4be6a1c0d2",
            "branch": None,
            "actor": msgspec.to_builtins(
                Actor("user", "0197b2bf-11aa-7e55-b0d1-2f8e57c9ab34")
            ),
            "items": list(type_.example_items),
        },
    }
    return ShownEventType(
        type=type_.type,
        group=group,
        description=type_.description,
        schema=_object(
            {
                "type": {"const": type_.type},
                "timestamp": msgspec.json.schema(Timestamp),
                "data": _object(data),
            }
        ),
        example=example,
    )


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object that may have further properties."""
    return {"type": "object", "properties": properties, "required": sorted(properties)}
