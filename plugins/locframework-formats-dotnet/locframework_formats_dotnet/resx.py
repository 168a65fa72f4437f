"""The formats resx and resw: ``<data name="key"><value>text</value></data>``."""

import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from locframework.ports import (
    NOT_XML,
    Block,
    Catalogue,
    Edit,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    UnreadableFile,
    WrittenFile,
    XmlElement,
    XmlFile,
    fill_texts,
    quoted,
    unreadable,
    xml_attribute,
    xml_text,
)

_HEADERS = {
    "resmimetype": "text/microsoft-resx",
    "version": "2.0",
    "reader": "System.Resources.ResXResourceReader, System.Windows.Forms, "
    "Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    "writer": "System.Resources.ResXResourceWriter, System.Windows.Forms, "
    "Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
}
"""What readers require of a file."""
_NEW = '<?xml version="1.0" encoding="utf-8"?>\n<root>\n{}</root>\n'.format(
    "".join(
        f'  <resheader name="{name}">\n    <value>{value}</value>\n  </resheader>\n'
        for name, value in _HEADERS.items()
    )
).encode()
_INDENT = "  "
_END = Entry("\0", "")  # the block of the end tag, which new texts stand before
_DESIGNER = ">>"  # begins the names of what the designer of Windows Forms stores
_STRING = re.compile(r"System\.String\b(?!\[)")


class _File(Struct):
    """A file that was read, cut into blocks."""

    xml: XmlFile
    blocks: list[Block] = field(default_factory=list)
    elements: dict[str, XmlElement] = field(default_factory=dict)  # by key
    others: set[str] = field(default_factory=set)  # names of what is no text
    faults: Faults = field(default_factory=Faults)


def _read(content: bytes) -> _File:
    """Return the blocks of a file. Raises UnreadableFile where it is none; other faults
    are noted, and so are texts that are left out."""
    xml = XmlFile.of(content)
    file, root = _File(xml), xml.root
    if root.name != "root":
        raise unreadable(root.line, "syntax", "the file has no <root>")
    lines: dict[str, int] = {}
    at = 0
    for element in root.elements("data"):
        if entry := _entry(file, element, lines):
            start, end = xml.lines(element)
            file.elements[entry.key] = element
            file.blocks += [
                Block(xml.raw(at, start)),
                Block(xml.raw(start, end), entry.key, entry),
            ]
            at = end
    close = max(at, root.close - len(xml.lead(root.close).lstrip("\r\n")))
    rest = xml.raw(close, len(xml.data))
    file.blocks += [Block(xml.raw(at, close)), Block(rest, _END.key, _END)]
    return file


def _entry(file: _File, element: XmlElement, lines: dict[str, int]) -> Entry | None:
    """The entry of an element; None if it is no text, or has no name of its own."""
    name = element.attributes.get("name", "")
    if not name:
        file.faults.add(element.line, "name", "<data> has no name")
        return None
    same = lines.setdefault(name.lower(), element.line)
    is_double = name in file.elements or name in file.others
    value, comment = element.find("value"), element.find("comment")
    type_ = element.attributes.get("type", "")
    is_text = (
        value is not None
        and "mimetype" not in element.attributes
        and (not type_ or bool(_STRING.match(type_)))
        and not name.startswith(_DESIGNER)
    )
    if is_double:
        told = f"{quoted(name)} is left out: line {same} has its name"
        file.faults.warn(element.line, told)
        return None
    if same != element.line and is_text:
        told = f"{quoted(name)} differs from the name on line {same} only in case"
        file.faults.warn(element.line, told)
    if not is_text or value is None or any(value.elements()):
        file.others.add(name)
        if is_text:
            told = f"{quoted(name)} is left out: it has elements in its text"
            file.faults.warn(element.line, told)
        return None
    description = comment.text().strip() if comment else ""
    return Entry(name, value.text(), description=description, line=element.line)


