"""The concordancer alone, beside LIKE in SQLite and ILIKE in PostgreSQL over pg_trgm.

The peers ask a plain table of folded texts for the count and the first page: what
one would write by hand.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import segments as corpus
from locframework_matching_rapidfuzz import FileConcordancer, MatchingSettings
from locframework_matching_rapidfuzz.kernel import Kernel
from measuring import Table, in_turns
from test_concordance import AT, CJK, PAGE, japanese

from locframework.fields import new_id
from locframework.languages import folded
from locframework.ports import Concordance, PageRequest, Passage
from locframework.testing.contracts.matchers import MEMORY
from locframework.testing.databases import fresh_postgres_url

SEARCHES = (
    ("a frequent word", "the", "source"),
    ("a rare phrase", "permission", "source"),
    ("nothing", "qqzzx", "source"),
    ("2 characters", "ab", "source"),
    ("1 character", "x", "source"),
    ("4 characters of CJK", CJK[1], "target"),
    ("2 characters of CJK", CJK[0], "target"),
)
COLUMN = {"source": "source", "target": "ja"}


class Rows:
    """The port Passages over rows of id, length, folded source and Japanese."""

    def __init__(self, size: int) -> None:
        pool = [folded(text) for text in japanese()]
        self.rows = [
            (new_id(), len(text), folded(text) or "-", pool[at % len(pool)])
            for at, text in enumerate(corpus.segments(size))
        ]

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        return dict.fromkeys(memory_ids, 1)

    def is_in_block(self) -> bool:
        return False

    def passages(self, memory_id: str, after: int) -> Iterator[Passage]:
        for id_, length, source, value in self.rows:
            yield Passage(1, id_, length, AT, [("", source), ("ja", value)])


def test_concordancer(size: int, tmp_path: Path, table: Table) -> None:
    """Counts and first pages are LIKE's; then how long each takes."""
    rows = Rows(size)
    concordancer = FileConcordancer(MatchingSettings(str(tmp_path)), Kernel())
    lite = sqlite3.connect(tmp_path / "plain.sqlite3")
    lite.execute("CREATE TABLE texts (id TEXT, length INTEGER, source TEXT, ja TEXT)")
    lite.executemany("INSERT INTO texts VALUES (?, ?, ?, ?)", rows.rows)
    lite.commit()

    def ours(text: str, place: str, page: int = 1) -> tuple[int, list[str]]:
        asked = Concordance([MEMORY], text, None, place)  # type: ignore[arg-type]
        found = concordancer.find(rows, asked, PageRequest(page, PAGE))
        assert found is not None
        return found.total, found.entry_ids

    def like(text: str, place: str) -> tuple[int, list[str]]:
        where, wanted = f"FROM texts WHERE {COLUMN[place]} LIKE ?", (f"%{text}%",)
        [(total,)] = lite.execute(f"SELECT count(*) {where}", wanted)
        paged = f"""SELECT id {where} ORDER BY {COLUMN[place]} <> '{text}', length, id
            LIMIT {PAGE}"""
        return total, [id_ for (id_,) in lite.execute(paged, wanted)]

    built = in_turns(1, build=lambda: ours("the", "source"))["build"]
    table.add("concordancer: index made", "files", size, built, ms_most=size / 50)
    for name, text, place in SEARCHES:
        assert ours(text, place) == like(text, place), text
        taken = in_turns(
            7 if size < 1_000_000 else 5,
            ours=lambda text=text, place=place: ours(text, place),
            like=lambda text=text, place=place: like(text, place),
        )
        peer = ("SQLite LIKE", taken["like"])
        what = f"concordancer: {name}"
        table.add(what, "files", size, taken["ours"], peer, ms_most=30)
    last = -(-ours("the", "source")[0] // PAGE)
    deep = in_turns(5, deep=lambda: ours("the", "source", last))["deep"]
    table.add("concordancer: the last page of a frequent word", "files", size, deep)
    if size > 100_000 and not os.environ.get("LOCFRAMEWORK_BENCH_HTTP_1M"):
        return
    with fresh_postgres_url() as url, psycopg.connect(url, autocommit=True) as post:
        _fill(post, rows)
        for name, text, place in SEARCHES:
            column = COLUMN[place]

            def ilike(text: str = text, column: str = column) -> int:
                where = f"FROM texts WHERE {column} ILIKE %s"
                wanted = (f"%{text}%",)
                [(total,)] = post.execute(f"SELECT count(*) {where}", wanted)
                paged = f"SELECT id {where} ORDER BY length, id LIMIT {PAGE}"
                post.execute(paged, wanted).fetchall()
                return int(total)

            assert ilike() == ours(text, place)[0]
            taken = in_turns(
                3,
                ours=lambda text=text, place=place: ours(text, place),
                pg=lambda ask=ilike: bool(ask()),
            )
            peer = ("PostgreSQL ILIKE", taken["pg"])
            what = f"concordancer: {name}, beside PostgreSQL"
            table.add(what, "files", size, taken["ours"], peer)


def _fill(post: psycopg.Connection, rows: Rows) -> None:
    post.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    post.execute("CREATE TABLE texts (id text, length integer, source text, ja text)")
    with post.cursor().copy("COPY texts FROM STDIN") as copy:
        for row in rows.rows:
            copy.write_row(row)
    for column in COLUMN.values():
        post.execute(f"CREATE INDEX ON texts USING gin ({column} gin_trgm_ops)")
    post.execute("ANALYZE texts")
