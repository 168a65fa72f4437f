"""Knows how long the lists are that a filter of keys names, before one is walked."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from locframework.ports import KeyFilter

from .counts import OUTDATED
from .database import Database
from .key_lists import of_plural, of_state, of_tag

_CHANGED_MOST = 10_000
"""So many changed keys are counted; of more it is enough to know that they are many."""


class Lengths(NamedTuple):
    """How many keys a line has, and how many of them are on each list that has any."""

    keys: int
    lists: Mapping[str, int]
    changed: int | None = None  # since a time, up to _CHANGED_MOST; None: not asked

    def of(self, names: Sequence[str]) -> int:
        return sum(self.lists.get(name, 0) for name in names)

    def holds_all(self, names: Sequence[str]) -> bool:
        """Whether every key is on one of the lists, as far as one of them tells."""
        return any(self.lists.get(name, 0) == self.keys for name in names)

    def in_state(self, state: str) -> tuple[str, ...]:
        """The lists of this state in any language, the longest first."""
        end = of_state("", state)
        found = [
            name for name in self.lists if name.endswith(end) and not _is_tag(name)
        ]
        return tuple(sorted(found, key=lambda name: (-self.lists[name], name)))

    def looks(self, names: Sequence[str]) -> float:
        """How many of the lists one looks into, on average, to find out whether a key
        is on any of them, if what is on one says nothing about another."""
        looks, rest = 0.0, 1.0
        for name in names:
            looks += rest
            rest *= 1 - self.lists.get(name, 0) / max(1, self.keys)
        return looks


def lengths_matter(where: KeyFilter) -> bool:
    """Whether there is anything to choose: more than one thing is asked that a list or
    an index tells, or a state in any language."""
    in_state = where.status is not None or where.is_outdated is not None
    others = where.is_plural, where.has_issues, where.updated_since
    asked = len(where.tags) + in_state + sum(one is not None for one in others)
    return asked > 1 or (in_state and where.language_code is None)


def lengths_of(
    database: Database, line_ids: Sequence[str], where: KeyFilter
) -> dict[str, Lengths]:
    """Of the lists that the filter names, on each of these lines of one project."""
    names = [of_tag(tag) for tag in where.tags]
    if where.is_plural is not None:
        names.append(of_plural(is_plural=where.is_plural))
    states: list[str] = [] if where.status is None else [where.status]
    if where.is_outdated is not None:
        states.append(OUTDATED)
    code = where.language_code
    if code is not None:
        names += [of_state(code, state) for state in states]
        states = []
    mine = database.among("l.id")
    named = [database.among("s.list")]
    params: list[object] = [
        *(database.listed(line_ids),) * 2,
        database.listed(names),
    ]
    for state in states:
        named.append(
            """s.list IN (SELECT g.language_code || ? FROM languages g
                JOIN lines n ON n.project_id = g.project_id WHERE n.id = ?)"""
        )
        params += [of_state("", state), line_ids[0]]
    since = ""
    if where.updated_since is not None:
        since = f"""UNION ALL SELECT l.id, 'changed', (SELECT count(*) FROM (
            SELECT 1 FROM keys k WHERE k.project = l.number AND k.deleted_at IS NULL
            AND k.updated_at >= ? LIMIT {_CHANGED_MOST}) c)
            FROM lines l WHERE {mine}"""
        params += [where.updated_since, database.listed(line_ids)]
    rows = database.rows(
        f"""SELECT l.id, 'keys', l.key_count FROM lines l WHERE {mine}
            UNION ALL SELECT l.id, s.list, s.keys FROM lines l
            CROSS JOIN key_list_lengths s WHERE {mine} AND s.project = l.number
            AND s.keys > 0 AND ({" OR ".join(named)}) {since}""",
        params,
    )
    found: dict[str, dict[str, int]] = {line_id: {} for line_id in line_ids}
    for line_id, name, number in rows:
        found[line_id][name] = number
    return {
        line_id: Lengths(lists.pop("keys", 0), lists, lists.pop("changed", None))
        for line_id, lists in found.items()
    }


def _is_tag(name: str) -> bool:
    return name.startswith(of_tag(""))
