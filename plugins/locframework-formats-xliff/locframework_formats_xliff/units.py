"""The units of an XLIFF file: what they are called, their texts and their states."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from locframework.ports import (
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    Text,
    XmlElement,
    XmlFile,
    common_plural_forms,
    is_legal_key,
    locale_tag,
    match_language,
    quoted,
    unreadable,
)

from .inline import NotInline, text_of

SIZES = "urn:oasis:names:tc:xliff:sizerestriction:2.0"
UNTRANSLATED = {"new", "needs-translation", "initial"}
_OPEN = UNTRANSLATED | {
    *("needs-adaptation", "needs-l10n", "needs-review-translation"),
    *("needs-review-adaptation", "needs-review-l10n"),
}
_NO_COMMENT = "No comment provided by engineer."  # of Xcode, as is the next one
_PLURAL = re.compile(r"(.+)\|==\|plural\.(zero|one|two|few|many|other)", re.DOTALL)


class Unit(Struct, gc=False):
    """A text of the file."""

    key: str
    form: str  # plural form, or ""
    element: XmlElement
    parts: list[XmlElement]  # segments of XLIFF 2.x, and what is between; or the unit
    source: str
    target: str
    max_length: int | None

    @property
    def id(self) -> str:
        """What no other text of the file has."""
        return f"{self.key}\0{self.form}"

    @property
    def state(self) -> str | None:
        """The state that the file says; of several segments the first that is open."""
        holders = [e for part in self.parts for e in (part.find("target"), part) if e]
        states = [e.attributes["state"] for e in holders if "state" in e.attributes]
        return next((one for one in states if one in _OPEN), next(iter(states), None))

    @property
    def is_open(self) -> bool:
        """Whether the file says that the text is not approved."""
        if self.state is None:
            return self.element.attributes.get("approved") == "no"
        return self.state in _OPEN

    @property
    def description(self) -> str:
        """What the file says to translators, but for where the text is used."""
        holders = (self.element, *self.element.elements("notes"))
        notes = [
            note.text().strip()
            for holder in holders
            for note in holder.elements("note")
            if note.attributes.get("category") != "location"
        ]
        return "\n".join(note for note in notes if note not in ("", _NO_COMMENT))


class Document(Struct):
    """An XLIFF file that was read."""

    xml: XmlFile
    files: list[XmlElement]
    source_language: str
    target_language: str | None
    has_own_source: bool  # in the source language of the project
    is_source: bool = False  # its texts are the source texts, and no translations
    has_names: bool = False  # all units have one, which is the key
    units: list[Unit] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    @classmethod
    def of(cls, content: bytes, options: FileOptions) -> "Document":
        """Return the file. Raises UnreadableFile where it is no XLIFF; other faults are
        noted."""
        xml = XmlFile.of(content)
        if xml.root.name != "xliff":
            raise unreadable(xml.root.line, "root", "the root element is not <xliff>")
        files = list(xml.root.elements("file"))
        own = options.source_language
        holders = [xml.root, *files]
        source = _language(holders, "source-language", "srcLang") or own
        target = _language(holders, "target-language", "trgLang")
        # not as files are matched with languages: "en" is no source text in en-GB
        is_own = match_language(own, frozenset({source})) is not None
        made = cls(xml, files, source, target, is_own)
        made.units = list(made._units())
        known = {source}
        if target is None and all(u.target in ("", u.source) for u in made.units):
            target, known = options.language_code or source, {source, own}
        if target is not None:
            made.is_source = match_language(target, frozenset(known)) is not None
        return made

    @property
    def version(self) -> str:
        """What it says: ``1.2``."""
        return self.xml.root.attributes.get("version", "")

    @property
    def is_2(self) -> bool:
        """Whether its units have segments."""
        return self.version.startswith("2")

    def value_of(self, unit: Unit) -> str | None:
        """Return the text of a unit in the language of the file. A copy of the source
        text that waits for a translation is none."""
        if self.is_source:
            return unit.target or unit.source or None
        is_copy = unit.target == unit.source and unit.state in UNTRANSLATED
        if is_copy and "subState" not in unit.parts[0].attributes:
            return None
        return unit.target or None

    def is_marked(self, element: XmlElement) -> bool:
        """Whether a unit says that its name is the key; see ``mark``."""
        name, value = mark(is_2=self.is_2)
        return element.attributes.get(name) == value

    def counts_characters(self, file: XmlElement) -> bool:
        """Whether sizes in XLIFF 2.x are numbers of characters."""
        profiles = file.find(f"{SIZES} profiles")
        its = profiles.attributes if profiles else {}
        return its.get("generalProfile") == "xliff:codepoints"

    def _units(self) -> Iterator[Unit]:
        """Yield the units that are to be translated. Notes what is left out."""
        found = [(f, e) for f in self.files for e in _elements_of(f)]
        name = "name" if self.is_2 else "resname"
        others = [e for _, e in found if not self.is_marked(e)]
        names = Counter(e.attributes.get(name) for e in others)
        self.has_names = bool(names) and None not in names
        counts = {file.start: self.counts_characters(file) for file in self.files}
        seen: dict[str, Unit] = {}
        for file, element in found:
            its_name, its_id = map(element.attributes.get, (name, "id"))
            if self.is_marked(element):
                key = its_name or its_id
            else:
                key = its_name if self.has_names else its_id
                is_unique = self.has_names and names[its_name] == 1
                if key and len(self.files) > 1 and not is_unique:
                    ids = map(file.attributes.get, ("original", "id"))
                    key = f"{next(filter(None, ids), '')}:{key}"
            try:
                unit = self._unit(key or "", element, has_sizes=counts[file.start])
            except NotInline as fault:
                told = f"{quoted(key or '')} is left out: {fault}"
                self.faults.warn(element.line, told)
                continue
            same = seen.setdefault(unit.id, unit)
            if same is unit:
                yield unit
            else:
                told = f"{quoted(unit.key)} is left out: it is on line"
                self.faults.warn(element.line, f"{told} {same.element.line} too")

    def _unit(self, key: str, element: XmlElement, *, has_sizes: bool) -> Unit:
        """Return the unit. Raises NotInline."""
        parts = [*element.elements("segment", "ignorable")] if self.is_2 else [element]
        its = element.attributes
        has_sources = all(part.find("source") for part in parts)
        if not key or not has_sources or all(p.name == "ignorable" for p in parts):
            raise NotInline("it has no id, or no source")
        sources = [_text(part, "source") for part in parts]
        targets = [_text(part, "target") for part in parts]
        if not all(t for t, p in zip(targets, parts, strict=True) if p.name[0] != "i"):
            targets = []  # some segments are not translated
        plural = _PLURAL.fullmatch(key)
        length = its.get("maxwidth") if its.get("size-unit") == "char" else None
        if has_sizes:
            sizes = (v for n, v in its.items() if n.startswith(f"{SIZES} sizeRes"))
            length = next(sizes, "").rpartition(",")[2].strip()
        is_number = length is not None and re.fullmatch("[1-9][0-9]{0,5}", length)
        return Unit(
            key=plural[1] if plural else key,
            form=plural[2] if plural else "",
            element=element,
            parts=parts,
            source="".join(sources),
            # what is between segments need not have a target
            target="".join(t or s for t, s in zip(targets, sources, strict=False)),
            max_length=int(length) if length and is_number else None,
        )


def mark(*, is_2: bool) -> tuple[str, str]:
    """Return the attribute of a unit whose name, or else id, is the key: one that would
    otherwise be read as another key's."""
    if is_2:
        return "type", "locframework:key"
    return "restype", "x-locframework-key"


