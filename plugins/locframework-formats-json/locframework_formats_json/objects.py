"""JSON formats of objects: json-nested, json-flat and json-i18next."""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from posixpath import splitext
from typing import ClassVar, TypeGuard

import msgspec

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    WrittenFile,
)

from .strict_json import DEEPEST, Document, Object, encoded, parse, quoted

FORMS = frozenset(PLURAL_FORMS)
_TEXTS = frozenset({str, type(None)})

Forms = dict[str, str | None]  # as a file has them; null: no text
IsPlural = Callable[[Mapping[str, object]], bool]


def is_plural(value: object) -> TypeGuard[Forms]:
    """Whether it is an object of texts or nulls by plural form, one at least."""
    return (
        isinstance(value, dict)
        and value != {}
        and FORMS.issuperset(value)
        and _TEXTS.issuperset(map(type, value.values()))
    )


def in_order(forms: Mapping[str, str]) -> dict[str, str]:
    """The same forms in the order zero, one, two, few, many, other."""
    return {form: forms[form] for form in PLURAL_FORMS if form in forms}


def whole_texts(entries: Iterable[Entry], warnings: list[str]) -> dict[str, Text]:
    """The text of each key that has one, plural forms in order.

    For the formats in which only ``other`` makes a plural. One without it (gettext's
    Polish has none) says there what its last form says, with a warning: clients find a
    message, and nothing is lost.
    """
    texts: dict[str, Text] = {}
    for entry in entries:
        value = entry.value
        if type(value) is str:
            texts[entry.key] = value
        elif isinstance(value, Mapping) and value:
            forms = in_order(value)
            last = next(reversed(forms))
            if last != "other":
                forms["other"] = forms[last]
                told = f"has no text for 'other', so that for '{last}' stands there too"
                warnings.append(f"{quoted(entry.key)} {told}")
            texts[entry.key] = forms
    return texts


def plural_groups(names: Collection[str], separator: str) -> dict[str, dict[str, str]]:
    """Which names are the forms of one plural key: key to form to name.

    ``x_zero`` to ``x_other``, when ``x_other`` is there and ``x`` itself is not.
    Ordinals, ``x_ordinal_other``, are left as they are; so is a bare ``_other``.
    """
    groups = {}
    for name in [name for name in names if name.endswith("_other")]:
        key = name.removesuffix("_other")
        if key in names or not key or key.endswith((separator, "_ordinal")):
            continue
        forms = {form: f"{key}_{form}" for form in PLURAL_FORMS}
        groups[key] = {form: each for form, each in forms.items() if each in names}
    return groups


def flatten(
    document: Document, separator: str | None, is_plural: IsPlural
) -> list[Entry]:
    """The keys of the document in file order, names joined with the separator.

    An object that ``is_plural`` is one key with its forms, and null a key without a
    text, with a warning. Noted as faults are keys given twice and what is neither text
    nor object; without a separator, so are objects that are no plural.
    """
    entries: list[Entry] = []

    def add(members: Object, prefix: str) -> None:
        for line, name, value in members.numbered():
            key = prefix + name
            if isinstance(value, str):
                entries.append(Entry(key, value, line=line))
            elif value is None:
                document.tell_of_null(line, name)
                entries.append(Entry(key, line=line))
            elif not isinstance(value, Object):
                document.fault_type(line, name, value)
            elif is_plural(value):
                forms = _forms(document, value) or None
                entries.append(Entry(key, forms, is_plural=True, line=line))
            elif separator is not None:
                add(value, key + separator)
            elif value:
                message = f"{quoted(name)} holds more than plural forms"
                document.fault(line, "type", message)

    add(document.members, "")
    note_duplicates(document, entries)
    return entries


def _forms(document: Document, value: Object) -> dict[str, str]:
    for line, form, text in value.numbered():
        if text is None:
            document.tell_of_null(line, form)
    return {form: text for form, text in value.items() if isinstance(text, str)}


def note_duplicates(document: Document, entries: Sequence[Entry]) -> None:
    """Note keys that are given twice, as ``a.b`` and as ``b`` in ``a``."""
    seen: set[str] = set()
    for entry in entries:
        if entry.key in seen:
            message = f"the key {quoted(entry.key)} is given twice"
            document.fault(entry.line or 1, "duplicate", message)
        seen.add(entry.key)


Node = dict[str, object]


