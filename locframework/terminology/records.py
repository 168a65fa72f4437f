"""What is looked for in texts, and where it was found."""

from typing import NamedTuple


class Wanted(NamedTuple):
    """A term to look for."""

    id: str
    text: str
    case_sensitive: bool


class Found(NamedTuple):
    """A term at a place in a text."""

    id: str
    start: int  # in code points of the text, as it was given
    end: int
