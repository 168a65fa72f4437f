"""A branch reads as main with its own edits over it, by whatever way it is read."""

from __future__ import annotations

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Client

from .branched import Branched


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


def test_a_new_key_of_main_shows_on_a_branch_whose_key_had_that_name(
    shop: Branched,
) -> None:
    shop.branch("autumn")
    shop.write(shop.pay, "de", "Bezahlen", "autumn")
    shop.patch(shop.pay, "spring", key="cart.pay")
    new = shop.create("spring", key="checkout.pay", values={"en": "Pay"})

    assert shop.merge().status == 200  # both at once

    assert shop.names("autumn") == ["cart.pay", "checkout.pay", "title"]
    assert shop.read(new, "autumn").data["key"]["key"] == "checkout.pay"
    assert shop.write(new, "de", "Zahlen", "autumn").status == 200


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


def test_a_key_deleted_on_main_goes_from_a_branch_that_did_not_touch_it(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "de", "Zahlen", "spring")
    shop.delete(shop.pay)
    shop.delete(shop.title)

    assert shop.names("spring") == []
    assert shop.diff() == []


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


def test_a_name_that_comes_free_as_a_language_leaves_is_taken_as_on_main(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.write(shop.title, "ar", "متجر", "spring")
    shop.delete(shop.pay)
    shop.patch(shop.title, key="checkout.pay")

    shop.owner.delete(f"{shop.path}/languages/ar")

    assert shop.read(shop.pay, "spring").status == 404
    assert shop.read(shop.title, "spring").data["key"]["key"] == "checkout.pay"
    assert shop.diff() == []


def test_a_new_key_of_main_comes_into_sight_as_another_leaves_its_name(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    mine = shop.create("spring", key="cart.pay", values={"en": "Mine"})
    shop.patch(shop.pay, key="cart.pay")
    new = shop.create(key="checkout.pay", values={"en": "New"})
    shop.delete(mine, "spring")
    assert shop.read(new, "spring").status == 404

    shop.write(shop.pay, "en", "Pay now")

    assert shop.names("spring") == ["cart.pay", "checkout.pay", "title"]
    assert shop.read(new, "spring").status == 200
