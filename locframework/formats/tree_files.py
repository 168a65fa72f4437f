"""Files with a tree of texts: single items change, and all the rest of a file stays."""

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar

from locframework.errors import UnreadableFile

from .text_files import TextFile, unreadable

TREE_DEPTH = 64  # containers inside one another, the outermost included
HIDDEN = "\0"  # the name of an item that no key stands for
MOST_POSITIONS = 10_000  # of an array; a key of a later one keeps its whole name

TreePath = tuple[str | int, ...]
"""Names, and positions in arrays. The first part is a name."""

_LAST_LINE = re.compile(r"\r?\n[ \t]*\Z")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_CLOSING = {"{": "}", "[": "]", "(": ")"}


def is_forbidden(text: str) -> bool:
    """Whether no text may be so: U+0000 and lone surrogates cannot be stored."""
    return _FORBIDDEN.search(text) is not None


class TreeValue:
    """A text, or anything else that has no items."""

    __slots__ = ("raw", "text")

    def __init__(self, raw: str, text: str | None = None) -> None:
        self.raw = raw
        self.text = text  # None: no text


class TreeItem:
    """A member of an object, or an element of an array, and those put around it."""

    __slots__ = (
        "after",
        "before",
        "head",
        "is_removed",
        "lead",
        "line",
        "name",
        "rest",
        "tail",
        "value",
    )

    def __init__(
        self,
        lead: str,
        name: str,
        head: str,
        value: "TreeValue | TreeContainer",
        line: int,
    ) -> None:
        self.lead = lead  # white space and comments before it
        self.name = name  # "" in an array
        self.head = head  # the name as it stands, and the colon; "" in an array
        self.value = value
        self.line = line  # 0: it is new
        self.tail = ""  # before the separator
        self.rest = ""  # behind the separator on the same line: a comment
        self.before: list[TreeItem] = []
        self.after: list[TreeItem] = []
        self.is_removed = False

    @property
    def text(self) -> str | None:
        """Its text; None if it has none."""
        return self.value.text if isinstance(self.value, TreeValue) else None


class TreeContainer:
    """An object or array."""

    __slots__ = (
        "_by_name",
        "added",
        "brackets",
        "ends_separated",
        "final",
        "is_array",
        "items",
        "lead",
        "separator",
    )

    def __init__(
        self,
        lead: str,
        brackets: tuple[str, str],
        *,
        is_array: bool,
        separator: str = ",",
    ) -> None:
        self.is_array = is_array
        self.lead = lead  # line break and indentation of its line; "" on one line
        self.brackets = brackets
        self.separator = separator
        self.items: list[TreeItem] = []
        self.added: list[TreeItem] = []  # at the end
        self.final = ""  # before the closing bracket
        self.ends_separated = False  # a separator stands behind the last item too
        self._by_name: dict[str, TreeItem] | None = None

    def child(self, part: str | int) -> TreeItem | None:
        """The member or element there; of members with one name the last."""
        if self.is_array:
            at, here = tree_position(part), len(self.items)
            if at is None or at >= here + len(self.added):
                return None
            return self.items[at] if at < here else self.added[at - here]
        if self._by_name is None:
            self._by_name = {item.name: item for item in self.every()}
        return self._by_name.get(str(part))

    def put(self, item: TreeItem, behind: list[TreeItem]) -> None:
        """Add a new item to ``added``, or to what stands behind an item."""
        behind.append(item)
        item.after = behind  # one list for all that are new here
        if self._by_name is not None:
            self._by_name[item.name] = item

    def place_added(self, item: TreeItem) -> None:
        """Let what was added to an object stand before the item that follows it."""
        if self.added and not self.is_array and item.after is not self.added:
            item.before, self.added = self.added, []

    def every(self) -> Iterator[TreeItem]:
        """All items, those that are new too, in their order."""
        for item in self.items:
            yield from item.before
            yield item
            yield from item.after
        yield from self.added

    def leaves(self, path: TreePath = ()) -> Iterator[tuple[TreePath, TreeItem]]:
        """All items of a file that are no containers, with their paths."""
        for at, item in enumerate(self.items):
            part = item.name if not self.is_array else at if path else str(at)
            if item.name == HIDDEN:
                continue
            if isinstance(item.value, TreeContainer):
                yield from item.value.leaves((*path, part))
            else:
                yield (*path, part), item


def tree_position(part: str | int) -> int | None:
    """The position in an array that a part of a path means, if it does."""
    if isinstance(part, int):
        return part
    is_number = part.isascii() and part.isdecimal() and len(part) < 6
    return int(part) if is_number and str(int(part)) == part else None


