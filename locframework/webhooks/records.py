"""What is sent to a webhook, and what comes back."""

from typing import Literal

from msgspec import Struct

ATTEMPT_SECONDS = 20.0  # CHOSEN, decisions 2.7; the Standard Webhooks say 15 to 30
KEPT_BYTES = 1024  # of an answer's body, for the log: decisions 2.7

SendError = Literal[
    "url_not_allowed",  # by its text; settings may have changed since it was judged
    "no_public_address",  # one word for three cases, see Transport
    "connection_refused",
    "connection_failed",  # no way there
    "tls_failed",  # the certificate, or the handshake
    "connection_lost",  # closed or reset before the headers of an answer were whole
    "bad_answer",  # not HTTP
    "timeout",  # the time was up, at whatever it was
]


class Post(Struct, frozen=True):
    """One attempt to deliver: what is signed, and how long it may take."""

    url: str
    # in this order; Host, Content-Length and Connection are the transport's
    headers: tuple[tuple[str, str], ...]
    body: bytes  # sent as it is
    seconds: float = ATTEMPT_SECONDS  # from looking up the name to the last byte read


class Answer(Struct, frozen=True):
    """What came of an attempt: a status, or an error, never both."""

    status_code: int | None
    error: SendError | None
    duration_ms: int
    retry_after: str | None = None  # the header as it came: printable ASCII, up to 100
    body: bytes = b""  # the first KEPT_BYTES of it as they came, not decompressed
