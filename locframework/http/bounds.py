"""Refuses structs that let in numbers of any size: a database would overflow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec import Struct, inspect

from .operation import DeclarationError


@cache  # each app asks for the types of all operations
def check_bounds(type_: type[Struct]) -> None:
    """Raises DeclarationError when an integer of the struct may be of any size."""
    for path in _unbounded(inspect.type_info(type_), type_.__name__, frozenset()):
        raise DeclarationError(f"{path} is an integer without bounds: Meta(ge=, le=)")


def _unbounded(type_: inspect.Type, path: str, above: frozenset[type]) -> Iterator[str]:
    """The paths of such integers; ``above`` are the structs that we are inside."""
    match type_:
        case inspect.Metadata(type=inner):
            yield from _unbounded(inner, path, above)
        case inspect.IntType():
            least = type_.ge if type_.gt is None else type_.gt
            most = type_.le if type_.lt is None else type_.lt
            if least is None or most is None:
                yield path
        case inspect.StructType() if type_.cls not in above:
            for field in type_.fields:
                inside = above | {type_.cls}
                yield from _unbounded(field.type, f"{path}.{field.name}", inside)
        case inspect.UnionType(types=options):
            for option in options:
                yield from _unbounded(option, path, above)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from _unbounded(item, f"{path}[]", above)
        case inspect.DictType(value_type=value):
            yield from _unbounded(value, f"{path}{{}}", above)
        case _:
            return
