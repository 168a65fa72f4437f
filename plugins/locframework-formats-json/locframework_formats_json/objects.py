"""JSON formats of objects: json-nested, json-flat and json-i18next."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from posixpath import splitext
from typing import ClassVar, TypeGuard, cast

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    UnreadableFile,
    WrittenFile,
)

from .strict_json import (
    DEEPEST,
    Document,
    Json,
    Object,
    Repeating,
    encoded,
    members_in,
    numbered,
    parse,
    quoted,
)

Forms = dict[str, str | None]  # as a file has them; null: no text

FORMS = frozenset(PLURAL_FORMS)
_TEXTS = frozenset({str, type(None)})


def is_forms(value: Json) -> TypeGuard[dict[str, str]]:
    """Whether it is an object of texts by plural form, one at least."""
    return is_plural(value) and None not in value.values()


def is_plural(value: Json) -> TypeGuard[Forms]:
    """The same where a form may be null, which is to have no text."""
    return (
        isinstance(value, dict)
        and value != {}
        and FORMS.issuperset(value)
        and _TEXTS.issuperset(map(type, value.values()))
    )


def is_whole_plural(value: Json) -> TypeGuard[Forms]:
    """``is_plural`` with ``other`` among the forms, which every language has."""
    return isinstance(value, dict) and "other" in value and is_plural(value)


def is_never_plural(value: Json) -> TypeGuard[Forms]:
    """For formats that have no objects of forms."""
    return False


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
    """
    groups = {}
    for name in [name for name in names if name.endswith("_other")]:
        key = name.removesuffix("_other")
        if key not in names and _can_be_plural(key, separator):
            groups[key] = {
                form: f"{key}_{form}"
                for form in PLURAL_FORMS
                if f"{key}_{form}" in names
            }
    return groups


def _can_be_plural(key: str, separator: str) -> bool:
    """Ordinals, ``x_ordinal_other``, are left as they are; so is a bare ``_other``."""
    return key != "" and not key.endswith((separator, "_ordinal"))


IsPlural = Callable[[Json], TypeGuard[Forms]]
Said = str | Forms


