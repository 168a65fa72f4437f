"""The formats android-xml and compose-xml: strings, plurals and arrays."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from locframework.ports import (
    NOT_XML,
    PLURAL_FORMS,
    Block,
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    UnreadableFile,
    WrittenFile,
    XmlElement,
    XmlFile,
    fill_template,
    quoted,
    unreadable,
    xml_attribute,
)

from .contents import MARKUP, XLIFF, ComposeContents, is_markup

STRING, PLURALS, ARRAY = KINDS = ("string", "plurals", "string-array")
_NEW = b'<?xml version="1.0" encoding="utf-8"?>\n<resources>\n</resources>\n'
_INDENT = "    "
_ROOT = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|\xef\xbb\xbf)*+<resources[\s>]", re.DOTALL
)
_TEXTS = re.compile(rb"<(?:string|plurals|string-array)\s")
_LIMITS = (
    "a plural without the form other",
    "keys with signs other than letters, digits, dots, hyphens and underscores",
)
_POSITION = re.compile("0|[1-9][0-9]{0,3}")
_NAME = re.compile(r"[^\W\d][\w.-]*")  # that aapt accepts
_PLACEHOLDER = re.compile(r"%(\d+\$|<)?[-#+ 0,(\d.]*([A-Za-z%])")


class Resource(Struct):
    """A resource of the file, and its texts: by quantity or position; "" of a string.
    A position without a text is another resource."""

    element: XmlElement  # starts with its comment
    comment: str
    items: dict[str, XmlElement] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    style: str = ""  # of its markup


class Wanted(Struct):
    """A resource that is to be written."""

    tag: str
    name: str
    entry: Entry  # its first one
    texts: dict[str, str] = field(default_factory=dict)


class _File:
    """A file; its resources by tag and name."""

    def __init__(self, content: bytes, contents: ComposeContents) -> None:
        """Raises UnreadableFile if it is none; notes faults, and what is left out."""
        self.xml, self.faults, self._contents = XmlFile.of(content), Faults(), contents
        self.root, self._warnings = self.xml.root, list[str]()
        if self.root.name != "resources":
            raise unreadable(self.root.line, "syntax", "the file has no <resources>")
        self._resources: dict[str, Resource] = {}
        self._others: set[str] = set()  # names that have no texts
        lines: dict[str, tuple[str, int]] = {}
        for element, comment in self._elements(self.root):
            of, line = element.attributes.get, element.line
            name, tag = of("name", ""), element.name
            if tag not in KINDS or of("product", "default") not in ("", "default"):
                continue
            first, at = lines.setdefault(name, (tag, line))
            told = f"<{tag}> {quoted(name)}"
            if not name:
                self.faults.add(line, "name", f"<{tag}> has no name")
            elif at != line and first == tag:
                self.faults.add(line, "duplicate", f"{told} is on line {at} too")
            elif first != tag:
                why = f"<{first}> on line {at} has its name"
                self.faults.warn(line, f"{told} is left out: {why}")
            elif of("translatable") == "false":
                self._others.add(name)
            else:
                self._add(Resource(element, comment), name, told)

    def _elements(self, parent: XmlElement) -> Iterator[tuple[XmlElement, str]]:
        """The elements in another, each with its comment, which it starts with."""
        at = parent.inner
        for element in parent.elements():
            _, mark, comment = self.xml.raw(at, element.start).rpartition("<!--")
            at, before = element.end, f"{mark}{comment}" if mark else ""
            lines = before[4:].partition("-->")[0].strip().splitlines()
            start = element.start - len(before.encode())
            yield replace(element, start=start), "\n".join(map(str.strip, lines))

    def _add(self, resource: Resource, name: str, told: str) -> None:
        """Add a resource with its texts, or its name to others that have none."""
        element = resource.element
        items, texts = self._items(element), resource.texts
        for key, item in items.items():
            content = self.xml.raw(item.inner, item.close)
            if self._contents.is_reference(content):
                continue
            try:
                texts[key] = self._contents.text(content)
            except ValueError:
                why = "it has an escape that is no character"
                self.faults.warn(item.line, f"{told} is left out: {why}")
                texts.clear()
                break
            resource.style = resource.style or self._contents.style(content)
        resource.items = items
        if items.keys() != texts.keys() and (element.name != ARRAY or not texts):
            self._others.add(name)
        else:
            self._resources[f"{element.name}\0{name}"] = resource

    def _items(self, element: XmlElement) -> dict[str, XmlElement]:
        if element.name == STRING:
            return {"": element}
        items = [item for item, _ in self._elements(element) if item.name == "item"]
        if element.name == ARRAY:
            return {str(at): item for at, item in enumerate(items)}
        found: dict[str, XmlElement] = {}
        for item in items:
            quantity = item.attributes.get("quantity", "")
            if quantity not in PLURAL_FORMS:
                told = f"{quoted(quantity)} is no quantity"
                self.faults.add(item.line, "form", told)
            elif quantity in found:
                told = f"{quantity!r} is on line {found[quantity].line} too"
                self.faults.add(item.line, "duplicate", told)
            found.setdefault(quantity, item)
        return found

    def entries(self, separator: str) -> Iterator[Entry]:
        """Yield the entries, but for those without a text."""
        for id_, resource in self._resources.items():
            tag, _, name = id_.partition("\0")
            detail: dict[str, object] = {"array": True} if tag == ARRAY else {}
            for text in resource.texts.values() if resource.style else ():
                like = self._contents.content(text, "")
                if self._contents.style(like) != resource.style:
                    detail["style"] = resource.style
            texts = {key: text for key, text in resource.texts.items() if text}
            values: Mapping[str, Text] = {"": texts} if tag == PLURALS else texts
            for key, value in values.items():
                if value:
                    yield Entry(
                        f"{name}{separator}{key}" if tag == ARRAY else name,
                        value,
                        is_plural=tag == PLURALS,
                        description=resource.comment,
                        line=resource.items.get(key, resource.element).line,
                        key_detail=detail or None,
                    )

    def written(self, catalogue: Catalogue, options: FileOptions) -> WrittenFile:
        """Return the file with the texts of a catalogue."""
        self._is_source = catalogue.language_code in (None, options.source_language)
        starts = (element.start for element, _ in self._elements(self.root))
        first = next(starts, None)
        self._indent = _INDENT if first is None else self._spaces(first)
        self._wanted = wanted = self._by_id(catalogue, options.key_separator)
        elements = {
            id_: each.element
            for id_, each in self._resources.items()
            if id_ in wanted or any(each.texts.values())
        }
        text = self._filled(self.root, elements, wanted, self._lines)
        if "<xliff:" in text and "xmlns:xliff" not in text:
            at = len(self.xml.raw(0, self.root.start)) + len("<resources")
            text = f"{text[:at]} {XLIFF}{text[at:]}"
        charset = self.xml.encoding.declared
        return WrittenFile(self.xml.encoded(text), self._warnings, charset)

    def _by_id(self, catalogue: Catalogue, separator: str) -> dict[str, Wanted]:
        """What is to be written, in its order."""
        known, found = self._resources, dict[str, Wanted]()
        arrays = {id_.partition("\0")[2] for id_ in known if id_.startswith(ARRAY)}
        for entry in catalogue.entries:
            if (entry.key_detail or {}).get("array") is True:
                arrays.add(entry.key.rpartition(separator)[0])
        for entry in catalogue.entries:
            stem, _, at = entry.key.rpartition(separator)
            value = entry.value or {}
            texts = {"": value} if isinstance(value, str) else value
            name, tag = entry.key, PLURALS if entry.is_plural else STRING
            if f"{STRING}\0{name}" in known:
                is_one = f"{PLURALS}\0{name}" not in known and texts.keys() == {"other"}
                if is_one:  # a language has one form, and the file one text
                    tag, texts = STRING, {"": texts["other"]}
            elif stem in arrays and _POSITION.fullmatch(at):
                name, tag = stem, ARRAY
                texts = {at: value} if isinstance(value, str) else {}
            wanted = Wanted(tag, name, entry)
            found.setdefault(f"{tag}\0{name}", wanted).texts |= texts
        for id_, wanted in list(found.items()):
            if not wanted.texts:
                continue  # it is not written
            if wanted.name in self._others or NOT_XML.search(wanted.name):
                told = "is left out: the file has its name for what is no text"
                self._warn(found.pop(id_), told)
                continue
            if self._contents.is_android and not _NAME.fullmatch(wanted.name):
                self._warn(wanted, "is no name that Android accepts")
            if wanted.tag == PLURALS and "other" not in wanted.texts:
                self._warn(wanted, "has no text for 'other', which is needed")
        return found

    def _filled(
        self,
        parent: XmlElement,
        elements: Mapping[str, XmlElement],
        wanted: Iterable[str],
        lines_of: Callable[[Entry, Block | None], str],
    ) -> str:
        """The file, or a resource, with other lines of elements in it, by keys."""
        xml, blocks = self.xml, list[Block]()
        is_whole = parent is self.root
        at, end = (0, len(xml.data)) if is_whole else xml.lines(parent)
        for key, element in elements.items():
            start, stop = xml.lines(element)
            blocks += [Block(xml.raw(at, start)), Block(xml.raw(start, stop), key)]
            at = stop
        close = max(at, parent.close - len(self._spaces(parent.close)))
        blocks.append(Block(xml.raw(at, close)))
        text = fill_template(blocks, map(Entry, wanted), lines_of, xml.newline)
        return text + xml.raw(close, end)

    def _lines(self, entry: Entry, block: Block | None) -> str:
        """The lines of a resource; those of the file with what differs."""
        wanted, known = self._wanted[entry.key], self._resources.get(entry.key)
        if known is None or block is None or not known.items:
            return self._new(wanted) if wanted.texts else block.text if block else ""
        if wanted.texts == {key: text for key, text in known.texts.items() if text}:
            return block.text
        items, texts, element = known.items, known.texts, known.element
        others = items.keys() - texts.keys()
        if not wanted.texts and not others:
            return ""
        if wanted.tag == STRING:
            return self._with_text(wanted, "", element)

        def item_lines(entry: Entry, block: Block | None) -> str:
            key = entry.key
            if block is None:
                indent = self._spaces(next(iter(items.values())).start)
                return self._new_item(wanted, key, indent)
            if texts.get(key) in (None, wanted.texts.get(key, "")):
                return block.text
            return self._with_text(wanted, key, items[key])

        keys = _keys(wanted.tag, [*wanted.texts, *others])
        return self._filled(element, items, keys, item_lines)

    def _with_text(self, wanted: Wanted, key: str, element: XmlElement) -> str:
        """The lines of an element of the file, with another text."""
        old = self.xml.raw(element.inner, element.close)
        new = self._content(wanted, key, self._contents.style(old))
        edit = element.inner, element.close, new
        if element.inner == element.end:  # <item/>
            edit = element.inner - 2, element.end, f">{new}</{element.name}>"
        return self.xml.edited(*self.xml.lines(element), [edit])

    def _new(self, wanted: Wanted) -> str:
        """The lines of a resource that the file lacks."""
        indent, newline, tag = self._indent, self.xml.newline, wanted.tag
        name = xml_attribute("name", wanted.name)
        start = f"{self._comment(wanted)}{indent}<{tag}{name}>"
        if tag == STRING:
            return f"{start}{self._content(wanted, '')}</{tag}>{newline}"
        keys = _keys(tag, wanted.texts)
        items = "".join(self._new_item(wanted, key, indent + _INDENT) for key in keys)
        return f"{start}{newline}{items}{indent}</{tag}>{newline}"

    def _new_item(self, wanted: Wanted, key: str, indent: str) -> str:
        quantity = f' quantity="{key}"' if wanted.tag == PLURALS else ""
        content = self._content(wanted, key) if wanted.texts.get(key) else ""
        return f"{indent}<item{quantity}>{content}</item>{self.xml.newline}"

    def _content(self, wanted: Wanted, key: str, style: str = "") -> str:
        """The content of a text. Warns of what Android would not accept."""
        text = wanted.texts.get(key, "")
        if style == MARKUP and "<" in text and not is_markup(text):
            self._warn(wanted, "is written as text: its markup is not well-formed")
        is_formatted = self._contents.is_android and wanted.tag == STRING
        if known := self._resources.get(f"{wanted.tag}\0{wanted.name}"):
            is_formatted &= known.element.attributes.get("formatted") != "false"
        places = [each for each in _PLACEHOLDER.finditer(text) if each[2] not in "%n"]
        if is_formatted and places[1:] and not all(each[1] for each in places):
            self._warn(wanted, "has several placeholders without positions (%1$s)")
        kept = (wanted.entry.key_detail or {}).get("style")
        return self._contents.content(text, style or str(kept or ""))

    def _comment(self, wanted: Wanted) -> str:
        """The description of a new resource, in the language of the sources."""
        description = wanted.entry.description.strip()
        if not description or not self._is_source:
            return ""
        comment = re.sub("-(?=-)", "- ", NOT_XML.sub("", description))
        if comment != description:
            self._warn(wanted, "has a description that no comment can have as it is")
        return f"{self._indent}<!-- {comment} -->{self.xml.newline}"

    def _warn(self, wanted: Wanted, told: str) -> None:
        self._warnings.append(f"{quoted(wanted.entry.name or wanted.entry.key)} {told}")

    def _spaces(self, at: int) -> str:
        """The indentation of a place."""
        return self.xml.lead(at).lstrip("\r\n")


def _keys(tag: str, keys: Iterable[str]) -> list[str]:
    """Quantities in their order, or all positions up to the last."""
    if tag == PLURALS:
        return [form for form in PLURAL_FORMS if form in keys]
    return [str(at) for at in range(max(map(int, keys), default=-1) + 1)]


class StringsXml:
    """Strings, plurals and arrays by their names. Other resources, attributes and
    comments are the template's."""

    def __init__(self, id_: str, name: str, contents: ComposeContents) -> None:
        self.info = FormatInfo(
            id=id_,
            name=name,
            extension=".xml",
            content_type="application/xml; charset=utf-8",
            comments=True,
            placeholders="java-printf" if contents.is_android else "compose",
            limits=_LIMITS if contents.is_android else _LIMITS[:1],
        )
        self._contents = contents

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file has texts, and is in a folder of Compose or in another."""
        is_compose = "composeResources" in re.split(r"[/\\]", file.name)
        return (
            file.name.lower().endswith(".xml")
            and is_compose is not self._contents.is_android
            and bool(_ROOT.match(file.content) and _TEXTS.search(file.content))
        )

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue, without a language. Raises UnreadableFile."""
        found = _File(file.content, self._contents)
        found.faults.raise_any()
        entries = [*found.entries(options.key_separator)]
        return [Catalogue(None, entries, warnings=found.faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with one catalogue."""
        [catalogue] = catalogues
        file = _File(_NEW, self._contents)
        with suppress(UnreadableFile):  # the template is no such file any more
            file = _File(catalogue.template or _NEW, self._contents)
        xml, end = file.xml, file.root.inner
        if end == file.root.end and any(entry.value for entry in catalogue.entries):
            edit = end - 2, end, ">\n</resources>"
            text = xml.edited(0, len(xml.data), [edit])
            file = _File(xml.encoded(text), self._contents)
        return file.written(catalogue, options)
