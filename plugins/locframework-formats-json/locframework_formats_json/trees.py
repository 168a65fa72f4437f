"""Makes the tree of a new JSON file of keys."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from locframework.ports import (
    MOST_POSITIONS,
    PLURAL_FORMS,
    TREE_DEPTH,
    Text,
    TreePath,
    in_order,
    kept_in,
    quoted,
    tree_key,
    tree_position,
    with_other,
)

__all__ = ["FORMS", "PLAIN", "Place", "Tree", "in_order", "kept_in", "with_other"]

FORMS = frozenset(PLURAL_FORMS)
PLAIN = "plain"  # Entry.detail: true when a plural was one text in the file

Node = dict[object, object]  # by str in an object, by int in an array


class Place(NamedTuple):
    """Where a key, or a name that is made of one, is to stand."""

    path: TreePath
    key: str
    value: Text
    is_known: bool = False  # a file had it there


class Tree:
    """Keys at their paths, each part an object or array in the one before.

    A key that has no place in the tree, because a part of it is a key with a text of
    its own (``a`` beside ``a.b``) or because it would be nested too deep, keeps its
    whole name as a member of the top level: ``{"a": "…", "a.b": "…"}``. Names there
    that hold a separator cannot meet those that came from splitting, and read back
    as the same key (decisions 2.8). In an array a position without a key is empty, so
    that those behind it keep theirs.
    """

    def __init__(
        self, separator: str, places: Sequence[Place], warnings: list[str]
    ) -> None:
        """Place every key with its value: a text, or an object of a plural's forms."""
        self.root: Node = {}
        self._nodes: dict[TreePath, Node | None] = {(): self.root}  # None: no room
        self._separator = separator
        self._warnings = warnings
        self._arrays = {
            place.path[:at]
            for place in places
            for at, part in enumerate(place.path)
            if type(part) is int
        }
        paths = [self._aligned(place.path) for place in places]
        self._keys = {
            path: place.key for path, place in zip(paths, places, strict=True)
        }
        self._known = {
            path for path, place in zip(paths, places, strict=True) if place.is_known
        }
        whole = []
        for path, place in zip(paths, places, strict=True):
            node = self._node(path[:-1])
            if node is None or not self._fits(path):
                whole.append((place, self._why(path)))
            else:
                node[path[-1]] = place.value
        for place, why in whole:
            self._put_whole(place.key, place.value, why)

    def document(self) -> Mapping[str, object]:
        """The whole tree, with its arrays."""
        for path in sorted(self._arrays, key=len, reverse=True):
            node, around = self._nodes.get(path), self._nodes.get(path[:-1])
            if node and around is not None:
                around[path[-1]] = _as_list(node)
        return {str(name): value for name, value in self.root.items()}

    def part_from_plurals(self) -> None:
        """Give keys their whole names where their object would read as a plural.

        Not where a file had it so: then the keys are known.
        """
        for path, node in reversed(list(self._nodes.items())):  # the inner ones first
            if node is None or not path:
                continue
            names = [(*path, str(name)) for name in node]
            if (
                "other" in node
                and is_plural(node)
                and not self._known.issuperset(names)
            ):
                for name, value in node.items():
                    key = tree_key((*path, str(name)), self._separator)
                    why = f"{tree_key(path, self._separator)!r} would read as a plural"
                    self._put_whole(key, value, why)
                node.clear()
            if not node:
                around = self._nodes[path[:-1]]
                if around is not None:
                    del around[path[-1]]

    def _aligned(self, path: TreePath) -> TreePath:
        """The path with numbers for the positions of arrays."""
        aligned: TreePath = ()
        for part in path:
            at = tree_position(part) if aligned in self._arrays else None
            aligned = (*aligned, part if at is None else at)
        return aligned if self._arrays else path

    def _fits(self, path: TreePath) -> bool:
        part = path[-1]
        if path[:-1] in self._arrays:
            return isinstance(part, int) and part < MOST_POSITIONS
        return True

    def _put_whole(self, key: str, value: object, why: str) -> None:
        if isinstance(self.root.get(key), dict):  # an object that is no plural
            self._warnings.append(f"{quoted(key)} is left out: {why}")
            return
        self.root[key] = value
        self._warnings.append(f"{quoted(key)} keeps its whole name: {why}")

    def _node(self, path: TreePath) -> Node | None:
        """The object at a path, None where there is no room for one."""
        if path not in self._nodes:
            # the object itself, those around it, and a plural's forms below it
            is_deep = len(path) + 2 > TREE_DEPTH
            has_room = not is_deep and path not in self._keys and self._fits(path)
            around = self._node(path[:-1]) if has_room else None
            node: Node | None = None
            if around is not None:
                around[path[-1]] = node = {}
            self._nodes[path] = node
        return self._nodes[path]

    def _why(self, path: TreePath) -> str:
        for end in range(len(path) - 1, 0, -1):
            if path[:end] in self._keys:
                return f"{quoted(self._keys[path[:end]])} is a text itself"
        if any(not self._fits(path[:end]) for end in range(1, len(path) + 1)):
            return "it is no position of an array"
        return f"it would be nested deeper than {TREE_DEPTH}"


def is_plural(value: Mapping[object, object]) -> bool:
    """Whether an object to be written has the look of a plural."""
    return FORMS.issuperset(value) and all(type(v) is str for v in value.values())


def _as_list(node: Node) -> list[object]:
    filled = list(node.values())
    for kind in (dict, list):
        if any(isinstance(value, kind) for value in filled):
            return [node.get(at, kind()) for at in _positions(node)]
    return [node.get(at, "") for at in _positions(node)]


def _positions(node: Node) -> range:
    return range(max(at for at in node if isinstance(at, int)) + 1)