class Leaves:
    """The entries of a document in file order, and beside each its member's number."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.keys: list[str] = []
        self.entries: list[Entry] = []
        self.members: list[int] = []

    def add(self, prefix: str, texts: Mapping[str, Said], first: int) -> int:
        """Append the texts and plurals of one object; the number after the last."""
        keys = [prefix + name for name in texts] if prefix else list(texts)
        values = texts.values()
        if _are_all_texts(values):  # most keys come this way
            end = first + len(keys)
            members: Sequence[int] = range(first, end)
            lines = self.document.lines[first:end]
            said: Iterable[Text | None] = cast(Iterable[str], values)
        else:
            sizes = [1 if type(value) is str else 1 + len(value) for value in values]
            *members, end = accumulate(sizes, initial=first)
            lines = [self.document.lines[member] for member in members]
            said = [self._said(*each) for each in zip(values, members, strict=True)]
        self.keys += keys
        self.members += members
        self.entries += [
            Entry(key, value, type(value) is not str, line=line)
            for key, value, line in zip(keys, said, lines, strict=True)
        ]
        return end

    def add_null(self, prefix: str, name: str, member: int) -> int:
        """Append a key that is named without a text; the number after its member."""
        self.document.tell_of_null(member, name)
        self.keys.append(prefix + name)
        self.members.append(member)
        line = self.document.lines[member]
        self.entries.append(Entry(prefix + name, line=line))
        return member + 1

    def _said(self, value: Said, member: int) -> Text | None:
        """The text, or the forms that are not null, if any."""
        if isinstance(value, str):
            return value
        for inner, (form, text) in enumerate(value.items(), start=member + 1):
            if text is None:
                self.document.tell_of_null(inner, form)
        return {form: text for form, text in value.items() if text is not None} or None

    def checked(self) -> list[Entry]:
        """The entries. UnreadableFile when the document has a fault."""
        if len(set(self.keys)) < len(self.keys):
            self._note_duplicates()
        self.document.refuse_faults()
        return self.entries

    def _note_duplicates(self) -> None:
        """Whole keys that are given twice, as ``a.b`` and as ``b`` in ``a``."""
        seen: set[str] = set()
        for key, member in zip(self.keys, self.members, strict=True):
            if key in seen:
                message = f"the key {quoted(key)} is given twice"
                self.document.fault(member, "duplicate", message)
            seen.add(key)


def as_texts(members: Object, is_plural: IsPlural) -> Mapping[str, Said] | None:
    """The object itself, when it holds nothing but texts and plurals."""
    if isinstance(members, Repeating):
        return None
    values = members.values()
    if _are_all_texts(values) or all(
        type(value) is str or is_plural(value) for value in values
    ):
        return cast(Mapping[str, Said], members)
    return None


def _are_all_texts(values: Iterable[object]) -> bool:
    return set(map(type, values)) <= {str}


def flatten(document: Document, separator: str, is_plural: IsPlural) -> Leaves:
    """All keys of the document; null is a key without a text, with a warning, and
    what is neither text nor object is noted as a fault.

    An object that ``is_plural`` is one key with its forms.
    """
    walk = _Walk(document, separator, is_plural)
    walk.take_object(document.members, "", 0)
    return walk.leaves


class _Walk:
    def __init__(self, document: Document, separator: str, is_plural: IsPlural) -> None:
        self.leaves = Leaves(document)
        self._separator = separator
        self._is_plural = is_plural

    def take_object(self, members: Object, prefix: str, first: int) -> int:
        """Take in one object; the number after its last member."""
        texts = as_texts(members, self._is_plural)
        if texts is not None:
            return self.leaves.add(prefix, texts, first)
        for name, value in members.items():
            first = self._take(value, prefix, name, first)
        return first

    def _take(self, value: Json, prefix: str, name: str, member: int) -> int:
        if isinstance(value, str) or self._is_plural(value):
            return self.leaves.add(prefix, {name: value}, member)
        if isinstance(value, (dict, Repeating)):
            inside = prefix + name + self._separator
            return self.take_object(value, inside, member + 1)
        if value is None:
            return self.leaves.add_null(prefix, name, member)
        self.leaves.document.fault_type(member, name, value)
        return member + 1 + members_in(value)


Node = dict[str, object]


class Tree:
    """Keys split on their separator, each part an object in the one before.

    A key that has no place in the tree, because a part of it is a key with a text of
    its own (``a`` beside ``a.b``) or because it would be nested too deep, keeps its
    whole name as a member of the top level: ``{"a": "…", "a.b": "…"}``. Names there
    that hold a separator cannot meet those that came from splitting, and read back
    as the same key (decisions 2.8).
    """

    def __init__(self, separator: str, texts: Mapping[str, object]) -> None:
        """Place every key with its value: a text, or an object of a plural's forms."""
        self.root: Node = {}
        self.nodes: dict[str, Node | None] = {}  # by the path; None: no room
        self.warnings: list[str] = []
        self._separator = separator
        self._keys = texts.keys()
        nodes = self.nodes
        for key, value in texts.items():
            path, found, name = key.rpartition(separator)
            node = nodes.get(path) if found else self.root
            if node is None:
                node = self._node_for(path, found)
            if node is None:
                self._put_whole(key, value, self._why(key))
            else:
                node[name] = value

    def flatten(self, path: str, why: str) -> None:
        """Give all texts of the object at ``path`` their whole names instead."""
        node = self.nodes[path]
        for name, value in node.items() if node else ():
            self._put_whole(path + self._separator + name, value, why)
        self.remove(path)

    def remove(self, path: str) -> None:
        """Take the object at ``path`` out of the tree."""
        above, found, name = path.rpartition(self._separator)
        node = self._node_for(above, found)
        if node is not None:
            del node[name]
        self.nodes[path] = None

    def _put_whole(self, key: str, value: object, why: str) -> None:
        self.root[key] = value
        self.warnings.append(f"{quoted(key)} keeps its whole name: {why}")

    def _node_for(self, path: str, found: str) -> Node | None:
        """The object at a path; the root when no separator was found."""
        if not found:
            return self.root
        if path not in self.nodes:
            self.nodes[path] = self._new_node(path)
        return self.nodes[path]

    def _new_node(self, path: str) -> Node | None:
        # the object itself, those around it, and a plural's forms below it
        if path in self._keys or path.count(self._separator) + 3 > DEEPEST:
            return None
        above, found, name = path.rpartition(self._separator)
        node = self._node_for(above, found)
        if node is None:
            return None
        node[name] = new = Node()
        return new

    def _why(self, key: str) -> str:
        path = key
        while self._separator in path:
            path = path.rpartition(self._separator)[0]
            if path in self._keys:
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
        document = parse(file.content)
    except UnreadableFile:
        return "json-nested" if extension else None
    if any(n == "@@locale" and isinstance(v, str) for n, v in document.members.items()):
        return "arb"
    if b"_other" in file.content and _has_suffixes(document):  # a quick look first
        return "json-i18next"
    return "json-flat" if _is_flat(document) else "json-nested"


