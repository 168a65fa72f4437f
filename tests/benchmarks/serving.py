"""Serves one application in a process of its own: ours, or what it is beside.

Its one argument is JSON: ``settings`` of ours, or else ``statements`` (with ``url``)
or a ``file`` (with ``etag``) for a bare Falcon route; ``plain``: on waitress as it
comes, else on locframework.server in so many ``processes`` (1; 0: one per CPU), each
pinned to its CPU. Prints the port.
"""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import peers
import stock
import waitress

from locframework import Framework, Settings, create_app
from locframework.server import serve


def main() -> None:
    asked: dict[str, Any] = json.loads(sys.argv[1])

    def make_app() -> Any:
        if "settings" in asked:
            stock.lift_rate_limits()
            return create_app(Framework(Settings.of(asked["settings"])))
        if "statements" in asked:
            return peers.reading_app(asked["url"], asked["statements"])
        return peers.static_app(Path(asked["file"]).read_bytes(), asked["etag"])

    if asked.get("plain"):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            app = make_app()
            tell(listening.getsockname()[1])
            waitress.serve(app, sockets=[listening], threads=4)
    else:
        serve(
            make_app,
            port=0,
            processes=asked.get("processes", 1),
            on_ready=lambda _, port: tell(port),
        )


def tell(port: int) -> None:
    os.write(1, f"{port}\n".encode())


if __name__ == "__main__":
    main()
