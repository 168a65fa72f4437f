"""The format apple-xcstrings: string catalogs of Xcode, with all languages."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    Json,
    JsonLayout,
    JsonObject,
    SourceFile,
    Text,
    TreeContainer,
    TreeItem,
    TreeValue,
    UnreadableFile,
    WrittenFile,
    match_language,
    parse_json,
    quoted,
    unreadable,
)

_NEW = b"""{
  "sourceLanguage" : "en",
  "strings" : {

  },
  "version" : "1.0"
}"""
_REVIEW, _DONE = "needs_review", "translated"
Node = str | Mapping[str, "Node"]


def _object(value: Json, *names: str) -> JsonObject:
    """Return the object that an object has there, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, JsonObject) else None
    return value if isinstance(value, JsonObject) else JsonObject()


def _read_text(value: Json) -> tuple[Text | None, set[str]]:
    """Return the text of a localization, and the states of its units."""
    if "stringUnit" in _object(value):
        unit = _object(value, "stringUnit")
        text, state = unit.get("value"), str(unit.get("state"))
        return (text if isinstance(text, str) else None) or None, {state}
    plural = _object(value, "variations", "plural")
    found = {form: _read_text(plural[form]) for form in PLURAL_FORMS if form in plural}
    forms = {form: text for form, (text, _) in found.items() if isinstance(text, str)}
    return forms or None, {each for _, states in found.values() for each in states}


def _localization(text: Text, state: str) -> dict[str, Node]:
    """Return what Xcode has for a text."""
    if isinstance(text, str):
        return {"stringUnit": {"state": state, "value": text}}
    forms = {form: _localization(text[form], state) for form in sorted(text)}
    return {"variations": {"plural": forms}}


class _Catalog(JsonLayout):
    """A catalog in the layout of Xcode, which texts are written into."""

    def __init__(self, content: bytes, read: Sequence[Catalogue]) -> None:
        """Raise UnreadableFile if it is none. ``read``: its texts."""
        super().__init__(content)
        self.warnings: list[str] = []
        self._source = read[0].language_code or ""
        self._old = {c.language_code or "": {e.key: e for e in c.entries} for c in read}

    def spelled(self, value: object, old: str = "") -> str:
        """As Xcode does: an object without members has an empty line."""
        if value != {}:
            return super().spelled(value, old)
        newline = self.file.newline
        return f"{{{newline}{newline}{self._unit * 2}}}"

    def put(self, container: TreeContainer, name: str, node: Node) -> None:
        """Add a member behind those that come before it in the alphabet."""
        before = [item for item in container.items if item.name < name]
        behind = before[-1].after if before else container.added
        if container.items and not before:
            behind = container.items[0].before
        self.add(container, behind, name, node)

    def merge(
        self, container: TreeContainer, new: Mapping[str, Node], *, keeps: bool
    ) -> None:
        """Give a localization another text. ``keeps``: it stays in its states."""
        for name, node in new.items():
            item = container.child(name)
            if item is None:
                self.put(container, name, node)
            elif isinstance(node, str):
                if name != "state" or not keeps:
                    self.set_text(item, node)
            elif isinstance(item.value, TreeContainer):
                self.merge(item.value, node, keeps=keeps)
                for form in item.value.items if name == "plural" else ():
                    form.is_removed = form.name not in node

    def update(self, catalogues: Sequence[Catalogue]) -> None:
        """Give the catalog these texts."""
        wanted: dict[str, dict[str, Entry]] = {}
        for one in catalogues:
            code = one.language_code or self._source
            own = frozenset((code,))
            same = [each for each in self._old if match_language(each, own)]
            code = code if code in self._old else (same or [code])[0]
            for entry in one.entries:
                wanted.setdefault(entry.key, {})[code] = entry
        item = self.root.child("strings")
        assert item is not None
        strings = self._members(item)
        behind = strings.added
        for key, entries in wanted.items():
            item = strings.child(key)
            if item is not None:
                strings.place_added(item)
                behind = item.after
            elif any(entry.value for entry in entries.values()):
                item = self.add(strings, behind, key, {})
            if item is not None:
                self._update_key(item, entries)
        for key in {key for old in self._old.values() for key in old} - wanted.keys():
            if item := strings.child(key):
                item.is_removed = True

    def _update_key(self, item: TreeItem, entries: Mapping[str, Entry]) -> None:
        texts = {code: entry for code, entry in entries.items() if entry.value}
        flag = _child(item, "shouldTranslate")
        if flag and isinstance(flag.value, TreeValue) and flag.value.raw == "false":
            if texts:
                self.warnings.append(f"{item.name} is left out: it is not translated")
            return
        comment = next((e.description for e in entries.values() if e.description), "")
        known = [old[item.name] for old in self._old.values() if item.name in old]
        if comment and not any(e.description.startswith(comment) for e in known):
            self.merge(self._members(item), {"comment": comment}, keeps=True)
        for code in sorted(entries):
            self._localize(item, code, entries[code])
        value = item.value
        has_lost = isinstance(value, TreeContainer) and value.items
        if texts and has_lost and not self._prune(self._members(item)):
            item.value = TreeValue(self.spelled({}))

    def _localize(self, item: TreeItem, code: str, entry: Entry) -> None:
        """Give a key another text in a language."""
        old, value = self._old.get(code, {}).get(item.name), entry.value
        is_plain = old is not None and isinstance(old.value, str)
        if is_plain and isinstance(value, Mapping) and [*value] == ["other"]:
            value = value["other"]
        state = _REVIEW if entry.needs_review else _DONE
        localizations = _child(item, "localizations")
        known = localizations and _child(localizations, code)
        keeps = old is not None and old.needs_review is entry.needs_review
        is_key = code == self._source and value == item.name and state == _DONE
        if (old and keeps and old.value == value) or (is_key and not known):
            return
        if not value:
            if known and old:
                known.is_removed = True
            return
        if isinstance(value, Mapping) and "other" not in value:
            told = "has no text for 'other', which is needed"
            self.warnings.append(f"{item.name} {told}")
        new = _localization(value, state)
        if known is None:
            new = {"localizations": {code: new}}
            self.merge(self._members(item), new, keeps=False)
        elif not _child(known, "stringUnit") and old is None:
            told = f"is left out in {code}: it has texts for devices"
            self.warnings.append(f"{item.name} {told}")
        elif isinstance(value, str) is (_child(known, "stringUnit") is not None):
            self.merge(self._members(known), new, keeps=keeps)
        else:
            self.fill(self.set_container(known, is_array=False), new)

    def _members(self, item: TreeItem) -> TreeContainer:
        """Return the members of an object, which another value becomes."""
        if isinstance(item.value, TreeContainer):
            return item.value
        return self.set_container(item, is_array=False)


