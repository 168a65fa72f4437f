"""Translations of terms and of entries follow the same rules of approval."""

import pytest

KINDS = {
    "term": ("glossaries", "terms", "term", {}),
    "entry": (
        "translation-memories",
        "entries",
        "sourceText",
        {"languageCodes": ["de", "fr"]},
    ),
}


class Target:
    """A term or an entry with a German translation."""

    def __init__(self, workspace, kind, **fields):
        self.workspace, self.owner, self.kind = workspace, workspace.owner, kind
        self.translator = workspace.client("translator")
        of, these, self.text, more = KINDS[kind]
        body = {"name": "Main", "sourceLanguage": "en", **more, **fields}
        [record] = self.owner.post(f"/{of}", json=body).data.values()
        self.path = f"/{of}/{record['id']}/{these}"
        made = self.create({"de": "Pier"})
        self.before = made.data[kind]
        self.one = f"{self.path}/{self.before['id']}"
        [self.german] = self.before["translations"]

    def create(self, translations, client=None):
        body = {self.text: f"text {len(translations)}", "translations": translations}
        return (client or self.owner).post(self.path, json=body)

    def put(self, lang, value, client=None):
        path = f"{self.one}/translations/{lang}"
        return (client or self.owner).put(path, json={"value": value})

    def delete(self, lang, client=None):
        return (client or self.owner).delete(f"{self.one}/translations/{lang}")

    def act(self, action, lang, client=None):
        path = f"{self.one}/translations/{lang}/{action}"
        return (client or self.owner).post(path, json={})

    def translation(self, answer, lang="de"):
        assert answer.status == 200, answer
        found = answer.data[self.kind]["translations"]
        return next((each for each in found if each["languageCode"] == lang), None)


@pytest.fixture(params=KINDS)
def target(request, workspace):
    return Target(workspace, request.param)


@pytest.fixture(params=KINDS)
def careful(request, workspace):
    return Target(workspace, request.param, requiresApproval=True)


def refused(answer):
    return answer.status, answer.error["code"]


def test_a_translation_is_set_and_cleared(target):
    answer = target.put("fr.json", "quai", target.translator)

    assert target.translation(answer, "fr") == {
        "languageCode": "fr",
        "value": "quai",
        "status": "approved",
        "approvedAt": answer.data[target.kind]["updatedAt"],
        "proposedValue": None,
    }
    for _ in range(2):
        assert target.translation(target.put("de", "")) is None
    assert target.translation(target.delete("fr"), "fr") is None
    again = target.delete("fr")
    assert refused(again) == (404, "language_not_found")
    assert again.error["message"] == "there is no such translation"
    made = target.create({"de": "", "fr": "nouveau"}).data[target.kind]
    assert [each["languageCode"] for each in made["translations"]] == ["fr"]


def test_a_translator_proposes_where_approval_is_required(careful):
    beside = careful.put("de", "Anleger", careful.translator)
    first = careful.put("fr", "quai", careful.translator)

    assert careful.translation(beside) == {**careful.german, "proposedValue": "Anleger"}
    assert careful.translation(first, "fr") == {
        "languageCode": "fr",
        "value": "",
        "status": "pending_review",
        "approvedAt": None,
        "proposedValue": "quai",
    }
    for action in ("approve", "reject"):
        answer = careful.act(action, "de", careful.translator)
        assert refused(answer) == (403, "permission_denied")
        required = {"term": "glossary_approve", "entry": "tm_approve"}[careful.kind]
        assert answer.error["details"] == {"required": required}
    approved = careful.translation(careful.act("approve", "de"))
    assert approved is not None
    assert (approved["value"], approved["proposedValue"]) == ("Anleger", None)
    assert careful.translation(careful.act("reject", "fr"), "fr") is None
    careful.put("de", "Kai", careful.translator)
    assert careful.translation(careful.act("reject", "de")) == approved
    for action, lang in (("approve", "de"), ("reject", "de"), ("approve", "fr")):
        assert refused(careful.act(action, lang)) == (409, "nothing_pending")


def test_a_reviewers_translation_is_approved(careful):
    written = careful.put("de", "Kai", careful.workspace.client("reviewer"))

    translation = careful.translation(written)
    assert translation is not None
    assert (translation["value"], translation["status"]) == ("Kai", "approved")


@pytest.mark.parametrize("how", ["delete", "put"])
def test_clearing_an_approved_translation_is_proposed(careful, how):
    if how == "delete":
        answer = careful.delete("de", careful.translator)
    else:
        answer = careful.put("de", "", careful.translator)

    assert careful.translation(answer) == {**careful.german, "proposedValue": ""}
    assert careful.translation(careful.act("approve", "de")) is None


def test_only_assigned_languages_are_written(careful):
    careful.put("de", "Kai", careful.translator)
    french = careful.workspace.client("reviewer", languages=["fr"])

    answers = [
        careful.put("de", "x", french),
        careful.act("approve", "de", french),
        careful.act("reject", "de", french),
        careful.delete("de", french),
        careful.create({"de": "x", "fr": "y"}, french),
    ]

    for answer in answers:
        assert refused(answer) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "de"}
    assert careful.put("fr.json", "quai", french).status == 200
    assert french.get(careful.one).status == 200


def test_a_translation_is_written_to_what_was_read(target):
    path, owner = f"{target.one}/translations/de", target.owner
    read = {"If-Match": str(owner.get(target.one).headers["ETag"])}

    first = owner.put(path, json={"value": "Steg"}, headers=read)
    second = owner.put(path, json={"value": "Kai"}, headers=read)
    removed = owner.delete(path, headers=read)

    assert first.status == 200
    assert refused(second) == refused(removed) == (412, "precondition_failed")
    assert first.headers["ETag"] == owner.get(target.one).headers["ETag"]
    now = {"If-Match": str(first.headers["ETag"])}
    assert owner.delete(path, headers=now).status == 200


@pytest.mark.parametrize("value", [None, 7, {"one": "x"}, "   ", "\t\n", "\u3000"])
def test_an_invalid_value_is_refused(target, value):
    answers = [(target.put("de", value), "$.value")]
    if isinstance(value, str):
        answers.append((target.create({"fr": value}), "$.translations.fr"))

    for answer, path in answers:
        assert refused(answer) == (400, "validation_failed")
        [problem] = answer.error["details"]
        assert problem["path"] == path
        assert problem["rule"] == ("length" if isinstance(value, str) else "type")
    assert target.owner.get(target.one).data[target.kind] == target.before
