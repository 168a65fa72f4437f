"""Warnings of an export: headers, as the body is the file."""

import json

from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import truncate
from locframework.exchange.rules import (
    WARNING_COUNT_HEADER,
    WARNINGS_HEADER,
    warning_headers,
)


@given(st.lists(st.text(max_size=500), max_size=40))
def test_warnings_are_headers_of_ascii_that_fit_a_proxy(warnings: list[str]) -> None:
    headers = warning_headers(warnings)

    assert headers[WARNING_COUNT_HEADER] == str(len(warnings))
    listed = headers.get(WARNINGS_HEADER, "[]")
    assert listed.isascii()
    assert listed.isprintable()
    assert len(listed) <= 4096
    told = json.loads(listed)
    assert told == [truncate(warning) for warning in warnings[: len(told)]]
    assert bool(told) == bool(warnings)
