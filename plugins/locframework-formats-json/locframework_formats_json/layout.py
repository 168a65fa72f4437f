"""Changes single members of a JSON file, and keeps all the rest of it as it stands."""

import json
import re
from collections.abc import Iterator, Mapping
from string import ascii_letters, digits

from locframework.ports import TextFile

from .strict_json import DEEPEST, STRING

MOST_POSITIONS = 10_000  # of an array; a key of a later one keeps its whole name

_SPACE = re.compile(r"[ \t\r\n]*+")
_MEMBER = re.compile(rf"([ \t\r\n]*+)({STRING})([ \t\r\n]*+:[ \t\r\n]*+)", re.DOTALL)
_TEXT = re.compile(STRING, re.DOTALL)
_SCALAR = re.compile(r"[-+.\w]++")
_AFTER = re.compile(r"([ \t\r\n]*+)([],}])")
_LAST_LINE = re.compile(r"\r?\n[ \t]*\Z")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_IN_ESCAPES = frozenset('"\\/' + ascii_letters + digits)  # of other characters


class Value:
    """A text, or anything else that has no members."""

    __slots__ = ("raw", "text")

    def __init__(self, raw: str, text: str | None = None) -> None:
        self.raw = raw
        self.text = text  # None: no text


class Item:
    """A member of an object, or an element of an array, and those put around it."""

    __slots__ = (
        "after",
        "before",
        "head",
        "is_removed",
        "lead",
        "name",
        "tail",
        "value",
    )

    def __init__(
        self, lead: str, name: str, head: str, value: "Value | Container"
    ) -> None:
        self.lead = lead  # white space before it
        self.name = name  # "" in an array
        self.head = head  # the name as it stands, and the colon; "" in an array
        self.value = value
        self.tail = ""  # white space before the comma
        self.before: list[Item] = []
        self.after: list[Item] = []
        self.is_removed = False


class Container:
    """An object or array."""

    __slots__ = ("_by_name", "added", "final", "is_array", "items", "lead")

    def __init__(self, lead: str, *, is_array: bool) -> None:
        self.is_array = is_array
        self.lead = lead  # line break and indentation of its line; "" on one line
        self.items: list[Item] = []
        self.added: list[Item] = []  # at the end
        self.final = ""  # white space before the closing bracket
        self._by_name: dict[str, Item] | None = None

    def child(self, part: str | int) -> Item | None:
        """The member or element there; of members with one name the last."""
        if self.is_array:
            at, here = position(part), len(self.items)
            if at is None or at >= here + len(self.added):
                return None
            return self.items[at] if at < here else self.added[at - here]
        if self._by_name is None:
            self._by_name = {item.name: item for item in self.items}
        return self._by_name.get(str(part))

    def put(self, item: Item, behind: list[Item]) -> None:
        """Add a new item to ``added``, or to what stands behind an item."""
        behind.append(item)
        item.after = behind  # one list for all that are new here
        if self._by_name is not None:
            self._by_name[item.name] = item

    def place_added(self, item: Item) -> None:
        """Let what was added to an object stand before the item that follows it."""
        if self.added and not self.is_array and item.after is not self.added:
            item.before, self.added = self.added, []


def position(part: str | int) -> int | None:
    """The position in an array that a part of a path means, if it does."""
    if isinstance(part, int):
        return part
    is_number = part.isascii() and part.isdecimal() and len(part) < 6
    return int(part) if is_number and str(int(part)) == part else None


