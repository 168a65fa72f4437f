"""Terms and their translations: written, proposed, approved, listed."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.ids import new_id
from locframework.testing.client import Answer, Client
from locframework.testing.databases import statements_of
from locframework.testing.workspace import Workspace


class Terms:
    """The terms of one glossary, over HTTP."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace = workspace
        self.owner = workspace.owner
        self.translator = workspace.client("translator")
        body = {"name": "Ferry terms", "sourceLanguage": "en", **fields}
        self.glossary = self.owner.post("/glossaries", json=body).data["glossary"]
        self.one = f"/glossaries/{self.glossary['id']}"
        self.path = f"{self.one}/terms"

    def create(self, client: Client | None = None, **body: object) -> Answer:
        return (client or self.owner).post(self.path, json={"term": "pier", **body})

    def made(self, **body: object) -> dict[str, Any]:
        term: dict[str, Any] = self.create(**body).data["term"]
        return term

    def put(
        self,
        term: dict[str, Any],
        lang: str,
        value: object,
        client: Client | None = None,
    ) -> Answer:
        path = f"{self.path}/{term['id']}/translations/{lang}"
        return (client or self.owner).put(path, json={"value": value})

    def act(
        self,
        term: dict[str, Any],
        lang: str,
        action: str,
        client: Client | None = None,
        **body: object,
    ) -> Answer:
        path = f"{self.path}/{term['id']}/translations/{lang}/{action}"
        return (client or self.owner).post(path, json=body)

    def listed(self, **query: Any) -> list[str]:
        found = self.owner.get(self.path, query=query).data["items"]
        return [each["term"] for each in found]


@pytest.fixture
def terms(workspace: Workspace) -> Terms:
    """An empty glossary in which what is written counts."""
    return Terms(workspace)


@pytest.fixture
def careful(workspace: Workspace) -> Terms:
    """An empty glossary that requires approval."""
    return Terms(workspace, requiresApproval=True)


def only(answer: Answer) -> dict[str, Any]:
    """The one translation of the term that was answered."""
    [translation] = answer.data["term"]["translations"]
    found: dict[str, Any] = translation
    return found


