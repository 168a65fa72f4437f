"""Makes one attempt: opens the secrets, signs, sends, and judges the answer."""

import logging
from datetime import datetime
from typing import get_args

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.fields import Clock, timestamp

from .records import (
    KEPT_BYTES,
    Answer,
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    Post,
    SendError,
    WebhookTarget,
)
from .rules import judged, live
from .signing import SecretBox, SecretLost, signed_headers
from .transport import Transport

log = logging.getLogger("locframework.webhooks")


class Sender:
    """Sends over the transport of the settings. Any number of threads at once."""

    def __init__(self, transport: Transport, box: SecretBox, clock: Clock) -> None:
        self._transport = transport
        self._box = box
        self._clock = clock

    def attempt(
        self, claimed: ClaimedDelivery, target: WebhookTarget, share: float
    ) -> AttemptOutcome:
        """What came of it. Raises nothing; ``share`` is of the wait, if it failed."""
        return replace(self._outcome(claimed, target, share), url=target.url)

    def _outcome(
        self, claimed: ClaimedDelivery, target: WebhookTarget, share: float
    ) -> AttemptOutcome:
        at = self._clock()
        try:
            secrets = self._secrets(target, at)
            headers = signed_headers(claimed.id, at, claimed.payload, secrets)
            post = Post(target.url, headers, claimed.payload.encode())
            answer = _checked(self._transport.send(post))
            found = _logged(claimed, timestamp(at), answer)
        except SecretLost as error:
            log.error("delivery %s cannot be signed: %s", claimed.id, error)
            answer, found = None, _failed(claimed, timestamp(at), "secret_lost")
        except PLUGIN_EXCEPTIONS:
            name = self._transport.name
            log.exception("the transport %s failed with delivery %s", name, claimed.id)
            answer, found = None, _failed(claimed, timestamp(at), "transport_failed")
        asked = answer.retry_after if answer is not None else None
        return judged(claimed, found, self._clock(), share, asked)

    def _secrets(self, target: WebhookTarget, at: datetime) -> list[str]:
        """Those that sign. An old one whose key is gone does not, and keeps nothing
        from being sent. Raises SecretLost for the current one."""
        id_, secrets = target.webhook_id, []
        for each in live(target.secrets, at):
            try:
                secrets.append(self._box.open(each, id_))
            except SecretLost as error:
                if each.signs_until is None:
                    raise
                log.warning(
                    "an old secret of webhook %s can no longer sign: %s", id_, error
                )
        return secrets


def _checked(answer: object) -> Answer:
    """The answer, made sure of: raises for what the log and the plan cannot take."""
    if not isinstance(answer, Answer):
        raise TypeError(f"{type(answer).__name__} is not an Answer")
    code, error, taken = answer.status_code, answer.error, answer.duration_ms
    if (code is None) is (error is None):
        raise ValueError("an Answer has a status_code or an error, never both")
    if code is not None and (type(code) is not int or not 100 <= code <= 999):
        raise ValueError(f"status_code {code!r} is not an HTTP status")
    if error is not None and error not in get_args(SendError):
        raise ValueError(f"error {error!r} is not a SendError")
    if type(taken) is not int or taken < 0:
        raise ValueError(f"duration_ms {taken!r} is not a time in whole milliseconds")
    if not isinstance(answer.retry_after, str | None):
        raise TypeError(f"retry_after {answer.retry_after!r} is not text")
    if not isinstance(answer.body, bytes):
        raise TypeError(f"body is {type(answer.body).__name__}, not bytes")
    return answer


def _logged(claimed: ClaimedDelivery, at: str, answer: Answer) -> DeliveryAttempt:
    text = answer.body[:KEPT_BYTES].decode("utf-8", "replace")
    return DeliveryAttempt(
        number=claimed.number,
        at=at,
        trigger=claimed.trigger,
        status_code=answer.status_code,
        error=answer.error,
        duration_ms=answer.duration_ms,
        response_body=None if answer.error else text.replace("\0", "\ufffd"),
    )


def _failed(claimed: ClaimedDelivery, at: str, error: str) -> DeliveryAttempt:
    return DeliveryAttempt(claimed.number, at, claimed.trigger, None, error, None, None)
