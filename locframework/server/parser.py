"""Reads requests as waitress does, and refuses those that can be read in two ways."""

import re

from locframework.errors import truncate

from .waitress_parts import (
    BadRequest,
    ChunkedReceiver,
    HTTPRequestParser,
    ParsingError,
)

_FRAMING = re.compile(
    rb"\r\n(host|content-length|transfer-encoding):[ \t]*([^\r]*)", re.IGNORECASE
)
_VERSION = re.compile(rb"[^\r]* HTTP/1\.([01])[ \t]*\r\n")
_HOST = re.compile(rb"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
_FOLDED = re.compile(rb"\r\n[ \t]")
# Waitress matches the blanks before a value in quadratic time: 16 KiB of them, with
# a control character behind, held the whole server for 0.8 s.
_MANY_BLANKS = re.compile(rb":[ \t]{64}")
_LENGTH_DIGITS = 15


class StrictParser(HTTPRequestParser):  # type: ignore[misc]
    """One request. Answers 400 and closes where RFC 9112 says so."""

    def parse_header(self, head: bytes) -> None:
        """Takes request line and header fields. Raises ParsingError."""
        refuse_ambiguous(head)
        try:
            super().parse_header(head)
        except ValueError as error:  # of urlsplit, for "http://["
            raise ParsingError("the request target cannot be read") from error

    def received(self, data: bytes) -> int:
        """Takes the next bytes; returns how many of them belong to this request."""
        taken: int = super().received(data)
        self._bound_chunk_lines()
        if self.completed:
            # Else waitress sends 100 Continue and takes it for unfinished again.
            self.expect_continue = False
        if self.error is not None:
            self.error.body = truncate(self.error.body)
        return taken

    def _bound_chunk_lines(self) -> None:
        """Waitress has no limit here, and copies the line with every read."""
        body = self.body_rcv
        most = self.adj.max_request_header_size
        if isinstance(body, ChunkedReceiver) and (
            len(body.control_line) > most or len(body.trailer) > most
        ):
            self.error = BadRequest("a chunk's size line or the trailer is too long")
            self.completed = True


def refuse_ambiguous(head: bytes) -> None:
    """Raises ParsingError for a request whose framing or host is not certain.

    Source: RFC 9112, 2.2, 3.2, 5.2, 6.1 and 6.3.
    """
    head = head.lstrip()
    version = _VERSION.match(head)
    if version is None:
        raise ParsingError("only HTTP/1.0 and HTTP/1.1 are served")
    if _FOLDED.search(head) or _MANY_BLANKS.search(head):
        raise ParsingError("folded or blank-filled header fields are refused")
    is_1_1 = version[1] == b"1"
    hosts, lengths, encodings = _framing(head)
    if encodings and (lengths or not is_1_1):
        raise ParsingError("Transfer-Encoding beside Content-Length, or in HTTP/1.0")
    if len(encodings) > 1 or len(lengths) > 1:
        raise ParsingError("more than one Content-Length or Transfer-Encoding")
    # Waitress reads no body then, and takes what there is of one for a request.
    if any(not value.strip(b", \t") for value in encodings):
        raise ParsingError("Transfer-Encoding is empty")
    if any(len(length) > _LENGTH_DIGITS for length in lengths):
        raise ParsingError("Content-Length is too long")
    if len(hosts) > 1 or (is_1_1 and not hosts):
        raise ParsingError("exactly one Host is needed")
    if any(_HOST.fullmatch(host) is None for host in hosts):
        raise ParsingError("Host is invalid")


def _framing(head: bytes) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The values of Host, Content-Length and Transfer-Encoding."""
    found: dict[bytes, list[bytes]] = {}
    for name, value in _FRAMING.findall(head):
        found.setdefault(name.lower(), []).append(value.rstrip(b" \t"))
    return (
        found.get(b"host", []),
        found.get(b"content-length", []),
        found.get(b"transfer-encoding", []),
    )
