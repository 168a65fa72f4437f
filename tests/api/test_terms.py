"""Terms: made, changed, listed, and who may."""

import pytest

from locframework.fields import new_id
from tests.databases import statements_of

from .terms import Terms, only, refused


def test_a_term_is_made_translated_and_read(terms):
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


def test_notes_are_kept_as_they_came(terms):
    term = terms.made(notes="")
    path = f"{terms.path}/{term['id']}"

    assert term["notes"] == ""
    assert terms.owner.get(path).data["term"]["notes"] == ""
    assert terms.owner.patch(path, json={"notes": None}).data["term"]["notes"] is None
    assert terms.owner.patch(path, json={"notes": ""}).data["term"]["notes"] == ""


def test_what_is_approved_keeps_its_term_without_the_right_to_approve(careful):
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


def test_what_nobody_approved_is_the_translators_to_change(careful):
    term = careful.made()
    path = f"{careful.path}/{term['id']}"
    careful.put(term, "fr", "quai", careful.translator)

    assert careful.translator.patch(path, json={"term": "quay"}).status == 200
    assert careful.translator.delete(path).status == 200


@pytest.mark.parametrize("requires_approval", [True, False])
def test_a_term_with_translations_in_other_languages_stays_as_it_is(
    workspace, requires_approval
):
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


def test_a_term_exists_once_for_each_case_rule(terms):
    terms.made(term="Häfen")

    for same in ("Häfen", "HÄFEN", "Ha\u0308fen", " Häfen\t"):
        assert refused(terms.create(term=same)) == (409, "term_exists")
    exact = terms.made(term="Häfen", caseSensitive=True)
    assert terms.create(term="HÄFEN", caseSensitive=True).status == 201
    path = f"{terms.path}/{exact['id']}"
    answer = terms.owner.patch(path, json={"caseSensitive": False})
    assert refused(answer) == (409, "term_exists")


def test_terms_that_are_found_in_the_same_places_are_one(terms):
    for case_sensitive in (False, True):
        made = terms.made(term=" l’eau\n Ｘ ", caseSensitive=case_sensitive)

        again = terms.create(term="l'eau X", caseSensitive=case_sensitive)

        assert refused(again) == (409, "term_exists")
        assert made["term"] == " l’eau\n Ｘ "


def test_a_term_that_stays_untranslated_is_itself_everywhere(terms):
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


def test_a_term_changes_and_goes(terms):
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


def test_a_term_of_another_glossary_is_no_term_of_this(terms):
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
        ({"term": "x", "translations": {"de": "x" * 2001}}, "$.translations[...]"),
        ({"term": "x", "translations": {"de": "a", "DE": "b"}}, "$.translations.de"),
        ({"term": "x", "translations": {"__proto__": "a"}}, "$.translations"),
    ],
)
def test_what_is_wrong_with_a_term_is_told(sqlite_workspace, body, path):
    terms = Terms(sqlite_workspace)

    answer = terms.owner.post(terms.path, json=body)

    assert refused(answer) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == path


def test_terms_are_listed_as_they_are_asked_for(careful):
    pier = careful.made(notes="where one WAITS", translations={"de": "Anleger"})
    quay = careful.made(term="quay", usageStatus="deprecated")
    careful.made(term="anchor", translations={"fr": "ancre", "de": "Anker"})
    careful.put(pier, "de", "Pier", careful.translator)
    careful.put(quay, "de", "Kai", careful.translator)

    assert careful.listed() == ["anchor", "pier", "quay"]
    assert careful.listed(sort="-createdAt") == ["anchor", "quay", "pier"]
    assert careful.listed(search="waits") == ["pier"]
    assert careful.listed(search="ANK") == ["anchor"]
    assert careful.listed(search=" anchor ") == ["anchor"]
    assert careful.listed(search=" ") == careful.listed()
    assert careful.listed(search="a%") == []
    assert careful.listed(search="kai") == ["quay"]  # proposed
    assert careful.listed(usageStatus="deprecated") == ["quay"]
    assert careful.listed(languageCode="fr") == ["anchor"]
    assert careful.listed(search="a", languageCode="fr") == ["anchor"]
    assert careful.listed(languageCode="fr", status="untranslated") == ["pier", "quay"]
    assert careful.listed(status="pending_review") == ["quay"]
    assert careful.listed(languageCode="de", status="approved") == ["anchor", "pier"]
    assert careful.listed(hasProposal=True) == ["pier", "quay"]
    assert careful.listed(hasProposal=False) == ["anchor"]
    assert careful.listed(limit=1, page=2) == ["pier"]
    answer = careful.owner.get(careful.path, query={"languageCode": "no such"})
    assert refused(answer) == (400, "validation_failed")


def test_terms_are_listed_as_in_a_dictionary(terms):
    for text in ("Z1", "a1", "B", "b2"):
        terms.made(term=text)

    assert terms.listed() == ["a1", "B", "b2", "Z1"]
    assert terms.listed(sort="-term") == ["Z1", "b2", "B", "a1"]


def test_every_linked_project_hears_of_it_by_ids_alone(careful):
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


def test_terms_cost_the_same_statements_however_many_there_are(terms):
    values = {"de": "Pier", "fr": "quai"}
    term = terms.made(translations=values)
    texts = iter("abcdef")
    framework = terms.workspace.framework

    def costs():
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
