"""How a message and a key of the framework stand for each other.

A key that came from PO keeps its message (``msgctxt``, ``msgid``, ``msgid_plural``)
in ``key_detail``, whatever becomes of the key or its source text. Its name:

- the msgid itself where that is a legal key and has no context: people who write
  ``gettext("checkout.pay")`` find their own names again (of a plural, where it looks
  like a name: with a separator or an underscore);
- else ``legal_key``: a readable part and 12 digits of a hash over context, msgid and
  plural, ``save-changes-0f3a61c2b7d4``: stable, legal, and different for different
  messages. (One language's file may have a plural where an older one has none.)

A key that never came from PO is written with its source text as the msgid, where
translators expect it, and ``key:<key>`` as the context, by which it is found again;
``<key>`` is what another file calls it, where that is no legal key.
Without a source text the key is the msgid, and where that would be read as a source
text, the key's context stands before it, and its name in the comment.

A key whose message would be read as another key (it was renamed, say) is named by a
last line of the developers' comment, ``#. locframework-key: greeting``: programs look
messages up by context and msgid, which must stay. So are all keys that are one
message, ``greeting welcome (hello)``: in brackets those whose text the message has no
place for."""

from functools import lru_cache
from typing import NamedTuple, TypeVar

from msgspec import Struct, ValidationError, convert, to_builtins

from locframework.ports import (
    PLURAL_FORMS,
    Detail,
    Entry,
    FileOptions,
    Text,
    is_legal_key,
    legal_key,
)

from .po_file import Message

_Known = TypeVar("_Known", bound=Struct)


class KeyNotes(Struct, rename="camel", omit_defaults=True, gc=False):
    """``Entry.key_detail``: which message a key stands for, in all languages."""

    msgid: str
    msgctxt: str | None = None
    msgid_plural: str | None = None
    flags: str = ""  # python-format and such, for languages that were in no file


class Notes(Struct, omit_defaults=True, gc=False):
    """``Entry.detail``: what one language's file says around a message."""

    comment: str | None = None
    extracted: str | None = None  # with this file's line breaks, unless it is short
    references: str | None = None
    flags: str = ""  # without fuzzy
    previous: str | None = None
    forms: dict[str, str] = {}  # by index, the msgstr[i] that CLDR has no form for


class FileNotes(Struct, rename="camel", omit_defaults=True):
    """``Catalogue.detail``: the file around the messages."""

    header: str | None = None  # the text, "Language: de\nMIME-Version: 1.0\n…"
    header_fuzzy: bool = False
    header_notes: Notes | None = None
    obsolete: str = ""  # the "#~" messages, as they are


def notes_in(detail: Detail | None, kind: type[_Known]) -> _Known | None:
    """A stored detail as what it is; None when there is none, or another's."""
    if not detail:
        return None
    try:
        return convert(detail, kind)
    except ValidationError:
        return None


KEY_CONTEXT = "key:"
KEY_NOTE = "locframework-key:"
CONTEXT_END = "\4"  # between msgctxt and msgid, as in MO files


def key_of(message: Message, separator: str) -> str:
    """The key that stands for a message; the same in every file and language."""
    context, msgid = message.msgctxt, message.msgid
    has_words = message.msgid_plural not in (None, msgid)
    is_name = not has_words or _is_name(msgid, separator)
    if context is None and is_legal_key(msgid, separator) and is_name:
        return msgid
    if context is not None and (key := _context_key(context)):
        return key
    # U+0000 is in no text, so context, msgid and plural cannot run into each other
    parts = [msgid] if context is None else [context, msgid]
    if message.msgid_plural is not None:
        parts += ["", message.msgid_plural]
    return legal_key(msgid, separator, "\0".join(parts))


class Named(NamedTuple):
    """The keys that a comment names, all of them legal."""

    same: list[str]  # with the text of the message
    other: list[str]  # with one of their own


def named_in(
    message: Message, separator: str, warnings: list[str]
) -> tuple[Named | None, str | None]:
    """The keys that the developers' comment names in its last line, and what else it
    says. Warns of a note that names no key."""
    comment, _, last = (message.extracted or "").rpartition("\n")
    named = _note(last, separator)
    if named is not None:
        return named, comment or None
    if last.startswith(KEY_NOTE):
        told = f"its comment names no key, as `{KEY_NOTE}` should"
        warnings.append(f"line {message.line}: {told}")
    return None, message.extracted