def _language(holders: Sequence[XmlElement], *names: str) -> str | None:
    """Return the language that a file names in these attributes."""
    codes = {
        locale_tag(code): holder.line
        for holder in holders
        for name in names
        if (code := holder.attributes.get(name))
    }
    if len(codes) > 1:
        told = f"{names[0]} is {' and '.join(map(str, codes))}: send a file for each"
        raise unreadable(max(codes.values()), "language", told)
    return next(iter(codes), None)


def _elements_of(holder: XmlElement) -> Iterator[XmlElement]:
    """Yield the units to be translated, of a file and its groups."""
    for child in holder.elements("body", "group", "trans-unit", "unit"):
        if child.attributes.get("translate") != "no":
            if child.name in ("body", "group"):
                yield from _elements_of(child)
            else:
                yield child


def _text(part: XmlElement, name: str) -> str:
    element = part.find(name)
    try:
        return text_of(element.children) if element else ""
    except NotInline as fault:
        raise NotInline(f"<{fault}> is no inline element") from None


def is_name(text: str, separator: str) -> bool:
    """Whether it looks like a name of a text, as ``cart.title`` does."""
    return is_legal_key(text, separator) and (separator in text or "_" in text)


def catalogue_of(document: Document, options: FileOptions) -> Catalogue:
    """Return what a file says. Raises UnreadableFile."""
    units: dict[str, list[Unit]] = {}
    for unit in document.units:
        its = units.setdefault(unit.key, [])
        its.append(unit)
        if bool(unit.form) != bool(its[0].form):
            told = f"of {quoted(unit.key)}, only some units have a plural form"
            document.faults.add(unit.element.line, "duplicate", told)
    document.faults.raise_any()
    own, code = options.source_language, document.target_language
    if document.is_source:
        is_own = document.has_own_source or options.language_code == own
        code = own if is_own else document.source_language
    entries = [_entry(document, key, its, options) for key, its in units.items()]
    return Catalogue(code, entries, warnings=document.faults.warnings)


def _entry(
    document: Document, key: str, units: list[Unit], options: FileOptions
) -> Entry:
    first = units[0]
    values = {u.form: its for u in units if (its := document.value_of(u))}
    usual = {"", "other", *common_plural_forms(options.source_language)}
    sources = {
        unit.form: unit.source
        for unit in units
        if unit.source
        and unit.form in usual
        and document.has_own_source
        and not (unit.source == key and is_name(key, options.key_separator))
        and not (document.is_source and unit.source == values.get(unit.form))
    }

    def text(texts: dict[str, str]) -> Text | None:
        return (texts or None) if first.form else texts.get("")

    return Entry(
        key,
        text(values),
        is_plural=bool(first.form),
        description=first.description,
        source=text(sources),
        needs_review=any(u.target and u.is_open for u in units if u.form in values),
        line=first.element.line,
        max_length=first.max_length,
    )
