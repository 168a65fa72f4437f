"""An image is told by its content, and is whole or refused."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from locframework.errors import UnreadableFile
from locframework.files.records import IMAGE_MOST
from locframework.files.rules import image_type
from locframework.testing.images import BAD, GOOD, jpeg, png, riff, webp


@pytest.mark.parametrize("what", GOOD)
def test_an_image_is_told_by_its_content(what: str) -> None:
    content, type_ = GOOD[what]

    assert image_type(content) == type_


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_whole_image_is_refused(what: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        image_type(BAD[what])

    assert len(refused.value.details) == 1


@pytest.mark.parametrize("what", GOOD)
def test_every_part_of_an_image_is_refused(what: str) -> None:
    content, _ = GOOD[what]

    for end in range(len(content)):
        with pytest.raises(UnreadableFile):
            image_type(content[:end])


def test_whatever_comes_is_an_image_or_refused() -> None:
    chance = random.Random(7)
    wholes = [content for content, _ in GOOD.values()]
    for _ in range(5000):
        content = bytearray(chance.choice(wholes))
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            found = image_type(bytes(content))
        except UnreadableFile:
            continue
        assert found.startswith("image/")


def frames_in_frames(size: int) -> bytes:
    """Each but for the lengths, which are too long, and are judged none the less."""
    head = b"ANMF" + (size // 2).to_bytes(4, "little") + b"\0" * 16
    return head * (size // len(head))


@pytest.mark.parametrize(
    "content",
    [
        jpeg(scan=b"\xda\0\2" + b"\xff" * IMAGE_MOST),
        webp(more=riff(b"ABCD", b"") * (IMAGE_MOST // 8)),
        webp(more=riff(b"ANMF", b"\0" * 16 + riff(b"ABCD", b"") * 500) * 1000),
        webp(more=frames_in_frames(IMAGE_MOST)),
        jpeg(scan=b"\xda\0\2" + b"\xff\0" * (IMAGE_MOST // 2)),
        b"\xff\xd8" + b"\xff" * IMAGE_MOST,
        b"\xff\xd8\xff\xd0" + b"\xff\xd0" * (IMAGE_MOST // 2),
        png(more=b"\0\0\0\0abcd\xed\x82\xcd\x11" * (IMAGE_MOST // 12)),
    ],
    ids=[
        "fill",
        "many parts",
        "many frames",
        "frames in frames",
        "stuffed",
        "only fill",
        "markers",
        "empty chunks",
    ],
)
def test_the_largest_odd_one_is_judged(content: bytes) -> None:
    """In steps that grow with its length, not with its square: else this hangs."""
    with suppress(UnreadableFile):
        image_type(content)
