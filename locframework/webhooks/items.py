"""What the built-in events tell of each thing that changed (decisions 2.7)."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from .records import EventType

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
