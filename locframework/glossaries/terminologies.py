"""The terms of a project's glossaries, ready to be found in texts."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from locframework.storage import Storage
from locframework.terminology.index import TermIndex, find_terms
from locframework.terminology.records import Found, Wanted

from .records import StoredGlossary, Term
from .store import TermStore

KEPT_TERMS = 200_000  # about 1 KB each


class InLanguage(Struct, frozen=True):
    """What the terms of a glossary are in one language."""

    values: Mapping[str, str]  # those that count, by id of the term
    forbidden: TermIndex  # of the values of forbidden terms


class _Kept(Struct, frozen=True):
    """What was made of one glossary at one revision."""

    id: str
    revision: int
    terms: Sequence[Term]
    index: TermIndex
    languages: dict[str, InLanguage]  # those that were asked for


class Terminology:
    """The terms of some glossaries, as of one moment."""

    def __init__(self, store: TermStore, kept: Sequence[_Kept]) -> None:
        self._store = store
        self._kept = kept
        self._indexes = [each.index for each in kept]
        self.terms = {term.id: term for each in kept for term in each.terms}

    def find(self, text: str) -> list[Found]:
        """The terms in a text of the source language, as find_terms tells them."""
        return find_terms(text, self._indexes)

    def in_language(self, language_code: str) -> list[InLanguage]:
        """Of each glossary. One statement, unless it was asked before."""
        missing = [each for each in self._kept if language_code not in each.languages]
        if missing:
            ids = [each.id for each in missing]
            values = self._store.values_in(ids, language_code)
            for each in missing:
                each.languages[language_code] = _in_language(
                    each.terms, values, language_code
                )
        return [each.languages[language_code] for each in self._kept]


class Terminologies:
    """Keeps what was made of glossaries in memory, until they change."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def of_project(self, project_id: str) -> Terminology | None:
        """That of a project, None without glossaries. To be asked in a snapshot or a
        transaction: one statement without glossaries, two with, and one more when
        any of them has changed since it was asked last."""
        linked = self._storage.glossaries.linked_to(project_id)
        if not linked:
            return None
        return Terminology(self._storage.terms, self._made(linked))

    def _made(self, linked: Sequence[StoredGlossary]) -> list[_Kept]:
        found = {each.id: self._find(each) for each in linked}
        missing = [each for each in linked if found[each.id] is None]
        if missing:
            ids = [each.id for each in missing]
            terms: dict[str, list[Term]] = {id_: [] for id_ in ids}
            for term in self._storage.terms.plain_terms(ids):
                terms[term.glossary_id].append(term)
            for each in missing:
                found[each.id] = self._keep(each, terms[each.id])
        return [each for each in found.values() if each is not None]

    def _find(self, stored: StoredGlossary) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(stored.id)
            if kept is None or kept.revision != stored.revision:
                return None
            self._kept.move_to_end(stored.id)
            return kept

    def _keep(self, stored: StoredGlossary, terms: Sequence[Term]) -> _Kept:
        wanted = [Wanted(each.id, each.term, each.case_sensitive) for each in terms]
        index = TermIndex(wanted, stored.glossary.source_language)
        made = _Kept(stored.id, stored.revision, terms, index, {})
        with self._lock:
            self._kept[stored.id] = made
            self._kept.move_to_end(stored.id)
            count = sum(len(each.terms) for each in self._kept.values())
            while count > KEPT_TERMS and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                count -= len(dropped.terms)
        return made


def _in_language(
    terms: Sequence[Term], values: Mapping[str, str], language_code: str
) -> InLanguage:
    mine = {term.id: values[term.id] for term in terms if term.id in values}
    forbidden = [
        Wanted(term.id, mine[term.id], term.case_sensitive)
        for term in terms
        if term.usage_status == "forbidden" and term.id in mine
    ]
    return InLanguage(mine, TermIndex(forbidden, language_code))