def refused(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.error["code"]


def test_a_term_is_made_translated_and_read(terms: Terms) -> None:
    term = terms.made(term="boarding pass", notes="at the gate")
    assert term == {
        "id": term["id"],
        "glossaryId": terms.glossary["id"],
        "term": "boarding pass",
        "doNotTranslate": False,
        "caseSensitive": False,
        "usageStatus": "preferred",
        "notes": "at the gate",
        "createdAt": term["createdAt"],
        "updatedAt": term["createdAt"],
        "translations": [],
    }

    answer = terms.put(term, "de", "Bordkarte")

    assert answer.status == 200
    translation = only(answer)
    assert translation == {
        "languageCode": "de",
        "value": "Bordkarte",
        "status": "approved",
        "approvedAt": answer.data["term"]["updatedAt"],
        "proposedValue": None,
    }
    assert terms.owner.get(f"{terms.path}/{term['id']}").data == answer.data
    assert terms.owner.get(terms.one).data["glossary"]["termCount"] == 1


@pytest.mark.parametrize("lang", ["pt-BR", "pt_br", "PT-br.json", "pt-BR.tar.gz"])
def test_a_language_may_come_with_a_file_extension(terms: Terms, lang: str) -> None:
    translation = only(terms.put(terms.made(), lang, "cais"))

    assert translation["languageCode"] == "pt-BR"


def test_a_language_that_is_none_is_not_found(terms: Terms) -> None:
    answer = terms.put(terms.made(), "no such", "x")

    assert refused(answer) == (404, "language_not_found")


def test_a_term_is_not_translated_into_its_own_language(terms: Terms) -> None:
    term = terms.made()

    answer = terms.put(term, "EN", "jetty")
    made = terms.create(term="quay", translations={"en": "quay"})

    assert refused(answer) == refused(made) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "path.lang"
    assert made.error["details"][0]["path"] == "$.translations.en"
    assert only(terms.put(term, "en-GB", "jetty"))["value"] == "jetty"
    other = terms.owner.patch(terms.one, json={"sourceLanguage": "en-gb"})
    assert refused(other) == (409, "language_exists")
    assert terms.owner.patch(terms.one, json={"sourceLanguage": "de"}).status == 200


def test_notes_are_kept_as_they_came(terms: Terms) -> None:
    term = terms.made(notes="")
    path = f"{terms.path}/{term['id']}"

    assert term["notes"] == ""
    assert terms.owner.get(path).data["term"]["notes"] == ""
    assert terms.owner.patch(path, json={"notes": None}).data["term"]["notes"] is None
    assert terms.owner.patch(path, json={"notes": ""}).data["term"]["notes"] == ""


def test_where_approval_is_required_a_value_waits(careful: Terms) -> None:
    term = careful.made()

    first = only(careful.put(term, "de", "Pier", careful.translator))
    assert first == {
        "languageCode": "de",
        "value": "",
        "status": "pending_review",
        "approvedAt": None,
        "proposedValue": "Pier",
    }
    approved = only(careful.act(term, "de", "approve"))
    assert (approved["value"], approved["status"]) == ("Pier", "approved")
    beside = only(careful.put(term, "de", "Anleger", careful.translator))
    assert beside == {**approved, "proposedValue": "Anleger"}
    assert only(careful.act(term, "de", "reject")) == approved


def test_who_can_approve_needs_nobody_else(careful: Terms) -> None:
    term = careful.made()
    reviewer = careful.workspace.client("reviewer")

    translation = only(careful.put(term, "de", "Pier", reviewer))

    assert (translation["value"], translation["status"]) == ("Pier", "approved")


def test_without_approval_required_a_translators_value_counts(terms: Terms) -> None:
    translation = only(terms.put(terms.made(), "de", "Pier", terms.translator))

    assert (translation["value"], translation["status"]) == ("Pier", "approved")


def test_nothing_is_approved_or_rejected_where_nothing_waits(careful: Terms) -> None:
    term = careful.made()

    for lang in ("de", "fr"):
        careful.put(term, "de", "Pier")
        for action in ("approve", "reject"):
            answer = careful.act(term, lang, action)
            assert refused(answer) == (409, "nothing_pending")


def test_a_translator_approves_nothing(careful: Terms) -> None:
    term = careful.made()
    careful.put(term, "de", "Pier", careful.translator)

    for action in ("approve", "reject"):
        answer = careful.act(term, "de", action, careful.translator)
        assert refused(answer) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "glossary_approve"}


def test_languages_that_are_not_assigned_are_refused(careful: Terms) -> None:
    workspace, term = careful.workspace, careful.made()
    careful.put(term, "fr", "quai", careful.translator)
    german = workspace.client("reviewer", languages=["de"])

    answers = [
        careful.put(term, "fr", "x", german),
        careful.act(term, "fr", "approve", german),
        careful.act(term, "fr", "reject", german),
        german.delete(f"{careful.path}/{term['id']}/translations/fr"),
        careful.create(german, term="x", translations={"fr": "x"}),
    ]

    for answer in answers:
        assert refused(answer) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "fr"}
    assert careful.put(term, "de.json", "Pier", german).status == 200
    assert german.get(f"{careful.path}/{term['id']}").status == 200


def test_what_is_approved_keeps_its_term_without_the_right_to_approve(
    careful: Terms,
) -> None:
    term = careful.made(translations={"fr": "quai"})
    path = f"{careful.path}/{term['id']}"

    answers = [
        careful.translator.patch(path, json={"term": "HACKED"}),
        careful.translator.delete(path),
    ]

    for answer in answers:
        assert refused(answer) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "glossary_approve"}
    body = {"term": "pier", "notes": "where ships lie"}
    assert careful.translator.patch(path, json=body).status == 200
    reviewer = careful.workspace.client("reviewer")
    assert reviewer.patch(path, json={"term": "quay"}).status == 200
    assert reviewer.delete(path).status == 200


def test_what_nobody_approved_is_the_translators_to_change(careful: Terms) -> None:
    term = careful.made()
    path = f"{careful.path}/{term['id']}"
    careful.put(term, "fr", "quai", careful.translator)

    assert careful.translator.patch(path, json={"term": "quay"}).status == 200
    assert careful.translator.delete(path).status == 200


