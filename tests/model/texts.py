"""A key as a plain dict, and what its texts say: the model of the tests.

It knows no database, no services and no code of theirs. A key is a dict of fields:
``key``, ``description``, ``tags``, ``isPlural``, and ``(language, plural form)`` to a
Text; the text of a key without plurals is that of the form ``other``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

SOURCE = "en"
Fields = dict[Any, Any]
Place = tuple[str, str]
Spelled = tuple[str, str | None]
"""As it is told: without plural form, if the key has none."""
OTHER = "other"


class Text(NamedTuple):
    value: str
    status: str
    approved: str | None

    @property
    def counts(self) -> str:
        """The text that counts: the approved one, or the only one there is."""
        return self.value if self.approved is None else self.approved


class Keeping(NamedTuple):
    """A source text of a branch that was to keep translations fresh."""

    text: Text


def written(
    old: Text | None, value: str, approver: bool, outdated: bool
) -> Text | None:
    """What a text becomes when someone writes it."""
    status = "approved" if approver else "pending_review"
    approved = old.approved if old else None
    if not value and (approver or approved is None):
        return None
    settled = old and old.status in (status, "approved") and not outdated
    if old and settled and value == old.value:
        return old
    return Text(value, status, value if approver else approved)


def beside(now: Text | None, text: Text) -> Text | None:
    """What a text from a branch, which left alone what is approved, becomes on main."""
    if text.status == "approved":
        return text
    approved = now.approved if now else None
    return text._replace(approved=approved) if text.value or approved else None


def stands(base: Text | None, now: object, text: object) -> bool:
    """Whether a text waits on a branch, and main approved just that."""
    if not (isinstance(now, Text) and isinstance(text, Text)):
        return False
    waits = text.status != "approved"
    same = text.approved == (base.approved if base else None)
    return waits and same and (now.status, now.value) == ("approved", text.value)


def places(fields: Fields) -> list[Place]:
    return [field for field in fields if isinstance(field, tuple)]


def shown(content: object) -> object:
    return content.value if isinstance(content, Text) else content


def is_form(field: object) -> bool:
    """Whether it is a text that needs plurals."""
    return isinstance(field, tuple) and field[1] != OTHER


def drop_forms(fields: Fields) -> None:
    """A key without plurals has one text in a language."""
    if not fields["isPlural"]:
        for place in [place for place in places(fields) if is_form(place)]:
            del fields[place]


def spelled(place: Place, plural: bool) -> Spelled:
    return place if plural else (place[0], None)


def spread(fields: Fields) -> dict[Spelled, Text]:
    """The texts of a key as they are told."""
    return {spelled(p, fields["isPlural"]): fields[p] for p in places(fields)}


def counted(keys: Mapping[str, Fields], lang: str) -> dict[str, int]:
    """How far a language is, counted key by key (decisions 2.6)."""
    found = dict.fromkeys(["approved", "pending_review", "draft", "untranslated"], 0)
    found |= {"words": 0, "approved_words": 0}
    for fields in keys.values():
        states = {fields[p].status for p in places(fields) if p[0] == lang}
        worst = ["draft", "pending_review", "approved"]
        state = next((each for each in worst if each in states), "untranslated")
        words = source_words(fields)
        found[state] += 1
        found["words"] += words if states else 0
        found["approved_words"] += words if state == "approved" else 0
    return found


def source_words(fields: Fields) -> int:
    """Every text of the tests is one word, or none."""
    return sum(bool(fields[p].counts) for p in places(fields) if p[0] == SOURCE)
