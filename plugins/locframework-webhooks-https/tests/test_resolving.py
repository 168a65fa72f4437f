"""Names: looked up at each attempt, all addresses checked, connected to one of them.

127.0.0.2 stands for the public internet here, as the one network that is allowed;
127.0.0.1 is what must not be reached. Both are real sockets.
"""

import subprocess
import sys
import time
from contextlib import contextmanager
from socket import gaierror
from threading import Event, active_count

import pytest
from locframework_webhooks_https import HttpsSettings, HttpsTransport

from locframework.outgoing.channel import LOOKUPS_LIMIT, Lookup
from locframework.ports import Post, UrlNotAllowed
from locframework.testing.receiver import open_receiver

PUBLIC, PRIVATE = "127.0.0.2", "127.0.0.1"
NAME = "hooks.example.com"


class Names:
    """A resolver that says what it is told, each time the next."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.asked = []

    def __call__(self, host):
        self.asked.append(host)
        found = self._answers[0]
        if len(self._answers) > 1:
            del self._answers[0]
        if not found:
            raise gaierror(-2, "Name or service not known")
        return list(found)


@contextmanager
def world(folder):
    """A public receiver, and a private one on the same port of another address."""
    inside = folder / "inside"
    inside.mkdir()
    with (
        open_receiver(folder, host=PUBLIC) as public,
        open_receiver(inside, host=PRIVATE, port=public.port) as private,
    ):
        yield public, private


def transport(public, resolve):
    given = HttpsSettings((f"{PUBLIC}/32",), (public.port,), public.ca_file)
    return HttpsTransport(given, Lookup(resolve))


def test_the_name_is_what_the_receiver_hears(tmp_path):
    with world(tmp_path) as (public, _):
        names = Names((PUBLIC,))
        answer = transport(public, names).send(Post(public.url(host=NAME), (), b"{}"))

    assert answer.status_code == 204
    assert public.received[0].header("host") == f"{NAME}:{public.port}"
    assert public.asked_for == [NAME]  # by TLS
    assert names.asked == [NAME]


def test_a_name_is_looked_up_at_every_attempt_and_once(tmp_path):
    with world(tmp_path) as (public, private):
        names = Names((PUBLIC,), (PUBLIC,), (PRIVATE,))
        sender, url = transport(public, names), public.url(host=NAME)
        sender.check_url(url)
        first = sender.send(Post(url, (), b"{}"))
        second = sender.send(Post(url, (), b"{}"))
        with pytest.raises(UrlNotAllowed):
            sender.check_url(url)

    assert (first.status_code, first.error) == (204, None)
    assert (second.status_code, second.error) == (None, "no_public_address")
    assert (public.connections, private.connections) == (1, 0)
    assert len(names.asked) == 4


@pytest.mark.parametrize(
    "found",
    [
        (PRIVATE,),
        (PUBLIC, PRIVATE),
        (PRIVATE, PUBLIC),
        (*[PUBLIC] * 20, PRIVATE),
        ("1.1.1.1", PRIVATE),
        (PUBLIC, "::1"),
        (PUBLIC, "::ffff:127.0.0.2"),
        (PUBLIC, "fe80::1%lo"),
        (PUBLIC, "nonsense"),
        (),
    ],
)
def test_one_address_that_is_not_public_refuses_the_name(tmp_path, found):
    with world(tmp_path) as (public, private):
        sender, url = transport(public, Names(found)), public.url(host=NAME)
        with pytest.raises(UrlNotAllowed):
            sender.check_url(url)
        answer = sender.send(Post(url, (), b"{}"))

    assert (answer.status_code, answer.error) == (None, "no_public_address")
    assert (public.connections, private.connections) == (0, 0)


def test_the_next_address_is_tried_when_nobody_listens_at_the_first(tmp_path):
    with open_receiver(tmp_path, host=PUBLIC) as public:
        given = HttpsSettings(("127.0.0.0/29",), (public.port,), public.ca_file)
        names = Names(("127.0.0.3", "127.0.0.4", PUBLIC))
        sender = HttpsTransport(given, Lookup(names))
        answer = sender.send(Post(public.url(host=NAME), (), b"{}"))

    assert answer.status_code == 204


def test_the_refusal_does_not_tell_what_a_name_leads_to():
    host = ".".join(["a" * 60] * 4)
    told = set()
    for found in ((), (PRIVATE,), ("10.0.0.1",), ("1.1.1.1", "10.0.0.1")):
        with pytest.raises(UrlNotAllowed) as refusal:
            HttpsTransport(HttpsSettings(), Lookup(Names(found))).check_url(
                f"https://{host}/"
            )
        told.add(refusal.value.message)

    [message] = told
    assert "public internet" in message[:200]  # answers tell no more


def test_a_name_server_that_hangs_holds_an_attempt_for_three_seconds(tmp_path):
    go_on = Event()

    def hanging(host):
        go_on.wait(30)
        return []

    with open_receiver(tmp_path, host=PUBLIC) as public:
        sender, url = transport(public, hanging), public.url(host=NAME)
        before = active_count()
        began = time.monotonic()
        answer = sender.send(Post(url, (), b"{}"))
        short = sender.send(Post(url, (), b"{}", seconds=0.2))
        taken = time.monotonic() - began
        go_on.set()

    assert answer.error == "no_public_address"
    assert 2900 <= answer.duration_ms < 4000
    assert short.duration_ms < 1000
    assert taken < 4.5
    ends = time.monotonic() + 5
    while active_count() > before and time.monotonic() < ends:
        time.sleep(0.01)
    assert active_count() <= before


def test_a_hanging_lookup_does_not_hold_the_end_of_the_process():
    script = """
import time
from locframework.outgoing.channel import Lookup
print(Lookup(lambda host: time.sleep(60))("example.com", 0.1))
"""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
    assert time.monotonic() - began < 20


def test_many_hanging_names_do_not_take_every_thread():
    go_on = Event()

    def hanging(host):
        go_on.wait(30)
        return []

    lookup = Lookup(hanging)
    before = active_count()

    for _ in range(LOOKUPS_LIMIT + 20):
        assert lookup("example.com", 0.005) == []
    most = active_count() - before
    go_on.set()

    assert most <= LOOKUPS_LIMIT
    ends = time.monotonic() + 10
    while lookup("example.com", 0.1) != [] or active_count() > before:
        assert time.monotonic() < ends
