"""Compares what stands in a text with what stands in its source text."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Mark(NamedTuple):
    """Something in a text that a translation has to keep."""

    name: str  # equal names are the same mark
    start: int
    end: int


def differences(
    wanted: Sequence[Mark], found: Sequence[Mark]
) -> tuple[list[str], list[Mark]]:
    """What is missing, by name, and what is too much; order does not count."""
    left = Counter(mark.name for mark in wanted)
    extra: list[Mark] = []
    for mark in found:
        if left[mark.name] > 0:
            left[mark.name] -= 1
        else:
            extra.append(mark)
    return list(left.elements()), extra
