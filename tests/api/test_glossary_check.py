"""What glossaries say of the texts of a project, found with every write."""

from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from locframework.glossaries.service import Glossaries
from locframework.http.records import Upload
from locframework.keys.writing.checks import CheckRunner
from tests.databases import statements_of

CHECK = "glossary_terms"


class Checked:
    """A project with a glossary that it uses."""

    def __init__(self, workspace, **fields):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "fr"], **fields)
        self.path = f"/projects/{self.project['id']}"
        body = {"name": "Terms", "sourceLanguage": "en"}
        glossary = self.owner.post("/glossaries", json=body).data["glossary"]
        self.glossary = f"/glossaries/{glossary['id']}"
        self.link = f"{self.path}{self.glossary}"
        assert self.owner.put(self.link).status == 200
        self.pier = self.term(term="pier", translations={"de": "Anleger"})
        self.term(term="Skerry", doNotTranslate=True, caseSensitive=True)
        self.term(
            term="blacklist",
            usageStatus="forbidden",
            translations={"de": "Schwarze Liste"},
        )
        workspace.run_jobs()

    def term(self, **body):
        answer = self.owner.post(f"{self.glossary}/terms", json=body)
        return answer.data["term"]

    def key(self, name, **values):
        return self.workspace.key(self.project, name, values=values)

    def issues(self, **query):
        found = self.owner.get(f"{self.path}/issues", query={"check": CHECK, **query})
        return [
            (each["key"], each["languageCode"], each["message"])
            for each in found.data["items"]
        ]

    def issues_by_now(self):
        self.workspace.run_jobs()
        return self.issues()


@pytest.fixture
def checked(workspace):
    return Checked(workspace)


MISSING = "“pier” is “Anleger” in the glossary"


def test_a_missing_term_is_found_when_it_is_written_and_gone_when_it_is_there(checked):
    key = checked.key("a", en="To the piers of Skerry", de="Zum Kai der Schäre")

    assert checked.issues() == [
        ("a", "de", MISSING),
        ("a", "de", "“Skerry” is not to be translated, says the glossary"),
    ]
    path = f"{checked.path}/keys/{key['id']}/values"
    answer = checked.owner.put(f"{path}/de", json={"value": "Zum Anleger von Skerry"})
    assert answer.status == 200
    assert checked.issues() == []
    checked.owner.put(f"{path}/fr", json={"value": "Au quai"})  # no term in French
    assert checked.issues() == [
        ("a", "fr", "“Skerry” is not to be translated, says the glossary")
    ]


def test_forbidden_terms_are_found_where_they_stand(checked):
    checked.key("a", en="The blacklist", de="Die schwarze Liste")

    items = checked.owner.get(f"{checked.path}/issues", query={"check": CHECK}).data
    found = [
        (each["languageCode"], each["message"], each["start"], each["end"])
        for each in items["items"]
    ]
    assert found == [
        ("en", "“blacklist” is forbidden by the glossary", 4, 13),
        ("de", "“schwarze Liste” is forbidden by the glossary", 4, 18),
    ]


@pytest.mark.parametrize(
    ("english", "german", "found"),
    [
        ("Please log in", "Bitte anmelden", []),
        ("The log in page", "Die Anmeldeseite zum Anmelden", []),
        ("The list of piers", "Die Liste der Anleger", []),
        ("List of piers: list", "Die Liste der Anleger: Liste", [23]),
        ("The pier", "Anleger anmelden", [8]),
    ],
)
def test_what_the_glossary_wants_of_a_text_is_not_forbidden_in_it(
    checked, english, german, found
):
    """Two words of English, one of them forbidden, may be one word of German."""
    checked.term(term="log in", translations={"de": "anmelden"})
    checked.term(term="list of piers", translations={"de": "Liste der Anleger"})
    for term, value in (("sign in", "anmelden"), ("register", "Liste")):
        values = {"de": value}
        checked.term(term=term, usageStatus="forbidden", translations=values)

    checked.key("a", en=english, de=german)

    issues = checked.owner.get(f"{checked.path}/issues", query={"check": CHECK}).data
    told = [(each["languageCode"], each["start"]) for each in issues["items"]]
    assert told == [("de", start) for start in found]


