"""Checks what the code of a format gives, before anything is made of it."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from locframework.errors import Problem, UnreadableFile

from .records import Catalogue, Entry, Text, WrittenFile

T = TypeVar("T")
PROBLEMS_MOST = 100  # that one answer lists


def checked_catalogues(found: object) -> list[Catalogue]:
    """What a format has read. Raises TypeError, or ValueError for a text that is none.

    0.6 µs an entry.
    """
    catalogues = [_of(Catalogue, each) for each in _items(found)]
    for catalogue in catalogues:
        _of((str, type(None)), catalogue.language_code)
        _of((Mapping, type(None)), catalogue.detail)
        _check_warnings(catalogue.warnings)
        for entry in _items(catalogue.entries):
            _check_entry(_of(Entry, entry))
    return catalogues


def checked_file(written: object) -> WrittenFile:
    """What a format has written. Raises TypeError and ValueError likewise."""
    file = _of(WrittenFile, written)
    _of(bytes, file.content)
    _check_warnings(file.warnings)
    return file


def checked_refusal(refusal: UnreadableFile) -> UnreadableFile:
    """What a format says of a file, with 100 Problems at most."""
    details = refusal.details
    if isinstance(details, list):
        problems = [each for each in details if isinstance(each, Problem)]
        details = problems[:PROBLEMS_MOST]
    return UnreadableFile(str(refusal.message), details)


def _check_entry(entry: Entry) -> None:
    # type() and not isinstance(): this is all that 100,000 plain entries are asked
    if type(entry.key) is not str or type(entry.description) is not str:
        raise TypeError("a key or a description is not a text")
    if type(entry.is_plural) is not bool or type(entry.needs_review) is not bool:
        raise TypeError("is_plural or needs_review is neither True nor False")
    if type(entry.value) is not str:
        _check_text(entry.value)
    if entry.line is not None:
        _of(int, entry.line)
    if entry.source is not None and type(entry.source) is not str:
        _check_text(entry.source)
    if entry.key_detail is not None:
        _of(Mapping, entry.key_detail)
    if entry.detail is not None:
        _of(Mapping, entry.detail)


def _check_text(text: Text | None) -> None:
    if isinstance(text, Mapping):
        for form, each in text.items():
            _of(str, form)
            _of(str, each)
    else:
        _of((str, type(None)), text)


def _check_warnings(warnings: object) -> None:
    for warning in _items(warnings):
        _of(str, warning).encode()


def _items(found: object) -> Sequence[object]:
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise TypeError(f"got {type(found).__name__} for a list")
    return found


def _of(kind: type[T] | tuple[type[T], ...], found: object) -> T:
    if not isinstance(found, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(each.__name__ for each in kinds)
        raise TypeError(f"got {type(found).__name__} for {wanted}")
    return found