class TreeFile:
    """A file whose items can be changed. A format reads it, and spells what is new."""

    file: TextFile
    text: str
    root: TreeContainer
    _around: tuple[str, str]  # what stands before and behind the root
    _unit: str  # a step of indentation
    _gap: str  # between items on one line
    _line, _counted = 1, 0

    @abstractmethod
    def spelled(self, value: object, old: str = "") -> str:
        """A text, or another value without items, as the file would have it.

        ``old`` is how the text was spelled that it takes the place of.
        """

    @abstractmethod
    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        """A new object or array, which is empty."""

    @abstractmethod
    def head(self, container: TreeContainer, name: str) -> str:
        """What stands before the value of a new member."""

    def line_at(self, at: int) -> int:
        """The line of a place; faster for one after the other."""
        if at < self._counted:
            return self.text.count("\n", 0, at) + 1
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def fault(self, at: int, rule: str, message: str) -> UnreadableFile:
        """The refusal of a file for what is there."""
        return unreadable(self.line_at(at), rule, message)

    def set_text(self, item: TreeItem, text: str) -> None:
        """Give an item this text; it keeps its spelling where it has it already."""
        item.is_removed = False
        value = item.value
        old = value.raw if isinstance(value, TreeValue) else ""
        if not isinstance(value, TreeValue) or value.text != text:
            item.value = TreeValue(self.spelled(text, old), text)

    def set_container(self, item: TreeItem, *, is_array: bool) -> TreeContainer:
        """Make an item an empty object or array."""
        item.is_removed = False
        item.value = self.container(last_line(item.lead), is_array=is_array)
        return item.value

    def add(
        self,
        container: TreeContainer,
        behind: list[TreeItem],
        part: str | int,
        value: object,
    ) -> TreeItem:
        """Put a new value behind an item of the container, or to its ``added``."""
        if not value or not isinstance(value, (Mapping, list)):
            text = value if isinstance(value, str) else None
            new = TreeValue(self.spelled(value), text)
            return self._add(container, behind, part, new)
        is_array = isinstance(value, list)
        filled, item = self.add_container(container, behind, part, is_array=is_array)
        self.fill(filled, value)
        return item

    def fill(
        self, container: TreeContainer, value: Mapping[str, object] | list[object]
    ) -> None:
        """Put all of an object or array to the ``added`` of an empty container."""
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for part, inner in parts:
            self.add(container, container.added, part, inner)

    def add_container(
        self,
        container: TreeContainer,
        behind: list[TreeItem],
        part: str | int,
        *,
        is_array: bool,
    ) -> tuple[TreeContainer, TreeItem]:
        """Put a new object or array there, which is empty at first."""
        lead = last_line(self._lead(container))
        new = self.container(lead, is_array=is_array)
        return new, self._add(container, behind, part, new)

    def _add(
        self,
        container: TreeContainer,
        behind: list[TreeItem],
        part: str | int,
        value: TreeValue | TreeContainer,
    ) -> TreeItem:
        lead = self._lead(container)
        name = head = ""
        if container.is_array:
            behind, at = container.added, tree_position(part) or 0
            for _ in range(at - len(container.items) - len(container.added)):
                behind.append(TreeItem(lead, "", "", self._hole(TreeValue("")), 0))
        else:
            name = str(part)
            head = self.head(container, name)
        item = TreeItem(lead, name, head, value, 0)
        container.put(item, behind)
        return item

    def _lead(self, container: TreeContainer) -> str:
        """The white space before a new item, as its neighbors have it."""
        items = container.items
        if not items:
            return container.lead + self._unit if container.lead else self._gap
        lead = items[min(1, len(items) - 1)].lead
        is_apart = len(items) > 1 and not lead.strip()
        return last_line(lead) or (lead if is_apart else self._gap)

    def content(self) -> bytes:
        """The file. Objects and arrays that have lost all they had are left out.

        An element of an array that is gone leaves an empty one, so that those behind
        it keep their positions.
        """
        self._prune(self.root)
        before, after = self._around
        parts = [before]
        self._write(self.root, parts)
        return self.file.encoded("".join([*parts, after]))

    def _prune(self, container: TreeContainer) -> bool:
        """Remove what has become empty; whether anything is left."""
        last = -1
        items = list(container.every())
        for at, item in enumerate(items):
            value = item.value
            if not item.is_removed and isinstance(value, TreeContainer):
                had_items = bool(value.items or value.added)
                item.is_removed = had_items and not self._prune(value)
            if not item.is_removed:
                last = at
        if container.is_array:
            for item in items[: last + 1]:
                if item.is_removed:
                    item.is_removed = False
                    item.value = self._hole(item.value)
        return last >= 0

    def _hole(self, value: TreeValue | TreeContainer) -> TreeValue:
        if isinstance(value, TreeValue):
            return TreeValue(self.spelled(""), "")
        new = self.container("", is_array=value.is_array)
        return TreeValue("".join(new.brackets))

    def _write(self, container: TreeContainer, parts: list[str]) -> None:
        opening, closing = container.brackets
        parts.append(opening)
        items = container.items
        previous: TreeItem | None = None
        kept = ""  # comments before items that are gone
        for item in container.every():
            if item.is_removed:
                kept += item.lead.rstrip()
                continue
            lead = item.lead
            is_bare = not kept and not lead.strip()
            if previous is None and items and is_bare and not items[0].lead.strip():
                lead = items[0].lead
            elif previous is None and not items:
                lead = last_line(lead)
            elif previous and is_bare and item.before and item is items[0]:
                lead = self._lead(container)
            if previous is not None:
                parts += (previous.tail, container.separator)
                kept = previous.rest + kept
            if kept and "\n" not in lead:
                lead = self.file.newline + lead
            parts += (kept, lead, item.head)
            kept = ""
            if isinstance(item.value, TreeValue):
                parts.append(item.value.raw)
            else:
                self._write(item.value, parts)
            previous = item
        final = container.final
        if previous is not None:
            if container.ends_separated:
                parts += (previous.tail, container.separator)
            kept = previous.rest + kept
            if closing and not items and not final.strip():
                final = container.lead
        if closing and kept and "\n" not in final:
            final = self.file.newline + final
        parts += (kept, final, closing)


