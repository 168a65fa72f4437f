"""``locframework webhooks deliveries`` and ``new-key``."""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from locframework import OPERATOR, Framework, Settings
from locframework.keys.records import NewKey
from locframework.projects.records import NewProject, Project
from locframework.testing.workspace import WEBHOOK_KEY
from locframework.webhooks.records import NewWebhook, Webhook, WebhookChanges

Command = Callable[..., Result]
URL = "https://93.184.215.14/hook"
ENVIRONMENT = {"LOCFRAMEWORK_WEBHOOKS__SECRET_KEY": WEBHOOK_KEY}


@pytest.fixture
def hooked(folder: Path) -> tuple[Project, Webhook]:
    """A project with a webhook, that was told of three keys."""
    settings = Settings.of({"webhooks": {"secret_key": WEBHOOK_KEY}})
    with Framework(settings) as framework:
        framework.migrate()
        organization, _ = framework.organizations.create_organization(
            "X", "a@b.example"
        )
        new = NewProject("Shop", "en", organization_id=organization.id)
        project = framework.projects.create_project(OPERATOR, new)
        asked = NewWebhook(URL, ["key.created"])
        webhook, _ = framework.webhooks.create_webhook(OPERATOR, project.id, asked)
        for name in "abc":
            framework.keys.create_key(OPERATOR, project.id, NewKey(name))
    return project, webhook


def test_the_log_of_each_webhook_is_shown(
    command: Command, hooked: tuple[Project, Webhook]
) -> None:
    _, webhook = hooked

    shown = command("webhooks", "deliveries", **ENVIRONMENT)

    head, *lines = shown.output.splitlines()
    assert shown.exit_code == 0, shown.output
    assert head == f"{URL}  {webhook.id}  active"
    assert len(lines) == 3
    assert all(
        "  pending    key.created             0 attempts, next 20" in line
        for line in lines
    )


def test_the_log_is_cut_and_filtered(
    command: Command, hooked: tuple[Project, Webhook]
) -> None:
    project, webhook = hooked
    base = ("webhooks", "deliveries", "--project", project.id)

    cut = command(*base, "--limit", 2, **ENVIRONMENT)
    failed = command(*base, "--status", "failed", **ENVIRONMENT)
    other = command(
        *base, "--type", "key.deleted", "--webhook", webhook.id, **ENVIRONMENT
    )
    absent = command(*base, "--webhook", project.id, **ENVIRONMENT)

    assert cut.output.splitlines()[-1] == "  … and 1 more"
    for shown in (failed, other):
        assert shown.output.splitlines()[1:] == ["  nothing was sent"]
    assert absent.exit_code == 1
    assert absent.output == "Error: there is no such webhook\n"


def test_a_webhook_that_is_off_says_why(
    command: Command, hooked: tuple[Project, Webhook]
) -> None:
    project, webhook = hooked
    settings = Settings.of({"webhooks": {"secret_key": WEBHOOK_KEY}})
    with Framework(settings) as framework:
        off = WebhookChanges(is_active=False)
        framework.webhooks.update_webhook(OPERATOR, project.id, webhook.id, off)

    shown = command("webhooks", "deliveries", "--project", project.id, **ENVIRONMENT)

    assert shown.output.splitlines()[0].endswith("  off: manual")


def test_a_new_key_is_one_that_the_setting_takes(command: Command) -> None:
    one, other = (command("webhooks", "new-key").output.strip() for _ in range(2))

    assert one != other
    assert len(b64decode(one)) == 32


@pytest.mark.parametrize("asked", [["serve", "--port", 0], ["check-settings"]])
def test_a_server_without_the_key_of_its_webhooks_does_not_start(
    command: Command, hooked: tuple[Project, Webhook], asked: list[object]
) -> None:
    refused = command(*asked)

    assert refused.exit_code == 2
    assert refused.output.splitlines()[-1] == (
        "Error: settings: webhooks.secret_key: is missing, and the signing secrets of "
        "webhooks are sealed with it; an older key belongs in webhooks.old_secret_keys"
    )
