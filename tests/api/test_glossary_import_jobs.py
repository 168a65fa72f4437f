"""The job that imports terms: judged further, in steps, seen, cancelled, repeated."""

import pytest

from .glossary_files import CSV, Files


@pytest.fixture
def files(workspace):
    return Files(workspace)


LARGE = ["term,notes,de\n", *(f"t{n},{'x' * 1900},x{n}\n" for n in range(1200))]


def test_what_is_beyond_the_begin_of_a_large_file_is_judged_by_the_job(files):
    broken = files.workspace.job_of(files.send("".join([*LARGE, "blank, ,\n,n,de\n"])))
    nothing = files.terms()
    foreign = files.send("".join([LARGE[0], ",x,y\n", *LARGE[1:]]))
    result = files.imported("".join([*LARGE, "T7,,x7\n"]))

    assert (broken["status"], broken["error"]["code"]) == ("failed", "unreadable_file")
    assert broken["error"]["message"].startswith("line 1203: ")
    assert nothing == []
    assert (foreign.status, foreign.error["code"]) == (400, "unreadable_file")
    assert result == {
        "termsCreated": 1200,
        "translationsApplied": 1200,
        "languagesAdded": ["de"],
        "warningCount": 1,
        "warnings": ["line 1202: 'T7' is also in line 9"],
    }


def test_languages_beyond_the_begin_are_judged_for_the_sender(files):
    scoped = files.workspace.client("translator", languages=["de"])
    content = "".join([LARGE[0].replace("de", "de,fr"), *LARGE[1:], "last,,x,quai\n"])

    job = files.workspace.job_of(files.send(content, scoped), scoped)

    assert job["error"]["code"] == "language_not_assigned"
    assert files.terms() == []


def test_an_import_is_queued_once_for_one_key(files):
    headers = {"Idempotency-Key": "a"}

    answers = [files.send(CSV, headers=headers) for _ in range(2)]

    assert answers[0].content == answers[1].content


def test_a_job_is_seen_and_cancelled_by_who_may_start_one(files):
    job = files.send(CSV).data["job"]
    path = f"{files.path}/jobs/{job['id']}"
    viewer = files.workspace.client("viewer")

    hidden = viewer.get(path)
    assert (hidden.status, hidden.error["code"]) == (404, "job_not_found")
    assert viewer.post(f"{path}/cancel").content == hidden.content
    cancelled = files.owner.post(f"{path}/cancel").data["job"]
    assert cancelled["status"] == "cancelled"
    again = files.owner.post(f"{path}/cancel")
    assert (again.status, again.error["code"]) == (409, "job_not_cancellable")
    assert files.terms() == []


def test_jobs_of_a_glossary_are_listed_for_who_may_start_them(files):
    first, second = (files.send(CSV).data["job"]["id"] for _ in range(2))
    Files(files.workspace, name="Another").send(CSV)
    path = f"{files.path}/jobs"
    _, stranger = files.workspace.organization("Other")

    listed = files.owner.get(path).data
    viewed = files.workspace.client("viewer").get(path).data
    hidden = stranger.get(path)

    assert [each["id"] for each in listed["items"]] == [second, first]
    assert (listed["total"], viewed["total"]) == (2, 0)
    assert (hidden.status, hidden.error["code"]) == (404, "glossary_not_found")


def test_translations_into_what_became_the_glossary_s_language_are_left_out(files):
    sent = files.send("term,de,fr\npier,Anleger,quai\n")
    files.owner.patch(files.path, json={"sourceLanguage": "de"})

    job = files.workspace.job_of(sent)

    left_out = "left out the translation into de, now the language of the terms"
    assert job["status"] == "succeeded"
    assert job["result"]["warnings"] == [f"line 2: {left_out}"]
    texts = [text for term in files.terms() for text in term["translations"]]
    assert [text["languageCode"] for text in texts] == ["fr"]


def test_an_import_into_a_glossary_that_is_gone_fails(files):
    job = files.send(CSV).data["job"]
    files.owner.delete(files.path)

    files.workspace.run_jobs()

    store = files.workspace.framework.storage.jobs
    ended = store.find(files.glossary["id"], job["id"])
    assert ended is not None
    assert ended.job.error is not None
    assert ended.job.error.code == "glossary_not_found"
