"""Translation memories over HTTP (service.md, TM entry, TM language; decisions 2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace


class Memory:
    """A memory with the target languages de and fr, and an entry."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de", "fr"]}
        made = self.owner.post("/translation-memories", json={**body, **fields})
        self.record = made.data["translationMemory"]
        self.path = f"/translation-memories/{self.record['id']}"
        self.entry = self.add(sourceText="Pay", translations={"de": "Zahlen"})
        self.one = f"{self.path}/entries/{self.entry['id']}"

    def add(self, **body: object) -> dict[str, Any]:
        answer = self.owner.post(f"{self.path}/entries", json=body)
        assert answer.status == 201, answer
        entry: dict[str, Any] = answer.data["entry"]
        return entry

    def put(self, lang: str, value: object, client: Client | None = None) -> Answer:
        path = f"{self.one}/translations/{lang}"
        return (client or self.owner).put(path, json={"value": value})

    def judge(self, verdict: str, lang: str, client: Client | None = None) -> Answer:
        path = f"{self.one}/translations/{lang}/{verdict}"
        return (client or self.owner).post(path, json={})

    def read(self) -> dict[str, Any]:
        entry: dict[str, Any] = self.owner.get(self.one).data["entry"]
        return entry


@pytest.fixture
def memory(sqlite_workspace: Workspace) -> Memory:
    return Memory(sqlite_workspace)


def translation(answer: Answer, lang: str = "de") -> dict[str, Any] | None:
    assert answer.status == 200, answer
    found: list[dict[str, Any]] = answer.data["entry"]["translations"]
    return next((each for each in found if each["languageCode"] == lang), None)


def test_a_memory_has_the_fields_of_the_interface_and_its_defaults(
    memory: Memory,
) -> None:
    record = memory.owner.get(memory.path).data["translationMemory"]

    assert record == {
        "id": record["id"],
        "slug": f"main-{record['id']}",
        "name": "Main",
        "sourceLanguage": "en",
        "minMatchPercentage": 70,
        "penalties": {"case": 2, "whitespace": 1, "trailingPunctuation": 1},
        "requiresApproval": False,
        "entryCount": 1,
        "createdAt": record["createdAt"],
        "updatedAt": record["updatedAt"],
    }
    assert memory.owner.get(f"/translation-memories/{record['slug']}").status == 200


def test_a_patch_of_a_memory_leaves_what_it_does_not_name(memory: Memory) -> None:
    body = {"penalties": {"case": 9}, "requiresApproval": True}

    changed = memory.owner.patch(memory.path, json=body).data["translationMemory"]

    assert changed["penalties"] == {**memory.record["penalties"], "case": 9}
    assert (changed["name"], changed["requiresApproval"]) == ("Main", True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("name", "x" * 201),
        ("sourceLanguage", "klingon!"),
        ("minMatchPercentage", 101),
        ("minMatchPercentage", -1),
        ("minMatchPercentage", True),
        ("penalties", {"case": 101}),
        ("languageCodes", ["no tag"]),
    ],
)
def test_a_memory_that_cannot_be_is_refused(
    sqlite_workspace: Workspace, field: str, value: object
) -> None:
    body = {"name": "x", "sourceLanguage": "en", field: value}

    answer = sqlite_workspace.owner.post("/translation-memories", json=body)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"].startswith(f"$.{field}")


def test_a_deleted_memory_is_gone_with_its_entries(memory: Memory) -> None:
    project = memory.workspace.project()
    use = f"/projects/{project['id']}{memory.path}"
    memory.owner.put(use, json={})

    assert memory.owner.delete(memory.path).status == 200

    for path in (memory.path, f"{memory.path}/entries", memory.one, use):
        answer = memory.owner.get(path)
        assert (answer.status, answer.error["code"]) == (404, "tm_not_found"), path


def test_an_entry_has_the_fields_of_the_interface(memory: Memory) -> None:
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


def test_a_patch_of_an_entry_leaves_what_it_does_not_name(memory: Memory) -> None:
    """service.md: partial update; translations are not edited here."""
    before = memory.read()

    assert memory.owner.patch(memory.one, json={}).data["entry"] == before
    changed = memory.owner.patch(memory.one, json={"context": "c"}).data["entry"]
    again = memory.owner.patch(
        memory.one, json={"sourceText": "Buy", "translations": {"de": "x"}}
    ).data["entry"]

    assert changed == {**before, "context": "c", "updatedAt": changed["updatedAt"]}
    assert again == {**changed, "sourceText": "Buy", "updatedAt": again["updatedAt"]}
    assert again == memory.read()


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
def test_an_entry_that_cannot_be_is_refused(
    sqlite_workspace: Workspace, field: str, value: object
) -> None:
    memory = Memory(sqlite_workspace)
    body = {"sourceText": "ok", field: value}

    made = memory.owner.post(f"{memory.path}/entries", json=body)
    changed = memory.owner.patch(memory.one, json={field: value})

    for answer in (made, changed):
        assert answer.status == 400, answer
        assert answer.error["details"][0]["path"] in ("$", f"$.{field}")
    assert memory.read()["sourceText"] == "Pay"


