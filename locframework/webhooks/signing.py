"""Signs deliveries by Standard Webhooks, and encrypts signing secrets at rest."""

import binascii
import hashlib
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from standardwebhooks import Webhook as Signer

from locframework.errors import SettingsError

from .records import SealedSecret

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
KEY_BYTES = 32
_NONCE_BYTES = 12
_SETTING = "webhooks.secret_key"
_OLD_SETTING = "webhooks.old_secret_keys"


class SecretLost(Exception):
    """The secret is damaged, or no key of this process opens it."""


def new_secret() -> str:
    """``whsec_`` and 32 random bytes in base64 (decisions 2.7)."""
    return SECRET_PREFIX + b64encode(os.urandom(SECRET_BYTES)).decode()


def new_key() -> str:
    """A key for the setting ``webhooks.secret_key``: 32 random bytes in base64."""
    return b64encode(os.urandom(KEY_BYTES)).decode()


class SecretBox:
    """AES-256-GCM; each secret is bound to its webhook, and opens for no other."""

    def __init__(self, newest: str | None, old: Iterable[str] = ()) -> None:
        """The newest key seals, all of them open. Raises SettingsError."""
        sealing = [_key(newest, _SETTING)] if newest is not None else []
        keys = [*sealing, *(_key(text, _OLD_SETTING) for text in old)]
        self._ciphers = {_id_of(key): AESGCM(key) for key in keys}
        self._newest = _id_of(sealing[0]) if sealing else None

    @property
    def can_seal(self) -> bool:
        """Whether there is a newest key."""
        return self._newest is not None

    def require_keys(self, key_ids: Iterable[str]) -> None:
        """Raise SettingsError unless every one of these keys is here."""
        if set(key_ids) <= set(self._ciphers):
            return
        fault = "is not the key that sealed the signing secrets of the webhooks"
        if not self.can_seal:
            fault = "is missing, and the signing secrets of webhooks are sealed with it"
        hint = f"an older key belongs in {_OLD_SETTING}"
        raise SettingsError(f"settings: {_SETTING}: {fault}; {hint}", _SETTING)

    def seal(self, secret: str, webhook_id: str) -> SealedSecret:
        """Encrypt a secret for the database. Needs a key."""
        if self._newest is None:
            raise RuntimeError("there is no key to seal with")
        nonce = os.urandom(_NONCE_BYTES)
        cipher = self._ciphers[self._newest]
        sealed = nonce + cipher.encrypt(nonce, secret.encode(), webhook_id.encode())
        return SealedSecret(self._newest, b64encode(sealed).decode(), None)

    def open(self, sealed: SealedSecret, webhook_id: str) -> str:
        """Decrypt a secret. Raises SecretLost."""
        cipher = self._ciphers.get(sealed.key_id)
        if cipher is None:
            raise SecretLost(f"no key {sealed.key_id} in {_SETTING} or old_secret_keys")
        try:
            raw = b64decode(sealed.sealed)
            nonce, rest = raw[:_NONCE_BYTES], raw[_NONCE_BYTES:]
            return cipher.decrypt(nonce, rest, webhook_id.encode()).decode()
        except (InvalidTag, ValueError):
            raise SecretLost(f"the secret of webhook {webhook_id} is damaged") from None


def _key(text: str, setting: str) -> bytes:
    try:
        key = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        message = f"settings: {setting}: must be {KEY_BYTES} bytes in base64"
        raise SettingsError(message, setting)
    return key


def _id_of(key: bytes) -> str:
    """Return a name for a key that does not reveal it."""
    return hashlib.sha256(b"locframework webhook key " + key).hexdigest()[:8]


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
