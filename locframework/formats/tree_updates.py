"""Places keys in the tree of a file, a new one or one that was there before."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .records import PLURAL_FORMS, Detail, Entry
from .text_files import Faults, quoted
from .tree_files import (
    MOST_POSITIONS,
    TREE_DEPTH,
    TreeContainer,
    TreeFile,
    TreeItem,
    TreePath,
    TreeValue,
    is_forbidden,
    tree_position,
)

FORMS = frozenset(PLURAL_FORMS)
PLAIN_PART = re.compile("[A-Za-z0-9_-]+")  # of a key that is no sentence
TREE_PATH = "path"  # Entry.key_detail: where the key stands, ["list", 0]


def kept_in(detail: Detail | None, family: str) -> Mapping[str, object]:
    """What the detail keeps for this family of formats."""
    kept = (detail or {}).get(family)
    return kept if isinstance(kept, Mapping) else {}


def known_path(entry: Entry, family: str, separator: str) -> TreePath | None:
    """Where a file had this key; None when none says, or the key has another name."""
    found = kept_in(entry.key_detail, family).get(TREE_PATH)
    if not isinstance(found, Sequence) or not found or type(found[0]) is not str:
        return None
    path = tuple(part for part in found if type(part) is int or isinstance(part, str))
    is_it = len(path) == len(found) and tree_key(path, separator) == entry.key
    return path if is_it else None


def tree_place(family: str, entry: Entry, separator: str) -> tuple[TreePath, bool]:
    """Where a key stands in a file, and whether a file had it there."""
    path = known_path(entry, family, separator)
    if path is not None:
        return path, True
    parts = tuple(entry.key.split(separator))
    if entry.is_file_key and not all(map(PLAIN_PART.fullmatch, parts)):
        return (entry.key,), False
    return parts, False


def has_to_keep_path(path: TreePath, separator: str) -> bool:
    """Whether the key alone does not tell where it stands."""
    if len(path) == 1:
        return separator in str(path[0])
    are_plain = all(isinstance(p, str) and PLAIN_PART.fullmatch(p) for p in path)
    return not are_plain or path[-1] in FORMS or len(path) > TREE_DEPTH - 2


def tree_key(path: TreePath, separator: str) -> str:
    """The key at a path."""
    return separator.join(map(str, path))


def tree_entries(
    root: TreeContainer, family: str, separator: str, faults: Faults
) -> list[Entry]:
    """The texts of a file, in its order; notes faults, and warns of what is no text.

    A key that is there twice, ``a.b`` and ``b`` in ``a``, is a fault.
    """
    entries = dict[str, Entry]()
    for path, item in root.leaves():
        key = tree_key(path, separator)
        text = item.text
        if text is None or is_forbidden(text):
            told = "is left as it is: it is no literal text"
            faults.warn(item.line, f"{quoted(key)} {told}")
            continue
        keeps = has_to_keep_path(path, separator)
        key_detail = {family: {TREE_PATH: list(path)}} if keeps else None
        entry = Entry(key, text, line=item.line, key_detail=key_detail)
        if entries.setdefault(key, entry) is not entry:
            told = f"the key {quoted(key)} is there before, in line"
            faults.add(item.line, "duplicate", f"{told} {entries[key].line}")
    return [*entries.values()]


class NewTreePaths:
    """Where new keys go in a template: to objects that are there, and from there on by
    their whole names, if the names in that object have separators too.

    That is where one of them begins alike, or there are more of them than objects. Of
    names, sentences do not count, nor does one that begins with another member's
    (``a.b`` beside ``a``), as it had no other place.
    """

    def __init__(self, root: TreeContainer, separator: str) -> None:
        self._root = root
        self._separator = separator
        self._starts: dict[int, tuple[set[str], bool]] = {}  # by id of the container

    def path(self, path: TreePath) -> TreePath:
        """The path of a key that is at ``path`` if all its parts are objects."""
        container = self._root
        for at, part in enumerate(path[:-1]):
            item = container.child(part)
            if item is not None and isinstance(item.value, TreeContainer):
                container = item.value
                continue
            if item is None and not container.is_array:
                starts, are_most = self._starts_in(container)
                if are_most or part in starts:
                    return (*path[:at], tree_key(path[at:], self._separator))
            break
        return path

    def _starts_in(self, container: TreeContainer) -> tuple[set[str], bool]:
        """The first parts of names with separators, and whether these are most."""
        if id(container) not in self._starts:
            objects, starts = 0, []
            for item in container.items:
                parts = item.name.split(self._separator)
                if isinstance(item.value, TreeContainer):
                    objects += 1
                elif (
                    item.value.text
                    and len(parts) > 1
                    and all(map(PLAIN_PART.fullmatch, parts))
                    and container.child(parts[0]) is None
                ):
                    starts.append(parts[0])
            self._starts[id(container)] = set(starts), len(starts) > objects
        return self._starts[id(container)]


def in_order(forms: Mapping[str, str]) -> dict[str, str]:
    """The same forms in the order zero, one, two, few, many, other."""
    return {form: forms[form] for form in PLURAL_FORMS if form in forms}


def with_other(
    key: str, value: Mapping[str, str], warnings: list[str]
) -> dict[str, str]:
    """The forms in order; without ``other`` its text is that of the last, and told."""
    forms = in_order(value)
    last = next(reversed(forms))
    if last != "other":
        forms["other"] = forms[last]
        told = f"has no text for 'other', so that for '{last}' stands there too"
        warnings.append(f"{quoted(key)} {told}")
    return forms


class _Chain(NamedTuple):
    """An item of the template, and those that it stands in."""

    outer: "_Chain | None"
    container: TreeContainer
    item: TreeItem


class _Slot(NamedTuple):
    item: TreeItem
    chain: _Chain
    path: TreePath
    is_text: bool  # else null, or what has to make room


class TreeUpdate:
    """A template with the texts of other entries; see Catalogue.template."""

    def __init__(
        self,
        layout: TreeFile,
        separator: str,
        warnings: list[str],
        *,
        by_suffix: bool = False,
    ) -> None:
        """``by_suffix`` tells whether plurals are names with a suffix or objects."""
        self._layout = layout
        self._separator = separator
        self._warnings = warnings
        self._by_suffix = by_suffix
        self._behind: dict[int, list[TreeItem]] = {}  # by id of the container

    def content(
        self,
        entries: Sequence[Entry],
        place_of: Callable[[Entry, str], tuple[TreePath, bool]],
    ) -> bytes:
        """The file. Entries in their order: new ones stand behind the one before; the
        first ones before the one that follows.

        ``place_of`` tells where a key stands, given the separator, and whether a file
        had it there.
        """
        new, self._places = NewTreePaths(self._layout.root, self._separator), {}
        for entry in entries:
            path, is_known = place_of(entry, self._separator)
            self._places[entry.key] = path if is_known else new.path(path)
        self._entries = {entry.key: entry for entry in entries}
        self._slots: dict[str, dict[str | None, list[_Slot]]] = {}
        self._taken = set(self._taken_paths())
        self._find(self._layout.root, "", (), None)
        for entry in entries:
            self._update(entry)
        return self._layout.content()

    def _taken_paths(self) -> Iterator[TreePath]:
        """Paths that no other key may stand below."""
        for entry in self._entries.values():
            path = self._places[entry.key]
            if isinstance(entry.value, Mapping) and self._by_suffix:
                yield from ((*path[:-1], f"{path[-1]}_{f}") for f in entry.value)
            elif entry.value:
                yield path

    def _find(
        self,
        container: TreeContainer,
        prefix: str,
        path: TreePath,
        outer: _Chain | None,
    ) -> None:
        """Find the slots of all entries, and remove texts that are of none."""
        for at, item in enumerate(container.items):
            if is_forbidden(item.name):
                continue
            part = at if container.is_array else item.name
            key, here = f"{prefix}{part}", (*path, part)
            owner, value = self._owner(key, prefix, item.name), item.value
            chain = _Chain(outer, container, item)
            if isinstance(value, TreeContainer) and value.items:
                is_taken = owner == (key, None) and self._is_taken(value, key, here)
                if not is_taken:
                    self._find(value, key + self._separator, here, chain)
                    continue
            is_text = isinstance(value, TreeValue) and value.text is not None
            if owner is not None:
                of_key = self._slots.setdefault(owner[0], {})
                of_key.setdefault(owner[1], []).append(
                    _Slot(item, chain, here, is_text)
                )
            elif isinstance(value, TreeValue) and value.text:
                item.is_removed = not is_forbidden(value.text)

    def _is_taken(self, container: TreeContainer, key: str, path: TreePath) -> bool:
        """Whether a text or plural has to be where an object of others stands."""
        entry = self._entries[key]
        if not entry.value or self._places[key] != path:
            return False
        return not entry.is_plural or (
            not self._by_suffix
            and not all(
                item.name in FORMS or is_forbidden(item.name)
                for item in container.items
            )
        )

    def _owner(self, key: str, prefix: str, name: str) -> tuple[str, str | None] | None:
        """Whose text this is, and for a plural of which form."""
        if key in self._entries:
            return key, None
        if self._by_suffix:
            stem, _, form = key.rpartition("_")
        else:
            stem, form = prefix.removesuffix(self._separator), name
        is_form = form in FORMS and (self._by_suffix or prefix)
        entry = self._entries.get(stem) if is_form else None
        return (stem, form) if entry and entry.is_plural else None

    def _update(self, entry: Entry) -> None:
        slots = self._slots.get(entry.key, {})
        texts, path = self._texts(entry, slots), self._places[entry.key]
        for form, found in slots.items():
            path = self._path_of(found[0].path, form)
            for slot in found:
                value = slot.item.value
                if form not in texts and isinstance(value, TreeValue) and value.text:
                    slot.item.is_removed = not is_forbidden(value.text)
            self._pass(found[-1].chain)
        for form, text in texts.items():
            found = slots.get(form, [])
            for slot in [slot for slot in found if slot.is_text] or found[:1]:
                self._layout.set_text(slot.item, text)
                self._pass(slot.chain)
            if form not in slots:
                self._insert(entry.key, path, form, text)

    def _texts(
        self, entry: Entry, slots: Mapping[str | None, list[_Slot]]
    ) -> dict[str | None, str]:
        """The texts to be written, by form; None: not a plural's."""
        value = entry.value
        if isinstance(value, str):
            return {None: value}
        if not value:
            return {}
        if not slots:
            return dict(with_other(entry.key, value, self._warnings).items())
        if slots.keys() != {None}:
            texts: dict[str | None, str] = dict(in_order(value).items())
            for slot in slots.get(None, ()):  # a text beside the forms stays
                if isinstance(slot.item.value, TreeValue) and slot.item.value.text:
                    texts[None] = slot.item.value.text
            return texts
        if value.keys() == {"other"}:
            return {None: value["other"]}
        if not self._by_suffix:
            for slot in slots[None]:
                self._layout.set_container(slot.item, is_array=False)
        return dict(with_other(entry.key, value, self._warnings).items())

    def _path_of(self, path: TreePath, form: str | None) -> TreePath:
        """The path of a plural whose form, or text, stands at this path."""
        if form is None:
            return path
        if not self._by_suffix:
            return path[:-1]
        return (*path[:-1], str(path[-1]).removesuffix(f"_{form}"))

    def _insert(self, key: str, path: TreePath, form: str | None, text: str) -> None:
        name = key
        if form is not None and self._by_suffix:
            path, name = (*path[:-1], f"{path[-1]}_{form}"), f"{key}_{form}"
        elif form is not None:
            path = (*path, form)
        below = path if form is None or self._by_suffix else path[:-1]
        is_free = not any(below[:end] in self._taken for end in range(1, len(below)))
        if is_free and self._put(path, text):
            return
        whole: TreePath = (name,) if form is None or self._by_suffix else (key, form)
        done = path != whole and self._put(whole, text)
        told = "keeps its whole name" if done else "is left out"
        why = "another key is in its place"
        self._warnings.append(f"{quoted(name)} {told}: {why}")

    def _put(self, path: TreePath, text: str) -> bool:
        """Put a text at a path; whether there is room."""
        layout, container = self._layout, self._layout.root
        chain: _Chain | None = None
        if len(path) > TREE_DEPTH:
            return False
        for at, part in enumerate(path):
            item = container.child(part)
            is_last = at == len(path) - 1
            behind = self._behind.get(id(container), container.added)
            if item is None and not _has_room(container, part):
                return False
            if item is None and is_last:
                layout.add(container, behind, part, text)
                self._behind[id(container)] = behind
                self._pass(chain)
                return True
            is_array = not is_last and isinstance(path[at + 1], int)
            if item is None:
                new, item = layout.add_container(
                    container, behind, part, is_array=is_array
                )
                self._behind[id(container)] = behind
                self._pass(chain)
                chain, container = None, new
                continue
            is_free = item.is_removed or not _has_text(item.value)
            if is_last:
                if not is_free:
                    return False
                layout.set_text(item, text)
                self._pass(_Chain(chain, container, item))
                return True
            if item.is_removed:
                layout.set_container(item, is_array=is_array)
            if not isinstance(item.value, TreeContainer):
                return False
            chain, container = _Chain(chain, container, item), item.value
        return False

    def _pass(self, chain: _Chain | None) -> None:
        """Let the next new key stand behind this item, in every object around it."""
        while chain is not None:
            outer, container, item = chain
            container.place_added(item)
            self._behind[id(container)] = item.after
            chain = outer


def _has_room(container: TreeContainer, part: str | int) -> bool:
    """Whether a new item may be there."""
    at = tree_position(part) if container.is_array else 0
    return at is not None and at < MOST_POSITIONS


def _has_text(value: TreeValue | TreeContainer) -> bool:
    """Whether others would lose something if this were replaced."""
    if isinstance(value, TreeContainer):
        return bool(value.items or value.added)
    return bool(value.text)
