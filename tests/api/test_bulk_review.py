"""decisions 2.3: many texts are approved or rejected at once."""

import pytest

from tests.api.checked_shop import Shop


class Reviewing:
    """A project where a translator proposed texts."""

    def __init__(self, keys):
        self.keys, self.workspace, self.owner = keys, keys.workspace, keys.owner
        self.path = f"/projects/{keys.project['id']}"
        self.reviewer = self.workspace.client("reviewer")

    def propose(self, name, text="Zahlen", lang="de", **fields):
        key = self.keys.made(key=name, **fields)
        assert self.keys.put(key, lang, text, self.keys.translator).status == 200
        return key

    def act(self, verb, client=None, query=None, **body):
        path = f"{self.path}/values/{verb}"
        return (client or self.reviewer).post(path, json=body, query=query or {})

    def status(self, key, lang="de"):
        return self.keys.detail(key, lang)["status"]

    def job(self, verb, **body):
        answer = self.act(verb, **body)
        assert answer.status == 202, answer
        return self.workspace.job_of(answer, self.reviewer)


@pytest.fixture
def review(keys):
    return Reviewing(keys)


def item(key, lang="de", **more):
    return {"keyId": key["id"], "languageCode": lang, **more}


def test_items_are_approved_each_with_its_own_outcome(review):
    first, second = review.propose("a"), review.propose("b")
    third = review.keys.made(key="c")
    asked = [
        {"key": "a", "languageCode": "de"},
        item(second, revision=9),
        item(third),
        {"key": "nowhere", "languageCode": "de"},
        item(first, lang="sv"),
        {"languageCode": "de"},
    ]

    answer = review.act("approve", items=asked)

    assert answer.status == 200
    results = answer.data["results"]
    assert [each["index"] for each in results] == [0, 1, 2, 3, 4, 5]
    assert results[0]["outcome"] == "updated"
    assert results[0]["key"] == review.keys.get(first)
    codes = [each["error"]["code"] for each in results[1:]]
    assert codes == [
        "nothing_pending",
        "nothing_pending",
        "key_not_found",
        "language_not_in_project",
        "validation_failed",
    ]
    assert (review.status(first), review.status(second)) == (
        "approved",
        "pending_review",
    )


def test_items_are_rejected_with_the_reason(review):
    first = review.propose("a", values={"de": "Bezahlen"})
    second = review.propose("b")

    answer = review.act("reject", items=[item(first), item(second)], reason="too long")

    outcomes = [each["outcome"] for each in answer.data["results"]]
    assert outcomes == ["updated", "updated"]
    assert review.keys.detail(first, "de")["value"] == "Bezahlen"
    assert review.status(second) == "draft"
    path = f"{review.keys.path}/{first['id']}/values/de/history"
    newest = review.owner.get(path).data["items"][0]
    assert newest["reason"] == "too long"


def test_an_empty_reason_is_none(review):
    key = review.propose("a")

    assert review.act("reject", items=[item(key)], reason="").status == 200

    path = f"{review.keys.path}/{key['id']}/values/de/history"
    assert review.owner.get(path).data["items"][0]["reason"] is None


def test_an_item_twice_is_decided_once(review):
    key = review.propose("a")

    results = review.act("approve", items=[item(key), item(key)]).data["results"]

    assert [each["outcome"] for each in results] == ["updated", "failed"]
    assert results[1]["error"]["code"] == "nothing_pending"


def test_a_check_that_blocks_fails_its_item_alone(workspace):
    shop = Shop(workspace, blockingChecks=["placeholders"])
    path = f"{shop.path}/values/approve"
    asked = [{"key": "hello", "languageCode": code} for code in ("de", "fr")]
    assert shop.put(shop.hello, "de", "Servus {name}!").status == 200

    results = shop.owner.post(path, json={"items": asked}).data["results"]

    assert "quality_check_failed" in [
        each["error"]["code"] for each in results if each["error"]
    ]


def test_a_filter_approves_all_that_waits_in_its_language(review):
    waiting = [review.propose(f"cart.k{at:03}") for at in range(250)]
    review.propose("title")
    arabic = review.propose("cart.other", "ادفع", "ar")

    job = review.job("approve", filter={"languageCode": "de", "prefix": "cart."})

    assert (job["type"], job["status"]) == ("review", "succeeded")
    assert job["progress"] == {"done": 250, "total": 250}
    assert job["result"] == {
        "approved": 250,
        "rejected": 0,
        "skippedCount": 0,
        "skipped": [],
    }
    statistics = review.owner.get(f"{review.path}/statistics").data["statistics"]
    [german] = [one for one in statistics["languages"] if one["languageCode"] == "de"]
    assert (german["approved"], german["pendingReview"]) == (250, 1)
    assert review.status(waiting[-1]) == "approved"
    assert review.status(arabic, "ar") == "pending_review"


def test_a_filter_rejects_and_tells_what_it_left(review):
    first = review.propose("a", values={"de": "Bezahlen"})
    draft = review.propose("b")
    assert review.act("reject", items=[item(draft)]).status == 200

    job = review.job("reject", filter={"languageCode": "de", "status": "draft"})

    assert job["result"]["rejected"] == 0
    [left] = job["result"]["skipped"]
    assert left == {
        "keyId": draft["id"],
        "key": "b",
        "languageCode": "de",
        "reason": "nothing_pending",
    }
    assert review.status(first) == "pending_review"
    assert (
        review.job("reject", filter={"languageCode": "de"})["result"]["rejected"] == 1
    )
    assert review.status(first) == "approved"


def test_a_filter_on_a_branch_decides_there(review):
    branches = f"{review.path}/branches"
    assert review.owner.post(branches, json={"name": "spring"}).status == 201
    on = {"branch": "spring"}
    key = review.keys.made(key="a")
    path = f"{review.keys.path}/{key['id']}/values/de"
    review.keys.translator.put(path, json={"value": "Zahlen"}, query=on)

    job = review.job("approve", query=on, filter={"languageCode": "de"})

    assert job["result"]["approved"] == 1
    assert review.owner.get(path, query=on).data["value"]["status"] == "approved"
    assert review.owner.get(path).data["value"] is None


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$"),
        ({"items": [], "filter": None}, "$.items"),
        ({"items": [{"key": "a", "languageCode": "de"}], "filter": {}}, "$"),
        ({"filter": {}}, "$.filter.languageCode"),
        (
            {"filter": {"languageCode": "de", "status": "untranslated"}},
            "$.filter.status",
        ),
        ({"items": [{"key": "a", "languageCode": "de"}] * 501}, "$.items"),
    ],
)
def test_a_request_that_names_nothing_to_decide_is_refused(review, body, path):
    refused = review.act("approve", **body)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"].startswith(path)


def test_who_may_not_approve_is_refused_and_languages_bind_a_reviewer(review):
    review.propose("a")
    asked = {"items": [{"key": "a", "languageCode": "de"}]}
    arabic = review.workspace.client("reviewer", languages=["ar"])

    assert review.act("approve", review.keys.translator, **asked).status == 403
    [result] = review.act("approve", arabic, **asked).data["results"]
    refused = review.act("approve", arabic, filter={"languageCode": "de"})

    assert result["error"]["code"] == "language_not_assigned"
    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")


def test_a_protected_main_refuses_items_and_filter(review):
    review.propose("a")
    assert review.owner.patch(review.path, json={"mainProtected": True}).status == 200

    for body in (
        {"items": [{"key": "a", "languageCode": "de"}]},
        {"filter": {"languageCode": "de"}},
    ):
        assert review.act("approve", **body).error["code"] == "branch_protected"
