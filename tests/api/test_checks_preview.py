"""decisions 2.3: checks of a text before it is written."""

import pytest

from tests.databases import statements_of

from .checked_shop import Shop


class Previewing(Shop):
    """A shop where texts are checked before they are written."""

    def preview(self, value, lang="de", key=None, client=None, **query):
        body = {"keyId": key or self.hello, "languageCode": lang, "value": value}
        path = f"{self.path}/checks/preview"
        return (client or self.owner).post(path, json=body, query=query)

    def found(self, value, **how):
        answer = self.preview(value, **how)
        assert answer.status == 200, answer
        return answer.data["findings"]


@pytest.fixture
def shop(workspace):
    return Previewing(workspace)


def test_a_preview_finds_what_a_written_text_would_have_and_stores_nothing(shop):
    before = shop.listed(), shop.detail(shop.hello, "de")

    findings = shop.found("Servus {nome}!")

    assert (shop.listed(), shop.detail(shop.hello, "de")) == before
    assert shop.put(shop.hello, "de", "Servus {nome}!").status == 200
    rows = shop.listed(keyId=shop.hello, languageCode="de")["items"]
    assert rows
    assert findings == rows
    assert shop.found("Servus {name}!") == []


def test_a_preview_of_no_text_finds_nothing(shop):
    assert shop.found("") == []


def test_a_preview_of_a_source_text_checks_it_alone(shop):
    assert shop.found("Hello!", lang="en") == []


def test_forms_that_a_preview_does_not_name_stay_as_they_are(shop):
    one, other = "{n} day of {year}", "{n} days of {year}"
    days = shop.made(
        {
            "key": "days",
            "isPlural": True,
            "values": {
                "en": {"one": one, "other": other},
                "de": {"other": "{n} Tage"},
            },
        }
    )

    findings = shop.found({"one": "{n} Tag {year}"}, key=days)

    assert [(each["pluralForm"], each["check"]) for each in findings] == [
        ("other", "placeholders")
    ]
    wrong = shop.preview("Tage", key=days)
    assert (wrong.status, wrong.error["code"]) == (400, "plural_mismatch")


def test_what_is_off_or_dismissed_is_not_found(shop):
    path = f"{shop.path}/keys/{shop.hello}/values/de/dismissals/placeholders"
    assert shop.found("Hallo!")
    assert shop.owner.put(path, json={"reason": "no name here"}).status == 200
    assert shop.found("Hallo!") == []
    assert shop.found("Servus!")

    shop.owner.patch(shop.path, json={"disabledChecks": ["placeholders"]})

    assert shop.found("Servus!") == []


def test_a_preview_on_a_branch_compares_with_the_texts_there(shop):
    assert shop.owner.post(f"{shop.path}/branches", json={"name": "b"}).status == 201
    assert shop.put(shop.hello, "en", "Hello!", branch="b").status == 200

    assert shop.found("Servus!", branch="b") == []
    assert shop.found("Servus!")


def test_whoever_may_read_may_preview_and_nobody_else(shop):
    viewer = shop.workspace.client("viewer")
    assert shop.preview("Servus!", client=viewer).status == 200
    _, stranger = shop.workspace.organization()
    assert shop.preview("Servus!", client=stranger).status == 404
    for key in ("nothing", shop.project["id"]):
        assert shop.preview("x", key=key).error["code"] == "key_not_found"
    assert shop.preview("x", lang="sv").error["code"] == "language_not_in_project"
    assert shop.preview("x" * 65537).error["code"] == "validation_failed"


def test_a_preview_writes_nothing_and_takes_as_many_statements_as_one_read(shop):
    with statements_of(shop.workspace.framework.storage) as sent:
        shop.found("Servus {nome}!")

    texts = [each.lstrip().upper() for each in sent]
    assert not [each for each in texts if each.startswith(("INSERT", "UPDATE"))]
    assert len(texts) <= 12, texts
