"""Signing secrets: sealed at rest, bound to their webhook, and found nowhere."""

import logging
from base64 import b64decode

import pytest
from msgspec.structs import replace

from locframework import OPERATOR
from locframework.errors import SettingsError
from locframework.testing.workspace import WEBHOOK_KEY, open_workspace
from locframework.webhooks.signing import SecretBox, SecretLost, new_key, new_secret


def test_a_sealed_secret_opens_only_undamaged_and_for_its_webhook():
    box, secret = SecretBox(new_key()), new_secret()

    sealed = box.seal(secret, "w1")

    assert box.open(sealed, "w1") == secret
    assert box.seal(secret, "w1").sealed != sealed.sealed
    with pytest.raises(SecretLost, match="w2"):
        box.open(sealed, "w2")
    for damaged in ("", "!", "AAAA", sealed.sealed[:-8]):
        with pytest.raises(SecretLost):
            box.open(replace(sealed, sealed=damaged), "w1")


def test_an_old_key_opens_what_it_sealed_and_seals_nothing():
    old, new = new_key(), new_key()
    sealed = SecretBox(old).seal("whsec_x", "w1")
    box, without_new = SecretBox(new, [old]), SecretBox(None, [old])

    assert box.open(sealed, "w1") == without_new.open(sealed, "w1") == "whsec_x"
    assert box.seal("whsec_x", "w1").key_id != sealed.key_id
    assert not without_new.can_seal
    with pytest.raises(SecretLost, match=sealed.key_id):
        SecretBox(new).open(sealed, "w1")


@pytest.mark.parametrize("key", ["", "x", "AAAA", "é", "A" * 40])
def test_an_invalid_key_is_refused_with_its_setting(key):
    with pytest.raises(SettingsError, match="must be 32 bytes") as refused:
        SecretBox(key)
    assert refused.value.setting == "webhooks.secret_key"
    with pytest.raises(SettingsError, match="must be 32 bytes") as refused:
        SecretBox(new_key(), [key])
    assert refused.value.setting == "webhooks.old_secret_keys"


def test_no_secret_is_in_the_database_in_logs_or_in_other_answers(
    hooked, database_url, tmp_path, caplog
):
    caplog.set_level(logging.DEBUG)
    body = {"url": hooked.receiver.url, "eventTypes": ["key.created"]}
    kept_for = {"Idempotency-Key": "once"}
    made = hooked.owner.post(hooked.webhooks, json=body, headers=kept_for).data
    webhook, first = made["webhook"], made["signingSecret"]
    path = f"{hooked.webhooks}/{webhook['id']}"
    kept_for = {"Idempotency-Key": "again"}
    rotated = hooked.owner.post(f"{path}/rotate-secret", headers=kept_for)
    second = rotated.data["signingSecret"]
    hooked.receiver.answers = [(500, {}, b"")]
    hooked.key("a")
    [received] = hooked.send()
    answers = b"".join(
        hooked.owner.get(each).content
        for each in (
            path,
            hooked.webhooks,
            f"{path}/deliveries",
            f"{path}/deliveries/{received.id}",
            f"{hooked.path}/activity",
        )
    )

    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*sqlite3*"))
    kept += dump(hooked, database_url)
    for secret in (first, second):
        raw = secret.removeprefix("whsec_")
        for trace in (raw.encode(), b64decode(raw), b64decode(raw).hex().encode()):
            assert trace not in kept
            assert trace not in answers
            assert trace not in caplog.text.encode()
    assert webhook["id"].encode() in kept


def dump(hooked, database_url):
    """Every column of every row of every table."""
    database = hooked.workspace.framework.storage.database
    names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    if database_url.startswith("sqlite"):
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = {
        name: database.rows(f'SELECT * FROM "{name}"')
        for (name,) in database.rows(names)
    }
    assert all(tables[name] for name in ("webhooks", "idempotency_keys"))
    return repr(tables).encode()


def test_an_app_without_the_key_of_its_webhooks_does_not_start(
    hooked, database_url, tmp_path
):
    hooked.create()

    def start(**webhooks):
        with open_workspace(database_url, tmp_path, webhooks=webhooks):
            pass

    with pytest.raises(SettingsError, match=r"webhooks\.secret_key: is missing, and"):
        start()
    with pytest.raises(SettingsError, match=r"is not the key that sealed"):
        start(secret_key=new_key())


def test_an_old_secret_whose_key_is_gone_keeps_nothing_from_being_sent(
    hooked, database_url, tmp_path
):
    webhook, _ = hooked.create()
    key, first = new_key(), [WEBHOOK_KEY]
    how = {"plugins": [hooked.receiver], "webhook_transport": "loopback"}
    both = {"secret_key": key, "old_secret_keys": first}
    with open_workspace(database_url, tmp_path, webhooks=both, **how) as workspace:
        _, secret = workspace.framework.webhooks.rotate_secret(
            OPERATOR, hooked.project["id"], webhook["id"]
        )
    hooked.key("a")

    only = {"secret_key": key}
    with open_workspace(database_url, tmp_path, webhooks=only, **how) as workspace:
        workspace.send_webhooks()

    [received] = hooked.receiver.received
    received.verify(secret)
    assert len(received.headers["webhook-signature"].split()) == 1


def test_without_a_key_there_are_no_webhooks(database_url, tmp_path):
    with open_workspace(database_url, tmp_path, webhooks={}) as workspace:
        project = workspace.project()
        body = {"url": "https://93.184.215.14/", "eventTypes": ["key.created"]}
        path = f"/projects/{project['id']}/webhooks"

        refused = workspace.owner.post(path, json=body)

        assert (refused.status, refused.error["code"]) == (409, "webhooks_not_set_up")
        assert "webhooks.secret_key" in refused.error["message"]
        assert workspace.owner.get(path).data["items"] == []
