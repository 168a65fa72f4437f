"""What a project with branches ought to say, in plain dicts: the model of the tests.

It knows no database, no services and no code of theirs. A key is a dict of fields:
``key``, ``description``, ``tags``, ``isPlural``, and ``(language, plural form)`` to a
Text; the text of a key without plurals is that of the form ``other``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

SOURCE = "en"
Fields = dict[Any, Any]
Place = tuple[str, str]
Spelled = tuple[str, str | None]
"""As it is told: without plural form, if the key has none."""
OTHER = "other"
MAIN = None


class Text(NamedTuple):
    value: str
    status: str
    approved: str | None

    @property
    def counts(self) -> str:
        """The text that counts: the approved one, or the only one there is."""
        return self.value if self.approved is None else self.approved


class Refused(Exception):
    """The code of the refusal."""


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


class Change(NamedTuple):
    """What a branch changes: a field of a key, or all of it when it is deleted."""

    id: str
    field: Any
    conflict: bool


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

    def hidden(self, line: str) -> set[str]:
        """Main's keys that a branch does not show: it gave their names to others."""
        entries = self.branches[line]
        return {*self.main} - {*self.seen(line)} - {*entries}

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
        else:
            self.branches[line][id_] = Entry(None, fields)

    def rename_id(self, line: str | None, old: str, new: str) -> None:
        """Another id for a key that was just made."""
        keys: dict[str, Any] = self.main if line is MAIN else self.branches[line]
        keys[new] = keys.pop(old)

    def update(self, line: str | None, id_: str, fields: Mapping[Any, Any]) -> None:
        self._own(line, id_).update(fields)
        self._settle(line, id_)

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
            if after != before or (before is not None and place in outdated and value):
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

    def mark(self, line: str | None, id_: str, stale: set[Place]) -> None:
        """Set which texts of a key are outdated."""
        if line is not MAIN:
            self.branches[line][id_].stale = stale
            return
        self.outdated = {each for each in self.outdated if each[0] != id_}
        self.outdated |= {(id_, place) for place in stale}

    def delete(self, line: str | None, id_: str) -> None:
        if line is MAIN:
            self.trash[id_] = self.main.pop(id_)
            self._follow([id_])
            return
        fields = dict(self._own(line, id_))
        entry = self.branches[line][id_]
        entry.mine, entry.lost = None, fields

    def restore(self, line: str | None, id_: str) -> None:
        if line is MAIN:
            self.main[id_] = self.trash.pop(id_)
            self._follow([id_])
            return
        entry = self.branches[line][id_]
        entry.mine = entry.lost
        self._follow([id_])

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

    # branches

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

    def _settle(self, line: str | None, id_: str, *, outdates: bool = False) -> None:
        """After a write: what a branch says as before its change follows main again.

        ``outdates``: main wrote another source text, and keeps nothing fresh.
        """
        if line is MAIN:
            self._follow([id_], outdates=outdates)
        else:
            self._follow_one(self.branches[line], id_, outdates=True)

    def _follow(self, ids: list[str], *, outdates: bool = False) -> None:
        """What a branch did not change is as main has it."""
        for entries in self.branches.values():
            for id_ in ids:
                if id_ in entries:
                    self._follow_one(entries, id_, outdates=outdates)

    def _follow_one(
        self, entries: dict[str, Entry], id_: str, *, outdates: bool = False
    ) -> None:
        entry, now = entries[id_], self.main.get(id_)
        base, mine = entry.base, entry.mine
        if base is None:
            return
        if now is None:
            if mine is None:
                return  # deleted there as here, each for itself
            own = changed_fields(base, base, mine)
            if not own and not entry.freshened(base, entry.base_stale):
                del entries[id_]
            return
        if mine is None:
            return
        tags = united(base["tags"], now["tags"], mine["tags"])
        changed = changed_fields(base, now, mine)
        self._follow_marks(entry, id_, changed, outdates=outdates)
        for field in {*base, *now, *mine}:
            if field == "tags" or field in changed:
                continue
            if mine.get(field) != base.get(field):
                continue  # main came to say the same: the branch's own all the same
            if field == "key" and self._is_taken(entries, id_, now["key"]):
                base["key"] = mine["key"]
                continue
            for fields in (base, mine):
                fields.pop(field, None)
                if field in now:
                    fields[field] = now[field]
        base["tags"] = base_tags(base["tags"], now["tags"], mine["tags"])
        mine["tags"] = tags
        drop_forms(mine)
        entry.stale &= {*places(mine)}

    def _follow_marks(
        self, entry: Entry, id_: str, changed: list[Any], *, outdates: bool
    ) -> None:
        """What is outdated on main is so on the branch, where both say the same."""
        base, mine, now = entry.base, entry.mine, self.main[id_]
        assert base is not None
        assert mine is not None
        outdated = self.stale(MAIN, id_)
        own = [*changed, *entry.freshened(now, outdated)]
        sources = [p for p in {*places(now), *places(mine)} if p[0] == SOURCE]
        has_source = any(place in own for place in sources)
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
                is_stale = place in entry.stale or (moved and other and place in mine)
            elif now.get(place) == mine.get(place):
                mark = entry.stale if has_source and other else outdated
                is_stale = place in mark
            else:  # main's is new here, or gone
                is_stale = place in outdated or (has_source and other)
                is_stale &= place in now
            if is_stale:
                stale.add(place)
            if now.get(place) == base.get(place) or place not in own:
                entry.base_stale -= {place}
                is_own = base.get(place) != mine.get(place)
                if place in (base if is_own else now):
                    entry.base_stale |= outdated & {place}
        entry.stale = stale

    def _is_taken(self, entries: dict[str, Entry], id_: str, name: str) -> bool:
        others = (e.mine for other, e in entries.items() if other != id_)
        return any(mine is not None and mine["key"] == name for mine in others)

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

    def _twin(self, line: str, id_: str) -> str | None:
        """Another key of main that has the name, and that the branch never touched."""
        mine = self.branches[line][id_].mine
        if mine is None:
            return None
        for other, fields in self.main.items():
            if fields["key"] == mine["key"] and other != id_:
                return None if other in self.branches[line] else other
        return None

    def merge(self, line: str, strategy: str) -> set[tuple[str, Place]]:
        """Main takes the changes over; the branch is gone. Answers texts found right.

        What is outdated on the branch is so on main. Raises Refused for conflicts, and
        where a name would be taken twice.
        """
        changes = self.diff(line)
        if strategy == "fail" and any(change.conflict for change in changes):
            raise Refused("merge_conflict")
        coming: dict[str, list[Any]] = {}
        left_out: set[str] = set()
        for change in changes:
            if not change.conflict or strategy == "use_branch":
                coming.setdefault(change.id, []).append(change.field)
            elif change.field == "isPlural":
                left_out.add(change.id)
        for id_ in left_out & coming.keys():  # forms stay with the plurals
            coming[id_] = [each for each in coming[id_] if not is_form(each)]
        twins = {id_: self._twin(line, id_) for id_ in coming}
        entries = self.branches.pop(line)
        for id_ in [id_ for id_ in coming if entries[id_].mine is None]:
            self.delete(MAIN, id_)
            del coming[id_]
        for id_ in coming:  # main's name of a key has to be free for it to come back
            if entries[id_].base is not None and id_ not in self.main:
                if self.named(MAIN, self.trash[id_]["key"]):
                    raise Refused("key_exists")
                self.restore(MAIN, id_)
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
            self.create(MAIN, id_, dict(mine))
            self.mark(MAIN, id_, set(entry.stale))
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
        texts = {f: mine.get(f) for f in fields if isinstance(f, tuple)}
        self.put(MAIN, target, texts)
        for place in places(self.main[target]):
            where, is_stale = (target, place), place in entry.stale
            if place in texts and is_stale:
                self.outdated.add(where)
            elif place in mine and not is_stale and where not in before:
                self.outdated.discard(where)


