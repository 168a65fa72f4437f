"""Runs what is due of a plugin's jobs and schedules, in a process that tests kill.

Arguments: the address of the database, a folder, the days that the clock is ahead.
"""

import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from locframework import Framework, hookimpl
from locframework.fields import system_clock
from locframework.ports import PluginJob, StoredJob, Work
from locframework.testing.workspace import open_workspace

NUMBERS = 4


class NoSettings(Struct):
    """The schedule runs in projects where they were set."""


class CountPlugin:
    """Notes numbers, one a step: with the attempt that did, and how often in all."""

    name = "count"
    project_settings_type = NoSettings

    @hookimpl
    def loc_on_start(self, framework: Framework) -> None:
        self._own = framework.plugin("count")

    @hookimpl
    def loc_provide_jobs(self) -> list[PluginJob]:
        return [PluginJob("up", "project_update", self.run, "0 0 1 1 *")]

    def run(self, job: StoredJob, work: Work) -> Mapping[str, object]:
        data = self._own.data(job.project_id)
        done = job.step["done"] if job.step else 0
        assert isinstance(done, int)
        for number in range(done, NUMBERS):
            work.check_cancelled()
            work.report(number + 1, NUMBERS)  # stored with the step
            with work.step() as step:
                times = data.get(f"{number}") or 0
                assert isinstance(times, int)
                data.set(f"{number}", times + 1)
                step.note = {"done": number + 1}
        return {"counted": NUMBERS}


def main(url: str, folder: str, days: str) -> None:
    ahead = timedelta(days=float(days))
    with open_workspace(
        url,
        Path(folder),
        plugins=[CountPlugin()],
        clock=lambda: system_clock() + ahead,
    ) as workspace:
        workspace.framework.schedules.run_due()
        workspace.run_jobs()


if __name__ == "__main__":
    main(*sys.argv[1:])
