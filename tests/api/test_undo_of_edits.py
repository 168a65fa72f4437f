"""Undo of key fields, plurals and values, and which translations are outdated then."""

import io
import json
from zipfile import ZipFile

import pytest

from locframework.http.records import Upload
from tests.images import png

from .undoing import (
    Period,
    actor_of,
    counts,
    create_branch,
    delete,
    events,
    is_found,
    merge,
    outdated,
    patch,
    put_on_branch,
    reasons,
    restore,
    undo,
)

# fields of keys


def fields(keys, key):
    now = keys.get(key)
    detail = keys.owner.get(f"{keys.path}/{key['id']}/detail").data["detail"]
    return now["key"], now["description"], now["tags"], detail["maxLength"]


def test_fields_go_back_where_nobody_changed_them_later(keys):
    developer = keys.workspace.client("developer")
    one = keys.made(tags=["label"], maxLength=9)
    two = keys.made(key="c", description="old")
    patch(
        keys,
        one,
        developer,
        maxLength=None,
        key="x",
        description="wrong",
        tags=["button"],
    )
    patch(keys, one, developer, description="worse")
    patch(keys, two, developer, key="y", description="wrong")
    patch(keys, two, description="right")

    result = undo(keys, actor=actor_of(keys, developer))

    assert fields(keys, one) == ("a.b", "", ["label"], 9)
    assert fields(keys, two) == ("c", "right", [], None)
    assert counts(result) == {"keysUpdated": 2}
    assert reasons(result) == [("y", "description", "changed_later")]
    undo(keys, jobId=result["jobId"])
    assert fields(keys, one) == ("x", "worse", ["button"], None)


def test_screenshot_goes_back_while_its_file_exists(keys):
    def upload(name):
        path = f"/projects/{keys.project['id']}/files"
        image = Upload(name, png(), "image/png")
        return str(keys.owner.post(path, files={"file": image}).data["file"]["id"])

    developer, key = keys.workspace.client("developer"), keys.made()
    old, deleted, new = upload("a.png"), upload("b.png"), upload("c.png")
    other = keys.made(key="other")
    patch(keys, key, screenshotFileId=old)
    patch(keys, other, screenshotFileId=deleted)
    for each in (key, other):
        patch(keys, each, developer, screenshotFileId=new)
    database = keys.workspace.framework.storage
    database.database.run("DELETE FROM files WHERE id = ?", (deleted,))

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.get(key)["screenshotFileId"] == old
    assert keys.get(key)["screenshotUrl"].endswith(f"/files/{old}")
    assert keys.get(other)["screenshotFileId"] == new
    assert reasons(result) == [("other", "screenshotFileId", "file_not_found")]


def test_names_that_were_swapped_go_back(keys):
    developer = keys.workspace.client("developer")
    one, two = keys.made(key="one"), keys.made(key="two")
    for key, name in ((one, "x"), (two, "one"), (one, "two")):
        patch(keys, key, developer, key=name)

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.get(key)["key"] for key in (one, two)] == ["one", "two"]
    assert (counts(result), result["skipped"]) == ({"keysUpdated": 2}, [])


def test_names_that_depend_on_a_taken_name_stay_too(keys):
    developer = keys.workspace.client("developer")
    chain = [keys.made(key=name) for name in ("one", "two", "three")]
    free = keys.made(key="free")
    for key, name in zip([*chain, free], ("x", "one", "two", "y"), strict=True):
        patch(keys, key, developer, key=name)
    keys.made(key="three")

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.get(key)["key"] for key in chain] == ["x", "one", "two"]
    assert keys.get(free)["key"] == "free"
    assert sorted(reasons(result)) == [
        (name, "key", "key_exists") for name in ("one", "two", "x")
    ]


# plurals


