"""Numbers for Prometheus: by route, not by path."""

from __future__ import annotations

import builtins

import pytest

from locframework.http.metrics import MetricsEndpoints, open_metrics
from locframework.testing.client import Client

prometheus_client = pytest.importorskip("prometheus_client")


@pytest.fixture
def client(build) -> Client:
    metrics = open_metrics()
    assert metrics is not None
    return Client(build(MetricsEndpoints(metrics), metrics=metrics), "writer")


def test_requests_are_counted_by_method_route_and_status(client):
    for project in ("p1", "p1", "p2"):
        client.get(f"/projects/{project}/notes")
    client.get("/nowhere/1")
    client.request("FOO", "/nowhere/2")

    answer = client.get("/metrics")

    route = "/api/v1/projects/{project_id}/notes"
    text = answer.content.decode()
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    for line in (
        f'locframework_requests_total{{method="GET",route="{route}",status="200"}} 2.0',
        f'locframework_requests_total{{method="GET",route="{route}",status="404"}} 1.0',
        'locframework_requests_total{method="GET",route="none",status="404"} 1.0',
        'locframework_requests_total{method="TRACE",route="none",status="404"} 1.0',
        f'locframework_request_seconds_count{{method="GET",route="{route}"}} 3.0',
    ):
        assert line in text
    assert "nowhere" not in text
    assert "FOO" not in text


def test_times_are_told_by_route_whatever_the_status():
    metrics = open_metrics()
    assert metrics is not None
    for status, seconds in (("200", 0.001), ("200", 0.002), ("404", 0.3), ("200", 11)):
        metrics.add("GET", "/notes", status, seconds)

    text = prometheus_client.generate_latest(metrics.registry).decode()

    took, of = "locframework_request_seconds", 'method="GET",route="/notes"'
    for line in (
        f'{took}_bucket{{le="0.001",{of}}} 1.0',
        f'{took}_bucket{{le="0.0025",{of}}} 2.0',
        f'{took}_bucket{{le="0.25",{of}}} 2.0',
        f'{took}_bucket{{le="0.5",{of}}} 3.0',
        f'{took}_bucket{{le="10.0",{of}}} 3.0',
        f'{took}_bucket{{le="+Inf",{of}}} 4.0',
        f"{took}_count{{{of}}} 4.0",
        f"{took}_sum{{{of}}} 11.303",
        f'locframework_requests_total{{{of},status="200"}} 3.0',
    ):
        assert line in text


def test_what_falcon_refuses_by_itself_is_counted(client):
    client.request("WEBSOCKET", "/whoami")

    assert 'method="WEBSOCKET",route="none"' in client.get("/metrics").content.decode()


def test_failures_are_counted_too(client):
    client.get("/boom")

    assert 'status="500"} 1.0' in client.get("/metrics").content.decode()


def test_two_apps_in_one_process_count_apart(build):
    first, second = open_metrics(), open_metrics()
    assert first is not None
    assert second is not None
    asked = Client(build(MetricsEndpoints(first), metrics=first), "writer")
    other = Client(build(MetricsEndpoints(second), metrics=second), "writer")

    asked.get("/whoami")

    assert "whoami" in asked.get("/metrics").content.decode()
    assert "whoami" not in other.get("/metrics").content.decode()


def test_without_the_library_there_are_none(monkeypatch):
    really = builtins.__import__

    def without(name, *rest):
        if name == "prometheus_client":
            raise ImportError(name)
        return really(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)

    assert open_metrics() is None
