"""Keys become names that Dart takes, always the same and never two alike."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json.dart_names import dart_name, dart_names

unhurried = settings(deadline=None)  # the machine may be busy


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("save", "save"),
        ("pay_now", "pay_now"),
        ("payNow", "payNow"),
        ("cart.pay-now", "cartPayNow"),
        ("cart.pay_now", "cartPay_now"),
        ("Save", "save"),
        ("SAVE.all", "sAVEAll"),
        ("404.title", "k404Title"),
        ("_private", "k_private"),
        ("-", "k"),
        ("continue", "continue_"),
        ("Class", "class_"),
        ("continue.now", "continueNow"),
    ],
)
def test_a_key_has_its_name(key: str, name: str) -> None:
    assert dart_name(key) == name


def test_where_keys_meet_the_one_that_is_the_name_keeps_it() -> None:
    warnings: list[str] = []

    names = dart_names(["a.b", "aB", "a-b", "c"], warnings)

    assert names["aB"] == "aB"
    assert names["c"] == "c"
    assert names["a.b"].startswith("aB_")
    assert names["a-b"].startswith("aB_")
    assert len(set(names.values())) == 4
    assert [warning.split()[0] for warning in warnings] == ["'a-b'", "'a.b'"]


def test_a_name_given_for_a_clash_hangs_on_the_key_alone() -> None:
    one = dart_names(["a.b", "a-b"], [])
    other = dart_names(["x", "a_b", "a:b", "a.b"], [])

    assert one["a.b"] == other["a.b"]


@unhurried
@given(st.lists(st.text("abAB01_.-", min_size=1, max_size=5), unique=True))
def test_all_names_are_dart_and_none_is_given_twice(keys: list[str]) -> None:
    # also when a key is the very name that a clash would give
    keys = list(dict.fromkeys([*keys, *dart_names(keys, []).values()]))

    names = dart_names(keys, [])

    assert list(names) == keys
    assert len(set(names.values())) == len(keys)
    assert all(dart_name(name) == name for name in names.values())
