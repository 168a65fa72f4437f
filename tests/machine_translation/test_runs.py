"""Runs of machine translation, through the API."""

import time
from decimal import Decimal

import pytest

from locframework.ports import Refused, Translated, Translations, TranslatorFailed
from tests.databases import statements_of

from .scripted import outcomes, run, values


def test_missing_texts_become_drafts_of_the_engine(shop, project, engine):
    job = run(shop, project, languageCodes=["de", "ru"])

    assert (job["type"], job["status"]) == ("ai_translate", "succeeded"), job
    assert values(shop, project) == {
        ("a", None): ("SAVE {name}", "draft"),
        ("b", None): ("CLOSE", "draft"),
        ("n", "one"): ("ONE", "draft"),
        ("n", "other"): ("{n}S", "draft"),
    }
    assert len(values(shop, project, "ru")) == 2 + 4
    result = job["result"]
    assert (result["translated"], result["skipped"], result["failed"]) == (10, 2, 0)
    assert result["languages"]["ru"]["translated"] == 6
    assert len(result["items"]) == 12
    assert outcomes(shop, project, job)[2] == ("c", "de", "skipped", "no_source")
    [asked] = [b for b in engine.batches if b.target_language == "ru"]
    forms = {item.plural_form: item.example for item in asked.items}
    assert forms == {None: None, "one": "1", "few": "2", "many": "0", "other": "1.5"}
    sent = [piece for item in asked.items for piece in item.pieces]
    assert "{" not in "".join(piece for piece in sent if isinstance(piece, str))


def test_what_people_wrote_stays_unless_asked(shop, project, engine):
    ids = {
        k["key"]: k["id"]
        for k in shop.owner.get(f"/projects/{project['id']}/keys").data["items"]
    }
    path = f"/projects/{project['id']}/keys"
    translator = shop.client("translator")
    translator.put(f"{path}/{ids['a']}/values/de", json={"value": "Sichern {name}"})
    shop.owner.put(f"{path}/{ids['b']}/values/de", json={"value": "Schließen"})
    run(shop, project, filter={"prefix": "n"})

    first = run(shop, project)
    second = run(shop, project, onlyMissing=False)
    third = run(shop, project, onlyMissing=False, overwritePending=True)
    shop.owner.put(f"{path}/{ids['b']}/values/en", json={"value": "Shut"})
    fourth = run(shop, project, onlyOutdated=True, keyIds=[ids["b"], ids["c"]])

    reasons = [
        [each[3] for each in outcomes(shop, project, j)] for j in (first, second)
    ]
    assert reasons[0] == [
        "pending_review",
        "has_text",
        "no_source",
        "has_text",
        "has_text",
    ]
    assert reasons[1] == ["pending_review", "approved", "no_source", None, None]
    assert outcomes(shop, project, third)[0] == ("a", "de", "translated", None)
    assert fourth["result"]["translated"] == 1
    value = shop.owner.get(f"{path}/{ids['b']}/values/de").data["value"]
    assert (value["value"], value["approvedValue"]) == ("SHUT", "Schließen")
    assert value["origin"] == "ai"


def test_a_person_who_writes_during_the_call_is_not_overwritten(shop, project, engine):
    [key] = [
        k
        for k in shop.owner.get(f"/projects/{project['id']}/keys").data["items"]
        if k["key"] == "b"
    ]
    path = f"/projects/{project['id']}/keys/{key['id']}/values/de"

    def slowly(batch):
        shop.owner.put(path, json={"value": "Zu"})
        return engine.upper(batch)

    engine.answer = slowly
    job = run(shop, project)

    assert ("b", "de", "skipped", "changed_meanwhile") in outcomes(shop, project, job)
    assert values(shop, project)["b", None] == ("Zu", "approved")


def test_texts_in_a_language_that_is_removed_fail_and_the_others_go_on(
    shop, project, engine
):
    def remove(batch):
        shop.owner.delete(f"/projects/{project['id']}/languages/ru")
        return engine.upper(batch)

    engine.answer = remove

    job = run(shop, project, languageCodes=["de", "ru"])

    assert job["status"] == "partial"
    found = job["result"]["languages"]
    assert (found["de"]["translated"], found["ru"]["failed"]) == (4, 4)
    assert job["result"]["items"][-1]["reason"] == "language_not_in_project"
    assert job["result"]["translated"] == 4


