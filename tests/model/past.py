"""What people did to keys, step by step, and what undoing some of it comes to.

The model of undo, in plain dicts and lists as the rest. For each line, key and
field it keeps what every step found and left. Undoing chosen steps takes back those
at the end of such a list: what lies below a step that was not chosen stays, and is
listed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .lines import MAIN, Lines
from .sides import united
from .texts import SOURCE, Fields, Keeping, Place, is_form, places

THERE = "there"
FOLLOWS = "as main has it"
META = ("key", "description", "tags")
Content = Any  # of a field, a Text, None for no text, FOLLOWS
View = dict[tuple[str, Any], Content]  # by key id and field
Marks = Callable[[str], set[Place]]  # the texts of a key that are outdated by now


class Step(NamedTuple):
    """Something that was done on a line; the times are those of its events."""

    line: str | None
    actor: str
    first_at: str
    last_at: str
    job_id: str | None
    merge_of: str | None


class Change(NamedTuple):
    """What a step made of one field."""

    step: int
    before: Content
    after: Content
    moved: bool = False  # plurals were turned, and nobody wrote here
    read: Content = None  # tags: what the line showed then


def own_view(model: Lines, line: str | None) -> View:
    """What a line says by itself, in its trash too; what is left out follows main."""
    found: View = {}
    if line is MAIN:
        for is_there, keys in ((True, model.main), (False, model.trash)):
            for id_, fields in keys.items():
                found |= {(id_, field): fields[field] for field in fields}
                found[id_, THERE] = is_there
        return found
    for id_, entry in model.branches[line].items():
        mine, base = entry.mine or entry.lost, entry.base or {}
        if entry.mine is None:
            found[id_, THERE] = False
        elif entry.base is None:
            found[id_, THERE] = True
        for field in {**base, **mine}:
            if entry.base is None or mine.get(field) != base.get(field):
                content = mine.get(field)
                is_kept = field in entry.kept and field[0] == SOURCE and content
                found[id_, field] = Keeping(content) if is_kept else content
    return found


class Past:
    """All that was done, on main and on open branches."""

    def __init__(self) -> None:
        self.steps: dict[int, Step] = {}
        self.changes: dict[tuple[str | None, str, Any], list[Change]] = {}
        self.touches: dict[tuple[str | None, str], list[int]] = {}
        self._next = 0

    def record(
        self,
        step: Step,
        was: View,
        now: View,
        written: Iterable[tuple[str, Place]],
        ids: Iterable[str],
        seen: Mapping[str, Fields],
        quiet: Collection[tuple[str, Any]] = (),
    ) -> None:
        """Note a step that was about keys of these ids.

        ``quiet``: what came to follow main without a word, and is no change.
        """
        line, number = step.line, self._next
        self._next += 1
        self.steps[number] = step
        nothing = None if line is MAIN else FOLLOWS
        for id_ in ids:
            self.touches.setdefault((line, id_), []).append(number)
        made = {id_ for id_, field in now if field == THERE and now[id_, THERE]}
        made -= {id_ for id_, field in was if field == THERE}
        turned = {
            id_
            for id_, field in {*was, *now}
            if field == "isPlural" and was.get((id_, field)) != now.get((id_, field))
        }
        for at in {*was, *now, *written}:
            id_, field = at
            is_text = isinstance(field, tuple)
            if id_ in made and field != THERE and not is_text:
                continue  # it came with the key
            if at in quiet:
                continue
            before, after = was.get(at, nothing), now.get(at, nothing)
            moved = is_text and id_ in turned - made and at not in written
            moved &= before == after or (after is None and is_form(field))
            if before != after or at in written or moved:
                read = seen.get(id_, {}).get("tags") if field == "tags" else None
                change = Change(number, before, after, moved, read)
                self.changes.setdefault((line, id_, field), []).append(change)

    def of_line(self, line: str | None) -> dict[int, Step]:
        """The steps on a line, by their numbers."""
        return {n: step for n, step in self.steps.items() if step.line == line}

    def of_branches(self) -> list[str]:
        """The branches that something was done on."""
        return sorted({step.line for step in self.steps.values() if step.line})

    def forget_language(self, lang: str) -> None:
        """Its texts are gone from every line, by no step."""
        for at in [at for at in self.changes if at[2][0] == lang]:
            del self.changes[at]

    def forget_line(self, line: str) -> None:
        """A branch ended: what stood there is out of reach."""
        self.steps = {n: each for n, each in self.steps.items() if each.line != line}
        for known in (self.changes, self.touches):
            for at in [at for at in known if at[0] == line]:
                del known[at]  # type: ignore[attr-defined]


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

    def run(self) -> None:
        """Made keys go first, deleted ones come back last."""
        made, deleted = self._lives()
        changed = self._changed()
        back = [id_ for id_ in made if self._brought(id_).before is False]
        self._remove([id_ for id_ in made if id_ not in back], changed=[])
        self._remove(back, changed=changed)
        rest = [id_ for id_ in changed if id_ not in deleted]
        self._put_back([id_ for id_ in rest if id_ not in made or id_ in self.kept])
        for id_ in deleted:
            model, skipped = copy.deepcopy(self.model), set(self.skipped)
            if self._bring_back(id_) and id_ in changed:
                self._put_back([id_])
            if (id_, None) in self.skipped:
                continue
            if id_ not in self.model.seen(self.line):  # nor has main it any more
                self.model.__dict__ = model.__dict__
                self.skipped = {*skipped, (id_, None)}
                self.restored.discard(id_)

    def _lives(self) -> tuple[list[str], list[str]]:
        """The keys that chosen steps made or brought back, and deleted, on balance."""
        made: dict[str, None] = {}
        deleted: dict[str, None] = {}
        lives = [
            (each, id_)
            for (line, id_, field), all_ in self.past.changes.items()
            if (line, field) == (self.line, THERE) and self.only in (None, id_)
            for each in all_
            if each.step in self.chosen
        ]
        for change, id_ in sorted(lives, key=lambda each: each[0].step):
            goes = change.after is None or change.after is False
            if goes and id_ not in made:
                deleted[id_] = None
            elif not goes and id_ in deleted:
                del deleted[id_]
            elif not goes:
                made[id_] = None
        return list(made), list(deleted)

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
        for id_ in going:
            self.model.delete(self.line, id_)
            self.removed.add(id_)

    def _bring_back(self, id_: str) -> bool:
        """Whether the key is there then."""
        if id_ in self.model.seen(self.line):
            return True
        trashed = self.model.trashed(self.line)
        if id_ not in trashed:
            return False
        is_taken = self.model.named(self.line, trashed[id_]["key"]) is not None
        if is_taken or self._rows(id_, THERE)[-1].step not in self.chosen:
            self.skipped.add((id_, None))
            return False
        self.model.restore(self.line, id_)
        self.restored.add(id_)
        return id_ in self.model.seen(self.line)

    def _put_back(self, ids: list[str]) -> None:
        seen = self.model.seen(self.line)
        self.skipped |= {(id_, None) for id_ in ids if id_ not in seen}
        ids = [id_ for id_ in ids if id_ in seen]
        back = {id_: dict(self._back(id_)) for id_ in ids}
        for id_ in self._stuck(back):
            del back[id_]["key"]
            self.skipped.add((id_, "key"))
        for id_, fields in back.items():
            if fields:
                met = self.model.put_back(self.line, id_, fields, self.marks(id_))
                self.quiet |= {(id_, field) for field in met}
                self.said |= {(id_, field): fields[field] for field in fields}

    def _stuck(self, back: Mapping[str, Fields]) -> list[str]:
        """The keys whose old names are taken, and those that wait for them."""
        seen = self.model.seen(self.line)
        wanted = {id_: fields["key"] for id_, fields in back.items() if "key" in fields}
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
                    self.skipped.add((id_, field))
                    continue
                if content != now[field]:
                    yield field, content
        texts = {
            field
            for line, key_id, field in self.past.changes
            if (line, key_id) == (self.line, id_) and isinstance(field, tuple)
        }
        turns, all_texts = self._turns(id_)
        if turns or (self._is_chosen(id_, "isPlural") and self._is_met(id_)):
            yield "isPlural", not now["isPlural"]
        for place in sorted(texts):
            if not self._is_chosen(id_, place, with_moved=all_texts):
                continue
            try:
                content = self._before(id_, place, with_moved=all_texts)
            except ChangedLater:
                if not turns and not self._stands(id_, place, with_moved=all_texts):
                    # else there is no text, as all that are go back
                    self.skipped.add((id_, place))
                continue
            if id_ in self.kept and content is None:
                self.skipped.add((id_, place))
                continue
            self.written.add((id_, place))
            yield place, content

    def _turns(self, id_: str) -> tuple[bool, bool]:
        """Whether plurals are turned back, and whether what turning moved goes back."""
        now = self.model.seen(self.line)[id_]
        if not self._is_chosen(id_, "isPlural"):
            return False, False
        try:
            before = self._before(id_, "isPlural")
        except ChangedLater:
            self.skipped.add((id_, "isPlural"))
            return False, False
        if before == now["isPlural"]:
            return False, True
        for place in places(now):
            rows = self._rows(id_, place)
            if self.line is not MAIN and not self._is_own(id_, place):
                continue
            if not rows or rows[-1].step not in self.chosen:
                if not self._is_met(id_):
                    self.skipped.add((id_, "isPlural"))
                return False, False
        return True, True

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
        return (id_, field) in own_view(self.model, self.line)

    def _turned_since(self, id_: str, change: Change) -> bool:
        """Whether a step that stays turned plurals: forms have another place now."""
        turns = [each.step for each in self._rows(id_, "isPlural")]
        return any(n > change.step and n not in self.chosen for n in turns)

    def _rows(self, id_: str, field: Any) -> list[Change]:
        return self.past.changes.get((self.line, id_, field), [])

    def _is_chosen(self, id_: str, field: Any, *, with_moved: bool = True) -> bool:
        return any(
            each.step in self.chosen and (with_moved or not each.moved)
            for each in self._rows(id_, field)
        )

    def _stands(self, id_: str, place: Place, *, with_moved: bool) -> bool:
        """Whether a text says what it did before the last chosen steps."""
        said: list[Change] = []
        for change in reversed(self._rows(id_, place)):
            if change.step in self.chosen and (with_moved or not change.moved):
                said.append(change)
            elif said:
                break
        return said[-1].before == self._rows(id_, place)[-1].after

    def _before(self, id_: str, field: Any, *, with_moved: bool = True) -> Content:
        """What a field said before the chosen steps at the end. Raises ChangedLater."""
        last: Change | None = None
        for change in reversed(self._rows(id_, field)):
            if change.step not in self.chosen or (change.moved and not with_moved):
                break
            last = change
        if last is None or (isinstance(field, tuple) and self._turned_since(id_, last)):
            raise ChangedLater
        if self.line is MAIN:
            return last.before
        entry = self.model.branches[self.line].get(id_)
        base = self.model.main[id_] if entry is None else entry.base
        if last.before == FOLLOWS:
            return base.get(field) if base else None
        if field != "tags" or not base:
            return last.before
        told, now = self._rows(id_, field)[-1].read, self.model.seen(self.line)[id_]
        found = united(told, last.before, now["tags"])
        return base["tags"] if {*found} == {*base["tags"]} else found
