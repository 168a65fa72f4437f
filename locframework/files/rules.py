"""Tells whether bytes are a whole PNG, JPEG or WebP image, without decoding it.

Looked at: the signature, the chunks or segments one after the other with their
lengths, checksums where the format has them, that there is a picture with a width and
a height, and that the file ends where the image ends. So what is cut off, what only
calls itself an image, and what has something else hung on is refused. Not looked at:
whether the pixels can be decoded, and what stands in comments and metadata.
"""

import re
import zlib
from collections.abc import Iterator
from itertools import count

from locframework.errors import Problem, UnreadableFile

from .records import ImageType

SIDE_MOST = 65_535  # pixels; as much as a JPEG can say
PARTS_MOST = 10_000  # chunks or segments; a screenshot of 5 MiB has some hundreds

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_SOI_LENGTH, _SOS, _EOI = 2, 0xDA, 0xD9
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})  # SOF0 to SOF15
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a length
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # in picture data
_VP8_SIDE = 0xFF3F  # 14 bits of two bytes, the smaller byte first
_PICTURES = {b"VP8 ": (3, b"\x9d\x01\x2a"), b"VP8L": (0, b"\x2f")}


class _Broken(Exception):
    """What is wrong with an image."""


def image_type(content: bytes) -> ImageType:
    """What kind of image it is, told by its content. Raises UnreadableFile."""
    try:
        if content.startswith(_PNG):
            _check_png(content)
            return "image/png"
        if content.startswith(_JPEG):
            _check_jpeg(content)
            return "image/jpeg"
        if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
            _check_webp(content)
            return "image/webp"
        raise _Broken("it is not a PNG, JPEG or WebP image")
    except _Broken as broken:
        message = f"the file cannot be read: {broken}"
        problem = Problem("form.file", "image", str(broken))
        raise UnreadableFile(message, [problem]) from None


def _check_png(content: bytes) -> None:
    kinds: list[bytes] = []
    at = len(_PNG)
    while at < len(content) and kinds[-1:] != [b"IEND"]:
        _check_parts(len(kinds))
        size, kind = _number(content, at, 4), content[at + 4 : at + 8]
        data = _piece(content, at + 4, size + 4)
        if zlib.crc32(data) != _number(content, at + 8 + size, 4):
            raise _Broken("a checksum of the PNG is wrong")
        if not kinds and (kind != b"IHDR" or size != 13):
            raise _Broken("the PNG has no header")
        if not kinds:
            _check_size(_number(data, 4, 4), _number(data, 8, 4))
        if kind == b"IEND" and size:
            raise _Broken("the end of the image contains data")
        kinds.append(kind)
        at += 12 + size
    if kinds[-1:] != [b"IEND"] or b"IDAT" not in kinds:
        raise _Broken("the PNG is cut off")
    _check_end(content, at)


def _check_jpeg(content: bytes) -> None:
    at, has_frame, has_scan = _SOI_LENGTH, False, False
    for part in count():
        _check_parts(part)
        if _number(content, at, 1) != 0xFF:
            raise _Broken("the JPEG is damaged")
        marker = _number(content, at + 1, 1)
        if marker == 0xFF:  # fill
            at += 1
            continue
        if marker == _EOI:
            break
        at += 2
        if marker in _ALONE:
            continue
        size = _number(content, at, 2)
        segment = _piece(content, at, size)
        if size < 2:
            raise _Broken("the JPEG is damaged")
        if marker in _FRAMES:
            _check_size(_number(segment, 5, 2), 1)
            _check_size(1, _number(segment, 3, 2))
            has_frame = True
        at += size
        if marker == _SOS:
            has_scan = True
            found = _MARKER.search(content, at)
            if found is None:
                raise _Broken("the JPEG is cut off")
            at = found.start()
    if not (has_frame and has_scan):
        raise _Broken("the JPEG has no picture")
    _check_end(content, at + 2)


def _check_webp(content: bytes) -> None:
    end = 8 + int.from_bytes(content[4:8], "little")
    if end > len(content):
        raise _Broken("the WebP is cut off")
    _check_end(content, end)
    chunks = list(_chunks(content, 12))
    frames = [data for kind, data in chunks if kind == b"ANMF" and len(data) > 16]
    if not chunks or chunks[0][0] not in (*_PICTURES, b"VP8X"):
        raise _Broken("the WebP has no header")
    for frame in frames:
        chunks += _chunks(frame, 16)
        _check_parts(len(chunks))
    for kind, data in chunks:
        if kind in _PICTURES:
            at, mark = _PICTURES[kind]
            if data[at : at + len(mark)] != mark:
                raise _Broken("the WebP is damaged")
            if kind == b"VP8 ":  # of the others each side is one at least
                width, height = (_number(data, at, 2) for at in (6, 8))
                _check_size(width & _VP8_SIDE, height & _VP8_SIDE)
    if not any(kind in _PICTURES for kind, _ in chunks):
        raise _Broken("the WebP has no picture")


def _chunks(content: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    for part in count():
        _check_parts(part)
        if at >= len(content):
            break
        size = int.from_bytes(_piece(content, at + 4, 4), "little")
        yield content[at : at + 4], _piece(content, at + 8, size)
        at += 8 + size + size % 2
    if at != len(content):
        raise _Broken("the file is cut off")


def _number(content: bytes, at: int, size: int) -> int:
    return int.from_bytes(_piece(content, at, size), "big")


def _piece(content: bytes, at: int, size: int) -> bytes:
    piece = content[at : at + size]
    if len(piece) != size:
        raise _Broken("the file is cut off")
    return piece


def _check_parts(parts: int) -> None:
    """So that judging takes no longer than reading: each part is a step of ours."""
    if parts > PARTS_MOST:
        raise _Broken("it has too many parts")


def _check_size(width: int, height: int) -> None:
    if not (width and height):
        raise _Broken("the image has no width or height")
    if max(width, height) > SIDE_MOST:
        raise _Broken(f"the image has more than {SIDE_MOST} pixels on a side")


def _check_end(content: bytes, end: int) -> None:
    if end != len(content):
        raise _Broken("there is data after the end of the image")
