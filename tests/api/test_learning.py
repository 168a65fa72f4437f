"""Memories learn what projects say on main, and forget what they say no more."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Client
from locframework.testing.databases import statements_of
from locframework.testing.workspace import Workspace


class Shop:
    """A project with the languages de and pl, and a memory that learns from it."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "pl"], **fields)
        self.path = f"/projects/{self.project['id']}"
        body = {"name": "Main", "sourceLanguage": "en"}
        made = self.owner.post("/translation-memories", json=body).data
        self.memory = f"/translation-memories/{made['translationMemory']['id']}"

    def assign(self, **body: object) -> None:
        answer = self.owner.put(f"{self.path}{self.memory}", json=body)
        assert answer.status == 200, answer
        self.workspace.run_jobs()

    def key(self, name: str = "pay", **values: object) -> str:
        more = {"isPlural": True} if isinstance(values.get("en"), dict) else {}
        key = self.workspace.key(self.project, name, values=values, **more)
        return f"{self.path}/keys/{key['id']}"

    def put(self, key: str, code: str, value: object, **how: Any) -> None:
        client: Client = how.pop("client", self.owner)
        answer = client.put(f"{key}/values/{code}", json={"value": value, **how})
        assert answer.status == 200, answer

    def learned(self) -> dict[str, dict[str, str]]:
        """What the memory says, by source text (and context where it is no key)."""
        items = self.owner.get(f"{self.memory}/entries").data["items"]
        return {
            f"{entry['sourceText']} | {entry['context']}": {
                each["languageCode"]: each["value"] for each in entry["translations"]
            }
            for entry in items
        }


@pytest.fixture
def shop(sqlite_workspace: Workspace) -> Shop:
    made = Shop(sqlite_workspace)
    made.assign()
    return made


def test_an_approved_value_is_learned_with_the_name_of_its_key(
    workspace: Workspace,
) -> None:
    shop = Shop(workspace)
    shop.assign()

    shop.key(en="Pay", de="Zahlen")

    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}
    languages = shop.owner.get(f"{shop.memory}/languages").data["items"]
    assert [each["languageCode"] for each in languages] == ["de", "pl"]


def test_a_value_that_waits_is_learned_when_it_is_approved(shop: Shop) -> None:
    key, translator = shop.key(en="Pay"), shop.workspace.client("translator")

    shop.put(key, "de", "Zahlen", client=translator)
    waiting = shop.learned()
    shop.owner.post(f"{key}/values/de/approve", json={})

    assert waiting == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_proposal_leaves_what_was_learned(shop: Shop) -> None:
    key, translator = (
        shop.key(en="Pay", de="Zahlen"),
        shop.workspace.client("translator"),
    )

    shop.put(key, "de", "Kaufen", client=translator)

    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_what_all_is_learned_has_values_that_wait_as_drafts(shop: Shop) -> None:
    shop.assign(writeMode="all")
    key, translator = shop.key(en="Pay"), shop.workspace.client("translator")

    shop.put(key, "de", "Zahlen", client=translator)

    [entry] = shop.owner.get(f"{shop.memory}/entries").data["items"]
    [translation] = entry["translations"]
    assert (translation["value"], translation["status"]) == ("Zahlen", "draft")
    shop.owner.post(f"{key}/values/de/reject", json={})
    assert shop.learned() == {}