def _has_suffixes(document: Document) -> bool:
    names = set(flatten(document, ".", is_never_plural).keys)
    return any(len(forms) > 1 for forms in plural_groups(names, ".").values())


def _is_flat(document: Document) -> bool:
    texts = as_texts(document.members, is_plural)
    return texts is not None and any(map(_SEGMENTED_KEY.fullmatch, texts))


class JsonFormat:
    """What the JSON formats have in common: an indent, and how files are recognized."""

    info: ClassVar[FormatInfo]

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file is of this format and no other here; see family_member."""
        return family_member(file) == self.info.id


class NestedJson(JsonFormat):
    """``{"cart": {"title": "Cart", "items": {"one": "…", "other": "…"}}}``.

    A key is split on the project's separator. An object that holds only plural forms,
    all of them texts and ``other`` among them, is one plural key. What the tree has no
    room for keeps its whole name at the top level, with a warning: see Tree.
    """

    info = FormatInfo(
        id="json-nested",
        name="JSON, nested",
        extension=".json",
        content_type="application/json",
    )

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        document = parse(file.content)
        leaves = flatten(document, options.key_separator, is_whole_plural)
        return [Catalogue(None, leaves.checked(), warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The tree. A plural without ``other`` says its last form there, and warns."""
        (catalogue,) = catalogues
        warnings: list[str] = []
        texts = whole_texts(catalogue.entries, warnings)
        tree = Tree(options.key_separator, texts)
        _part_from_plurals(tree)
        content = encoded(tree.root, self._indent)
        return WrittenFile(content, warnings + tree.warnings)


def _part_from_plurals(tree: Tree) -> None:
    """Flatten objects of ordinary keys that would be read as a plural."""
    for path, node in reversed(list(tree.nodes.items())):  # the inner ones first
        if node is None:
            continue
        if _looks_plural(node):
            tree.flatten(path, f"{path!r} would read as a plural")
        elif not node:
            tree.remove(path)


def _looks_plural(node: Node) -> bool:
    return (
        "other" in node
        and node.keys() <= FORMS
        and not any(isinstance(value, Mapping) for value in node.values())
    )


