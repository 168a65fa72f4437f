"""What can be told of ICU messages without reading them in full."""

import re

ARGUMENT = re.compile(r"\{\s*([\w.-]{1,100})\s*,\s*(plural|selectordinal|select)\s*,")


def has_branches(text: str) -> bool:
    """Whether the text has alternatives in itself: ``{n, plural, one {…} …}``."""
    return "{" in text and ARGUMENT.search(text) is not None
