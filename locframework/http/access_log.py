"""WSGI middleware that logs one line for each request."""

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from .dispatch import REQUEST_ID, TOKEN_ID

log = logging.getLogger("locframework.access")

PATH_LIMIT = 1000  # characters of a path that are logged
_LINE = (
    "%(method)s %(path)s %(status)s %(bytes)d bytes %(milliseconds)s ms"
    " request=%(requestId)s token=%(tokenId)s address=%(address)s"
)


def logged(app: WSGIApplication) -> WSGIApplication:
    """Return ``app`` with a log of its requests, at the level info; if that is not
    logged, ``app`` itself. Queries are left out: they may hold what is secret."""
    if not log.isEnabledFor(logging.INFO):
        return app

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> _Body:
        body = _Body(environ)

        def start(status: str, *rest: Any) -> Any:
            body.status = int(status[:3])
            return start_response(status, *rest)

        body.chunks = app(environ, start)
        return body

    return serve


class _Body:
    """The body of a response. Servers close it when it is sent, or cannot be sent."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        self.status = 0
        self.chunks: Iterable[bytes] = ()
        self._environ = environ
        self._begun = time.perf_counter()
        self._byte_count = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self.chunks:
            self._byte_count += len(chunk)
            yield chunk

    def close(self) -> None:
        """Close the body of the application, and log the request."""
        if hasattr(self.chunks, "close"):
            self.chunks.close()
        environ = self._environ
        path = quote(environ.get("PATH_INFO", "").encode("latin-1"))
        fields = {
            "method": quote(environ["REQUEST_METHOD"]),
            "path": path[:PATH_LIMIT],
            "status": self.status,
            "bytes": self._byte_count,
            "milliseconds": round(1000 * (time.perf_counter() - self._begun), 1),
            "requestId": environ.get(REQUEST_ID, "-"),
            "tokenId": environ.get(TOKEN_ID, "-"),
            "address": environ.get("REMOTE_ADDR", "-"),
        }
        log.info(_LINE, fields, extra={"fields": fields})