@pytest.mark.parametrize("requires_approval", [True, False])
def test_a_term_with_translations_in_other_languages_stays_as_it_is(
    workspace: Workspace, requires_approval: bool
) -> None:
    terms = Terms(workspace, requiresApproval=requires_approval)
    german = workspace.client("reviewer", languages=["de"])
    term = terms.made(translations={"de": "Pier"})
    path = f"{terms.path}/{term['id']}"
    terms.put(term, "fr", "quai", terms.translator)

    answers = [german.patch(path, json={"term": "x"}), german.delete(path)]

    for answer in answers:
        assert refused(answer) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "fr"}
    assert german.patch(path, json={"usageStatus": "deprecated"}).status == 200
    terms.put(term, "fr", "")
    terms.act(term, "fr", "reject")
    assert german.patch(path, json={"term": "quay"}).status == 200
    assert german.delete(path).status == 200


def test_a_cleared_translation_is_gone(terms: Terms) -> None:
    term = terms.made(translations={"de": "Pier", "fr": "quai"})
    path = f"{terms.path}/{term['id']}/translations/fr"

    left = terms.put(term, "de", "").data["term"]["translations"]
    assert [each["languageCode"] for each in left] == ["fr"]
    assert terms.owner.delete(path).data["term"]["translations"] == []
    assert refused(terms.owner.delete(path)) == (404, "language_not_found")


def test_to_clear_what_is_approved_is_proposed_where_that_is_required(
    careful: Terms,
) -> None:
    term = careful.made(translations={"de": "Pier"})
    path = f"{careful.path}/{term['id']}/translations/de"

    waiting = only(careful.translator.delete(path))

    assert (waiting["value"], waiting["proposedValue"]) == ("Pier", "")
    assert careful.act(term, "de", "approve").data["term"]["translations"] == []


def test_a_term_exists_once_for_each_case_rule(terms: Terms) -> None:
    terms.made(term="Häfen")

    for same in ("Häfen", "HÄFEN", "Ha\u0308fen", " Häfen\t"):
        assert refused(terms.create(term=same)) == (409, "term_exists")
    exact = terms.made(term="Häfen", caseSensitive=True)
    assert terms.create(term="HÄFEN", caseSensitive=True).status == 201
    path = f"{terms.path}/{exact['id']}"
    answer = terms.owner.patch(path, json={"caseSensitive": False})
    assert refused(answer) == (409, "term_exists")


def test_terms_that_are_found_in_the_same_places_are_one(terms: Terms) -> None:
    for case_sensitive in (False, True):
        made = terms.made(term=" l’eau\n Ｘ ", caseSensitive=case_sensitive)

        again = terms.create(term="l'eau X", caseSensitive=case_sensitive)

        assert refused(again) == (409, "term_exists")
        assert made["term"] == " l’eau\n Ｘ "


def test_a_term_that_stays_untranslated_is_itself_everywhere(terms: Terms) -> None:
    term = terms.made(term="Skerry", doNotTranslate=True)

    assert refused(terms.put(term, "de", "Schäre")) == (409, "term_not_translatable")
    assert only(terms.put(term, "de", "Skerry"))["value"] == "Skerry"
    assert terms.put(term, "de", "").status == 200
    other = terms.made(term="reef", translations={"de": "Riff"})
    path = f"{terms.path}/{other['id']}"
    answer = terms.owner.patch(path, json={"doNotTranslate": True})
    assert refused(answer) == (409, "term_not_translatable")
    new = terms.create(term="a", doNotTranslate=True, translations={"de": "b"})
    assert refused(new) == (409, "term_not_translatable")


def test_a_term_changes_and_goes(terms: Terms) -> None:
    term = terms.made(translations={"de": "Pier"})
    path = f"{terms.path}/{term['id']}"
    etag = terms.owner.get(path).headers["ETag"] or ""
    body = {"term": "quay", "usageStatus": "forbidden", "notes": None}

    changed = terms.owner.patch(path, json=body, headers={"If-Match": etag})

    assert changed.data["term"] == {
        **term,
        **body,
        "updatedAt": changed.data["term"]["updatedAt"],
    }
    stale = terms.owner.patch(path, json={}, headers={"If-Match": etag})
    assert refused(stale) == (412, "precondition_failed")
    assert terms.owner.delete(path).data == {"id": term["id"], "deleted": True}
    assert refused(terms.owner.get(path)) == (404, "term_not_found")
    assert terms.owner.get(terms.one).data["glossary"]["termCount"] == 0


