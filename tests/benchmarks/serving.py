"""Serves one application in a process of its own: ours, or what it is beside.

Its one argument is JSON: ``settings`` of ours, or else ``statements`` (with ``url``)
or a ``file`` (with ``etag``) for a bare Falcon route, and ``by_hand`` for one that
keeps our promises too (a manifest, where a file stands beside statements). Prints
the port.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import by_hand
import peers
import stock

from locframework import Framework, Settings, create_app
from locframework.server import listen, serve, stop_signals


def main() -> None:
    asked: dict[str, Any] = json.loads(sys.argv[1])

    with stop_signals() as stop, listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        serve(make_app(asked), listening, stop, on_ready=lambda: tell(port))


def make_app(asked: dict[str, Any]) -> Any:
    if "settings" in asked:
        stock.lift_rate_limits()
        return create_app(Framework(Settings.of(asked["settings"])))
    if "by_hand" in asked:
        return by_hand_app(asked)
    if "statements" in asked:
        return peers.reading_app(asked["url"], asked["statements"])
    return peers.static_app(Path(asked["file"]).read_bytes(), asked["etag"])


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
