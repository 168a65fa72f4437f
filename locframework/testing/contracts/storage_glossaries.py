"""Contract of the stores of glossaries, terms and translations."""

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
    TermFilter,
    TermWrite,
)
from locframework.glossaries.rules import spelling
from locframework.languages import fold
from locframework.pagination import PageRequest, SortedRequest
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_records import ALL, TEXTS, add_project, add_project_of, at


def glossary(name: str = "Terms", **changes: Any) -> Glossary:
    id_ = new_id()
    made = Glossary(
        id=id_,
        slug=slug(name, id_),
        name=name,
        source_language="en",
        requires_approval=False,
        project_ids=(),
        term_count=0,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def add_glossary(
    storage: Storage, name: str = "Terms", *, organization_id: str, **changes: Any
) -> Glossary:
    made = glossary(name, **changes)
    storage.glossaries.insert(StoredGlossary(made, organization_id, revision=0))
    return made


def german(value: str = "Anleger", **changes: Any) -> TermTranslation:
    return replace(TermTranslation("de", value, "approved", at(1), None), **changes)


def term(of: Glossary, text: str = "pier", **changes: Any) -> Term:
    made = Term(
        id=new_id(),
        glossary_id=of.id,
        term=text,
        do_not_translate=False,
        case_sensitive=False,
        usage_status="preferred",
        notes=None,
        created_at=at(1),
        updated_at=at(1),
        translations=(),
    )
    return replace(made, **changes)


def add_terms(storage: Storage, *terms: Term, minute: int = 1) -> None:
    writes = [TermWrite(each, True, each.translations) for each in terms]
    storage.terms.write_terms(terms[0].glossary_id, writes, at(minute))


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

        assert [store.link(first.id, one.id) for _ in range(2)] == [True, False]
        assert store.link(first.id, two.id)
        assert store.link(second.id, one.id)

        assert [each.id for each in store.linked_to(one.id)] == [second.id, first.id]
        found = store.find(first.id)
        assert found is not None
        assert found.glossary.project_ids == tuple(sorted((one.id, two.id)))
        storage.projects.delete(two.id, at(2))
        [_, alone] = store.linked_to(one.id)
        assert alone.glossary.project_ids == (one.id,)
        scopes = [Scope(one.organization_id, each.id) for each in (one, two)]
        assert [store.list_glossaries([of], ALL).total for of in scopes] == [2, 0]
        assert [store.unlink(first.id, one.id) for _ in range(2)] == [True, False]
        assert [each.id for each in store.linked_to(one.id)] == [second.id]

    def test_glossaries_are_listed_by_scope_search_and_project(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        mine = [
            add_glossary(storage, name, organization_id=of.organization_id)
            for name in ("b", "A%", "a  \tB")
        ]
        theirs = add_glossary(storage, "x", organization_id=other.organization_id)
        storage.glossaries.link(mine[0].id, of.id)

        def listed(*scopes: Scope, **where: str) -> list[str]:
            found = storage.glossaries.list_glossaries(scopes, ALL, **where)
            assert found.total == len(found.items)
            return [each.glossary.name for each in found.items]

        whole = Scope(of.organization_id)
        assert listed(whole) == ["A%", "a  \tB", "b"]
        assert listed(whole, search="a") == ["A%", "a  \tB"]
        assert listed(whole, search="a b") == ["a  \tB"]
        assert listed(whole, project_id=of.id) == ["b"]
        assert listed(whole, project_id=of.id, search="a") == []
        assert listed(whole, project_id=other.id) == []
        assert listed(Scope(other.organization_id), project_id=of.id) == []
        assert listed(whole, search="%") == ["A%"]
        assert listed(Scope(of.organization_id, of.id)) == ["b"]
        assert listed(Scope(other.organization_id, of.id)) == []
        assert listed() == []
        every = storage.glossaries.list_glossaries
        assert every(None, PageRequest(limit=1)).total == 4
        assert theirs.id in {each.id for each in every(None, ALL).items}

    def test_deleted_glossary_is_unlinked_and_purged_in_pieces(
        self, storage: Storage
    ) -> None:
        project = add_project(storage)
        of, kept = (
            add_glossary(storage, organization_id=project.organization_id)
            for _ in range(2)
        )
        storage.glossaries.link(of.id, project.id)
        for each in (of, kept):
            made = [term(each, f"t{n}", translations=(german(),)) for n in range(3)]
            add_terms(storage, *made)

        storage.glossaries.delete(of.id, at(5))

        assert storage.glossaries.linked_to(project.id) == []
        assert storage.glossaries.list_glossaries(None, ALL).total == 1
        purged = [storage.purge("glossaries", at(n), 2) for n in (5, 6, 6, 6)]
        assert purged == [0, 2, 2, 0]
        assert len(storage.terms.plain_terms([of.id, kept.id])) == 3

    def test_term_with_any_text_is_toldin_its_glossary_only(
        self, storage: Storage, of: Glossary, organization_id: str
    ) -> None:
        other = add_glossary(storage, organization_id=organization_id)
        for text in filter(None, TEXTS.values()):
            made = term(
                of,
                text,
                do_not_translate=True,
                case_sensitive=True,
                usage_status="forbidden",
                notes=text,
                translations=(
                    german(text, status="draft", approved_at=None),
                    TermTranslation("fr", "", "pending_review", None, text),
                ),
            )
            add_terms(storage, made)
            assert storage.terms.find_term(of.id, made.id) == made
            assert storage.terms.find_term(other.id, made.id) is None
        assert storage.terms.find_term(of.id, new_id()) is None

    def test_write_changes_named_terms_and_the_glossary(
        self, storage: Storage, of: Glossary
    ) -> None:
        french = TermTranslation("fr", "quai", "approved", at(1), None)
        old, other = term(of, translations=(german(), french)), term(of, "quay")
        add_terms(storage, old, other)
        before = storage.glossaries.find(of.id)
        new = replace(old, term="jetty", notes="n", translations=(german("Steg"),))

        write = TermWrite(new, changed=[german("Steg")], dropped=["fr", "sv"])
        storage.terms.write_terms(of.id, [write], at(8))

        assert storage.terms.find_term(of.id, old.id) == new
        assert storage.terms.find_term(of.id, other.id) == other
        after = storage.glossaries.find(of.id)
        assert before is not None
        assert after is not None
        assert after.revision > before.revision
        assert after.glossary == replace(before.glossary, updated_at=at(8))
        assert after.glossary.term_count == 2
        storage.terms.delete_term(of.id, old.id, at(9))
        last = storage.glossaries.find(of.id)
        assert last is not None
        assert (last.glossary.term_count, last.glossary.updated_at) == (1, at(9))
        assert last.revision > after.revision
        assert storage.terms.translations_of([old.id], None) == []

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
        found = storage.terms.find_terms_spelt(of.id, asked)
        assert {each.id for each in found} == {lower.id, exact.id}
        assert storage.terms.find_terms_spelt(of.id, []) == []
        assert spelling("Pier", case_sensitive=False) == fold("PIER")

    def test_terms_are_filtered_and_sorted(
        self, storage: Storage, of: Glossary
    ) -> None:
        add_terms(
            storage,
            term(of, "b", notes="X_y", created_at=at(2)),
            term(of, "Ä", usage_status="deprecated", translations=(german("Äpfel"),)),
            term(
                of,
                "a",
                translations=(
                    german("", status="pending_review", proposed_value="Obst"),
                    TermTranslation("fr", "z", "draft", None, None),
                ),
            ),
        )

        def listed(sort: str = "", **where: Any) -> list[str]:
            page = SortedRequest(limit=200, sort=sort)
            found = storage.terms.list_terms(of.id, TermFilter(**where), page)
            assert found.total == len(found.items)
            told = [storage.terms.find_term(of.id, each.id) for each in found.items]
            assert told == found.items
            return [each.term for each in found.items]

        assert listed() == ["a", "b", "Ä"]
        assert listed("-term") == ["Ä", "b", "a"]
        assert listed("-createdAt")[0] == "b"
        assert listed(search=fold("x_")) == ["b"]
        assert listed(search=fold("ÄPF")) == ["Ä"]
        assert listed(search="obst") == ["a"]
        assert listed(search="z", language_code="de") == []
        assert listed(search=fold("x_"), language_code="de") == []
        assert listed(usage_status="deprecated") == ["Ä"]
        assert listed(language_code="fr") == ["a"]
        assert listed(language_code="fr", status="untranslated") == ["b", "Ä"]
        assert listed(status="untranslated") == ["b"]
        assert listed(status="draft") == ["a"]
        assert listed(status="draft", language_code="de") == []
        assert listed(has_proposal=True) == ["a"]
        assert listed(has_proposal=False, language_code="fr") == ["a", "b", "Ä"]
        second = storage.terms.list_terms(of.id, TermFilter(), PageRequest(2, 2))
        assert ([each.term for each in second.items], second.total) == (["Ä"], 3)

        add_terms(storage, term(of, "Z1"), term(of, "B", case_sensitive=True))
        assert [each.casefold() for each in listed()] == ["a", "b", "b", "z1", "ä"]
        assert [each.term for each in storage.terms.stream_terms(of.id)] == listed()

    def test_terms_are_streamed_in_order(self, storage: Storage, of: Glossary) -> None:
        made = [
            term(of, f"t{number:04}", translations=(german(),))
            for number in range(1100)
        ]
        add_terms(storage, *reversed(made))

        assert list(storage.terms.stream_terms(of.id)) == made
        plain = storage.terms.plain_terms([of.id, new_id()])
        assert plain == sorted(
            (replace(each, translations=()) for each in made), key=lambda t: t.id
        )

    def test_translations_are_toldby_term_and_language(
        self, storage: Storage, of: Glossary
    ) -> None:
        french = TermTranslation("fr", "quai", "draft", None, None)
        one, two = (
            term(of, text, translations=(german(), french)) for text in ("a", "b")
        )
        add_terms(storage, one, two)

        def told(ids: list[str], codes: list[str] | None) -> list[tuple[str, str]]:
            rows = storage.terms.translations_of(ids, codes)
            return [(row.term_id, row.translation.language_code) for row in rows]

        assert told([two.id, one.id, new_id()], None) == [
            (id_, code) for id_ in sorted((one.id, two.id)) for code in ("de", "fr")
        ]
        assert told([one.id], ["fr", "sv"]) == [(one.id, "fr")]
        assert told([], None) == told([one.id], []) == []

    def test_approved_values_are_toldby_term(
        self, storage: Storage, of: Glossary, organization_id: str
    ) -> None:
        other = add_glossary(storage, organization_id=organization_id)
        waits = german("", status="pending_review", proposed_value="Kai")
        french = TermTranslation("fr", "quai", "approved", at(1), "môle")
        one = term(of, "a", translations=(german(), french))
        two = term(other, "b", translations=(german("Kai"),))
        add_terms(storage, one, term(of, "c", translations=(waits,)))
        add_terms(storage, two)

        def told(code: str, *glossaries: Glossary) -> dict[str, str]:
            return storage.terms.values_in([each.id for each in glossaries], code)

        assert told("de", of) == {one.id: "Anleger"}
        assert told("de", of, other) == {one.id: "Anleger", two.id: "Kai"}
        assert told("fr", of) == {one.id: "quai"}
        assert told("sv", of) == told("de") == {}

    def test_languages_are_those_of_translations(
        self, storage: Storage, of: Glossary, organization_id: str
    ) -> None:
        other = add_glossary(storage, organization_id=organization_id)
        french = TermTranslation("fr", "quai", "draft", None, None)
        add_terms(storage, term(of, "a", translations=(german(), french)))
        add_terms(storage, term(of, "b", translations=(german(),)))
        languages = storage.terms.languages
        assert (languages(of.id), languages(of.id, "draft")) == ({"de", "fr"}, {"fr"})
        assert storage.terms.languages(other.id) == set()
