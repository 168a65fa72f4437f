"""The small application that the tests serve in a process of its own.

Its one argument is JSON: the keywords of ``serve()``, ``fails``, and
``stops_in_seconds``, what ``on_stop`` takes.
It prints a line when it is ready and a line for each process that stopped.
"""

import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

from locframework.server import ServerError, ServerLimits, serve

PIECE = b"x" * 65536


def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path, query = environ["PATH_INFO"], parse_qs(environ["QUERY_STRING"])
    if path == "/sleep":
        time.sleep(float(query["seconds"][0]))
    if path == "/big":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return pieces(int(query["pieces"][0]))
    if path == "/fail":
        raise RuntimeError("a fault of the application")
    if path == "/exit":
        raise SystemExit
    if path == "/unchanged":
        start_response("304 Not Modified", [("ETag", '"1"')])
        return []
    body = environ["wsgi.input"].read()
    told = {
        "pid": os.getpid(),
        "cpus": sorted(os.sched_getaffinity(0)),
        "received": len(body),
        "address": environ["REMOTE_ADDR"],
        "scheme": environ["wsgi.url_scheme"],
        "software": environ["SERVER_SOFTWARE"],
        "multiprocess": environ["wsgi.multiprocess"],
    }
    answer = json.dumps(told).encode()
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))]
    start_response("200 OK", headers)
    return [answer]


def pieces(count: int) -> Iterable[bytes]:
    for _ in range(count):
        yield PIECE


def tell(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def main() -> None:
    options = json.loads(sys.argv[1])
    limits = ServerLimits(**options.pop("limits", {}))
    fails = options.pop("fails", False)
    stops_in_seconds = options.pop("stops_in_seconds", 0)

    def make_app() -> Any:
        if fails:
            raise SystemExit("no database")
        return app

    def on_stop() -> None:
        time.sleep(stops_in_seconds)
        tell("stopped", os.getpid())

    serve(
        make_app,
        port=0,
        limits=limits,
        on_ready=lambda host, port: tell("ready", host, port),
        on_stop=on_stop,
        **options,
    )
    tell("returned")


if __name__ == "__main__":
    try:
        main()
    except ServerError as error:
        tell("error", error)
        sys.exit(3)
