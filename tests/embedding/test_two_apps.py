"""Two applications in one process share nothing."""

import pytest

from locframework import hookimpl


class Ear:
    name = "ear"

    def __init__(self):
        self.heard = []

    @hookimpl
    def loc_on_event(self, event):
        self.heard.append(event.type)


def new_project(client):
    body = {"name": "Web shop", "sourceLanguage": "en"}
    path = client.post("/projects", json=body).data["project"]["id"]
    return f"/projects/{path}"


def metric(client, line):
    lines = client.get("/metrics").content.decode().splitlines()
    return next((each for each in lines if each.startswith(line)), None)


@pytest.fixture
def one(open_framework, client_of):
    return client_of(open_framework())


@pytest.fixture
def other(open_framework, client_of):
    return client_of(open_framework())


def test_they_have_different_data_and_tokens(one, other):
    project = new_project(one)

    assert one.get(project).status == 200
    assert other.get(project).error["code"] == "project_not_found"
    assert other.with_token(one.token).get("/projects").status == 401


def test_each_counts_its_own_requests(one, other):
    def left(client):
        return int(client.get("/permissions").headers["X-RateLimit-Remaining"] or 0)

    nobody = one.with_token(None)
    before = left(other), left(nobody)
    for _ in range(20):
        one.get("/permissions")
        nobody.get("/permissions")

    line = 'locframework_requests_total{method="GET",route="/api/v1/permissions"'
    assert str(metric(one, line + ',status="200"')).endswith(" 20.0")
    assert str(metric(other, line)).endswith(" 1.0")
    assert left(other) == before[0] - 1
    assert left(one) == before[0] - 20
    assert left(nobody) == before[1] - 21
    assert left(other.with_token(None)) == before[1]


def test_each_has_its_own_plugins(open_framework, client_of):
    ear = Ear()
    with_ear = client_of(open_framework(ear))
    without = client_of(open_framework(blocked_plugins=["json"]))

    path = new_project(without)
    without.post(f"{path}/keys", json={"key": "a"})
    assert ear.heard == []

    path = new_project(with_ear)
    with_ear.post(f"{path}/keys", json={"key": "a"})
    assert ear.heard == ["key.created"]

    def formats(client):
        listed = client.get("/formats").data["formats"]
        return {each["id"] for each in listed}

    assert formats(with_ear) - formats(without) == {
        "arb",
        "json-chrome",
        "json-flat",
        "json-formatjs",
        "json-go-i18n",
        "json-i18next",
        "json-i18next-v3",
        "json-laravel",
        "json-nested",
        "json-nextcloud",
        "json-vue-i18n",
    }


def test_closing_one_leaves_the_other_at_work(open_framework, client_of):
    first, second = open_framework(), open_framework()
    client = client_of(second)

    first.close()

    assert client.get(new_project(client)).status == 200
