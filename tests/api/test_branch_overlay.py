"""A branch reads as main with its own edits over it, by whatever way it is read."""

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Client


def test_a_branch_reads_its_copies_as_they_were_copied_and_the_rest_from_main(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.write(shop.pay, "en", "Pay now")

    assert shop.texts(shop.pay, "spring") == {
        ("en", None): "Pay",
        ("de", None): "Bezahlen",
    }
    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert shop.read(shop.pay, "spring").data["key"]["keySource"] == "branch"
    assert shop.read(shop.title, "spring").data["key"]["keySource"] == "main"
    assert shop.read(shop.pay).data["key"]["keySource"] == "main"


def test_a_text_found_right_on_a_branch_is_not_outdated_there_any_more(shop):
    shop.write(shop.pay, "en", "Pay now")  # on main: German is outdated on both
    assert shop.approve(shop.pay, "de", "spring").status == 200
    shop.patch(shop.pay, description="The button under the ticket")

    assert shop.outdated(shop.pay) == {"en": False, "de": True}
    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": False}


def test_turning_plurals_on_main_makes_nothing_outdated(shop):
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "en", {"one": "Pay once"})  # the first of its form

    for branch in ("spring", None):
        assert not shop.outdated(shop.pay, branch)["de"]


def test_a_key_made_on_a_branch_is_on_no_other_line(shop):
    key = shop.create("spring", key="banner", values={"en": "Spring!"})
    shop.branch("autumn")

    assert key["keySource"] == "branch"
    assert shop.texts(key, "spring") == {("en", None): "Spring!"}
    assert shop.read(key).status == 404
    assert shop.read(key, "autumn").error["code"] == "key_not_found"
    assert shop.names("spring") == ["banner", "checkout.pay", "title"]
    assert shop.names() == ["checkout.pay", "title"]


def test_a_key_deleted_on_a_branch_is_not_found_there(shop):
    """service.md: a key deleted on the branch is reported as not found."""
    shop.delete(shop.pay, "spring")

    gone = shop.read(shop.pay, "spring")

    assert (gone.status, gone.error["code"]) == (404, "key_not_found")
    assert shop.names("spring") == ["title"]
    assert shop.read(shop.pay).status == 200


def test_names_are_unique_as_seen_from_the_branch(shop):
    there = shop.owner.post(
        f"{shop.path}/keys", json={"key": "title"}, query={"branch": "spring"}
    )
    shop.patch(shop.title, "spring", key="heading")
    free = shop.create("spring", key="title", values={"en": "New"})

    assert there.error["code"] == "key_exists"
    assert shop.names("spring") == ["checkout.pay", "heading", "title"]
    assert shop.read(free, "spring").data["key"]["key"] == "title"


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
def test_every_filter_sees_the_branch_as_it_reads(shop, query, found):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.patch(shop.pay, "spring", tags=["new"])
    shop.create("spring", key="banner", tags=["new"], values={"de": "Los!"})

    assert shop.names("spring", **query) == found


def test_pages_of_a_branch_add_up_to_its_total(shop):
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


def test_bulk_and_values_write_on_a_branch(shop):
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


def test_an_export_and_an_import_take_a_branch(shop):
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


def test_an_import_and_a_restore_take_the_branch_of_the_query(shop):
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


def test_a_distribution_delivers_a_branch(shop):
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


def test_a_language_that_leaves_or_joins_the_project_does_so_on_the_branch(shop):
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.owner.delete(f"{shop.path}/languages/de")
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "fr"})
    shop.write(shop.title, "fr", "Boutique", "spring")

    assert shop.texts(shop.pay, "spring") == {("en", None): "Pay"}
    query = {"languageCode": "fr", "status": "untranslated"}
    assert shop.names("spring", **query) == ["checkout.pay"]
    assert shop.merge().data["applied"] == {"added": 1, "updated": 0, "deleted": 0}
