"""Builds the nested object for whole keys, and finds room for those that clash."""

from collections.abc import Mapping

from .json_value import DEEPEST
from .problems import quoted

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
