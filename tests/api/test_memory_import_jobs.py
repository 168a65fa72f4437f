"""The job that imports entries: judged further, in steps, seen, cancelled, repeated."""

import pytest

from tests.databases import statements_of

from .memory_files import TMX, Memory


@pytest.fixture
def memory(sqlite_workspace):
    return Memory(sqlite_workspace)


TWO_STEPS = "en,de\n" + "".join(f"text {n},Text {n}\n" for n in range(1500))
TWENTY = "de fr nl sv da nb fi et lv lt pl cs sk sl hr bg ro hu el tr"

LARGE = [
    TMX[: TMX.index("<tu>")],
    f"<!-- {'x' * 1_000_000} -->\n" * 3,
    "<tu><tuv xml:lang='en'><seg>Pay</seg></tuv>",
    "<tuv xml:lang='de'><seg>Zahlen</seg></tuv><tuv xml:lang='en-GB'>",
    "<seg>Pay!</seg></tuv></tu></body></tmx>",
]


def test_a_step_of_an_import_holds_others_up_no_longer_for_many_languages(memory):
    codes = TWENTY.split()
    rows = [
        ",".join([f"text {number}", *(f"{code} {number}" for code in codes)])
        for number in range(200)
    ]
    sent = memory.send("\n".join([",".join(["en", *codes]), *rows]))
    framework = memory.workspace.framework

    with statements_of(framework.storage) as seen:
        framework.runner.run_until_idle()

    steps = [each for each in seen if "step_attempt = attempt" in each]
    assert len(steps) == 2  # of 4,200 texts, the last of them with the end of the job
    job = memory.workspace.job_of(sent)
    assert job["result"]["translationsWritten"] == 4000


def test_what_is_beyond_the_begin_of_a_large_file_is_judged_by_the_job(workspace):
    memory = Memory(workspace)

    result = memory.bring("".join(LARGE), languageCodes="de")
    broken = workspace.job_of(memory.send("".join(LARGE[:-1])))

    assert memory.entries() == {"Pay | ": {"de": "Zahlen"}}
    assert result["languagesLeftOut"] == ["en-GB"]
    assert (broken["status"], broken["error"]["code"]) == ("failed", "unreadable_file")
    assert broken["error"]["message"].startswith("line ")


def test_languages_are_judged_by_the_job_for_its_sender(workspace):
    memory = Memory(workspace)
    scoped = workspace.client("translator", languages=["pl"])

    job = workspace.job_of(memory.send("".join(LARGE), scoped), scoped)

    assert job["error"]["code"] == "language_not_assigned"
    assert memory.entries() == {}


def test_a_step_of_an_import_takes_no_more_memory_for_large_texts(memory):
    rows = [f"text {number},{'x' * 60_000}" for number in range(80)]
    memory.send("\n".join(["en,de", *rows]))
    framework = memory.workspace.framework

    with statements_of(framework.storage) as seen:
        framework.runner.run_until_idle()

    steps = [each for each in seen if "step_attempt = attempt" in each]
    assert len(steps) == 2  # of 4,800,000 characters; the rest with the end of the job


def test_an_import_of_many_units_goes_in_steps(memory):
    rows = "\n".join(f"text {number},Text {number}" for number in range(2500))

    result = memory.bring(f"en,de\n{rows}\n")

    assert result["entriesCreated"] == result["translationsWritten"] == 2500
    assert memory.owner.get(memory.path).data["translationMemory"]["entryCount"] == 2500


@pytest.fixture
def after_a_step(monkeypatch):
    """Has something done once, between the first step of an import and the second."""

    def have(call):
        left = [call]

        def reached(place):
            if place == "tm_import.after_step" and left:
                left.pop()()

        monkeypatch.setattr("locframework.file_import.imports.crash_point", reached)

    return have


def test_what_requires_approval_meanwhile_is_proposed_from_the_next_step_on(
    workspace, after_a_step
):
    memory = Memory(workspace)
    body = {"requiresApproval": True}

    after_a_step(lambda: memory.owner.patch(memory.path, json=body))
    memory.bring(TWO_STEPS, workspace.client("translator"))

    waiting = memory.owner.get(f"{memory.path}/entries?hasProposal=true").data
    assert waiting["total"] == 500


