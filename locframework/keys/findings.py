"""Keeps what checks find in step with the texts, in the write's own transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from locframework.branches.records import BranchScope
from locframework.projects.records import Language, Project
from locframework.quality.records import Finding
from locframework.storage import Storage

from .check_runner import CheckRunners
from .records import Key, KeyLanguage, KeyState, StoredValue
from .store import KeyStore, store_of
from .subjects import texts_of
from .unit_of_work import UnitOfWork


class Findings:
    """What all checks find in the newest texts of every key, in every language.

    A text is judged anew when it changes, when its source text does, and when its key
    does: name, description, tags, plurals.
    """

    def __init__(self, storage: Storage, judges: CheckRunners) -> None:
        self._storage = storage
        self._judges = judges

    def prepare(self, project_id: str) -> None:
        """What is to be done before a transaction that writes texts of a project: in
        it, to read a large glossary would keep all others from writing."""
        self._judges.prepare(project_id)

    def follow(
        self, scope: BranchScope, languages: Sequence[Language], batch: UnitOfWork
    ) -> None:
        """After a batch was flushed. Nothing is asked where no text changed, one
        statement a chunk where keys were there, and two more where findings change."""
        source = scope.project.source_language
        changed = batch.texts_changed(source)
        if not changed:
            return
        store = store_of(self._storage, scope)
        of_batch = batch.keys()
        values: dict[str, Iterable[StoredValue]] = {
            id_: batch.values(id_).values() for id_ in changed
        }
        if not batch.is_whole:
            rest = [id_ for id_, codes in changed.items() if codes is None]
            rest = [id_ for id_ in rest if not batch.is_new(id_)]
            values |= store.values_of(rest) if rest else {}
        judged = [
            _Judged(of_batch[id_], values[id_], codes, batch.is_new(id_))
            for id_, codes in changed.items()
        ]
        self._keep(store, scope.project, languages, judged)

    def rework(
        self,
        scope: BranchScope,
        languages: Sequence[Language],
        key_ids: Collection[str],
    ) -> None:
        """Judge keys anew, as they stand on the line. Four statements a chunk."""
        store = store_of(self._storage, scope)
        keys = store.find_keys(scope.project.id, key_ids)
        values = store.values_of(list(keys))
        judged = [_Judged(key, values.get(key.id, ())) for key in keys.values()]
        self._keep(store, scope.project, languages, judged)

    def rework_states(
        self, store: KeyStore, project: Project, states: Sequence[KeyState]
    ) -> None:
        """Judge keys anew that were read before. Four statements a chunk."""
        if states:
            languages = self._storage.projects.list_languages(project.id)
            judged = [_Judged(state.key, state.values) for state in states]
            self._keep(store, project, languages, judged)

    def _keep(
        self,
        store: KeyStore,
        project: Project,
        languages: Sequence[Language],
        judged: Sequence[_Judged],
    ) -> None:
        now = self._found(project, languages, judged)
        known = [each.key.id for each in judged if not each.is_new]
        before = store.findings_of(known) if known else {}
        codes_of = {each.key.id: each.codes for each in judged} if before else {}
        changed = {at: new for at, new in now.items() if new != before.get(at)}
        for at in before:
            codes = codes_of[at[0]]
            if at not in now and (codes is None or at[1] in codes):
                changed[at] = []
        if changed:
            store.put_findings(changed)

    def _found(
        self,
        project: Project,
        languages: Sequence[Language],
        judged: Sequence[_Judged],
    ) -> dict[KeyLanguage, list[Finding]]:
        """What is found now, where anything is."""
        found: dict[KeyLanguage, list[Finding]] = {}
        judge = self._judges.of(project)
        forms = {each.language_code: each.plural_forms for each in languages}
        for each in judged:
            texts = texts_of(each.values)
            for code in texts if each.codes is None else each.codes:
                if code in texts and code in forms:
                    some = judge.findings(each.key, code, texts, forms[code])
                    if some:
                        found[each.key.id, code] = some
        return found


class _Judged(Struct, frozen=True, gc=False):
    """A key to be judged, in some languages or in all."""

    key: Key
    values: Iterable[StoredValue]
    codes: Collection[str] | None = None
    is_new: bool = False  # nothing can have been found in it before
