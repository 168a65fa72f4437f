"""Decides which texts of a key a memory can fill, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from locframework.formats.records import Text
from locframework.keys.records import KeyState, KeyWrite, StoredValue

from .learned import context_of
from .prefill_records import PrefillParams
from .search_records import TEXT_LENGTH
from .showing import ByLanguage, Question


class Wish(Struct, frozen=True, gc=False):
    """A plural form of a key that lacks a text in some languages."""

    key_id: str
    plural_form: str | None
    source: Question  # its text, and the context that it is learned in
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
            source = Question(text, context_of(state.key.key, form))
            yield Wish(state.key.id, form, source, wanted)


def writes_of(
    state: KeyState,
    wishes: Sequence[Wish],
    matches: Mapping[Question, ByLanguage],
    least: int,
) -> KeyWrite | None:
    """What fills a key; None when no match, best first, is good enough."""
    texts: dict[str, dict[str | None, str]] = {}
    there = {(row.language_code, row.plural_form): row.value for row in state.values}
    for wish in wishes:
        for code in wish.language_codes:
            found = matches.get(wish.source, {}).get(code, [])
            best = found[0] if found else None
            if best is None or best.match_percentage < least:
                continue
            if best.value != there.get((code, wish.plural_form)):
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
