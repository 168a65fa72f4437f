"""Routes paths to operations: Falcon's router, and path parameters with slashes.

Falcon compiles Python code for the paths of each app, which is most of the cost of
creating one: 40 ms for a hundred paths. The code is compiled once per process; only the
responders belong to an app.

WSGI servers decode the path (PEP 3333), so an encoded slash in a branch's name,
``…/branches/feature%2Fx/diff``, looks like any other. Such a parameter extends to the
end, or to a last segment (``/diff``) of a path that is served.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from falcon import Request
from falcon.routing import CompiledRouter

from .operation import Operation, PathParameter

SLASH_PLACEHOLDER = (
    "\x1f"  # for a slash, on the way through the router; no path comes with it
)


class SlashParameters:
    """Makes one segment of such a part, for the router."""

    def __init__(self, operations: Iterable[Operation], prefix: str = "") -> None:
        """``prefix`` is what stands before the path of each operation."""
        after: dict[str, set[str]] = defaultdict(set)
        for each in operations:
            for parameter in each.parameters:
                if parameter.allows_slashes:
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
        return (
            path[:start] + path[start:end].replace("/", SLASH_PLACEHOLDER) + path[end:]
        )


def _around(path: str, parameter: PathParameter) -> tuple[str, str]:
    before, _, after = path.partition(f"{{{parameter.wire}}}")
    return re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(before)), re.escape(after)


def _pattern(before: str, rests: Iterable[str]) -> str:
    """The longest rests first, and the part as short as that lets it be."""
    ends = "|".join(sorted(rests, key=len, reverse=True))
    return f"{before}(.+?)(?:{ends})"


Responder = Callable[..., None]
Route = tuple[object, Mapping[str, Responder], dict[str, str], str | None]

_APPS_WITH_PATHS_OF_THEIR_OWN = 8  # whose code is kept; others compile anew


class Router:
    """Gives paths of falcon's kind, ``/things/{thing_id}``, their responders.

    ``responders_of`` a template tells them by method, one for each that a request may
    come with. It is asked once, when the first request has come there. Raises
    ValueError for templates that falcon refuses.
    """

    def __init__(
        self,
        templates: Iterable[str],
        responders_of: Callable[[str], Mapping[str, Responder]],
    ) -> None:
        self._responders_of = cache(responders_of)
        self._paths = _paths(tuple(templates))

    def find(self, uri: str, req: Request | None = None) -> Route | None:
        """Text goes before parameters. None: nothing is there."""
        found = self._paths.find(uri, req)
        if found is None:
            return None
        resource, _, given, template = found
        assert template is not None  # added with one, as all of ours are
        return resource, self._responders_of(template), given, template


class _Somewhere:
    """What falcon asks for responders; it has none."""


@lru_cache(_APPS_WITH_PATHS_OF_THEIR_OWN)
def _paths(templates: tuple[str, ...]) -> CompiledRouter:
    router = CompiledRouter()
    for template in templates:
        try:
            router.add_route(template, _Somewhere())
        except ValueError as error:
            raise ValueError(f"{template}: {error}") from error
    return router
