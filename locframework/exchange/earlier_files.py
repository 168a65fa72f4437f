"""Compares files with those of earlier imports: moves, renames, modules, names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from locframework.formats.records import Entry, Text
from locframework.formats.rules import module_path, path_in
from locframework.keys.catalogues import ImportedModules, family_of
from locframework.keys.imported_files import Layout, Layouts, layout_family
from locframework.keys.records import StoredValue
from locframework.keys.rules import legal_key
from locframework.keys.store import KeyStore
from locframework.projects.records import Project

from .layouts import LayoutReader, is_same
from .modules import (
    has_module,
    module_beside,
    module_name,
    module_parts,
    name_in_project,
    path_of,
    resource_at,
    resource_of,
)
from .records import ImportedKey, ReadFile


@dataclass(eq=False, repr=False)
class EarlierFiles:
    """Compares the files of an import with those that were imported before."""

    _store: KeyStore
    _reader: LayoutReader
    _project: Project
    imported: ImportedModules
    _moved: Mapping[str, set[str]] = field(default_factory=dict)
    """The resources that files without modules are now, by those that they were."""
    _modules: Mapping[str, str] = field(default_factory=dict)
    """The modules of files that were renamed, by their new resources."""

    def moved_with(self, files: Sequence[ReadFile]) -> "EarlierFiles":
        """Return the earlier files with the new paths of those that were renamed, moved
        or split (``is_same``).

        A file of the source language decides for its resource.
        """
        source = self._project.source_language
        of_source = {
            resource_of(file) for file in files if file.language_code == source
        }
        moved: dict[str, set[str]] = {}
        modules: dict[str, str] = {}
        for (family, code), came in _by_language(files).items():
            layouts = self._reader.layouts(family, code)
            known, paths = {each.path for each in layouts}, set(map(path_of, came))
            texts = {
                resource_of(file): _texts(file.catalogue.entries)
                for file in came
                if path_of(file) not in known
                and (code == source or resource_of(file) not in of_source)
            }
            every = {
                name: text for each in texts.values() for name, text in each.items()
            }
            for layout in layouts if texts else ():
                if layout.module_is_given or layout.path in paths:
                    continue
                before = _texts(self._reader.entries(layout, code).values())
                is_split = is_same(before, every)
                for new, now in texts.items():
                    if is_same(before, now) or (is_split and is_same(now, before)):
                        if layout.module is not None:
                            modules.setdefault(new, layout.module)
                            continue
                        old = resource_at(family, layout.path, code)
                        moved.setdefault(old, set()).add(new)
        names = {
            each: self.imported.own_names.get(old, {})
            for old, new in moved.items()
            for each in new
        }
        imported = replace(
            self.imported,
            plain=[
                *self.imported.plain,
                *(path_of(file) for file in files if resource_of(file) in names),
            ],
            own_names={**self.imported.own_names, **names},
        )
        return EarlierFiles(
            self._store, self._reader, self._project, imported, moved, modules
        )

    def with_path(self, file: ReadFile) -> ReadFile:
        """Return a file that was sent without folders with its earlier path, or with
        that of its source language's file.

        Of several such paths, it is the one whose file has the same keys; without one,
        the file keeps its name.
        """
        if file.path or family_of(file.format) not in self.imported.formats:
            return file
        code, source = file.language_code, self._project.source_language
        name = file.file.name
        known: dict[str, tuple[Layout, str]] = {}
        for each in dict.fromkeys((code, source)):
            for layout in self._reader.layouts(family_of(file.format), each):
                path = layout.path if each == code else path_in(layout.path, each, code)
                if path is not None and path.rpartition("/")[2] == name:
                    known.setdefault(path, (layout, each))
        if len(known) > 1:
            keys = dict.fromkeys(_texts(file.catalogue.entries))
            known = {
                path: (layout, each)
                for path, (layout, each) in known.items()
                if is_same(
                    dict.fromkeys(_texts(self._reader.entries(layout, each).values())),
                    keys,
                )
            }
        return replace(file, kept_as=next(iter(known))) if len(known) == 1 else file

    def modules(self, files: Sequence[ReadFile]) -> dict[str, str]:
        """Return the modules that the resources of the files have, or had before their
        files were renamed, by resource."""
        source = self._project.source_language
        found = {**self._modules}
        for family, language in _by_language(files):
            for code in dict.fromkeys((language, source)):
                for layout in self._reader.layouts(family, code):
                    if layout.module is not None and not layout.module_is_given:
                        found[resource_at(family, layout.path, code)] = layout.module
        return found

    def renamed(
        self, files: Sequence[ReadFile]
    ) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the folders and names of earlier files whose modules are not in their
        paths, by language and module."""
        separator, found = self._project.key_separator, {}
        for family, code in _by_language(files):
            for layout in self._reader.layouts(family, code):
                module, parts = layout.module, module_path(layout.path, code)
                if module is not None and not (
                    layout.module_is_given or has_module(parts, separator, module)
                ):
                    found[code, module] = parts
        return found

    def new_modules(self, files: Sequence[ReadFile]) -> set[str]:
        """Return the modules of files that share keys with a file under another path,
        and are not the same (``is_same``): their names, and the folders that differ
        where the names are equal.

        Only files with their language in their paths have names that say so much. Those
        of the source language decide, if there are any: translations change elsewhere.
        """
        found, separator = set(), self._project.key_separator
        source = self._project.source_language
        of_language = _by_language(
            [
                file
                for file in files
                if path_in(path_of(file), file.language_code, "")
                and path_of(file) not in self.imported.plain
            ]
        )
        for (family, code), new in of_language.items():
            if code != source and (family, source) in of_language:
                continue
            texts = [_texts(file.catalogue.entries) for file in new]
            every = {name: text for each in texts for name, text in each.items()}
            for layout in self._reader.layouts(family, code):
                parts = module_path(layout.path, code)
                if layout.module is not None or not parts:
                    continue
                before = _texts(self._reader.entries(layout, code).values())
                if not is_same(before, every):
                    found |= {
                        module_beside(file, parts, separator)
                        for file, now in zip(new, texts, strict=True)
                        if before.keys() & now.keys()
                    }
        return found - {""}

    def own_names(self, files: Sequence[ReadFile]) -> dict[str, dict[str, str]]:
        """Return the keys of names that files without modules share for different
        texts: those of earlier imports and new ones.

        If the texts of two files differ in a language, the file that had the name
        before keeps its key; else the first file. A file of the source language that is
        sent without the other is compared with that file's last texts, for new names
        only. A name that is already such a key of another file gets its own, too.
        """
        found = {
            resource: {**names} for resource, names in self.imported.own_names.items()
        }
        source, separator = self._project.source_language, self._project.key_separator
        plain = [
            file
            for file in sorted(files, key=lambda file: file.language_code != source)
            if file.module is None and path_of(file) in self.imported.plain
        ]
        known = [
            kept
            for family in dict.fromkeys(family_of(file.format) for file in plain)
            if len(layouts := self._reader.layouts(family, source)) > 1
            for layout in layouts
            if layout.module is None
            for kept in self._reader.files(layout, source)
        ]
        if not known:
            return found
        came = {resource_of(file) for file in plain} | self._moved.keys()
        had = {
            (resource, entry.key)
            for kept in known
            for resource in self._moved.get(resource_of(kept), {resource_of(kept)})
            for entry in kept.catalogue.entries
        }
        owners = {
            key: resource for resource, names in found.items() for key in names.values()
        }
        new: dict[tuple[str, str], tuple[str, str, Text]] = {}
        first: dict[tuple[str, str, str], tuple[str, Text, ReadFile]] = {}
        for file in [kept for kept in known if resource_of(kept) not in came] + plain:
            resource = resource_of(file)
            family, code = family_of(file.format), file.language_code
            for entry in file.catalogue.entries:
                name, text = entry.key, entry.value
                if not text or name in found.get(resource, ()):
                    continue
                here = resource, text, file
                owner = owners.get(legal_key(name, separator), "").split("/")
                if owner[0] == family and resource in came:
                    module = module_beside(file, owner[1:], separator)
                    module = module or module_name(file, separator)
                    new[resource, name] = module, code, text
                    found.setdefault(resource, {})[name] = ""
                    continue
                there, other_text, other = first.setdefault((family, code, name), here)
                if there == resource or other_text == text:
                    continue
                loser, winner = file, other
                if (resource, name) in had and there not in came:
                    continue  # both had it: its text changes
                if (resource, name) in had and (there, name) not in had:
                    first[family, code, name] = here
                    loser, winner = other, file
                module = module_beside(loser, module_parts(winner), separator)
                if module:
                    slot = resource_of(loser), name
                    new[slot] = module, code, text if loser is file else other_text
                    found.setdefault(slot[0], {})[name] = ""
        self._set_keys(found, new, files)
        return found

    def _set_keys(
        self,
        found: Mapping[str, dict[str, str]],
        new: Mapping[tuple[str, str], tuple[str, str, Text]],
        files: Sequence[ReadFile],
    ) -> None:
        """Set the keys of new names, which are given by resource and name with a
        module, a language and its text; none that has another text."""
        project_id, separator = self._project.id, self._project.key_separator
        taken = {key for names in found.values() for key in names.values()}
        taken |= {
            name_in_project(entry.key, file, separator)
            for file in (files if new else ())
            for entry in file.catalogue.entries
            if entry.key not in found.get(resource_of(file), ())
        }
        left, number = {**new}, 1
        while left:
            end = separator if number == 1 else f"-{number}{separator}"
            keys = {
                slot: f"{left[slot][0]}{end}{legal_key(slot[1], separator)}"
                for slot in left
            }
            there = self._store.find_keys(project_id, names={*keys.values()})
            values = self._store.values_of(there) if there else {}
            rows = {key.key: values.get(id_, ()) for id_, key in there.items()}
            for (resource, name), key in keys.items():
                _, code, text = left[resource, name]
                if key not in taken and _is_free(rows.get(key, ()), code, text):
                    taken.add(key)
                    found[resource][name] = key
                    del left[resource, name]
            number += 1

    def carry(
        self,
        files: Sequence[ReadFile],
        keys: Sequence[ImportedKey],
        own: Mapping[str, Mapping[str, str]],
    ) -> list[str]:
        """Give keys that are new in ``own`` the texts of files that do not come now, in
        other languages. Return a warning for each key."""
        before = self.imported.own_names
        new = {
            (resource, name): key
            for resource, names in own.items()
            for name, key in names.items()
            if name not in before.get(resource, ())
        }
        of_name = {key.name: key for key in keys} if new else {}
        came = {(resource_of(file), file.language_code) for file in files}
        for family in {resource.partition("/")[0] for resource, _ in new}:
            kept = self._store.details_of(
                self._project.id, layout_family(family), None, [""]
            )
            for code, layout in [
                (each.language_code, layout)
                for each in kept
                for layout in msgspec.convert(each.detail, Layouts).files
                if layout.module is None
            ]:
                for file in self._reader.files(layout, code):
                    resource = resource_of(file)
                    for entry in file.catalogue.entries:
                        key = of_name.get(new.get((resource, entry.key), ""))
                        if key and entry.value and (resource, code) not in came:
                            key.values[code] = entry.value
        return [
            f"{name} of {resource.partition('/')[2]} is the key {key}: another file has"
            f" another text of that name"
            for (resource, name), key in sorted(new.items())
        ]


def _by_language(
    files: Sequence[ReadFile],
) -> dict[tuple[str, str], list[ReadFile]]:
    """Return the files by family and language."""
    found: dict[tuple[str, str], list[ReadFile]] = {}
    for file in files:
        at = family_of(file.format), file.language_code
        found.setdefault(at, []).append(file)
    return found


def _texts(entries: Iterable[Entry]) -> dict[str, Text | None]:
    """Return the texts as their file calls them."""
    return {entry.key: entry.value for entry in entries}


def _is_free(values: Sequence[StoredValue], code: str, text: Text) -> bool:
    """Return whether a key with these values has no text, or this one."""
    stored = {
        row.plural_form or "other": row.value
        for row in values
        if row.language_code == code
    }
    wanted = {"other": text} if isinstance(text, str) else {**text}
    return stored == wanted or not any(row.value for row in values)
