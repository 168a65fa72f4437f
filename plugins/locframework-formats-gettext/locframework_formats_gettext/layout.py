"""Writes messages into the file that was last imported, which changes no more than it
has to: its order, layout, comments, charset and line ends stay."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, UnreadableFile, legal_key

from .header import in_utf8, with_field
from .identity import KEY_CONTEXT, Named, name_keys, named_in
from .po_file import Message, parts_of, render, values_of
from .reading import LONGEST_DESCRIPTION, PoFile, read_file
from .wrapping import ONE_LINE, columns, quoted

_BLANKS = " \t\r\f\v\n"
_WIDTHS = (79, 80, 78, 77, 76, 0, ONE_LINE)
_SAMPLES = 300  # long texts that tell how wide the lines are
_SHORT, _LONG = 60, 2000  # characters; shorter texts are on one line in any file


class Written(Struct):
    """A message to write, the entry it stands for, and the keys that are the same."""

    entry: Entry
    message: Message
    named: Named


class Slot(Struct):
    """A message of the file, and what becomes of it."""

    message: Message
    entries: Mapping[str, Entry]
    block: str  # its lines
    gap: str  # what stands between it and the next
    is_kept: bool
    before: list[str]  # new messages that stand before it
    after: list[str]  # and behind it

    @property
    def is_live(self) -> bool:
        """Whether it is a message or the header, and not obsolete."""
        return not self.message.obsolete


class Layout:
    """The file that was last imported, as a place to write into."""

    def __init__(
        self,
        file: PoFile,
        content: bytes,
        options: FileOptions,
        width: int,
        *,
        is_source: bool,
    ) -> None:
        self.file = file
        self._content = content
        self.charset = file.text_file.declared
        self._options = options
        self._is_source = is_source  # only such a file takes over descriptions
        self.width = _width_of(file, width)
        self.slots = [self._slot(message, some) for message, some in file.messages]
        self._keys = {key for slot in self.slots for key in slot.entries}
        self._head: list[str] = []  # new messages, where the file has none
        live = [slot for slot in self.slots if slot.is_live]
        self._last_live = live[-1].after if live else self._head

    def _slot(self, message: Message, entries: Sequence[Entry]) -> Slot:
        lines = self.file.text_file.text[message.start : message.end]
        block = lines.rstrip(_BLANKS)
        separator = self._options.key_separator
        by_key = {legal_key(entry.key, separator): entry for entry in entries}
        if (module := self._options.module) is not None:
            start = module + separator
            by_key |= {
                key if key.startswith(start) else start + key: entry
                for key, entry in by_key.items()
            }
        # a message that cannot be read is nobody's, and stays
        is_kept = message.obsolete or not entries
        return Slot(message, by_key, block, lines[len(block) :], is_kept, [], [])

    def has(self, entry: Entry) -> bool:
        """Whether one of its messages is read as the entry."""
        return legal_key(entry.key, self._options.key_separator) in self._keys

    @property
    def obsolete(self) -> list[Message]:
        """The obsolete messages, in order."""
        return [slot.message for slot in self.slots if not slot.is_live]

    def write(
        self, written: Sequence[Written], rule: str | None, *, template: bool
    ) -> tuple[bytes, list[Written]]:
        """Return the file with these messages, and those whose texts are written anew.

        ``rule`` is the Plural-Forms that new texts follow; the header keeps its own
        until there are any. Of a ``template`` no texts are written.
        """
        places = self._places(written)
        changed: list[Written] = []
        following = next((slot for slot in places if slot is not None), None)
        after = self._last_live if following is None else following.before
        new = set()
        for one, slot in zip(written, places, strict=True):
            if slot is None:
                message = replace(one.message)
                new.add((message.msgctxt, message.msgid))
                self._name(message, one, message.extracted)
                after.append(render(message, self.width))
                changed.append(one)
                continue
            message = self._message(one, slot, template=template)
            if values_of(message) != values_of(slot.message):
                slot.block = _mixed(slot, message, self.width)
            if message.texts is not slot.message.texts:
                changed.append(one)
            slot.is_kept = True
            after = slot.after
        for slot in self.slots:  # what was obsolete beside a live one stays
            message = slot.message
            if message.obsolete and (message.msgctxt, message.msgid) in new:
                slot.is_kept = False
        has_plurals = any(
            one.message.msgid_plural is not None and any(one.message.texts)
            for one in changed
        )
        if has_plurals and rule is not None and not template:
            self._change_header(lambda fields: with_field(fields, "Plural-Forms", rule))
        return self._encoded(), changed

    def _places(self, written: Sequence[Written]) -> list[Slot | None]:
        """Where each message stands: by context and msgid, else by its key."""
        live = [slot for slot in self.slots if slot.is_live and slot.entries]
        by_identity = {(s.message.msgctxt, s.message.msgid): s for s in live}
        by_key = {key: slot for slot in live for key in slot.entries}
        found = [
            by_identity.get((one.message.msgctxt, one.message.msgid)) for one in written
        ]
        taken = {id(slot) for slot in found if slot is not None}
        for at, one in enumerate(written):
            slot = by_key.get(one.named.same[0])
            if found[at] is None and slot is not None and id(slot) not in taken:
                found[at] = slot
                taken.add(id(slot))
        return found

    def _message(self, one: Written, slot: Slot, *, template: bool) -> Message:
        """The message of the file with what differs."""
        old, entry, read = slot.message, one.entry, slot.entries.get(one.named.same[0])
        message = replace(old)
        is_plural = one.message.msgid_plural is not None
        if (old.msgctxt or "").startswith(KEY_CONTEXT):  # the source text may be new
            message.msgid = one.message.msgid
            message.msgid_plural = one.message.msgid_plural
        elif is_plural is not (old.msgid_plural is not None):
            message.msgid_plural = one.message.msgid_plural
        is_same = read is not None and read.value == entry.value
        if not template and entry.value is not None and is_same and read is not None:
            is_same = read.needs_review == entry.needs_review
        if not is_same or message.msgid_plural is None is not old.msgid_plural:
            said = (list(old.texts), old.fuzzy)
            if said != (list(one.message.texts), one.message.fuzzy):
                message.texts, message.fuzzy = one.message.texts, one.message.fuzzy
        comment = named_in(old, self._options.key_separator, [])[1]
        description = entry.description
        if self._is_source and description and not _says(comment, description):
            comment = "\n".join(description.splitlines())
        elif read is not None:
            return message
        self._name(message, one, comment)
        return message

    def _name(self, message: Message, one: Written, comment: str | None) -> None:
        message.extracted = comment
        has_source = bool(one.entry.source or one.entry.key_detail)
        name_keys(message, one.named, self._options, has_source=has_source)

    def _change_header(self, change: Callable[[str], str]) -> None:
        slot = next((slot for slot in self.slots if slot.message.is_header), None)
        if slot is not None:
            fields = slot.message.texts[0]
            if change(fields) != fields:
                message = replace(slot.message, texts=[change(fields)])
                slot.block = _mixed(slot, message, self.width)
                slot.message = message

    def _encoded(self) -> bytes:
        file, text = self.file.text_file, self._text()
        self.charset = file.declared
        if text == file.text:
            return self._content
        is_new = False
        try:
            file.encoded(text)
        except UnicodeEncodeError:
            file, is_new = file._replace(charset="utf-8"), True
            self.charset = file.declared
        if is_new or (file.text.isascii() and not text.isascii()):
            self._change_header(in_utf8)
            text = self._text()
        return file.encoded(text)

    def _text(self) -> str:
        text = self.file.text_file.text
        begin = self.slots[0].message.start
        parts = [text[:begin]]
        parts += [f"{block}\n\n" for block in self._head]
        is_windows = self.file.text_file.newline == "\r\n"
        gap = ""
        for slot in self.slots:
            own = [slot.block] if slot.is_kept else []
            blocks = [*slot.before, *own, *slot.after]
            if blocks:
                parts += [gap, "\n\n".join(blocks)]
                gap = slot.gap
        parts += [self.slots[-1].gap, text[self.slots[-1].message.end :]]
        whole = "".join(parts)
        if is_windows and whole != text:
            whole = whole.replace("\r\n", "\n").replace("\n", "\r\n")
        return whole


def layout_of(
    catalogue: Catalogue, options: FileOptions, *, template: bool, width: int
) -> Layout | None:
    """The layout of ``catalogue.template``; None where there is nothing to keep."""
    content = catalogue.template
    if not content:
        return None
    options = replace(options, language_code=catalogue.language_code)
    try:
        file = read_file(content, options, template=template)
    except UnreadableFile:
        return None  # the file of another format
    if not file.messages:
        return None
    is_source = catalogue.language_code == options.source_language
    return Layout(file, content, options, width, is_source=is_source)


def _says(comment: str | None, description: str) -> bool:
    return (comment or "")[:LONGEST_DESCRIPTION].split() == description.split()


def _mixed(slot: Slot, message: Message, width: int) -> str:
    """The lines of a message; of what did not change those of the file."""
    old, new = parts_of(slot.block), parts_of(render(message, width))
    before, now = values_of(slot.message), values_of(message)
    names = list(old)
    for at, name in enumerate(new):
        if name not in names:
            known = [other for other in [*new][:at] if other in names]
            names.insert(names.index(known[-1]) + 1 if known else 0, name)
    return "\n".join(
        old[name] if name in old and before.get(name) == now.get(name) else new[name]
        for name in names
        if name in new
    )


def _width_of(file: PoFile, width: int) -> int:
    """The width that most of the file's long texts are wrapped at."""
    samples = list(islice(_long_texts(file), _SAMPLES))
    wrapped = [line for *_, lines in samples for line in lines.split("\n")[:-1]]
    widest = max(map(columns, wrapped), default=width)

    def fitting(width: int) -> int:
        return sum(
            quoted(keyword, text, width) == lines for keyword, text, lines in samples
        )

    return max((width, *_WIDTHS, widest), key=fitting)


def _long_texts(file: PoFile) -> Iterable[tuple[str, str, str]]:
    """Keyword, text and lines of what lines of any width wrap."""
    for message, entries in file.messages:
        if not entries or "no-wrap" in message.flags:
            continue
        values = values_of(message)
        long = {
            name
            for name, text in values.items()
            if name.startswith("msg")
            and isinstance(text, str)
            and len(text) < _LONG
            and (len(text) > _SHORT or "\n" in text)
        }
        if long:
            block = file.text_file.text[message.start : message.end].replace(
                "\r\n", "\n"
            )
            parts = parts_of(block.rstrip(_BLANKS))
            for name in long & parts.keys():
                yield name, str(values[name]), parts[name].rstrip("\n")
