"""Runs and suggestions beside each other, and beside merges."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier, Event, Semaphore

import pytest

from locframework.ports import Translated, Translations, TranslatorFailed
from locframework.testing.workspace import open_workspace

from .scripted import Scripted, outcomes, run, values

SECONDS = 30


def suggest(shop, project):
    body = {"languageCode": "de", "text": "Go"}
    return shop.owner.post(f"/projects/{project['id']}/ai/suggest", json=body)


@pytest.mark.parametrize(("threads", "most"), [(1, 1), (7, 1), (12, 3)])
def test_a_quarter_of_the_threads_may_wait_for_suggestions(
    database_url, tmp_path, threads, most
):
    engine, begun, may_end = Scripted(), Semaphore(0), Event()

    def slow(batch):
        begun.release()
        assert may_end.wait(SECONDS)
        return engine.upper(batch)

    engine.answer = slow
    with open_workspace(
        database_url,
        tmp_path,
        plugins=[engine],
        translator="scripted",
        server={"threads": threads},
    ) as shop:
        project = shop.project(languages=["de"])
        with ThreadPoolExecutor(most) as pool:
            waiting = [pool.submit(suggest, shop, project) for _ in range(most)]
            for _ in waiting:
                assert begun.acquire(timeout=SECONDS)
            refused = suggest(shop, project)
            may_end.set()
            found = [each.result() for each in waiting]
        later = suggest(shop, project)

    assert (refused.status, refused.error["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"] == "2"
    assert [each.status for each in found] == [200] * most
    assert later.status == 200
    assert len(engine.batches) == most + 1


@pytest.mark.parametrize("error", [TranslatorFailed("down"), RuntimeError("broken")])
def test_a_suggestion_that_fails_keeps_no_other_from_its_place(
    shop, project, engine, error
):
    def fail(batch):
        raise error

    engine.answer = fail
    refused = [suggest(shop, project) for _ in range(5)]
    engine.answer = engine.upper

    assert {each.status for each in refused} == {503}
    assert suggest(shop, project).status == 200
    assert len(engine.batches) == 6


def start(shop, project, **query):
    path = f"/projects/{project['id']}/ai/translate"
    return shop.owner.post(path, query=query, json={"languageCodes": ["de"]})


def job_of(shop, project, asked):
    path = f"/projects/{project['id']}/jobs/{asked.data['job']['id']}"
    return shop.owner.get(path).data["job"]


def test_of_two_runs_over_the_same_texts_the_second_changes_nothing(
    shop, project, engine
):
    both = Barrier(2)

    def together(batch):
        both.wait(SECONDS)
        return engine.upper(batch)

    engine.price, engine.answer = Decimal("0.5"), together
    asked = [start(shop, project) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: shop.run_jobs(), range(2)))

    jobs = [job_of(shop, project, each) for each in asked]
    results = [job["result"] for job in jobs]
    kinds = [Counter(o[2:] for o in outcomes(shop, project, job)) for job in jobs]
    won = Counter({("translated", None): 4, ("skipped", "no_source"): 1})
    lost = Counter({("skipped", "changed_meanwhile"): 4, ("skipped", "no_source"): 1})
    assert kinds in ([won, lost], [lost, won])
    assert [result["cost"] for result in results] == ["2", "2"]
    assert set(values(shop, project).values()) == {
        ("SAVE {name}", "draft"),
        ("CLOSE", "draft"),
        ("ONE", "draft"),
        ("{n}S", "draft"),
    }
    key = next(o["keyId"] for o in results[0]["items"] if o["key"] == "a")
    history = f"/projects/{project['id']}/keys/{key}/values/de/history"
    assert shop.owner.get(history).data["total"] == 1


@pytest.mark.parametrize("end", ["merge", "delete"])
def test_a_run_on_a_branch_that_ends_meanwhile_fails_and_says_what_it_paid(
    shop, project, engine, end
):
    path = f"/projects/{project['id']}"
    made = shop.owner.post(f"{path}/branches", json={"name": "next"}).data["branch"]
    branch = f"{path}/branches/{made['id']}"
    engine.price, engine.most_items = Decimal("0.5"), 1  # keys of a page

    def end_branch(batch):
        if len(engine.batches) == 2:
            if end == "merge":
                merged = shop.owner.post(f"{branch}/merge", json={})
                assert merged.status == 200, merged
            else:
                assert shop.owner.delete(branch).status == 200
        return engine.upper(batch)

    engine.answer = end_branch

    job = shop.job_of(start(shop, project, branch="next"))

    assert (job["status"], job["error"]["code"]) == ("failed", "branch_not_open")
    assert len(engine.batches) == 2
    assert (job["result"]["cost"], job["result"]["paidAgain"]) == ("1", "0.5")
    assert outcomes(shop, project, job) == [("a", "de", "translated", None)]
    merged = {("a", None): ("SAVE {name}", "draft")}
    assert values(shop, project) == (merged if end == "merge" else {})


def test_a_draft_that_a_check_blocks_is_stored_and_not_approved(shop, engine):
    project = shop.project(languages=["de"], blockingChecks=["length"])
    path = f"/projects/{project['id']}"
    shop.key(project, "long", maxLength=9, values={"en": "Save this"})
    shop.key(project, "short", maxLength=9, values={"en": "Save"})

    def longer(batch):
        found = engine.upper(batch).outcomes
        return Translations(
            {id_: Translated((*each.pieces, "!")) for id_, each in found.items()}
        )

    engine.answer = longer
    job = run(shop, project)
    [finding] = shop.owner.get(
        f"{path}/issues", query={"check": "length", "languageCode": "de"}
    ).data["items"]
    ended = shop.job_of(shop.owner.post(f"{path}/ai/runs/{job['id']}/approve"))

    assert job["result"]["translated"] == 2
    assert finding["key"] == "long"
    assert ended["result"]["approved"] == 1
    [skipped] = ended["result"]["skipped"]
    assert (skipped["key"], skipped["reason"]) == ("long", "quality_check_failed")
    assert values(shop, project) == {
        ("long", None): ("SAVE THIS!", "draft"),
        ("short", None): ("SAVE!", "approved"),
    }
