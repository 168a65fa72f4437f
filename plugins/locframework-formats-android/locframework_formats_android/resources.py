"""Reads the resources of a file: strings, plurals and arrays."""

from msgspec import Struct, field

from locframework.ports import PLURAL_FORMS, Faults, TextFile, quoted, unreadable

from .contents import ComposeContents
from .elements import Element, parse

STRING, PLURALS, ARRAY = KINDS = ("string", "plurals", "string-array")


class Resource(Struct):
    """A resource of the file, and its texts: by quantity or position; "" of a string.
    A position without a text is another resource."""

    element: Element
    items: dict[str, Element] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    style: str = ""  # of its markup

    @property
    def id(self) -> str:
        """What no other resource has."""
        return f"{self.element.tag}\0{self.element.attributes['name']}"


class File(Struct):
    """A file that was read."""

    encoding: TextFile
    root: Element
    resources: dict[str, Resource] = field(default_factory=dict)  # by id
    others: set[str] = field(default_factory=set)  # names that have no texts
    faults: Faults = field(default_factory=Faults)

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.encoding.text


def read_file(content: bytes, contents: ComposeContents) -> File:
    """Return the resources of a file. Raises UnreadableFile where it is none; other
    faults are noted, and so are resources that are left out."""
    encoding = TextFile.of(content)
    file = File(encoding, parse(encoding.text))
    if file.root.tag != "resources":
        raise unreadable(file.root.line, "syntax", "the file has no <resources>")
    lines: dict[str, tuple[str, int]] = {}
    for element in file.root.children:
        name, product = (element.attributes.get(a, "") for a in ("name", "product"))
        if element.tag not in KINDS or product not in ("", "default"):
            continue
        tag, line = lines.setdefault(name, (element.tag, element.line))
        told = f"<{element.tag}> {quoted(name)}"
        if not name:
            file.faults.add(element.line, "name", f"<{element.tag}> has no name")
        elif line != element.line and tag == element.tag:
            message = f"{told} is on line {line} too"
            file.faults.add(element.line, "duplicate", message)
        elif tag != element.tag:
            message = f"{told} is left out: <{tag}> on line {line} has its name"
            file.faults.warn(element.line, message)
        elif element.attributes.get("translatable") == "false":
            file.others.add(name)
        else:
            _add(file, Resource(element), contents, told)
    return file


def _add(file: File, resource: Resource, contents: ComposeContents, told: str) -> None:
    """Add a resource with its texts, or its name to others that have none."""
    element = resource.element
    resource.items = {"": element} if element.tag == STRING else _items(file, element)
    for key, item in resource.items.items():
        content = "" if item.is_closed else file.text[item.content : item.content_end]
        if contents.is_reference(content):
            continue
        try:
            resource.texts[key] = contents.text(content)
        except ValueError:
            message = f"{told} is left out: it has an escape that is no character"
            file.faults.warn(item.line, message)
            resource.texts.clear()
            break
        resource.style = resource.style or contents.style(content)
    is_partial = resource.items.keys() != resource.texts.keys()
    if is_partial and (element.tag != ARRAY or not resource.texts):
        file.others.add(element.attributes["name"])
    else:
        file.resources[resource.id] = resource


def _items(file: File, element: Element) -> dict[str, Element]:
    items = [child for child in element.children if child.tag == "item"]
    if element.tag == ARRAY:
        return {str(at): item for at, item in enumerate(items)}
    found: dict[str, Element] = {}
    for item in items:
        quantity = item.attributes.get("quantity", "")
        if quantity not in PLURAL_FORMS:
            message = f"{quoted(quantity)} is no quantity"
            file.faults.add(item.line, "form", message)
        elif quantity in found:
            message = f"{quantity!r} is on line {found[quantity].line} too"
            file.faults.add(item.line, "duplicate", message)
        found.setdefault(quantity, item)
    return found
