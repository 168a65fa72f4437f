"""The contract of the port Transport; clauses as in docs/internals/contracts.md."""

import gzip
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, get_args

import pytest
from msgspec import Struct

from locframework.errors import UrlNotAllowed
from locframework.outgoing.client import SendError
from locframework.testing.certificates import Authority
from locframework.testing.receiver import (
    HOST,
    NETWORK,
    Behaviour,
    Certify,
    Receiver,
    Visit,
    answering,
    closing,
    flooding,
    hanging_after_the_handshake,
    open_receiver,
    resetting_in_the_answer,
    saying,
    trickling,
)
from locframework.webhooks.records import KEPT_BYTES, Answer, Post
from locframework.webhooks.transport import Transport

# URLs that no transport may follow. ``{port}`` is the port of a listener on loopback,
# which the transport may use: only the address is between the URL and the listener.

SPELLINGS_OF_LOOPBACK = (
    *("localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.0.0.1."),
    *("127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "0177.0.0.1"),
    *("0177.1", "00000177.0.0.01", "0x7f.0.0.1", "0x7f.1", "0X7F.0x0.0x0.0x1"),
    *("0x7f000001", "0x7F000001", "017700000001", "2130706433", "02130706433"),
    *("0", "0.0.0.0", "0x0", "00", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]"),
    *("[0000:0000:0000:0000:0000:0000:0000:0001]", "[::127.0.0.1]"),
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]"),
    *("[::ffff:0:127.0.0.1]", "[::1%25lo]", "[::1%lo]", "::1", "①②⑦.⓪.⓪.①"),
    *("127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "１２７.０.０.１", "ⓛocalhost"),
    *("ⓁⓄⒸⒶⓁⒽⓄⓈⓉ", "ｌｏｃａｌｈｏｓｔ", "localhoſt", "loc\u00adalhost"),
    *("local\u200bhost", "%6c%6f%63%61%6c%68%6f%73%74", "%31%32%37.0.0.1"),
    "127.0.0.1%00.example.com",
)

NOT_PUBLIC_ADDRESSES = (
    # the first and the last of each special range of IPv4
    *("0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255"),
    *("100.64.0.0", "100.127.255.255", "100.100.100.200"),
    *("168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.170.2"),
    *("169.254.255.255", "172.16.0.0", "172.31.255.255"),
    *("192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.0.255"),
    *("192.0.2.0", "192.0.2.255", "192.31.196.1", "192.52.193.1"),
    *("192.88.99.0", "192.88.99.1", "192.88.99.255"),
    *("192.168.0.0", "192.168.255.255", "192.175.48.1"),
    *("198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255"),
    *("203.0.113.0", "203.0.113.255", "224.0.0.0", "224.0.0.1", "239.255.255.255"),
    *("240.0.0.0", "255.255.255.254", "255.255.255.255"),
    # and of IPv6
    *("[::2]", "[::10.0.0.1]", "[::8.8.8.8]", "[::ffff:8.8.8.8]"),
    *("[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:0:8.8.8.8]"),
    *("[64:ff9b::8.8.8.8]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]"),
    *("[64:ff9b:1::1]", "[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]"),
    *("[100::1]", "[100:0:0:1::1]", "[200::1]", "[400::1]", "[1000::1]"),
    *("[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]"),
    *("[2001:1::1]", "[2001:2::1]", "[2001:3::1]", "[2001:4:112::1]"),
    *("[2001:10::1]", "[2001:20::1]", "[2001:30::1]", "[2001:1ff::1]"),
    *("[2001:db8::]", "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]"),
    *("[2002::1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2002:808:808::1]"),
    *("[2620:4f:8000::1]", "[3ffe::1]", "[3fff::1]", "[3fff:fff::1]"),
    *("[4000::1]", "[5f00::1]", "[6000::1]", "[8000::1]", "[c000::1]", "[e000::1]"),
    *("[f000::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[fdff::1]"),
    *("[fe80::1]", "[fe80::a9fe:a9fe]", "[febf::1]", "[fec0::1]", "[feff::1]"),
    *("[ff00::1]", "[ff02::1]", "[ff05::2]", "[ff0e::1]"),
)

# What another reader of URLs may see another host in. 1.1.1.1 is public.
AMBIGUOUS = (
    *("https://1.1.1.1\\@127.0.0.1:{port}/", "https://1.1.1.1\\.127.0.0.1:{port}/"),
    *("https:\\\\127.0.0.1:{port}/", "https://127.0.0.1:{port}\\@1.1.1.1/"),
    *("https://1.1.1.1@127.0.0.1:{port}/", "https://1.1.1.1:443@127.0.0.1:{port}/"),
    *("https://user:password@127.0.0.1:{port}/", "https://@127.0.0.1:{port}/"),
    *("https://:@127.0.0.1:{port}/", "https://1.1.1.1%40127.0.0.1:{port}/"),
    *("https://1.1.1.1#@127.0.0.1:{port}/", "https://127.0.0.1:{port}#@1.1.1.1/"),
    *("https://127.0.0.1:{port}?@1.1.1.1/", "https://1.1.1.1 @127.0.0.1:{port}/"),
    *("https://127.0.0.1:{port} @1.1.1.1/", "https://127.0.0.1\t:{port}/"),
    *("https://127.0.\n0.1:{port}/", "https://127.0.0.1:{port}\r\n/"),
    *("https://127.0.0.1\0:{port}/", "https://127.0.0.1\x7f:{port}/"),
    *("https://127.0.0.1\u2028:{port}/", "https://127.0.0.1:\u0661{port}/"),
    *("\thttps://127.0.0.1:{port}/", "https://127.0.0.1:{port}/\r\nX-Injected: yes"),
    *("https://127.0.0.1:{port}/ HTTP/1.1\r\nX-Injected: yes", "https://[]:{port}/"),
    *("https://127.0.0.1:{port}:443/", "https://127.0.0.1:443:{port}/"),
    *("https://127.0.0.1:0{port}/", "https://127.0.0.1:+{port}/"),
    *("https://127.0.0.1:{port}.0/", "https://127.0.0.1:-1/"),
    *("https://127.0.0.1:65536/", "https://127.0.0.1:99999999999999999999/"),
    *("https://1.1.1.1,127.0.0.1:{port}/", "https://1.1.1.1;127.0.0.1:{port}/"),
    *("https://[1.1.1.1]@127.0.0.1:{port}/", "https://[::1]1.1.1.1:{port}/"),
    *("https://[127.0.0.1]:{port}/", "https://[::1:{port}/", "https://::1]:{port}/"),
    "https://{{127.0.0.1}}:{port}/",
    *("https://$(hostname):{port}/", "https://*:{port}/", "https://..:{port}/"),
    *("https://127.0.0.1..:{port}/", "https://-localhost:{port}/", "https://:{port}/"),
    *("https:///127.0.0.1:{port}/", "https:127.0.0.1:{port}/"),
    *("https:/127.0.0.1:{port}/", "//127.0.0.1:{port}/", "127.0.0.1:{port}", "/", ""),
    *("http://127.0.0.1:{port}/", "ftp://127.0.0.1:{port}/", "file:///etc/passwd"),
    *("gopher://127.0.0.1:{port}/_GET", "https+unix://127.0.0.1:{port}/"),
    *("unix:/var/run/docker.sock", "data:text/plain,hello"),
    *("jar:https://127.0.0.1:{port}/!/", "https://" + "a" * 300 + ":{port}/"),
    "https://" + "a." * 200 + "1:{port}/",
    "https://127.0.0.1:{port}/" + "a" * 100_000,
)

VECTORS = (
    *(f"https://{host}:{{port}}/hook" for host in SPELLINGS_OF_LOOPBACK),
    *(f"https://{host}:{{port}}/hook" for host in NOT_PUBLIC_ADDRESSES),
    *AMBIGUOUS,
)

STATUSES = (200, 201, 202, 204, 299, 304, 400, 401, 404, 410, 413, 429, 500, 503, 599)
REDIRECTS = (300, 301, 302, 303, 305, 307, 308)
RETRY_AFTERS = (
    *("0", "10", "3600", "864000", "-1", "1.5", "1e9", "soon", "10, 20", "9" * 100),
    *("Fri, 31 Dec 1999 23:59:59 GMT", "Sat, 01 Jan 2101 00:00:00 GMT"),
    "Friday, 31-Dec-99 23:59:59 GMT",
)

_BOMB = gzip.compress(b"\0" * 5_000_000)
_CHUNK = b"400\r\n" + b"b" * 0x400 + b"\r\n"
_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
BODIES: Mapping[str, tuple[bytes, bytes]] = {  # the answer, and the body that is in it
    "short": (_OK + b"Content-Length: 5\r\n\r\nhello", b"hello"),
    "none": (_OK + b"Content-Length: 0\r\n\r\n", b""),
    "long": (_OK + b"Content-Length: 2000\r\n\r\n" + b"a" * 2000, b"a" * 2000),
    "every byte": (_OK + b"\r\n" + bytes(range(256)), bytes(range(256))),
    "without a length": (_OK + b"\r\nhello", b"hello"),
    "of an older HTTP": (b"HTTP/1.0 200 OK\r\n\r\nhello", b"hello"),
    "in chunks": (_CHUNKED + b"5\r\nhello\r\n2;x=y\r\nyo\r\n0\r\n\r\n", b"helloyo"),
    "in long chunks": (_CHUNKED + _CHUNK * 8, b"b" * 8192),
    "cut": (_OK + b"Content-Length: 500\r\n\r\nhello", b"hello"),
    "in chunks that are none": (_CHUNKED + b"ZZ\r\nhello", b""),
    "a bomb": (_OK + b"Content-Encoding: gzip\r\n\r\n" + _BOMB, _BOMB),
    "after a word in between": (
        b"HTTP/1.1 100 Continue\r\n\r\n" + _OK + b"Content-Length: 1\r\n\r\na",
        b"a",
    ),
}


def old_tls(visit: Visit) -> None:
    """Speaks TLS 1.1 and nothing newer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(visit.receiver.certificate)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    visit.shake_hands(context)


def no_tls(visit: Visit) -> None:
    """Answers in plain HTTP, as a web server does that listens on another port."""
    visit.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


HANGING = (Visit.wait, hanging_after_the_handshake, saying(b"", Visit.wait))
ENDING: tuple[Behaviour, ...] = (
    closing,
    no_tls,
    old_tls,
    Visit.reset,
    saying(b"", Visit.reset),
    resetting_in_the_answer,
)

NOT_HTTP = (
    *(b"", b"\n", b"\0" * 100, b"220 mail.example.com ESMTP\r\n"),
    *(b"SSH-2.0-OpenSSH_9.6\r\n", b"<html>hello</html>", b"HTTP/1.1\r\n\r\n"),
    *(b"HTTP/1.1 OK 200\r\n\r\n", b"HTTP/1.1 99 No\r\n\r\n"),
    *(b"HTTP/1.1 1000 No\r\n\r\n", b"HTTP/1.1 -200 OK\r\n\r\n"),
    *(b"HTTP/2 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5"),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)

HOUR = timedelta(hours=1)
CERTIFICATES: Mapping[str, Certify] = {
    "expired": lambda authority: authority.certificate(
        HOST, begins=-3 * HOUR, ends=-2 * HOUR
    ),
    "not valid yet": lambda authority: authority.certificate(HOST, begins=2 * HOUR),
    "of another address": lambda authority: authority.certificate("127.0.0.2"),
    "of another name": lambda authority: authority.certificate("example.com"),
    "of the address as a name": lambda authority: authority.certificate(f"{HOST}.com"),
    "of an unknown authority": lambda authority: stranger_to(authority),
}


def stranger_to(authority: Authority) -> Path:
    """A good certificate of an authority that nobody knows."""
    folder = authority.ca_file.parent / "stranger"
    folder.mkdir()
    return Authority(folder).certificate(HOST)


GIGABYTE = 1 << 30
_LONG = b"a" * (1 << 20)
FLOODS: Mapping[str, tuple[bytes, bytes]] = {  # what comes first, and then again
    "a gigabyte": (_OK + b"Content-Length: 1073741824\r\n\r\n", _LONG),
    "a length beyond all memory": (_OK + b"Content-Length: %d\r\n\r\n" % 10**20, _LONG),
    "a body without end": (_OK + b"\r\n", _LONG),
    "chunks without end": (_CHUNKED, _CHUNK * 1024),
    "a chunk beyond all memory": (_CHUNKED + b"fffffffff\r\n", _LONG),
    "a chunk below zero": (_CHUNKED + b"-5\r\n", _LONG),
    "headers without end": (_OK, (b"X-A: " + b"a" * 1000 + b"\r\n") * 1024),
    "a header without end": (_OK + b"X-A: ", _LONG),
    "a status without end": (b"HTTP/1.1 200 ", _LONG),
    "words in between without end": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 40_000),
}

HEADERS = (
    ("webhook-id", "msg_1"),
    ("webhook-timestamp", "1700000000"),
    ("webhook-signature", "v1,aaaa v1,bbbb"),
    ("content-type", "application/json"),
    ("user-agent", "contract"),
)
BODY = '{"type":"key.created","data":{"name":"Größe 😀"}}'.encode()
POSTS = {
    "JSON": BODY,
    "nothing": b"",
    "every byte": bytes(range(256)),
    "line breaks": b"\r\n\n\r.\r\n",
    "a megabyte": b"12345678" * 131_072,
}
NO_URLS = {
    "nothing": "",
    "a word": "hooks",
    "a path": "/hooks",
    "a file": "file:///etc/passwd",
    "a script": "javascript:alert(1)",
    "data": "data:text/plain,hello",
    "a place of this machine": "http://127.0.0.1:1/hook",
    "metadata of a cloud": "http://169.254.169.254/latest/meta-data/",
    "a line break": "https://example.com/\r\nX-Injected: yes",
    "a NUL": "https://example.com/\0",
    "a lone surrogate": "https://example.com/\ud800",
    "a long one": "https://example.com/" + "a" * 100_000,
}
OLD_TLS = pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
SECONDS = 0.5  # for receivers that never end
LATE_SECONDS = 1.0  # how much later than that an answer may come


class Allowed(Struct, frozen=True):
    """What a transport under test may reach and trust, beside what it always may."""

    networks: tuple[str, ...]
    ports: tuple[int, ...]
    ca_file: str


OpenTransport = Callable[[Allowed], Transport]
Headers = tuple[tuple[str, str], ...]
Try = Callable[..., tuple[Answer, Receiver]]


def post(url: str, seconds: float = 10) -> Post:
    """An attempt as the framework makes it."""
    return Post(url, HEADERS, BODY, seconds)


def allowing(receiver: Receiver) -> Allowed:
    """What leads to the receiver."""
    return Allowed((NETWORK,), (receiver.port,), receiver.ca_file)


@contextmanager
def listener_for_nobody() -> Iterator[int]:
    """The port of a listener on every address of this machine; nobody may come."""
    with socket.create_server(
        ("::", 0), family=socket.AF_INET6, dualstack_ipv6=True
    ) as listener:
        listener.setblocking(False)
        yield listener.getsockname()[1]
        with pytest.raises(BlockingIOError):
            listener.accept()


@contextmanager
def full_listener() -> Iterator[int]:
    """The port of a listener whose queue is full: it takes no connection."""
    with ExitStack() as stack:
        listener = socket.create_server(("127.0.0.1", 0), backlog=0)
        address = stack.enter_context(listener).getsockname()
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        yield address[1]


def leftovers() -> tuple[int, int]:
    """How many threads and open files this process has."""
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds within some seconds."""
    ends = time.monotonic() + 5
    while not holds() and time.monotonic() < ends:
        time.sleep(0.02)
    return holds()


def check_answer(answer: Answer) -> None:
    """Fail unless the answer is one as the port describes it."""
    assert isinstance(answer, Answer), f"send returned {answer!r}"
    is_error = answer.error is not None
    has_status = answer.status_code is not None
    assert is_error != has_status, f"expected a status or an error, came {answer}"
    assert answer.error is None or answer.error in get_args(SendError), answer.error
    assert answer.status_code is None or answer.status_code in range(100, 1000)
    assert type(answer.duration_ms) is int, f"duration_ms is {answer.duration_ms!r}"
    assert answer.duration_ms >= 0
    assert len(answer.body) <= KEPT_BYTES
    kept = answer.retry_after or ""
    assert kept.isascii()
    assert kept == "" or kept.isprintable()
    assert len(kept) <= 100


class Place(Struct, frozen=True):
    """A transport, a URL that it may send to, and what has arrived there."""

    transport: Transport
    url: str
    delivered: Callable[[], list[tuple[Headers, bytes]]]
    """The headers and the body of each post, the first first. The transport may add
    headers."""


class TransportContract:
    """Subclass it as ``Test…`` and give the fixtures; see docs/internals/contracts.md.
    ``place`` is somewhere to send to, such as a queue. ``broken_place`` is one that
    cannot be reached, or never answers; for a transport that always reaches it,
    ``unbreakable`` says why. Subclass HttpsTransportContract for one that
    sends HTTPS itself."""

    unbreakable: ClassVar[str | None] = None

    @pytest.fixture
    def place(self) -> Place | Iterator[Place]:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture place")

    @pytest.fixture
    def broken_place(self) -> Place | Iterator[Place]:
        """Give this one, or set ``unbreakable``."""
        if self.unbreakable:
            pytest.skip(self.unbreakable)
        raise NotImplementedError("give the fixture broken_place, or set unbreakable")

    def test_t1_the_transport_has_a_plain_name(self, place: Place) -> None:
        name = place.transport.name

        assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
        assert place.transport.name == name

    @pytest.mark.parametrize("body", POSTS.values(), ids=POSTS.keys())
    def test_t2_a_post_arrives_once_as_it_was(self, place: Place, body: bytes) -> None:
        began = time.monotonic()
        answer = place.transport.send(Post(place.url, HEADERS, body, 10))
        took_ms = (time.monotonic() - began) * 1000

        check_answer(answer)
        assert answer.error is None
        assert answer.duration_ms <= took_ms + 1
        assert eventually(lambda: len(place.delivered()) > 0), "nothing has arrived"
        [(headers, arrived)] = place.delivered()
        assert [each for each in headers if each in HEADERS] == list(HEADERS)
        assert arrived == body

    def test_t3_posts_arrive_in_their_order_each_for_itself(self, place: Place) -> None:
        bodies = [b"%d" % number for number in range(5)]
        for number, body in enumerate(bodies):
            headers = (("webhook-id", f"msg_{number}"),)
            answer = place.transport.send(Post(place.url, headers, body, 10))
            check_answer(answer)

        assert eventually(lambda: len(place.delivered()) == len(bodies))
        arrived = place.delivered()
        assert [body for _, body in arrived] == bodies
        ids = [
            value for some, _ in arrived for name, value in some if name == "webhook-id"
        ]
        assert ids == [f"msg_{number}" for number in range(5)]

    def test_t4_checking_a_url_sends_nothing(self, place: Place) -> None:
        place.transport.check_url(place.url)

        assert place.delivered() == []

    @pytest.mark.parametrize("url", NO_URLS.values(), ids=NO_URLS.keys())
    def test_t5_what_is_no_url_for_it_is_refused(self, place: Place, url: str) -> None:
        with pytest.raises(UrlNotAllowed, match=r"\w"):
            place.transport.check_url(url)
        answer = place.transport.send(post(url))

        check_answer(answer)
        assert answer.error in ("url_not_allowed", "no_public_address")
        assert place.delivered() == []

    def test_t6_a_place_out_of_reach_is_an_error_in_time(
        self, broken_place: Place
    ) -> None:
        began = time.monotonic()
        answer = broken_place.transport.send(post(broken_place.url, SECONDS))
        took = time.monotonic() - began

        check_answer(answer)
        assert answer.error, f"expected an error, not the status {answer.status_code}"
        assert took < SECONDS + LATE_SECONDS
        assert answer.duration_ms <= took * 1000 + 1

    def test_t7_many_threads_send_at_once_and_leave_nothing_behind(
        self, place: Place
    ) -> None:
        check_answer(place.transport.send(Post(place.url, HEADERS, b"first", 10)))
        assert eventually(lambda: len(place.delivered()) == 1)
        before = leftovers()
        posts = [
            Post(place.url, (("webhook-id", f"msg_{n}"),), b"%d" % n, 10)
            for n in range(24)
        ]
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(place.transport.send, posts))

        for answer in answers:
            check_answer(answer)
            assert answer.error is None
        assert eventually(lambda: len(place.delivered()) == 25)
        arrived = [
            (value, body)
            for headers, body in place.delivered()[1:]
            for name, value in headers
            if name == "webhook-id"
        ]
        assert sorted(arrived) == sorted((f"msg_{n}", b"%d" % n) for n in range(24))
        assert eventually(lambda: leftovers() <= before), (before, leftovers())


