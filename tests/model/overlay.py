"""A key that a branch has for itself, and how it follows main."""

from __future__ import annotations

from typing import Any

from .sides import base_tags, changed_fields, united
from .texts import OTHER, SOURCE, Fields, Place, drop_forms, places


class Entry:
    """A key that a branch has for itself: as it was, and as it is there.

    ``base`` None: made there. ``mine`` None: deleted there, and it was ``lost``.
    ``stale`` are the texts that are outdated there, ``base_stale`` those that were.
    """

    def __init__(
        self, base: Fields | None, mine: Fields, stale: set[Place] | None = None
    ) -> None:
        self.base = base
        self.mine: Fields | None = mine
        self.lost: Fields = {}
        self.stale: set[Place] = set(stale or ())
        self.base_stale: set[Place] = set(stale or ())
        self.kept: set[Place] = set()  # source texts that were to keep all fresh

    def freshened(self, now: Fields | None, now_stale: set[Place]) -> list[Place]:
        """Texts found right there that are outdated on main."""
        base, mine = self.base, self.mine
        if base is None or now is None or mine is None:
            return []
        return [
            place
            for place in places(mine)
            if now.get(place) == mine[place]
            and place in self.base_stale & now_stale - self.stale
        ]

    def is_as_before(self) -> bool:
        """Whether the branch says nothing of its own, to keep when main's is gone."""
        base, mine = self.base, self.mine
        if base is None or mine is None:
            return False
        is_edited = bool(changed_fields(base, base, mine))
        return not is_edited and not self.freshened(base, self.base_stale)

    def agree(self, field: Any) -> None:
        """Follow main again in a field of which main says the same."""
        base, mine = self.base, self.mine
        assert base is not None
        assert mine is not None
        base.pop(field, None)
        if field in mine:
            base[field] = mine[field]
        if field == "isPlural":
            drop_forms(base)

    def follow(
        self, now: Fields, outdated: set[Place], *, outdates: bool, is_taken: bool
    ) -> None:
        """What the branch did not change is as main has it ``now``.

        ``outdates``: main wrote another source text, and keeps nothing fresh;
        ``is_taken``: main's name is another key's on the branch.
        """
        base, mine = self.base, self.mine
        if base is None or mine is None:
            return
        tags = united(base["tags"], now["tags"], mine["tags"])
        changed = changed_fields(base, now, mine)
        self._follow_marks(now, outdated, changed, outdates=outdates)
        for field in {*base, *now, *mine}:
            if field == "tags" or field in changed:
                continue
            if mine.get(field) != base.get(field):
                continue  # main came to say the same: the branch's own all the same
            if field == "key" and is_taken:
                base["key"] = mine["key"]
                continue
            for fields in (base, mine):
                fields.pop(field, None)
                if field in now:
                    fields[field] = now[field]
        base["tags"] = base_tags(base["tags"], now["tags"], mine["tags"])
        mine["tags"] = tags
        drop_forms(mine)
        self.stale &= {*places(mine)}

    def _follow_marks(
        self, now: Fields, outdated: set[Place], changed: list[Any], *, outdates: bool
    ) -> None:
        """What is outdated on main is so on the branch, where both say the same."""
        base, mine = self.base, self.mine
        assert base is not None
        assert mine is not None
        own = [*changed, *self.freshened(now, outdated)]
        sources = [p for p in {*places(now), *places(mine)} if p[0] == SOURCE]
        others = [
            place
            for place in sources
            if place in own
            if place not in mine
            or (
                mine[place].approved is not None
                and mine[place].counts != (place in now and now[place].counts)
            )
        ]
        kept = {
            place
            for place in self.kept & {*places(mine)}
            if mine[place].status == "approved" and now.get(place) == base.get(place)
        }
        has_source, outdates_new = bool(others), bool({*others} & {*now} - kept)
        moved = outdates and any(
            place not in own
            and place in mine
            and mine[place].counts != (place in now and now[place].counts)
            for place in sources
            if now["isPlural"] or place[1] == OTHER
        )
        stale: set[Place] = set()
        for place in {*places(now), *places(mine)}:
            other = place[0] != SOURCE
            if place in own:
                is_stale = place in self.stale or (moved and other and place in mine)
            elif now.get(place) == mine.get(place):
                mark = self.stale if has_source and other else outdated
                is_stale = place in mark
            else:  # main's is new here, or gone
                is_stale = place in outdated or (outdates_new and other)
                is_stale &= place in now
            if is_stale:
                stale.add(place)
            if now.get(place) == base.get(place) or place not in own:
                self.base_stale -= {place}
                is_own = base.get(place) != mine.get(place)
                if place in (base if is_own else now):
                    self.base_stale |= outdated & {place}
        self.stale = stale