def test_lists_of_other_jobs_are_not_those_of_a_run(shop, project):
    path = f"/projects/{project['id']}"
    job = run(shop, project)
    body = {"jobId": job["id"]}
    undone = shop.job_of(shop.owner.post(f"{path}/activity/revert", json=body))

    for list_ in (f"{undone['id']}/outcomes", f"{job['id']}/conflicts"):
        answer = shop.owner.get(f"{path}/jobs/{list_}")
        assert (answer.status, answer.error["code"]) == (404, "job_not_found")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda batch: Translations({}), "no_answer"),
        (
            lambda batch: Translations({i.id: Refused("rude") for i in batch.items}),
            "refused",
        ),
        (
            lambda batch: Translations(
                {i.id: Translated(("{x}",)) for i in batch.items}
            ),
            "broken_answer",
        ),
        (
            lambda batch: Translations({i.id: Translated(()) for i in batch.items}),
            "broken_answer",
        ),
    ],
)
def test_a_bad_answer_costs_the_text_and_has_a_reason(
    shop, project, engine, answer, reason
):
    engine.answer = answer

    job = run(shop, project, keyIds=None, filter={"prefix": "a"})

    assert job["status"] == "partial"
    assert outcomes(shop, project, job) == [("a", "de", "failed", reason)]
    assert values(shop, project) == {}


@pytest.mark.parametrize(
    "answer",
    [
        lambda batch: None,
        lambda batch: Translations({}, Decimal("NaN")),
        lambda batch: Translations({}, Decimal(-5)),
        lambda batch: Translations({}, Decimal("Infinity")),
        lambda batch: Translations({i.id: Translated(None) for i in batch.items}),
        lambda batch: Translations({i.id: Refused(None) for i in batch.items}),
    ],
)
def test_an_answer_that_is_none_fails_its_texts_alone(shop, project, engine, answer):
    engine.answer = answer

    job = run(shop, project, filter={"prefix": "a"})

    assert (job["status"], job["result"]["failed"]) == ("partial", 1)
    assert job["result"]["cost"] == "0"


def test_texts_that_an_engine_leaves_out_are_asked_for_again(shop, project, engine):
    def short(batch):
        found = engine.upper(batch)
        kept = dict([*found.outcomes.items()][: max(1, len(found.outcomes) // 2)])
        return Translations(kept)

    engine.answer = short

    job = run(shop, project)

    assert (job["result"]["translated"], job["result"]["failed"]) == (4, 0)
    assert len(engine.batches) > 1


def test_a_call_that_fails_is_tried_again_where_that_helps(shop, project, engine):
    failures = [TranslatorFailed("busy", 0.01), TranslatorFailed("busy", 0.01)]

    def busy(batch):
        if failures:
            raise failures.pop()
        return engine.upper(batch)

    engine.answer = busy
    assert run(shop, project)["result"]["translated"] == 4

    def broken(batch):
        raise TranslatorFailed("the key is wrong")

    engine.answer = broken
    job = run(shop, project, languageCodes=["ru"])
    assert {each[3] for each in outcomes(shop, project, job)} == {
        "engine_failed",
        "no_source",
    }
    assert job["result"]["items"][0]["message"] == "the key is wrong"


def test_a_budget_is_never_exceeded(shop, project, engine):
    engine.price, engine.most_items = Decimal("0.5"), 1

    dry = run(shop, project, languageCodes=["de", "ru"], dryRun=True)["result"]
    job = run(shop, project, languageCodes=["de", "ru"], maxCost="1.75")

    assert (dry["cost"], dry["translated"]) == ("5", 10)
    assert engine.price * len(engine.batches) == Decimal("1.5")
    result = job["result"]
    assert (result["cost"], result["translated"], result["failed"]) == ("1.5", 3, 7)
    assert {each["reason"] for each in result["items"]} == {
        None,
        "over_budget",
        "no_source",
    }


def test_keys_by_id_need_the_budget_of_a_call_at_a_time(shop, project, engine):
    def cheap(batch):
        return Translations(engine.upper(batch).outcomes, Decimal("0.1"))

    engine.price, engine.most_items, engine.answer = Decimal("0.5"), 1, cheap
    keys = shop.owner.get(f"/projects/{project['id']}/keys").data["items"]
    ids = [key["id"] for key in keys if not key["isPlural"]]

    result = run(shop, project, keyIds=[*ids, "none"], maxCost="0.6")["result"]

    assert (result["translated"], result["skipped"], result["failed"]) == (2, 2, 0)
    assert result["cost"] == "0.2"


def test_equal_texts_are_paid_once(shop, engine):
    project = shop.project(languages=["de"])
    for key in ("x", "y"):
        shop.key(project, key, values={"en": "Close"})

    run(shop, project)

    assert len(values(shop, project)) == 2
    assert [len(batch.items) for batch in engine.batches] == [1]


def test_a_memory_comes_first_and_terms_stay(shop, engine):
    project = shop.project(languages=["de"])
    path = f"/projects/{project['id']}"
    body = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de"]}
    memory = shop.owner.post("/translation-memories", json=body).data[
        "translationMemory"
    ]
    shop.owner.put(f"{path}/translation-memories/{memory['id']}", json={})
    shop.owner.post(
        f"/translation-memories/{memory['id']}/entries",
        json={
            "sourceText": "Save the file now",
            "translations": {"de": "Sichern"},
        },
    )
    made = shop.owner.post(
        "/glossaries", json={"name": "Terms", "sourceLanguage": "en"}
    )
    glossary = made.data["glossary"]["id"]
    shop.owner.post(
        f"/glossaries/{glossary}/terms", json={"term": "Acme", "doNotTranslate": True}
    )
    shop.owner.put(f"{path}/glossaries/{glossary}")
    shop.key(project, "a", values={"en": "Save the file now"})
    shop.key(project, "b", values={"en": "Save the file now, Acme"})

    job = run(shop, project)

    assert values(shop, project) == {
        ("a", None): ("Sichern", "draft"),
        ("b", None): ("SAVE THE FILE NOW, Acme", "draft"),
    }
    assert [each["origin"] for each in job["result"]["items"]] == ["tm", "ai"]
    [item] = engine.batches[0].items
    assert [match.source for match in item.matches] == ["Save the file now"]
    assert [term.term for term in item.terms] == ["Acme"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"languageCodes": ["en"]}, 400, "validation_failed"),
        ({"languageCodes": ["pl"]}, 400, "language_not_in_project"),
        ({"languageCodes": ["de"], "provider": "none"}, 400, "unknown_provider"),
        ({"languageCodes": ["de"], "maxCost": "-1"}, 400, "validation_failed"),
        (
            {"languageCodes": ["de"], "keyIds": [], "filter": {"prefix": "a"}},
            400,
            "validation_failed",
        ),
        ({"languageCodes": ["de"], "model": "x"}, 400, "validation_failed"),
    ],
)
def test_a_wrong_request_is_refused(shop, project, body, status, code):
    answer = shop.owner.post(f"/projects/{project['id']}/ai/translate", json=body)

    assert (answer.status, answer.error["code"]) == (status, code)


