"""The inline tags of TMX inside a text: ``Press <ph x="1"/> twice``.

A segment without tags is its text, as it is. One with tags is the XML inside of
``<seg>``, written in one way only: names and attributes in their order, double quotes,
``&``, ``<`` and ``>`` escaped. So a text tells by itself which of the two it is.
"""

import re
from collections.abc import Mapping
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from locframework.file_import.xml_file import escaped, without_control_characters

NAMES = frozenset({"bpt", "ept", "ph", "it", "hi", "ut", "sub"})
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})  # what alone may hold a ``sub``

_MAYBE = re.compile(r"<(bpt|ept|ph|it|hi|ut|sub)[ />]")


class InlineText:
    """Gathers the content of one segment, tag by tag."""

    def __init__(self) -> None:
        self._plain: list[str] = []
        self._marked: list[str] = []
        self._has_tags = False
        self._is_open = False  # a tag has begun that may turn out to be empty

    def text(self, text: str) -> None:
        self._close()
        self._plain.append(text)
        self._marked.append(escaped(text))

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        self._close()
        given = "".join(f" {key}={_quoted(text)}" for key, text in attributes.items())
        self._marked.append(f"<{name}{given}")
        self._has_tags = self._is_open = True

    def end(self, name: str) -> None:
        self._marked.append("/>" if self._is_open else f"</{name}>")
        self._is_open = False

    def whole(self) -> str:
        """The text of the segment."""
        return "".join(self._marked if self._has_tags else self._plain)

    def becomes_tags(self) -> bool:
        """Whether it is text that the file has escaped, and that reads as tags now."""
        return not self._has_tags and _has_tags("".join(self._plain))

    def _close(self) -> None:
        if self._is_open:
            self._marked.append(">")
            self._is_open = False


def content_of(text: str) -> str:
    """What stands inside of ``<seg>`` for a text.

    Characters that XML cannot hold (control characters) are left out.
    """
    text = without_control_characters(text)
    return text if _has_tags(text) else escaped(text)


def _has_tags(text: str) -> bool:
    """Whether a text is a segment with inline tags, written in the one way.

    ``sub`` is one inside of a code alone, as TMX has it: ``H<sub>2</sub>O`` is HTML.
    """
    if not _MAYBE.search(text):
        return False
    parser, gathered = expat.ParserCreate(), InlineText()
    parser.buffer_text = True
    around: list[str] = []

    def begin(name: str, attributes: dict[str, str]) -> None:
        if around:
            if name not in NAMES or (name == "sub" and around[-1] not in CODES):
                raise ValueError
            gathered.begin(name, attributes)
        around.append(name)

    def end(name: str) -> None:
        around.pop()
        if around:
            gathered.end(name)

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = gathered.text
    try:
        parser.Parse(f"<seg>{text}</seg>".encode(), True)
    except (expat.ExpatError, ValueError):
        return False
    return gathered.whole() == text


def _quoted(text: str) -> str:
    plain = quoteattr(text, {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
    return f'"{plain[1:-1]}"'
