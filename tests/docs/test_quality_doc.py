"""docs/quality.md: its table is what the checks say of themselves."""

from __future__ import annotations

from typing import Any

from locframework.quality.checks import BUILT_IN

PAGE = "quality.md"


def test_every_built_in_check_is_in_the_table_with_its_severity(page: Any) -> None:
    told = [(name, severity) for name, _, severity in page.rows()[: len(BUILT_IN)]]

    assert told == [(check.name, check.severity) for check in BUILT_IN]
