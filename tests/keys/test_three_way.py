"""Three states of a key compared, and a branch that follows main: pure rules."""

from __future__ import annotations

import pytest

from locframework.keys.records import Key
from locframework.keys.three_way import Unit, form_in, has_place


def key(*, is_plural: bool = False) -> Key:
    return Key(
        id="k",
        project_id="p",
        key="cart",
        description="",
        tags=(),
        is_plural=is_plural,
        screenshot_url=None,
        screenshot_file_id=None,
        key_source="main",
        created_at="2026-01-01T00:00:00.000Z",
        updated_at="2026-01-01T00:00:00.000Z",
    )


@pytest.mark.parametrize("form", [None, "one", "other"])
@pytest.mark.parametrize("is_plural", [True, False])
def test_a_key_without_plurals_has_place_for_the_form_other_alone(
    form: str | None, is_plural: bool
) -> None:
    unit, found = Unit("value", "en", form), key(is_plural=is_plural)

    assert has_place(found, unit) == (is_plural or form != "one")
    if has_place(found, unit):
        assert form_in(found, unit) == ((form or "other") if is_plural else None)
