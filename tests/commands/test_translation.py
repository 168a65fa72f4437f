"""``locframework translate``."""

import json

from locframework import OPERATOR
from locframework.glossaries.records import NewGlossary, NewTerm
from locframework.keys.records import NewKey
from locframework.projects.records import AiChanges, ProjectChanges


def test_missing_texts_are_drafted(command, framework, project, keys):
    framework.keys.create_key(OPERATOR, project.id, NewKey("a", values={"en": "Save"}))
    framework.keys.create_key(
        OPERATOR, project.id, NewKey("b", values={"en": "Close {x}", "de": "Zu {x}"})
    )

    dry = command("translate", "--language", "de", "--dry-run")
    before = keys()
    result = command("translate", "--language", "de", "--json")
    again = command("translate", "--language", "de", "--replace-drafts")

    assert dry.stdout == "dry run: de: 1 text translated, 1 skipped, 0 failed\n"
    assert before["a"] == {"en": "Save"}
    assert json.loads(result.stdout)["job"]["result"]["translated"] == 1
    assert keys()["a"]["de"] == "[Šàṽé ··]"
    assert keys()["b"]["de"] == "Zu {x}"
    assert again.stdout == "de: 1 text translated, 1 skipped, 0 failed\n"


def test_a_text_that_fails_is_told_with_its_reason(command, framework, project):
    new = NewKey("a", values={"en": "{n, plural, one {x}"})
    framework.keys.create_key(OPERATOR, project.id, new)

    result = command("translate", "--language", "de")

    assert result.exit_code == 1
    assert "Failed: a in de: {n, plural, has no end" in result.stderr
    assert result.stdout == "de: 0 texts translated, 0 skipped, 1 failed\n"


def test_glossaries_are_used_if_the_project_says_so(command, framework, project, keys):
    framework.keys.create_key(OPERATOR, project.id, NewKey("a", values={"en": "Save"}))
    new = NewGlossary("Terms", "en", organization_id=project.organization_id)
    glossary = framework.glossaries.create_glossary(OPERATOR, new)
    framework.terms.create_term(OPERATOR, glossary.id, NewTerm("Save", True))
    framework.glossaries.attach(OPERATOR, project.id, glossary.id)

    command("translate")
    with_terms = keys()["a"]["de"]
    changes = ProjectChanges(ai=AiChanges(use_glossary=False))
    framework.projects.update_project(OPERATOR, project.id, changes)
    command("translate", "--replace-drafts")

    assert (with_terms, keys()["a"]["de"]) == ("Save", "[Šàṽé ··]")
