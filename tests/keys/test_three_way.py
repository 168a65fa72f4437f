"""The three-way comparison of a key: base, main and branch."""

import pytest

from locframework.keys.records import StoredKey
from locframework.keys.three_way import ThreeStates, Unit, form_in, has_place


def key(*, is_plural=False):
    return StoredKey(
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


@pytest.mark.parametrize(
    ("base", "main", "branch", "edited", "clashes"),
    [
        ("a", "a", "a", False, False),
        ("a", "b", "a", False, False),
        ("a", "a", "b", True, False),
        ("a", "b", "b", False, False),
        ("a", "c", "b", True, True),
        ("a", "c", None, True, True),
        ("a", None, None, False, False),
        (None, "c", "b", True, True),
    ],
)
def test_a_unit_is_edited_where_the_branch_left_base_and_main(
    base, main, branch, edited, clashes
):
    side = ThreeStates(base, main, branch)

    assert (side.is_edited, side.is_conflict) == (edited, clashes)
    assert side.is_changed_on_branch == (branch != base)


@pytest.mark.parametrize("form", [None, "one", "other"])
@pytest.mark.parametrize("is_plural", [True, False])
def test_a_key_without_plurals_has_place_for_the_form_other_alone(form, is_plural):
    unit, found = Unit("value", "en", form), key(is_plural=is_plural)

    assert has_place(found, unit) == (is_plural or form != "one")
    if has_place(found, unit):
        assert form_in(found, unit) == ((form or "other") if is_plural else None)
