"""The plugin in a whole application; a server on this machine takes Slack's place."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from locframework.commands import main
from locframework.testing.receiver import NETWORK, answering, open_receiver
from locframework.testing.workspace import WEBHOOK_KEY

MONDAY = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


@pytest.fixture
def slack(tmp_path):
    with open_receiver(tmp_path, answering(200)) as receiver:
        yield receiver


@pytest.fixture
def now():
    return [MONDAY]


@pytest.fixture
def workspace_settings(slack, now):
    outgoing = {
        "allowed_networks": [NETWORK],
        "allowed_ports": [slack.port],
        "ca_file": slack.ca_file,
    }
    settings = {"slack-digest": {"outgoing": outgoing}}
    return {"plugin_settings": settings, "clock": lambda: now[0]}


@pytest.fixture
def project(workspace):
    """The path of a project where a translator has proposed two texts."""
    made = workspace.project(languages=["de"], name="Web shop")
    translator = workspace.client("translator")
    for name in ("cart.pay", "cart.title"):
        key = workspace.key(made, name)
        path = f"/projects/{made['id']}/keys/{key['id']}/values/de"
        assert translator.put(path, json={"value": "Zahlen"}).status == 200
    return f"/projects/{made['id']}"


def configure(client, project, **settings):
    path = f"{project}/plugins/slack-digest"
    answer = client.patch(path, json=settings)
    assert answer.status == 200, answer
    return answer


def api(project):
    return f"/plugins/slack-digest{project}"


def messages(slack):
    return [json.loads(each.body)["text"] for each in slack.received]


def test_what_waits_is_listed(client, project):
    [waiting] = client.get(f"{api(project)}/waiting").data["waiting"]

    assert waiting["languageCode"] == "de"
    assert waiting["pendingReview"] == 2
    assert sorted(waiting["keys"]) == ["cart.pay", "cart.title"]


def test_a_digest_is_sent_when_somebody_asks(workspace, client, project, slack):
    configure(client, project, webhookUrl=slack.url())

    job = workspace.job_of(client.post(f"{api(project)}/send"))

    assert (job["type"], job["status"]) == ("plugin.slack-digest.send", "succeeded")
    assert job["result"] == {"pending": 2, "sent": True}
    [text] = messages(slack)
    assert text.startswith("*Web shop*: what waits for review\n• de: 2 (`cart.")


def test_the_address_is_a_secret(client, project, slack):
    answer = configure(client, project, webhookUrl=slack.url())

    assert slack.url() not in str(answer)
    path = f"{project}/plugins/slack-digest"
    assert slack.url() not in str(client.get(path))


def test_without_an_address_nothing_can_be_sent(client, project):
    refused = client.post(f"{api(project)}/send")

    assert refused.status == 400
    assert "webhookUrl" in refused.error["message"]


def test_reviewers_may_send_and_translators_may_not(workspace, client, project, slack):
    configure(client, project, webhookUrl=slack.url())

    statuses = [
        workspace.client(role).post(f"{api(project)}/send").status
        for role in ("translator", "reviewer")
    ]

    assert statuses == [403, 202]


def test_each_morning_a_digest_is_sent_if_enough_waits(
    workspace, client, project, slack, now
):
    configure(client, project, webhookUrl=slack.url(), leastPending=2)
    workspace.framework.schedules.run_due()
    for _ in range(3):
        now[0] += timedelta(days=1)
        workspace.framework.schedules.run_due()
        workspace.run_jobs()
        configure(client, project, leastPending=3)

    assert len(messages(slack)) == 1


def test_an_address_that_slack_refuses_fails_the_job(workspace, client, project, slack):
    slack.behaviours[:] = [answering(404)]
    configure(client, project, webhookUrl=slack.url())

    job = workspace.job_of(client.post(f"{api(project)}/send"))

    assert job["status"] == "failed"
    assert "404" in job["error"]["message"]


def test_the_operator_sees_and_sends_a_digest(
    workspace, client, project, slack, database_url, tmp_path
):
    configure(client, project, webhookUrl=slack.url())
    environment = {
        "LOCFRAMEWORK_PLUGINS__PEEWEE__DATABASE": database_url,
        "LOCFRAMEWORK_PLUGINS__DISK__FOLDER": str(tmp_path / "blobs"),
        "LOCFRAMEWORK_PLUGINS__RAPIDFUZZ__FOLDER": str(tmp_path / "matching"),
        "LOCFRAMEWORK_WEBHOOKS__SECRET_KEY": WEBHOOK_KEY,
    }

    def run(*command):
        reference = project.removeprefix("/projects/")
        asked = ["slack-digest", *command, reference]
        return CliRunner().invoke(main, asked, env=environment)

    shown, queued = run("preview", "--json"), run("send")
    workspace.run_jobs()

    assert json.loads(shown.stdout)["pending"] == 2
    assert queued.exit_code == 0, queued.output
    assert len(messages(slack)) == 1
