"""Which keys an import removes or renames, and which of its files' keys it leaves out.

The files of the source language decide which keys there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from locframework.branches.service import BranchScope
from locframework.errors import truncate
from locframework.formats.records import Text
from locframework.keys.imported_files import Layouts, known_layouts, known_since
from locframework.keys.records import StoredKey
from locframework.keys.store import KeyStores, store_of

from .layouts import LayoutReader
from .records import ImportBatch, ImportedKey, ImportMode

_NO_FILES = Layouts([])

Renames = list[tuple[StoredKey, ImportedKey]]
"""Keys of the project, and the keys of the files that they become."""


@dataclass(eq=False, repr=False)
class Removals:
    """Compares the keys of an import with those of the project, as it is now.

    Call it in a snapshot or a transaction.
    """

    _storage: KeyStores
    _scope: BranchScope
    _batch: ImportBatch
    _mode: ImportMode
    _gone: Mapping[str, dict[str, Text]] = field(default_factory=dict)
    """What files brought last of keys that are in no file now."""
    _of_main: Collection[str] = ()
    """As ``only_of_main``."""

    def __post_init__(self) -> None:
        self._store = store_of(self._storage, self._scope)
        self._project = self._scope.project

    def without_removed(self, reader: LayoutReader) -> ImportBatch:
        """Return the batch without keys that the files of the source language no longer
        have, but files of others still do.

        ``replace`` removes them, if they have a source text. Else they are left out if
        the project does not have them, and no file has changed their texts; on a branch
        also those that its files of the source language still have: main has removed
        them.
        """
        batch = self._batch
        if self._mode == "replace" and batch.skipped:
            skipped = self._of_skipped(reader)
            batch = replace(batch, left_out=[*batch.left_out, *skipped])
        others = [key for key in batch.keys if not key.is_in_source]
        stale = []
        if self._mode == "replace" and batch.replaced:
            left_out = {*batch.left_out}
            stale = [
                key
                for key in others
                if key.name not in left_out and self._is_replaced(key.name)
            ]
            plain = [key.name for key in stale if key.source is None]
            found = self._store.find_keys(self._project.id, names=plain)
            of_source = {key.key for key in self._with_source_text(found)}
            known = {key.key for key in found.values()}
            stale = [
                key
                for key in stale
                if key.source is not None
                or key.name in of_source
                or (key.name not in known and _is_unchanged(key))
            ]
            others = []
        if self._scope.branch is not None:
            others += [key for key in batch.keys if key.is_in_source]
        others = [key for key in others if key.values and _is_unchanged(key)]
        stale += self._removed(reader, others) if others else []
        if not stale:
            return batch
        names = {key.name for key in stale}
        first = min(names)
        told = f"{len(stale)} keys" if len(stale) > 1 else "1 key"
        warning = f"{told}, first {first}, left out: the project or source files do"
        return replace(
            batch,
            keys=[key for key in batch.keys if key.name not in names],
            warnings=[*batch.warnings, f"{warning} not have them"],
        )

    def only_of_main(self, reader: LayoutReader) -> set[str]:
        """Return the keys that only main's files have, not those that the branch knows:
        a merge of another branch may have brought them, however long ago it created
        them."""
        if self._scope.branch is None or self._mode != "replace":
            return set()
        project_id, source = self._project.id, self._project.source_language
        there, known = (
            {
                name
                for family in self._batch.layouts
                for layout in known_layouts(store, project_id, family, source)
                for name in reader.entries(layout, source)
            }
            for store in (self._storage.keys, self._store)
        )
        return there - known

    def others(self) -> list[StoredKey]:
        """Return the keys that the files do not name, in the order of their names.

        Keys that have only texts in other languages stay: no file of the source
        language had them.
        """
        store, batch = self._store, self._batch
        names = {key.name for key in batch.keys}.union(batch.left_out)
        existing = store.names_of(self._project.id)
        ids = [
            existing[name]
            for name in sorted(existing.keys() - names)
            if self._is_replaced(name)
        ]
        found = store.find_keys(self._project.id, ids)
        of_id = {id_: found[id_] for id_ in ids}
        renamed = {
            key.file_key
            for key in batch.keys
            if key.file_key is not None and key.name not in existing
        }
        of_source = {key.id for key in self._with_source_text(of_id)}
        bare = [id_ for id_ in ids if id_ not in of_source]
        rows = store.values_of(bare)
        kept = {id_ for id_ in bare if any(row.value for row in rows.get(id_, ()))}
        others = [
            key
            for id_, key in of_id.items()
            if id_ not in kept and key.file_key not in renamed
        ]
        later = {key.id: key for key in self._unknown(others)}
        if self._scope.branch is not None and later:
            branch_id = self._scope.branch.id
            overlay = self._storage.branch_keys(self._project.id, branch_id)
            for each in overlay.overlay(later):
                if each.kind == "own":
                    del later[each.key_id]
        return [key for key in others if key.id not in later or key.key in self._gone]

    def keys_of_main(self, removed: Sequence[StoredKey]) -> list[StoredKey]:
        """Return the keys of main that would appear on the branch once its own keys
        with their names are removed."""
        if self._scope.branch is None or not removed:
            return []
        project_id, names = self._project.id, [key.key for key in removed]
        on_main = self._storage.keys.find_keys(project_id, names=names)
        known = {*self._store.find_keys(project_id, on_main)}
        known |= self._store.find_keys(project_id, on_main, in_trash=True).keys()
        known |= {key.id for key in self._unknown(on_main.values())}
        return [key for key in on_main.values() if key.id not in known]

    def renames(self) -> Renames:
        """Return the keys that the files renamed.

        Such a key is removed by ``replace``, and there is one new key with its source
        text.
        """
        project_id, source = self._project.id, self._project.source_language
        batch = self._batch
        others = self.others() if batch.replaced else []
        if not others:
            return []
        values = self._store.values_of([key.id for key in others], [source])
        old: dict[object, list[StoredKey]] = defaultdict(list)
        for key in others:
            rows = values.get(key.id, ())
            texts = {row.plural_form or "other": row.value for row in rows}
            old[tuple(sorted(texts.items()))].append(key)
        existing = self._store.names_of(project_id)
        new: dict[object, list[ImportedKey]] = defaultdict(list)
        for each in batch.keys:
            text = each.values.get(source) or each.source
            if text and each.name not in existing:
                texts = {"other": text} if isinstance(text, str) else dict(text)
                new[tuple(sorted(texts.items()))].append(each)
        pairs = [
            (keys[0], new[text][0])
            for text, keys in old.items()
            if len(keys) == 1 and len(new.get(text, ())) == 1
        ]
        file_keys = {new.file_key for _, new in pairs if new.file_key is not None}
        found = self._store.find_keys(project_id, file_keys=file_keys)
        names = {key.name for key in batch.keys}  # others are renamed in the project
        there = {key.file_key for key in found.values() if key.key not in names}
        return [pair for pair in pairs if pair[1].file_key not in there]

    def _removed(
        self, reader: LayoutReader, keys: Sequence[ImportedKey]
    ) -> list[ImportedKey]:
        """Return the keys that neither the project nor its source files have; on a
        branch those that it does not have."""
        source = self._project.source_language
        found = self._store.find_keys(
            self._project.id,
            names=[key.name for key in keys],
            file_keys={key.file_key for key in keys if key.file_key is not None},
        ).values()
        names = {key.key for key in found}
        file_keys = {key.file_key for key in found} - {None}
        keys = [
            key
            for key in keys
            if key.name not in names and key.file_key not in file_keys
        ]
        if self._scope.branch is not None:
            return keys
        has_source = False
        in_source: set[str] = set()
        for family, by_language in self._batch.layouts.items() if keys else ():
            has_source |= source in by_language
            for layout in reader.layouts(family, source):
                has_source = True
                if layout.identity not in by_language.get(source, _NO_FILES).replaced:
                    in_source |= reader.entries(layout, source).keys()
        return [key for key in keys if has_source and key.name not in in_source]

    def _of_skipped(self, reader: LayoutReader) -> set[str]:
        """Return the keys of files of the source language that could not be read now,
        but were imported before: nobody has removed them."""
        batch, source = self._batch, self._project.source_language
        skipped = {each.path for each in batch.skipped}
        return {
            name
            for family in batch.layouts
            for layout in reader.layouts(family, source)
            if truncate(layout.path) in skipped
            for name in reader.entries(layout, source)
        } - {key.name for key in batch.keys if key.is_in_source}

    def _unknown(self, keys: Iterable[StoredKey]) -> list[StoredKey]:
        """Return the keys that main has only since the branch was made, or updated
        last: its files cannot have them, unless they are its own."""
        if self._scope.branch is None:
            return []
        since = known_since(self._store, self._scope.branch)
        return [
            key for key in keys if key.created_at > since or key.key in self._of_main
        ]

    def _is_replaced(self, name: str) -> bool:
        """Return whether ``replace`` removes the key if no file has it."""
        modules = self._batch.replaced or ()
        module, found, _ = name.partition(self._project.key_separator)
        if found and module in modules:
            return True
        return "" in modules and not (found and module in self._batch.known_modules)

    def _with_source_text(self, keys: Mapping[str, StoredKey]) -> list[StoredKey]:
        """Return those of the keys, by id, that have a source text."""
        source = self._project.source_language
        values = self._store.values_of([*keys], [source])
        return [
            key
            for id_, key in keys.items()
            if any(value.value for value in values.get(id_, ()))
        ]


def _is_unchanged(key: ImportedKey) -> bool:
    return all(key.base.get(code) == text for code, text in key.values.items())
