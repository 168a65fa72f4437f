"""JSON formats of an object for each message: json-chrome and json-formatjs."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    JsonDocument,
    JsonLayout,
    JsonObject,
    Text,
    TreeContainer,
    TreeItem,
    TreeValue,
    icu_message,
    icu_plural,
    one_text,
    plural_argument,
    quoted,
)

from .arb import DEFAULT_ARGUMENT, as_object, stored
from .objects import NO_OTHER, JsonFormat
from .trees import kept_in, with_other

FAMILY = "chrome"
DESCRIPTION, PLACEHOLDERS = "description", "placeholders"
_POSITION = re.compile(r"\$[1-9]")
_NAME = re.compile(r"[A-Za-z0-9_@]+")  # that a browser finds


class MessageJson(JsonFormat):
    """An object with a text for each key, and its description.

    A key has one text. Descriptions are written in the source language. Members
    without a text stay in a template.
    """

    message: ClassVar[str]  # the member that is the text
    files: ClassVar[str]  # what they are called in warnings

    def catalogue_of(self, document: JsonDocument, options: FileOptions) -> Catalogue:
        """The messages of a document. No language: files do not tell."""
        entries = []
        for line, name, value in document.members.numbered():
            text = value.get(self.message) if isinstance(value, JsonObject) else None
            if not isinstance(value, JsonObject) or not isinstance(text, str):
                told = f"is left out: it has no {self.message}"
                document.warn(line, f"{quoted(name)} {told}")
                continue
            description = value.get(DESCRIPTION)
            shown, flags = self._shown(name, text, value, options)
            entries.append(
                Entry(
                    name,
                    shown,
                    is_plural=isinstance(shown, Mapping),
                    description=description if isinstance(description, str) else "",
                    line=line,
                    key_detail=self._detail(value),
                    format_flags=flags,
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
            text = self._text_of(entry, warnings)
            if text is not None:
                found[entry.key] = self._member(entry, text, is_source, warnings)
        return found

    def update(
        self,
        layout: JsonLayout,
        catalogue: Catalogue,
        options: FileOptions,
        warnings: list[str],
    ) -> bytes:
        """The template with the catalogue's messages."""
        is_source = catalogue.language_code in (None, options.source_language)
        root = layout.root
        known: dict[str, list[TreeItem]] = {}  # a name may be there twice
        for item in root.items:
            if self._message_in(item) is not None:
                known.setdefault(item.name, []).append(item)
        for name in known.keys() - {entry.key for entry in catalogue.entries}:
            for item in known[name]:
                item.is_removed = True
        behind = root.added
        for entry in catalogue.entries:
            text, items = self._text_of(entry, warnings), known.get(entry.key, [])
            for item in items:
                self._change(layout, item, entry, text, is_source=is_source)
            if items:
                root.place_added(items[0])
                behind = items[-1].after
            elif text is not None:
                member = self._member(entry, text, is_source, warnings)
                taken = root.child(entry.key)  # by what has no text
                if taken is None:
                    layout.add(root, behind, entry.key, member)
                else:
                    layout.fill(layout.set_container(taken, is_array=False), member)
        return layout.content()

    def fits(self, layout: JsonLayout) -> bool:
        """Whether the template has messages."""
        return any(map(self._message_in, layout.root.items))

    def _detail(self, value: JsonObject) -> Mapping[str, object] | None:
        """What new files of other languages need of a message."""
        return None

    def _shown(
        self, name: str, text: str, value: JsonObject, options: FileOptions
    ) -> tuple[Text, tuple[str, ...]]:
        """What a message says, and what is known of its placeholders."""
        return text, ()

    def _message_in(self, item: TreeItem) -> TreeItem | None:
        """The message of a member; None if it has none."""
        value = item.value
        found = value.child(self.message) if isinstance(value, TreeContainer) else None
        return found if found is not None and _text_in(found) is not None else None

    def _text_of(self, entry: Entry, warnings: list[str]) -> str | None:
        return one_text(entry, warnings, self.files, is_known=False)

    def _member(
        self, entry: Entry, text: str, is_source: bool, warnings: list[str]
    ) -> dict[str, Any]:
        member: dict[str, Any] = {self.message: text}
        if is_source and entry.description:
            member[DESCRIPTION] = entry.description
        return member

    def _change(
        self,
        layout: JsonLayout,
        item: TreeItem,
        entry: Entry,
        text: str | None,
        *,
        is_source: bool,
    ) -> None:
        """Give a member another text, and in the source language its description."""
        container, message = item.value, self._message_in(item)
        assert isinstance(container, TreeContainer)
        assert message is not None
        if text is None:
            item.is_removed = bool(_text_in(message))
            return
        layout.set_text(message, text)
        description = container.child(DESCRIPTION)
        if not is_source or not entry.description:
            return
        if description is None:
            layout.add(container, message.after, DESCRIPTION, entry.description)
        elif _text_in(description) is not None:
            layout.set_text(description, entry.description)


