"""Finds which member of an object a fault is in, where msgspec only says "[...]"."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from .errors import abbreviate

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\.\.\.\]")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")

Step = str | int


def place_with_names(place: str, value: object, type_: Any) -> str:
    """``place``, such as ``.values[...]``, with the name: ``.values.de``.

    It is where msgspec finds that ``value`` is no ``type_``. A name that is more than
    letters, digits, ``_`` and ``-`` is quoted as in JSON. Of n members log2(n)
    conversions find the one at fault.
    """
    way: list[Step] = []
    for step in _STEP.finditer(place):
        name, index = step.groups()
        if name is not None:
            way.append(name)
        elif index is not None:
            way.append(int(index))
        else:
            members: Mapping[Step, object] = _at(value, way)
            member = _at_fault(members, value, type_, way)
            value = _with(value, way, {member: members[member]})
            way.append(member)
    return "".join(_shown(step) for step in way)


def _at_fault(
    members: Mapping[Step, object], value: object, type_: Any, way: Sequence[Step]
) -> Step:
    """The first member at the end of the way that makes the value's first fault."""
    fault = _fault(value, type_)
    names = list(members)
    low, high = 1, len(names)  # as many members, from the first, make the fault
    while low < high:
        middle = (low + high) // 2
        some = dict(islice(members.items(), middle))
        if _fault(_with(value, way, some), type_) == fault:
            high = middle
        else:
            low = middle + 1
    return names[low - 1]


def _fault(value: object, type_: Any) -> str | None:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _at(value: Any, way: Sequence[Step]) -> Any:
    for step in way:
        value = value[step]
    return value


def _with(value: Any, way: Sequence[Step], new: object) -> Any:
    """The value with another one at the end of the way; the old one stays as it is."""
    if not way:
        return new
    copy: Any = dict(value) if isinstance(value, Mapping) else list(value)
    copy[way[0]] = _with(value[way[0]], way[1:], new)
    return copy


def _shown(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _PLAIN.fullmatch(step):
        return f".{abbreviate(step)}"
    return f"[{json.dumps(abbreviate(step), ensure_ascii=False)}]"
