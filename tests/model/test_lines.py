"""Everything that people do to keys, on main and on branches, against a model.

The model: a key and its texts (``texts.py``), what a branch keeps of one
(``overlay.py``, ``sides.py``), main and branches (``lines.py``), merges
(``merging.py``) and undo (``past.py``, ``undo.py``). What people do: ``making.py``,
``writing.py``, ``branching.py`` and ``undoing.py``. What is checked after each step:
``people.py`` and ``telling.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, run_state_machine_as_test

from .branching import Branching
from .lines import MAIN
from .making import Making
from .office import Office
from .people import BRANCHES
from .undoing import Undoing
from .writing import Writing

STEPS = 40  # of a run


class Everybody(Making, Writing, Branching, Undoing):
    """All of them at work on one project."""

    @initialize(stocked=st.sampled_from([True, True, True, False]))
    def begin(self, stocked: bool) -> None:
        """Much of what people do needs a key with texts, and a branch."""
        self.project_id = self.office.project()
        self.office.ear.events.clear()
        if stocked:
            self.create(MAIN, "home", ("x",), "a", "b")
            self.create(MAIN, "items", (), "a", "b")
            self.branch(BRANCHES[0])


@pytest.fixture
def office(
    database_url: str, tmp_path: Any, open_office: Callable[[str, Any], Office]
) -> Office:
    return open_office(database_url, tmp_path)


def test_every_line_is_as_the_model_says_whatever_people_do(
    office: Office, is_long: bool
) -> None:
    machine = type("PeopleAtWork", (Everybody,), {"office": office})
    run_state_machine_as_test(
        machine,
        _min_steps=STEPS,  # else hypothesis ends a run early as it likes
        settings=settings(
            max_examples=20_000 if is_long else 200,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize=not is_long,  # the same runs for everyone; others when long
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        ),
    )
