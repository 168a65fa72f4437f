"""Reads YAML into nodes that know where they stand. Nothing is constructed."""

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.reader import ReaderError

from locframework.ports import Faults, quoted, unreadable

from .scalars import is_boolean, is_text

DEEPEST = 64
Path = tuple[str | int, ...]
_AROUND = (StreamStartEvent, DocumentStartEvent, DocumentEndEvent, StreamEndEvent)
_COLON = re.compile(r"[ \t]*+:")
_DASH = re.compile(r"(?:\s|#[^\n]*+)*+-")
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*+\s++)*+")
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")


class Node:
    """A value of a file: ``map``, ``seq``, ``text``, ``nil`` or ``other``; or a new
    one."""

    def __init__(self, kind: str, text: str = "") -> None:
        self.kind = kind
        self.text = text
        self.name = ""  # in its mapping
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.names: dict[str, Node] = {}
        self.style: str | None = None
        self.start = self.end = self.line = self.column = 0
        self.key: tuple[int, int] | None = None  # where its key stands, in a mapping
        self.colon: int | None = None  # behind the colon of its key
        self.in_flow = self.is_flow = False  # stands in { }; is { } or [ ]
        self.is_anchored = self.is_fixed = self.is_plural = False
        self.is_new = self.is_changed = self.is_removed = False
        self.before: list[Node] = []  # new ones around it
        self.after: list[Node] = []
        self.added: list[Node] = []  # new ones at the end of its children
        self.behind = self.added

    def walk(self, path: Path = ()) -> "Iterator[tuple[Path, Node]]":
        """Yield the nodes below, each with its path; those above come first."""
        for at, child in enumerate(self.children):
            here = (*path, at if self.kind == "seq" else child.name)
            yield here, child
            if not child.is_fixed:
                yield from child.walk(here)


class Reader:
    """One document of YAML. Raises UnreadableFile for the first fault of its syntax;
    keys that are there twice, and tags, are noted in ``faults``."""

    def __init__(self, text: str, faults: Faults) -> None:
        self._text = text
        self._faults = faults
        self._counted, self._line = 0, 1
        self.has_aliases = False
        self.root: Node | None = None
        events = YAML(typ="safe", pure=True).parse(text)
        try:
            self._read(events)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = min(mark.index, len(text)) if mark else 0
            line = text.count("\n", 0, at) + 1
            raise unreadable(line, "syntax", _told(error.problem)) from None
        except ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            told = "a control character has to be escaped, in double quotes"
            raise unreadable(line, "syntax", told) from None
        except (YAMLError, ValueError, OverflowError, AttributeError, IndexError):
            told = "this is no YAML"
            raise unreadable(self._line, "syntax", told) from None

    def _read(self, events: Iterator[Event]) -> None:
        for event in events:
            if isinstance(event, DocumentStartEvent) and self.root is not None:
                line = self._line_of(event)
                raise unreadable(line, "syntax", "a file has one document of YAML")
            if isinstance(
                event,
                (
                    StreamStartEvent,
                    DocumentStartEvent,
                    DocumentEndEvent,
                    StreamEndEvent,
                ),
            ):
                continue
            self.root = self._node(event, events, 1, in_flow=False)
            if self.root.kind == "nil" and not self.root.text:
                continue
            if self.root.kind != "map":
                told = "keys with their texts are expected"
                raise unreadable(self.root.line, "syntax", told)

    def _line_of(self, event: Event) -> int:
        at = event.start_mark.index
        if at < self._counted:
            return self._text.count("\n", 0, at) + 1
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _node(
        self, event: Any, events: Iterator[Event], depth: int, *, in_flow: bool
    ) -> Node:
        line = self._line_of(event)
        if depth > DEEPEST:
            raise unreadable(line, "depth", f"it is nested deeper than {DEEPEST}")
        node = Node("other")
        node.line, node.in_flow = line, in_flow
        node.start, node.end = event.start_mark.index, event.end_mark.index
        node.column = event.start_mark.column
        if isinstance(event, AliasEvent):
            self.has_aliases = True
            return node
        node.is_anchored = event.anchor is not None
        if event.tag is not None and str(event.tag) not in _TEXT_TAGS:
            told = f"the tag {quoted(str(event.tag))} is refused: it may make objects"
            self._faults.add(line, "tag", told)
        if node.is_anchored or event.tag is not None:
            found = _PROPERTIES.match(self._text, node.start, node.end)
            node.start = found.end() if found else node.start
            node.column = node.start - self._text.rfind("\n", 0, node.start) - 1
        if isinstance(event, ScalarEvent):
            self._scalar(node, event)
            return node
        node.is_flow = bool(event.flow_style)
        node.kind = "map" if isinstance(event, MappingStartEvent) else "seq"
        is_map = node.kind == "map"
        for inner in events:
            if isinstance(inner, (MappingEndEvent, SequenceEndEvent)):
                if node.is_flow or not node.children:
                    node.end = inner.end_mark.index
                else:
                    node.end = max(node.end, node.children[-1].end)
                break
            if is_map:
                self._member(node, inner, events, depth)
            else:
                child = self._node(inner, events, depth + 1, in_flow=node.is_flow)
                child.parent = node
                if child.kind == "nil" and not child.text:
                    last = node.children[-1].end if node.children else node.start
                    dash = _DASH.match(self._text, last)
                    child.start = child.end = dash.end() if dash else child.start
                node.children.append(child)
        return node

    def _member(
        self, node: Node, event: Any, events: Iterator[Event], depth: int
    ) -> None:
        name = self._node(event, events, depth + 1, in_flow=node.is_flow)
        is_plain = isinstance(event, ScalarEvent) and name.style is None
        colon = _COLON.match(self._text, name.end)
        text = event.value if isinstance(event, ScalarEvent) else ""
        child = self._node(next(events), events, depth + 1, in_flow=node.is_flow)
        child.name, child.parent, child.line = text, node, name.line
        child.key, child.column = (name.start, name.end), name.column
        child.colon = colon.end() if colon else None
        if child.kind == "nil" and not child.text and colon:
            child.start = child.end = colon.end()
        is_odd = not isinstance(event, ScalarEvent) or not colon or not text
        if is_odd or (is_plain and text == "<<") or _FORBIDDEN.search(text):
            told = f"{quoted(text or '?')} is left as it is: it is no plain key"
            self._faults.warn(child.line, told)
            child.is_fixed = True
        elif text in node.names:
            first = node.names[text].line
            told = f"the key {quoted(text)} is there before, in line {first}"
            self._faults.add(child.line, "duplicate", told)
            child.is_fixed = True
        elif is_plain and is_boolean(text):
            told = f"Ruby reads the key {text} as true or false; put it in quotes"
            self._faults.warn(child.line, told)
        node.children.append(child)
        if not child.is_fixed:
            node.names.setdefault(text, child)

    def _scalar(self, node: Node, event: ScalarEvent) -> None:
        node.style = event.style or None
        text = event.value
        if "\ud800" <= max(text, default="") <= "\udfff":
            units = text.encode("utf-16-be", "surrogatepass")
            text = units.decode("utf-16-be", "surrogatepass")
        node.text = text
        is_typed = node.style is None and event.tag is None
        if is_typed and text.lower() in ("", "~", "null"):
            node.kind = "nil"
        elif not _FORBIDDEN.search(text) and (not is_typed or is_text(text)):
            node.kind = "text"


def _told(problem: str | None) -> str:
    return quoted(problem) if problem else "this is no YAML"
