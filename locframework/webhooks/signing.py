"""Signs what is sent, as Standard Webhooks says: over the very bytes of the body."""

from collections.abc import Sequence
from datetime import datetime

from standardwebhooks import Webhook as Signer

USER_AGENT = "locframework"


def signed_headers(
    delivery_id: str, at: datetime, payload: str, secrets: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """The headers of an attempt ``at``, an aware UTC time; one signature a secret."""
    signatures = [Signer(each).sign(delivery_id, at, payload) for each in secrets]
    return (
        ("Content-Type", "application/json"),
        ("User-Agent", USER_AGENT),
        ("webhook-id", delivery_id),
        ("webhook-timestamp", str(int(at.timestamp()))),
        ("webhook-signature", " ".join(signatures)),
    )
