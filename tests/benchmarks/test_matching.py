"""A hundred texts looked for in a memory: ours, rapidfuzz's cdist, and pg_trgm."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import numpy as np
import pytest
import segments as corpus
from locframework_matching_postgres import MatchingSettings as PostgresSettings
from locframework_matching_postgres import PostgresMatcher
from locframework_matching_rapidfuzz import MatchingSettings, RapidfuzzMatcher
from measuring import in_turns, name_of
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from locframework.fields import new_id
from locframework.memories.matching.port import Wanted
from locframework.memories.matching.records import Matches
from locframework.memories.matching.scoring import match_fold
from locframework.testing.contracts.matchers import MEMORY, SegmentsInMemory
from tests.empty_databases import fresh_postgres_url

TEXTS = 100
LEAST = 70
TEN = 10
PART = 20  # of the texts, for the peers that take minutes at a million
AT = "2026-01-01T00:00:00.000Z"
SLICE = 50_000  # segments at once: cdist makes a table of all pairs

CHILD = """
import sys
from locframework_matching_rapidfuzz.kernel import Kernel
from locframework_matching_rapidfuzz.matcher import near
from locframework_matching_rapidfuzz.segments import Segment
from locframework.ports import Wanted
from pathlib import Path
segment = Segment.open(Path(sys.argv[1]))
kernel = Kernel()
for text in sys.stdin.read().split("\\x1f"):
    near(kernel, segment, segment.none_gone(), [text], Wanted("", 70), 50)
