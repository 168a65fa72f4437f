"""What engines behind a server share: one request for an answer, and marks as tags."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from locframework.errors import SettingsError, UrlNotAllowed
from locframework.outgoing.addresses import read_url
from locframework.outgoing.client import (
    HttpClient,
    HttpRequest,
    OutgoingSettings,
    SendError,
    read_retry_after,
)

from .messages import Piece
from .translator import Refused, TranslationBatch, Translations, TranslatorFailed

T = TypeVar("T")

ANSWER_BYTES = 4 * 1024 * 1024
RETRY_SECONDS = 5.0  # where the server does not say
TEXT_LENGTH = 200  # of what a server said, in a reason

_NOT_SENT: set[SendError] = {
    "url_not_allowed",
    "no_public_address",
    "connection_refused",
    "connection_failed",
    "tls_failed",
}
_MAY_BE_PAID = {408, 502, 504, 524}  # the engine may have done its work

Price = Annotated[str, Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?\Z")]
"""Of a million units, as decimal text in the currency of ``ai_currency``."""


class EngineSettings(OutgoingSettings, frozen=True, kw_only=True):
    """Where the server of an engine is, and how much one call sends."""

    url: Annotated[str, Meta(pattern=r"^https?://[!-~]+\Z")]
    api_key: Annotated[str, Meta(pattern=r"^[!-~]*\Z")] = ""
    most_items: Annotated[int, Meta(ge=1, le=500)] = 50  # of one call
    most_characters: Annotated[int, Meta(ge=100, le=100_000)] = 10_000

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"  # without the key


class ServerRefused(TranslatorFailed):
    """The server answered, and not with 200. ``text``: what it said."""

    def __init__(
        self,
        reason: str,
        retry_after: float | None,
        cost: Decimal,
        status_code: int,
        text: str,
    ) -> None:
        super().__init__(reason, retry_after, cost)
        self.status_code = status_code
        self.text = text


class EngineServer:
    """The server of an engine. Any number of threads may call.

    ``http://`` leads into the allowed networks alone. Raises SettingsError for a URL
    that no request could be sent to.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._client = HttpClient(settings, allow_http=True)
        self._url = settings.url.rstrip("/")
        self._api_key = settings.api_key
        try:
            target = read_url(settings.url, settings.allowed_ports, allow_http=True)
        except UrlNotAllowed as error:
            raise SettingsError(str(error), "url") from error
        self._host = target.authority

    def post(
        self,
        path: str,
        content: object,
        answer_type: type[T],
        seconds: float,
        cost: Decimal = Decimal(0),
        headers: Iterable[tuple[str, str]] = (),
    ) -> T:
        """Post JSON, and return the JSON of the answer. ``cost``: what the server may
        take for it at most.

        Raises ServerRefused for a status that is not 200, TranslatorFailed for any
        other fault. No reason has the ``api_key`` in it.
        """
        headers = (("Content-Type", "application/json"), *headers)
        body = msgspec.json.encode(content)
        return self._ask("POST", path, headers, body, answer_type, seconds, cost)

    def get(
        self,
        path: str,
        answer_type: type[T],
        seconds: float,
        headers: Iterable[tuple[str, str]] = (),
    ) -> T:
        """Return the JSON at a path. Raises what ``post`` does."""
        cost = Decimal(0)
        return self._ask("GET", path, tuple(headers), b"", answer_type, seconds, cost)

    def _ask(
        self,
        method: str,
        path: str,
        headers: tuple[tuple[str, str], ...],
        body: bytes,
        answer_type: type[T],
        seconds: float,
        cost: Decimal,
    ) -> T:
        if seconds <= 0:
            raise TranslatorFailed("timeout", RETRY_SECONDS)
        request = HttpRequest(
            method, self._url + path, headers, body, seconds, ANSWER_BYTES
        )
        answer = self._client.send(request)
        if answer.error is not None:
            is_final = answer.error in ("url_not_allowed", "tls_failed")
            raise TranslatorFailed(
                f"{self._host}: {answer.error}",
                None if is_final else RETRY_SECONDS,
                Decimal(0) if answer.error in _NOT_SENT else cost,
            )
        if answer.status_code != 200:
            status = answer.status_code or 0
            header = answer.headers.get("retry-after")
            raise self._refused(status, answer.body, header, cost)
        if not answer.is_whole:
            what = f"{self._host}: the answer is cut, or has over {ANSWER_BYTES} bytes"
            raise TranslatorFailed(what, RETRY_SECONDS, cost)
        try:
            return msgspec.json.decode(answer.body, type=answer_type, strict=False)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            what = f"{self._host}: the answer is not the JSON of such an engine"
            raise TranslatorFailed(f"{what}; check url", None, cost) from None

    def _refused(
        self, status: int, body: bytes, header: str | None, cost: Decimal
    ) -> ServerRefused:
        text = body[: ANSWER_BYTES // 64].decode("utf-8", "replace")
        if self._api_key:
            text = text.replace(self._api_key, "…")
        reason = f"{self._host} answered {status}"
        retry_after = None
        if status in (401, 403):
            reason += ": check api_key"  # what it says may have parts of the key
        elif said := _explanation_in(text):
            reason += f": {said}"
        if status in (408, 429) or status >= 500:
            wait = read_retry_after(header, datetime.now(UTC))
            retry_after = RETRY_SECONDS if wait is None else wait.total_seconds()
        paid = cost if status in _MAY_BE_PAID else Decimal(0)
        return ServerRefused(reason, retry_after, paid, status, text)


class _Explanation(Struct):
    """The shapes in which servers explain a refusal."""

    error: object = None
    message: object = None
    detail: object = None


def _explanation_in(text: str) -> str:
    """Return what a server says of a refusal, in one line; "" if that is no JSON."""
    try:
        said = msgspec.json.decode(text, type=_Explanation)
    except (msgspec.DecodeError, RecursionError):
        return ""
    error = said.error
    inner = error.get("message") if isinstance(error, dict) else error
    for found in (inner, said.message, said.detail):
        if isinstance(found, str):
            return " ".join(found.split())[:TEXT_LENGTH]
    return ""


def refusal(batch: TranslationBatch, reason: str, cost: Decimal) -> Translations:
    """Return that the one text of a batch is refused; of several none, so that the core
    asks for each alone."""
    if len(batch.items) > 1:
        return Translations({}, cost)
    return Translations({batch.items[0].id: Refused(reason)}, cost)


def pieces_of(
    text: str, mark: re.Pattern[str], plain: Callable[[str], str] = str
) -> tuple[Piece, ...]:
    """Return the pieces of an answer. ``mark`` matches a mark, and its group the
    number; ``plain`` is called for each text between them."""
    parts = mark.split(text)
    return tuple(
        int(part) if at % 2 else plain(part)
        for at, part in enumerate(parts)
        if at % 2 or part
    )