def test_a_pair_that_the_engine_lacks_is_refused(shop, project, engine):
    engine.pairs = (("en", "ru"),)

    path = f"/projects/{project['id']}/ai/translate"
    answer = shop.owner.post(path, json={"languageCodes": ["de"]})

    assert answer.status == 400
    assert "does not translate en into de" in answer.error["message"]


def test_a_suggestion_is_answered_and_not_stored(shop, project, engine):
    path = f"/projects/{project['id']}/ai/suggest"
    [*_, plural] = shop.owner.get(f"/projects/{project['id']}/keys").data["items"]

    text = shop.owner.post(path, json={"languageCode": "de", "text": "Go, {x}!"})
    key = shop.owner.post(path, json={"languageCode": "de", "keyId": plural["id"]})

    assert text.data["suggestion"] == {
        "value": "GO, {x}!",
        "provider": "scripted",
        "cost": "0",
    }
    assert key.data["suggestion"]["value"] == {"one": "ONE", "other": "{n}S"}
    assert values(shop, project) == {}
    assert shop.owner.post(path, json={"languageCode": "de"}).status == 400
    blank = shop.owner.post(path, json={"languageCode": "de", "text": " "})
    assert blank.error["message"] == "$.text: has no text to translate"


def test_the_calls_of_a_suggestion_share_its_time(shop, project, engine, monkeypatch):
    monkeypatch.setattr("locframework.machine_translation.service.SUGGEST_SECONDS", 0.2)

    def slow(batch):
        time.sleep(0.3)
        return Translations({})

    engine.answer = slow
    [*_, plural] = shop.owner.get(f"/projects/{project['id']}/keys").data["items"]

    answer = shop.owner.post(
        f"/projects/{project['id']}/ai/suggest",
        json={"languageCode": "de", "keyId": plural["id"]},
    )

    assert (answer.status, len(engine.batches)) == (503, 1)


def test_providers_are_listed_the_default_first(shop, project):
    answer = shop.owner.get(f"/projects/{project['id']}/ai/providers")

    found = [each["id"] for each in answer.data["providers"]]
    assert found[0] == "scripted"
    assert found[1:] == sorted(found[1:])
    assert {"apertium", "pseudo", "pseudo-bidi"} <= {*found}


