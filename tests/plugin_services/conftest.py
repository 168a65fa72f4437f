"""A plugin with data, settings and jobs, in a whole application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from locframework import Framework, hookimpl
from locframework.ports import Permission, PluginJob, PluginServices, Secret
from locframework.testing.workspace import Workspace, open_workspace


class DigestSettings(msgspec.Struct, rename="camel"):
    send_hour: int = 9
    languages: list[str] = []
    url: Secret | None = None
    token: Secret = ""

    def __post_init__(self) -> None:
        if self.send_hour > 23:
            raise ValueError("sendHour is 0 to 23")


class DigestPlugin:
    """Its job ``send`` does what a test puts into ``run``; every day at 9."""

    name = "digest"
    project_settings_type: type[msgspec.Struct] = DigestSettings

    def __init__(self) -> None:
        self.run: Callable[..., Any] = lambda job, work: None
        self.own: PluginServices

    @hookimpl
    def loc_on_start(self, framework: Framework) -> None:
        self.own = framework.plugin("digest")

    @hookimpl
    def loc_provide_permissions(self) -> list[Permission]:
        return [Permission("digest_index", "Index texts", ("developer",))]

    @hookimpl
    def loc_provide_jobs(self) -> list[PluginJob]:
        def run(job: Any, work: Any) -> Any:
            return self.run(job, work)

        return [
            PluginJob("send", "translation_approve", run, "0 9 * * *"),
            PluginJob("index", "digest_index", run),
        ]


class Clock:
    """Noon of a day in UTC, until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


class World:
    """A project, and the plugin."""

    def __init__(self, workspace: Workspace, plugin: DigestPlugin, clock: Clock):
        self.workspace, self.plugin, self.clock = workspace, plugin, clock
        self.framework, self.owner = workspace.framework, workspace.owner
        self.own = plugin.own
        self.project = workspace.project()
        self.id: str = self.project["id"]
        self.path = f"/projects/{self.id}"
        self.settings = f"{self.path}/plugins/digest"

    def jobs(self, project: Any = None) -> list[dict[str, Any]]:
        """The jobs of a project, oldest first."""
        path = f"/projects/{(project or self.project)['id']}/jobs"
        items: list[dict[str, Any]] = self.owner.get(path).data["items"]
        return items[::-1]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def plugin() -> DigestPlugin:
    return DigestPlugin()


@pytest.fixture
def world(
    database_url: str, tmp_path: Path, plugin: DigestPlugin, clock: Clock
) -> Iterator[World]:
    with open_workspace(
        database_url, tmp_path, plugins=[plugin], clock=clock
    ) as workspace:
        yield World(workspace, plugin, clock)
