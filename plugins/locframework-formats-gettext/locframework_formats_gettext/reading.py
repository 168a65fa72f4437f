"""Makes a catalogue of the messages of a PO file."""

from collections.abc import Sequence

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from locframework.ports import (
    NO_PLURAL_RULE,
    Catalogue,
    Detail,
    Entry,
    Faults,
    FileOptions,
    Text,
    TextFile,
    forms_of_rule,
    parse_plural_rule,
    rule_instead,
    with_spares,
)

from .header import in_utf8, language_of, plural_rule_of, with_field
from .identity import (
    CONTEXT_END,
    FileNotes,
    Named,
    Notes,
    formats_in,
    is_only_name,
    key_detail_of,
    key_of,
    named_in,
    source_of,
)
from .po_file import Message, decoded, parse

Forms = tuple[str | None, ...]

LONGEST_DESCRIPTION = 1000
_ONE_LINE = 40  # a shorter extracted comment is not broken into several lines


class PoFile(Struct):
    """A PO file that was read."""

    text_file: TextFile
    messages: list[tuple[Message, list[Entry]]]
    """All in file order; the header, obsolete messages and those that cannot be read
    have no entries."""
    header: Message | None
    fields: str  # of the header, with a rule that fits the messages
    forms: Forms  # of each msgstr[i]
    language: str | None
    warnings: list[str]


def read_catalogue(
    content: bytes, options: FileOptions, *, template: bool
) -> Catalogue:
    """The catalogue that a PO file holds; of a template only the source texts.

    A template's language is the source language. Warns of texts that have U+0000 or an
    escape of other bytes, which are left out, and of a plural rule that is none. Raises
    UnreadableFile with a Problem for each fault.
    """
    file = read_file(content, options, template=template)
    entries = [entry for _, some in file.messages for entry in some]
    return Catalogue(
        file.language, entries, detail=_file_detail(file), warnings=file.warnings
    )


def read_file(content: bytes, options: FileOptions, *, template: bool) -> PoFile:
    """Read a PO file. Raises UnreadableFile with a Problem for each fault."""
    file = decoded(content)
    charset = file.charset
    messages = parse(file.text, charset)
    warnings: list[str] = []
    active = [
        message
        for message in messages
        if _is_readable(message, charset, warnings)
        and not message.obsolete
        and not message.is_header
    ]
    headers = [message for message in messages if message.is_header]
    header = headers[0] if headers else None
    fields = header.texts[0] if header else ""
    language = language_of(fields) or (options.source_language if template else None)
    spoken = options.language_code or language or "und"
    line = header.line if header else 1
    fields, forms, more = _plurals(fields, spoken, active, line)
    warnings += more
    separator = options.key_separator
    entries = {
        id(message): _entries(message, separator, forms, template, warnings)
        for message in active
    }
    read = [(message, entries.get(id(message), [])) for message in messages]
    _check_unique([each for each in read if each[1] or each[0].is_header])
    return PoFile(file, read, header, fields, forms, language, warnings)


def _is_readable(message: Message, charset: str, warnings: list[str]) -> bool:
    """Take out of a message what cannot be stored; False if nothing is left of it."""
    notes = ("comment", "extracted", "references", "flags", "previous")
    for name in notes:
        if "\0" in (note := getattr(message, name) or ""):
            setattr(message, name, note.replace("\0", ""))
    told = f"line {message.line}: U+0000, or an escape of what is not {charset}"
    names = (message.msgid, message.msgctxt or "", message.msgid_plural or "")
    if any("\0" in name for name in names):
        warnings.append(f"{told}; the message is left out")
        return False
    if any("\0" in text for text in message.texts):
        if message.is_header:
            message.texts = [message.texts[0].replace("\0", "")]
        else:
            warnings.append(f"{told}; the text is left out")
            message.texts = ["" if "\0" in text else text for text in message.texts]
    return True


