"""Keeps secrets out of logs: a formatter for whoever configures logging."""

import logging
import re

_SECRETS = (
    # an Authorization header, as sent or in a mapping that was printed
    (re.compile(r"(authorization['\"]?\s*[:=]\s*['\"]?)[^'\"\r\n]+", re.I), r"\1…"),
    (re.compile(r"\b(bearer\s+)[^\s'\",]+", re.I), r"\1…"),
    (re.compile(r"\b(svc_(?:pat|proj)_)[0-9A-Za-z]+"), r"\1…"),
    (re.compile(r"\b(whsec_)[0-9A-Za-z+/_=-]+"), r"\1…"),
    # the public key of a distribution is the credential of its content
    (re.compile(r"(/content/[0-9A-Za-z_-]{4})[0-9A-Za-z_-]+"), r"\1…"),
    # the password in the address of a database; found by what ends the scheme: to look
    # for its beginning takes a second for a header of 16 KB of words and dots
    (re.compile(r"(://[^\s:/@]*:)[^\s/@]+(?=@)"), r"\1…"),
)


def redact(text: str) -> str:
    """``text`` with "…" in place of what is secret in it.

    Knows tokens, ``Authorization`` values, signing secrets, public keys in content
    URLs, and passwords in URLs.
    """
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


class RedactingFormatter(logging.Formatter):
    """Redacts all that ``inner`` makes of a record: message, trace and stack.

    The record itself stays as it is, for the handlers of others.
    """

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        """What the inner formatter answers, redacted."""
        return redact(self._inner.format(record))