def test_a_value_that_changes_or_goes_leaves_nothing_stale(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.put(key, "de", "Kaufen")
    changed = shop.learned()
    shop.put(key, "de", "")
    cleared = shop.learned()
    shop.put(key, "pl", "")

    assert changed == {"Pay | pay": {"de": "Kaufen", "pl": "Zaplac"}}
    assert cleared == {"Pay | pay": {"pl": "Zaplac"}}
    assert shop.learned() == {}


def test_a_key_that_is_deleted_is_forgotten_until_it_is_restored(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen")

    shop.owner.delete(key)
    gone = shop.learned()
    shop.owner.post(f"{key}/restore", json={})

    assert gone == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_new_source_text_is_learned_when_its_translations_are(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.put(key, "en", "Pay now")
    outdated = shop.learned()
    shop.put(key, "de", "Jetzt zahlen")
    one = shop.learned()
    shop.put(key, "en", "Pay now!", keepFresh=True)

    assert outdated == {}
    assert one == {"Pay now | pay": {"de": "Jetzt zahlen"}}
    assert shop.learned() == {"Pay now! | pay": {"de": "Jetzt zahlen"}}


def test_a_renamed_key_is_learned_by_its_new_name(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen")

    shop.owner.patch(key, json={"key": "checkout.pay"})

    assert shop.learned() == {"Pay | checkout.pay": {"de": "Zahlen"}}


def test_plural_forms_are_learned_with_the_same_form_of_the_source(shop: Shop) -> None:
    english = {"one": "{n} bag", "other": "{n} bags"}
    polish = {"one": "{n} torba", "few": "{n} torby", "other": "{n} torby!"}

    shop.key("bags", en=english, pl=polish)

    assert shop.learned() == {
        "{n} bags | bags": {"pl": "{n} torby!"},
        "{n} bag | bags[one]": {"pl": "{n} torba"},
    }


def test_what_stands_on_a_branch_is_learned_at_its_merge(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen")
    shop.owner.post(f"{shop.path}/branches", json={"name": "b"})
    written = shop.owner.put(f"{key}/values/de?branch=b", json={"value": "Kaufen"})
    assert written.status == 200

    before = shop.learned()
    merged = shop.owner.post(f"{shop.path}/branches/b/merge", json={})

    assert before == {"Pay | pay": {"de": "Zahlen"}}
    assert merged.status == 200
    assert shop.learned() == {"Pay | pay": {"de": "Kaufen"}}


def test_one_entry_is_of_all_keys_of_one_name_and_text(shop: Shop) -> None:
    other = Shop(shop.workspace)
    other.memory = shop.memory
    other.assign()
    key = shop.key(en="Pay", de="Zahlen")

    second = other.key(en="Pay", de="Kaufen", pl="Kup")
    both = shop.learned()
    other.owner.delete(second)

    assert both == {"Pay | pay": {"de": "Kaufen", "pl": "Kup"}}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}
    shop.owner.delete(key)
    assert shop.learned() == {}


def test_a_memory_learns_what_was_there_before_it_was_assigned(
    workspace: Workspace,
) -> None:
    shop = Shop(workspace)
    shop.key(en="Pay", de="Zahlen")
    shop.key("buy", en="Buy", pl="Kup")

    shop.assign(writeMode="none")
    nothing = shop.learned()
    shop.assign()

    assert nothing == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}, "Buy | buy": {"pl": "Kup"}}


@pytest.mark.parametrize("ends", ["unassign", "none", "delete"])
def test_what_was_learned_stays_when_the_project_goes(shop: Shop, ends: str) -> None:
    key = shop.key(en="Pay", de="Zahlen")

    if ends == "unassign":
        shop.owner.delete(f"{shop.path}{shop.memory}")
    elif ends == "none":
        shop.assign(writeMode="none")
    else:
        shop.owner.delete(shop.path)
    if ends != "delete":
        shop.put(key, "de", "Kaufen")

    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


@pytest.mark.parametrize("ends", ["unassign", "none"])
def test_what_went_while_a_project_taught_nothing_goes_when_it_teaches_again(
    shop: Shop, ends: str
) -> None:
    deleted, cleared, renamed, stays = (
        shop.key(name, en=name.title(), de=name) for name in ("pay", "buy", "go", "run")
    )

    if ends == "unassign":
        shop.owner.delete(f"{shop.path}{shop.memory}")
    else:
        shop.assign(writeMode="none")
    shop.owner.delete(deleted)
    shop.put(cleared, "de", "")
    shop.owner.patch(renamed, json={"key": "went"})
    meanwhile = shop.learned()
    shop.assign()
    after = shop.learned()
    shop.owner.delete(stays)

    assert list(meanwhile) == ["Pay | pay", "Buy | buy", "Go | go", "Run | run"]
    assert after == {"Run | run": {"de": "run"}, "Go | went": {"de": "go"}}
    assert shop.learned() == {"Go | went": {"de": "go"}}


def two_shops(workspace: Workspace) -> tuple[Shop, Shop]:
    """Both teach one memory."""
    mine, other = Shop(workspace), Shop(workspace)
    other.memory = mine.memory
    mine.assign()
    other.assign()
    return mine, other


def test_what_another_project_teaches_too_follows_that_one(
    workspace: Workspace,
) -> None:
    mine, other = two_shops(workspace)
    mine.key(en="Pay", pl="Kup")
    theirs = other.key(en="Pay", de="Zahlen")
    mine.key("buy", en="Buy", de="Kaufen")
    same = other.key("buy", en="Buy", de="Kaufen")

    mine.owner.delete(f"{mine.path}{mine.memory}")
    workspace.run_jobs()
    at_once = mine.learned()
    other.owner.delete(theirs)
    other.owner.delete(same)

    assert at_once == {
        "Pay | pay": {"pl": "Kup", "de": "Zahlen"},
        "Buy | buy": {"de": "Kaufen"},
    }
    assert mine.learned() == {"Pay | pay": {"pl": "Kup"}}


def test_what_a_project_has_taught_outlives_one_that_says_the_same_later(
    workspace: Workspace,
) -> None:
    mine, other = two_shops(workspace)
    mine.key(en="Pay", de="Zahlen", pl="Kup")
    mine.owner.delete(f"{mine.path}{mine.memory}")

    key = other.key(en="Pay", de="Kaufen")
    taught = other.learned()
    other.owner.delete(key)

    assert taught == {"Pay | pay": {"de": "Kaufen", "pl": "Kup"}}
    assert other.learned() == {"Pay | pay": {"pl": "Kup"}}


def test_what_a_project_has_taught_stays_while_a_job_is_about_to_learn_of_another(
    workspace: Workspace,
) -> None:
    mine, other = two_shops(workspace)
    mine.key(en="Pay", de="Zahlen")
    other.key(en="Pay", de="Zahlen")

    other.owner.delete(f"{other.path}/languages/de")  # a job is to learn that
    mine.owner.delete(f"{mine.path}{mine.memory}")
    workspace.run_jobs()

    assert mine.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_an_approved_text_outlives_the_project_where_another_has_it_as_a_draft(
    shop: Shop,
) -> None:
    other = Shop(shop.workspace)
    other.memory = shop.memory
    other.assign(writeMode="all")
    shop.key(en="Pay", de="Zahlen")
    theirs = other.key(en="Pay")
    other.put(theirs, "de", "Zahlen", client=shop.workspace.client("translator"))

    shop.owner.delete(f"{shop.path}{shop.memory}")
    shop.workspace.run_jobs()
    other.put(theirs, "pl", "Kup")
    other.owner.delete(theirs)

    [entry] = shop.owner.get(f"{shop.memory}/entries").data["items"]
    said = [(each["value"], each["status"]) for each in entry["translations"]]
    assert said == [("Zahlen", "approved")]


def test_a_key_that_is_yet_to_be_learned_again_teaches_nothing_of_its_old_text(
    workspace: Workspace,
) -> None:
    shop, other = Shop(workspace), Shop(workspace)
    other.memory = shop.memory
    shop.assign()
    key = shop.key(en="Pay", de="Zahlen")
    shop.assign(writeMode="none")
    shop.put(key, "en", "Buy")
    shop.put(key, "de", "Kaufen")

    for each in (shop, other):
        each.owner.put(f"{each.path}{each.memory}", json={})  # jobs are to learn it
    other.key(en="Pay", pl="Kup")
    before = shop.learned()
    workspace.run_jobs()

    assert before == {"Pay | pay": {"pl": "Kup"}}
    assert shop.learned() == before | {"Buy | pay": {"de": "Kaufen"}}


def test_what_is_written_by_hand_stays_until_the_project_says_otherwise(
    shop: Shop,
) -> None:
    key = shop.key(en="Pay", de="Zahlen")
    [entry] = shop.owner.get(f"{shop.memory}/entries").data["items"]
    one = f"{shop.memory}/entries/{entry['id']}/translations"

    shop.owner.put(f"{one}/de", json={"value": "Bezahlen"})
    shop.put(key, "pl", "Zaplac")
    by_hand = shop.learned()
    shop.put(key, "de", "Kaufen")
    learned = shop.learned()
    shop.owner.put(f"{one}/pl", json={"value": "Kup"})
    shop.owner.delete(key)

    assert by_hand == {"Pay | pay": {"de": "Bezahlen", "pl": "Zaplac"}}
    assert learned == {"Pay | pay": {"de": "Kaufen", "pl": "Zaplac"}}
    assert shop.learned() == {"Pay | pay": {"pl": "Kup"}}


@pytest.mark.parametrize("by", ["hand", "file"])
def test_what_was_there_first_outlives_a_key_that_said_the_same(
    shop: Shop, by: str
) -> None:
    if by == "hand":
        body: Any = {"sourceText": "Pay", "context": "pay"}
        body["translations"] = {"de": "Zahlen"}
        shop.owner.post(f"{shop.memory}/entries", json=body)
    else:
        files = {"file": Upload("a.csv", b"context,en,de\npay,Pay,Zahlen", "text/csv")}
        shop.workspace.job_of(shop.owner.post(f"{shop.memory}/import", files=files))
    before = shop.owner.get(f"{shop.memory}/entries").data["items"]

    key = shop.key(en="Pay", de="Zahlen", pl="Zapłać")
    with_polish = shop.learned()
    shop.owner.delete(key)

    assert with_polish == {"Pay | pay": {"de": "Zahlen", "pl": "Zapłać"}}
    after = shop.owner.get(f"{shop.memory}/entries").data["items"]
    assert [each["id"] for each in after] == [each["id"] for each in before]
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_an_entry_that_was_made_by_hand_outlives_the_keys_that_filled_it(
    shop: Shop,
) -> None:
    body = {"sourceText": "Pay", "context": "pay"}
    shop.owner.post(f"{shop.memory}/entries", json=body)

    key = shop.key(en="Pay", de="Zahlen")
    filled = shop.learned()
    shop.owner.delete(key)

    assert filled == {"Pay | pay": {"de": "Zahlen"}}
    assert shop.learned() == {"Pay | pay": {}}


def test_a_language_that_leaves_the_project_is_forgotten(shop: Shop) -> None:
    shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.owner.delete(f"{shop.path}/languages/de")
    shop.workspace.run_jobs()

    assert shop.learned() == {"Pay | pay": {"pl": "Zaplac"}}


@pytest.mark.parametrize("project_first", [False, True])
def test_what_was_learned_in_one_language_alone_goes_with_it(
    workspace: Workspace, project_first: bool
) -> None:
    shop = Shop(workspace)
    shop.assign()
    shop.key("only", en="Only german", de="Nur")
    shop.key("both", en="Both", de="Beide", pl="Oba")
    shop.owner.post(f"{shop.memory}/entries", json={"sourceText": "By hand"})
    paths = [f"{shop.memory}/languages/de", f"{shop.path}/languages/de"]

    for path in reversed(paths) if project_first else paths:
        assert shop.owner.delete(path).status == 200
    at_once = shop.learned()
    workspace.run_jobs()

    assert at_once == {"Both | both": {"pl": "Oba"}, "By hand | ": {}}
    assert shop.learned() == at_once
    memory = shop.owner.get(shop.memory).data["translationMemory"]
    assert memory["entryCount"] == 2
    found = shop.owner.post(f"{shop.path}/tm/search", json={"query": "german"})
    assert found.data["total"] == 0


def test_a_language_that_comes_back_to_a_memory_is_learned_again(shop: Shop) -> None:
    shop.key(en="Only german", de="Nur")
    shop.owner.delete(f"{shop.memory}/languages/de")

    shop.owner.post(f"{shop.memory}/languages", json={"languageCode": "de"})
    shop.workspace.run_jobs()

    assert shop.learned() == {"Only german | pay": {"de": "Nur"}}


def test_a_language_that_was_taken_from_a_memory_stays_away(shop: Shop) -> None:
    shop.key(en="Pay", de="Zahlen", pl="Kup")
    shop.owner.delete(f"{shop.memory}/languages/pl")

    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "sv"})
    shop.owner.delete(f"{shop.path}/languages/sv")
    shop.assign(writeMode="all")

    found = shop.owner.get(f"{shop.memory}/languages").data["items"]
    assert {each["languageCode"] for each in found} == {"de", "sv"}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}

    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "en-GB"})
    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "en-GB"})
    assert moved.status == 200
    shop.workspace.run_jobs()
    assert shop.learned() == {}  # it says nothing in British English
    assert "pl" not in str(shop.owner.get(f"{shop.memory}/languages").data)