def test_plurals_go_back_with_the_values_they_moved(keys):
    developer = keys.workspace.client("developer")
    on = keys.made(values={"en": "File", "de": "Datei"})
    off = keys.made(
        key="off",
        isPlural=True,
        values={"de": {"one": "Datei", "other": "Dateien"}, "en": {"one": "File"}},
    )
    before = [keys.texts(key) for key in (on, off)]
    patch(keys, on, developer, isPlural=True)
    keys.put(on, "de", {"one": "eine", "other": "viele"}, developer)
    patch(keys, off, developer, isPlural=False)
    assert keys.texts(off) == {("de", None): "Dateien"}

    result = undo(keys, actor=actor_of(keys, developer))

    assert [keys.texts(key) for key in (on, off)] == before
    assert (result["keysUpdated"], result["skipped"]) == (2, [])
    undo(keys, jobId=result["jobId"])
    assert keys.texts(on) == {("de", "one"): "eine", ("de", "other"): "viele",
        ("en", "other"): "File"}  # fmt: skip
    assert keys.texts(off) == {("de", None): "Dateien"}


def test_plurals_stay_if_a_form_was_written_later(keys):
    developer = keys.workspace.client("developer")
    key = keys.made(values={"en": "File", "de": "Datei"})
    patch(keys, key, developer, isPlural=True)
    keys.put(key, "de", {"one": "eine"}, developer)
    keys.put(key, "en", {"one": "a file"})

    result = undo(keys, actor=actor_of(keys, developer))

    assert keys.get(key)["isPlural"]
    assert keys.texts(key) == {
        ("en", "one"): "a file", ("en", "other"): "File", ("de", "other"): "Datei",
    }  # fmt: skip
    assert reasons(result) == [("a.b", "isPlural", "changed_later")]


def test_form_other_that_was_written_later_does_not_keep_the_plurals(keys):
    key = keys.made(values={"en": "Pay"})
    period = Period(keys, key)
    patch(keys, key, isPlural=True)
    turned = period.until_now
    keys.put(key, "de", {"other": "Kaufen"})

    result = undo(keys, **turned)

    assert not keys.get(key)["isPlural"]
    assert keys.texts(key) == {("en", None): "Pay", ("de", None): "Kaufen"}
    assert result["skipped"] == []


def test_plurals_of_a_created_key_that_stays_go_back(keys):
    developer = keys.workspace.client("developer")
    key = keys.create(developer, values={"en": "File", "de": "Datei"}).data["key"]
    patch(keys, key, developer, isPlural=True)
    patch(keys, key, tags=["later"])

    undo(keys, actor=actor_of(keys, developer))

    assert keys.texts(key) == {("en", None): "File", ("de", None): "Datei"}
    assert not keys.get(key)["isPlural"]


def turn_off_and_write(keys, key):
    patch(keys, key, isPlural=False)
    keys.put(key, "de", "Kaufen")


def turn_off_and_write_twice(keys, key):
    turn_off_and_write(keys, key)
    keys.put(key, "de", "Zahlen")


def turn_off_write_and_turn_on(keys, key):
    turn_off_and_write(keys, key)
    patch(keys, key, isPlural=True)


def write_and_turn_off(keys, key):
    keys.put(key, "de", {"other": "Kaufen"})
    patch(keys, key, isPlural=False)


def turn_on_and_write(keys, key):
    patch(keys, key, isPlural=True)
    keys.put(key, "de", {"one": "Eins", "other": "Viele"})


PLURAL = {"isPlural": True, "values": {"en": {"one": "Pay"}, "ar": {"few": "x"}}}
PLAIN = {"values": {"en": "Pay"}}


@pytest.mark.parametrize(
    ("body", "change"),
    [
        (PLURAL, turn_off_and_write),
        (PLURAL, turn_off_and_write_twice),
        (PLURAL, turn_off_write_and_turn_on),
        (PLURAL, write_and_turn_off),
        (PLAIN, turn_on_and_write),
    ],
)
def test_plurals_and_values_go_back_and_forth(keys, body, change):
    key = keys.made(**body)
    before = keys.get(key)["isPlural"], keys.texts(key)
    period = Period(keys, key)
    change(keys, key)
    after = keys.get(key)["isPlural"], keys.texts(key)

    result = undo(keys, **period.since)

    for expected in (before, after, before):
        assert (keys.get(key)["isPlural"], keys.texts(key)) == expected
        assert result["skipped"] == []
        result = undo(keys, jobId=result["jobId"])


