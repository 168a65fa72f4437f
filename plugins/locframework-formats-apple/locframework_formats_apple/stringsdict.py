"""The format apple-stringsdict: a property list in XML, of texts with plural forms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from locframework.ports import (
    NOT_XML,
    PLURAL_FORMS,
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
    quoted,
    unreadable,
    xml_text,
)

_FORMAT = "NSStringLocalizedFormatKey"
_RULE, _PLURAL = "NSStringFormatSpecTypeKey", "NSStringPluralRuleType"
_TYPE = "NSStringFormatValueTypeKey"
_STRING = "string"
_NEW = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
"http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
</dict>
</plist>
"""
_VARIABLE = re.compile(r"%(?:\d+\$)?#@([^@]+)@")
_NUMBER = re.compile(
    r"%(?:\d+\$)?[-+ #0]*\d*(?:\.\d+)?((?:hh?|ll?|[qLztj])?[diouxXeEfgG])"
)

Node = str | Mapping[str, "Node"]
Pair = tuple[XmlElement, XmlElement]
"""A key and its value."""


def _pairs(element: XmlElement, faults: Faults) -> dict[str, Pair]:
    """Return the members of a dict. Of those with one name, the last is taken."""
    found: dict[str, Pair] = {}
    key: XmlElement | None = None
    for each in element.elements() if element.name == "dict" else ():
        if (each.name == "key") is (key is not None):
            faults.add(each.line, "syntax", f"<{each.name}> is not expected here")
        if each.name == "key" or key is None:
            key = each
            continue
        if found.pop(name := key.text(), None):
            faults.warn(key.line, f"{quoted(name)} is there before; this one counts")
        found[name] = key, each
        key = None
    return found


class _Item(Struct):
    """What a file has for a key."""

    line: int = 0
    format: str = ""
    variables: dict[str, Entry] = {}

    def around(self) -> tuple[str, str, str] | None:
        """Return the format's text before its one variable, the variable, and what is
        behind; None if there are other placeholders."""
        found = _VARIABLE.search(self.format)
        if not found or [*self.variables] != [found[1]]:
            return None
        before, behind = self.format[: found.start()], self.format[found.end() :]
        return None if "%" in before + behind else (before, found[0], behind)


def _forms(entry: Entry) -> dict[str, str]:
    """Return the texts by plural form, "" for a text without one."""
    if isinstance(texts := entry.value, Mapping):
        return {form: texts[form] for form in PLURAL_FORMS if texts.get(form)}
    return {"": texts} if texts else {}


def _variable(kind: object, forms: Mapping[str, str]) -> dict[str, Node]:
    head = {_RULE: _PLURAL, **({_TYPE: str(kind)} if kind else {})}
    return {**head, **forms}


