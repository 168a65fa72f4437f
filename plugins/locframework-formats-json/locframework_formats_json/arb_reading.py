"""Reads an ARB file into a catalogue."""

from collections.abc import Mapping
from typing import TypeGuard, cast

from locframework.ports import Catalogue, Entry, Text

from .arb_detail import (
    ARGUMENT,
    ATTRIBUTES,
    DEFAULT_ARGUMENT,
    EMPTY,
    EXACT,
    X_KEY,
    X_PLURAL,
    Kept,
    detail_with,
)
from .icu_plural import is_torn, parse_plural
from .json_value import Json, Repeating, numbered
from .plurals import in_order, is_forms
from .problems import quoted
from .strict_json import Document, parse

LOCALE = "@@locale"


def read_arb(content: bytes) -> Catalogue:
    """The catalogue of the file. UnreadableFile with all its faults.

    ``@@…`` other than the locale, and attributes of messages that are not there
    (used as headings), are kept in the catalogue's detail.
    """
    return _Reading(parse(content)).catalogue()


class _Reading:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._locale: str | None = None
        self._messages: dict[str, tuple[str | None, int]] = {}
        self._attributes: dict[str, tuple[Json, int]] = {}

    def catalogue(self) -> Catalogue:
        document = self._document
        for member, name, value in numbered(document.members):
            if _is_text(value) and not name.startswith("@"):
                self._messages[name] = (value, member)
            else:
                self._take_other(member, name, value)
        entries: dict[str, Entry] = {}
        for name, (text, member) in self._messages.items():
            entry = self._entry(name, text, member)
            if entry.key in entries:
                message = f"the key {quoted(entry.key)} is given twice"
                document.fault(member, "duplicate", message)
            entries[entry.key] = entry
        document.refuse_faults()
        rest: Kept = {name: value for name, (value, _) in self._attributes.items()}
        detail = {"arb": rest} if rest else None
        return Catalogue(
            self._locale,
            list(entries.values()),
            detail=detail,
            warnings=self._document.warnings,
        )

    def _take_other(self, member: int, name: str, value: Json) -> None:
        if name.startswith("@") and name != LOCALE:
            self._attributes[name] = (value, member)
        elif name != LOCALE or not isinstance(value, str):
            self._document.fault_type(member, name, value)
        else:
            self._locale = value.replace("_", "-")

    def _entry(self, name: str, text: str | None, member: int) -> Entry:
        line = self._document.lines[member]
        if text is None:
            self._document.tell_of_null(member, name)
        attributes = self._attributes_of("@" + name)
        if not attributes and not (text or "").startswith("{"):
            return Entry(name, text, line=line)
        key = self._text_in(attributes, X_KEY, name, member)
        description = self._text_in(attributes, "description", "", member)
        value, kept, spelled = self._value(text, attributes, member)
        if isinstance(value, str) and is_torn(value):
            told = "its braces do not match; it is kept as it is, without plurals"
            self._document.warnings.append(f"line {line}: {quoted(name)}: {told}")
        return Entry(
            key,
            value,
            is_plural=isinstance(value, Mapping),
            description=description,
            line=line,
            key_detail=detail_with({**kept, ATTRIBUTES: attributes}),
            detail=detail_with(spelled),
        )

    def _attributes_of(self, name: str) -> Kept:
        if name not in self._attributes:
            return {}
        value, member = self._attributes.pop(name)
        if isinstance(value, (dict, Repeating)):
            return dict(value.items())
        message = f"{quoted(name)} has to be an object"
        self._document.fault(member, "type", message)
        return {}

    def _text_in(self, attributes: Kept, name: str, default: str, member: int) -> str:
        value = attributes.pop(name, default)
        if isinstance(value, str):
            return value
        message = f"the {name} of a message has to be a text"
        self._document.fault(member, "type", message)
        return default

    def _value(
        self, text: str | None, attributes: Kept, member: int
    ) -> tuple[Text | None, Kept, Kept]:
        """The text or its forms, and what else of a plural message is to be kept: with
        the key, and with the language."""
        mark = cast(Json, attributes.pop(X_PLURAL, None))
        if is_forms(mark) and text is not None:
            return in_order({**mark, "other": text}), {}, {}
        if mark is not None and mark is not False and not is_forms(mark):
            message = f"{X_PLURAL} has to be false, or texts by plural form"
            self._document.fault(member, "type", message)
        plural = parse_plural(text) if text and mark is None else None
        if plural is None or not any(plural.forms.values()):
            return text, {}, {}
        named = plural.argument != DEFAULT_ARGUMENT
        kept: Kept = {ARGUMENT: plural.argument} if named else {}
        empty = [form for form, shown in plural.forms.items() if not shown]
        return plural.forms, kept, {EXACT: plural.exact, EMPTY: empty}


def _is_text(value: Json) -> TypeGuard[str | None]:
    """Whether it is a text, or null, which is none."""
    return value is None or type(value) is str
