"""Small images, made by hand, and what is none."""

from __future__ import annotations

import struct
import zlib


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    crc = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + crc


def png(color: int = 0, width: int = 1, height: int = 1, more: bytes = b"") -> bytes:
    """A grey PNG; ``more`` chunks stand before its end."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([color]) * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + more
        + chunk(b"IEND", b"")
    )


def segment(marker: int, data: bytes) -> bytes:
    """A segment of a JPEG."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


FRAME = segment(0xC0, struct.pack(">BHHB", 8, 1, 1, 1) + b"\x01\x11\x00")
SCAN = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\xff\xd0\x34"


def jpeg(
    *, frame: bytes = FRAME, scan: bytes = SCAN, end: bytes = b"\xff\xd9"
) -> bytes:
    """What has the shape of a JPEG with one pixel."""
    start = b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
    return start + segment(0xFE, b"a comment") + frame + b"\xff" + scan + end


def webp(
    kind: bytes = b"VP8L", data: bytes = b"\x2f\0\0\0\0", more: bytes = b""
) -> bytes:
    """What has the shape of a WebP with one pixel."""
    body = b"WEBP" + riff(kind, data) + more
    return b"RIFF" + struct.pack("<I", len(body)) + body


def riff(kind: bytes, data: bytes) -> bytes:
    """A chunk of a WebP."""
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


LOSSY = webp(b"VP8 ", b"\x10\x02\0\x9d\x01\x2a\x01\0\x01\0")
EXTENDED = webp(b"VP8X", b"\0" * 10, riff(b"VP8L", b"\x2f\0\0\0\0"))
ANIMATED = webp(
    b"VP8X",
    b"\2" + b"\0" * 9,
    riff(b"ANIM", b"\0" * 6)
    + riff(b"ANMF", b"\0" * 16 + riff(b"VP8L", b"\x2f\0\0\0\0\0")),
)

GOOD = {
    "a PNG": (png(), "image/png"),
    "a wide PNG": (png(width=300, height=2), "image/png"),
    "a JPEG": (jpeg(), "image/jpeg"),
    "a progressive JPEG": (
        jpeg(frame=segment(0xC2, FRAME[4:]), scan=SCAN + segment(0xC4, b"x") + SCAN),
        "image/jpeg",
    ),
    "a lossless WebP": (webp(), "image/webp"),
    "a lossy WebP": (LOSSY, "image/webp"),
    "a WebP with a header": (EXTENDED, "image/webp"),
    "an animated WebP": (ANIMATED, "image/webp"),
}

PAGE = b"<!DOCTYPE html><script>alert(1)</script>"
BAD = {
    "nothing": b"",
    "a page": PAGE,
    "an SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    "a GIF": b"GIF89a\1\0\1\0\0\0\0!\xf9\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\1D\0;",
    "a BMP": b"BM" + b"\0" * 60,
    "a PDF": b"%PDF-1.7\n",
    "a ZIP": b"PK\3\4" + b"\0" * 30,
    "a signature alone": b"\x89PNG\r\n\x1a\n",
    "a signature before a page": b"\x89PNG\r\n\x1a\n" + PAGE,
    "a JPEG's start before a page": b"\xff\xd8\xff\xe0" + PAGE,
    "a WebP's start before a page": b"RIFF\x40\0\0\0WEBP" + PAGE,
    "a PNG with a page behind it": png() + PAGE,
    "a JPEG with a page behind it": jpeg() + PAGE,
    "a JPEG with a ZIP behind it": jpeg() + b"PK\3\4" + b"\0" * 30,
    "a WebP with a page behind it": webp() + PAGE,
    "a PNG with a page in its end": png()[:-12] + chunk(b"IEND", PAGE),
    "a JPEG with another behind it": jpeg() + jpeg(),
    "a PNG that was cut off": png()[:-1],
    "a PNG without its end": png()[:-12],
    "a PNG with a wrong checksum": png()[:-1] + b"\0",
    "a PNG without a picture": b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""),
    "a PNG of no width": png(width=0),
    "a PNG of no height": png(height=0),
    "a PNG too wide to be shown": png(width=65_536),
    "a PNG whose chunk is longer than it": png()[:33]
    + b"\xff\xff\xff\xff"
    + png()[37:],
    "a JPEG that was cut off": jpeg(end=b""),
    "a JPEG without a frame": jpeg(frame=b""),
    "a JPEG without a scan": jpeg(scan=b"", end=b"\xd9"),
    "a JPEG of no height": jpeg(frame=FRAME[:5] + b"\0\0" + FRAME[7:]),
    "a JPEG whose segment is shorter than its length": b"\xff\xd8\xff\xe0\0\1\xff\xd9",
    "a WebP that was cut off": webp()[:-1],
    "a WebP without a picture": webp(b"VP8X", b"\0" * 10),
    "a WebP of no width": webp(b"VP8 ", LOSSY[20:26] + b"\0\0\1\0"),
    "a WebP that begins with something else": webp(b"EXIF", b"\0\0"),
    "a WebP with a wrong mark": webp(data=b"\0\0\0\0\0"),
    "a WebP whose chunk is longer than it": webp()[:16] + b"\xff\0\0\0" + webp()[20:],
    "a sound": b"RIFF\x04\0\0\0WAVE",
}
