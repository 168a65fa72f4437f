"""Dismissals: what a check found in a value is no fault, until its texts change."""

import pytest

from tests.databases import statements_of

from .checked_shop import FOUND, Shop


class Dismissing(Shop):
    """A shop where findings are dismissed. ``FOUND`` is what is there at first."""

    def dismiss(
        self,
        lang="de",
        key=None,
        check="placeholders",
        client=None,
        reason="a name is not used here",
        **query,
    ):
        path = f"{self.path}/keys/{key or self.hello}/values/{lang}/dismissals/{check}"
        body = {} if reason is None else {"reason": reason}
        return (client or self.owner).put(path, json=body, query=query)

    def withdraw(self, lang="de", **query):
        path = f"{self.path}/keys/{self.hello}/values/{lang}/dismissals/placeholders"
        return self.owner.delete(path, query=query)

    def is_found(self, lang="de", **query):
        """Whether the finding is an issue: in lists, by filter and at the value."""
        listed = self.issues(languageCode=lang, keyId=self.hello, **query)
        named = self.names(hasIssues=True, languageCode=lang, **query)
        absent = self.names(hasIssues=False, languageCode=lang, **query)
        value = self.detail(self.hello, lang, **query)["value"]
        found = bool(listed)
        assert ("hello" in named, "hello" in absent) == (found, not found)
        assert bool(value["issues"]) == found
        return found

    def branch(self):
        body = {"name": "spring"}
        assert self.owner.post(f"{self.path}/branches", json=body).status == 201

    def merge(self, **body):
        path = f"{self.path}/branches/spring/merge"
        answer = self.owner.post(path, json=body)
        assert answer.status == 200, answer
        return answer

    def status(self, lang="de", **query):
        return self.detail(self.hello, lang, **query)["value"]["status"]


@pytest.fixture
def shop(workspace):
    return Dismissing(workspace)


def test_a_dismissed_finding_is_no_issue_and_is_shown_with_the_reason(shop):
    [issue] = shop.detail(shop.hello, "de")["value"]["issues"]

    answer = shop.dismiss()

    assert answer.status == 200
    value = shop.detail(shop.hello, "de")["value"]
    assert answer.data == {"value": value, "forms": []}
    assert value["issues"] == []
    [dismissed] = value["dismissedIssues"]
    assert dismissed == {
        **issue,
        "reason": "a name is not used here",
        "dismissedBy": {"type": "user", "id": dismissed["dismissedBy"]["id"]},
        "dismissedAt": dismissed["dismissedAt"],
    }
    assert not shop.is_found()
    assert shop.is_found("fr")
    assert shop.issues() == [row for row in FOUND if row[1] != "de"]


def test_it_can_be_dismissed_again_and_the_dismissal_withdrawn(shop):
    shop.dismiss()
    [dismissed] = shop.dismiss(reason=None).data["value"]["dismissedIssues"]
    assert dismissed["reason"] is None

    answer = shop.withdraw()

    assert answer.status == 200
    assert answer.data["value"]["dismissedIssues"] == []
    assert len(answer.data["value"]["issues"]) == 1
    assert shop.is_found()
    assert shop.withdraw().error["code"] == "not_found"


@pytest.mark.parametrize(("lang", "text"), [("de", "Hallo du!"), ("en", "Hi {name}!")])
def test_it_returns_when_the_source_text_or_the_value_changes(shop, lang, text):
    shop.dismiss()

    shop.put(shop.hello, lang, text)

    assert shop.is_found()
    shop.dismiss()
    assert not shop.is_found()


def test_it_stays_dismissed_while_the_texts_stay(shop):
    shop.dismiss()

    shop.patch(shop.hello, description="A greeting", tags=["x"], key="greeting")
    shop.put(shop.pay, "en", "Pay now")
    shop.put(shop.hello, "fr", "Salut {nom}, et toi?")
    shop.put(shop.hello, "de", "Hallo!")
    shop.owner.delete(f"{shop.path}/keys/{shop.hello}")
    shop.owner.post(f"{shop.path}/keys/{shop.hello}/restore", json={})
    job = shop.workspace.framework.issues.start_recheck
    job(shop.workspace.framework.tokens.caller_behind(shop.owner.token or ""),
        shop.project["id"])  # fmt: skip
    shop.workspace.run_jobs()

    assert shop.issues(languageCode="de") == []
    assert shop.names(hasIssues=True, languageCode="de") == []


def test_it_is_dismissed_in_all_plural_forms_for_the_one_check(shop):
    forms = {"one": "Tag ", "other": "Tage "}
    plural = {"en": {"one": "{n} day", "other": "{n} days"}, "de": forms}
    days = shop.made({"key": "days", "isPlural": True, "values": plural})
    query = {"keyId": days, "check": "placeholders"}
    assert shop.issues(**query)

    answer = shop.dismiss(key=days)

    for form in answer.data["forms"]:
        assert "placeholders" not in {one["check"] for one in form["issues"]}
        assert "white_space" in {one["check"] for one in form["issues"]}
    assert shop.issues(**query) == []
    shop.put(days, "de", {"one": "Ein Tag "})
    assert shop.issues(**query)


def test_a_dismissed_finding_blocks_no_approval(workspace):
    shop = Dismissing(workspace, blockingChecks=["placeholders"])
    approve = f"{shop.path}/keys/{shop.hello}/values/de/approve"
    assert shop.owner.post(approve, json={}).error["code"] == "quality_check_failed"

    shop.dismiss()

    assert shop.owner.post(approve, json={}).status == 200
    assert shop.status() == "approved"
    shop.put(shop.hello, "de", "Hallo du!")
    assert shop.status() == "pending_review"


