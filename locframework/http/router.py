"""Finds what a path leads to: falcon's router, compiled once a process for all apps.

Falcon writes Python code for the paths of each app and compiles it, which is most of
what an app costs that is made: 40 ms for our hundred paths. The paths are those of the
first app, so the code is too; only the responders are an app's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from falcon import Request
from falcon.routing import CompiledRouter

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
