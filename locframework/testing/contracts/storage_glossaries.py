"""Contract of glossaries and terms."""

from collections.abc import Iterable
from functools import partial
from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Scope
from locframework.errors import Unavailable
from locframework.fields import new_id, slug
from locframework.glossaries.records import (
    Glossary,
    StoredGlossary,
    Term,
    TermQuery,
    TermWrite,
)
from locframework.glossaries.terms import spelling
from locframework.languages import fold
from locframework.memories.records import EntryQuery
from locframework.proposals.records import TermTranslation, TranslationStatus
from locframework.storage import Storage

from .storage_records import ALL, TEXTS, add_project, add_project_of, at, sample

CODES = ("de", "fr", "ja")
VALUES = ("Anleger", "Äpfel", "100%_x", "z", "Zoll\n")
TERMS = ("Pier", "PIER", "quay", "Ä", "a_b", "100%", "b", "B2", "設定")
SEARCHED = ("pi", "ä", "äpf", "x_", "100%", "z", "%", "_", "定", "nowhere")
STATUSES: tuple[TranslationStatus, ...] = ("approved", "draft", "pending_review")


def glossary(name: str | None = None, **changes: Any) -> Glossary:
    name = f"Terms {new_id()}" if name is None else name
    fields = {"name": name, "slug": slug(name, new_id()), "source_language": "en"}
    return sample(Glossary, fields, changes)


def add_glossary(
    storage: Storage, name: str | None = None, *, organization_id: str, **changes: Any
) -> Glossary:
    made = glossary(name, **changes)
    storage.glossaries.insert(StoredGlossary(made, organization_id, revision=0))
    return made


def german(value: str = "Anleger", **changes: Any) -> TermTranslation:
    return replace(TermTranslation("de", value, "approved", at(1), None), **changes)


def term(of: Glossary, text: str = "pier", **changes: Any) -> Term:
    fields = {"glossary_id": of.id, "term": text, "usage_status": "preferred"}
    return sample(Term, fields, changes)


def add_terms(storage: Storage, *terms: Term, minute: int = 1) -> None:
    writes = [TermWrite(each, True, each.translations) for each in terms]
    storage.terms.write_terms(terms[0].glossary_id, writes, at(minute))


def random_translation(random: Random, code: str) -> TermTranslation:
    status, value = random.choice(STATUSES), random.choice(VALUES)
    proposed = None if random.random() < 0.6 else random.choice(("", *VALUES))
    if status == "pending_review":
        return TermTranslation(code, "", status, None, proposed or "Kai")
    approved_at = at(1) if status == "approved" else None
    return TermTranslation(code, value, status, approved_at, proposed)


def random_filter(random: Random, searched: str) -> dict[str, Any]:
    """Return up to three conditions that terms and memory entries have alike."""
    conditions = {
        "search": searched,
        "language_code": random.choice(CODES),
        "status": random.choice([*STATUSES, "untranslated"]),
        "has_proposal": random.random() < 0.5,
    }
    return {name: conditions[name] for name in random.sample([*conditions], 3)[:2]}


def in_language(
    translations: Iterable[TermTranslation], where: TermQuery | EntryQuery
) -> list[TermTranslation]:
    code = where.language_code
    return [each for each in translations if code in (None, each.language_code)]


def meets(
    translations: Iterable[TermTranslation], where: TermQuery | EntryQuery
) -> bool:
    """Return whether the conditions on translations hold, apart from the search."""
    own = in_language(translations, where)
    is_proposed = any(each.proposed_value is not None for each in own)
    if where.status == "untranslated":
        is_in_status = not own
    elif where.status is not None:
        is_in_status = any(each.status == where.status for each in own)
    else:
        is_free = where.language_code is None or where.has_proposal is not None
        is_in_status = is_free or bool(own)
    return is_in_status and where.has_proposal in (None, is_proposed)