def test_writing_a_dismissed_text_again_approves_it(workspace):
    shop = Dismissing(workspace, blockingChecks=["placeholders"])
    shop.dismiss()

    shop.put(shop.hello, "de", "Hallo!")
    items = [{"key": "hello", "languageCode": "fr", "value": "Salut!"}]
    shop.owner.put(f"{shop.path}/values", json={"items": items})

    assert (shop.status(), shop.status("fr")) == ("approved", "pending_review")


def test_on_a_branch_it_is_of_the_branch_until_a_merge(shop):
    shop.branch()
    shop.dismiss(branch="spring")
    assert not shop.is_found(branch="spring")
    assert shop.is_found()
    assert shop.withdraw().error["code"] == "not_found"

    shop.merge()

    assert not shop.is_found()


def test_on_main_it_is_of_every_branch_with_the_texts(shop):
    shop.branch()
    shop.put(shop.hello, "fr", "Salut!", branch="spring")  # has a copy from now on

    shop.dismiss()

    assert not shop.is_found(branch="spring")
    refused = shop.withdraw(branch="spring")
    assert (refused.status, refused.error["code"]) == (409, "not_on_branch")
    shop.put(shop.hello, "de", "Hallo du!", branch="spring")
    assert shop.is_found(branch="spring")
    assert not shop.is_found()


def test_what_a_branch_dismissed_is_withdrawn_there(shop):
    shop.branch()
    shop.dismiss(branch="spring")

    assert shop.withdraw(branch="spring").status == 200

    assert shop.is_found(branch="spring")


@pytest.mark.parametrize("is_new", [False, True])
def test_a_merge_brings_a_dismissed_text_as_approved(workspace, *, is_new):
    shop = Dismissing(workspace, blockingChecks=["placeholders"])
    shop.branch()
    if is_new:
        shop.hello = shop.key("new", branch="spring", en="Hello {name}!", de="Na!")
    else:
        shop.put(shop.hello, "de", "Na!", branch="spring")
    shop.dismiss(branch="spring")
    approve = f"{shop.path}/keys/{shop.hello}/values/de/approve"
    assert shop.owner.post(approve, json={}, query={"branch": "spring"}).status == 200

    shop.merge()

    value = shop.detail(shop.hello, "de")["value"]
    assert (value["value"], value["status"]) == ("Na!", "approved")
    assert (value["issues"], len(value["dismissedIssues"])) == ([], 1)


def test_a_merge_that_keeps_mains_text_keeps_its_dismissal(shop):
    shop.branch()
    shop.put(shop.hello, "de", "Na!", branch="spring")
    shop.dismiss(branch="spring")
    shop.put(shop.hello, "de", "Hallo du!")
    shop.dismiss()

    shop.merge(strategy="use_main")

    assert not shop.is_found()


def test_a_protected_main_takes_a_dismissal_by_a_merge_alone(workspace):
    shop = Dismissing(workspace)
    shop.branch()
    shop.owner.patch(shop.path, json={"mainProtected": True})

    assert shop.dismiss().error["code"] == "branch_protected"
    shop.dismiss(branch="spring")
    shop.merge()

    assert not shop.is_found()
    assert shop.withdraw().error["code"] == "branch_protected"


@pytest.mark.parametrize(
    ("lang", "check", "code"),
    [
        ("de", "numbers", "not_found"),
        ("de", "spelling", "not_found"),
        ("en", "placeholders", "not_found"),
        ("sv", "placeholders", "language_not_found"),
    ],
)
def test_what_is_not_found_cannot_be_dismissed(shop, lang, check, code):
    refused = shop.dismiss(lang, check=check)

    assert (refused.status, refused.error["code"]) == (404, code)


def test_a_check_that_is_off_cannot_be_dismissed(shop):
    shop.owner.patch(shop.path, json={"disabledChecks": ["placeholders"]})

    assert shop.dismiss().error["code"] == "not_found"


def test_it_needs_translation_approve_and_the_language(shop):
    translator = shop.workspace.client("translator")
    reviewer = shop.workspace.client("reviewer", languages=["fr"])

    assert shop.dismiss(client=translator).error["code"] == "permission_denied"
    assert shop.dismiss(client=reviewer).error["code"] == "language_not_assigned"
    assert shop.dismiss("fr", client=reviewer).status == 200


def test_a_reason_has_a_length(shop):
    assert shop.dismiss(reason="x" * 1000).status == 200
    assert shop.dismiss(reason="x" * 1001).error["code"] == "validation_failed"


def test_if_match_names_the_value_as_it_was_read(shop):
    path = f"{shop.path}/keys/{shop.hello}/values/de"
    read = shop.owner.get(path).headers["ETag"]
    at = f"{path}/dismissals/placeholders"

    done = shop.owner.put(at, json={}, headers={"If-Match": read})
    late = shop.owner.delete(at, headers={"If-Match": read})

    assert (done.status, late.status) == (200, 412)
    assert done.headers["ETag"] == shop.owner.get(path).headers["ETag"] != read


def test_a_language_that_comes_back_has_no_dismissals(shop):
    shop.dismiss()
    languages = f"{shop.path}/languages"
    shop.owner.delete(f"{languages}/de")
    shop.owner.post(languages, json={"languageCode": "de"})

    shop.put(shop.hello, "de", "Hallo!")

    assert shop.is_found()


def test_no_write_asks_for_dismissals_unless_a_check_blocks(shop):
    shop.dismiss()

    with statements_of(shop.workspace.framework.storage) as statements:
        shop.put(shop.hello, "de", "Hallo du!")
        shop.put(shop.hello, "en", "Hi {name}!")

    assert not [each for each in statements if "dismissals" in each]