def is_only_name(message: Message, named: Named | None, separator: str) -> bool:
    """Whether the msgid is a key that has no source text, though it looks like one."""
    if message.msgctxt != KEY_CONTEXT + message.msgid:
        return False
    return named == ([legal_key(message.msgid, separator)], [])


def name_keys(
    message: Message, named: Named, options: FileOptions, *, has_source: bool
) -> None:
    """Name the keys of a message in the developers' comment, unless it is read as that
    key anyway: be it by an import into the module that was asked for."""
    comment, separator = message.extracted, options.key_separator
    is_plain = _note((comment or "").rpartition("\n")[2], separator) is None
    read = legal_key(key_of(message, separator), separator)
    if options.module and not read.startswith(options.module + separator):
        read = options.module + separator + read
    is_read = named == ([read], [])
    is_right = has_source or source_of(message, separator) is None
    if is_plain and is_read and is_right:
        return
    note = " ".join([KEY_NOTE, *named.same, *(f"({key})" for key in named.other)])
    message.extracted = note if comment is None else f"{comment}\n{note}"


def source_of(message: Message, separator: str) -> Text | None:
    """The source text of a message, or None where the msgid is only a name.

    A name is a legal key without context that has a separator or an underscore.
    """
    msgid = message.msgid
    looks_named = message.msgctxt is None and _is_name(msgid, separator)
    if looks_named and is_legal_key(msgid, separator):
        return None
    if message.msgid_plural is None:
        return msgid
    return {"one": msgid, "other": message.msgid_plural}


def key_detail_of(message: Message, separator: str) -> Detail | None:
    """What is kept with the key, as KeyNotes; None for a key not born in PO."""
    if message.msgctxt is not None and _context_key(message.msgctxt):
        return None
    notes = KeyNotes(
        message.msgid,
        message.msgctxt,
        message.msgid_plural,
        ", ".join(formats_in(message.flags)),
    )
    detail: Detail = to_builtins(notes)
    return detail


def message_of(entry: Entry, separator: str) -> Message:
    """The message that an entry is written as: its identity, and the shared flags."""
    known = notes_in(entry.key_detail, KeyNotes)
    one, other = _source_texts(entry.source)
    if known is not None:
        message = Message(known.msgid, known.msgctxt, flags=known.flags)
        other = other or known.msgid
        if known.msgid_plural is not None:
            other = known.msgid_plural
    elif one:
        message = Message(one, KEY_CONTEXT + entry.key)
    else:
        is_plain = _is_name(entry.key, separator) and not entry.is_file_key
        context = None if is_plain else KEY_CONTEXT + entry.key
        message = Message(entry.key, context)
        other = entry.key
    if is_plural(entry):
        message.msgid_plural = other
    return message


def is_plural(entry: Entry) -> bool:
    """Whether the entry is written with plural forms."""
    return entry.is_plural or not (entry.value is None or isinstance(entry.value, str))


def _source_texts(source: Text | None) -> tuple[str, str]:
    if source is None or isinstance(source, str):
        return source or "", source or ""
    said = [source[form] for form in PLURAL_FORMS if source.get(form)]
    other = said[-1] if said else ""
    return source.get("one") or other, other


@lru_cache(maxsize=1024)
def formats_in(flags: str) -> tuple[str, ...]:
    """Return the flags that say which placeholders a message has."""
    return tuple(flag for flag in flags.split(", ") if flag.endswith("-format"))


def _is_name(msgid: str, separator: str) -> bool:
    return separator in msgid or "_" in msgid


def _context_key(context: str) -> str | None:
    key = context.removeprefix(KEY_CONTEXT)
    return key if key != context else None


def _note(line: str, separator: str) -> Named | None:
    """The keys of a note; None where it is none, or names anything else."""
    if not line.startswith(KEY_NOTE):
        return None
    words = line.removeprefix(KEY_NOTE).split()
    same = [word for word in words if not word.startswith("(")]
    other = [word[1:-1] for word in words if word.startswith("(") and word[-1] == ")"]
    keys = [*same, *other]
    is_whole = same and len(keys) == len({*keys}) == len(words)
    is_legal = all(is_legal_key(key, separator) for key in keys)
    return Named(same, other) if is_whole and is_legal else None