class GlossaryModel:
    """A glossary, what it must have, and writes to choose from."""

    def __init__(self, storage: Storage, random: Random, organization_id: str) -> None:
        self.storage, self.random, self.clock = storage, random, count(1)
        self.made = add_glossary(storage, organization_id=organization_id)
        self.terms: dict[str, Term] = {}
        self.revision = 0

    def write(self) -> None:
        """Write terms of which the half are new; sometimes delete one."""
        now = at(next(self.clock))
        old = self.random.sample([*self.terms], min(3, len(self.terms)))
        deleted = [old.pop() for _ in old[:1] if self.random.random() < 0.5]
        for id_ in deleted:
            del self.terms[id_]
        writes = [self._term_write(id_, now) for id_ in [*old, new_id(), new_id()]]
        taken = {spelt(each): each.id for each in self.terms.values()}
        writes = [
            each
            for each in writes
            if taken.setdefault(spelt(each.term), each.term.id) == each.term.id
        ]
        self.storage.terms.write_terms(self.made.id, writes, now, deleted=deleted)
        self.terms |= {each.term.id: each.term for each in writes}
        self._check_glossary(now)

    def _term_write(self, id_: str, now: str) -> TermWrite:
        old = self.terms.get(id_)
        codes = self.random.sample(CODES, self.random.randint(0, 2))
        changed = [random_translation(self.random, code) for code in codes]
        dropped = self.random.sample(CODES, 1) if old else []
        after = {each.language_code: each for each in old.translations} if old else {}
        for code in dropped:
            after.pop(code, None)
        after |= {each.language_code: each for each in changed}
        pick = self.random.choice
        made = Term(
            id=id_,
            glossary_id=self.made.id,
            term=pick(TERMS),
            do_not_translate=pick([True, False]),
            case_sensitive=pick([True, False]),
            usage_status=pick(["preferred", "deprecated"]),
            notes=pick([None, "X_y"]),
            created_at=old.created_at if old else at(pick(range(3))),
            updated_at=now,
            translations=tuple(after[code] for code in sorted(after)),
        )
        return TermWrite(made, old is None, changed, dropped)

    def _check_glossary(self, now: str) -> None:
        found = self.storage.glossaries.find(self.made.id)
        assert found is not None
        assert found.revision > self.revision
        self.revision = found.revision
        assert found.glossary == replace(
            self.made, term_count=len(self.terms), updated_at=now
        )

    def check(self) -> None:
        """Compare all that is read of the terms."""
        store, id_, pick = self.storage.terms, self.made.id, self.random.choice
        every = sorted(self.terms.values(), key=lambda each: (fold(each.term), each.id))
        by_id = sorted(every, key=lambda each: each.id)
        plain = [replace(each, translations=()) for each in by_id]
        assert [*store.stream_terms(id_)] == every
        assert store.plain_terms([id_, new_id()]) == plain
        for each in every:
            assert store.find_terms(id_, [each.id, new_id()]) == [each]
            assert store.find_terms(id_, spellings=[spelt(each)]) == [each]
            assert store.find_terms(new_id(), [each.id]) == []
        codes, code, status = pick([None, ["de"], []]), pick(CODES), pick(STATUSES)
        absent = new_id()
        assert store.translations_of([*self.terms, absent], codes) == {
            absent: [],
            **{
                each.id: [
                    one
                    for one in each.translations
                    if codes is None or one.language_code in codes
                ]
                for each in every
            },
        }
        rows = [(each.id, one) for each in every for one in each.translations]
        assert store.values_in([id_], code) == {
            term_id: one.value
            for term_id, one in rows
            if (one.language_code, one.status) == (code, "approved")
        }
        for where in (None, status):
            assert store.languages(id_, where) == {
                one.language_code for _, one in rows if where in (None, one.status)
            }
        for _ in range(8):
            self._check_list(every)

    def _check_list(self, every: list[Term]) -> None:
        conditions = random_filter(self.random, fold(self.random.choice(SEARCHED)))
        if self.random.random() < 0.3:
            conditions["usage_status"] = "deprecated"
        where = TermQuery(limit=3, **conditions)
        wanted = []
        for each in every:
            texts = [each.term, each.notes or ""]
            for one in in_language(each.translations, where):
                texts += [one.value, one.proposed_value or ""]
            if (
                meets(each.translations, where)
                and where.usage_status in (None, each.usage_status)
                and any((where.search or "") in fold(text) for text in texts)
            ):
                wanted.append(each)
        sort = self.random.choice(["", "-term", "createdAt", "-updatedAt"])
        if sort == "createdAt":
            wanted.sort(key=lambda each: (each.created_at, each.id))
        elif sort == "-updatedAt":
            wanted.sort(key=lambda each: (each.updated_at, each.id), reverse=True)
        elif sort == "-term":
            wanted.reverse()
        for page in (1, 2):
            query = replace(where, page=page, sort=sort)
            found = self.storage.terms.list_terms(self.made.id, query)
            assert found.items == wanted[page * 3 - 3 : page * 3], (where, sort)
            assert found.total == len(wanted)


