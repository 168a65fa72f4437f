"""Receives webhooks in a process of its own, over TLS; a second port never answers.

Its one argument is a folder. Prints JSON: ``[port, hanging port, CA file]``. For each
line on standard input it prints what came since the last: ``[[key, seconds], …]``, the
first key that a payload names and when its first byte came, on the monotonic clock.
"""

import json
import sys
import time
from pathlib import Path
from queue import Empty, SimpleQueue

from locframework.testing.receiver import Visit, open_receiver

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


def main() -> None:
    came: SimpleQueue[tuple[str, float]] = SimpleQueue()

    def answer(visit: Visit) -> None:
        at = time.monotonic()
        visit.shake_hands()
        payload = json.loads(visit.read_request().body)
        visit.receiver.received.clear()
        came.put((payload["data"]["items"][0]["key"], at))
        visit.send(ANSWER)

    folder = Path(sys.argv[1])
    (folder / "hanging").mkdir()
    with (
        open_receiver(folder, answer) as receiver,
        open_receiver(folder / "hanging", Visit.wait) as silent,
    ):
        tell([receiver.port, silent.port, receiver.ca_file])
        for _ in sys.stdin:
            found = []
            try:
                while True:
                    found.append(came.get_nowait())
            except Empty:
                tell(found)


def tell(what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
