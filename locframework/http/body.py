"""Reads what a request carries: its body, forms, JSON and query parameters."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from itertools import accumulate, islice
from math import isfinite
from typing import Any, BinaryIO, Generic, NoReturn, TypeVar, cast, get_args
from urllib.parse import parse_qsl

import msgspec
from falcon import HTTPError, mediatypes
from falcon.media.multipart import BodyPart, MultipartFormHandler, MultipartParseOptions
from msgspec import Struct, inspect, structs

from locframework.errors import (
    InvalidJson,
    PayloadTooLarge,
    Problem,
    UnsupportedMediaType,
    ValidationFailed,
    abbreviate,
    truncate,
)
from locframework.validation import (
    DEPTH_LIMIT,
    PROBLEMS_LIMIT,
    forbidden,
    members_of,
    refusal,
    text_problems,
    unknown_members,
    unknown_names,
)

from .operation import has_required_fields
from .records import BODY_LIMIT, UPLOAD_LIMIT, RawBody, Upload, UploadedFile

Environ = Mapping[str, Any]
"""What a WSGI server says of a request (PEP 3333)."""

_LENGTH = re.compile(r"[0-9]{1,18}")


class LimitedBody:
    """The bytes of a body, which refuses to be longer than it may."""

    def __init__(self, environ: Environ, most: int) -> None:
        """Raises PayloadTooLarge when the length that is announced is too much."""
        length = environ.get("CONTENT_LENGTH")
        if length and not _LENGTH.fullmatch(length):
            raise ValidationFailed.at("header.Content-Length", "syntax", "not a length")
        self.length = int(length) if length else None
        if self.length is not None and self.length > most:
            raise _too_large(most)
        self.most = most
        self.taken = 0
        self._read: Callable[[int], bytes] = environ["wsgi.input"].read
        self._ends = bool(environ.get("wsgi.input_terminated"))

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
        """All of it. Raises PayloadTooLarge; ValidationFailed when it is cut off.

        Without a length, a server that does not say where the input ends has none.
        """
        content = self.read()
        if self.taken != self.length:
            parts = [content]
            while part := self.read():
                parts.append(part)
            self.check_complete()
            content = b"".join(parts)
        return content

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
    name, parameters = mediatypes.parse_header(environ.get("CONTENT_TYPE", ""))
    return name.lower(), parameters.get("charset", "").lower()


def _cut_off() -> ValidationFailed:
    return ValidationFailed.at("body", "length", "the body ends too early")


def _too_large(most: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is over {most} bytes")


T = TypeVar("T", bound=Struct)

NAME_MOST = 255
TEXT_MOST = 1024 * 1024  # bytes of a field that is no file
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
                texts.append((name, _text(part, name)))
            else:
                texts.append((name, ""))  # which is refused
        while body.read(_EPILOGUE_BYTES):
            pass
        body.check_complete()
        return texts, files


def _text(part: BodyPart, name: str) -> str:
    content = part.stream.read(TEXT_MOST + 1)
    if len(content) > TEXT_MOST:
        message = f"must have at most {TEXT_MOST} bytes"
        raise ValidationFailed.at(f"form.{name}", "length", message)
    return content.decode("utf-8")


def _upload(part: BodyPart) -> Upload:
    return Upload(_name(part), part.stream.read(), part.content_type)


def _uploaded_file(part: BodyPart) -> UploadedFile:
    file = _spool()
    shutil.copyfileobj(part.stream, file)
    file.seek(0)
    return UploadedFile(_name(part), file, part.content_type)


def _spool() -> BinaryIO:
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
    return {
        field.encode_name: _READERS[kind]
        for field in structs.fields(type_)
        for kind in get_args(field.type) or (field.type,)  # ``Upload | None``
        if kind in _READERS
    }


MEMBERS_MOST = 1000


class TextFields(Generic[T]):
    """Reads the structs of one type; ``root`` is how a Problem's path begins."""

    def __init__(
        self,
        type_: type[T],
        root: str,
        others: tuple[type, ...] = (),
        *,
        is_strict: bool = True,
    ) -> None:
        """``others`` are types of fields that are no texts (uploads). ``is_strict``:
        refuse names that the type does not have."""
        self._is_strict = is_strict
        self._type = type_
        self._root = root
        self._fields = _text_fields(type_, others)

    @property
    def names(self) -> Collection[str]:
        """The names that are read."""
        return self._fields.keys()

    def read(self, pairs: Iterable[tuple[str, str]], others: Mapping[str, object]) -> T:
        """Return the struct. Raises ValidationFailed."""
        texts: dict[str, list[str]] = {}
        for name, text in pairs:
            texts.setdefault(name, []).append(text)
        values: dict[str, object] = dict(others)
        problems: list[Problem] = []
        if self._is_strict and texts.keys() - self._fields.keys():
            known = self._type.__struct_encode_fields__
            unknown = unknown_names(texts, known, self._root)
            problems += islice(unknown, PROBLEMS_LIMIT)
        for name in self._fields.keys() & texts.keys():
            path, given = f"{self._root}.{name}", texts[name]
            if len(given) > 1 and not self._fields[name]:
                problems.append(Problem(path, "repeated", "is given more than once"))
            elif any(map(forbidden, given)):
                problems.append(Problem(path, "character", "holds U+0000"))
            else:
                values[name] = given if self._fields[name] else given[0]
        if problems:
            raise ValidationFailed.of(problems)
        try:
            return msgspec.convert(values, self._type, strict=False)
        except msgspec.ValidationError as error:
            raise refusal(error, values, self._type, self._root, strict=False) from None