def test_a_translation_is_written_to_the_term_that_was_read(terms: Terms) -> None:
    term = terms.made(translations={"de": "Pier"})
    path = f"{terms.path}/{term['id']}"
    translation = f"{path}/translations/de"
    read = {"If-Match": str(terms.owner.get(path).headers["ETag"])}

    first = terms.owner.put(translation, json={"value": "Steg"}, headers=read)
    second = terms.owner.put(translation, json={"value": "Kai"}, headers=read)
    cleared = terms.owner.delete(translation, headers=read)

    assert first.status == 200, first.json
    assert refused(second) == refused(cleared) == (412, "precondition_failed")
    assert first.headers["ETag"] == terms.owner.get(path).headers["ETag"]
    now = {"If-Match": str(first.headers["ETag"])}
    assert terms.owner.delete(translation, headers=now).status == 200


def test_a_term_of_another_glossary_is_no_term_of_this(terms: Terms) -> None:
    theirs = Terms(terms.workspace).made()

    foreign = terms.put(theirs, "de", "x")
    absent = terms.put({"id": new_id()}, "de", "x")

    assert refused(foreign) == (404, "term_not_found")
    assert foreign.content == absent.content
    assert terms.put({"id": "junk"}, "de", "x").content == absent.content


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$.term"),
        ({"term": ""}, "$.term"),
        ({"term": " \t"}, "$.term"),
        ({"term": "x" * 501}, "$.term"),
        ({"term": "x", "usageStatus": "old"}, "$.usageStatus"),
        ({"term": "x", "notes": "x" * 2001}, "$.notes"),
        ({"term": "x", "translations": {"de": "x" * 2001}}, "$.translations.de"),
        ({"term": "x", "translations": {"de": "a", "DE": "b"}}, "$.translations.de"),
        ({"term": "x", "translations": {"__proto__": "a"}}, "$.translations"),
    ],
)
def test_what_is_wrong_with_a_term_is_told(
    sqlite_workspace: Workspace, body: object, path: str
) -> None:
    terms = Terms(sqlite_workspace)

    answer = terms.owner.post(terms.path, json=body)

    assert refused(answer) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == path


@pytest.mark.parametrize("value", ["x" * 2001, " ", 1, None])
def test_what_is_wrong_with_a_value_is_told(
    sqlite_workspace: Workspace, value: object
) -> None:
    terms = Terms(sqlite_workspace)

    answer = terms.put(terms.made(), "de", value)

    assert refused(answer) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "$.value"


def test_terms_are_listed_as_they_are_asked_for(careful: Terms) -> None:
    pier = careful.made(notes="where one WAITS", translations={"de": "Anleger"})
    quay = careful.made(term="quay", usageStatus="deprecated")
    careful.made(term="anchor", translations={"fr": "ancre", "de": "Anker"})
    careful.put(pier, "de", "Pier", careful.translator)
    careful.put(quay, "de", "Kai", careful.translator)

    assert careful.listed() == ["anchor", "pier", "quay"]
    assert careful.listed(sort="-createdAt") == ["anchor", "quay", "pier"]
    assert careful.listed(search="waits") == ["pier"]
    assert careful.listed(search="ANK") == ["anchor"]
    assert careful.listed(search="a%") == []
    assert careful.listed(search="kai") == ["quay"]  # proposed
    assert careful.listed(usageStatus="deprecated") == ["quay"]
    assert careful.listed(languageCode="fr") == ["anchor"]
    assert careful.listed(languageCode="fr", status="untranslated") == ["pier", "quay"]
    assert careful.listed(status="pending_review") == ["quay"]
    assert careful.listed(languageCode="de", status="approved") == ["anchor", "pier"]
    assert careful.listed(hasProposal=True) == ["pier", "quay"]
    assert careful.listed(hasProposal=False) == ["anchor"]
    assert careful.listed(limit=1, page=2) == ["pier"]
    answer = careful.owner.get(careful.path, query={"languageCode": "no such"})
    assert refused(answer) == (400, "validation_failed")


