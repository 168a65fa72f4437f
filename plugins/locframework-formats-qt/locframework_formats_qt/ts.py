"""The format qt-ts: ``<message>`` with ``<source>`` and ``<translation>``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from locframework.ports import (
    NOT_XML,
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
    common_plural_forms,
    fill_template,
    locale_tag,
    quoted,
    unreadable,
    with_xml_attribute,
    xml_attribute,
    xml_text,
)

from .plural_forms import forms_of

_NEW = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="{}" sourcelanguage="{}">
</TS>
"""
_ROOT = re.compile(rb"<TS\s[^<>]*?\b(?:version|language)\s*=")
_TYPE = re.compile(r"\s+type\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_SPACE = re.compile(r"[^\S\0- ]")  # other than in ASCII
_PART = "\4"  # between the context, source text and comment of a key


def _text(element: XmlElement | None) -> str:
    """The text of an element. Raises ValueError for elements in it, but for bytes."""
    parts = []
    for child in element.children if element else ():
        if not isinstance(child, str):
            value = child.attributes.get("value", "")
            child = chr(int(value.lstrip("x"), 16 if value[:1] == "x" else 10))
            child.encode()
        parts.append(child)
    return "".join(parts).replace("\0", "")


def _forms(text: Text | None) -> Mapping[str, str]:
    return {"other": text} if isinstance(text, str) else text or {}


class _File:
    """A file: the blocks of each context, the first of which begins it, and its end."""

    def __init__(self, content: bytes, options: FileOptions) -> None:
        """Raises UnreadableFile if it is none. Notes messages that are left out."""
        self.faults, self.warnings = Faults(), list[str]()
        self.xml = xml = XmlFile.of(content, "TS")
        if xml.root.name != "TS" or xml.root.inner == xml.root.end:
            raise unreadable(xml.root.line, "syntax", "the file has no <TS>")
        self.said = locale_tag(xml.root.attributes.get("language", ""))
        own = options.source_language
        self._language = options.language_code or self.said or own
        self._is_source, self._indent = self._language == own, "    "
        self.entries: list[Entry] = []
        self._contexts: dict[str, tuple[list[Block], str]] = {}
        self._messages: dict[str, tuple[str, XmlElement, XmlElement]] = {}
        at = 0
        for context in xml.root.elements("context"):
            element = context.find("name")
            name = key = element.text() if element else ""
            if name in self._contexts:
                key += f"\0{context.start}"  # of another context with the name
            end = xml.lines(element)[1] if element else context.inner
            blocks, at = [Block(xml.raw(at, end))], end
            for message in context.elements("message"):
                if entry := self._entry(message, name, key):
                    self.entries.append(entry)
                    start, end = xml.lines(message)
                    lines = Block(xml.raw(start, end), entry.key, entry)
                    blocks += [Block(xml.raw(at, start)), lines]
                    at = end
                    self._indent = xml.lead(start).lstrip("\r\n") or self._indent
            end = xml.lines(context)[1]
            self._contexts[key], at = (blocks, xml.raw(at, end)), end
        close = max(at, xml.root.close - len(xml.lead(xml.root.close).lstrip("\r\n")))
        self._contexts["\0"] = [Block(xml.raw(at, close))], ""
        self._end = xml.raw(close, len(xml.data))

    def _entry(self, message: XmlElement, name: str, context: str) -> Entry | None:
        """The entry of a message; None if it is not in use, or left out."""
        found, fault = message.find("translation"), ""
        kind = found.attributes.get("type") if found else "vanished"
        if found is None or kind in ("vanished", "obsolete"):
            return None
        is_plural = message.attributes.get("numerus") == "yes"
        parts = map(message.find, ("source", "comment", "extracomment"))
        try:
            source, comment, extra = map(_text, parts)
            forms = found.elements("numerusform") if is_plural else [found]
            texts = [_text(each) for each in forms]
        except ValueError:
            source, comment, fault = "", "", "it has elements in a text"
        key = _PART.join([name, source, *filter(None, [comment])])
        key = message.attributes.get("id") or key
        if key in self._messages:
            fault = "it is there twice"
        elif not source and _PART in key:
            fault = fault or "it has no source text"
        if fault:
            told = f"{quoted(key)} is left out: {fault}"
            self.faults.warn(message.line, told)
            return None
        self._messages[key] = context, message, found
        value: Text = texts[0] if texts else ""
        if is_plural:
            pairs = zip(forms_of(self._language, len(texts)), texts, strict=False)
            value = {form: text for form, text in pairs if form and text}
            if not {*filter(None, texts)} <= {*value.values()}:
                told = f"{quoted(key)} has a plural form that the language lacks"
                self.faults.warn(message.line, told)
        return Entry(
            key,
            value or None,
            is_plural=is_plural,
            description="\n".join(filter(None, [extra, comment])),
            source=({"other": source} if is_plural else source) if source else None,
            needs_review=kind == "unfinished" and bool(value),
            line=message.line,
        )

    def written(self, entries: Iterable[Entry]) -> bytes:
        """The file with other texts. New contexts stand at the end. New messages that
        say nothing are in new files only."""
        is_new, newline = self.xml.root.find("context") is None, self.xml.newline
        groups: dict[str, list[Entry]] = {context: [] for context in self._contexts}
        for entry in entries:
            context, *parts = entry.key.split(_PART)
            texts = [*_forms(entry.value or None).values()]
            if known := self._messages.get(entry.key):
                groups[known[0]].append(entry)
            elif is_new or texts not in ([], parts[: self._is_source]):
                groups.setdefault(context if parts else "", []).append(entry)
        written = []
        for context, some in groups.items():
            name = f"{self._indent}<name>{self._escaped(context)}</name>{newline}"
            new = [Block(f"<context>{newline}{name}")], f"</context>{newline}"
            blocks, end = self._contexts.get(context, new)
            written.append(fill_template(blocks, some, self._lines, newline) + end)
        return self.xml.encoded("".join([*written, self._end]))

    def _lines(self, entry: Entry, block: Block | None) -> str:
        """The lines of a message; those of the file with what differs."""
        if block is None or block.entry is None:
            return self._new(entry)
        old, value = block.entry, entry.value or None
        is_same = value == old.value and entry.needs_review is old.needs_review
        if is_same or (self._is_source and not old.value and value == old.source):
            return block.text
        _, message, found = self._messages[entry.key]
        new = self._translation(replace(entry, is_plural=old.is_plural), found)
        bounds = self.xml.lines(message)
        return self.xml.edited(*bounds, [(found.start, found.end, new)])

    def _new(self, entry: Entry) -> str:
        """The lines of a message that the file lacks."""
        id_, *parts = entry.key.split(_PART, 2)
        texts = dict(zip(("source", "comment"), parts, strict=False))
        start = "<message"
        if not parts:
            start += xml_attribute("id", id_)
            own = entry.value if self._is_source else None
            texts["source"] = _forms(entry.source or own).get("other", "")
        if NOT_XML.search(id_):
            return self._warn(entry, "is left out: its name has control characters")
        rows = [f'{start} numerus="yes">' if entry.is_plural else f"{start}>"]
        extra = entry.description.removesuffix(texts.get("comment", "")).rstrip()
        for name, text in (*texts.items(), ("extracomment", extra)):
            if text:
                rows.append(f"{self._indent}<{name}>{self._escaped(text)}</{name}>")
        rows += [f"{self._indent}{self._translation(entry, None)}", "</message>"]
        return "".join(f"{self._indent}{row}{self.xml.newline}" for row in rows)

    def _translation(self, entry: Entry, old: XmlElement | None) -> str:
        """A translation, in the layout of another."""
        value, is_plural = _forms(entry.value), entry.is_plural
        text = value.get("other") or next(reversed([*value.values()]), "")
        after = f"{self.xml.newline}{self._indent * 2}" if is_plural else ""
        before, texts = after + self._indent, [text]
        lost: list[str] = []
        if is_plural:
            rows = [*old.elements("numerusform")] if old else []
            if rows and old:
                before = self.xml.raw(old.inner, rows[0].start)
                after = self.xml.raw(rows[-1].end, old.close)
            forms = forms_of(self._language, len(rows))
            needed = common_plural_forms(self._language)
            texts = [value.get(f or "") or ("" if f in needed else text) for f in forms]
            lost = [f for f in value if value[f] and f not in (*forms, "other")]
        if lost or {*filter(None, value.values())} - {*texts}:
            self._warn(entry, "has a plural form that Qt does not have")
        if any(texts) and not all(texts):
            self._warn(entry, "lacks a plural form, and is unfinished")
        tag = _TYPE.sub("", self.xml.tag(old)) if old else "<translation>"
        if entry.needs_review or not all(texts):
            tag = with_xml_attribute(tag, "type", "unfinished")
        texts = [self._escaped(text) for text in texts]
        if is_plural:
            texts = [f"{before}<numerusform>{text}</numerusform>" for text in texts]
        return f"{tag}{''.join(texts)}{after}</translation>"

    def _warn(self, entry: Entry, told: str) -> str:
        self.warnings.append(f"{entry.name or entry.key} {told}")
        return ""

    def _escaped(self, text: str) -> str:
        """A text as lupdate writes it."""
        text = xml_text(text).replace('"', "&quot;").replace("'", "&apos;")
        text = NOT_XML.sub(lambda c: f'<byte value="x{ord(c[0]):x}"/>', text)
        text = _SPACE.sub(lambda c: f"&#x{ord(c[0]):x};", text)
        return text.replace("\n", self.xml.newline)


class Ts:
    """Messages by context, source text and comment, or by their ids. What else is in a
    file is the template's."""

    info = FormatInfo(
        id="qt-ts",
        name="Qt Linguist (TS)",
        extension=".ts",
        content_type="application/xml; charset=utf-8",
        comments=True,
        source_texts=True,
        composed_names=True,
        marks_unreviewed=True,
        limits=("plural forms that Qt does not have",),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the root element is ``<TS>``."""
        return self.info.is_name(file.name) and bool(_ROOT.search(file.content[:2000]))

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue. Raises UnreadableFile."""
        found = _File(file.content, options)
        return [Catalogue(found.said, found.entries, warnings=found.faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file, with all messages: those without a text are unfinished."""
        [catalogue] = catalogues
        own, code = options.source_language, catalogue.language_code
        options = replace(options, language_code=code)
        tags = [tag.replace("-", "_") for tag in (code or own, own)]
        file = _File(_NEW.format(*tags).encode(), options)
        with suppress(UnreadableFile):  # the template is no such file any more
            file = _File(catalogue.template or b"", options)
        content = file.written(catalogue.entries)
        return WrittenFile(content, file.warnings, file.xml.encoding.declared)