def test_the_longest_texts_come_back_as_they_were(memory: Memory) -> None:
    texts = {"sourceText": "ä" * 5000, "context": "👍" * 1000}

    entry = memory.add(**texts, translations={"de": "設" * 21845})

    assert entry["translations"][0]["value"] == "設" * 21845
    found = memory.owner.get(f"{memory.path}/entries/{entry['id']}").data["entry"]
    assert found == entry
    too_long = memory.put("de", "設" * 21846)
    assert (too_long.status, too_long.error["details"][0]["path"]) == (400, "$.value")


def test_a_text_with_its_context_is_there_once(memory: Memory) -> None:
    other = memory.add(sourceText="Pay", context="menu")
    body = {"sourceText": "Pay", "context": "menu"}

    made = memory.owner.post(f"{memory.path}/entries", json=body)
    moved = memory.owner.patch(memory.one, json={"context": "menu"})

    for answer in (made, moved):
        assert (answer.status, answer.error["code"]) == (409, "entry_exists")
    assert memory.read()["context"] == ""
    assert other["context"] == "menu"


def test_entries_are_listed_by_search_and_language(memory: Memory) -> None:
    memory.add(sourceText="Pay  LATER", translations={"fr": "Payer plus tard"})

    def found(**query: object) -> list[str]:
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


def test_a_translation_is_set_in_a_language_of_the_memory(memory: Memory) -> None:
    set_ = memory.put("fr.json", "Payer")

    assert translation(set_, "fr") == {
        "languageCode": "fr",
        "value": "Payer",
        "status": "approved",
        "approvedAt": set_.data["entry"]["updatedAt"],
        "proposedValue": None,
    }
    for lang in ("sv", "en"):
        refused = memory.put(lang, "x")
        assert refused.status == 400
        assert refused.error["code"] == "language_not_in_project"
    for value in (None, 7, {"one": "x"}):
        assert memory.put("de", value).status == 400
    cleared = memory.owner.delete(f"{memory.one}/translations/de")
    assert translation(cleared) is None
    again = memory.owner.delete(f"{memory.one}/translations/de")
    assert (again.status, again.error["code"]) == (404, "language_not_found")


def test_an_empty_value_clears_as_in_a_glossary(workspace: Workspace) -> None:
    memory = Memory(workspace)

    assert translation(memory.put("de", "")) is None
    assert translation(memory.put("de", "")) is None
    made = memory.add(sourceText="New", translations={"de": "", "fr": "Neuf"})
    assert [each["languageCode"] for each in made["translations"]] == ["fr"]


def test_clearing_what_is_approved_is_a_proposal_of_who_cannot_approve(
    workspace: Workspace,
) -> None:
    memory = Memory(workspace, requiresApproval=True)
    before = memory.read()["translations"][0]

    waiting = translation(memory.put("de", "", workspace.client("translator")))

    assert waiting == {**before, "proposedValue": ""}
    assert translation(memory.judge("approve", "de")) is None


@pytest.mark.parametrize("value", ["   ", "\t\n", "\u3000"])
def test_a_translation_of_nothing_but_white_space_is_refused(
    memory: Memory, value: str
) -> None:
    before = memory.read()
    body = {"sourceText": "New", "translations": {"de": value}}

    put = memory.put("de", value)
    made = memory.owner.post(f"{memory.path}/entries", json=body)

    for answer, path in ((put, "$.value"), (made, "$.translations.de")):
        assert answer.status == 400
        [problem] = answer.error["details"]
        assert (problem["path"], problem["rule"]) == (path, "length")
    assert memory.read() == before


def test_a_language_without_a_name_is_refused_in_words(memory: Memory) -> None:
    body = {"sourceText": "New", "translations": {"": "a"}}

    answer = memory.owner.post(f"{memory.path}/entries", json=body)

    assert (answer.status, answer.error["code"]) == (400, "language_not_in_project")
    assert answer.error["message"] == "the memory has no language ''"