def test_a_language_that_another_project_brings_back_is_learned_of_all(
    workspace: Workspace,
) -> None:
    mine, other = Shop(workspace), Shop(workspace)
    other.memory = mine.memory
    mine.assign()
    mine.key(en="Pay", de="Zahlen", pl="Kup")
    mine.owner.delete(f"{mine.memory}/languages/pl")

    other.assign()

    assert mine.learned() == {"Pay | pay": {"de": "Zahlen", "pl": "Kup"}}

    other.owner.delete(f"{other.path}/languages/pl")
    mine.owner.delete(f"{mine.memory}/languages/pl")
    other.owner.post(f"{other.path}/languages", json={"languageCode": "pl"})
    workspace.run_jobs()
    assert mine.learned() == {"Pay | pay": {"de": "Zahlen", "pl": "Kup"}}


def test_the_source_language_stays_while_memories_of_it_are_assigned(
    workspace: Workspace,
) -> None:
    shop = Shop(workspace)
    shop.assign()
    shop.key(en="Pay", de="Zahlen")

    refused = shop.owner.patch(shop.path, json={"sourceLanguage": "de", "name": "x"})
    kept = shop.owner.get(shop.path).data["project"]
    shop.owner.delete(f"{shop.path}{shop.memory}")
    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "de"})

    assert (refused.status, refused.error["code"]) == (409, "memories_assigned")
    assert shop.memory.rpartition("/")[2] in refused.error["message"]
    assert (kept["sourceLanguage"], kept["name"]) == ("en", shop.project["name"])
    assert moved.data["project"]["sourceLanguage"] == "de"
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_memory_that_is_only_read_holds_the_source_language_too(shop: Shop) -> None:
    shop.assign(writeMode="none")

    refused = shop.owner.patch(shop.path, json={"sourceLanguage": "de"})

    assert refused.error["code"] == "memories_assigned"


