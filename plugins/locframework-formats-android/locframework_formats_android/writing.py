"""Writes texts into a file, a new one or one that was there before."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from xml.sax.saxutils import quoteattr

from msgspec import Struct, field

from locframework.ports import (
    PLURAL_FORMS,
    Block,
    Catalogue,
    Entry,
    FileOptions,
    UnreadableFile,
    WrittenFile,
    fill_template,
    quoted,
)

from .contents import MARKUP, XLIFF, ComposeContents, is_markup
from .elements import NOT_XML, Element, end_of_line
from .resources import ARRAY, PLURALS, STRING, File, read_file

_NEW = b'<?xml version="1.0" encoding="utf-8"?>\n<resources>\n</resources>\n'
_INDENT = "    "
_END = "\0"  # the block of the end tag, which new texts stand before
_POSITION = re.compile("0|[1-9][0-9]{0,3}")
_NAME = re.compile(r"[^\W\d][\w.-]*")  # that aapt accepts
_PLACEHOLDER = re.compile(r"%(\d+\$|<)?[-#+ 0,(\d.]*([A-Za-z%])")


class Wanted(Struct):
    """A resource that is to be written."""

    tag: str
    name: str
    entry: Entry  # its first one
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """As of a resource of the file."""
        return f"{self.tag}\0{self.name}"


def write_file(
    catalogue: Catalogue, options: FileOptions, contents: ComposeContents
) -> WrittenFile:
    """Return the file that a catalogue's template becomes."""
    file = read_file(_NEW, contents)
    with suppress(UnreadableFile):  # it is no such file any more
        file = read_file(catalogue.template or _NEW, contents)
    if file.root.is_closed and any(entry.value for entry in catalogue.entries):
        content, end = file.root.content, file.root.content_end
        text = f"{file.text[:content]}>\n</resources>{file.text[end:]}"
        file = read_file(file.encoding.encoded(text), contents)
    return _Writing(file, catalogue, options, contents).written()


