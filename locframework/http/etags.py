"""ETags: how they are made, and whether a conditional header names one (RFC 9110)."""

from __future__ import annotations

import hashlib
import re

ETAG_LENGTH = 32  # hex digits

_ANY = "*"
_TAG = r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"'
_ELEMENT = re.compile(rf"[ \t]*(?:{_TAG}[ \t]*)?(?:,|\Z)")  # of a list; may be empty


def etag_of(content: bytes) -> str:
    """The strong ETag of a representation: other bytes, another tag."""
    return f'"{hashlib.sha256(content).hexdigest()[:ETAG_LENGTH]}"'


def none_match(header: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names ``etag``: then the answer is 304.

    Takes ``*``, lists and weak tags; compares weakly. What is no list of tags names
    none.
    """
    if header is None:
        return False
    if header == etag:  # as nearly all say it
        return True
    wanted = etag.strip('"')
    return header.strip() == _ANY or any(tag == wanted for _, tag in _tags(header))


def any_match(header: str, etag: str) -> bool:
    """Whether ``If-Match`` lets a write to the state of this ``etag`` pass.

    Takes ``*`` and lists; a weak tag never matches, nor does what is no list of tags.
    """
    wanted = etag.strip('"')
    return header.strip() == _ANY or wanted in _strong_tags(header)


def can_match(header: str) -> bool:
    """Whether ``If-Match`` names anything that the ETag of some state could be."""
    return header.strip() == _ANY or bool(_strong_tags(header))


def _strong_tags(header: str) -> list[str]:
    return [tag for weak, tag in _tags(header) if not weak]


def _tags(header: str) -> list[tuple[str, str]]:
    """Each tag of a list behind its ``W/``, if any; none of what is no such list."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(header):
        element = _ELEMENT.match(header, at)
        if element is None:
            return []
        weak, tag = element.groups()
        if tag is not None:
            found.append((weak or "", tag))
        at = element.end()
    return found
