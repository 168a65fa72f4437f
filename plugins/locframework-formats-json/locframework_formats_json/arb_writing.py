"""Builds the document of an ARB file from a catalogue."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import PLURAL_FORMS, Catalogue, Entry, Text

from .arb_detail import (
    ARGUMENT,
    ATTRIBUTES,
    DEFAULT_ARGUMENT,
    EMPTY,
    EXACT,
    X_KEY,
    X_PLURAL,
    Kept,
    as_object,
    kept_in,
)
from .arb_reading import LOCALE
from .dart_names import dart_names
from .icu_plural import ARGUMENT_NAME, parse_plural, write_plural
from .plurals import whole_texts
from .problems import quoted


def arb_document(catalogue: Catalogue, warnings: list[str]) -> Kept:
    """Locale, what the file had besides, then each message with its attributes."""
    document: Kept = {}
    if catalogue.language_code:
        document[LOCALE] = catalogue.language_code.replace("-", "_")
    document.update(kept_in(catalogue.detail))
    names = dart_names([entry.key for entry in catalogue.entries], warnings)
    entries = [_with_empty_forms(entry) for entry in catalogue.entries]
    texts = whole_texts(entries, warnings)
    for entry in entries:
        value = texts.get(entry.key)
        if value is None:
            continue
        name = names[entry.key]
        message, attributes = _message(entry, value, warnings)
        if name != entry.key:
            attributes[X_KEY] = entry.key
        if entry.description or entry.key_detail:
            attributes = _attributes(entry) | attributes
        document[name] = message
        if attributes:
            document[f"@{name}"] = attributes
        elif document.get(f"@{name}"):
            del document[f"@{name}"]  # a heading of the file had this name
    return document


def _with_empty_forms(entry: Entry) -> Entry:
    """The entry with the forms that the file had to show nothing, and that still have
    no text: else those of ``other`` would be shown."""
    value, kept = entry.value, entry.detail and kept_in(entry.detail).get(EMPTY)
    if not kept or not isinstance(kept, Sequence) or not isinstance(value, Mapping):
        return entry
    empty = {form: "" for form in PLURAL_FORMS if form in kept}
    return replace(entry, value={**empty, **value} if value else value)


def _attributes(entry: Entry) -> Kept:
    described: Kept = {"description": entry.description} if entry.description else {}
    return described | dict(as_object(kept_in(entry.key_detail).get(ATTRIBUTES)))


def _message(entry: Entry, value: Text, warnings: list[str]) -> tuple[str, Kept]:
    """The message, and the marks that it needs to be read back as it is."""
    if isinstance(value, str):
        plural = value.startswith("{") and parse_plural(value)
        return value, {X_PLURAL: False} if plural else {}
    if not any(value.values()):  # a message of empty forms would be read as a text
        return "", {X_PLURAL: dict(value)}
    argument = str(kept_in(entry.key_detail).get(ARGUMENT, DEFAULT_ARGUMENT))
    if not ARGUMENT_NAME.fullmatch(argument):
        argument = DEFAULT_ARGUMENT
    exact = as_object(kept_in(entry.detail).get(EXACT))
    message = write_plural(argument, value, exact)
    if message is not None:
        return message, {}
    warnings.append(
        f"{quoted(entry.key)} has unmatched braces: the message is only its form "
        f"other, all forms are in {X_PLURAL}"
    )
    return value["other"], {X_PLURAL: dict(value)}