class _Writing:
    def __init__(
        self,
        file: File,
        catalogue: Catalogue,
        options: FileOptions,
        contents: ComposeContents,
    ) -> None:
        self._file = file
        self._contents = contents
        self._separator = options.key_separator
        self._is_source = catalogue.language_code in (None, options.source_language)
        self._newline = file.encoding.newline
        self._indent = self._spaces(file.root, _INDENT)
        self._warnings: list[str] = []
        self._wanted = self._by_id(catalogue)

    def written(self) -> WrittenFile:
        """The whole file."""
        keys = {
            id(each.element): key
            for key, each in self._file.resources.items()
            if key in self._wanted or any(each.texts.values())
        }
        root, end = self._file.root, len(self._file.text)
        text = self._filled(root, (0, end), keys, self._wanted, self._lines)
        if "<xliff:" in text and "xmlns:xliff" not in text:
            at = text.rindex("<resources", 0, root.content) + len("<resources")
            text = f"{text[:at]} {XLIFF}{text[at:]}"
        return WrittenFile(self._file.encoding.encoded(text), self._warnings)

    def _by_id(self, catalogue: Catalogue) -> dict[str, Wanted]:
        """What is to be written, in its order."""
        separator, known = self._separator, self._file.resources
        arrays = {
            each.element.attributes["name"]
            for each in known.values()
            if each.element.tag == ARRAY
        }
        for entry in catalogue.entries:
            if (entry.key_detail or {}).get("array") is True:
                arrays.add(entry.key.rpartition(separator)[0])
        found: dict[str, Wanted] = {}
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
            found.setdefault(wanted.id, wanted).texts |= texts
        for id_, wanted in list(found.items()):
            if not wanted.texts:
                continue  # it is not written
            if wanted.name in self._file.others or NOT_XML.search(wanted.name):
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
        element: Element,
        places: tuple[int, int],
        keys: Mapping[int, str],
        wanted: Iterable[str],
        lines_of: Callable[[str, Block | None], str],
    ) -> str:
        """The lines of an element with other lines of those in it, which have keys by
        their ids."""
        text, (start, end) = self._file.text, places
        at = end_of_line(text, element.content)
        blocks = [Block(text[start:at])]
        for child in element.children:
            lines = text[child.start : child.end]
            blocks += [Block(text[at : child.start]), Block(lines, keys.get(id(child)))]
            at = child.end
        return fill_template(
            [*blocks, Block(text[at:end], _END)],
            map(Entry, [*wanted, _END]),
            lambda entry, block: (
                block.text
                if block is not None and entry.key == _END
                else lines_of(entry.key, block)
            ),
            self._newline,
        )

    def _lines(self, id_: str, block: Block | None) -> str:
        """The lines of a resource; those of the file with what differs."""
        wanted, resource = self._wanted[id_], self._file.resources.get(id_)
        if resource is None or block is None or not resource.items:
            return self._new(wanted) if wanted.texts else block.text if block else ""
        if wanted.texts == {key: text for key, text in resource.texts.items() if text}:
            return block.text
        others = resource.items.keys() - resource.texts.keys()
        if not wanted.texts and not others:
            return ""
        if wanted.tag == STRING:
            return self._with_text(wanted, "", resource.items[""])
        keys = [form for form in PLURAL_FORMS if form in wanted.texts]
        if wanted.tag == ARRAY:
            keys = _positions([*wanted.texts, *others])

        def item_lines(key: str, block: Block | None) -> str:
            if block is None:
                return self._new_item(wanted, key, self._spaces(element, ""))
            if resource.texts.get(key) in (None, wanted.texts.get(key, "")):
                return block.text
            return self._with_text(wanted, key, resource.items[key])

        element = resource.element
        places = element.start, element.end
        items = {id(item): key for key, item in resource.items.items()}
        return self._filled(element, places, items, keys, item_lines)

    def _with_text(self, wanted: Wanted, key: str, element: Element) -> str:
        """The lines of an element of the file, with another text."""
        text, content = self._file.text, element.content
        old = "" if element.is_closed else text[content : element.content_end]
        new = self._content(wanted, key, self._contents.style(old))
        if element.is_closed:
            new = f">{new}</{element.tag}>"
        return (
            text[element.start : content]
            + new
            + text[element.content_end : element.end]
        )

    def _new(self, wanted: Wanted) -> str:
        """The lines of a resource that the file lacks."""
        indent, newline, tag = self._indent, self._newline, wanted.tag
        start = f"{indent}<{tag} name={quoteattr(wanted.name)}>"
        start = self._comment(wanted) + start
        if tag == STRING:
            return f"{start}{self._content(wanted, '')}</{tag}>{newline}"
        keys = [form for form in PLURAL_FORMS if form in wanted.texts]
        keys = _positions(wanted.texts) if tag == ARRAY else keys
        items = "".join(self._new_item(wanted, key, indent + _INDENT) for key in keys)
        return f"{start}{newline}{items}{indent}</{tag}>{newline}"

    def _new_item(self, wanted: Wanted, key: str, indent: str) -> str:
        quantity = f' quantity="{key}"' if wanted.tag == PLURALS else ""
        content = self._content(wanted, key) if wanted.texts.get(key) else ""
        return f"{indent}<item{quantity}>{content}</item>{self._newline}"

    def _content(self, wanted: Wanted, key: str, style: str = "") -> str:
        """The content of a text. Warns of what Android would not accept."""
        text = wanted.texts.get(key, "")
        if style == MARKUP and "<" in text and not is_markup(text):
            told = "is written as text: its markup is not well-formed"
            self._warn(wanted, told)
        is_formatted = self._contents.is_android and wanted.tag == STRING
        if (resource := self._file.resources.get(wanted.id)) and is_formatted:
            is_formatted = resource.element.attributes.get("formatted") != "false"
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
        return f"{self._indent}<!-- {comment} -->{self._newline}"

    def _warn(self, wanted: Wanted, told: str) -> None:
        self._warnings.append(f"{quoted(wanted.entry.name or wanted.entry.key)} {told}")

    def _spaces(self, element: Element, otherwise: str) -> str:
        """The indentation of what stands in an element."""
        for child in element.children[:1]:
            found = re.compile(r"[ \t]*").match(self._file.text, child.start)
            return found[0] if found else otherwise
        return otherwise


def _positions(keys: Iterable[str]) -> list[str]:
    """All positions up to the last."""
    return [str(at) for at in range(max(map(int, keys), default=-1) + 1)]
