"""Memories learn what projects say on main, and forget what they say no more."""

import pytest

from locframework.http.records import Upload
from tests.databases import statements_of

from .teaching import Shop


@pytest.fixture
def shop(sqlite_workspace):
    made = Shop(sqlite_workspace)
    made.assign()
    return made


def test_an_approved_value_is_learned_with_the_name_of_its_key(workspace):
    shop = Shop(workspace)
    shop.assign()

    shop.key(en="Pay", de="Zahlen")

    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}
    languages = shop.owner.get(f"{shop.memory}/languages").data["items"]
    assert [each["languageCode"] for each in languages] == ["de", "pl"]


def test_a_value_that_waits_is_learned_when_it_is_approved(shop):
    key, translator = shop.key(en="Pay"), shop.workspace.client("translator")

    shop.put(key, "de", "Zahlen", client=translator)
    waiting = shop.learned()
    shop.owner.post(f"{key}/values/de/approve", json={})

    assert waiting == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_proposal_leaves_what_was_learned(shop):
    key, translator = (
        shop.key(en="Pay", de="Zahlen"),
        shop.workspace.client("translator"),
    )

    shop.put(key, "de", "Kaufen", client=translator)

    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_what_all_is_learned_has_values_that_wait_as_drafts(shop):
    shop.assign(writeMode="all")
    key, translator = shop.key(en="Pay"), shop.workspace.client("translator")

    shop.put(key, "de", "Zahlen", client=translator)

    [entry] = shop.owner.get(f"{shop.memory}/entries").data["items"]
    [translation] = entry["translations"]
    assert (translation["value"], translation["status"]) == ("Zahlen", "draft")
    shop.owner.post(f"{key}/values/de/reject", json={})
    assert shop.learned() == {}


def test_a_value_that_changes_or_goes_leaves_nothing_stale(shop):
    key = shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.put(key, "de", "Kaufen")
    changed = shop.learned()
    shop.put(key, "de", "")
    cleared = shop.learned()
    shop.put(key, "pl", "")

    assert changed == {"Pay | pay": {"de": "Kaufen", "pl": "Zaplac"}}
    assert cleared == {"Pay | pay": {"pl": "Zaplac"}}
    assert shop.learned() == {}


def test_a_key_that_is_deleted_is_forgotten_until_it_is_restored(shop):
    key = shop.key(en="Pay", de="Zahlen")

    shop.owner.delete(key)
    gone = shop.learned()
    shop.owner.post(f"{key}/restore", json={})

    assert gone == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_a_new_source_text_is_learned_when_its_translations_are(shop):
    key = shop.key(en="Pay", de="Zahlen", pl="Zaplac")

    shop.put(key, "en", "Pay now")
    outdated = shop.learned()
    shop.put(key, "de", "Jetzt zahlen")
    one = shop.learned()
    shop.put(key, "en", "Pay now!", keepFresh=True)

    assert outdated == {}
    assert one == {"Pay now | pay": {"de": "Jetzt zahlen"}}
    assert shop.learned() == {"Pay now! | pay": {"de": "Jetzt zahlen"}}


def test_a_renamed_key_is_learned_by_its_new_name(shop):
    key = shop.key(en="Pay", de="Zahlen")

    shop.owner.patch(key, json={"key": "checkout.pay"})

    assert shop.learned() == {"Pay | checkout.pay": {"de": "Zahlen"}}


def test_plural_forms_are_learned_with_the_same_form_of_the_source(shop):
    english = {"one": "{n} bag", "other": "{n} bags"}
    polish = {"one": "{n} torba", "few": "{n} torby", "other": "{n} torby!"}

    shop.key("bags", en=english, pl=polish)

    assert shop.learned() == {
        "{n} bags | bags": {"pl": "{n} torby!"},
        "{n} bag | bags[one]": {"pl": "{n} torba"},
    }


def test_what_stands_on_a_branch_is_learned_at_its_merge(shop):
    key = shop.key(en="Pay", de="Zahlen")
    shop.owner.post(f"{shop.path}/branches", json={"name": "b"})
    written = shop.owner.put(f"{key}/values/de?branch=b", json={"value": "Kaufen"})
    assert written.status == 200

    before = shop.learned()
    merged = shop.owner.post(f"{shop.path}/branches/b/merge", json={})

    assert before == {"Pay | pay": {"de": "Zahlen"}}
    assert merged.status == 200
    assert shop.learned() == {"Pay | pay": {"de": "Kaufen"}}


def test_one_entry_is_of_all_keys_of_one_name_and_text(shop):
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


def test_what_is_written_by_hand_stays_until_the_project_says_otherwise(shop):
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
def test_what_was_there_first_outlives_a_key_that_said_the_same(shop, by):
    if by == "hand":
        body = {"sourceText": "Pay", "context": "pay"}
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


def test_an_entry_that_was_made_by_hand_outlives_the_keys_that_filled_it(shop):
    body = {"sourceText": "Pay", "context": "pay"}
    shop.owner.post(f"{shop.memory}/entries", json=body)

    key = shop.key(en="Pay", de="Zahlen")
    filled = shop.learned()
    shop.owner.delete(key)

    assert filled == {"Pay | pay": {"de": "Zahlen"}}
    assert shop.learned() == {"Pay | pay": {}}


def test_a_refused_write_teaches_nothing(shop):
    key = shop.key(en="Pay", de="Zahlen")
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.owner.put(f"{key}/values/de", json={"value": "Kaufen"})

    assert refused.status == 409
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_learning_costs_the_same_however_many_keys_are_written(workspace):
    shop = Shop(workspace)
    shop.assign()

    def cost(count, text):
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
    assert max(created, changed) <= 13
    assert shop.owner.get(f"{shop.memory}/entries").data["total"] == 400
