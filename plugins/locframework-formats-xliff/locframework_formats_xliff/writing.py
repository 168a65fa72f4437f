"""Writes texts into an XLIFF file: only what differs changes."""

import re
from collections.abc import Iterator, Mapping

from locframework.ports import (
    NOT_XML,
    PLURAL_FORMS,
    Block,
    Catalogue,
    Edit,
    Entry,
    FileOptions,
    Text,
    WrittenFile,
    XmlElement,
    fill_template,
    legal_key,
    with_xml_attribute,
    xml_attribute,
    xml_text,
)

from .inline import xml_of
from .units import SIZES, UNTRANSLATED, Document, Unit, is_name, mark

_END = "\0\0"  # the id of the place behind all units
_PENDING = ("subState", "locframework:pending")
"""Tells a text that equals its source from one that waits for a translation."""


def new_document(version: str, catalogue: Catalogue, options: FileOptions) -> Document:
    """Return a file without units."""
    own, code, entries = (
        options.source_language,
        catalogue.language_code,
        catalogue.entries,
    )
    is_2 = version.startswith("2")
    languages = xml_attribute("srcLang" if is_2 else "source-language", own)
    if code and (
        code != own
        or any(e.needs_review or e.source not in (None, e.value) for e in entries)
    ):
        languages += xml_attribute("trgLang" if is_2 else "target-language", code)
    space = "2.0" if version == "2.1" else version
    root = (
        f'<xliff version="{version}" xmlns="urn:oasis:names:tc:xliff:document:{space}"'
    )
    name = xml_attribute("id" if is_2 else "original", options.module or "texts")
    rows = [f'  <file{name} datatype="plaintext"{languages} xml:space="preserve">']
    rows += ["    <body>", "    </body>"]
    if is_2:
        root, rows = root + languages, [f'  <file{name} xml:space="preserve">']
        if any(entry.max_length for entry in entries):
            root += xml_attribute("xmlns:slr", SIZES)
            rows.append('    <slr:profiles generalProfile="xliff:codepoints"/>')
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    rows = [head, f"{root}>", *rows, "  </file>", "</xliff>", ""]
    return Document.of("\n".join(rows).encode(), options)


def write_document(
    document: Document, catalogue: Catalogue, options: FileOptions
) -> WrittenFile | None:
    """Return the file with the texts of a catalogue; None if it has no place for new
    units."""
    last = document.files[-1] if document.files else None
    body = last.find("body") if last and not document.is_2 else last
    xml, writing = document.xml, _Writing(document, catalogue, options)
    if body is not None and body.inner < body.end:
        content = xml.encoded(writing.text(body))
    elif not catalogue.entries:
        content = xml.encoded(xml.encoding.text)
    else:
        return None
    return WrittenFile(content, writing.warnings, xml.encoding.declared)


