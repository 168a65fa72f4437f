"""What undoing some of what people did comes to: the model of undo.

Undoing chosen steps takes back those at the end of what is known of a field: what lies
below a step that was not chosen stays, and is listed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from .lines import MAIN, Lines
from .past import (
    FOLLOWS,
    GONE,
    THERE,
    Back,
    Change,
    Content,
    Past,
    View,
    come_back,
    own_view,
)
from .texts import Fields, Keeping, Place, is_form, places

META = ("key", "description", "tags")
Marks = Callable[[str, Collection[Any]], set[Place]]
"""The texts of a key that are outdated once these fields are back."""


class ChangedLater(Exception):
    """By a step that is not chosen."""


class Undo:
    """Takes chosen steps of a line back, of one key if it is named."""

    def __init__(
        self,
        past: Past,
        model: Lines,
        line: str | None,
        chosen: set[int],
        marks: Marks,
        only: str | None = None,
    ) -> None:
        self.past, self.model, self.line, self.only = past, model, line, only
        self.chosen, self.marks = chosen, marks
        self.skipped: set[tuple[str, Any]] = set()  # key id; field, or None
        self.kept: set[str] = set()
        self.written: set[tuple[str, Place]] = set()
        self.quiet: set[tuple[str, Any]] = set()  # follow main, and read as before
        self.said: View = {}  # again; a branch may go on with what main says
        self.removed: set[str] = set()
        self.restored: set[str] = set()
        self.back: dict[str, Back] = {}
        self.view = own_view(model, line)  # as it was
        entries = {} if line is MAIN else model.branches[line]
        self.mains_marks = {id_: {*entries[id_].base_stale} for id_ in entries}

    def run(self) -> None:
        """Made keys go first, deleted ones come back last."""
        made, deleted = self._lives()
        changed = self._changed()
        back = [id_ for id_ in made if self._brought(id_).before is False]
        self._remove([id_ for id_ in made if id_ not in back], changed=[])
        self._remove(back, changed=changed)
        rest = [id_ for id_ in changed if id_ not in deleted]
        self._put_back([id_ for id_ in rest if id_ not in made or id_ in self.kept])
        self._bring_all_back(deleted, changed)

    def _bring_all_back(self, deleted: list[str], changed: list[str]) -> None:
        """Together; those that main has deleted only if the branch says something."""
        lost: set[str] = set()
        while True:
            model, skipped = copy.deepcopy(self.model), set(self.skipped)
            back = self._bring_back([id_ for id_ in deleted if id_ not in lost])
            self._put_back([id_ for id_ in changed if id_ in back])
            gone = self.restored - self.model.seen(self.line).keys()
            if not gone:
                return
            self.model.__dict__ = model.__dict__
            self.skipped = skipped | {(id_, None) for id_ in gone}
            self.restored.clear()
            lost |= gone

    def _lives(self) -> tuple[list[str], list[str]]:
        """The keys that chosen steps made or brought back, and deleted, on balance; the
        one that was deleted first comes first."""
        made: dict[str, None] = {}
        deleted: dict[str, None] = {}
        lives = [
            (each, id_)
            for (line, id_, field), all_ in self.past.changes.items()
            if (line, field) == (self.line, THERE) and self.only in (None, id_)
            for each in all_
            if each.step in self.chosen
        ]
        for change, id_ in sorted(lives, key=self._when):
            goes = change.after is None or change.after is False
            if goes and id_ not in made:
                deleted[id_] = None
            elif not goes and id_ in deleted:
                del deleted[id_]
            elif not goes:
                made[id_] = None
        return list(made), list(deleted)

    def _when(self, life: tuple[Change, str]) -> tuple[int, int]:
        change, id_ = life
        gone = self.past.steps[change.step].deleted
        return change.step, gone.index(id_) if id_ in gone else -1

    def _changed(self) -> list[str]:
        """The keys of which chosen steps changed more than whether they are there."""
        first: dict[str, int] = {}
        for (line, id_, field), all_ in self.past.changes.items():
            steps = [each.step for each in all_ if each.step in self.chosen]
            if line == self.line and field != THERE and self.only in (None, id_):
                for step in steps:
                    first[id_] = min(step, first.get(id_, step))
        return sorted(first, key=lambda id_: first[id_])

    def _brought(self, id_: str) -> Change:
        """The first chosen change that made a key, or brought it back."""
        return next(
            each
            for each in self._rows(id_, THERE)
            if each.step in self.chosen and each.after not in (None, False)
        )

    def _remove(self, ids: list[str], *, changed: list[str]) -> None:
        """Take keys away; those of them that are ``changed`` go back first."""
        seen = self.model.seen(self.line)
        there = [id_ for id_ in ids if id_ in seen]
        for id_ in there:
            since, touches = self._brought(id_).step, self.past.touches[self.line, id_]
            if any(step not in self.chosen for step in touches if step >= since):
                self.kept.add(id_)
                self.skipped.add((id_, None))
        going = [id_ for id_ in there if id_ not in self.kept]
        self._put_back([id_ for id_ in going if id_ in changed])
        seen = self.model.seen(self.line)
        for id_ in [id_ for id_ in going if id_ in seen]:
            self.model.delete(self.line, id_)
            self.removed.add(id_)

    def _bring_back(self, ids: list[str]) -> set[str]:
        """Those of the keys that are there then."""
        seen, trashed = self.model.seen(self.line), self.model.trashed(self.line)
        coming: dict[str, str] = {}  # by their names
        for id_ in [id_ for id_ in ids if id_ not in seen]:
            name = trashed[id_]["key"] if id_ in trashed else ""
            is_taken = name in coming or self.model.named(self.line, name)
            is_chosen = self._rows(id_, THERE)[-1].step in self.chosen
            if name and is_chosen and not is_taken:
                coming[name] = id_
            else:
                self.skipped.add((id_, None))
        self.restored |= {*coming.values()}
        self.model.restore(self.line, [*coming.values()])
        for id_ in coming.values():
            self.back[id_] = come_back(self.model, self.line, id_)
        return {*ids} & self.model.seen(self.line).keys()

    def _put_back(self, ids: list[str]) -> None:
        seen = self.model.seen(self.line)
        self.skipped |= {(id_, None) for id_ in ids if id_ not in seen}
        ids = [id_ for id_ in ids if id_ in seen]
        back = {id_: dict(self._back(id_)) for id_ in ids}
        names = dict(self._names(back))
        for id_ in self._stuck(names):
            del back[id_]["key"], names[id_]
            self.skipped.add((id_, "key"))
        for id_, fields in back.items():
            if fields:
                stale = self.marks(id_, fields)
                taken = [names[other] for other in names if other != id_]
                met = self.model.put_back(self.line, id_, fields, stale, taken)
                self.quiet |= {(id_, field) for field in met}
                self.said |= {(id_, field): fields[field] for field in fields}
        # what nothing of goes back keeps its old name, should main's come free
        self.model.settle_together(self.line, [id_ for id_ in back if back[id_]])

    def _names(self, back: Mapping[str, Fields]) -> Iterator[tuple[str, str]]:
        """The names that keys want back; one that follows main again wants none."""
        for id_, fields in back.items():
            if "key" in fields and "key" not in self.model.met(self.line, id_, fields):
                yield id_, fields["key"]

    def _stuck(self, wanted: Mapping[str, str]) -> list[str]:
        """The keys whose old names are taken, and those that wait for them."""
        seen = self.model.seen(self.line)
        found: list[str] = []
        while True:
            staying = {
                fields["key"] for id_, fields in seen.items() if id_ not in wanted
            }
            more = [id_ for id_, name in wanted.items() if name in staying]
            if not more:
                return found
            found += more
            wanted = {id_: wanted[id_] for id_ in wanted if id_ not in more}

    def _back(self, id_: str) -> Iterator[tuple[Any, Content]]:
        """The fields of a key that go back, each with what it said."""
        now = self.model.seen(self.line)[id_]
        for field in META:
            if self._is_chosen(id_, field):
                try:
                    content = self._before(id_, field)
                except ChangedLater:
                    if not self._stands(id_, field):
                        self.skipped.add((id_, field))
                    continue
                if content != now[field]:
                    yield field, content
        texts = dict(self._texts(id_))
        is_plural = self._turned(id_, texts)
        if is_plural != now["isPlural"] or self._is_met(id_):
            yield "isPlural", not now["isPlural"]
        for place, content in texts.items():
            if is_plural or not is_form(place):
                self.written.add((id_, place))
                yield place, content
            elif content is not None and self._was_said(id_, place):
                self.skipped.add((id_, place))  # there is no place for it

    def _texts(self, id_: str) -> Iterator[tuple[Place, Content]]:
        """The texts that go back, whatever plurals are then."""
        found = {
            field
            for line, key_id, field in self.past.changes
            if (line, key_id) == (self.line, id_) and isinstance(field, tuple)
        }
        for place in sorted(found):
            if not self._is_chosen(id_, place):
                continue
            try:
                content = self._before(id_, place)
            except ChangedLater:
                if not self._stands(id_, place):
                    self.skipped.add((id_, place))
                continue
            if id_ in self.kept and content is None:
                self.skipped.add((id_, place))
                continue
            if not self._went_on(id_, place):
                yield place, content

    def _turned(self, id_: str, texts: Mapping[Place, Content]) -> bool:
        """Whether the key has plurals then: they stay while a form stays that this line
        has for itself."""
        now = self.model.seen(self.line)[id_]
        is_plural = bool(now["isPlural"])
        if not self._is_chosen(id_, "isPlural"):
            return is_plural
        try:
            before = bool(self._before(id_, "isPlural"))
        except ChangedLater:
            if not self._stands(id_, "isPlural"):
                self.skipped.add((id_, "isPlural"))
            return is_plural
        own = {p: now[p] for p in places(now) if self._is_own(id_, p)}
        own |= {p: texts[p] if self._was_said(id_, p) else None for p in texts}
        forms = [p for p, text in own.items() if is_form(p) and text]
        if self._is_met(id_) and not (before and forms):
            return is_plural
        if before or before == is_plural or not forms:
            return before
        self.skipped.add((id_, "isPlural"))
        return is_plural

    def _went_on(self, id_: str, place: Place) -> bool:
        """Whether a text follows main as it did before: nothing is written then, but
        where only its mark is another."""
        if self._is_own(id_, place) or self._last(id_, place).before != FOLLOWS:
            return False
        is_stale = place in self.model.stale(self.line, id_)
        return is_stale == (place in self.marks(id_, [place]))

    def _was_said(self, id_: str, place: Place) -> bool:
        """Whether it is a text that somebody gave this line."""
        return self._last(id_, place).before != FOLLOWS

    def _is_met(self, id_: str) -> bool:
        """Whether main turned plurals as the branch did, that goes back to main's."""
        entry = None if self.line is MAIN else self.model.branches[self.line].get(id_)
        now = self.model.main.get(id_)
        if entry is None or entry.base is None or entry.mine is None or now is None:
            return False
        if not now["isPlural"] == entry.mine["isPlural"] != entry.base["isPlural"]:
            return False
        try:
            return bool(self._before(id_, "isPlural") == entry.base["isPlural"])
        except ChangedLater:
            return False

    def _is_own(self, id_: str, field: Any) -> bool:
        return self.line is MAIN or (id_, field) in own_view(self.model, self.line)

    def _rows(self, id_: str, field: Any) -> list[Change]:
        return self.past.changes.get((self.line, id_, field), [])

    def _is_chosen(self, id_: str, field: Any) -> bool:
        return any(each.step in self.chosen for each in self._rows(id_, field))

    def _stands(self, id_: str, field: Any) -> bool:
        """Whether a field says what it did before the last chosen steps, or what main
        says that it followed then."""
        said: list[Change] = []
        for change in reversed(self._rows(id_, field)):
            if change.step in self.chosen:
                said.append(change)
            elif said:
                break
            elif change is GONE:
                return False
        now = self.model.seen(self.line)[id_].get(field)
        before = self._content(id_, field, said[-1].before)
        return {*before} == {*now} if field == "tags" else bool(before == now)

    def _last(self, id_: str, field: Any) -> Change:
        """The first of the chosen steps at the end. Raises ChangedLater."""
        last: Change | None = None
        for change in reversed(self._rows(id_, field)):
            if change.step not in self.chosen:
                break
            last = change
        if last is None:
            raise ChangedLater
        return last

    def _before(self, id_: str, field: Any) -> Content:
        """What a field said before them. Raises ChangedLater."""
        last = self._last(id_, field)
        if self.line is MAIN:
            return last.before
        base, follows = self._base(id_), last.before == FOLLOWS
        if field != "tags" or not base:
            return base.get(field) if follows else last.before
        now, was = self.model.seen(self.line)[id_]["tags"], base["tags"]
        found = was if follows else self._tags_before(id_, now)
        found = was if {*found} == {*was} else found
        return now if {*found} == {*now} else found  # their order is no part of it

    def _base(self, id_: str) -> Fields:
        """What a key of a branch is compared with; empty: nothing is."""
        if self.line is MAIN:
            return {}
        entry = self.model.branches[self.line].get(id_)
        return self.model.main[id_] if entry is None else entry.base or {}

    def _content(self, id_: str, field: Any, before: Content) -> Content:
        """What it comes to that a field said this before."""
        said = before.text if isinstance(before, Keeping) else before
        return self._base(id_).get(field) if before == FOLLOWS else said

    def _tags_before(self, id_: str, now: Sequence[str]) -> tuple[str, ...]:
        """Each tag for itself: what the last chosen steps put on goes, and what they
        took off comes back."""
        found = list(now)
        for change in reversed(self._rows(id_, "tags")):
            if change.step not in self.chosen:
                break
            old, new = change.shown
            stay = [tag for tag in found if tag not in new or tag in old]
            back = [tag for tag in old if tag in stay or tag not in new]
            found = [*back, *(tag for tag in stay if tag not in old)]  # as they stood
        return tuple(found)
