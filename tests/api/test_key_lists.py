"""Decisions 2.3: batches and lists of keys."""

import pytest


def texts(key):
    return {(v["languageCode"], v["pluralForm"]): v["value"] for v in key["values"]}


def test_a_batch_tells_the_outcome_of_each_item(keys):
    keys.made(key="there", values={"de": "alt"})
    items = [
        {"key": "new", "values": {"en": "New"}},
        {"key": "there", "values": {"de": "neu"}},
        {"key": "bad key"},
        {"key": "new"},
    ]

    def outcomes(on_existing):
        body = {"keys": items, "onExisting": on_existing}
        results = keys.owner.post(f"{keys.path}/bulk", json=body).data["results"]
        assert [result["index"] for result in results] == [0, 1, 2, 3]
        return [(r["outcome"], (r["error"] or {}).get("code")) for r in results]

    twice, bad = ("failed", "validation_failed"), ("failed", "invalid_key")
    assert outcomes("skip") == [("created", None), ("skipped", None), bad, twice]
    assert outcomes("update") == [("skipped", None), ("updated", None), bad, twice]
    exists = ("failed", "key_exists")
    assert outcomes("fail") == [exists, exists, bad, twice]


def test_an_update_in_a_batch_leaves_what_it_does_not_name(keys):
    keys.made(description="kept", tags=["kept"], values={"de": "alt"})
    body = {"keys": [{"key": "a.b", "values": {"en": "x"}}], "onExisting": "update"}

    [result] = keys.owner.post(f"{keys.path}/bulk", json=body).data["results"]

    assert result["key"]["description"] == "kept"
    assert result["key"]["tags"] == ["kept"]
    assert texts(result["key"]) == {("en", None): "x", ("de", None): "alt"}


def test_values_are_set_in_a_batch_by_key_or_by_id(keys):
    key = keys.made()
    path = f"/projects/{keys.project['id']}/values"
    items = [
        {"key": "a.b", "languageCode": "de", "value": "Hallo"},
        {"keyId": key["id"], "languageCode": "ar", "value": "مرحبا"},
        {"key": "gone", "languageCode": "de", "value": "x"},
        {"key": "a.b", "keyId": key["id"], "languageCode": "de", "value": "x"},
        {"key": "a.b", "languageCode": "sv", "value": "x"},
    ]

    results = keys.owner.put(path, json={"items": items}).data["results"]

    codes = [(result["error"] or {}).get("code") for result in results]
    assert codes == [
        None,
        None,
        "key_not_found",
        "validation_failed",
        "language_not_in_project",
    ]
    assert keys.texts(key) == {("de", None): "Hallo", ("ar", None): "مرحبا"}


def test_a_key_of_another_project_is_not_found_by_its_id_and_the_other_items_are_set(
    keys,
):
    key = keys.made()
    other = keys.workspace.project(languages=["de"])
    foreign = keys.workspace.key(other, "a.b", values={"de": "alt"})
    items = [
        {"keyId": each["id"], "languageCode": "de", "value": "neu"}
        for each in (foreign, key)
    ]

    path = f"/projects/{keys.project['id']}/values"
    refused, done = keys.owner.put(path, json={"items": items}).data["results"]

    one = f"/projects/{other['id']}/keys/{foreign['id']}/values/de"
    assert (refused["outcome"], refused["key"]) == ("failed", None)
    assert refused["error"]["code"] == "key_not_found"
    assert done["outcome"] == "updated"
    assert keys.texts(key) == {("de", None): "neu"}
    assert keys.owner.get(one).data["value"]["value"] == "alt"


def test_a_blank_tag_is_told_with_the_item_that_has_it(keys):
    items = [{"key": "a"}, {"key": "b", "tags": ["x", " "]}]

    results = keys.owner.post(f"{keys.path}/bulk", json={"keys": items}).data["results"]

    assert results[0]["outcome"] == "created"
    assert results[1]["error"]["details"][0]["path"] == "$.keys[1].tags[1]"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "needs keyId or key"),
        ({"key": "a", "keyId": "b"}, "takes keyId or key, not both"),
    ],
)
def test_a_value_of_a_batch_names_its_key_in_one_way(keys, names, message):
    item = {"languageCode": "de", "value": "x", **names}
    path = f"/projects/{keys.project['id']}/values"

    [result] = keys.owner.put(path, json={"items": [item]}).data["results"]

    assert result["error"]["message"] == f"$.items[0]: {message}"


@pytest.mark.parametrize("count", [0, 501])
def test_a_batch_has_1_to_500_items(keys, count):
    body = {"keys": [{"key": f"k{n}"} for n in range(count)]}

    answer = keys.owner.post(f"{keys.path}/bulk", json=body)

    assert answer.error["code"] == "validation_failed"


