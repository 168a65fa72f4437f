"""Decides what becomes of keys and values in a write, before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import BranchScope
from locframework.errors import (
    BranchProtected,
    KeyExists,
    KeyNotFound,
    LanguageNotFound,
    LanguageNotInProject,
    LocError,
    ProjectNotFound,
    abbreviate,
)
from locframework.fields import Timestamp, new_id
from locframework.keys.changes import (
    Action,
    Reviewed,
    ValueChange,
    WriteVeto,
    key_change,
)
from locframework.keys.key_fields import ValueRevision
from locframework.keys.records import (
    KeyWrite,
    KeyWritten,
    Origin,
    Revision,
    StoredKey,
    StoredValue,
    ValueSlot,
)
from locframework.keys.rules import (
    apply_write,
    approve,
    as_pending,
    as_revision,
    check_key,
    check_plurals,
    cleared,
    last_number,
    moved_form,
    new_value,
    rebase_pending,
    reject,
    select_reviewable,
    status_of_write,
    take_over,
    texts_by_form,
    withdraw,
)
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.quality.check import Dismissed

from .checks import CheckRunner
from .unit_of_work import KeyEdit, KeyEvents, UnitOfWork

_EVENTS = {"write": "", "approve": "approved", "reject": "rejected"}


class PlannedValue(Struct, frozen=True, gc=False):
    """What becomes of one value."""

    slot: ValueSlot
    old: StoredValue | None
    new: StoredValue | None
    """None: it is cleared."""
    action: Action = "write"
    is_same: bool = False
    """The write repeats the stored text."""
    is_taken_over: bool = False
    """Taken over with its review state, as a merge does."""
    outdates: bool = False
    """Translations of it become outdated."""
    note: str | None = None
    """Of plugins."""


class WritePlanner:
    """Plans the writes of one batch, each on what those before it have changed.

    Nothing is stored: changes are made in a UnitOfWork. A write that is refused leaves
    it as it was.
    """

    def __init__(
        self,
        access: Access,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        origin: Origin,
        keys: UnitOfWork,
        events: KeyEvents,
        runner: CheckRunner,
        veto: WriteVeto | None,
        at: Timestamp,
        *,
        is_direct: bool,
        leaving: Iterable[str] = (),
    ) -> None:
        """``is_direct``: a protected main refuses. ``leaving``: ids of keys that give
        up their names in the batch."""
        self.scope = scope
        self.order = {each.language_code: n for n, each in enumerate(languages)}
        self.keys = keys
        self.events = events
        self.runner = runner
        self.at = at
        self._access = access
        self._caller = caller
        self._origin: Origin = origin
        self._veto = veto
        self._is_protected = (
            is_direct and scope.branch is None and scope.project.main_protected
        )
        self._leaving = {*leaving}
        self._access_scope = scope_of(scope.project)
        self._is_approver = access.may(
            caller, "translation_approve", self._access_scope
        )
        self._assigned: set[str] = set()
        self.refused: list[KeyWrite] = []
        self.reviewed: list[Reviewed] = []
        self._created: list[str] = []

    def plan_each(
        self, writes: Sequence[KeyWrite], *, stops: bool
    ) -> list[KeyWritten | LocError]:
        """Plan every write; an error takes the place of its result.

        ``stops``: the first error is the last element.
        """
        self._created = [write.new_id for write in writes if write.new_id]
        results: list[KeyWritten | LocError] = []
        for write in writes:
            try:
                results.append(self.plan(write))
            except LocError as error:
                results.append(error)
                self.refused.append(write)
                if stops:
                    break
        return results

    def names_lost(self) -> set[str]:
        """Return the ids of keys that stay as they are, but for a name taken meanwhile.

        They were to give up their names, which other writes took, and are refused.
        """
        lost = set()
        for write in self.refused:
            old = self.keys.key(write.key_id) if write.key_id is not None else None
            holder = self.keys.named(old.key) if old is not None else None
            if old is not None and holder is not None and holder.id != old.id:
                lost.add(old.id)
        return lost

    def plan(self, write: KeyWrite) -> KeyWritten:
        """Plan one write. Raises as KeyWriter.write_each, with nothing changed.

        What needs no text is refused first (docs/spec/decisions.md 2.2).
        """
        edit = self.keys.edits.get(write.key_id) if write.key_id is not None else None
        if write.key_id is not None and edit is None:
            raise KeyNotFound
        old = edit.key if edit is not None else None
        is_plural = old is not None and old.is_plural
        is_plural = bool(write.fields.get("is_plural", is_plural))
        texts = self._texts(write, is_plural=is_plural)
        name, is_named = str(write.fields.get("key", write.name)), "key" in write.fields
        if old is None or is_named:
            check_key(name, self.scope.project.key_separator)
        self._require_languages(texts)
        if write.stored_values:
            self._require_languages(code for code, _ in write.stored_values)
        if write.decision is not None:
            check_plurals(write.decision.revision, is_plural=is_plural)
            if write.decision.language_code not in self.order:
                raise LanguageNotFound
            self._require_languages([write.decision.language_code])
        if self._is_protected:
            raise BranchProtected
        if old is None or is_named:
            other = self.keys.named(name)
            if other is not None and other.id not in (write.key_id, *self._leaving):
                raise KeyExists(self._taken(name, write, other))
        self.keys.load_values()
        key = self._key(old, write, is_plural=is_plural)
        stored: Mapping[ValueSlot, StoredValue] = {}
        last: Mapping[ValueSlot, int] | None = None
        if edit is not None:
            stored = edit.values
            if is_plural != edit.key.is_plural:
                self._require_turning(stored)
                last = {
                    **self.keys.last_revisions(edit),
                    **{at: row.revision + 1 for at, row in stored.items()},
                }
                stored = self._turned(stored.values(), last, is_plural=is_plural)
        if self._veto is not None and key != old:
            action: Literal["create", "update"] = "create" if old is None else "update"
            where = self.scope.project, self.scope.name, action, self._origin
            self._veto(self._caller, key_change(*where, before=old, after=key))
        values = self._values(write, key, texts, stored)
        if edit is not None:
            for at, planned in enumerate(values):
                if planned.old is None and planned.new is not None:
                    last = last if last is not None else self.keys.last_revisions(edit)
                    values[at] = _numbered(planned, planned.new, last)
        if self._veto is not None:
            sources = self._source_texts(stored, values)
            values = [self._noted(self._veto, key, plan, sources) for plan in values]
        return self._change(edit, key, stored, values)

    def _texts(
        self, write: KeyWrite, *, is_plural: bool
    ) -> dict[str, dict[str | None, str]]:
        texts: dict[str, dict[str | None, str]] = {}
        for code, text in write.values.items():
            if code not in self.order:
                short = abbreviate(code)
                raise LanguageNotInProject(f"the project has no language {short!r}")
            path = write.places.get(code) or _path(code)
            texts[code] = texts_by_form(text, is_plural=is_plural, path=path)
        return texts

    def _require_languages(self, codes: Iterable[str]) -> None:
        for code in codes:
            if code not in self._assigned:
                self._access.require_language(self._caller, self._access_scope, code)
                self._assigned.add(code)

    def _require_turning(self, stored: Mapping[ValueSlot, StoredValue]) -> None:
        """Turning plurals on or off writes every stored value."""
        if stored:
            self._access.require(
                self._caller, "translation_write", self._access_scope, ProjectNotFound
            )
            self._require_languages({code for code, _ in stored})

    def _taken(self, name: str, write: KeyWrite, other: StoredKey) -> str:
        message = f"key {abbreviate(name)!r} is already in the project"
        if self._origin != "merge":
            return message
        return (
            f"{message}: {other.id} has the name on main, and"
            f" {write.key_id or write.new_id} on the branch;"
            " rename one of them, and merge again"
        )

    def _key(
        self, old: StoredKey | None, write: KeyWrite, *, is_plural: bool
    ) -> StoredKey:
        """Return the key with the fields that the write sets."""
        if old is not None:
            return replace(old, **write.fields) if write.fields else old
        new = StoredKey(
            id=write.new_id or new_id(),
            project_id=self.scope.project.id,
            key=write.name,
            description="",
            tags=(),
            is_plural=is_plural,
            screenshot_url=None,
            screenshot_file_id=None,
            key_source="main" if self.scope.branch is None else "branch",
            created_at=write.created_at or self.at,
            updated_at=self.at,
        )
        return replace(new, **write.fields)

    def _turned(
        self,
        values: Iterable[StoredValue],
        last: Mapping[ValueSlot, int],
        *,
        is_plural: bool,
    ) -> dict[ValueSlot, StoredValue]:
        """Return the values after plurals are turned on or off, as new revisions."""
        found: dict[ValueSlot, StoredValue] = {}
        for value in values:
            moved = moved_form(value, is_plural=is_plural)
            if moved is not None:
                slot = (moved.language_code, moved.plural_form)
                number = last_number(slot, last) + 1
                found[slot] = as_revision(
                    moved, self.at, self._caller.actor, revision=number
                )
        return found

    # values

    def _values(
        self,
        write: KeyWrite,
        key: StoredKey,
        texts: Mapping[str, Mapping[str | None, str]],
        stored: Mapping[ValueSlot, StoredValue],
    ) -> list[PlannedValue]:
        """Return what becomes of each value that the write names.

        ``stored``: the values of the key, once its plurals are turned.
        """
        plans = self._written(write, key, texts, stored) if texts else []
        if write.stored_values or write.up_to_date:
            plans += self._taken_over(write, key, stored)
        if write.decision is not None:
            plans += self._reviewed(write, key, stored)
        return plans

    def _written(
        self,
        write: KeyWrite,
        key: StoredKey,
        texts: Mapping[str, Mapping[str | None, str]],
        stored: Mapping[ValueSlot, StoredValue],
    ) -> list[PlannedValue]:
        plans: list[PlannedValue] = []
        actor, origin = self._caller.actor, self._origin
        blocked: Iterable[ValueSlot] = ()
        if self._is_approver and self.runner.blocks:
            given = {(code, f): one for code in texts for f, one in texts[code].items()}
            blocked = self.runner.blocked(key, stored.values(), given, self._dismissed)
        for code, forms in texts.items():
            for form, text in forms.items():
                slot = _slot(code, form)
                status = status_of_write(
                    origin,
                    approver=self._is_approver,
                    needs_review=code in write.review or slot in blocked,
                )
                old = stored.get(slot)
                new = new_value(
                    key.id, code, form, text,
                    origin=origin, at=self.at, by=actor.id, actor_type=actor.type,
                    keeps_fresh=write.keep_fresh,
                )  # fmt: skip
                result = apply_write(old, new, status)
                if result == "unchanged":
                    if old is not None:
                        plans.append(PlannedValue(slot, old, old, is_same=True))
                    continue
                outdates = not write.keep_fresh and self._outdates(slot, old, result)
                plans.append(PlannedValue(slot, old, result, outdates=outdates))
        return plans

    def _taken_over(
        self, write: KeyWrite, key: StoredKey, stored: Mapping[ValueSlot, StoredValue]
    ) -> Iterator[PlannedValue]:
        """Plan values that are taken over; one that a check blocks becomes pending."""
        new_values = write.stored_values.items()
        given = {slot: value.value if value else "" for slot, value in new_values}
        blocked = self.runner.blocked(key, stored.values(), given, self._dismissed)
        source = self.scope.project.source_language
        keeps_fresh = all(
            slot in write.up_to_date or slot in write.stored_values
            for slot in stored
            if slot[0] != source
        )
        for slot, value in write.stored_values.items():
            old = stored.get(slot)
            new = None if value is None else replace(value, key_id=key.id)
            if new is not None and slot in write.keep_approved:
                new = rebase_pending(old, new)
            result = take_over(
                old, new, origin=self._origin, at=self.at, by=self._caller.actor
            )
            if result == "unchanged":
                if old is not None and slot in write.up_to_date:
                    yield PlannedValue(slot, old, old, is_same=True)
                continue
            if result is not None and slot in blocked:
                result = as_pending(old, result, keeps_fresh=keeps_fresh)
            outdates = self._outdates(slot, old, result)
            if outdates and any(code != slot[0] for code, _ in stored):
                outdates = not keeps_fresh
            yield PlannedValue(slot, old, result, is_taken_over=True, outdates=outdates)
        for slot in write.up_to_date:
            old = stored.get(slot)
            if old is not None and slot not in write.stored_values:
                yield PlannedValue(slot, old, old, is_same=True)

    def _reviewed(
        self, write: KeyWrite, key: StoredKey, stored: Mapping[ValueSlot, StoredValue]
    ) -> Iterator[PlannedValue]:
        decision = write.decision
        assert decision is not None  # asked before
        code, by = decision.language_code, self._caller.actor
        chosen = select_reviewable(
            [row for (tag, _), row in stored.items() if tag == code], decision, by
        )
        if decision.action == "approve":
            values = stored.values()
            self.runner.require_approvable(key, values, chosen, self._dismissed)
        for row in chosen:
            new: StoredValue | None
            action: Action
            if decision.action == "approve":
                new, action = approve(row, at=self.at, by=by), "approve"
            elif decision.action == "reject":
                new, action = reject(row, decision, at=self.at, by=by), "reject"
            else:
                new, action = withdraw(row, at=self.at, by=by), "write"
            slot = (row.language_code, row.plural_form)
            outdates = not row.keeps_fresh and self._outdates(slot, row, new)
            yield PlannedValue(slot, row, new, action, outdates=outdates)

    def _dismissed(self) -> Dismissed:
        return self.keys.dismissed(self._created)

    def _outdates(
        self, slot: ValueSlot, old: StoredValue | None, new: StoredValue | None
    ) -> bool:
        """Return whether another source text applies; the first outdates nothing."""
        if old is None or slot[0] != self.scope.project.source_language:
            return False
        return _applied(old) not in (None, _applied(new))

    def _source_texts(
        self, stored: Mapping[ValueSlot, StoredValue], values: Iterable[PlannedValue]
    ) -> dict[str | None, str]:
        """Return the source texts that a key will have, by plural form."""
        rows = {**stored, **{plan.slot: plan.new for plan in values}}
        source = self.scope.project.source_language
        return {
            form: row.value
            for (code, form), row in rows.items()
            if code == source and row is not None and row.value
        }

    def _noted(
        self,
        veto: WriteVeto,
        key: StoredKey,
        plan: PlannedValue,
        sources: Mapping[str | None, str],
    ) -> PlannedValue:
        """Return the plan with the notes of plugins. Raises WriteRefused."""
        if plan.is_same:
            return plan
        old, new, project = plan.old, plan.new, self.scope.project
        (code, form), source_text = plan.slot, None
        if code != project.source_language and sources:
            any_ = sources.get("other") or next(iter(sources.values()))
            source_text = sources.get(form) or any_
        change = ValueChange(
            organization_id=project.organization_id,
            project_id=project.id,
            branch=self.scope.name,
            key_id=key.id,
            key=key.key,
            language_code=code,
            plural_form=form,
            action=plan.action,
            origin=self._origin if new is None else new.origin,
            before=old.value if old is not None else None,
            after=new.value if new is not None else None,
            status=new.status if new is not None else "untranslated",
            description=key.description,
            tags=key.tags,
            file_key=key.file_key,
            source_text=source_text,
        )
        note = veto(self._caller, change)
        if note is None:
            return plan
        new = replace(new, note=note) if new is not None else None
        return replace(plan, new=new, note=note)

    # changing the unit of work; nothing is refused from here on

    def _change(
        self,
        edit: KeyEdit | None,
        key: StoredKey,
        stored: Mapping[ValueSlot, StoredValue],
        values: Iterable[PlannedValue],
    ) -> KeyWritten:
        outcome: Literal["created", "updated", "unchanged"] = "unchanged"
        if edit is None:
            outcome, edit = "created", self.keys.add(key)
            self.events.add_keys("key.created", [key])
        elif key != edit.key:
            outcome, old = "updated", edit.key
            key = replace(key, updated_at=self.at)
            moved: Sequence[ValueRevision] = ()
            if key.is_plural != old.is_plural:
                moved = self._move_forms(edit, key, stored)
            self.keys.save(edit, key)
            self.events.updated(old, key, moved)
        count = 0
        for plan in values:
            if plan.is_same:
                edit.confirmed |= {plan.slot}
                continue
            count += 1
            if plan.new is not None:
                self.keys.put(edit, plan.slot, plan.new)
                if plan.is_taken_over:
                    edit.confirmed |= {plan.slot}
            elif plan.old is not None:
                end = self._end(plan.old, plan.note)
                self.keys.clear(edit, replace(end, keeps_fresh=not plan.outdates))
            self.events.value(key, plan.old, plan.new, plan.slot, _EVENTS[plan.action])
            if plan.outdates:
                edit.outdates = True
            self._note_review(key, plan)
        if count and outcome == "unchanged":
            outcome, key = "updated", replace(key, updated_at=self.at)
        return KeyWritten(key, outcome, count)

    def _note_review(self, key: StoredKey, plan: PlannedValue) -> None:
        """Note the value if a person decided on a text that was not approved yet: wrote
        or approved one, rejected it, or cleared it."""
        old, new = plan.old, plan.new
        if old is None or old.status == "approved":
            return
        if self._origin != "human" or plan.is_taken_over:
            return
        after = None if new is None or plan.action == "reject" else new.value
        if new is None or plan.action == "reject" or new.status == "approved":
            code, form = plan.slot
            self.reviewed.append(Reviewed(key.id, code, form or "", old.value, after))

    def _move_forms(
        self, edit: KeyEdit, key: StoredKey, stored: Mapping[ValueSlot, StoredValue]
    ) -> list[ValueRevision]:
        """Turn plurals on or off; return the revisions that this creates."""
        moved: list[ValueRevision] = []
        for value in list(edit.values.values()):
            end = self._end(value)
            self.keys.clear(edit, end)
            slot = (end.language_code, end.plural_form)
            self.events.moved(key, slot, "untranslated", end.revision)
            moved.append((*slot, end.revision))
        for slot, value in stored.items():
            self.keys.put(edit, slot, value)
            edit.moved |= {slot}
            self.events.moved(key, slot, value.status, value.revision)
            moved.append((*slot, value.revision))
        return moved

    def _end(self, old: StoredValue, note: str | None = None) -> Revision:
        by = self._caller.actor
        return cleared(old, origin=self._origin, at=self.at, by=by, note=note)


def keys_in(writes: Iterable[KeyWrite]) -> tuple[set[str], set[str]]:
    """Return the ids of the keys of a batch, and the names that they are to have."""
    ids: set[str] = set()
    names: set[str] = set()
    for write in writes:
        if write.key_id is None:
            names.add(write.name)
        else:
            ids.add(write.key_id)
        if "key" in write.fields:
            names.add(str(write.fields["key"]))
    return ids, names


def renamed_in(writes: Iterable[KeyWrite], keys: UnitOfWork) -> set[str]:
    """Return the ids of keys that are to be renamed."""
    found = set()
    for write in writes:
        if write.key_id is not None and "key" in write.fields:
            old = keys.key(write.key_id)
            if old is not None and old.key != write.fields["key"]:
                found.add(old.id)
    return found


def _numbered(
    plan: PlannedValue, new: StoredValue, last: Mapping[ValueSlot, int]
) -> PlannedValue:
    """Return the plan with a revision after those of a value that was cleared."""
    number = last_number(plan.slot, last)
    if new.revision > number:
        return plan
    return replace(plan, new=replace(new, revision=number + 1))


def _applied(value: StoredValue | None) -> str | None:
    """Return the approved text, or the only one there is."""
    if value is None:
        return None
    return value.value if value.approved_value is None else value.approved_value


@lru_cache(maxsize=4096)
def _slot(language_code: str, plural_form: str | None) -> ValueSlot:
    """Return the same tuple each time, so that the garbage collector has less to do."""
    return language_code, plural_form


@lru_cache(maxsize=1024)
def _path(code: str) -> str:
    """Return where a request has the text of a language, unless it says otherwise."""
    return f"$.values.{abbreviate(code)}"
