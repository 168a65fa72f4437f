"""Says in SQL which keys a filter means: what is walked, and what is asked of each.

Walked is one list of keys, which has their names in order, or else all keys of the
project. The other conditions are asked of each key on the way.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import KeyFilter

from .counts import OUTDATED, UNTRANSLATED
from .key_columns import PROJECT
from .key_lists import of_plural, of_state, of_tag
from .parts import Part, contains, every, one_of, starts_with

_HIDDEN = f"""(SELECT h.key FROM branch_keys b JOIN keys h ON h.id = b.key_id
    WHERE b.branch_id = ? AND h.project + 0 = {PROJECT} AND h.deleted_at IS NULL)"""
"""The names on a line of the keys that a branch has for itself."""


class Source(NamedTuple):
    """A line to take keys from: all of its keys, or but for those that a branch has
    for itself."""

    line_id: str
    but_for: str | None = None  # a branch
    mark: str = ""  # after the ids of its keys


class KeySet(NamedTuple):
    """Some keys of a line, each once: what stands after FROM and after WHERE.

    ``table`` is the one that is walked, with a column ``project``, the line's number;
    ``name`` is the column of the names. The columns of the table ``keys`` are those of
    k, where it was asked for.
    """

    source: Part
    where: Part
    table: str
    name: str

    @property
    def params(self) -> tuple[object, ...]:
        return self.source.params + self.where.params


class _List(NamedTuple):
    """One list, or several of which a key may be in any."""

    which: Part  # what its rows are, apart from the line; they are {t}
    name: str | None  # of one list
    table: str = "key_lists"


_EMPTY = _List(Part("FALSE"), None)


def all_keys(from_: Source, where: KeyFilter) -> KeySet:
    """Walks all keys, in any order; has the table ``keys``."""
    lists, rest = _lists(from_.line_id, where)
    live = Part(f"k.project = {PROJECT} AND k.deleted_at IS NULL", (from_.line_id,))
    asked = [
        live,
        *(_on_list("k.key", from_.line_id, one) for one in lists),
        *_of_names(from_, rest, "k.key"),
        *_of_keys(rest),
    ]
    return KeySet(Part("keys k"), every(asked), "k", "k.key")


def listed_keys(from_: Source, where: KeyFilter, *, with_keys: bool) -> KeySet | None:
    """Walks the first list that the filter names; None when it names none.

    ``with_keys``: the table ``keys`` is asked for.
    """
    line_id = from_.line_id
    lists, rest = _lists(line_id, where)
    if not lists:
        return None
    first, *others = lists
    source, asked = Part("key_lists s"), [_of_list("s", line_id, first)]
    if first.name is None:
        once = f"SELECT DISTINCT s.project, s.key FROM {first.table} s"
        source = Part(f"({once} WHERE {asked[0].sql}) s", asked[0].params)
        asked = [Part("TRUE")]
    of_keys = list(_of_keys(rest))
    if of_keys or with_keys:
        # CROSS JOIN: SQLite keeps the order of the two
        source = Part(f"{source.sql} CROSS JOIN keys k", source.params)
        join = "k.project = s.project AND k.key = s.key AND k.deleted_at IS NULL"
        asked.append(Part(join))
    asked += [_on_list("s.key", line_id, one) for one in others]
    asked += [*_of_names(from_, rest, "s.key"), *of_keys]
    return KeySet(source, every(asked), "s", "s.key")


def every_key(where: KeyFilter) -> bool:
    """That the filter leaves out none."""
    return where == KeyFilter(language_code=where.language_code)


def counted(from_: Source, where: KeyFilter) -> Iterator[Part]:
    """How many keys there are: the sum of these expressions.

    A length that is kept is not counted, but what a branch has for itself.
    """
    line_id, but_for, _ = from_
    lengths = list(_lengths(line_id, where))
    yield from lengths
    if not lengths:
        keys = listed_keys(from_, where, with_keys=False) or all_keys(from_, where)
        yield _number_of(keys, keys.where)
        return
    if but_for is not None:
        whole = Source(line_id)
        keys = listed_keys(whole, where, with_keys=False) or all_keys(whole, where)
        away = Part(f"{keys.name} IN {_HIDDEN}", (but_for, line_id))
        number = _number_of(keys, every([keys.where, away]))
        yield Part(f"-{number.sql}", number.params)


def _lengths(line_id: str, where: KeyFilter) -> Iterator[Part]:
    """Lengths that are kept, whose sum is the answer; none where they do not tell."""
    every_one = Part("(SELECT key_count FROM lines WHERE id = ?)", (line_id,))
    one_list, code = _only_list(where), where.language_code
    if every_key(where):
        yield every_one
    elif one_list is not None:
        yield _length(line_id, one_list)
    elif code is not None and every_key(replace(where, is_outdated=None)):
        stale = _length(line_id, of_state(code, OUTDATED))
        yield from (every_one, Part(f"-{stale.sql}", stale.params))


def _length(line_id: str, name: str) -> Part:
    lengths = f"SELECT keys FROM key_list_lengths WHERE project = {PROJECT}"
    return Part(f"({lengths} AND list = ?)", (line_id, name))


def _number_of(keys: KeySet, where: Part) -> Part:
    return Part(
        f"(SELECT count(*) FROM {keys.source.sql} WHERE {where.sql})",
        keys.source.params + where.params,
    )


def _only_list(where: KeyFilter) -> str | None:
    """The name of the one list that the filter means, if it means no more."""
    lists, rest = _lists("", where)
    return lists[0].name if len(lists) == 1 and rest == KeyFilter() else None


def _lists(line_id: str, where: KeyFilter) -> tuple[list[_List], KeyFilter]:
    """The lists that the keys are on, and what else is asked of them."""
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
    state = OUTDATED if where.is_outdated else where.status
    if state is not None:
        lists.append(_of_language(line_id, where.language_code, state))
    if where.is_outdated is None:
        rest = replace(rest, status=None)
    elif where.is_outdated and where.status is None:
        rest = replace(rest, is_outdated=None)
    if where.is_plural is not None:
        lists.append(_one_list(of_plural(is_plural=where.is_plural)))
        rest = replace(rest, is_plural=None)
    if (rest.status, rest.is_outdated, rest.has_issues) == (None, None, None):
        rest = replace(rest, language_code=None)
    return lists, rest


def _one_list(name: str) -> _List:
    return _List(Part("{t}.list = ?", (name,)), name)


def _of_language(line_id: str, language_code: str | None, state: str) -> _List:
    if language_code is not None:
        return _one_list(of_state(language_code, state))
    lists = """SELECT g.language_code || ? FROM languages g
        JOIN lines l ON l.project_id = g.project_id WHERE l.id = ?"""
    which = Part(f"{{t}}.list IN ({lists})", (of_state("", state), line_id))
    return _List(which, None)


def _with_issues(where: KeyFilter) -> _List:
    """The keys in which one of the checks found something."""
    which = one_of("{t}.check_name", where.checks)
    if where.language_code is not None:
        which = every([Part("{t}.language_code = ?", (where.language_code,)), which])
    return _List(which, None, "findings")


def _of_list(table: str, line_id: str, one: _List) -> Part:
    condition = f"{table}.project = {PROJECT} AND {one.which.sql.format(t=table)}"
    return Part(condition, (line_id, *one.which.params))


def _on_list(name: str, line_id: str, one: _List) -> Part:
    mine = _of_list("m", line_id, one)
    return Part(
        f"EXISTS (SELECT 1 FROM {one.table} m WHERE {mine.sql} AND m.key = {name})",
        mine.params,
    )


def of_names(from_: Source, name: str) -> Iterator[Part]:
    """That a name is not that of a key which the branch has for itself."""
    if from_.but_for is not None:
        yield Part(f"{name} NOT IN {_HIDDEN}", (from_.but_for, from_.line_id))


def _of_names(from_: Source, where: KeyFilter, name: str) -> Iterator[Part]:
    yield from of_names(from_, name)
    if where.is_outdated is False and where.status is None:
        stale = _of_language(from_.line_id, where.language_code, OUTDATED)
        found = _on_list(name, from_.line_id, stale)
        yield Part(f"NOT {found.sql}", found.params)
    if where.has_issues is False:
        found = _on_list(name, from_.line_id, _with_issues(where))
        yield Part(f"NOT {found.sql}", found.params)
    if where.prefix is not None:
        yield starts_with(name, Part("?", (where.prefix,)))


def _of_keys(where: KeyFilter) -> Iterator[Part]:
    if where.updated_since is not None:
        yield Part("k.updated_at >= ?", (where.updated_since,))
    if where.status is not None:
        value = every([Part("v.key_number = k.number"), *_of_value(where)])
        found = f"EXISTS (SELECT 1 FROM key_values v WHERE {value.sql})"
        yield Part(found if where.is_outdated else f"NOT {found}", value.params)
    if where.search is not None:
        in_key = contains("k.folded", where.search)
        in_value = contains("v.folded", where.search)
        yield Part(
            f"""({in_key.sql} OR EXISTS (SELECT 1 FROM key_values v
                WHERE v.key_number = k.number AND {in_value.sql}))""",
            in_key.params + in_value.params,
        )


def _of_value(where: KeyFilter) -> Iterator[Part]:
    """What one and the same value is, of any plural form: outdated, in that state."""
    if where.language_code is not None:
        yield Part("v.language_code = ?", (where.language_code,))
    yield Part("v.status = ?", (where.status,))
    yield Part("v.is_outdated")