@pytest.mark.parametrize("was_plural", [True, False])
def test_value_that_another_undo_took_back_and_this_one_returns_goes_with_the_plurals(
    keys, was_plural
):
    key = keys.made(
        isPlural=was_plural, values={"en": {"other": "Pay"} if was_plural else "Pay"}
    )
    period = Period(keys, key)
    patch(keys, key, isPlural=not was_plural)
    since = period.since
    keys.put(
        key, "de", "Kaufen" if was_plural else {"other": "Kaufen"}, keys.translator
    )
    undo(keys, actor=actor_of(keys, keys.translator))
    assert [code for code, _ in keys.texts(key)] == ["en"]

    result = undo(keys, actor=actor_of(keys, keys.owner), **since)

    form = "other" if was_plural else None
    assert keys.texts(key) == {("en", form): "Pay", ("de", form): "Kaufen"}
    assert result["skipped"] == []


def test_value_of_a_created_key_whose_plurals_changed_later_is_listed(keys):
    key = keys.made(values={"de": "Zahlen"})
    until = events(keys, key)[-1]["createdAt"]
    patch(keys, key, isPlural=True)

    result = undo(keys, until=until, keyId=key["id"])

    assert keys.texts(key) == {("de", "other"): "Zahlen"}
    assert reasons(result) == [
        ("a.b", None, "changed_later"),
        ("a.b", "de", "changed_later"),
    ]


# values and their review state


def test_undo_of_an_approval_returns_to_pending_review(keys):
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei", keys.translator)
    before = keys.detail(key, "de")
    reviewer = keys.workspace.client("reviewer")
    assert keys.act(key, "approve", client=reviewer).status == 200

    undo(keys, actor=actor_of(keys, reviewer))

    now = keys.detail(key, "de")
    for name in ("value", "status", "approvedValue", "approvedAt", "approvedBy"):
        assert now[name] == before[name]


def test_value_that_a_check_blocks_comes_back_pending_review(keys):
    key = keys.made(values={"en": "Pay {n}", "de": "Zahlen"})
    writer = keys.workspace.client("reviewer")
    keys.put(key, "de", "Zahlen {n}", writer)
    path = f"/projects/{keys.project['id']}"
    keys.owner.patch(path, json={"blockingChecks": ["placeholders"]})

    undo(keys, actor=actor_of(keys, writer))

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Zahlen", "pending_review")
    assert detail["approvedValue"] == "Zahlen {n}"


# outdated translations

NEW = {"en": "Pay now", "de": "Jetzt zahlen"}


def shown(keys, key):
    return {
        (value["languageCode"], value["pluralForm"]): (
            value["value"],
            value["isOutdated"],
        )
        for value in keys.get(key)["values"]
    }


def write_both(keys, key, how, writer):
    """Write a new source text and its translation in one request."""
    path = f"/projects/{keys.project['id']}"
    if how == "values":
        items = [{"keyId": key["id"], "languageCode": c, "value": NEW[c]} for c in NEW]
        assert writer.put(f"{path}/values", json={"items": items}).status == 200
    elif how == "bulk":
        item = {"key": key["key"], "values": NEW}
        body = {"keys": [item], "onExisting": "update"}
        assert writer.post(f"{keys.path}/bulk", json=body).status == 200
    elif how == "import":
        packed = io.BytesIO()
        with ZipFile(packed, "w") as archive:
            for code, text in NEW.items():
                archive.writestr(f"{code}.json", json.dumps({key["key"]: text}))
        file = Upload("both.zip", packed.getvalue(), "application/zip")
        form = {"format": "json-flat", "onConflict": "overwrite"}
        answer = writer.post(f"{path}/import", form=form, files={"file": file})
        assert keys.workspace.job_of(answer)["status"] == "succeeded"
    else:
        create_branch(keys)
        for code, text in NEW.items():
            put_on_branch(keys, key, code, text)
        merge(keys, writer)


