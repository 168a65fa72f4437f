"""What we sign, the libraries of Standard Webhooks take for good: Python and Node."""

from __future__ import annotations

import json
import random
import subprocess
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from locframework.webhooks.signing import new_secret, signed_headers

from .conftest import installed

pytestmark = pytest.mark.judge

SCRIPTS = Path(__file__).parent / "standardwebhooks"
MESSAGES = 10_000
URL_LENGTH_LIMIT = 5_000  # 20 KB at most, in UTF-8
LETTERS = [
    *map(chr, range(0x20, 0x7F)),
    *"\0\b\t\n\r\x1b\x7f\x85\xa0äßŁñÿ\u0301\u200b\u200f\u2028\u2029\ufeff\uffff",
    *"Привет 日本語 한국어 العربية हिन्दी ไทย 👩‍👩‍👧 🏴 😀 𐍈 𝒳",
]


class Message(msgspec.Struct, frozen=True):
    """A signed body, and whether it is as it was signed."""

    secret: str
    headers: dict[str, str]
    body: bytes
    is_good: bool


@pytest.fixture(scope="module")
def messages():
    """Ten thousand good ones, each followed by itself with one bit changed."""
    chance = random.Random(20261121)
    found = []
    for number in range(MESSAGES):
        length = int(URL_LENGTH_LIMIT * chance.random() ** 6)
        text = "".join(chance.choices(LETTERS, k=length))
        payload = json.dumps({"text": text}, ensure_ascii=chance.random() < 0.2)
        old, new = new_secret(), new_secret()
        signed = signed_headers(
            f"msg_{number:032x}", datetime.now(UTC), payload, [new, old]
        )
        headers = {name.lower(): value for name, value in signed}
        secret = chance.choice((old, new))
        body = payload.encode()
        changed = bytearray(body)
        changed[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
        found.append(Message(secret, headers, body, True))
        found.append(Message(secret, headers, bytes(changed), False))
    return found


def is_good_in_python(message):
    try:
        Webhook(message.secret).verify(message.body, message.headers)
    except (WebhookVerificationError, UnicodeDecodeError):
        return False
    return True


def test_python_verifies_every_message_and_none_that_was_changed(messages):
    assert len(messages) == 2 * MESSAGES
    assert all(is_good_in_python(each) is each.is_good for each in messages)


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """The folder of an installed script."""
    return installed(SCRIPTS, tmp_path_factory.mktemp("standardwebhooks"))


@pytest.mark.node
def test_node_verifies_every_message_and_none_that_was_changed(messages, node):
    lines = (
        json.dumps(
            {
                "secret": each.secret,
                "headers": each.headers,
                "body": b64encode(each.body).decode(),
            }
        )
        for each in messages
    )
    (node / "messages").write_text("\n".join(lines), encoding="utf-8")

    done = subprocess.run(
        ["node", "verify.js", "messages"],
        cwd=node,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "".join("01"[each.is_good] for each in messages)
