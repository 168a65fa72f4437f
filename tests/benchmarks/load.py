"""Asks a server over and over on connections that stay open; prints what came of it.

Arguments: port, connections, seconds, and the request as JSON text. Each connection
has one request on its way at any time. Prints JSON: answers a second, the statuses met,
and the length of the last body. One thread and no parsing beyond Content-Length, to
leave the processors to the server. A connection that the server closes is opened anew.
"""

import json
import re
import selectors
import socket
import sys
import time
from contextlib import suppress

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Asker:
    """One connection."""

    def __init__(self, port: int, request: bytes) -> None:
        self._port = port
        self._request = request
        self.connect()
        self.ask()

    def connect(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self._port), 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self) -> None:
        self._answer = b""
        with suppress(ConnectionError):  # the end is heard next
            self.socket.sendall(self._request)

    def hear(self) -> tuple[int, int] | None:
        """The status and the body's length, once the answer is there."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise EOFError
        self._answer += part
        head = self._answer.find(b"\r\n\r\n")
        if head < 0:
            return None
        found = _LENGTH.search(self._answer, 0, head)
        length = int(found[1]) if found else 0
        if len(self._answer) - head - 4 < length:
            return None
        return int(self._answer[9:12]), length


def main() -> None:
    port, connections, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    request = json.loads(sys.argv[4]).encode()
    statuses: set[int] = set()
    answers = length = 0
    with selectors.DefaultSelector() as selector:
        for _ in range(connections):
            asker = Asker(port, request)
            selector.register(asker.socket, selectors.EVENT_READ, asker)
        now = begun = time.perf_counter()
        while now - begun < seconds:
            for key, _ in selector.select(1):
                try:
                    answer = key.data.hear()
                except (EOFError, ConnectionError):  # closed after the answer
                    selector.unregister(key.data.socket)
                    key.data.socket.close()
                    key.data.connect()
                    selector.register(key.data.socket, selectors.EVENT_READ, key.data)
                    key.data.ask()
                    continue
                if answer is not None:
                    now = time.perf_counter()
                    answers += 1
                    statuses.add(answer[0])
                    length = answer[1]
                    key.data.ask()
    result = {
        "per_second": answers / (now - begun),
        "statuses": list(statuses),
        "length": length,
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
