"""Event types that webhooks can subscribe to, with JSON Schemas and examples."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.events import ITEMS_MOST, Actor
from locframework.fields import Timestamp

from .records import TYPE_LENGTH, EventType, ShownEventType

Id = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "uuid"},
        examples=["0197b2c0-6a70-7a11-9c35-3b1d0e8f4a5b"],
    ),
]
KeyName = Annotated[str, Meta(examples=["checkout.pay"])]
LanguageCode = Annotated[str, Meta(examples=["de"])]
Status = Annotated[
    str,
    Meta(
        examples=["approved"],
        description="draft, pending_review, approved, or untranslated: it was cleared",
    ),
]


class KeyItem(Struct, rename="camel"):
    """A key."""

    key_id: Id
    key: KeyName
    previous_key: Annotated[str, Meta(description="if it was renamed")] | UnsetType = (
        UNSET
    )


class TranslationItem(Struct, rename="camel"):
    """A value, of one language and plural form."""

    key_id: Id
    key: KeyName
    language_code: LanguageCode
    plural_form: str | None
    status: Status
    revision: Annotated[int, Meta(examples=[4], description="grows with each change")]


class LanguageItem(Struct, rename="camel"):
    """A language of the project."""

    language_id: Id
    language_code: LanguageCode


class ChangedLanguageItem(LanguageItem, rename="camel"):
    """A language, and which of its fields changed."""

    fields: Annotated[list[str], Meta(examples=[["label"]])]


class ProjectItem(Struct, rename="camel"):
    """The project, and which of its fields changed."""

    project_id: Id
    fields: Annotated[list[str], Meta(examples=[["name"]])]


class BranchItem(Struct, rename="camel"):
    """A branch."""

    branch_id: Id
    name: Annotated[str, Meta(examples=["spring-campaign"])]


class JobItem(Struct, rename="camel"):
    """A job that did its work."""

    job_id: Id


class EndedJobItem(Struct, rename="camel"):
    """A job that ended without its work."""

    job_id: Id
    type: Annotated[str, Meta(examples=["import"])]
    code: (
        Annotated[str, Meta(examples=["unreadable_file"], description="of its error")]
        | UnsetType
    ) = UNSET


class DistributionItem(Struct, rename="camel"):
    """A distribution."""

    distribution_id: Id


class ReleaseItem(DistributionItem, rename="camel"):
    """A release of a distribution."""

    release_id: Id
    version: Annotated[int, Meta(examples=[12])]


class RolledBackItem(ReleaseItem, rename="camel"):
    """A release with the files of an older one."""

    rolled_back_from: Annotated[int, Meta(examples=[10])]


class GlossaryItem(Struct, rename="camel"):
    """A glossary, which the project uses."""

    glossary_id: Id


class ChangedGlossaryItem(GlossaryItem, rename="camel"):
    """A glossary, and which of its fields changed."""

    fields: Annotated[list[str], Meta(examples=[["name"]])]


class TermItem(GlossaryItem, rename="camel"):
    """A term of a glossary."""

    term_id: Id


class TermTranslationItem(TermItem, rename="camel"):
    """A term's translation in one language."""

    language_code: LanguageCode
    reason: Annotated[str, Meta(description="of a rejection")] | UnsetType = UNSET


class WebhookItem(Struct, rename="camel"):
    """A webhook that was switched off."""

    webhook_id: Id
    reason: Annotated[str, Meta(examples=["failing"], description="failing or gone")]


_TYPES: dict[str, tuple[type[Struct], str]] = {
    "key.created": (KeyItem, "Keys were created"),
    "key.updated": (KeyItem, "Names, descriptions, tags or plurals of keys changed"),
    "key.deleted": (KeyItem, "Keys went to the trash"),
    "key.restored": (KeyItem, "Keys came back from the trash"),
    "translation.updated": (TranslationItem, "Texts were applied, changed or cleared"),
    "translation.submitted": (TranslationItem, "Texts wait for review"),
    "translation.approved": (TranslationItem, "Texts were approved"),
    "translation.rejected": (TranslationItem, "Texts were rejected"),
    "translation.outdated": (TranslationItem, "The source of these texts changed"),
    "language.added": (LanguageItem, "A language was added"),
    "language.updated": (ChangedLanguageItem, "A language's settings changed"),
    "language.removed": (LanguageItem, "A language was removed, with its texts"),
    "language.completed": (LanguageItem, "No key lacks a text any longer"),
    "branch.created": (BranchItem, "A branch was created"),
    "branch.merged": (BranchItem, "A branch was merged to main"),
    "branch.closed": (BranchItem, "A branch was closed without a merge"),
    "glossary.attached": (GlossaryItem, "The project now uses a glossary"),
    "glossary.detached": (GlossaryItem, "The project no longer uses a glossary"),
    "glossary.updated": (ChangedGlossaryItem, "Settings of a glossary changed"),
    "glossary.term.created": (TermItem, "Terms were created"),
    "glossary.term.updated": (TermItem, "Terms changed"),
    "glossary.term.deleted": (TermItem, "Terms were deleted"),
    "glossary.translation.updated": (
        TermTranslationItem,
        "Translations of terms were applied, changed or cleared",
    ),
    "glossary.translation.proposed": (
        TermTranslationItem,
        "Translations of terms wait for approval",
    ),
    "glossary.translation.approved": (
        TermTranslationItem,
        "Translations of terms were approved",
    ),
    "glossary.translation.rejected": (
        TermTranslationItem,
        "Proposals for terms were rejected",
    ),
    "import.completed": (JobItem, "An import was completed"),
    "job.failed": (EndedJobItem, "A job failed"),
    "job.cancelled": (EndedJobItem, "A job was cancelled"),
    "distribution.published": (ReleaseItem, "A release has become the current one"),
    "distribution.rolled_back": (
        RolledBackItem,
        "An older release is the current one again",
    ),
    "distribution.paused": (DistributionItem, "A distribution no longer answers"),
    "distribution.resumed": (DistributionItem, "A paused distribution answers again"),
    "project.updated": (ProjectItem, "Settings of the project changed"),
    "webhook.disabled": (WebhookItem, "A webhook was switched off by its failures"),
}


