"""The two probes."""

from __future__ import annotations

import pytest

from locframework.errors import Unavailable
from locframework.http.app import build_wsgi
from locframework.http.health import HealthEndpoints
from locframework.http.rate_limit import MemoryWindows, RateLimiter
from locframework.testing.client import Client


def asking(*checks) -> Client:
    app = build_wsgi(
        [HealthEndpoints(checks)],
        authenticate=lambda token: None,
        permission_checks={},
        permissions=(),
        limiter=RateLimiter(MemoryWindows()),
    )
    return Client(app)


def silent() -> None:
    raise Unavailable("the database does not answer")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_all_is_well(path):
    assert asking(lambda: None).get(path).data == {"status": "ok"}


def test_a_part_that_does_not_answer_makes_it_not_ready_and_leaves_it_alive():
    client = asking(lambda: None, silent)

    assert client.get("/readyz").status == 503
    assert client.get("/readyz").error["code"] == "unavailable"
    assert client.get("/healthz").status == 200
