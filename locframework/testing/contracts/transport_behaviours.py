"""What receivers do to a transport, as TransportContract tries it."""

import gzip
import ssl
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from locframework.testing.certificates import Authority
from locframework.testing.receiver import (
    HOST,
    Behaviour,
    Certify,
    Visit,
    closing,
    hanging,
    hanging_after_the_handshake,
    hanging_after_the_request,
    resetting,
    resetting_after_the_request,
    resetting_in_the_answer,
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


HANGING: tuple[Behaviour, ...] = (
    hanging,
    hanging_after_the_handshake,
    hanging_after_the_request,
)
ENDING: tuple[Behaviour, ...] = (
    closing,
    no_tls,
    old_tls,
    resetting,
    resetting_after_the_request,
    resetting_in_the_answer,
)

NOT_HTTP = (
    b"",
    b"\n",
    b"\0" * 100,
    b"220 mail.example.com ESMTP\r\n",
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"<html>hello</html>",
    b"HTTP/1.1\r\n\r\n",
    b"HTTP/1.1 OK 200\r\n\r\n",
    b"HTTP/1.1 99 No\r\n\r\n",
    b"HTTP/1.1 1000 No\r\n\r\n",
    b"HTTP/1.1 -200 OK\r\n\r\n",
    b"HTTP/2 200 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5",
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
    "signed by itself": lambda authority: authority.certificate(HOST, self_signed=True),
    "of an unknown authority": lambda authority: stranger_to(authority),
}


def stranger_to(authority: Authority) -> Path:
    """A good certificate of an authority that nobody knows."""
    folder = authority.ca_file.parent / "stranger"
    folder.mkdir()
    return Authority(folder).certificate(HOST)


GIGABYTE = 1 << 30
_MEGABYTE = 1 << 20
FLOODS: Mapping[str, tuple[bytes, bytes]] = {  # what comes first, and then again
    "a gigabyte": (
        _OK + b"Content-Length: 1073741824\r\n\r\n",
        b"a" * _MEGABYTE,
    ),
    "a length beyond all memory": (
        _OK + b"Content-Length: 99999999999999999999\r\n\r\n",
        b"a" * _MEGABYTE,
    ),
    "a body without end": (_OK + b"\r\n", b"a" * _MEGABYTE),
    "chunks without end": (_CHUNKED, _CHUNK * 1024),
    "a chunk beyond all memory": (_CHUNKED + b"fffffffff\r\n", b"a" * _MEGABYTE),
    "a chunk below zero": (_CHUNKED + b"-5\r\n", b"a" * _MEGABYTE),
    "headers without end": (_OK, (b"X-A: " + b"a" * 1000 + b"\r\n") * 1024),
    "a header without end": (_OK + b"X-A: ", b"a" * _MEGABYTE),
    "a status without end": (b"HTTP/1.1 200 ", b"a" * _MEGABYTE),
    "words in between without end": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 40_000),
}
