"""Checks that a project blocks with: what they find is not approved, on any path."""

import pytest

from locframework.http.records import Upload

BLOCKING = ["placeholders", "length"]


class Shop:
    """A project that blocks, with one text approved."""

    def __init__(self, workspace):
        self.workspace, self.owner = workspace, workspace.owner
        self.translator = workspace.client("translator")
        project = workspace.project(languages=["de", "fr"], blockingChecks=BLOCKING)
        self.path = f"/projects/{project['id']}"
        values = {"en": "Hi {name}", "de": "Hallo {name}"}
        made = self.owner.post(
            f"{self.path}/keys", json={"key": "hi", "values": values}
        )
        self.hi = made.data["key"]["id"]

    def put(self, lang, value, *, client=None, **query):
        path = f"{self.path}/keys/{self.hi}/values/{lang}"
        return (client or self.owner).put(path, json={"value": value}, query=query)

    def approve(self, lang, **query):
        path = f"{self.path}/keys/{self.hi}/values/{lang}/approve"
        return self.owner.post(path, json={}, query=query)

    def statuses(self, key_id=None, **query):
        path = f"{self.path}/keys/{key_id or self.hi}"
        values = self.owner.get(path, query=query).data["key"]["values"]
        return {
            f"{one['languageCode']}.{one['pluralForm'] or ''}".strip("."): one["status"]
            for one in values
        }

    def delivered(self, lang, **query):
        asked = {"format": "json-flat", "languageCodes": lang, **query}
        return self.owner.get(f"{self.path}/export", query=asked).json

    def key(self, name):
        found = self.owner.get(f"{self.path}/keys", query={"prefix": name}).data
        return found["items"][0]["id"]


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


def test_an_approval_is_refused_with_what_was_found(shop):
    shop.put("de", "Hallo", client=shop.translator)

    refused = shop.approve("de")

    assert (refused.status, refused.error["code"]) == (409, "quality_check_failed")
    [issue] = refused.error["details"]["issues"]
    listed = shop.owner.get(f"{shop.path}/issues").data["items"]
    assert listed == [issue]
    assert shop.statuses()["de"] == "pending_review"
    assert shop.delivered("de") == {"hi": "Hallo {name}"}


def mend(shop):
    shop.put("de", "Na, {name}", client=shop.translator)


def mend_for_another_check(shop):
    shop.put("de", "Hallo {name} ", client=shop.translator)


def fit_the_source(shop):
    shop.put("en", "Hi")


def turn_off(shop):
    shop.owner.patch(shop.path, json={"checkSeverities": {"placeholders": "off"}})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (mend, "Na, {name}"),
        (mend_for_another_check, "Hallo {name} "),
        (fit_the_source, "Hallo"),
        (turn_off, "Hallo"),
    ],
)
def test_a_text_that_no_blocking_check_finds_wrong_is_approved(shop, change, text):
    shop.put("de", "Hallo", client=shop.translator)
    change(shop)

    assert shop.approve("de").status == 200
    assert shop.delivered("de") == {"hi": text}


def test_only_the_forms_that_wait_are_judged(shop):
    shop.owner.patch(f"{shop.path}/keys/{shop.hi}", json={"isPlural": True})
    shop.put("de", {"one": "Hallo", "other": "Hallo"}, client=shop.translator)
    refused = shop.approve("de")
    shop.put("de", {"other": "Na {name}"}, client=shop.translator)
    again = shop.approve("de")

    forms = [one["pluralForm"] for one in refused.error["details"]["issues"]]
    assert forms == ["other"]  # a form of one thing may leave its only name out
    assert again.status == 200


def test_what_an_approver_writes_waits_for_review(shop):
    shop.put("de", "Ja, {name}", client=shop.translator)
    assert shop.statuses()["de"] == "pending_review"  # as ever
    written = shop.put("de", "Hallo")

    values = {one["languageCode"]: one for one in written.data["key"]["values"]}
    assert written.status == 200
    assert (values["de"]["value"], values["de"]["status"]) == (
        "Hallo",
        "pending_review",
    )
    assert shop.delivered("de") == {"hi": "Hallo {name}"}
    assert shop.put("de", "Na {name}").status == 200
    assert shop.statuses()["de"] == "approved"


def test_texts_of_one_write_are_judged_together(shop):
    body = {"key": "b", "values": {"de": "{x}", "fr": "x", "en": "{x}"}}
    made = shop.owner.post(f"{shop.path}/keys", json=body).data["key"]["id"]

    assert shop.statuses(made) == {
        "en": "approved",
        "de": "approved",
        "fr": "pending_review",
    }


def test_an_approved_text_stays_approved_when_its_source_text_changes(shop):
    shop.put("en", "Hi {name} {city}")

    assert shop.statuses()["de"] == "approved"
    assert shop.approve("de").error["code"] == "quality_check_failed"


