"""Writes text into XML, without the characters that XML cannot hold."""

import re
from xml.sax.saxutils import escape

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def held(text: str) -> str:
    """What XML can hold of a text: control characters and the like are left out."""
    return _NOT_XML.sub("", text)


def is_blank_in_xml(text: str) -> bool:
    """Whether XML can hold nothing of it but white space."""
    return not held(text).strip()


def escaped(text: str) -> str:
    """As it stands inside an element; a carriage return is read back as one."""
    return escape(text, {"\r": "&#13;"})


def element_text(text: str) -> str:
    """What stands inside an element that holds nothing but this text."""
    return escaped(held(text))
