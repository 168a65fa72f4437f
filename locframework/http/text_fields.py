"""Reads a struct from texts: a query string, or the text fields of a form."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Generic, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct, inspect

from locframework.errors import Problem, ValidationFailed
from locframework.validation import forbidden, refusal, refusal_of

from .operation import DeclarationError, check_bounds, has_required_fields

T = TypeVar("T", bound=Struct)
Reader = Callable[[str], object]

MEMBERS_MOST = 1000
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")  # what int() reads; bounds come after
_BOOLEANS = {"true": True, "false": False}


class TextFields(Generic[T]):
    """Reads the structs of one type; ``root`` is how a Problem's path begins."""

    def __init__(self, type_: type[T], root: str, others: tuple[type, ...] = ()):
        """``others`` are types of fields that are no texts (uploads).

        Raises DeclarationError when a field cannot be read from a text, or is an
        integer without bounds.
        """
        check_bounds(type_)
        self._type = type_
        self._root = root
        self._fields = _plan(type_, others)

    @property
    def names(self) -> Collection[str]:
        """The names that are read; all others are ignored."""
        return self._fields.keys()

    def read(self, pairs: Iterable[tuple[str, str]], others: Mapping[str, object]) -> T:
        """The struct; names it does not have are ignored. Raises ValidationFailed."""
        texts: dict[str, list[str]] = {}
        for name, text in pairs:
            texts.setdefault(name, []).append(text)
        values: dict[str, object] = dict(others)
        problems = []
        for name, (reader, many) in self._fields.items():
            if name in texts:
                problems += self._read_field(name, texts[name], reader, many, values)
        if problems:
            raise refusal_of(problems)
        try:
            return msgspec.convert(values, self._type)
        except msgspec.ValidationError as error:
            raise refusal(error, values, self._type, self._root) from None

    def _read_field(
        self,
        name: str,
        texts: list[str],
        reader: Reader,
        many: bool,
        values: dict[str, object],
    ) -> list[Problem]:
        path = f"{self._root}.{name}"
        if len(texts) > 1 and not many:
            return [Problem(path, "repeated", "is given more than once")]
        if any(forbidden(text) for text in texts):
            return [Problem(path, "character", "holds U+0000")]
        try:
            read = [reader(text) for text in texts]
        except ValueError as error:
            return [Problem(path, "type", str(error))]
        values[name] = read if many else read[0]
        return []


class Query(Generic[T]):
    """Reads the query string of one operation."""

    def __init__(self, type_: type[T]) -> None:
        self._fields = TextFields(type_, "query")
        self._nothing = None if has_required_fields(type_) else type_()

    def read(self, text: str) -> T:
        """``text`` as WSGI gives it: percent-encoded. Raises ValidationFailed."""
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
def _plan(
    type_: type[Struct], others: tuple[type, ...]
) -> Mapping[str, tuple[Reader, bool]]:
    described = inspect.type_info(type_)
    assert isinstance(described, inspect.StructType)
    plan = {}
    for field in described.fields:
        type_here = _plain(field.type)
        if isinstance(type_here, inspect.StructType) and type_here.cls in others:
            continue
        many = isinstance(type_here, (inspect.ListType, inspect.VarTupleType))
        reader = _reader(type_here.item_type if many else type_here)  # type: ignore[attr-defined]
        if reader is None:
            raise DeclarationError(
                f"{described.cls.__name__}.{field.name} cannot be read from a text"
            )
        plan[field.encode_name] = (reader, many)
    return plan


def _reader(type_: inspect.Type) -> Reader | None:
    """How a text becomes a value of the type; None when it cannot."""
    type_ = _plain(type_)
    options = type_.types if isinstance(type_, inspect.UnionType) else (type_,)
    readers = {
        _reader_of(_plain(option))
        for option in options
        if not isinstance(option, inspect.NoneType)
    }
    return readers.pop() if len(readers) == 1 else None


def _reader_of(type_: inspect.Type) -> Reader | None:
    if isinstance(type_, inspect.LiteralType):
        return str if all(isinstance(each, str) for each in type_.values) else None
    return _SIMPLE.get(type(type_))


def _plain(type_: inspect.Type) -> inspect.Type:
    """The type below what is only told of it (description, examples)."""
    while isinstance(type_, inspect.Metadata):
        type_ = type_.type
    return type_


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError("must be a whole number")
    return int(text)


def _boolean(text: str) -> bool:
    if text not in _BOOLEANS:
        raise ValueError("must be true or false")
    return _BOOLEANS[text]


_SIMPLE: dict[type, Reader] = {
    inspect.StrType: str,
    inspect.IntType: _integer,
    inspect.BoolType: _boolean,
}