def test_a_language_that_was_taken_away_comes_back_by_no_translators_import(
    workspace, after_a_step
):
    memory, translator = Memory(workspace), workspace.client("translator")

    after_a_step(lambda: memory.owner.delete(f"{memory.path}/languages/de"))
    job = workspace.job_of(memory.send(TWO_STEPS, translator), translator)

    assert (job["status"], job["error"]["code"]) == (
        "failed",
        "language_not_in_project",
    )
    assert job["error"]["message"] == "the memory has no language de"
    assert job["result"]["entriesCreated"] == job["progress"]["done"] == 1000
    assert memory.owner.get(f"{memory.path}/languages").data["items"] == []


def test_languages_that_are_assigned_meanwhile_count_from_the_next_step_on(
    workspace, after_a_step
):
    memory, translator = Memory(workspace), workspace.client("translator")
    members = f"/organizations/{workspace.organization_id}/members"
    [member] = [
        each
        for each in memory.owner.get(members).data["items"]
        if each["role"] == "translator"
    ]
    path, body = f"{members}/{member['id']}", {"assignedLanguages": ["fr"]}

    after_a_step(lambda: memory.owner.patch(path, json=body))
    job = workspace.job_of(memory.send(TWO_STEPS, translator))

    assert (job["status"], job["error"]["code"]) == ("failed", "language_not_assigned")
    assert job["progress"]["done"] == 1000


def test_an_import_that_is_cancelled_tells_what_it_has_done(memory, monkeypatch):
    def cancel(place):
        if place == "tm_import.after_step":
            memory.owner.post(f"{job}/cancel")

    monkeypatch.setattr("locframework.file_import.imports.crash_point", cancel)
    rows = "\n".join(f"text {number},Text {number}" for number in range(1500))
    sent = memory.send(f"en,de\n{rows}\n")
    job = f"{memory.path}/jobs/{sent.data['job']['id']}"

    memory.workspace.run_jobs()

    ended = memory.owner.get(job).data["job"]
    assert (ended["status"], ended["progress"]["done"]) == ("cancelled", 1000)
    assert ended["result"]["entriesCreated"] == 1000


def test_an_import_can_be_cancelled_before_it_begins(memory):
    sent = memory.send(TMX)
    job = f"{memory.path}/jobs/{sent.data['job']['id']}"

    cancelled = memory.owner.post(f"{job}/cancel")
    memory.workspace.run_jobs()

    assert cancelled.data["job"]["status"] == "cancelled"
    assert memory.entries() == {}
    viewer = memory.workspace.client("viewer")
    assert viewer.get(job).error["code"] == "job_not_found"


def test_jobs_of_a_memory_are_listed_for_who_may_start_them(workspace):
    memory, other = Memory(workspace), Memory(workspace, name="Another")
    first, second = (memory.send(TMX).data["job"]["id"] for _ in range(2))
    other.send(TMX)
    memory.owner.post(f"{memory.path}/jobs/{first}/cancel")
    bound = workspace.client("manager", project_ids=[workspace.project()["id"]])
    _, stranger = workspace.organization("Other")

    def listed(client=memory.owner, **query):
        data = client.get(f"{memory.path}/jobs", query=query).data
        assert data["total"] == len(data["items"])
        return [each["id"] for each in data["items"]]

    assert listed() == listed(type="tm_import") == [second, first]
    assert listed(status="cancelled") == listed(sort="createdAt")[:1] == [first]
    assert listed(type="import") == listed(workspace.client("viewer")) == []
    for client in (bound, stranger):
        hidden = client.get(f"{memory.path}/jobs")
        assert (hidden.status, hidden.error["code"]) == (404, "tm_not_found")
    wrong = memory.owner.get(f"{memory.path}/jobs?status=done")
    assert (wrong.status, wrong.error["code"]) == (400, "validation_failed")
