"""Makes one attempt to deliver: opens the secrets, signs, sends, reads the answer."""

import logging
from datetime import datetime

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.fields import Clock, timestamp
from locframework.validation import check_record

from .records import (
    KEPT_BYTES,
    Answer,
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    Post,
    StoredWebhook,
)
from .rules import live, outcome_of
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
        self, claimed: ClaimedDelivery, webhook: StoredWebhook, share: float
    ) -> AttemptOutcome:
        """Return what came of an attempt, without raising.

        ``share`` is the random part of the wait after a failure.
        """
        at = self._clock()
        error: str | None
        status_code = duration_ms = body = retry_after = None
        try:
            secrets = self._secrets(webhook, at)
            headers = signed_headers(claimed.id, at, claimed.payload, secrets)
            post = Post(webhook.webhook.url, headers, claimed.payload.encode())
            answer = self._transport.send(post)
            _check_answer(answer)
            status_code, error = answer.status_code, answer.error
            duration_ms, retry_after = answer.duration_ms, answer.retry_after
            if error is None:
                body = answer.body[:KEPT_BYTES].decode("utf-8", "replace")
                body = body.replace("\0", "\ufffd")
        except SecretLost as lost:
            log.error("delivery %s cannot be signed: %s", claimed.id, lost)
            error = "secret_lost"
        except PLUGIN_EXCEPTIONS:
            name = self._transport.name
            log.exception("the transport %s failed with delivery %s", name, claimed.id)
            error = "transport_failed"
        attempt = DeliveryAttempt(
            number=claimed.number,
            at=timestamp(at),
            trigger=claimed.trigger,
            status_code=status_code,
            error=error,
            duration_ms=duration_ms,
            response_body=body,
        )
        url, now = webhook.webhook.url, self._clock()
        return outcome_of(claimed, attempt, url, now, share, retry_after)

    def _secrets(self, webhook: StoredWebhook, at: datetime) -> list[str]:
        """Return the secrets that sign. An old one whose key is gone is left out.

        Raises SecretLost for the current one.
        """
        secrets = []
        for each in live(webhook.secrets, at):
            try:
                secrets.append(self._box.open(each, webhook.webhook.id))
            except SecretLost as error:
                if each.signs_until is None:
                    raise
                log.warning("an old secret can no longer sign: %s", error)
        return secrets


def _check_answer(answer: Answer) -> None:
    """Raise an exception for an invalid answer: a plugin made it."""
    if not isinstance(answer, Answer):
        raise TypeError(f"{type(answer).__name__} is not an Answer")
    check_record(answer)
    if (answer.status_code is None) is (answer.error is None):
        raise ValueError("an Answer has either a status_code or an error")
    if not isinstance(answer.body, bytes):  # check_record reads text as base64
        raise TypeError(f"body is {type(answer.body).__name__}, not bytes")
