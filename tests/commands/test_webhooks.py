"""``locframework webhooks``: keys and the delivery log."""

from base64 import b64decode

from locframework import OPERATOR, Framework, Settings
from locframework.keys.records import NewKey
from locframework.testing.workspace import WEBHOOK_KEY
from locframework.webhooks.records import NewWebhook, WebhookChanges

URL = "https://93.184.215.14/hook"
KEY = {"LOCFRAMEWORK_WEBHOOKS__SECRET_KEY": WEBHOOK_KEY}


def test_the_log_of_each_webhook_is_shown(command, framework, project):
    where = OPERATOR, project.id
    with Framework(Settings.of({"webhooks": {"secret_key": WEBHOOK_KEY}})) as keyed:
        asked = NewWebhook(URL, ["key.created"])
        webhook, _ = keyed.webhooks.create_webhook(*where, asked)
        for name in "abc":
            keyed.keys.create_key(*where, NewKey(name))
        base = ("webhooks", "deliveries")

        shown = command(*base, **KEY)
        cut = command(*base, "--project", project.id, "--limit", 2, **KEY)
        failed = command(*base, "--status", "failed", **KEY)
        other = command(*base, "--type", "key.deleted", "--webhook", URL, **KEY)
        absent = command(*base, "--webhook", project.id, **KEY)
        off = WebhookChanges(is_active=False)
        keyed.webhooks.update_webhook(*where, webhook.id, off)
        switched_off = command(*base, **KEY)

    head, *lines = shown.output.splitlines()
    assert shown.exit_code == 0, shown.output
    assert head == f"{URL}  {webhook.id}  active"
    assert len(lines) == 3
    for line in lines:
        assert "  pending    key.created             0 attempts, next 20" in line
    assert cut.output.splitlines()[-1] == "  … and 1 more"
    for nothing in (failed, other):
        assert nothing.output.splitlines()[1:] == ["  nothing was sent"]
    assert absent.exit_code == 1
    there = f"is not one webhook; there are: {webhook.id} ({URL})"
    assert absent.output == f"Error: '{project.id}' {there}\n"
    assert switched_off.output.splitlines()[0].endswith("  off: manual")
    for asked_for in (["serve", "--port", 0], ["check-settings"]):
        refused = command(*asked_for)
        assert refused.exit_code == 2
        assert "Error: settings: webhooks.secret_key: is missing, " in refused.output


def test_a_new_key_is_one_that_the_setting_accepts(command):
    one, other = (command("webhooks", "new-key").output.strip() for _ in range(2))

    assert one != other
    assert len(b64decode(one)) == 32