class _File:
    """A file that was read, with its items and entries by name."""

    def __init__(self, content: bytes, options: FileOptions) -> None:
        """Raise UnreadableFile where it is none; other faults are noted, and so is
        what is left out."""
        self.xml = XmlFile.of(content, "plist")
        root = self.xml.root.find("dict")
        if self.xml.root.name != "plist" or root is None:
            raise unreadable(1, "syntax", "the file has no <plist> with a <dict>")
        self.faults, self._root = Faults(), root
        self._separator, self._plurals = options.key_separator, options.plurals
        self._pairs = _pairs(root, self.faults)
        self._variables: dict[str, tuple[str, str]] = {}  # by key: item and name
        self._items = {name: self._item(name) for name in self._pairs}
        self.entries = {name: self._entries(name) for name in self._items}
        inner = self._indent(root.find("key") or root)
        self._unit = inner.removeprefix(self._indent(root)) or "\t"

    def _item(self, name: str) -> _Item:
        key, value = self._pairs[name]
        found = _Item(key.line)
        for member, (at, each) in _pairs(value, self.faults).items():
            pairs = _pairs(each, self.faults).items()
            texts = {n: text.text() for n, (_, text) in pairs if text.name == _STRING}
            of = f"{name}{self._separator}{member}"
            detail = {"of": name, "variable": member, "type": texts.get(_TYPE, "")}
            entry = Entry(of, texts, True, line=key.line, key_detail=detail)
            if member == _FORMAT and each.name == _STRING:
                found.format = each.text()
            elif texts.get(_RULE) != _PLURAL or of in self._pairs:
                told = "is left out: it has no plural rule, or the name of a key"
                self.faults.warn(at.line, f"{quoted(of)} {told}")
            elif forms := _forms(entry):
                found.variables[member] = replace(entry, value=forms)
                self._variables[of] = name, member
        return found

    def _entries(self, name: str) -> list[Entry]:
        """Return the plural forms of a format with what is around its variable, or else
        the text of the format, and an entry for each variable."""
        item = self._items[name]
        found, around = [*item.variables.values()], item.around()
        if around and found[0].key not in self._plurals:
            forms = _forms(found[0])
            texts = {form: around[0] + forms[form] + around[2] for form in forms}
            kind = (found[0].key_detail or {})["type"]
            detail = {"format": around[1], "type": kind}
            return [replace(found[0], key=name, value=texts, key_detail=detail)]
        if not name or not (found or _VARIABLE.sub("", item.format)):
            self.faults.warn(item.line, f"{quoted(name)} is left out: it has no text")
            return []
        text = Entry(name, item.format, line=item.line)
        return [text, *found] if item.format else found

    def content(self, entries: Sequence[Entry], warnings: list[str]) -> bytes:
        """Return the file with the texts of these entries."""
        new: dict[str, dict[str, Node]] = {}
        for entry in entries:
            if _forms(entry):
                self._add(entry, new, warnings)
        for name, made in new.items():
            if [*made] == [_FORMAT] and not _VARIABLE.sub("", str(made[_FORMAT])):
                warnings.append(f"{quoted(name)} cannot be read: it has no text")
        old: dict[str, dict[str, Node]] = {}
        for name, item in self._items.items():
            if self.entries[name]:
                old[name] = {
                    each: _variable((entry.key_detail or {})["type"], _forms(entry))
                    for each, entry in item.variables.items()
                }
                old[name] |= {_FORMAT: item.format} if item.format else {}
        edits = self._edits(self._root, old, new)
        return self.xml.encoded(self.xml.edited(0, len(self.xml.data), edits))

    def _add(
        self, entry: Entry, new: dict[str, dict[str, Node]], warnings: list[str]
    ) -> None:
        """Add the texts of an entry to the item that it belongs to."""
        key, detail = entry.key, entry.key_detail or {}
        if NOT_XML.search("".join((key, *_forms(entry).values()))):
            told = "has characters that XML cannot have: they are left out"
            warnings.append(f"{key} {told}")
        forms = {form: NOT_XML.sub("", t) for form, t in _forms(entry).items()}
        of = str(detail.get("of", "")), str(detail.get("variable", ""))
        name, variable = self._variables.get(key, of)
        is_own = not name or "" in forms or key in self._items
        name = NOT_XML.sub("", key) if is_own else name
        old = self._items.get(name, _Item())
        item, around = new.setdefault(name, {}), old.around()
        is_plain = old.format and not around and [*forms] == ["other"]
        if is_own and ("" in forms or is_plain):
            [item[_FORMAT]] = forms.values()
            return
        if is_own:
            item[_FORMAT] = str(detail.get("format", "%#@value@"))
            if around:
                before, item[_FORMAT], behind = around
                inner = {
                    form: text.removeprefix(before).removesuffix(behind)
                    for form, text in forms.items()
                    if text != before + behind
                }
                if {f: before + t + behind for f, t in inner.items()} == forms:
                    item[_FORMAT], forms = old.format, inner
            [variable] = _VARIABLE.findall(str(item[_FORMAT]))
        if "other" not in forms:
            warnings.append(f"{key} has no text for 'other', which is needed")
        number = next(filter(None, map(_NUMBER.search, forms.values())), None)
        known = old.variables.get(variable, entry).key_detail or {}
        kind = known.get("type", number[1] if number else "d")
        item[variable] = _variable(kind, forms)

    def _edits(
        self, element: XmlElement, old: Mapping[str, Node], new: Mapping[str, Node]
    ) -> Iterator[Edit]:
        """Yield what changes in a dict that gets new texts; those of ``old`` that are
        not among them go."""
        pairs, own = _pairs(element, Faults()), self._indent(element)
        if element.inner == element.end and new:  # <dict/>
            yield element.start, element.end, self._value(new, own)
            return
        first = element.find("key")
        indent = self._indent(first) if first else own + self._unit
        added: dict[int, str] = {}
        at = self._lines(element.start, element.inner)[1]
        for name, node in new.items():
            if name not in pairs:
                added[at] = added.get(at, "") + self._pair(name, node, indent)
                continue
            key, value = pairs[name]
            at = self._lines(key.start, value.end)[1]
            before = old.get(name)
            if before == node:
                continue
            if isinstance(node, Mapping) and value.name == "dict":
                before = before if isinstance(before, Mapping) else {}
                yield from self._edits(value, before, node)
            elif value.name != _STRING or value.text() != node:
                yield value.start, value.end, self._value(node, indent)
        for name in old.keys() - new.keys():
            key, value = pairs[name]
            yield *self._lines(key.start, value.end), ""
        yield from ((at, at, text) for at, text in added.items())

    def _pair(self, name: str, node: Node, indent: str) -> str:
        newline = self.xml.newline
        key = f"{indent}<key>{xml_text(name)}</key>{newline}"
        return f"{key}{indent}{self._value(node, indent)}{newline}"

    def _value(self, node: Node, indent: str) -> str:
        newline = self.xml.newline
        if isinstance(node, str):
            return f"<string>{xml_text(node)}</string>".replace("\n", newline)
        pairs = [self._pair(name, node[name], indent + self._unit) for name in node]
        return f"<dict>{newline}{''.join(pairs)}{indent}</dict>"

    def _indent(self, element: XmlElement) -> str:
        return self.xml.lead(element.start).lstrip("\r\n")

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        return self.xml.lines(XmlElement("", {}, 0, start, start, end, end))


class Stringsdict:
    """A dict for each key: a format, and the plural forms of its variables.

    A key whose format has one variable, and no other placeholder, has plural forms.
    Others have the text of the format, and a key for each variable. Other rules, such
    as those of devices and widths, are the template's.
    """

    info = FormatInfo(
        id="apple-stringsdict",
        name="Apple stringsdict",
        extension=".stringsdict",
        content_type="application/xml; charset=utf-8",
        family="stringsdict",
        placeholders="objc",
        limits=("control characters", "texts for devices or widths"),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name has the extension, and the file is in XML."""
        is_named = file.name.lower().endswith(self.info.extension)
        return is_named and b"<plist" in file.content.replace(b"\0", b"")

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue, without a language. Raises UnreadableFile."""
        found = _File(file.content, options)
        found.faults.raise_any()
        entries = [entry for some in found.entries.values() for entry in some]
        return [Catalogue(None, entries, warnings=found.faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with one catalogue."""
        [catalogue] = catalogues
        file = _File(_NEW, options)
        with suppress(UnreadableFile):  # it is no such file any more
            file = _File(catalogue.template or _NEW, options)
        warnings: list[str] = []
        content = file.content(catalogue.entries, warnings)
        charset = file.xml.encoding.declared
        return WrittenFile(content, warnings, None if charset == "utf-8" else charset)
