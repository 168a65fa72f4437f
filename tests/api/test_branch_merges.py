"""What a branch differs in from main, and its merge (decisions 2.6)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from locframework.testing.contracts.storage_events import latest


def test_a_diff_tells_each_field_of_each_language_apart(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.patch(shop.pay, "spring", description="The big one", tags=["button", "new"])
    shop.delete(shop.title, "spring")
    shop.create("spring", key="banner", values={"en": "Spring!"})

    items = shop.diff()

    assert [
        (
            i["type"],
            i["key"],
            i["field"],
            i["languageCode"],
            i["base"],
            i["main"],
            i["branch"],
        )
        for i in items
    ] == [
        ("added", "banner", "key", None, None, None, "banner"),
        ("added", "banner", "value", "en", None, None, "Spring!"),
        ("updated", "checkout.pay", "description", None, "", "", "The big one"),
        (
            "updated",
            "checkout.pay",
            "tags",
            None,
            ["button"],
            ["button"],
            ["button", "new"],
        ),
        ("added", "checkout.pay", "value", "ar", None, None, "ادفع"),
        ("updated", "checkout.pay", "value", "de", "Zahlen", "Zahlen", "Bezahlen"),
        ("deleted", "title", "key", None, "title", "title", None),
    ]
    assert not any(item["conflict"] for item in items)
    assert shop.one()["changeCount"] == 7


def test_a_merge_does_what_the_diff_told_and_empties_the_branch(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", tags=["new"], key="cart.pay")
    shop.delete(shop.title, "spring")
    banner = shop.create("spring", key="banner", values={"en": "Spring!"})
    before = shop.names("spring"), shop.texts(shop.pay, "spring")

    merged = shop.merge().data

    assert merged["applied"] == {"added": 2, "updated": 3, "deleted": 1}
    assert merged["conflicts"] == []
    assert (merged["branch"]["status"], merged["branch"]["changeCount"]) == (
        "merged",
        0,
    )
    assert (shop.names(), shop.texts(shop.pay)) == before
    assert shop.read(banner).data["key"]["keySource"] == "main"
    assert shop.read(shop.pay).data["key"]["tags"] == ["new"]


def test_merging_again_does_nothing(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.merge()
    shop.write(shop.pay, "de", "Kaufen")

    again = shop.merge(shop.one()["id"])

    assert again.status == 200
    assert again.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert shop.texts(shop.pay)["de", None] == "Kaufen"


def test_merging_a_branch_that_stays_open_again_tells_nobody(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    merged = shop.merge(closeAfter=False).data["branch"]

    again = shop.merge(closeAfter=False)

    assert again.status == 200
    assert again.data["branch"] == merged
    events = shop.workspace.framework.storage.events
    told = latest(events, shop.keys.project["id"], 9)
    assert [event.type for event in told].count("branch.merged") == 1


def test_closing_nothing_and_merging_with_close_after_false(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    merged = shop.merge(closeAfter=False).data["branch"]
    shop.write(shop.pay, "de", "Kaufen", "spring")

    assert (merged["status"], merged["mergedAt"] is not None) == ("open", True)
    assert [item["base"] for item in shop.diff()] == ["Bezahlen"]


def test_many_who_merge_at_once_all_hear_that_it_is_merged(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: shop.merge(), range(8)))

    assert [answer.status for answer in answers] == [200] * 8
    assert sum(answer.data["applied"]["updated"] for answer in answers) == 1


def test_who_finds_a_branch_just_before_another_merges_it_hears_so(shop, monkeypatch):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    branches = shop.workspace.framework.branches
    find, others = branches.find, []

    def find_then_be_overtaken(*args):
        found = find(*args)
        if not others:
            others.append("is merging")
            others.append(shop.merge().data["applied"]["updated"])
        return found

    monkeypatch.setattr(branches, "find", find_then_be_overtaken)
    answer = shop.merge()

    assert (answer.status, others[1:]) == (200, [1])
    assert answer.data["applied"]["updated"] == 0


def test_events_of_a_branch_name_it_and_a_merge_tells_main(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.merge()

    events = latest(shop.workspace.framework.storage.events, shop.keys.project["id"], 4)
    assert [(event.type, event.branch) for event in events] == [
        ("branch.merged", None),
        ("translation.updated", None),
        ("translation.updated", "spring"),
        ("branch.created", None),
    ]


def test_values_that_wait_for_review_go_on_waiting_after_a_merge(shop):
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    shop.keys.translator.put(
        path, json={"value": "Bezahlen"}, query={"branch": "spring"}
    )

    shop.merge()

    detail = shop.owner.get(path).data["value"]
    assert (detail["value"], detail["status"]) == ("Bezahlen", "pending_review")
    assert detail["approvedValue"] == "Zahlen"
    assert detail["origin"] == "merge"


def test_a_source_text_that_is_merged_outdates_what_the_branch_did_not_write(shop):
    shop.write(shop.pay, "ar", "ادفع")
    shop.write(shop.pay, "en", "Pay now", "spring")
    shop.write(shop.pay, "de", "Jetzt zahlen", "spring")

    shop.merge()

    values = shop.read(shop.pay).data["key"]["values"]
    assert {v["languageCode"]: v["isOutdated"] for v in values} == {
        "en": False,
        "de": False,
        "ar": True,
    }


def test_a_merge_brings_what_is_outdated_as_the_branch_had_it(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "en", "Pay now", "spring")
    there = shop.outdated(shop.pay, "spring")

    shop.merge()

    assert there == shop.outdated(shop.pay) == {"en": False, "de": True}


def test_what_a_source_text_kept_fresh_on_a_branch_stays_so_when_it_is_merged(shop):
    path = f"{shop.path}/keys/{shop.pay['id']}/values/en"
    body = {"value": "Pay!", "keepFresh": True}
    shop.owner.put(path, json=body, query={"branch": "spring"})
    there = shop.outdated(shop.pay, "spring")

    shop.merge()

    assert there == shop.outdated(shop.pay) == {"en": False, "de": False}


def test_a_key_that_only_kept_its_old_name_has_mains_after_a_merge(shop):
    """It had to while another key had that name there; the branch renamed nothing."""
    mine = shop.create("spring", key="cart.pay", values={"en": "Mine"})
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, key="cart.pay")
    shop.delete(mine, "spring")
    assert shop.names("spring") == ["checkout.pay", "title"]
    assert [change["field"] for change in shop.diff()] == ["value"]

    answer = shop.merge()

    assert (answer.status, answer.data["conflicts"]) == (200, [])
    assert shop.names() == ["cart.pay", "title"]
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"


def test_a_dry_run_tells_and_writes_nothing(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.write(shop.pay, "de", "Kaufen")

    told = shop.merge(dryRun=True)

    assert told.status == 200
    assert told.data["applied"] == {"added": 1, "updated": 0, "deleted": 0}
    assert [c["languageCode"] for c in told.data["conflicts"]] == ["de"]
    assert told.data["branch"]["status"] == "open"
    assert shop.texts(shop.pay)["de", None] == "Kaufen"


def test_a_dry_run_can_be_sent_with_a_key_like_any_other(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    before, diff = shop.one(), shop.diff()
    path = f"{shop.path}/branches/spring/merge"
    key = {"Idempotency-Key": "look-first"}

    dry = shop.owner.post(path, json={"dryRun": True}, headers=key)
    again = shop.owner.post(path, json={"dryRun": True}, headers=key)
    other = shop.owner.post(path, json={}, headers=key)

    assert (dry.status, dry.data["applied"]["updated"]) == (200, 1)
    assert again.content == dry.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (other.status, other.error["code"]) == (409, "idempotency_conflict")
    assert dry.data["branch"] == before == shop.one()
    assert shop.diff() == diff
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


def proposed(shop, lang, text):
    """A translator's text on the branch, for a key of main."""
    path = f"{shop.path}/keys/{shop.pay['id']}/values/{lang}"
    query = {"branch": "spring"}
    shop.keys.translator.put(path, json={"value": text}, query=query)