class Tree:
    """Keys split on their separator, each part an object in the one before.

    A key that has no place in the tree, because a part of it is a key with a text of
    its own (``a`` beside ``a.b``) or because it would be nested too deep, keeps its
    whole name as a member of the top level: ``{"a": "…", "a.b": "…"}``. Names there
    that hold a separator cannot meet those that came from splitting, and read back
    as the same key (decisions 2.8).
    """

    def __init__(
        self, separator: str, texts: Mapping[str, object], warnings: list[str]
    ) -> None:
        """Place every key with its value: a text, or an object of a plural's forms."""
        self.root: Node = {}
        self._nodes: dict[str, Node | None] = {}  # by the path; None: no room
        self._separator = separator
        self._texts = texts
        self._warnings = warnings
        for key, value in texts.items():
            path, found, name = key.rpartition(separator)
            node = self._node(path) if found else self.root
            if node is None:
                self._put_whole(key, value, self._why(key))
            else:
                node[name] = value

    def part_from_plurals(self) -> None:
        """Give keys their whole names where their object would read as a plural."""
        for path, node in reversed(list(self._nodes.items())):  # the inner ones first
            if node is None:
                continue
            if "other" in node and is_plural(node):
                for name, value in node.items():
                    key = path + self._separator + name
                    self._put_whole(key, value, f"{path!r} would read as a plural")
                node.clear()
            if not node:
                above, found, name = path.rpartition(self._separator)
                around = self._nodes[above] if found else self.root
                if around is not None:
                    del around[name]

    def _put_whole(self, key: str, value: object, why: str) -> None:
        self.root[key] = value
        self._warnings.append(f"{quoted(key)} keeps its whole name: {why}")

    def _node(self, path: str) -> Node | None:
        """The object at a path, None where there is no room for one."""
        if path not in self._nodes:
            above, found, name = path.rpartition(self._separator)
            # the object itself, those around it, and a plural's forms below it
            is_deep = path.count(self._separator) + 3 > DEEPEST
            if is_deep or path in self._texts:
                around = None
            else:
                around = self._node(above) if found else self.root
            node: Node | None = None
            if around is not None:
                around[name] = node = {}
            self._nodes[path] = node
        return self._nodes[path]

    def _why(self, key: str) -> str:
        path = key
        while self._separator in path:
            path = path.rpartition(self._separator)[0]
            if path in self._texts:
                return f"{quoted(path)} is a text itself"
        return f"it would be nested deeper than {DEEPEST}"


_SEGMENTED_KEY = re.compile(r"[A-Za-z0-9_-]+([.:/|][A-Za-z0-9_-]+)+")


