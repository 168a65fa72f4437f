"""The format json-chrome: ``messages.json`` of browser extensions."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from locframework.ports import Catalogue, Entry, FileOptions, FormatInfo, quoted

from .arb import as_object, stored
from .layout import Container, Item, Layout, Value
from .objects import JsonFormat
from .strict_json import Document, Object
from .trees import kept_in

FAMILY = "chrome"
MESSAGE, DESCRIPTION, PLACEHOLDERS = "message", "description", "placeholders"
_NAME = re.compile(r"[A-Za-z0-9_@]+")  # that the browser finds


class ChromeJson(JsonFormat):
    """An object with a ``message`` for each key, and its description.

    The ``placeholders`` of a message go into the files of other languages too: a
    browser needs them there. A key has one text. Descriptions are written in the
    source language.
    """

    info: ClassVar = FormatInfo(
        id="json-chrome",
        name="JSON, messages.json of browser extensions",
        extension=".json",
        content_type="application/json",
        plurals=False,
        comments=True,
    )

    def catalogue_of(self, document: Document, options: FileOptions) -> Catalogue:
        """The messages of a document. No language: files do not tell."""
        entries = []
        for line, name, value in document.members.numbered():
            text = value.get(MESSAGE) if isinstance(value, Object) else None
            if not isinstance(value, Object) or not isinstance(text, str):
                document.warn(line, f"{quoted(name)} is left out: it has no message")
                continue
            description = value.get(DESCRIPTION)
            placeholders = value.get(PLACEHOLDERS)
            kept = {FAMILY: {PLACEHOLDERS: stored(placeholders)}}
            entries.append(
                Entry(
                    name,
                    text,
                    description=description if isinstance(description, str) else "",
                    line=line,
                    key_detail=kept if placeholders is not None else None,
                )
            )
        return Catalogue(None, entries, warnings=document.warnings)

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object]:
        """A new file."""
        is_source = catalogue.language_code in (None, options.source_language)
        found = {}
        for entry in catalogue.entries:
            text = _text_of(entry, warnings)
            if text is not None:
                found[entry.key] = _member(entry, text, is_source, warnings)
        return found

    def update(
        self,
        layout: Layout,
        catalogue: Catalogue,
        options: FileOptions,
        warnings: list[str],
    ) -> bytes:
        """The template with the catalogue's messages."""
        is_source = catalogue.language_code in (None, options.source_language)
        root = layout.root
        known: dict[str, list[Item]] = {}  # a name may be there twice
        for item in root.items:
            if _message_in(item) is not None:
                known.setdefault(item.name, []).append(item)
        for name in known.keys() - {entry.key for entry in catalogue.entries}:
            for item in known[name]:
                item.is_removed = True
        behind = root.added
        for entry in catalogue.entries:
            text, items = _text_of(entry, warnings), known.get(entry.key, [])
            for item in items:
                _change(layout, item, entry, text, is_source=is_source)
            if items:
                root.place_added(items[0])
                behind = items[-1].after
            elif text is not None:
                member = _member(entry, text, is_source, warnings)
                layout.add(root, behind, entry.key, member)
        return layout.content()


def _message_in(item: Item) -> Value | None:
    """The message of a member; None if it has none."""
    value = item.value
    message = value.child(MESSAGE) if isinstance(value, Container) else None
    found = message.value if message is not None else None
    return found if isinstance(found, Value) and found.text is not None else None


def _text_of(entry: Entry, warnings: list[str]) -> str | None:
    value = entry.value
    if not isinstance(value, Mapping):
        return value
    told = "has only one text: messages of extensions have no plural forms"
    warnings.append(f"{entry.key} {told}")
    return value.get("other") or next(reversed([*value.values()]), None)


def _member(
    entry: Entry, text: str, is_source: bool, warnings: list[str]
) -> Mapping[str, object]:
    if not _NAME.fullmatch(entry.key):
        told = "is no name that a browser finds: letters, digits, _ and @"
        warnings.append(f"{entry.key} {told}")
    member: dict[str, Any] = {MESSAGE: text}
    if is_source and entry.description:
        member[DESCRIPTION] = entry.description
    if placeholders := as_object(kept_in(entry.key_detail, FAMILY).get(PLACEHOLDERS)):
        member[PLACEHOLDERS] = placeholders
    return member


def _change(
    layout: Layout, item: Item, entry: Entry, text: str | None, *, is_source: bool
) -> None:
    """Give a member another message, and in the source language its description."""
    container = item.value
    assert isinstance(container, Container)
    message = container.child(MESSAGE)
    assert message is not None
    if text is None:
        old = _message_in(item)
        item.is_removed = old is not None and bool(old.text)
        return
    layout.set_text(message, text)
    description = container.child(DESCRIPTION)
    if not is_source or not entry.description:
        return
    if description is None:
        layout.add(container, message.after, DESCRIPTION, entry.description)
    elif isinstance(description.value, Value) and description.value.text is not None:
        layout.set_text(description, entry.description)
