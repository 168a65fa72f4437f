"""Projects begin to teach memories, leave them, and come back."""

import pytest

from .teaching import Shop, two_shops


@pytest.fixture
def shop(sqlite_workspace):
    made = Shop(sqlite_workspace)
    made.assign()
    return made


def test_a_memory_learns_what_was_there_before_it_was_assigned(workspace):
    shop = Shop(workspace)
    shop.key(en="Pay", de="Zahlen")
    shop.key("buy", en="Buy", pl="Kup")

    shop.assign(writeMode="none")
    nothing = shop.learned()
    shop.assign()

    assert nothing == {}
    assert shop.learned() == {"Pay | pay": {"de": "Zahlen"}, "Buy | buy": {"pl": "Kup"}}


@pytest.mark.parametrize("ends", ["unassign", "none", "delete"])
def test_what_was_learned_stays_when_the_project_goes(shop, ends):
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
    shop, ends
):
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


def test_what_another_project_teaches_too_stays_when_one_of_them_goes(workspace):
    mine, other = two_shops(workspace)
    mine.key(en="Pay", pl="Kup")
    theirs = other.key(en="Pay", de="Zahlen")
    mine.key("buy", en="Buy", de="Kaufen")
    same = other.key("buy", en="Buy", de="Kaufen")
    taught = {"Pay | pay": {"pl": "Kup", "de": "Zahlen"}, "Buy | buy": {"de": "Kaufen"}}

    mine.owner.delete(f"{mine.path}{mine.memory}")
    at_once = mine.learned()
    other.owner.delete(theirs)
    other.owner.delete(same)

    assert at_once == taught
    assert mine.learned() == taught


def test_what_a_project_has_taught_outlives_one_that_says_the_same_later(workspace):
    mine, other = two_shops(workspace)
    mine.key(en="Pay", de="Zahlen", pl="Kup")
    mine.owner.delete(f"{mine.path}{mine.memory}")

    key = other.key(en="Pay", de="Kaufen")
    taught = other.learned()
    other.owner.delete(key)

    assert taught == {"Pay | pay": {"de": "Kaufen", "pl": "Kup"}}
    assert other.learned() == {"Pay | pay": {"pl": "Kup"}}


def test_what_a_project_has_taught_stays_while_a_job_is_about_to_learn_of_another(
    workspace,
):
    mine, other = two_shops(workspace)
    mine.key(en="Pay", de="Zahlen")
    other.key(en="Pay", de="Zahlen")

    other.owner.delete(f"{other.path}/languages/de")  # a job is to learn that
    mine.owner.delete(f"{mine.path}{mine.memory}")
    workspace.run_jobs()

    assert mine.learned() == {"Pay | pay": {"de": "Zahlen"}}


def test_an_approved_text_outlives_the_project_where_another_has_it_as_a_draft(shop):
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
    workspace,
):
    shop, other = two_shops(workspace)
    other.assign(writeMode="none")
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


def test_only_who_may_write_all_of_an_entry_takes_it_from_the_keys_that_teach_it(shop):
    shop.assign()
    key = shop.key(en="Pay", de="Zahlen", pl="Kup")
    [entry] = shop.owner.get(f"{shop.memory}/entries").data["items"]
    path = f"{shop.memory}/entries/{entry['id']}"
    polish = shop.workspace.client("translator", languages=["pl"])

    refused = polish.patch(path, json={"context": "mine"})
    shop.put(key, "de", "Kaufen")
    followed = shop.learned()
    allowed = shop.owner.patch(path, json={"context": "mine"})
    shop.owner.delete(key)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert followed == {"Pay | pay": {"de": "Kaufen", "pl": "Kup"}}
    assert allowed.status == 200
    assert shop.learned() == {"Pay | mine": {"de": "Kaufen", "pl": "Kup"}}
