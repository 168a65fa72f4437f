"""The formats android-xml and compose-xml."""

import re
from collections.abc import Sequence

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    WrittenFile,
)

from .contents import ComposeContents
from .resources import ARRAY, PLURALS, Resource, read_file
from .writing import write_file

_ROOT = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|\xef\xbb\xbf)*+<resources[\s>]", re.DOTALL
)
_NAMES = "keys with signs other than letters, digits, dots, hyphens and underscores"
_TEXTS = re.compile(rb"<(?:string|plurals|string-array)\s")


class StringsXml:
    """Strings, plurals and arrays by their names. Other resources, attributes and
    comments are the template's."""

    def __init__(self, id_: str, name: str, contents: ComposeContents) -> None:
        self.info = FormatInfo(
            id=id_,
            name=name,
            extension=".xml",
            content_type="application/xml; charset=utf-8",
            comments=True,
            limits=(
                "a plural without the form other",
                *([_NAMES] if contents.is_android else []),
            ),
        )
        self._contents = contents

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file has texts, and is in a folder of Compose or in another."""
        is_compose = "composeResources" in re.split(r"[/\\]", file.name)
        return (
            file.name.lower().endswith(".xml")
            and is_compose is not self._contents.is_android
            and bool(_ROOT.match(file.content) and _TEXTS.search(file.content))
        )

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue, without a language. Raises UnreadableFile."""
        found = read_file(file.content, self._contents)
        found.faults.raise_any()
        entries = [
            entry
            for resource in found.resources.values()
            for entry in self._entries(resource, options.key_separator)
        ]
        return [Catalogue(None, entries, warnings=found.faults.warnings)]

    def _entries(self, resource: Resource, separator: str) -> list[Entry]:
        element, texts = resource.element, resource.texts
        name, is_array = element.attributes["name"], element.tag == ARRAY
        detail: dict[str, object] = {"array": True} if is_array else {}
        for text in texts.values():
            like = self._contents.content(text, "") if resource.style else ""
            if resource.style and self._contents.style(like) != resource.style:
                detail["style"] = resource.style
        texts = {key: text for key, text in texts.items() if text}
        if not texts:
            return []
        values: dict[str, Text] = {name: texts.get("", "")}
        lines = {name: element.line}
        if is_array:
            values = {f"{name}{separator}{at}": text for at, text in texts.items()}
            lines = {
                f"{name}{separator}{at}": item.line
                for at, item in resource.items.items()
            }
        elif element.tag == PLURALS:
            values = {name: texts}
        return [
            Entry(
                key,
                value,
                is_plural=element.tag == PLURALS,
                description=element.comment,
                line=lines[key],
                key_detail=detail or None,
            )
            for key, value in values.items()
        ]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with one catalogue."""
        return write_file(catalogues[0], options, self._contents)
