"""What a text is counted by: pairs of neighbouring characters and their occurrences.

kernel.c computes the same; a change here changes it and ``FORMAT`` of segment.py.
"""

import numpy as np
from numpy.typing import NDArray

HASH_BITS = 14
OCCURRENCES = 4  # of one pair in one text, told apart
TOKENS = OCCURRENCES << HASH_BITS

Codes = NDArray[np.uint16] | NDArray[np.uint32]


def hashed_pairs(codes: Codes) -> NDArray[np.uint32]:
    """The pairs of neighbours as numbers below ``1 << HASH_BITS``.

    Different pairs may have one number: that only ever counts too much.
    """
    wide = codes.astype(np.uint32)
    left = wide[:-1] * np.uint32(0x9E3779B1)
    right = wide[1:] * np.uint32(0x85EBCA6B) + np.uint32(0x7F4A7C15)
    mixed = (left ^ right) * np.uint32(0xC2B2AE35)
    shifted: NDArray[np.uint32] = mixed >> np.uint32(32 - HASH_BITS)
    return shifted


def occurrence_of(ordered: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How many equal numbers stand right before each, in sorted numbers."""
    if not len(ordered):
        return ordered
    places = np.arange(len(ordered), dtype=np.uint32)
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return places - np.maximum.accumulate(np.where(begins, places, 0)).astype(np.uint32)


def tokens_of(codes: Codes) -> tuple[NDArray[np.uint32], int]:
    """The tokens of one text, and how many pairs have none: occurrences beyond."""
    pairs = np.sort(hashed_pairs(codes))
    occurrences = occurrence_of(pairs)
    counted = occurrences < OCCURRENCES
    tokens = pairs[counted] * np.uint32(OCCURRENCES) + occurrences[counted]
    return tokens, int(len(pairs) - counted.sum())
