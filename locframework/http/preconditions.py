"""``If-Match`` (RFC 9110): a write applies only to the state that its sender has read.

The state is what GET of the same path responds with to the same caller and query; for a
part that has no GET of its own, that of the whole (``etag`` of operation.py). It is
read inside the transaction of the write, after the rows of the path are locked, so that
of many writers with one ETag exactly one succeeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from locframework.errors import PreconditionFailed
from locframework.transactions import Transactions

from .body import Environ, Query
from .operation import Operation
from .records import Principal, RequestInfo
from .responses import encoded, etag_of, if_match_matches, url_resolver_of

C = TypeVar("C", bound=Principal)

METHODS = ("PATCH", "PUT", "DELETE")
HEADER = "HTTP_IF_MATCH"  # in the WSGI environ

Lock = Callable[[C, str], object]
"""Locks the row that a path parameter names, until the transaction ends."""


class Preconditions(Struct, Generic[C], frozen=True):
    """What the write operations of one app share."""

    transactions: Transactions
    locks: Mapping[str, Lock[C]]
    """By path parameter (``"projectId"``), ``""`` for paths without one; they are
    acquired in the order of the path."""


class IfMatch(Generic[C]):
    """Evaluates ``If-Match`` for one write operation."""

    def __init__(
        self,
        shared: Preconditions[C],
        operation: Operation,
        reads: Mapping[str, Operation],
    ) -> None:
        """``reads`` are all operations that read one record, by path."""
        self._transactions = shared.transactions
        arguments = {each.wire: each.name for each in operation.parameters} or {"": ""}
        self._locks = [
            (name, shared.locks[wire])
            for wire, name in arguments.items()
            if wire in shared.locks
        ]
        read = self._read = reads.get(operation.etag_path)
        self._link = url_resolver_of(read.answer) if read else None
        self._query = (
            Query(read.query, is_strict=False) if read and read.query else None
        )

    def __call__(
        self,
        caller: C,
        environ: Environ,
        given: Mapping[str, Any],
        info: Callable[[], RequestInfo],
        write: Callable[[], object],
    ) -> object:
        """Return what ``write`` returns; raise PreconditionFailed before any write.

        ``given`` holds the path parameters. A path without a read has no ETag that
        could match; the header is refused, not ignored.
        """
        if self._read is None:
            message = "there is no ETag here; send the request without If-Match"
            raise PreconditionFailed(message)
        with self._transactions.transaction():
            for name, lock in self._locks:
                lock(caller, given.get(name, ""))
            etag = self._etag(self._read, caller, environ, given, info)
            if not if_match_matches(environ[HEADER], etag):
                raise PreconditionFailed(
                    "If-Match does not name the current state; read it again, and send"
                    " its ETag as it came, in double quotes, without W/"
                )
            return write()

    def _etag(
        self,
        read: Operation,
        caller: C,
        environ: Environ,
        given: Mapping[str, Any],
        info: Callable[[], RequestInfo],
    ) -> str:
        """Return the ETag that a GET would respond with."""
        arguments = {each.name: given[each.name] for each in read.parameters}
        if self._query is not None:
            arguments["query"] = self._query.read(environ)
        if read.wants_caller:
            arguments["caller"] = caller
        if read.wants_request:
            arguments["request"] = info()
        answer = read.call(**arguments)
        if self._link is not None:
            answer = self._link(answer, info().base_url)
        return etag_of(encoded(answer))
