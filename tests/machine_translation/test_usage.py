"""What machine translation costs, and how budgets and settings limit it."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from locframework.access.records import OrganizationChanges
from locframework.app import OPERATOR
from locframework.errors import BudgetExceeded
from locframework.machine_translation.usage import Reservation
from locframework.ports import Translations, TranslatorFailed
from locframework.testing.workspace import open_workspace

from .scripted import Scripted, outcomes, run, values


@pytest.fixture
def now():
    return [datetime(2026, 11, 28, tzinfo=UTC)]


@pytest.fixture
def shop(engine, now, database_url, tmp_path):
    engine.price, engine.most_items = Decimal("0.5"), 1
    with open_workspace(
        database_url,
        tmp_path,
        plugins=[engine, "pseudo"],
        translator="scripted",
        clock=lambda: now[0],
    ) as workspace:
        yield workspace


def usage(shop, project, **query):
    answer = shop.owner.get(f"/projects/{project['id']}/ai/usage", query=query)
    assert answer.status == 200, answer
    return answer.data


def settings(shop, project, **ai):
    path = f"/projects/{project['id']}"
    answer = shop.owner.patch(path, json={"ai": ai})
    assert answer.status == 200, answer
    return answer.data["project"]["ai"]


def organization_budget(shop, amount):
    shop.framework.organizations.update_organization(
        OPERATOR, shop.organization_id, OrganizationChanges(ai_monthly_budget=amount)
    )


def test_costs_are_counted_by_month_and_language(shop, project, now):
    run(shop, project, languageCodes=["de", "ru"], filter={"prefix": "a"})
    run(shop, project, filter={"prefix": "b"})
    now[0] = datetime(2026, 12, 1, tzinfo=UTC)
    run(shop, project, filter={"prefix": "n"})

    found = usage(shop, project)

    places = [
        (each["month"], each["languageCode"], each["translated"], each["cost"])
        for each in found["usage"]
    ]
    assert places == [
        ("2026-12", "de", 2, "1"),
        ("2026-11", "de", 2, "1"),
        ("2026-11", "ru", 1, "0.5"),
    ]
    assert {each["provider"] for each in found["usage"]} == {"scripted"}
    assert found["budget"] == {
        "month": "2026-12",
        "spent": "1",
        "monthlyBudget": None,
        "left": None,
    }
    query = {"from": "2026-11", "to": "2026-11"}
    assert len(usage(shop, project, **query)["usage"]) == 2
    path = f"/projects/{project['id']}/ai/usage"
    assert shop.owner.get(path, query={"from": "2026-13"}).status == 400
    assert shop.client("translator").get(path).status == 403


def test_a_dry_run_and_texts_of_memories_cost_nothing(shop, project):
    run(shop, project, dryRun=True)

    assert usage(shop, project)["usage"] == []


def test_calls_that_fail_count_what_they_cost(shop, project, engine):
    def fail(batch):
        raise TranslatorFailed("busy", cost=Decimal("0.2"))

    engine.answer = fail

    result = run(shop, project, filter={"prefix": "a"})["result"]

    [found] = usage(shop, project)["usage"]
    assert (found["translated"], found["cost"]) == (0, "0.2")
    assert result["cost"] == "0.2"


def test_the_budget_of_a_month_is_never_exceeded(shop, project, now, engine):
    settings(shop, project, monthlyBudget="1.75")

    first = run(shop, project)
    second = run(shop, project, languageCodes=["ru"])

    assert engine.price * len(engine.batches) == Decimal("1.5")
    assert (first["result"]["translated"], first["result"]["failed"]) == (3, 1)
    [refused] = [e for e in first["result"]["items"] if e["outcome"] == "failed"]
    assert refused["reason"] == "over_budget"
    reason = "it may cost more than is left of the project's budget of 1.75 for 2026-11"
    assert refused["message"] == reason
    assert second["result"]["translated"] == 0
    assert usage(shop, project)["budget"] == {
        "month": "2026-11",
        "spent": "1.5",
        "monthlyBudget": "1.75",
        "left": "0.25",
    }
    dry = run(shop, project, languageCodes=["ru"], dryRun=True)["result"]
    assert (dry["translated"], dry["cost"]) == (0, "0")

    now[0] = datetime(2026, 12, 1, tzinfo=UTC)
    assert run(shop, project, languageCodes=["ru"])["result"]["translated"] == 3


def test_a_run_keeps_the_lower_of_its_own_limit_and_the_budget(shop, project):
    settings(shop, project, monthlyBudget="1")

    low = run(shop, project, maxCost="0.5")["result"]
    high = run(shop, project, languageCodes=["ru"], maxCost="5")["result"]

    assert (low["cost"], high["cost"]) == ("0.5", "0.5")


def test_an_engine_without_a_price_works_beyond_the_budget(shop, project):
    settings(shop, project, monthlyBudget="0")

    assert run(shop, project)["result"]["translated"] == 0
    assert run(shop, project, provider="pseudo")["result"]["translated"] == 4


def test_projects_share_the_budget_of_their_organization(shop, project):
    path = f"/organizations/{shop.organization_id}"
    answer = shop.owner.patch(path, json={"aiMonthlyBudget": "2"})
    assert answer.data["organization"]["aiMonthlyBudget"] == "2"
    other = shop.project(languages=["de"])
    shop.key(other, "x", values={"en": "Other"})

    run(shop, other)
    result = run(shop, project)["result"]

    assert (result["translated"], result["cost"]) == (3, "1.5")
    last = result["items"][-1]["message"]
    assert last.endswith("left of the organization's budget of 2 for 2026-11")
    assert usage(shop, other)["budget"]["left"] == "0"
    assert usage(shop, other)["budget"]["spent"] == "0.5"
    organization_budget(shop, None)
    assert run(shop, project)["result"]["translated"] == 1


def test_suggestions_are_paid_from_the_budget(shop, project):
    settings(shop, project, monthlyBudget="0.5")
    path = f"/projects/{project['id']}/ai/suggest"
    body = {"languageCode": "de", "text": "Go"}

    first, second = (shop.owner.post(path, json=body) for _ in range(2))

    assert first.data["suggestion"]["cost"] == "0.5"
    assert (second.status, second.error["code"]) == (409, "budget_exceeded")
    assert usage(shop, project)["budget"]["spent"] == "0.5"


def test_a_suggestion_that_fails_costs_what_the_engine_says(shop, project, engine):
    settings(shop, project, monthlyBudget="0.5")
    engine.answer = lambda batch: Translations({}, Decimal("0.1"))
    path = f"/projects/{project['id']}/ai/suggest"

    answer = shop.owner.post(path, json={"languageCode": "de", "text": "Go"})

    assert answer.status == 503
    assert usage(shop, project)["budget"]["spent"] == "0.1"


def test_a_call_that_is_repeated_needs_its_cost_again(shop, project, engine):
    settings(shop, project, monthlyBudget="0.5")

    def fail(batch):
        raise TranslatorFailed("busy", 0.01, Decimal("0.5"))

    engine.answer = fail

    job = run(shop, project, filter={"prefix": "a"})

    assert outcomes(shop, project, job) == [("a", "de", "failed", "over_budget")]
    assert len(engine.batches) == 1
    assert usage(shop, project)["budget"]["spent"] == "0.5"


def test_two_who_spend_a_budget_never_exceed_it_in_any_order(shop):
    """A thousand orders of the steps in which two runs reserve, raise and settle."""
    projects = [shop.project(), shop.project()]
    storage, budgets = shop.framework.storage, shop.framework.budgets
    records = [storage.projects.find(each["id"]) for each in projects]
    chance = random.Random(7)
    paid = Decimal(0)

    def steps(project):
        """Yield after each transaction of a run; pay only what is reserved."""
        nonlocal paid
        reserved = Reservation(budgets, storage, project, "scripted", "de")
        cost = Decimal(0)
        for _ in range(chance.randint(1, 3)):
            try:
                with storage.transaction():
                    storage.projects.lock(project.id)
                    reserved.raise_to(cost + Decimal("0.3"))
            except BudgetExceeded:
                break
            yield
            more = Decimal(chance.choice(["0", "0.1", "0.3"]))
            cost += more
            paid += more
        if chance.random() < 0.9:  # else it was killed
            with storage.transaction():
                storage.projects.lock(project.id)
                reserved.settle(cost)
        yield

    def spent():
        return storage.ai_usage.cost_of_organization(shop.organization_id, "2026-11")

    for number in range(1000):
        budget = spent() + Decimal("1")
        organization_budget(shop, f"{budget:f}")
        before = paid
        # the same project twice, then two projects of the organization
        runs = [steps(records[0]), steps(records[number % 2])]
        while runs:
            chosen = chance.choice(runs)
            if next(chosen, "over") == "over":
                runs.remove(chosen)
        assert paid - before <= 1
        assert spent() <= budget
    assert 100 < paid < 1000


def test_runs_at_once_share_a_budget(engine, shop, database_url, tmp_path):
    project = shop.project(languages=["de", "fr", "it", "ru"])
    for number in range(6):
        shop.key(project, f"k{number}", values={"en": f"Text {'abcdef'[number]}"})
    settings(shop, project, monthlyBudget="5")
    path = f"/projects/{project['id']}/ai/translate"
    jobs = [
        shop.owner.post(path, json={"languageCodes": [code]}).data["job"]
        for code in ("de", "fr", "it", "ru")
    ]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: shop.run_jobs(), range(4)))

    done = [
        shop.owner.get(f"/projects/{project['id']}/jobs/{job['id']}").data["job"]
        for job in jobs
    ]
    assert engine.price * len(engine.batches) == Decimal(5)
    assert sum(Decimal(job["result"]["cost"]) for job in done) == Decimal(5)
    assert sum(job["result"]["translated"] for job in done) == 10
    assert usage(shop, project)["budget"]["left"] == "0"


class Quoting(Scripted):
    """Another engine, which keeps what it was told."""

    name = "quoting"

    def describe(self):
        return super().describe().__class__("quoting", "Quoting", reads=("terms",))


def test_a_project_chooses_engines_and_instructions_by_language(
    engine, database_url, tmp_path
):
    quoting = Quoting()
    plugins = [engine, quoting]
    with open_workspace(
        database_url, tmp_path, plugins=plugins, translator="scripted"
    ) as shop:
        project = shop.project(languages=["de", "ru"])
        shop.key(project, "a", values={"en": "Save"})
        made = settings(
            shop,
            project,
            providers={"ru": "quoting"},
            instructions="Be brief.",
            languageInstructions={"DE": "Say du."},
        )
        settings(shop, project, useGlossary=False)

        job = run(
            shop,
            project,
            languageCodes=["de", "ru"],
            instructions="No puns.",
        )
        listed = shop.owner.get(f"/projects/{project['id']}/ai/providers").data
        settings(shop, project, provider="quoting")
        first = shop.owner.get(f"/projects/{project['id']}/ai/providers").data

    assert made["languageInstructions"] == {"de": "Say du."}
    assert [b.instructions for b in engine.batches] == ["Be brief.\nSay du.\nNo puns."]
    assert [b.instructions for b in quoting.batches] == ["Be brief.\nNo puns."]
    found = job["result"]["languages"]
    assert (found["de"]["provider"], found["ru"]["provider"]) == ("scripted", "quoting")
    assert listed["providers"][0]["id"] == "scripted"
    assert first["providers"][0]["id"] == "quoting"


def test_settings_that_are_left_out_stay(shop, project):
    settings(shop, project, monthlyBudget="5", instructions="Be brief.")

    found = settings(shop, project, provider="pseudo", monthlyBudget=None)

    assert found == {
        "provider": "pseudo",
        "providers": {},
        "instructions": "Be brief.",
        "languageInstructions": {},
        "useGlossary": True,
        "monthlyBudget": None,
    }
    run(shop, project, filter={"prefix": "b"})
    assert values(shop, project)["b", None][0].startswith("[")


@pytest.mark.parametrize(
    ("ai", "code"),
    [
        ({"provider": "none"}, "unknown_provider"),
        ({"providers": {"de": "none"}}, "unknown_provider"),
        ({"providers": {"pl": "pseudo"}}, "language_not_in_project"),
        ({"languageInstructions": {"?": "x"}}, "validation_failed"),
        ({"monthlyBudget": "-1"}, "validation_failed"),
        ({"budget": "1"}, "validation_failed"),
    ],
)
def test_settings_that_mean_nothing_are_refused(shop, project, ai, code):
    answer = shop.owner.patch(f"/projects/{project['id']}", json={"ai": ai})

    assert (answer.status, answer.error["code"]) == (400, code)


def test_a_glossary_is_left_out_if_the_project_says_so(shop, project, engine):
    made = shop.owner.post(
        "/glossaries", json={"name": "Terms", "sourceLanguage": "en"}
    )
    glossary = made.data["glossary"]["id"]
    term = {"term": "Close", "doNotTranslate": True}
    shop.owner.post(f"/glossaries/{glossary}/terms", json=term)
    shop.owner.put(f"/projects/{project['id']}/glossaries/{glossary}")
    settings(shop, project, useGlossary=False)

    run(shop, project, filter={"prefix": "b"})
    run(shop, project, filter={"prefix": "b"}, languageCodes=["ru"], useGlossary=True)

    assert values(shop, project)["b", None][0] == "CLOSE"
    assert values(shop, project, "ru")["b", None][0] == "Close"


def test_what_a_deleted_project_spent_counts_for_the_organization(shop, project):
    run(shop, project)
    shop.framework.projects.delete_project(OPERATOR, project["id"])

    found = shop.framework.storage.ai_usage.cost_of_organization(
        shop.organization_id, "2026-11"
    )

    assert found == Decimal(2)