print(next(line.split()[1] for line in open("/proc/self/status") if "VmRSS" in line))
"""


class Memory:
    """A memory of so many segments, its index, and the texts to look for."""

    def __init__(self, size, folder):
        self.size, self.folder = size, folder
        self.segments = SegmentsInMemory()
        texts = [match_fold(text) for text in corpus.segments(size)]
        self.ids = [new_id() for _ in texts]
        self.texts = texts
        self.segments.change(MEMORY, dict(zip(self.ids, texts, strict=True)))
        self.queries = corpus.queries(TEXTS, size)

    def open(self, **settings):
        return RapidfuzzMatcher(MatchingSettings(str(self.folder), **settings))

    def find(self, matcher, texts, most=50):
        return matcher.find(self.segments, [Wanted(MEMORY, LEAST)], texts, most)

    def brute_force(self, text):
        """The ten best, by comparing with every segment."""
        found = []
        for first in range(0, self.size, SLICE):
            some = self.texts[first : first + SLICE]
            [row] = process.cdist(
                [text], some, scorer=Levenshtein.distance, dtype=np.int32
            )
            lengths = np.fromiter(map(len, some), np.int32, len(some))
            longest = np.maximum(lengths, len(text))
            percent = (longest - row) * 100 // longest
            for at in np.flatnonzero((percent >= LEAST) & (lengths > 0)).tolist():
                found.append((-int(percent[at]), self.ids[first + at]))
        return sorted(found)[:TEN]

    def cdist(self, texts):
        """What a program without an index would do; the time only."""
        for first in range(0, self.size, SLICE):
            process.cdist(
                texts,
                self.texts[first : first + SLICE],
                scorer=Levenshtein.normalized_similarity,
                score_cutoff=LEAST / 100,
                dtype=np.float32,
                workers=-1,
            )


@pytest.fixture(scope="module")
def memory(size, tmp_path_factory):
    return Memory(size, tmp_path_factory.mktemp("matching"))


@pytest.fixture(scope="module")
def ask_pg_trgm(memory):
    """The query that others ask: ``%`` over a GIN index, by similarity."""
    import psycopg

    with (
        fresh_postgres_url() as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        connection.execute("CREATE EXTENSION pg_trgm")
        connection.execute("CREATE TABLE texts (id integer, text text)")
        with connection.cursor().copy("COPY texts FROM STDIN") as copy:
            for row in enumerate(memory.texts):
                copy.write_row(row)
        connection.execute("CREATE INDEX ON texts USING gin (text gin_trgm_ops)")
        connection.execute("ANALYZE texts")
        connection.execute("SET pg_trgm.similarity_threshold = 0.5")
        asked = """SELECT id FROM texts WHERE text %% %s::text
            ORDER BY similarity(text, %s::text) DESC LIMIT 10"""
        yield lambda text: connection.execute(asked, (text, text)).fetchall()


def test_matches(memory, ask_pg_trgm, table):
    """Ten best at 70 percent: first whether they are right, then how long it takes."""
    matcher, size = memory.open(), memory.size
    built = in_turns(1, build=lambda: memory.find(matcher, ["a"]))["build"]
    found = memory.find(matcher, memory.queries)
    checked = range(0, TEXTS, 1 if size <= 100_000 else TEXTS // PART)
    for at in checked:
        best = [(-hit.percent, hit.entry_id) for hit in found[at].hits[:TEN]]
        assert best == memory.brute_force(memory.queries[at])
    plain = memory.open(compiled=False)
    assert memory.find(plain, memory.queries) == found
    one = memory.open(threads=1)
    assert memory.find(one, memory.queries) == found

    some = memory.queries[:: TEXTS // PART]
    taken = in_turns(
        3,
        ours=lambda: memory.find(matcher, memory.queries),
        one=lambda: memory.find(one, memory.queries),
    )
    slow = in_turns(1, plain=lambda: memory.find(plain, memory.queries))
    peer = in_turns(1, cdist=lambda: memory.cdist(some))["cdist"] * TEXTS / len(some)
    few = some[:5] if size > 100_000 else some
    trgm = in_turns(1, pg=lambda: [ask_pg_trgm(text) for text in few])["pg"]
    trgm *= TEXTS / len(few)
    again = in_turns(3, ours=lambda: memory.find(matcher, memory.queries))["ours"]

    cdist, pg = ("cdist", peer), ("pg_trgm %", trgm)
    ours = min(taken["ours"], again)
    what = f"matches of {TEXTS} texts"
    goal = 1 / 20 if size >= 1_000_000 else 1 / 10 if size >= 100_000 else None
    table.add(what, "kernel", size, ours, cdist, ratio_most=goal)
    table.add(f"{what}, beside pg", "kernel", size, ours, pg, ratio_most=1 / 40)
    table.add(f"{what}, one thread", "kernel", size, taken["one"], cdist)
    table.add(f"{what}, numpy", "numpy", size, slow["plain"], cdist)
    table.add("index built", "kernel", size, built, ms_most=size / 50)


def test_matches_in_postgres(memory, ask_pg_trgm, table):
    """The matcher postgres: whether it is right, how long it takes, how big it is.

    Beside it the query that others ask: how much of the ten best it finds.
    """
    import psycopg

    size, texts = memory.size, memory.queries[:: 1 if memory.size <= 100_000 else PART]
    with fresh_postgres_url() as url:
        matcher = PostgresMatcher(PostgresSettings(url, 600))
        built = in_turns(1, build=lambda: memory.find(matcher, ["a"]))["build"]
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")  # as the server soon does by itself
            [(stored,)] = connection.execute(
                "SELECT pg_database_size(current_database())"
            )
        found = memory.find(matcher, texts)
        there = seen = 0
        for text, answer in zip(texts, found, strict=True):
            best = memory.brute_force(text)
            assert [(-hit.percent, hit.entry_id) for hit in answer.hits[:TEN]] == best
            trgm = {memory.ids[number] for (number,) in ask_pg_trgm(text)}
            there, seen = there + len(best), seen + sum(id_ in trgm for _, id_ in best)
        taken = in_turns(
            3,
            ours=lambda: memory.find(matcher, texts),
            trgm=lambda: [ask_pg_trgm(text) for text in texts],
        )

        def change_one():
            memory.segments.change(MEMORY, {memory.ids[7]: "changed " + new_id()})
            memory.find(matcher, ["a"])

        changed = in_turns(5, change=change_one)["change"]
        memory.segments.change(MEMORY, {memory.ids[7]: memory.texts[7]})

    what = f"matches of {len(texts)} texts, in PostgreSQL"
    peer = (f"pg_trgm %, recall {seen / there:.2f}", taken["trgm"])
    table.add(what, "postgres", size, taken["ours"], peer)
    each = f"database of {stored / size:.0f} B a segment, built"
    table.add(each, "postgres", size, built)
    table.add("one entry changed, one text found", "postgres", size, changed)


def test_index(memory, table):
    """What it takes to open one, to change it, and how big it is."""
    size = memory.size
    matcher = memory.open()
    memory.find(matcher, ["a"])
    expected = memory.find(matcher, memory.queries)
    files = list(memory.folder.rglob("*.segment"))
    assert len(files) == 1
    bytes_each = files[0].stat().st_size / size

    opened = in_turns(5, open=lambda: memory.find(memory.open(), ["a"]))["open"]
    assert memory.find(memory.open(), memory.queries) == expected
    told = subprocess.run(
        [sys.executable, "-c", CHILD, str(files[0])],
        input="\x1f".join(memory.queries),
        capture_output=True,
        text=True,
        check=True,
    )
    resident = int(told.stdout) / 1024
    before = in_turns(3, find=lambda: memory.find(matcher, memory.queries))["find"]

    def change_one():
        memory.segments.change(MEMORY, {memory.ids[7]: "changed " + new_id()})
        memory.find(matcher, ["a"])

    changed = in_turns(5, change=change_one)["change"]
    many = {id_: memory.texts[at] + " more" for at, id_ in enumerate(memory.ids[:1000])}
    memory.segments.change(MEMORY, many)
    memory.find(matcher, ["a"])
    pending = in_turns(3, find=lambda: memory.find(matcher, memory.queries))["find"]

    what = f"index of {bytes_each:.0f} B a segment, {resident:.0f} MB resident: opened"
    assert bytes_each <= 500
    table.add(what, name_of(size), size, opened, ms_most=200)
    table.add("one entry changed, one text found", "kernel", size, changed)
    what = "batch with 1,000 changes pending"
    table.add(what, "kernel", size, pending, ("without", before))


def test_matches_over_http(shop, memory, table):
    """The whole request, in process: matches in five and in fifty languages."""
    size = memory.size
    if size > 100_000 and not os.environ.get("LOCFRAMEWORK_BENCH_HTTP_1M"):
        pytest.skip("takes minutes to fill: LOCFRAMEWORK_BENCH_HTTP_1M=1 asks for it")
    owner, path = shop.workspace.owner, _filled(shop, memory)
    texts = memory.queries

    def ask(languages):
        body = {"sourceTexts": texts, "languageCodes": languages}
        answer = owner.post(f"{path}/tm/matches", json=body)
        assert answer.status == 200
        return answer  # the client reads the JSON only where it is looked at

    fifty = ask(FIFTY).data["matches"]
    for each in fifty.values():
        assert {len(there) for there in each.values()} == {len(each["de"])}
    five = ask(FIVE).data["matches"]
    assert sum(bool(each["th"]) for each in five.values()) > TEXTS / 5
    seldom = ask(["de", *SELDOM]).data["matches"]
    assert [each["de"] for each in seldom.values()] == [
        each["de"] for each in five.values()
    ]
    matcher = shop.workspace.framework.plugins.matchers["rapidfuzz"]
    store = shop.storage.memory_texts
    wanted = [Wanted(path_of_memory[path], LEAST)]

    def find():
        return matcher.find(store, wanted, texts, 50)

    def found_and_told(answer, languages):
        """A request that looks for nothing, and the matcher; then no more than the
        values of the answer, and its JSON."""
        each = [one for by in answer.values() for there in by.values() for one in there]
        ids = {one["entryId"] for one in each}
        typed = msgspec.convert(answer, Matches)
        nothing = {"sourceTexts": [" "] * TEXTS, "languageCodes": languages}

        def tell():
            assert owner.post(f"{path}/tm/matches", json=nothing).status == 200
            find()
            store.applied_values(ids, languages)
            return msgspec.json.encode(typed)

        return tell

    taken = in_turns(
        5,
        five=lambda: ask(FIVE) and None,
        fifty=lambda: ask(FIFTY) and None,
        one=lambda: ask(["de"]) and None,
        seldom=lambda: ask(["de", *SELDOM]) and None,
        alone=find,
        five_told=found_and_told(five, FIVE),
        fifty_told=found_and_told(fifty, FIFTY),
    )
    what = f"POST tm/matches, {TEXTS} texts × 5 languages"
    alone, one = ("matcher alone", taken["alone"]), ("one language", taken["one"])
    table.add(what, shop.kind, size, taken["five"], alone)
    told = ("bare request, matcher, values, JSON", taken["five_told"])
    table.add(f"{what}:", shop.kind, size, taken["five"], told, ratio_most=1.3)
    what_seldom = f"the same, four languages of {IN_SELDOM:,} entries"
    table.add(what_seldom, shop.kind, size, taken["seldom"], one)
    table.add("the same × 50", shop.kind, size, taken["fifty"], one)
    told = ("bare request, matcher, values, JSON", taken["fifty_told"])
    table.add("the same × 50:", shop.kind, size, taken["fifty"], told, ratio_most=1.5)


FIVE = ["de", "fr", "ja", "ar", "th"]
OTHERS = """bg ca cs da el es et eu fa fi ga gl he hi hr hu id is it ko lt lv mk ms nb
    nl pl pt ro ru sk sl sq sr sv sw ta te tr uk ur vi zh de-AT fr-CA"""
FIFTY = (*FIVE, *OTHERS.split())
SELDOM = ["cy", "eo", "is", "mt"]
IN_SELDOM = 1_000  # entries say something in these
path_of_memory: dict[str, str] = {}


def _filled(shop, memory):
    """A project that reads a memory of these segments, each with a value in German.

    Those that the texts are like have one in each of the fifty languages, and a
    thousand others have one in each of four more.
    """
    from locframework.memories.records import MemoryEntry
    from locframework.ports import TermTranslation

    owner = shop.workspace.owner
    path = f"/projects/{shop.workspace.project()['id']}"
    body = {"name": f"Bench {new_id()}", "sourceLanguage": "en"}
    body["languageCodes"] = [*FIFTY, *SELDOM]
    made = owner.post("/translation-memories", json=body).data["translationMemory"]
    answers = memory.find(memory.open(), memory.queries, most=1000)
    near = {hit.entry_id for answer in answers for hit in answer.hits}
    owner.put(f"{path}/translation-memories/{made['id']}", json={"writeMode": "none"})
    others = [id_ for id_ in memory.ids if id_ not in near][:: memory.size // 2000]
    codes = {id_: ["de", *SELDOM] for id_ in others[:IN_SELDOM]}
    codes.update(dict.fromkeys(near, sorted(FIFTY)))
    for first in range(0, memory.size, SLICE):
        with shop.storage.transaction():
            writing = shop.storage.memories.begin(made["id"])
            shop.storage.memories.add_entries(
                writing,
                [
                    MemoryEntry(
                        new_id(),
                        made["id"],
                        text or "-",
                        str(first + number),
                        AT,
                        AT,
                        tuple(
                            TermTranslation(
                                code, f"{code} {text}", "approved", AT, None
                            )
                            for code in codes.get(memory.ids[first + number], ["de"])
                        ),
                    )
                    for number, text in enumerate(memory.texts[first : first + SLICE])
                ],
            )
    path_of_memory[path] = made["id"]
    return path
