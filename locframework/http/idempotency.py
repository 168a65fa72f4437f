"""Judges ``Idempotency-Key``: a POST that is sent again is not done again.

The answer is kept in the transaction of the change, so that after a crash both are
there or neither. Who sends the same at the same time waits for that transaction. Only
what succeeded is kept: a refusal has changed nothing, and is judged anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Generic, TypeVar

import msgspec
from falcon import Response
from msgspec import UNSET, Struct, structs

from locframework.errors import IdempotencyConflict, ValidationFailed
from locframework.fields import Clock, Timestamp, timestamp
from locframework.transactions import Transactions, crash_point

from .answers import write_kept
from .body import Environ
from .kept_posts import IdempotencyStore, KeptPost
from .operation import Operation
from .records import Asker, Upload, UploadedFile, identity_of

C = TypeVar("C", bound=Asker)

HEADER = "HTTP_IDEMPOTENCY_KEY"  # in the WSGI environ
REPLAYED = "Idempotency-Replayed"
KEPT_FOR = timedelta(hours=24)  # decisions 2.1.6
KEY_PATTERN = "^[!-~]{1,255}$"

_KEY = re.compile(KEY_PATTERN.removesuffix("$") + r"\Z")
_encoder = msgspec.json.Encoder(order="deterministic")


class Idempotency(Struct, frozen=True):
    """What the POSTs of one app share."""

    store: IdempotencyStore
    transactions: Transactions
    clock: Clock


class Once(Generic[C]):
    """Does the POSTs of one operation once a key."""

    def __init__(self, shared: Idempotency, operation: Operation) -> None:
        self._store = shared.store
        self._transactions = shared.transactions
        self._clock = shared.clock
        self._prepares = operation.prepares
        self._is_secret = operation.declaration.secret

    def __call__(
        self,
        caller: C,
        environ: Environ,
        given: Mapping[str, Any],
        response: Response,
        guard: Callable[[], object],
        do: Callable[[], Any],
        write: Callable[[Response, object], None],
    ) -> None:
        """Answer with what ``write`` makes of ``do()``, or as the first time.

        ``guard`` raises what the caller may not see by now. Raises
        IdempotencyConflict when the key was used for something else, and has done
        nothing then.
        """
        now = self._clock()
        since = timestamp(now - KEPT_FOR)
        post = KeptPost(
            owner=identity_of(caller),
            key=environ[HEADER],
            fingerprint=_fingerprint(environ, given),
            created_at=timestamp(now),
            status=0,
            location=None,
            content=None,
        )
        before = None
        if self._prepares:
            before = self._store.find(post.owner, post.key, since)
            if before is None:
                do = finish_of(do())
        if before is None:
            before = self._do(post, since, response, do, write)
        if before is not None:
            guard()
            _check(before, post.fingerprint)
            write_kept(response, before.status, before.location, before.content or "")
            response.set_header(REPLAYED, "true")

    def _do(
        self,
        post: KeptPost,
        since: Timestamp,
        response: Response,
        do: Callable[[], object],
        write: Callable[[Response, object], None],
    ) -> KeptPost | None:
        """Do it and answer, unless the key is taken: then what took it."""
        with self._transactions.transaction():
            claim = (post.owner, post.key, post.created_at, since)
            before = self._store.claim(*claim)
            if before is not None:
                return before
            first = Response()
            write(first, do())
            status, location, content = _said(first)
            kept = None if self._is_secret else content
            self._store.keep(
                structs.replace(post, status=status, location=location, content=kept)
            )
            crash_point("idempotency.before_commit")
        crash_point("idempotency.after_commit")
        write_kept(response, status, location, content)
        return None


def once_of(operation: Operation, shared: Idempotency | None) -> Once[Any] | None:
    """What does an operation once a key; None for one that takes no key."""
    if shared is None or not operation.takes_key:
        return None
    return Once(shared, operation)


def finish_of(prepared: Any) -> Callable[[], object]:
    """The transaction of what an operation that prepares has answered."""
    finish: Callable[[], object] = prepared.finish
    return finish


def check_key(environ: Environ) -> None:
    """Raise ValidationFailed for a header that is no key."""
    if not _KEY.match(environ.get(HEADER, "-")):
        message = "must be 1 to 255 visible ASCII characters"
        raise ValidationFailed.at("header.Idempotency-Key", "pattern", message)


def _check(before: KeptPost, fingerprint: str) -> None:
    if before.fingerprint != fingerprint:
        message = "this Idempotency-Key was used for another request"
        raise IdempotencyConflict(message)
    if before.content is None:
        message = "this was done already; the secret in its answer is shown only once"
        raise IdempotencyConflict(message)


def _fingerprint(environ: Environ, given: Mapping[str, Any]) -> str:
    """Of method, path, query and what the body says, however it is written."""
    sent = given.get("body", given.get("form"))
    asked = [
        environ["REQUEST_METHOD"],
        environ.get("PATH_INFO", ""),
        environ.get("QUERY_STRING", ""),
        _plain(sent) if isinstance(sent, Struct) else None,
    ]
    return hashlib.sha256(_encoder.encode(asked)).hexdigest()


def _plain(sent: Struct) -> dict[str, object]:
    return {
        name: _plain_field(value)
        for name, value in structs.asdict(sent).items()
        if value is not UNSET
    }


def _plain_field(value: object) -> object:
    if isinstance(value, Upload):
        return [value.name, hashlib.sha256(value.content).hexdigest()]
    if isinstance(value, UploadedFile):
        digest = hashlib.file_digest(value.file, "sha256")  # type: ignore[arg-type]
        value.file.seek(0)
        return [value.name, digest.hexdigest()]
    return value


def _said(response: Response) -> tuple[int, str | None, str]:
    status = int(str(response.status).split()[0])
    content = response.data or b""
    return status, response.get_header("Location"), content.decode()
