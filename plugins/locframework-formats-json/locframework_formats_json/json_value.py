"""What a JSON value is read into: Python's own types, and two for what they lack."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import TypeAlias

DEEPEST = 64  # objects and arrays inside one another, the outermost included
LARGEST = 2**53 - 1  # the integers that every JSON reader can hold (RFC 8259, 6)


class Repeating(tuple[tuple[str, "Json"], ...]):
    """An object in which a name stands twice: its members in file order."""

    __slots__ = ()

    def items(self) -> Iterable[tuple[str, "Json"]]:
        """As a dict's, with the duplicates."""
        return self

    def values(self) -> Iterable["Json"]:
        """As a dict's, with the duplicates."""
        return [value for _, value in self]


class Unkept:
    """A number that cannot be kept, NaN or Infinity, as the file spells it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


Object: TypeAlias = "dict[str, Json] | Repeating"
Json: TypeAlias = "str | bool | int | float | Unkept | list[Json] | Object | None"


class TooDeep(Exception):
    """The value is nested deeper than 64."""


class Census:
    """How much a value holds in all, its inner values included. Raises TooDeep."""

    def __init__(self, value: Json) -> None:
        self.members = 0
        self.texts = 0  # not counting names
        self.has_arrays = False
        self.has_unkept = False  # a number that is not kept
        if isinstance(value, (dict, Repeating, list)):
            self._take(value, 1)

    def _take(self, value: "Object | list[Json]", depth: int) -> None:
        if depth > DEEPEST:
            raise TooDeep
        if isinstance(value, list):
            self.has_arrays = True
            values: Iterable[Json] = value
        else:
            self.members += len(value)
            values = value.values()
        others = [inner for inner in values if type(inner) is not str]
        self.texts += len(value) - len(others)
        for inner in others:
            if isinstance(inner, (dict, Repeating, list)):
                self._take(inner, depth + 1)
            elif isinstance(inner, (int, float)):
                self.has_unkept |= not is_kept(inner)


def is_kept(number: float) -> bool:
    """Whether the number can be kept: finite, and no integer over LARGEST."""
    if isinstance(number, float):
        return isfinite(number)
    return abs(number) <= LARGEST


def numbered(members: Object) -> Iterator[tuple[int, str, Json]]:
    """The members of the outermost object with their numbers, as Document counts."""
    first = 0
    for name, value in members.items():
        yield first, name, value
        first += 1 if type(value) is str else 1 + members_in(value)


def members_in(value: Json) -> int:
    """How many members a value holds, its inner values included."""
    if isinstance(value, list):
        return sum(map(members_in, value))
    if not isinstance(value, (dict, Repeating)):
        return 0
    count = len(value)
    for inner in value.values():
        if type(inner) is not str:
            count += members_in(inner)
    return count