def test_a_list_is_found_by_every_filter(keys):
    keys.made(key="cart.pay", values={"en": "Pay", "de": "Zahlen"}, tags=["button"])
    keys.made(key="cart.sum", values={"en": "Sum"}, tags=["button", "legal"])
    keys.made(key="files", isPlural=True, values={"en": {"other": "100% 設定_"}})

    assert keys.names() == ["cart.pay", "cart.sum", "files"]
    assert keys.names(sort="-key") == ["files", "cart.sum", "cart.pay"]
    assert keys.names(search="ZAHL") == ["cart.pay"]
    assert keys.names(search="%") == ["files"]
    assert keys.names(search="設定_") == ["files"]
    assert keys.names(prefix="cart.") == ["cart.pay", "cart.sum"]
    assert keys.names(tag=["button", "legal"]) == ["cart.sum"]
    assert keys.names(isPlural=True) == ["files"]
    assert keys.names(languageCode="de", status="untranslated") == ["cart.sum", "files"]
    assert keys.names(languageCode="de", status="approved") == ["cart.pay"]
    assert keys.names(isOutdated=True) == []
    assert keys.names(hasIssues=True) == ["files"]  # it lacks the form one
    assert keys.names(updatedSince="2020-01-01T00:00:00Z", tag="legal") == ["cart.sum"]
    assert keys.names(updatedSince="2100-01-01T00:00:00Z") == []


def test_keys_in_a_state_are_outdated_in_it_or_not(keys):
    key = keys.made(key="a", values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "ar", "x", keys.translator)
    keys.put(key, "en", "Pay now")
    keys.put(key, "de", "Bezahlen")

    def found(**query):
        return [
            len(keys.names(isOutdated=stale, **query)) for stale in ("true", "false")
        ]

    assert found(status="approved") == [0, 1]
    assert found(status="pending_review") == [1, 0]


def test_a_page_past_the_end_is_empty_with_the_right_total(keys):
    for name in ("a", "b", "c"):
        keys.made(key=name)

    page = keys.owner.get(keys.path, query={"page": 2, "limit": 2}).data
    past = keys.owner.get(keys.path, query={"page": 9, "limit": 2}).data

    assert [key["key"] for key in page["items"]] == ["c"]
    assert (page["total"], page["page"], page["limit"]) == (3, 2, 2)
    assert (past["items"], past["total"]) == ([], 3)


def test_include_values_adds_them_to_each_key_of_a_list(keys):
    keys.made(values={"de": "Zahlen"})

    [bare] = keys.owner.get(keys.path).data["items"]
    [whole] = keys.owner.get(keys.path, query={"include": "values"}).data["items"]

    assert "values" not in bare
    assert texts(whole) == {("de", None): "Zahlen"}


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 0},
        {"limit": 201},
        {"page": 0},
        {"page": 1_000_001},
        {"page": "x"},
        {"sort": "colour"},
        {"status": "lost"},
        {"isPlural": "yes"},
        {"updatedSince": "yesterday"},
        {"languageCode": "??"},
    ],
)
def test_a_query_against_the_rules_is_400(keys, query):
    answer = keys.owner.get(keys.path, query=query)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    [problem] = answer.error["details"]
    assert next(iter(query)) in problem["path"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("İstanbul", ["istanbul", "ISTANBUL", "i\u0307stanbul", "İSTANBUL", "stan"]),
        ("Straße", ["STRASSE", "strasse", "STRAẞE", "ſtraſſe"]),
        ("ΟΔΟΣ", ["οδος", "οδοσ", "Οδος"]),
        ("Πρωτεΐνη", ["ΠΡΩΤΕΪ\u0301ΝΗ", "πρωτεΐνη"]),
    ],
)
def test_search_folds_case_as_unicode_does(keys, text, asked):
    keys.made(key="value", values={"de": f"Nach {text}!"})
    keys.made(key="described", description=text)
    keys.made(key="other", values={"de": "Ístánbúl Ofen"})

    found = [keys.names(search=search) for search in asked]

    assert found == [["described", "value"]] * len(asked)


def test_search_finds_the_texts_of_each_language_whichever_was_written_last(keys):
    for code in ("fr", "ru"):  # they share a row of SQLite's index
        body = {"languageCode": code}
        keys.owner.post(f"/projects/{keys.project['id']}/languages", json=body)
    texts = {"de": "Guten Tag", "fr": "bonjour", "ru": "привет"}
    key = keys.made(values=texts)

    for code, text in (("fr", "salut"), ("ru", "здравствуй"), ("de", "Grüezi")):
        before, texts[code] = texts[code], text
        keys.put(key, code, text)

        assert [keys.names(search=each) for each in texts.values()] == [["a.b"]] * 3
        assert keys.names(search=before) == []
    keys.owner.patch(f"{keys.path}/{key['id']}", json={"key": "renamed"})
    found = [keys.names(search=each) for each in (*texts.values(), "name", "a.b")]
    assert found == [["renamed"]] * 4 + [[]]


def test_a_status_is_asked_of_any_form_and_counted_by_the_worst(keys):
    key = keys.made(isPlural=True, values={"de": {"one": "Datei"}})
    keys.put(key, "de", {"other": "Dateien"}, keys.translator)
    listed = [
        keys.names(languageCode="de", status=s) for s in ("approved", "pending_review")
    ]
    path = f"/projects/{keys.project['id']}/statistics"
    [german] = [
        each
        for each in keys.owner.get(path).data["statistics"]["languages"]
        if each["languageCode"] == "de"
    ]

    assert listed == [["a.b"], ["a.b"]]
    assert (german["approved"], german["pendingReview"]) == (0, 1)