class _Writer:
    """Writes elements as the file has them, or new ones."""

    def __init__(self, file: _File) -> None:
        self.warnings: list[str] = []
        self._file = file
        self._newline = file.xml.newline
        self._names = {name.lower(): name for name in file.others}
        first = next(file.xml.root.elements(), None)
        indent = file.xml.lead(first.start).lstrip("\r\n") if first else _INDENT
        self._indent, self._inner = indent, indent * 2 or _INDENT

    def new(self, key: str, text: str, description: str) -> str:
        """The lines of a text that the file lacks."""
        if key in self._file.others or key.startswith(_DESIGNER) or NOT_XML.search(key):
            told = "is left out: the file cannot have a text of this name"
            self.warnings.append(f"{key} {told}")
            return ""
        name = xml_attribute("name", key)
        start = f'{self._indent}<data{name} xml:space="preserve">'
        lines = [start, f"{self._inner}<value>{self._escaped(key, text)}</value>"]
        if description:
            comment = self._escaped(key, description)
            lines.append(f"{self._inner}<comment>{comment}</comment>")
        return self._newline.join([*lines, f"{self._indent}</data>", ""])

    def changed(self, block: Block, text: str, description: str | None) -> str:
        """The lines of a text of the file with another one; with another comment, if
        there is a description."""
        old = block.entry
        if old is None or (old.value == text and description is None):
            return block.text
        element = self._file.elements[old.key]
        value, comment = element.find("value"), element.find("comment")
        assert value is not None
        edits = [] if old.value == text else [self._edit(old.key, value, text)]
        if description is not None and comment is not None:
            edits.append(self._edit(old.key, comment, description))
        elif description is not None:
            inner = f"<comment>{self._escaped(old.key, description)}</comment>"
            lead = self._file.xml.lead(value.start)
            edits.append((value.end, value.end, f"{lead}{inner}"))
        return self._file.xml.edited(*self._file.xml.lines(element), edits)

    def _edit(self, key: str, element: XmlElement, text: str) -> Edit:
        """Another content for an element of the file."""
        xml, new = self._file.xml, self._escaped(key, text)
        is_cdata = xml.raw(element.inner, element.close).startswith("<![CDATA[")
        if is_cdata and "\r" not in text:
            parts = NOT_XML.sub("", text).replace("]]>", "]]]]><![CDATA[>")
            new = f"<![CDATA[{parts}]]>".replace("\n", self._newline)
        if element.inner == element.end:  # <value/>
            new = f"{xml.tag(element)}{new}</{element.name}>"
            return element.start, element.end, new
        return element.inner, element.close, new

    def _escaped(self, key: str, text: str) -> str:
        plain = NOT_XML.sub("", text)
        if plain != text:
            told = "has characters that XML cannot have: they are left out"
            self.warnings.append(f"{key} {told}")
        return xml_text(plain).replace("\n", self._newline)

    def warn_of_case(self, entries: Sequence[Entry]) -> None:
        """Warn of names that differ only in case, of which .NET takes the first."""
        for entry in entries:
            other = self._names.setdefault(entry.key.lower(), entry.key)
            if entry.value and other != entry.key:
                told = f"differs only in case from {quoted(other)}"
                self.warnings.append(f"{entry.key} {told}")


class Resx:
    """A ``<data>`` with a text for each key; its comment is the description.

    Other elements, and data of other types, are the template's.
    """

    def __init__(self, id_: str, name: str) -> None:
        self.info = FormatInfo(
            id=id_,
            name=name,
            extension=f".{id_}",
            content_type="application/xml; charset=utf-8",
            comments=True,
            plurals=False,
            placeholders="csharp",
            limits=("control characters", "keys that differ only in case"),
        )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name has the extension, and the file has ``<root>``."""
        is_named = file.name.lower().endswith(self.info.extension)
        return is_named and b"<root" in file.content

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue, without a language. Raises UnreadableFile."""
        found = _read(file.content)
        found.faults.raise_any()
        entries = [each.entry for each in found.blocks if each.entry]
        entries = [entry for entry in entries if entry.value]
        if options.language_code not in (None, options.source_language):
            entries = [replace(entry, description="") for entry in entries]
        return [Catalogue(None, entries, warnings=found.faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        file = _read(_NEW)
        with suppress(UnreadableFile):  # it is no such file any more
            file = _read(catalogue.template or _NEW)
        root = file.xml.root
        if root.inner == root.end and catalogue.entries:
            file = _read(_NEW)
        texts = {_END.key, *(each.key for each in catalogue.entries if each.value)}
        blocks = [
            each
            if each.entry is None or each.entry.value or each.key in texts
            else Block(each.text)  # an empty text stays
            for each in file.blocks
        ]
        writer = _Writer(file)
        text, warnings = fill_texts(
            replace(catalogue, entries=[*catalogue.entries, _END]),
            options,
            blocks,
            writer.new,
            writer.changed,
            "resource files",
            file.xml.newline,
        )
        writer.warn_of_case(catalogue.entries)
        declared = file.xml.encoding.declared
        charset = None if declared == "utf-8" else declared
        content = file.xml.encoded(text)
        return WrittenFile(content, warnings + writer.warnings, charset)
