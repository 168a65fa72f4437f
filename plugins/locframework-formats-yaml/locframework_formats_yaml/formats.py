"""The formats yaml-rails, yaml-flat and yaml-symfony."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from locframework.ports import (
    HIDDEN,
    PLURAL_FORMS,
    TREE_PATH,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    TextFile,
    TreeContainer,
    TreeItem,
    TreePath,
    TreeUpdate,
    TreeValue,
    UnreadableFile,
    WrittenFile,
    common_plural_forms,
    has_to_keep_path,
    kept_in,
    locale_tag,
    looks_like_word,
    quoted,
    tree_place,
    unreadable,
)

from .layout import Nil, YamlLayout
from .scalars import is_text, is_text_of_symfony, key

FAMILY = "yaml"
PLAIN = "plain"  # Entry.detail: true when a plural was one text in the file
FORMS = frozenset(PLURAL_FORMS)
_LONGEST_KEY = 1000  # YAML's limit is 1024
_ROOT = re.compile(r"""["']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)["']?[ \t]*:""")
_LOCALE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_NO_OTHER = "a plural without the form other"
_MARKS = ("#", "---", "...", "%", " ", "\t", "\r", "-")


class FlatYaml:
    """Keys nested or with whole names, as the file has them; new files are flat.

    An object of plural forms is a plural. Elements of arrays are keys by their
    position. A template changes in the lines of the texts that differ.
    """

    info = FormatInfo(
        "yaml-flat",
        "YAML",
        ".yml",
        "application/yaml",
        other_extensions=(".yaml",),
        limits=(_NO_OTHER,),
    )
    has_root = False
    is_text = staticmethod(is_text)

    def recognizes(self, file: SourceFile) -> bool:
        """False: it may be any YAML."""
        return False

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        layout, named = YamlLayout(TextFile.of(file.content), self.is_text), None
        if self.has_root and layout.root.items:
            named = _language_of(layout.root)
            layout.enter(named)
            options = replace(options, language_code=named)
        entries = self._entries(layout, options)
        layout.faults.raise_any()
        return [Catalogue(named, entries, warnings=layout.faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. What has no place in the tree keeps its whole name at the top, with
        a warning; a plural without ``other`` has its last form there."""
        [catalogue] = catalogues
        code = catalogue.language_code or options.source_language
        layout, entries = self._layout(catalogue, code), []
        items, warnings, known = layout.root.items, layout.warnings, set[str]()
        is_nested = any(isinstance(item.value, TreeContainer) for item in items)
        if not self.info.plurals:
            known = {entry.key for entry in self._entries(layout, options)}

        def place_of(entry: Entry, separator: str) -> tuple[TreePath, bool]:
            path, is_known = tree_place(FAMILY, entry, separator)
            if not (is_known or is_nested or self.has_root):
                path = (entry.key,)
            return path, is_known or self.has_root

        for entry in catalogue.entries:
            path, _ = place_of(entry, options.key_separator)
            if max(len(key(str(part))) for part in path) > _LONGEST_KEY:
                told = f"{quoted(entry.key)} is left out: its name is too long"
                warnings.append(told)
            else:
                entries.append(self._as_written(entry, known, warnings))
        update = TreeUpdate(layout, options.key_separator, warnings)
        return WrittenFile(update.content(entries, place_of), warnings)

    def has_to_keep(self, path: TreePath, separator: str) -> bool:
        """Whether the key alone does not tell where it stands in a new file."""
        return any(isinstance(part, int) for part in path)

    def _entries(self, layout: YamlLayout, options: FileOptions) -> list[Entry]:
        code, separator = options.language_code, options.key_separator
        faults, entries, nils = layout.faults, list[Entry](), list[int]()
        plurals = options.plurals if self.info.plurals else {}
        common = common_plural_forms(code) if code else frozenset[str]()
        lines: dict[str | TreePath, int] = {}  # by key those with a text

        def forms_of(key: str, node: TreeContainer) -> Mapping[str, str]:
            """The forms of a plural; none where it is none."""
            names = {item.name for item in node.items}
            if not FORMS.issuperset(names) or not self.info.plurals:
                return {}
            forms = {}
            for name, value in ((item.name, item.value) for item in node.items):
                if isinstance(value, TreeValue) and value.text is not None:
                    forms[name] = value.text
                elif not isinstance(value, Nil):
                    return {}
            are_keys = (plurals.get(f"{key}{separator}{n}") is False for n in names)
            rest = names - common - {"zero", "many", "other"}
            is_one = common <= names and not rest if common else "other" in names
            is_plural = plurals.get(key) or (is_one and not any(are_keys))
            return forms if is_plural and len(names) == len(node.items) else {}

        def add(key: str, path: TreePath, item: TreeItem) -> None:
            value = item.value
            if isinstance(value, TreeContainer):
                text: Text | None = forms_of(key, value) or None
            else:
                text = value.text
            first = lines.get(path) or (lines.get(key) if text is not None else None)
            lines[path] = item.line
            if first:
                told = f"the key {quoted(key)} is there before, in line {first}"
                faults.add(item.line, "duplicate", told)
            elif text is None and isinstance(value, TreeContainer):
                add_all(value, f"{key}{separator}", path)
            elif isinstance(value, Nil):
                nils.append(item.line)
            elif text is None:
                told = f"{quoted(key)} is left as it is: it is no text"
                faults.warn(item.line, told)
            else:
                lines[key] = item.line
                was_plain = isinstance(text, str) and plurals.get(key, False)
                keeps = self.has_to_keep(path, separator)
                entry = Entry(
                    key,
                    text,
                    was_plain or not isinstance(text, str),
                    line=item.line,
                    key_detail={FAMILY: {TREE_PATH: list(path)}} if keeps else None,
                    detail={FAMILY: {PLAIN: True}} if was_plain else None,
                )
                entries.append(entry)

        def add_all(node: TreeContainer, prefix: str, path: TreePath) -> None:
            for at, item in enumerate(node.items):
                part = at if node.is_array else item.name
                if part != HIDDEN:
                    add(f"{prefix}{part}", (*path, part), item)

        add_all(layout.root, "", ())
        if nils:
            told = f"no text is here, and in {len(nils)} places of the file"
            faults.warn(nils[0], f"{told}; they are left as they are")
        return entries

    def _layout(self, catalogue: Catalogue, code: str) -> YamlLayout:
        """That of the template; of one that has no keys, with one that is removed."""
        file, blank = TextFile.of(catalogue.template or b""), "x: y\n"
        if self.has_root:
            blank = f"{key(code)}:\n  {blank}"
        has_text = any(entry.value for entry in catalogue.entries)
        gap = file.newline if file.text and not file.text.endswith("\n") else ""
        blank = blank.replace("\n", file.newline)
        for text in (file.text, f"{file.text}{gap}{blank}", blank):
            with suppress(UnreadableFile):
                new = file._replace(text=text)
                layout = YamlLayout(new, self.is_text)
                if layout.root.items or (catalogue.template and not has_text):
                    break
        if self.has_root and layout.root.items:
            layout.enter(code)
        if text != file.text:
            layout.root.items[0].name, layout.root.items[0].is_removed = HIDDEN, True
        return layout

    def _as_written(self, entry: Entry, known: set[str], warnings: list[str]) -> Entry:
        """The entry; with one text where that of the file is one, or has to be.
        ``known`` are keys with one text in the template."""
        value = entry.value
        if not isinstance(value, Mapping) or not value:
            return entry
        was_plain = entry.key in known or kept_in(entry.detail, FAMILY).get(PLAIN)
        if value.keys() != {"other"} or not was_plain:
            if self.info.plurals:
                return entry
            told = "has only one text: the files have no plural forms"
            warnings.append(f"{quoted(entry.key)} {told}")
        text = value.get("other") or [*value.values()][-1]
        return replace(entry, value=text, is_plural=False)


class RailsYaml(FlatYaml):
    """``de: {cart: {title: Korb, items: {one: …, other: …}}}``: texts in the object of
    their language, as Ruby's i18n reads them."""

    info = FormatInfo(
        "yaml-rails",
        "YAML, Rails",
        ".yml",
        "application/yaml",
        precedence=1,
        placeholders="ruby",
        other_extensions=(".yaml",),
        limits=(_NO_OTHER, "a key whose name begins another key"),
    )
    has_root = True
    has_to_keep = staticmethod(has_to_keep_path)

    def recognizes(self, file: SourceFile) -> bool:
        """Whether all is in one object named after a language that is in the file's
        name: ``config/locales/devise.de.yml``."""
        return self.info.is_name(file.name) and is_in_language(file)


class SymfonyYaml(FlatYaml):
    """``messages.de.yaml``, and ``messages+intl-icu.de.yaml`` with plurals in texts:
    nested keys or whole names, as Symfony reads them."""

    info = FormatInfo(
        "yaml-symfony",
        "YAML, Symfony",
        ".yaml",
        "application/yaml",
        plurals=False,
        other_extensions=(".yml",),
    )
    is_text = staticmethod(is_text_of_symfony)

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends with a locale behind that of the domain, and all is not
        in one object named after it, as Rails has it."""
        _, *parts = file.name.rpartition("/")[2].split(".")
        locale = parts[-2] if len(parts) > 1 and self.info.is_name(file.name) else ""
        tag = locale_tag(locale) if _LOCALE.fullmatch(locale) else None
        return tag is not None and not looks_like_word(tag) and not is_in_language(file)


def is_in_language(file: SourceFile) -> bool:
    """Whether all is in one object named after a language that the file's name has."""
    lines = file.content.decode("utf-8-sig", "replace").splitlines()
    tops = [line for line in lines if line and not line.startswith(_MARKS)]
    root = _ROOT.match(tops[0]) if len(tops) == 1 else None
    names = re.split(r"[./]", file.name.lower().replace("_", "-"))
    return root is not None and root[1].lower().replace("_", "-") in names


def _language_of(root: TreeContainer) -> str:
    """The one key of the file. Raises UnreadableFile when it is no language."""
    first, *others = root.items
    if others:
        told = "the file has one key at the top, its language; see yaml-flat for others"
        raise unreadable(others[0].line, "language", told)
    tag, value = locale_tag(first.name), first.value
    is_text = value.is_array if isinstance(value, TreeContainer) else value.text
    if tag is None or is_text:
        told = f"{quoted(first.name)} has to be a language that has keys"
        raise unreadable(first.line, "language", told)
    return tag