def family_member(file: SourceFile) -> str | None:
    """The id of the format that claims the file; None when it is none of ours.

    - arb: named ``.arb``, or a text ``@@locale`` at the top level;
    - json-i18next: some ``x_other`` beside another form of ``x``. A file with
      ``x_other`` alone, as Japanese has it, is not surely one: name the format;
    - json-flat: nothing but texts and plurals at the top level, and a name made of
      segments, ``cart.title``;
    - json-nested: everything else named ``.json``, readable or not, for then its
      Problems tell more than "unknown format" would.

    A file that has no extension is judged by its content alone.
    """
    extension = splitext(file.name.lower())[1]
    if extension == ".arb":
        return "arb"
    if extension not in (".json", ""):
        return None
    try:
        members = msgspec.json.decode(file.content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        return "json-nested" if extension else None
    if isinstance(members.get("@@locale"), str):
        return "arb"
    if b"_other" in file.content and _has_suffixes(members):  # a quick look first
        return "json-i18next"
    are_texts = all(isinstance(v, str) or is_plural(v) for v in members.values())
    is_flat = are_texts and any(map(_SEGMENTED_KEY.fullmatch, members))
    return "json-flat" if is_flat else "json-nested"


def _has_suffixes(members: Mapping[str, object]) -> bool:
    texts = {name for name, value in members.items() if type(value) in _TEXTS}
    return any(len(forms) > 1 for forms in plural_groups(texts, ".").values()) or any(
        _has_suffixes(value) for value in members.values() if isinstance(value, dict)
    )


class JsonFormat:
    """What the JSON formats have in common: how files are recognized, read, written."""

    info: ClassVar[FormatInfo]

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file is of this format and no other here; see family_member."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile with a Problem for each fault."""
        document = parse(file.content)
        catalogue = self.catalogue_of(document, options.key_separator)
        document.refuse_faults()
        return [catalogue]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One object of the one catalogue."""
        (catalogue,) = catalogues
        warnings: list[str] = []
        document = self.document_of(catalogue, options.key_separator, warnings)
        return WrittenFile(encoded(document, self._indent), warnings)

    def catalogue_of(self, document: Document, separator: str) -> Catalogue:
        """The catalogue in a document; notes faults. No language: files do not tell."""
        entries = self.entries_of(document, separator)
        return Catalogue(None, entries, warnings=document.warnings)

    def entries_of(self, document: Document, separator: str) -> list[Entry]:
        """The entries in a document; notes faults."""
        raise NotImplementedError

    @abstractmethod
    def document_of(
        self, catalogue: Catalogue, separator: str, warnings: list[str]
    ) -> Mapping[str, object]:
        """The object that is written; adds warnings."""


class NestedJson(JsonFormat):
    """``{"cart": {"title": "Cart", "items": {"one": "…", "other": "…"}}}``.

    A key is split on the project's separator. An object that holds only plural forms,
    all of them texts and ``other`` among them, is one plural key. What the tree has no
    room for keeps its whole name at the top level, with a warning: see Tree. A plural
    without ``other`` is written with its last form there, and a warning.
    """

    info = FormatInfo(
        "json-nested", "JSON, nested", ".json", "application/json", precedence=1
    )

    def entries_of(self, document: Document, separator: str) -> list[Entry]:
        """The leaves of the tree."""
        return flatten(document, separator, lambda v: "other" in v and is_plural(v))

    def document_of(
        self, catalogue: Catalogue, separator: str, warnings: list[str]
    ) -> Mapping[str, object]:
        """The tree."""
        texts = whole_texts(catalogue.entries, warnings)
        tree = Tree(separator, texts, warnings)
        tree.part_from_plurals()
        return tree.root


class FlatJson(JsonFormat):
    """``{"cart.title": "Cart", "cart.items": {"one": "…", "other": "…"}}``.

    Keys stand as they are, so none can clash, and an object can only be a plural,
    also where it lacks ``other``.
    """

    info = FormatInfo("json-flat", "JSON, flat", ".json", "application/json")

    def entries_of(self, document: Document, separator: str) -> list[Entry]:
        """The members of the one object."""
        return flatten(document, None, is_plural)

    def document_of(
        self, catalogue: Catalogue, separator: str, warnings: list[str]
    ) -> Mapping[str, object]:
        """One object, in the order of the catalogue."""
        return {
            entry.key: value if isinstance(value, str) else in_order(value)
            for entry in catalogue.entries
            if (value := entry.value) or value == ""
        }


class I18nextJson(JsonFormat):
    """``{"cart": {"title": "Cart", "items_one": "…", "items_other": "…"}}``.

    Names ``x_zero`` to ``x_other`` are the forms of the plural key ``x`` when
    ``x_other`` is among them and ``x`` is no text itself. Ordinals
    (``x_ordinal_one``) and contexts (``x_male``) are ordinary keys. What the tree has
    no room for keeps its whole name at the top level, where i18next finds it too.
    Source: i18next, JSON Format v4.
    """

    info = FormatInfo(
        "json-i18next", "JSON, i18next v4", ".json", "application/json", precedence=2
    )

    def entries_of(self, document: Document, separator: str) -> list[Entry]:
        """The leaves of the tree, forms put together where the first of them stood."""
        entries = flatten(document, separator, lambda _: False)
        groups = plural_groups({entry.key for entry in entries}, separator)
        key_of = {name: key for key, forms in groups.items() for name in forms.values()}
        values = {entry.key: entry.value for entry in entries if entry.key in key_of}
        grouped: dict[str, Entry] = {}
        for entry in entries:
            key = key_of.get(entry.key)
            if key is None:
                grouped[entry.key] = entry
            elif key not in grouped:
                said = {form: values[name] for form, name in groups[key].items()}
                forms = {form: text for form, text in said.items() if type(text) is str}
                grouped[key] = Entry(key, forms or None, True, line=entry.line)
        return list(grouped.values())

    def document_of(
        self, catalogue: Catalogue, separator: str, warnings: list[str]
    ) -> Mapping[str, object]:
        """The tree. What i18next cannot tell apart is written or left out as told.

        Left out, with a warning: an ordinary key that has the name of a form of a
        plural key. Written, with a warning: keys whose names will read as a plural
        (``x_other`` without ``x``), or the reverse.
        """
        texts = whole_texts(catalogue.entries, warnings)
        names: dict[str, str] = {}
        for key, value in texts.items():
            if not isinstance(value, str):
                names.update({f"{key}_{form}": text for form, text in value.items()})
                continue
            base, _, form = key.rpartition("_")
            if form in FORMS and not isinstance(texts.get(base, ""), str):
                told = f"is left out: it is a form of the plural {quoted(base)}"
                warnings.append(f"{quoted(key)} {told}")
            else:
                names[key] = value
        groups = plural_groups(names, separator)
        for key, forms in groups.items():
            if isinstance(texts.get(key, ""), str):
                warnings += [
                    f"{quoted(name)} will read as a form of the plural {quoted(key)}"
                    for name in forms.values()
                ]
        for key, value in texts.items():
            if not isinstance(value, str) and key not in groups:
                warnings.append(f"the plural {quoted(key)} will read as ordinary keys")
        return Tree(separator, names, warnings).root