def _child(item: TreeItem, name: str) -> TreeItem | None:
    return item.value.child(name) if isinstance(item.value, TreeContainer) else None


class Xcstrings:
    """Strings with a localization for each language, and a comment.

    A key without one in the source language is its own text. Keys that are not to be
    translated, and texts for devices and substitutions, are the template's.
    """

    info = FormatInfo(
        id="apple-xcstrings",
        name="Apple string catalog",
        extension=".xcstrings",
        content_type="application/json",
        comments=True,
        multilingual=True,
        marks_unreviewed=True,
        family="xcstrings",
        placeholders="objc",
        limits=("texts for devices", "substitutions"),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name has the extension, and the file names its language."""
        is_named = file.name.lower().endswith(self.info.extension)
        return is_named and b'"sourceLanguage"' in file.content

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue for each language, that of the source language first. Raises
        UnreadableFile."""
        document = parse_json(file.content)
        source, strings = map(document.members.get, ("sourceLanguage", "strings"))
        if not isinstance(source, str) or not isinstance(strings, JsonObject):
            told = "the file has no sourceLanguage, or no strings"
            raise unreadable(1, "type", told)
        found: dict[str, list[Entry]] = {source: []}
        for line, key, each in strings.numbered():
            members, localizations = _object(each), _object(each, "localizations")
            if not key or members.get("shouldTranslate") is False:
                continue
            texts = {code: _read_text(each) for code, each in localizations.items()}
            texts.setdefault(source, (key, set()))
            comment = members.get("comment")
            for code, (text, states) in texts.items():
                is_open = _REVIEW in states or ("new" in states and code != source)
                entry = Entry(
                    key,
                    text,
                    not isinstance(text, str),
                    comment if isinstance(comment, str) else "",
                    needs_review=is_open,
                    line=line,
                )
                if text:
                    found.setdefault(code, []).append(entry)
            others = [_object(each) for each in localizations.values()]
            devices = [_object(each, "variations", "device") for each in others]
            if any(devices) or any("substitutions" in each for each in others):
                told = "has texts for devices, or substitutions: they are left out"
                document.warn(line, f"{quoted(key)} {told}")
        document.raise_any()
        every = [Catalogue(code, entries) for code, entries in found.items()]
        return [replace(every[0], warnings=document.warnings), *every[1:]]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with a localization for each catalogue. The language of the first
        is the source language of a new file."""
        template, source = catalogues[0].template, catalogues[0].language_code
        catalog = _Catalog(_NEW, [Catalogue(source, [])])
        if language := catalog.root.child("sourceLanguage"):
            catalog.set_text(language, source or "")
        with suppress(UnreadableFile):  # it is no catalog any more
            read = self.read(SourceFile("", template or b""), options)
            catalog = _Catalog(template or b"", read)
        catalog.update(catalogues)
        return WrittenFile(catalog.content(), catalog.warnings)
