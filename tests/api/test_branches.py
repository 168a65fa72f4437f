"""Branches over HTTP: an overlay of main, its diff, and the merge (decisions 2.6)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace

from .branched import Branched


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    return Branched(workspace)


# branches themselves


def test_a_branch_is_made_listed_read_by_name_and_id_and_closed(shop: Branched) -> None:
    made = shop.branch("fix/typo-1").data["branch"]

    listed = shop.owner.get(f"{shop.path}/branches").data
    by_id = shop.one(made["id"])
    closed = shop.owner.delete(f"{shop.path}/branches/{made['id']}")

    assert (made["name"], made["status"], made["changeCount"]) == (
        "fix/typo-1",
        "open",
        0,
    )
    assert [each["name"] for each in listed["items"]] == ["fix/typo-1", "spring"]
    assert by_id == made
    assert closed.data == {"id": made["id"], "deleted": True}
    assert shop.one(made["id"])["status"] == "closed"


def test_branches_are_listed_by_status(shop: Branched) -> None:
    shop.branch("done")
    shop.branch("gone")
    assert shop.owner.post(f"{shop.path}/branches/done/merge", json={}).status == 200
    assert shop.owner.delete(f"{shop.path}/branches/gone").status == 200

    for status, names in (
        ("open", ["spring"]),
        ("merging", []),
        ("merged", ["done"]),
        ("closed", ["gone"]),
    ):
        listed = shop.owner.get(f"{shop.path}/branches", query={"status": status}).data
        assert [each["name"] for each in listed["items"]] == names
        assert listed["total"] == len(names)
    refused = shop.owner.get(f"{shop.path}/branches", query={"status": "done"})
    assert (refused.status, refused.error["details"][0]["path"]) == (
        400, "query.status",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["main", "Main", "", "-a", "a b", "x" * 101, "ä"])
def test_a_name_that_no_branch_may_have_is_refused(shop: Branched, name: str) -> None:
    refused = shop.branch(name)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


def test_two_open_branches_never_share_a_name_but_a_closed_one_frees_it(
    shop: Branched,
) -> None:
    refused = shop.branch("spring")
    shop.owner.delete(f"{shop.path}/branches/spring")
    again = shop.branch("spring")

    assert (refused.status, refused.error["code"]) == (409, "branch_exists")
    assert again.status == 201
    assert shop.one()["id"] == again.data["branch"]["id"]


def test_a_branch_that_is_not_there_or_not_open_is_told_apart(shop: Branched) -> None:
    unknown = shop.read(shop.pay, "autumn")
    shop.owner.delete(f"{shop.path}/branches/spring")
    read = shop.read(shop.pay, "spring")
    written = shop.write(shop.pay, "de", "Bezahlen", "spring")

    assert (unknown.status, unknown.error["code"]) == (404, "branch_not_found")
    assert (read.status, read.error["code"]) == (409, "branch_not_open")
    assert (written.status, written.error["code"]) == (409, "branch_not_open")


# the overlay


def test_a_branch_reads_as_main_with_its_own_edits_over_it(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "en", "Pay now")

    assert shop.texts(shop.pay, "spring") == {
        ("en", None): "Pay now",
        ("de", None): "Bezahlen",
    }
    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert shop.read(shop.pay, "spring").data["key"]["keySource"] == "branch"
    assert shop.read(shop.title, "spring").data["key"]["keySource"] == "main"
    assert shop.read(shop.pay).data["key"]["keySource"] == "main"


def test_what_changes_on_main_shows_on_a_branch_that_did_not_change_the_same(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", description="The big one")
    shop.patch(shop.pay, tags=["button", "cart"], key="cart.pay")
    shop.write(shop.pay, "ar", "ادفع")

    key = shop.read(shop.pay, "spring").data["key"]

    assert (key["key"], key["description"]) == ("cart.pay", "The big one")
    assert key["tags"] == ["button", "cart"]
    assert shop.texts(shop.pay, "spring")["ar", None] == "ادفع"


def test_a_text_found_right_on_a_branch_is_not_outdated_there_any_more(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "Pay now")  # on main: German is outdated on both
    assert shop.approve(shop.pay, "de", "spring").status == 200
    shop.patch(shop.pay, description="The button under the ticket")

    marks = {
        branch: {
            value["languageCode"]: value["isOutdated"]
            for value in shop.read(shop.pay, branch).data["key"]["values"]
        }
        for branch in (None, "spring")
    }

    assert marks == {
        None: {"en": False, "de": True},
        "spring": {"en": False, "de": False},
    }


def test_a_source_text_of_a_branch_outdates_what_follows_main_there(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "Pay now", "spring")
    shop.patch(shop.pay, description="The button under the ticket")
    shop.write(shop.pay, "ar", "ادفع")

    values = shop.read(shop.pay, "spring").data["key"]["values"]

    assert {v["languageCode"]: v["isOutdated"] for v in values} == {
        "en": False,
        "de": True,
        "ar": True,
    }


def test_a_key_made_on_a_branch_is_on_no_other_line(shop: Branched) -> None:
    key = shop.create("spring", key="banner", values={"en": "Spring!"})
    shop.branch("autumn")

    assert key["keySource"] == "branch"
    assert shop.texts(key, "spring") == {("en", None): "Spring!"}
    assert shop.read(key).status == 404
    assert shop.read(key, "autumn").error["code"] == "key_not_found"
    assert shop.names("spring") == ["banner", "checkout.pay", "title"]
    assert shop.names() == ["checkout.pay", "title"]


def test_a_key_deleted_on_a_branch_is_not_found_there(shop: Branched) -> None:
    """service.md: a key deleted on the branch is reported as not found."""
    shop.delete(shop.pay, "spring")

    gone = shop.read(shop.pay, "spring")

    assert (gone.status, gone.error["code"]) == (404, "key_not_found")
    assert shop.names("spring") == ["title"]
    assert shop.read(shop.pay).status == 200


def test_names_are_unique_as_seen_from_the_branch(shop: Branched) -> None:
    there = shop.owner.post(
        f"{shop.path}/keys", json={"key": "title"}, query={"branch": "spring"}
    )
    shop.patch(shop.title, "spring", key="heading")
    free = shop.create("spring", key="title", values={"en": "New"})

    assert there.error["code"] == "key_exists"
    assert shop.names("spring") == ["checkout.pay", "heading", "title"]
    assert shop.read(free, "spring").data["key"]["key"] == "title"


def test_mains_key_of_a_name_that_the_branch_has_taken_stays_out_of_its_sight(
    shop: Branched,
) -> None:
    own = shop.create("spring", key="banner", values={"en": "Spring!"})
    theirs = shop.create(key="banner", values={"en": "Hello"})

    assert shop.names("spring") == ["banner", "checkout.pay", "title"]
    assert shop.read(own, "spring").status == 200
    assert shop.read(theirs, "spring").status == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"search": "bezahl"}, ["checkout.pay"]),
        ({"search": "zahlen"}, ["checkout.pay"]),
        ({"search": "shop"}, ["title"]),
        ({"tag": "button"}, []),
        ({"tag": "new"}, ["banner", "checkout.pay"]),
        ({"languageCode": "de", "status": "approved"}, ["banner", "checkout.pay"]),
        ({"languageCode": "de", "status": "untranslated"}, ["title"]),
        ({"status": "untranslated"}, ["banner", "checkout.pay", "title"]),
        ({"prefix": "b"}, ["banner"]),
        ({"isPlural": "false"}, ["banner", "checkout.pay", "title"]),
        ({"isOutdated": "true"}, []),
        ({"isOutdated": "false"}, ["banner", "checkout.pay", "title"]),
        ({"sort": "-key"}, ["title", "checkout.pay", "banner"]),
        ({"sort": "createdAt"}, ["checkout.pay", "title", "banner"]),
    ],
)
def test_every_filter_sees_the_branch_as_it_reads(
    shop: Branched, query: dict[str, str], found: list[str]
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", tags=["new"])
    shop.create("spring", key="banner", tags=["new"], values={"de": "Los!"})

    assert shop.names("spring", **query) == found


def test_pages_of_a_branch_add_up_to_its_total(shop: Branched) -> None:
    for number in range(7):
        shop.create(key=f"main.k{number}")
        shop.create("spring", key=f"spring.k{number}")
    shop.delete(shop.title, "spring")

    query = {"branch": "spring", "limit": "4"}
    pages = [
        shop.owner.get(f"{shop.path}/keys", query={**query, "page": str(page)}).data
        for page in (1, 2, 3, 4, 5)
    ]

    names = [key["key"] for page in pages for key in page["items"]]
    assert {page["total"] for page in pages} == {15}
    assert names == sorted(names)
    assert len(set(names)) == 15


def test_bulk_and_values_write_on_a_branch(shop: Branched) -> None:
    query = {"branch": "spring"}
    shop.owner.post(
        f"{shop.path}/keys/bulk",
        json={"keys": [{"key": "a", "values": {"en": "A"}}, {"key": "title"}]},
        query=query,
    )
    shop.owner.put(
        f"{shop.path}/values",
        json={"items": [{"key": "title", "languageCode": "de", "value": "Laden"}]},
        query=query,
    )

    assert shop.names("spring") == ["a", "checkout.pay", "title"]
    assert shop.texts(shop.title, "spring")["de", None] == "Laden"
    assert ("de", None) not in shop.texts(shop.title)


def test_an_export_and_an_import_take_a_branch(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    accepted = shop.owner.post(
        f"{shop.path}/import",
        form={"languageCode": "de", "branch": "spring", "format": "json-nested"},
        files={"file": Upload("de.json", b'{"title": "Laden"}', "application/json")},
    )
    shop.workspace.run_jobs()

    query = {"format": "json-flat", "languageCodes": "de"}
    branch = shop.owner.get(f"{shop.path}/export", query={**query, "branch": "spring"})
    main = shop.owner.get(f"{shop.path}/export", query=query)

    assert shop.workspace.job_of(accepted)["status"] == "succeeded"
    assert branch.json == {"checkout.pay": "Bezahlen", "title": "Laden"}
    assert main.json == {"checkout.pay": "Zahlen"}


def test_a_distribution_delivers_a_branch(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    body = {"name": "Preview", "format": "json-flat", "branch": "spring"}
    made = shop.owner.post(f"{shop.path}/distributions", json=body).data
    shop.workspace.run_jobs()

    public = Client(shop.workspace.app)
    key = made["distribution"]["publicKey"]
    manifest = public.get(f"/content/{key}/manifest.json").json
    [german] = [file for file in manifest["files"] if file["language"] == "de"]

    content = public.get(german["url"].partition("/api/v1")[2]).json
    assert content["checkout.pay"] == "Bezahlen"


def test_protection_of_main_sends_writers_to_a_branch(workspace: Workspace) -> None:
    """service.md, States: the write must target a branch."""
    shop = Branched(workspace)
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.write(shop.pay, "de", "Bezahlen")
    taken = shop.write(shop.pay, "de", "Bezahlen", "spring")
    merged = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert (taken.status, merged.status) == (200, 200)
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"


def test_a_language_stays_with_its_texts_while_main_is_protected(
    workspace: Workspace,
) -> None:
    """Decisions 2.3.3: only a merge passes."""
    shop = Branched(workspace)
    german = f"{shop.path}/languages/de"
    shop.owner.patch(shop.path, json={"mainProtected": True})

    refused = shop.owner.delete(german)
    kept = shop.texts(shop.pay)["de", None]
    shop.owner.patch(shop.path, json={"mainProtected": False})

    assert (refused.status, refused.error["code"]) == (409, "branch_protected")
    assert "mainProtected" in refused.error["message"]
    assert kept == "Zahlen"
    assert shop.owner.delete(german).status == 200


def test_main_may_be_named_where_a_branch_may(shop: Branched) -> None:
    """No branch can have its name, so nothing else can be meant."""
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    asked = {"branch": "main"}
    body = {"name": "Web", "format": "json-nested", "branch": "main"}

    written = shop.write(shop.pay, "en", "Pay now", "main")
    made = shop.owner.post(f"{shop.path}/distributions", json=body)

    texts = {("en", None): "Pay now", ("de", None): "Zahlen"}
    assert written.status == 200
    assert shop.texts(shop.pay) == shop.texts(shop.pay, "main") == texts
    assert shop.owner.get(f"{shop.path}/statistics", query=asked).status == 200
    assert made.data["distribution"]["branch"] is None


def test_main_is_no_branch_to_read_compare_merge_or_close(shop: Branched) -> None:
    main = f"{shop.path}/branches/main"

    answers = [
        shop.owner.get(main),
        shop.owner.get(f"{main}/diff"),
        shop.owner.post(f"{main}/merge", json={}),
        shop.owner.delete(main),
    ]

    found = [(answer.status, answer.error["code"]) for answer in answers]
    assert found == [(404, "branch_not_found")] * 4


def test_a_language_that_leaves_or_joins_the_project_does_so_on_the_branch(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.owner.delete(f"{shop.path}/languages/de")
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "fr"})
    shop.write(shop.title, "fr", "Boutique", "spring")

    assert shop.texts(shop.pay, "spring") == {("en", None): "Pay"}
    query = {"languageCode": "fr", "status": "untranslated"}
    assert shop.names("spring", **query) == ["checkout.pay"]
    assert shop.merge().data["applied"] == {"added": 1, "updated": 0, "deleted": 0}


# diff and merge


def test_a_diff_tells_each_field_of_each_language_apart(shop: Branched) -> None:
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


def test_a_merge_does_what_the_diff_told_and_empties_the_branch(shop: Branched) -> None:
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


def test_merging_again_does_nothing(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.merge()
    shop.write(shop.pay, "de", "Kaufen")

    again = shop.merge(shop.one()["id"])

    assert again.status == 200
    assert again.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert shop.texts(shop.pay)["de", None] == "Kaufen"


def test_merging_a_branch_that_stays_open_again_tells_nobody(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    merged = shop.merge(closeAfter=False).data["branch"]

    again = shop.merge(closeAfter=False)

    assert again.status == 200
    assert again.data["branch"] == merged
    events = shop.workspace.framework.storage.events
    told = events.list_events(shop.keys.project["id"], 9)
    assert [event.type for event in told].count("branch.merged") == 1


def test_edits_in_different_languages_never_clash(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "ar", "ادفع")

    assert shop.merge().status == 200
    assert shop.texts(shop.pay) == {
        ("en", None): "Pay",
        ("de", None): "Bezahlen",
        ("ar", None): "ادفع",
    }


def test_a_conflict_is_reported_and_nothing_is_written(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.title, "spring", description="Heading")
    shop.write(shop.pay, "de", "Kaufen")

    refused = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "merge_conflict")
    [conflict] = refused.error["details"]["conflicts"]
    assert (conflict["base"], conflict["main"], conflict["branch"]) == (
        "Zahlen",
        "Kaufen",
        "Bezahlen",
    )
    assert shop.read(shop.title).data["key"]["description"] == ""
    assert shop.one()["status"] == "open"


@pytest.mark.parametrize(
    ("strategy", "text"), [("use_branch", "Bezahlen"), ("use_main", "Kaufen")]
)
def test_a_strategy_decides_conflicts(shop: Branched, strategy: str, text: str) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.patch(shop.title, "spring", description="Heading")

    merged = shop.merge(strategy=strategy)

    assert merged.status == 200
    assert shop.texts(shop.pay)["de", None] == text
    assert shop.read(shop.title).data["key"]["description"] == "Heading"


def test_a_resolution_decides_one_conflict_before_the_strategy(shop: Branched) -> None:
    for lang in ("de", "ar"):
        shop.write(shop.pay, lang, f"branch {lang}", "spring")
        shop.write(shop.pay, lang, f"main {lang}")
    [german] = [item for item in shop.diff() if item["languageCode"] == "de"]

    merged = shop.merge(
        strategy="use_main", resolutions=[{"changeId": german["id"], "use": "branch"}]
    )

    assert merged.status == 200
    assert shop.texts(shop.pay)["de", None] == "branch de"
    assert shop.texts(shop.pay)["ar", None] == "main ar"


def test_a_dry_run_tells_and_writes_nothing(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.write(shop.pay, "de", "Kaufen")

    told = shop.merge(dryRun=True)

    assert told.status == 200
    assert told.data["applied"] == {"added": 1, "updated": 0, "deleted": 0}
    assert [c["languageCode"] for c in told.data["conflicts"]] == ["de"]
    assert told.data["branch"]["status"] == "open"
    assert shop.texts(shop.pay)["de", None] == "Kaufen"


def test_a_deletion_against_an_edit_is_a_conflict_on_either_side(
    shop: Branched,
) -> None:
    shop.delete(shop.pay, "spring")
    shop.write(shop.pay, "de", "Kaufen")
    shop.write(shop.title, "de", "Laden", "spring")
    shop.delete(shop.title)

    conflicts = {(i["key"], i["type"]): i["conflict"] for i in shop.diff()}
    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    assert conflicts == {("checkout.pay", "deleted"): True, ("title", "added"): True}
    assert refused.error["code"] == "merge_conflict"
    assert merged.status == 200
    assert shop.names() == ["title"]
    assert shop.texts(shop.title) == {("en", None): "Shop", ("de", None): "Laden"}


def test_a_key_deleted_on_main_goes_from_a_branch_that_did_not_touch_it(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Zahlen", "spring")
    shop.delete(shop.pay)
    shop.delete(shop.title)

    assert shop.names("spring") == []
    assert shop.diff() == []


def test_tags_are_united(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", tags=["button", "branch"])
    shop.patch(shop.pay, tags=["main"])

    assert shop.merge().status == 200
    assert shop.read(shop.pay).data["key"]["tags"] == ["main", "branch"]


def test_keys_of_one_name_made_on_both_sides_become_one(shop: Branched) -> None:
    shop.create("spring", key="banner", values={"en": "Spring!", "de": "Los!"})
    theirs = shop.create(key="banner", values={"en": "Hello"})

    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    assert [c["languageCode"] for c in refused.error["details"]["conflicts"]] == ["en"]
    assert merged.status == 200
    assert shop.texts(theirs) == {("en", None): "Spring!", ("de", None): "Los!"}
    assert shop.names() == ["banner", "checkout.pay", "title"]


def test_plurals_turned_on_a_branch_merge_with_a_text_changed_on_main(
    shop: Branched,
) -> None:
    shop.patch(shop.title, "spring", isPlural=True)
    shop.write(shop.title, "en", {"one": "One shop"}, "spring")
    shop.write(shop.title, "en", "Shops")

    assert shop.texts(shop.title, "spring") == {
        ("en", "one"): "One shop",
        ("en", "other"): "Shops",
    }
    assert shop.merge().status == 200
    assert shop.texts(shop.title) == {
        ("en", "one"): "One shop",
        ("en", "other"): "Shops",
    }


def test_values_that_wait_for_review_go_on_waiting_after_a_merge(
    shop: Branched,
) -> None:
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    shop.keys.translator.put(
        path, json={"value": "Bezahlen"}, query={"branch": "spring"}
    )

    shop.merge()

    detail = shop.owner.get(path).data["value"]
    assert (detail["value"], detail["status"]) == ("Bezahlen", "pending_review")
    assert detail["approvedValue"] == "Zahlen"
    assert detail["origin"] == "merge"


def test_a_source_text_that_is_merged_outdates_what_the_branch_did_not_write(
    shop: Branched,
) -> None:
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


def test_events_of_a_branch_name_it_and_a_merge_tells_main(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.merge()

    events = shop.workspace.framework.storage.events.list_events(
        shop.keys.project["id"], 4
    )
    assert [(event.type, event.branch) for event in events] == [
        ("branch.merged", None),
        ("translation.updated", None),
        ("translation.updated", "spring"),
        ("branch.created", None),
    ]


def test_closing_nothing_and_merging_with_close_after_false(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    merged = shop.merge(closeAfter=False).data["branch"]
    shop.write(shop.pay, "de", "Kaufen", "spring")

    assert (merged["status"], merged["mergedAt"] is not None) == ("open", True)
    assert [item["base"] for item in shop.diff()] == ["Bezahlen"]


def test_languages_assigned_to_a_person_limit_what_they_merge(shop: Branched) -> None:
    member = shop.workspace.client("developer", languages=["ar"])
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    refused = shop.merge(client=member)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


def test_permissions_of_branches(shop: Branched) -> None:
    viewer = shop.workspace.client("viewer")

    assert shop.branch("mine", viewer).error["details"] == {"required": "branch_manage"}
    assert shop.merge(client=viewer).error["details"] == {"required": "branch_merge"}
    assert viewer.get(f"{shop.path}/branches/spring/diff").status == 200


# found by use


def test_an_import_and_a_restore_take_the_branch_of_the_query(shop: Branched) -> None:
    file = Upload("de.json", b'{"banner": "Fruehling!"}', "application/json")
    query = {"branch": "spring"}
    imported = shop.owner.post(
        f"{shop.path}/import", files={"file": file}, form={}, query=query
    )
    shop.workspace.job_of(imported)
    two = shop.owner.post(
        f"{shop.path}/import", files={"file": file}, form={"branch": "x"}, query=query
    )
    shop.delete(shop.title, "spring")
    path = f"{shop.path}/keys/{shop.title['id']}/restore"
    restored = shop.owner.post(path, query=query)

    assert shop.names() == ["checkout.pay", "title"]
    assert shop.names("spring") == ["banner", "checkout.pay", "title"]
    assert (two.status, two.error["code"]) == (400, "validation_failed")
    assert (restored.status, shop.read(shop.title).status) == (200, 200)


def test_names_that_both_sides_gave_away_refuse_the_merge_and_are_told_before(
    shop: Branched,
) -> None:
    shop.patch(shop.title, "spring", key="headline")
    shop.patch(shop.title, key="caption")
    shop.create("spring", key="caption")
    shop.create(key="headline")

    for strategy in ("use_branch", "use_main"):
        dry = shop.merge(strategy=strategy, dryRun=True)
        real = shop.merge(strategy=strategy)
        assert (dry.status, dry.error["code"]) == (409, "key_exists")
        assert (real.status, real.error["code"]) == (409, "key_exists")


def test_a_dry_run_without_conflicts_writes_nothing(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    before, diff = shop.one(), shop.diff()

    dry = shop.merge(dryRun=True)

    assert dry.data["applied"]["updated"] == 1
    assert dry.data["branch"] == before == shop.one()
    assert shop.diff() == diff
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


def test_a_merge_brings_what_is_outdated_as_the_branch_had_it(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "en", "Pay now", "spring")
    there = shop.outdated(shop.pay, "spring")

    shop.merge()

    assert there == shop.outdated(shop.pay) == {"en": False, "de": True}


def test_what_a_source_text_kept_fresh_on_a_branch_stays_so_when_it_is_merged(
    shop: Branched,
) -> None:
    path = f"{shop.path}/keys/{shop.pay['id']}/values/en"
    body = {"value": "Pay!", "keepFresh": True}
    shop.owner.put(path, json=body, query={"branch": "spring"})
    there = shop.outdated(shop.pay, "spring")

    shop.merge()

    assert there == shop.outdated(shop.pay) == {"en": False, "de": False}


def test_tags_that_would_be_too_many_together_are_a_conflict(shop: Branched) -> None:
    mine, theirs = ([f"{side}{n}" for n in range(15)] for side in "ab")
    shop.patch(shop.pay, "spring", tags=mine)
    shop.patch(shop.pay, tags=theirs)

    on_branch = shop.read(shop.pay, "spring").data["key"]["tags"]
    [change] = [change for change in shop.diff() if change["field"] == "tags"]
    refused = shop.merge()
    shop.merge(strategy="use_branch")

    assert on_branch == mine
    assert (change["conflict"], refused.status) == (True, 409)
    assert shop.read(shop.pay).data["key"]["tags"] == mine


def test_many_who_merge_at_once_all_hear_that_it_is_merged(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: shop.merge(), range(8)))

    assert [answer.status for answer in answers] == [200] * 8
    assert sum(answer.data["applied"]["updated"] for answer in answers) == 1
