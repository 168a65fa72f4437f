"""Whatever bytes a receiver sends, there is an answer, and in time."""

from socket import IPPROTO_TCP, TCP_NODELAY

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from locframework_webhooks_https import HttpsSettings, HttpsTransport

from locframework.ports import KEPT_BYTES, Post
from locframework.testing.receiver import Visit, open_receiver

lines = st.lists(
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from(
            [
                *(b"HTTP/1.1 200 OK", b"HTTP/1.1 100 Continue", b"HTTP/0.9 200"),
                *(b"HTTP/1.0 410 Gone", b"HTTP/1.1 999 X", b"HTTP/1.1 101 Switching"),
                *(b"Content-Length: 3", b"Content-Length: -1", b"Content-Length: 9e9"),
                *(b"Transfer-Encoding: chunked", b"Retry-After: 5", b" folded: x"),
                *(b"Retry-After: =?utf-8?q?a?=", b"Connection: keep-alive", b"", b""),
                *(b"3", b"abc", b"0", b"-1", b"ffffffffffffffffffff", b"1_0", b"0x3"),
            ]
        ),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def transport(receiver):
    given = HttpsSettings(("127.0.0.0/8",), (receiver.port,), receiver.ca_file)
    return HttpsTransport(given)


@pytest.fixture(scope="module")
def receiver(tmp_path_factory):
    with open_receiver(tmp_path_factory.mktemp("receiver")) as receiver:
        yield receiver


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lines=lines, end=st.sampled_from([b"\r\n", b"\n"]))
def test_whatever_is_said_there_is_an_answer(receiver, transport, lines, end):
    def saying(visit):
        visit.shake_hands()
        visit.read_request()
        visit.send(end.join(lines))

    receiver.behaviours = [saying]

    answer = transport.send(Post(receiver.url(), (), b"{}", seconds=5))

    assert (answer.status_code is None) != (answer.error is None)
    assert answer.error in (None, "bad_answer", "connection_lost")
    assert answer.duration_ms < 4000
    assert len(answer.body) <= KEPT_BYTES


def test_what_comes_before_the_answer_is_not_the_answer(receiver, transport):
    def patient(visit):
        visit.shake_hands()
        visit.read_request()
        visit.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
        visit.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 2)
        visit.send(b"HTTP/1.1 429 X\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno")

    receiver.behaviours = [patient]

    answer = transport.send(Post(receiver.url(), (), b"{}", seconds=5))

    assert (answer.status_code, answer.error) == (429, None)
    assert (answer.retry_after, answer.body) == ("7", b"no")


def test_another_protocol_is_an_answer_as_nothing_follows_it(receiver, transport):
    def switching(visit):
        visit.shake_hands()
        visit.read_request()
        visit.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")

    receiver.behaviours = [switching]

    answer = transport.send(Post(receiver.url(), (), b"{}", seconds=5))

    assert (answer.status_code, answer.error) == (101, None)


@pytest.mark.parametrize("end", [Visit.reset, lambda visit: visit.connection.close()])
def test_an_answer_counts_though_the_request_was_not_read_to_its_end(
    receiver, transport, end
):
    def hasty(visit):
        visit.connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # answers come at once
        visit.shake_hands()
        visit.connection.recv(10)
        visit.send(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")
        end(visit)

    receiver.behaviours = [hasty]

    answer = transport.send(Post(receiver.url(), (), b"x" * 4_000_000, seconds=5))

    assert (answer.status_code, answer.error) == (410, None)
