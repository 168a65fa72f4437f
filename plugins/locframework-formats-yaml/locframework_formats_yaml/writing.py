"""Changes single texts of a YAML file, and keeps all the rest of it as it stands."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from locframework.ports import PLURAL_FORMS, Entry, Text, quoted

from .nodes import DEEPEST, Node, Path
from .scalars import double_quoted, key, respelled, scalar

FORMS = frozenset(PLURAL_FORMS)
FAMILY = "yaml"
PATH = "path"  # Entry.key_detail: where the key stands, ["list", 0]
PLAIN = "plain"  # Entry.detail: true when a plural was one text in the file
MOST_POSITIONS = 10_000  # of an array
_LONGEST_KEY = 1000  # YAML's limit is 1024


def join(path: Path, separator: str) -> str:
    """Return the key at a path."""
    return separator.join(map(str, path))


class Update:
    """A file whose texts are changed; see Catalogue.template for the rules."""

    def __init__(
        self,
        text: str,
        root: Node | None,
        newline: str,
        separator: str,
        warnings: list[str],
    ) -> None:
        """``root`` is the node that has the keys; None: the file has none."""
        self._text, self._newline, self._separator = text, newline, separator
        self._warnings = warnings
        self.keeps_anchors = False
        self.edits: list[tuple[int, int, str]] = []
        if root is None:
            root = Node("map")
            root.start = root.end = len(text)
        self._root = root
        nodes = [node for _, node in root.walk()]
        styles = Counter(node.style for node in nodes if node.kind == "text")
        quotes = ((styles[style], style) for style in ("'", '"'))
        most = max(quotes, key=lambda each: each[0])
        self._style = most[1] if most[0] > styles[None] else None
        steps = [
            node.column - node.parent.column
            for node in nodes
            if node.parent and node.parent.colon is not None and not node.in_flow
        ]
        self._unit = max(1, next((step for step in steps if step > 0), 2))

    def content(self, entries: Sequence[Entry], places: Mapping[str, Path]) -> str:
        """Return the file with these entries; ``places`` is where new ones go."""
        if self._root.kind != "map":
            self._become(self._root, {})
        self._by_key = {
            join(path, self._separator): node for path, node in self._root.walk()
        }
        self._ordinary: set[int] = set()
        self._remove_others({entry.key: entry.value for entry in entries})
        for entry in entries:
            self._place(entry, places[entry.key])
        if self._root.is_changed:
            self._replace(self._root)
        else:
            self._edit(self._root)
        parts, done = [], 0
        for start, end, new in sorted(self.edits, key=lambda edit: edit[:2]):
            parts += [self._text[done:start], new]
            done = max(done, end)
        return "".join([*parts, self._text[done:]])

    def _remove_others(self, values: Mapping[str, Text | None]) -> None:
        for path, node in self._root.walk():
            if node.kind != "text":
                continue
            name, above = (join(p, self._separator) for p in (path, path[:-1]))
            forms = values.get(above)
            is_form = isinstance(forms, Mapping) and node.name in forms
            if values.get(name) is not None and name in values:
                self._ordinary.add(id(node))
            elif not is_form and (node.text or name not in values):
                node.is_removed = True

    def _place(self, entry: Entry, path: Path) -> None:
        node, value = self._by_key.get(entry.key), entry.value
        if isinstance(value, Mapping):
            kept = (entry.detail or {}).get(FAMILY)
            is_plain = isinstance(kept, Mapping) and kept.get(PLAIN)
            is_plain = node.kind == "text" if node else is_plain
            value = {form: value[form] for form in PLURAL_FORMS if form in value}
            if value.keys() == {"other"} and is_plain:
                value = value["other"]
            elif value and "other" not in value and (not node or node.kind != "map"):
                form, text = [*value.items()][-1]
                told = f"has no text for 'other', so that for {form!r} stands there too"
                self._warnings.append(f"{quoted(entry.key)} {told}")
                value["other"] = text
        if value is None or value == {}:
            if node is not None:
                self._pass(node)
            return
        if self._set(node, value) if node else self._put(path, value):
            return
        done = len(path) > 1 and self._put((entry.key,), value)
        told = "keeps its whole name" if done else "is left out"
        why = "another key is in its place, or it is nested too deep"
        self._warnings.append(f"{quoted(entry.key)} {told}: {why}")

    def _set(self, node: Node, value: str | Mapping[str, str]) -> bool:
        """Give a node of the file a text or forms; whether there is room."""
        if isinstance(value, str) or not self._is_live(node) or node.kind == "text":
            if node.kind in ("map", "seq") and self._is_live(node):
                return False
            self._become(node, value)
            self._pass(node)
            return True
        has_others = any(
            child.name not in FORMS or id(child) in self._ordinary
            for child in _all(node)
            if self._is_live(child)
        )
        if node.kind == "seq" or has_others:
            return False
        node.is_plural = True
        self._pass(node)
        for form, text in value.items():
            child = node.names.get(form)
            if child is None:
                self._add(node, form, text)
            else:
                self._become(child, text)
                self._pass(child)
        return True

    def _put(self, path: Path, value: str | Mapping[str, str]) -> bool:
        """Put a new key at a path; whether there is room."""
        is_long = any(len(key(str(part))) > _LONGEST_KEY for part in path)
        if len(path) > DEEPEST - 4 or is_long:
            return False
        node = self._root
        for at, part in enumerate(path):
            is_last, child = at == len(path) - 1, self._child(node, part)
            if child is None:
                if node.kind == "seq" and not _position(part):
                    return False
                kind = "map" if is_last or isinstance(path[at + 1], str) else "seq"
                child = self._add(node, part, value if is_last else {}, kind)
                if is_last and isinstance(value, str):
                    self._ordinary.add(id(child))
            elif child.is_fixed or (
                not is_last and (child.is_plural or child.kind == "other")
            ):
                return False
            elif is_last:
                is_free = not self._is_live(child) or child.kind == "other"
                return is_free and self._set(child, value)
            elif child.kind not in ("map", "seq"):
                if self._is_live(child):
                    return False
                self._become(child, {})
            node = child
        self._pass(node)
        return True

    def _child(self, node: Node, part: str | int) -> Node | None:
        if node.kind == "map":
            return node.names.get(str(part))
        at, every = _position(part), node.children + node.added
        return every[at - 1] if at and at <= len(every) else None

    def _add(
        self,
        node: Node,
        part: str | int,
        value: str | Mapping[str, str],
        kind: str = "map",
    ) -> Node:
        child = Node("text" if isinstance(value, str) else kind)
        child.is_new, child.parent, child.name = True, node, str(part)
        if isinstance(value, str):
            child.text = value
        node.is_changed = node.is_changed or not node.children
        if node.kind == "seq":
            node.behind = node.added
            for _ in range(len(node.children) + len(node.added) + 1, _position(part)):
                hole = Node("nil")
                hole.is_new = True
                node.added.append(hole)
        else:
            node.names[child.name] = child
        node.behind.append(child)
        child.after = node.behind
        if not isinstance(value, str):
            child.is_plural = bool(value)
            for form, text in value.items():
                self._add(child, form, text)
        return child

    def _become(self, node: Node, value: str | Mapping[str, str]) -> None:
        node.is_removed = False
        if node.kind == "text" and node.text == value:
            return
        is_apart = node.colon is not None and not (node.in_flow or node.is_anchored)
        was_text, was_tree = node.kind == "text", bool(node.children)
        if was_tree or not isinstance(value, str):
            node.end = self._end(node)
            if is_apart and node.colon is not None:
                node.start = node.colon
        if not was_text or not isinstance(value, str):
            node.style = self._style
        node.is_changed = True
        node.children, node.names, node.added = [], {}, []
        node.behind = node.added
        if isinstance(value, str):
            node.kind, node.text = "text", value
            return
        node.kind, node.is_plural = "map", bool(value)
        for form, text in value.items():
            self._add(node, form, text)

    def _pass(self, node: Node) -> None:
        """Let the next new key stand behind this one, in every object around it."""
        while node.parent is not None and node is not self._root:
            around = node.parent
            if around.added and around.kind == "map" and node.after is not around.added:
                node.before, around.added = around.added, []
            around.behind = node.after
            node = around

    def _is_live(self, node: Node) -> bool:
        """Whether something in it is no nil, and not removed."""
        if node.kind in ("map", "seq"):
            return any(self._is_live(child) for child in _all(node))
        return node.kind != "nil" and not node.is_removed

    def _end(self, node: Node) -> int:
        """Where a value ends, without blank lines behind it."""
        if node.children and not node.is_flow:
            return self._end(node.children[-1])
        raw = self._text[node.start : node.end]
        if node.kind == "text" and node.style in ("|", ">"):
            is_kept = "+" in raw.partition("\n")[0]
            return node.end if is_kept else node.start + len(raw.rstrip("\r\n \t"))
        return node.end

    def _line_end(self, at: int) -> int:
        if at and self._text[at - 1] == "\n":
            return at
        return self._text.find("\n", at) + 1 or len(self._text)

    def _edit(self, node: Node) -> None:
        for child in node.children:
            first = child.key[0] if child.key else child.start
            start = 0 if child.in_flow else self._text.rfind("\n", 0, first) + 1
            is_own = child.key is not None and not child.in_flow
            is_own = is_own and not self._text[start:first].strip()
            if child.before and child.in_flow:
                new = "".join(f"{self._flow_item(each)}, " for each in child.before)
                self.edits.append((first, first, new))
            elif child.before and is_own:
                self._insert(start, node, child.before)
            elif child.before:
                child.after[:0] = child.before
            was_tree = child.kind in ("map", "seq") and bool(child.children)
            is_gone = child.is_removed or (
                was_tree
                and not self._is_live(child)
                and any(each.is_removed for _, each in child.walk())
            )
            if is_gone:
                self._remove(child, start if is_own else None)
            elif child.is_changed:
                self._replace(child)
            elif child.kind in ("map", "seq") and not child.is_fixed:
                self._edit(child)
            self._behind(node, child, child.after)
        if node.children:
            self._behind(node, node.children[-1], node.added)

    def _behind(self, node: Node, child: Node, new: Sequence[Node]) -> None:
        if new and node.is_flow:
            items = "".join(f", {self._flow_item(each)}" for each in new)
            self.edits.append((child.end, child.end, items))
        elif new:
            self._insert(self._line_end(self._end(child)), node, new)

    def _insert(self, at: int, node: Node, new: Sequence[Node]) -> None:
        column = node.column if node.kind == "seq" else node.children[0].column
        lines = [line for each in new for line in self._lines(each, column, node.kind)]
        text = self._newline.join(lines)
        is_open = at == len(self._text) and not self._text.endswith("\n")
        text = self._newline + text if is_open else text + self._newline
        self.edits.append((at, at, text))

    def _remove(self, node: Node, line_start: int | None) -> None:
        inner = [node, *(each for _, each in node.walk())]
        if self.keeps_anchors and any(each.is_anchored for each in inner):
            told = "is kept: it has an anchor, and the file has aliases"
            self._warnings.append(f"line {node.line}: {quoted(node.name)} {told}")
            return
        end = self._end(node)
        if line_start is not None:
            self.edits.append((line_start, self._line_end(end), ""))
        else:
            self.edits.append((node.start, end, "~"))

    def _replace(self, node: Node) -> None:
        old, new = self._text[node.start : node.end], ""
        if node.kind == "text":
            new = respelled(
                node.text, old, node.style, self._newline, in_flow=node.in_flow
            )
        elif node is self._root and node.colon is None:
            lines = [
                each for one in _all(node) for each in self._lines(one, 0, node.kind)
            ]
            new = "".join(f"{line}{self._newline}" for line in lines)
            if node.end == len(self._text) and self._text[-1:] not in ("", "\n"):
                new = self._newline + new
        elif not _all(node):
            return
        elif node.colon is None or node.in_flow or node.is_anchored:
            new = self._flow(node)
        else:
            column = node.column + (0 if node.kind == "seq" else self._unit)
            node.start = node.colon
            lines = [
                f"{self._newline}{line}"
                for one in _all(node)
                for line in self._lines(one, column, node.kind)
            ]
            new = "".join(lines)
        is_close = node.start == node.colon and not new.startswith(("\n", "\r"))
        self.edits.append((node.start, node.end, f" {new}" if is_close else new))

    def _lines(self, node: Node, column: int, kind: str) -> Iterator[str]:
        start = " " * column + ("-" if kind == "seq" else f"{key(node.name)}:")
        if node.kind == "text":
            yield f"{start} {scalar(node.text, self._style)}"
        elif kind == "seq" or not _all(node):
            yield f"{start} {self._flow(node)}"
        else:
            yield start
            for child in _all(node):
                yield from self._lines(child, column + self._unit, node.kind)

    def _flow(self, node: Node) -> str:
        if node.kind == "text":
            return double_quoted(node.text)
        if node.kind == "nil":
            return "~"
        items = ", ".join(map(self._flow_item, _all(node)))
        return f"[{items}]" if node.kind == "seq" else f"{{{items}}}"

    def _flow_item(self, node: Node) -> str:
        is_member = node.parent is not None and node.parent.kind == "map"
        return (
            f"{key(node.name)}: {self._flow(node)}" if is_member else self._flow(node)
        )


def _all(node: Node) -> list[Node]:
    """The children with the new ones; each new one once."""
    return [
        each
        for child in node.children
        for each in (*child.before, child, *([] if child.is_new else child.after))
    ] + node.added


def _position(part: str | int) -> int:
    """The position in an array that a part of a path means, from 1; 0: none."""
    text = str(part)
    is_number = text.isascii() and text.isdecimal() and len(text) < 6
    is_number = is_number and str(int(text)) == text and int(text) < MOST_POSITIONS
    return int(text) + 1 if is_number else 0