def _event_type(type_: str, item: type[Struct], description: str) -> EventType:
    return EventType(
        type=type_,
        description=description,
        item_schema=_inlined(item),
        example_items=(_example(item),),
    )


def _inlined(item: type[Struct]) -> dict[str, Any]:
    """The schema of an item, which refers to nothing outside itself."""
    _, components = msgspec.json.schema_components([item])
    [schema] = components.values()
    return {name: part for name, part in schema.items() if name != "title"}


def _example(item: type[Struct]) -> dict[str, object]:
    properties = _inlined(item)["properties"]
    return {
        field.encode_name: properties[field.encode_name].get("examples", [None])[0]
        for field in msgspec.structs.fields(item)
        if field.required
    }


BUILT_IN = [
    _event_type(type_, item, description)
    for type_, (item, description) in _TYPES.items()
]


TEST = "webhook.test"  # not subscribable (decisions 2.7)
PLUGIN_PREFIX = "plugin."

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)
_ID = "0197b2c0-5f1e-7c3a-8d21-9f4be6a1c0d2"
_AT = "2026-11-21T08:45:29.123Z"
_TIMESTAMP: Any = msgspec.json.schema(Timestamp)
_ACTOR = Actor("user", "0197b2bf-11aa-7e55-b0d1-2f8e57c9ab34")


class EventTypes:
    """The types of one application: the built-in ones, and those of its plugins."""

    def __init__(self, of_plugins: Iterable[EventType] = ()) -> None:
        self._types = {each.type: each for each in [*BUILT_IN, *of_plugins]}

    @cached_property
    def shown(self) -> list[ShownEventType]:
        """All of them, the built-in ones first."""
        return [shown(each) for each in self._types.values()]

    def __contains__(self, type_: object) -> bool:
        return type_ in self._types


def fault_of(type_: EventType, plugin: str) -> str | None:
    """Why the type cannot be one of the plugin's; None when it can."""
    name = type_.type.removeprefix(f"{PLUGIN_PREFIX}{plugin}.")
    if name == type_.type or not _NAME.fullmatch(name):
        told = f"event type {type_.type!r} must be {PLUGIN_PREFIX}{plugin}.<event>"
        return f"{told}, of a-z, 0-9, _ and -"
    if len(type_.type) > TYPE_LENGTH:
        return f"event type {type_.type!r} has more than {TYPE_LENGTH} characters"
    if not type_.description.strip():
        return f"event type {type_.type!r} has no description"
    if not 1 <= len(type_.example_items) <= ITEMS_MOST:
        return f"event type {type_.type!r} needs 1 to {ITEMS_MOST} example items"
    return None


def shown(type_: EventType) -> ShownEventType:
    """The type with the JSON Schema of its payload, and an example."""
    is_plugins = type_.type.startswith(PLUGIN_PREFIX)
    group = type_.type.rpartition(".")[0] if is_plugins else type_.type.split(".")[0]
    return ShownEventType(
        type=type_.type,
        group=group,
        description=type_.description,
        schema=payload_schema(type_.type, type_.item_schema),
        example=example(type_),
    )


def example(type_: EventType) -> Mapping[str, object]:
    """A payload of the type."""
    return {
        "type": type_.type,
        "timestamp": _AT,
        "data": {
            "projectId": _ID,
            "branch": None,
            "actor": msgspec.to_builtins(_ACTOR),
            "items": list(type_.example_items),
        },
    }


def payload_schema(type_: str, item: Mapping[str, object]) -> Mapping[str, object]:
    """JSON Schema of the payloads of a type. Receivers allow for more members."""
    text = {"type": "string"}
    data = {
        "projectId": {**text, "format": "uuid"},
        "branch": {"type": ["string", "null"], "description": "null: main"},
        "actor": _object(
            {"type": {"enum": ["user", "token", "plugin", "system"]}, "id": text}
        ),
        "items": {
            "type": "array",
            "items": item,
            "minItems": 1,
            "maxItems": ITEMS_MOST,
        },
    }
    return _object(
        {"type": {"const": type_}, "timestamp": _TIMESTAMP, "data": _object(data)}
    )


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
    }
