"""Reads a multipart/form-data body: text fields and uploaded files."""

from __future__ import annotations

import sys
from typing import Generic, TypeVar

from falcon import HTTPError
from falcon.media.multipart import (
    BodyPart,
    MultipartFormHandler,
    MultipartParseOptions,
)
from msgspec import Struct, structs

from locframework.errors import UnsupportedMediaType, ValidationFailed, shown
from locframework.validation import forbidden

from .body import CountedBody, Environ, check_encoding, media_type
from .records import UPLOAD_MOST, Upload
from .text_fields import TextFields

T = TypeVar("T", bound=Struct)

NAME_MOST = 255


class FormBody(Generic[T]):
    """Reads the form of one operation."""

    def __init__(self, type_: type[T], most: int = UPLOAD_MOST) -> None:
        """``most``: bytes of the whole form."""
        self._texts = TextFields(type_, "form", (Upload,))
        self._files = {
            field.encode_name for field in structs.fields(type_) if field.type is Upload
        }
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
                f"{shown(environ.get('CONTENT_TYPE', ''))!r}"
            )
        body = CountedBody(environ, self._most)
        try:
            texts, files = self._parts(body, environ["CONTENT_TYPE"])
        except HTTPError as error:
            message = error.description or "cannot be read"
            raise ValidationFailed.at("form", "syntax", shown(message)) from None
        except ValueError:  # a part's header that is not UTF-8
            raise ValidationFailed.at("form", "syntax", "is not UTF-8") from None
        return self._texts.read(texts, files)

    def _parts(
        self, body: CountedBody, content_type: str
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
                files[name] = _upload(part)
            elif name in self._texts.names:
                texts.append((name, part.get_data().decode("utf-8")))
        return texts, files


def _upload(part: BodyPart) -> Upload:
    name = (part.filename or "").replace("\\", "/").rpartition("/")[2]
    if forbidden(name):
        raise ValidationFailed.at("form", "character", "a file name holds U+0000")
    return Upload(name[:NAME_MOST], part.stream.read(), part.content_type)
