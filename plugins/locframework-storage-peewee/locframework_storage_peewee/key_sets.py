"""Says in SQL which keys a filter means: what is walked, and what is asked of each.

Walked is the shortest list of keys, which has their names in order, or else all keys
of the project. The other conditions are asked of each key on the way, but for those
that every key meets.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import KeyFilter

from .counts import OUTDATED, UNTRANSLATED
from .key_columns import PROJECT
from .key_lengths import Lengths
from .key_lists import of_plural, of_state, of_tag
from .sql import SqlFragment, all_of, contains, one_of, starts_with

_HIDDEN = f"""(SELECT coalesce((SELECT CASE
        WHEN h.project = {PROJECT} AND h.deleted_at IS NULL THEN h.key END
        FROM keys h WHERE h.id = b.key_id), '') AS key
    FROM branch_keys b WHERE b.branch_id = ?
    UNION SELECT o.key FROM keys o
        WHERE o.project = {PROJECT} AND o.deleted_at IS NULL)"""
"""The names of main's keys that a branch does not show: keys that it has copied, and
names that its own keys have. Each copy is looked up by id: PostgreSQL, with stale
statistics, joined them by reading all keys for every key of the line.
"""


class Source(NamedTuple):
    """A line to take keys from: all of its keys, or but for those that a branch has
    for itself."""

    line_id: str
    but_for: str | None = None  # a branch
    mark: str = ""  # after the ids of its keys
    lengths: Lengths | None = None  # where they matter (key_lengths.py)


class KeySet(NamedTuple):
    """Some keys of a line, each once: what stands after FROM and after WHERE.

    ``table`` is the one that is walked, with a column ``project``, the line's number;
    ``name`` is the column of the names. The columns of the table ``keys`` are those of
    k, where it was asked for.
    """

    source: SqlFragment
    where: SqlFragment
    table: str
    name: str

    @property
    def params(self) -> tuple[object, ...]:
        return self.source.params + self.where.params


class _List(NamedTuple):
    """One list, or several of which a key may be in any."""

    which: SqlFragment  # what its rows are, apart from the line; they are {t}
    names: tuple[str, ...] = ()  # longest first; none of what checks found
    table: str = "key_lists"


_EMPTY = _List(SqlFragment("FALSE"))
_ISSUES_PART = 10
"""One in so many keys is taken to have issues, when lists are compared by length."""
_WALKED_ONCE = 3
"""What reading a row of several lists and leaving out what was there costs, measured
in looks into a list."""


def all_keys(from_: Source, where: KeyFilter) -> KeySet:
    """Walks all keys, in any order; has the table ``keys``."""
    lists, rest = _lists(from_, where)
    live = SqlFragment(
        f"k.project = {PROJECT} AND k.deleted_at IS NULL", (from_.line_id,)
    )
    asked = [
        live,
        *(_on_list("k.key", from_.line_id, one) for one in lists),
        *_of_names(from_, rest, "k.key"),
        *_of_keys(rest),
    ]
    return KeySet(SqlFragment("keys k"), all_of(asked), "k", "k.key")


def listed_keys(from_: Source, where: KeyFilter, *, with_keys: bool) -> KeySet | None:
    """Walks the shortest list that the filter names; None when it names none, or when
    to walk all keys, or those that changed, is less.

    ``with_keys``: the table ``keys`` is asked for.
    """
    line_id = from_.line_id
    lists, rest = _lists(from_, where)
    if not lists or _is_long(from_.lengths, lists[0]):
        return None
    first, *others = lists
    source, asked = SqlFragment("key_lists s"), [_of_list("s", line_id, first)]
    if len(first.names) != 1:
        once = f"SELECT DISTINCT s.project, s.key FROM {first.table} s"
        source = SqlFragment(f"({once} WHERE {asked[0].sql}) s", asked[0].params)
        asked = [SqlFragment("TRUE")]
    of_keys = list(_of_keys(rest))
    if of_keys or with_keys:
        # CROSS JOIN: SQLite keeps the order of the two
        source = SqlFragment(f"{source.sql} CROSS JOIN keys k", source.params)
        join = "k.project = s.project AND k.key = s.key AND k.deleted_at IS NULL"
        asked.append(SqlFragment(join))
    asked += [_on_list("s.key", line_id, one) for one in others]
    asked += [*_of_names(from_, rest, "s.key"), *of_keys]
    return KeySet(source, all_of(asked), "s", "s.key")


def every_key(where: KeyFilter) -> bool:
    """That the filter leaves out none."""
    return where == KeyFilter(language_code=where.language_code)


def _is_long(lengths: Lengths | None, first: _List) -> bool:
    """Whether all keys, or those that changed, are walked sooner than this list."""
    if lengths is None:
        return False
    length = lengths.of(first.names)
    if lengths.changed is not None and lengths.changed < length:
        return True
    several = len(first.names) > 1
    return several and lengths.keys * lengths.looks(first.names) < length * _WALKED_ONCE


def counted(from_: Source, where: KeyFilter) -> Iterator[SqlFragment]:
    """How many keys there are: the sum of these expressions.

    A length that is kept is not counted, but what a branch has for itself.
    """
    line_id, but_for = from_.line_id, from_.but_for
    lengths = list(_lengths(from_, where))
    yield from lengths
    if not lengths:
        keys = listed_keys(from_, where, with_keys=False) or all_keys(from_, where)
        yield _number_of(keys, keys.where)
        return
    if but_for is not None:
        whole = from_._replace(but_for=None)
        keys = listed_keys(whole, where, with_keys=False) or all_keys(whole, where)
        away = all_of([keys.where, SqlFragment(f"{keys.name} = hidden.key")])
        number = _number_of(keys, away)
        yield SqlFragment(
            f"-(SELECT CAST(sum({number.sql}) AS BIGINT) FROM {_HIDDEN} AS hidden)",
            (*number.params, line_id, but_for, but_for),
        )


def _lengths(from_: Source, where: KeyFilter) -> Iterator[SqlFragment]:
    """Numbers that are kept, or told by short lists, whose sum is the answer; none
    where they do not tell."""
    line_id = from_.line_id
    every_one = SqlFragment("(SELECT key_count FROM lines WHERE id = ?)", (line_id,))
    lists, rest = _lists(from_, where)
    if not lists and every_key(rest):
        yield every_one
    elif len(lists) == 1 and len(lists[0].names) == 1 and rest == KeyFilter():
        yield _length(line_id, lists[0].names[0])
    elif not lists and every_key(replace(rest, is_outdated=None)):
        stale = _of_language(from_, rest.language_code, OUTDATED)
        if len(stale.names) == 1:
            number = _length(line_id, stale.names[0])
        else:
            some = _of_list("m", line_id, stale)
            once = f"SELECT DISTINCT m.key FROM key_lists m WHERE {some.sql}"
            number = SqlFragment(f"(SELECT count(*) FROM ({once}) stale)", some.params)
        yield from (
            every_one,
            SqlFragment(f"-coalesce({number.sql}, 0)", number.params),
        )


def _length(line_id: str, name: str) -> SqlFragment:
    lengths = f"SELECT keys FROM key_list_lengths WHERE project = {PROJECT}"
    return SqlFragment(f"({lengths} AND list = ?)", (line_id, name))


def _number_of(keys: KeySet, where: SqlFragment) -> SqlFragment:
    return SqlFragment(
        f"(SELECT count(*) FROM {keys.source.sql} WHERE {where.sql})",
        keys.source.params + where.params,
    )


def _lists(from_: Source, where: KeyFilter) -> tuple[list[_List], KeyFilter]:
    """The lists that the keys are on, the shortest first where that is known, and what
    else is asked of them."""
    lengths = from_.lengths
    lists = [_with_issues(where)] if where.has_issues else []  # it is the shortest
    lists += [_one_list(of_tag(tag)) for tag in where.tags]
    rest = replace(where, tags=())
    if where.has_issues:
        rest = replace(rest, has_issues=None, checks=())
    if where.status == UNTRANSLATED and where.is_outdated is not None:
        if where.is_outdated:
            lists.append(_EMPTY)  # what is not there is not outdated
        where = replace(where, is_outdated=None)
        rest = replace(rest, is_outdated=None)
    if where.is_outdated is False and lengths is not None:
        stale = _of_language(from_, where.language_code, OUTDATED)
        if not lengths.of(stale.names):
            where = replace(where, is_outdated=None)
            rest = replace(rest, is_outdated=None)
    state = OUTDATED if where.is_outdated else where.status
    if state is not None:
        lists.append(_of_language(from_, where.language_code, state))
    if where.is_outdated is None:
        rest = replace(rest, status=None)
    elif where.is_outdated and where.status is None:
        rest = replace(rest, is_outdated=None)
    if where.is_plural is not None:
        lists.append(_one_list(of_plural(is_plural=where.is_plural)))
        rest = replace(rest, is_plural=None)
    if (rest.status, rest.is_outdated, rest.has_issues) == (None, None, None):
        rest = replace(rest, language_code=None)
    return lists if lengths is None else _chosen(lengths, lists), rest


def _chosen(lengths: Lengths, lists: list[_List]) -> list[_List]:
    """Those that not every key is on, the shortest first."""

    def length(one: _List) -> int:
        if one.table != "key_lists":
            return lengths.keys // _ISSUES_PART
        return lengths.of(one.names)

    some = [one for one in lists if not lengths.holds_all(one.names)]
    return sorted(some, key=length)


def _one_list(name: str) -> _List:
    return _List(SqlFragment("{t}.list = ?", (name,)), (name,))


def _of_language(from_: Source, language_code: str | None, state: str) -> _List:
    """The list of a state, or without a language those of all of them that have any."""
    if language_code is not None:
        return _one_list(of_state(language_code, state))
    names = from_.lengths.in_state(state) if from_.lengths is not None else ()
    return _List(one_of("{t}.list", names), names) if names else _EMPTY


def _with_issues(where: KeyFilter) -> _List:
    """The keys in which one of the checks found something."""
    which = one_of("{t}.check_name", where.checks)
    if where.language_code is not None:
        which = all_of(
            [SqlFragment("{t}.language_code = ?", (where.language_code,)), which]
        )
    return _List(which, table="findings")


def _of_list(table: str, line_id: str, one: _List) -> SqlFragment:
    condition = f"{table}.project = {PROJECT} AND {one.which.sql.format(t=table)}"
    return SqlFragment(condition, (line_id, *one.which.params))


def _on_list(name: str, line_id: str, one: _List) -> SqlFragment:
    """That a key is on it; of several lists, the longest is looked into first."""
    each = [_one_list(name) for name in one.names] or [one]
    mine = [_of_list("m", line_id, some) for some in each]
    found = [
        f"EXISTS (SELECT 1 FROM {one.table} m WHERE {some.sql} AND m.key = {name})"
        for some in mine
    ]
    params = tuple(param for some in mine for param in some.params)
    return SqlFragment(f"({' OR '.join(found)})", params)


def of_names(from_: Source, name: str) -> Iterator[SqlFragment]:
    """That a name is not that of a key which the branch has for itself."""
    if from_.but_for is not None:
        yield SqlFragment(
            f"{name} NOT IN {_HIDDEN}", (from_.line_id, from_.but_for, from_.but_for)
        )


def _of_names(from_: Source, where: KeyFilter, name: str) -> Iterator[SqlFragment]:
    yield from of_names(from_, name)
    if where.is_outdated is False:
        stale = _of_language(from_, where.language_code, OUTDATED)
        found = _on_list(name, from_.line_id, stale)
        if where.status is not None:
            found = _outdated(name, from_.line_id, stale, where)
        yield SqlFragment(f"NOT {found.sql}", found.params)
    if where.has_issues is False:
        found = _on_list(name, from_.line_id, _with_issues(where))
        yield SqlFragment(f"NOT {found.sql}", found.params)
    if where.prefix is not None:
        yield starts_with(name, SqlFragment("?", (where.prefix,)))


def _outdated(name: str, line_id: str, stale: _List, where: KeyFilter) -> SqlFragment:
    """That a key is on a list of outdated ones by a value in the state asked for."""
    value = all_of([_of_list("m", line_id, stale), *_of_value(where)])
    return SqlFragment(
        f"""EXISTS (SELECT 1
            FROM key_lists m CROSS JOIN keys o CROSS JOIN key_values v
            WHERE m.key = {name} AND o.project = m.project AND o.key = m.key
            AND o.deleted_at IS NULL AND v.key_number = o.number AND {value.sql})""",
        value.params,
    )


def _of_keys(where: KeyFilter) -> Iterator[SqlFragment]:
    if where.updated_since is not None:
        yield SqlFragment("k.updated_at >= ?", (where.updated_since,))
    if where.is_outdated and where.status is not None:
        value = all_of([SqlFragment("v.key_number = k.number"), *_of_value(where)])
        found = f"EXISTS (SELECT 1 FROM key_values v WHERE {value.sql})"
        yield SqlFragment(found, value.params)
    if where.search is not None:
        in_key = contains("k.folded", where.search)
        in_value = contains("v.folded", where.search)
        yield SqlFragment(
            f"""({in_key.sql} OR EXISTS (SELECT 1 FROM key_values v
                WHERE v.key_number = k.number AND {in_value.sql}))""",
            in_key.params + in_value.params,
        )


def _of_value(where: KeyFilter) -> Iterator[SqlFragment]:
    """What one and the same value is, of any plural form: outdated, in that state."""
    if where.language_code is not None:
        yield SqlFragment("v.language_code = ?", (where.language_code,))
    yield SqlFragment("v.status = ?", (where.status,))
    yield SqlFragment("v.is_outdated")
