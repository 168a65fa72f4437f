"""Small valid images, and files that are none."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    crc = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + crc


def png(color: int = 0, width: int = 1, height: int = 1, more: bytes = b"") -> bytes:
    """Return a grey PNG; ``more`` chunks stand before its end."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([color]) * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + more
        + chunk(b"IEND", b"")
    )


def encoded(format_: str, **options: object) -> bytes:
    """Return an image of 8 × 8 pixels as Pillow writes it."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(buffer, format_, **options)
    return buffer.getvalue()


JPEG = encoded("JPEG")
WEBP = encoded("WEBP")
_FRAMES = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]

GOOD = {
    "a PNG": (png(), "image/png"),
    "a wide PNG": (png(width=300, height=2), "image/png"),
    "a JPEG": (JPEG, "image/jpeg"),
    "a progressive JPEG": (encoded("JPEG", progressive=True), "image/jpeg"),
    "a lossless WebP": (encoded("WEBP", lossless=True), "image/webp"),
    "a lossy WebP": (WEBP, "image/webp"),
    "an animated WebP": (
        encoded("WEBP", save_all=True, append_images=_FRAMES),
        "image/webp",
    ),
}

PAGE = b"<!DOCTYPE html><script>alert(1)</script>"
_BOMB = struct.pack(">IIBBBBB", 10_000, 10_000, 8, 0, 0, 0, 0)
BAD = {
    "nothing": b"",
    "a page": PAGE,
    "an SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    "a GIF": encoded("GIF"),
    "a BMP": encoded("BMP"),
    "a TIFF": encoded("TIFF"),
    "a PDF": b"%PDF-1.7\n",
    "a ZIP": b"PK\3\4" + b"\0" * 30,
    "a sound": b"RIFF\x04\0\0\0WAVE",
    "a signature alone": b"\x89PNG\r\n\x1a\n",
    "a PNG's signature before a page": b"\x89PNG\r\n\x1a\n" + PAGE,
    "a JPEG's start before a page": b"\xff\xd8\xff\xe0" + PAGE,
    "a WebP's start before a page": b"RIFF\x40\0\0\0WEBP" + PAGE,
    "a PNG before a page": png() + PAGE,
    "a JPEG before a page": JPEG + PAGE,
    "a JPEG before a ZIP": JPEG + b"PK\3\4" + b"\0" * 30,
    "a WebP before a page": WEBP + PAGE,
    "a PNG with a page in its last chunk": png()[:-12] + chunk(b"IEND", PAGE),
    "a truncated PNG": png()[:-1],
    "a PNG without its last chunk": png()[:-12],
    "a PNG with a wrong checksum": png()[:-1] + b"\0",
    "a PNG with a wrong checksum of its pixels": png()[:50] + b"\0" + png()[51:],
    "a PNG without a picture": b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""),
    "a PNG of no width": png(width=0),
    "a PNG of no height": png(height=0),
    "a PNG with too many pixels": png()[:8] + chunk(b"IHDR", _BOMB) + png()[33:],
    "a truncated JPEG": JPEG[: len(JPEG) // 2],
    "a JPEG without its end": JPEG[:-2],
    "a truncated WebP": WEBP[:-1],
    "a WebP without a picture": WEBP[:12],
    "a WebP with a wrong length of its chunk": WEBP[:16] + b"\xff\0\0\0" + WEBP[20:],
}
