"""The shipped transport with the framework: attempts over real TLS."""

from datetime import UTC, datetime, timedelta

from locframework_webhooks_https import HttpsSettings, HttpsTransport
from msgspec.structs import replace
from standardwebhooks import Webhook as Verifier

from locframework import hookimpl
from locframework.testing.receiver import Visit, answering, open_receiver, saying
from locframework.testing.workspace import open_workspace


class HurriedTransport(HttpsTransport):
    """The shipped transport, with 0.4 seconds instead of 20."""

    name = "hurried"

    @hookimpl
    def loc_provide_transports(self):
        return [self]

    def send(self, post):
        return super().send(replace(post, seconds=0.4))


def test_attempts_are_repeated_until_one_succeeds(migrated_sqlite, tmp_path, clock):
    database = tmp_path / "x.sqlite3"
    database.write_bytes(migrated_sqlite.read_bytes())
    # the last attempt is about 31.5 minutes later: its signature must be fresh
    clock.now = datetime.now(UTC) - timedelta(minutes=31.5)
    behaviours = (
        saying(b"", Visit.wait),
        saying(b"", Visit.reset),
        answering(302, [("Location", "https://127.0.0.1/elsewhere")]),
        answering(202, [], b"thanks"),
    )
    with open_receiver(tmp_path, *behaviours) as receiver:
        given = ("127.0.0.0/8",), (receiver.port,), receiver.ca_file
        with open_workspace(
            f"sqlite:///{database}",
            tmp_path,
            plugins=[HurriedTransport(HttpsSettings(*given))],
            webhook_transport="hurried",
            clock=clock,
        ) as workspace:
            project = workspace.project()
            path = f"/projects/{project['id']}/webhooks"
            body = {"url": receiver.url(), "eventTypes": ["key.created"]}
            made = workspace.owner.post(path, json=body).data
            workspace.key(project, "checkout.pay")
            log = f"{path}/{made['webhook']['id']}/deliveries"
            for _ in behaviours:
                workspace.send_webhooks()
                [delivery] = workspace.owner.get(log).data["items"]
                if delivery["nextAttemptAt"]:
                    clock.now = datetime.fromisoformat(delivery["nextAttemptAt"])

    attempts = delivery["attempts"]
    assert [each["error"] or each["statusCode"] for each in attempts] == [
        "timeout",
        "connection_lost",
        302,
        202,
    ]
    assert (delivery["status"], attempts[-1]["responseBody"]) == ("succeeded", "thanks")
    assert receiver.connections == len(behaviours)
    headers = {name.lower(): value for name, value in receiver.received[-1].headers}
    Verifier(made["signingSecret"]).verify(receiver.received[-1].body, headers)
    assert headers["webhook-id"] == delivery["id"]


def test_a_private_address_is_refused_when_a_webhook_is_created(sqlite_workspace):
    project = sqlite_workspace.project()
    path = f"/projects/{project['id']}/webhooks"

    for url in (
        "https://127.0.0.1/",
        "https://localhost/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://1.1.1.1:8443/",
        "https://me@1.1.1.1/",
        "http://1.1.1.1/",
    ):
        body = {"url": url, "eventTypes": ["key.created"]}
        refused = sqlite_workspace.owner.post(path, json=body)
        assert (refused.status, refused.error["code"]) == (400, "url_not_allowed")
        assert refused.error["message"].startswith("url: ")
    assert sqlite_workspace.owner.get(path).data["total"] == 0