class HttpsTransportContract(TransportContract):
    """Also what a transport has to keep that sends HTTPS itself. ``open_transport``
    gives a transport that may reach some networks and ports, and trusts one more
    authority, as an operator would set it. The other fixtures are made of it."""

    @pytest.fixture
    def open_transport(self) -> OpenTransport:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture open_transport")

    @pytest.fixture
    def place(self, open_transport: OpenTransport, tmp_path: Path) -> Iterator[Place]:
        """A receiver on this machine."""
        with open_receiver(tmp_path) as receiver:

            def delivered() -> list[tuple[Headers, bytes]]:
                return [(each.headers, each.body) for each in receiver.received]

            transport = open_transport(allowing(receiver))
            yield Place(transport, receiver.url(), delivered)

    @pytest.fixture
    def broken_place(
        self, open_transport: OpenTransport, tmp_path: Path
    ) -> Iterator[Place]:
        """A receiver that never answers."""
        folder = tmp_path / "broken"
        folder.mkdir()
        with open_receiver(folder, hanging_after_the_handshake) as receiver:
            transport = open_transport(allowing(receiver))
            yield Place(transport, receiver.url(), list)

    @pytest.fixture
    def visit(self, open_transport: OpenTransport, tmp_path: Path) -> Iterator[Try]:
        """Makes one attempt at a receiver that behaves as told."""
        with ExitStack() as stack:

            def visit(
                behave: Behaviour,
                seconds: float = 10,
                certificate: Certify | None = None,
            ) -> tuple[Answer, Receiver]:
                receiver = stack.enter_context(
                    open_receiver(tmp_path, behave, certificate=certificate)
                )
                transport = open_transport(allowing(receiver))
                return transport.send(post(receiver.url(), seconds)), receiver

            yield visit

    @pytest.mark.parametrize("path", ["/", "/hook", "/a/b?c=d&e=%20f", "/%2e%2e/?a?b"])
    def test_h1_what_was_given_arrives_as_it_was(
        self, open_transport: OpenTransport, tmp_path: Path, path: str
    ) -> None:
        with open_receiver(tmp_path) as receiver:
            transport = open_transport(allowing(receiver))
            transport.check_url(receiver.url(path))
            assert receiver.connections == 0
            transport.send(post(receiver.url(path)))

        [received] = receiver.received
        assert (received.method, received.path) == ("POST", path)
        assert received.body == BODY
        assert [each for each in received.headers if each in HEADERS] == list(HEADERS)
        assert received.header("host") == f"127.0.0.1:{receiver.port}"
        assert received.header("content-length") == str(len(BODY))
        assert received.header("connection") == "close"
        assert received.header("accept-encoding") in (None, "identity")
        others = {name.lower() for name, _ in received.headers}
        others -= {name for name, _ in HEADERS}
        assert others <= {"host", "content-length", "connection", "accept-encoding"}

    @pytest.mark.parametrize("status", STATUSES)
    def test_h2_every_status_is_an_answer(self, visit: Try, status: int) -> None:
        answer, receiver = visit(answering(status))

        assert (answer.status_code, answer.error) == (status, None)
        assert 0 <= answer.duration_ms < 10_000
        assert len(receiver.received) == 1

    @pytest.mark.parametrize("told", RETRY_AFTERS)
    def test_h3_retry_after_comes_back_as_it_was(self, visit: Try, told: str) -> None:
        answer, _ = visit(answering(429, [("Retry-After", told)]))

        assert (answer.status_code, answer.retry_after) == (429, told)

    @pytest.mark.parametrize("told", ["soon\xff", "a" * 5000, "\x01"])
    def test_h3_what_could_not_be_shown_of_it_is_left_out(
        self, visit: Try, told: str
    ) -> None:
        answer, _ = visit(answering(503, [("Retry-After", told)]))

        assert answer.status_code == 503
        kept = answer.retry_after or ""
        assert kept.isascii()
        assert kept == "" or kept.isprintable()
        assert len(kept) <= 100

    @pytest.mark.parametrize("name", BODIES)
    def test_h4_the_first_kilobyte_of_the_body_is_kept(
        self, visit: Try, name: str
    ) -> None:
        raw, body = BODIES[name]

        answer, _ = visit(saying(raw))

        assert answer.status_code == 200
        assert answer.body == body[:KEPT_BYTES]

    @pytest.mark.parametrize("status", REDIRECTS)
    def test_h5_a_redirect_is_an_answer_and_is_not_followed(
        self, visit: Try, status: int, tmp_path: Path
    ) -> None:
        (tmp_path / "other").mkdir()
        with open_receiver(tmp_path / "other") as other:
            answer, receiver = visit(answering(status, [("Location", other.url())]))

        assert answer.status_code == status
        assert (receiver.connections, other.connections) == (1, 0)

    @pytest.mark.parametrize("behaviour", HANGING)
    def test_h6_a_receiver_that_never_answers_is_left_in_time(
        self, visit: Try, behaviour: Behaviour
    ) -> None:
        began = time.monotonic()

        answer, receiver = visit(behaviour, seconds=SECONDS)

        assert (answer.status_code, answer.error) == (None, "timeout")
        assert time.monotonic() - began < SECONDS + LATE_SECONDS
        assert answer.duration_ms >= SECONDS * 1000 - 100
        assert receiver.connections == 1

    def test_h6_so_is_one_that_takes_no_connection(
        self, open_transport: OpenTransport, tmp_path: Path
    ) -> None:
        with open_receiver(tmp_path) as receiver, full_listener() as port:
            allowed = Allowed((NETWORK,), (port,), receiver.ca_file)
            transport = open_transport(allowed)
            answer = transport.send(post(f"https://127.0.0.1:{port}/", SECONDS))

        assert answer.error == "timeout"
        assert answer.duration_ms < (SECONDS + LATE_SECONDS) * 1000

    def test_h7_headers_byte_by_byte_do_not_win_time(self, visit: Try) -> None:
        behaviour = trickling(b"HTTP/1.1 200 OK\r\n", b"X-A: a\r\n" * 100, 0.05)

        answer, _ = visit(behaviour, seconds=SECONDS)

        assert (answer.status_code, answer.error) == (None, "timeout")
        assert answer.duration_ms < (SECONDS + LATE_SECONDS) * 1000

    @pytest.mark.parametrize("rest", [b"a" * 100, b""])
    def test_h7_a_body_that_never_ends_does_not_change_the_status(
        self, visit: Try, rest: bytes
    ) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nfirst"

        answer, _ = visit(trickling(head, rest, 0.05), seconds=SECONDS)

        assert (answer.status_code, answer.error) == (200, None)
        assert answer.body.startswith(b"first")
        assert answer.duration_ms < (SECONDS + LATE_SECONDS) * 1000

    @OLD_TLS
    @pytest.mark.parametrize("behaviour", ENDING)
    def test_h8_a_connection_that_ends_too_soon_is_an_error(
        self, visit: Try, behaviour: Behaviour
    ) -> None:
        answer, _ = visit(behaviour)

        assert answer.status_code is None
        assert answer.error in ("connection_lost", "tls_failed", "connection_failed")
        assert answer.duration_ms < 5000

    def test_h8_a_port_where_nobody_listens_is_told(
        self, open_transport: OpenTransport, tmp_path: Path
    ) -> None:
        with open_receiver(tmp_path) as receiver:
            transport = open_transport(allowing(receiver))

        answer = transport.send(post(receiver.url()))

        assert (answer.status_code, answer.error) == (None, "connection_refused")

    @pytest.mark.parametrize("said", NOT_HTTP)
    def test_h9_what_is_not_http_is_an_error(self, visit: Try, said: bytes) -> None:
        answer, _ = visit(saying(said))

        assert answer.status_code is None
        assert answer.error in ("bad_answer", "connection_lost")

    @pytest.mark.parametrize("certify", CERTIFICATES.values(), ids=CERTIFICATES.keys())
    def test_h10_a_certificate_that_is_not_good_ends_it(
        self, visit: Try, certify: Certify
    ) -> None:
        answer, receiver = visit(answering(204), certificate=certify)

        assert (answer.status_code, answer.error) == (None, "tls_failed")
        assert receiver.received == []

    @pytest.mark.parametrize(("at_once", "again"), FLOODS.values(), ids=FLOODS.keys())
    def test_h11_no_more_is_read_than_anybody_needs(
        self, visit: Try, at_once: bytes, again: bytes
    ) -> None:
        answer, receiver = visit(flooding(at_once, again, GIGABYTE // len(again)))

        assert answer.duration_ms < 5000
        assert len(answer.body) <= KEPT_BYTES
        assert receiver.sent_bytes < GIGABYTE // 16  # what the system's buffers take
        if b"\r\n\r\n" in at_once:
            assert (answer.status_code, answer.error) == (200, None)
        else:
            assert (answer.status_code, answer.error) == (None, "bad_answer")

    @pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
    def test_h12_nothing_but_the_public_internet_is_connected_to(
        self, open_transport: OpenTransport, tmp_path: Path, vector: str
    ) -> None:
        ca_file = str(Authority(tmp_path).ca_file)
        with listener_for_nobody() as port:
            url = vector.format(port=port)
            transport = open_transport(Allowed((), (443, port), ca_file))
            with pytest.raises(UrlNotAllowed, match=r"\w"):
                transport.check_url(url)
            answer = transport.send(post(url))

        assert answer.status_code is None
        assert answer.error in ("url_not_allowed", "no_public_address")

    def test_h13_only_the_ports_that_are_set_are_connected_to(
        self, open_transport: OpenTransport, tmp_path: Path
    ) -> None:
        with open_receiver(tmp_path) as receiver:
            allowed = Allowed((NETWORK,), (443, 1), receiver.ca_file)
            transport = open_transport(allowed)
            with pytest.raises(UrlNotAllowed):
                transport.check_url(receiver.url())
            answer = transport.send(post(receiver.url()))

        assert (answer.error, receiver.connections) == ("url_not_allowed", 0)

    def test_h14_the_environment_changes_nothing(
        self,
        open_transport: OpenTransport,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        (tmp_path / "other").mkdir()
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login anna password secret")
        monkeypatch.setenv("NETRC", str(netrc))
        with open_receiver(tmp_path) as receiver, listener_for_nobody() as proxy:
            address = f"http://127.0.0.1:{proxy}"
            for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, address)
                monkeypatch.setenv(name.lower(), address)
            transport = open_transport(allowing(receiver))
            answer = transport.send(post(receiver.url()))
            with open_receiver(tmp_path / "other") as other:
                monkeypatch.setenv("SSL_CERT_FILE", other.ca_file)
                ports = (receiver.port, other.port)
                allowed = Allowed((NETWORK,), ports, receiver.ca_file)
                refused = open_transport(allowed).send(post(other.url()))

        assert answer.status_code == 204
        assert receiver.received[0].header("authorization") is None
        assert refused.error == "tls_failed"

    @OLD_TLS
    def test_h15_many_threads_send_at_once_and_leave_nothing_behind(
        self, open_transport: OpenTransport, tmp_path: Path
    ) -> None:
        behaviours = [*ENDING, *HANGING, answering(200), answering(410)] * 4
        with open_receiver(tmp_path, *behaviours) as receiver:
            transport = open_transport(allowing(receiver))
            transport.send(post(receiver.url(), SECONDS))
            before = leftovers()
            with ThreadPoolExecutor(12) as pool:
                tries = [
                    pool.submit(transport.send, post(receiver.url(), SECONDS))
                    for _ in behaviours
                ]
            answers = [tried.result() for tried in tries]

        assert all(
            (each.error is None) != (each.status_code is None) for each in answers
        )
        assert eventually(lambda: leftovers() <= before), (before, leftovers())
