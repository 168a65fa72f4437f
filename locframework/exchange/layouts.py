"""Keeps the files that were last imported: bases of imports, layouts of exports."""

import zlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from locframework.errors import LocError
from locframework.formats.records import (
    Catalogue,
    Detail,
    Entry,
    FormatInfo,
    SourceFile,
    Text,
)
from locframework.formats.rules import module_path, path_in
from locframework.formats.service import Formats
from locframework.keys.catalogues import (
    MODULES,
    family_of,
    imported_modules,
    options_of,
    without_module,
)
from locframework.keys.imported_files import (
    Layout,
    Layouts,
    known_layouts,
    layout_family,
    with_files,
)
from locframework.keys.records import FileDetail
from locframework.keys.rules import is_too_long
from locframework.keys.store import KeyStore
from locframework.languages import match_language
from locframework.projects.records import Project

from .modules import name_in_project, path_of, with_own_names
from .records import ImportBatch, ImportedKey, ReadFile


class KnownLayout(NamedTuple):
    """A file that was imported, with its entries by key."""

    layout: Layout
    entries: Mapping[str, Entry]
    format: FormatInfo  # in which it is written
    is_shared: bool = False  # by several languages
    is_like: bool = True  # it is written as formats are that have as much to say


@dataclass(eq=False, repr=False)
class LayoutReader:
    """Reads files that were imported before. Use one in each snapshot."""

    _formats: Formats
    _store: KeyStore
    _project: Project
    _plurals: Mapping[str, bool]
    _own_names: Mapping[str, Mapping[str, str]]  # as ImportedModules has them
    _layouts: dict[tuple[str, str], list[Layout]] = field(default_factory=dict)
    _last: tuple[bytes, list[Catalogue]] = (b"", [])
    """A multilingual file, and what it says."""

    def layouts(self, family: str, language_code: str) -> list[Layout]:
        """Return ``known_layouts``, which are read once."""
        known = self._layouts.get((family, language_code))
        if known is None:
            known = known_layouts(self._store, self._project.id, family, language_code)
            self._layouts[family, language_code] = known
        return known

    def entries(self, layout: Layout, language_code: str) -> dict[str, Entry]:
        """Return the entries of a file by key, with those that a merge adds; none if it
        can no longer be read."""
        added = self._entries(layout.other, language_code) if layout.other else {}
        entries = self._entries(layout, language_code)
        return entries | {name: added[name] for name in added if name not in entries}

    def _entries(self, layout: Layout, language_code: str) -> dict[str, Entry]:
        separator = self._project.key_separator
        module, is_given = layout.module, layout.module_is_given
        files = [
            replace(file, module=module, module_is_given=is_given)
            for file in self.files(layout, language_code)
        ]
        return {
            name_in_project(entry.key, file, separator): entry
            for file in files
            for entry in file.catalogue.entries
        }

    def files(self, layout: Layout, language_code: str) -> list[ReadFile]:
        """Return the file as it is read now; nothing if it can no longer be read."""
        info = self._formats.find(layout.format)
        is_multilingual = info is not None and info.multilingual
        file = SourceFile(layout.path, content_of(layout))
        catalogues = self._last[1]
        if not is_multilingual or self._last[0] != layout.content:
            code = None if is_multilingual else language_code
            options = options_of(self._project, code, plurals=self._plurals)
            try:
                catalogues = self._formats.read(layout.format, file, options)
            except LocError:
                return []
        if is_multilingual:
            self._last = layout.content, catalogues
            catalogues = _in_language(catalogues, language_code)
        found = [
            ReadFile(layout.path, info, language_code, catalogue, file)
            for catalogue in catalogues
            if info is not None
        ]
        return with_own_names(found, self._own_names)

    def known(
        self, layout: Layout, language_code: str, info: FormatInfo
    ) -> KnownLayout:
        """Return a file with its entries in a language, to be written in a format."""
        entries = self.entries(layout, language_code)
        is_shared = info.multilingual and all(
            each.language_code is not None for each in self._last[1]
        )
        its = self._formats.find(layout.format)
        is_like = its is None or its.comments is info.comments  # messages are no texts
        return KnownLayout(layout, entries, info, is_shared, is_like)

    def names_elsewhere(self, family: str, language_code: str) -> set[str]:
        """Return the keys in a language's files of other families. One statement."""
        found = self._store.details_of(self._project.id, None, language_code, [""])
        others = [
            layout
            for each in found
            if each.family.endswith("/layout") and each.family != layout_family(family)
            for layout in msgspec.convert(each.detail, Layouts).files
        ]
        return {name for each in others for name in self.entries(each, language_code)}

    def bases(self, batch: ImportBatch) -> dict[str, dict[str, Text]]:
        """Set the bases of the keys of an import, and note which files it replaces.

        A file of before goes if it has the identity of a new one, or if it is the same
        under another path (``is_same``), or, in another language than the source one,
        if its source file is. Return the texts by language of the keys that are
        only in files that go.
        """
        keys = {key.name: key for key in batch.keys}
        source = self._project.source_language
        gone: dict[str, dict[str, Text]] = {}
        for family, by_language in batch.layouts.items():
            moved: set[tuple[str, ...]] = set()
            for code in sorted(by_language, key=lambda code: code != source):
                new = by_language[code]
                identities = [layout.identity for layout in new.files]
                new.replaced[:] = identities
                old = self.layouts(family, code)
                modules = {layout.module for layout in new.files} - {None}
                infos = [self._formats.find(layout.format) for layout in new.files]
                has_template = any(info and info.is_template for info in infos)
                now = {
                    key.name: key.values.get(code)
                    for key in batch.keys
                    if is_in(key, family, code) or (has_template and key.is_in_source)
                }
                for layout in sorted(
                    old, key=lambda layout: layout.identity in identities
                ):
                    entries = self.entries(layout, code)
                    if layout.identity not in identities:
                        before = {name: entries[name].value for name in entries}
                        parts = module_path(layout.path, code)
                        is_its = layout.module in modules and before.keys() & now.keys()
                        if not (is_its or parts in moved or is_same(before, now)):
                            continue
                        new.replaced.append(layout.identity)
                        moved |= {parts} if code == source else set()
                    if layout.other is not None:
                        for name, entry in self._entries(layout.other, code).items():
                            if name in keys and entry.value:
                                keys[name].other_base[code] = entry.value
                    for name, entry in entries.items():
                        if not entry.value:
                            continue
                        if name in keys:
                            keys[name].base[code] = entry.value
                        else:
                            gone.setdefault(name, {})[code] = entry.value
        return gone