def test_the_pseudo_engine_is_installed(shop, project):
    run(shop, project, provider="pseudo")

    assert values(shop, project)["a", None][0].startswith("[Šàṽé {name}"[:2])


def test_a_run_is_undone_by_its_job(shop, project):
    job = run(shop, project)

    undone = shop.job_of(
        shop.owner.post(
            f"/projects/{project['id']}/activity/revert", json={"jobId": job["id"]}
        )
    )

    assert undone["status"] == "succeeded", undone
    assert values(shop, project) == {}


def test_a_branch_takes_the_drafts(shop, project):
    path = f"/projects/{project['id']}"
    shop.owner.post(f"{path}/branches", json={"name": "next"})

    asked = shop.owner.post(
        f"{path}/ai/translate", query={"branch": "next"}, json={"languageCodes": ["de"]}
    )
    shop.job_of(asked)

    assert values(shop, project) == {}
    answer = shop.owner.get(
        f"{path}/keys", query={"include": "values", "branch": "next"}
    )
    assert "SAVE {name}" in str(answer.data)


def test_a_value_says_which_engine_made_it_until_a_person_changes_it(
    shop, project, engine
):
    engine.price = Decimal("0.5")
    job = run(shop, project, filter={"prefix": "a"})
    [item] = job["result"]["items"]
    path = f"/projects/{project['id']}/keys/{item['keyId']}/values/de"

    made = shop.owner.get(path).data["value"]["provenance"]
    shop.owner.put(path, json={"value": "Sichern {name}"})

    assert made.pop("promptHash").isalnum()
    assert made == {
        "provider": "scripted",
        "model": "",
        "jobId": job["id"],
        "cost": "0.5",
    }
    assert "provenance" not in shop.owner.get(path).data["value"]


def test_a_run_costs_no_statement_for_each_text(shop, engine):
    engine.most_items = 200
    project = shop.project(languages=["de"])

    def cost(prefix, count):
        keys = [
            {"key": f"{prefix}.{n}", "values": {"en": f"{prefix} text {n}"}}
            for n in range(count)
        ]
        shop.owner.post(f"/projects/{project['id']}/keys/bulk", json={"keys": keys})
        with statements_of(shop.framework.storage) as told:
            job = run(shop, project, filter={"prefix": f"{prefix}."})
        assert job["result"]["translated"] == count
        return len(told)

    cost("warm", 1)

    assert cost("few", 3) == cost("many", 150)


def test_a_cancelled_run_keeps_what_it_paid_and_pays_no_more(shop, project, engine):
    engine.price, engine.most_items = Decimal("0.5"), 1
    path = f"/projects/{project['id']}"
    body = {"languageCodes": ["de"], "filter": {"prefix": "n"}}
    asked = shop.owner.post(f"{path}/ai/translate", json=body)

    def cancel(batch):
        shop.owner.post(f"{path}/jobs/{asked.data['job']['id']}/cancel")
        return engine.upper(batch)

    engine.answer = cancel
    job = shop.job_of(asked)

    assert (job["status"], len(engine.batches)) == ("cancelled", 1)
    assert values(shop, project) == {("n", "one"): ("ONE", "draft")}
    assert (job["result"]["cost"], job["result"]["paidAgain"]) == ("0.5", "0")
    assert outcomes(shop, project, job)[-1] == ("n", "de", "failed", "cancelled")
    assert shop.owner.get(f"{path}/ai/usage").data["budget"]["spent"] == "0.5"


def test_a_run_that_is_cancelled_while_the_engine_is_busy_costs_nothing(
    shop, project, engine
):
    engine.price = Decimal("0.5")
    path = f"/projects/{project['id']}"
    asked = shop.owner.post(f"{path}/ai/translate", json={"languageCodes": ["de"]})

    def busy(batch):
        shop.owner.post(f"{path}/jobs/{asked.data['job']['id']}/cancel")
        raise TranslatorFailed("busy", 30)

    engine.answer = busy
    job = shop.job_of(asked)

    assert (job["status"], job["result"]["cost"]) == ("cancelled", "0")
    assert shop.owner.get(f"{path}/ai/usage").data["budget"]["spent"] == "0"


