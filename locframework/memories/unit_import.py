"""Brings units of a file into a memory, some thousand at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from locframework.fields import Clock, new_id, timestamp
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, standing, written

from .file_records import (
    ERRORS_TOLD,
    ImportResult,
    OnExisting,
    Unit,
    UnitFault,
    UnitValue,
)
from .records import (
    CONTEXT_LENGTH,
    SOURCE_LENGTH,
    VALUE_BYTES,
    MemoryEntry,
    MemoryWriting,
    StoredTranslation,
    Texts,
)
from .store import MemoryStore
from .tmx_reading import Found


class UnitRules(Struct, frozen=True):
    """How units become entries."""

    language_codes: Collection[str]  # target languages that are imported
    taken_as: Mapping[str, str]  # other languages of the file: which of these
    on_existing: OnExisting
    applies: bool  # what is written counts at once


class UnitImport:
    """Writes units; each batch in the transaction that is open."""

    def __init__(self, store: MemoryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def write(
        self,
        writing: MemoryWriting,
        rules: UnitRules,
        found: Sequence[Found],
        result: ImportResult,
    ) -> None:
        """Add what came of it to ``result``. A number of statements that grows with
        the units / 500."""
        units = _judged(found, result)
        ids = self._store.entry_ids_by_text(
            writing.tm_id, {(each.source_text, each.context) for each in units}
        )
        entries = self._store.find_entries(writing.tm_id, ids.values())
        there = {texts: entries[id_] for texts, id_ in ids.items()}
        batch = _Batch(writing.tm_id, rules, timestamp(self._clock()), there, result)
        for each in units:
            batch.add(each)
        if batch.new:
            self._store.add_entries(writing, list(batch.new.values()))
        if batch.put:
            self._store.put_translations(writing, list(batch.put.values()))
        changed = {row.entry_id for row in batch.put.values()}
        result.entries_created += len(batch.new)
        result.entries_updated += len(changed)
        result.entries_unchanged += len(batch.named - changed)
        result.translations_written += len(batch.put)
        result.translations_written += sum(
            len(each.translations) for each in batch.new.values()
        )


class _Batch:
    """Entries as they become; later units of one text go on where earlier ones were."""

    def __init__(
        self,
        tm_id: str,
        rules: UnitRules,
        at: str,
        there: dict[Texts, MemoryEntry],
        result: ImportResult,
    ) -> None:
        self._result = result
        self._tm_id = tm_id
        self._rules = rules
        self._at = at
        self._ids = {texts: entry.id for texts, entry in there.items()}
        self._rows = {
            entry.id: {each.language_code: each for each in entry.translations}
            for entry in there.values()
        }
        self.named: set[str] = set()  # entries that were there
        self.new: dict[Texts, MemoryEntry] = {}
        self.put: dict[tuple[str, str], StoredTranslation] = {}

    def add(self, unit: Unit) -> None:
        texts = unit.source_text, unit.context
        if texts in self._ids:
            id_ = self._ids[texts]
            self.named.add(id_)
            for code, row in self._changes(id_, unit).items():
                self.put[id_, code] = StoredTranslation(id_, row, self._at)
            return
        id_ = self.new[texts].id if texts in self.new else new_id()
        self._changes(id_, unit)
        rows = self._rows[id_].values()
        self.new[texts] = MemoryEntry(
            id=id_,
            tm_id=self._tm_id,
            source_text=unit.source_text,
            context=unit.context,
            created_at=self._at,
            updated_at=self._at,
            translations=tuple(sorted(rows, key=lambda each: each.language_code)),
        )

    def _changes(self, id_: str, unit: Unit) -> dict[str, TermTranslation]:
        """By language code, what a unit makes of the translations of an entry, which
        are so from now on."""
        rows = self._rows.setdefault(id_, {})
        found: dict[str, TermTranslation] = {}
        for given, value in unit.values.items():
            code = self._rules.taken_as.get(given, given)
            if code not in self._rules.language_codes:
                continue
            old = rows.get(code)
            keeps = old is not None and self._rules.on_existing == "keep"
            new = old if keeps else self._written(old, code, value)
            if new is not None and new != old:
                rows[code] = found[code] = new
            elif old is not None and (keeps or value.is_draft):
                stays = standing(old)
                if stays != value.value:
                    self._result.keep(unit.line, unit.source_text, code, stays)
        return found

    def _written(
        self, old: TermTranslation | None, code: str, value: UnitValue
    ) -> TermTranslation | None:
        if value.is_draft:
            return drafted(old, code, value.value)
        return written(old, code, value.value, applies=self._rules.applies, at=self._at)


def fail(result: ImportResult, fault: UnitFault) -> None:
    """Count a unit that is left out; the first hundred are told."""
    result.units_failed += 1
    if len(result.errors) < ERRORS_TOLD:
        result.errors.append(fault)


def _judged(found: Sequence[Found], result: ImportResult) -> list[Unit]:
    """The units that a memory can have, with the texts that it can; the others are
    told."""
    units: list[Unit] = []
    for each in found:
        if isinstance(each, UnitFault):
            fail(result, each)
        elif message := _refusal(each):
            fail(result, UnitFault(each.line, message))
        else:
            units.append(replace(each, values=_values(each, result)))
            for told in each.left_out:
                result.warn(each.line, told)
    return units


def _values(unit: Unit, result: ImportResult) -> dict[str, UnitValue]:
    """What a unit says in other languages; a text that no entry can have is told."""
    values: dict[str, UnitValue] = {}
    for code, value in unit.values.items():
        if not value.value.strip():
            continue
        if fault := _text_fault(value.value):
            result.warn(unit.line, f"the text in {code} is left out: it {fault}")
        else:
            values[code] = value
    return values


def _refusal(unit: Unit) -> str | None:
    if not unit.source_text.strip():
        return "the source text is blank"
    if len(unit.source_text) > SOURCE_LENGTH:
        return f"the source text has more than {SOURCE_LENGTH:,} characters"
    if len(unit.context) > CONTEXT_LENGTH:
        return f"the context has more than {CONTEXT_LENGTH:,} characters"
    return "a text holds U+0000" if "\0" in unit.source_text + unit.context else None


def _text_fault(value: str) -> str | None:
    if "\0" in value:
        return "holds U+0000"
    if len(value.encode()) > VALUE_BYTES:
        return f"has more than {VALUE_BYTES:,} bytes in UTF-8"
    return None
