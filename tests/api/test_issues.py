"""What checks found: GET …/issues, hasIssues, and the issues of a value."""

import pytest

from locframework.http.records import Upload
from tests.databases import statements_of

from .checked_shop import FOUND, Shop


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def test_an_issue_tells_where_it_is_and_what_it_is(shop):
    shop.put(shop.hello, "fr", "Salut {name} {nom}!")

    [issue] = shop.listed(languageCode="fr")["items"]

    assert issue == {
        "keyId": shop.hello,
        "key": "hello",
        "languageCode": "fr",
        "pluralForm": None,
        "check": "placeholders",
        "severity": "error",
        "message": issue["message"],
        "start": 13,
        "end": 18,
    }
    assert "{nom}" in issue["message"]


def test_issues_come_by_key_language_form_and_check_over_all_pages(shop):
    forms = {"one": "a {x} ", "other": "{y} b"}
    plural = {"en": {"one": "{n} day.", "other": "{n} days."}, "fr": forms, "de": forms}
    shop.made({"key": "days", "isPlural": True, "values": plural})
    pages = [shop.listed(page=page, limit=3) for page in range(1, 8)]

    whole = shop.listed()
    order = ["en", "de", "fr"], [None, "one", "other"]

    def place(one):
        code = order[0].index(one["languageCode"])
        return one["key"], code, order[1].index(one["pluralForm"]), one["check"]

    assert whole["items"] == sorted(whole["items"], key=place)
    assert len({place(one) for one in whole["items"]}) > 8
    assert [one for page in pages for one in page["items"]] == whole["items"]
    assert {page["total"] for page in pages} == {whole["total"]}


def test_issues_are_asked_for_by_check_language_severity_and_key(shop):
    shop.put(shop.pay, "de", "Zahlen ")

    assert shop.issues(check="white_space") == [("pay", "de", None, "white_space")]
    assert shop.issues(languageCode="FR") == FOUND[1:]
    assert shop.issues(severity="error") == FOUND
    assert shop.issues(severity="warning") == [("pay", "de", None, "white_space")]
    assert shop.issues(keyId=shop.hello) == FOUND
    assert shop.issues(keyId=shop.hello, languageCode="de", check="numbers") == []
    assert shop.issues(keyId="nothing") == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"check": "spelling"}, "validation_failed"),
        ({"severity": "off"}, "validation_failed"),
        ({"languageCode": "sv"}, "language_not_in_project"),
        ({"limit": 201}, "validation_failed"),
    ],
)
def test_what_cannot_be_asked_is_refused(shop, query, code):
    answer = shop.owner.get(f"{shop.path}/issues", query=query)

    assert (answer.status, answer.error["code"]) == (400, code)


def test_severity_is_what_the_project_says_when_it_is_read(shop):
    shop.put(shop.pay, "de", "Zahlen ")
    severities = {"placeholders": "warning", "white_space": "off"}
    shop.owner.patch(shop.path, json={"checkSeverities": severities})

    assert {one["severity"] for one in shop.listed()["items"]} == {"warning"}
    assert shop.issues() == shop.issues(severity="warning") == FOUND
    assert shop.issues(severity="error") == shop.issues(check="white_space") == []
    assert shop.names(hasIssues=True) == ["hello"]
    assert shop.names(hasIssues=False) == ["pay"]
    assert shop.detail(shop.pay, "de")["value"]["issues"] == []
    shop.owner.patch(shop.path, json={"checkSeverities": {}})
    assert shop.names(hasIssues=True) == ["hello", "pay"]


def test_with_all_checks_off_no_key_has_issues(shop):
    names = shop.workspace.framework.checks.names
    shop.owner.patch(shop.path, json={"checkSeverities": dict.fromkeys(names, "off")})

    assert shop.issues() == shop.names(hasIssues=True) == []
    assert shop.names(hasIssues=False) == ["hello", "pay"]


def test_has_issues_speaks_of_the_language_and_goes_with_every_other_filter(shop):
    shop.put(shop.hello, "fr", "Salut {name}!")
    shop.patch(shop.hello, tags=["x"])

    assert shop.names(hasIssues=True) == ["hello"]
    assert shop.names(hasIssues=True, languageCode="de") == ["hello"]
    assert shop.names(hasIssues=True, languageCode="fr") == []
    assert shop.names(hasIssues=False, languageCode="fr") == ["hello", "pay"]
    assert shop.names(hasIssues=True, tag="x", sort="-updatedAt") == ["hello"]
    assert shop.names(hasIssues=True, status="approved", search="hallo") == ["hello"]
    assert shop.names(hasIssues=True, status="untranslated") == []
    assert shop.names(hasIssues=False, status="untranslated") == ["pay"]
    assert shop.names(hasIssues=False, prefix="h") == []


def test_a_value_tells_its_own_issues_by_form(shop):
    plural = {"en": {"one": "{n} day", "other": "{n} days"}, "de": {"other": "Tage"}}
    key_id = shop.made({"key": "days", "isPlural": True, "values": plural})
    shop.put(key_id, "de", {"one": "{n} Tag"})

    forms = {one["pluralForm"]: one for one in shop.detail(key_id, "de")["forms"]}

    assert forms["one"]["issues"] == []
    [issue] = forms["other"]["issues"]
    assert set(issue) == {"check", "severity", "message", "start", "end"}
    assert (issue["check"], issue["severity"]) == ("placeholders", "error")