def test_a_text_can_be_cleared(shop):
    shop.put("de", "Hallo", client=shop.translator)
    shop.put("de", "", client=shop.translator)

    assert shop.approve("de").status == 200
    assert "de" not in shop.statuses()


def test_batches_hold_what_single_writes_hold(shop):
    keys = [{"key": "b", "maxLength": 3, "values": {"en": "Pay", "de": "Zahlen"}}]
    made = shop.owner.post(f"{shop.path}/keys/bulk", json={"keys": keys})
    items = [{"keyId": shop.hi, "languageCode": "fr", "value": "Salut"}]
    shop.owner.put(f"{shop.path}/values", json={"items": items})

    [result] = made.data["results"]
    assert result["outcome"] == "created"
    assert shop.statuses(result["key"]["id"]) == {
        "en": "approved",
        "de": "pending_review",
    }
    assert shop.statuses()["fr"] == "pending_review"


def test_an_import_holds_what_a_write_holds(shop):
    file = Upload("de.json", b'{"hi": "Hallo", "new": "neu"}', "application/json")
    form = {"format": "json-flat", "languageCode": "de", "onConflict": "overwrite"}

    done = shop.workspace.job_of(
        shop.owner.post(f"{shop.path}/import", form=form, files={"file": file})
    )

    assert done["status"] == "succeeded"
    assert shop.statuses()["de"] == "pending_review"
    assert shop.statuses(shop.key("new"))["de"] == "approved"
    assert shop.delivered("de") == {"hi": "Hallo {name}", "new": "neu"}


def test_a_branch_holds_and_its_merge_leaves_it_waiting(shop):
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put("de", "Hallo", branch="spring")
    refused = shop.approve("de", branch="spring")
    merged = shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert refused.error["code"] == "quality_check_failed"
    assert merged.status == 200
    assert shop.statuses()["de"] == "pending_review"
    assert shop.delivered("de") == {"hi": "Hallo {name}"}


def test_a_merge_holds_what_was_approved_before_the_check_blocked(shop):
    shop.owner.patch(shop.path, json={"blockingChecks": []})
    shop.owner.post(f"{shop.path}/branches", json={"name": "spring"})
    shop.put("de", "Hallo", branch="spring")
    shop.put("fr", "Salut {name}", branch="spring")
    shop.owner.patch(shop.path, json={"blockingChecks": BLOCKING})

    merged = shop.owner.post(f"{shop.path}/branches/spring/merge", json={})

    assert merged.status == 200
    assert shop.statuses() == {
        "en": "approved",
        "de": "pending_review",
        "fr": "approved",
    }
    assert shop.delivered("de") == {"hi": "Hallo {name}"}


def test_a_revert_holds_what_a_write_holds(shop):
    shop.owner.patch(shop.path, json={"blockingChecks": []})
    shop.put("de", "Hallo")  # revision 2
    shop.put("de", "Na {name}")
    shop.owner.patch(shop.path, json={"blockingChecks": BLOCKING})
    path = f"{shop.path}/keys/{shop.hi}/values/de/revert"

    back = shop.owner.post(path, json={"revision": 2})

    assert back.status == 200, back
    assert shop.statuses()["de"] == "pending_review"
    assert shop.delivered("de") == {"hi": "Na {name}"}


def test_a_text_that_waits_does_not_reach_a_release(shop):
    body = {"name": "Web", "format": "json-flat"}
    made = shop.owner.post(f"{shop.path}/distributions", json=body)
    shop.put("de", "Hallo")
    shop.workspace.run_jobs()

    key = made.data["distribution"]["publicKey"]
    manifest = shop.owner.get(f"/content/{key}/manifest.json").json
    [german] = [each for each in manifest["files"] if each["language"] == "de"]
    url = german["url"].partition("/api/v1")[2]
    assert shop.owner.get(url).json == {"hi": "Hallo {name}"}


@pytest.mark.parametrize("order", [("en", "de"), ("de", "en")])
@pytest.mark.parametrize(
    ("german", "status"), [("Na {name}", "pending_review"), ("Na {who}", "approved")]
)
def test_a_batch_is_judged_by_the_source_text_that_it_brings_wherever_that_stands(
    shop, german, status, order
):
    texts = {"en": "Hello {who}", "de": german}
    items = [
        {"key": "hi", "languageCode": code, "value": texts[code]} for code in order
    ]

    answer = shop.owner.put(f"{shop.path}/values", json={"items": items})

    results = answer.data["results"]
    assert [(each["index"], each["outcome"]) for each in results] == [
        (0, "updated"),
        (1, "updated"),
    ]
    assert shop.statuses() == {"en": "approved", "de": status}
    key = shop.owner.get(f"{shop.path}/keys/{shop.hi}").data["key"]
    assert [value["isOutdated"] for value in key["values"]] == [False, False]
