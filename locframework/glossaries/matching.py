"""Finds the terms of a project's glossaries in texts; keeps their indexes in memory."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import UNSET, Struct

from locframework.access.records import Caller
from locframework.errors import ValidationFailed
from locframework.languages import require_tag
from locframework.projects.service import Projects
from locframework.proposals.records import TermTranslation
from locframework.quality.scanning import prose
from locframework.terminology.index import FoundTerm, SearchTerm, TermIndex, find_terms
from locframework.validation import check_record

from .records import ChangedTerms, MatchRequest, StoredGlossary, Term, TermMatch
from .store import GlossaryStorage, TermStore

TERMS_KEPT = 200_000  # about 1 KB each
PROJECTS_KEPT = 10_000
CHARACTERS_LIMIT = 100_000  # of all texts of a request; decisions 2.10

T = TypeVar("T")


class LanguageTerms(Struct, frozen=True):
    """The terms of a glossary in one language."""

    values: Mapping[str, str]  # approved ones, by id of the term
    forbidden: TermIndex  # of the values of forbidden terms


class _GlossaryIndex(Struct, frozen=True):
    """The terms of one glossary at one revision."""

    id: str
    revision: int
    terms: Mapping[str, Term]  # by id
    index: TermIndex
    languages: dict[str, LanguageTerms]  # those that were requested


class ProjectTerms:
    """The terms of a project's glossaries, as of one moment."""

    def __init__(self, store: TermStore, glossaries: Sequence[_GlossaryIndex]) -> None:
        self._store = store
        self._glossaries = glossaries
        self._indexes = [each.index for each in glossaries]
        self.revisions = {each.id: each.revision for each in glossaries}

    def term(self, term_id: str) -> Term:
        """Return a term that was found."""
        return next(e.terms[term_id] for e in self._glossaries if term_id in e.terms)

    def find(self, text: str) -> list[FoundTerm]:
        """Find terms in a text of the source language, except in its placeholders and
        tags; see ``find_terms``."""
        return find_terms(prose(text), self._indexes)

    def in_language(self, language_code: str) -> list[LanguageTerms]:
        """Return the translations of each glossary. One statement the first time."""
        missing = [e for e in self._glossaries if language_code not in e.languages]
        if missing:
            ids = [each.id for each in missing]
            values = self._store.values_in(ids, language_code)
            for each in missing:
                own = {id_: values[id_] for id_ in each.terms if id_ in values}
                index = TermIndex(_forbidden(each.terms.values(), own), language_code)
                each.languages[language_code] = LanguageTerms(own, index)
        return [each.languages[language_code] for each in self._glossaries]


class TermCache:
    """Keeps indexes of glossaries, and updates them with what has changed."""

    def __init__(self, storage: GlossaryStorage) -> None:
        self._storage = storage
        self._kept: OrderedDict[str, _GlossaryIndex] = OrderedDict()
        self._lock = threading.Lock()
        self._without: set[str] = set()  # projects that had no glossaries

    def of_project(
        self, project_id: str, *, is_verified: bool = False
    ) -> ProjectTerms | None:
        """Return the terms of a project, None without glossaries.

        Call it in a snapshot or transaction. One statement without glossaries, two
        with; a few more for each that has changed, and one for all that are new.
        ``is_verified``: the caller asks ``is_current`` afterwards, so a project that
        had no glossaries before costs no statement.
        """
        if is_verified and project_id in self._without:
            return None
        linked = self._storage.glossaries.linked_to(project_id)
        return ProjectTerms(self._storage.terms, self._load(linked)) if linked else None

    def is_current(self, project_id: str, terms: ProjectTerms | None) -> bool:
        """Return whether ``of_project`` would return the same. One statement."""
        linked = self._storage.glossaries.linked_to(project_id)
        if linked:
            self._without.discard(project_id)
        elif len(self._without) < PROJECTS_KEPT:
            self._without.add(project_id)
        revisions = {each.id: each.revision for each in linked}
        return revisions == ({} if terms is None else terms.revisions)

    def prepare(self, project_id: str) -> None:
        """Load a project's terms in all its languages before a transaction: that of a
        large glossary takes seconds, in which others could not write.

        One statement without glossaries, two where nothing has changed.
        """
        linked = self._storage.glossaries.linked_to(project_id)
        if not linked:
            return
        languages = self._storage.projects.list_languages(project_id)
        codes = {each.language_code for each in languages}
        with self._lock:
            kept = [(each, self._kept.get(each.id)) for each in linked]
        if all(
            index is not None
            and index.revision >= stored.revision
            and index.languages.keys() >= codes
            for stored, index in kept
        ):
            return
        with self._storage.snapshot():
            terms = self.of_project(project_id)
            if terms is not None:
                for code in codes:
                    terms.in_language(code)

    def _load(self, linked: Sequence[StoredGlossary]) -> list[_GlossaryIndex]:
        found = {each.id: self._find(each) for each in linked}
        missing = [each for each in linked if found[each.id] is None]
        if missing:
            terms: dict[str, dict[str, Term]] = {each.id: {} for each in missing}
            for term in self._storage.terms.plain_terms(list(terms)):
                terms[term.glossary_id][term.id] = term
            for each in missing:
                own = terms[each.id]
                index = TermIndex(_search_terms(own.values()), each.source_language)
                new = _GlossaryIndex(each.id, each.revision, own, index, {})
                found[each.id] = self._keep(new)
        return [each for each in found.values() if each is not None]

    def _find(self, stored: StoredGlossary) -> _GlossaryIndex | None:
        """Return the index of a glossary, updated; None: it must be built."""
        with self._lock:
            kept = self._kept.get(stored.id)
            if kept is not None and kept.revision == stored.revision:
                self._kept.move_to_end(stored.id)
                return kept
        if kept is None or kept.index.language_code != stored.source_language:
            return None
        if kept.revision > stored.revision:  # an older snapshot, or database
            return None
        changes = self._storage.terms.changed_terms(stored.id, kept.revision)
        if changes is None:
            return None
        return self._keep(self._updated(kept, stored.revision, changes))

    def _updated(
        self, kept: _GlossaryIndex, revision: int, changes: ChangedTerms
    ) -> _GlossaryIndex:
        changed = {term.id: term for term in changes.changed}
        ids = {*changes.removed, *changed}
        values: dict[str, dict[str, str]] = {code: {} for code in kept.languages}
        if values:
            for row in self._storage.terms.translations_of(ids, list(values)):
                text = row.translation
                if text.status == "approved":
                    values[text.language_code][row.term_id] = text.value
        languages = dict(kept.languages)
        for code, new in values.items():
            old = languages[code]
            forbidden = old.forbidden.updated(ids, _forbidden(changed.values(), new))
            languages[code] = LanguageTerms(_merged(old.values, ids, new), forbidden)
        return _GlossaryIndex(
            id=kept.id,
            revision=revision,
            terms=_merged(kept.terms, ids, changed),
            index=kept.index.updated(ids, _search_terms(changed.values())),
            languages=languages,
        )

    def _keep(self, index: _GlossaryIndex) -> _GlossaryIndex:
        with self._lock:
            self._kept[index.id] = index
            self._kept.move_to_end(index.id)
            count = sum(len(each.terms) for each in self._kept.values())
            while count > TERMS_KEPT and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                count -= len(dropped.terms)
        return index


