"""Lets a part of a path hold slashes: ``…/branches/feature%2Fx/diff``.

WSGI servers decode the path before anybody sees it (PEP 3333), so an encoded slash
looks like any other. The part is told by what stands around it in the paths that are
served: it goes on until the end, or until a last segment (``/diff``) of one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from .operation import Operation, PathParameter

STAND_IN = "\x1f"  # for a slash, on the way through the router; no path comes with it


class Slashes:
    """Makes one segment of such a part, for the router."""

    def __init__(self, operations: Iterable[Operation], prefix: str = "") -> None:
        """``prefix`` is what stands before the path of each operation."""
        after: dict[str, set[str]] = defaultdict(set)
        for each in operations:
            for parameter in each.parameters:
                if parameter.has_slashes:
                    before, rest = _around(prefix + each.path, parameter)
                    after[before].add(rest)
        found = [_pattern(before, rests) for before, rests in after.items()]
        self._pattern = re.compile("|".join(found)) if found else None

    def joined(self, path: str) -> str:
        """The path, with stand-ins for slashes inside the part."""
        found = self._pattern.fullmatch(path) if self._pattern is not None else None
        if found is None or found.lastindex is None:
            return path
        start, end = found.span(found.lastindex)
        return path[:start] + path[start:end].replace("/", STAND_IN) + path[end:]


def _around(path: str, parameter: PathParameter) -> tuple[str, str]:
    before, _, after = path.partition(f"{{{parameter.wire}}}")
    return re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(before)), re.escape(after)


def _pattern(before: str, rests: Iterable[str]) -> str:
    """The longest rests first, and the part as short as that lets it be."""
    ends = "|".join(sorted(rests, key=len, reverse=True))
    return f"{before}(.+?)(?:{ends})"