class FlatJson(JsonFormat):
    """``{"cart.title": "Cart", "cart.items": {"one": "…", "other": "…"}}``.

    Keys stand as they are, so none can clash, and an object can only be a plural,
    also where it lacks ``other``.
    """

    info = FormatInfo(
        id="json-flat",
        name="JSON, flat",
        extension=".json",
        content_type="application/json",
    )

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        document = parse(file.content)
        entries = _leaves(document).checked()
        return [Catalogue(None, entries, warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One object, in the order of the catalogue."""
        (catalogue,) = catalogues
        document: dict[str, Text] = {}
        for entry in catalogue.entries:
            if isinstance(entry.value, str):
                document[entry.key] = entry.value
            elif entry.value:
                document[entry.key] = in_order(entry.value)
        return WrittenFile(encoded(document, self._indent))


def _leaves(document: Document) -> Leaves:
    leaves = Leaves(document)
    texts = as_texts(document.members, is_plural)
    if texts is not None:
        leaves.add("", texts, 0)
        return leaves
    for member, name, value in numbered(document.members):
        if isinstance(value, str) or is_plural(value):
            leaves.add("", {name: value}, member)
        elif value is None:
            leaves.add_null("", name, member)
        elif isinstance(value, dict) and value:
            message = f"{quoted(name)} holds more than plural forms"
            document.fault(member, "type", message)
        elif not isinstance(value, (dict, Repeating)):
            document.fault_type(member, name, value)
    return leaves


class I18nextJson(JsonFormat):
    """``{"cart": {"title": "Cart", "items_one": "…", "items_other": "…"}}``.

    Names ``x_zero`` to ``x_other`` are the forms of the plural key ``x`` when
    ``x_other`` is among them and ``x`` is no text itself. Ordinals
    (``x_ordinal_one``) and contexts (``x_male``) are ordinary keys. What the tree has
    no room for keeps its whole name at the top level, where i18next finds it too.
    Source: i18next, JSON Format v4.
    """

    info = FormatInfo(
        id="json-i18next",
        name="JSON, i18next v4",
        extension=".json",
        content_type="application/json",
    )

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        separator = options.key_separator
        document = parse(file.content)
        leaves = flatten(document, separator, is_never_plural)
        entries = _grouped(leaves.checked(), separator)
        return [Catalogue(None, entries, warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The tree. What i18next cannot tell apart is written or left out as told.

        Left out, with a warning: a plural without ``other``, and an ordinary key that
        has the name of a form of a plural key. Written, with a warning: keys whose
        names will read as a plural (``x_other`` without ``x``), or the reverse.
        """
        (catalogue,) = catalogues
        warnings: list[str] = []
        texts = whole_texts(catalogue.entries, warnings)
        names = _suffixed(texts, warnings)
        _warn_of_lookalikes(texts, names, options.key_separator, warnings)
        tree = Tree(options.key_separator, names)
        content = encoded(tree.root, self._indent)
        return WrittenFile(content, warnings + tree.warnings)


def _grouped(entries: list[Entry], separator: str) -> list[Entry]:
    """The entries with forms put together, each key where its first name stood."""
    groups = plural_groups({entry.key for entry in entries}, separator)
    key_of = {name: key for key, forms in groups.items() for name in forms.values()}
    parts = {entry.key: entry for entry in entries if entry.key in key_of}
    plurals: dict[str, Entry] = {}  # by the name that stands first
    met: set[str] = set()
    for name, part in parts.items():
        key = key_of[name]
        if key not in met:
            met.add(key)
            said = {form: parts[each].value for form, each in groups[key].items()}
            forms = {form: text for form, text in said.items() if type(text) is str}
            plurals[name] = Entry(key, forms or None, is_plural=True, line=part.line)
    return [
        plurals.get(entry.key, entry)
        for entry in entries
        if entry.key not in parts or entry.key in plurals
    ]


def _suffixed(texts: dict[str, Text], warnings: list[str]) -> dict[str, str]:
    """Every name that will stand in the file, with its text."""
    names: dict[str, str] = {}
    for key, value in texts.items():
        if not isinstance(value, str):
            names.update({f"{key}_{form}": text for form, text in value.items()})
            continue
        base, _, form = key.rpartition("_")
        if form in FORMS and not isinstance(texts.get(base, ""), str):
            warnings.append(
                f"{quoted(key)} is left out: it is a form of the plural {quoted(base)}"
            )
        else:
            names[key] = value
    return names


def _warn_of_lookalikes(
    texts: dict[str, Text],
    names: dict[str, str],
    separator: str,
    warnings: list[str],
) -> None:
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