def test_terms_are_listed_as_in_a_dictionary(terms: Terms) -> None:
    for text in ("Z1", "a1", "B", "b2"):
        terms.made(term=text)

    assert terms.listed() == ["a1", "B", "b2", "Z1"]
    assert terms.listed(sort="-term") == ["Z1", "b2", "B", "a1"]


def test_every_linked_project_hears_of_it_by_ids_alone(careful: Terms) -> None:
    workspace, projects = careful.workspace, []
    for _ in range(2):
        project = workspace.project()
        projects.append(project["id"])
        path = f"/projects/{project['id']}/glossaries/{careful.glossary['id']}"
        workspace.owner.put(path)

    term = careful.made(translations={"de": "Pier"})
    careful.put(term, "de", "Anleger", careful.translator)
    careful.act(term, "de", "reject", reason="too long")
    careful.put(term, "de", "Kai", careful.translator)
    careful.act(term, "de", "approve")
    careful.put(term, "de", "Kai")  # counts already: nothing happens
    careful.put(term, "fr", "quai")
    careful.owner.patch(f"{careful.path}/{term['id']}", json={"notes": "x"})
    careful.owner.patch(f"{careful.path}/{term['id']}", json={"notes": "x"})
    careful.owner.delete(f"{careful.path}/{term['id']}")

    told = {"glossaryId": careful.glossary["id"], "termId": term["id"]}
    german = {**told, "languageCode": "de"}
    for project_id in projects:
        items = workspace.owner.get(f"/projects/{project_id}/activity").data["items"]
        heard = [(each["type"], each["items"]) for each in reversed(items)]
        assert heard[1:] == [
            ("glossary.term.created", [told]),
            ("glossary.translation.updated", [german]),
            ("glossary.translation.proposed", [german]),
            ("glossary.translation.rejected", [{**german, "reason": "too long"}]),
            ("glossary.translation.proposed", [german]),
            ("glossary.translation.approved", [german]),
            ("glossary.translation.updated", [{**told, "languageCode": "fr"}]),
            ("glossary.term.updated", [told]),
            ("glossary.term.deleted", [told]),
        ]


def test_terms_cost_the_same_statements_however_many_there_are(terms: Terms) -> None:
    values = {"de": "Pier", "fr": "quai"}
    term = terms.made(translations=values)
    texts = iter("abcdef")
    framework = terms.workspace.framework

    def costs() -> list[int]:
        found = []
        text = next(texts)
        for ask in (
            lambda: terms.owner.get("/glossaries", query={"limit": 200}),
            lambda: terms.owner.get(terms.path, query={"limit": 200}),
            lambda: terms.owner.get(
                terms.path,
                query={"search": "pier", "languageCode": "de", "status": "approved"},
            ),
            lambda: terms.owner.get(f"{terms.path}/{term['id']}"),
            lambda: terms.put(term, "de", text),
            lambda: terms.create(term=text, translations=values),
        ):
            framework._background.submit(lambda: None).result()
            with statements_of(framework.storage) as statements:
                assert ask().status in (200, 201)
            found.append(len(statements))
        return found

    few = costs()
    for number in range(60):
        terms.made(term=f"pier {number}", translations=values)
        if number % 20 == 0:
            Terms(terms.workspace)

    assert costs() == few
    assert max(few[:4]) <= 6
    assert max(few) <= 18


@pytest.mark.parametrize(
    ("given", "path", "rule"),
    [
        ({"": "a"}, "$.translations", "language"),
        ({"de": "a", "DE": "b"}, "$.translations.de", "unique"),
    ],
)
def test_translations_are_of_languages_each_once(
    terms: Terms, given: dict[str, str], path: str, rule: str
) -> None:
    refused = terms.create(translations=given)

    assert refused.status == 400
    [problem] = refused.error["details"]
    assert (problem["path"], problem["rule"]) == (path, rule)
    assert "`" not in problem["message"]
