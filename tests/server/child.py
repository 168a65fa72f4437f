"""Serves a small application until SIGTERM; prints its port."""

import json
import os
import time

from locframework.server import listen, serve, stop_signals


def app(environ, start_response):
    if environ["PATH_INFO"] == "/sleep":
        time.sleep(float(environ["QUERY_STRING"]))
    seen = {"address": environ["REMOTE_ADDR"], "path": environ["PATH_INFO"]}
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(seen).encode()]


if __name__ == "__main__":
    with stop_signals() as stop, listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        serve(app, listening, stop, on_ready=lambda: os.write(1, f"{port}\n".encode()))
