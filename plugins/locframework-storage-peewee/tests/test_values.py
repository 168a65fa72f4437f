"""What both databases must answer alike: integers, booleans, order, JSON."""

import pytest
from locframework_storage_peewee.database import LIKE_MAX_LENGTH, contains

from locframework.jobs.records import JobFilter, Progress
from locframework.testing.contracts.storage_events import latest
from locframework.testing.contracts.storage_records import (
    ALL,
    add_project,
    event,
    job,
)

# where code points, UTF-16 units, letter case and locales all disagree
TRICKY = (
    *("\uffee", "𝒳", "Z", "a", "_", "-", " ", "É", "E\u0301", "z", "é", "ß", "ss"),
    *("0", "٣", "\u200b"),
)


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_integers_up_to_64_bits_are_kept(storage, number):
    made = job(add_project(storage), progress=Progress(number, number))

    storage.jobs.add(made)

    assert storage.jobs.find(made.job.project_id, made.job.id) == made


def test_an_integer_over_64_bits_keeps_nothing(storage):
    of = add_project(storage)

    with pytest.raises((OverflowError, *storage.database.engine.errors)):
        storage.jobs.add(job(of, progress=Progress(2**63, 0)))

    assert storage.jobs.list_jobs(of.id, JobFilter(), ALL).total == 0
    storage.jobs.add(job(of))


@pytest.mark.parametrize("many", [1, 19, 20, 21, 45])
@pytest.mark.parametrize("odd", [None, 0, -1])
def test_many_rows_are_kept_as_they_are_given(storage, many, odd):
    """Also where a column says the same in all rows, or in all but the ``odd`` one."""
    made = [(n, None, True, False, None, True, f"{n}?") for n in range(many)]
    if odd is not None:
        made[odd] = (made[odd][0], "x", False, True, 0, None, "y")
    with storage.transaction():
        storage.database.run(
            """CREATE TABLE many_rows (n INTEGER, word TEXT DEFAULT 'none', a BOOLEAN,
                b BOOLEAN, number INTEGER, c BOOLEAN, said TEXT)"""
        )
        columns = "n, word, a, b, number, c, said"
        storage.database.insert_many("many_rows", columns, made)

        kept = storage.database.rows(f"SELECT {columns} FROM many_rows ORDER BY n")
        storage.database.run("DROP TABLE many_rows")

    assert kept == made
    assert all(type(row[2]) is bool for row in kept)


def test_text_is_compared_by_code_point(storage):
    database = storage.database
    for name in TRICKY:
        add_project(storage, name)

    for limit in TRICKY:
        above = database.rows("SELECT name FROM projects WHERE name > ?", (limit,))
        assert {name for (name,) in above} == {one for one in TRICKY if one > limit}
        same = database.rows("SELECT name FROM projects WHERE name = ?", (limit,))
        assert same == [(limit,)]


def test_nul_inside_json_survives(storage):
    made = event(add_project(storage), items=[{"a": "x\0y"}])

    with storage.transaction():
        storage.events.add([made])

    assert latest(storage.events, made.project_id or "", 1) == [made]


@pytest.mark.parametrize("size", [0, 1, 999, 5000])
def test_a_list_of_any_size_is_one_parameter(storage, size):
    made = add_project(storage)
    wanted = [made.id, *(f"x{number}'\"{{,}}\\" for number in range(size))]

    rows = storage.database.rows(
        f"SELECT id FROM projects WHERE {storage.database.among('id')}",
        (storage.database.listed(wanted),),
    )

    assert rows == [(made.id,)]


def test_percent_signs_and_wildcards_mean_nothing(storage):
    row = storage.database.row(
        "SELECT count(*) FROM projects WHERE name LIKE '%a%' OR name LIKE ?", ("%b%",)
    )

    assert row == (0,)


@pytest.mark.parametrize("length", [1, 3, 16, 17, 200])
def test_a_part_of_a_text_is_found_literally_however_long_it_is(storage, length):
    tricky = "%_!?'ä𝒳\n" * 30
    wanted = tricky[:length]
    texts = [f"before {wanted} after", wanted, wanted[:-1], "x" * length, ""]

    found = [each for each in texts if _holds(storage, each, wanted)]

    assert found == texts[:2]


def test_like_compares_no_more_than_the_start_of_a_long_text():
    """It compares all of it again at every possible start."""
    assert "instr" not in contains("t.text", "a" * LIKE_MAX_LENGTH).sql
    long = contains("t.text", "a" * (LIKE_MAX_LENGTH + 1))
    assert "instr" in long.sql
    assert long.params[0] == f"%{'a' * LIKE_MAX_LENGTH}%"


def _holds(storage, text, wanted):
    part = contains("t.text", wanted)
    row = storage.database.row(
        f"SELECT count(*) FROM (SELECT CAST(? AS TEXT) AS text) t WHERE {part.sql}",
        (text, *part.params),
    )
    return row == (1,)


def test_a_stream_gives_all_rows_and_leaves_nothing_open(storage):
    with storage.transaction():
        storage.database.run("CREATE TABLE numbers (n INTEGER)")
        rows = [(n,) for n in range(2500)]
        assert storage.database.run_many("INSERT INTO numbers VALUES (?)", rows) == 2500

    ordered = "SELECT n FROM numbers ORDER BY n"
    assert list(storage.database.stream(ordered)) == rows
    begun = storage.database.stream(ordered)
    assert next(begun) == (0,)
    del begun

    with storage.transaction():
        assert sum(1 for _ in storage.database.stream(ordered)) == 2500
        assert storage.database.run("DELETE FROM numbers") == 2500
        storage.database.run("DROP TABLE numbers")
