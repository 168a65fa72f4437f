"""service.md, Key, create a key, get a key; decisions 2.3: each line."""

import pytest

KEY_FIELDS = [
    "createdAt",
    "description",
    "id",
    "isPlural",
    "key",
    "keySource",
    "projectId",
    "screenshotFileId",
    "screenshotUrl",
    "tags",
    "updatedAt",
]
VALUE_FIELDS = ["isOutdated", "languageCode", "pluralForm", "status", "value"]


def test_a_key_is_made_of_its_name_alone_with_defaults(keys):
    answer = keys.create()
    key = answer.data["key"]

    assert answer.status == 201
    assert sorted(key) == KEY_FIELDS
    assert (key["description"], key["tags"], key["isPlural"]) == ("", [], False)
    assert (key["screenshotUrl"], key["screenshotFileId"]) == (None, None)
    assert key["keySource"] == "main"
    assert key["projectId"] == keys.project["id"]


def test_values_may_be_seeded_in_the_same_call(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen", "ar": ""})

    found = keys.get(key)

    assert [sorted(value) for value in found["values"]] == [VALUE_FIELDS] * 2
    assert keys.texts(key) == {("en", None): "Pay", ("de", None): "Zahlen"}
    assert {value["status"] for value in found["values"]} == {"approved"}


def test_a_language_that_is_spelled_in_two_ways_is_refused(keys):
    values = {"EN": "Pay", "en": "Pay now"}

    alone = keys.create(values=values)
    bulk = keys.owner.post(
        f"{keys.path}/bulk", json={"keys": [{"key": "a.b", "values": values}]}
    )

    assert (alone.status, alone.error["code"]) == (400, "validation_failed")
    assert [each["path"] for each in alone.error["details"]] == ["$.values"]
    [item] = bulk.data["results"]
    assert (item["outcome"], item["error"]["code"]) == ("failed", "validation_failed")
    assert keys.names() == []


def test_a_plural_key_takes_values_by_plural_form(keys):
    key = keys.made(isPlural=True, values={"en": {"other": "files", "one": "file"}})

    assert keys.texts(key) == {("en", "one"): "file", ("en", "other"): "files"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"key": ""}, "validation_failed"),
        ({"key": "k" * 501}, "validation_failed"),
        ({"key": "a..b"}, "invalid_key"),
        ({"key": "a b"}, "invalid_key"),
        ({"key": "grün"}, "invalid_key"),
        ({"key": 1}, "validation_failed"),
        ({"description": "x" * 1001}, "validation_failed"),
        ({"tags": ["x"] * 21}, "validation_failed"),
        ({"tags": ["x" * 51]}, "validation_failed"),
        ({"tags": [" "]}, "validation_failed"),
        ({"isPlural": 1}, "validation_failed"),
        ({"values": {"sv": "x"}}, "language_not_in_project"),
        ({"values": {"not a tag": "x"}}, "language_not_in_project"),
        ({"values": {"de": {"other": "x"}}}, "plural_mismatch"),
        ({"isPlural": True, "values": {"de": "x"}}, "plural_mismatch"),
        ({"isPlural": True, "values": {"de": {"several": "x"}}}, "invalid_plural_form"),
    ],
)
def test_a_body_against_the_rules_is_refused_and_nothing_is_stored(keys, body, code):
    answer = keys.create(**body)

    assert (answer.status, answer.error["code"]) == (400, code)
    assert keys.names() == []


def test_the_limits_of_service_md_are_inclusive_and_count_code_points(keys):
    answer = keys.create(
        key="k" * 500,
        description="😀" * 1000,
        tags=[f"{n:02}" + "ä" * 48 for n in range(20)],
    )

    assert answer.status == 201
    assert len(answer.data["key"]["tags"]) == 20


def test_tags_are_trimmed_and_kept_once_in_order(keys):
    assert keys.made(tags=[" b", "a ", "b"])["tags"] == ["b", "a"]


def test_the_same_key_again_is_409_and_case_makes_another_key(keys):
    keys.made()

    assert keys.create().error["code"] == "key_exists"
    assert keys.create(key="A.b").status == 201


def test_the_separator_of_the_project_rules_the_segments(workspace):
    project = workspace.project(keySeparator=":")
    path = f"/projects/{project['id']}/keys"

    assert workspace.owner.post(path, json={"key": "a:b"}).status == 201
    refused = workspace.owner.post(path, json={"key": "a.b"})
    assert refused.error["code"] == "invalid_key"