class _Writing:
    def __init__(
        self, document: Document, catalogue: Catalogue, options: FileOptions
    ) -> None:
        self._document, self._xml, self._is_2 = document, document.xml, document.is_2
        self._separator = options.key_separator
        self._entries = {entry.key: entry for entry in catalogue.entries}
        self._known = {unit.id: unit for unit in document.units}
        self._forms: dict[str, set[str]] = {}
        for unit in document.units:
            self._forms.setdefault(unit.key, set()).add(unit.form)
        self._keeps_sources = (
            not document.has_own_source
            or document.is_source
            # Symfony's name; programs find its texts by their sources
            or any(f.attributes.get("original") == "file.ext" for f in document.files)
        )
        name = re.match(r"<([^\s>:]+:)?", self._xml.tag(self._xml.root))
        self._prefix = (name and name[1]) or ""
        sizes = re.search(rf"xmlns:([\w.-]+)\s*=\s*.{SIZES}", self._xml.encoding.text)
        counts = all(map(document.counts_characters, document.files))
        self._size = f"{sizes[1]}:sizeRestriction" if sizes and counts else ""
        self._indent, self._step, self._newline = "", "", ""  # of units
        self.warnings: list[str] = []

    def text(self, body: XmlElement) -> str:
        """Return the file; new units stand in ``body`` if no others are before them."""
        xml, units = self._xml, self._document.units
        blocks: list[Block] = []
        done = 0
        for unit in units:
            start, end = xml.lines(unit.element)
            blocks += [Block(xml.raw(done, start)), Block("", unit.id)]
            done = end
        lead = xml.lead(body.close)
        end = max(done, body.close - len(lead.lstrip("\r\n")))
        blocks += [Block(xml.raw(done, end)), Block("", _END)]
        blocks.append(Block(xml.raw(end, len(xml.data))))
        self._indent, self._step = lead.lstrip("\r\n") + "  ", "  "
        self._newline = xml.newline if lead else ""
        if units:
            self._lay_out_like(units[0].element)
        ids = [id_ for entry in self._entries.values() for id_ in self._ids(entry)]
        pieces = map(Entry, [*ids, _END])
        return fill_template(blocks, pieces, lambda e, _: self._piece(e.key), "")

    def _lay_out_like(self, element: XmlElement) -> None:
        lead = self._xml.lead(element.start)
        inner = self._xml.lead(next(element.elements()).start)
        self._newline = self._xml.newline if lead else ""
        self._indent = lead.lstrip("\r\n")
        self._step = inner.lstrip("\r\n").removeprefix(self._indent)

    def _ids(self, entry: Entry) -> Iterator[str]:
        """Yield the ids of the units of an entry, in their order."""
        forms, value = {*self._forms.get(entry.key, ())}, entry.value
        is_plain = isinstance(value, str) or not value or value.keys() == {"other"}
        if isinstance(value, Mapping) and not (is_plain and forms == {""}):
            forms = (forms | value.keys()) - {""}
        elif not forms:
            forms = {"other" if entry.is_plural else ""}
        return (f"{entry.key}\0{f}" for f in ("", *PLURAL_FORMS) if f in forms)

    def _piece(self, id_: str) -> str:
        """Return the lines of a unit; "" if it is left out."""
        if id_ == _END:
            return ""
        key, _, form = id_.partition("\0")
        entry, unit = self._entries[key], self._known.get(id_)
        value, source = _in_form(entry.value, form), _in_form(entry.source, form)
        if form and isinstance(entry.source, Mapping):
            source = source or entry.source.get("other")
        if unit is None:
            return self._new(entry, form, value, source)
        self._lay_out_like(unit.element)
        edits = self._edits(unit, entry, value, source)
        if edits is None:
            return ""
        return self._xml.edited(*self._xml.lines(unit.element), edits)

    def _edits(
        self, unit: Unit, entry: Entry, value: str | None, source: str | None
    ) -> list[Edit] | None:
        """Return what changes in a unit; None: it goes, as the source text does."""
        xml, was, target = self._xml, self._document.value_of(unit), value
        if self._document.is_source and not unit.target:
            if value is None and was is not None:
                return None
            source, target = value, value if entry.needs_review else None
        elif self._keeps_sources or unit.source == unit.key:
            source = None
        source = unit.source if source is None else source
        if not self._is_legal(entry, source, target):
            return []
        is_gone = target is None and unit.target != "" and was is not None
        has_state = target is not None and (
            entry.needs_review is not unit.is_open
            or (was is None and unit.state in UNTRANSLATED)
        )
        part, element, edits = unit.parts[0], unit.element, list[Edit]()
        if len(unit.parts) > 1:
            if source != unit.source or target not in (None, unit.target):
                has_state = True
            if has_state or is_gone:
                rows = self._segment(source, target, needs_review=entry.needs_review)
                text = (xml.lead(part.start) or "").join(rows)
                edits.append((part.start, unit.parts[-1].end, text))
            return edits
        old, old_target = part.find("source"), part.find("target")
        tags = {each.start: xml.tag(each) for each in (element, part)}
        if old and source != unit.source:
            content = self._content(source)
            edits.append(
                (old.start, old.end, f"{xml.tag(old)}{content}{self._end(old)}")
            )
        if is_gone and old_target:
            start = old_target.start - len(xml.lead(old_target.start))
            edits.append((start, old_target.end, ""))
        elif target is not None:
            tag = xml.tag(old_target) if old_target else f"<{self._prefix}target>"
            if has_state and self._is_2:
                tags[part.start] = _with_state(
                    tags[part.start], entry.needs_review, is_copy=target == source
                )
            elif has_state:
                approved = element.attributes.get("approved")
                if approved:
                    answer = "no" if entry.needs_review else "yes"
                    tags[element.start] = with_xml_attribute(
                        tags[element.start], "approved", answer
                    )
                if unit.state or not approved:
                    tag = with_xml_attribute(tag, "state", _state(entry.needs_review))
            content = self._content(target)
            if old_target is None:
                last = [*part.elements("source", "seg-source")][-1]
                lead = xml.lead(last.start)
                text = f"{lead}{tag}{content}</{self._prefix}target>"
                edits.append((last.end, last.end, text))
            else:
                if target == unit.target:
                    content = xml.raw(old_target.inner, old_target.close)
                text = f"{tag}{content}{self._end(old_target)}"
                edits.append((old_target.start, old_target.end, text))
        if entry.max_length not in (None, unit.max_length):
            tags[element.start] = self._with_length(tags[element.start], entry)
        for each in (element, part):
            if tags.get(each.start, xml.tag(each)) != xml.tag(each):
                edits.append((each.start, each.inner, tags.pop(each.start)))
        return edits

    def _new(
        self, entry: Entry, form: str, value: str | None, source: str | None
    ) -> str:
        """Return the lines of a new unit; "" if there is nothing to say."""
        target = value
        if self._document.is_source:
            is_same = source in (None, value) and not entry.needs_review
            source, target = (value, None) if is_same else (source or value, value)
        key = f"{entry.key}|==|plural.{form}" if form else entry.key
        is_empty = source is None and value is None
        if is_empty or not self._is_legal(entry, source, target, others=key):
            return ""
        if source is None and is_name(entry.key, self._separator):
            source = entry.key
        notes = []
        if entry.description and self._is_legal(entry, others=entry.description):
            name = f"{self._prefix}note"
            notes = [f"<{name}>{xml_text(entry.description)}</{name}>"]
        several, has_names = len(self._document.files) > 1, self._document.has_names
        is_id = not self._is_2 or re.fullmatch(r"[\w.:-]+", key, re.ASCII)
        attributes = xml_attribute("id", key if is_id else legal_key(key, ".", key))
        if has_names or not is_id:
            attributes += xml_attribute("name" if self._is_2 else "resname", key)
        if several or not (is_id or has_names):
            attributes += xml_attribute(*mark(is_2=self._is_2))
        if self._is_2:
            rows = self._nested("notes", notes) if notes else []
            rows += self._segment(source or "", target, needs_review=entry.needs_review)
            rows = self._nested("unit", rows, attributes)
        else:
            rows = self._texts(source or "", target, needs_review=entry.needs_review)
            rows = self._nested("trans-unit", [*rows, *notes], attributes)
        rows[0] = self._with_length(rows[0], entry)
        indent = self._indent if self._newline else ""
        return "".join(f"{indent}{row}{self._newline}" for row in rows)

    def _texts(
        self, source: str, target: str | None, *, needs_review: bool
    ) -> list[str]:
        """Return the rows of a source and a target."""
        names = f"{self._prefix}source", f"{self._prefix}target"
        rows = [f"<{names[0]}>{self._content(source)}</{names[0]}>"]
        if target is not None:
            tag = f"<{names[1]}>"
            if needs_review and not self._is_2:
                tag = with_xml_attribute(tag, "state", _state(needs_review))
            rows.append(f"{tag}{self._content(target)}</{names[1]}>")
        return rows

    def _segment(
        self, source: str, target: str | None, *, needs_review: bool
    ) -> list[str]:
        """Return the rows of a segment."""
        rows = self._texts(source, target, needs_review=needs_review)
        rows = self._nested("segment", rows)
        if needs_review and target is not None:
            rows[0] = _with_state(rows[0], needs_review, is_copy=target == source)
        return rows

    def _nested(self, name: str, rows: list[str], attributes: str = "") -> list[str]:
        """Return the rows of an element that has others."""
        inner = [f"{self._step}{row}" for row in rows]
        name = self._prefix + name
        return [f"<{name}{attributes}>", *inner, f"</{name}>"]

    def _content(self, text: str) -> str:
        return xml_of(text, self._prefix).replace("\n", self._xml.newline)

    def _end(self, element: XmlElement) -> str:
        end = self._xml.raw(element.close, element.end)
        return end or f"</{self._prefix}{element.name}>"

    def _with_length(self, tag: str, entry: Entry) -> str:
        if entry.max_length is None:
            return tag
        length = str(entry.max_length)
        if self._is_2:
            return with_xml_attribute(tag, self._size, length) if self._size else tag
        tag = with_xml_attribute(tag, "maxwidth", length)
        return with_xml_attribute(tag, "size-unit", "char")

    def _is_legal(self, entry: Entry, *texts: str | None, others: str = "") -> bool:
        """Return whether XML can hold the texts. Warns if not. XLIFF 2.x can hold all
        in a text, but not in ``others``."""
        texts = () if self._is_2 else texts
        found = NOT_XML.search("".join(filter(None, (*texts, others))))
        if found:
            told = f"XML cannot hold U+{ord(found[0]):04X}"
            name = entry.name or entry.key
            self.warnings.append(f"{name}: a text is left out, as {told}")
        return not found


def _state(needs_review: bool) -> str:
    return "needs-review-translation" if needs_review else "final"


def _with_state(tag: str, needs_review: bool, *, is_copy: bool) -> str:
    """Return the tag of a segment with its state."""
    tag = with_xml_attribute(tag, "state", "initial" if needs_review else "final")
    return with_xml_attribute(tag, *_PENDING) if needs_review and is_copy else tag


def _in_form(text: Text | None, form: str) -> str | None:
    """Return the text in a plural form; in "", that in the form other."""
    if isinstance(text, Mapping):
        return text.get(form or "other")
    return text if form in ("", "other") else None
