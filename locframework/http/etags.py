"""ETags: how they are made, and whether a conditional header names one (RFC 9110)."""

from __future__ import annotations

import hashlib
import re

ETAG_LENGTH = 32  # hex digits

_ANY = "*"
_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')


def etag_of(content: bytes) -> str:
    """The strong ETag of a representation: other bytes, another tag."""
    return f'"{hashlib.sha256(content).hexdigest()[:ETAG_LENGTH]}"'


def none_match(header: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names ``etag``: then the answer is 304.

    Takes ``*``, lists and weak tags; compares weakly.
    """
    if header is None:
        return False
    if header == etag:  # as nearly all say it
        return True
    wanted = etag.strip('"')
    return header.strip() == _ANY or any(
        tag == wanted for _, tag in _TAG.findall(header)
    )


def any_match(header: str, etag: str) -> bool:
    """Whether ``If-Match`` lets a write to the state of this ``etag`` pass.

    Takes ``*`` and lists; a weak tag never matches, nor does what is no tag.
    """
    wanted = etag.strip('"')
    return header.strip() == _ANY or any(
        tag == wanted for weak, tag in _TAG.findall(header) if not weak
    )
