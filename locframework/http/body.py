"""Reads a request's body: its length, its encoding, and multipart forms."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, BinaryIO, Generic, TypeVar, cast

from falcon import HTTPError
from falcon.media.multipart import (
    BodyPart,
    MultipartFormHandler,
    MultipartParseOptions,
)
from msgspec import Struct, structs

from locframework.errors import (
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
    truncate,
)
from locframework.validation import forbidden

from .records import UPLOAD_LIMIT, Upload, UploadedFile
from .text_fields import TextFields

Environ = Mapping[str, Any]
"""What a WSGI server says of a request (PEP 3333)."""

_DIGITS_MOST = 18


class LimitedBody:
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
        """At most ``size`` bytes, b"" at the end. Raises PayloadTooLarge, and
        ValidationFailed where the server says that the body was cut off."""
        if size is None or size < 0:
            size = self.most + 1 - self.taken
        if self.length is not None:
            size = min(size, self.length - self.taken)
        elif not self._ends:
            size = 0
        try:
            content = self._read(size) if size > 0 else b""
        except OSError:  # gunicorn's, for a body that is cut off or malformed
            raise _cut_off() from None
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
            raise _cut_off()


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


def _cut_off() -> ValidationFailed:
    return ValidationFailed.at("body", "length", "the body ends too early")


def _too_large(most: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is over {most} bytes")


T = TypeVar("T", bound=Struct)

NAME_MOST = 255
_EPILOGUE_BYTES = 65_536  # read at once of what follows the last boundary
IN_MEMORY = 1024 * 1024  # bytes of an UploadedFile that are not put on the disk


class FormBody(Generic[T]):
    """Reads the form of one operation."""

    def __init__(self, type_: type[T], most: int = UPLOAD_LIMIT) -> None:
        """``most``: bytes of the whole form."""
        self._texts = TextFields(type_, "form", (Upload, UploadedFile))
        self._files = _files_of(type_)
        self._most = most
        self._handler = MultipartFormHandler(MultipartParseOptions())

    def read(self, environ: Environ) -> T:
        """The form as a struct.

        Raises UnsupportedMediaType, PayloadTooLarge, ValidationFailed.
        """
        check_encoding(environ)
        if media_type(environ)[0] != "multipart/form-data":
            raise UnsupportedMediaType(
                "the body must be multipart/form-data, not "
                f"{truncate(environ.get('CONTENT_TYPE', ''))!r}"
            )
        body = LimitedBody(environ, self._most)
        try:
            texts, files = self._parts(body, environ["CONTENT_TYPE"])
        except HTTPError as error:
            message = error.description or "cannot be read"
            raise ValidationFailed.at("form", "syntax", truncate(message)) from None
        except ValueError:  # a part's header that is not UTF-8
            raise ValidationFailed.at("form", "syntax", "is not UTF-8") from None
        return self._texts.read(texts, files)

    def _parts(
        self, body: LimitedBody, content_type: str
    ) -> tuple[list[tuple[str, str]], dict[str, object]]:
        texts: list[tuple[str, str]] = []
        files: dict[str, object] = {}
        length = body.length if body.length is not None else sys.maxsize
        for part in self._handler.deserialize(body, content_type, length):
            name = part.name or ""
            if name in files:
                raise ValidationFailed.at(
                    f"form.{name}", "repeated", "is given more than once"
                )
            if name in self._files:
                files[name] = self._files[name](part)
            elif name in self._texts.names:
                texts.append((name, part.get_data().decode("utf-8")))
        while body.read(_EPILOGUE_BYTES):
            pass
        body.check_complete()
        return texts, files


def _upload(part: BodyPart) -> Upload:
    return Upload(_name(part), part.stream.read(), part.content_type)


def _uploaded_file(part: BodyPart) -> UploadedFile:
    file = _spool()
    shutil.copyfileobj(part.stream, file)
    file.seek(0)
    return UploadedFile(_name(part), file, part.content_type)


def _spool() -> BinaryIO:
    """A file of our own, which is gone when it is closed or known no more."""
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))


def _name(part: BodyPart) -> str:
    name = (part.filename or "").replace("\\", "/").rpartition("/")[2]
    if forbidden(name):
        raise ValidationFailed.at("form", "character", "a file name holds U+0000")
    return name[:NAME_MOST]


_READERS: dict[object, Callable[[BodyPart], object]] = {
    Upload: _upload,
    UploadedFile: _uploaded_file,
}


@cache  # each app asks for the types of all operations
def _files_of(type_: type[Struct]) -> dict[str, Callable[[BodyPart], object]]:
    """How the files of a form are read, by their names in it."""
    return {
        field.encode_name: _READERS[field.type]
        for field in structs.fields(type_)
        if field.type in _READERS
    }
