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
from locframework.quality.checks.prose import prose
from locframework.terminology.index import TermIndex, find_terms
from locframework.terminology.records import Found, Wanted
from locframework.validation import check_record

from .records import ChangedTerms, MatchRequest, StoredGlossary, Term, TermMatch
from .store import GlossaryStorage, TermStore

KEPT_TERMS = 200_000  # about 1 KB each
KEPT_PROJECTS = 10_000

T = TypeVar("T")


class InLanguage(Struct, frozen=True):
    """What the terms of a glossary are in one language."""

    values: Mapping[str, str]  # those that count, by id of the term
    forbidden: TermIndex  # of the values of forbidden terms


class _Kept(Struct, frozen=True):
    """What was made of one glossary at one revision."""

    id: str
    revision: int
    terms: Mapping[str, Term]  # by id
    index: TermIndex
    languages: dict[str, InLanguage]  # those that were asked for


class ProjectTerms:
    """The terms of some glossaries, as of one moment."""

    def __init__(self, store: TermStore, kept: Sequence[_Kept]) -> None:
        self._store = store
        self._kept = kept
        self._indexes = [each.index for each in kept]
        self.revisions = {each.id: each.revision for each in kept}

    def term(self, term_id: str) -> Term:
        """One that was found."""
        return next(e.terms[term_id] for e in self._kept if term_id in e.terms)

    def find(self, text: str) -> list[Found]:
        """The terms in a text of the source language, as find_terms tells them.

        None in its placeholders and tags.
        """
        return find_terms(prose(text), self._indexes)

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


class TermCache:
    """Keeps what was made of glossaries in memory; what changes of them is followed."""

    def __init__(self, storage: GlossaryStorage) -> None:
        self._storage = storage
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._without: set[str] = set()  # projects that had no glossaries

    def of_project(
        self, project_id: str, *, is_verified: bool = False
    ) -> ProjectTerms | None:
        """That of a project, None without glossaries. To be asked in a snapshot or a
        transaction: one statement without glossaries, two with; for each that has
        changed since it was asked last a few more, and one for all that are new.

        ``is_verified``: the caller asks ``is_current`` afterwards, so a project that
        had no glossaries when last asked costs no statement.
        """
        if is_verified and project_id in self._without:
            return None
        linked = self._storage.glossaries.linked_to(project_id)
        if not linked:
            return None
        return ProjectTerms(self._storage.terms, self._made(linked))

    def is_current(self, project_id: str, terminology: ProjectTerms | None) -> bool:
        """Return whether ``of_project`` would return the same. One statement."""
        linked = self._storage.glossaries.linked_to(project_id)
        if linked:
            self._without.discard(project_id)
        elif len(self._without) < KEPT_PROJECTS:
            self._without.add(project_id)
        now = {each.id: each.revision for each in linked}
        return now == ({} if terminology is None else terminology.revisions)

    def prepare(self, project_id: str) -> None:
        """Have what is made of a project's glossaries ready, in all its languages: of
        a large one that takes seconds, in which a transaction would keep others out.

        One statement without glossaries, two where all is ready.
        """
        linked = self._storage.glossaries.linked_to(project_id)
        if not linked:
            return
        languages = self._storage.projects.list_languages(project_id)
        codes = {each.language_code for each in languages}
        if all(self._is_ready(each, codes) for each in linked):
            return
        with self._storage.snapshot():
            terminology = self.of_project(project_id)
            if terminology is not None:
                for code in codes:
                    terminology.in_language(code)

    def _is_ready(self, stored: StoredGlossary, codes: Collection[str]) -> bool:
        with self._lock:
            kept = self._kept.get(stored.id)
        if kept is None or kept.revision < stored.revision:
            return False
        return kept.languages.keys() >= set(codes)

    def _made(self, linked: Sequence[StoredGlossary]) -> list[_Kept]:
        found = {each.id: self._find(each) for each in linked}
        missing = [each for each in linked if found[each.id] is None]
        if missing:
            ids = [each.id for each in missing]
            terms: dict[str, dict[str, Term]] = {id_: {} for id_ in ids}
            for term in self._storage.terms.plain_terms(ids):
                terms[term.glossary_id][term.id] = term
            for each in missing:
                found[each.id] = self._keep(_made(each, terms[each.id]))
        return [each for each in found.values() if each is not None]

    def _find(self, stored: StoredGlossary) -> _Kept | None:
        """What is kept of a glossary, as it is now; None: to be made anew."""
        with self._lock:
            kept = self._kept.get(stored.id)
            if kept is not None and kept.revision == stored.revision:
                self._kept.move_to_end(stored.id)
                return kept
        language = stored.glossary.source_language
        if kept is None or kept.index.language_code != language:
            return None
        if kept.revision > stored.revision:  # an older snapshot, or database
            return None
        changes = self._storage.terms.changed_terms(stored.id, kept.revision)
        if changes is None:
            return None
        return self._keep(self._followed(kept, stored.revision, changes))

    def _followed(self, kept: _Kept, revision: int, changes: ChangedTerms) -> _Kept:
        """What was kept, with what has changed since."""
        ids = {*changes.removed, *(term.id for term in changes.changed)}
        languages = dict(kept.languages)
        values: dict[str, dict[str, str]] = {code: {} for code in languages}
        if languages:
            for row in self._storage.terms.translations_of(ids, list(languages)):
                told = row.translation
                if told.status == "approved":
                    values[told.language_code][row.term_id] = told.value
        return _Kept(
            id=kept.id,
            revision=revision,
            terms=_replaced(kept.terms, ids, {t.id: t for t in changes.changed}),
            index=kept.index.updated(ids, _wanted(changes.changed)),
            languages={
                code: InLanguage(
                    _replaced(told.values, ids, values[code]),
                    told.forbidden.updated(
                        ids, _forbidden(changes.changed, values[code])
                    ),
                )
                for code, told in languages.items()
            },
        )

    def _keep(self, made: _Kept) -> _Kept:
        with self._lock:
            self._kept[made.id] = made
            self._kept.move_to_end(made.id)
            count = sum(len(each.terms) for each in self._kept.values())
            while count > KEPT_TERMS and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                count -= len(dropped.terms)
        return made