def counted(keys: Mapping[str, Fields], lang: str) -> dict[str, int]:
    """How far a language is, counted key by key (decisions 2.6)."""
    found = dict.fromkeys(["approved", "pending_review", "draft", "untranslated"], 0)
    found |= {"words": 0, "approved_words": 0}
    for fields in keys.values():
        states = {fields[p].status for p in places(fields) if p[0] == lang}
        worst = ["draft", "pending_review", "approved"]
        state = next((each for each in worst if each in states), "untranslated")
        words = source_words(fields)
        found[state] += 1
        found["words"] += words if states else 0
        found["approved_words"] += words if state == "approved" else 0
    return found


def source_words(fields: Fields) -> int:
    """Every text of the tests is one word, or none."""
    return sum(bool(fields[p].counts) for p in places(fields) if p[0] == SOURCE)


def _bases(base: Fields | None, field: Any) -> tuple[Any, ...]:
    """What main may say without having left the base."""
    return (None, "", ()) if base is None else (base.get(field),)


def written(
    old: Text | None, value: str, approver: bool, outdated: bool
) -> Text | None:
    """What a text becomes when someone writes it."""
    status = "approved" if approver else "pending_review"
    approved = old.approved if old else None
    if not value and (approver or approved is None):
        return None
    settled = old and old.status in (status, "approved") and not outdated
    if old and settled and value == old.value:
        return old
    return Text(value, status, value if approver else approved)


