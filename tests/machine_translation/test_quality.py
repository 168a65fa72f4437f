"""What reviewers did with drafts, by engine and language."""

from decimal import Decimal

import pytest

from locframework.http.records import Upload
from tests.databases import statements_of

from .scripted import run, values
from .test_runs import remember


@pytest.fixture
def project(shop, engine):
    engine.price = Decimal("0.5")
    project = shop.project(languages=["de", "ru"])
    shop.key(project, "a", values={"en": "Save the file"})
    shop.key(project, "b", values={"en": "Close"})
    shop.key(
        project, "n", isPlural=True, values={"en": {"one": "One", "other": "{n}s"}}
    )
    return project


class Reviewing:
    """The values of a run, and what people do with them."""

    def __init__(self, shop, project, **body):
        self.shop, self.project = shop, project
        self.job = run(shop, project, **body)
        self.ids = {i["key"]: i["keyId"] for i in self.job["result"]["items"]}
        self.reviewer, self.translator = (
            shop.client("reviewer"),
            shop.client("translator"),
        )

    def path(self, key, code="de"):
        return f"/projects/{self.project['id']}/keys/{self.ids[key]}/values/{code}"

    def approve(self, key, code="de"):
        answer = self.reviewer.post(f"{self.path(key, code)}/approve", json={})
        assert answer.status == 200, answer

    def reject(self, key):
        answer = self.reviewer.post(f"{self.path(key)}/reject", json={"reason": "no"})
        assert answer.status == 200, answer

    def write(self, key, value, who=None):
        answer = (who or self.reviewer).put(self.path(key), json={"value": value})
        assert answer.status == 200, answer

    def quality(self, **query):
        path = f"/projects/{self.project['id']}/ai/quality"
        answer = self.shop.owner.get(path, query=query)
        assert answer.status == 200, answer
        return answer.data["quality"]

    def counts(self):
        found = self.quality()
        assert len(found) == 1
        names = ("approved", "edited", "rejected", "meanEditDistance")
        return tuple(found[0][name] for name in names)


@pytest.fixture
def texts(shop, project):
    return Reviewing(shop, project)


def test_nothing_is_counted_before_somebody_decides(texts):
    texts.write("b", "Zu", texts.translator)

    assert texts.quality() == [
        {
            "provider": "scripted",
            "languageCode": "de",
            "approved": 0,
            "edited": 0,
            "rejected": 0,
            "meanEditDistance": None,
            "cost": "2",
            "keptWords": 0,
            "costPerKeptWord": None,
        }
    ]


def test_drafts_that_are_approved_as_they_are_count_with_their_words(texts):
    texts.approve("a")
    texts.write("b", "CLOSE")  # a reviewer writes the same text
    texts.approve("n")

    [found] = texts.quality()

    assert (found["approved"], found["edited"], found["rejected"]) == (4, 0, 0)
    assert found["keptWords"] == 7
    assert Decimal(found["costPerKeptWord"]) == round(Decimal(2) / 7, 8)


def test_an_edit_counts_once_it_is_approved_with_the_distance_from_the_draft(texts):
    texts.write("b", "CLOSED")  # by a reviewer: approved at once
    assert texts.counts() == (0, 1, 0, round(1 / 6, 4))

    texts.write("a", "SAVE A FILE", texts.translator)
    texts.write("a", "SAVE FILE", texts.translator)
    assert texts.counts()[1] == 1
    texts.approve("a")

    distance = (1 / 6 + 4 / 13) / 2
    approved, edited, rejected, mean = texts.counts()
    assert (approved, edited, rejected) == (0, 2, 0)
    assert mean == pytest.approx(distance, abs=1e-4)


def test_an_edit_that_is_taken_back_is_no_edit(texts):
    texts.write("b", "SHUT", texts.translator)
    texts.write("b", "CLOSE", texts.translator)
    texts.approve("b")

    assert texts.counts() == (1, 0, 0, None)


def test_rejected_and_cleared_drafts_count_and_rejected_edits_do_not(texts):
    texts.write("a", "SAVE", texts.translator)
    texts.reject("a")
    assert texts.counts() == (0, 0, 0, None)

    texts.write("b", "CLOSE", texts.translator)  # submits the draft
    texts.reject("b")
    assert texts.counts() == (0, 0, 1, None)

    texts.write("n", {"one": "", "other": "{n}S"}, texts.reviewer)
    assert texts.counts() == (1, 0, 2, None)


