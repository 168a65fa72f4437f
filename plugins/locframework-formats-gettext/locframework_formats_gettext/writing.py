"""Writes a catalogue as a PO file, or its source texts as a template."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    Text,
    UnreadableFile,
    WrittenFile,
    forms_of_rule,
    gettext_forms,
    legal_key,
    main_forms,
    rule_from_cldr,
    truncate,
)

from .header import (
    field_of,
    kept_header,
    language_of,
    new_header,
    plural_rule_of,
    template_header,
    with_field,
)
from .identity import (
    FileNotes,
    Named,
    Notes,
    is_plural,
    message_of,
    name_keys,
    notes_in,
)
from .layout import Written, layout_of
from .po_file import Message, parse, render
from .reading import LONGEST_DESCRIPTION, block_of

_MOST_WARNINGS = 100

_Identity = tuple[str | None, str]  # context and msgid
_HEADER: _Identity = (None, "")
_Said = tuple[Entry, Message]


class _Plurals(NamedTuple):
    number: int
    forms: tuple[str | None, ...]  # of each index; None: CLDR has none for it
    needed: frozenset[str]  # forms of common whole numbers
    instead: tuple[str, ...] = ()  # for each index, the form of most of its numbers


def write_catalogue(
    catalogue: Catalogue, options: FileOptions, *, template: bool, width: int
) -> WrittenFile:
    """The catalogue in its template; without one in its own order, in UTF-8, with line
    feeds.

    A message that has no text, and was obsolete, takes the obsolete text as fuzzy.
    Warns of keys that are one message with different texts, and of plural forms
    that the file's rule has no place for. Two kinds of messages are marked fuzzy, with
    a warning: one that lacks a form of common numbers (gettext would show an empty
    text), and one that begins or ends with a line break where its msgid does not, or
    the other way round (msgfmt would refuse the whole file).
    """
    layout = layout_of(catalogue, options, template=template, width=width)
    notes = notes_in(catalogue.detail, FileNotes) or FileNotes()
    if layout is not None:
        notes = FileNotes(header=layout.file.fields)
    header, plurals = (_template_head if template else _head)(catalogue, notes)
    is_source = catalogue.language_code == options.source_language

    def message_for(entry: Entry) -> Message:
        message = message_of(entry, options.key_separator)
        notes = notes_in(entry.detail, Notes)
        if notes is not None:
            _add_notes(message, notes)
        message.extracted = _extracted(entry.description, notes)
        if template:
            message.previous = None
            many = 1 if message.msgid_plural is None else plurals.number
            message.texts = [""] * many
        else:
            _fill(message, entry, plurals, notes, is_source=is_source)
        return message

    by_identity, left_out = _once_each(
        [(entry, message_for(entry)) for entry in catalogue.entries],
        lambda entry: layout is not None and layout.has(entry),
    )
    warnings: list[str] = []
    written: list[Written] = []
    for identity, (entry, message) in by_identity.items():
        named = Named([legal_key(entry.key, options.key_separator)], [])
        for other, said in left_out.get(identity, []):
            says_same = _texts(said) == _texts(message)
            if any(said.texts) and not says_same:
                keys = f"{entry.key} and {other.key} are the same message"
                told = f"{truncate(message.msgid)!r}: the first is kept"
                warnings.append(f"{keys}, {told}")
            is_same = says_same and said.fuzzy == message.fuzzy
            key = legal_key(other.key, options.key_separator)
            (named.same if is_same else named.other).append(key)
        written.append(Written(entry, message, named))
    obsolete = layout.obsolete if layout is not None else _parsed(notes.obsolete)
    if not template:
        _revive(obsolete, by_identity)
    if layout is not None:
        rule = plural_rule_of(header.texts[0])
        content, changed = layout.write(written, rule, template=template)
    else:
        changed = written
        blocks = [render(header, width)]
        for one in written:
            has_source = bool(one.entry.source or one.entry.key_detail)
            name_keys(one.message, one.named, options, has_source=has_source)
            blocks.append(render(one.message, width))
        if not template:
            blocks += _obsolete_blocks(obsolete, notes.obsolete, by_identity.keys())
        content = ("\n\n".join(blocks) + "\n").encode()
    for one in [] if template else changed:
        entry, message = one.entry, one.message
        if message.msgid_plural is not None:
            warnings += _plural_warnings(entry, message, plurals)
        if not entry.needs_review and _breaks_lines_otherwise(message):
            told = "does not begin and end with line breaks as its msgid does"
            warnings.append(f"{entry.key} {told}, and is marked fuzzy")
    if (more := len(warnings) - _MOST_WARNINGS) > 0:
        warnings[_MOST_WARNINGS:] = [f"and {more} more warnings"]
    return WrittenFile(content, warnings, layout.charset if layout else None)


def _once_each(
    all_: Iterable[_Said], is_known: Callable[[Entry], bool]
) -> tuple[dict[_Identity, _Said], dict[_Identity, list[_Said]]]:
    """Each message of gettext once, in order, and what is that message too.

    Of several entries that are one message, one with a text is written, else the one
    that was in this language's file, else the first.
    """

    def weight(entry: Entry) -> tuple[bool, bool, bool]:
        return bool(entry.value), is_known(entry), bool(entry.detail)

    written: dict[_Identity, _Said] = {}
    left_out: dict[_Identity, list[_Said]] = {}
    for said in all_:
        entry, message = said
        identity = (message.msgctxt, message.msgid)
        kept = written.setdefault(identity, said)
        if kept is said:
            continue
        if weight(entry) > weight(kept[0]):
            written[identity] = said
            said = kept
        left_out.setdefault(identity, []).append(said)
    return written, left_out


def _texts(message: Message) -> tuple[str | None, ...]:
    return message.msgid_plural, *message.texts


# the header


def _head(catalogue: Catalogue, notes: FileNotes) -> tuple[Message, _Plurals]:
    language = catalogue.language_code or ""
    spoken = language or "und"
    header = notes.header
    fields = None if header is None else kept_header(header, language)
    rule = plural_rule_of(header or "")
    forms: tuple[str | None, ...] = ()
    instead: tuple[str, ...] = ()
    if rule is not None:
        with suppress(ValueError):  # no usable rule
            forms = forms_of_rule(rule, spoken)
            instead = main_forms(rule, spoken)
    if not forms:
        entries = [entry for entry in catalogue.entries if is_plural(entry)]
        values = [e.value for e in entries if isinstance(e.value, Mapping)]
        used = {form for value in values for form, text in value.items() if text}
        rule, forms = rule_from_cldr(spoken, used)
        if fields is None:
            fields = new_header(language, rule)
        elif field_of(fields, "Plural-Forms") is not None or any(
            entry.value for entry in entries
        ):
            fields = with_field(fields, "Plural-Forms", rule)
    needed = frozenset(gettext_forms(spoken))
    plurals = _Plurals(len(forms), forms, needed, instead)
    message = _header_message(fields or "", notes)
    if language_of(header or "") is None:
        message.fuzzy = False  # a template's, which is filled in now
    return message, plurals


def _template_head(catalogue: Catalogue, notes: FileNotes) -> tuple[Message, _Plurals]:
    has_plurals = any(is_plural(entry) for entry in catalogue.entries)
    fields = template_header(notes.header, has_plurals=has_plurals)
    return _header_message(fields, notes), _Plurals(2, (), frozenset())


def _header_message(fields: str, notes: FileNotes) -> Message:
    message = Message("", texts=[fields])
    _add_notes(message, notes.header_notes or Notes())
    message.fuzzy = notes.header_fuzzy
    return message


# one entry


def _fill(
    message: Message,
    entry: Entry,
    plurals: _Plurals,
    notes: Notes | None,
    *,
    is_source: bool,
) -> None:
    value = entry.value
    msgid: Text = message.msgid
    if message.msgid_plural is not None:
        msgid = {"one": message.msgid, "other": message.msgid_plural}
    has_source = entry.source or entry.key_detail
    if is_source and has_source and not entry.needs_review and value == msgid:
        value = None  # gettext's own way to say that the text is the msgid
    if message.msgid_plural is None:
        text = value if value is None or isinstance(value, str) else value.get("other")
        message.texts = (text or "",)
        unfinished = False
    else:
        message.texts = _plural_texts(value, plurals, notes)
        unfinished = any(message.texts) and not all(message.texts)
    unfit = unfinished or _breaks_lines_otherwise(message)
    message.fuzzy = entry.needs_review or unfit


def _breaks_lines_otherwise(message: Message) -> bool:
    """Whether msgfmt would refuse a translation for a line break at either end."""
    said = [message.msgid, *message.texts]
    if message.msgid_plural is not None:
        said.append(message.msgid_plural)
    if "\n" not in "".join(said) or not any(message.texts):
        return False
    ends = {(text[:1] == "\n", text[-1:] == "\n") for text in said}
    return len(ends) > 1


def _plural_texts(
    value: Text | None, plurals: _Plurals, notes: Notes | None
) -> Sequence[str]:
    """The text of each ``msgstr[i]``.

    A form that no common number takes (Czech ``many``, for fractions) says what
    ``other`` says unless it has a text of its own; a form that is needed stays empty.
    One that CLDR does not have says what it said in the file, else what the form of its
    numbers says.
    """
    if not value:
        return [""] * plurals.number
    forms = {"other": value} if isinstance(value, str) else value
    said = [forms[form] for form in PLURAL_FORMS if forms.get(form)]
    filler = said[-1] if said else ""
    more = notes.forms if notes is not None else {}
    texts: list[str] = []
    for index, form in enumerate(plurals.forms):
        own = more.get(str(index), "") if form is None else ""
        form = form or plurals.instead[index]
        texts.append(
            own or forms.get(form) or ("" if form in plurals.needed else filler)
        )
    return texts


def _extracted(description: str, notes: Notes | None) -> str | None:
    if not description:
        return None
    whole = (notes and notes.extracted) or ""
    if whole and whole[:LONGEST_DESCRIPTION].split() == description.split():
        return whole  # with the line breaks of this language's file
    # every kind of line break, so that no text can pass for another line
    return "\n".join(description.splitlines())


def _add_notes(message: Message, notes: Notes) -> None:
    message.comment = notes.comment
    message.extracted = notes.extracted
    message.references = notes.references
    message.flags = notes.flags
    message.previous = notes.previous


# what is left: warnings, obsolete messages


def _plural_warnings(
    entry: Entry, message: Message, plurals: _Plurals
) -> Iterable[str]:
    if any(message.texts) and not all(message.texts):
        yield f"{entry.key} lacks a plural form and is marked fuzzy"
    forms = entry.value.items() if isinstance(entry.value, Mapping) else ()
    unplaced = [form for form, text in forms if text and form not in plurals.forms]
    notes = notes_in(entry.detail, Notes) or Notes()
    placed = [str(index) for index in range(plurals.number)]
    unplaced += [f"msgstr[{at}]" for at in notes.forms if at not in placed]
    if unplaced:
        told = "the file's plural rule has no place for its form"
        yield f"{entry.key}: {told} {', '.join(unplaced)}"


def _parsed(stored: str) -> list[Message]:
    """The obsolete messages that are stored with a file."""
    try:
        messages = parse(stored, "utf-8")
    except UnreadableFile:
        return []  # not from a file that was read
    return [message for message in messages if message.obsolete]


def _revive(obsolete: Iterable[Message], written: Mapping[_Identity, _Said]) -> None:
    """Give messages that are in use again, and have no text, the obsolete one."""
    for old in obsolete:
        entry, message = written.get((old.msgctxt, old.msgid), (None, old))
        if entry is None or entry.value or any(message.texts) or not any(old.texts):
            continue
        number = len(message.texts)
        message.texts = [*old.texts, *[old.texts[-1]] * number][:number]
        message.fuzzy = True


def _obsolete_blocks(
    obsolete: Iterable[Message], stored: str, written: Iterable[_Identity]
) -> list[str]:
    """The obsolete messages as they were, each once, but for those that are in use
    again, and for headers: msgfmt refuses a file that has one of them twice."""
    taken = {_HEADER, *written}
    blocks: dict[_Identity, str] = {}
    for message in obsolete:
        identity = (message.msgctxt, message.msgid)
        if identity not in taken:
            blocks.setdefault(identity, block_of(stored, message))
    return list(blocks.values())
