"""Puts what a file says of terms on the disk, and what it says twice together.

Terms lie in piles by their spelling, so that one pile at a time is looked at as a
whole: memory grows with the file by a small part of it only.
"""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import BinaryIO, cast
from zlib import crc32

import msgspec
from msgspec import Struct

from .file_records import FileTerm, ImportResult
from .file_rules import same, together

PILES = 32
_IN_MEMORY = 128 * 1024  # bytes of a pile that are not put on the disk
_HEAD = 4  # bytes that say how long what follows is


class _Numbered(Struct, frozen=True, gc=False, array_like=True):
    number: int  # in the order of the file
    term: FileTerm


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Numbered)


def once(terms: Iterable[FileTerm], file: BinaryIO, result: ImportResult) -> int:
    """Write each term once, in the order of the file; how many there are.

    What ``terms`` say of one in several places is put together; of what they say
    differently the first counts, and a warning tells.
    """
    with ExitStack() as opened:
        piles = [opened.enter_context(_spool()) for _ in range(PILES)]
        for number, each in enumerate(terms):
            spelt = repr(same(each)).encode("utf-8", "backslashreplace")
            _write(piles[crc32(spelt) % PILES], _Numbered(number, each))
        told: list[tuple[int, str]] = []
        for pile in piles:
            _settle(pile, told)
        for _, warning in sorted(told):
            result.warn(warning)
        count = 0
        for kept in heapq.merge(*map(_read, piles), key=_order):
            _write(file, kept)
            count += 1
    return count


def read_terms(file: BinaryIO) -> Iterator[FileTerm]:
    """The terms that ``once`` has written."""
    return (each.term for each in _read(file))


def _settle(pile: BinaryIO, told: list[tuple[int, str]]) -> None:
    """Leave each term of the pile in it once."""
    kept: dict[object, _Numbered] = {}
    pile.seek(0)
    for each in _read(pile):
        first = kept.setdefault(same(each.term), each)
        if first is not each:
            term, warning = together(first.term, each.term)
            kept[same(each.term)] = _Numbered(first.number, term)
            told.append((each.number, warning))
    pile.seek(0)
    pile.truncate()
    for each in kept.values():
        _write(pile, each)
    pile.seek(0)


def _write(file: BinaryIO, each: _Numbered) -> None:
    content = _encoder.encode(each)
    file.write(len(content).to_bytes(_HEAD, "big"))
    file.write(content)


def _read(file: BinaryIO) -> Iterator[_Numbered]:
    while head := file.read(_HEAD):
        yield _decoder.decode(file.read(int.from_bytes(head, "big")))


def _order(each: _Numbered) -> int:
    return each.number


def _spool() -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))
