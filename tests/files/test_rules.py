"""Images are recognized by their content, and are complete or refused."""

import random

import pytest

from locframework.errors import UnreadableFile
from locframework.files.rules import image_type
from tests.images import GOOD


@pytest.mark.parametrize("name", GOOD)
def test_truncated_images_are_refused(name):
    content, type_ = GOOD[name]

    assert image_type(content) == type_
    for end in range(len(content)):
        with pytest.raises(UnreadableFile):
            image_type(content[:end])


def test_damaged_images_raise_no_other_error():
    chance = random.Random(7)
    images = [content for content, _ in GOOD.values()]
    for _ in range(3000):
        content = bytearray(chance.choice(images))
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            found = image_type(bytes(content))
        except UnreadableFile:
            continue
        assert found.startswith("image/")