def test_a_protected_main_takes_no_direct_write(keys):
    key = keys.made(values={"de": "alt"})
    keys.owner.patch(f"/projects/{keys.project['id']}", json={"mainProtected": True})
    one = f"{keys.path}/{key['id']}"

    refused = [
        keys.create(key="c"),
        keys.put(key, "de", "neu"),
        keys.owner.patch(one, json={"description": "x"}),
        keys.owner.delete(one),
        keys.owner.post(f"{keys.path}/bulk", json={"keys": [{"key": "c"}]}),
        keys.owner.put(
            f"/projects/{keys.project['id']}/values",
            json={"items": [{"key": "a.b", "languageCode": "de", "value": "neu"}]},
        ),
    ]

    for answer in refused:
        assert (answer.status, answer.error["code"]) == (409, "branch_protected")
        assert "branch" in answer.error["message"]
    assert keys.texts(key) == {("de", None): "alt"}


def test_a_branch_that_is_not_there_is_404(keys):
    key = keys.made()

    for answer in (
        keys.owner.post(keys.path, json={"key": "c"}, query={"branch": "new"}),
        keys.owner.get(f"{keys.path}/{key['id']}", query={"branch": "new"}),
        keys.owner.get(keys.path, query={"branch": "new"}),
    ):
        assert (answer.status, answer.error["code"]) == (404, "branch_not_found")


def test_seeding_values_needs_the_permission_to_write_them(keys):
    narrow = keys.workspace.client("owner", permissions=["key_create"])

    assert keys.create(narrow, key="c").status == 201
    refused = keys.create(narrow, key="d", values={"en": "x"})
    assert refused.error["details"] == {"required": "translation_write"}


def test_a_key_that_is_not_there_is_404(keys):
    for key_id in ("0" * 36, "01890a5d-ac96-774b-bcce-b302099a8057", "x"):
        answer = keys.owner.get(f"{keys.path}/{key_id}")

        assert (answer.status, answer.error["code"]) == (404, "key_not_found"), key_id


def test_values_come_in_project_language_order_then_by_plural_form(keys):
    key = keys.made(
        isPlural=True,
        values={"ar": {"other": "o", "zero": "z", "two": "t"}, "en": {"one": "1"}},
    )

    places = list(keys.texts(key))

    assert places == [("en", "one"), ("ar", "zero"), ("ar", "two"), ("ar", "other")]


def test_a_deleted_key_is_not_found_and_comes_back_with_its_values(keys):
    key = keys.made(values={"de": "Zahlen"})
    one = f"{keys.path}/{key['id']}"

    assert keys.owner.delete(one).data == {"id": key["id"], "deleted": True}
    assert keys.owner.get(one).error["code"] == "key_not_found"
    assert keys.names() == []

    assert keys.owner.post(f"{one}/restore").status == 200
    assert keys.texts(key) == {("de", None): "Zahlen"}
    assert keys.owner.post(f"{one}/restore").error["code"] == "key_not_found"


def test_a_key_whose_name_was_taken_meanwhile_is_not_restored(keys):
    key = keys.made()
    keys.owner.delete(f"{keys.path}/{key['id']}")
    other = keys.made()

    restored = keys.owner.post(f"{keys.path}/{key['id']}/restore")

    assert restored.error["code"] == "key_exists"
    assert restored.error["message"].startswith(f"key {other['id']} now has the name")


def test_a_key_that_the_separator_made_none_is_not_restored(keys):
    key = keys.made(key="checkout.pay")
    keys.owner.delete(f"{keys.path}/{key['id']}")
    project = f"/projects/{keys.project['id']}"
    assert keys.owner.patch(project, json={"keySeparator": "/"}).status == 200

    refused = keys.owner.post(f"{keys.path}/{key['id']}/restore")
    keys.owner.patch(project, json={"keySeparator": "."})
    restored = keys.owner.post(f"{keys.path}/{key['id']}/restore")

    assert (refused.status, refused.error["code"]) == (400, "invalid_key")
    assert restored.status == 200


def test_turning_plurals_where_there_are_texts_needs_the_right_to_write_them(keys):
    full, empty = keys.made(values={"en": "Pay"}), keys.made(key="b")
    allowed = ["key_update", "key_create", "translation_read"]
    namer = keys.workspace.client("developer", permissions=allowed)

    def turn(key):
        path = f"{keys.path}/{key['id']}"
        return namer.patch(path, json={"isPlural": True})

    refused, done = turn(full), turn(empty)
    body = {"keys": [{"key": "a.b", "isPlural": True}], "onExisting": "update"}
    [bulk] = namer.post(f"{keys.path}/bulk", json=body).data["results"]

    assert refused.error["details"] == {"required": "translation_write"}
    assert done.data["key"]["isPlural"] is True
    assert bulk["error"]["code"] == "permission_denied"
    assert keys.texts(full) == {("en", None): "Pay"}