def spelt(term: Term) -> tuple[bool, str]:
    is_sensitive = term.case_sensitive
    return is_sensitive, spelling(term.term, case_sensitive=is_sensitive)


class StorageGlossariesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.fixture
    def organization_id(self, storage: Storage) -> str:
        return add_project(storage).organization_id

    @pytest.fixture
    def of(self, storage: Storage, organization_id: str) -> Glossary:
        return add_glossary(storage, organization_id=organization_id)

    def test_glossaries_are_linked_to_projects(self, storage: Storage) -> None:
        one = add_project(storage)
        owner = storage.access.organizations.find(one.organization_id)
        assert owner is not None
        two = add_project_of(storage, owner)
        first, second = (
            add_glossary(storage, name, organization_id=one.organization_id)
            for name in ("Zoll", "Anker")
        )
        store = storage.glossaries

        link, unlink = (partial(store.set_link, is_linked=is_) for is_ in (True, False))
        assert [link(first.id, one.id) for _ in range(2)] == [True, False]
        assert link(first.id, two.id)
        assert link(second.id, one.id)

        assert [each.id for each in store.linked_to(one.id)] == [second.id, first.id]
        found = store.find(first.id)
        assert found is not None
        assert found.glossary.project_ids == tuple(sorted((one.id, two.id)))
        storage.projects.delete(two.id, at(2))
        [_, alone] = store.linked_to(one.id)
        assert alone.glossary.project_ids == (one.id,)
        scopes = [Scope(one.organization_id, each.id) for each in (one, two)]
        assert [store.list_glossaries([of], ALL).total for of in scopes] == [2, 0]
        assert [unlink(first.id, one.id) for _ in range(2)] == [True, False]
        assert [each.id for each in store.linked_to(one.id)] == [second.id]
        store.delete(second.id, at(3))
        assert store.linked_to(one.id) == []

    def test_term_is_found_as_written(self, storage: Storage, of: Glossary) -> None:
        for text in filter(None, TEXTS.values()):
            proposal = TermTranslation("fr", "", "pending_review", None, text)
            made = term(of, text, notes=text, translations=(german(text), proposal))
            add_terms(storage, made)
            assert storage.terms.find_terms(of.id, [made.id]) == [made]

    def test_second_term_with_a_spelling_and_case_rule_is_refused(
        self, storage: Storage, of: Glossary, organization_id: str
    ) -> None:
        lower, exact = term(of), term(of, "PIER", case_sensitive=True)
        add_terms(storage, lower, exact)
        other = add_glossary(storage, organization_id=organization_id)
        add_terms(storage, term(other))

        with pytest.raises(Unavailable):
            add_terms(storage, term(of, "Pier"))

        asked = [(False, fold("PIER")), (True, "PIER"), (True, "pier")]
        found = storage.terms.find_terms(of.id, spellings=asked)
        assert {each.id for each in found} == {lower.id, exact.id}
        assert storage.terms.find_terms(of.id) == []
        assert spelling("Pier", case_sensitive=False) == fold("PIER")

    def test_terms_are_streamed_in_order(self, storage: Storage, of: Glossary) -> None:
        made = [
            term(of, f"t{number:04}", translations=(german(),))
            for number in range(1100)
        ]
        add_terms(storage, *reversed(made))

        assert list(storage.terms.stream_terms(of.id)) == made

    @pytest.mark.parametrize("seed", range(5))
    def test_terms_are_those_of_a_model(
        self, storage: Storage, organization_id: str, seed: int
    ) -> None:
        random = Random(seed)
        models = [GlossaryModel(storage, random, organization_id) for _ in range(2)]
        for _ in range(20):
            model = random.choice(models)
            model.write()
            model.check()
        for model in models:
            model.check()
