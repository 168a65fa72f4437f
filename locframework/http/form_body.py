"""Reads a multipart/form-data body: text fields and uploaded files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from typing import BinaryIO, Generic, TypeVar, cast

from falcon import HTTPError
from falcon.media.multipart import (
    BodyPart,
    MultipartFormHandler,
    MultipartParseOptions,
)
from msgspec import Struct, structs

from locframework.errors import UnsupportedMediaType, ValidationFailed, truncate
from locframework.validation import forbidden

from .body import CountedBody, Environ, check_encoding, media_type
from .records import UPLOAD_MOST, Upload, UploadedFile
from .text_fields import TextFields

T = TypeVar("T", bound=Struct)

NAME_MOST = 255
IN_MEMORY = 1024 * 1024  # bytes of an UploadedFile that are not put on the disk


class FormBody(Generic[T]):
    """Reads the form of one operation."""

    def __init__(self, type_: type[T], most: int = UPLOAD_MOST) -> None:
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
        body = CountedBody(environ, self._most)
        try:
            texts, files = self._parts(body, environ["CONTENT_TYPE"])
        except HTTPError as error:
            message = error.description or "cannot be read"
            raise ValidationFailed.at("form", "syntax", truncate(message)) from None
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
                files[name] = self._files[name](part)
            elif name in self._texts.names:
                texts.append((name, part.get_data().decode("utf-8")))
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
