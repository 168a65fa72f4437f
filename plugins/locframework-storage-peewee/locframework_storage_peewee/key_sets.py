"""Says in SQL which keys a filter means: what is walked, and what is asked of each.

Walked is one list of keys, which has their names in order, or else all keys of the
project. The other conditions are asked of each key on the way.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import KeyFilter

from .key_columns import PROJECT
from .key_lists import OUTDATED, UNTRANSLATED, of_plural, of_state, of_tag
from .parts import Part, contains, every, starts_with


class KeySet(NamedTuple):
    """Some keys of a project, each once: what stands after FROM and after WHERE.

    ``name`` is the column of their names. The columns of the table ``keys`` are those
    of k, where it was asked for.
    """

    source: Part
    where: Part
    name: str

    @property
    def params(self) -> tuple[object, ...]:
        return self.source.params + self.where.params


class _List(NamedTuple):
    """One list, or several of which a key may be in any. ``which`` follows ``list``."""

    which: Part
    name: str | None  # of one list


def all_keys(project_id: str, where: KeyFilter) -> KeySet:
    """Walks all keys, in any order; has the table ``keys``."""
    lists, rest = _lists(project_id, where)
    live = Part(f"k.project = {PROJECT} AND k.deleted_at IS NULL", (project_id,))
    asked = [
        live,
        *(_on_list("k.key", project_id, one) for one in lists),
        *_of_names(rest, "k.key"),
        *_of_keys(rest),
    ]
    return KeySet(Part("keys k"), every(asked), "k.key")


def listed_keys(project_id: str, where: KeyFilter, *, with_keys: bool) -> KeySet | None:
    """Walks the first list that the filter names; None when it names none.

    ``with_keys``: the table ``keys`` is asked for.
    """
    lists, rest = _lists(project_id, where)
    if not lists:
        return None
    first, *others = lists
    source, asked = Part("key_lists s"), [_of_list("s", project_id, first)]
    if first.name is None:
        once = f"SELECT DISTINCT s.project, s.key FROM key_lists s WHERE {asked[0].sql}"
        source, asked = Part(f"({once}) s", asked[0].params), [Part("TRUE")]
    of_keys = list(_of_keys(rest))
    if of_keys or with_keys:
        # CROSS JOIN: SQLite keeps the order of the two
        source = Part(f"{source.sql} CROSS JOIN keys k", source.params)
        join = "k.project = s.project AND k.key = s.key AND k.deleted_at IS NULL"
        asked.append(Part(join))
    asked += [_on_list("s.key", project_id, one) for one in others]
    asked += [*_of_names(rest, "s.key"), *of_keys]
    return KeySet(source, every(asked), "s.key")


def only_list(where: KeyFilter) -> str | None:
    """The name of the one list that the filter means, if it means no more."""
    lists, rest = _lists("", where)
    return lists[0].name if len(lists) == 1 and rest == KeyFilter() else None


def _lists(project_id: str, where: KeyFilter) -> tuple[list[_List], KeyFilter]:
    """The lists that the keys are on, and what else is asked of them."""
    lists = [_one_list(of_tag(tag)) for tag in where.tags]
    rest = replace(where, tags=())
    if where.is_outdated:
        lists.append(_of_language(project_id, where.language_code, OUTDATED))
    elif where.status is not None:
        lists.append(_of_language(project_id, where.language_code, where.status))
    if where.is_outdated and where.status == UNTRANSLATED:
        lists.append(_of_language(project_id, where.language_code, UNTRANSLATED))
    if where.status == UNTRANSLATED or where.is_outdated is None:
        rest = replace(rest, status=None)
    if where.is_outdated and rest.status is None:
        rest = replace(rest, is_outdated=None)
    if where.is_plural is not None:
        lists.append(_one_list(of_plural(is_plural=where.is_plural)))
        rest = replace(rest, is_plural=None)
    if rest.status is None and rest.is_outdated is None:
        rest = replace(rest, language_code=None)
    return lists, rest


def _one_list(name: str) -> _List:
    return _List(Part("= ?", (name,)), name)


def _of_language(project_id: str, language_code: str | None, state: str) -> _List:
    if language_code is not None:
        return _one_list(of_state(language_code, state))
    lists = "SELECT language_code || ? FROM languages WHERE project_id = ?"
    return _List(Part(f"IN ({lists})", (of_state("", state), project_id)), None)


def _of_list(table: str, project_id: str, one: _List) -> Part:
    condition = f"{table}.project = {PROJECT} AND {table}.list {one.which.sql}"
    return Part(condition, (project_id, *one.which.params))


def _on_list(name: str, project_id: str, one: _List) -> Part:
    mine = _of_list("m", project_id, one)
    return Part(
        f"EXISTS (SELECT 1 FROM key_lists m WHERE {mine.sql} AND m.key = {name})",
        mine.params,
    )


def _of_names(where: KeyFilter, name: str) -> Iterator[Part]:
    if where.prefix is not None:
        yield starts_with(name, Part("?", (where.prefix,)))


def _of_keys(where: KeyFilter) -> Iterator[Part]:
    if where.updated_since is not None:
        yield Part("k.updated_at >= ?", (where.updated_since,))
    if where.is_outdated is not None or where.status is not None:
        value = every([Part("v.key_number = k.number"), *_of_value(where)])
        yield Part(
            f"EXISTS (SELECT 1 FROM key_values v WHERE {value.sql})", value.params
        )
    if where.search is not None:
        in_key = contains("k.folded", where.search)
        in_value = contains("v.folded", where.search)
        yield Part(
            f"""({in_key.sql} OR EXISTS (SELECT 1 FROM key_values v
                WHERE v.key_number = k.number AND {in_value.sql}))""",
            in_key.params + in_value.params,
        )


def _of_value(where: KeyFilter) -> Iterator[Part]:
    """What one and the same value must be, of any plural form."""
    if where.language_code is not None:
        yield Part("v.language_code = ?", (where.language_code,))
    if where.status is not None:
        yield Part("v.status = ?", (where.status,))
    if where.is_outdated is not None:
        yield Part("v.is_outdated" if where.is_outdated else "NOT v.is_outdated")