def stands(shop, lang):
    """A text of main: what people see, its state, and what is delivered."""
    detail = shop.keys.detail(shop.pay, lang)
    return detail["value"], detail["status"], detail["approvedValue"]


@pytest.mark.parametrize("lang", ["de", "ar"])  # with a text before, and without
def test_a_text_that_main_approved_stays_so_when_it_waits_on_the_branch(shop, lang):
    proposed(shop, lang, "Kaufen")
    shop.write(shop.pay, lang, "Kaufen")

    diff = shop.diff()
    merged = shop.merge()

    assert diff == []
    assert merged.status == 200
    assert merged.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert stands(shop, lang) == ("Kaufen", "approved", "Kaufen")


@pytest.mark.parametrize(
    ("branch", "main", "is_conflict", "approved"),
    [
        (None, "Bezahlen", True, "Bezahlen"),
        (None, "", True, None),  # what main cleared does not come back
        ("Bezahlen", None, False, "Bezahlen"),
    ],
)
def test_a_text_that_waits_comes_beside_what_was_approved_since(
    shop, branch, main, is_conflict, approved
):
    if branch is not None:
        shop.write(shop.pay, "de", branch, "spring")
    proposed(shop, "de", "Kaufen")
    if main is not None:
        shop.write(shop.pay, "de", main)

    dry, merged = shop.merge(dryRun=True), shop.merge(strategy="use_branch")

    assert (len(dry.data["conflicts"]), merged.status) == (is_conflict, 200)
    assert stands(shop, "de") == ("Kaufen", "pending_review", approved)
