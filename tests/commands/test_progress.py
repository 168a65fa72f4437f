"""How commands tell how far they are."""

import os
import pty
from contextlib import suppress

from locframework.commands import jobs as jobs_module
from locframework.commands.jobs import progress


def test_progress_is_lines_now_and_then_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr(jobs_module, "LINE_EVERY_SECONDS", 0.0)

    with progress("importing") as tell:
        tell(0, 0)
        tell(1, 2)

    assert capsys.readouterr().err == "importing: 1 of 2\n"


def test_quick_work_says_nothing_where_there_is_no_terminal(capsys):
    with progress("importing") as tell:
        tell(2, 2)

    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(monkeypatch):
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        with progress("importing") as tell:
            tell(1, 4)
            tell(4, 4)
    shown = b""
    with suppress(OSError):  # how a terminal that nobody writes to ends
        while part := os.read(ours, 10_000):
            shown += part
    os.close(ours)

    assert b"importing  [" in shown
    assert b"25%" in shown
    assert b"100%" in shown