def _search_terms(terms: Iterable[Term]) -> list[SearchTerm]:
    return [SearchTerm(each.id, each.term, each.case_sensitive) for each in terms]


def _forbidden(terms: Iterable[Term], values: Mapping[str, str]) -> list[SearchTerm]:
    """Return the translations of forbidden terms."""
    return [
        SearchTerm(each.id, values[each.id], each.case_sensitive)
        for each in terms
        if each.usage_status == "forbidden" and each.id in values
    ]


def _merged(
    old: Mapping[str, T], ids: Collection[str], new: Mapping[str, T]
) -> dict[str, T]:
    """Return the old items but those with these ids, and the new ones."""
    merged = dict(old)
    for id_ in ids:
        merged.pop(id_, None)
    return merged | dict(new)


class GlossaryMatches:
    """Finds terms in texts for the API."""

    def __init__(
        self, storage: GlossaryStorage, projects: Projects, cache: TermCache
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._cache = cache

    def find_matches(
        self, caller: Caller, project_id: str, request: MatchRequest
    ) -> dict[str, list[TermMatch]]:
        """Return the terms in each text, in their order there.

        ``start`` and ``end`` are code points of the text as it was sent. At every
        place the longest term counts. Raises ProjectNotFound, PermissionDenied,
        ValidationFailed. A constant number of statements.
        """
        project = self._projects.require(caller, "glossary_read", project_id)
        check_record(request)
        if sum(map(len, request.texts)) > CHARACTERS_LIMIT:
            message = f"all together have more than {CHARACTERS_LIMIT:,} characters"
            raise ValidationFailed.at("$.texts", "length", message)
        codes = None
        if request.language_codes is not UNSET:
            codes = [
                require_tag(code, f"$.languageCodes[{at}]")
                for at, code in enumerate(request.language_codes)
            ]
        with self._storage.snapshot():
            terms = self._cache.of_project(project.id)
            if terms is None:
                return {text: [] for text in request.texts}
            found = {text: terms.find(text) for text in request.texts}
            ids = {each.id for some in found.values() for each in some}
            translations: dict[str, list[TermTranslation]] = {id_: [] for id_ in ids}
            rows = self._storage.terms.translations_of(ids, codes) if ids else []
        for row in rows:
            translations[row.term_id].append(row.translation)
        return {
            text: [
                _match(terms.term(each.id), each, translations[each.id])
                for each in some
            ]
            for text, some in found.items()
        }


def _match(
    term: Term, found: FoundTerm, translations: Sequence[TermTranslation]
) -> TermMatch:
    return TermMatch(
        term_id=term.id,
        term=term.term,
        start=found.start,
        end=found.end,
        do_not_translate=term.do_not_translate,
        usage_status=term.usage_status,
        translations=tuple(translations),
    )
