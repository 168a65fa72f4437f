"""The format json-i18next: i18next's JSON v4, plural forms as suffixes of names."""

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

from .family import family_member
from .plurals import FORMS, is_never_plural, plural_groups, whole_texts
from .strict_json import encoded, parse, quoted
from .tree import Tree, flatten


class I18nextJson:
    """``{"cart": {"title": "Cart", "items_one": "…", "items_other": "…"}}``.

    Names ``x_zero`` to ``x_other`` are the forms of the plural key ``x`` when
    ``x_other`` is among them and ``x`` is no text itself. Ordinals
    (``x_ordinal_one``) and contexts (``x_male``) are ordinary keys. What the tree has
    no room for keeps its whole name at the top level, where i18next finds it too.
    Source: i18next, JSON Format v4.
    """

    info = FormatInfo(
        id="json-i18next",
        name="JSON, i18next v4",
        extension=".json",
        content_type="application/json",
    )

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """True when a name is there with ``_other`` and with another form."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        separator = options.key_separator
        document = parse(file.content)
        leaves = flatten(document, separator, is_never_plural)
        entries = _grouped(leaves.checked(), separator)
        return [Catalogue(None, entries, warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The tree. What i18next cannot tell apart is written or left out as told.

        Left out, with a warning: a plural without ``other``, and an ordinary key that
        has the name of a form of a plural key. Written, with a warning: keys whose
        names will read as a plural (``x_other`` without ``x``), or the reverse.
        """
        (catalogue,) = catalogues
        warnings: list[str] = []
        texts = whole_texts(catalogue.entries, warnings)
        names = _suffixed(texts, warnings)
        _warn_of_lookalikes(texts, names, options.key_separator, warnings)
        tree = Tree(options.key_separator, names)
        content = encoded(tree.root, self._indent)
        return WrittenFile(content, warnings + tree.warnings)


def _grouped(entries: list[Entry], separator: str) -> list[Entry]:
    """The entries with forms put together, each key where its first name stood."""
    groups = plural_groups({entry.key for entry in entries}, separator)
    key_of = {name: key for key, forms in groups.items() for name in forms.values()}
    parts = {entry.key: entry for entry in entries if entry.key in key_of}
    plurals: dict[str, Entry] = {}  # by the name that stands first
    met: set[str] = set()
    for name, part in parts.items():
        key = key_of[name]
        if key not in met:
            met.add(key)
            said = {form: parts[each].value for form, each in groups[key].items()}
            forms = {form: text for form, text in said.items() if type(text) is str}
            plurals[name] = Entry(key, forms or None, is_plural=True, line=part.line)
    return [
        plurals.get(entry.key, entry)
        for entry in entries
        if entry.key not in parts or entry.key in plurals
    ]


def _suffixed(texts: dict[str, Text], warnings: list[str]) -> dict[str, str]:
    """Every name that will stand in the file, with its text."""
    names: dict[str, str] = {}
    for key, value in texts.items():
        if not isinstance(value, str):
            names.update({f"{key}_{form}": text for form, text in value.items()})
            continue
        base, _, form = key.rpartition("_")
        if form in FORMS and not isinstance(texts.get(base, ""), str):
            warnings.append(
                f"{quoted(key)} is left out: it is a form of the plural {quoted(base)}"
            )
        else:
            names[key] = value
    return names


def _warn_of_lookalikes(
    texts: dict[str, Text],
    names: dict[str, str],
    separator: str,
    warnings: list[str],
) -> None:
    groups = plural_groups(names, separator)
    for key, forms in groups.items():
        if isinstance(texts.get(key, ""), str):
            warnings += [
                f"{quoted(name)} will read as a form of the plural {quoted(key)}"
                for name in forms.values()
            ]
    for key, value in texts.items():
        if not isinstance(value, str) and key not in groups:
            warnings.append(f"the plural {quoted(key)} will read as ordinary keys")
