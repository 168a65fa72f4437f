"""A YAML file whose texts can be changed. Nothing is constructed."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import yaml  # type: ignore[import-untyped]
from yaml import events as ev

from locframework.ports import (
    HIDDEN,
    TREE_DEPTH,
    Faults,
    TextFile,
    TreeContainer,
    TreeFile,
    TreeItem,
    TreeValue,
    is_forbidden,
    locale_tag,
    quoted,
)

from .scalars import BOOLEANS, NILS, double_quoted, key, spelled

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # that of libyaml, or a slow one
DEEPEST = TREE_DEPTH + 2  # the language is around the tree, and a text in it
_UNREADABLE = re.compile(rf"\A\ufeff|{yaml.reader.Reader.NON_PRINTABLE.pattern}")
_SPACE = re.compile(r"(?:\s|#[^\n]*+)*+")
_COLON = re.compile(r"[ \t]*+:")
_REST = re.compile(r"[ \t]*+(?:#[^\r\n]*+)?")
_ANCHOR = re.compile(r"(?:\s|#[^\n]*+)*+(?:![^\s]*+\s++)?&[^\s,\[\]{}]++")
_ANCHORED = re.compile(r"(?:\A|.*[\s:-])&[^\s,\[\]{}]+", re.DOTALL)
_VALUE = re.compile(r"((?:\s|#[^\n]*+)*+)(?:!\S*+\s*+)?")
_TORN = re.compile(r"[,\[\]{}:?]")  # of a plain text in { } and [ ]
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")


class Old(TreeValue):
    """A value that is as the file has it."""

    __slots__ = ()


class Nil(Old):
    """``~``, ``null`` or nothing."""

    __slots__ = ()


class YamlLayout(TreeFile):
    """One document of YAML. The head of an item has its anchor; what stands before its
    value on other lines, and a tag, are of the value.

    What is in ``{ }`` and ``[ ]`` has brackets; other containers end where the
    indentation does: their lead is that of their items, and their opening bracket
    what stands above the first one.
    """

    def __init__(self, file: TextFile, is_text: Callable[[str], bool]) -> None:
        """Raises UnreadableFile for the first fault of syntax; tags are noted as
        faults. ``is_text`` says which plain scalars are texts."""
        self._is_open = not file.text.endswith("\n")
        self.file, self._newline = file, file.newline
        self.text = file.text + self._newline * self._is_open
        self.faults, self.warnings, self._is_text = Faults(), list[str](), is_text
        self._at = self._depth = 0  # up to where the file is in items; containers
        self._styles: Counter[str | None] = Counter()
        self._has_aliases, self._unit, self._gap = False, "", " "
        if found := _UNREADABLE.search(self.text):
            told = "a control character has to be escaped, in double quotes"
            raise self.fault(found.start(), "syntax", told)
        self._events = yaml.parse(self.text, Loader)
        try:
            self._document()
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            mark = getattr(error, "problem_mark", None)
            told = quoted(getattr(error, "problem", None) or "this is no YAML")
            at = mark.index if mark else self._at
            raise self.fault(at, "syntax", told) from None
        self._unit = self._unit or "  "
        most = max("'", '"', key=lambda quotes: self._styles[quotes])
        self._style = most if self._styles[most] > self._styles[None] else None

    def _document(self) -> None:
        start, self.root = -1, self.container("", is_array=False)
        for event in self._events:
            at = event.start_mark.index
            if isinstance(event, ev.DocumentStartEvent) and start >= 0:
                raise self.fault(at, "syntax", "a file has one document of YAML")
            if isinstance(event, ev.NodeEvent):
                start = self._at = at
                value = self._value(event)
                if isinstance(value, TreeContainer) and not value.is_array:
                    self.root = value
                elif isinstance(value, TreeContainer) or value.raw:
                    told = "keys with their texts are expected"
                    raise self.fault(at, "syntax", told)
        self._around = self.text[: max(start, 0)], self.text[self._at :]

    def _value(self, event: Any) -> TreeValue | TreeContainer:
        """The value of an event and those that belong to it."""
        begun = self._at
        if isinstance(event, ev.AliasEvent):
            self._has_aliases = True
            self._at = event.end_mark.index
            return Old(self.text[begun : self._at])
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            told = f"the tag {quoted(event.tag)} is refused: it may make objects"
            self.faults.add(event.start_mark.line + 1, "tag", told)
        if not isinstance(event, ev.ScalarEvent):
            self._depth += 1
            if self._depth > DEEPEST:
                told = f"it is nested deeper than {TREE_DEPTH}"
                raise self.fault(begun, "depth", told)
            node = self._tree(event)
            self._depth -= 1
            return node
        text, style = event.value, event.style or None
        is_typed = style is None and event.tag is None
        if text or not is_typed:  # nothing may have a mark elsewhere
            self._at = event.end_mark.index
        raw = self.text[begun : self._at]
        if style in ("|", ">"):
            is_kept = "+" in raw.lstrip()[:3]
            raw = raw.removesuffix("\n").removesuffix("\r")
            raw = raw if is_kept else raw.rstrip("\r\n")
            self._at = begun + len(raw)
        if is_typed and text.lower() in NILS:
            return Nil(raw)
        if is_forbidden(text) or (is_typed and not self._is_text(text)):
            return Old(raw)
        self._styles[style] += 1
        return Old(raw, text)

    def _tree(self, event: Any) -> TreeValue | TreeContainer:
        begun, is_flow = self._at, event.flow_style
        node = self.container("", is_array=isinstance(event, ev.SequenceStartEvent))
        if is_flow:
            self._at, node.separator = event.end_mark.index, ","
            node.brackets = self.text[begun : self._at], "}]"[node.is_array]
        for inner in self._events:
            if isinstance(inner, ev.CollectionEndEvent):
                break
            lead = self._taken(_SPACE)
            if not (node.items or is_flow):
                column = self._at - self.text.rfind("\n", 0, self._at) - 1
                node.lead = self._newline + " " * column
                above = len(lead[: max(lead.rfind("\n"), 0)].removesuffix("\r"))
                node.brackets, lead = (lead[:above], ""), lead[above:]
            item = self._child(node, lead, inner)
            node.items.append(item)
            value = item.value
            if is_flow:
                end, item.tail = self._at, self._taken(_SPACE)
                node.ends_separated = self.text[self._at : self._at + 1] == ","
                self._at = self._at + 1 if node.ends_separated else end
                item.tail *= node.ends_separated
            elif isinstance(value, TreeContainer) and not value.separator:
                self._unit = self._unit or value.lead.removeprefix(node.lead)
            else:
                item.rest = self._taken(_REST)
        if is_flow and not node.brackets[0].endswith(("{", "[")):  # the a: b of [a: b]
            return Old(self.text[begun : self._at])
        if is_flow:
            node.final = self._taken(_SPACE)
            self._at += 1
        return node

    def _taken(self, pattern: re.Pattern[str]) -> str:
        """What fits the pattern at the place where the file is, and take it."""
        found = pattern.match(self.text, self._at)
        self._at = found.end() if found else self._at
        return found[0] if found else ""

    def _child(self, node: TreeContainer, lead: str, event: Any) -> TreeItem:
        start, line, name = self._at, event.start_mark.line + 1, ""
        if node.is_array:
            self._at += not node.separator  # the dash
        else:
            name = self._name(event)
            event = next(self._events)
        if event.anchor:
            self._taken(_ANCHOR)
        head, value = self.text[start : self._at], self._value(event)
        if name == HIDDEN:
            head, value = "", Old(self.text[start : self._at])
        return TreeItem(lead, name, head, value, line)

    def _name(self, event: Any) -> str:
        """The name of a member; HIDDEN where it is left as it is."""
        start, line, name = self._at, event.start_mark.line + 1, ""
        is_plain = isinstance(event, ev.ScalarEvent) and not event.style
        if isinstance(event, ev.ScalarEvent):
            self._at, name = event.end_mark.index, event.value
        else:
            self._value(event)
        is_odd = not self._taken(_COLON) or start != event.start_mark.index or not name
        if is_odd or (is_plain and name == "<<") or is_forbidden(name):
            told = f"{quoted(name or '?')} is left as it is: it is no plain key"
            self.faults.warn(line, told)
            return HIDDEN
        if is_plain and name.lower() in BOOLEANS and not self._is_text(name):
            told = f"the key {name} is read as true or false; put it in quotes"
            self.faults.warn(line, told)
        return name

    def enter(self, code: str) -> None:
        """Make the value of the only item the root, and the item's name the code."""
        top, (before, after) = self.root, self._around
        [item] = top.items
        head = item.head
        if locale_tag(item.name) != locale_tag(code):
            head = key(code) + head[head.index(":") :]
        before += top.brackets[0] + item.lead + head
        behind = item.tail + top.separator * top.ends_separated
        behind += item.rest + top.final + top.brackets[1]
        self._around = before, behind + after
        if isinstance(item.value, TreeContainer):
            self.root = item.value
        else:
            self.root = self.set_container(item, is_array=False)
            self._begin(self.root, top)

    def spelled(self, value: object, old: str = "") -> str:
        """A text in the style that it had; a new one in that of most texts."""
        found = _VALUE.match(old)
        assert found
        raw = old[found.end() :]
        style = (raw[0] if raw[0] in "|>'\"" else None) if raw else self._style
        return (found[1] or " ") + spelled(str(value), raw, style, self._newline)

    def head(self, container: TreeContainer, name: str) -> str:
        """The key and its colon."""
        return f"{key(name)}:"

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        """A new object or array; ``_write`` gives it its lead, or brackets."""
        return TreeContainer(lead, ("", ""), is_array=is_array, separator="")

    def content(self) -> bytes:
        """The file. One without a last line break gets it if it changes and has blocks,
        as these need it."""
        content, has_blocks = super().content(), self._styles["|"] or self._styles[">"]
        if self._is_open and not (
            has_blocks and content != self.file.encoded(self.text)
        ):
            content = content.removesuffix(self._newline.encode())
        return content

    def _lead(self, container: TreeContainer) -> str:
        return super()._lead(container) if container.separator else container.lead

    def _hole(self, value: TreeValue | TreeContainer) -> TreeValue:
        return TreeValue(" ~")

    def _prune(self, container: TreeContainer) -> bool:
        is_left = super()._prune(container)
        for item in container.items if self._has_aliases else ():
            if item.is_removed and _ANCHORED.fullmatch(item.head):
                told = "is kept: it has an anchor, and the file has aliases"
                self.warnings.append(f"line {item.line}: {quoted(item.name)} {told}")
                item.is_removed, is_left = False, True
        return is_left

    def _write(self, container: TreeContainer, parts: list[str]) -> None:
        is_flow = bool(container.separator)
        for item in container.every():
            value = item.value
            if container.is_array and not is_flow:
                item.head = item.head or "-"
            if isinstance(value, TreeContainer):
                if not value.items and not value.separator:
                    self._begin(value, container)
            elif is_flow and not isinstance(value, Old):
                if value.raw[1:2] not in ("'", '"') and _TORN.search(value.raw):
                    value.raw = f" {double_quoted(value.text or '')}"
                if container.is_array and not item.head:
                    value.raw = value.raw.lstrip()
        super()._write(container, parts)

    def _begin(self, new: TreeContainer, around: TreeContainer) -> None:
        """Give a new container its place: in brackets where what is around it has."""
        new.lead = around.lead + self._unit
        if around.separator:
            new.lead, new.separator = "", ","
            new.brackets = (" [", "]") if new.is_array else (" {", "}")
        for item in new.added:
            item.lead = new.lead or " "
