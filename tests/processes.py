"""Other processes for tests: a script that talks in lines of JSON.

The script prints "ready" (as JSON, like all it says) when it has started, and goes on
once it reads a line. So a test can start several at once, and kill them when it likes.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ENDED = None
SECONDS_MOST = 60


class Process:
    """A running ``script``. It is killed, if need be, when the block ends."""

    def __init__(self, script: Path, *arguments: object) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(script), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self.hear() != "ready":
            raise RuntimeError(f"{script.name} did not start")

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def go(self) -> None:
        """Let it go on from "ready"."""
        if self._process.stdin is not None:
            self._process.stdin.write("\n")
            self._process.stdin.flush()

    def hear(self) -> Any:
        """The next thing it says; ENDED when it says nothing whole any more."""
        if self._process.stdout is None:
            return ENDED
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else ENDED

    def rest(self) -> list[Any]:
        """All that it says until it ends."""
        found = []
        while (said := self.hear()) is not ENDED:
            found.append(said)
        return found

    def kill(self) -> None:
        """End it as a crash would (SIGKILL), and take leave of it."""
        self._process.kill()
        self.ended_with()

    def ended_with(self) -> int:
        """Its exit code, when it has ended; negative: the signal."""
        return self._process.wait(SECONDS_MOST)
