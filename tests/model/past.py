"""What people did to keys, step by step, in plain dicts and lists as the rest.

For each line, key and field it keeps what every step found and left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .lines import MAIN, Lines
from .texts import SOURCE, Keeping, Place

THERE = "there"
FOLLOWS = "as main has it"
Content = Any  # of a field, a Text, None for no text, FOLLOWS
View = dict[tuple[str, Any], Content]  # by key id and field
Tags = tuple[Sequence[str], Sequence[str]]
Back = tuple[View, Sequence[str]]
"""What a key says by itself, and the tags that it shows, when it has come back."""


class Step(NamedTuple):
    """Something that was done on a line; the times are those of its events.

    ``deleted``: the ids of keys, as it was told that they went.
    """

    line: str | None
    actor: str
    first_at: str
    last_at: str
    job_id: str | None
    merge_of: str | None
    deleted: Sequence[str]


class Change(NamedTuple):
    """What a step made of one field."""

    step: int
    before: Content
    after: Content
    shown: Tags = ((), ())  # tags: what the line showed before and after


GONE = Change(-1, "gone with main's key", "gone with main's key")


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


def come_back(model: Lines, line: str | None, id_: str) -> Back:
    """A key that is there again, and what main changed meanwhile: nobody's change."""
    view, shown = own_view(model, line), model.seen(line).get(id_, {"tags": ()})
    mine = {at: view[at] for at in view if at[0] == id_ and at[1] != THERE}
    return mine, shown["tags"]


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
        tags: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]],
        quiet: Collection[tuple[str, Any]] = (),
    ) -> None:
        """Note a step that was about keys of these ids.

        ``tags``: those that the line showed before, and those that it shows since.
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
        for at in {*was, *now, *written}:
            id_, field = at
            is_text = isinstance(field, tuple)
            if id_ in made and field != THERE and not is_text:
                continue  # it came with the key
            if at in quiet:
                continue
            before, after = was.get(at, nothing), now.get(at, nothing)
            if before != after or at in written:
                shown = tags[0].get(id_, ()), tags[1].get(id_, ())
                change = Change(number, before, after, shown)
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

    def lose(self, branches: Mapping[str, Mapping[str, Any]]) -> None:
        """What a branch said of a key that it has for itself no more, as main's is gone
        or was, cannot come back."""
        for (line, id_, field), all_ in self.changes.items():
            if id_ in branches.get(line or "", [id_]) or not isinstance(field, tuple):
                continue
            if all_[-1] is not GONE:
                all_.append(GONE)

    def forget_line(self, line: str) -> None:
        """A branch ended: what stood there is out of reach."""
        self.steps = {n: each for n, each in self.steps.items() if each.line != line}
        self.changes = {at: self.changes[at] for at in self.changes if at[0] != line}
        self.touches = {at: self.touches[at] for at in self.touches if at[0] != line}