def test_a_source_language_of_another_region_is_followed(shop: Shop) -> None:
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "en-GB"})
    shop.key(**{"en": "Color", "en-GB": "Colour", "de": "Farbe"})

    moved = shop.owner.patch(shop.path, json={"sourceLanguage": "en-GB"})
    shop.workspace.run_jobs()

    assert moved.status == 200
    assert shop.learned() == {"Colour | pay": {"de": "Farbe"}}


def test_a_refused_write_teaches_nothing(shop: Shop) -> None:
    key = shop.key(en="Pay", de="Zahlen")
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.owner.put(f"{key}/values/de", json={"value": "Kaufen"})

    assert refused.status == 409
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_learning_costs_the_same_however_many_keys_are_written(
    workspace: Workspace,
) -> None:
    shop = Shop(workspace)
    shop.assign()

    def cost(count: int, text: str) -> int:
        keys = [
            {"key": f"k{number}", "values": {"en": f"T{number}", "de": text}}
            for number in range(count)
        ]
        body = {"keys": keys, "onExisting": "update"}
        with statements_of(workspace.framework.storage) as statements:
            answer = shop.owner.post(f"{shop.path}/keys/bulk", json=body)
        assert answer.status == 200
        return len([each for each in statements if "memor" in each])

    created, changed = cost(3, "x"), cost(3, "y")
    for number, key in enumerate(shop.owner.get(f"{shop.path}/keys").data["items"]):
        assert shop.owner.delete(f"{shop.path}/keys/{key['id']}").status == 200, number

    assert (cost(400, "x"), cost(400, "y")) == (created, changed)
    assert max(created, changed) <= 12
    assert shop.owner.get(f"{shop.memory}/entries").data["total"] == 400
