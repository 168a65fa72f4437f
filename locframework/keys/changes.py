"""What a plugin is shown of a change of a key or value, and what it may answer."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from locframework.access.records import Caller
from locframework.branches.service import BranchScope
from locframework.fields import narrowed
from locframework.projects.records import Project

from .records import KeyFields, Origin, RevisionStatus, StoredKey

Action = Literal["write", "approve", "reject"]
KeyAction = Literal["create", "update", "delete", "restore"]

NOTE_LENGTH = 1000


class ValueChange(Struct, frozen=True, rename="camel"):
    """One value that is about to change, in one language and plural form.

    ``before`` and ``after`` are the texts that people see; None: no text. Of an
    approval they are the same, and so of a rejection that leaves a draft. ``origin``
    tells the path: ``human`` is a single write or a batch, then there are ``import``,
    ``merge``, ``revert``, ``ai`` and ``tm``; an approval has that of its text.
    """

    organization_id: str
    project_id: str
    branch: str | None  # None: main
    key_id: str
    key: str
    language_code: str
    plural_form: str | None
    action: Action
    origin: Origin
    before: str | None
    after: str | None
    status: RevisionStatus  # that the value will have
    description: str = ""  # of the key, after the write; so are the next three
    tags: tuple[str, ...] = ()
    file_key: str | None = None  # what files call the key, where that is no legal key
    source_text: str | None = None
    """The newest source text: of the same plural form, else of ``other``, else any.
    None: there is none, or the value is a source text itself."""
    kind: Literal["value"] = "value"


class KeyChange(Struct, frozen=True, rename="camel"):
    """A key that is about to be made, to change, to go to the trash or to come back.

    ``before`` is None where it was not there, ``after`` where it will not be; ``key``
    is the name that it has after, or had. ``origin`` is as that of a value.
    """

    organization_id: str
    project_id: str
    branch: str | None  # None: main
    key_id: str
    key: str
    action: KeyAction
    origin: Origin
    before: KeyFields | None
    after: KeyFields | None
    kind: Literal["key"] = "key"


Change = ValueChange | KeyChange
"""``kind`` tells which."""


def named(change: Change) -> dict[str, str | None]:
    """What the change is about, as a refusal tells it."""
    if change.kind == "key":
        return {"key": change.key}
    return {
        "key": change.key,
        "languageCode": change.language_code,
        "pluralForm": change.plural_form,
    }


class WriteRefusal(Struct, frozen=True):
    """The change is refused; ``reason`` is told to who asked for it."""

    reason: str


class WriteNote(Struct, frozen=True):
    """The change may be; ``text`` is kept with the revision, up to 1000 characters. An
    empty one is no note."""

    text: str


class Reviewed(NamedTuple):
    """A draft, or a text that waited for review, that a person decided on."""

    key_id: str
    language_code: str
    plural_form: str  # "" of a key without plurals
    before: str
    after: str | None  # the text that was approved; None: the text was rejected

    @property
    def place(self) -> tuple[str, str, str]:
        """Which value it is."""
        return self[:3]


OnReview = Callable[[BranchScope, Sequence[Reviewed]], Callable[[], None] | None]
"""Is told of decisions in a plan; what it returns is called when the plan is stored."""

WriteVeto = Callable[[Caller, Change], str | None]
"""Answers the notes of all plugins. Raises WriteRefused."""


def key_change(
    project: Project,
    branch: str | None,
    action: KeyAction,
    origin: Origin,
    *,
    before: StoredKey | None = None,
    after: StoredKey | None = None,
) -> KeyChange:
    """The change of a key; one of ``before`` and ``after`` is there at least."""
    key = after or before
    assert key is not None
    return KeyChange(
        organization_id=project.organization_id,
        project_id=project.id,
        branch=branch,
        key_id=key.id,
        key=key.key,
        action=action,
        origin=origin,
        before=narrowed(KeyFields, before) if before else None,
        after=narrowed(KeyFields, after) if after else None,
    )
