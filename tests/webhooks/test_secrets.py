"""Signing secrets: sealed at rest, bound to their webhook, and found nowhere."""

from __future__ import annotations

import logging
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from locframework import OPERATOR
from locframework.errors import SettingsError
from locframework.fields import system_clock
from locframework.testing.workspace import WEBHOOK_KEY, open_workspace
from locframework.webhooks.signing import (
    SecretBox,
    SecretLost,
    new_key,
    new_secret,
    signed_headers,
)


def test_a_sealed_secret_opens_again_for_its_webhook_only() -> None:
    box, secret = SecretBox(new_key()), new_secret()

    sealed = box.seal(secret, "w1")

    assert box.open(sealed, "w1") == secret
    with pytest.raises(SecretLost, match="w2"):
        box.open(sealed, "w2")


def test_the_same_secret_never_looks_the_same_at_rest() -> None:
    box = SecretBox(new_key())

    assert box.seal("whsec_x", "w1").sealed != box.seal("whsec_x", "w1").sealed


def test_a_damaged_secret_does_not_open() -> None:
    box = SecretBox(new_key())
    sealed = box.seal(new_secret(), "w1")

    for damaged in ("", "!", "AAAA", sealed.sealed[:-8]):
        with pytest.raises(SecretLost):
            box.open(replace(sealed, sealed=damaged), "w1")


def test_an_old_key_opens_what_it_sealed_and_the_new_one_seals() -> None:
    old, new = new_key(), new_key()
    sealed = SecretBox(old).seal("whsec_x", "w1")
    box = SecretBox(new, [old])

    assert box.open(sealed, "w1") == "whsec_x"
    assert box.seal("whsec_x", "w1").key_id != sealed.key_id
    with pytest.raises(SecretLost, match=sealed.key_id):
        SecretBox(new).open(sealed, "w1")


@pytest.mark.parametrize("key", ["", "x", "AAAA", "é", "A" * 40])
def test_what_is_no_key_is_refused_by_its_setting(key: str) -> None:
    with pytest.raises(SettingsError, match=r"webhooks\.secret_key: must be 32 bytes"):
        SecretBox(key)


def test_an_old_key_that_is_none_is_refused_by_its_own_setting() -> None:
    told = r"settings: webhooks\.old_secret_keys: must be 32 bytes"
    with pytest.raises(SettingsError, match=told) as refused:
        SecretBox(new_key(), ["bad"])

    assert refused.value.setting == "webhooks.old_secret_keys"


def test_an_old_key_alone_opens_and_seals_nothing() -> None:
    old = new_key()
    sealed = SecretBox(old).seal("whsec_x", "w1")
    box = SecretBox(None, [old])

    assert box.open(sealed, "w1") == "whsec_x"
    assert not box.can_seal


def test_no_secret_is_in_the_database_in_logs_or_in_other_answers(
    hooked: Any,
    database_url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
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


def dump(hooked: Any, database_url: str) -> bytes:
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
    hooked: Any, database_url: str, tmp_path: Path
) -> None:
    hooked.create()

    def start(**webhooks: object) -> None:
        with open_workspace(database_url, tmp_path, webhooks=webhooks):
            pass

    with pytest.raises(SettingsError, match=r"webhooks\.secret_key: is missing, and"):
        start()
    with pytest.raises(SettingsError, match=r"is not the key that sealed"):
        start(secret_key=new_key())


def test_an_old_secret_whose_key_is_gone_keeps_nothing_from_being_sent(
    hooked: Any, database_url: str, tmp_path: Path
) -> None:
    webhook, _ = hooked.create()
    key, first = new_key(), [WEBHOOK_KEY]
    how: dict[str, Any] = {
        "plugins": [hooked.receiver],
        "webhook_transport": "loopback",
    }
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


def test_without_a_key_there_are_no_webhooks(database_url: str, tmp_path: Path) -> None:
    with open_workspace(database_url, tmp_path, webhooks={}) as workspace:
        project = workspace.project()
        body = {"url": "https://93.184.215.14/", "eventTypes": ["key.created"]}
        path = f"/projects/{project['id']}/webhooks"

        refused = workspace.owner.post(path, json=body)

        assert (refused.status, refused.error["code"]) == (409, "webhooks_not_set_up")
        assert "webhooks.secret_key" in refused.error["message"]
        assert workspace.owner.get(path).data["items"] == []


@given(body=st.text(max_size=2000), flip=st.integers(min_value=0), data=st.data())
def test_any_body_verifies_and_any_changed_byte_does_not(
    body: str, flip: int, data: Any
) -> None:
    secret = new_secret()
    headers = dict(
        signed_headers("msg_1", system_clock(), body, [new_secret(), secret])
    )
    verifier, sent = Verifier(secret), body.encode()

    verifier.verify(sent, headers, json_parse=False)

    changed = bytearray(sent or b"x")
    changed[flip % len(changed)] ^= 0x01 if sent else 0
    with pytest.raises(WebhookVerificationError):
        verifier.verify(changed.decode("latin-1"), headers, json_parse=False)
