"""Which terms of a project's glossaries are in texts."""

import pytest

from tests.databases import statements_of


class Matching:
    """A project with a glossary of three terms."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project()
        self.path = f"/projects/{self.project['id']}/glossary/matches"
        self.glossary = self.made_glossary()
        self.pier = self.term(term="pier", translations={"de": "Pier", "fr": "quai"})
        self.pass_ = self.term(term="boarding pass", usageStatus="deprecated")
        self.name = self.term(term="Skerry", doNotTranslate=True, caseSensitive=True)

    def made_glossary(self, **fields):
        body = {"name": "Terms", "sourceLanguage": "en", **fields}
        glossary = self.owner.post("/glossaries", json=body).data["glossary"]
        path = f"/projects/{self.project['id']}/glossaries/{glossary['id']}"
        assert self.owner.put(path).status == 200
        return f"/glossaries/{glossary['id']}"

    def term(self, glossary="", **body):
        path = f"{glossary or self.glossary}/terms"
        return self.owner.post(path, json=body).data["term"]

    def ask(self, client=None, **body):
        return (client or self.owner).post(self.path, json=body)

    def found(self, text):
        matches = self.ask(texts=[text]).data["matches"][text]
        return [text[each["start"] : each["end"]] for each in matches]


@pytest.fixture
def matching(workspace):
    return Matching(workspace)


def test_terms_are_found_in_words_and_not_in_placeholders_or_tags(matching):
    text = '<pier id="pier">{pier} %(pier)s: the boarding {x} pass of piers</pier>'

    assert matching.found(text) == ["piers"]
    assert matching.found("boarding {pass}, boarding pass") == ["boarding pass"]


def test_every_text_is_answered_with_the_terms_in_it(matching):
    texts = ["Two piers of SKERRY, boarding passes", "", "none", "none", "__proto__"]

    answer = matching.ask(texts=texts, languageCodes=["fr", "sv"])

    assert answer.data == {
        "matches": {
            texts[0]: [
                {
                    "termId": matching.pier["id"],
                    "term": "pier",
                    "start": 4,
                    "end": 9,
                    "doNotTranslate": False,
                    "usageStatus": "preferred",
                    "translations": [
                        each
                        for each in matching.pier["translations"]
                        if each["languageCode"] == "fr"
                    ],
                },
                {
                    "termId": matching.pass_["id"],
                    "term": "boarding pass",
                    "start": 21,
                    "end": 36,
                    "doNotTranslate": False,
                    "usageStatus": "deprecated",
                    "translations": [],
                },
            ],
            "": [],
            "none": [],
            "__proto__": [],
        }
    }


def test_without_languages_all_translations_are_told(matching):
    [match] = matching.ask(texts=["Pier"]).data["matches"]["Pier"]

    assert match["translations"] == matching.pier["translations"]


def test_what_changes_in_a_glossary_counts_at_once(matching):
    text = "Skerry pier and quay"
    assert matching.found(text) == ["Skerry", "pier"]

    quay = matching.term(term="quay")
    assert matching.found(text) == ["Skerry", "pier", "quay"]
    path = f"{matching.glossary}/terms/{quay['id']}"
    matching.owner.patch(path, json={"caseSensitive": True, "term": "Quay"})
    assert matching.found(text) == ["Skerry", "pier"]
    matching.owner.delete(f"{matching.glossary}/terms/{matching.pier['id']}")
    assert matching.found(text) == ["Skerry"]
    matching.owner.delete(matching.glossary)
    assert matching.found(text) == []


def test_only_glossaries_of_the_project_are_asked(matching):
    other = matching.made_glossary(name="Other")
    matching.term(other, term="pier 7")
    text = "to pier 7"
    assert matching.found(text) == ["pier 7"]
    path = f"/projects/{matching.project['id']}{other}"

    assert matching.owner.delete(path).status == 200

    assert matching.found(text) == ["pier"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$.texts"),
        ({"texts": []}, "$.texts"),
        ({"texts": ["x"] * 101}, "$.texts"),
        ({"texts": ["x" * 10_001]}, "$.texts[0]"),
        ({"texts": ["x" * 9_999] * 11}, "$.texts"),
        ({"texts": [1]}, "$.texts[0]"),
        ({"texts": ["x"], "languageCodes": []}, "$.languageCodes"),
        ({"texts": ["x"], "languageCodes": None}, "$.languageCodes"),
        ({"texts": ["x"], "languageCodes": ["de"] * 51}, "$.languageCodes"),
        ({"texts": ["x"], "languageCodes": ["de", "?"]}, "$.languageCodes[1]"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(sqlite_workspace, body, path):
    answer = Matching(sqlite_workspace).ask(**body)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"].replace("...", "0") == path


def test_fifty_times_one_language_is_that_language(matching):
    answer = matching.ask(texts=["pier"], languageCodes=["de"] * 50)

    [match] = answer.data["matches"]["pier"]
    assert [each["languageCode"] for each in match["translations"]] == ["de"]


def test_who_may_not_read_glossaries_finds_nothing(matching):
    reader = matching.workspace.client("viewer", permissions=["translation_read"])

    answer = matching.ask(reader, texts=["pier"])

    assert (answer.status, answer.error["code"]) == (403, "permission_denied")


def test_the_number_of_statements_is_the_same_for_any_texts(matching):
    def cost(*texts):
        with statements_of(matching.workspace.framework.storage) as statements:
            assert matching.ask(texts=texts).status == 200
        return len(statements)

    matching.owner.get("/tokens/self")
    cost("pier")
    few = cost("pier")
    for number in range(30):
        matching.term(term=f"pier {number}", translations={"de": f"Pier {number}"})
    cost("pier")

    assert cost(*(f"the pier {number} and pier" for number in range(30))) == few
    assert few <= 5