def test_where_approval_is_required_a_translator_proposes(workspace: Workspace) -> None:
    memory = Memory(workspace, requiresApproval=True)
    translator = workspace.client("translator")
    before = memory.read()["translations"][0]

    proposed = memory.put("de", "Bezahlen", translator)
    first = memory.put("fr", "Payer", translator)

    assert translation(proposed) == {**before, "proposedValue": "Bezahlen"}
    assert translation(first, "fr") == {
        "languageCode": "fr",
        "value": "",
        "status": "pending_review",
        "approvedAt": None,
        "proposedValue": "Payer",
    }
    assert memory.judge("approve", "de", translator).status == 403
    applied = translation(memory.judge("approve", "de"))
    assert applied is not None
    assert (applied["value"], applied["proposedValue"]) == ("Bezahlen", None)
    assert translation(memory.judge("reject", "fr"), "fr") is None
    for verdict, lang in (("approve", "de"), ("reject", "de"), ("approve", "fr")):
        answer = memory.judge(verdict, lang)
        assert (answer.status, answer.error["code"]) == (409, "nothing_pending")


def test_what_is_approved_keeps_its_source_without_the_right_to_approve(
    workspace: Workspace,
) -> None:
    memory = Memory(workspace, requiresApproval=True)
    translator = workspace.client("translator")

    answers = [
        translator.patch(memory.one, json={"sourceText": "HACKED"}),
        translator.delete(memory.one),
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "tm_approve"}
    assert translator.patch(memory.one, json={"context": "x"}).status == 200
    reviewer = workspace.client("reviewer")
    assert reviewer.patch(memory.one, json={"sourceText": "Pay now"}).status == 200
    assert reviewer.delete(memory.one).status == 200


def test_an_entry_with_translations_in_other_languages_stays_as_it_is(
    workspace: Workspace,
) -> None:
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


def test_a_reviewers_translation_counts_at_once(workspace: Workspace) -> None:
    memory = Memory(workspace, requiresApproval=True)

    written = translation(memory.put("de", "x", workspace.client("reviewer")))

    assert written is not None
    assert (written["value"], written["status"]) == ("x", "approved")


def test_only_assigned_languages_are_written(memory: Memory) -> None:
    scoped = memory.workspace.client("reviewer", languages=["fr"])
    body = {"sourceText": "New", "translations": {"de": "x"}}

    refused = [
        memory.put("de", "x", scoped),
        memory.judge("approve", "de", scoped),
        memory.judge("reject", "de", scoped),
        scoped.delete(f"{memory.one}/translations/de"),
        scoped.post(f"{memory.path}/entries", json=body),
    ]

    for answer in refused:
        assert (answer.status, answer.error["code"]) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "de"}
    assert memory.put("fr", "Payer", scoped).status == 200
    assert scoped.get(memory.one).status == 200


def test_a_language_has_its_english_name_unless_it_is_given_another(
    memory: Memory,
) -> None:
    path = f"{memory.path}/languages"

    plain = memory.owner.post(path, json={"languageCode": "pt_br"})
    named = memory.owner.post(path, json={"languageCode": "ar", "label": "Arabisch"})

    assert plain.status == 201
    language = plain.data["language"]
    assert language == {
        "id": language["id"],
        "tmId": memory.record["id"],
        "languageCode": "pt-BR",
        "label": "Portuguese (Brazil)",
    }
    assert named.data["language"]["label"] == "Arabisch"
    for code in ("pt-BR", "de", "en"):
        again = memory.owner.post(path, json={"languageCode": code})
        assert (again.status, again.error["code"]) == (409, "language_exists")
    codes = [each["languageCode"] for each in memory.owner.get(path).data["items"]]
    assert codes == ["de", "fr", "pt-BR", "ar"]


def test_a_language_that_is_removed_takes_its_translations_along(
    memory: Memory,
) -> None:
    gone = memory.owner.delete(f"{memory.path}/languages/de")

    assert gone.status == 200
    assert gone.data["deleted"] is True
    assert memory.read()["translations"] == []
    again = memory.owner.delete(f"{memory.path}/languages/de")
    assert (again.status, again.error["code"]) == (404, "language_not_found")


def test_a_memory_is_assigned_to_projects_of_its_organization_and_language(
    memory: Memory,
) -> None:
    workspace = memory.workspace
    project = workspace.project()
    use = f"/projects/{project['id']}{memory.path}"

    absent = memory.owner.get(use)
    first = memory.owner.put(use, json={})
    body = {"read": False, "writeMode": "none", "priority": 3, "penalty": 7}
    changed = memory.owner.put(use, json=body)

    assert absent.error["code"] == "tm_not_found"
    id_ = memory.record["id"]
    assert first.data["assignment"] == {
        "tmId": id_, "read": True, "writeMode": "approved", "priority": 0, "penalty": 0
    }  # fmt: skip
    assert changed.data["assignment"] == {"tmId": id_, **body}
    assert memory.owner.get(use).data == changed.data
    listed = memory.owner.get(f"/projects/{project['id']}/translation-memories")
    assert listed.data["items"] == [{"tmId": id_, **body}]
    german = workspace.project(sourceLanguage="de")
    other = memory.owner.put(f"/projects/{german['id']}{memory.path}", json={})
    assert (other.status, other.error["code"]) == (400, "validation_failed")
    assert memory.owner.delete(use).data["id"] == id_
    assert memory.owner.get(use).status == 404