def _in_language(
    catalogues: Sequence[Catalogue], language_code: str
) -> list[Catalogue]:
    """Return the catalogue of a multilingual file in a language, as an import finds
    it, or the one that names none."""
    by_code = {each.language_code or language_code: each for each in catalogues}
    wanted = frozenset((language_code,))
    codes = (code for code in (language_code, *by_code) if code in by_code)
    found = [by_code[code] for code in codes if match_language(code, wanted)]
    return found[:1]


def is_same(before: Mapping[str, object], now: Mapping[str, object]) -> bool:
    """Return whether files under other paths are the one of before: they have more than
    half of its keys, and more than half of these with equal texts, or had none."""
    common = before.keys() & now.keys()
    equal = sum(not before[name] or before[name] == now[name] for name in common)
    return len(common) * 2 > len(before) and equal * 2 > len(common)


def new_layouts(files: Sequence[ReadFile]) -> dict[str, dict[str, Layouts]]:
    """Return the files that came, by family and language."""
    made: dict[str, dict[str, Layouts]] = {}
    last: tuple[ReadFile, bytes] | None = None
    for file in files:
        by_language = made.setdefault(family_of(file.format), {})
        if last is None or last[0].file is not file.file:  # all languages have one file
            last = file, zlib.compress(file.file.content, 6)
        of_language = by_language.setdefault(file.language_code, Layouts([]))
        of_language.files.append(_layout(file, last[1]))
    return made


