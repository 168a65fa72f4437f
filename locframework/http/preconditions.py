"""Judges ``If-Match``: a write happens to the very state that its sender has read.

The state is what the GET of the same path answers to the same caller and query; of a
part that has no GET of its own, that of the whole (``etag`` of operation.py). It is
asked for inside the write's own transaction, when those who write what the path
names are kept out, so that of many writers with one ETag exactly one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from locframework.errors import PreconditionFailed
from locframework.transactions import Transactions

from .answers import encoded
from .body import Environ
from .etags import any_match, can_match, etag_of
from .links import linker_of
from .operation import Operation
from .records import Asker, RequestInfo
from .text_fields import Query

C = TypeVar("C", bound=Asker)

METHODS = ("PATCH", "PUT", "DELETE")
HEADER = "HTTP_IF_MATCH"  # in the WSGI environ

Lock = Callable[[C, str], object]
"""In a transaction: keep other writers of what a part of the path names out of it."""


class Preconditions(Generic[C]):
    """What the writes of one app share."""

    def __init__(
        self, transactions: Transactions, locks: Mapping[str, Lock[C]]
    ) -> None:
        """``locks`` are keyed by the parameter of a path (``"projectId"``), ``""``
        for paths without one; they are taken in the order of the path."""
        self.transactions = transactions
        self._locks = locks

    def locks_of(self, operation: Operation) -> list[tuple[str, Lock[C]]]:
        """Each lock of a path, and the argument that it is given."""
        if not operation.parameters:
            return [("", self._locks[""])] if "" in self._locks else []
        return [
            (each.name, self._locks[each.wire])
            for each in operation.parameters
            if each.wire in self._locks
        ]


class IfMatch(Generic[C]):
    """The precondition of one operation that writes."""

    def __init__(
        self,
        shared: Preconditions[C],
        operation: Operation,
        reads: Mapping[str, Operation],
    ) -> None:
        """``reads`` are all single reads, by path."""
        read = reads.get(operation.judged_by)
        self._read = None if read is None else _Read(read)
        self._transactions = shared.transactions
        self._locks: Sequence[tuple[str, Lock[C]]] = shared.locks_of(operation)

    def __call__(
        self,
        caller: C,
        environ: Environ,
        given: Mapping[str, Any],
        info: Callable[[], RequestInfo],
        write: Callable[[], object],
    ) -> object:
        """What ``write`` answers. Raises PreconditionFailed, and has written nothing.

        ``given`` holds the parts of the path. Without such a read there is
        no ETag that could match, and ignoring what was asked for would be worse.
        """
        if self._read is None:
            message = "there is no ETag here; send the request without If-Match"
            raise PreconditionFailed(message)
        with self._transactions.transaction():
            for name, lock in self._locks:
                lock(caller, given.get(name, ""))
            etag = self._read.etag(caller, environ, given, info)
            if not any_match(environ[HEADER], etag):
                raise PreconditionFailed(_fault_of(environ[HEADER]))
            return write()


def _fault_of(header: str) -> str:
    if can_match(header):
        return "If-Match names a state other than the current one; read it again"
    return "If-Match takes an ETag as it was sent, in double quotes, without W/"


def if_match_of(
    operation: Operation,
    shared: Preconditions[C] | None,
    reads: Mapping[str, Operation],
) -> IfMatch[C] | None:
    """The precondition of an operation; None for one that has none to judge."""
    if shared is None or operation.method not in METHODS:
        return None
    return IfMatch(shared, operation, reads)


class _Read:
    """Asks for the state that a GET would answer."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._link = linker_of(operation.answer)
        self._query = Query(operation.query) if operation.query is not None else None

    def etag(
        self,
        caller: object,
        environ: Environ,
        given: Mapping[str, Any],
        info: Callable[[], RequestInfo],
    ) -> str:
        read = self._operation
        asked = {each.name: given[each.name] for each in read.parameters}
        if self._query is not None:
            asked["query"] = self._query.read(environ.get("QUERY_STRING", ""))
        if read.wants_caller:
            asked["caller"] = caller
        if read.wants_request:
            asked["request"] = info()
        answer = read.call(**asked)
        if self._link is not None:
            answer = self._link(answer, info().base_url)
        return etag_of(encoded(answer))
