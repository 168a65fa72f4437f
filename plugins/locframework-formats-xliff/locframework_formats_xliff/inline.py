"""Texts with inline elements, which stand in them as tags: ``Hi & <x id="NAME"/>``.

Where a file has a text that looks like such a tag, its ``<`` is ``&lt;`` (``&lt;`` is
``&amp;lt;``, and so on), so that writing restores the file.
"""

import re
from collections.abc import Sequence

from locframework.ports import (
    NOT_XML,
    UnreadableFile,
    XmlElement,
    XmlFile,
    xml_attribute,
    xml_text,
)

_NAMES = "(?:g|x|bx|ex|bpt|ept|ph|it|mrk|sub|pc|sc|ec|sm|em)"
_NEEDED = {"id", "mid", "mtype", "startRef", "xid"}
"""Each element has one of these; ``<em>`` and ``<sub>`` of HTML have none."""
_VALUE = (
    r"(?:[^QUOTE<&\x00-\x1f\ud800-\udfff\ufffe\uffff]|&(?:amp|lt|gt|quot|apos"
    r"|#(?:9|10|13|3[2-9]|[4-9][0-9]|[1-9][0-9]{2,3}));)*+"
)
_ATTRIBUTE = (
    r"[ \t\r\n]+(?P<attribute>[A-Za-z_][A-Za-z0-9_.:-]*)[ \t\r\n]*=[ \t\r\n]*"
    + r'(?:"{}"|'.format(_VALUE.replace("QUOTE", '"'))
    + r"'{}')".format(_VALUE.replace("QUOTE", "'"))
)
_TAG = re.compile(
    rf"(?P<mark><|&(?:amp;)*+lt;)(?:/(?P<end>{_NAMES})[ \t\r\n]*+>|(?P<name>{_NAMES})"
    rf"(?P<attributes>(?:{_ATTRIBUTE.replace('?P<attribute>', '?:')})++)"
    r"[ \t\r\n]*+(?P<closed>/?)>)"
)
_DEPTH_LIMIT = 50


class NotInline(Exception):
    """An element in a text is none of XLIFF's inline elements."""


def text_of(children: Sequence[XmlElement | str], *, is_inner: bool = False) -> str:
    """Return the content of a source or target. Raises NotInline."""
    parts: list[str] = []
    literal = ""
    for child in children:
        if isinstance(child, str):
            literal += child
        elif child.name == "cp":
            literal += _code_point(child)
        else:
            parts += (_marked(literal), _element(child))
            literal = ""
    is_plain = not (parts or is_inner or _tags(literal))
    return literal if is_plain else "".join((*parts, _marked(literal)))


def xml_of(text: str, prefix: str) -> str:
    """Return a text as XML; ``prefix`` is that of XLIFF's elements."""
    parts: list[str] = []
    done = 0
    for tag in _tags(text):
        mark, rest = tag["mark"], tag[0].removeprefix(tag["mark"])
        parts.append(xml_text(text[done : tag.start()]))
        if mark == "<":
            slash = rest[: rest.startswith("/")]
            parts.append(f"<{slash}{prefix}{rest.removeprefix('/')}")
        else:
            parts.append(xml_text(("<" if mark == "&lt;" else f"&{mark[5:]}") + rest))
        done = tag.end()
    xml = "".join((*parts, xml_text(text[done:])))
    return NOT_XML.sub(lambda c: f'<{prefix}cp hex="{ord(c[0]):04X}"/>', xml)


def _marked(literal: str) -> str:
    """Return a text of a file with another mark for the ``<`` of what looks like a
    tag."""

    def marked(tag: re.Match[str]) -> str:
        if not _is_tag(tag):
            return tag[0]
        mark = "&lt;" if tag["mark"] == "<" else f"&amp;{tag['mark'][1:]}"
        return mark + tag[0].removeprefix(tag["mark"])

    return _TAG.sub(marked, literal)


def _tags(text: str) -> list[re.Match[str]]:
    """Return the tags of a text; none unless those with the shortest mark match."""
    if "<" not in text and "lt;" not in text:
        return []
    tags = [tag for tag in _TAG.finditer(text) if _is_tag(tag)]
    shortest = min((len(tag["mark"]) for tag in tags), default=0)
    opened: list[str] = []
    for tag in tags:
        if len(tag["mark"]) > shortest or tag["closed"]:
            continue
        if tag["name"]:
            opened.append(tag["name"])
        if len(opened) > _DEPTH_LIMIT or (
            tag["end"] and (not opened or opened.pop() != tag["end"])
        ):
            return []
    return [] if opened else tags


def _is_tag(tag: re.Match[str]) -> bool:
    """Whether it is well-formed and has an attribute that XLIFF asks for."""
    if tag["end"]:
        return True
    names = re.findall(_ATTRIBUTE, tag["attributes"])
    if len(set(names)) < len(names) or _NEEDED.isdisjoint(names) or "xmlns" in names:
        return False
    if any(":" in name for name in names):
        try:
            XmlFile.of(f"<{tag['name']}{tag['attributes']}/>".encode())
        except UnreadableFile:
            return False
    return True


def _element(element: XmlElement) -> str:
    attributes = spaces = ""
    for name, value in element.attributes.items():
        space, _, rest = name.partition(" ")
        if rest:
            local, _, prefix = rest.partition(" ")
            name = f"{prefix}:{local}"
            new = xml_attribute(f"xmlns:{prefix}", space)
            spaces += new if prefix != "xml" and new not in spaces else ""
        attributes += xml_attribute(name, value)
    start = f"<{element.name}{spaces}{attributes}"
    tag = _TAG.fullmatch(f"{start}/>")
    if tag is None or not _is_tag(tag):
        raise NotInline(element.name.rpartition(" ")[2])
    if element.inner == element.end:
        return f"{start}/>"
    content = text_of(element.children, is_inner=True)
    return f"{start}>{content}</{element.name}>"


def _code_point(element: XmlElement) -> str:
    digits = element.attributes.get("hex", "")
    number = int(digits, 16) if re.fullmatch("[0-9A-Fa-f]{1,6}", digits) else 0
    if not 0 < number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise NotInline("cp")
    return chr(number)
