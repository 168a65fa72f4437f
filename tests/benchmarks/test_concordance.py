"""Parts of texts looked for in a memory: ours, and what LIKE takes for the same.

First the whole request, in process, with a page of fifty and the total; the peer is two
statements on a raw connection, over the index that the database has for it. Then the
concordancer alone, beside LIKE in SQLite and ILIKE in PostgreSQL over pg_trgm: these
ask a plain table of folded texts, as one would write by hand.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
import segments as corpus
from locframework_matching_rapidfuzz import FileConcordancer, MatchingSettings
from locframework_matching_rapidfuzz.kernel import Kernel
from measuring import Table, in_turns, name_of

from locframework.fields import new_id
from locframework.languages import folded
from locframework.memories.records import MemoryEntry
from locframework.ports import Concordance, PageRequest, Passage, TermTranslation
from locframework.testing.contracts.matchers import MEMORY
from locframework.testing.databases import fresh_postgres_url

SLICE = 20_000  # entries a transaction
AT = "2026-01-01T00:00:00.000Z"
CJK = ("設定", "ファイル", "できません")
SEARCHES = (
    ("a frequent word", "the", "source"),
    ("a rare phrase", "permission", "source"),
    ("nothing", "qqzzx", "source"),
    ("2 characters", "ab", "source"),
    ("1 character", "x", "source"),
    ("4 characters of CJK", CJK[1], "target"),
    ("2 characters of CJK", CJK[0], "target"),
    ("a frequent word, source and targets", "the", "both"),
)
PAGE = 50
MS_MOST = 30

LIKE_SOURCE = "e.source_folded LIKE ?"
LIKE_TARGET = """EXISTS (SELECT 1 FROM memory_translations t
    WHERE t.entry = e.number AND t.value_folded LIKE ?)"""
LIKE = {
    "source": LIKE_SOURCE,
    "target": """e.number IN (SELECT entry FROM memory_translations t
        WHERE t.value_folded LIKE ?)""",
    "both": f"({LIKE_SOURCE} OR {LIKE_TARGET})",
}


def japanese() -> list[str]:
    """Texts of Django's catalogue, which hold one of ``CJK``."""
    return [text for text in corpus.of_django() if any(c in text for c in CJK)]


class Searched:
    """A project that reads a memory of so many entries, in Japanese too."""

    def __init__(self, shop: Any, size: int) -> None:
        self._owner, self._storage = shop.workspace.owner, shop.storage
        self.kind = shop.kind
        self.path = f"/projects/{shop.workspace.project()['id']}"
        body = {"name": "B", "sourceLanguage": "en", "languageCodes": ["de", "ja"]}
        made = self._owner.post("/translation-memories", json=body)
        self.id = made.data["translationMemory"]["id"]
        used = f"{self.path}/translation-memories/{self.id}"
        self._owner.put(used, json={"writeMode": "none"})
        chosen = random.Random(corpus.SEED)
        values = japanese()
        texts = corpus.segments(size)
        for first in range(0, size, SLICE):
            some = [
                self._entry(text or "-", str(first + at), chosen, values)
                for at, text in enumerate(texts[first : first + SLICE])
            ]
            with self._storage.transaction():
                writing = self._storage.memories.begin(self.id)
                self._storage.memories.add_entries(writing, some)
        if self.kind == "postgres":
            self._storage.database.run("ANALYZE memory_entries")
            self._storage.database.run("ANALYZE memory_translations")

    def _entry(
        self, text: str, context: str, chosen: random.Random, japanese: list[str]
    ) -> MemoryEntry:
        values = {"de": f"de {text}"}
        if chosen.random() < 0.1:
            values["ja"] = chosen.choice(japanese)
        translations = tuple(
            TermTranslation(code, value, "approved", AT, None)
            for code, value in values.items()
        )
        return MemoryEntry(new_id(), self.id, text, context, AT, AT, translations)

    def ours(self, text: str, place: str, page: int = 1) -> tuple[int, list[str]]:
        body = {"query": text, "searchIn": place, "page": page, "limit": PAGE}
        answer = self._owner.post(f"{self.path}/tm/search", json=body)
        assert answer.status == 200, answer.json
        items = answer.data["items"]
        return answer.data["total"], [item["sourceText"] for item in items]

    def like(self, text: str, place: str) -> tuple[int, list[str]]:
        """Total and first page, those that are the text not told from the others."""
        where = f"e.memory = m.number AND m.id = ? AND {LIKE[place]}"
        params = (self.id, *[f"%{folded(text)}%"] * where.count("LIKE"))
        source = f"memory_entries e, memories m WHERE {where}"
        database = self._storage.database
        [(total,)] = database.rows(f"SELECT count(*) FROM {source}", params)
        rows = database.rows(
            f"""SELECT e.source_text FROM {source}
                ORDER BY length(e.source_text), e.updated_at DESC, e.id LIMIT {PAGE}""",
            params,
        )
        return total, [text for (text,) in rows]


@pytest.fixture(scope="session")
def searched() -> Callable[[Any, int], Searched]:
    """Made once for each database and size."""
    made: dict[tuple[str, int], Searched] = {}

    def of(shop: Any, size: int) -> Searched:
        which = (shop.kind, size)
        if which not in made:
            made[which] = Searched(shop, size)
        return made[which]

    return of


def test_concordance(
    shop: Any, size: int, searched: Callable[[Any, int], Searched], table: Table
) -> None:
    """Counts and pages are those of LIKE; then how long both take."""
    if size > 100_000 and not os.environ.get("LOCFRAMEWORK_BENCH_HTTP_1M"):
        pytest.skip("takes minutes to fill: LOCFRAMEWORK_BENCH_HTTP_1M=1 asks for it")
    memory = searched(shop, size)
    built = in_turns(1, build=lambda: memory.ours("the", "source"))["build"]
    table.add("index made by the first request", shop.kind, size, built)
    for name, text, place in SEARCHES:
        total, page = memory.ours(text, place)
        expected, like = memory.like(text, place)
        assert total == expected, (text, total, expected)
        if place == "source" and text not in map(folded, page):
            assert sorted(page) == sorted(like)
        taken = in_turns(
            5,
            ours=lambda text=text, place=place: memory.ours(text, place),
            like=lambda text=text, place=place: memory.like(text, place),
        )
        what = f"POST tm/search, {name}"
        like_took = ("LIKE, count and page", taken["like"])
        table.add(what, shop.kind, size, taken["ours"], like_took, ms_most=MS_MOST)
    total, _ = memory.ours("the", "source")
    last = -(-total // PAGE)
    deep = in_turns(5, deep=lambda: memory.ours("the", "source", last))["deep"]
    what = "POST tm/search, a frequent word, the last page"
    table.add(what, f"{shop.kind} {name_of(total)}", size, deep)


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
    for name, text, place in SEARCHES[:-1]:
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
        for name, text, place in SEARCHES[:-1]:
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