def test_the_trash_tells_what_can_be_restored_and_who_deleted_it(keys):
    first, second = keys.made(key="checkout.pay"), keys.made(key="title")
    developer = keys.workspace.client("developer")
    for key, client in ((first, developer), (second, keys.owner)):
        assert client.delete(f"{keys.path}/{key['id']}").status == 200
    trash = f"{keys.path}/trash"

    page = keys.translator.get(trash).data
    found = keys.translator.get(trash, query={"search": "CHECK"}).data

    assert [key["key"] for key in page["items"]] == ["title", "checkout.pay"]
    assert found["items"] == [page["items"][1]]
    told = found["items"][0]
    actor = keys.workspace.framework.authenticate(developer.token).actor
    assert told["deletedBy"] == actor.id
    assert told["deletedAt"] >= first["updatedAt"]
    assert {name: told[name] for name in first} == first
    assert keys.owner.post(f"{keys.path}/{first['id']}/restore").status == 200
    assert keys.owner.get(trash).data["total"] == 1


def test_a_branch_has_a_trash_of_its_own(keys):
    key = keys.made()
    keys.owner.post(f"/projects/{keys.project['id']}/branches", json={"name": "spring"})
    spring = {"branch": "spring"}
    keys.owner.delete(f"{keys.path}/{key['id']}", query=spring)

    there = keys.owner.get(f"{keys.path}/trash", query=spring).data["items"]

    assert [(one["id"], one["keySource"]) for one in there] == [(key["id"], "branch")]
    assert keys.owner.get(f"{keys.path}/trash").data["items"] == []
    one = f"{keys.path}/{key['id']}/restore"
    assert keys.owner.post(one, query=spring).status == 200
    assert keys.owner.get(f"{keys.path}/trash", query=spring).data["items"] == []


def test_a_batch_leaves_out_the_items_that_are_too_long_and_no_other(keys):
    items = [{"key": f"k{number}"} for number in range(500)]
    items[7]["key"] = "x" * 501
    items[8]["key"] = ""
    items[9]["description"] = "x" * 1001
    items[10]["tags"] = ["x"] * 21
    items[11]["tags"] = ["fine", "x" * 51]
    items[12]["key"] = "not legal"

    answer = keys.owner.post(f"{keys.path}/bulk", json={"keys": items})

    assert answer.status == 200
    failed = {
        result["index"]: result["error"]
        for result in answer.data["results"]
        if result["outcome"] != "created"
    }
    assert {at: error["message"] for at, error in failed.items()} == {
        7: "$.keys[7].key: Expected `str` of length <= 500",
        8: "$.keys[8].key: Expected `str` of length >= 1",
        9: "$.keys[9].description: Expected `str` of length <= 1000",
        10: "$.keys[10].tags: Expected `array` of length <= 20",
        11: "$.keys[11].tags[1]: Expected `str` of length <= 50",
        12: "key 'not legal': segments may have only A-Z a-z 0-9 _ -",
    }
    assert failed[7]["details"] == [
        {"path": "$.keys[7].key", "rule": "length",
         "message": "Expected `str` of length <= 500"}
    ]  # fmt: skip
    assert keys.owner.get(keys.path, query={"limit": 1}).data["total"] == 494


def test_an_item_that_is_left_alone_is_answered_with_its_values(keys):
    keys.made(key="one", isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.made(key="two", values={"en": "Two", "de": "Zwei"})
    body = {"keys": [{"key": "two"}, {"key": "new"}, {"key": "one"}]}
    branches = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(branches, json={"name": "spring"}).status == 201

    for query in ({}, {"branch": "spring"}):
        results = keys.owner.post(f"{keys.path}/bulk", json=body, query=query).data
        for result in results["results"]:
            path = f"{keys.path}/{result['key']['id']}"
            assert result["key"] == keys.owner.get(path, query=query).data["key"]
        outcomes = [result["outcome"] for result in results["results"]]
        made = "skipped" if query else "created"
        assert outcomes == ["skipped", made, "skipped"]


def test_a_language_that_is_not_there_is_told_where_it_stands(keys):
    body = {"key": "a", "values": {"fr": "x"}}
    refused = keys.create(**body)
    bulk = keys.owner.post(f"{keys.path}/bulk", json={"keys": [{"key": "b"}, body]})

    message = "values.fr: the project has no language 'fr'"
    assert refused.error["message"] == f"$.{message}"
    assert bulk.data["results"][1]["error"]["message"] == f"$.keys[1].{message}"


def test_a_batch_whose_items_are_no_keys_is_refused(keys):
    for wrong in ({"key": 3}, {"key": "a", "tags": None}, {}, "a"):
        body = {"keys": [{"key": "fine"}, wrong]}

        answer = keys.owner.post(f"{keys.path}/bulk", json=body)

        assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert keys.names() == []
