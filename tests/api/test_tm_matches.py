"""POST /projects/{projectId}/tm/matches (service.md; decisions 2.5, 2 to 5)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from locframework.testing.workspace import open_workspace
from tests.databases import statements_of

from .memories import Memories


@pytest.fixture
def memories(workspace):
    return Memories(workspace)


def test_a_match_has_exactly_these_fields(memories):
    entry = memories.entry("Save the file.", de="Datei sichern.", context="menu")

    [match] = memories.match("save the files")

    assert match == {
        "entryId": entry["id"],
        "tmId": memories.tm["id"],
        "tmName": "Main",
        "sourceText": "Save the file.",
        "value": "Datei sichern.",
        "status": "approved",
        "context": "menu",
        "matchPercentage": 89,
        "rawPercentage": 92,
        "penalties": [
            {"kind": "case", "points": 2},
            {"kind": "trailingPunctuation", "points": 1},
        ],
        "updatedAt": entry["updatedAt"],
    }


def test_every_text_and_language_that_was_asked_for_is_there(memories):
    memories.entry("Save", de="Sichern")

    answer = memories.matches("Save", "Quit", "Save", codes=("de", "fr", "de", "xx-!"))

    found = answer.data["matches"]
    assert set(found) == {"Save", "Quit"}
    assert found["Quit"] == {"de": [], "fr": [], "xx-!": []}
    assert [each["value"] for each in found["Save"]["de"]] == ["Sichern"]
    assert found["Save"]["fr"] == []


def test_language_codes_are_answered_as_they_were_sent(memories):
    memories.owner.post(
        f"/translation-memories/{memories.tm['id']}/languages",
        json={"languageCode": "pt-BR"},
    )
    memories.entry("Save", **{"pt-BR": "Salvar"})

    found = memories.matches("Save", codes=("pt_br", "PT-BR")).data["matches"]["Save"]

    assert [found[code][0]["value"] for code in ("pt_br", "PT-BR")] == ["Salvar"] * 2


def test_no_text_is_special(memories):
    memories.entry("Save", de="Sichern")
    texts = ["__proto__", "constructor", "", " \t\n", "?!", "%"]

    assert memories.matches(*texts).data["matches"] == {
        text: {"de": []} for text in texts
    }


def test_the_best_ten_come_first(memories):
    for number in range(15):
        memories.entry(f"Open file number {number:02}", de=f"Öffne {number}")
    memories.entry("Open file number 07", de="Genau", context="other")

    found = memories.match("Open file number 07")

    scores = [each["matchPercentage"] for each in found]
    assert scores == [100, 100] + [94] * 8
    assert [each["context"] for each in found[:2]] == ["", "other"]


def test_of_one_value_the_best_entry_is_shown(memories):
    memories.entry("Save files", de="Sichern")
    memories.entry("Save file", de="Sichern")

    [match] = memories.match("Save file")

    assert (match["sourceText"], match["matchPercentage"]) == ("Save file", 100)


def test_only_the_equal_text_is_worth_100(memories):
    memories.entry("Save the file.", de="A")
    for source in ("Save the file. ", "Save the file.\n", " Save the file."):
        memories.entry(source, de=repr(source))

    found = memories.match("Save the file.")

    assert [each["matchPercentage"] for each in found] == [100, 99, 99, 99]
    assert found[0]["value"] == "A"
    assert [each["penalties"] for each in found[1:]] == [
        [{"kind": "whitespace", "points": 1}]
    ] * 3


def test_a_memory_takes_its_own_penalties_and_minimum(memories):
    strict = memories.memory(
        "Strict",
        minMatchPercentage=100,
        penalties={"case": 5, "whitespace": 0, "trailingPunctuation": 0},
    )
    memories.entry("save file", strict, de="A")
    memories.entry("Save  file", strict, de="B")

    assert [each["value"] for each in memories.match("Save file")] == ["B"]


def test_a_minimum_of_0_shows_what_has_anything_in_common(memories):
    open_ = memories.memory("Open", use={"penalty": 60}, minMatchPercentage=0)
    memories.entry("Save", open_, de="Sichern")
    memories.entry("Quit", open_, de="Beenden")

    [match] = memories.match("Sand")

    assert (match["rawPercentage"], match["matchPercentage"]) == (50, 0)


def test_the_penalty_of_an_assignment_is_told(memories):
    far = memories.memory("Far", use={"penalty": 30, "priority": 1})
    memories.entry("Save", far, de="Sichern")

    [match] = memories.match("Save")

    assert (match["rawPercentage"], match["matchPercentage"]) == (100, 70)
    assert match["penalties"] == [{"kind": "tm", "points": 30}]


def test_priority_decides_between_equal_scores(memories):
    low = memories.memory("Low", use={"priority": 5})
    memories.entry("Save", low, de="Zweite")
    high = memories.memory("High", use={"priority": 2})
    memories.entry("Save", high, de="Erste")

    assert [each["value"] for each in memories.match("Save")] == ["Erste", "Zweite"]


def test_what_was_changed_is_matched_by_the_next_request(memories):
    entry = memories.entry("Save", de="Sichern")
    assert memories.match("Save")
    path = memories.path_of(entry)

    memories.owner.patch(path, json={"sourceText": "Store"})
    assert memories.match("Save") == []
    memories.owner.put(f"{path}/translations/de", json={"value": "Ablegen"})
    assert memories.match("Store")[0]["value"] == "Ablegen"
    memories.owner.delete(f"{path}/translations/de")
    assert memories.match("Store") == []
    memories.owner.put(f"{path}/translations/de", json={"value": "Ablegen"})
    memories.owner.delete(path)
    assert memories.match("Store") == []


def test_proposals_are_never_matched(memories):
    tm = memories.memory("Careful", requiresApproval=True)
    entry = memories.entry("Save", tm, de="Sichern")
    translator = memories.workspace.client("translator")
    path = memories.path_of(entry)
    translator.put(f"{path}/translations/de", json={"value": "Proposed"})
    translator.put(f"{path}/translations/fr", json={"value": "Propose"})

    assert [each["value"] for each in memories.match("Save")] == ["Sichern"]
    assert memories.match("Save", "fr") == []


def test_switched_off_it_answers_an_empty_object(memories):
    memories.entry("Save", de="Sichern")
    owner = memories.owner

    owner.patch(memories.path, json={"tmEnabled": False})
    assert memories.matches("Save").data == {"matches": {}}
    assert memories.search("Save").data["items"] == []
    owner.patch(memories.path, json={"tmEnabled": True})
    path = f"/organizations/{memories.workspace.organization_id}"
    owner.patch(path, json={"tmEnabled": False})
    assert memories.matches("Save").data == {"matches": {}}
    assert memories.search("Save").data["total"] == 0


def test_a_memory_that_is_not_read_or_not_assigned_is_not_asked(memories):
    unread = memories.memory("Written only", use={"read": False})
    memories.entry("Save", unread, de="Sichern")
    memories.entry("Save", de="Speichern")
    path = f"{memories.path}/translation-memories/{memories.tm['id']}"
    assert len(memories.match("Save")) == 1

    memories.owner.delete(path)

    assert memories.match("Save") == []
    assert memories.found("Save") == []


def test_a_deleted_memory_leaves_nothing_behind_in_the_index(memories):
    memories.entry("Save", de="Sichern")
    plugins = memories.workspace.framework.settings.plugins
    index = Path(str(plugins["rapidfuzz"]["folder"]), memories.tm["id"])
    assert memories.match("Save")
    assert index.is_dir()

    memories.owner.delete(f"/translation-memories/{memories.tm['id']}")

    assert not index.exists()
    assert memories.match("Save") == []


def test_memories_of_others_are_never_seen(memories):
    _, other = memories.workspace.organization("Other")
    project = memories.workspace.project(owner=other)
    body = {"name": "Theirs", "sourceLanguage": "en", "languageCodes": ["de"]}
    tm = other.post("/translation-memories", json=body).data["translationMemory"]
    other.put(f"/projects/{project['id']}/translation-memories/{tm['id']}", json={})
    new = {"sourceText": "Secret plan", "translations": {"de": "Geheim"}}
    other.post(f"/translation-memories/{tm['id']}/entries", json=new)

    assert memories.match("Secret plan") == []
    assert memories.found("secret", searchIn="both") == []
    foreign = memories.matches("Secret plan", by=other)
    assert (foreign.status, foreign.json["error"]["code"]) == (404, "project_not_found")


def test_it_takes_tm_read(memories):
    blind = memories.workspace.client("owner", permissions=["project_read"])

    for answer in (memories.matches("a", by=blind), memories.search("a", by=blind)):
        assert answer.status == 403
        assert answer.json["error"]["details"] == {"required": "tm_read"}


def test_bad_bodies_are_refused_where_they_are_bad(memories):
    bad = [
        ({}, "$.sourceTexts"),
        ({"sourceTexts": ["a"]}, "$.languageCodes"),
        ({"sourceTexts": [], "languageCodes": ["de"]}, "$.sourceTexts"),
        ({"sourceTexts": ["a"] * 101, "languageCodes": ["de"]}, "$.sourceTexts"),
        ({"sourceTexts": "a", "languageCodes": ["de"]}, "$.sourceTexts"),
        ({"sourceTexts": [1], "languageCodes": ["de"]}, "$.sourceTexts[0]"),
        ({"sourceTexts": ["a" * 10_001], "languageCodes": ["de"]}, "$.sourceTexts[0]"),
        ({"sourceTexts": ["a" * 9_999] * 11, "languageCodes": ["de"]}, "$.sourceTexts"),
        ({"sourceTexts": ["a"], "languageCodes": []}, "$.languageCodes"),
        ({"sourceTexts": ["a"], "languageCodes": ["de"] * 51}, "$.languageCodes"),
        ({"sourceTexts": ["a"], "languageCodes": [""]}, "$.languageCodes[0]"),
        ({"sourceTexts": ["a"], "languageCodes": [None]}, "$.languageCodes[0]"),
    ]
    for body, path in bad:
        answer = memories.owner.post(f"{memories.path}/tm/matches", json=body)

        assert answer.status == 400, body
        assert answer.json["error"]["code"] == "validation_failed"
        assert answer.json["error"]["details"][0]["path"].startswith(path)


def test_what_no_text_may_hold_is_refused(memories):
    for answer in (memories.matches("a\0"), memories.search("a\0")):
        assert (answer.status, answer.json["error"]["code"]) == (400, "invalid_json")


def test_the_limits_themselves_are_fine(memories):
    texts = [f"{number} " + "a" * 990 for number in range(100)]

    answer = memories.matches(*texts, codes=("de",) * 50)

    assert answer.status == 200
    assert len(answer.data["matches"]) == 100
    assert memories.matches("a" * 10_000).status == 200


def test_the_hundredth_match_is_reached_for_a_language_that_few_have(memories):
    for number in range(70):
        memories.entry("Save", de=f"Sichern {number}", context=str(number))
    memories.entry("Save.", fr="Enregistrer", context="last")

    assert [each["value"] for each in memories.match("Save", "fr")] == ["Enregistrer"]


def test_matching_takes_as_many_statements_for_one_text_as_for_a_hundred(memories):
    for number in range(40):
        memories.entry(
            f"Open file {number}", de=f"Öffne {number}", fr=f"Ouvre {number}"
        )
    storage = memories.workspace.framework.storage
    memories.matches("Open file")

    with statements_of(storage) as one:
        memories.matches("Open file 3")
    with statements_of(storage) as many:
        texts = [f"Open file {number} now" for number in range(100)]
        memories.matches(*texts, codes=("de", "fr"))

    assert len(many) == len(one)


def test_what_was_removed_a_month_ago_is_forgotten_and_not_found(
    database_url, tmp_path
):
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    with open_workspace(database_url, tmp_path, clock=lambda: now[0]) as workspace:
        memories = Memories(workspace)
        kept, gone = memories.entry("Save", de="a"), memories.entry("Saved", de="b")
        assert len(memories.match("Save")) == 2
        memories.owner.delete(memories.path_of(gone))

        workspace.framework._purge()
        now[0] += timedelta(days=31)
        workspace.framework._purge()

        database = workspace.framework.storage
        asked = "SELECT count(*) FROM memory_removals"
        assert database.database.row(asked) == (0,)
        assert [each["entryId"] for each in memories.match("Save")] == [kept["id"]]