def is_in(key: ImportedKey, family: str, code: str) -> bool:
    """Return whether a file of the language names the key."""
    return code in key.values or any(
        (each.family, each.language_code) == (family, code) for each in key.details
    )


def details_to_keep(
    store: KeyStore,
    project_id: str,
    batch: ImportBatch,
    job_id: str,
) -> list[FileDetail]:
    """Return what is kept of files as a whole: their details, the files themselves
    beside those that other imports brought meanwhile, and the project's modules."""
    details: list[FileDetail] = []
    files: list[tuple[str, Layout]] = []

    def keep(family: str, code: str, detail: Detail, module: str = "") -> None:
        details.append(FileDetail(project_id, family, "", module, code, detail))

    for each in batch.files:
        keep(each.family, each.language_code, each.detail, each.module)
    for family, by_language in batch.layouts.items():
        for code, new in by_language.items():
            old = known_layouts(store, project_id, family, code)
            rest = [file for file in old if file.identity not in new.replaced]
            kept = Layouts([*rest, *new.files])
            keep(layout_family(family), code, msgspec.to_builtins(kept))
            files += [(family, file) for file in kept.files]
    known = imported_modules(store, project_id)
    now = with_files(known, files, job_id, {**known.own_names, **batch.own_names})
    keep(MODULES, "", msgspec.to_builtins(now))
    return details


def content_of(layout: Layout) -> bytes:
    """Return the file, as it came."""
    return zlib.decompress(layout.content)


def _layout(file: ReadFile, content: bytes) -> Layout:
    module, is_given = file.module, file.module_is_given
    return Layout(path_of(file), file.format.id, content, module, is_given)


class Part(NamedTuple):
    """One file of an export."""

    path: str | None
    """None: the first import of the language is still to come."""
    format: FormatInfo
    module: str | None  # that a request gave
    catalogue: Catalogue


@dataclass(eq=False, repr=False)
class _Target:
    """A file that is written, and the entries that go into it with their order."""

    format: FormatInfo
    path: str | None = None
    names: Mapping[str, Entry] = field(default_factory=dict)
    """What the file calls keys."""
    module: str | None = None
    module_is_given: bool = False
    template: bytes | None = None
    is_new: bool = False
    """The language has no such file yet, but the source language has."""
    of_source: dict[str, str] = field(default_factory=dict)
    """What the source language's file of that name calls keys."""
    entries: list[tuple[int, Entry]] = field(default_factory=list)

    def part(self, catalogue: Catalogue, project: Project) -> Part:
        self.entries.sort(key=itemgetter(0))  # stable
        entries = [entry for _, entry in self.entries]
        is_given = self.module_is_given
        if not (
            self.format.source_texts and is_given
        ):  # then they tell the module themselves
            entries = [self._renamed(each, project.key_separator) for each in entries]
        entries, warnings = _told_apart(entries)
        made = replace(
            catalogue, entries=entries, template=self.template, warnings=warnings
        )
        module = self.module if is_given else None
        return Part(self.path, self.format, module, made)

    def takes(self, name: str, separator: str) -> bool:
        """Whether a key may stand in the file: it is of the module, if it has one."""
        return self.module is None or name.startswith(f"{self.module}{separator}")

    def _renamed(self, entry: Entry, separator: str) -> Entry:
        name = entry.name or entry.key
        known = self.names.get(name)
        if known is not None:
            value = entry.value if self.is_new else _with_long(entry.value, known.value)
            return replace(entry, key=known.key, name=name, value=value)
        if name in self.of_source:
            return replace(entry, key=self.of_source[name], name=name)
        if self.module is None:
            return entry
        return without_module(entry, self.module, separator)


def _with_long(value: Text | None, known: Text | None) -> Text | None:
    """Return the text of an entry; what was too long to be imported stays in a file."""
    if isinstance(known, str):
        return known if value is None and is_too_long(known) else value
    long = {form: one for form, one in (known or {}).items() if is_too_long(one)}
    return value if isinstance(value, str) or not long else {**long, **(value or {})}


