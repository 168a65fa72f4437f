"""Decides what a memory learns of the keys of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from locframework.fields import Timestamp
from locframework.keys.records import KeyState, StoredValue
from locframework.proposals.records import TermTranslation

from .records import SOURCE_LENGTH, StoredTranslation, Texts, WriteMode

KeyPlace = tuple[str, str | None]
"""Key id and plural form."""


class Learned(Struct, frozen=True, gc=False):
    """A translation that a memory learns, and since when its key says so."""

    translation: TermTranslation
    at: Timestamp


class Segment(Struct, frozen=True, gc=False):
    """What one plural form of a key teaches: a source text and its translations."""

    place: KeyPlace
    texts: Texts
    translations: Mapping[str, Learned]  # by language code; at least one


def segments_of(
    state: KeyState,
    source_language: str,
    mode: WriteMode,
    language_codes: Collection[str],
) -> Iterator[Segment]:
    """What a key of main teaches a memory with these target languages.

    A plural form is paired with the same form of the source. The context is the key's
    name, for plural forms but ``other`` with the form in brackets, which no key has.
    """
    if mode == "none":
        return
    rows: dict[str | None, dict[str, StoredValue]] = {}
    for row in state.values:
        rows.setdefault(row.plural_form, {})[row.language_code] = row
    for form, by_code in rows.items():
        source = by_code.get(source_language)
        text = _text(source, mode) if source is not None else None
        if source is None or text is None or not _is_segment(text.translation.value):
            continue
        found = {
            code: learned
            for code, row in by_code.items()
            if code != source_language
            and code in language_codes
            and (learned := _text(row, mode)) is not None
            and _is_of(learned, row, text)
        }
        if found:
            texts = text.translation.value, context_of(state.key.key, form)
            yield Segment((state.key.id, form), texts, found)


def context_of(key: str, plural_form: str | None) -> str:
    """The context of what is learned of a key: its name, and forms in brackets."""
    return key if plural_form in (None, "other") else f"{key}[{plural_form}]"


def best_of(segments: Iterable[Segment]) -> dict[str, Learned]:
    """Of what several keys teach of one entry: the approved, the latest.

    Equal ones are told apart by their keys, so that it is always the same.
    """
    ranked = [
        (segment.place[0], segment.place[1] or "", code, learned)
        for segment in segments
        for code, learned in segment.translations.items()
    ]
    ranked.sort(key=lambda each: (_rank(each[3]), each[0], each[1]))
    return {code: learned for _, _, code, learned in ranked}


def kept(
    entry_id: str, old: StoredTranslation | None, new: Learned | None, at: Timestamp
) -> StoredTranslation | None:
    """The translation of an entry after its keys say ``new``; None: there is none.

    What was set by hand later than the keys were written stays, and so does a
    proposal beside the value. The same value stays of who set it by hand, approved
    from then on if a key's is. An answer that is ``old`` means that nothing happened.
    """
    if new is None:
        if old is None or not old.is_learned:
            return old
        waiting = old.translation.proposed_value
        if waiting is None:
            return None
        rest = replace(
            old.translation, value="", status="pending_review", approved_at=None
        )
        return StoredTranslation(entry_id, rest, at)
    translation = new.translation
    if old is not None:
        if not old.is_learned and old.updated_at >= new.at:
            return old
        if not old.is_learned and old.translation.value == translation.value:
            return _approved(old, translation, at)
        proposed = old.translation.proposed_value
        if proposed != translation.value:
            translation = replace(translation, proposed_value=proposed)
        if old.is_learned and old.translation == translation:
            return old
    return StoredTranslation(entry_id, translation, at, is_learned=True)


def _approved(
    old: StoredTranslation, said: TermTranslation, at: Timestamp
) -> StoredTranslation:
    if old.translation.status == "approved" or said.status != "approved":
        return old
    translation = replace(
        old.translation, status="approved", approved_at=said.approved_at
    )
    return StoredTranslation(old.entry_id, translation, at)


def _rank(learned: Learned) -> tuple[bool, Timestamp]:
    return learned.translation.status == "approved", learned.at


def _text(row: StoredValue, mode: WriteMode) -> Learned | None:
    """The approved text of a value; where all are learned, else one that waits."""
    code = row.language_code
    if row.approved_value is not None and row.approved_at is not None:
        is_newest = row.status == "approved"
        value = TermTranslation(
            code, row.approved_value, "approved", row.approved_at, None
        )
        return Learned(value, row.updated_at if is_newest else row.approved_at)
    if mode == "all" and row.status == "pending_review":
        draft = TermTranslation(code, row.value, "draft", None, None)
        return Learned(draft, row.updated_at)
    return None


def _is_of(learned: Learned, row: StoredValue, source: Learned) -> bool:
    """Whether the text translates the source text as it is now.

    Beside a newer proposal nobody can say whether an approved text was outdated
    before; it is taken for so when the source text was written later.
    """
    if not learned.translation.value.strip():
        return False
    if row.status == "approved" or learned.translation.status == "draft":
        return not row.is_outdated
    return learned.at >= source.at


def _is_segment(text: str) -> bool:
    return bool(text.strip()) and len(text) <= SOURCE_LENGTH
