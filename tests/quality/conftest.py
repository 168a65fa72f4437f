"""Short ways to say what is checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from locframework.quality.check import Checks, Finding, Subject
from locframework.quality.checks import BUILT_IN

Find = Callable[..., list[Finding]]


@pytest.fixture(scope="session")
def checks() -> Checks:
    return Checks({check.name: check for check in BUILT_IN})


@pytest.fixture
def find(checks: Checks) -> Find:
    """What all checks find in a text, beside its English source text."""

    def find(source: str, text: str, language: str = "de") -> list[Finding]:
        return checks.findings(
            Subject("a", language, {None: text}, "en", {None: source})
        )

    return find
