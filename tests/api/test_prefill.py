"""Missing texts are filled from memories, as drafts (decisions 2.3.3, 2.5)."""

import pytest

from locframework.http.records import Upload
from tests.databases import statements_of


class Shop:
    """A project that reads a memory which knows two sentences."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "pl"])
        self.path = f"/projects/{self.project['id']}"
        body = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de", "pl"]}
        made = self.owner.post("/translation-memories", json=body).data
        self.memory = f"/translation-memories/{made['translationMemory']['id']}"
        self.owner.put(f"{self.path}{self.memory}", json={"writeMode": "none"})
        self.entry("Save the file", de="Datei speichern", pl="Zapisz plik")
        self.entry("Close the window", de="Fenster schließen")

    def entry(self, text, context="", **values):
        body = {"sourceText": text, "context": context, "translations": values}
        answer = self.owner.post(f"{self.memory}/entries", json=body)
        assert answer.status == 201, answer

    def key(self, name, **values):
        more = {"isPlural": True} if isinstance(values.get("en"), dict) else {}
        key = self.workspace.key(self.project, name, values=values, **more)
        return f"{self.path}/keys/{key['id']}"

    def ask(self, client=None, query="", **body):
        asked = {"languageCodes": ["de", "pl"], **body}
        path = f"{self.path}/tm/prefill{query}"
        return (client or self.owner).post(path, json=asked)

    def fill(self, client=None, query="", **body):
        sent = self.ask(client, query, **body)
        assert sent.status == 202, sent
        job = self.workspace.job_of(sent, client)
        assert (job["type"], job["status"]) == ("tm_prefill", "succeeded"), job
        return job["result"]

    def values(self, key, query=""):
        found = self.owner.get(f"{key}{query}").data["key"]["values"]
        return {
            each["languageCode"]
            + (f"/{each['pluralForm']}" if each["pluralForm"] else ""): (
                each["value"],
                each["status"],
            )
            for each in found
            if each["languageCode"] != "en"
        }


@pytest.fixture
def shop(sqlite_workspace):
    return Shop(sqlite_workspace)


def test_missing_texts_are_filled_as_drafts_that_nobody_wrote(workspace):
    shop = Shop(workspace)
    key = shop.key("save", en="Save the file", pl="Zachowaj plik")
    shop.key("other", en="Something else entirely")

    result = shop.fill()

    assert shop.values(key) == {
        "de": ("Datei speichern", "draft"),
        "pl": ("Zachowaj plik", "approved"),
    }
    assert shop.owner.get(f"{key}/values/de").data["value"]["origin"] == "tm"
    assert result == {
        "keysLookedAt": 2,
        "keysFilled": 1,
        "valuesWritten": 1,
        "skippedCount": 0,
        "skipped": [],
        "warnings": [],
    }


def test_only_matches_that_are_good_enough_are_taken(shop):
    near = shop.key("near", en="Save the files")

    shop.fill()
    exact = shop.values(near)
    shop.fill(minMatchPercentage=80, languageCodes=["de"])

    assert exact == {}
    assert shop.values(near) == {"de": ("Datei speichern", "draft")}


def test_the_penalty_of_the_memory_comes_off_before_a_match_is_good_enough(shop):
    shop.owner.put(f"{shop.path}{shop.memory}", json={"penalty": 5})
    key = shop.key("save", en="Save the file")

    shop.fill(minMatchPercentage=96, languageCodes=["de"])
    too_much = shop.values(key)
    shop.fill(minMatchPercentage=95, languageCodes=["de"])

    assert too_much == {}
    assert shop.values(key) == {"de": ("Datei speichern", "draft")}


def test_texts_that_are_not_alike_enough_are_not_looked_for(shop, monkeypatch):
    matcher = shop.workspace.framework.plugins.matchers["rapidfuzz"]
    find, hits = matcher.find, list[int]()

    def noting(*asked):
        found = find(*asked)
        hits.extend(hit.percent for each in found for hit in each.hits)
        return found

    monkeypatch.setattr(matcher, "find", noting)
    shop.entry("Save the files", de="Dateien speichern")
    shop.key("save", en="Save the file")

    shop.fill(minMatchPercentage=95)
    near = list(hits)
    shop.fill(minMatchPercentage=75, onlyMissing=False)

    assert near == [100]
    assert hits[1:] == [100, 92]


def test_a_draft_is_not_delivered_and_not_learned_until_it_is_approved(shop):
    shop.owner.put(f"{shop.path}{shop.memory}", json={"writeMode": "all"})
    key = shop.key("save", en="Save the file")
    shop.fill()
    german = {"format": "json-flat", "languageCodes": "de"}

    exported = shop.owner.get(f"{shop.path}/export", query=german).json
    count = shop.owner.get(shop.memory).data["translationMemory"]["entryCount"]
    shop.owner.post(f"{key}/values/de/approve", json={})

    assert exported == {}
    assert count == 2
    assert shop.values(key)["de"] == ("Datei speichern", "approved")
    after = shop.owner.get(shop.memory).data["translationMemory"]["entryCount"]
    assert after == 3  # of the key's own context


def test_of_equal_matches_that_of_the_same_context_is_taken(shop):
    shop.entry("Open", "menu.open", de="Öffnen")
    shop.entry("Open", "state.open", de="Offen")

    key = shop.key("state.open", en="Open")
    shop.fill()

    assert shop.values(key)["de"] == ("Offen", "draft")


def test_each_key_with_the_same_source_text_gets_that_of_its_own_context(workspace):
    shop = Shop(workspace)
    names = [f"m{at:02}" for at in range(14)]  # more than are ever shown of one text
    for name in names:
        shop.entry("Many", name, de=f"Wert {name}")
    shop.entry("Open", "menu.open", de="Öffnen")
    shop.entry("Open", "state.open", de="Offen")
    shop.entry("Open", "button.open", de="Öffnen")

    keys = {name: shop.key(name, en="Many") for name in names}
    opens = ("menu.open", "button.open", "state.open")
    keys |= {name: shop.key(name, en="Open") for name in opens}
    result = shop.fill(languageCodes=["de"])

    assert {name: shop.values(key)["de"][0] for name, key in keys.items()} == {
        **{name: f"Wert {name}" for name in names},
        "menu.open": "Öffnen",
        "button.open": "Öffnen",
        "state.open": "Offen",
    }
    assert result["valuesWritten"] == 17


def test_an_approved_match_is_taken_whatever_drafts_are_more_like_the_text(shop):
    shop.owner.put(f"{shop.path}{shop.memory}", json={"priority": 5})
    body = {"name": "Drafts", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = shop.owner.post("/translation-memories", json=body).data
    drafts = f"/translation-memories/{made['translationMemory']['id']}"
    shop.owner.put(f"{shop.path}{drafts}", json={"writeMode": "none"})
    units = "".join(
        f'<tu><prop type="x-context">c{at}</prop>'
        '<tuv xml:lang="en"><seg>Save the file</seg></tuv>'
        '<tuv xml:lang="de"><prop type="x-locframework-status">draft</prop>'
        f"<seg>{at or 'Datei speichern'}</seg></tuv></tu>"
        for at in range(12)
    )
    tmx = f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>'
    upload = {"file": Upload("drafts.tmx", tmx.encode(), "application/xml")}
    shop.workspace.job_of(shop.owner.post(f"{drafts}/import", files=upload))

    key = shop.key("save", en="Save the file")
    shop.fill(languageCodes=["de"])

    assert shop.values(key) == {"de": ("Datei speichern", "draft")}


def test_a_step_costs_the_same_however_many_contexts_a_text_stands_in(workspace):
    shop = Shop(workspace)

    def cost(prefix, count):
        keys = [
            {"key": f"{prefix}{at}", "values": {"en": "Save the file"}}
            for at in range(count)
        ]
        shop.owner.post(f"{shop.path}/keys/bulk", json={"keys": keys})
        asked = {"filter": {"prefix": prefix}, "languageCodes": ["de"]}
        with statements_of(workspace.framework.storage) as told:
            assert shop.fill(**asked)["valuesWritten"] == count
        return len(told)

    cost("warm", 1)

    assert cost("few", 3) == cost("many", 90)


def test_plural_forms_are_filled_with_those_of_the_source(shop):
    shop.entry("{n} bag", de="{n} Tasche")
    shop.entry("{n} bags", de="{n} Taschen")

    key = shop.key("bags", en={"one": "{n} bag", "other": "{n} bags"})
    shop.fill()

    assert shop.values(key) == {
        "de/one": ("{n} Tasche", "draft"),
        "de/other": ("{n} Taschen", "draft"),
    }


def test_texts_that_are_there_are_replaced_only_when_that_is_asked_for(shop):
    key = shop.key("save", en="Save the file", de="Sichern")
    waiting = shop.key("close", en="Close the window")
    body = {"value": "Zumachen"}
    shop.workspace.client("translator").put(f"{waiting}/values/de", json=body)

    shop.fill()
    kept = shop.values(key)["de"]
    shop.fill(onlyMissing=False)

    assert kept == ("Sichern", "approved")
    assert shop.values(key)["de"] == ("Datei speichern", "draft")
    detail = shop.owner.get(f"{key}/values/de").data["value"]
    assert detail["approvedValue"] == "Sichern"
    assert shop.values(waiting)["de"] == ("Zumachen", "pending_review")


def test_only_the_keys_that_are_named_are_filled(shop):
    one = shop.key("a.one", en="Save the file")
    other = shop.key("b.other", en="Save the file")
    third = shop.key("b.third", en="Save the file")
    id_ = one.rpartition("/")[2]

    shop.fill(keyIds=[id_], languageCodes=["de"])
    assert (shop.values(other), shop.values(third)) == ({}, {})
    shop.fill(filter={"prefix": "b.t"}, languageCodes=["de"])
    shop.fill(filter={"tag": ["none has it"]}, languageCodes=["de"])

    filled = {"de": ("Datei speichern", "draft")}
    assert [shop.values(key) for key in (one, other, third)] == [filled, {}, filled]


def test_a_condition_that_is_misspelt_fills_nothing(shop):
    key = shop.key("save", en="Save the file")
    body = {"languageCodes": ["de"], "filter": {"tags": ["none has it"]}}

    refused = shop.owner.post(f"{shop.path}/tm/prefill", json=body)
    shop.workspace.run_jobs()

    assert refused.status == 400
    assert "tags" in refused.error["message"]
    assert shop.values(key) == {}


def test_keys_that_are_named_and_are_not_there_are_told(shop):
    key = shop.key("save", en="Save the file")
    unknown = "01890000-0000-7000-8000-000000000000"

    result = shop.fill(keyIds=[key.rpartition("/")[2], unknown, "x"])

    assert (result["keysLookedAt"], result["skippedCount"]) == (1, 2)
    assert result["skipped"] == [
        {"keyId": unknown, "key": None, "reason": "key_not_found"},
        {"keyId": "x", "key": None, "reason": "key_not_found"},
    ]


def test_keys_that_are_named_and_do_not_pass_the_filter_are_no_missing_ones(shop):
    named = [shop.key(name, en="Save the file") for name in ("a.save", "b.save")]
    ids = [key.rpartition("/")[2] for key in named]

    result = shop.fill(keyIds=[*ids, "x"], filter={"prefix": "b"})

    assert result["keysLookedAt"] == 1
    assert [each["keyId"] for each in result["skipped"]] == ["x"]


def test_a_branch_is_filled_and_main_is_not(shop):
    key = shop.key("save", en="Save the file")
    shop.owner.post(f"{shop.path}/branches", json={"name": "b"})
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.ask()
    shop.fill(query="?branch=b")

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert shop.values(key) == {}
    assert shop.values(key, "?branch=b")["de"] == ("Datei speichern", "draft")


def test_only_assigned_languages_are_filled(shop):
    scoped = shop.workspace.client("translator", languages=["de"])
    key = shop.key("save", en="Save the file")

    refused = shop.ask(scoped)
    shop.fill(scoped, languageCodes=["de"])

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert shop.values(key) == {"de": ("Datei speichern", "draft")}


def test_writing_texts_and_reading_memories_must_both_be_allowed(shop):
    both = ["tm_read", "translation_write"]
    clients = [
        shop.workspace.client("translator", permissions=permissions)
        for permissions in (["tm_read", "tm_write"], ["translation_write"], both)
    ]

    *refused, asked = map(shop.ask, clients)

    assert [found.status for found in refused] == [403, 403]
    lacks = [found.error["message"] for found in refused]
    assert ["translation_write" in lacks[0], "tm_read" in lacks[1]] == [True, True]
    assert asked.status == 202


def test_what_cannot_be_asked_is_refused(shop):
    absent = shop.ask(languageCodes=["sv"])
    wrong = [
        shop.ask(languageCodes=[]),
        shop.ask(languageCodes=["en"]),
        shop.ask(languageCodes=["no tag"]),
        shop.ask(minMatchPercentage=101),
        shop.ask(onlyMissing="yes"),
        shop.ask(keyIds="all"),
    ]

    assert (absent.status, absent.error["code"]) == (400, "language_not_in_project")
    for answer in wrong:
        assert (answer.status, answer.error["code"]) == (400, "validation_failed")


def test_nothing_is_filled_where_translation_memory_is_switched_off(shop):
    key = shop.key("save", en="Save the file")
    shop.owner.patch(shop.path, json={"tmEnabled": False})

    result = shop.fill()

    assert result["valuesWritten"] == 0
    assert result["warnings"] == ["translation memory is switched off (tmEnabled)"]
    assert shop.values(key) == {}


def test_a_project_that_reads_no_memory_is_told_so(shop):
    shop.key("save", en="Save the file")
    with_one = shop.fill()
    shop.owner.put(f"{shop.path}{shop.memory}", json={"read": False})

    assert with_one["warnings"] == []
    assert shop.fill()["warnings"] == ["the project reads no translation memory"]


def test_many_keys_are_filled_in_steps(shop):
    keys = [{"key": f"k{n}", "values": {"en": "Save the file"}} for n in range(230)]
    shop.owner.post(f"{shop.path}/keys/bulk", json={"keys": keys})

    result = shop.fill(languageCodes=["de"])

    assert (result["keysLookedAt"], result["valuesWritten"]) == (230, 230)
