"""Times ours and a peer in turns, and keeps the rows of the table."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

Call = Callable[[], object]


def sizes() -> list[int]:
    """How many keys: LOCFRAMEWORK_BENCH_SIZES, such as ``10k,100k,1M``."""
    named = os.environ.get("LOCFRAMEWORK_BENCH_SIZES", "10k,100k")
    return [_number(one.strip()) for one in named.split(",")]


def rounds() -> int:
    """Of what takes seconds: LOCFRAMEWORK_BENCH_ROUNDS, three without it."""
    return int(os.environ.get("LOCFRAMEWORK_BENCH_ROUNDS", "3"))


def name_of(size: int) -> str:
    """``100k`` of 100000."""
    if size % 1_000_000 == 0:
        return f"{size // 1_000_000}M"
    return f"{size // 1000}k" if size % 1000 == 0 else str(size)


def in_turns(many: int, times: int = 1, **calls: Call) -> dict[str, float]:
    """Milliseconds of each call: the median of ``many`` rounds; in each all take turns.

    A round makes ``times`` calls. A call that answers a number answers its own
    seconds (of one call): for what has to be prepared first.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for at in range(many):
        order = list(calls.items())
        for name, call in order if at % 2 == 0 else reversed(order):
            taken[name].append(_seconds(call, times) * 1000)
    return {name: statistics.median(each) for name, each in taken.items()}


def _seconds(call: Call, times: int) -> float:
    gc.collect()
    begun = time.perf_counter()
    told = [call() for _ in range(times)]
    spent = (time.perf_counter() - begun) / times
    own = [one for one in told if isinstance(one, float)]
    return statistics.fmean(own) if own else spent


class Stopwatch:
    """Counts only what happens inside its blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> Stopwatch:
        self._begun = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begun


@dataclass(frozen=True)
class Row:
    """One line of the table; milliseconds."""

    what: str
    database: str
    size: int
    ours: float
    peer_name: str
    peer: float | None
    goal: str
    is_met: bool | None  # None: it is no goal

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.ours / self.peer


class Table:
    """The rows so far."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(
        self,
        what: str,
        database: str,
        size: int,
        ours: float,
        peer: tuple[str, float] | None = None,
        *,
        ratio_most: float | None = None,
        ms_most: float | None = None,
    ) -> None:
        """Note a measurement; a goal is a ratio to the peer, or milliseconds."""
        name, theirs = peer or ("", None)
        goal, is_met = "", None
        if ratio_most is not None and theirs is not None:
            goal, is_met = f"<= {ratio_most:.3g} x", ours <= ratio_most * theirs
        if ms_most is not None:
            goal, is_met = f"< {ms_most:,.0f} ms", ours < ms_most
        self.rows.append(Row(what, database, size, ours, name, theirs, goal, is_met))

    def lines(self) -> Iterator[str]:
        """The table as text, then the growth over sizes."""
        head = ("what", "on", "keys", "ours ms", "peer ms", "ratio", "goal", "", "peer")
        yield from _aligned([head, *map(_cells, self._in_order())])
        yield ""
        yield "growth (how many times as long, for ten times as much: 10.0 is linear)"
        growth = list(self._growth())
        yield from _aligned(growth) if growth else ["  one size only"]

    def _in_order(self) -> list[Row]:
        first = {row.what: at for at, row in reversed(list(enumerate(self.rows)))}
        return sorted(self.rows, key=lambda r: (first[r.what], r.database, r.size))

    def _growth(self) -> Iterator[tuple[str, ...]]:
        rows = self._in_order()
        for small, big in pairwise(rows):
            same = (small.what, small.database, small.peer_name)
            if same == (big.what, big.database, big.peer_name):
                step = f"{name_of(small.size)} to {name_of(big.size)}"
                ours = f"ours {big.ours / small.ours:.1f}"
                peer = ""
                if small.peer and big.peer:
                    peer = f"peer {big.peer / small.peer:.1f}"
                yield big.what, big.database, step, ours, peer


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "met", False: "MISSED", None: ""}[row.is_met]
    peer = "" if row.peer is None else _ms(row.peer)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    size = name_of(row.size)
    return (
        row.what, row.database, size, _ms(row.ours), peer, ratio, row.goal, met,
        row.peer_name,
    )  # fmt: skip


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _number(text: str) -> int:
    factor = {"k": 1000, "M": 1_000_000}.get(text[-1:], 1)
    return int(text.rstrip("kM")) * factor


TABLE = Table()
