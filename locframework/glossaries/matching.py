"""Finds the terms of a project's glossaries in texts; keeps their indexes in memory."""

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET, Struct

from locframework.access.records import Caller
from locframework.errors import ValidationFailed
from locframework.languages import require_tag
from locframework.projects.service import Projects
from locframework.quality.check import AvoidedTerm, TextTerms, WantedTerm
from locframework.quality.scanning import prose
from locframework.terminology.index import FoundTerm, SearchTerm, TermIndex, find_terms
from locframework.validation import check_record

from .records import MatchRequest, StoredGlossary, Term, TermMatch
from .store import GlossaryStorage, TermStore

TERMS_KEPT = 200_000  # about 1 KB each
PROJECTS_KEPT = 10_000
CHARACTERS_LIMIT = 100_000  # of all texts of a request; decisions 2.10


class LanguageTerms(Struct, frozen=True):
    """The terms of a glossary in one language."""

    values: Mapping[str, str]  # approved ones, by id of the term
    forbidden: TermIndex  # of the values of forbidden terms


class _GlossaryIndex(Struct, frozen=True):
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
                forbidden = (
                    SearchTerm(term.id, own[term.id], term.case_sensitive, True)
                    for term in each.terms.values()
                    if term.usage_status == "forbidden" and term.id in own
                )
                index = TermIndex(forbidden, language_code)
                each.languages[language_code] = LanguageTerms(own, index)
        return [each.languages[language_code] for each in self._glossaries]


class TermCache:
    """Keeps indexes of glossaries; those of changed glossaries are built again."""

    def __init__(self, storage: GlossaryStorage) -> None:
        self._storage = storage
        self._cached: OrderedDict[str, _GlossaryIndex] = OrderedDict()
        self._lock = threading.Lock()
        self._without: set[str] = set()  # projects that had no glossaries

    def of_project(
        self, project_id: str, *, is_verified: bool = False
    ) -> ProjectTerms | None:
        """Return the terms of a project, None without glossaries.

        Call it in a snapshot or transaction. One statement, and one more for all
        glossaries that are new or have changed.
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
        if not linked:
            if len(self._without) < PROJECTS_KEPT:
                self._without.add(project_id)
            return terms is None
        self._without.discard(project_id)
        revisions = {each.id: each.revision for each in linked}
        return terms is not None and revisions == terms.revisions

    def prepare(self, project_id: str) -> None:
        """Load a project's terms in all its languages before a transaction: that of a
        large glossary takes seconds, in which others could not write. One statement
        without glossaries, two where nothing has changed."""
        with self._storage.snapshot():
            terms = self.of_project(project_id)
            if terms is not None:
                for each in self._storage.projects.list_languages(project_id):
                    terms.in_language(each.language_code)

    def _load(self, linked: Sequence[StoredGlossary]) -> list[_GlossaryIndex]:
        with self._lock:
            cached = [self._cached.get(each.id) for each in linked]
        found = {
            index.id: index
            for index, stored in zip(cached, linked, strict=True)
            if index is not None and index.revision == stored.revision
        }
        missing = [each for each in linked if each.id not in found]
        terms: dict[str, dict[str, Term]] = {each.id: {} for each in missing}
        for term in self._storage.terms.plain_terms(list(terms)) if terms else ():
            terms[term.glossary_id][term.id] = term
        for each in missing:
            own = terms[each.id]
            searched = (
                SearchTerm(
                    term.id,
                    term.term,
                    term.case_sensitive,
                    term.usage_status == "forbidden",
                )
                for term in own.values()
            )
            index = TermIndex(searched, each.source_language)
            found[each.id] = _GlossaryIndex(each.id, each.revision, own, index, {})
        with self._lock:
            for each in linked:
                self._cached[each.id] = found[each.id]
                self._cached.move_to_end(each.id)
            count = sum(len(each.terms) for each in self._cached.values())
            while count > TERMS_KEPT and len(self._cached) > 1:
                _, dropped = self._cached.popitem(last=False)
                count -= len(dropped.terms)
        return [found[each.id] for each in linked]


@dataclass(eq=False, repr=False)
class GlossaryMatches:
    """Finds terms in texts for the API."""

    _storage: GlossaryStorage
    _projects: Projects
    _cache: TermCache

    def find_matches(
        self, caller: Caller, project_id: str, request: MatchRequest
    ) -> dict[str, list[TermMatch]]:
        """Return the terms in each text, in their order there.

        ``start`` and ``end`` are code points of the text as it was sent. All forbidden
        terms are found; of the others, the longest at every place. A constant number
        of statements. Raises ProjectNotFound, PermissionDenied, ValidationFailed.
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
            translations = self._storage.terms.translations_of(ids, codes)
        return {
            text: [
                TermMatch(
                    term_id=term.id,
                    term=term.term,
                    start=each.start,
                    end=each.end,
                    do_not_translate=term.do_not_translate,
                    usage_status=term.usage_status,
                    translations=tuple(translations[each.id]),
                )
                for each in some
                for term in [terms.term(each.id)]
            ]
            for text, some in found.items()
        }


