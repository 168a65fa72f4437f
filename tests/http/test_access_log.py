"""The log of requests: one line each, and nothing at other levels."""

import logging
import re

from locframework.http.access_log import logged
from locframework.testing.client import Client


def test_a_request_is_one_line_with_its_token_and_size(build, caplog):
    caplog.set_level(logging.INFO)
    client = Client(logged(build()), "writer")

    answer = client.get("/whoami", headers={"X-Request-Id": "r-1"})
    client.get("/nowhere%20x?a=b")

    known, unknown = caplog.messages
    size, number = len(answer.content), r"\d+\.\d"
    assert re.fullmatch(
        rf"GET /api/v1/whoami 200 {size} bytes {number} ms"
        " request=r-1 token=t1 address=.*",
        known,
    )
    assert unknown.startswith("GET /api/v1/nowhere%20x 404 ")


def test_nothing_is_wrapped_where_the_level_is_not_logged(build, caplog):
    caplog.set_level(logging.WARNING)
    app = build()

    assert logged(app) is app
