"""Writes a JSON document to bytes, the same ones every time."""

from collections.abc import Mapping

import msgspec


def encoded(document: Mapping[str, object], indent: int) -> bytes:
    """UTF-8 without escapes that are not needed, members in their order, one newline.

    ``indent`` is the number of spaces a level; 0 writes everything on one line.
    """
    content = msgspec.json.encode(document)
    if indent:
        content = msgspec.json.format(content, indent=indent)
    return content + b"\n"
