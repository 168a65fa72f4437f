"""Parts of texts looked for in a memory: ours, and what LIKE takes for the same.

First the whole request, in process, with a page of fifty and the total; the peer is two
statements on a raw connection, over the index that the database has for it. Then the
concordancer alone, beside LIKE in SQLite and ILIKE in PostgreSQL over pg_trgm: these
ask a plain table of folded texts, as one would write by hand.
"""

import os
import random

import pytest
import segments as corpus
from measuring import in_turns, name_of

from locframework.fields import new_id
from locframework.languages import folded
from locframework.memories.records import MemoryEntry
from locframework.ports import TermTranslation

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


def japanese():
    """Texts of Django's catalogue, which hold one of ``CJK``."""
    return [text for text in corpus.of_django() if any(c in text for c in CJK)]


class Searched:
    """A project that reads a memory of so many entries, in Japanese too."""

    def __init__(self, shop, size):
        self._owner, self._storage = shop.workspace.owner, shop.storage
        self.kind = shop.kind
        self.path = f"/projects/{shop.workspace.project()['id']}"
        body = {
            "name": f"B{size}",
            "sourceLanguage": "en",
            "languageCodes": ["de", "ja"],
        }
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

    def _entry(self, text, context, chosen, japanese):
        values = {"de": f"de {text}"}
        if chosen.random() < 0.1:
            values["ja"] = chosen.choice(japanese)
        translations = tuple(
            TermTranslation(code, value, "approved", AT, None)
            for code, value in values.items()
        )
        return MemoryEntry(new_id(), self.id, text, context, AT, AT, translations)

    def ours(self, text, place, page=1):
        body = {"query": text, "searchIn": place, "page": page, "limit": PAGE}
        answer = self._owner.post(f"{self.path}/tm/search", json=body)
        assert answer.status == 200, answer.json
        items = answer.data["items"]
        return answer.data["total"], [item["sourceText"] for item in items]

    def like(self, text, place):
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
def searched():
    """Made once for each database and size."""
    made = {}

    def of(shop, size):
        which = (shop.kind, size)
        if which not in made:
            made[which] = Searched(shop, size)
        return made[which]

    return of


def test_concordance(shop, size, searched, table):
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
