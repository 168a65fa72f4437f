"""decisions 2.2: a refused text is named by the place that it has in the request."""

import pytest

from locframework.access.records import Actor, Caller
from locframework.errors import ValidationFailed
from locframework.keys.records import NewValue

LONG = "x" * 70_000


def places(error):
    """Where the details say it is; the message begins with the same."""
    found = [detail["path"] for detail in error["details"]]
    assert error["message"].startswith(f"{found[0]}: ")
    return found


def test_a_single_text_is_the_value_of_its_body(keys):
    key = keys.made()
    forms = keys.made(key="files", isPlural=True)

    assert places(keys.put(key, "de", LONG).error) == ["$.value"]
    assert places(keys.put(forms, "de", {"one": LONG}).error) == ["$.value.one"]
    assert keys.put(key, "de", {"one": "x"}).error["message"].startswith("$.value: ")


def test_a_text_of_a_new_key_is_named_as_its_language_is_spelt(keys):
    assert places(keys.create(values={"DE": LONG}).error) == ["$.values.DE"]


def test_python_is_told_the_same_place_as_http(keys):
    key, service = keys.made(), keys.workspace.framework.keys
    anyone = Caller(actor=Actor("system", "1"), everything=True)

    with pytest.raises(ValidationFailed, match=r"^\$\.value: "):
        service.set_value(anyone, keys.project["id"], key["id"], "de", NewValue(LONG))


def test_items_of_values_are_named_by_their_number(keys):
    key = keys.made()
    forms = keys.made(key="files", isPlural=True)
    fine = {"keyId": key["id"], "languageCode": "de", "value": "x"}
    items = [
        fine,
        fine | {"value": LONG},
        fine | {"key": "a.b"},
        {"languageCode": "de", "value": "x"},
        fine | {"keyId": forms["id"]},
    ]

    path = f"/projects/{keys.project['id']}/values"
    results = keys.owner.put(path, json={"items": items}).data["results"]

    assert places(results[1]["error"]) == ["$.items[1].value"]
    assert places(results[2]["error"]) == ["$.items[2]"]
    assert places(results[3]["error"]) == ["$.items[3]"]
    assert results[4]["error"]["code"] == "plural_mismatch"
    assert results[4]["error"]["message"].startswith("$.items[4].value: ")


def test_texts_of_a_batch_of_keys_are_named_by_the_number_of_the_key(keys):
    items = [
        {"key": "fine"},
        {"key": "long", "values": {"en": LONG}},
        {"key": "twice", "values": {"en": "x", "EN": "y"}},
    ]

    results = keys.owner.post(f"{keys.path}/bulk", json={"keys": items}).data["results"]

    assert places(results[1]["error"]) == ["$.keys[1].values.en"]
    assert places(results[2]["error"]) == ["$.keys[2].values"]