_EXPECTED = "="  # begins the ids of expected translations; no id of a term has it


class ExpectedTerms:
    """Works for one batch of texts: a source text is searched once."""

    def __init__(self, terms: ProjectTerms) -> None:
        self._terms = terms
        self._found: dict[str, list[FoundTerm]] = {}

    def of_translation(
        self,
        language_code: str,
        texts: Mapping[str | None, str],
        sources: Mapping[str | None, str],
    ) -> TextTerms | None:
        """Return the terms that the translation of each source text should have, and
        the forbidden terms in each text, by plural form. None when there is neither. A
        forbidden term inside an expected one, or equal to it, is no fault."""
        expected = {
            source: terms
            for source in set(sources.values())
            if (terms := self._expected(language_code, source))
        }
        indexes = [each.forbidden for each in self._terms.in_language(language_code)]

        def find(text: str) -> list[FoundTerm]:
            return find_terms(prose(text), indexes)

        avoided = _avoided(texts, find)
        if expected and avoided:
            expected_terms = (each for some in expected.values() for each in some)
            values = {value for each in expected_terms for value in each.values}
            wanted = (SearchTerm(_EXPECTED + each, each, False) for each in values)
            indexes.append(TermIndex(wanted, language_code))
            avoided = _avoided(texts, find)
        return TextTerms(expected, avoided) if expected or avoided else None

    def of_source(self, texts: Mapping[str | None, str]) -> TextTerms | None:
        """Return the forbidden terms in source texts, by plural form."""

        def find(text: str) -> list[FoundTerm]:
            return [
                each
                for each in self._find(text)
                if self._terms.term(each.id).usage_status == "forbidden"
            ]

        avoided = _avoided(texts, find)
        return TextTerms({}, avoided) if avoided else None

    def _find(self, text: str) -> list[FoundTerm]:
        if text not in self._found:
            self._found[text] = self._terms.find(text)
        return self._found[text]

    def _expected(self, language_code: str, source: str) -> list[WantedTerm]:
        """Return one for each place with a term; of several terms there any will do."""
        places: dict[int, list[str]] = {}
        for found in self._find(source):
            places.setdefault(found.start, []).append(found.id)
        expected: dict[WantedTerm, None] = {}
        for ids in dict.fromkeys(map(tuple, places.values())):
            options = [self._expected_of(id_, language_code) for id_ in ids]
            terms = [each for each in options if each is not None]
            if terms:
                values = dict.fromkeys(value for each in terms for value in each.values)
                exactly = all(each.exactly for each in terms)
                expected[WantedTerm(terms[0].term, tuple(values), exactly)] = None
        return list(expected)

    def _expected_of(self, term_id: str, language_code: str) -> WantedTerm | None:
        term = self._terms.term(term_id)
        if term.usage_status == "forbidden":
            return None
        if term.do_not_translate:
            return WantedTerm(term.term, (term.term,), term.case_sensitive)
        for each in self._terms.in_language(language_code):
            if term_id in each.values:
                return WantedTerm(term.term, (each.values[term_id],))
        return None


def _avoided(
    texts: Mapping[str | None, str], find: Callable[[str], Sequence[FoundTerm]]
) -> dict[str | None, list[AvoidedTerm]]:
    """Return the forbidden terms outside expected ones, by plural form, of texts with
    any."""
    avoided: dict[str | None, list[AvoidedTerm]] = {}
    for form, text in texts.items():
        found = find(text)
        expected = {e.start: e.end for e in found if e.id.startswith(_EXPECTED)}
        starts = list(expected)  # in order; they do not overlap
        terms = []
        for start, end in dict.fromkeys((each.start, each.end) for each in found):
            at = bisect_right(starts, start)
            if not at or end > expected[starts[at - 1]]:
                terms.append(AvoidedTerm(text[start:end], start, end))
        if terms:
            avoided[form] = terms
    return avoided