def test_a_key_of_another_project_has_no_issues_here(shop):
    other = Shop(shop.workspace)

    foreign = shop.listed(keyId=other.hello)

    assert foreign == shop.listed(keyId="01a1fd83-6f0e-7c1e-b2d4-5d0a3f2b9c11")
    assert foreign["items"] == []
    assert len(shop.issues()) == len(other.issues()) == len(FOUND)


def test_whoever_may_read_texts_may_read_their_issues(shop):
    path = f"{shop.path}/issues"
    viewer = shop.workspace.client("viewer", languages=["fr"])
    other = shop.workspace.client("viewer", permissions=["project_read"])
    _, stranger = shop.workspace.organization()

    assert viewer.get(path).data == shop.listed()  # languages limit no read
    assert other.get(path).error["code"] == "permission_denied"
    assert stranger.get(path).error["code"] == "project_not_found"


def test_findings_cost_a_write_three_statements_at_most(shop):
    def cost(text):
        with statements_of(shop.workspace.framework.storage) as statements:
            shop.put(shop.hello, "de", text)
        return sum(
            "findings" in statement
            and "FROM keys k LEFT JOIN key_values" not in statement
            for statement in statements  # that reads the key, and whether it has any
        )

    assert cost("Na {x}!") == 3  # what was found, away with it, and what is found now
    assert cost("Na {name}!") == 2
    assert cost("Ja {name}!") == 1
    assert cost("Ja {name}!") == 0


# kept in step, whatever is written


def test_mending_a_text_ends_its_issues(shop):
    shop.put(shop.hello, "de", "Hallo {name}!")
    assert shop.issues() == FOUND[1:]
    shop.put(shop.hello, "fr", "")

    assert shop.issues() == shop.names(hasIssues=True) == []


def test_a_new_source_text_is_compared_with_every_language(shop):
    shop.put(shop.hello, "en", "Hello {nom}!")
    assert shop.issues() == FOUND[:1]
    shop.put(shop.hello, "en", "")

    assert shop.issues() == []


def test_what_a_key_says_of_itself_is_looked_at(shop):
    shop.patch(shop.pay, maxLength=4)
    assert shop.issues(check="length") == [("pay", "de", None, "length")]
    shop.patch(shop.pay, key="a.pay", maxLength=2)
    assert shop.issues(check="length") == [
        ("a.pay", "en", None, "length"),
        ("a.pay", "de", None, "length"),
    ]
    shop.patch(shop.pay, maxLength=None)

    assert shop.issues() == FOUND


def test_turning_plurals_on_asks_for_the_forms_of_each_language(shop):
    shop.patch(shop.pay, isPlural=True)
    assert shop.issues(keyId=shop.pay) == [
        ("pay", "en", "other", "plural_forms"),
        ("pay", "de", "other", "plural_forms"),
    ]
    shop.patch(shop.pay, isPlural=False)

    assert shop.issues() == FOUND


def test_keys_that_trade_names_keep_their_issues(shop):
    shop.patch(shop.pay, key="z")
    shop.patch(shop.hello, key="pay")

    assert [row[0] for row in shop.issues()] == ["pay", "pay"]
    assert shop.names(hasIssues=True) == ["pay"]


def test_a_key_in_the_trash_has_no_issues_until_it_is_back(shop):
    one = f"{shop.path}/keys/{shop.hello}"
    shop.owner.delete(one)
    assert shop.issues() == shop.names(hasIssues=True) == []
    shop.owner.post(f"{one}/restore", json={})

    assert shop.issues() == FOUND
    assert shop.names(hasIssues=True) == ["hello"]


def test_a_language_leaves_with_its_issues(shop):
    shop.owner.delete(f"{shop.path}/languages/fr")
    assert shop.issues() == FOUND[:1]
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "fr"})

    assert shop.issues() == FOUND[:1]


def test_batches_are_looked_at_like_single_writes(shop):
    keys = [
        {"key": f"k{n}", "values": {"en": "{a}", "de": "{a}" if n % 2 else "a"}}
        for n in range(6)
    ]
    shop.owner.post(f"{shop.path}/keys/bulk", json={"keys": keys})
    items = [
        {"key": "k0", "languageCode": "de", "value": "{a}"},
        {"key": "k1", "languageCode": "en", "value": "{b}"},
    ]
    shop.owner.put(f"{shop.path}/values", json={"items": items})

    assert [row[0] for row in shop.issues(languageCode="de")] == [
        "hello",
        "k1",
        "k2",
        "k4",
    ]


def test_an_import_of_one_language_looks_at_the_others_where_it_must(shop):
    shop.put(shop.hello, "en", "Ho {name}!")  # the others are outdated already
    texts = b'{"hello": "Hello {nom}!", "new": "{a}"}'
    form = {"format": "json-flat", "languageCode": "en", "tags": ["ui"]}
    file = Upload("en.json", texts, "application/json")

    done = shop.workspace.job_of(
        shop.owner.post(
            f"{shop.path}/import",
            form={**form, "onConflict": "overwrite"},
            files={"file": file},
        )
    )

    assert done["status"] == "succeeded", done
    assert shop.issues(languageCode="de", check="placeholders") == FOUND[:1]
    assert shop.issues(languageCode="fr", check="placeholders") == []


def test_an_import_that_replaces_takes_issues_away(shop):
    form = {"format": "json-flat", "languageCode": "en", "mode": "replace"}
    file = Upload("en.json", b'{"pay": "Pay"}', "application/json")
    path = f"{shop.path}/import"

    shop.workspace.job_of(shop.owner.post(path, form=form, files={"file": file}))

    assert shop.issues() == []
