"""Makes a catalogue of the messages of a PO file."""

from collections.abc import Sequence

from msgspec import to_builtins
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    Problem,
    Text,
    UnreadableFile,
)

from .header import in_utf8, language_of, plural_rule_of, with_field
from .identity import (
    FileNotes,
    Named,
    Notes,
    is_only_name,
    key_detail_of,
    key_of,
    source_of,
    take_named,
)
from .plural_forms import forms_of_rule, rule_instead, with_spares
from .po_file import Message, decoded, parse

Forms = tuple[str | None, ...]

LONGEST_DESCRIPTION = 1000
_ONE_LINE = 40  # a shorter extracted comment is not broken into several lines


def read_catalogue(
    content: bytes, options: FileOptions, *, template: bool
) -> Catalogue:
    """The catalogue that a PO file holds; of a template only the source texts.

    A template's language is the source language. Raises UnreadableFile with a
    Problem for each fault.
    """
    text, charset = decoded(content)
    messages = parse(text, charset)
    headers = [message for message in messages if message.is_header]
    header = headers[0] if headers else None
    fields = in_utf8(header.texts[0]) if header else ""
    language = language_of(fields) or (options.source_language if template else None)
    spoken = options.language_code or language or "und"
    active = [m for m in messages if not m.obsolete and not m.is_header]
    try:
        fields, forms, warnings = _plurals(fields, spoken, active)
    except ValueError as error:
        place = f"line {header.line if header else 1}"
        if any(message.msgid_plural is not None for message in active):
            problem = Problem(place, "plural-forms", str(error))
            raise UnreadableFile.of([problem]) from None
        forms, warnings = (), [f"{place}: {error}, and no message needs it"]
    separator = options.key_separator
    read = [(m, _entries(m, separator, forms, template, warnings)) for m in active]
    _check_unique(headers, read)
    entries = [entry for _, some in read for entry in some]
    detail = _file_detail(header, fields, messages)
    return Catalogue(language, entries, detail=detail, warnings=warnings)


def _plurals(
    fields: str, language: str, messages: Sequence[Message]
) -> tuple[str, Forms, list[str]]:
    """The header's fields, the form of each ``msgstr[i]``, and warnings."""
    rule = plural_rule_of(fields)
    counts = {
        len(message.texts)
        for message in messages
        if message.msgid_plural is not None and any(message.texts)
    }
    instead = rule_instead(rule, language, counts)
    if instead is not None:
        text, theirs = instead
        warning = (
            f"the header's Plural-Forms does not fit the messages, which have "
            f"{len(theirs)} plural forms; they were read as {', '.join(theirs)}, the "
            f"forms of {language}"
        )
        return with_field(fields, "Plural-Forms", text), theirs, [warning]
    forms = forms_of_rule(rule, language)
    if rule is not None or counts <= {len(forms)}:
        return fields, with_spares(forms, language), []
    if counts == {2}:
        forms = ("one", "other")  # what gettext itself assumes without a rule
    have = " or ".join(map(str, sorted(counts)))
    forms = with_spares(forms, language)
    warning = (
        f"the header has no Plural-Forms, and the messages have {have} plural forms; "
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
    named = take_named(message, separator, warnings)
    only_name = is_only_name(message, named, separator)
    if named is None:
        named = Named([key_of(message, separator)], [])
    entry = Entry(
        key=named.same[0],
        value=None if template else _value(message, forms),
        is_plural=message.msgid_plural is not None,
        description=(message.extracted or "")[:LONGEST_DESCRIPTION],
        source=None if only_name else source_of(message, separator),
        needs_review=message.fuzzy and not template,
        line=message.line,
        key_detail=key_detail_of(message, separator),
        detail=to_builtins(_notes(message, () if template else forms)) or None,
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


def _notes(message: Message, forms: Forms) -> Notes:
    extracted = message.extracted
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


def _file_detail(
    header: Message | None, fields: str, messages: Sequence[Message]
) -> Detail | None:
    notes = FileNotes()
    if header is not None:
        notes.header = fields
        notes.header_fuzzy = header.fuzzy
        around = _notes(header, ())
        around.extracted = header.extracted
        if around != Notes():
            notes.header_notes = around
    obsolete = [message.block for message in messages if message.obsolete]
    notes.obsolete = "\n\n".join(obsolete)
    return to_builtins(notes) or None


def _check_unique(
    headers: Sequence[Message], read: Sequence[tuple[Message, Sequence[Entry]]]
) -> None:
    """Raise for what gettext finds by the same context and msgid, or we by one key."""
    first: dict[object, int] = {}
    problems: list[Problem] = []
    for message, entries in [*((header, ()) for header in headers), *read]:
        line = message.line
        same = first.setdefault((message.msgctxt, message.msgid), line)
        before = {entry.key: first.setdefault(entry.key, line) for entry in entries}
        taken = [key for key, number in before.items() if number < line]
        if same < line:
            text = f"the same message as on line {same}"
        elif taken:
            text = f"its key is {taken[0]}, as that of line {before[taken[0]]}"
        else:
            continue
        problems.append(Problem(f"line {line}", "duplicate", text))
    if problems:
        raise UnreadableFile.of(problems)
