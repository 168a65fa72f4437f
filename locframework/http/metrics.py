"""Counts and times requests for Prometheus, when prometheus-client is installed.

Each process counts for itself; so does each app, in a registry of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from falcon import Request, Response
from msgspec import Struct

from .operation import RawAnswer, operation
from .records import Raw

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram
    from prometheus_client.core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BEGUN = "locframework.begun"  # in the WSGI environ
_NO_ROUTE = "none"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Reading(Struct, frozen=True):
    """A number of another area, as of now; or several, told apart by ``label``."""

    name: str  # without the _total of counters
    description: str
    kind: Literal["gauge", "counter"]
    values: Mapping[str, float]  # by the label's value; {"": number} without one
    label: str | None = None


class Metrics:
    """The numbers of one app. Make it with ``open_metrics``."""

    def __init__(
        self, registry: CollectorRegistry, requests: Counter, seconds: Histogram
    ) -> None:
        self.registry = registry
        self._requests = requests
        self._seconds = seconds
        # finding a child by its labels costs more than to count: 10 us a request
        self._children: dict[tuple[str, str, str], tuple[Counter, Histogram]] = {}

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

    def process_request(self, request: Request, response: Response) -> None:
        """Falcon calls this first."""
        request.env[_BEGUN] = time.perf_counter()

    def process_response(
        self, request: Request, response: Response, resource: object, ok: bool
    ) -> None:
        """Falcon calls this last; the route's template keeps the labels few."""
        route = request.uri_template or _NO_ROUTE
        status = str(response.status)[:3]
        requests, seconds = self._of(request.method, route, status)
        requests.inc()
        begun = request.env.get(_BEGUN)
        if begun is not None:
            seconds.observe(time.perf_counter() - begun)

    def _of(self, method: str, route: str, status: str) -> tuple[Counter, Histogram]:
        place = (method, route, status)
        found = self._children.get(place)
        if found is None:
            found = self._children[place] = (
                self._requests.labels(method, route, status),
                self._seconds.labels(method, route),
            )
        return found


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
        raw=(RawAnswer(200, "Prometheus text format", "text/plain", str),),
    )
    def get_metrics(self) -> Raw:
        """Get the numbers of this process."""
        from prometheus_client import generate_latest

        headers = {"Cache-Control": "no-store"}
        return Raw(generate_latest(self._registry), CONTENT_TYPE, headers=headers)


def open_metrics() -> Metrics | None:
    """New metrics; None when prometheus-client is not installed."""
    try:
        from prometheus_client import CollectorRegistry, Counter, Histogram
    except ImportError:
        return None
    registry = CollectorRegistry()
    requests = Counter(
        "locframework_requests",
        "Requests answered",
        ("method", "route", "status"),
        registry=registry,
    )
    seconds = Histogram(
        "locframework_request_seconds",
        "Time to answer",
        ("method", "route"),
        registry=registry,
        buckets=_BUCKETS,
    )
    return Metrics(registry, requests, seconds)
