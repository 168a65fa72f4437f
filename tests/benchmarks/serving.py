"""Serves one application in a process of its own: ours, or what it is beside.

Its one argument is JSON: ``settings`` of ours, or else ``statements`` (with ``url``)
or a ``file`` (with ``etag``) for a bare Falcon route, and ``by_hand`` for one that
keeps our promises too (a manifest, where a file stands beside statements); ``plain``:
on waitress as it comes, else on locframework.server in so many ``processes`` (1; 0: one
per CPU), each pinned to its CPU. Prints the port.
"""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import by_hand
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
        if "by_hand" in asked:
            return by_hand_app(asked)
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


def by_hand_app(asked: dict[str, Any]) -> Any:
    source = asked["url"], asked["statements"]
    if "file" not in asked:
        return by_hand.key_app(*source)
    content = Path(asked["file"]).read_bytes()
    return by_hand.manifest_app(*source, content, asked["etag"])


def tell(port: int) -> None:
    os.write(1, f"{port}\n".encode())


if __name__ == "__main__":
    main()
