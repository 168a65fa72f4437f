"""Validate uploaded images with Pillow."""

import io

from PIL import Image, UnidentifiedImageError

from locframework.errors import Problem, UnreadableFile

from .records import ImageType

MAX_PIXELS = 40_000_000  # decoding takes 4 bytes for each

_TYPES: dict[str, ImageType] = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
}
_PNG_END = b"\0\0\0\0IEND\xaeB\x60\x82"
_JPEG_END = b"\xff\xd9"


def image_type(content: bytes) -> ImageType:
    """Return the media type of a PNG, JPEG or WebP image by its content.

    Raises UnreadableFile for other formats, for images that are damaged, truncated or
    followed by other data, and for more than MAX_PIXELS. Pillow verifies the checksums
    of a PNG only, so a JPEG is decoded at an eighth of its size, and the first frame of
    a WebP in full.
    """
    try:
        with Image.open(io.BytesIO(content), formats=tuple(_TYPES)) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise _unreadable(f"it has more than {MAX_PIXELS} pixels")
            if image.format == "PNG":
                image.verify()
            else:
                image.draft("L", (1, 1))  # JPEG only
                image.load()
            type_ = _TYPES[str(image.format)]
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _unreadable(f"it has more than {MAX_PIXELS} pixels") from None
    except UnidentifiedImageError:
        raise _unreadable("it is not a PNG, JPEG or WebP image") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise _unreadable(f"the image is damaged: {error}") from None
    if not _is_complete(content, type_):
        raise _unreadable("the image is truncated, or followed by other data")
    return type_


def _is_complete(content: bytes, type_: ImageType) -> bool:
    """Return whether the file ends where the image does. Pillow ignores the rest."""
    if type_ == "image/png":
        return content.endswith(_PNG_END)
    if type_ == "image/jpeg":
        return content.endswith(_JPEG_END)
    return int.from_bytes(content[4:8], "little") == len(content) - 8


def _unreadable(reason: str) -> UnreadableFile:
    problem = Problem("form.file", "image", reason)
    return UnreadableFile(f"the file cannot be read: {reason}", [problem])
