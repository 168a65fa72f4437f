"""Runs the contract of each port against plugins with mistakes: ``dev.py mutants``.

Prints for each port how many mutants its contract catches, and which it does not. With
names of ports, runs only those, and prints what catches each mutant. The exit status is
1 if a contract catches less than 90 % or an honest plugin fails.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.testing.mutants.mutation import Mutant  # noqa: E402

PORTS = (
    *("format", "check", "transport", "blob_store", "matcher", "translator"),
    "storage",
)
LEAST_PERCENT = 90
SECONDS = 300  # of one suite; the honest ones take less than a minute
HONEST = "(honest)"


@dataclass(frozen=True)
class Run:
    """A suite against an honest plugin, or one with a mistake."""

    port: str
    suite: type
    mutant: Mutant | None

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self.mutant.name if self.mutant else f"{HONEST} {self.suite.__name__}"


@dataclass(frozen=True)
class Result:
    """What a suite said of a plugin."""

    run: Run
    failed: str
    """The first test that failed and its reason; empty: none did."""


def mutants_of(port: str) -> dict[type, list[Mutant]]:
    """Return the mutants of a port by the suite that has to catch them."""
    module: ModuleType = importlib.import_module(f"tests.testing.mutants.{port}")
    mutants: dict[type, list[Mutant]] = module.MUTANTS
    return mutants


class _FirstFailure:
    """A plugin for pytest."""

    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = str(crash.message if crash else report.longrepr).split("\n")[0]
            self.failed = f"{report.nodeid.rpartition('::')[2]}: {reason}"


def _in_child(run: Run, answer: Connection) -> None:
    """Run the suite until its first failure. Nothing of it is printed."""
    if run.mutant:
        run.mutant.apply()
    first = _FirstFailure()
    file = importlib.import_module(run.suite.__module__).__file__
    with tempfile.TemporaryFile("w+") as said, contextlib.redirect_stdout(said):
        status = pytest.main(
            [
                *("-x", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short"),
                f"--rootdir={ROOT}",
                f"{file}::{run.suite.__name__}",
            ],
            [first],
        )
        said.seek(0)
        whole = said.read()
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        answer.send(RuntimeError(f"pytest ended with {status}: {whole[-2000:]}"))
    answer.send(first.failed)
    answer.close()
    os._exit(0)  # threads of a mutant may never end


def results_of(runs: Sequence[Run], at_once: int) -> Iterator[Result]:
    """Yield the result of each run once it is there. Each has a process of its own."""
    context = multiprocessing.get_context("fork")  # all is imported
    waiting = list(reversed(runs))
    running: dict[Connection, tuple[Run, multiprocessing.process.BaseProcess, float]]
    running = {}
    while waiting or running:
        while waiting and len(running) < at_once:
            run = waiting.pop()
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_in_child, args=(run, theirs))
            process.start()
            theirs.close()
            running[ours] = (run, process, time.monotonic() + SECONDS)
        ready = wait([*running], timeout=1)
        for answer in [*running]:
            run, process, ends = running[answer]
            if answer in ready:
                failed = answer.recv()
                if isinstance(failed, RuntimeError):
                    raise failed
            elif time.monotonic() > ends:
                failed = f"not finished after {SECONDS} seconds"
            else:
                continue
            process.kill()
            process.join()
            del running[answer]
            yield Result(run, failed)


def main(arguments: Sequence[str]) -> int:
    """Return the exit status."""
    if unknown := set(arguments) - {*PORTS}:
        print(f"there is no port {', '.join(unknown)}; ports: {', '.join(PORTS)}")
        return 2
    ports = arguments or PORTS
    # before the suites are imported: only whether a test fails is of interest
    quick = settings(
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
    )
    settings.register_profile("mutants", quick)
    settings.load_profile("mutants")
    runs = [
        Run(port, suite, mutant)
        for port in ports
        for suite, mutants in mutants_of(port).items()
        for mutant in (None, *mutants)
    ]
    for run in runs:
        if run.mutant:
            run.mutant.source()  # all can be made, before any runs
    results = []
    for result in results_of(runs, len(os.sched_getaffinity(0))):
        results.append(result)
        if arguments:
            print(f"{result.run.name:45} {result.failed or '-'}"[:200], flush=True)
    print_table(ports, results)
    return 0 if is_good(ports, results) else 1


def missed_of(port: str, results: Sequence[Result]) -> tuple[int, list[str]]:
    """Return how many mutants a port has, and the names of those not caught."""
    of_port = [each for each in results if each.run.port == port and each.run.mutant]
    return len(of_port), [each.run.name for each in of_port if not each.failed]


def is_good(ports: Sequence[str], results: Sequence[Result]) -> bool:
    """Return whether each port catches enough, and all honest plugins pass."""
    for port in ports:
        all_, missed = missed_of(port, results)
        if (all_ - len(missed)) * 100 < LEAST_PERCENT * all_:
            return False
    return not any(each.failed for each in results if not each.run.mutant)


def print_table(ports: Sequence[str], results: Sequence[Result]) -> None:
    """Print the table of docs/internals/contracts.md."""
    print("| port | mutants | caught | not caught |\n|---|---|---|---|")
    for port in ports:
        all_, missed = missed_of(port, results)
        caught = all_ - len(missed)
        print(f"| {port} | {all_} | {caught} | {', '.join(missed) or '-'} |")
    for each in results:
        if each.failed and not each.run.mutant:
            print(f"{each.run.port} {each.run.name} fails: {each.failed}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