def test_what_a_run_made_and_nobody_changed_is_approved(shop, project):
    job = run(shop, project)
    ids = {item["key"]: item["keyId"] for item in job["result"]["items"]}
    path = f"/projects/{project['id']}"
    translator = shop.client("translator")
    value = f"{path}/keys/{ids['a']}/values/de"
    translator.put(value, json={"value": "Sichern {name}"})
    reviewer = shop.client("reviewer")
    approve = f"{path}/ai/runs/{job['id']}/approve"

    asked = reviewer.post(approve)
    ended = shop.job_of(asked, reviewer)

    assert (ended["type"], ended["status"]) == ("review", "succeeded"), ended
    assert ended["result"]["approved"] == 2
    [skipped] = ended["result"]["skipped"]
    assert (skipped["key"], skipped["reason"]) == ("a", "changed_later")
    assert {key: status for (key, _), (_, status) in values(shop, project).items()} == {
        "a": "pending_review",
        "b": "approved",
        "n": "approved",
    }
    assert translator.post(approve).status == 403
    dry = run(shop, project, dryRun=True)
    for other in (ended, dry):
        assert reviewer.post(f"{path}/ai/runs/{other['id']}/approve").status == 404


def test_plural_forms_of_two_runs_are_approved_with_the_later_one(
    shop, project, engine
):
    def without_the_first(batch):
        return Translations(engine.upper(batch).outcomes | {"0": Refused("rude")})

    def approve(job):
        path = f"/projects/{project['id']}/ai/runs/{job['id']}/approve"
        return shop.job_of(shop.owner.post(path))["result"]

    engine.answer = without_the_first
    first = run(shop, project, filter={"prefix": "n"})
    engine.answer = engine.upper
    second = run(shop, project, filter={"prefix": "n"})

    [left] = approve(first)["skipped"]
    assert left["reason"] == "changed_later"
    assert approve(second)["approved"] == 1
    assert {each[1] for each in values(shop, project).values()} == {"approved"}


def test_what_a_run_writes_does_not_change_what_it_selects(shop, project, engine):
    engine.most_items = 1  # keys of a page
    body = {
        "languageCodes": ["de", "ru"],
        "filter": {"status": "untranslated", "languageCode": "de"},
    }

    dry = run(shop, project, **body, dryRun=True)["result"]
    found = run(shop, project, **body)["result"]

    assert found["languages"]["ru"]["translated"] == 6
    assert {**dry, "dryRun": False, "items": []} == {**found, "items": []}


def test_keys_with_issues_are_selected_as_in_a_list(shop, project):
    shop.key(project, "bad", values={"en": "Pay {n}", "ru": "Платить"})

    job = run(shop, project, filter={"hasIssues": True})

    assert [each[0] for each in outcomes(shop, project, job)] == ["bad"]


def remember(shop, project, texts):
    """Give the project a memory of translations by source text."""
    body = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de", "ru"]}
    made = shop.owner.post("/translation-memories", json=body).data
    memory = f"/translation-memories/{made['translationMemory']['id']}"
    shop.owner.put(f"/projects/{project['id']}{memory}", json={})
    for source, translations in texts.items():
        entry = {"sourceText": source, "translations": translations}
        assert shop.owner.post(f"{memory}/entries", json=entry).status == 201


def test_a_text_of_a_memory_that_lacks_a_placeholder_is_only_shown(
    shop, project, engine
):
    remember(shop, project, {"Save {name}": {"de": "Sichern"}, "Close": {"de": "Zu"}})

    run(shop, project)

    assert values(shop, project)["a", None] == ("SAVE {name}", "draft")
    assert values(shop, project)["b", None] == ("Zu", "draft")
    items = [item for batch in engine.batches for item in batch.items]
    [asked] = [item for item in items if item.message == "Save {name}"]
    assert [match.translation for match in asked.matches] == ["Sichern"]


def test_a_text_of_a_memory_stands_for_its_own_plural_form_alone(shop, project):
    remember(shop, project, {"{n}s": {"ru": "{n} рублей"}})

    run(shop, project, languageCodes=["ru"], filter={"prefix": "n"})

    found = {form: text for (_, form), (text, _) in values(shop, project, "ru").items()}
    assert found == {
        "one": "{n}S",
        "few": "{n}S",
        "many": "{n}S",
        "other": "{n} рублей",
    }


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_run_that_may_not_write_pays_nothing_or_says_what_it_paid(
    shop, project, engine, when
):
    engine.price = Decimal("0.5")
    path = f"/projects/{project['id']}"

    def protect(batch=None):
        assert shop.owner.patch(path, json={"mainProtected": True}).status == 200
        return batch and engine.upper(batch)

    asked = shop.owner.post(f"{path}/ai/translate", json={"languageCodes": ["de"]})
    if when == "before":
        protect()
    else:
        engine.answer = protect
    job = shop.job_of(asked)

    assert job["error"]["code"] == "branch_protected"
    paid = engine.price * sum(len(batch.items) for batch in engine.batches)
    assert Decimal((job["result"] or {"cost": "0"})["cost"]) == paid
    assert (paid > 0) == (when == "during")