def _text_in(item: TreeItem) -> str | None:
    return item.value.text if isinstance(item.value, TreeValue) else None


class ChromeJson(MessageJson):
    """``messages.json`` of browser extensions. The ``placeholders`` of a message go
    into the files of other languages too: a browser needs them there."""

    message, files = "message", "messages of extensions"
    info: ClassVar = FormatInfo(
        id="json-chrome",
        name="JSON, messages.json of browser extensions",
        extension=".json",
        content_type="application/json",
        plurals=False,
        comments=True,
        placeholders="chrome",
        limits=("keys with signs other than letters, digits, underscores and @",),
    )

    def _detail(self, value: JsonObject) -> Mapping[str, object] | None:
        placeholders = value.get(PLACEHOLDERS)
        kept = {PLACEHOLDERS: stored(placeholders)}
        return {FAMILY: kept} if placeholders is not None else None

    def _shown(
        self, name: str, text: str, value: JsonObject, options: FileOptions
    ) -> tuple[Text, tuple[str, ...]]:
        contents = {
            called.lower(): as_object(its).get("content")
            for called, its in as_object(value.get(PLACEHOLDERS)).items()
        }
        return text, tuple(
            f"{called}:{content[1]}"
            for called, content in contents.items()
            if isinstance(content, str) and _POSITION.fullmatch(content)
        )

    def _member(
        self, entry: Entry, text: str, is_source: bool, warnings: list[str]
    ) -> dict[str, Any]:
        if not _NAME.fullmatch(entry.key):
            told = "is no name that a browser finds: letters, digits, _ and @"
            warnings.append(f"{entry.key} {told}")
        member = super()._member(entry, text, is_source, warnings)
        kept = kept_in(entry.key_detail, FAMILY).get(PLACEHOLDERS)
        return {**member, **({PLACEHOLDERS: kept} if as_object(kept) else {})}


class FormatjsJson(MessageJson):
    """Messages of formatjs as its command extracts them. A plural is one text, an ICU
    message; it is read as forms where the key is known to have them."""

    message, files = "defaultMessage", "files of formatjs"
    info: ClassVar = FormatInfo(
        id="json-formatjs",
        name="JSON, messages of formatjs",
        extension=".json",
        content_type="application/json",
        plurals=False,
        comments=True,
        placeholders="icu",
        limits=(NO_OTHER, "plural forms with unmatched braces"),
    )

    def _shown(
        self, name: str, text: str, value: JsonObject, options: FileOptions
    ) -> tuple[Text, tuple[str, ...]]:
        plural = icu_plural(text) if options.plurals.get(name) else None
        return (plural[1], (f"{plural[0]}:plural",)) if plural else (text, ())

    def _text_of(self, entry: Entry, warnings: list[str]) -> str | None:
        value = entry.value
        if not isinstance(value, Mapping):
            return value
        if not value:
            return None
        forms = with_other(entry.key, value, warnings)
        argument = plural_argument(entry.format_flags) or DEFAULT_ARGUMENT
        message = icu_message(argument, forms)
        if icu_plural(message) == (argument, forms):
            return message
        told = "has unmatched braces: the message is only its form other"
        warnings.append(f"{quoted(entry.key)} {told}")
        return forms["other"]