def _told_apart(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Return the entries with names of their own, and warnings: of keys that files call
    the same, only the first is called so."""
    found, warnings = [], []
    taken: set[str] = set()
    for entry in entries:
        if entry.is_file_key and entry.key in taken:
            warnings.append(f"{entry.name}: another key is {entry.key!r} in files too")
            entry = replace(entry, key=entry.name or entry.key, is_file_key=False)
        taken.add(entry.key)
        found.append(entry)
    return found, warnings


def take_apart(
    catalogue: Catalogue,
    project: Project,
    info: FormatInfo,
    of_language: Sequence[KnownLayout],
    of_source: Sequence[KnownLayout],
    foreign: Container[str] = (),
) -> list[Part]:
    """Return the files that an export of one language consists of.

    A key goes into the files that it came from, else into those that are named as its
    files in the source language, else where the key before it stands. What a language
    has no file for goes into one that is named and written like the source language's.
    The order is that of the source language's files. What only other languages' files
    have is left out until it has a text; of the source language's files always.
    ``foreign``: keys that files of other families have; they are left out too.
    """
    source, code = project.source_language, catalogue.language_code or ""

    def resource_of(known: KnownLayout, code: str) -> tuple[object, ...]:
        path = known.layout.path
        parts = (path,) if known.is_shared else module_path(path, code)
        return (*parts, known.layout.module)

    targets: list[_Target] = []
    by_resource: dict[tuple[object, ...], _Target] = {}
    own: dict[str, list[_Target]] = {}
    for known in of_language:
        target = _target(known, known.layout.path, known.format)
        targets.append(target)
        by_resource[resource_of(known, code)] = target
        for name in known.entries:
            own.setdefault(name, []).append(target)
    positions: dict[str, tuple[int, list[_Target]]] = {}
    for known in of_source:
        resource = resource_of(known, source)
        path = path_in(known.layout.path, source, code) if code != source else None
        if known.is_shared:
            path = known.layout.path
        if resource not in by_resource and path is not None:
            by_resource[resource] = _target(known, path, info, is_new=True)
            targets.append(by_resource[resource])
        for name, entry in known.entries.items():
            _, its_targets = positions.setdefault(name, (len(positions), []))
            if resource in by_resource:
                its_targets.append(by_resource[resource])
                by_resource[resource].of_source[name] = entry.key
    at = -1
    before: list[_Target] = []
    for entry in catalogue.entries:
        name = entry.name or entry.key
        if name in positions:
            at, before = positions[name]
        elif (
            own
            and name not in own
            and entry.key_detail
            and (entry.value is None or code == source)
        ):
            continue  # of another language's file only
        elif name in foreign and name not in own:
            continue
        separator = project.key_separator
        chosen = [t for t in own.get(name) or before if t.takes(name, separator)]
        if not own.get(name) and name not in positions:  # a module's file goes first
            of_module = [t for t in targets if t.module and t.takes(name, separator)]
            chosen = of_module[:1] or chosen
        if not chosen:
            chosen = [t for t in targets if t.takes(name, separator)][:1]
            chosen = chosen or [_Target(info)]
            if chosen[0] not in targets:
                targets += chosen
        for target in chosen:
            target.entries.append((at, entry))
        before = before[:1]  # of the keys that follow
    return [
        each.part(catalogue, project)
        for each in targets
        if not each.is_new or any(entry.value for _, entry in each.entries)
    ] or [_Target(info).part(catalogue, project)]


def _target(
    known: KnownLayout, path: str, info: FormatInfo, *, is_new: bool = False
) -> _Target:
    layout = known.layout
    is_like = known.is_like and info.is_name(layout.path)  # a PO file is no template
    has_style = is_like and (known.is_shared or not (is_new and info.comments))
    return _Target(
        info,
        path=path,
        names=known.entries,
        module=layout.module,
        module_is_given=layout.module_is_given,
        template=content_of(layout) if has_style else None,
        is_new=is_new,
    )
