"""While a step is done: afterwards its line and its events are right."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any

from .lines import MAIN
from .past import THERE, Back, Step, own_view
from .texts import OTHER, Place, Spelled, Text, spelled, spread

if TYPE_CHECKING:
    from .people import People

META = ("key", "description", "tags", "isPlural")


Written = dict[tuple[str, Spelled], Text | None]
"""What was written, where; on a branch it may give way to what main says."""


class Telling:
    """While a step is done: afterwards its line and its events are right."""

    def __init__(self, people: People, line: str | None, verdict: str) -> None:
        self.people, self.line, self.verdict = people, line, verdict

    def __enter__(self) -> None:
        self.before = copy.deepcopy(self.people.model.seen(self.line))
        self.trash = copy.deepcopy(self.people.model.trashed(self.line))
        self.stale = set(self.people.model.outdated)
        self.view = own_view(self.people.model, self.line)
        self.people.office.ear.events.clear()

    def __exit__(self, kind: object, *_: object) -> None:
        people, touched = self.people, self.people.touched
        described, turned = people.described, people.turned
        people.touched, people.described, people.turned = {}, set(), {}
        quiet, people.quiet = people.quiet, set()
        back, people.back = people.back, {}
        undone, people.undone = people.undone, set()
        if kind is not None:
            return
        people.check(self.line)
        heard, loose = self.heard(turned), people.loose
        people.loose = {}
        touched |= {at: loose[at] for at in loose.keys() & self.told()}
        expected = self.expected(touched, described, turned, undone)
        assert heard == expected or self.vanished(), (heard, expected)
        self.record(touched, quiet, back)
        people.past.lose(people.model.branches)

    def record(
        self, touched: Written, quiet: set[tuple[str, Any]], back: dict[str, Back]
    ) -> None:
        """Keep what the step did, for it to be undone."""
        people = self.people
        events = [
            event
            for event in people.office.ear.events
            if event.type.startswith(("key.", "translation."))
            if event.branch == self.line
        ]
        if not events:
            return
        times = sorted(event.created_at for event in events)
        step = Step(
            self.line,
            events[0].actor.id,
            times[0],
            times[-1],
            events[0].job_id,
            events[0].merge_of,
            [
                str(item["keyId"])
                for event in events
                if event.type == "key.deleted"
                for item in event.items
            ],
        )
        written = {(id_, (code, form or OTHER)) for id_, (code, form) in touched}
        ids = {str(item["keyId"]) for event in events for item in event.items}
        now = own_view(people.model, self.line)
        model = people.model
        seen = {**model.trash, **model.trashed(self.line), **model.seen(self.line)}
        old = {**self.trash, **self.before}
        tags = {id_: old[id_]["tags"] for id_ in old}
        tags |= {id_: shown for id_, (_, shown) in back.items()}
        view = {
            at: self.view[at] for at in self.view if at[0] not in back or at[1] == THERE
        }
        for mine, _ in back.values():
            view |= mine
        shown = {id_: seen[id_]["tags"] for id_ in seen}
        people.past.record(step, view, now, written, ids, (tags, shown), quiet)

    def heard(self, turned: dict[str, set[Spelled]]) -> Counter[Any]:
        """Every item of every event about keys and values.

        Of texts that turning plurals moved it is all one whether they wait.
        """
        return Counter(
            (
                "translation.updated"
                if item["keyId"] in turned and event.type == "translation.submitted"
                else event.type,
                item["keyId"],
                item.get("languageCode"),
                item.get("pluralForm"),
            )
            for event in self.people.office.ear.events
            if event.type.startswith(("key.", "translation."))
            if event.branch == self.line
            if self.line is MAIN or event.type != "translation.outdated"
            for item in event.items
            if event.type == "key.restored" or item["keyId"] not in self.returned()
        )

    def told(self) -> set[tuple[str, Spelled]]:
        """Every text that an event tells of, but for those that became outdated."""
        return {
            (str(item["keyId"]), (str(item["languageCode"]), item["pluralForm"]))
            for event in self.people.office.ear.events
            if event.type.startswith("translation.")
            if event.branch == self.line and event.type != "translation.outdated"
            for item in event.items
        }

    def returned(self) -> set[str]:
        """What came back on a branch, with what main changed meanwhile."""
        if self.line is MAIN:
            return set()
        return self.trash.keys() & self.people.model.seen(self.line).keys()

    def follows(self, id_: str, field: str) -> bool:
        """Whether a branch read it from main all the time: a name may come free."""
        now = own_view(self.people.model, self.line)
        is_own = (id_, field) in self.view or (id_, field) in now
        return self.line is not MAIN and not is_own

    def vanished(self) -> bool:
        """Whether a branch took back all it said of a key that main has deleted."""
        now, trashed = (
            self.people.model.seen(self.line),
            self.people.model.trashed(self.line),
        )
        return any(id_ not in now and id_ not in trashed for id_ in self.before)

    def expected(
        self,
        touched: Written,
        described: set[str],
        turned: dict[str, set[Spelled]],
        undone: set[tuple[str, Place]],
    ) -> Counter[Any]:
        """Each difference has one event, and no other event is told."""
        now, told = self.people.model.seen(self.line), Counter[Any]()
        trashed = self.people.model.trashed(self.line)
        if self.line is not MAIN:  # a key of main may come into sight again
            own = self.people.model.branches[self.line]
            now = {id_: now[id_] for id_ in now if id_ in own or id_ in self.before}
        for id_ in {**self.before, **now}:
            old, new = self.before.get(id_), now.get(id_)
            if new is None:
                told["key.deleted", id_, None, None] += 1
                new = trashed.get(id_)  # an undo may have put texts back before
            if new is None:
                continue
            if old is None:
                kind = "restored" if id_ in self.trash else "created"
                told[f"key.{kind}", id_, None, None] += 1
                if kind == "restored" and self.line is not MAIN:
                    continue  # with what main changed meanwhile
                old = self.trash.get(id_, {"key": None, "isPlural": False})
            if id_ in turned:
                told["key.updated", id_, None, None] += 1
                told.update(("translation.updated", id_, *at) for at in turned[id_])
                continue
            written = {place for key_id, place in touched if key_id == id_}
            before, after = spread(old), spread(new)
            is_moved = bool(old["key"]) and old["isPlural"] != new["isPlural"]
            if is_moved and self.line is not MAIN:  # it took its form back
                before, after = {}, {}
                old = old | {"isPlural": new["isPlural"]}
            if is_moved:  # what a merge moved, and cleared there
                moved = {spelled((c, OTHER), new["isPlural"]) for c, _ in before}
                gone = {at for at in moved - after.keys() if (at[0], OTHER) in old}
                told.update(("translation.updated", id_, *at) for at in gone - written)
            own = [each for each in META if not self.follows(id_, each)]
            is_other = bool(old["key"]) and any(old[each] != new[each] for each in own)
            if is_other or (old["key"] and id_ in described):
                told["key.updated", id_, None, None] += 1
            for place in {*before, *after, *written}:
                if before.get(place) == after.get(place) and place not in written:
                    continue
                text = touched.get((id_, place), after.get(place))
                waits = text is not None and text.status == "pending_review"
                here = (place[0], place[1] or OTHER)
                if is_moved and place not in written and text == old.get(here):
                    waits = False  # a merge turned plurals, and moved it
                kind = self.verdict or ("submitted" if waits else "updated")
                told[f"translation.{kind}", id_, *place] += 1
        if self.line is MAIN:
            noted = {(id_, (code, form or OTHER)) for id_, (code, form) in touched}
            for id_, place in self.people.model.outdated - self.stale:
                fields = now.get(id_) or trashed[id_]  # an undo may have put it back
                was = self.before.get(id_) or self.trash.get(id_, {})
                text, old = fields.get(place), was.get(place)
                at = spelled(place, fields["isPlural"])
                came_back = id_ not in self.before and id_ in self.trash
                is_turned = id_ in turned or (
                    came_back and was["isPlural"] != fields["isPlural"]
                )
                is_told = (id_, place) in (undone if is_turned else noted)
                if text == old and not is_told:
                    # else a merge brought it as the branch had it, or an undo
                    told["translation.outdated", id_, *at] += 1
        return told
