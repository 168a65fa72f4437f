"""What a plugin is shown of a change of a value, and what it may answer."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from locframework.access.records import Caller

from .records import Origin
from .revisions import RevisionStatus

Action = Literal["write", "approve", "reject"]

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


class WriteRefusal(Struct, frozen=True):
    """The change is refused; ``reason`` is told to who asked for it."""

    reason: str


class WriteNote(Struct, frozen=True):
    """The change may be; ``text`` is kept with the revision, up to 1000 characters."""

    text: str


WriteJudge = Callable[[Caller, ValueChange], str | None]
"""Answers the notes of all plugins. Raises WriteRefused."""
