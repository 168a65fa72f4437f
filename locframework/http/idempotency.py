"""``Idempotency-Key``: a POST that is sent again is not executed again.

The response is stored in the transaction of the change, so that after a crash both
exist or neither. That transaction begins as late as it would without a key, so that
plans and checks hold no lock. It claims the key first: a request with the same key at
the same time waits for its end. Only successes are stored: a refused request has
changed nothing, and is evaluated again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from falcon import Response
from msgspec import UNSET, Struct, structs

from locframework.errors import IdempotencyConflict, LocError, ValidationFailed
from locframework.fields import Clock, Timestamp, timestamp
from locframework.transactions import Transactions, crash_point

from .body import Environ
from .operation import Operation
from .rate_limit import principal_key
from .records import Principal, Upload, UploadedFile
from .responses import write_stored


class StoredPost(Struct, frozen=True):
    """A POST that was done, and what it answered."""

    owner: str  # whose keys they are: a token, or an embedder's caller
    key: str  # 1 to 255 visible ASCII characters, as they came
    fingerprint: str  # SHA-256 of what was asked, hex
    created_at: Timestamp
    status: int
    location: str | None
    content: str | None  # None: it showed a secret, which is kept nowhere


class IdempotencyStore(Protocol):
    """The POSTs of the last 24 hours that came with a key."""

    def claim(
        self, owner: str, key: str, at: Timestamp, since: Timestamp
    ) -> StoredPost | None:
        """In a transaction: the POST that has this key, or None: it is yours now.

        What was kept before ``since`` has no key any more. Who claims the same key
        waits for the end of this transaction, and finds what it kept. Yours must be
        kept before the end. One statement. RuntimeError without a transaction.
        """

    def find(self, owner: str, key: str, since: Timestamp) -> StoredPost | None:
        """The POST that has this key, or None; never one of an open transaction."""

    def keep(self, post: StoredPost) -> None:
        """In the transaction that claimed its key."""


class _DoneBefore(Exception):
    """Ends the transaction of a request whose key another one has claimed."""

    def __init__(self, post: StoredPost) -> None:
        self.post = post


C = TypeVar("C", bound=Principal)

HEADER = "HTTP_IDEMPOTENCY_KEY"  # in the WSGI environ
REPLAYED = "Idempotency-Replayed"
STORED_FOR = timedelta(hours=24)  # decisions 2.1.6
KEY_PATTERN = "^[!-~]{1,255}$"

_KEY = re.compile(KEY_PATTERN.removesuffix("$") + r"\Z")
_encoder = msgspec.json.Encoder(order="deterministic")


class Idempotency(Struct, frozen=True):
    """What the POSTs of one app share."""

    store: IdempotencyStore
    transactions: Transactions
    clock: Clock


class IdempotentOperation(Generic[C]):
    """Does the POSTs of one operation once a key."""

    def __init__(self, shared: Idempotency, operation: Operation) -> None:
        self._store = shared.store
        self._transactions = shared.transactions
        self._clock = shared.clock
        self._prepares = operation.prepares
        self._is_secret = operation.secret

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
        since = timestamp(now - STORED_FOR)
        post = StoredPost(
            owner=principal_key(caller),
            key=environ[HEADER],
            fingerprint=_fingerprint(environ, given),
            created_at=timestamp(now),
            status=0,
            location=None,
            content=None,
        )
        find = partial(self._store.find, post.owner, post.key, since)
        before = find()
        if before is None:
            try:
                before = self._do(post, since, response, do, write)
            except LocError:  # of what another request with the key has just done?
                before = find()
                if before is None:
                    raise
        if before is None:
            return
        guard()
        if before.fingerprint != post.fingerprint:
            message = "this Idempotency-Key was used for another request"
            raise IdempotencyConflict(message)
        if before.content is None:
            message = "done already; the secret in its answer is shown only once"
            raise IdempotencyConflict(message)
        write_stored(response, before.status, before.location, before.content)
        response.set_header(REPLAYED, "true")

    def _do(
        self,
        post: StoredPost,
        since: Timestamp,
        response: Response,
        do: Callable[[], Any],
        write: Callable[[Response, object], None],
    ) -> StoredPost | None:
        """Return the POST that another request with this key has done meanwhile."""

        def claim() -> None:
            before = self._store.claim(post.owner, post.key, post.created_at, since)
            if before is not None:
                raise _DoneBefore(before)

        if self._prepares:
            do = do().finish
        try:
            with self._transactions.transaction(first=claim):
                first = Response()
                write(first, do())
                status = int(str(first.status).split()[0])
                location = first.get_header("Location")
                content = (first.data or b"").decode()
                kept = None if self._is_secret else content
                self._store.keep(
                    structs.replace(
                        post, status=status, location=location, content=kept
                    )
                )
                crash_point("idempotency.before_commit")
        except _DoneBefore as done:
            return done.post
        crash_point("idempotency.after_commit")
        write_stored(response, status, location, content)
        return None


def check_key(environ: Environ) -> None:
    """Raise ValidationFailed for a header that is no key."""
    if not _KEY.match(environ.get(HEADER, "-")):
        message = "must be 1 to 255 visible ASCII characters"
        raise ValidationFailed.at("header.Idempotency-Key", "pattern", message)


def _fingerprint(environ: Environ, given: Mapping[str, Any]) -> str:
    """Of method, path, query and what the body says, however it is written."""
    sent = given.get("body", given.get("form"))
    fields = structs.asdict(sent) if isinstance(sent, Struct) else None
    asked = [
        environ["REQUEST_METHOD"],
        environ.get("PATH_INFO", ""),
        environ.get("QUERY_STRING", ""),
        fields
        and {
            name: _plain(value) for name, value in fields.items() if value is not UNSET
        },
    ]
    return hashlib.sha256(_encoder.encode(asked)).hexdigest()


def _plain(value: object) -> object:
    """A file as its name and hash; any other field as it is."""
    if isinstance(value, Upload):
        return [value.name, hashlib.sha256(value.content).hexdigest()]
    if isinstance(value, UploadedFile):
        digest = hashlib.file_digest(value.file, "sha256")  # type: ignore[arg-type]
        value.file.seek(0)
        return [value.name, digest.hexdigest()]
    return value
