"""Counts and times requests for Prometheus, when prometheus-client is installed.

Each process counts for itself; so does each app, in a registry of its own.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from .operation import RawResponse, operation
from .records import Raw

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_WITHIN = (*(str(float(each)) for each in _BUCKETS), "+Inf")


class Reading(Struct, frozen=True):
    """A number of another area, as of now; or several, told apart by ``label``."""

    name: str  # without the _total of counters
    description: str
    kind: Literal["gauge", "counter"]
    values: Mapping[str, float]  # by the label's value; {"": number} without one
    label: str | None = None


class Metrics:
    """The numbers of one app. Make it with ``open_metrics``."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        requests = _Requests()
        self.add = requests.add
        registry.register(requests)

    def watch(self, read: Callable[[], Iterable[Reading]]) -> None:
        """Ask ``read`` too, each time that the page is."""
        self.registry.register(_Watched(read))

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[int]:
        """Answer with the page to anybody who asks there, on any path, for so long.

        For processes that serve nothing else. Gives the port, of which 0 is any free
        one. Raises OSError when nobody can listen there.
        """
        from prometheus_client import start_http_server

        server, thread = start_http_server(port, host, self.registry)
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Taken:
    """The requests of one method, route and status."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * len(_WITHIN)  # that took so long
        self.seconds = 0.0

    def add(self, other: _Taken) -> None:
        """Those of another status too."""
        pairs = zip(self.counts, other.counts, strict=True)
        self.counts = [mine + more for mine, more in pairs]
        self.seconds += other.seconds


class _Requests:
    """Counts and times in one step; what prometheus_client calls a collector.

    Own code, because its Counter and its Histogram take four steps, each with a lock.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[tuple[str, str, str], _Taken] = {}

    def add(self, method: str, route: str, status: str, seconds: float) -> None:
        """A request was answered; routes are templates, so that labels are few."""
        place, bucket = (method, route, status), bisect_left(_BUCKETS, seconds)
        with self._lock:
            taken = self._taken.get(place)
            if taken is None:
                taken = self._taken[place] = _Taken()
            taken.counts[bucket] += 1
            taken.seconds += seconds

    def collect(self) -> Iterator[Metric]:
        """How many requests were answered, and how long they took."""
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        labels = ("method", "route", "status")
        requests = CounterMetricFamily(
            "locframework_requests", "Requests answered", labels=labels
        )
        seconds = HistogramMetricFamily(
            "locframework_request_seconds", "Time to answer", labels=labels[:2]
        )
        of_all: dict[tuple[str, str], _Taken] = defaultdict(_Taken)
        with self._lock:
            for (method, route, status), taken in self._taken.items():
                requests.add_metric((method, route, status), sum(taken.counts))
                of_all[method, route].add(taken)
        for route_of, taken in of_all.items():
            within = zip(_WITHIN, accumulate(taken.counts), strict=True)
            seconds.add_metric(route_of, list(within), taken.seconds)
        yield requests
        yield seconds


class _Watched:
    """What prometheus_client calls a collector."""

    def __init__(self, read: Callable[[], Iterable[Reading]]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: else it would be read when it is registered."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Each reading, as prometheus_client has it."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        families = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}
        for reading in self._read():
            labels = [] if reading.label is None else [reading.label]
            family = families[reading.kind](
                reading.name, reading.description, labels=labels
            )
            for value_of_label, number in reading.values.items():
                family.add_metric([value_of_label] if labels else [], number)
            yield family


class MetricsEndpoints:
    """Declares the page that Prometheus reads."""

    def __init__(self, metrics: Metrics) -> None:
        self._registry = metrics.registry

    @operation(
        "GET",
        "/metrics",
        public=True,
        rate=None,
        tag="Service",
        raw=(RawResponse(200, "Prometheus text format", "text/plain", str),),
    )
    def get_metrics(self) -> Raw:
        """Get the metrics of this process."""
        from prometheus_client import generate_latest

        headers = {"Cache-Control": "no-store"}
        return Raw(generate_latest(self._registry), CONTENT_TYPE, headers=headers)


def open_metrics() -> Metrics | None:
    """New metrics; None when prometheus-client is not installed."""
    try:
        from prometheus_client import CollectorRegistry
    except ImportError:
        return None
    return Metrics(CollectorRegistry())
