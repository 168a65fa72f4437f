"""Many writers of one thing at once: one wins or all take turns, and none is lost."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from locframework.http.records import Upload
from locframework.testing.client import patiently

pytestmark = pytest.mark.kill

WRITERS = 50  # as many connections as one address may have
JOBS = 24


def all_at_once(world, server, ask):
    """What fifty clients are answered, each on a connection of its own. Who is asked
    to come again, as the machine has much to do, comes again."""
    start = Barrier(WRITERS)

    def one(number):
        with closing(world.owner(server)) as client:
            client.get("/healthz")  # the connection is there
            start.wait(60)
            return patiently(lambda: ask(client, number))

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(one, range(WRITERS)))


@pytest.fixture
def server(world):
    return world.start(threads=16)


def test_one_of_fifty_creates_the_key_and_the_others_are_told_that_it_exists(
    world, server
):
    project = world.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}/keys"

    answers = all_at_once(
        world,
        server,
        lambda client, number: client.post(
            path, {"key": "a", "values": {"de": str(number)}}
        ),
    )

    assert Counter(answer.status for answer in answers) == {201: 1, 409: WRITERS - 1}
    refusals = {answer.error["code"] for answer in answers if answer.status == 409}
    assert refusals == {"key_exists"}
    [winner] = [n for n, answer in enumerate(answers) if answer.status == 201]
    found = world.workspace.owner.get(path, query={"include": "values"}).data
    assert found["total"] == 1
    assert [each["value"] for each in found["items"][0]["values"]] == [str(winner)]
    assert world.key_count(project) == 1
    types = Counter(event.type for event in world.events(project))
    assert types["key.created"] == types["translation.updated"] == 1


def test_fifty_writes_of_one_value_are_all_kept_in_turn(world, server):
    project = world.workspace.project(languages=["de"])
    key = world.workspace.key(project, "a", values={"de": "before"})
    path = f"/projects/{project['id']}/keys/{key['id']}/values/de"

    answers = all_at_once(
        world, server, lambda client, number: client.put(path, {"value": str(number)})
    )

    assert {answer.status for answer in answers} == {200}
    value = world.workspace.owner.get(path).data["value"]
    written = {str(number) for number in range(WRITERS)}
    assert value["value"] in written
    assert value["revision"] == 1 + WRITERS  # none was lost in between, or done twice
    updates = [
        event for event in world.events(project) if event.type == "translation.updated"
    ]
    assert len(updates) == 1 + WRITERS
    for answer in answers:
        assert len(answer.data["key"]["values"]) == 1
    history = world.workspace.owner.get(f"{path}/history", query={"limit": 200}).data
    revisions = [item["revision"] for item in history["items"]]
    assert revisions == list(range(1 + WRITERS, 0, -1))
    assert {item["value"] for item in history["items"]} == written | {"before"}


def test_fifty_writes_of_fifty_languages_of_one_key_are_all_there(world, server):
    codes = [f"x-l{number:02}" for number in range(WRITERS)]
    project = world.workspace.project(languages=codes)
    key = world.workspace.key(project, "a", values={"en": "source"})
    path = f"/projects/{project['id']}/keys/{key['id']}"

    answers = all_at_once(
        world,
        server,
        lambda client, number: client.put(
            f"{path}/values/{codes[number]}", {"value": codes[number]}
        ),
    )

    stored = world.workspace.owner.get(path).data["key"]["values"]
    assert {answer.status for answer in answers} == {200}
    there = {value["languageCode"]: value["value"] for value in stored}
    assert there == {"en": "source", **{code: code for code in codes}}


def test_one_of_fifty_publishes_and_the_others_are_told_to_wait(world, server):
    project = world.workspace.project()
    owner = world.workspace.owner
    body = {"name": "Web", "format": "json-nested"}
    path = f"/projects/{project['id']}"
    made = owner.post(f"{path}/distributions", json=body).data["distribution"]
    one = f"{path}/distributions/{made['id']}"
    [first] = owner.get(f"{path}/jobs").data["items"]
    with closing(world.owner(server)) as client:
        client.end_of_job(f"{path}/jobs/{first['id']}")
    world.workspace.key(project, "a", values={"en": "x"})

    answers = all_at_once(
        world, server, lambda client, _: client.post(f"{one}/releases", {})
    )

    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) <= {200, 202, 409}
    assert statuses[202] == 1
    with closing(world.owner(server)) as client:
        for job in owner.get(f"{path}/jobs").data["items"]:
            client.end_of_job(f"{path}/jobs/{job['id']}")
    releases = owner.get(f"{one}/releases").data["items"]
    assert [(each["version"], each["status"]) for each in releases] == [
        (2, "ready"),
        (1, "ready"),
    ]


def test_each_job_is_claimed_once_by_three_processes(world):
    project = world.workspace.project()
    path = f"/projects/{project['id']}"
    accepted = []
    for number in range(JOBS):
        file = Upload("en.json", b'{"k%d": "x"}' % number, "application/json")
        accepted.append(
            world.workspace.owner.post(f"{path}/import", files={"file": file})
        )

    servers = [world.start() for _ in range(3)]
    client = world.owner(servers[0])
    jobs = [client.job(answer) for answer in accepted]

    assert {job["status"] for job in jobs} == {"succeeded"}
    store = world.workspace.framework.storage
    stored = [store.jobs.find(project["id"], job["id"]) for job in jobs]
    assert [each and each.attempt for each in stored] == [1] * JOBS
    names = store.keys.names_of(project["id"])
    assert names.keys() == {f"k{number}" for number in range(JOBS)}
