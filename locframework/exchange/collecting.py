"""Collects the keys of files that came, as the project and its files are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from locframework.formats.records import Text
from locframework.formats.rules import module_path, path_in
from locframework.keys.catalogues import ImportedModules, family_of
from locframework.keys.imported_files import (
    Layout,
    Layouts,
    layout_family,
)
from locframework.keys.records import StoredValue
from locframework.keys.rules import legal_key
from locframework.keys.store import KeyStore
from locframework.projects.records import Project

from .decisions import set_seen
from .layouts import LayoutReader, is_same, new_layouts
from .reading import (
    collect_keys,
    module_beside,
    module_name,
    module_parts,
    name_in_project,
    path_of,
    place_of,
    says_module,
    with_modules,
)
from .records import ImportBatch, ImportedKey, Modules, ReadFile, Seen

OwnNames = Mapping[str, Mapping[str, str]]
"""As ImportedModules has them."""


def collect(
    files: Sequence[ReadFile],
    store: KeyStore,
    reader: LayoutReader,
    project: Project,
    imported: ImportedModules,
    *,
    module: str | None,
    modules: Modules,
    seen: Seen,
) -> ImportBatch:
    """Return every key of the files, as the project and its files are now.

    Call it in a snapshot. Raises as ``collect_keys``.
    """
    kept = _KeptFiles(store, reader, project, imported)
    files = [kept.with_path(file) for file in files]
    known = set(imported.modules)
    had: dict[str, str] = {}
    if module is None and modules == "auto":
        kept = kept.moved_with(files)
        imported, had = kept.imported, kept.modules(files)
        known |= kept.new_modules([f for f in files if place_of(f) not in had])
    if module is not None:
        files = [replace(f, module=module, module_is_given=True) for f in files]
    elif modules != "never":
        separator = project.key_separator
        renamed = kept.renamed(files) if had else {}
        files = with_modules(
            files, separator, modules, known, imported.plain, had, renamed
        )
    own = kept.own_names(files)
    files = [
        file
        if file.module is not None
        else replace(file, own_names=own.get(place_of(file), {}))
        for file in files
    ]
    batch = collect_keys(files, project)
    warnings = kept.carry(files, batch.keys, own)
    warnings += set_seen(files, batch.keys, seen, store, project)
    source = project.source_language
    return replace(
        batch,
        warnings=[*batch.warnings, *warnings],
        layouts=new_layouts(files),
        replaced=[f.module or "" for f in files if f.language_code == source],
        known_modules=[name for name in known if not imported.modules.get(name)],
        last_import=imported.job_id,
        seen={
            path_of(file): seen[name]
            for file in files
            if (name := file.path or file.file.name) in seen
        },
        own_names={place: {**own[place]} for place in own},
    )


@dataclass(eq=False, repr=False)
class _KeptFiles:
    """What the files that were imported before say of those that come now."""

    _store: KeyStore
    _reader: LayoutReader
    _project: Project
    imported: ImportedModules
    _moved: Mapping[str, set[str]] = field(default_factory=dict)
    """Where files without modules are now, by their places of before."""
    _modules: Mapping[str, str] = field(default_factory=dict)
    """The modules of files that were renamed, by their new places."""

    def moved_with(self, files: Sequence[ReadFile]) -> "_KeptFiles":
        """Return what is kept, with the new paths of files that were renamed, moved or
        split (``is_same``).

        Those of the source language decide, where it has a file of that name.
        """
        source = self._project.source_language
        of_source = {place_of(file) for file in files if file.language_code == source}
        of_language: dict[tuple[str, str], list[ReadFile]] = {}
        for file in files:
            place = family_of(file.format.id), file.language_code
            of_language.setdefault(place, []).append(file)
        moved: dict[str, set[str]] = {}
        modules: dict[str, str] = {}
        for (_, code), came in of_language.items():
            layouts = self._of(came[0], code)
            known, paths = {each.path for each in layouts}, set(map(path_of, came))
            texts = {
                place_of(file): {e.key: e.value for e in file.catalogue.entries}
                for file in came
                if path_of(file) not in known
                and (code == source or place_of(file) not in of_source)
            }
            every = {
                name: text for each in texts.values() for name, text in each.items()
            }
            for layout in layouts if texts else ():
                if layout.module_is_given or layout.path in paths:
                    continue
                entries = self._reader.entries(layout, code).values()
                before = {entry.key: entry.value for entry in entries}
                is_split = is_same(before, every)
                for new, now in texts.items():
                    if is_same(before, now) or (is_split and is_same(now, before)):
                        if layout.module is not None:
                            modules.setdefault(new, layout.module)
                            continue
                        old = _place(came[0], layout, code)
                        moved.setdefault(old, set()).add(new)
        places = {place for each in moved.values() for place in each}
        names = {
            place: self.imported.own_names.get(old, {})
            for old, new in moved.items()
            for place in new
        }
        imported = replace(
            self.imported,
            plain=[
                *self.imported.plain,
                *(path_of(file) for file in files if place_of(file) in places),
            ],
            own_names={**self.imported.own_names, **names},
        )
        return _KeptFiles(
            self._store, self._reader, self._project, imported, moved, modules
        )

    def with_path(self, file: ReadFile) -> ReadFile:
        """Return a file that came without folders with the path that it had before, or
        that its source language's file tells.

        Of several paths it is the one whose file has its keys; else it has none.
        """
        if file.path or family_of(file.format.id) not in self.imported.formats:
            return file
        code, source = file.language_code, self._project.source_language
        name = file.file.name
        known: dict[str, tuple[Layout, str]] = {}
        for each in dict.fromkeys((code, source)):
            for layout in self._of(file, each):
                path = layout.path if each == code else path_in(layout.path, each, code)
                if path is not None and path.rpartition("/")[2] == name:
                    known.setdefault(path, (layout, each))
        if len(known) > 1:
            keys = dict.fromkeys(entry.key for entry in file.catalogue.entries)
            known = {
                path: (layout, each)
                for path, (layout, each) in known.items()
                if is_same(self._names(layout, each), keys)
            }
        return replace(file, kept_as=next(iter(known))) if len(known) == 1 else file

    def _names(self, layout: Layout, code: str) -> dict[str, None]:
        entries = self._reader.entries(layout, code).values()
        return dict.fromkeys(entry.key for entry in entries)

    def modules(self, files: Sequence[ReadFile]) -> dict[str, str]:
        """Return the modules that files of the same places have, or had before their
        files were renamed, by place."""
        source = self._project.source_language
        found = {**self._modules}
        for file in {
            (family_of(file.format.id), file.language_code): file for file in files
        }.values():
            for code in dict.fromkeys((file.language_code, source)):
                for layout in self._of(file, code):
                    if layout.module is not None and not layout.module_is_given:
                        place = _place(file, layout, code)
                        found[place] = layout.module
        return found

    def renamed(
        self, files: Sequence[ReadFile]
    ) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the folders and names of files whose modules they no longer say, by
        language and module."""
        separator, found = self._project.key_separator, {}
        for family, code in {
            (family_of(file.format.id), file.language_code) for file in files
        }:
            for layout in self._reader.layouts(family, code):
                module, parts = layout.module, module_path(layout.path, code)
                if module is not None and not (
                    layout.module_is_given or says_module(parts, separator, module)
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
        of_language: dict[tuple[str, str], list[ReadFile]] = {}
        for file in files:
            code, path = file.language_code, path_of(file)
            if path_in(path, code, "") and path not in self.imported.plain:
                place = family_of(file.format.id), code
                of_language.setdefault(place, []).append(file)
        for (family, code), new in of_language.items():
            if code != source and (family, source) in of_language:
                continue
            texts = [{e.key: e.value for e in file.catalogue.entries} for file in new]
            every = {name: text for each in texts for name, text in each.items()}
            for layout in self._of(new[0], code):
                parts = module_path(layout.path, code)
                if layout.module is not None or not parts:
                    continue
                entries = self._reader.entries(layout, code).values()
                before = {entry.key: entry.value for entry in entries}
                if not is_same(before, every):
                    found |= {
                        module_beside(file, parts, separator)
                        for file, now in zip(new, texts, strict=True)
                        if before.keys() & now.keys()
                    }
        return found - {""}

    def own_names(self, files: Sequence[ReadFile]) -> OwnNames:
        """Return the keys of texts that files without modules call as others call other
        ones: those of before and new ones.

        Where the texts of two files differ in a language, the one that had the name
        before keeps the key; else the first. A file of the source language that comes
        without the other is compared with what that brought last, for new names only.
        A name that is another file's key of that kind gets one too.
        """
        found = {place: {**names} for place, names in self.imported.own_names.items()}
        source, separator = self._project.source_language, self._project.key_separator
        plain = [
            file
            for file in sorted(files, key=lambda file: file.language_code != source)
            if file.module is None and path_of(file) in self.imported.plain
        ]
        known = [
            kept
            for file in {family_of(file.format.id): file for file in plain}.values()
            if len(layouts := self._of(file, source)) > 1
            for layout in layouts
            if layout.module is None
            for kept in self._reader.files(layout, source)
        ]
        if not known:
            return found
        came = {place_of(file) for file in plain} | self._moved.keys()
        had = {
            (place, entry.key)
            for kept in known
            for place in self._moved.get(place_of(kept), {place_of(kept)})
            for entry in kept.catalogue.entries
        }
        owners = {
            key: place for place, names in found.items() for key in names.values()
        }
        new: dict[tuple[str, str], tuple[str, str, Text]] = {}
        first: dict[tuple[str, str, str], tuple[str, Text, ReadFile]] = {}
        for file in [kept for kept in known if place_of(kept) not in came] + plain:
            place = place_of(file)
            family, code = family_of(file.format.id), file.language_code
            for entry in file.catalogue.entries:
                name, text = entry.key, entry.value
                if not text or name in found.get(place, ()):
                    continue
                here = place, text, file
                owner = owners.get(legal_key(name, separator), "").split("/")
                if owner[0] == family and place in came:
                    module = module_beside(file, owner[1:], separator)
                    module = module or module_name(file, separator)
                    new[place, name] = module, code, text
                    found.setdefault(place, {})[name] = ""
                    continue
                there, other_text, other = first.setdefault((family, code, name), here)
                if there == place or other_text == text:
                    continue
                loser, winner = file, other
                if (place, name) in had and there not in came:
                    continue  # both had it: its text changes
                if (place, name) in had and (there, name) not in had:
                    first[family, code, name] = here
                    loser, winner = other, file
                module = module_beside(loser, module_parts(winner), separator)
                if module:
                    slot = place_of(loser), name
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
        """Set the keys of new names, which are given by place and name with a module, a
        language and its text; none that has another text."""
        project_id, separator = self._project.id, self._project.key_separator
        taken = {key for names in found.values() for key in names.values()}
        taken |= {
            name_in_project(entry.key, file, separator)
            for file in (files if new else ())
            for entry in file.catalogue.entries
            if entry.key not in found.get(place_of(file), ())
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
            for (place, name), key in keys.items():
                _, code, text = left[place, name]
                if key not in taken and _is_free(rows.get(key, ()), code, text):
                    taken.add(key)
                    found[place][name] = key
                    del left[place, name]
            number += 1

    def carry(
        self, files: Sequence[ReadFile], keys: Sequence[ImportedKey], own: OwnNames
    ) -> list[str]:
        """Give keys that are new in ``own`` the texts of files that do not come now, in
        other languages. Return a warning for each key."""
        before = self.imported.own_names
        new = {
            (place, name): key
            for place, names in own.items()
            for name, key in names.items()
            if name not in before.get(place, ())
        }
        of_name = {key.name: key for key in keys} if new else {}
        came = {(place_of(file), file.language_code) for file in files}
        for family in {place.partition("/")[0] for place, _ in new}:
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
                    place = place_of(file)
                    for entry in file.catalogue.entries:
                        key = of_name.get(new.get((place, entry.key), ""))
                        if key and entry.value and (place, code) not in came:
                            key.values[code] = entry.value
        return [
            f"{name} of {place.partition('/')[2]} is the key {key}: another file has"
            f" another text of that name"
            for (place, name), key in sorted(new.items())
        ]

    def _of(self, file: ReadFile, code: str) -> list[Layout]:
        return self._reader.layouts(family_of(file.format.id), code)


def _is_free(values: Sequence[StoredValue], code: str, text: Text) -> bool:
    """Return whether a key with these values has no text, or this one."""
    stored = {
        row.plural_form or "other": row.value
        for row in values
        if row.language_code == code
    }
    wanted = {"other": text} if isinstance(text, str) else {**text}
    return stored == wanted or not any(row.value for row in values)


def _place(file: ReadFile, layout: Layout, code: str) -> str:
    """Return ``place_of`` a file of before in the family of the file."""
    return "/".join((family_of(file.format.id), *module_path(layout.path, code)))
