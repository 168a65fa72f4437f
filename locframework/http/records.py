"""What an endpoint may be given, and what it may answer besides a plain struct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from locframework.events import Actor

T = TypeVar("T")

BODY_LIMIT = 1024 * 1024  # bytes; decisions 2.2
UPLOAD_LIMIT = 50 * 1024 * 1024  # bytes; decisions 2.2


class RequestInfo(Struct, frozen=True):
    """What an endpoint may know of the request, by a parameter named ``request``."""

    method: str
    base_url: str  # absolute, up to and including /api/v1, no slash at the end
    request_id: str
    if_none_match: str | None  # the header as it came
    headers: Mapping[str, str] = {}
    """All headers but ``authorization`` and ``cookie``, which belong to the framework.
    Names are in lower case."""


class Upload(Struct, frozen=True):
    """A file of a multipart form."""

    name: str  # the last part of the name that was sent; never use it as a path
    content: bytes
    content_type: str


class RawBody(Struct, frozen=True):
    """A body as it came: what an operation reads whose argument ``body`` has this type.

    Any media type is accepted, up to ``body_limit`` of the declaration. A body with a
    Content-Encoding is refused.
    """

    content: bytes
    content_type: str  # the header as it came; "" without one


class UploadedFile(Struct, frozen=True):
    """A file of a multipart form that may be large: it lies on the disk, not in memory,
    and is gone with the last that knows it."""

    name: str  # as of an Upload
    file: BinaryIO
    content_type: str


class Accepted(Struct, Generic[T], frozen=True):
    """Answers 202: the work is queued, and ``location`` tells how it goes."""

    data: T
    location: str  # "/projects/…/jobs/…" is made absolute with the base URL


class Prepared(Struct, Generic[T], frozen=True):
    """Everything that takes long is done; ``finish`` does the rest and answers.

    For a write that must keep a file or ask others before its transaction: what it
    answers with an ``Idempotency-Key`` is kept in the transaction of ``finish``, and
    ``If-Match`` is judged in it.
    """

    finish: Callable[[], T]


class Wrapped(NamedTuple):
    """Of an answer, in Annotated: the name of the only member of ``data``."""

    name: str


class Deleted(Struct, frozen=True):
    """What a delete answers."""

    id: str
    deleted: bool = True


class BranchQuery(Struct, frozen=True):
    """The query of everything that can be asked of a branch."""

    branch: str | None = None  # a branch's name or id; left out, or "main": main


class Raw(Struct, frozen=True):
    """Answers these very bytes, outside the envelope: files, the manifest."""

    content: bytes
    content_type: str | None  # None: no Content-Type (304)
    status: int = 200
    headers: Mapping[str, str] = {}
    file: BinaryIO | None = None  # instead of content; read as it is sent, then closed


class PrincipalToken(Protocol):
    """The part of a token that the rate limit is counted by."""

    @property
    def id(self) -> str: ...


class Principal(Protocol):
    """The part of a caller that this floor looks at."""

    @property
    def actor(self) -> Actor: ...

    @property
    def token(self) -> PrincipalToken | None: ...
