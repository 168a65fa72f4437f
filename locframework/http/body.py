"""Reads a request's body, counting, and checks what its headers say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from locframework.errors import (
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
    truncate,
)

Environ = Mapping[str, Any]
"""What a WSGI server says of a request (PEP 3333)."""

_DIGITS_MOST = 18


class CountedBody:
    """The bytes of a body, which refuses to be longer than it may."""

    def __init__(self, environ: Environ, most: int) -> None:
        """Raises PayloadTooLarge when the length that is announced is too much."""
        self.length = _length(environ)
        if self.length is not None and self.length > most:
            raise _too_large(most)
        self.most = most
        self.taken = 0
        self._read: Callable[[int], bytes] = environ["wsgi.input"].read
        self._ends = bool(environ.get("wsgi.input_terminated"))

    @property
    def is_empty(self) -> bool:
        """Whether there is no body, as far as it can be told without reading.

        A server that does not say where the input ends has none without a length.
        """
        return self.length == 0 or (self.length is None and not self._ends)

    def read(self, size: int | None = -1, /) -> bytes:
        """At most ``size`` bytes, b"" at the end. Raises PayloadTooLarge."""
        if size is None or size < 0:
            size = self.most + 1 - self.taken
        if self.length is not None:
            size = min(size, self.length - self.taken)
        elif not self._ends:
            size = 0
        content = self._read(size) if size > 0 else b""
        self.taken += len(content)
        if self.taken > self.most:
            raise _too_large(self.most)
        return content

    def read_all(self) -> bytes:
        """All of it. Raises PayloadTooLarge; ValidationFailed when it is cut off."""
        parts = []
        while part := self.read():
            parts.append(part)
        self.check_complete()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def check_complete(self) -> None:
        """Raises ValidationFailed when less came than was announced."""
        if self.length is not None and self.taken < self.length:
            raise ValidationFailed.at("body", "length", "the body ends too early")


def check_encoding(environ: Environ) -> None:
    """Raises UnsupportedMediaType for a compressed body (decisions 2.10)."""
    encoding = environ.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if encoding not in ("", "identity"):
        message = f"the content encoding {truncate(encoding)!r} is not accepted"
        raise UnsupportedMediaType(message)


def media_type(environ: Environ) -> tuple[str, str]:
    """The media type of the body in lower case, and its charset or ""."""
    name, _, parameters = environ.get("CONTENT_TYPE", "").partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    return name.strip().lower(), charset


def _length(environ: Environ) -> int | None:
    text = environ.get("CONTENT_LENGTH")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS_MOST):
        raise ValidationFailed.at("header.Content-Length", "syntax", "not a length")
    return int(text)


def _too_large(most: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is over {most} bytes")
