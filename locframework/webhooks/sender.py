"""Makes one attempt: opens the secrets, signs, sends, and judges the answer."""

import logging
from datetime import datetime

from msgspec.structs import replace

from locframework.clock import Clock, timestamp

from .records import (
    KEPT_BYTES,
    Answer,
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    Post,
    WebhookTarget,
)
from .rules import judged, live
from .sealing import SecretBox, SecretLost
from .signing import signed_headers
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
            answer = self._transport.send(post)
            found = _logged(claimed, timestamp(at), answer)
        except SecretLost as error:
            log.error("delivery %s cannot be signed: %s", claimed.id, error)
            answer, found = None, _failed(claimed, timestamp(at), "secret_lost")
        except Exception:
            log.exception("the transport failed with delivery %s", claimed.id)
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
                log.warning("an old secret of webhook %s signs no more: %s", id_, error)
        return secrets


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