class TreeLayout(TreeFile):
    """A file whose containers have brackets. Linear in its size.

    A format has patterns for the parts of a container.
    """

    space: ClassVar[re.Pattern[str]]  # between parts; with comments
    opening: ClassVar[re.Pattern[str]]  # a bracket
    member: ClassVar[re.Pattern[str]]  # a name, and what stands before its value
    after: ClassVar[re.Pattern[str]]  # space, and a separator or closing bracket
    rest: ClassVar = re.compile("(?!)")  # a comment that ends the line of an item
    colon: ClassVar[str]  # of new members, if there are no others

    def __init__(self, file: TextFile, start: int) -> None:
        """Scan the container that begins at ``start``. Raises UnreadableFile."""
        self.file = file
        self.text = text = file.text
        self.root, self.end = self._container(start, "", 1)
        items = self.root.items
        line = last_line(items[0].lead if items else self.root.final)
        self.root.lead = line.rstrip(" \t")
        self._unit = line.lstrip("\r\n") if items else "    "
        self._gap = "" if items and not items[0].head.endswith(" ") else " "
        self._around = text[:start], text[self.end :]

    @abstractmethod
    def name_in(self, spelled: str) -> str | None:
        """The name that is spelled so; None where no key stands for it."""

    @abstractmethod
    def value_at(self, at: int) -> tuple[TreeValue, int]:
        """What stands there and is no container, and its end. Raises UnreadableFile."""

    @abstractmethod
    def finish(self, container: TreeContainer) -> None:
        """Tell whether a container is an array. Raises UnreadableFile."""

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        """A new object or array, which is empty, with the brackets of the outermost."""
        new = TreeContainer(lead, self.root.brackets, is_array=is_array)
        new.ends_separated = self.root.ends_separated
        return new

    def head(self, container: TreeContainer, name: str) -> str:
        """What stands before the value of a new member, as others have it."""
        for item in (*container.items[:1], *self.root.items[:1]):
            if found := self.member.fullmatch(item.head):
                return self.spelled(name, found[1]) + str(found[2])
        return self.spelled(name) + self.colon

    def _container(self, at: int, lead: str, depth: int) -> tuple[TreeContainer, int]:
        text, opening = self.text, self.opening.match(self.text, at)
        assert opening is not None
        if depth > TREE_DEPTH:
            raise self.fault(at, "nesting", f"it is nested deeper than {TREE_DEPTH}")
        closing = _CLOSING[opening[0][-1]]
        node = TreeContainer(last_line(lead), (opening[0], closing), is_array=False)
        at, is_last = opening.end(), False
        while not is_last:
            space = self.space.match(text, at)
            assert space is not None
            if text.startswith(closing, space.end()):
                node.final, node.ends_separated = space[0], bool(node.items)
                at = space.end() + 1
                break
            item, at = self._item(space[0], space.end(), depth)
            after = self.after.match(text, at)
            if after is None or after[2] not in (node.separator, closing):
                told = f"here is neither {node.separator} nor {closing}"
                raise self.fault(at, "syntax", told)
            is_last = after[2] == closing
            rest = self.rest.match(text, at if is_last else after.end())
            item.rest = rest[0] if rest else ""
            if is_last:
                node.final, at = after[1].removeprefix(item.rest), after.end()
            else:
                item.tail, at = after[1], after.end() + len(item.rest)
            node.items.append(item)
        self.finish(node)
        return node, at

    def _item(self, lead: str, at: int, depth: int) -> tuple[TreeItem, int]:
        line, found = self.line_at(at), self.member.match(self.text, at)
        name, head = (self.name_in(found[1]), found[0]) if found else ("", "")
        at, name = (
            at + len(head),
            HIDDEN if name is None or is_forbidden(name) else name,
        )
        if self.opening.match(self.text, at):
            node, end = self._container(at, lead, depth + 1)
            if self.after.match(self.text, end):  # else it is a part of a value
                return TreeItem(lead, name, head, node, line), end
        value, end = self.value_at(at)
        return TreeItem(lead, name, head, value, line), end


def last_line(lead: str) -> str:
    """The last line break and what follows it; nothing when there is none."""
    found = _LAST_LINE.search(lead)
    return found[0] if found else ""
