"""What tells a text from most others, in a few bytes that PostgreSQL can compare.

A text's tokens are its pairs of neighbouring characters, each with how often that pair
came before. One edit takes away at most two tokens and brings at most two. A signature
has a bit for each token, by a hash; so of two texts that are d edits apart, each has at
most 2d bits that the other has not. Tokens that share a bit only let more through.
"""

from collections import Counter
from functools import lru_cache
from operator import add

BITS = 256
_MASK = (1 << 32) - 1


def signature(text: str) -> int:
    """The bits of the text's tokens. What is kept was made by it: see SCHEMA."""
    bits = 0
    for pair, times in Counter(map(add, text, text[1:])).items():
        bits |= _bits_of(pair, times)
    return bits


@lru_cache(maxsize=1 << 16)
def _bits_of(pair: str, times: int) -> int:
    bits, (left, right) = 0, map(ord, pair)
    for before in range(times):
        mixed = left * 0x9E3779B1 ^ right * 0x85EBCA6B ^ before * 0xC2B2AE35
        bits |= 1 << ((mixed & _MASK) * 0x27D4EB2F >> 16) % BITS
    return bits


def as_text(bits: int) -> str:
    """The bits as PostgreSQL reads them."""
    return f"{bits:0{BITS}b}"
