"""Decides which texts of a key a memory can fill, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from locframework.formats.records import Text
from locframework.keys.records import KeyState, KeyWrite, StoredValue

from .learned import context_of
from .prefill_records import PrefillParams
from .search_records import TEXT_LENGTH, Match, Matches


class Wish(Struct, frozen=True, gc=False):
    """A plural form of a key that lacks a text in some languages."""

    key_id: str
    plural_form: str | None
    source_text: str
    context: str
    language_codes: Sequence[str]


def wishes_of(
    state: KeyState, source_language: str, params: PrefillParams
) -> Iterator[Wish]:
    """What of a key is to be filled: forms that the source has, as they are learned."""
    rows = {(row.language_code, row.plural_form): row for row in state.values}
    for (code, form), row in rows.items():
        text = row.value if row.approved_value is None else row.approved_value
        if code != source_language or not text.strip() or len(text) > TEXT_LENGTH:
            continue
        wanted = [
            each
            for each in params.language_codes
            if _is_wanted(rows.get((each, form)), only_missing=params.only_missing)
        ]
        if wanted:
            context = context_of(state.key.key, form)
            yield Wish(state.key.id, form, text, context, wanted)


def writes_of(
    state: KeyState, wishes: Sequence[Wish], matches: Matches, least: int
) -> KeyWrite | None:
    """What fills a key; None when no match is good enough."""
    texts: dict[str, dict[str | None, str]] = {}
    there = {(row.language_code, row.plural_form): row.value for row in state.values}
    for wish in wishes:
        for code in wish.language_codes:
            found = matches.get(wish.source_text, {}).get(code, [])
            best = _best(found, wish.context, least)
            if best is not None and best.value != there.get((code, wish.plural_form)):
                texts.setdefault(code, {})[wish.plural_form] = best.value
    if not texts:
        return None
    values: Mapping[str, Text] = {
        code: {str(form): text for form, text in forms.items()}
        if state.key.is_plural
        else forms[None]
        for code, forms in texts.items()
    }
    return KeyWrite(name=state.key.key, key_id=state.key.id, values=values)


def _is_wanted(row: StoredValue | None, *, only_missing: bool) -> bool:
    if row is None:
        return True
    return not only_missing and row.status != "pending_review"


def _best(found: Sequence[Match], context: str, least: int) -> Match | None:
    """The first of the best approved ones, if there is none of the same context."""
    good = [
        each
        for each in found
        if each.match_percentage >= least and each.status == "approved"
    ]
    if not good:
        return None
    top = [e for e in good if e.match_percentage == good[0].match_percentage]
    return next((each for each in top if each.context == context), top[0])
