"""Turns nested objects into whole keys with their lines, and keys into objects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TypeGuard, cast

from locframework.ports import Entry, Text

from .plurals import Forms
from .strict_json import DEEPEST, Document, Json, Object, Repeating, members_in, quoted

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
