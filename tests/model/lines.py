"""What a project with branches ought to say, in plain dicts: the model of the tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .overlay import Entry
from .texts import (
    SOURCE,
    Fields,
    Keeping,
    Place,
    Text,
    drop_forms,
    is_form,
    places,
    written,
)

MAIN = None


class Lines:
    """Main and its open branches."""

    def __init__(self) -> None:
        self.main: dict[str, Fields] = {}
        self.trash: dict[str, Fields] = {}
        self.outdated: set[tuple[str, Place]] = set()  # on main
        self.branches: dict[str, dict[str, Entry]] = {}

    # reading

    def seen(self, line: str | None) -> dict[str, Fields]:
        """The keys of a line: a branch's own, and main's that it did not touch."""
        if line is MAIN:
            return self.main
        entries = self.branches[line]
        own = {id_: each.mine for id_, each in entries.items() if each.mine}
        taken = {mine["key"] for mine in own.values()}
        rest = {
            id_: fields
            for id_, fields in self.main.items()
            if id_ not in entries and fields["key"] not in taken
        }
        return {**own, **rest}

    def stale(self, line: str | None, id_: str) -> set[Place]:
        """The texts of a key that are outdated on a line."""
        if line is not MAIN and id_ in self.branches[line]:
            return self.branches[line][id_].stale
        return {place for key_id, place in self.outdated if key_id == id_}

    def stale_once_back(
        self, line: str, id_: str, fields: Collection[Any]
    ) -> set[Place]:
        """Likewise of a key that main has deleted, once texts are as main's were."""
        entry = self.branches[line].get(id_)
        found = set(self.stale(line, id_))
        return found | (entry.base_stale & {*fields}) if entry else found

    def hidden(self, line: str) -> set[str]:
        """Main's keys that a branch does not show: it gave their names to others."""
        entries = self.branches[line]
        return {*self.main} - {*self.seen(line)} - {*entries}

    def names_to_merge(self, line: str) -> dict[str, str]:
        """The names that a merge gives a branch's keys: main's, where the branch shows
        an older one only as another key had main's there."""
        names = {id_: fields["key"] for id_, fields in self.seen(line).items()}
        for id_, entry in self.branches[line].items():
            base, mine, now = entry.base, entry.mine, self.main.get(id_)
            if base and mine and now and mine["key"] == base["key"]:
                names[id_] = now["key"]
        return names

    def named(self, line: str | None, name: str) -> str | None:
        """The id of the key of that name."""
        for id_, fields in self.seen(line).items():
            if fields["key"] == name:
                return id_
        return None

    def trashed(self, line: str | None) -> dict[str, Fields]:
        if line is MAIN:
            return self.trash
        entries = self.branches[line].items()
        return {id_: each.lost for id_, each in entries if each.mine is None}

    # writing

    def create(self, line: str | None, id_: str, fields: Fields) -> None:
        if line is MAIN:
            self.main[id_] = fields
            self._follow([id_])
            self._pass_on([fields["key"]])
        else:
            self.branches[line][id_] = Entry(None, fields)

    def rename_id(self, line: str | None, old: str, new: str) -> None:
        """Another id for a key that was just made."""
        keys: dict[str, Any] = self.main if line is MAIN else self.branches[line]
        keys[new] = keys.pop(old)

    def update(self, line: str | None, id_: str, fields: Mapping[Any, Any]) -> None:
        mine = self._own(line, id_)
        old = mine["key"]
        mine.update(fields)
        self._settle(line, id_)
        if line is MAIN:
            self._pass_on({old} ^ {mine["key"]})

    def write(
        self,
        line: str | None,
        id_: str,
        texts: Mapping[Place, str],
        *,
        approver: bool,
        keeps_fresh: bool = False,
    ) -> dict[Place, Text | None]:
        """Write texts of one language; answers what changed. "" clears."""
        old, outdated = self.seen(line)[id_], set(self.stale(line, id_))
        new: dict[Place, Text | None] = {}
        for place, value in texts.items():
            before = old.get(place)
            after = written(before, value, approver, place in outdated)
            if after != before or (before is not None and place in outdated):
                new[place] = after
        # what is written is fresh, even if it says the same
        self.put(line, id_, new, outdates=not keeps_fresh)
        return new

    def judge(
        self,
        line: str | None,
        id_: str,
        lang: str,
        *,
        approves: bool,
    ) -> dict[Place, Text | None]:
        """Approve or reject what waits in a language; empty: nothing does."""
        fields, stale = self.seen(line)[id_], self.stale(line, id_)
        new: dict[Place, Text | None] = {}
        for place in places(fields):
            old = fields[place]
            waits = old.status != "approved"
            if place[0] != lang or not (waits or (approves and place in stale)):
                continue
            if approves:
                told = Text(old.value, "approved", old.value)
                new[place] = told if old.value else None  # a proposal to clear it
            elif old.approved is not None:
                new[place] = Text(old.approved, "approved", old.approved)
            elif old.status == "pending_review":
                new[place] = Text(old.value, "draft", None)
        self.put(line, id_, new)
        return new

    def turn(self, line: str | None, id_: str, plural: bool) -> None:
        """Turn plurals on or off; off has no place but for one text."""
        fields = self._own(line, id_)
        fields["isPlural"] = plural
        drop_forms(fields)
        self.mark(line, id_, self.stale(line, id_) & {*places(fields)})
        self._settle(line, id_, outdates=False)

    def put(
        self,
        line: str | None,
        id_: str,
        texts: Mapping[Place, Any],
        *,
        outdates: bool = True,
    ) -> None:
        """Set texts; a source text that counts for something else outdates others."""
        if not texts:
            return
        fields = self._own(line, id_)
        if line is not MAIN:
            entry = self.branches[line][id_]
            entry.kept = entry.kept - {*texts} if outdates else entry.kept | {*texts}
        moved = outdates and any(
            place[0] == SOURCE
            and place in fields
            and fields[place].counts != (text and text.counts)
            for place, text in texts.items()
        )
        for place, text in texts.items():
            fields.pop(place, None)
            if text is not None:
                fields[place] = text
        stale = self.stale(line, id_) - {*texts}
        if moved:
            stale |= {p for p in places(fields) if p[0] != SOURCE and p not in texts}
        self.mark(line, id_, stale)
        self._settle(line, id_, outdates=moved)

    def put_back(
        self,
        line: str | None,
        id_: str,
        fields: Mapping[Any, Any],
        stale: set[Place],
        taken: Collection[str] = (),
    ) -> list[Any]:
        """Set fields of a key to what they said; None: no text.

        What a branch says as main does, and did not say before, follows main again:
        answers these. ``taken``: names that come back to others.
        """
        mine, met = self._own(line, id_), []
        old = mine["key"]
        entry = None if line is MAIN else self.branches[line][id_]
        if entry is not None:
            entry.kept -= {*fields}
            entry.kept |= {p for p in fields if isinstance(fields[p], Keeping)}
            met = self.met(line, id_, fields)
            forms = {p for p in entry.base or {} if is_form(p)}
            for field in met:
                entry.agree(field)
            met += forms - {*(entry.base or {}), *met}  # went with main's plurals
            fields = {each: fields[each] for each in fields if each not in met}
        for field, content in fields.items():
            mine.pop(field, None)
            if content is not None:
                mine[field] = content.text if isinstance(content, Keeping) else content
        drop_forms(mine)
        self.mark(line, id_, stale)
        self._settle(line, id_, taken=taken)
        if line is MAIN:
            self._pass_on({old} ^ {mine["key"]})
        return met

    def met(self, line: str | None, id_: str, fields: Mapping[Any, Any]) -> list[Any]:
        """Where main says what the branch does, which goes back to what main said.

        Plurals that come back with a form of the branch are not among them.
        """
        entry = None if line is MAIN else self.branches[line].get(id_)
        if entry is None:
            return []
        base, mine, now = entry.base, entry.mine, self.main.get(id_)
        if base is None or mine is None or now is None:
            return []
        found = [
            field
            for field, content in fields.items()
            if content == base.get(field) != mine.get(field) == now.get(field)
        ]
        texts = {p: fields[p] for p in fields if is_form(p)}
        forms = [p for p in texts if texts[p] not in (None, base.get(p))]
        if base["isPlural"] and forms:
            found = [field for field in found if field != "isPlural"]
        return found

    def mark(self, line: str | None, id_: str, stale: set[Place]) -> None:
        """Set which texts of a key are outdated."""
        if line is not MAIN:
            self.branches[line][id_].stale = stale
            return
        self.outdated = {each for each in self.outdated if each[0] != id_}
        self.outdated |= {(id_, place) for place in stale}

    def mark_again(self, line: str | None, id_: str, stale: set[Place]) -> None:
        """Likewise once a write is done: branches follow main in that too."""
        self.mark(line, id_, stale)
        if line is MAIN:
            self._follow([id_])

    def delete(self, line: str | None, id_: str) -> None:
        if line is MAIN:
            self.trash[id_] = self.main.pop(id_)
            self._follow([id_])
            self._pass_on([self.trash[id_]["key"]])
            return
        fields = dict(self._own(line, id_))
        entry = self.branches[line][id_]
        entry.mine, entry.lost = None, fields

    def restore(self, line: str | None, ids: list[str]) -> None:
        """Keys come back together: none follows main to the name of another."""
        for id_ in ids:
            if line is MAIN:
                self.main[id_] = self.trash.pop(id_)
            else:
                entry = self.branches[line][id_]
                entry.mine = entry.lost
        for id_ in ids:
            self._settle(line, id_)  # main may have kept nothing fresh meanwhile
        if line is MAIN:
            self._pass_on([self.main[id_]["key"] for id_ in ids])

    def forget(self, lang: str) -> None:
        """A language leaves the project, with its texts: no branch takes one away."""

        def mine(fields: Fields) -> None:
            for place in [p for p in places(fields) if p[0] == lang]:
                del fields[place]

        for fields in (*self.main.values(), *self.trash.values()):
            mine(fields)
        self.outdated = {each for each in self.outdated if each[1][0] != lang}
        for entries in self.branches.values():
            for id_, entry in list(entries.items()):
                for each in (entry.base, entry.mine, entry.lost):
                    mine(each or {})
                entry.stale = {p for p in entry.stale if p[0] != lang}
                entry.base_stale = {p for p in entry.base_stale if p[0] != lang}
                self._follow_one(entries, id_)
        for name in self.branches:
            self.settle_together(name, [*self.branches[name]])

    # what follows

    def _own(self, line: str | None, id_: str) -> Fields:
        """The fields to write into: main's, or the branch's own."""
        if line is MAIN:
            return self.main[id_]
        entries = self.branches[line]
        if id_ not in entries:
            main, stale = self.main[id_], self.stale(MAIN, id_)
            entries[id_] = Entry(dict(main), dict(main), stale)
        mine = entries[id_].mine
        assert mine is not None
        return mine

    def settle_together(self, line: str | None, ids: Iterable[str]) -> None:
        """After keys were written at once: a name that one of them left is free."""
        for id_ in [id_ for id_ in ids if line is not MAIN]:
            if id_ in self.branches[line]:
                self._follow_one(self.branches[line], id_)

    def _settle(
        self,
        line: str | None,
        id_: str,
        *,
        outdates: bool = False,
        taken: Collection[str] = (),
    ) -> None:
        """After a write: what a branch says as before its change follows main again.

        ``outdates``: main wrote another source text, and keeps nothing fresh.
        """
        if line is MAIN:
            self._follow([id_], outdates=outdates)
        else:
            self._follow_one(self.branches[line], id_, outdates=True, taken=taken)

    def _follow(self, ids: list[str], *, outdates: bool = False) -> None:
        """What a branch did not change is as main has it."""
        for entries in self.branches.values():
            for id_ in ids:
                if id_ in entries:
                    self._follow_one(entries, id_, outdates=outdates)

    def _pass_on(self, names: Collection[str]) -> None:
        """Main's keys took these names, or left them: a key that had one on a branch
        only as another had its own there follows main now, if that is free."""
        for entries in self.branches.values():
            for id_, entry in list(entries.items()):
                if entry.mine is not None and entry.mine["key"] in names:
                    self._follow_one(entries, id_)

    def _follow_one(
        self,
        entries: dict[str, Entry],
        id_: str,
        *,
        outdates: bool = False,
        taken: Collection[str] = (),
    ) -> None:
        entry, now = entries[id_], self.main.get(id_)
        if now is not None:
            others = (each.mine for other, each in entries.items() if other != id_)
            names = {mine["key"] for mine in others if mine is not None} | {*taken}
            entry.follow(
                now,
                self.stale(MAIN, id_),
                outdates=outdates,
                is_taken=now["key"] in names,
            )
        elif entry.is_as_before():
            del entries[id_]  # else deleted there as here, or changed there