@pytest.mark.parametrize(
    ("english", "german", "is_missing"),
    [
        ("The pier-side", "Am Kai", False),
        ("wp-pier", "Am Kai", False),
        ("See https://x.org/pier", "Siehe https://x.org/pier", False),
        ("run --pier", "--pier ausführen", False),
        ("run `pier`", "`pier` ausführen", False),
        ("Show pi&er", "Kai zeigen", True),
        ("Show _pier", "_Kai zeigen", True),
        ("Show ~pier", "A~nleger zeigen", False),
        ("Show pier", "A&nleger zeigen", False),
        ("Show pier", "Anleger-Menü", False),
        ("Show pier", "Zum Anlëger", True),
    ],
)
def test_the_check_wants_the_terms_that_the_matches_show(
    checked, english, german, is_missing
):
    checked.key("a", en=english, de=german)

    assert checked.issues() == ([("a", "de", MISSING)] if is_missing else [])
    path, body = f"{checked.path}/glossary/matches", {"texts": [english]}
    [matches] = checked.owner.post(path, json=body).data["matches"].values()
    wanted = is_missing or "nleger" in german
    assert [each["term"] for each in matches] == ["pier"] * wanted


def test_a_forbidden_term_is_reported_within_a_longer_term(checked):
    checked.term(term="blacklist entry", translations={"de": "Eintrag"})
    checked.key("a", en="A blacklist entry", de="Ein Eintrag")

    assert checked.issues() == [("a", "en", "“blacklist” is forbidden by the glossary")]
    body = {"texts": ["A blacklist entry"]}
    answer = checked.owner.post(f"{checked.path}/glossary/matches", json=body)
    [matches] = answer.data["matches"].values()
    assert [(each["term"], each["start"], each["end"]) for each in matches] == [
        ("blacklist", 2, 11),
        ("blacklist entry", 2, 17),
    ]


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Delete {pier}?", "{pier} löschen?"),
        ("Delete %(pier)s?", "%(pier)s löschen?"),
        ('<a class="pier">Go</a>', '<a class="pier">Los</a>'),
        ("{pier, plural, other {# left}}", "{pier, plural, other {noch #}}"),
        ("Go &blacklist; {blacklist}", "Los"),
    ],
)
def test_names_of_placeholders_and_tags_are_no_terms(checked, english, german):
    checked.key("a", en=english, de=german)

    assert checked.issues() == []


def test_a_term_beside_a_placeholder_is_looked_for_in_the_words_alone(checked):
    checked.key("a", en="{name} left the pier", de="{Anleger} ist weg")

    assert checked.issues() == [("a", "de", MISSING)]


def test_a_translation_is_there_whatever_is_in_it_that_nobody_sees(checked):
    checked.key("a", en="The pi\u00aders", de="\u2068An\u00adleger\u2069")
    checked.key("b", en="The pi\u00aders", de="Kai")

    assert checked.issues() == [("b", "de", MISSING)]


def test_every_way_of_writing_finds_the_same(checked):
    found = [("a", "de", MISSING)]
    path = checked.path
    keys = [{"key": "a", "values": {"en": "pier", "de": "Kai"}}]
    checked.owner.post(f"{path}/keys/bulk", json={"keys": keys})
    assert checked.issues() == found

    items = [{"key": "a", "languageCode": "de", "value": "Anleger"}]
    checked.owner.put(f"{path}/values", json={"items": items})
    assert checked.issues() == []

    file = Upload("de.json", b'{"a": "Kai"}', "application/json")
    form = {"languageCode": "de", "onConflict": "overwrite"}
    sent = checked.owner.post(f"{path}/import", form=form, files={"file": file})
    assert checked.workspace.job_of(sent)["status"] == "succeeded"
    assert checked.issues() == found

    checked.owner.post(f"{path}/branches", json={"name": "b"})
    checked.owner.put(f"{path}/values?branch=b", json={"items": items})
    assert (checked.issues(), checked.issues(branch="b")) == (found, [])
    assert checked.owner.post(f"{path}/branches/b/merge", json={}).status == 200
    assert checked.issues() == []