def places(fields: Fields) -> list[Place]:
    return [field for field in fields if isinstance(field, tuple)]


def shown(content: object) -> object:
    return content.value if isinstance(content, Text) else content


def is_form(field: object) -> bool:
    """Whether it is a text that needs plurals."""
    return isinstance(field, tuple) and field[1] != OTHER


def drop_forms(fields: Fields) -> None:
    """A key without plurals has one text in a language."""
    if not fields["isPlural"]:
        for place in [place for place in places(fields) if is_form(place)]:
            del fields[place]


def spelled(place: Place, plural: bool) -> Spelled:
    return place if plural else (place[0], None)


def spread(fields: Fields) -> dict[Spelled, Text]:
    """The texts of a key as they are told."""
    return {spelled(p, fields["isPlural"]): fields[p] for p in places(fields)}


def changed_fields(base: Fields, main: Fields, mine: Fields) -> list[Any]:
    """Where the branch says what neither main nor the base says, or has plurals and
    forms against main."""
    odds = at_odds(base, main, mine)
    return [
        field
        for field in {**base, **main, **mine}
        if field in odds or mine.get(field) not in (base.get(field), main.get(field))
    ]


def at_odds(base: Fields, main: Fields, mine: Fields) -> set[Any]:
    """The plurals and all forms, where one side turned them off and the other wrote a
    form; so it is with two keys of one name."""
    if not main or not mine or main["isPlural"] == mine["isPlural"]:
        return set()
    if base and not base["isPlural"]:
        return set()
    plural = main if main["isPlural"] else mine
    forms = {place for place in places(plural) if is_form(place)}
    written = any(plural[place] != base.get(place) for place in forms)
    return {"isPlural", *forms} if written else set()


def united(base: Any, main: Any, mine: Any) -> tuple[str, ...]:
    if main == base:
        return tuple(mine)
    kept = [tag for tag in main if tag in mine or tag not in base]
    both = dict.fromkeys([*kept, *(tag for tag in mine if tag not in base)])
    return tuple(mine) if mine != base and {*both} == {*mine} else tuple(both)


def base_tags(base: Any, main: Any, mine: Any) -> tuple[str, ...]:
    """Main's, but for each that the branch added or took away: it is as it was."""
    own = {tag for tag in {*base, *mine} if (tag in base) != (tag in mine)}
    theirs = [tag for tag in main if tag not in own or tag in base]
    return (*theirs, *(tag for tag in base if tag in own and tag not in main))