class Layout:
    """A JSON file whose members can be changed. Linear in its size."""

    def __init__(self, content: bytes) -> None:
        """Raises ValueError or UnreadableFile when this is not one JSON object."""
        self._file = TextFile.of(content)
        self._text = text = self._file.text
        start = self._match(_SPACE, 0).end()
        if text[start : start + 1] != "{":
            raise ValueError("no object")
        member = _MEMBER.match(text, start + 1)
        line = _last_line(member[1]) if member else ""
        self._newline, self._unit = line.rstrip(" \t"), line.lstrip("\r\n")
        self._colon = member[3] if member else ": "
        self._gap = " " if self._colon.endswith(" ") else ""
        root, end = self._scan(start, self._newline, 1)
        assert isinstance(root, Container)
        self.root = root
        self._around = text[:start], text[end:]
        if text[end:].strip(" \t\r\n"):
            raise ValueError("more than one object")
        self._learn_escapes()

    def _match(self, pattern: re.Pattern[str], at: int) -> re.Match[str]:
        found = pattern.match(self._text, at)
        if found is None:
            raise ValueError(f"no JSON at {at}")
        return found

    def _scan(self, at: int, lead: str, depth: int) -> tuple[Value | Container, int]:
        first = self._text[at : at + 1]
        if first == '"':
            raw = self._match(_TEXT, at)[0]
            return Value(raw, _decoded(raw)), at + len(raw)
        if first not in ("{", "["):
            raw = self._match(_SCALAR, at)[0]
            return Value(raw), at + len(raw)
        if depth > DEEPEST:
            raise ValueError(f"deeper than {DEEPEST}")
        node = Container(_last_line(lead), is_array=first == "[")
        close = "]" if node.is_array else "}"
        at += 1
        start = self._match(_SPACE, at).end()
        if self._text[start : start + 1] == close:
            node.final = self._text[at:start]
            return node, start + 1
        while True:
            if node.is_array:
                found = self._match(_SPACE, at)
                lead, name, head = found[0], "", ""
            else:
                found = self._match(_MEMBER, at)
                lead, name, head = found[1], _decoded(found[2]), found[2] + found[3]
            value, end = self._scan(found.end(), lead, depth + 1)
            item = Item(lead, name, head, value)
            node.items.append(item)
            space, sign = (after := self._match(_AFTER, end)).groups()
            at = after.end()
            if sign == close:
                node.final = space
                return node, at
            if sign != ",":
                raise ValueError(f"no JSON at {end}")
            item.tail = space

    def _learn_escapes(self) -> None:
        """Learn which characters the file escapes, and how."""
        text = self._text
        units: set[str] = set()
        slashes = upper = lower = 0
        for code, sign in _ESCAPE.findall(text) if "\\" in text else ():
            if code:
                units.add(chr(int(code, 16)))
                upper += code != code.lower()
                lower += code != code.upper()
            slashes += sign == "/"
        self._is_upper = upper > lower
        raw = set(text)
        if text.isascii() and any(unit > "\x7f" for unit in units):
            pattern = "[^\x00-\x7f]"
        else:
            pattern = "(?!)"
        if (
            any("\ud800" <= unit <= "\udbff" for unit in units)
            and max(raw) < "\U00010000"
        ):
            pattern += "|[\U00010000-\U0010ffff]"
        signs = [sign for sign in sorted(units - raw) if sign not in _IN_ESCAPES]
        escaped = "".join(map(re.escape, signs))
        pattern += f"|[{escaped}]" if escaped else ""
        if slashes * 2 > text.count("/"):
            pattern += "|/"
        self._escaped = re.compile(pattern)

    def literal(self, text: str) -> str:
        """The text as a JSON string, with the escapes that the file uses."""
        raw = json.dumps(text, ensure_ascii=False)
        return self._escaped.sub(self._escape, raw)

    def _escape(self, found: re.Match[str]) -> str:
        sign = found[0]
        if sign == "/":
            return "\\/"
        units = sign.encode("utf-16-be").hex()
        units = units.upper() if self._is_upper else units
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    def set_text(self, item: Item, text: str) -> None:
        """Give an item this text; it keeps its spelling where it has it already."""
        item.is_removed = False
        if not isinstance(item.value, Value) or item.value.text != text:
            item.value = Value(self.literal(text), text)

    def set_container(self, item: Item, *, is_array: bool) -> Container:
        """Make an item an empty object or array."""
        item.is_removed = False
        item.value = Container(_last_line(item.lead), is_array=is_array)
        return item.value

    def add(
        self, container: Container, behind: list[Item], part: str | int, value: object
    ) -> Item:
        """Put a new value behind an item of the container, or to its ``added``."""
        if isinstance(value, str):
            return self._add(container, behind, part, Value(self.literal(value), value))
        if not value or not isinstance(value, (Mapping, list)):
            return self._add(container, behind, part, Value(json.dumps(value)))
        is_array = isinstance(value, list)
        new, item = self.add_container(container, behind, part, is_array=is_array)
        self.fill(new, value)
        return item

    def fill(
        self, container: Container, value: Mapping[str, object] | list[object]
    ) -> None:
        """Put all of an object or array to the ``added`` of an empty container."""
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for part, inner in parts:
            self.add(container, container.added, part, inner)

    def add_container(
        self,
        container: Container,
        behind: list[Item],
        part: str | int,
        *,
        is_array: bool,
    ) -> tuple[Container, Item]:
        """Put a new object or array there, which is empty at first."""
        lead = _last_line(self._lead(container))
        new = Container(lead, is_array=is_array)
        return new, self._add(container, behind, part, new)

    def _add(
        self,
        container: Container,
        behind: list[Item],
        part: str | int,
        value: Value | Container,
    ) -> Item:
        lead = self._lead(container)
        name = head = ""
        if container.is_array:
            behind, at = container.added, position(part) or 0
            for _ in range(at - len(container.items) - len(container.added)):
                behind.append(Item(lead, "", "", Value('""', "")))
        else:
            name = str(part)
            items = container.items
            colon = self._colon
            if items:
                colon = items[0].head[self._text_end(items[0].head) :]
            head = self.literal(name) + colon
        item = Item(lead, name, head, value)
        container.put(item, behind)
        return item

    def _text_end(self, head: str) -> int:
        found = _TEXT.match(head)
        return found.end() if found else 0

    def _lead(self, container: Container) -> str:
        """The white space before a new item, as its neighbors have it."""
        items = container.items
        if len(items) > 1:
            return _last_line(items[1].lead) or items[1].lead
        if items:
            return _last_line(items[0].lead) or self._gap
        return container.lead + self._unit if container.lead else self._gap

    def content(self) -> bytes:
        """The file. Objects and arrays that have lost all they had are left out.

        An element of an array that is gone leaves an empty one, so that those behind
        it keep their positions.
        """
        _prune(self.root)
        before, after = self._around
        parts = [before]
        self._write(self.root, parts)
        return self._file.encoded("".join([*parts, after]))

    def _write(self, container: Container, parts: list[str]) -> None:
        parts.append("[" if container.is_array else "{")
        previous: Item | None = None
        for item in _items(container):
            if item.is_removed:
                continue
            if previous is not None:
                is_moved = bool(item.before) and item is container.items[0]
                lead = self._lead(container) if is_moved else item.lead
                parts += (previous.tail, ",", lead)
            elif container.items:
                parts.append(container.items[0].lead)
            else:
                parts.append(_last_line(item.lead))
            parts.append(item.head)
            if isinstance(item.value, Value):
                parts.append(item.value.raw)
            else:
                self._write(item.value, parts)
            previous = item
        is_new = previous is not None and not container.items
        final = container.lead if is_new else container.final
        parts += (final, "]" if container.is_array else "}")


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    text: str = json.loads(raw, strict=False)
    return text


def _last_line(lead: str) -> str:
    """The last line break and what follows it; nothing when there is none."""
    found = _LAST_LINE.search(lead)
    return found[0] if found else ""


def _items(container: Container) -> Iterator[Item]:
    for item in container.items:
        yield from item.before
        yield item
        yield from item.after
    yield from container.added


def _prune(container: Container) -> bool:
    """Remove what has become empty; whether anything is left."""
    last = -1
    items = list(_items(container))
    for at, item in enumerate(items):
        value = item.value
        if not item.is_removed and isinstance(value, Container):
            had_items = bool(value.items or value.added)
            item.is_removed = had_items and not _prune(value)
        if not item.is_removed:
            last = at
    if container.is_array:
        for item in items[: last + 1]:
            if item.is_removed:
                item.is_removed = False
                item.value = _hole(item.value)
    return last >= 0


def _hole(value: Value | Container) -> Value:
    if isinstance(value, Value):
        return Value('""', "")
    return Value("[]" if value.is_array else "{}")
