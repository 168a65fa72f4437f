"""Count and time requests with prometheus-client, where it is installed.

Each app has a registry of its own, in each process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from .operation import RawResponse, operation
from .records import Raw

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Reading(Struct, frozen=True):
    """A current value of another area, or one for each combination of ``labels``."""

    name: str  # without the _total of counters
    description: str
    kind: Literal["gauge", "counter"]
    values: Mapping[tuple[str, ...], float]  # by the labels' values; {(): number}
    labels: tuple[str, ...] = ()


class Metrics:
    """The metrics of one app, and the operation that Prometheus calls.

    Make it with ``open_metrics``.
    """

    tag = "Service"

    def __init__(self, registry: CollectorRegistry) -> None:
        from prometheus_client import Counter, Histogram

        self.registry = registry
        self._requests = Counter(
            "locframework_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "locframework_request_seconds",
            "Time to answer",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=registry,
        )
        # labels() takes 3 µs a call
        self._series: dict[tuple[str, str, str], tuple[Counter, Histogram]] = {}

    def add(self, method: str, route: str, status: str, seconds: float) -> None:
        """Count a request that was answered. ``route`` is a template, not a path."""
        found = self._series.get((method, route, status))
        if found is None:  # at most one for each operation and status
            found = (
                self._requests.labels(method, route, status),
                self._seconds.labels(method, route),
            )
            self._series[method, route, status] = found
        count, duration = found
        count.inc()
        duration.observe(seconds)

    @operation(
        "GET",
        "/metrics",
        public=True,
        rate=None,
        raw=(RawResponse(200, "Prometheus text format", "text/plain", str),),
    )
    def get_metrics(self) -> Raw:
        """Get the metrics of this process."""
        from prometheus_client import generate_latest

        headers = {"Cache-Control": "no-store"}
        return Raw(generate_latest(self.registry), CONTENT_TYPE, headers=headers)

    def watch(self, read: Callable[[], Iterable[Reading]]) -> None:
        """Add what ``read`` returns whenever the metrics are collected."""
        self.registry.register(_Watched(read))

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[int]:
        """Serve the metrics on a port of their own, for processes without HTTP.

        Yield the port; with ``port`` 0 it is any free one. Raises OSError when the
        address cannot be used.
        """
        from prometheus_client import start_http_server

        server, thread = start_http_server(port, host, self.registry)
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Watched:
    def __init__(self, read: Callable[[], Iterable[Reading]]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registering does not read."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Return each Reading as a metric family."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        families = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}
        for reading in self._read():
            family = families[reading.kind](
                reading.name, reading.description, labels=reading.labels
            )
            for values, number in reading.values.items():
                family.add_metric(values, number)
            yield family


def open_metrics() -> Metrics | None:
    """Return new metrics; None without prometheus-client."""
    try:
        from prometheus_client import CollectorRegistry
    except ImportError:
        return None
    return Metrics(CollectorRegistry())
