"""One try at a batch of writes, in memory: what it decides is flushed by the writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from locframework.access.service import Access
from locframework.errors import (
    KeyExists,
    KeyNotFound,
    LanguageNotInProject,
    ProjectNotFound,
    abbreviate,
)
from locframework.projects.service import scope_of

from .change_log import Moved
from .changes import key_change
from .events import KeyEvents
from .records import Key, KeyWrite, KeyWritten, StoredValue, ValueSlot
from .rules import check_key, texts_by_form
from .unit_of_work import UnitOfWork
from .value_plans import Batch, ValuePlan, ended, key_as_written, plan_values, turned

VERDICTS = {"write": "", "approve": "approved", "reject": "rejected"}  # as events tell


class _Asked(Struct, frozen=True, gc=False):
    """A write that may be done, as far as plugins have no say."""

    write: KeyWrite
    old: Key | None
    is_plural: bool
    texts: Mapping[str, Mapping[str | None, str]]


class _Meant(Struct, frozen=True, gc=False):
    """What a write comes to, before its values are looked at."""

    key: Key
    there: Mapping[ValueSlot, StoredValue]  # once plurals are turned on or off
    gone: Mapping[ValueSlot, int]  # last revisions of those that were cleared


class BatchWrite:
    """CheckRunners writes one by one, each on what those before it have left."""

    def __init__(
        self, access: Access, batch: Batch, keys: UnitOfWork, events: KeyEvents
    ) -> None:
        self._access = access
        self.batch = batch
        self.keys = keys
        self.events = events

    def judge(self, write: KeyWrite) -> None:
        """Raise what ``write`` would, of a key that no other write is about or names.

        No key is made for it where nobody is to be shown one.
        """
        asked = self._judged(write)
        if self.batch.judge is not None or write.verdict is not None:
            self._planned(asked, self._meant(asked))

    def write(self, write: KeyWrite) -> KeyWritten:
        """Do one write. Raises as KeyWriter.write does, with nothing of it done."""
        asked = self._judged(write)
        meant = self._meant(asked)
        old, there = asked.old, meant.there
        plans = self._planned(asked, meant)
        key, changed = self._put_key(old, meant.key, there)
        count = self._put_values(key, plans)
        if count and old is not None and not changed:
            key = replace(key, updated_at=self.batch.at)
        outcome: Literal["created", "updated", "unchanged"] = "updated"
        if old is None:
            outcome = "created"
        elif not changed and not count:
            outcome = "unchanged"
        return KeyWritten(key, outcome, count)

    def _judged(self, write: KeyWrite) -> _Asked:
        batch, keys = self.batch, self.keys
        old = keys.key(write.key_id) if write.key_id is not None else None
        if write.key_id is not None and old is None:
            raise KeyNotFound
        plural = old.is_plural if old else False
        plural = plural if write.is_plural is UNSET else write.is_plural
        texts = self._texts(write, is_plural=plural)
        name = write.name if write.rename is UNSET else write.rename
        if old is None or write.rename is not UNSET:
            check_key(name, batch.project.key_separator)
        self._judge_languages(texts)
        if write.carried or write.verdict:
            self._judge_languages(_codes_beside(write))
        if old is not None and plural != old.is_plural:  # every text moves, or goes
            self._judge_turning({tag for tag, _ in keys.values(old.id)})
        other = keys.named(name) if old is None or write.rename is not UNSET else None
        if other is not None and other.id not in (write.key_id, *batch.leaving):
            raise KeyExists(self._taken(name, write, other))
        return _Asked(write, old, plural, texts)

    def _meant(self, asked: _Asked) -> _Meant:
        batch, keys, old = self.batch, self.keys, asked.old
        key = key_as_written(batch, old, asked.write, is_plural=asked.is_plural)
        self._ask(old, key)
        gone = _gone(keys, old, key)
        there = _there(batch, keys, old, key, gone)
        return _Meant(key, there, gone)

    def _taken(self, name: str, write: KeyWrite, other: Key) -> str:
        message = f"key {abbreviate(name)!r} is already in the project"
        if self.batch.origin != "merge":
            return message
        mine = write.key_id or write.new_id
        return (
            f"{message}: {other.id} has the name on main, and {mine} on the branch;"
            " rename one of them, and merge again"
        )

    def _planned(self, asked: _Asked, meant: _Meant) -> list[ValuePlan]:
        return plan_values(
            self.batch, asked.write, meant.key, asked.texts, meant.there, meant.gone
        )

    def _texts(
        self, write: KeyWrite, *, is_plural: bool
    ) -> dict[str, dict[str | None, str]]:
        texts: dict[str, dict[str | None, str]] = {}
        for tag, text in write.values.items():
            if tag not in self.batch.order:
                short = abbreviate(tag)
                raise LanguageNotInProject(f"the project has no language {short!r}")
            path = write.places.get(tag) or _path(tag)
            texts[tag] = texts_by_form(text, is_plural=is_plural, path=path)
        return texts

    def _judge_languages(self, tags: Iterable[str]) -> None:
        for tag in tags:
            if tag not in self.batch.assigned:
                scope = scope_of(self.batch.project)
                self._access.require_language(self.batch.caller, scope, tag)
                self.batch.assigned.add(tag)

    def _judge_turning(self, tags: set[str]) -> None:
        """Turning plurals on or off writes every text that is there."""
        if tags:
            scope = scope_of(self.batch.project)
            self._access.require(
                self.batch.caller, "translation_write", scope, ProjectNotFound
            )
        self._judge_languages(tags)

    def _ask(self, old: Key | None, key: Key) -> None:
        """Give plugins their say in what the key becomes. Raises WriteRefused."""
        batch = self.batch
        if batch.judge is not None and key != old:
            change = key_change(
                batch.project,
                batch.branch,
                "create" if old is None else "update",
                batch.origin,
                before=old,
                after=key,
            )
            batch.judge(batch.caller, change)

    def _put_key(
        self,
        old: Key | None,
        key: Key,
        there: Mapping[ValueSlot, StoredValue],
    ) -> tuple[Key, bool]:
        if old is None:
            self.keys.add(key)
            self.events.created(key)
            return key, True
        if key == old:
            return old, False
        key = replace(key, updated_at=self.batch.at)
        moved: list[Moved] = []
        if key.is_plural != old.is_plural:
            moved = self._move_forms(key, there)
        self.keys.save(key)
        self.events.updated(old, key, moved)
        return key, True

    def _move_forms(
        self,
        key: Key,
        there: Mapping[ValueSlot, StoredValue],
    ) -> list[Moved]:
        """Turn plurals on or off; answers the revisions that this makes."""
        moved: list[Moved] = []
        for value in list(self.keys.values(key.id).values()):
            end = ended(self.batch, value)
            self.keys.clear(end)
            place = (end.language_code, end.plural_form)
            self.events.moved(key, place, "untranslated", end.revision)
            moved.append((*place, end.revision))
        for place, value in there.items():
            self.keys.move(key.id, place, value)
            self.events.moved(key, place, value.status, value.revision)
            moved.append((*place, value.revision))
        return moved

    def _put_values(
        self,
        key: Key,
        plans: Iterable[ValuePlan],
    ) -> int:
        """Do what was planned; how many values that changed."""
        count = 0
        for plan in plans:
            if plan.is_kept:
                self.keys.keep_fresh(key.id, plan.place)
                continue
            if plan.new is not None:
                self.keys.put(key.id, plan.place, plan.new)
                if plan.is_carried:
                    self.keys.keep_fresh(key.id, plan.place)
            elif plan.old is not None:
                end = ended(self.batch, plan.old, plan.note)
                self.keys.clear(replace(end, keeps_fresh=not plan.outdates))
            self.events.value(
                key, plan.old, plan.new, plan.place, VERDICTS[plan.action]
            )
            count += 1
            if plan.outdates:
                self.keys.outdate(key.id)
        return count


@lru_cache(maxsize=1024)
def _path(tag: str) -> str:
    """Where a request has the text of a language, if it does not say."""
    return f"$.values.{abbreviate(tag)}"


def _codes_beside(write: KeyWrite) -> list[str]:
    """The languages that a write is about beside those of its texts."""
    codes = [code for code, _ in write.carried]
    return [*codes, write.verdict.language_code] if write.verdict else codes


def _gone(keys: UnitOfWork, old: Key | None, key: Key) -> Mapping[ValueSlot, int]:
    """The last revisions of values that were cleared, or are by turning plurals."""
    gone = keys.gone(key.id)
    if old is None or key.is_plural == old.is_plural:
        return gone
    ends = {at: row.revision + 1 for at, row in keys.values(old.id).items()}
    return {**gone, **ends}


def _there(
    batch: Batch,
    keys: UnitOfWork,
    old: Key | None,
    key: Key,
    gone: Mapping[ValueSlot, int],
) -> Mapping[ValueSlot, StoredValue]:
    """The values of a key as they stand once its plurals are turned on or off."""
    if old is None:
        return {}
    values = keys.values(old.id)
    if key.is_plural == old.is_plural:
        return values
    return turned(batch, values.values(), gone, is_plural=key.is_plural)