def test_each_draft_counts_once(texts):
    texts.approve("b")
    texts.write("b", "SHUT")
    texts.write("b", "CLOSE")
    assert texts.counts() == (1, 0, 0, None)

    texts.shop.owner.put(
        f"/projects/{texts.project['id']}/keys/{texts.ids['b']}/values/en",
        json={"value": "Shut"},
    )
    run(texts.shop, texts.project, onlyOutdated=True)
    texts.approve("b")

    assert texts.counts() == (2, 0, 0, None)


def test_approving_a_run_counts_its_texts(texts):
    path = f"/projects/{texts.project['id']}/ai/runs/{texts.job['id']}/approve"
    texts.shop.job_of(texts.reviewer.post(path), texts.reviewer)

    assert texts.counts() == (4, 0, 0, None)


def test_languages_and_months_are_apart(shop, project):
    texts = Reviewing(shop, project, languageCodes=["de", "ru"])
    texts.approve("a", "ru")

    found = texts.quality()

    places = [(each["languageCode"], each["approved"]) for each in found]
    assert places == [("de", 0), ("ru", 1)]
    assert texts.quality(**{"from": "2020-01", "to": "2020-02"}) == []


def test_texts_of_people_cost_a_review_no_statement_for_engines(shop, project, engine):
    texts = Reviewing(shop, project)
    texts.approve("b")

    def cost():
        with statements_of(shop.framework.storage) as told:
            texts.write("b", f"Text {len(told)}")
        return [sql for sql in told if "file_details" in sql or "ai_usage" in sql]

    assert cost() == []


def test_a_text_of_a_memory_says_nothing_about_the_engine(shop, project):
    remember(shop, project, {"Close": {"de": "Zu"}})
    texts = Reviewing(shop, project)

    texts.approve("a")
    texts.approve("b")

    assert texts.counts() == (1, 0, 0, None)
    assert texts.quality()[0]["keptWords"] == 3


def test_keys_that_a_person_writes_at_once_count(shop, project):
    texts = Reviewing(shop, project)
    keys = [
        {"key": "a", "values": {"de": "SAVE THE FILE"}},
        {"key": "b", "values": {"de": "CLOSED"}},
    ]
    body = {"keys": keys, "onExisting": "update"}
    assert (
        shop.owner.post(f"/projects/{project['id']}/keys/bulk", json=body).data[
            "results"
        ][1]["outcome"]
        == "updated"
    )

    assert texts.counts() == (1, 1, 0, round(1 / 6, 4))


def test_an_import_is_no_review(shop, project):
    texts = Reviewing(shop, project)

    imported = shop.owner.post(
        f"/projects/{project['id']}/import",
        form={"languageCode": "de", "onConflict": "overwrite"},
        files={
            "file": Upload(
                "de.json",
                b'{"a": "SAVE THE FILE", "b": "Zu"}',
                "application/json",
            )
        },
    )

    assert shop.job_of(imported)["result"]["valuesWritten"] > 0
    assert values(shop, project)["b", None] == ("Zu", "approved")
    assert texts.counts() == (0, 0, 0, None)


def test_reviews_on_a_branch_count_and_a_merge_is_no_review(shop, project):
    path = f"/projects/{project['id']}"
    shop.owner.post(f"{path}/branches", json={"name": "next"})
    query = {"branch": "next"}
    body = {"languageCodes": ["de"]}
    asked = shop.owner.post(f"{path}/ai/translate", query=query, json=body)
    ids = {i["key"]: i["keyId"] for i in shop.job_of(asked)["result"]["items"]}
    value = f"{path}/keys/{ids['b']}/values/de"

    shop.client("reviewer").post(f"{value}/approve", query=query, json={})
    merged = shop.owner.post(f"{path}/branches/next/merge", json={})
    [quality] = shop.owner.get(f"{path}/ai/quality").data["quality"]

    assert merged.status == 200, merged
    assert shop.owner.get(value).data["value"]["status"] == "approved"
    assert (quality["approved"], quality["edited"], quality["rejected"]) == (1, 0, 0)
