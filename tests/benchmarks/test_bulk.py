"""Writing many keys with three languages: by the store, and over the API."""

import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain, count
from threading import Barrier

import by_hand
import peers
import pytest
import stock
from measuring import Stopwatch, in_turns, rounds
from raw_rows import rows_written, same_tables

from locframework.keys.records import Selection
from locframework.testing.client import Client

THREE = stock.FIVE[:3]
WRITERS = 8
WRITING_SECONDS = 3.0
FIRST, ALONE = 15, 50  # writes of one writer
SAME_MOST, IN_TURN_MOST = 1.5, 3
PEEWEE_MOST = 0.25  # of the same rows


def by_store(shop, size):
    """Seconds in the storage, in one transaction; records are made before."""
    project = shop.workspace.project(languages=THREE[1:])
    made = [stock.records(project["id"], part, THREE) for part in stock.parts(size)]
    watch = Stopwatch()
    with watch, shop.storage.transaction():
        for keys, values in made:
            shop.storage.keys.add_keys(keys, values)
    assert shop.storage.projects.find(project["id"]).key_count == size
    rows = shop.storage.keys.text_rows(project["id"], "fr", Selection())
    assert {row.key: row.texts[None] for row in rows} == stock.texts(size, "fr")
    return watch.seconds


def by_peer(tables, writes, *, peewee):
    """Seconds of executemany, or of peewee; rows are made before."""
    tables.empty()
    watch = Stopwatch()
    with watch:
        (tables.insert_many if peewee else tables.executemany)(writes)
    expected = Counter[str]()
    for name, _, rows in writes:
        expected[name] += len(rows)
    assert {name: tables.count(name) for name in expected} == expected
    return watch.seconds


def test_bulk_write_beside_the_same_rows(shop, size, table):
    """The store beside whatever writes the very rows that it keeps."""
    if size > 100_000:
        pytest.skip("the goal speaks of 100k keys")
    writes = rows_written(shop.storage, lambda: by_store(shop, size))
    with closing(same_tables(shop.url, shop.folder)) as same:
        taken = in_turns(
            rounds(),
            store=lambda: by_store(shop, size),
            same=lambda: by_peer(same, writes, peewee=False),
            peewee=lambda: by_peer(same, writes, peewee=True),
        )

    what, store = "bulk write x 3 languages, store: same rows", taken["store"]
    peer = ("executemany of all it keeps, same indexes", taken["same"])
    most = SAME_MOST if shop.kind == "sqlite" else None
    table.add(what, shop.kind, size, store, peer, ratio_most=most)
    peer = ("peewee insert_many of all it keeps, same indexes", taken["peewee"])
    what += ", peewee"
    table.add(what, shop.kind, size, store, peer, ratio_most=PEEWEE_MOST)


class Writing:
    """Values of a project that are set over and over, each to another text."""

    def __init__(self, shop):
        project = shop.workspace.project(languages=["de"])
        self._keys, values = stock.records(project["id"], range(1000), ["en", "de"])
        with shop.storage.transaction():
            shop.storage.keys.add_keys(self._keys, values)
        self._path = f"/projects/{project['id']}/keys"
        self._owner = shop.workspace.owner

    def seconds(self, number, at):
        """How long the writer of this number takes for its next value."""
        key = self._keys[at % len(self._keys)]
        watch = Stopwatch()
        with watch:
            path = f"{self._path}/{key.id}/values/de"
            answer = self._owner.put(path, json={"value": f"{number} {at}"})
        assert answer.status == 200, answer
        return watch.seconds

    def all_at_once(self):
        """How long each write of eight threads took, sorted.

        PostgreSQL plans the first ten of a connection anew: those come before.
        """
        barrier = Barrier(WRITERS)

        def write(number):
            for at in range(FIRST):
                self.seconds(number, at)
            barrier.wait()
            end, waits = time.perf_counter() + WRITING_SECONDS, list[float]()
            while time.perf_counter() < end:
                waits.append(self.seconds(number, number + WRITERS * len(waits)))
            return waits

        with ThreadPoolExecutor(WRITERS) as threads:
            return sorted(chain(*threads.map(write, range(WRITERS))))


def test_the_longest_wait_of_one_of_eight_writers(shop, table):
    writing = Writing(shop)
    alone = [writing.seconds(WRITERS, at) for at in range(FIRST + ALONE)][FIRST:]
    in_turn = WRITERS * statistics.median(alone) * 1000

    waits = writing.all_at_once()

    longest, middle = waits[-1] * 1000, waits[len(waits) // 2] * 1000
    what = f"longest of single writes, {WRITERS} writers"
    most = 100 if shop.kind == "sqlite" else None
    peer = ("the median write", middle)
    table.add(what, shop.kind, 1000, longest, peer, ms_most=most)
    most = IN_TURN_MOST if shop.kind == "postgres" else None
    peer = (f"{WRITERS} writes of one, one after the other", in_turn)
    table.add(f"{what}: in turn", shop.kind, 1000, longest, peer, ratio_most=most)


PUT_MOST = 2.0


def test_one_value(shop, size, table):
    """A translator's PUT, beside a route by hand that runs the same statements."""
    project = shop.filled(size, stock.FIVE)
    name = stock.key_name(size // 2)
    [key] = shop.storage.keys.find_keys(project["id"], names=[name]).values()
    path = f"/projects/{project['id']}/keys/{key.id}/values/de"
    ours = shop.workspace.client("translator")
    number = count()
    text = ours.get(path).data["value"]["value"]

    def put(client):
        word = "".join(chr(97 + int(digit)) for digit in str(next(number)))
        answer = client.put(path, json={"value": f"{word} {text}"})
        assert answer.status == 200, answer
        return answer.data["key"]

    put(ours)
    put(ours)
    statements = peers.statements_asked(shop.storage, lambda: put(ours))
    by_hand_app = by_hand.put_app(shop.url, statements)
    other = Client(by_hand_app, ours.token)
    before, after = put(other), put(ours)
    for each in (before, after):
        del each["updatedAt"]
        each["values"] = sorted(
            (value["languageCode"], value["status"]) for value in each["values"]
        )
    assert before == after
    history = ours.get(f"{path}/history", query={"limit": 3}).data["items"]
    assert [each["status"] for each in history] == ["pending_review"] * 3

    taken = in_turns(7, 50, ours=lambda: put(ours), hand=lambda: put(other))
    back = shop.workspace.owner.put(path, json={"value": text})  # as others expect it
    assert back.status == 200, back

    peer = ("by hand, same promises", taken["hand"])
    table.add(
        "PUT of a value", shop.kind, size, taken["ours"], peer, ratio_most=PUT_MOST
    )
