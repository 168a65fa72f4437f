"""Lets a request in: who asks, and whether they ask too often."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from falcon import Response

from locframework.errors import LocError, RateLimited, Unauthorized

from .body import Environ
from .operation import Rate
from .rate_limit import RateLimiter
from .records import Principal, principal_key

C = TypeVar("C", bound=Principal)

Authenticate = Callable[[str | None], C | None]
"""Who holds the token; None, or Unauthorized raised, when nobody does."""

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([!-+\--~]+) *")  # no comma, no space


class Admission(Generic[C]):
    """The door of one app."""

    def __init__(self, authenticate: Authenticate[C], limiter: RateLimiter) -> None:
        self._authenticate = authenticate
        self._limiter = limiter

    def admit(self, environ: Environ, response: Response, rate: Rate | None) -> C:
        """The caller of an operation that needs one.

        Tokens that are not valid count for the address, so that inventing them buys
        nothing. Raises RateLimited, Unauthorized, and what authentication raises.
        """
        refusal: LocError = _UNAUTHORIZED
        try:
            caller = self._authenticate(bearer_token(environ))
        except LocError as error:
            caller, refusal = None, error
        if rate is not None:
            self._count(rate, _key(caller, environ), response)
        if caller is None:
            raise refusal
        return caller

    def admit_anyone(
        self, environ: Environ, response: Response, rate: Rate | None
    ) -> None:
        """For public operations: counted by address. Raises RateLimited."""
        if rate is not None:
            self._count(rate, _key(None, environ), response)

    def count_unrouted(self, environ: Environ, response: Response) -> None:
        """For a request that meets no operation: counted, and never refused here.

        Decisions 2.2 has the route before the rate limit, and the headers everywhere.
        """
        try:
            self.admit(environ, response, "api")
        except (RateLimited, Unauthorized):
            return

    def _count(self, rate: Rate, key: str, response: Response) -> None:
        window = self._limiter.take(rate, key)
        if rate == "api":
            response.set_headers(window.headers(time.time()))
        if not window.is_accepted:
            raise RateLimited(window.retry_after_seconds)


def bearer_token(environ: Environ) -> str | None:
    """The token of the Authorization header; None when there is none to be read."""
    found = _BEARER.fullmatch(environ.get("HTTP_AUTHORIZATION", ""))
    return found[1] if found else None


def _key(caller: Principal | None, environ: Environ) -> str:
    if caller is None:
        return f"ip:{environ.get('REMOTE_ADDR', '')}"
    return principal_key(caller)


_UNAUTHORIZED = Unauthorized()