def _made(stored: StoredGlossary, terms: Mapping[str, Term]) -> _Kept:
    index = TermIndex(_wanted(terms.values()), stored.glossary.source_language)
    return _Kept(stored.id, stored.revision, terms, index, {})


def _in_language(
    terms: Mapping[str, Term], values: Mapping[str, str], language_code: str
) -> InLanguage:
    mine = {id_: values[id_] for id_ in terms if id_ in values}
    forbidden = _forbidden(terms.values(), mine)
    return InLanguage(mine, TermIndex(forbidden, language_code))


def _wanted(terms: Iterable[Term]) -> list[Wanted]:
    return [Wanted(each.id, each.term, each.case_sensitive) for each in terms]


def _forbidden(terms: Iterable[Term], values: Mapping[str, str]) -> list[Wanted]:
    """What forbidden terms are in a language."""
    return [
        Wanted(each.id, values[each.id], each.case_sensitive)
        for each in terms
        if each.usage_status == "forbidden" and each.id in values
    ]


def _replaced(
    there: Mapping[str, T], ids: Iterable[str], now: Mapping[str, T]
) -> dict[str, T]:
    """What is there, but under these ids what is now."""
    found = dict(there)
    for id_ in ids:
        found.pop(id_, None)
    found.update(now)
    return found


CHARACTERS_MOST = 100_000  # of all texts of a request; decisions 2.10


class GlossaryMatches:
    """Terms in texts."""

    def __init__(
        self, storage: GlossaryStorage, projects: Projects, terminologies: TermCache
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._terminologies = terminologies

    def find_matches(
        self, caller: Caller, project_id: str, request: MatchRequest
    ) -> dict[str, list[TermMatch]]:
        """The terms in each text, in their order there; none is an empty list.

        ``start`` and ``end`` are code points of the text as it was sent. At every
        place the longest term counts. Raises ProjectNotFound, PermissionDenied,
        ValidationFailed. A constant number of statements.
        """
        project = self._projects.require(caller, "glossary_read", project_id)
        check_record(request)
        if sum(map(len, request.texts)) > CHARACTERS_MOST:
            message = f"all together have more than {CHARACTERS_MOST:,} characters"
            raise ValidationFailed.at("$.texts", "length", message)
        codes = None
        if request.language_codes is not UNSET:
            codes = [
                require_tag(code, f"$.languageCodes[{at}]")
                for at, code in enumerate(request.language_codes)
            ]
        with self._storage.snapshot():
            terminology = self._terminologies.of_project(project.id)
            if terminology is None:
                return {text: [] for text in request.texts}
            return self._found(terminology, request.texts, codes)

    def _found(
        self,
        terminology: ProjectTerms,
        texts: Collection[str],
        codes: Collection[str] | None,
    ) -> dict[str, list[TermMatch]]:
        found = {text: terminology.find(text) for text in texts}
        ids = {each.id for some in found.values() for each in some}
        translations: dict[str, list[TermTranslation]] = {id_: [] for id_ in ids}
        rows = self._storage.terms.translations_of(ids, codes) if ids else []
        for row in rows:
            translations[row.term_id].append(row.translation)
        return {
            text: [
                _match(terminology.term(each.id), each, translations[each.id])
                for each in some
            ]
            for text, some in found.items()
        }


def _match(
    term: Term, found: Found, translations: Sequence[TermTranslation]
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