def test_texts_are_judged_anew_when_the_glossary_changes(checked):
    checked.key("a", en="To the pier", de="Zum Kai")
    one = f"{checked.glossary}/terms/{checked.pier['id']}"
    german, found = f"{one}/translations/de", [("a", "de", MISSING)]
    assert checked.issues_by_now() == found

    checked.owner.put(german, json={"value": "Kai"})
    assert checked.issues_by_now() == []
    checked.owner.put(german, json={"value": "Anleger"})
    assert checked.issues_by_now() == found
    checked.owner.patch(one, json={"term": "PIER", "caseSensitive": True})
    assert checked.issues_by_now() == []
    checked.owner.patch(one, json={"term": "pier", "caseSensitive": False})
    assert checked.issues_by_now() == found
    checked.owner.delete(checked.link)
    assert checked.issues_by_now() == []
    checked.owner.put(checked.link)
    assert checked.issues_by_now() == found
    checked.owner.delete(checked.glossary)
    assert checked.issues_by_now() == []


def test_many_changes_of_a_glossary_wait_for_one_job(checked):
    for number in range(5):
        checked.term(term=f"t{number}")

    query = {"type": "recheck", "status": "queued"}
    assert checked.owner.get(f"{checked.path}/jobs", query=query).data["total"] == 1


def test_a_change_beside_the_job_that_it_relies_on_is_seen(checked, monkeypatch):
    checked.key("a", en="To the pier", de="Zum Kai")
    path = f"{checked.glossary}/terms/{checked.pier['id']}/translations/de"
    checked.owner.put(path, json={"value": "Steg"})  # a job waits from now on
    emit = Glossaries.emit

    with ThreadPoolExecutor(1) as threads:

        def slowly(*args, **how):
            emit(*args, **how)
            wait([threads.submit(checked.workspace.run_jobs)], 0.5)

        with monkeypatch.context() as patched:
            patched.setattr(Glossaries, "emit", slowly)
            assert checked.owner.put(path, json={"value": "Kai"}).status == 200

    assert checked.issues_by_now() == []


def test_a_project_may_block_with_its_glossaries(workspace):
    checked = Checked(workspace, blockingChecks=[CHECK])
    key = checked.key("a", en="pier", de="Kai")

    [english, german] = checked.owner.get(f"{checked.path}/keys/{key['id']}").data[
        "key"
    ]["values"]
    assert (english["status"], german["status"]) == ("approved", "pending_review")
    path = f"{checked.path}/keys/{key['id']}/values/de/approve"
    answer = checked.owner.post(path, json={})
    assert (answer.status, answer.error["code"]) == (409, "quality_check_failed")
    [issue] = answer.error["details"]["issues"]
    assert (issue["check"], issue["message"]) == (CHECK, MISSING)


def test_a_batch_asks_the_same_of_glossaries_however_large_it_is(checked):
    def cost(name, count):
        keys = [
            {"key": f"{name}.{n}", "values": {"en": f"pier {n}", "de": "x", "fr": "y"}}
            for n in range(count)
        ]
        with statements_of(checked.workspace.framework.storage) as statements:
            answer = checked.owner.post(
                f"{checked.path}/keys/bulk", json={"keys": keys}
            )
        assert answer.status == 200
        return len(statements)

    cost("warm", 3)
    few = cost("few", 3)

    assert cost("many", 33) == few


def test_a_text_that_is_written_by_the_terms_of_before_is_looked_at_again(
    workspace, monkeypatch
):
    checked = Checked(workspace)
    path = f"{checked.glossary}/terms/{checked.pier['id']}/translations/de"
    find = CheckRunner.changed_findings

    with ThreadPoolExecutor(1) as threads:

        def change_terms():
            checked.owner.put(path, json={"value": "Kai"})
            checked.workspace.run_jobs()

        def slowly(*args):
            found = find(*args)
            if not changing:  # the terms change before this text is there for others
                changing.append(threads.submit(change_terms))
                wait(changing, 0.5)
            return found

        changing = []
        with monkeypatch.context() as patched:
            patched.setattr(CheckRunner, "changed_findings", slowly)
            checked.key("a", en="To the pier", de="Zum Anleger")
        changing[0].result()

    assert checked.issues_by_now() != []
