"""Keeps lists of keys by name: those with a tag, those with a value in some state.

A page of a list is the walk of one index, and its length is known at any time. The
lists of a key are worked out from the key itself, before and after each change; so is
what it counts in the statistics (counts.py).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from locframework.ports import Key, StoredValue, Timestamp

from .counts import OUTDATED, UNTRANSLATED, Standing, count_change, latest
from .database import Database
from .engine import Row
from .key_columns import CHUNK, OF_PROJECT, PROJECT, tags_in

T = TypeVar("T")
Lists = dict[tuple[int, str], set[str]]  # project by number, list: keys by name

_STATES = ("draft", "pending_review", "approved", UNTRANSLATED, OUTDATED)


def of_tag(tag: str) -> str:
    """The list of the keys with this tag."""
    return f"#{tag}"


def of_state(language_code: str, state: str) -> str:
    """The list of the keys with a value in this state, or without a value."""
    return f"{language_code}/{state}"


def of_plural(*, is_plural: bool) -> str:
    """The list of the keys with plurals, or of those without."""
    return "plural" if is_plural else "singular"


@contextmanager
def lists_kept(
    database: Database,
    key_ids: Collection[str],
    language_codes: Collection[str] | None = None,
    changed_at: Mapping[str, Timestamp] | None = None,
) -> Iterator[None]:
    """Bring lists and counts of these keys up to date with what the block does to them.

    ``language_codes``: only values in these languages are changed. ``changed_at``:
    when texts are written or cleared, by language.
    """
    before, after = _Found(language_codes), _Found(language_codes)
    _look(database, before, key_ids)
    yield
    # what other languages count changes with the words of the source text alone
    beside = Standing()
    _look(database, after, key_ids, beside)
    _rewrite(database, before.lists(), after.lists())
    before.standing.add(beside)
    after.standing.add(beside)
    count_change(database, before.standing, after.standing, changed_at or {})


def add_to_lists(
    database: Database,
    project: int,
    keys: Sequence[Key],
    values: Sequence[StoredValue],
    words: Iterable[int],
) -> None:
    """Enter new keys of one project, with their values and the ``words`` of each, and
    count them."""
    rows = database.rows(
        """SELECT l.language_code, l.language_code = p.source_language
            FROM lines c JOIN projects p ON p.id = c.project_id
            JOIN languages l ON l.project_id = c.project_id
            WHERE c.number = ?""",
        (project,),
    )
    is_source: dict[str, bool] = dict(rows)
    names = {key.id: key.key for key in keys}
    standing = Standing()
    for value, count in zip(values, words, strict=True):
        name, code = names[value.key_id], value.language_code
        if code not in is_source:
            continue
        standing.states[project, code, value.status].add(name)
        if value.is_outdated:
            standing.states[project, code, OUTDATED].add(name)
        if is_source[code]:
            standing.add_words(project, name, count)
    found: Lists = defaultdict(set)
    for key in keys:
        _list_key(found, project, key.key, is_plural=key.is_plural, tags=key.tags)
    for language_code in is_source:
        states = standing.states
        there = {state: states[project, language_code, state] for state in _STATES}
        there[UNTRANSLATED] = set(names.values()).difference(*there.values())
        for state, listed in there.items():
            found[project, of_state(language_code, state)] = listed
    _rewrite(database, {}, found)
    times = latest((value.language_code, value.updated_at) for value in values)
    count_change(database, Standing(), standing, times)


def add_language(database: Database, project_id: str, language_code: str) -> None:
    """Note that no key has a value in this new language of the project."""
    untranslated = of_state(language_code, UNTRANSLATED)
    for line_id in lines_of(database, project_id):
        database.run(
            f"""INSERT INTO key_lists (project, list, key) SELECT k.project, ?, k.key
                FROM keys k WHERE k.project = {PROJECT} AND k.deleted_at IS NULL
                ORDER BY k.key""",
            (untranslated, line_id),
        )
        database.run(
            """INSERT INTO key_list_lengths (project, list, keys)
                SELECT number, ?, key_count FROM lines WHERE id = ?""",
            (untranslated, line_id),
        )


def remove_language(database: Database, project_id: str, language_code: str) -> None:
    """Drop what keys have in a language that leaves the project."""
    lists = database.listed([of_state(language_code, state) for state in _STATES])
    for line_id in lines_of(database, project_id):
        for table in ("key_values", "value_revisions"):
            database.run(
                f"""DELETE FROM {table}
                    WHERE language_code = ? AND key_number {OF_PROJECT}""",
                (language_code, line_id, line_id),
            )
        database.run(
            f"DELETE FROM file_details WHERE project = {PROJECT} AND language_code = ?",
            (line_id, language_code),
        )
        for table in ("key_lists", "key_list_lengths"):
            database.run(
                f"""DELETE FROM {table}
                    WHERE project = {PROJECT} AND {database.among("list")}""",
                (line_id, lists),
            )
        database.run(
            f"DELETE FROM language_counts WHERE line = {PROJECT} AND language_code = ?",
            (line_id, language_code),
        )


def lines_of(database: Database, project_id: str) -> list[str]:
    """The ids of main and of the branches that have keys of their own."""
    rows = database.rows(
        "SELECT id FROM lines WHERE project_id = ? ORDER BY number", (project_id,)
    )
    return [line_id for (line_id,) in rows]


def chunks(items: Collection[T]) -> Iterator[list[T]]:
    """``items`` in their order, CHUNK at a time."""
    rest = iter(items)
    while some := list(islice(rest, CHUNK)):
        yield some


class _Found:
    """What some keys belong in: lists of tags and plurals, and lists of states."""

    def __init__(self, language_codes: Collection[str] | None) -> None:
        self.language_codes = language_codes
        self.of_keys: Lists = defaultdict(set)
        self.standing = Standing()

    def lists(self) -> Lists:
        states = self.standing.states.items()
        of_values = {(line, of_state(*which)): keys for (line, *which), keys in states}
        return {**self.of_keys, **of_values}


def _look(
    database: Database,
    found: _Found,
    key_ids: Collection[str],
    beside: Standing | None = None,
) -> None:
    """See what the keys belong in now; in the trash it is nothing.

    ``beside`` is told how they stand in the languages that the source texts count for,
    as far as ``found`` is not about them.
    """
    for some in chunks(key_ids):
        if found.language_codes is None:
            _list_keys(database, found.of_keys, some)
        _look_at_values(database, found, some, beside)


def _list_keys(database: Database, found: Lists, key_ids: Collection[str]) -> None:
    rows = database.rows(
        f"""SELECT k.project, k.key, k.is_plural, k.tags FROM keys k
            WHERE {database.among("k.id")} AND k.deleted_at IS NULL""",
        (database.listed(key_ids),),
    )
    for project, key, is_plural, tags in rows:
        _list_key(found, project, key, is_plural=is_plural, tags=tags_in(tags))


def _look_at_values(
    database: Database,
    found: _Found,
    key_ids: Collection[str],
    beside: Standing | None,
) -> None:
    # + 0: keys are looked up by id (key_columns.IN_PROJECT)
    mine = f"{database.among('k.id')} AND k.deleted_at IS NULL"
    params = [database.listed(key_ids)]
    codes = found.language_codes
    if codes is not None:
        asked = database.among("l.language_code")
        params.append(database.listed(codes))
        if beside is not None:
            source = database.among("p.source_language")
            asked = f"({asked} OR l.language_code = p.source_language OR {source})"
            params.append(database.listed(codes))
        mine += f" AND {asked}"
    rows = database.rows(
        f"""SELECT k.project, k.key, l.language_code, v.status, v.is_outdated,
                CASE WHEN l.language_code = p.source_language THEN v.words END
            FROM keys k JOIN lines c ON c.number = k.project + 0
            JOIN projects p ON p.id = c.project_id
            JOIN languages l ON l.project_id = c.project_id
            LEFT JOIN key_values v ON v.key_number = k.number
                AND v.language_code = l.language_code
            WHERE {mine}""",
        params,
    )
    for line, key, code, status, is_outdated, words in rows:
        standing = found.standing
        if beside is not None and codes is not None and code not in codes:
            standing = beside
        standing.states[line, code, status or UNTRANSLATED].add(key)
        if is_outdated:
            standing.states[line, code, OUTDATED].add(key)
        if words is not None:
            standing.add_words(line, key, words)


def _list_key(
    found: Lists, project: int, key: str, *, is_plural: bool, tags: Iterable[str]
) -> None:
    found[project, of_plural(is_plural=is_plural)].add(key)
    for tag in tags:
        found[project, of_tag(tag)].add(key)


def _rewrite(database: Database, before: Lists, after: Lists) -> None:
    gone, new = _less(before, after), _less(after, before)
    database.run_many(
        "DELETE FROM key_lists WHERE project = ? AND list = ? AND key = ?", _rows(gone)
    )
    database.insert_many("key_lists", "project, list, key", _rows(new))
    longer = Counter({place: len(keys) for place, keys in new.items()})
    longer.subtract({place: len(keys) for place, keys in gone.items()})
    database.run_many(
        """INSERT INTO key_list_lengths (project, list, keys) VALUES (?,?,?)
            ON CONFLICT (project, list)
            DO UPDATE SET keys = key_list_lengths.keys + excluded.keys""",
        [(*place, by) for place, by in sorted(longer.items()) if by],
    )


def _less(lists: Lists, others: Lists) -> Lists:
    return {
        place: keys - others[place] if place in others else keys
        for place, keys in lists.items()
    }


def _rows(lists: Lists) -> list[Row]:
    return [(*place, key) for place in sorted(lists) for key in sorted(lists[place])]