def _plurals(
    fields: str, language: str, messages: Sequence[Message], line: int
) -> tuple[str, Forms, list[str]]:
    """The header's fields, the form of each ``msgstr[i]``, and warnings."""
    rule, told = plural_rule_of(fields), "the header has no Plural-Forms"
    counts = {
        len(message.texts)
        for message in messages
        if message.msgid_plural is not None and any(message.texts)
    }
    warnings: list[str] = []
    try:
        parse_plural_rule(rule or NO_PLURAL_RULE)
    except ValueError as error:
        rule, told = None, f"line {line}: {error}"
        is_needed = any(message.msgid_plural is not None for message in messages)
        end = "" if is_needed else ", and no message needs it"
        warnings = [f"{told}{end}"]
    instead = rule_instead(rule, language, counts)
    if instead is not None:
        text, theirs = instead
        warning = (
            f"the header's Plural-Forms does not fit the messages, which have "
            f"{len(theirs)} plural forms; they were read as {', '.join(theirs)}, the "
            f"forms of {language}"
        )
        return with_field(fields, "Plural-Forms", text), theirs, [*warnings, warning]
    forms = forms_of_rule(rule, language)
    if rule is not None or counts <= {len(forms)}:
        return fields, with_spares(forms, language), warnings
    if counts == {2}:
        forms = ("one", "other")  # what gettext itself assumes without a rule
    have = " or ".join(map(str, sorted(counts)))
    forms = with_spares(forms, language)
    warning = (
        f"{told}, and the messages have {have} plural forms; "
        f"they were read as {', '.join(filter(None, forms[: max(counts)]))}"
    )
    return fields, forms, [warning]


def _entries(
    message: Message,
    separator: str,
    forms: Forms,
    template: bool,
    warnings: list[str],
) -> list[Entry]:
    """One for each key that the message stands for. The first has its comments; what
    the others had of their own is in no file."""
    named, comment = named_in(message, separator, warnings)
    only_name = is_only_name(message, named, separator)
    if named is None:
        named = Named([key_of(message, separator)], [])
    context = "" if message.msgctxt is None else message.msgctxt + CONTEXT_END
    entry = Entry(
        key=named.same[0],
        value=None if template else _value(message, forms),
        is_plural=message.msgid_plural is not None,
        description=(comment or "")[:LONGEST_DESCRIPTION],
        source=None if only_name else source_of(message, separator),
        needs_review=message.fuzzy and not template,
        line=message.line,
        key_detail=key_detail_of(message, separator),
        detail=to_builtins(_notes(message, comment, () if template else forms)) or None,
        format_flags=formats_in(message.flags),
        name=context + message.msgid,
    )
    same = [
        replace(entry, key=key, description="", key_detail=None, detail=None)
        for key in named.same[1:]
    ]
    other = [Entry(key, line=message.line) for key in named.other]
    return [entry, *same, *other]


def _value(message: Message, forms: Forms) -> Text | None:
    if message.msgid_plural is None:
        return message.texts[0] or None
    texts = zip(forms, message.texts, strict=False)
    return {form: text for form, text in texts if form and text} or None


def _notes(message: Message, extracted: str | None, forms: Forms) -> Notes:
    if extracted is not None and len(extracted) <= _ONE_LINE:
        extracted = None  # the description says it all
    more: dict[str, str] = {}
    if forms and message.msgid_plural is not None:
        for index, text in enumerate(message.texts):
            if text and (index >= len(forms) or forms[index] is None):
                more[str(index)] = text
    return Notes(
        message.comment,
        extracted,
        message.references,
        message.flags,
        message.previous,
        more,
    )


def _file_detail(file: PoFile) -> Detail | None:
    notes = FileNotes()
    if file.header is not None:
        notes.header = in_utf8(file.fields)
        notes.header_fuzzy = file.header.fuzzy
        around = _notes(file.header, None, ())
        around.extracted = file.header.extracted
        if around != Notes():
            notes.header_notes = around
    obsolete = [
        block_of(file.text_file.text, m) for m, _ in file.messages if m.obsolete
    ]
    notes.obsolete = "\n\n".join(obsolete)
    return to_builtins(notes) or None


def block_of(text: str, message: Message) -> str:
    """The lines of a message in a file with this text, with line feeds only."""
    lines = text[message.start : message.end].replace("\0", "").split("\n")
    return "\n".join(line.rstrip("\r") for line in lines).strip("\n")


def _check_unique(read: Sequence[tuple[Message, Sequence[Entry]]]) -> None:
    """Raise for what gettext finds by the same context and msgid, or we by one key."""
    first: dict[object, int] = {}
    faults = Faults()
    for message, entries in read:
        line = message.line
        same = first.setdefault((message.msgctxt, message.msgid), line)
        before = {entry.key: first.setdefault(entry.key, line) for entry in entries}
        taken = [key for key, number in before.items() if number < line]
        if same < line:
            faults.add(line, "duplicate", f"the same message as on line {same}")
        elif taken:
            told = f"its key is {taken[0]}, as that of line {before[taken[0]]}"
            faults.add(line, "duplicate", told)
    faults.raise_any()