def test_a_project_token_reaches_only_memories_of_its_project(memory: Memory) -> None:
    workspace, owner = memory.workspace, memory.owner
    project = workspace.project()
    here = f"/projects/{project['id']}"
    body = {"name": "ci", "permissions": ["tm_read", "tm_write", "project_read"]}
    token = owner.post(f"{here}/tokens", json=body).data["secret"]
    bound = owner.with_token(token)

    before = bound.get(memory.one)
    nothing = bound.get("/translation-memories")
    owner.put(f"{here}{memory.path}", json={"writeMode": "none"})

    assert (before.status, before.error["code"]) == (404, "tm_not_found")
    assert nothing.data["items"] == []
    assert bound.get(memory.one).status == 200
    assert memory.put("de", "x", bound).status == 200
    assert len(bound.get("/translation-memories").data["items"]) == 1
    assert bound.patch(memory.path, json={}).status == 403
    create = {"name": "x", "sourceLanguage": "en"}
    assert bound.post("/translation-memories", json=create).status == 403


def test_a_memory_is_managed_where_all_of_its_projects_are(
    workspace: Workspace,
) -> None:
    memory = Memory(workspace)
    one, other = (workspace.project(languages=["de"])["id"] for _ in range(2))
    for project_id in (one, other):
        path = f"/projects/{project_id}{memory.path}"
        assert workspace.owner.put(path, json={"writeMode": "none"}).status == 200
    bound = workspace.client("manager", project_ids=[one])
    both = workspace.client("manager", project_ids=[one, other])
    asked = {"permissions": ["tm_manage"], "name": "x"}
    path = f"/projects/{one}/tokens"
    secret = workspace.owner.post(path, json=asked).data["secret"]

    answers = [
        answer
        for client in (bound, Client(workspace.app, secret))
        for answer in (
            client.patch(memory.path, json={"name": "Mine"}),
            client.post(f"{memory.path}/languages", json={"languageCode": "it"}),
            client.delete(f"{memory.path}/languages/de"),
            client.delete(memory.path),
        )
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "tm_manage"}
    assert both.patch(memory.path, json={"name": "Ours"}).status == 200
    workspace.owner.delete(f"/projects/{other}")
    assert bound.delete(memory.path).status == 200


def test_another_organizations_memory_is_not_assigned(memory: Memory) -> None:
    _, stranger = memory.workspace.organization("Others")
    project = memory.workspace.project(owner=stranger)

    answer = stranger.put(f"/projects/{project['id']}{memory.path}", json={})

    assert (answer.status, answer.error["code"]) == (404, "tm_not_found")


def test_of_many_writers_with_one_etag_one_wins(memory: Memory) -> None:
    for path, body in ((memory.path, {"name": "New"}), (memory.one, {"context": "x"})):
        etag = memory.owner.get(path).headers["ETag"]
        headers = {"If-Match": str(etag)}

        first = memory.owner.patch(path, json=body, headers=headers)
        second = memory.owner.patch(path, json={**body, "x": 1}, headers=headers)

        assert (first.status, second.status) == (200, 412)
        assert first.headers["ETag"] == memory.owner.get(path).headers["ETag"]


def test_a_translation_is_written_to_the_entry_that_was_read(memory: Memory) -> None:
    translation = f"{memory.one}/translations/de"
    read = {"If-Match": str(memory.owner.get(memory.one).headers["ETag"])}

    first = memory.owner.put(translation, json={"value": "Eins"}, headers=read)
    second = memory.owner.put(translation, json={"value": "Zwei"}, headers=read)
    removed = memory.owner.delete(translation, headers=read)

    assert (first.status, second.status, removed.status) == (200, 412, 412)
    assert first.headers["ETag"] == memory.owner.get(memory.one).headers["ETag"]
    now = {"If-Match": str(first.headers["ETag"])}
    assert memory.owner.delete(translation, headers=now).status == 200


def test_an_entry_is_made_once_for_an_idempotency_key(memory: Memory) -> None:
    headers = {"Idempotency-Key": "one"}
    path, body = f"{memory.path}/entries", {"sourceText": "Once"}

    first, second = (
        memory.owner.post(path, json=body, headers=headers) for _ in range(2)
    )

    assert first.data == second.data
    assert memory.owner.get(path).data["total"] == 2