@pytest.mark.parametrize("how", ["values", "bulk", "import", "merge"])
@pytest.mark.parametrize("with_source", [True, False])
def test_translation_that_goes_back_is_outdated_unless_its_source_goes_back_too(
    keys, how, with_source
):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    writer = keys.workspace.client("manager")
    write_both(keys, key, how, writer)
    german = keys.workspace.client("reviewer", languages=["de"])
    actor = {"actor": actor_of(keys, writer)}
    where = {"mergeOf": "spring"} if how == "merge" else actor

    result = undo(keys, None if with_source else german, **where)

    if with_source:
        source, skipped = "Pay", []
    else:
        source, skipped = "Pay now", [("a.b", "en", "language_not_assigned")]
    assert reasons(result) == skipped
    assert shown(keys, key) == {
        ("en", None): (source, False),
        ("de", None): ("Zahlen", not with_source),
    }


def test_translation_is_up_to_date_again_when_its_source_goes_back(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    reviewer = keys.workspace.client("reviewer")
    keys.put(key, "en", "Pay now", reviewer)
    assert outdated(keys, key) == {"en": False, "de": True}

    undo(keys, actor=actor_of(keys, reviewer))

    now = {("en", None): ("Pay", False), ("de", None): ("Zahlen", False)}
    assert shown(keys, key) == now


@pytest.mark.parametrize("order", [("en", "de"), ("de", "en")])
def test_outdated_flags_go_back_and_forth(keys, order):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    before = shown(keys, key)
    period = Period(keys, key)
    for code in order:
        keys.put(key, code, NEW[code])
    after = shown(keys, key)

    result = undo(keys, **period.since)

    for expected in (before, after, before):
        assert (shown(keys, key), result["skipped"]) == (expected, [])
        result = undo(keys, jobId=result["jobId"])


@pytest.mark.parametrize("keeps_fresh", [True, False])
@pytest.mark.parametrize("writes", [[{"one": "A", "other": "B"}], [{"other": "B"}]])
def test_translation_is_up_to_date_again_only_if_all_source_forms_go_back(
    keys, writes, keeps_fresh
):
    forms = {"one": "a", "other": "b"}
    key = keys.made(isPlural=True, values={"en": forms, "de": forms})
    writer = keys.workspace.client("reviewer")
    for texts in writes:
        keys.put(key, "en", texts, writer)
    keys.put(key, "en", {"one": "AA"}, keepFresh=keeps_fresh)

    undo(keys, actor=actor_of(keys, writer))

    is_fresh = keeps_fresh and "one" not in writes[0]
    assert shown(keys, key) == {
        ("en", "one"): ("AA", False),
        ("en", "other"): ("b", False),
        ("de", "one"): ("a", not is_fresh),
        ("de", "other"): ("b", not is_fresh),
    }


def test_new_source_form_beside_one_that_goes_back_outdates_nothing(keys):
    key = keys.made(isPlural=True, values={"en": {"other": "b"}, "de": {"other": "b"}})
    writer = keys.workspace.client("reviewer")
    keys.put(key, "en", {"one": "A", "other": "B"}, writer)
    keys.put(key, "en", {"one": "AA"}, keepFresh=True)

    undo(keys, actor=actor_of(keys, writer))

    assert shown(keys, key)["en", "other"] == ("b", False)
    assert shown(keys, key)["de", "other"] == ("b", False)


def test_translation_that_stays_outdated_without_its_language_is_listed(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    writer = keys.workspace.client("reviewer", languages=["en"])
    keys.put(key, "en", "Pay now", writer)
    english = keys.workspace.client("reviewer", languages=["en"])

    result = undo(keys, english, actor=actor_of(keys, writer))

    assert reasons(result) == [("a.b", "de", "language_not_assigned")]
    now = {("en", None): ("Pay", False), ("de", None): ("Zahlen", True)}
    assert shown(keys, key) == now


@pytest.mark.parametrize("text", ["Pay", ""])
def test_undo_of_a_source_text_with_keep_fresh_outdates_nothing(keys, text):
    key = keys.made(values={"de": "Zahlen"} | ({"en": text} if text else {}))
    period = Period(keys, key)
    keys.put(key, "en", "Pay now", keepFresh=True)

    result = undo(keys, **period.since)

    for _ in range(3):
        assert not outdated(keys, key)["de"]
        result = undo(keys, jobId=result["jobId"])


def test_translation_of_a_later_source_is_outdated_when_that_goes_back(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    period = Period(keys, key)
    keys.put(key, "en", "Buy")
    source = period.until_now
    keys.put(key, "de", "Kaufen")

    undo(keys, **source)

    now = {("en", None): ("Pay", False), ("de", None): ("Kaufen", True)}
    assert shown(keys, key) == now


def test_translation_that_goes_back_to_a_source_changed_later_is_outdated(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    period = Period(keys, key)
    keys.put(key, "en", "Buy")
    keys.put(key, "de", "Kaufen")
    both = period.until_now
    keys.put(key, "en", "Buy now")

    result = undo(keys, **both)

    assert reasons(result) == [("a.b", "en", "changed_later")]
    now = {("en", None): ("Buy now", False), ("de", None): ("Zahlen", True)}
    assert shown(keys, key) == now


@pytest.mark.parametrize("is_proposed_first", [True, False])
def test_approved_text_beside_a_proposal_is_up_to_date_again_with_its_source(
    keys, is_proposed_first
):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    if is_proposed_first:
        keys.put(key, "de", "Kaufen", keys.translator)
    source_writer = keys.workspace.client("reviewer")
    keys.put(key, "en", "Buy", source_writer)
    if not is_proposed_first:
        keys.put(key, "de", "Kaufen", keys.translator)

    undo(keys, actor=actor_of(keys, source_writer))

    assert outdated(keys, key)["de"] is not is_proposed_first
    assert keys.act(key, "reject").status == 200
    assert shown(keys, key)["de", None] == ("Zahlen", False)


def test_translation_that_was_approved_as_up_to_date_is_outdated_again(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now")
    period = Period(keys, key)
    assert keys.act(key, "approve").status == 200
    keys.put(key, "en", "Buy")

    undo(keys, **period.since)

    now = {("en", None): ("Pay now", False), ("de", None): ("Zahlen", True)}
    assert shown(keys, key) == now


def test_outdated_flag_goes_back_after_plurals_moved_the_value_twice(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    patch(keys, key, isPlural=True)
    period = Period(keys, key)
    for is_plural in (False, True, False):
        patch(keys, key, isPlural=is_plural)
    last = events(keys, key)[-1]["createdAt"]
    keys.put(key, "en", "Buy")
    undo(keys, **period.since)
    assert not outdated(keys, key)["de"]

    undo(keys, since=last, keyId=key["id"])

    assert not outdated(keys, key)["de"]


def test_value_that_is_outdated_already_makes_no_event(keys):
    values = {"en": {"one": "One", "other": "Many"}, "de": {"other": "Viele"}}
    key = keys.made(isPlural=True, values=values)
    keys.put(key, "en", {"other": ""})
    period = Period(keys, key)
    patch(keys, key, isPlural=False)
    keys.put(key, "en", "Many")
    known = len(events(keys, key))

    undo(keys, **period.since)

    types = {each["type"] for each in events(keys, key)[known:]}
    assert "translation.outdated" not in types
    assert outdated(keys, key) == {"en": False, "de": True}


def test_plurals_and_outdated_flags_go_back_and_forth_through_the_trash(keys):
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    before = shown(keys, key)
    period = Period(keys, key)
    patch(keys, key, isPlural=True)
    keys.put(key, "en", {"other": "Buy"})
    delete(keys, key)

    result = undo(keys, **period.since)

    assert (shown(keys, key), result["skipped"]) == (before, [])

    known = len(events(keys, key))
    result = undo(keys, jobId=result["jobId"])

    assert (is_found(keys, key), result["skipped"]) == (False, [])
    types = {each["type"] for each in events(keys, key)[known:]}
    assert types == {"key.updated", "translation.updated", "key.deleted"}
    restore(keys, key)
    assert shown(keys, key) == {
        ("en", "other"): ("Buy", False),
        ("de", "other"): ("Zahlen", True),
    }
