"""What a branch changes, and what merging it comes to, in plain dicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .lines import MAIN, Lines
from .overlay import Entry
from .sides import at_odds, changed_fields, united
from .texts import SOURCE, Fields, Place, Text, beside, is_form, places, shown, stands


class Refused(Exception):
    """The code of the refusal."""


class Change(NamedTuple):
    """What a branch changes: a field of a key, or all of it when it is deleted."""

    id: str
    field: Any
    conflict: bool


class Project(Lines):
    """Main and its open branches, which can be merged."""

    def diff(self, line: str) -> list[Change]:
        return [
            each for id_ in self.branches[line] for each in self._changes(line, id_)
        ]

    def _changes(self, line: str, id_: str) -> Iterator[Change]:
        entry, now = self.branches[line][id_], self.main.get(id_)
        base, mine = entry.base, entry.mine
        if mine is None:
            if base is not None and now is not None:
                yield Change(id_, "key", now != base)
            return
        if base is not None and now is None:
            lost = changed_fields(base, base, mine)
            for field in [*lost, *entry.freshened(base, entry.base_stale)]:
                yield Change(id_, field, True)
            return
        for place in entry.freshened(now, self.stale(MAIN, id_)):
            yield Change(id_, place, False)
        taken_by = self._twin(line, id_)
        if base is None:
            now = self.main[taken_by] if taken_by else None
        odds = at_odds(base or {}, now or {}, mine)
        for field in changed_fields(base or {}, now or {}, mine):
            content = mine.get(field)
            if stands((base or {}).get(field), (now or {}).get(field), content):
                continue
            if field in odds:
                yield Change(id_, field, field == "isPlural")
                continue
            if base is None and content in ("", ()):
                continue
            if base is None and field == "isPlural":
                if taken_by or content:
                    yield Change(id_, field, taken_by is not None)
                continue
            moved = (now or {}).get(field) not in _bases(base, field)
            conflict = moved and shown((now or {}).get(field)) != shown(content)
            if field == "tags":
                conflict = False
                there = (now or {}).get("tags", ())
                if united((base or {}).get("tags", ()), there, content) == there:
                    continue
            if field == "key" and taken_by:
                conflict = base is not None
            yield Change(id_, field, conflict)

    def has_approved(self, line: str) -> bool:
        """Whether main has approved what waits on the branch: there it stays so."""
        return any(
            _stands(self.main.get(id_, {}).get(place), each.mine[place])
            for id_, each in self.branches[line].items()
            if each.mine
            for place in places(each.mine)
        )

    def _twin(self, line: str, id_: str) -> str | None:
        """Another key of main that has the name, and that the branch never touched."""
        mine = self.branches[line][id_].mine
        if mine is None:
            return None
        for other, fields in self.main.items():
            if fields["key"] == mine["key"] and other != id_:
                return None if other in self.branches[line] else other
        return None

    def decided(
        self, line: str, strategy: str, picked: Mapping[tuple[str, Any], str]
    ) -> dict[str, list[Any]]:
        """The fields that come from the branch, by key id.

        ``picked``: the side of some, by key id and field. Raises Refused for those
        that cannot be obeyed, and where a conflict is open.
        """
        sides: dict[tuple[str, Any], str | None] = {}
        by_strategy = {"fail": None, "use_branch": "branch", "use_main": "main"}
        for each in self.diff(line):
            side = by_strategy[strategy] if each.conflict else "branch"
            sides[each.id, each.field] = picked.get((each.id, each.field), side)
        for id_, field in sorted(sides, key=lambda at: isinstance(at[1], tuple)):
            needed = self._needed(line, id_, field)
            if needed is None or (id_, needed) not in sides:
                continue
            both = sides[id_, needed], picked.get((id_, field))
            mine = self.branches[line][id_].mine or {}
            if both == ("main", "branch"):
                raise Refused("validation_failed")
            if both == ("branch", "main") and field not in mine:
                raise Refused("validation_failed")
            if both[0] == "main":
                sides[id_, field] = "main"
        if None in sides.values():
            raise Refused("merge_conflict")
        coming: dict[str, list[Any]] = {}
        for (id_, field), side in sides.items():
            if side == "branch":
                coming.setdefault(id_, []).append(field)
        return coming

    def _needed(self, line: str, id_: str, field: Any) -> str | None:
        """What a change cannot come without: the key, or its plurals."""
        if is_form(field):
            return "isPlural"
        is_new = self.branches[line][id_].base is None and not self._twin(line, id_)
        return "key" if is_new and field != "key" else None

    def merge(
        self, line: str, strategy: str, picked: Mapping[tuple[str, Any], str]
    ) -> set[tuple[str, Place]]:
        """Main takes the changes over; the branch is gone. Answers texts found right.

        What is outdated on the branch is so on main. Raises Refused as ``decided``,
        and where a name would be taken twice.
        """
        coming = self.decided(line, strategy, picked)
        twins = {id_: self._twin(line, id_) for id_ in coming}
        entries = self.branches.pop(line)
        for id_ in [id_ for id_ in coming if entries[id_].mine is None]:
            self.delete(MAIN, id_)
            del coming[id_]
        for id_ in coming:  # main's name of a key has to be free for it to come back
            if entries[id_].base is not None and id_ not in self.main:
                if self.named(MAIN, self.trash[id_]["key"]):
                    raise Refused("key_exists")
                self.restore(MAIN, [id_])
                coming[id_] += self._turned_back(id_, entries[id_], coming[id_])
        fresh = {
            (id_, place)
            for id_ in coming
            for place in entries[id_].freshened(
                self.main.get(id_), self.stale(MAIN, id_)
            )
            if place in coming[id_]
        }
        for id_, fields in coming.items():
            self._apply(id_, entries[id_], fields, twins[id_])
        names = [fields["key"] for fields in self.main.values()]
        if len(names) != len(set(names)):
            raise Refused("key_exists")
        return fresh

    def _turned_back(self, id_: str, entry: Entry, fields: list[Any]) -> list[Any]:
        """Plurals of a key that main turned off before it deleted the key."""
        base, mine, now = entry.base, entry.mine, self.main[id_]
        assert base is not None
        assert mine is not None
        if now["isPlural"] or "isPlural" in fields or not base["isPlural"]:
            return []
        forms = [place for place in places(mine) if is_form(place)]
        return ["isPlural", *(place for place in forms if place not in fields)]

    def _apply(
        self,
        id_: str,
        entry: Entry,
        fields: list[Any],
        twin: str | None,
    ) -> None:
        mine = entry.mine
        assert mine is not None
        if entry.base is None and twin is None:
            new = {"key": "", "description": "", "tags": (), "isPlural": False}
            new |= {field: mine[field] for field in fields}
            self.create(MAIN, id_, new)
            self.mark(MAIN, id_, entry.stale & {*places(new)})
            return
        before = set(self.outdated)
        target = twin if entry.base is None and twin else id_
        now = self.main[target]
        meta = {f: mine[f] for f in fields if f in ("key", "description")}
        if "tags" in fields:
            base = entry.base or {"tags": ()}
            meta["tags"] = united(base["tags"], now["tags"], mine["tags"])
        self.update(MAIN, target, meta)
        if "isPlural" in fields and now["isPlural"] != mine["isPlural"]:
            self.turn(MAIN, target, mine["isPlural"])
        now, base = self.main[target], entry.base or {}
        texts = {f: mine.get(f) for f in fields if isinstance(f, tuple)}
        keeps_fresh = _keeps_fresh(now, mine, entry.stale, {*texts})
        for place, text in list(texts.items()):
            was = base.get(place)
            if text and text.approved == (was.approved if was else None):
                texts[place] = beside(now.get(place), text)
                if _stands(now.get(place), text):
                    del texts[place]
        self.put(MAIN, target, texts, outdates=not keeps_fresh)
        for place in places(self.main[target]):
            where, is_stale = (target, place), place in entry.stale
            if place in texts and is_stale:
                self.outdated.add(where)
            elif place in mine and not is_stale and where not in before:
                self.outdated.discard(where)
        self._follow([target])


def _keeps_fresh(
    now: Fields, mine: Fields, stale: set[Place], coming: set[Place]
) -> bool:
    """Whether no translation of main becomes outdated by a source text that comes: so
    it keeps those of other branches fresh, too."""
    fresh = {*places(mine)} - stale if mine["isPlural"] == now["isPlural"] else set()
    others = {place for place in places(now) if place[0] != SOURCE}
    return bool(others) and others <= fresh | coming


def _stands(now: Any, text: Text) -> bool:
    """Whether main has approved the text that comes to wait there."""
    is_approved = now is not None and now.status == "approved"
    return is_approved and text.status != "approved" and now.value == text.value


def _bases(base: Fields | None, field: Any) -> tuple[Any, ...]:
    """What main may say without having left the base."""
    return (None, "", ()) if base is None else (base.get(field),)
