"""Judges what a plugin provides and answers: whether it keeps its port."""

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction, ismethod, signature
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import astuple

from .blobs.blob_store import BlobStore
from .formats.format import Format
from .formats.records import FormatInfo
from .keys.changes import WriteNote, WriteRefusal
from .memories.concordancer import Concordancer
from .memories.matcher import Matcher
from .quality.check import Check
from .quality.rules import name_of_check
from .storage import Storage, StorageProvider, Transactions
from .webhooks.records import EventType
from .webhooks.transport import Transport

_PLAIN = re.compile(r"[a-z][a-z0-9_-]*")
_KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EXTENSION = re.compile(r"(\.[a-z0-9]+)+")
_CONTENT_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+(; ?charset=utf-8)?")
_STORAGE = {
    name
    for kind in (Storage, Transactions)
    for name in (*kind.__annotations__, *vars(kind))
    if not name.startswith("_")
}  # what a Storage has


class PortBroken(Exception):
    """What is provided cannot be used, in some words for its author."""


def by_name(hook: str, provided: Iterable[Any] | None) -> Iterator[tuple[str, Any]]:
    """Each thing that a plugin's answer to the hook provides, with its name.

    Raises PortBroken, and whatever the plugin's own code raises when it is looked at.
    """
    if provided is None:
        raise PortBroken("returned None; return a list, even an empty one")
    port = _PORTS[hook]
    for item in provided:
        _require_kept(port.promise, item)
        yield port.name_of(item), item


def _require_kept(promise: type, item: object) -> None:
    """Raise PortBroken for what lacks a member of a Protocol, or is no such record."""
    if isinstance(item, type):
        raise PortBroken(f"{item.__name__} is a class; give an object of it")
    kind = type(item).__name__
    if issubclass(promise, Struct):
        if not isinstance(item, promise):
            raise PortBroken(f"{kind} is not of type {promise.__name__}")
        return
    for name in dir(promise):
        if name.startswith("_"):
            continue
        if not hasattr(item, name):
            raise PortBroken(
                f"{kind} is not of type {promise.__name__}: it lacks {name}"
            )
        promised, kept = getattr(promise, name), getattr(item, name)
        if callable(promised) and (fault := _fault_of_method(promised, kept)):
            raise PortBroken(f"{kind}.{name} {fault}")


def opened(provider: StorageProvider) -> Storage:
    """Its storage. Raises PortBroken, and whatever the plugin's own code raises."""
    storage = provider.open()
    for name in sorted(_STORAGE):
        if not hasattr(storage, name):
            kind = type(storage).__name__
            fault = f"{kind} is not of type Storage: it lacks {name}"
            raise PortBroken(f"{provider.name}: {fault}")
    return storage


def write_answer(answer: object) -> WriteRefusal | WriteNote | None:
    """What a plugin said of a change; an empty note is none.

    Raises TypeError or ValueError for what is no answer.
    """
    if answer is None or answer == WriteNote(""):
        return None
    if not isinstance(answer, WriteRefusal | WriteNote):
        raise TypeError(f"{answer!r} is not an answer to loc_decide_write")
    for text in astuple(answer):
        if "\0" in text or not text.encode():
            raise ValueError("a reason or note must be text")
    return answer


def is_async(method: Any) -> bool:
    """Whether a call of it would begin nothing: nobody here awaits."""
    return iscoroutinefunction(method) or isasyncgenfunction(method)


def lacks_self(method: Any, promised: Callable[..., Any]) -> bool:
    """Whether a method's first argument, which is its object, is called as one of the
    promised ones: it would be taken for that, without a word."""
    if not ismethod(method):
        return False
    first = next(iter(signature(method.__func__).parameters), "")
    return first in signature(promised).parameters


def _fault_of_method(promised: Callable[..., Any], kept: Any) -> str | None:
    """Why it cannot be called as the port's; None when it can."""
    if not callable(kept):
        return "is not a method"
    if is_async(kept):
        return "is async, and would never run: write a plain def"
    _, *given = signature(promised).parameters
    try:
        signature(kept).bind(*given)
    except TypeError:
        return f"does not take ({', '.join(given)})"
    except ValueError:  # it is written in C, and does not tell
        return None
    return None


def _plain_name(item: Any) -> str:
    """What a setting chooses it by (clauses B1, M1, CO1 and T1)."""
    name = item.name
    if not isinstance(name, str) or not _PLAIN.fullmatch(name):
        raise PortBroken(f"name {name!r} is not lower-case letters, 0-9, _, -")
    return name


def _format_id(format_: Format) -> str:
    """What users choose a format by (clause F1)."""
    info: object = format_.info
    if not isinstance(info, FormatInfo):
        raise PortBroken(f"info is {type(info).__name__}, not FormatInfo")
    if not isinstance(info.id, str) or not _KEBAB.fullmatch(info.id):
        raise PortBroken(f"id {info.id!r} is not lower-case kebab")
    _require_typed(info, f"info of {info.id}")
    if not _EXTENSION.fullmatch(info.extension):
        fault = "is not a dot and lower-case letters or digits"
        raise PortBroken(f"extension {info.extension!r} of {info.id} {fault}")
    if not _CONTENT_TYPE.fullmatch(info.content_type):
        raise PortBroken(f"content_type {info.content_type!r} of {info.id} is not one")
    return info.id


def _check_name(check: Check) -> str:
    """What projects choose a check by (clause K1)."""
    try:
        return name_of_check(check)
    except ValueError as error:
        raise PortBroken(str(error)) from None


def _event_type(item: EventType) -> str:
    """What webhooks subscribe to; whose it may be is judged by ``fault_of``."""
    if not isinstance(item.type, str):
        raise PortBroken(f"event type {item.type!r} is not text")
    _require_typed(item, f"event type {item.type!r}")
    return item.type


def _require_typed(record: Struct, called: str) -> None:
    """Raise PortBroken for a field of another type than the record's: its
    constructor checks nothing."""
    try:
        convert(to_builtins(record), type(record))
    except (ValidationError, TypeError) as error:
        raise PortBroken(f"{called}: {error}") from None


class _Port(NamedTuple):
    """What is asked of all that answers a hook gives."""

    promise: type  # the Protocol, or the record
    name_of: Callable[[Any], str]


_PORTS = {
    "loc_provide_storages": _Port(StorageProvider, _plain_name),
    "loc_provide_blob_stores": _Port(BlobStore, _plain_name),
    "loc_provide_formats": _Port(Format, _format_id),
    "loc_provide_transports": _Port(Transport, _plain_name),
    "loc_provide_matchers": _Port(Matcher, _plain_name),
    "loc_provide_concordancers": _Port(Concordancer, _plain_name),
    "loc_provide_checks": _Port(Check, _check_name),
    "loc_provide_event_types": _Port(EventType, _event_type),
}
