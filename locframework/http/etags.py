"""ETags: creates them, and matches conditional headers (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib
import re

ETAG_LENGTH = 32  # hex digits

_ANY = "*"
_TAG = r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"'
_ELEMENT = re.compile(rf"[ \t]*(?:{_TAG}[ \t]*)?(?:,|\Z)")  # of a list; may be empty


def etag_of(content: bytes) -> str:
    """Return the strong ETag of a representation."""
    return f'"{hashlib.sha256(content).hexdigest()[:ETAG_LENGTH]}"'


def if_none_match_matches(header: str | None, etag: str) -> bool:
    """Return whether ``If-None-Match`` names ``etag``, so that the response is 304.

    Accepts ``*``, lists and weak tags; the comparison is weak. A malformed list
    matches nothing.
    """
    if header is None:
        return False
    if header == etag:  # the common case
        return True
    wanted = etag.strip('"')
    return header.strip() == _ANY or any(tag == wanted for _, tag in _tags(header))


def if_match_matches(header: str, etag: str) -> bool:
    """Return whether ``If-Match`` allows a write to the state with this ``etag``.

    Accepts ``*`` and lists. Weak tags and malformed lists never match.
    """
    wanted = etag.strip('"')
    return header.strip() == _ANY or wanted in _strong_tags(header)


def is_strong_tag_list(header: str) -> bool:
    """Return whether ``If-Match`` is ``*`` or has a strong tag."""
    return header.strip() == _ANY or bool(_strong_tags(header))


def _strong_tags(header: str) -> list[str]:
    return [tag for weak, tag in _tags(header) if not weak]


def _tags(header: str) -> list[tuple[str, str]]:
    """Return (``W/`` or "", tag) for each tag of a list; [] for a malformed list."""
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
