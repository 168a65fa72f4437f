"""Entries of translation memories over HTTP (service.md, TM entry; decisions 2.5)."""

import pytest

from .memories import Memory


def test_an_entry_has_the_fields_of_the_interface(memory):
    entry = memory.read()

    assert entry == {
        "id": entry["id"],
        "tmId": memory.record["id"],
        "sourceText": "Pay",
        "context": "",
        "createdAt": entry["createdAt"],
        "updatedAt": entry["updatedAt"],
        "translations": [
            {
                "languageCode": "de",
                "value": "Zahlen",
                "status": "approved",
                "approvedAt": entry["createdAt"],
                "proposedValue": None,
            }
        ],
    }


def test_a_patch_of_an_entry_leaves_what_it_does_not_name(memory):
    """service.md: partial update; translations are not edited here."""
    before = memory.read()

    assert memory.owner.patch(memory.one, json={}).data["entry"] == before
    changed = memory.owner.patch(memory.one, json={"context": "c"}).data["entry"]
    again = memory.owner.patch(memory.one, json={"sourceText": "Buy"}).data["entry"]
    of_texts = memory.owner.patch(memory.one, json={"translations": {"de": "x"}})

    assert changed == {**before, "context": "c", "updatedAt": changed["updatedAt"]}
    assert again == {**changed, "sourceText": "Buy", "updatedAt": again["updatedAt"]}
    assert again == memory.read()
    assert (of_texts.status, of_texts.error["code"]) == (400, "validation_failed")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sourceText", ""),
        ("sourceText", " \n\t"),
        ("sourceText", "x" * 5001),
        ("sourceText", 7),
        ("sourceText", None),
        ("context", "x" * 1001),
        ("context", None),
    ],
)
def test_an_entry_that_cannot_be_is_refused(sqlite_workspace, field, value):
    memory = Memory(sqlite_workspace)
    body = {"sourceText": "ok", field: value}

    made = memory.owner.post(f"{memory.path}/entries", json=body)
    changed = memory.owner.patch(memory.one, json={field: value})

    for answer in (made, changed):
        assert answer.status == 400, answer
        assert answer.error["details"][0]["path"] in ("$", f"$.{field}")
    assert memory.read()["sourceText"] == "Pay"


def test_the_longest_texts_come_back_as_they_were(memory):
    texts = {"sourceText": "ä" * 5000, "context": "👍" * 1000}

    entry = memory.add(**texts, translations={"de": "設" * 21845})

    assert entry["translations"][0]["value"] == "設" * 21845
    found = memory.owner.get(f"{memory.path}/entries/{entry['id']}").data["entry"]
    assert found == entry
    too_long = memory.put("de", "設" * 21846)
    assert (too_long.status, too_long.error["details"][0]["path"]) == (400, "$.value")


def test_a_text_with_its_context_is_there_once(memory):
    other = memory.add(sourceText="Pay", context="menu")
    body = {"sourceText": "Pay", "context": "menu"}

    made = memory.owner.post(f"{memory.path}/entries", json=body)
    moved = memory.owner.patch(memory.one, json={"context": "menu"})

    for answer in (made, moved):
        assert (answer.status, answer.error["code"]) == (409, "entry_exists")
    assert memory.read()["context"] == ""
    assert other["context"] == "menu"


def test_entries_are_listed_by_search_and_language(memory):
    memory.add(sourceText="Pay  LATER", translations={"fr": "Payer plus tard"})

    def found(**query):
        answer = memory.owner.get(f"{memory.path}/entries", query=query)
        assert answer.status == 200, answer
        assert answer.data["total"] == len(answer.data["items"])
        return [each["sourceText"] for each in answer.data["items"]]

    assert found() == ["Pay", "Pay  LATER"]
    assert found(search="pay later") == found(languageCode="fr") == ["Pay  LATER"]
    assert found(search="ZAHL") == found(search="pay", languageCode="de") == ["Pay"]
    assert found(search="zahl", languageCode="fr") == found(search="100%") == []
    assert found(search="__proto__") == []
    unknown = memory.owner.get(f"{memory.path}/entries?languageCode=sv")
    assert (unknown.status, unknown.error["code"]) == (400, "language_not_in_project")


def test_what_waits_for_approval_is_found_among_the_entries(workspace):
    memory = Memory(workspace, requiresApproval=True)
    path, translator = f"{memory.path}/entries", workspace.client("translator")
    memory.owner.delete(memory.one)

    def add(text, client, **values):
        body = {"sourceText": text, "translations": values}
        made = client.post(path, json=body)
        assert made.status == 201, made
        return f"{path}/{made.data['entry']['id']}"

    def found(**query):
        answer = memory.owner.get(path, query=query)
        assert answer.status == 200, answer
        return [each["sourceText"] for each in answer.data["items"]]

    add("new", translator, de="neu")
    counts = add("changed", memory.owner, de="x", fr="y")
    translator.put(f"{counts}/translations/de", json={"value": "z"})
    add("right", memory.owner, fr="y")
    add("empty", memory.owner)

    assert found(hasProposal="true") == ["new", "changed"]
    assert found(hasProposal="false") == ["right", "empty"]
    assert found(hasProposal="true", languageCode="fr") == []
    assert found(hasProposal="true", search="NEW") == ["new"]
    assert found(status="pending_review") == ["new"]
    assert found(status="approved", languageCode="de") == ["changed"]
    assert found(status="untranslated") == ["empty"]
    assert found(status="untranslated", languageCode="de") == ["right", "empty"]
    assert memory.owner.get(path, query={"status": "new"}).status == 400


def test_what_is_approved_keeps_its_source_without_the_right_to_approve(workspace):
    memory = Memory(workspace, requiresApproval=True)
    translator = workspace.client("translator")

    answers = [
        translator.patch(memory.one, json={"sourceText": "HACKED"}),
        translator.delete(memory.one),
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "tm_approve"}
    assert translator.patch(memory.one, json={"context": "x"}).status == 200  # no key's
    reviewer = workspace.client("reviewer")
    assert reviewer.patch(memory.one, json={"sourceText": "Pay now"}).status == 200
    assert reviewer.delete(memory.one).status == 200


def test_an_entry_with_translations_in_other_languages_stays_as_it_is(workspace):
    memory = Memory(workspace)
    french = workspace.client("reviewer", languages=["fr"])

    answers = [
        french.patch(memory.one, json={"sourceText": "Payment"}),
        french.delete(memory.one),
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "de"}
    memory.owner.delete(f"{memory.one}/translations/de")
    memory.put("fr", "Payer")
    assert french.patch(memory.one, json={"sourceText": "Payment"}).status == 200
    assert french.delete(memory.one).status == 200


def test_an_entry_is_made_once_for_an_idempotency_key(memory):
    headers = {"Idempotency-Key": "one"}
    path, body = f"{memory.path}/entries", {"sourceText": "Once"}

    first, second = (
        memory.owner.post(path, json=body, headers=headers) for _ in range(2)
    )

    assert first.data == second.data
    assert memory.owner.get(path).data["total"] == 2
