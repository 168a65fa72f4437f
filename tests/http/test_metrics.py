"""Numbers for Prometheus: by route, not by path."""

import builtins

import pytest

from locframework.http.metrics import open_metrics
from locframework.testing.client import Client

prometheus_client = pytest.importorskip("prometheus_client")


@pytest.fixture
def client(build):
    metrics = open_metrics()
    assert metrics is not None
    return Client(build(metrics, metrics=metrics), "writer")


def test_requests_are_counted_by_method_route_and_status(client):
    for project in ("p1", "p1", "p2"):
        client.get(f"/projects/{project}/notes")
    client.get("/nowhere/1")
    client.request("FOO", "/nowhere/2")
    client.request("WEBSOCKET", "/whoami")
    client.get("/boom")

    answer = client.get("/metrics")

    route = "/api/v1/projects/{project_id}/notes"
    text = answer.content.decode()
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    for line in (
        f'locframework_requests_total{{method="GET",route="{route}",status="200"}} 2.0',
        f'locframework_requests_total{{method="GET",route="{route}",status="404"}} 1.0',
        'locframework_requests_total{method="GET",route="none",status="404"} 1.0',
        'locframework_requests_total{method="TRACE",route="none",status="404"} 1.0',
        'locframework_requests_total{method="WEBSOCKET",route="none",status="',
        'route="/api/v1/boom",status="500"} 1.0',
        f'locframework_request_seconds_count{{method="GET",route="{route}"}} 3.0',
    ):
        assert line in text
    assert "nowhere" not in text
    assert "FOO" not in text


def test_without_the_library_there_are_none(monkeypatch):
    really = builtins.__import__

    def without(name, *rest):
        if name == "prometheus_client":
            raise ImportError(name)
        return really(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)

    assert open_metrics() is None
