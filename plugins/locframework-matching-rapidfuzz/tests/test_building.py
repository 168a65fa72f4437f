"""An index is made piece by piece, so that long texts take no more memory for it."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_matching_rapidfuzz import building


def arrays(texts: list[str]) -> building.Arrays:
    ids = [number.to_bytes(16, "big") for number in range(len(texts))]
    return building.arrays_of(ids, [(text, text.encode()[:9]) for text in texts])


@given(st.lists(st.text(min_size=1), max_size=20), st.integers(1, 30))
def test_it_is_the_same_whatever_the_pieces(texts: list[str], size: int) -> None:
    expected = arrays(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "AT_ONCE", size)
        found = arrays(texts)

    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_it_takes_no_more_than_twelve_bytes_a_character() -> None:
    """At once it would be thirty: gigabytes, for 65,536 texts of 5,000 characters."""
    words = [f"word{number} " * 50 for number in range(997)]

    def peak_of(count: int) -> int:
        texts = [words[number % len(words)] for number in range(count)]
        tracemalloc.start()
        arrays(texts)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    more = 10_000 * len(words[0])
    assert peak_of(20_000) - peak_of(10_000) < 12 * more