class Query(Generic[T]):
    """Reads the query string of one operation."""

    def __init__(self, type_: type[T], *, is_strict: bool = True) -> None:
        """``is_strict``: refuse parameters that the type does not have."""
        self._fields = TextFields(type_, "query", is_strict=is_strict)
        self._nothing = None if has_required_fields(type_) else type_()

    def read(self, environ: Environ) -> T:
        """Return the query string as a struct. Raises ValidationFailed."""
        text = environ.get("QUERY_STRING", "")  # percent-encoded
        if not text and self._nothing is not None:
            return self._nothing
        try:
            pairs = parse_qsl(
                text.encode("latin-1").decode("utf-8"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MEMBERS_MOST,
            )
        except ValueError:  # not UTF-8, or more than anyone needs
            raise ValidationFailed.at(
                "query",
                "syntax",
                "must be percent-encoded UTF-8, with at most 1000 members",
            ) from None
        return self._fields.read(pairs, {})


@cache  # each app asks for the types of all operations
def _text_fields(type_: type[Struct], others: tuple[type, ...]) -> Mapping[str, bool]:
    """Return the fields that are read from texts, and whether each is a list."""
    described = inspect.type_info(type_)
    assert isinstance(described, inspect.StructType)
    found = {}
    for field in described.fields:
        below = field.type
        while isinstance(below, inspect.Metadata):  # description, examples
            below = below.type
        options = below.types if isinstance(below, inspect.UnionType) else (below,)
        if not any(getattr(option, "cls", None) in others for option in options):
            is_list = isinstance(below, inspect.ListType | inspect.VarTupleType)
            found[field.encode_name] = is_list
    return found


JSON_MOST = BODY_LIMIT
EXACT_MOST = 2**53  # up to here a double is an exact integer

_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NOT_BRACKETS = bytes(set(range(256)) - set(_STEPS))
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")  # NUL or half of a pair


class JsonBody(Generic[T]):
    """Reads the body of one operation."""

    def __init__(self, type_: type[T], *, optional: bool) -> None:
        """``optional``: no body at all is read as ``{}``."""
        self._type = type_
        self._optional = optional
        self._members = _members_of(type_)
        known = self._members or {}  # None: an object of any members
        flat = (name for name, below in known.items() if below is None)
        self._flat = frozenset(flat)

    def read(self, environ: Environ) -> T:
        """The body as a struct.

        Raises UnsupportedMediaType, PayloadTooLarge, InvalidJson, ValidationFailed.
        """
        check_encoding(environ)
        content = LimitedBody(environ, JSON_MOST).read_all()
        if content:
            if environ.get("CONTENT_TYPE") != "application/json":
                _require_json(environ)
            value = decode(content)
        elif self._optional:
            value = {}
        else:
            raise InvalidJson("a JSON body is required")
        try:
            made = msgspec.convert(value, self._type)
        except msgspec.ValidationError as error:
            raise refusal(error, value, self._type, "$", self._unknown(value)) from None
        # without a call if nothing is below the members, as in most bodies
        if not self._flat.issuperset(value) and (unknown := self._unknown(value)):  # type: ignore[arg-type]
            raise ValidationFailed.of(unknown)
        return made

    def _unknown(self, value: object) -> list[Problem]:
        return [*islice(unknown_members(value, self._members), PROBLEMS_LIMIT)]


class AnyBody:
    """Reads the body of one operation as it comes."""

    def __init__(self, most: int) -> None:
        self._most = most

    def read(self, environ: Environ) -> RawBody:
        """Raises UnsupportedMediaType, PayloadTooLarge, ValidationFailed."""
        check_encoding(environ)
        content = LimitedBody(environ, self._most).read_all()
        return RawBody(content, environ.get("CONTENT_TYPE", ""))


@cache  # each app asks for the types of all operations
def _members_of(type_: type[Struct]) -> dict[str, Any]:
    return cast("dict[str, Any]", members_of(inspect.type_info(type_)))


def _require_json(environ: Environ) -> None:
    """Raises UnsupportedMediaType. Only of what has come: no body has no type."""
    name, charset = media_type(environ)
    if name != "application/json" or charset not in ("", "utf-8", "utf8"):
        raise UnsupportedMediaType(
            "the body must be application/json in UTF-8, not "
            f"{truncate(environ.get('CONTENT_TYPE', ''))!r}"
        )


def decode(content: bytes) -> object:
    """What the JSON text says, in plain Python values. Raises InvalidJson.

    Refused: what is not UTF-8 or has a byte order mark, NaN, infinities and numbers
    beyond a double, U+0000 and lone surrogates in texts and member names, a member
    twice in one object, more than 64 levels.
    """
    brackets = content.count(b"[") + content.count(b"{")
    if brackets > DEPTH_LIMIT and _depth(content) > DEPTH_LIMIT:
        raise InvalidJson(f"nested deeper than {DEPTH_LIMIT} levels")
    try:
        value: object = _DECODER.decode(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidJson("the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"the body is not JSON: {_fault(error)}") from None
    except ValueError:  # an integer of thousands of digits
        raise InvalidJson("a number is too large") from None
    if _ESCAPED.search(content) and (problems := text_problems(value)):
        raise InvalidJson(truncate(f"{problems[0].path} {problems[0].message}"))
    return value


def _fault(error: json.JSONDecodeError) -> str:
    if error.doc.startswith("\ufeff"):
        return "it begins with a byte order mark"
    message = error.msg.removesuffix(" at")  # some of its messages end so
    return f"{message} at line {error.lineno} column {error.colno}"


def _depth(content: bytes) -> int:
    brackets = _STRING.sub(b"", content).translate(None, _NOT_BRACKETS)
    return max(accumulate(_STEPS[each] for each in brackets), default=0)


def _object(members: Iterable[tuple[str, object]]) -> dict[str, object]:
    members = list(members)
    made = dict(members)
    if len(made) != len(members):
        times = Counter(name for name, _ in members)
        twice = next(name for name in times if times[name] > 1)
        raise InvalidJson(f"an object has the member {abbreviate(twice)!r} twice")
    return made


def _number(text: str) -> float | int:
    """1.0 is the integer 1, as JSON Schema has it."""
    number = float(text)
    if not isfinite(number):
        raise InvalidJson("a number is too large")
    if number.is_integer() and abs(number) <= EXACT_MOST:
        return int(number)
    return number


def _no_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_constant=_no_constant
)
